//! The dense factor of a symmetric matrix.

use nalgebra::DMatrix;
use pommel_kkt::dense::DenseLblt;
use pommel_math::{Dual, Lanes, Real};
use pommel_testkit::{Rng, count_allocations, relative_error};

/// The lower triangle column-major, what is above it never to be read.
fn lower(a: &DMatrix<f64>) -> Vec<f64> {
    let n = a.nrows();
    (0..n * n).map(|e| if e % n < e / n { f64::NAN } else { a[(e % n, e / n)] }).collect()
}

fn integer(rng: &mut Rng) -> f64 {
    rng.below(7) as f64 - 3.0
}

/// `B D Bᵀ` with integers: its inertia is that of `D` if the columns of `B` do not depend on each
/// other.
fn of_known_inertia(rng: &mut Rng, n: usize, rank: usize) -> (DMatrix<f64>, usize) {
    loop {
        let b = DMatrix::from_fn(n, rank, |_, _| integer(rng));
        let signs: Vec<f64> = (0..rank).map(|_| [1.0, -1.0, 2.0, -3.0][rng.below(4)]).collect();
        let positive = signs.iter().filter(|s| **s > 0.0).count();
        let d = DMatrix::from_fn(rank, rank, |i, j| if i == j { signs[i] } else { 0.0 });
        if rank == 0 || b.clone().singular_values().min() > 0.5 {
            return (&b * d * b.transpose(), positive);
        }
    }
}

#[test]
fn inertia_and_solution_of_singular_integer_matrices() {
    let mut rng = Rng::new(1);
    for _ in 0..2000 {
        let n = rng.below(13);
        let rank = if n == 0 { 0 } else { rng.below(n + 1) };
        let (a, positive) = of_known_inertia(&mut rng, n, rank);
        // units that round nothing
        let units: Vec<f64> = (0..n).map(|_| 2.0_f64.powi(rng.below(61) as i32 - 30)).collect();
        let scaled = rng.below(2) == 0;
        let unit = |i: usize| if scaled { units[i] } else { 1.0 };
        let a = DMatrix::from_fn(n, n, |i, j| a[(i, j)] * unit(i) * unit(j));
        let mut factor = DenseLblt::new(n);
        factor.factorize(&lower(&a));
        let inertia = factor.inertia(0);
        let expected = (positive, rank - positive, n - rank);
        assert_eq!((inertia.positive, inertia.negative, inertia.zero), expected, "{a}");
        assert_eq!(factor.dropped(0).len(), n - rank);
        // a right-hand side that has a solution
        let x: Vec<f64> = (0..n).map(|i| integer(&mut rng) / unit(i)).collect();
        let b = &a * nalgebra::DVector::from_vec(x);
        let mut solution = b.as_slice().to_vec();
        factor.solve(&mut solution);
        assert!(factor.dropped(0).iter().all(|i| solution[*i] == 0.0));
        let got = &a * nalgebra::DVector::from_vec(solution);
        let plain = |v: &nalgebra::DVector<f64>| -> Vec<f64> {
            v.iter().enumerate().map(|(i, v)| v / unit(i)).collect()
        };
        assert!(relative_error(&plain(&got), &plain(&b)) < 1e-11, "{a}");
    }
}

#[test]
fn a_matrix_without_a_diagonal_is_factored_by_pairs() {
    let mut factor = DenseLblt::new(4);
    let mut a = [0.0; 16];
    (a[1], a[11]) = (2.0, 1e-9);
    factor.factorize(&a);
    let inertia = factor.inertia(0);
    assert_eq!((inertia.positive, inertia.negative, inertia.zero), (2, 2, 0));
    let mut b = [2.0, 4.0, 3e-9, 1e-9];
    factor.solve(&mut b);
    assert!(relative_error(&b, &[2.0, 1.0, 1.0, 3.0]) < 1e-15, "{b:?}");
    assert_eq!(inertia.to_string(), "2+ 2− 0·0");
}

#[test]
fn empty_and_zero_matrices_are_fine() {
    let mut empty = DenseLblt::<f64>::new(0);
    empty.factorize(&[]);
    empty.solve(&mut []);
    assert_eq!(empty.inertia(0).rank(), 0);
    let mut zero = DenseLblt::new(3);
    zero.factorize(&[0.0; 9]);
    let mut b = [1.0, 2.0, 3.0];
    zero.solve(&mut b);
    assert_eq!((b, zero.inertia(0).zero), ([0.0; 3], 3));
}

