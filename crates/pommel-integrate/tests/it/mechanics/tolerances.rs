//! Adaptive steps: errors follow the tolerance, interpolants the motion.

use pommel_integrate::mechanics::{Level, MechanicsOptions, Scheme, integrate_mechanics};
use pommel_integrate::{Adaptive, Control, Grid, ImplicitMethod, Sampler, Step};

use super::systems::{Body, Dense, Pendulum, Top, reference};

fn schemes() -> Vec<(Scheme, [f64; 3])> {
    let radau = |method: ImplicitMethod, level| Scheme::radau(method.tableau(), level);
    let finest = [1e-6, 1e-8, 1e-10];
    let (first, coarse, fine) = ([1e-3, 1e-4, 2e-5], [1e-3, 1e-4, 1e-5], [1e-4, 1e-6, 1e-8]);
    vec![
        (Scheme::Rattle, coarse),
        (Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, coarse),
        (Scheme::Hht { alpha: -0.05 }, coarse),
        (radau(ImplicitMethod::Euler, Level::Stabilized), first),
        (radau(ImplicitMethod::Radau3, Level::Stabilized), fine),
        (radau(ImplicitMethod::Radau5, Level::Stabilized), finest),
        (radau(ImplicitMethod::Radau5, Level::Velocity), finest),
        (radau(ImplicitMethod::Radau5, Level::Position), fine),
        (Scheme::SymplecticEuler, first),
    ]
}

fn error(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

/// Errors at the end fall with the tolerance τ. A method of order p takes steps as `τ^(−1/(p + 1))`, whose errors
/// of about τ each add up to as much of `τ^(p/(p + 1))`.
fn check<B: Body>(body: impl Fn() -> B, y0: &[f64], end: f64) {
    let truth = reference(body(), y0, end);
    for (scheme, tolerances) in schemes() {
        let mut before: Option<(f64, f64)> = None;
        for tolerance in tolerances {
            let settings = Adaptive::new(tolerance, tolerance);
            let options = MechanicsOptions::adaptive(scheme.clone(), settings);
            let mut y = y0.to_vec();
            let mut system = Dense::new(body());
            let run = integrate_mechanics(&mut system, 0.0, end, &mut y, &options, &mut ());
            let run =
                run.unwrap_or_else(|error| panic!("{} {tolerance:e}: {error}", scheme.name()));
            assert_eq!(run.t, end);
            let off = error(&y, &truth);
            let order = scheme.order() as f64;
            assert!(
                off < 15.0 * tolerance.powf(order / (order + 1.0)),
                "{} {tolerance:e}: {off:e}",
                scheme.name()
            );
            if let Some((before, coarse)) = before {
                // as much as the order says, within a factor
                let expected = (tolerance / coarse).powf(order / (order + 1.0));
                let limit = 6.0 * expected * before;
                assert!(off < limit, "{} {tolerance:e}: {off:e} after {before:e}", scheme.name());
            }
            before = Some((off, tolerance));
        }
    }
}

#[test]
fn errors_follow_the_tolerance() {
    check(|| Pendulum { drag: 0.3, shaking: 0.2 }, &[0.6, -0.8, 0.6, 0.0], 3.0);
    check(|| Top, &Top::start(), 1.0);
}

/// Samples within steps are as good as their interpolants promise: of degree 3 with fixed steps, 5 with
/// adaptive ones.
#[test]
fn samples_within_steps() {
    let body = || Pendulum { drag: 0.3, shaking: 0.2 };
    let y0 = [0.6, -0.8, 0.6, 0.0];
    let scheme = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
    let tolerance = 1e-9;
    let fixed = MechanicsOptions::fixed(scheme.clone(), 0.01);
    let adaptive = MechanicsOptions::adaptive(scheme, Adaptive::new(tolerance, tolerance));
    for (options, limit) in [(fixed, 2e-7), (adaptive, 2e-7)] {
        let mut found = Vec::new();
        let mut y = y0;
        let sink = |s: pommel_integrate::Sample<'_, f64>| found.push((s.t, s.y.to_vec()));
        let mut sampler = Sampler::new(Grid::Every(0.137), 0.0, 2.0, 4, sink).expect("sampler");
        let mut system = Dense::new(body());
        integrate_mechanics(&mut system, 0.0, 2.0, &mut y, &options, &mut sampler)
            .expect("the end");
        drop(sampler);
        assert_eq!(found.len(), 16);
        for (t, sample) in found {
            let truth = if t > 0.0 { reference(body(), &y0, t) } else { y0.to_vec() };
            let off = error(&sample, &truth);
            assert!(off < limit, "{t}: {off:e}");
        }
    }
}

/// The observer may end a run, at a step; and the end is the end.
#[test]
fn an_observer_ends_a_run() {
    let options = MechanicsOptions::fixed(Scheme::Rattle, 0.01);
    let mut system = Dense::new(Pendulum { drag: 0.0, shaking: 0.0 });
    let mut y = [0.6, -0.8, 0.0, 0.0];
    let mut observer = |step: &Step<'_, f64>| {
        if step.t_new() >= 0.25 { Control::Stop } else { Control::Continue }
    };
    let run = integrate_mechanics(&mut system, 0.0, 1.0, &mut y, &options, &mut observer);
    let run = run.expect("stopped");
    assert_eq!((run.t, run.statistics(0).steps), (0.25, 25));
    assert!(run.stopped.any());
}

/// One factorization a step, whatever the number of stages and iterations.
#[test]
fn a_step_factors_once() {
    let scheme = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
    for scheme in [scheme, Scheme::GeneralizedAlpha { spectral_radius: 0.9 }] {
        let options = MechanicsOptions::fixed(scheme, 0.01);
        let mut system = Dense::new(Pendulum { drag: 0.0, shaking: 0.2 });
        let mut y = [0.6, -0.8, 0.6, 0.0];
        let run = integrate_mechanics(&mut system, 0.0, 1.0, &mut y, &options, &mut ());
        let statistics = run.expect("the end").statistics(0);
        assert_eq!((statistics.steps, statistics.factorizations), (100, 101));
        assert_eq!(system.factorizations, 101);
    }
}
