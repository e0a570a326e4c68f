//! Reduced systems in motion.

use pommel_integrate::{
    Adaptive, Control, Dae, DaeError, DaeOptions, ImplicitMethod, ImplicitOptions, Options,
    Quasilinear, ReducedDae, Step, StiffSystem, System, Tableau, consistent_state, from_fn,
    integrate, integrate_implicit,
};

use super::assert_near;
use super::systems::*;
use crate::problems::{distance, dormand_prince, slope};

/// What is done about drift.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Against {
    Nothing,
    Baumgarte(f64),
    Projection,
}

const ALL: [Against; 3] = [Against::Nothing, Against::Baumgarte(4.0), Against::Projection];

/// From consistent values near a guess, whose components 0 and 2 are kept if it has five.
fn reduced<D: Dae>(dae: D, t: f64, guess: &[f64], against: Against) -> (ReducedDae<D>, Vec<f64>) {
    let options = DaeOptions::default();
    let held: Vec<bool> =
        (0..guess.len()).map(|v| guess.len() == 5 && [0, 2].contains(&v)).collect();
    let start = consistent_state(&dae, t, guess, &held, &options).unwrap();
    let reduced = ReducedDae::new(dae, &start, &options).unwrap();
    let reduced = match against {
        Against::Nothing => reduced,
        Against::Baumgarte(rate) => reduced.baumgarte(rate).unwrap(),
        Against::Projection => reduced.projection(true),
    };
    (reduced, start.y)
}

fn precise(tolerance: f64) -> Options {
    Options::adaptive(Tableau::dormand_prince_853(), Adaptive::new(tolerance, tolerance))
}

/// The pendulum of [`Pendulum::state`] at a time, from the equation of its angle.
fn pendulum_at(t: f64, angle: f64, rate: f64) -> [f64; 5] {
    let mut equation = from_fn(2, |_: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = -G * y[0].sin();
    });
    let mut y = [angle, rate];
    let options = Options::fixed(Tableau::dormand_prince_853(), 1.0 / 256.0);
    integrate(&mut equation, 0.0, t, &mut y, &options, &mut ()).unwrap();
    Pendulum::state(y[0], y[1])
}

#[test]
fn the_linear_system_of_index_three_follows_its_solution() {
    for (constant, end) in [(false, 10.0), (true, 2.0)] {
        for against in ALL {
            let (mut system, mut y) = reduced(Linear { constant }, 0.0, &[0.0; 3], against);
            let exact = Linear { constant }.exact(end);
            integrate(&mut system, 0.0, end, &mut y, &precise(1e-11), &mut ()).unwrap();
            // where all is determined, a projection gives the solution; else errors drift with t²
            let tolerance = if against == Against::Projection { 1e-13 } else { 1e-8 };
            assert_near(&y, &exact, tolerance);
        }
    }
}

#[test]
fn a_pendulum_of_any_index_swings_as_its_angle_does() {
    let expected = pendulum_at(3.0, 1.0, 0.5);
    for level in 0..3 {
        for against in ALL {
            let guess = Pendulum::state(1.0, 0.5);
            let (mut system, mut y) = reduced(Pendulum { level }, 0.0, &guess, against);
            integrate(&mut system, 0.0, 3.0, &mut y, &precise(1e-11), &mut ()).unwrap();
            // errors of a step of 1e-11, some hundred steps, growing with time
            assert_near(&y, &expected, 1e-8);
        }
    }
}

#[test]
fn the_particle_on_a_curve_ends_where_the_reference_does() {
    let end = [
        0.512_485_156_959_507_6,
        -0.596_055_047_441_577_3,
        1.136_870_809_850_316_4,
        1.843_763_632_024_616_5,
        -1.767_991_332_980_394_7,
    ];
    for (against, tolerance) in
        [(Against::Nothing, 1e-6), (Against::Baumgarte(4.0), 1e-8), (Against::Projection, 1e-9)]
    {
        let guess = [0.6, -0.44, 1.0, 1.95, 0.0];
        let (mut system, mut y) = reduced(Quasilinear(Parabola), 0.0, &guess, against);
        integrate(&mut system, 0.0, 5.0, &mut y, &precise(1e-12), &mut ()).unwrap();
        let error = distance(&y, &end);
        assert!(error < tolerance, "{against:?}: {error:e}");
        let [x, y, u, v] = [y[0], y[1], y[2], y[3]];
        let energy = 0.5 * (u * u + (v + 2.0 * x * u).powi(2)) + 0.5 * G * (x * x - y);
        assert!((energy - 9.385_25).abs() < 10.0 * tolerance, "{against:?}: {energy}");
    }
}

