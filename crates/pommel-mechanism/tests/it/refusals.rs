//! What methods say where they cannot help.

use nalgebra::DMatrix;
use pommel_mechanism::formulation::{
    AUGMENTED_STEPS, Formulation, FormulationError, Method, Need, SparseKkt,
};
use pommel_testkit::Rng;

use crate::support::{Case, Shape, assert_near, methods, random};

const SHAPE: Shape = Shape { bodies: 3, width: 3, rows: 5, rank: 4, massless: 0, blocks: true };

#[test]
fn masses_that_must_be_positive_and_are_not() {
    let case = random(&mut Rng::new(51), Shape { massless: 2, ..SHAPE });
    for method in methods().filter(|method| method.needs().contains(&Need::PositiveMass)) {
        let expected = FormulationError::MassNotPositive { method, body: 0 };
        assert_eq!(case.solve(method).unwrap_err(), expected);
        assert!(expected.to_string().contains("body 0"));
    }
}

/// Two motions of five meet no inertia.
#[test]
fn motions_without_inertia() {
    let mut mass = DMatrix::identity(9, 9);
    mass[(7, 7)] = 0.0;
    mass[(8, 8)] = 0.0;
    let mut rows = DMatrix::zeros(4, 9);
    let mut rng = Rng::new(52);
    (0..4).for_each(|i| (0..7).for_each(|j| rows[(i, j)] = rng.symmetric(1.0)));
    let case = Case::new(&[3; 3], &mass, &rows, &[1.0; 9], &[1.0; 4]);
    for method in methods().filter(|method| method.needs().is_empty()) {
        let found = case.solve(method).unwrap_err();
        let expected = FormulationError::MotionWithoutInertia { method, dimension: 5, positive: 3 };
        assert_eq!(found, expected, "{method}");
    }
    // masses that are negative on what the rows leave free: two methods do not look
    let blind = [Method::SimplePartitioning, Method::UdwadiaPhohomsiri];
    let mut mass = DMatrix::identity(9, 9);
    mass[(8, 8)] = -1.0;
    let case = Case::new(&[3; 3], &mass, &rows, &[1.0; 9], &[1.0; 4]);
    for method in methods().filter(|method| !blind.contains(method)) {
        let found = case.solve(method);
        let refused = matches!(
            found,
            Err(FormulationError::MotionWithoutInertia { dimension: 5, positive: 4, .. }
                | FormulationError::MassNotPositive { body: 2, .. })
        );
        assert!(refused, "{method}: {found:?}");
    }
}

#[test]
fn numbers_that_are_not_finite() {
    let case = random(&mut Rng::new(53), SHAPE);
    for method in methods() {
        for (array, index) in [("mass", 7), ("jacobian", 11), ("force", 3), ("gamma", 4)] {
            for value in [f64::NAN, f64::INFINITY] {
                let mut broken = case.clone();
                let numbers = match array {
                    "mass" => &mut broken.mass,
                    "jacobian" => &mut broken.jacobian,
                    "force" => &mut broken.force,
                    _ => &mut broken.gamma,
                };
                numbers[index] = value;
                let mut formulation = method.build(&case.equations()).unwrap();
                let found = broken.solve_with(&mut *formulation).unwrap_err();
                assert_eq!(found, FormulationError::NotFinite { array, index }, "{method}");
            }
        }
    }
}

#[test]
fn methods_in_other_coordinates_need_a_model() {
    let case = random(&mut Rng::new(54), SHAPE);
    for method in [Method::Recursion, Method::VelocityTransformation] {
        let found = method.build(&case.equations()).err();
        assert_eq!(found, Some(FormulationError::NeedsModel { method }));
    }
}

#[test]
fn a_row_of_zeros_that_asks_for_something_contradicts() {
    let mut case = random(&mut Rng::new(55), SHAPE);
    for (row, _, index) in case.pattern.jacobian_entries() {
        if row == 2 {
            case.jacobian[index] = 0.0;
        }
    }
    case.gamma = vec![0.0; 5];
    case.gamma[2] = 3.0;
    for method in methods() {
        let expected = FormulationError::Inconsistent { method, row: 2, defect: 3.0 };
        assert_eq!(case.solve(method).unwrap_err(), expected);
    }
}

