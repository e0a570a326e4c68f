//! The sparse factor against eigenvalues of the dense matrix, on random systems.
//!
//! Errors are measured in the variables of the equilibrated matrix, in units of its condition number
//! times one rounding, as for the dense solvers. Not Gaussian elimination but the choice of what to
//! do next is under test: orders found for the pattern, for the numbers, or made up.

use std::cell::Cell;

use pommel_kkt::{Analysis, Factor, Options, Refinement, Verdict, Workspace};
use pommel_testkit::{DenseSaddle, Rng, SaddleShape, SaddleSystem, SaddleUnits, random_saddle};

use crate::systems::{Case, case};

/// Systems whose rank is anybody's guess are left out.
const CLEAR: f64 = 1e5;

/// Errors may be this many times the condition number times a rounding.
const WORST: f64 = 2000.0;

/// What a run over many systems met.
#[derive(Debug, Default)]
struct Tally {
    solved: usize,
    ambiguous: usize,
    misplaced: usize,
    /// Systems with masses from 10⁻⁸ to 10⁸ whose solution is not as good as it could be.
    strained: usize,
    singular: usize,
    inconsistent: usize,
    dependent: usize,
    inaccurate: usize,
    /// Systems of which factor and eigenvalues see different ranks although masses and units, or the
    /// digits that elimination lost, explain it: what a heavy body was rounded by weighs as much as
    /// a light one.
    misjudged: usize,
    /// Errors of `x`, of `Jᵀ λ` and of `[x; λ]`, in units of the condition number times a rounding.
    worst: [f64; 3],
}

/// What is wrong with a solution, if anything.
type Finding = Result<(), String>;

/// Whether numbers span so many magnitudes that a rank depends on how rows are weighed.
fn is_scattered(shape: &SaddleShape) -> bool {
    shape.scaled_masses || shape.scaled_rows || shape.units != SaddleUnits::Same
}

fn compare_ranks(factor: &Factor<'_, f64>, truth: &DenseSaddle) -> Finding {
    let inertia = factor.inertia(0);
    let found = (inertia.positive, inertia.negative, inertia.zero);
    if found != truth.inertia {
        return Err(format!("inertia {found:?}, not {:?}", truth.inertia));
    }
    let lists = factor.dependent_rows(0).count() + factor.free_unknowns(0).count();
    if lists != truth.inertia.2 {
        return Err(format!("{lists} zero pivots are named, not {}", truth.inertia.2));
    }
    if truth.unique && factor.dependent_rows(0).count() != truth.dependent_rows() {
        let count = factor.dependent_rows(0).count();
        return Err(format!("{count} dependent rows, not {}", truth.dependent_rows()));
    }
    Ok(())
}

/// A verdict against what is true.
fn compare_verdicts(verdict: Verdict, truth: &DenseSaddle, factor: &Factor<'_, f64>) -> Finding {
    let fits = match verdict {
        Verdict::Good => truth.inertia.2 == 0,
        Verdict::GoodWithDependentRows { count } => {
            truth.unique && truth.contradiction < 1e-7 && count == truth.inertia.2
        }
        Verdict::Inconsistent { row, count, .. } => {
            truth.contradiction > 1e-13
                && count <= truth.inertia.2
                && factor.dependent_rows(0).any(|r| r == row)
        }
        Verdict::Singular { count } => !truth.unique && count <= truth.inertia.2,
        Verdict::Inaccurate { .. } => truth.condition > 1e7,
        _ => false,
    };
    let must = truth.unique && truth.contradiction > 1e-7;
    if !fits || must && !matches!(verdict, Verdict::Inconsistent { .. }) {
        let (unique, contradiction) = (truth.unique, truth.contradiction);
        return Err(format!("{verdict:?}: unique {unique}, contradiction {contradiction:e}"));
    }
    Ok(())
}

/// Digits that an order not made for the numbers may lose before ranks are anybody's guess: half.
const LOST: f64 = 1e8;

