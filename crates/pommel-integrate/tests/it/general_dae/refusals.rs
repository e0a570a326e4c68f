//! Systems and input that cannot be used.

use pommel_integrate::{
    Dae, DaeError, DaeOptions, InputError, IntegrateError, Options, ReducedDae, Tableau, analyze,
    consistent_state, integrate, structure,
};
use pommel_math::Real;

use super::systems::*;

fn failure<D: Dae>(dae: &D, t: f64, y: &[f64]) -> DaeError {
    analyze(dae, t, y, &DaeOptions::default()).unwrap_err()
}

/// Equations 1 and 2 say the same of `y1 + y2`, at most with other right sides.
struct Twice {
    other: f64,
    differential: bool,
}

impl Dae for Twice {
    fn dim(&self) -> usize {
        3
    }
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]) {
        r[0] = yp[0] + y[0] - y[1];
        let sum = if self.differential { yp[1] + y[2] } else { y[1] + y[2] };
        r[1] = sum - t;
        r[2] = r[1] + r[1] + S::from_f64(self.other);
    }
}

#[test]
fn equal_equations_are_named_with_what_they_leave_open() {
    for other in [0.0, 1.0] {
        for (differential, open) in [(false, vec![1, 2]), (true, vec![2])] {
            let error = failure(&Twice { other, differential }, 0.5, &[0.1, 0.2, 0.3]);
            let DaeError::Singular { equations, components, order, .. } = &error else {
                panic!("{error:?}")
            };
            assert_eq!((equations, *order), (&vec![1, 2], 0), "{error:?}");
            assert!(open.iter().all(|v| components.contains(v)), "{error:?}");
            assert!(error.to_string().contains("equations [1, 2]"), "{error}");
        }
    }
}

/// Component 1 occurs nowhere, so that equations 0 and 1 share component 0.
struct Missing;

impl Dae for Missing {
    fn dim(&self) -> usize {
        3
    }
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]) {
        r[0] = yp[0] - y[0];
        r[1] = y[0] - t;
        r[2] = yp[2] - y[0] * y[2];
    }
}

#[test]
fn a_component_without_equation_is_named() {
    let expected = DaeError::StructurallySingular { equations: vec![0, 1], components: vec![1] };
    assert_eq!(structure(&Missing, 0.0, &[0.1; 3]).unwrap_err(), expected);
    assert_eq!(failure(&Missing, 0.0, &[0.1; 3]), expected);
}

/// `y' = √y`, and NaN from the square root below zero.
struct Root;

impl Dae for Root {
    fn dim(&self) -> usize {
        2
    }
    fn residual<S: Real>(&self, _t: S, y: &[S], yp: &[S], r: &mut [S]) {
        r[0] = y[0] - y[1];
        r[1] = yp[0] + S::one() - y[1].sqrt();
    }
}

#[test]
fn what_is_not_a_number_is_named() {
    let error = failure(&Root, 2.0, &[-1.0, -1.0]);
    assert_eq!(error, DaeError::NonFinite { t: 2.0, equation: 1, differentiated: 0 });
    assert!(analyze(&Root, 2.0, &[0.25, 0.25], &DaeOptions::default()).is_ok());
}

/// A failure on the way keeps time, state and reason.
#[test]
fn a_solution_that_ends_is_followed_to_its_end() {
    let options = DaeOptions::default();
    // y' = √y − 1: from 1/4, y reaches 0 at t = 2 ln 2 − 1, where the derivative by y is infinite
    let start = consistent_state(&Root, 0.0, &[0.25, 0.25], &[false; 2], &options).unwrap();
    let mut reduced = ReducedDae::new(Root, &start, &options).unwrap();
    let mut y = start.y.clone();
    let steps = Options::fixed(Tableau::rk4(), 1.0 / 64.0);
    let error = integrate(&mut reduced, 0.0, 1.0, &mut y, &steps, &mut ()).unwrap_err();
    let IntegrateError::Failed(failure) = error else { panic!("{error:?}") };
    let end = 2.0 * 2_f64.ln() - 1.0;
    assert!(failure.t > 0.3 && failure.t < end, "{failure:?}");
    assert!(y[0] > 0.0 && y[0] < 0.05, "{y:?}");
    let pommel_integrate::Cause::Rhs(cause) = failure.cause else { panic!("{failure:?}") };
    let DaeError::NonFinite { equation: 1, t, .. } = *cause else { panic!("{cause:?}") };
    assert!(t > failure.t && t < 1.0);
}

/// `y0' = 1`, `(1 − y0) y1 = 1`: where y0 = 1, y1' is not determined.
struct Pole;

