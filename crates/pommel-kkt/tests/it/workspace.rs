//! Workspaces: no allocation, no memory of earlier systems, the same bits on every scalar and thread.

use pommel_kkt::{
    Analysis, Factor, Inertia, KktError, Options, Pattern, Refinement, Report, Values, Verdict,
    Workspace,
};
use pommel_math::{Dual, LaneJob, Lanes, Real, with_lanes};
use pommel_testkit::{
    Rng, SaddleShape, SaddleSystem, count_allocations, planar_four_bars, plate_lattice,
    random_saddle, spatial_four_bars,
};

use crate::systems::{Case, case};

/// What a factorization and a solution give, as bits.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    inertia: Inertia,
    dependent: Vec<usize>,
    free: Vec<usize>,
    misplaced: usize,
    substituted: Vec<u64>,
    solution: Vec<u64>,
    backward_error: u64,
    unknowns_error: u64,
    multipliers_error: u64,
    verdict: Verdict,
}

/// NaN has many bits, and no number in it.
fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

fn outcome<T: Real>(
    factor: &Factor<'_, T>,
    substituted: &[T],
    solution: &[T],
    report: &Report<T>,
    lane: usize,
) -> Outcome {
    let list = |x: &[T]| x.iter().map(|x| bits(x.lane(lane))).collect();
    // a payload of its own is not compared
    let verdict = match report.verdict(lane) {
        Verdict::Inaccurate { estimated_error } if estimated_error.is_nan() => Verdict::NotFinite,
        verdict => verdict,
    };
    Outcome {
        inertia: factor.inertia(lane),
        dependent: factor.dependent_rows(lane).collect(),
        free: factor.free_unknowns(lane).collect(),
        misplaced: factor.misplaced(lane),
        substituted: list(substituted),
        solution: list(solution),
        backward_error: bits(report.backward_error.lane(lane)),
        unknowns_error: bits(report.unknowns_error.lane(lane)),
        multipliers_error: bits(report.multipliers_error.lane(lane)),
        verdict,
    }
}

/// Factors and solves without an allocation.
fn solve<T: Real>(workspace: &mut Workspace<T>, values: &Values<'_, T>, rhs: &[T]) -> Vec<Outcome> {
    let mut substituted = vec![T::zero(); rhs.len()];
    let mut solution = vec![T::zero(); rhs.len()];
    let ((factor, report), allocations) = count_allocations(|| {
        let mut factor = workspace.factorize(values).expect("values that fit");
        factor.substitute(rhs, &mut substituted).expect("lengths that fit");
        let refinement = Refinement::default();
        let report = factor.solve(rhs, &mut solution, &refinement).expect("lengths that fit");
        (factor, report)
    });
    assert_eq!(allocations, 0);
    (0..T::LANES).map(|l| outcome(&factor, &substituted, &solution, &report, l)).collect()
}

/// Four systems of one pattern, with their right-hand sides.
struct FourSystems<'a> {
    analysis: &'a Analysis,
    cases: &'a [Case; 4],
    rhs: &'a [Vec<f64>; 4],
}

pub(crate) fn packed<T: Real>(lists: [&[f64]; 4]) -> Vec<T> {
    (0..lists[0].len()).map(|e| T::from_lanes(|lane| lists[lane][e])).collect()
}

impl LaneJob for FourSystems<'_> {
    type Output = Vec<Outcome>;

    fn run<T: Real>(self) -> Vec<Outcome> {
        let lists =
            |part: fn(&Case) -> &Vec<f64>| packed(self.cases.each_ref().map(|c| &part(c)[..]));
        let (mass, jacobian) = (lists(|c| &c.mass), lists(|c| &c.jacobian));
        let compliance = lists(|c| &c.compliance);
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        let rhs: Vec<T> = packed(self.rhs.each_ref().map(|b| &b[..]));
        // the second time there are numbers of the first
        let mut workspace = Workspace::new(self.analysis);
        let first = solve(&mut workspace, &values, &rhs);
        assert_eq!(first, solve(&mut workspace, &values, &rhs));
        first
    }
}

pub(crate) fn scaled(list: &[f64], by: impl Fn(usize) -> f64) -> Vec<f64> {
    list.iter().enumerate().map(|(e, v)| v * by(e)).collect()
}