/// Factors and solves one system; counts what it is, and says what is wrong.
fn try_system(
    tally: &mut Tally,
    system: &SaddleSystem,
    truth: &DenseSaddle,
    case: &Case,
    analysis: &Analysis,
) -> Finding {
    let mut workspace = Workspace::new(analysis);
    let values = case.values();
    let mut factor = workspace.factorize(&values).map_err(|e| e.to_string())?;
    if factor.misplaced(0) > 0 {
        tally.misplaced += 1;
        let rhs = system.right_hand_side();
        let mut solution = vec![0.0; rhs.len()];
        let report = factor.solve(&rhs, &mut solution, &Refinement::default());
        let verdict = report.expect("lengths").verdict(0);
        let fits = matches!(verdict, Verdict::Misplaced { .. });
        return if fits { Err("misplaced".into()) } else { Err(format!("but {verdict:?}")) };
    }
    let lost = factor.cancellation(0) > LOST;
    compare_ranks(&factor, truth).map_err(|e| if lost { format!("lost, {e}") } else { e })?;
    let rhs = system.right_hand_side();
    let mut solution = vec![0.0; rhs.len()];
    let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
    compare_verdicts(report.verdict(0), truth, &factor)?;
    if report.backward_error > 1e-13 || report.steps > 2 {
        return Err(format!("backward error {:e}", report.backward_error));
    }
    tally.solved += 1;
    match report.verdict(0) {
        Verdict::Singular { .. } => tally.singular += 1,
        Verdict::Inconsistent { .. } => tally.inconsistent += 1,
        Verdict::GoodWithDependentRows { .. } => tally.dependent += 1,
        Verdict::Inaccurate { .. } => tally.inaccurate += 1,
        _ => {}
    }
    if truth.unique && truth.contradiction < 1e-10 {
        let error = truth.error(&solution);
        for (worst, error) in tally.worst.iter_mut().zip([error.x, error.force, error.all]) {
            let error = error / (truth.condition * f64::EPSILON);
            *worst = worst.max(error);
            if error > WORST {
                return Err(format!("error {error:e}"));
            }
        }
    }
    Ok(())
}

