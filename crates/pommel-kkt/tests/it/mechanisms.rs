//! Constrained mechanisms from one body to some thousand: known solutions, ranks and costs.

use pommel_kkt::pattern::MatrixMarket;
use pommel_kkt::{Analysis, Cost, Factor, Inertia, Options, Refinement, Verdict, Workspace};
use pommel_testkit::{
    DenseSaddle, Rng, SaddleMechanism, SaddleSystem, cloth, planar_four_bars, plate_lattice,
    revolute_chain, revolute_tree, scattered_mass, spatial_four_bars,
};

use crate::matrices::{kkt, matrix};
use crate::systems::{Case, case};

fn one(_: usize) -> f64 {
    1.0
}

fn rods(_: usize, _: bool) -> f64 {
    1.0
}

fn light_couplers(_: usize, coupler: bool) -> f64 {
    if coupler { 0.0 } else { 1.0 }
}

fn binary(bodies: usize) -> SaddleMechanism {
    revolute_tree(bodies, |i| (i - 1) / 2, one, 7)
}

/// Mechanisms whose rows do not depend on each other.
fn regular() -> Vec<(&'static str, SaddleMechanism)> {
    let mut list = Vec::new();
    for loops in [0, 1, 2, 10, 300] {
        list.push(("planar four-bars", planar_four_bars(loops, rods)));
        list.push(("planar four-bars without mass", planar_four_bars(loops, light_couplers)));
    }
    for bodies in [1, 2, 3, 10, 100, 1000] {
        list.push(("chain", revolute_chain(bodies, one, bodies as u64)));
        list.push(("tree", binary(bodies)));
    }
    for side in [1, 2, 3, 7, 12] {
        list.push(("lattice", plate_lattice(side, false, 2)));
        list.push(("cloth", cloth(side, 3)));
    }
    list
}

/// Mechanisms with rows that depend on others, and on how many.
fn redundant() -> Vec<(&'static str, SaddleMechanism)> {
    let mut list = Vec::new();
    for loops in [1, 2, 3, 10, 100, 400] {
        list.push(("spatial four-bars", spatial_four_bars(loops)));
    }
    for side in [2, 3, 4] {
        let mut lattice = plate_lattice(side, true, 2);
        lattice.dependent_rows = Some(rank_defect(&lattice.system));
        list.push(("flat lattice", lattice));
    }
    list
}

/// Rows of J less its rank, from singular values.
fn rank_defect(system: &SaddleSystem) -> usize {
    let truth = DenseSaddle::new(system);
    assert!(truth.gap > 1e9, "{:e}", truth.gap);
    system.rows() - truth.jacobian_rank
}

fn for_numbers(case: &Case) -> Analysis {
    Analysis::for_values(&case.pattern, &case.values(), &Options::default()).expect("an analysis")
}

/// Largest error over largest number.
fn error(found: &[f64], truth: &[f64]) -> f64 {
    let largest = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0_f64, |m, x| m.max(x.abs()));
    let scale = largest(&mut truth.iter().copied());
    largest(&mut found.iter().zip(truth).map(|(a, b)| a - b)) / scale.max(f64::MIN_POSITIVE)
}

fn expected_inertia(mechanism: &SaddleMechanism) -> Inertia {
    let zero = mechanism.dependent_rows.expect("known");
    let system = &mechanism.system;
    Inertia { positive: system.unknowns(), negative: system.rows() - zero, zero }
}

