//! Coordinates that are partitioned: each row of J with the unknown that it determines.

use pommel_kkt::{
    Analysis, Options, Pattern, PatternBuilder, Refinement, Report, Values, Verdict, Workspace,
};
use pommel_math::Lanes;
use pommel_testkit::{
    count_allocations, planar_four_bars, revolute_chain, scattered_mass, spatial_four_bars,
};

use crate::systems::{Case, case};

fn with(partitioned: Option<bool>) -> Options {
    Options { partitioned, ..Options::default() }
}

fn analysis(case: &Case, partitioned: Option<bool>) -> Analysis {
    let options = with(partitioned);
    Analysis::for_values(&case.pattern, &case.values(), &options).expect("an analysis")
}

/// Where nobody asks, coordinates are partitioned if bodies lack mass or masses are of all sizes.
#[test]
fn numbers_decide_whether_coordinates_are_partitioned() {
    let light = |_: usize, coupler: bool| if coupler { 0.0 } else { 1.0 };
    for (mechanism, needs) in [
        (planar_four_bars(20, |_, _| 1.0), false),
        (planar_four_bars(20, light), true),
        (planar_four_bars(1000, |k, _| scattered_mass(k)), true),
        (spatial_four_bars(5), false),
    ] {
        let case = case(&mechanism.system);
        assert_eq!(analysis(&case, None).is_partitioned(), needs);
        assert!(analysis(&case, Some(true)).is_partitioned());
        assert!(!analysis(&case, Some(false)).is_partitioned());
        // an order of the caller's is kept
        let ordering =
            Some((0..case.pattern.body_count() + case.pattern.constraint_count()).collect());
        let options = Options { ordering, ..with(Some(true)) };
        let given = Analysis::for_values(&case.pattern, &case.values(), &options);
        assert!(!given.expect("an order").is_partitioned());
    }
}

