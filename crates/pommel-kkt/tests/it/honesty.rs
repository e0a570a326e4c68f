//! Solutions that say what they are worth: never good and wrong, and wrong numbers are named.
//!
//! Truth is the dense solution, improved with residuals of twice the digits.

use pommel_kkt::{
    Analysis, KktError, Options, Part, Pattern, Refinement, Report, Values, Verdict, Workspace,
};
use pommel_testkit::{
    DenseSaddle, Rng, SaddleShape, SaddleSystem, planar_four_bars, random_saddle,
};

use crate::systems::{Case, case};

/// Solves with an order for the numbers.
fn solve(system: &SaddleSystem) -> (Report<f64>, Vec<f64>) {
    let case = case(system);
    let values = case.values();
    let options = Options::default();
    let analysis = Analysis::for_values(&case.pattern, &values, &options).expect("an analysis");
    solve_with(&analysis, &values, &system.right_hand_side())
}

fn solve_with(
    analysis: &Analysis,
    values: &Values<'_, f64>,
    rhs: &[f64],
) -> (Report<f64>, Vec<f64>) {
    let mut workspace = Workspace::new(analysis);
    let mut factor = workspace.factorize(values).expect("values that fit");
    let mut solution = vec![0.0; rhs.len()];
    let refinement = Refinement::default();
    let report = factor.solve(rhs, &mut solution, &refinement).expect("lengths that fit");
    (report, solution)
}

/// Largest error over largest number.
fn error(found: &[f64], truth: &[f64]) -> f64 {
    let scale = truth.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let worst = found.iter().zip(truth).map(|(a, b)| (a - b).abs());
    worst.fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x) }) / scale
}

/// An ill-conditioned system: bodies with blocks like that of Hilbert or with masses from 10⁻⁸ to
/// 10⁸, in a chain.
fn strained(rng: &mut Rng, hilbert: bool) -> SaddleSystem {
    let bodies = 2 + rng.below(4);
    let width = if hilbert { 5 + rng.below(3) } else { 3 };
    let mut system = SaddleSystem { body_widths: vec![width; bodies], ..Default::default() };
    for body in 0..bodies {
        let (shift, mass) = (rng.uniform(1.0, 2.0), 10.0_f64.powf(rng.symmetric(8.0)));
        for i in 0..width {
            for j in 0..=i {
                let value = match hilbert {
                    true => 1.0 / (i as f64 + j as f64 + shift),
                    false => mass * if i == j { 2.0 } else { rng.symmetric(0.5) },
                };
                system.mass.push((body * width + i, body * width + j, value));
            }
        }
    }
    for i in 1..bodies {
        for row in 0..2 {
            let columns = (i - 1) * width..(i + 1) * width;
            system.jacobian.extend(columns.map(|c| (2 * (i - 1) + row, c, rng.symmetric(1.0))));
        }
        system.constraint_rows.push(2);
        system.constraint_bodies.push(vec![i - 1, i]);
    }
    (system.f, system.g) = (rng.list(bodies * width, 1.0), rng.list(2 * (bodies - 1), 1.0));
    system
}

/// Of the worst systems the estimate is a bound to a factor of 10, and in the mean at most 10³ times
/// the error: it sums, over all rows, rounding that mostly cancels.
#[test]
fn the_estimate_bounds_the_error_of_ill_conditioned_systems() {
    for hilbert in [true, false] {
        let mut rng = Rng::new(31);
        let (mut count, mut refused, mut sum, mut worst) = (0, 0, 0.0, 0.0_f64);
        let mut near = 0;
        for _ in 0..400 {
            let system = strained(&mut rng, hilbert);
            let truth = DenseSaddle::new(&system);
            if truth.inertia.2 > 0 || truth.condition > 1e13 {
                continue;
            }
            let (report, solution) = solve(&system);
            let error = error(&solution[..truth.x.len()], &truth.x);
            if !report.is_good() {
                refused += 1;
                continue;
            }
            assert!(error <= 10.0 * report.unknowns_error, "{error:e} {report:?}");
            worst = worst.max(error);
            // an estimate a thousand times smaller would have failed
            near += usize::from(1e3 * error > 10.0 * report.unknowns_error);
            if error > 0.0 {
                count += 1;
                sum += (report.unknowns_error / error).log10();
            }
        }
        let mean = sum / f64::from(count);
        assert!(count > 200 && refused < 100 && mean < 3.0, "{count} {refused} {mean}");
        assert!(near > 250, "{near} of {count}");
        // there was something to bound
        assert!(worst > 1e-13, "{worst:e}");
    }
}

