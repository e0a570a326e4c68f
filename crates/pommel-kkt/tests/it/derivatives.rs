//! Derivatives of solutions, against differences; shortest multipliers and condition numbers,
//! against dense truth.

use nalgebra::{DMatrix, DVector};
use pommel_kkt::pattern::{Compressed, Partitions, Symmetric};
use pommel_kkt::{
    Analysis, Factor, Gradient, KktError, MinimumNorm, Options, Pattern, Refinement, Values,
    Verdict, Workspace,
};
use pommel_testkit::{
    Rng, SaddleShape, SaddleSystem, count_allocations, plate_lattice, random_saddle,
    spatial_four_bars,
};

use crate::matrices;
use crate::systems::{Case, case};

/// Random regular systems of moderate condition, with their right-hand sides.
fn regular_systems(seed: u64, count: usize) -> Vec<(Case, Vec<f64>)> {
    let mut rng = Rng::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let shape = SaddleShape::random(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let dense = pommel_testkit::DenseSaddle::new(&system);
        let total = system.unknowns() + system.rows();
        if total > 0
            && dense.rank == total
            && dense.condition < 1e3
            && [&system.mass, &system.jacobian, &system.compliance].into_iter().all(|v| unscaled(v))
        {
            found.push((case(&system), system.right_hand_side()));
        }
    }
    found
}

/// Differences need numbers of ordinary size.
fn unscaled(mass: &[(usize, usize, f64)]) -> bool {
    mass.iter().all(|e| e.2 == 0.0 || (1e-3..1e3).contains(&e.2.abs()))
}

fn solve(case: &Case, rhs: &[f64]) -> Vec<f64> {
    let analysis =
        Analysis::for_values(&case.pattern, &case.values(), &Options::default()).expect("values");
    let mut workspace = Workspace::new(&analysis);
    let values = case.values();
    let mut factor = workspace.factorize(&values).expect("lengths");
    let mut solution = vec![0.0; rhs.len()];
    factor.solve(rhs, &mut solution, &Refinement::quick()).expect("lengths");
    solution
}

/// φ = w · s has the derivatives that central differences find, by every number of the system.
#[test]
fn derivatives_are_those_of_differences() {
    for (case, rhs) in regular_systems(7, 60) {
        let total = rhs.len();
        let weight: Vec<f64> = (0..total).map(|i| (1.0 + 0.7 * i as f64).sin()).collect();
        let phi = |case: &Case, rhs: &[f64]| -> f64 {
            solve(case, rhs).iter().zip(&weight).map(|(s, w)| s * w).sum()
        };
        let [mut mass, mut jacobian, mut compliance] =
            [&case.mass, &case.jacobian, &case.compliance].map(|v| vec![0.0; v.len()]);
        let mut by_rhs = vec![0.0; total];
        let analysis = Analysis::for_values(&case.pattern, &case.values(), &Options::default())
            .expect("values");
        let mut workspace = Workspace::new(&analysis);
        let values = case.values();
        let mut factor = workspace.factorize(&values).expect("lengths");
        let mut solution = vec![0.0; total];
        factor.solve(&rhs, &mut solution, &Refinement::quick()).expect("lengths");
        let mut gradient = Gradient {
            mass: &mut mass,
            jacobian: &mut jacobian,
            compliance: &mut compliance,
            rhs: &mut by_rhs,
        };
        let (report, allocations) = count_allocations(|| {
            factor.pull_back(&solution, &weight, &mut gradient).expect("lengths")
        });
        assert!(report.is_good());
        assert_eq!(allocations, 0);

        let step = 1e-6;
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let scale = 1.0
            + [&mass, &jacobian, &compliance, &by_rhs]
                .into_iter()
                .fold(0.0, |a, v| largest(v).max(a));
        // of a central difference: step² times third derivatives, where each derivative may bring the
        // norm of the inverse, up to 1e3; and rounding, up to 1e3 ε, over the step
        let tolerance = 1e-5 * scale;
        let check = |found: f64, vary: &dyn Fn(f64) -> f64, what: &str, i: usize| {
            let difference = (vary(step) - vary(-step)) / (2.0 * step);
            assert!((found - difference).abs() < tolerance, "{what} {i}: {found} {difference}");
        };
        for (i, found) in mass.iter().enumerate() {
            let vary = |h: f64| {
                let mut case = case.clone();
                case.mass[i] += h;
                phi(&case, &rhs)
            };
            // the null space of a massless body may get mass that it does not have: skip it
            if case.mass[i] != 0.0 {
                check(*found, &vary, "mass", i);
            }
        }
        for (i, found) in jacobian.iter().enumerate() {
            let vary = |h: f64| {
                let mut case = case.clone();
                case.jacobian[i] += h;
                phi(&case, &rhs)
            };
            check(*found, &vary, "jacobian", i);
        }
        for (i, found) in compliance.iter().enumerate() {
            let vary = |h: f64| {
                let mut case = case.clone();
                case.compliance[i] += h;
                phi(&case, &rhs)
            };
            check(*found, &vary, "compliance", i);
        }
        for (i, found) in by_rhs.iter().enumerate() {
            let vary = |h: f64| {
                let mut rhs = rhs.clone();
                rhs[i] += h;
                phi(&case, &rhs)
            };
            check(*found, &vary, "rhs", i);
        }
    }
}

