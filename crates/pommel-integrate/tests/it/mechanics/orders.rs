//! Errors against step sizes: slopes are the orders of the methods.

use pommel_integrate::ImplicitMethod;
use pommel_integrate::mechanics::{Level, MechanicsOptions, Scheme, integrate_mechanics};

use super::systems::{Body, Dense, Pendulum, Skate, Spring, Top, reference};

fn radau(method: ImplicitMethod, level: Level) -> Scheme {
    Scheme::radau(method.tableau(), level)
}

fn error(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

/// Errors of positions and of velocities with `counts` steps.
fn errors<B: Body>(
    body: impl Fn() -> B,
    y0: &[f64],
    end: f64,
    scheme: &Scheme,
    counts: &[u32],
) -> Vec<[f64; 2]> {
    let truth = reference(body(), y0, end);
    let nq = body().sizes()[0];
    let of = |&count: &u32| {
        let mut y = y0.to_vec();
        let options = MechanicsOptions::fixed(scheme.clone(), end / f64::from(count));
        let mut system = Dense::new(body());
        let run = integrate_mechanics(&mut system, 0.0, end, &mut y, &options, &mut ());
        run.unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
        [error(&y[..nq], &truth[..nq]), error(&y[nq..], &truth[nq..])]
    };
    counts.iter().map(of).collect()
}

/// The slope between the first and the last, for counts that double; `of` picks what is measured.
fn slope(errors: &[[f64; 2]], of: impl Fn(&[f64; 2]) -> f64) -> f64 {
    let (first, last) = (of(&errors[0]), of(&errors[errors.len() - 1]));
    (first / last).log2() / (errors.len() - 1) as f64
}

/// All schemes, with numbers of steps for a second of these motions.
fn schemes() -> Vec<(Scheme, [u32; 3])> {
    use ImplicitMethod::{Euler, Radau3, Radau5};
    let levels = [Level::Velocity, Level::Stabilized, Level::Position];
    let mut list = vec![
        (Scheme::SymplecticEuler, [1600, 3200, 6400]),
        (Scheme::Rattle, [400, 800, 1600]),
        (Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, [800, 1600, 3200]),
        (Scheme::GeneralizedAlpha { spectral_radius: 0.0 }, [800, 1600, 3200]),
        (Scheme::Hht { alpha: -0.1 }, [800, 1600, 3200]),
    ];
    for level in levels {
        list.push((radau(Euler, level), [1600, 3200, 6400]));
        list.push((radau(Radau3, level), [200, 400, 800]));
        list.push((radau(Radau5, level), [40, 80, 160]));
    }
    list
}

/// Slopes of all schemes are their orders, within 0.1.
fn check<B: Body>(body: impl Fn() -> B + Copy, y0: &[f64]) {
    for (scheme, counts) in schemes() {
        let found = errors(body, y0, 1.0, &scheme, &counts);
        let both = slope(&found, |[q, v]| q.max(*v));
        // where no rows constrain positions, their level is that of velocities
        let order = match &scheme {
            Scheme::Radau { tableau, .. } if !body().is_holonomic() => tableau.order(),
            scheme => scheme.order(),
        };
        assert!((both - order as f64).abs() < 0.1, "{}: {both:.3}, {found:?}", scheme.name());
        // positions on their constraints are better than velocities
        if let Scheme::Radau { tableau, level: Level::Position } = &scheme
            && tableau.stages() > 1
        {
            let positions = slope(&found, |[q, _]| *q);
            assert!((positions - tableau.order() as f64).abs() < 0.1, "{positions:.3}, {found:?}");
        }
    }
}

/// A pivot that moves: ν and γ depend on time, forces on velocities.
#[test]
fn a_shaken_pendulum_with_drag() {
    check(|| Pendulum { drag: 0.3, shaking: 0.2 }, &[0.6, -0.8, 0.6, 0.0]);
}

/// Quaternions.
#[test]
fn a_heavy_top() {
    check(|| Top, &Top::start());
}

/// A row that constrains velocities only.
#[test]
fn a_skate() {
    check(|| Skate, &[0.0, 0.0, 0.3, 0.3_f64.cos(), 0.3_f64.sin(), 1.2]);
}

/// The generalized-α method on a spring against its recursion, solved by hand, with
/// steps that are no power of two, whose multiples differ by rounding.
#[test]
fn generalized_alpha_is_its_recursion() {
    for rho in [0.0_f64, 0.5, 0.8, 1.0] {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 - alpha_m + alpha_f;
        let beta = 0.25 * (1.0 - alpha_m + alpha_f).powi(2);
        let (h, steps) = (0.7, 40_u32);
        // q̈ = −q: the equation of a step is linear in α₁
        let step = |[q, v, alpha]: [f64; 3]| {
            // (1 − α_m) α₁ + α_m α = −(1 − α_f) q₁ − α_f q,  q₁ = p + β h² α₁
            let p = q + h * v + h * h * (0.5 - beta) * alpha;
            let right = -(1.0 - alpha_f) * p - alpha_f * q - alpha_m * alpha;
            let next = right / (1.0 - alpha_m + (1.0 - alpha_f) * beta * h * h);
            [p + beta * h * h * next, v + h * ((1.0 - gamma) * alpha + gamma * next), next]
        };
        // α begins at v̇(t + (α_m − α_f) h), of which a step with α = v̇ tells
        let start = [1.0, 0.3];
        let [tried, ..] = step([start[0], start[1], -start[0]]);
        let alpha = -start[0] + (alpha_m - alpha_f) * (-tried + start[0]);
        let mut state = [start[0], start[1], alpha];
        (0..steps).for_each(|_| state = step(state));
        let mut y = start;
        let scheme = Scheme::GeneralizedAlpha { spectral_radius: rho };
        let options = MechanicsOptions::fixed(scheme, h);
        let mut system = Dense::new(Spring);
        let end = h * f64::from(steps);
        integrate_mechanics(&mut system, 0.0, end, &mut y, &options, &mut ()).expect("the end");
        let off = error(&y, &state[..2]);
        assert!(off < 1e-12, "{rho}: {off:e}");
        // it began with 1.09
        let energy = y[0] * y[0] + y[1] * y[1];
        assert!(rho > 0.0 || energy < 0.5, "{rho}: {energy}");
    }
}