impl Dae for Pole {
    fn dim(&self) -> usize {
        2
    }
    fn residual<S: Real>(&self, _t: S, y: &[S], yp: &[S], r: &mut [S]) {
        r[0] = yp[0] - S::one();
        r[1] = (S::one() - y[0]) * y[1] - S::one();
    }
}

#[test]
fn a_singular_state_on_the_way_is_told_with_its_time() {
    let options = DaeOptions::default();
    let start = consistent_state(&Pole, 0.0, &[0.0, 1.0], &[true, false], &options).unwrap();
    let mut reduced = ReducedDae::new(Pole, &start, &options).unwrap();
    let mut y = start.y.clone();
    // Euler's method meets y0 = 1 exactly
    let steps = Options::fixed(Tableau::euler(), 1.0 / 64.0);
    let error = integrate(&mut reduced, 0.0, 2.0, &mut y, &steps, &mut ()).unwrap_err();
    let IntegrateError::Failed(failure) = error else { panic!("{error:?}") };
    assert_eq!((failure.t, y[0]), (63.0 / 64.0, 63.0 / 64.0));
    let pommel_integrate::Cause::Rhs(cause) = failure.cause else { panic!("{failure:?}") };
    assert!(matches!(*cause, DaeError::Undetermined { t: 1.0, .. }), "{cause:?}");
}

/// `y² + 1 = 0`
struct NoSolution;

impl Dae for NoSolution {
    fn dim(&self) -> usize {
        1
    }
    fn residual<S: Real>(&self, _t: S, y: &[S], _yp: &[S], r: &mut [S]) {
        r[0] = y[0] * y[0] + S::one();
    }
}

#[test]
fn no_solution_is_told_as_such() {
    let error = failure(&NoSolution, 0.0, &[0.7]);
    assert!(matches!(error, DaeError::NoConsistentState { equation: 0, .. }), "{error:?}");
    let held = consistent_state(&NoSolution, 0.0, &[0.7], &[true], &DaeOptions::default());
    assert!(matches!(held, Err(DaeError::Contradiction { .. })), "{held:?}");
}

struct Nothing;

impl Dae for Nothing {
    fn dim(&self) -> usize {
        0
    }
    fn residual<S: Real>(&self, _t: S, _y: &[S], _yp: &[S], _r: &mut [S]) {}
}

#[test]
fn input_without_sense_is_refused() {
    let (dae, options) = (Pendulum { level: 0 }, DaeOptions::default());
    let y = Pendulum::state(0.5, 1.0);
    assert_eq!(failure(&dae, 0.0, &y[..4]), DaeError::Dimension { expected: 5, found: 4 });
    assert_eq!(failure(&Nothing, 0.0, &[]), DaeError::Empty);
    assert_eq!(failure(&dae, f64::NAN, &y), DaeError::Time);
    let nan = [0.0, f64::NAN, 0.0, 0.0, 0.0];
    assert_eq!(failure(&dae, 0.0, &nan), DaeError::State { component: 1 });
    let held = consistent_state(&dae, 0.0, &y, &[false; 4], &options).unwrap_err();
    assert_eq!(held, DaeError::Dimension { expected: 5, found: 4 });
    let strict = DaeOptions::default().rank_tolerance(0.0);
    let error = analyze(&dae, 0.0, &y, &strict).unwrap_err();
    assert_eq!(error, DaeError::RankTolerance { value: 0.0 });
    let error = analyze(&dae, 0.0, &y, &DaeOptions::default().max_index(9)).unwrap_err();
    assert_eq!(error, DaeError::MaxIndex { value: 9, limit: 8 });

    let start = consistent_state(&dae, 0.0, &y, &[false; 5], &options).unwrap();
    let other = ReducedDae::new(Circuit, &start, &options).map(|_| ()).unwrap_err();
    assert_eq!(other, DaeError::Dimension { expected: 3, found: 5 });
    let mut reduced = ReducedDae::new(dae, &start, &options).unwrap();
    let short = reduced.residuals(0.0, &y, &mut [0.0; 2]).unwrap_err();
    assert_eq!(short, DaeError::Dimension { expected: 3, found: 2 });
    let steps = Options::fixed(Tableau::rk4(), 0.1);
    let error = integrate(&mut reduced, 0.0, 1.0, &mut [0.0; 4], &steps, &mut ()).unwrap_err();
    let expected = InputError::Dimension { expected: 5, found: 4 };
    assert!(matches!(error, IntegrateError::Input(input) if input == expected), "{error:?}");
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        let reduced = ReducedDae::new(dae, &start, &options).unwrap();
        assert!(matches!(reduced.baumgarte(value).map(|_| ()), Err(DaeError::Rate { .. })));
    }
}