/// Of mechanisms with redundant rows: the multipliers of least norm are those of the pseudo-inverse of
/// Jᵀ, the forces are the same.
#[test]
fn shortest_multipliers_are_those_of_the_pseudo_inverse() {
    for mechanism in [spatial_four_bars(3), plate_lattice(4, true, 5)] {
        let case = case(&mechanism.system);
        let (n, m) = (case.pattern.unknowns(), case.pattern.rows());
        let truth: Vec<f64> = (0..n + m).map(|i| (0.3 + i as f64).cos()).collect();
        let rhs = mechanism.system.times(&truth);
        let mut solution = solve(&case, &rhs);
        let k = matrices::kkt(&case.pattern, &case.values());
        let transposed = DMatrix::from_fn(n, m, |i, j| k[n + j][i]);
        let multipliers = DVector::from_column_slice(&solution[n..]);
        let force = &transposed * &multipliers;
        let inverse = transposed.clone().pseudo_inverse(1e-10).expect("a threshold");
        let expected = inverse * &force;

        let mut shortest = MinimumNorm::new(&case.pattern).expect("small");
        let unknowns = solution[..n].to_vec();
        let values = case.values();
        let (report, allocations) =
            count_allocations(|| shortest.apply(&values, &mut solution).expect("lengths"));
        assert_eq!(allocations, 0);
        assert!(report.is_good(), "{:?}", report.verdict(0));
        assert_eq!(solution[..n], unknowns[..]);
        let found = DVector::from_column_slice(&solution[n..]);
        // the condition of J is below 1e3
        let tolerance = 1e4 * f64::EPSILON * (n + m) as f64 * expected.amax();
        assert!((&found - &expected).amax() < tolerance, "{}", (&found - &expected).amax());
        assert!(found.norm() < multipliers.norm());
    }
}

/// With compliance, `C λ` is kept as well as `Jᵀ λ`.
#[test]
fn shortest_multipliers_keep_compliant_forces() {
    let mut compliant = 0;
    for (case, rhs) in regular_systems(11, 30) {
        compliant += usize::from(case.pattern.compliance_len() > 0);
        let n = case.pattern.unknowns();
        let mut solution = solve(&case, &rhs);
        let before = solution.clone();
        let mut shortest = MinimumNorm::new(&case.pattern).expect("small");
        let report = shortest.apply(&case.values(), &mut solution).expect("lengths");
        assert!(report.is_good(), "{report:?}");
        // a regular system has one solution
        let scale = before[n..].iter().fold(1.0f64, |a, x| a.max(x.abs()));
        for (a, b) in before.iter().zip(&solution) {
            assert!((a - b).abs() < 1e-9 * scale, "{a} {b}");
        }
    }
    assert!(compliant > 3, "{compliant}");
}