/// Factors and solves; inertia, rank, verdict, backward error and unknowns are what they must be.
fn check(name: &str, mechanism: &SaddleMechanism, analysis: &Analysis, tolerance: f64) {
    let system = &mechanism.system;
    let (case, rhs) = (case(system), system.right_hand_side());
    let name = format!("{name} of {} bodies", system.body_widths.len());
    let mut workspace = Workspace::new(analysis);
    let values = case.values();
    let mut factor = workspace.factorize(&values).expect("a factor");
    let inertia = expected_inertia(mechanism);
    assert_eq!(factor.inertia(0), inertia, "{name}");
    assert_eq!(factor.rank(0), system.rows() - inertia.zero, "{name}");
    assert_eq!(factor.dependent_rows(0).count(), inertia.zero, "{name}");
    assert_eq!((factor.misplaced(0), factor.free_unknowns(0).count()), (0, 0), "{name}");
    let mut solution = vec![0.0; rhs.len()];
    let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
    let good = match inertia.zero {
        0 => Verdict::Good,
        count => Verdict::GoodWithDependentRows { count },
    };
    assert_eq!(report.verdict(0), good, "{name}: {report:?}");
    assert!(report.steps <= 2 && report.backward_error <= 1e-14, "{name}: {report:?}");
    let n = system.unknowns();
    let found = error(&solution[..n], &system.truth.x);
    // the right-hand side is rounded once: half of what the estimate is for
    assert!(found <= tolerance.min(10.0 * report.unknowns_error), "{name}: {found:e} {report:?}");
    if inertia.zero == 0 {
        let found = error(&solution[n..], &system.truth.lambda);
        assert!(found <= 10.0 * report.multipliers_error, "{name}: {found:e} {report:?}");
    }
}

/// The file is of another generator, which writes 15 digits.
#[test]
fn the_four_bar_is_that_of_the_benchmark() {
    let file: MatrixMarket = include_str!("../data/fourbar_1.mtx").parse().expect("a matrix");
    let (expected, case) = (matrix(&file), case(&planar_four_bars(1, rods).system));
    let found = kkt(&case.pattern, &case.values());
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
}

#[test]
fn regular_mechanisms_are_solved_to_ten_digits() {
    for (name, mechanism) in regular() {
        let case = case(&mechanism.system);
        check(name, &mechanism, &for_numbers(&case), 1e-10);
        if !name.contains("without mass") {
            check(name, &mechanism, &Analysis::new(&case.pattern).expect("an analysis"), 1e-10);
        }
    }
}

#[test]
fn rank_of_redundant_mechanisms_is_exact() {
    for (name, mechanism) in redundant() {
        let case = case(&mechanism.system);
        check(name, &mechanism, &for_numbers(&case), 1e-10);
    }
}

#[test]
fn masses_from_a_milligram_to_a_ton_are_solved_within_the_estimate() {
    for loops in [1, 10, 300, 1000] {
        let mechanism = planar_four_bars(loops, |k, _| scattered_mass(k));
        let case = case(&mechanism.system);
        check("scattered four-bars", &mechanism, &for_numbers(&case), 1e-9);
    }
    for bodies in [2, 10, 100, 1000] {
        let mechanism = revolute_chain(bodies, scattered_mass, 5);
        let case = case(&mechanism.system);
        check("scattered chain", &mechanism, &for_numbers(&case), 1e-9);
    }
}

/// For any right-hand side, forces of one size on bodies of a milligram and of a ton among them, two
/// steps of refinement leave one rounding; so do the numbers of the order that was tried on them. The
/// order for the pattern needs more than four steps.
#[test]
fn a_thousand_loops_of_scattered_masses_are_solved_in_two_steps() {
    let mechanism = planar_four_bars(1000, |k, _| scattered_mass(k));
    let case = case(&mechanism.system);
    let analysis = for_numbers(&case);
    assert!(analysis.rounds() < 8 && analysis.cost().largest_front < 100, "{:?}", analysis.cost());
    let mut workspace = Workspace::new(&analysis);
    let values = case.values();
    let mut factor = workspace.factorize(&values).expect("a factor");
    let (n, total) = (mechanism.system.unknowns(), factor.len());
    let part = |range: core::ops::Range<usize>| {
        (0..total).map(|i| f64::from(u8::from(range.contains(&i)))).collect::<Vec<f64>>()
    };
    let list = [
        mechanism.system.right_hand_side(),
        mechanism.system.times(&part(0..total)),
        part(0..n),
        part(n..total),
        Rng::new(5).list(total, 1.0),
    ];
    let mut solution = vec![0.0; total];
    for (which, rhs) in list.iter().enumerate() {
        let report = factor.solve(rhs, &mut solution, &Refinement::default()).expect("lengths");
        assert!(report.steps <= 2 && report.backward_error <= 1e-15, "{which}: {report:?}");
        assert_eq!(report.verdict(0), Verdict::Good, "{which}: {report:?}");
    }
    // so much is there to mend
    let analysis = Analysis::new(&case.pattern).expect("an analysis");
    let mut workspace = Workspace::new(&analysis);
    let mut factor = workspace.factorize(&values).expect("a factor");
    let four = Refinement { steps: 4, ..Refinement::default() };
    let report = factor.solve(&list[4], &mut solution, &four).expect("lengths");
    assert!(report.backward_error > 1e-12, "{report:?}");
}