/// Lanes of one pattern: as it is, other numbers, a broken or a singular one, other masses.
pub(crate) fn four(
    rng: &mut Rng,
    system: &SaddleSystem,
    broken: bool,
) -> ([Case; 4], [Vec<f64>; 4]) {
    let first = case(system);
    let rhs = system.right_hand_side();
    let mut cases = [(); 4].map(|()| first.clone());
    cases[1].mass = scaled(&first.mass, |_| 7.0);
    cases[1].jacobian = rng.list(first.jacobian.len(), 1.0);
    if broken {
        let lists = [&mut cases[2].mass, &mut cases[2].jacobian];
        for list in lists.into_iter().filter(|list| !list.is_empty()) {
            let at = rng.below(list.len());
            list[at] = [f64::NAN, f64::INFINITY][rng.below(2)];
        }
    } else {
        cases[2].jacobian.fill(0.0);
    }
    cases[3].mass = scaled(&first.mass, |_| 1e6);
    cases[3].compliance = scaled(&first.compliance, |_| 3.0);
    let lanes = [rhs.clone(), scaled(&rhs, |e| e as f64), rhs.clone(), scaled(&rhs, |_| -2.0)];
    (cases, lanes)
}

fn random(rng: &mut Rng) -> SaddleSystem {
    let shape = SaddleShape::random(rng);
    random_saddle(rng, &shape)
}

pub(crate) fn for_numbers(case: &Case) -> Analysis {
    Analysis::for_values(&case.pattern, &case.values(), &Options::default()).expect("an analysis")
}

#[test]
fn every_lane_has_the_bits_of_a_run_of_its_own() {
    let mut rng = Rng::new(21);
    for number in 0..600 {
        let system = random(&mut rng);
        let (cases, rhs) = four(&mut rng, &system, number % 3 == 0);
        let analysis = match number % 2 {
            0 => for_numbers(&cases[0]),
            _ => Analysis::new(&cases[0].pattern).expect("an analysis"),
        };
        let job = || FourSystems { analysis: &analysis, cases: &cases, rhs: &rhs };
        let wide = with_lanes(4, job()).expect("four lanes");
        let array = job().run::<Lanes<4>>();
        for lane in 0..4 {
            assert!(wide[lane] == array[lane] || wide[lane].verdict == Verdict::NotFinite);
            let mut workspace = Workspace::new(&analysis);
            let narrow = solve(&mut workspace, &cases[lane].values(), &rhs[lane]);
            if narrow[0].verdict == Verdict::NotFinite {
                // nothing else is promised
                assert_eq!(wide[lane].verdict, Verdict::NotFinite);
            } else {
                assert_eq!(wide[lane], narrow[0], "{number}, lane {lane}");
            }
        }
    }
}

/// Bodies of three unknowns with masses, of which the first ones have none, and one constraint on all.
fn under_one_constraint(
    rng: &mut Rng,
    bodies: usize,
    massless: usize,
    rows: usize,
) -> SaddleSystem {
    let n = 3 * bodies;
    let mut system = SaddleSystem { body_widths: vec![3; bodies], ..Default::default() };
    for i in 0..n {
        let mass = if i < 3 * massless { 0.0 } else { rng.uniform(1.0, 2.0) };
        system.mass.push((i, i, mass));
    }
    system.constraint_rows = vec![rows];
    system.constraint_bodies = vec![(0..bodies).collect()];
    system.jacobian = (0..rows * n).map(|e| (e / n, e % n, rng.symmetric(1.0))).collect();
    (system.f, system.g) = (rng.list(n, 1.0), rng.list(rows, 1.0));
    system
}