/// Of five rows, `J = B R` of rank two and `C = B D Bᵀ` of rank three: multipliers that Bᵀ annihilates
/// bear nothing, those that Jᵀ alone annihilates bear something by C.
#[test]
fn shortest_multipliers_keep_what_a_singular_compliance_bears() {
    let mut rng = Rng::new(19);
    // of two systems rounding hides one of the rows that depend on others
    let mut counted = 0;
    for _ in 0..40 {
        let (n, m, rank) = (4, 5, 3);
        let [b, mut r] = [[m, rank], [rank, n]]
            .map(|[rows, columns]| DMatrix::from_fn(rows, columns, |_, _| rng.symmetric(1.0)));
        r.row_mut(rank - 1).fill(0.0);
        let d = DMatrix::from_diagonal(&DVector::from_fn(rank, |_, _| rng.uniform(0.5, 1.5)));
        let (j, c) = (&b * r, &b * d * b.transpose());
        let mut system = SaddleSystem { body_widths: vec![n], ..Default::default() };
        system.mass = (0..n).map(|i| (i, i, rng.uniform(1.0, 2.0))).collect();
        (system.constraint_rows, system.constraint_bodies) = (vec![m], vec![vec![0]]);
        for row in 0..m {
            system.jacobian.extend((0..n).map(|i| (row, i, j[(row, i)])));
            system.compliance.extend((0..=row).map(|i| (row, i, c[(row, i)])));
        }
        let truth = rng.list(n + m, 1.0);
        let rhs = system.times(&truth);
        let case = case(&system);
        let mut solution = solve(&case, &rhs);
        let before = DVector::from_column_slice(&solution[n..]);
        let mut stacked = DMatrix::zeros(n + m, m);
        stacked.rows_mut(0, n).copy_from(&j.transpose());
        stacked.rows_mut(n, m).copy_from(&c);
        let borne = &stacked * &before;
        let expected = stacked.pseudo_inverse(1e-9).expect("a threshold") * &borne;
        let mut shortest = MinimumNorm::new(&case.pattern).expect("small");
        let report = shortest.apply(&case.values(), &mut solution).expect("lengths");
        let right = report.verdict(0) == Verdict::GoodWithDependentRows { count: n + m - rank };
        counted += usize::from(right);
        assert!(report.is_good(), "{:?}", report.verdict(0));
        let found = DVector::from_column_slice(&solution[n..]);
        // the condition of B is below 1e3
        let tolerance = 1e4 * f64::EPSILON * before.amax();
        assert!((&found - &expected).amax() < tolerance, "{}", (&found - &expected).amax());
        assert!(found.norm() < before.norm());
    }
    assert!(counted >= 36, "{counted}");
}

/// Single precision with the default refinement: multipliers and unknowns to the digits it has.
#[test]
fn single_precision_finds_the_shortest_multipliers() {
    let mechanism = spatial_four_bars(3);
    let case = case(&mechanism.system);
    let (n, m) = (case.pattern.unknowns(), case.pattern.rows());
    let truth: Vec<f64> = (0..n + m).map(|i| (0.3 + i as f64).cos()).collect();
    let rhs = mechanism.system.times(&truth);
    let mut expected = solve(&case, &rhs);
    let mut shortest = MinimumNorm::new(&case.pattern).expect("small");
    shortest.apply(&case.values(), &mut expected).expect("lengths");

    let single = |list: &[f64]| list.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    let (mass, jacobian, rhs) = (single(&case.mass), single(&case.jacobian), single(&rhs));
    let values = Values::new(&mass, &jacobian);
    let analysis =
        Analysis::for_values(&case.pattern, &values, &Options::default()).expect("values");
    let mut workspace = Workspace::<f32>::new(&analysis);
    let mut factor = workspace.factorize(&values).expect("lengths");
    let mut solution = vec![0.0f32; n + m];
    let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
    let count = mechanism.dependent_rows.expect("known");
    assert_eq!(report.verdict(0), Verdict::GoodWithDependentRows { count }, "{report:?}");
    assert!(report.backward_error < 8.0 * f32::EPSILON && report.steps <= 2, "{report:?}");
    let mut shortest = MinimumNorm::<f32>::new(&case.pattern).expect("small");
    let report = shortest.apply(&values, &mut solution).expect("lengths");
    assert!(report.is_good(), "{report:?}");
    let scale = expected.iter().fold(1.0f64, |a, x| a.max(x.abs()));
    // the condition is below 1e3, and ε is 1.2e-7
    for (i, (a, b)) in expected.iter().zip(&solution).enumerate() {
        assert!((a - f64::from(*b)).abs() < 1e-4 * scale, "{i}: {a} {b}");
    }
}

/// Lower triangle of a matrix `[M Jᵀ; J −C]` of 4 and 4 rows, column by column. The last row is twice
/// the one before; C is that of the first two.
fn whole_matrix() -> Vec<(usize, usize, f64)> {
    let mut entries = Vec::new();
    let jacobian = [[0.7, -0.4, 0.2, 0.9], [0.1, 0.8, -0.6, 0.3], [0.5, -0.3, 0.4, -0.7]];
    for column in 0..4 {
        for row in column..4 {
            entries.push((row, column, if row == column { 2.5 } else { 0.3 + 0.1 * row as f64 }));
        }
        entries.extend((0..3).map(|row| (4 + row, column, jacobian[row][column])));
        entries.push((7, column, 2.0 * jacobian[2][column]));
    }
    entries.extend([(4, 4, -0.6), (5, 4, 0.2), (5, 5, -0.4)]);
    entries
}

