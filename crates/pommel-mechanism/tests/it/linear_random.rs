//! Random matrices, against nalgebra.

use nalgebra::{DMatrix, DVector};
use pommel_mechanism::linear::{Crout, GaussJordan, Gaussian, Pivoting};
use pommel_testkit::{Rng, count_allocations};

use crate::support::assert_near;

const TOLERANCE: f64 = 1e-12;

/// Random and of the given rank, row by row.
fn of_rank(rng: &mut Rng, rows: usize, columns: usize, rank: usize) -> DMatrix<f64> {
    let left = DMatrix::from_fn(rows, rank, |_, _| rng.symmetric(1.0));
    let right = DMatrix::from_fn(rank, columns, |_, _| rng.symmetric(1.0));
    left * right
}

fn by_rows(a: &DMatrix<f64>) -> Vec<f64> {
    a.transpose().as_slice().to_vec()
}

#[test]
fn solutions_agree_with_nalgebra() {
    let mut rng = Rng::new(1);
    for case in 0..100 {
        let n = 1 + case % 12;
        let a = DMatrix::from_fn(n, n, |i, j| rng.symmetric(1.0) + if i == j { 2.0 } else { 0.0 });
        let b = DVector::from_fn(n, |_, _| rng.symmetric(1.0));
        let expected = a.clone().full_piv_lu().solve(&b).expect("regular");
        let condition = a.singular_values().max() / a.singular_values().min();
        // growth of pivots is below 10 at this size
        let limit = 100.0 * f64::EPSILON * n as f64 * condition * expected.amax();
        for pivoting in [Pivoting::Row, Pivoting::Column, Pivoting::Full] {
            let mut crout = Crout::new(n);
            crout.factorize(&by_rows(&a), pivoting, TOLERANCE).unwrap();
            let mut x = b.as_slice().to_vec();
            crout.solve(&mut x);
            assert_near(&x, expected.as_slice(), limit);
            let mut gaussian = Gaussian::new(n, n, 1);
            gaussian.eliminate(&by_rows(&a), b.as_slice(), pivoting, TOLERANCE).unwrap();
            gaussian.back_substitute(0, &mut x);
            assert_near(&x, expected.as_slice(), limit);
        }
    }
}

#[test]
fn partitions_of_rectangular_matrices_reproduce_the_solution() {
    let mut rng = Rng::new(2);
    for case in 0..200 {
        let (m, n) = (1 + case % 9, 1 + case % 11);
        let rank = case % (m.min(n) + 1);
        let a = of_rank(&mut rng, m, n, rank);
        let x = DVector::from_fn(n, |_, _| rng.symmetric(1.0));
        let b = &a * &x;
        let mut gaussian = Gaussian::new(m, n, 1);
        let found = gaussian.eliminate(&by_rows(&a), b.as_slice(), Pivoting::Full, TOLERANCE);
        assert_eq!(found, Ok(rank));
        gaussian.check_consistent(0, 1e-12).unwrap();
        // dependent unknowns follow from independent ones
        let mut again: Vec<f64> = vec![f64::NAN; n];
        gaussian.independent().iter().for_each(|&j| again[j] = x[j]);
        gaussian.back_substitute(0, &mut again);
        assert_near(&again, x.as_slice(), 1e-9);
        // Φ_u and its transpose
        let (rows, u) = (gaussian.independent_rows(), gaussian.dependent());
        let square = DMatrix::from_fn(rank, rank, |i, j| a[(rows[i], u[j])]);
        let y = DVector::from_fn(rank, |_, _| rng.symmetric(1.0));
        let mut found = (&square * &y).as_slice().to_vec();
        gaussian.solve_dependent(&mut found);
        assert_near(&found, y.as_slice(), 1e-9);
        let mut found = (square.transpose() * &y).as_slice().to_vec();
        gaussian.solve_dependent_transposed(&mut found);
        assert_near(&found, y.as_slice(), 1e-9);
        // the reduced echelon form has the same rank, and the same rows in its span
        let mut reduced = GaussJordan::new(m, n);
        let columns: Vec<usize> = (0..n).collect();
        assert_eq!(reduced.reduce(&by_rows(&a), &columns, Pivoting::Row, 1e-10), Ok(rank));
        for i in 0..m {
            let row: f64 = reduced.row(i).iter().zip(&x).map(|(a, x)| a * x).sum();
            let pivots = reduced.pivots();
            if i >= rank {
                assert!(reduced.row(i).iter().all(|x| x.abs() < 1e-9));
                continue;
            }
            // in terms of rows of the matrix: R = A[:, pivots]⁺ A
            let basis = DMatrix::from_fn(m, rank, |i, k| a[(i, pivots[k])]);
            let weights = basis.svd(true, true).solve(&b, 1e-10).unwrap();
            assert!((row - weights[i]).abs() < 1e-7);
        }
    }
}

#[test]
fn nothing_allocates() {
    let mut rng = Rng::new(3);
    let a = by_rows(&of_rank(&mut rng, 8, 8, 8));
    let (mut gaussian, mut crout) = (Gaussian::new(8, 8, 1), Crout::new(8));
    let mut reduced = GaussJordan::new(8, 8);
    let (columns, mut b) = ([0, 1, 2, 3, 4, 5, 6, 7], [1.0; 8]);
    let ((), allocations) = count_allocations(|| {
        gaussian.eliminate(&a, &b, Pivoting::Full, TOLERANCE).unwrap();
        gaussian.back_substitute(0, &mut b);
        crout.factorize(&a, Pivoting::Full, TOLERANCE).unwrap();
        crout.solve(&mut b);
        reduced.reduce(&a, &columns, Pivoting::Row, TOLERANCE).unwrap();
    });
    assert_eq!(allocations, 0);
}