/// A system without some of its rows, in constraints of one row.
fn without_rows(system: &SaddleSystem, rows: &[usize]) -> SaddleSystem {
    let mut less = SaddleSystem { body_widths: system.body_widths.clone(), ..Default::default() };
    less.mass = system.mass.clone();
    less.f = system.f.clone();
    let mut new = vec![usize::MAX; system.rows()];
    let mut row = 0;
    for (count, on) in system.constraint_rows.iter().zip(&system.constraint_bodies) {
        for _ in 0..*count {
            if !rows.contains(&row) {
                new[row] = less.constraint_rows.len();
                less.constraint_rows.push(1);
                less.constraint_bodies.push(on.clone());
                less.g.push(system.g[row]);
            }
            row += 1;
        }
    }
    let kept = system.jacobian.iter().filter(|(i, ..)| new[*i] < usize::MAX);
    less.jacobian = kept.map(|(i, j, v)| (new[*i], *j, *v)).collect();
    less
}

/// Rows that are named can be left out: the others are as many as the rank, and independent.
#[test]
fn rows_beside_the_dependent_ones_have_full_rank() {
    let small = redundant().into_iter().filter(|(_, m)| m.system.rows() < 160);
    for (name, mechanism) in small {
        let case = case(&mechanism.system);
        let analysis = for_numbers(&case);
        let mut workspace = Workspace::new(&analysis);
        let values = case.values();
        let factor = workspace.factorize(&values).expect("a factor");
        let dependent: Vec<usize> = factor.dependent_rows(0).collect();
        assert_eq!(dependent.len(), mechanism.dependent_rows.expect("known"), "{name}");
        let rest = without_rows(&mechanism.system, &dependent);
        assert_eq!(rank_defect(&rest), 0, "{name}");
    }
}

fn solve(
    factor: &mut Factor<'_, f64>,
    rhs: &[f64],
    refinement: &Refinement,
) -> (Verdict, Vec<f64>) {
    let mut solution = vec![0.0; rhs.len()];
    let report = factor.solve(rhs, &mut solution, refinement).expect("lengths");
    (report.verdict(0), solution)
}

/// Whatever is added to the right-hand side of a dependent row is its residual, and no other row's.
#[test]
fn contradictions_are_named_with_their_residuals() {
    for (name, mechanism) in redundant() {
        if mechanism.dependent_rows == Some(0) {
            continue;
        }
        let system = &mechanism.system;
        let (case, n) = (case(system), system.unknowns());
        let analysis = for_numbers(&case);
        let mut workspace = Workspace::new(&analysis);
        let values = case.values();
        let mut factor = workspace.factorize(&values).expect("a factor");
        let dependent: Vec<usize> = factor.dependent_rows(0).collect();
        let steps = (dependent.len() / 5).max(1);
        for refinement in [Refinement::default(), Refinement::quick()] {
            let (_, consistent) = solve(&mut factor, &system.right_hand_side(), &refinement);
            for &row in dependent.iter().step_by(steps) {
                let mut rhs = system.right_hand_side();
                rhs[n + row] += 0.25;
                let (verdict, solution) = solve(&mut factor, &rhs, &refinement);
                let Verdict::Inconsistent { row: named, residual, relative, count } = verdict
                else {
                    panic!("{name}: {verdict:?}");
                };
                assert_eq!((named, count), (row, 1), "{name}");
                // of the row's terms, each about 1
                assert!((residual - 0.25).abs() < 1e-11, "{name}: {residual}");
                assert!(relative > 0.01 && relative <= 1.0, "{name}: {relative}");
                // the unknowns solve the others
                assert!(error(&solution[..n], &consistent[..n]) < 1e-11, "{name}");
            }
            let kept = (0..system.rows()).find(|r| !dependent.contains(r)).expect("a row");
            let mut rhs = system.right_hand_side();
            rhs[n + kept] += 0.25;
            let verdict = solve(&mut factor, &rhs, &refinement).0;
            if let Verdict::Inconsistent { row, .. } = verdict {
                assert!(dependent.contains(&row), "{name}: {row}");
            } else {
                // no dependent row has to do with this one
                assert_eq!(verdict, Verdict::GoodWithDependentRows { count: dependent.len() });
            }
        }
    }
}