/// f is the explicit form printed in \[Zam19, eq. 2.2.5\].
#[test]
fn derivatives_are_those_of_the_explicit_form() {
    let guess = [0.6, -0.44, 1.0, 1.95, 0.0];
    let (mut system, y) = reduced(Quasilinear(Parabola), 0.0, &guess, Against::Nothing);
    let mut dy = [0.0; 5];
    system.rhs(0.0, &y, &mut dy).unwrap();
    let [x, y1, u, v, l] = [y[0], y[1], y[2], y[3], y[4]];
    let expected = [
        u,
        v,
        -2.0 * (4.0 * l * x * x - 4.0 * y1 * l + l + G) * x,
        16.0 * x.powi(4) * l - 16.0 * x * x * y1 * l + 6.0 * l * x * x + 4.0 * x * x * G
            - 2.0 * y1 * l
            - 2.0 * u * u
            + G / 2.0,
        Parabola::printed_rate_of_lambda(&y),
    ];
    assert_near(&dy, &expected, 1e-11);
}

#[test]
fn the_car_axis_ends_where_the_reference_does() {
    // positions and velocities, in 113-bit numbers
    let end = [
        0.049_345_578_427_524_094,
        0.496_989_460_230_008_1,
        1.041_742_524_885_426_2,
        0.373_911_027_265_365_8,
        -0.077_058_368_403_592_08,
        0.007_446_866_592_068_417,
        0.017_556_815_753_541_736,
        0.770_341_043_779_601_1,
        -0.004_736_886_590_853_326,
        -0.001_104_680_331_259_565_8,
    ];
    let guess = [0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0];
    let (mut system, mut y) = reduced(CarAxis, 0.0, &guess, Against::Projection);
    assert_near(&y, &guess, 1e-14);
    integrate(&mut system, 0.0, 3.0, &mut y, &precise(1e-9), &mut ()).unwrap();
    assert_near(&y, &end, 1e-6);
}

#[test]
fn a_circuit_of_index_one_charges_as_its_formula_says() {
    for against in ALL {
        let (mut system, mut y) = reduced(Circuit, 0.0, &[0.0; 3], against);
        integrate(&mut system, 0.0, 4.0, &mut y, &precise(1e-12), &mut ()).unwrap();
        let (source, charged) = (4_f64.sin(), Circuit::capacitor(4.0));
        assert_near(&y, &[source, charged, (charged - source) / Circuit::R], 1e-10);
    }
}

#[test]
fn an_implicit_differential_equation_is_made_explicit() {
    // y0' = 2 y1 …: [2 1; 1 1] y' = (y1, −y0) + (sin t, sin 2 t)
    let dae = Constant { n: 2, e: vec![2.0, 1.0, 1.0, 1.0], a: vec![0.0, 1.0, -1.0, 0.0] };
    let (mut system, y) = reduced(dae, 0.7, &[1.0, 2.0], Against::Nothing);
    let mut dy = [0.0; 2];
    system.rhs(0.7, &y, &mut dy).unwrap();
    let (f0, f1) = (2.0 + 0.7_f64.sin(), -1.0 + 1.4_f64.sin());
    assert_near(&dy, &[f0 - f1, 2.0 * f1 - f0], 1e-14);
}

/// Fixed steps converge with the order of the method, whatever is done about drift.
#[test]
fn reduced_systems_converge_with_the_order_of_the_method() {
    let reference = pendulum_at(1.0, 1.0, 0.5);
    for (tableau, steps) in [
        (Tableau::heun(), [128, 192, 256, 384]),
        (Tableau::rk4(), [128, 192, 256, 384]),
        (Tableau::bogacki_shampine_32(), [256, 384, 512, 768]),
    ] {
        let sizes = steps.map(|steps| 1.0 / f64::from(steps));
        for against in ALL {
            let errors = sizes.map(|h| {
                let guess = Pendulum::state(1.0, 0.5);
                let (mut system, mut y) = reduced(Pendulum { level: 0 }, 0.0, &guess, against);
                let options = Options::fixed(tableau.clone(), h);
                integrate(&mut system, 0.0, 1.0, &mut y, &options, &mut ()).unwrap();
                distance(&y, &reference)
            });
            let (measured, order) = (slope(&sizes, &errors), tableau.order() as f64);
            let name = tableau.name();
            assert!((measured - order).abs() < 0.1, "{name} {against:?}: {measured} {errors:?}");
        }
    }
}

