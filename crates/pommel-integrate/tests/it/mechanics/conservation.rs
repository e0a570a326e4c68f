//! What schemes keep.

use pommel_integrate::mechanics::{Level, MechanicsOptions, Scheme, integrate_mechanics};
use pommel_integrate::{Control, ImplicitMethod, Step};

use super::systems::{Body, Dense, Pendulum, Top, Tumbling, rotation};

fn run<B: Body>(
    body: B,
    scheme: Scheme,
    y: &mut [f64],
    end: f64,
    h: f64,
    mut watch: impl FnMut(&[f64]),
) {
    let options = MechanicsOptions::fixed(scheme, h);
    let mut observer = |step: &Step<'_, f64>| {
        watch(step.y_new());
        Control::Continue
    };
    integrate_mechanics(&mut Dense::new(body), 0.0, end, y, &options, &mut observer)
        .expect("the end");
}

/// Angular momentum in the world of a body that tumbles about its axis of middle inertia: to rounding over
/// 200 000 steps, by RATTLE and symplectic Euler alike; its energy stays near what it was.
#[test]
fn angular_momentum_is_kept_to_rounding() {
    let momentum = |y: &[f64]| {
        let [x, y_, z] = rotation(&y[3..7]);
        let p = [0.4 * y[7], 0.3 * y[8], 0.5 * y[9]];
        [0, 1, 2].map(|k| x[k] * p[0] + y_[k] * p[1] + z[k] * p[2])
    };
    let energy = |y: &[f64]| 0.5 * (0.4 * y[7] * y[7] + 0.3 * y[8] * y[8] + 0.5 * y[9] * y[9]);
    for (scheme, energy_limit) in [(Scheme::Rattle, 1e-4), (Scheme::SymplecticEuler, 1e-4)] {
        let mut y = vec![0.0; 13];
        (y[3], y[7], y[8], y[9], y[10]) = (1.0, 2.0, 0.01, 0.02, 0.7);
        let (p0, e0) = (momentum(&y), energy(&y));
        let (mut momentum_off, mut energy_off) = (0.0_f64, 0.0_f64);
        run(Tumbling, scheme.clone(), &mut y, 1000.0, 0.005, |y| {
            let p = momentum(y);
            (0..3).for_each(|k| momentum_off = momentum_off.max((p[k] - p0[k]).abs()));
            energy_off = energy_off.max((energy(y) - e0).abs() / e0);
        });
        // rounding of 200 000 steps, at random: some hundred units of 1e-16
        assert!(momentum_off < 1e-12, "{} {momentum_off:e}", scheme.name());
        assert!(energy_off < energy_limit, "{} {energy_off:e}", scheme.name());
        // a uniform motion besides
        assert!((y[0] - 700.0).abs() < 1e-9, "{}", y[0]);
    }
}

/// Energy of a pendulum over 2000 s: RATTLE and symplectic Euler keep it on average, Euler backward loses it.
#[test]
fn energy_does_not_drift_with_symplectic_schemes() {
    let energy = |y: &[f64]| y[2] * y[2] + y[3] * y[3] + 2.0 * 9.81 * y[1];
    let body = || Pendulum { drag: 0.0, shaking: 0.0 };
    let means = |scheme: Scheme, h: f64| {
        let mut y = [1.0, 0.0, 0.0, 0.0];
        let (mut sums, mut count) = ([0.0; 2], 0_u32);
        let half = (1000.0 / h) as u32;
        run(body(), scheme, &mut y, 2000.0, h, |y| {
            sums[usize::from(count >= half)] += energy(y);
            count += 1;
        });
        sums.map(|sum| sum / f64::from(half))
    };
    // the scale is that of the potential, 2 · 9.81 J
    let [early, late] = means(Scheme::Rattle, 0.01);
    assert!((late - early).abs() < 1e-3, "{early} {late}");
    let [early, late] = means(Scheme::SymplecticEuler, 0.002);
    assert!((late - early).abs() < 1e-2, "{early} {late}");
    let euler = Scheme::radau(ImplicitMethod::Euler.tableau(), Level::Stabilized);
    // it began with 0, and hangs still at −2 · 9.81
    let [_, late] = means(euler, 0.01);
    assert!(late < -19.0, "{late}");
}

/// What is left of the constraints at the ends of steps.
#[test]
fn constraints_hold_as_the_schemes_promise() {
    let radau = |level| Scheme::radau(ImplicitMethod::Radau5.tableau(), level);
    let second_order = 1e-2;
    for (scheme, position, velocity) in [
        (Scheme::SymplecticEuler, 1e-12, 1e-13),
        (Scheme::Rattle, 1e-12, 1e-13),
        (Scheme::GeneralizedAlpha { spectral_radius: 0.6 }, 1e-12, second_order),
        (Scheme::Hht { alpha: -0.2 }, 1e-12, second_order),
        (radau(Level::Stabilized), 1e-12, 1e-11),
        (radau(Level::Velocity), 1e-5, 1e-11),
        (radau(Level::Position), 1e-12, 1e-4),
    ] {
        let mut y = Top::start();
        let mut largest = [0.0_f64; 2];
        let mut other = Dense::new(Top);
        run(Top, scheme.clone(), &mut y, 5.0, 0.01, |y| {
            let found = other.residuals(0.0, y);
            (0..2).for_each(|k| largest[k] = largest[k].max(found[k]));
        });
        assert!(largest[0] <= position, "{} {largest:?}", scheme.name());
        assert!(largest[1] <= velocity, "{} {largest:?}", scheme.name());
        // what is promised to be larger than rounding is
        assert!(position < 1e-9 || largest[0] > 1e-12, "{} {largest:?}", scheme.name());
        assert!(velocity < 1e-9 || largest[1] > 1e-12, "{} {largest:?}", scheme.name());
    }
}

/// A symmetric scheme comes back by the way it went.
#[test]
fn rattle_is_reversible() {
    let start = Top::start();
    let mut y = start.clone();
    let options = MechanicsOptions::fixed(Scheme::Rattle, 0.01);
    let mut system = Dense::new(Top);
    integrate_mechanics(&mut system, 0.0, 2.0, &mut y, &options, &mut ()).expect("there");
    integrate_mechanics(&mut system, 2.0, 0.0, &mut y, &options, &mut ()).expect("back");
    let off = y.iter().zip(&start).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 1e-10, "{off:e}");
}