/// A body that constraints hold at rest twice: numbers that should be zero contradict nothing.
#[test]
fn rows_that_hold_a_body_at_rest_twice_agree() {
    let mut system = SaddleSystem {
        body_widths: vec![3],
        constraint_rows: vec![1, 1],
        constraint_bodies: vec![vec![0], vec![0]],
        ..Default::default()
    };
    system.mass =
        vec![(0, 0, 1.3), (1, 0, 0.7), (1, 1, 2.1), (2, 0, 0.3), (2, 1, 0.9), (2, 2, 1.7)];
    system.jacobian = (0..6).map(|e| (e / 3, e % 3, if e % 3 == 0 { 1.0 } else { 0.0 })).collect();
    (system.f, system.g) = (vec![0.1, 0.7, 0.3], vec![0.0, 0.0]);
    let case = case(&system);
    let values = case.values();
    let mut workspace = Workspace::new(&Analysis::new(&case.pattern).expect("an analysis"));
    let mut factor = workspace.factorize(&values).expect("a factor");
    for k in 0..50 {
        let f = [0.1 * f64::from(k), 0.7, 0.3 - 0.05 * f64::from(k)];
        let rhs = [f[0], f[1], f[2], 0.0, 0.0];
        let (verdict, solution) = solve(&mut factor, &rhs, &Refinement::default());
        assert_eq!(verdict, Verdict::GoodWithDependentRows { count: 1 }, "{solution:?}");
        assert!(solution[0].abs() < 1e-15, "{solution:?}");
    }
}

/// What the factor needs if nothing but blocks of the matrix is filled.
fn entries_of_blocks(system: &SaddleSystem) -> u64 {
    let lower = |w: &usize| (w * (w + 1) / 2) as u64;
    let diagonal = system.body_widths.iter().chain(&system.constraint_rows).map(lower);
    let blocks = system.constraint_rows.iter().zip(&system.constraint_bodies);
    let width = |on: &Vec<usize>| on.iter().map(|b| system.body_widths[*b]).sum::<usize>();
    let blocks = blocks.map(|(rows, on)| (rows * width(on)) as u64);
    diagonal.sum::<u64>() + blocks.sum::<u64>()
}

fn cost(mechanism: &SaddleMechanism) -> Cost {
    Analysis::new(&case(&mechanism.system).pattern).expect("an analysis").cost()
}

#[test]
fn acyclic_systems_fill_nothing() {
    for bodies in [1, 2, 3, 10, 100, 1000] {
        let star = revolute_tree(bodies, |_| 0, one, 1);
        let random = revolute_tree(bodies, |i| i * 7919 % i.clamp(1, 13), one, 1);
        for mechanism in [revolute_chain(bodies, one, 1), binary(bodies), star, random] {
            let predicted = cost(&mechanism).factor_entries;
            assert_eq!(predicted, entries_of_blocks(&mechanism.system), "{bodies} bodies");
        }
    }
}

#[test]
fn cost_of_a_chain_is_affine_in_its_length() {
    let costs = [1000, 2000, 3000].map(|n| cost(&revolute_chain(n, one, 1)));
    for [a, b, c] in [
        costs.map(|c| c.factor_entries),
        costs.map(|c| c.multiply_adds),
        costs.map(|c| c.fronts as u64),
        costs.map(|c| c.largest_front as u64),
    ] {
        assert_eq!(b - a, c - b, "{costs:?}");
    }
    assert!(costs[0].largest_front <= 17, "{costs:?}");
}

/// Loops cost no more than a factor for each loop: linear, too.
#[test]
fn cost_of_four_bars_is_linear_in_their_number() {
    let families: [fn(usize) -> SaddleMechanism; 2] =
        [|n| planar_four_bars(n, rods), spatial_four_bars];
    for family in families {
        let [a, b] = [100, 800].map(|n| cost(&family(n)));
        // eight times the loops and one crank
        assert!(b.factor_entries <= 9 * a.factor_entries, "{a:?} {b:?}");
        assert!(b.multiply_adds <= 9 * a.multiply_adds, "{a:?} {b:?}");
    }
}