/// Of a matrix that is kept whole and has a row that depends on another, `φ = w · s` has the
/// derivatives that central differences of the system without that row find.
#[test]
fn derivatives_of_a_whole_matrix_with_dependent_rows_are_those_of_differences() {
    let entries = whole_matrix();
    let pointers: Vec<usize> =
        (0..=8).map(|column| entries.iter().filter(|e| e.1 < column).count()).collect();
    let rows: Vec<usize> = entries.iter().map(|e| e.0).collect();
    let matrix = Symmetric::lower(Compressed::csc(8, 8, &pointers, &rows));
    let pattern = Pattern::from_kkt_csc(4, matrix, Partitions::found()).expect("a pattern");
    assert!(pattern.compliance_is_negated());
    let numbers: Vec<f64> = entries.iter().map(|e| e.2).collect();
    let values = Values::whole(&numbers);
    let rhs = [1.0, -0.5, 0.3, 0.8, 0.2, -0.7, 0.4, 0.8];
    let weight: Vec<f64> = (0..8).map(|i| (1.0 + 0.7 * i as f64).sin()).collect();

    let analysis = Analysis::for_values(&pattern, &values, &Options::default()).expect("values");
    let mut workspace = Workspace::new(&analysis);
    let mut factor = workspace.factorize(&values).expect("lengths");
    let dependent: Vec<usize> = factor.dependent_rows(0).collect();
    assert!(dependent == [2] || dependent == [3], "{dependent:?}");
    let left_out = 4 + dependent[0];
    let mut solution = [0.0; 8];
    let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
    assert_eq!(report.verdict(0), Verdict::GoodWithDependentRows { count: 1 });
    let mut lists = [(); 3].map(|()| vec![0.0; numbers.len()]);
    let mut by_rhs = [0.0; 8];
    let [mass, jacobian, compliance] = &mut lists;
    let mut gradient = Gradient { mass, jacobian, compliance, rhs: &mut by_rhs };
    // the multiplier that is left out is zero, whatever its weight
    let mut cotangent = weight.clone();
    cotangent[left_out] = 0.0;
    factor.pull_back(&solution, &cotangent, &mut gradient).expect("lengths");

    // the row that is left out is one of the identity
    let phi = |numbers: &[f64], rhs: &[f64]| {
        let mut k = DMatrix::<f64>::zeros(8, 8);
        for (&(i, j, _), &x) in entries.iter().zip(numbers) {
            if i != left_out && j != left_out {
                (k[(i, j)], k[(j, i)]) = (x, x);
            }
        }
        k[(left_out, left_out)] = 1.0;
        let mut b = DVector::from_column_slice(rhs);
        b[left_out] = 0.0;
        k.lu().solve(&b).expect("regular").dot(&DVector::from_column_slice(&weight))
    };
    let step = 1e-5;
    for (e, &(row, column, _)) in entries.iter().enumerate() {
        let at = |h: f64| {
            let mut numbers = numbers.clone();
            numbers[e] += h;
            phi(&numbers, &rhs)
        };
        let difference = (at(step) - at(-step)) / (2.0 * step);
        // each value belongs to one part of the matrix
        let part = usize::from(row >= 4) + usize::from(column >= 4);
        for (list, found) in lists.iter().enumerate() {
            let expected = if list == part { difference } else { 0.0 };
            assert!(
                (found[e] - expected).abs() < 1e-7,
                "({row}, {column}): {} {expected}",
                found[e]
            );
        }
        assert!(row == left_out || difference.abs() > 1e-6, "({row}, {column})");
    }
    for (i, found) in by_rhs.iter().enumerate() {
        let at = |h: f64| {
            let mut rhs = rhs;
            rhs[i] += h;
            phi(&numbers, &rhs)
        };
        let difference = (at(step) - at(-step)) / (2.0 * step);
        assert!((found - difference).abs() < 1e-7, "{i}: {found} {difference}");
    }
}