/// Squares of these leave the range of numbers.
#[test]
fn very_large_and_very_small_matrices_are_no_different() {
    for exponent in [-900, -600, 600, 900] {
        let unit = 2.0_f64.powi(exponent);
        let mut factor = DenseLblt::new(2);
        factor.factorize(&[4.0 * unit, 2.0 * unit, 0.0, unit]);
        assert_eq!(factor.inertia(0).to_string(), "1+ 0− 1·0");
        factor.factorize(&[4.0 * unit, 2.0 * unit, 0.0, 3.0 * unit]);
        let mut b = [8.0 * unit, 8.0 * unit];
        factor.solve(&mut b);
        assert_eq!((factor.inertia(0).positive, b), (2, [1.0, 2.0]));
    }
}

#[test]
fn f32_finds_the_rank_of_integer_matrices() {
    let mut rng = Rng::new(2);
    for _ in 0..500 {
        let n = 1 + rng.below(8);
        let rank = rng.below(n + 1);
        let (a, positive) = of_known_inertia(&mut rng, n, rank);
        let values: Vec<f32> = lower(&a).iter().map(|x| *x as f32).collect();
        let mut factor = DenseLblt::new(n);
        factor.factorize(&values);
        let inertia = factor.inertia(0);
        assert_eq!((inertia.positive, inertia.negative), (positive, rank - positive), "{a}");
    }
}

#[test]
fn lanes_have_their_own_pivots_and_the_bits_of_f64() {
    let mut rng = Rng::new(3);
    for _ in 0..200 {
        let n = 1 + rng.below(8);
        let lanes = [(); 4].map(|()| {
            let rank = rng.below(n + 1);
            lower(&of_known_inertia(&mut rng, n, rank).0)
        });
        let sides = [(); 4].map(|()| rng.list(n, 1.0));
        let pack = |lists: &[Vec<f64>; 4]| -> Vec<Lanes<4>> {
            (0..lists[0].len()).map(|e| Lanes::from_lanes(|lane| lists[lane][e])).collect()
        };
        let (a, mut b) = (pack(&lanes), pack(&sides));
        let mut wide = DenseLblt::new(n);
        let ((), allocations) = count_allocations(|| {
            wide.factorize(&a);
            wide.solve(&mut b);
        });
        assert_eq!(allocations, 0);
        for lane in 0..4 {
            let (mut narrow, mut side) = (DenseLblt::new(n), sides[lane].clone());
            let ((), allocations) = count_allocations(|| {
                narrow.factorize(&lanes[lane]);
                narrow.solve(&mut side);
            });
            assert_eq!(allocations, 0);
            assert_eq!(wide.inertia(lane), narrow.inertia(0));
            assert_eq!(wide.dropped(lane), narrow.dropped(0));
            for (wide, narrow) in b.iter().zip(&side) {
                assert_eq!(wide.lane(lane).to_bits(), narrow.to_bits());
            }
        }
    }
}

/// `A x = b` gives `A x' = b' − A' x`.
#[test]
fn dual_numbers_carry_the_derivative() {
    let mut rng = Rng::new(4);
    for _ in 0..200 {
        let n = 1 + rng.below(8);
        let (a, _) = of_known_inertia(&mut rng, n, n);
        let rate = DMatrix::from_fn(n, n, |_, _| rng.symmetric(1.0));
        let rate = &rate + rate.transpose();
        let (b, b_rate) = (rng.list(n, 1.0), rng.list(n, 1.0));
        let entries: Vec<Dual<1>> =
            (0..n * n).map(|e| Dual::new(a[(e % n, e / n)], [rate[(e % n, e / n)]])).collect();
        let mut x: Vec<Dual<1>> = (0..n).map(|i| Dual::new(b[i], [b_rate[i]])).collect();
        let mut factor = DenseLblt::new(n);
        factor.factorize(&entries);
        factor.solve(&mut x);
        let inverse = a.clone().try_inverse().expect("a regular matrix");
        let value = nalgebra::DVector::from_iterator(n, x.iter().map(|x| x.value()));
        let right = nalgebra::DVector::from_vec(b_rate) - rate * value;
        let expected = &inverse * right;
        let found: Vec<f64> = x.iter().map(|x| x.gradient()[0]).collect();
        let condition = a.norm() * inverse.norm();
        let bound = 1e-14 * condition * condition;
        assert!(relative_error(&found, expected.as_slice()) < bound.max(1e-12), "{a}");
    }
}

#[test]
#[should_panic(expected = "a matrix of 2 rows has 4 entries, not 3")]
fn a_matrix_of_another_size_panics() {
    DenseLblt::new(2).factorize(&[1.0, 2.0, 3.0]);
}

#[test]
#[should_panic(expected = "there is no lane 1: the scalar has 1")]
fn a_lane_that_is_not_there_panics() {
    DenseLblt::<f64>::new(2).inertia(1);
}
