//! All formulations on random systems, against least squares of the whole saddle-point matrix.

use pommel_mechanism::formulation::{Method, Need};
use pommel_testkit::{Rng, count_allocations};

use crate::support::{Case, Shape, assert_near, methods, random};

/// Exact methods agree to this part of the largest acceleration: conditions go up to 1e4.
const AGREE: f64 = 1e-10;

/// Accelerations of the penalty method are wrong by κ⁻¹ = 1e-7 times the squared condition of rows.
const APPROXIMATE: f64 = 1e-3;

fn assert_solves(case: &Case, method: Method, rank: usize) {
    let (n, m) = case.size();
    let (qdd, lambda, outcome) = case.solve(method).unwrap_or_else(|e| panic!("{e}"));
    let (truth, shortest) = case.truth();
    let tolerance = if method.is_exact() { AGREE } else { APPROXIMATE };
    let worst = (0..n).map(|i| (qdd[i] - truth[i]).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance * truth.amax(), "{method}: {worst:e} of {}", truth.amax());
    assert!(case.force_defect(&qdd, &lambda) < tolerance, "{method}: forces do not balance");
    if let Some(found) = outcome.rank {
        assert_eq!(found, rank, "{method}");
    }
    if rank == m && method.is_exact() {
        let scale = shortest.amax().max(1.0);
        for i in 0..m {
            assert!((lambda[i] - shortest[i]).abs() < AGREE * scale, "{method}");
        }
    }
}

fn needs_mass(method: Method) -> bool {
    method.needs().contains(&Need::PositiveMass)
}

#[test]
fn all_methods_agree_with_least_squares_of_the_whole_system() {
    let mut rng = Rng::new(21);
    for round in 0..40 {
        let bodies = 2 + round % 5;
        let width = [2, 3, 6][round % 3];
        let n = bodies * width;
        let rank = 1 + rng.below(n - 1);
        let redundant = if round % 2 == 0 { 0 } else { rng.below(4) };
        let blocks = round % 4 < 2;
        let shape = Shape { bodies, width, rows: rank + redundant, rank, massless: 0, blocks };
        let case = random(&mut rng, shape);
        for method in methods() {
            assert_solves(&case, method, rank);
        }
    }
}

#[test]
fn a_singular_mass_matrix_suits_all_methods_but_those_that_invert_it() {
    let mut rng = Rng::new(22);
    for round in 0..24 {
        let (bodies, width) = (3 + round % 3, 3);
        let massless = 1 + round % 2;
        let rank = massless + 2 + rng.below(bodies * width - massless - 2);
        let shape =
            Shape { bodies, width, rows: rank + round % 3, rank, massless, blocks: round % 4 < 2 };
        let case = random(&mut rng, shape);
        for method in methods().filter(|&method| !needs_mass(method)) {
            assert_solves(&case, method, rank);
        }
    }
}

#[test]
fn systems_without_rows_unknowns_or_freedoms() {
    let mut rng = Rng::new(23);
    let shape = Shape { bodies: 2, width: 3, rows: 0, rank: 0, massless: 0, blocks: true };
    // no rows; as many as unknowns; more than unknowns
    for (rows, rank) in [(0, 0), (6, 6), (8, 6)] {
        let case = random(&mut rng, Shape { rows, rank, ..shape });
        for method in methods() {
            assert_solves(&case, method, rank);
        }
    }
    let none = random(&mut rng, Shape { bodies: 0, ..shape });
    for method in methods() {
        let (qdd, lambda, _) = none.solve(method).unwrap_or_else(|e| panic!("{method}: {e}"));
        assert!(qdd.is_empty() && lambda.is_empty());
    }
    // a row of zeros that asks for nothing; a body that no row touches
    let mut case = random(&mut rng, Shape { rows: 2, rank: 2, ..shape });
    for (row, column, index) in case.pattern.jacobian_entries() {
        if row == 1 || column >= 3 {
            case.jacobian[index] = 0.0;
        }
    }
    case.gamma[1] = 0.0;
    for method in methods() {
        assert_solves(&case, method, 1);
    }
}

#[test]
fn units_of_rows_do_not_matter() {
    let mut rng = Rng::new(24);
    let shape = Shape { bodies: 4, width: 3, rows: 9, rank: 7, massless: 0, blocks: true };
    let case = random(&mut rng, shape);
    let mut scaled = case.clone();
    let unit: Vec<f64> = (0..9).map(|i| 10f64.powi(3 * i - 12)).collect();
    for (row, _, index) in case.pattern.jacobian_entries() {
        scaled.jacobian[index] *= unit[row];
    }
    for i in 0..9 {
        scaled.gamma[i] *= unit[i];
    }
    for method in methods() {
        let (expected, ..) = case.solve(method).unwrap();
        let (found, lambda, _) = scaled.solve(method).unwrap_or_else(|e| panic!("{e}"));
        let tolerance = if method.is_exact() { 1e-9 } else { 1e-5 };
        assert_near(&found, &expected, tolerance);
        assert!(scaled.force_defect(&found, &lambda) < tolerance);
    }
}