/// Fronts wider than any vector: a lattice, a dense constraint, a cluster of bodies without mass.
#[test]
fn large_fronts_have_the_same_bits_in_every_lane() {
    let mut rng = Rng::new(25);
    let lattice = plate_lattice(12, false, 2).system;
    let dense = under_one_constraint(&mut rng, 30, 0, 70);
    let cluster = under_one_constraint(&mut rng, 16, 8, 34);
    // least numbers of pivots, of boundary rows and of both in one front
    for (system, pivots, boundary, massless) in
        [(lattice, 36, 36, 0), (dense, 70, 0, 0), (cluster, 24 + 34, 0, 8)]
    {
        let (cases, rhs) = four(&mut rng, &system, false);
        let analysis = for_numbers(&cases[0]);
        let sizes: Vec<_> = analysis.front_sizes().collect();
        assert!(sizes.iter().any(|s| s.0 >= pivots), "{sizes:?}");
        assert!(sizes.iter().any(|s| s.1 >= boundary), "{sizes:?}");
        assert_eq!(analysis.massless().len(), massless);
        let job = || FourSystems { analysis: &analysis, cases: &cases, rhs: &rhs };
        let wide = with_lanes(4, job()).expect("four lanes");
        let array = job().run::<Lanes<4>>();
        for lane in 0..4 {
            let mut workspace = Workspace::new(&analysis);
            let narrow = solve(&mut workspace, &cases[lane].values(), &rhs[lane]);
            assert_ne!(narrow[0].verdict, Verdict::NotFinite, "lane {lane}");
            assert_eq!(wide[lane], narrow[0], "lane {lane}");
            assert_eq!(array[lane], narrow[0], "lane {lane}");
        }
    }
}

#[test]
fn a_workspace_remembers_nothing() {
    let mut rng = Rng::new(22);
    for _ in 0..300 {
        let system = random(&mut rng);
        let (cases, rhs) = four(&mut rng, &system, true);
        let analysis = for_numbers(&cases[0]);
        let mut used = Workspace::new(&analysis);
        for _ in 0..6 {
            let which = rng.below(4);
            let again = solve(&mut used, &cases[which].values(), &rhs[which]);
            let mut fresh = Workspace::new(&analysis);
            assert_eq!(again, solve(&mut fresh, &cases[which].values(), &rhs[which]));
        }
    }
}

fn assert_send<T: Send>() {}
fn assert_sync<T: Sync>() {}

#[test]
fn threads_share_an_analysis_and_find_the_same_bits() {
    assert_send::<Analysis>();
    assert_sync::<Analysis>();
    assert_send::<Workspace<f64>>();
    assert_send::<Workspace<Dual<2>>>();
    let massless = |_, coupler| if coupler { 0.0 } else { 1.0 };
    for mechanism in [spatial_four_bars(5), planar_four_bars(7, massless)] {
        let (case, rhs) = (case(&mechanism.system), mechanism.system.right_hand_side());
        let analysis = for_numbers(&case);
        let expected = solve(&mut Workspace::new(&analysis), &case.values(), &rhs);
        std::thread::scope(|scope| {
            let run = || {
                let mut workspace = Workspace::new(&analysis);
                (0..5).map(|_| solve(&mut workspace, &case.values(), &rhs)).collect::<Vec<_>>()
            };
            let threads = [(); 4].map(|()| scope.spawn(run));
            for thread in threads {
                for found in thread.join().expect("no panic") {
                    assert_eq!(found, expected);
                }
            }
        });
    }
}

#[test]
fn arrays_of_other_lengths_are_refused() {
    let mechanism = planar_four_bars(1, |_, _| 1.0);
    let case = case(&mechanism.system);
    let mut workspace = Workspace::new(&Analysis::new(&case.pattern).expect("an analysis"));
    let (mass, jacobian) = (&case.mass[..], &case.jacobian[..]);
    let short = |list: &'static str, expected: usize, found: usize| KktError::Length {
        array: list,
        expected,
        found,
    };
    let m = mass.len();
    let error = workspace.factorize(&Values::new(&mass[1..], jacobian)).expect_err("short");
    assert_eq!(error, short("mass", m, m - 1));
    let j = jacobian.len();
    let error = workspace.factorize(&Values::new(mass, &jacobian[2..])).expect_err("short");
    assert_eq!(error, short("jacobian", j, j - 2));
    let values = Values { mass, jacobian, compliance: &[1.0] };
    assert_eq!(workspace.factorize(&values).expect_err("long"), short("compliance", 0, 1));
    let values = case.values();
    let mut factor = workspace.factorize(&values).expect("a factor");
    let n = factor.len();
    let refinement = Refinement::default();
    let (right, mut solution) = (vec![1.0; n], vec![0.0; n]);
    let error = factor.solve(&right[1..], &mut solution, &refinement).expect_err("short");
    assert_eq!(error, short("rhs", n, n - 1));
    let error = factor.substitute(&right, &mut solution[..2]).expect_err("short");
    assert_eq!(error, short("solution", n, 2));
}