/// Blocks of M like that of Hilbert lose more digits the wider they are, until none is left: the
/// verdict turns before six digits are gone.
#[test]
fn solutions_without_six_digits_are_not_called_good() {
    let (mut good, mut bad) = (0, 0);
    for width in 2..14 {
        for unit in [1.0, 3.0, 1.0 / 7.0] {
            let mut system = SaddleSystem { body_widths: vec![width], ..Default::default() };
            for i in 0..width {
                let row = (0..=i).map(|j| (i, j, unit / (i + j + 1) as f64));
                system.mass.extend(row);
            }
            let x: Vec<f64> = (0..width).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
            system.f = system.times(&x);
            let (report, solution) = solve(&system);
            let truth = DenseSaddle::new(&system);
            if report.is_good() {
                good += 1;
                // where the dense reference knows the solution itself
                if truth.inertia.2 == 0 && truth.condition < 1e13 {
                    let error = error(&solution, &truth.x);
                    assert!(error < 1e-5, "{width}: {error:e} {report:?}");
                }
                // rounding of `f` moves the solution by the condition number, 10^(3/2 width)
                assert!(width <= 9, "{width} {report:?}");
            } else {
                bad += 1;
            }
        }
    }
    assert!(good >= 12 && bad >= 9, "{good} {bad}");
}

/// Of all random systems, none is called good and is not.
#[test]
fn nothing_is_called_good_and_is_wrong() {
    let mut rng = Rng::new(32);
    let (mut good, mut exercised, mut violations) = (0, 0, Vec::new());
    for number in 0..6000 {
        let shape = SaddleShape::random(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let (report, solution) = solve(&system);
        if !report.is_good() {
            continue;
        }
        let truth = DenseSaddle::new(&system);
        // what is anybody's guess: whether a small number is rounding
        if truth.gap < 1e5 {
            continue;
        }
        good += 1;
        let n = truth.x.len();
        let error = error(&solution[..n], &truth.x);
        let consistent = truth.contradiction < 1e-7;
        // which of contradicting rows are left out is a choice, and rounding contradicts itself
        let choice = truth.condition * truth.contradiction;
        let bound = 10.0 * report.unknowns_error + 1e-10 + choice;
        // with a thousandth of the bound it would be a violation
        exercised += usize::from(1e3 * error > bound);
        if !truth.unique || !consistent || error > bound {
            let (u, c) = (truth.unique, truth.contradiction);
            violations.push(format!(
                "{number}: {error:e}, unique {u}, contradiction {c:e}, condition {:e}, gap {:e}, \
                 {report:?} {shape:?}",
                truth.condition, truth.gap
            ));
        }
    }
    assert!(violations.is_empty(), "{}\n{}", violations.len(), violations.join("\n"));
    assert!(good > 3000 && exercised > 80, "{good} {exercised}");
}

/// What a case is like with another number in one place.
fn with_number(case: &Case, part: Part, entry: usize, number: f64) -> Case {
    let mut changed = case.clone();
    let list = match part {
        Part::Mass => &mut changed.mass,
        Part::Jacobian => &mut changed.jacobian,
        _ => &mut changed.compliance,
    };
    list[entry] = number;
    changed
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut rng = Rng::new(33);
    let mut found = [0; 3];
    for _ in 0..60 {
        let shape = SaddleShape::random(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let (case, rhs) = (case(&system), system.right_hand_side());
        let options = Options::default();
        let orders = [
            Analysis::for_values(&case.pattern, &case.values(), &options).expect("an analysis"),
            Analysis::new(&case.pattern).expect("an analysis"),
        ];
        let lengths = [case.mass.len(), case.jacobian.len(), case.compliance.len()];
        let parts = [Part::Mass, Part::Jacobian, Part::Compliance];
        for (which, (part, length)) in parts.into_iter().zip(lengths).enumerate() {
            for entry in (0..length).step_by(3) {
                let number = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][rng.below(3)];
                let broken = with_number(&case, part, entry, number);
                for analysis in &orders {
                    let values = broken.values();
                    let mut workspace = Workspace::new(analysis);
                    let factor = workspace.factorize(&values).expect("lengths that fit");
                    let error = KktError::NotFinite { part, entry };
                    assert_eq!(factor.check_finite(0), Err(error), "{number} {shape:?}");
                    let verdict = solve_with(analysis, &values, &rhs).0.verdict(0);
                    assert_eq!(verdict, Verdict::NotFinite, "{part} {entry} {number} {shape:?}");
                    found[which] += 1;
                }
            }
        }
        for i in 0..rhs.len() {
            let mut broken = rhs.clone();
            broken[i] = [f64::NAN, f64::INFINITY][rng.below(2)];
            for analysis in &orders {
                let report = solve_with(analysis, &case.values(), &broken).0;
                assert_eq!(report.verdict(0), Verdict::NotFinite, "{i} {report:?} {shape:?}");
            }
        }
    }
    assert!(found.iter().all(|count| *count > 50), "{found:?}");
}

/// A row without a single number, and not a number on its right.
#[test]
fn a_right_hand_side_that_nothing_meets_must_be_a_number() {
    let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[], &[]).expect("a pattern");
    let analysis = Analysis::new(&pattern).expect("an analysis");
    for number in [f64::NAN, f64::INFINITY] {
        let (report, _) = solve_with(&analysis, &Values::new(&[2.0], &[]), &[1.0, number]);
        assert_eq!(report.verdict(0), Verdict::NotFinite, "{report:?}");
    }
}