/// Some methods square the condition of rows; they solve for their residuals once more.
#[test]
fn squared_conditions_cost_no_digits() {
    let mut rng = Rng::new(28);
    for round in 0..20 {
        let shape = Shape { bodies: 4, width: 3, rows: 7, rank: 7, massless: 0, blocks: true };
        let mut case = random(&mut rng, shape);
        let (truth, _) = case.truth();
        // the same from rows that are independent by 1e-4: the second is almost the first
        let (_, rows) = case.dense();
        for (row, column, index) in case.pattern.jacobian_entries() {
            if row == 1 {
                case.jacobian[index] = rows[(0, column)] + 1e-4 * rows[(1, column)];
            }
        }
        case.gamma[1] = case.gamma[0] + 1e-4 * case.gamma[1];
        // stiffness of 1e9 meets rows of 1e-8: these converge slowly or not at all
        let by_stiffness = [Method::Penalty, Method::AugmentedLagrangian];
        for method in methods().filter(|method| !by_stiffness.contains(method)) {
            let (qdd, lambda, _) = case.solve(method).unwrap_or_else(|e| panic!("{e}"));
            // ε times the condition, 1e5, times a few
            let limit = 1e-10 * truth.amax();
            let worst = (0..12).map(|i| (qdd[i] - truth[i]).abs()).fold(0.0, f64::max);
            assert!(worst < limit, "{method} in round {round}: {worst:e}");
            assert!(case.force_defect(&qdd, &lambda) < 1e-9, "{method}");
        }
    }
}

/// Where rows depend on others, each method makes the choice that its documentation says.
#[test]
fn multipliers_of_dependent_rows_are_shortest_or_zero() {
    let mut rng = Rng::new(27);
    for _ in 0..10 {
        let shape = Shape { bodies: 4, width: 3, rows: 9, rank: 6, massless: 0, blocks: true };
        let mut case = random(&mut rng, shape);
        // rows of unit length, of which shortest is meant
        let (_, rows) = case.dense();
        for (row, _, index) in case.pattern.jacobian_entries() {
            case.jacobian[index] /= rows.row(row).norm();
        }
        (0..9).for_each(|i| case.gamma[i] /= rows.row(i).norm());
        let (_, shortest) = case.truth();
        for method in methods() {
            let (_, lambda, _) = case.solve(method).unwrap();
            let zeros = lambda.iter().filter(|x| **x == 0.0).count();
            match method {
                Method::ZeroEigenvalue
                | Method::Schur
                | Method::Svd
                | Method::Qtz
                | Method::UdwadiaPhohomsiri
                | Method::DeFalco2 => {
                    assert_near(&lambda, shortest.as_slice(), AGREE * shortest.amax());
                }
                Method::SparseKkt
                | Method::DenseKkt
                | Method::RangeSpace
                | Method::Qr
                | Method::Putd
                | Method::SimplePartitioning
                | Method::CoordinatePartitioning => assert_eq!(zeros, 3, "{method}: {lambda:?}"),
                _ => assert_eq!(zeros, 0, "{method}: {lambda:?}"),
            }
        }
    }
}

#[test]
fn a_formulation_serves_many_states() {
    let mut rng = Rng::new(25);
    let shape = Shape { bodies: 3, width: 3, rows: 6, rank: 5, massless: 0, blocks: false };
    let cases: Vec<Case> = (0..6).map(|_| random(&mut rng, shape)).collect();
    for method in methods() {
        let mut formulation = method.build(&cases[0].equations()).unwrap();
        assert_eq!(formulation.method(), method);
        for case in cases.iter().chain(&cases) {
            let (again, ..) = case.solve_with(&mut *formulation).unwrap();
            let (fresh, ..) = case.solve(method).unwrap();
            assert_near(&again, &fresh, 1e-9);
        }
    }
}

#[test]
fn solving_does_not_allocate() {
    let mut rng = Rng::new(26);
    for (bodies, rows, rank) in [(8, 24, 22), (20, 50, 48), (2, 0, 0)] {
        let shape = Shape { bodies, width: 3, rows, rank, massless: 0, blocks: true };
        let case = random(&mut rng, shape);
        let (mut qdd, mut lambda) = (vec![0.0; 3 * bodies], vec![0.0; rows]);
        for method in methods() {
            let mut formulation = method.build(&case.equations()).unwrap();
            // the first product of matrices on a thread makes room for its packing
            formulation.solve(&case.equations(), &mut qdd, &mut lambda).unwrap();
            let (outcome, allocations) =
                count_allocations(|| formulation.solve(&case.equations(), &mut qdd, &mut lambda));
            outcome.unwrap();
            assert_eq!(allocations, 0, "{method} with {bodies} bodies");
        }
    }
}

#[test]
fn methods_have_names_titles_and_needs() {
    for method in Method::ALL {
        assert_eq!(Method::from_name(method.name()), Some(method));
        assert!(!method.title().is_empty());
    }
    assert_eq!(Method::from_name("none"), None);
    assert_eq!(Method::Recursion.needs(), [Need::State]);
    assert_eq!(Method::DeFalco1.needs(), [Need::PositiveMass]);
    assert!(Method::DeFalco2.needs().is_empty());
}