/// Skeel's condition number: estimated, and from the dense inverse.
fn conditions(case: &Case) -> (f64, f64) {
    let k = matrices::kkt(&case.pattern, &case.values());
    let k = DMatrix::from_fn(k.len(), k.len(), |i, j| k[i][j]);
    let inverse = k.clone().try_inverse().expect("regular");
    let product = inverse.abs() * k.abs();
    let exact = product.row_iter().map(|row| row.sum()).fold(0.0, f64::max);
    let values = case.values();
    let analysis =
        Analysis::for_values(&case.pattern, &values, &Options::default()).expect("values");
    let mut workspace = Workspace::new(&analysis);
    (workspace.factorize(&values).expect("lengths").condition_estimate(), exact)
}

/// Skeel's condition number is estimated from below, and by no more than a factor of ten too small.
#[test]
fn condition_estimates_are_near_the_condition() {
    for (case, _) in regular_systems(13, 400) {
        let (estimate, exact) = conditions(&case);
        // the condition is below 1e3 times few: inverse and estimate are rounded by less than 1e-10
        let ratio = estimate / exact;
        assert!((0.1..=1.0 + 1e-10).contains(&ratio), "{estimate} {exact}");
    }
}

/// Sums over rows of K and of its inverse hide what cancels in them: with `C` the circulant of
/// `2 + δ, 1, 0 … 0, 1`, `C 1 = (4 + δ) 1` and the iteration that starts evenly meets its largest
/// sum at once, in the first block, while `C` has the eigenvalue `δ` for the alternating vector.
#[test]
fn condition_estimates_are_not_deceived_by_even_sums() {
    let (width, delta) = (8, 1e-4);
    let mut system = SaddleSystem { body_widths: vec![2, width], ..Default::default() };
    system.mass = vec![(0, 0, 1.0), (1, 0, -0.5), (1, 1, 1.0)];
    for i in 0..width {
        system.mass.push((2 + i, 2 + i, 2.0 + delta));
        if i > 0 {
            system.mass.push((2 + i, 1 + i, 1.0));
        }
    }
    system.mass.push((1 + width, 2, 1.0));
    system.f = vec![1.0; 2 + width];
    let (estimate, exact) = conditions(&case(&system));
    assert!(exact > 3e4, "{exact}");
    assert!((0.1..=1.0 + 1e-10).contains(&(estimate / exact)), "{estimate} {exact}");
}

/// Several right-hand sides give what each gives alone, to the bit; lists of other lengths are refused.
#[test]
fn right_hand_sides_do_not_disturb_each_other() {
    for (case, rhs) in regular_systems(17, 20) {
        let total = rhs.len();
        let analysis = Analysis::for_values(&case.pattern, &case.values(), &Options::default())
            .expect("values");
        let mut workspace = Workspace::new(&analysis);
        let values = case.values();
        let mut factor: Factor<'_, f64> = workspace.factorize(&values).expect("lengths");
        let many: Vec<f64> =
            (0..3).flat_map(|k| rhs.iter().map(move |x| x * (k as f64 - 0.5))).collect();
        let mut all = vec![0.0; 3 * total];
        factor.substitute_all(&many, &mut all).expect("lengths");
        for k in 0..3 {
            let mut one = vec![0.0; total];
            factor.substitute(&many[k * total..(k + 1) * total], &mut one).expect("lengths");
            assert_eq!(one, all[k * total..(k + 1) * total]);
        }
        let short = factor.substitute_all(&many[1..], &mut all);
        assert!(total == 1 || matches!(short, Err(KktError::Length { .. })));
    }
}

/// A verdict about a mechanism at rest: forces in balance are no loss of digits.
#[test]
fn a_mechanism_at_rest_is_solved_well() {
    let mechanism = spatial_four_bars(3);
    let case = case(&mechanism.system);
    let (n, m) = (case.pattern.unknowns(), case.pattern.rows());
    let truth: Vec<f64> =
        (0..n + m).map(|i| if i < n { 0.0 } else { (0.3 + i as f64).cos() }).collect();
    let rhs = mechanism.system.times(&truth);
    let values: Values<'_, f64> = case.values();
    let analysis = Analysis::new(&case.pattern).expect("an analysis");
    let mut workspace = Workspace::new(&analysis);
    let mut factor = workspace.factorize(&values).expect("lengths");
    let mut solution = vec![0.0; n + m];
    let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
    let count = mechanism.dependent_rows.expect("known");
    assert_eq!(report.verdict(0), Verdict::GoodWithDependentRows { count });
    assert!(solution[..n].iter().all(|x| x.abs() < 1e-13));
}