/// The largest residuals of the hidden constraints in each quarter of a motion.
fn drift(against: Against, h: f64, end: f64) -> [f64; 4] {
    let guess = Pendulum::state(1.0, 0.5);
    let (mut system, mut y) = reduced(Pendulum { level: 0 }, 0.0, &guess, against);
    let (mut judge, _) = reduced(Pendulum { level: 0 }, 0.0, &guess, Against::Nothing);
    let mut quarters = [0.0_f64; 4];
    let mut observer = |step: &Step<'_, f64>| {
        let mut residuals = [0.0; 3];
        judge.residuals(step.t_new(), step.y_new(), &mut residuals).unwrap();
        let quarter = ((4.0 * step.t_old() / end) as usize).min(3);
        quarters[quarter] = residuals.iter().fold(quarters[quarter], |w, r| w.max(r.abs()));
        Control::Continue
    };
    let options = Options::fixed(Tableau::rk4(), h);
    integrate(&mut system, 0.0, end, &mut y, &options, &mut observer).unwrap();
    quarters
}

#[test]
fn drift_grows_is_bounded_or_vanishes() {
    let grown = drift(Against::Nothing, 0.02, 30.0);
    // as a polynomial of degree 2, at least as t
    assert!(grown[3] > 2.5 * grown[0] && grown[3] > 1e-6, "{grown:?}");
    let bounded = drift(Against::Baumgarte(10.0), 0.02, 30.0);
    assert!(bounded[3] < 1.5 * bounded[0] && bounded[3] < 0.2 * grown[3], "{bounded:?} {grown:?}");
    assert!(bounded[3] > 1e-12, "rounding only: {bounded:?}");
    let none = drift(Against::Projection, 0.02, 30.0);
    // residuals are sums of a few terms, up to 30
    assert!(none.iter().all(|r| *r < 30.0 * 8.0 * f64::EPSILON), "{none:?}");
}

/// Off the constraints, residuals go as `(d/dt + α)³ κ = 0` says, which is what both kinds of index
/// reduction mean; a first or second order law would be off by more than the whole.
#[test]
fn residuals_decay_by_the_polynomial_of_baumgarte() {
    let mut off = Pendulum::state(1.0, 0.5);
    let shifts = [1e-2, 2e-2, -3e-2, 1e-2, 0.3];
    off.iter_mut().zip(shifts).for_each(|(y, shift)| *y += shift);
    for rate in [0.0, 3.0] {
        let guess = Pendulum::state(1.0, 0.5);
        let (mut system, _) = reduced(Pendulum { level: 0 }, 0.0, &guess, Against::Baumgarte(rate));
        let mut start = [0.0; 3];
        system.residuals(0.0, &off, &mut start).unwrap();
        let mut y = off;
        let t = 0.8;
        integrate(&mut system, 0.0, t, &mut y, &precise(1e-12), &mut ()).unwrap();
        let mut end = [0.0; 3];
        system.residuals(t, &y, &mut end).unwrap();
        let [k0, k1, k2] = start;
        let a = rate;
        let (b, c) = (k1 + a * k0, (k2 + 2.0 * a * k1 + a * a * k0) / 2.0);
        let decay = (-a * t).exp();
        let value = decay * (k0 + b * t + c * t * t);
        let first = decay * (b + 2.0 * c * t) - a * value;
        let second = 2.0 * c * decay - 2.0 * a * decay * (b + 2.0 * c * t) + a * a * value;
        assert!(start.iter().all(|k| k.abs() > 1e-3), "{start:?}");
        assert_near(&end, &[value, first, second], 1e-9);
    }
}