/// Lists of other lengths are refused with and without an ordering of the caller, and an ordering of
/// the caller is kept.
#[test]
fn an_order_for_values_needs_all_of_them() {
    let mechanism = planar_four_bars(2, |_, _| 1.0);
    let case = case(&mechanism.system);
    let count = case.pattern.body_count() + case.pattern.constraint_count();
    let given: Vec<usize> = (0..count).collect();
    for ordering in [None, Some(given.clone())] {
        let options = Options { ordering, ..Options::default() };
        let refused = |mass: &[f64], jacobian: &[f64], compliance: &[f64]| {
            let values = Values { mass, jacobian, compliance };
            match Analysis::for_values(&case.pattern, &values, &options) {
                Err(KktError::Length { array, .. }) => array,
                other => panic!("{other:?}"),
            }
        };
        let (mass, jacobian) = (&case.mass[..], &case.jacobian[..]);
        assert_eq!(refused(&mass[1..], jacobian, &[]), "mass");
        assert_eq!(refused(mass, &jacobian[1..], &[]), "jacobian");
        assert_eq!(refused(mass, jacobian, &[1.0]), "compliance");
        let analysis = Analysis::for_values(&case.pattern, &case.values(), &options);
        let analysis = analysis.expect("an analysis");
        assert_eq!(analysis.rounds(), 1);
        assert_eq!(analysis.ordering() == given, options.ordering.is_some());
    }
}

/// No unknowns, no rows, or neither; rows without a number.
#[test]
fn empty_systems_are_solved() {
    let pattern = |bodies: &[usize], constraints: &[usize], mass: &[(usize, usize)]| {
        Pattern::from_places(bodies, constraints, mass, &[], &[]).expect("a pattern")
    };
    let run = |pattern: &Pattern, mass: &[f64], rhs: &[f64]| {
        let values = Values::new(mass, &[]);
        for analysis in [
            Analysis::new(pattern).expect("an analysis"),
            Analysis::for_values(pattern, &values, &Options::default()).expect("an analysis"),
        ] {
            let mut workspace = Workspace::new(&analysis);
            let found = solve(&mut workspace, &values, rhs).remove(0);
            let solution: Vec<f64> = found.solution.iter().map(|b| f64::from_bits(*b)).collect();
            let expected: Vec<f64> =
                rhs.iter().enumerate().map(|(i, b)| mass.get(i).map_or(0.0, |m| b / m)).collect();
            assert_eq!(solution, expected);
            let rows = pattern.rows();
            let inertia = Inertia { positive: mass.len(), negative: 0, zero: rows };
            assert_eq!((found.inertia, found.dependent.len()), (inertia, rows));
            let contradiction = rhs[mass.len()..].iter().any(|g| *g != 0.0);
            match found.verdict {
                Verdict::Good => assert_eq!(rows, 0),
                Verdict::GoodWithDependentRows { count } => {
                    assert_eq!((count, contradiction), (rows, false));
                }
                Verdict::Inconsistent { residual, relative, .. } => {
                    assert_eq!((contradiction, residual, relative), (true, 5.0, 1.0));
                }
                verdict => panic!("{verdict:?}"),
            }
        }
    };
    run(&pattern(&[], &[], &[]), &[], &[]);
    run(&pattern(&[1, 2], &[], &[(0, 0), (1, 1), (2, 2)]), &[2.0, 4.0, 8.0], &[1.0, 1.0, 2.0]);
    run(&pattern(&[], &[2, 1], &[]), &[], &[0.0, 0.0, 0.0]);
    run(&pattern(&[], &[2, 1], &[]), &[], &[0.0, 5.0, 0.0]);
    run(&pattern(&[1], &[2], &[(0, 0)]), &[4.0], &[2.0, 0.0, 0.0]);
}