/// Planar mechanisms of one freedom: a row has a handful of unknowns and as many rows share them.
#[test]
fn a_planar_mechanism_takes_work_and_memory_that_grow_with_its_loops() {
    let cost = |loops: usize| {
        let case = case(&planar_four_bars(loops, |_, _| 1.0).system);
        let cost = analysis(&case, Some(true)).cost();
        let bodies_first = Analysis::new(&case.pattern).expect("an analysis").cost();
        assert!(4 * cost.multiply_adds <= bodies_first.multiply_adds, "{cost:?} {bodies_first:?}");
        assert!(cost.factor_entries < bodies_first.factor_entries, "{cost:?} {bodies_first:?}");
        [cost.multiply_adds, cost.factor_entries]
    };
    // the ends of the row of loops differ, no loop between them does
    let [a, b, c] = [cost(40), cost(80), cost(120)];
    assert_eq!([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
}

/// The crank of a four-bar turns; its coupler has no mass.
struct FourBar {
    pattern: Pattern,
    mass: Vec<f64>,
    /// Places of the pairs of columns of J, by joint.
    joints: Vec<[Option<std::ops::Range<usize>>; 2]>,
}

/// Lengths of crank, coupler, rocker and base.
const LENGTHS: [f64; 4] = [1.0, 3.0, 2.5, 3.0];

impl FourBar {
    fn new() -> Self {
        let mut builder = PatternBuilder::new();
        let bodies: Vec<_> =
            (0..3).map(|_| builder.body(3, pommel_kkt::pattern::MassBlock::Diagonal)).collect();
        let ends = [vec![bodies[0]], bodies[..2].to_vec(), bodies[1..].to_vec(), vec![bodies[2]]];
        let joints = ends.map(|on| {
            let joint = builder.constraint(2, &on);
            let mut blocks = on.iter().map(|&body| builder.jacobian(joint, body).expect("acts"));
            [blocks.next(), blocks.next()]
        });
        let mass = vec![2.0, 2.0, 0.3, 0.0, 0.0, 0.0, 3.0, 3.0, 0.7];
        let pattern = builder.build().expect("a pattern");
        FourBar { pattern, mass, joints: joints.to_vec() }
    }

    /// J where the crank has an angle.
    fn jacobian(&self, crank: f64) -> Vec<f64> {
        let [l1, l2, l3, base] = LENGTHS;
        let tip = [l1 * crank.cos(), l1 * crank.sin()];
        let [dx, dy] = [base - tip[0], -tip[1]];
        let d = dx.hypot(dy);
        let inner = ((l2 * l2 + d * d - l3 * l3) / (2.0 * l2 * d)).acos();
        let coupler = dy.atan2(dx) + inner;
        let end = [tip[0] + l2 * coupler.cos(), tip[1] + l2 * coupler.sin()];
        let rocker = end[1].atan2(end[0] - base);
        let arms = [(crank, l1), (coupler, l2), (rocker, l3)];
        // which body, towards which end, with which sign
        let joints: [&[(usize, f64, f64)]; 4] = [
            &[(0, -0.5, 1.0)],
            &[(0, 0.5, 1.0), (1, -0.5, -1.0)],
            &[(1, 0.5, 1.0), (2, 0.5, -1.0)],
            &[(2, -0.5, 1.0)],
        ];
        let mut jacobian = vec![0.0; self.pattern.jacobian_len()];
        for (blocks, sides) in self.joints.iter().zip(joints) {
            for (block, &(body, share, sign)) in blocks.iter().flatten().zip(sides) {
                let (s, c) = arms[body].0.sin_cos();
                let arm = share * arms[body].1;
                let block_values = [1.0, 0.0, -arm * s, 0.0, 1.0, arm * c];
                for (to, value) in jacobian[block.clone()].iter_mut().zip(block_values) {
                    *to = sign * value;
                }
            }
        }
        jacobian
    }

    fn solve(&self, analysis: &Analysis, jacobian: &[f64]) -> (Vec<f64>, Report<f64>) {
        let rhs: Vec<f64> = (0..17).map(|i| (1.0 + i as f64).sin()).collect();
        let mut workspace = Workspace::new(analysis);
        let mut solution = vec![0.0; 17];
        let mut factor = workspace.factorize(&Values::new(&self.mass, jacobian)).expect("lengths");
        let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
        (solution, report)
    }

    fn analysis(&self, jacobian: &[f64], partitioned: bool) -> Analysis {
        let values = Values::new(&self.mass, jacobian);
        Analysis::for_values(&self.pattern, &values, &with(Some(partitioned))).expect("an analysis")
    }
}

/// One partition serves a whole turn of the crank, but where a row hardly determines its unknown any
/// more: there a solution says so, and another partition serves.
#[test]
fn a_partition_serves_other_positions_or_says_that_it_does_not() {
    let four_bar = FourBar::new();
    for start in [0.3, 1.0, 2.5, 4.0] {
        let partition = four_bar.analysis(&four_bar.jacobian(start), true);
        assert!(partition.is_partitioned());
        let mut served = 0;
        for step in 0..720 {
            let jacobian = four_bar.jacobian(f64::from(step).to_radians() / 2.0);
            // bodies first, pivots by size
            let (truth, other) = four_bar.solve(&four_bar.analysis(&jacobian, false), &jacobian);
            assert!(other.is_good(), "{step}: {other:?}");
            let largest = truth[..9].iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let error = |solution: &[f64]| {
                let differences = solution.iter().zip(&truth).take(9).map(|(a, b)| (a - b).abs());
                differences.fold(0.0f64, f64::max) / largest
            };
            let (solution, report) = four_bar.solve(&partition, &jacobian);
            if report.is_good() {
                served += 1;
                let bound = 1e-11 + 10.0 * (report.unknowns_error + other.unknowns_error);
                assert!(error(&solution) < bound, "{step}: {:e} {report:?}", error(&solution));
                continue;
            }
            let (solution, report) = four_bar.solve(&four_bar.analysis(&jacobian, true), &jacobian);
            assert!(report.is_good() && error(&solution) < 1e-9, "{step}: {report:?}");
        }
        assert!(served >= 710, "{served}");
    }
}

/// A row whose pivot vanishes and whose other numbers do not.
#[test]
fn a_pivot_that_vanishes_is_misplaced() {
    let places = [(0, 0), (0, 1), (1, 1), (1, 2)];
    let pattern = Pattern::from_places(&[3], &[2], &[(0, 0), (1, 1), (2, 2)], &places, &[]);
    let pattern = pattern.expect("a pattern");
    let mass = [1.0, 1.0, 1.0];
    let [before, after] = [[1.0, 0.05, 0.05, 1.0], [0.0, 1.0, 0.05, 1.0]];
    let options = with(Some(true));
    let find = |jacobian: &[f64]| {
        let values = Values::new(&mass, jacobian);
        Analysis::for_values(&pattern, &values, &options).expect("an analysis")
    };
    let rhs = [1.0, 2.0, 3.0, 4.0, 5.0];
    let mut solution = [0.0; 5];
    let old = find(&before);
    let mut workspace = Workspace::new(&old);
    let mut verdict = |workspace: &mut Workspace<f64>, jacobian: &[f64]| {
        let values = Values::new(&mass, jacobian);
        let mut factor = workspace.factorize(&values).expect("lengths");
        let misplaced = factor.misplaced(0);
        let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
        (report.verdict(0), misplaced)
    };
    assert_eq!(verdict(&mut workspace, &before), (Verdict::Good, 0));
    assert_eq!(verdict(&mut workspace, &after), (Verdict::Misplaced { count: 1 }, 1));
    // it forgets
    assert_eq!(verdict(&mut workspace, &before), (Verdict::Good, 0));
    let new = find(&after);
    assert!(new.is_partitioned());
    assert_eq!(verdict(&mut Workspace::new(&new), &after), (Verdict::Good, 0));
    // side by side, in any order
    for (mine, other) in [(before, after), (after, before)] {
        let both: Vec<Lanes<2>> = (0..4).map(|i| Lanes([mine[i], other[i]])).collect();
        let (mass, rhs) = ([Lanes([1.0; 2]); 3], rhs.map(|x| Lanes([x; 2])));
        let (mut workspace, mut solution) = (Workspace::new(&old), [Lanes([0.0; 2]); 5]);
        let mut factor = workspace.factorize(&Values::new(&mass, &both)).expect("lengths");
        let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
        let good = usize::from(mine == after);
        assert_eq!(report.verdict(good), Verdict::Good);
        assert_eq!(report.verdict(1 - good), Verdict::Misplaced { count: 1 });
    }
    // x₁ = 4, x₂ = 5 − 0.2, x₀ = 1 is free
    for (x, expected) in solution.iter().zip([1.0, 4.0, 4.8]) {
        assert!((x - expected).abs() < 1e-14, "{solution:?}");
    }
}

/// A row that depends on others where coordinates are partitioned, and no more elsewhere.
#[test]
fn a_row_that_is_left_out_and_then_independent_is_misplaced() {
    let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let pattern = Pattern::from_places(&[2], &[2], &[(0, 0), (1, 1)], &places, &[]);
    let pattern = pattern.expect("a pattern");
    let mass = [2.0, 0.0];
    let [dependent, independent] = [[1.0, 2.0, 2.0, 4.0], [1.0, 2.0, 2.0, 3.0]];
    let analysis =
        Analysis::for_values(&pattern, &Values::new(&mass, &dependent), &with(Some(true)));
    let analysis = analysis.expect("an analysis");
    let mut workspace = Workspace::new(&analysis);
    let mut solution = [0.0; 4];
    for (jacobian, rhs, expected) in [
        (dependent, [1.0, 0.0, 3.0, 6.0], Verdict::GoodWithDependentRows { count: 1 }),
        (independent, [1.0, 0.0, 3.0, 6.0], Verdict::Misplaced { count: 1 }),
    ] {
        let mut factor = workspace.factorize(&Values::new(&mass, &jacobian)).expect("lengths");
        let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
        assert_eq!(report.verdict(0), expected);
    }
    let mut factor = workspace.factorize(&Values::new(&mass, &dependent)).expect("lengths");
    let report = factor.solve(&[1.0, 0.0, 3.0, 7.0], &mut solution, &Refinement::default());
    let verdict = report.expect("lengths").verdict(0);
    assert!(
        matches!(verdict, Verdict::Inconsistent { residual, count: 1, .. } if residual.abs() > 0.4),
        "{verdict:?}"
    );
    assert_eq!((factor.rank(0), factor.inertia(0).zero), (1, 1));
}

/// Lanes have the bits of single systems, and nothing is allocated.
#[test]
fn partitions_keep_the_bits_and_allocate_nothing() {
    let light = |_: usize, coupler: bool| if coupler { 0.0 } else { 1.0 };
    for mechanism in
        [planar_four_bars(30, light), spatial_four_bars(6), revolute_chain(2, |_| 1.0, 4)]
    {
        let case = case(&mechanism.system);
        let rhs = mechanism.system.right_hand_side();
        let analysis = analysis(&case, Some(true));
        assert!(analysis.is_partitioned());
        let solve = |analysis: &Analysis| {
            let mut workspace = Workspace::new(analysis);
            let mut solution = vec![0.0; rhs.len()];
            let values = case.values();
            let (_, allocations) = count_allocations(|| {
                let mut factor = workspace.factorize(&values).expect("lengths");
                factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
            });
            assert_eq!(allocations, 0);
            solution
        };
        let alone = solve(&analysis);
        // the other lanes have twice the numbers of the first
        let pack = |list: &[f64]| -> Vec<Lanes<4>> {
            list.iter().map(|&x| Lanes([x, 2.0 * x, x, 2.0 * x])).collect()
        };
        let (mass, jacobian, wide_rhs) = (pack(&case.mass), pack(&case.jacobian), pack(&rhs));
        let mut workspace = Workspace::<Lanes<4>>::new(&analysis);
        let mut solution = vec![Lanes([0.0; 4]); rhs.len()];
        let values = Values::new(&mass, &jacobian);
        let mut factor = workspace.factorize(&values).expect("lengths");
        let report = factor.solve(&wide_rhs, &mut solution, &Refinement::default());
        let report = report.expect("lengths");
        assert!(report.is_good(), "{report:?}");
        for (x, alone) in solution.iter().zip(&alone) {
            assert_eq!(x.0[0].to_bits(), alone.to_bits());
            assert_eq!(x.0[2].to_bits(), alone.to_bits());
            assert_eq!(x.0[1].to_bits(), alone.to_bits());
        }
    }
}

/// A light body under two rows that contradict each other, whatever its mass.
#[test]
fn contradictions_on_light_bodies_are_seen() {
    let places = [(0, 0), (1, 0)];
    let pattern = Pattern::from_places(&[1, 1], &[1, 1], &[(0, 0), (1, 1)], &places, &[]);
    let pattern = pattern.expect("a pattern");
    for mass in [1e-14, 1e-18, 1e-24] {
        let mass = [mass, 1.0];
        let values = Values::new(&mass, &[1.0, 1.0]);
        for partitioned in [None, Some(true), Some(false)] {
            let options = with(partitioned);
            let analysis = Analysis::for_values(&pattern, &values, &options).expect("an analysis");
            let mut workspace = Workspace::new(&analysis);
            let mut factor = workspace.factorize(&values).expect("lengths");
            for gap in [0.0, 1e-5, 1.0] {
                for refinement in [Refinement::default(), Refinement::quick()] {
                    let mut solution = [0.0; 4];
                    let rhs = [1.0, 1.0, 1.0, 1.0 + gap];
                    let report = factor.solve(&rhs, &mut solution, &refinement).expect("lengths");
                    let contradicted = matches!(report.verdict(0), Verdict::Inconsistent { .. });
                    assert_eq!(contradicted, gap > 0.0, "{mass:?} {partitioned:?} {gap:e}");
                }
            }
        }
    }
}

/// Rounding in rows that are kept does not contradict those that are left out, estimate of errors or not:
/// two light bodies of the same row, pushed against each other.
#[test]
fn what_rounding_leaves_open_is_no_contradiction() {
    let places = [(0, 0), (0, 2), (1, 0), (1, 2)];
    let diagonal = [(0, 0), (1, 1), (2, 2)];
    let pattern = Pattern::from_places(&[1, 1, 1], &[1, 1], &diagonal, &places, &[]);
    let pattern = pattern.expect("a pattern");
    let (mass, jacobian) = ([1e-8, 1.0, 1e-8], [1.0, -1.0, 1.0, -1.0]);
    let values = Values::new(&mass, &jacobian);
    for partitioned in [Some(true), Some(false)] {
        let options = with(partitioned);
        let analysis = Analysis::for_values(&pattern, &values, &options).expect("an analysis");
        let mut workspace = Workspace::new(&analysis);
        let mut factor = workspace.factorize(&values).expect("lengths");
        for (gap, contradicted) in [(0.0, false), (1e-6, true)] {
            for refinement in [Refinement::default(), Refinement::quick()] {
                let mut solution = [0.0; 5];
                let rhs = [1.0 + 1e-8, 0.0, -1.0, 0.0, gap];
                let report = factor.solve(&rhs, &mut solution, &refinement).expect("lengths");
                let found = matches!(report.verdict(0), Verdict::Inconsistent { .. });
                assert_eq!(found, contradicted, "{partitioned:?} {gap:e} {report:?}");
            }
        }
    }
}

/// Of an indefinite M, in any units: nothing is singular.
#[test]
fn units_do_not_make_a_motion_free() {
    let places = [(0, 0), (1, 1), (2, 1), (2, 2), (3, 2), (4, 2), (3, 3), (4, 3), (4, 4)];
    let pattern = Pattern::from_places(&[1; 5], &[1], &places, &[(0, 0), (0, 1)], &[]);
    let pattern = pattern.expect("a pattern");
    for s in [1.0, 1e-6, 1e-10, 1e-12] {
        let mass = [-1.0, 1.0, s, s * s, 0.0, 0.0, 1.0, 0.0, 1.0];
        let values = Values::new(&mass, &[1.0, 1.0]);
        for partitioned in [None, Some(true), Some(false)] {
            let options = with(partitioned);
            let analysis = Analysis::for_values(&pattern, &values, &options).expect("an analysis");
            let mut workspace = Workspace::new(&analysis);
            let mut factor = workspace.factorize(&values).expect("lengths");
            let mut solution = [0.0; 6];
            let rhs = [-1.0, 2.0, 2.0 * s, 1.0, 1.0, 2.0];
            let report = factor.solve(&rhs, &mut solution, &Refinement::default());
            let verdict = report.expect("lengths").verdict(0);
            assert_eq!(verdict, Verdict::Good, "{s:e} {partitioned:?}");
            assert_eq!(factor.inertia(0).zero, 0);
        }
    }
}

/// Rows that hardly determine their unknowns any more, and one that was left out: a small pivot is
/// misplaced, not taken for a contradiction.
#[test]
fn a_pivot_that_has_become_tiny_is_misplaced() {
    let places = [(0, 0), (0, 2), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)];
    let diagonal = [(0, 0), (1, 1), (2, 2)];
    let pattern = Pattern::from_places(&[3], &[1, 1, 1], &diagonal, &places, &[]);
    let pattern = pattern.expect("a pattern");
    let mass = [1.0; 3];
    let start = [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0.0];
    let analysis = Analysis::for_values(&pattern, &Values::new(&mass, &start), &with(Some(true)));
    let analysis = analysis.expect("an analysis");
    assert!(analysis.is_partitioned());
    for small in [1e-7, 1e-9, 1e-12] {
        let jacobian = [small, 1.0, small, 1.0, 1.0, -1.0, 1.0];
        let (x, forces) = ([2.0, 1.0, 0.5], [1.0, -1.0, 0.5]);
        let mut rhs = [2.0, 1.0, 0.5, 0.0, 0.0, 0.0];
        for (value, &(row, column)) in jacobian.iter().zip(&places) {
            rhs[column] += value * forces[row];
            rhs[3 + row] += value * x[column];
        }
        let mut workspace = Workspace::new(&analysis);
        let values = Values::new(&mass, &jacobian);
        let mut factor = workspace.factorize(&values).expect("lengths");
        let mut solution = [0.0; 6];
        let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
        let verdict = report.verdict(0);
        assert!(matches!(verdict, Verdict::Misplaced { .. }), "{small:e} {verdict:?}");
    }
}

/// A row on everything, and an M that couples everything with one unknown, are left to other ways before
/// they take memory or time.
#[test]
fn what_fills_in_is_not_partitioned() {
    let n = 50_000;
    let diagonal: Vec<_> = (0..n).map(|i| (i, i)).collect();
    let all: Vec<_> = (0..n).map(|i| (0, i)).collect();
    let arrow: Vec<_> = diagonal.iter().copied().chain((1..n).map(|i| (i, 0))).collect();
    for (mass, jacobian) in [(diagonal, all), (arrow, vec![(0, 0)])] {
        let pattern = Pattern::from_places(&vec![1; n], &[1], &mass, &jacobian, &[]);
        let pattern = pattern.expect("a pattern");
        let values = [vec![2.0; n], vec![1e-3; mass.len() - n]].concat();
        let ones = vec![1.0; jacobian.len()];
        let values = Values::new(&values, &ones);
        let analysis = Analysis::for_values(&pattern, &values, &with(Some(true)));
        let cost = analysis.expect("an analysis").cost();
        assert!(cost.factor_entries < 10 * n as u64, "{cost:?}");
    }
}