/// Masses so large that pivots overflow: all numbers are finite, and the largest is named.
#[test]
fn overflow_is_not_a_solution() {
    let mechanism = planar_four_bars(2, |_, _| 1.0);
    let mut case = case(&mechanism.system);
    case.jacobian.iter_mut().for_each(|v| *v *= 1e200);
    let analysis = Analysis::new(&case.pattern).expect("an analysis");
    let values = case.values();
    let mut workspace = Workspace::new(&analysis);
    let factor = workspace.factorize(&values).expect("lengths that fit");
    let error = factor.check_finite(0).expect_err("an overflow");
    assert!(matches!(error, KktError::Overflow { part: Part::Jacobian, .. }), "{error}");
    let rhs = mechanism.system.right_hand_side();
    let verdict = solve_with(&analysis, &values, &rhs).0.verdict(0);
    assert_eq!(verdict, Verdict::NotFinite);
}

/// One body of two unknowns, `M = unit [1 0.9; 0.9 1]`, and its solution of `f = M (x, −x)`.
fn correlated(unit: f64, x: f64, refinement: &Refinement) -> (Report<f64>, f64) {
    let places = [(0, 0), (1, 0), (1, 1)];
    let pattern = Pattern::from_places(&[2], &[], &places, &[], &[]).expect("a pattern");
    let analysis = Analysis::new(&pattern).expect("an analysis");
    let mass = [unit, 0.9 * unit, unit];
    let values = Values::new(&mass, &[]);
    let mut workspace = Workspace::new(&analysis);
    let mut factor = workspace.factorize(&values).expect("lengths that fit");
    let f = unit * x - 0.9 * unit * x;
    let mut solution = [0.0; 2];
    let report = factor.solve(&[f, -f], &mut solution, refinement).expect("lengths that fit");
    (report, error(&solution, &[x, -x]))
}

/// Where terms of the residual are finite and cancel, but the sum of their sizes overflows, nothing
/// is known of the error.
#[test]
fn a_bound_that_overflows_is_no_bound() {
    for refinement in [Refinement::default(), Refinement::quick()] {
        // sizes 2 · 10³⁰⁷ in each row, and 2 · 10³⁰⁸
        let (report, error) = correlated(1e300, 1e7, &refinement);
        assert_eq!(report.verdict(0), Verdict::Good, "{report:?}");
        assert!(report.backward_error < 1e-15 && error < 1e-14, "{report:?} {error:e}");
        let report = correlated(1e300, 1e8, &refinement).0;
        assert!(report.backward_error.is_nan(), "{report:?}");
        assert_eq!(report.verdict(0), Verdict::NotFinite);
    }
}

/// The same of a row that depends on another, whose bound is finite: the row contradicts it by a
/// tenth.
#[test]
fn a_bound_that_overflows_in_a_dependent_row_hides_no_contradiction() {
    let places = [(0, 0), (1, 0)];
    let pattern = Pattern::from_places(&[1], &[2], &[(0, 0)], &places, &[]).expect("a pattern");
    let analysis = Analysis::new(&pattern).expect("an analysis");
    let solve = |share: f64| {
        let values = Values::new(&[1.0], &[1e140, 1e150]);
        let rhs = [1e158 * share, 1e298 * share, 0.9e308 * share];
        solve_with(&analysis, &values, &rhs).0
    };
    let report = solve(1e-2);
    let Verdict::Inconsistent { row: 1, relative, .. } = report.verdict(0) else {
        panic!("{report:?}");
    };
    assert!((relative - 0.1 / 1.9).abs() < 1e-9, "{relative}");
    assert_eq!(solve(1.0).verdict(0), Verdict::NotFinite);
}

/// Numbers of the last normal magnitudes are solved like others; where products have no digits left,
/// the solution is still within what these make of it.
#[test]
fn numbers_near_underflow_are_solved_or_refused() {
    for (unit, x) in [(1e-290, 1e-10), (1e-150, 1e-150), (1e-300, 1.0), (1e-10, 1e-296)] {
        let (report, error) = correlated(unit, x, &Refinement::default());
        assert_eq!(report.verdict(0), Verdict::Good, "{unit:e} {x:e} {report:?}");
        assert!(report.backward_error < 1e-15 && error < 1e-13, "{unit:e} {report:?} {error:e}");
    }
    // right-hand sides of 20, 13 and 6 digits below the least normal number
    for (unit, x) in [(1e-150, 1e-158), (1e-160, 1e-155), (1e-160, 1e-161)] {
        let (report, error) = correlated(unit, x, &Refinement::default());
        let least = 5e-324 / (0.1 * unit * x).abs();
        let known = error <= 20.0 * least.min(1.0) + 1e-13;
        assert!(known || !report.is_good(), "{unit:e} {x:e} {error:e} {report:?}");
    }
}