/// The equation that is free to have a residual turns round with the mixture: it must be chosen anew.
#[test]
fn equations_mixed_in_time_are_followed() {
    let expected = pendulum_at(4.0, 1.0, 0.5);
    for against in ALL {
        let guess = Pendulum::state(1.0, 0.5);
        let (mut system, mut y) = reduced(Mixed(Pendulum { level: 0 }), 0.0, &guess, against);
        let first = system.constraints().next().unwrap().equation;
        assert_eq!(first, 4);
        let mut others = 0;
        let mut t = 0.0;
        while t < 4.0 {
            integrate(&mut system, t, t + 0.25, &mut y, &precise(1e-11), &mut ()).unwrap();
            t += 0.25;
            others += u32::from(system.constraints().next().unwrap().equation != first);
        }
        assert!(others > 2, "{others}");
        assert!(system.failure().is_none());
        assert_near(&y, &expected, 1e-8);
    }
}

/// What the equations leave open of high derivatives must not pile up, nor may an equation be used until its
/// share of the constraint vanishes between two steps.
#[test]
fn long_motions_of_mixed_equations_go_on() {
    let guess = Pendulum::state(1.0, 0.5);
    let (mut system, mut y) =
        reduced(Mixed(Pendulum { level: 0 }), 0.0, &guess, Against::Projection);
    let options = Options::fixed(Tableau::rk4(), 0.01);
    integrate(&mut system, 0.0, 20.0, &mut y, &options, &mut ()).unwrap();
    // RK4 with steps of 1/200 of a period: 1e-9 a step at most, growing with t²
    assert_near(&y[..4], &pendulum_at(20.0, 1.0, 0.5)[..4], 1e-4);
}

#[test]
fn implicit_methods_take_reduced_systems() {
    let expected = pendulum_at(1.0, 1.0, 0.5);
    let guess = Pendulum::state(1.0, 0.5);
    let (mut system, mut y) = reduced(Pendulum { level: 0 }, 0.0, &guess, Against::Projection);
    let (n, delta) = (5, 1e-6);
    let mut jacobian = [0.0; 25];
    assert!(system.jacobian(0.0, &y, &mut jacobian).unwrap());
    for j in 0..n {
        let mut rates = [[0.0; 5]; 2];
        for (rates, sign) in rates.iter_mut().zip([1.0, -1.0]) {
            let mut beside = y.clone();
            beside[j] += sign * delta;
            system.rhs(0.0, &beside, rates).unwrap();
        }
        for i in 0..n {
            let difference = (rates[0][i] - rates[1][i]) / (2.0 * delta);
            // central differences: 1e-12 times a third derivative, and rounding over 1e-6
            assert!((jacobian[i * n + j] - difference).abs() < 1e-7, "{i} {j}: {difference}");
        }
    }
    let settings = Adaptive::new(1e-9, 1e-9);
    let options = ImplicitOptions::adaptive(ImplicitMethod::Radau5.tableau(), settings);
    integrate_implicit(&mut system, 0.0, 1.0, &mut y, &options, &mut ()).unwrap();
    assert_near(&y, &expected, 1e-6);
}

/// At the centre of the circle no direction leads back onto it.
#[test]
fn a_state_that_cannot_be_projected_is_refused_with_its_reason() {
    let guess = Pendulum::state(1.0, 0.5);
    let (mut system, _) = reduced(Pendulum { level: 0 }, 0.0, &guess, Against::Projection);
    let (mut y, mut dy) = ([0.0; 5], [1.0; 5]);
    system.project(2.5, &mut y, &mut dy);
    assert!(dy.iter().all(|dy| dy.is_nan()), "{dy:?}");
    assert_eq!(y, [0.0; 5]);
    let failure = system.failure().unwrap();
    assert!(matches!(failure, DaeError::Undetermined { t: 2.5, .. }), "{failure:?}");
    assert!(failure.to_string().contains("2.5"));
    let mut there = Pendulum::state(1.0, 0.5);
    system.project(2.5, &mut there, &mut dy);
    assert!(system.failure().is_none() && dy.iter().all(|dy| dy.is_finite()));
}

#[test]
fn a_run_after_a_restart_has_the_same_bits() {
    let guess = Pendulum::state(1.0, 0.5);
    for against in ALL {
        let (mut system, start) = reduced(Mixed(Pendulum { level: 0 }), 0.0, &guess, against);
        let mut run = || {
            let mut y = start.clone();
            system.restart();
            integrate(&mut system, 0.0, 2.0, &mut y, &dormand_prince(1e-8), &mut ()).unwrap();
            y
        };
        assert_eq!(run(), run());
    }
}
