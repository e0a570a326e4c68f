//! The closed forms are pseudoinverses.

use nalgebra::DMatrix;
use pommel_mechanism::formulation::{
    FormulationError, Method, saddle_pseudoinverse_by_mass, saddle_pseudoinverse_by_projection,
};
use pommel_testkit::Rng;

use crate::support::{Case, Shape, random};

/// The four conditions of Penrose, each relative to the sizes of its factors.
fn assert_penrose(case: &Case, inverse: &[f64]) {
    let a = case.saddle();
    let size = a.nrows();
    let x = DMatrix::from_column_slice(size, size, inverse);
    let (na, nx) = (a.norm(), x.norm());
    let tolerance = 1e-13 * (na * nx).powi(2);
    assert!((&a * &x * &a - &a).norm() < tolerance * na);
    assert!((&x * &a * &x - &x).norm() < tolerance * nx);
    for product in [&a * &x, &x * &a] {
        assert!((&product - product.transpose()).norm() < tolerance);
    }
    let direct = a.clone().pseudo_inverse(1e-9 * na).unwrap();
    assert!((x - &direct).norm() < tolerance * direct.norm());
}

#[test]
fn both_fulfil_the_conditions_of_penrose_with_dependent_rows_too() {
    let mut rng = Rng::new(41);
    for round in 0..20 {
        let (bodies, width) = (2 + round % 3, 3);
        let rank = 1 + rng.below(bodies * width - 1);
        let shape = Shape {
            bodies,
            width,
            rows: rank + round % 4,
            rank,
            massless: 0,
            blocks: round % 2 == 0,
        };
        let case = random(&mut rng, shape);
        assert_penrose(&case, &saddle_pseudoinverse_by_mass(&case.equations()).unwrap());
        assert_penrose(&case, &saddle_pseudoinverse_by_projection(&case.equations()).unwrap());
    }
}

#[test]
fn the_one_by_projection_takes_singular_masses() {
    let mut rng = Rng::new(42);
    let shape = Shape { bodies: 3, width: 3, rows: 7, rank: 5, massless: 2, blocks: true };
    let case = random(&mut rng, shape);
    assert_penrose(&case, &saddle_pseudoinverse_by_projection(&case.equations()).unwrap());
    assert_eq!(
        saddle_pseudoinverse_by_mass(&case.equations()),
        Err(FormulationError::MassNotPositive { method: Method::DeFalco1, body: 0 }),
    );
    // motions without inertia, too: it need not be unique to be shortest
    let free = random(&mut rng, Shape { bodies: 2, width: 2, rows: 1, rank: 1, ..shape });
    assert_penrose(&free, &saddle_pseudoinverse_by_projection(&free.equations()).unwrap());
}