/// Many systems; `find` makes an analysis of a case, or none if the system is not for it.
fn run(
    seed: u64,
    systems: usize,
    analysis_is_for_numbers: bool,
    find: impl Fn(&mut Rng, &SaddleSystem, &Case) -> Option<Analysis>,
) -> (Tally, Vec<String>) {
    let mut rng = Rng::new(seed);
    let mut tally = Tally::default();
    let mut findings = Vec::new();
    for number in 0..systems {
        let shape = SaddleShape::random(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let case = case(&system);
        let Some(analysis) = find(&mut rng, &system, &case) else { continue };
        let truth = DenseSaddle::new(&system);
        if truth.gap < CLEAR {
            tally.ambiguous += 1;
            continue;
        }
        if let Err(finding) = try_system(&mut tally, &system, &truth, &case, &analysis) {
            if finding == "misplaced" && (!analysis_is_for_numbers || shape.scaled_masses) {
                continue;
            }
            let strain = finding.starts_with("backward") || finding.starts_with("Inaccurate");
            let explained = finding.starts_with("lost") && !analysis_is_for_numbers;
            if is_scattered(&shape) && finding.contains("inertia") || explained {
                tally.misjudged += 1;
            } else if shape.scaled_masses && strain {
                tally.strained += 1;
            } else {
                let (c, g) = (truth.condition, truth.gap);
                findings.push(format!(
                    "{number}: {finding}; condition {c:.1e}, gap {g:.1e}, {shape:?}"
                ));
            }
        }
    }
    (tally, findings)
}

fn check(tally: &Tally, findings: &[String]) {
    assert!(findings.is_empty(), "{tally:?}\n{} findings\n{}", findings.len(), findings.join("\n"));
}

fn all_have_mass(system: &SaddleSystem) -> bool {
    system.truth.massless_bodies == 0
}

fn for_values(seed: u64, systems: usize, partitioned: Option<bool>) -> (Tally, usize) {
    let partitions = Cell::new(0);
    let options = Options { partitioned, ..Options::default() };
    let (tally, findings) = run(seed, systems, true, |_, _, case| {
        let analysis = Analysis::for_values(&case.pattern, &case.values(), &options);
        let analysis = analysis.expect("an analysis");
        partitions.set(partitions.get() + usize::from(analysis.is_partitioned()));
        Some(analysis)
    });
    check(&tally, &findings);
    (tally, partitions.get())
}

/// Of 10 000 systems 9 were ambiguous, and the worst error was 147. Only with masses from 10⁻⁸ to 10⁸
/// 1 kept a misplaced pivot and 1 a backward error above 10⁻¹³; with those, or such units, of 31 the
/// rank was misjudged.
#[test]
fn orders_for_the_numbers_agree_with_eigenvalues() {
    let (tally, partitions) = for_values(101, 10_000, None);
    assert!(partitions > 1_000, "{partitions}");
    assert!(tally.solved > 9_880 && tally.misjudged < 60, "{tally:?}");
    assert!(tally.misplaced < 4 && tally.strained < 8, "{tally:?}");
    assert!(tally.dependent > 400 && tally.inconsistent > 100, "{tally:?}");
    assert!(tally.singular > 500, "{tally:?}");
}

/// Coordinates partitioned wherever that is possible, and nowhere. Of 3 000 systems each, 7 and 12 were
/// misjudged, all with scattered numbers.
#[test]
fn partitions_and_chosen_pivots_agree_with_eigenvalues() {
    let (tally, partitions) = for_values(105, 3_000, Some(true));
    assert!(partitions > 1_500, "{partitions}");
    assert!(tally.solved > 2_950 && tally.misjudged < 20, "{tally:?}");
    assert!(tally.misplaced < 2 && tally.strained < 10, "{tally:?}");
    assert!(tally.dependent > 200 && tally.singular > 200, "{tally:?}");
    let (tally, partitions) = for_values(106, 3_000, Some(false));
    assert_eq!(partitions, 0);
    assert!(tally.solved > 2_950 && tally.misjudged < 20, "{tally:?}");
    assert!(tally.misplaced < 2 && tally.strained < 10, "{tally:?}");
}

/// An order that does not suit the numbers says so.
#[test]
fn orders_for_the_pattern_agree_with_eigenvalues_or_are_misplaced() {
    let (tally, findings) = run(103, 3_000, false, |_, system, case| {
        all_have_mass(system).then(|| Analysis::new(&case.pattern).expect("an analysis"))
    });
    check(&tally, &findings);
    assert!(tally.solved > 1_000 && tally.dependent > 100, "{tally:?}");
    assert!(tally.misplaced < 200 && tally.misjudged < 20 && tally.strained < 5, "{tally:?}");
}

/// Constraints after all of their bodies: no pivot vanishes unless its row depends on others, or
/// digits are lost: of 1 800 systems to 4.
#[test]
fn any_order_with_constraints_after_their_bodies_agrees_with_eigenvalues() {
    let (tally, findings) = run(104, 3_000, false, |rng, system, case| {
        let ordering = Some(bodies_first(rng, system));
        let options = Options { ordering, ..Options::default() };
        let analysis = Analysis::with_options(&case.pattern, &options);
        all_have_mass(system).then(|| analysis.expect("an order"))
    });
    check(&tally, &findings);
    assert!(tally.misplaced < 8 && tally.misjudged < 30 && tally.strained < 5, "{tally:?}");
    assert!(tally.solved > 1_000 && tally.dependent > 100, "{tally:?}");
}

/// Any permutation of bodies and constraints: right, or misplaced.
#[test]
fn any_order_at_all_agrees_with_eigenvalues_or_is_misplaced() {
    let (tally, findings) = run(105, 3_000, false, |rng, system, case| {
        let count = system.body_widths.len() + system.constraint_rows.len();
        let ordering = Some(shuffled(rng, count));
        let options = Options { ordering, ..Options::default() };
        let analysis = Analysis::with_options(&case.pattern, &options);
        all_have_mass(system).then(|| analysis.expect("an order"))
    });
    check(&tally, &findings);
    assert!(tally.misjudged < 8 && tally.strained < 5, "{tally:?}");
    assert!(tally.solved > 300 && tally.misplaced > 300, "{tally:?}");
}

fn shuffled(rng: &mut Rng, count: usize) -> Vec<usize> {
    let mut list: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        list.swap(i, rng.below(i + 1));
    }
    list
}

/// A random order in which every constraint comes after its bodies.
fn bodies_first(rng: &mut Rng, system: &SaddleSystem) -> Vec<usize> {
    let bodies = system.body_widths.len();
    let mut position = vec![0; bodies];
    let mut keys: Vec<f64> = Vec::new();
    for (place, body) in shuffled(rng, bodies).into_iter().enumerate() {
        position[body] = place;
    }
    keys.extend(position.iter().map(|p| *p as f64));
    for on in &system.constraint_bodies {
        let last = on.iter().map(|b| position[*b]).max().unwrap_or(0) as f64;
        // anywhere after the last of them
        keys.push(last + rng.uniform(0.01, bodies as f64 + 1.0 - last));
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|a, b| keys[*a].total_cmp(&keys[*b]));
    order
}