/// Numbers of all magnitudes: an answer is finite, or there is none.
#[test]
fn numbers_of_all_magnitudes_make_no_method_panic() {
    let mut rng = Rng::new(58);
    for round in 0..60 {
        let reach = [5.0, 50.0, 150.0, 300.0][round % 4];
        let mut case = random(&mut rng, Shape { massless: round % 2, ..SHAPE });
        for list in [&mut case.mass, &mut case.jacobian, &mut case.force, &mut case.gamma] {
            list.iter_mut().for_each(|x| *x *= 10f64.powf(rng.symmetric(reach)));
        }
        for method in methods() {
            let Ok(mut formulation) = method.build(&case.equations()) else { continue };
            if let Ok((qdd, lambda, _)) = case.solve_with(&mut *formulation) {
                assert!(qdd.iter().chain(&lambda).all(|x| x.is_finite()), "{method}");
            }
        }
    }
}

#[test]
fn a_solution_that_overflows() {
    let rows = DMatrix::from_row_slice(1, 2, &[1.0, 1.0]);
    let mass = DMatrix::identity(2, 2) * 1e-10;
    let case = Case::new(&[1, 1], &mass, &rows, &[1e305, 0.0], &[0.0]);
    for method in methods() {
        let found = case.solve(method).unwrap_err();
        let said = matches!(
            found,
            FormulationError::NotFinite { .. }
                | FormulationError::Kkt(_)
                | FormulationError::NotConverged { .. }
        );
        assert!(said, "{method}: {found}");
    }
}

#[test]
#[should_panic(expected = "a pattern of (6, 5) unknowns and rows, not (9, 5)")]
fn another_pattern_panics() {
    let mut rng = Rng::new(59);
    let case = random(&mut rng, SHAPE);
    let other = random(&mut rng, Shape { bodies: 2, ..SHAPE });
    let _ = other.solve_with(&mut *Method::Qr.build(&case.equations()).unwrap());
}

#[test]
#[should_panic(expected = "gamma has 4 entries, not 5")]
fn a_wrong_length_panics() {
    let mut case = random(&mut Rng::new(56), SHAPE);
    case.gamma.pop();
    let _ = case.solve(Method::Qr);
}

/// An order of elimination that supposes masses is chosen again where they are missing.
#[test]
fn the_sparse_solver_mends_its_order_of_elimination() {
    let (mut rng, mut mended) = (Rng::new(57), false);
    for _ in 0..20 {
        let case = random(&mut rng, Shape { massless: 2, ..SHAPE });
        let mut sparse = SparseKkt::new(&case.pattern).unwrap();
        let (first, ..) = case.solve_with(&mut sparse).unwrap();
        let analyses = sparse.analyses();
        mended |= analyses == 2;
        assert!(analyses <= 2);
        let (second, ..) = case.solve_with(&mut sparse).unwrap();
        assert_eq!((sparse.analyses(), sparse.method()), (analyses, Method::SparseKkt));
        let (truth, _) = case.truth();
        assert_near(&first, truth.as_slice(), 1e-9 * truth.amax());
        assert_near(&second, truth.as_slice(), 1e-9 * truth.amax());
    }
    assert!(mended);
}

/// Rows that are independent by 1e-5: stiffness of 1e9 meets the square of that.
#[test]
fn an_iteration_that_does_not_converge() {
    let rows = DMatrix::from_row_slice(2, 3, &[1.0, 0.0, 0.0, 1.0, 1e-5, 0.0]);
    let mass = DMatrix::identity(3, 3);
    let case = Case::new(&[3], &mass, &rows, &[1.0; 3], &[0.0, 1e-5]);
    let (qdd, ..) = case.solve(Method::Qr).unwrap();
    assert_near(&qdd, &[0.0, 1.0, 1.0], 1e-9);
    let mut other = case.clone();
    other.force = vec![1.0, 5.0, 1.0];
    let found = other.solve(Method::AugmentedLagrangian).unwrap_err();
    let FormulationError::NotConverged { method, iterations, defect } = found else {
        panic!("{found}");
    };
    assert_eq!((method, iterations), (Method::AugmentedLagrangian, AUGMENTED_STEPS));
    assert!(defect > 0.0);
}
