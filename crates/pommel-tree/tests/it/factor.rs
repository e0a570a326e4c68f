//! The factor against dense matrices.

use nalgebra::{DMatrix, DVector};
use pommel_math::{Lanes, Real};
use pommel_testkit::{Rng, random_mechanism};
use pommel_tree::{Workspace, factorize};

use crate::common::{lift, model, random_state};

/// The matrix of a linear operation, by its columns.
fn matrix(n: usize, mut apply: impl FnMut(&[f64], &mut [f64])) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(n, n);
    for k in 0..n {
        let mut unit = vec![0.0; n];
        unit[k] = 1.0;
        let mut column = vec![0.0; n];
        apply(&unit, &mut column);
        m.set_column(k, &DVector::from_vec(column));
    }
    m
}

/// Rounding of a chain of up to 20 eliminations, relative to the largest entry.
const TOLERANCE: f64 = 1e-13;

#[test]
fn u_d_ut_is_the_dense_inertia_matrix() {
    let mut rng = Rng::new(71);
    for case in 0..300 {
        let robot = random_mechanism(&mut rng, 1 + case % 20, case % 2 == 0);
        let n = robot.sizes().1;
        let s = random_state(&mut rng, &robot);
        let dense = robot.terms(&s.q, &s.v, None).mass_matrix;
        let model = model(&robot);
        let mut ws = Workspace::new(&model);
        let mut factor = factorize(&model, &mut ws, &s.q).expect("regular");
        let u = matrix(n, |x, y| factor.multiply_u(x, y));
        let ut = matrix(n, |x, y| factor.multiply_ut(x, y));
        let d = matrix(n, |x, y| factor.multiply_d(x, y));
        let m = matrix(n, |x, y| factor.multiply(x, y));
        let scale = dense.amax();
        let close = |a: &DMatrix<f64>, b: &DMatrix<f64>, what: &str| {
            let error = (a - b).amax();
            assert!(error <= TOLERANCE * scale, "case {case} {what}: {error:.1e} of {scale:.1e}");
        };
        close(&(&u * &d * u.transpose()), &dense, "U D Uᵀ");
        close(&m, &dense, "M");
        assert!((&u - ut.transpose()).amax() <= TOLERANCE * u.amax(), "case {case}: Uᵀ");
        assert!((0..n).all(|i| u[(i, i)] == 1.0), "case {case}: U is unit");
        // inverses
        let x = DVector::from_row_slice(&s.tau);
        let mut there = [vec![0.0; n], vec![0.0; n]];
        factor.multiply_u(x.as_slice(), &mut there[0]);
        factor.multiply_ut(x.as_slice(), &mut there[1]);
        let mut back = [vec![0.0; n], vec![0.0; n]];
        factor.solve_u(&there[0], &mut back[0]);
        factor.solve_ut(&there[1], &mut back[1]);
        for back in back {
            let error = (DVector::from_vec(back) - &x).amax() / x.amax();
            // a triangular solve of length n
            assert!(error < 1e-11, "case {case}: {error:.1e}");
        }
        // the residual of a solution, relative to |M| |x|
        let mut solution = vec![0.0; n];
        factor.solve(x.as_slice(), &mut solution);
        let solution = DVector::from_vec(solution);
        let residual = (&dense * &solution - &x).amax();
        let size = (dense.abs() * solution.abs()).amax();
        assert!(residual <= TOLERANCE * size, "case {case}: residual {residual:.1e}");
        // the determinant
        let cholesky = dense.clone().cholesky().expect("positive definite");
        let truth: f64 = cholesky.l().diagonal().iter().map(|l| 2.0 * l.ln()).sum();
        let found = factor.log_determinant();
        assert!(
            (found - truth).abs() < 1e-10 * (1.0 + truth.abs()),
            "case {case}: {found} {truth}"
        );
        let mut pivots = vec![0.0; n];
        factor.pivots(&mut pivots);
        assert!(pivots.iter().all(|&m| m > 0.0), "case {case}");
    }
}

/// A pivot is the Schur complement that is left when all velocities beyond the joint are free and
/// all others held: the inverse of the diagonal entry of the inverse of that part.
#[test]
fn pivots_are_schur_complements() {
    let mut rng = Rng::new(72);
    let robot = crate::common::dh_chain(7, false, 3);
    let s = random_state(&mut rng, &robot);
    let dense = robot.terms(&s.q, &s.v, None).mass_matrix;
    let model = model(&robot);
    let mut ws = Workspace::new(&model);
    let mut pivots = vec![0.0; 7];
    factorize(&model, &mut ws, &s.q).expect("regular").pivots(&mut pivots);
    for i in 0..7 {
        let part = dense.view((i, i), (7 - i, 7 - i)).clone_owned();
        let truth = 1.0 / part.try_inverse().expect("regular")[(0, 0)];
        assert!((pivots[i] - truth).abs() < 1e-12 * truth, "{i}: {} {truth}", pivots[i]);
    }
}

/// Many right-hand sides have the bits of one, in any number.
#[test]
fn many_right_hand_sides_have_the_bits_of_one() {
    let mut rng = Rng::new(73);
    let robot = random_mechanism(&mut rng, 12, true);
    let n = robot.sizes().1;
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let mut ws = Workspace::new(&model);
    let mut factor = factorize(&model, &mut ws, &s.q).expect("regular");
    for count in [0, 1, 7, 8, 9, 20] {
        let b = rng.list(count * n, 10.0);
        let mut many = vec![0.0; count * n];
        factor.solve_many(&b, &mut many);
        for (b, many) in b.chunks(n).zip(many.chunks(n)) {
            let mut one = vec![0.0; n];
            factor.solve(b, &mut one);
            assert_eq!(one, many);
        }
    }
}

#[test]
fn lanes_have_the_bits_of_single_factors() {
    let mut rng = Rng::new(74);
    let robot = random_mechanism(&mut rng, 9, false);
    let n = robot.sizes().1;
    let model = model(&robot);
    let states: Vec<_> = (0..4).map(|_| random_state(&mut rng, &robot)).collect();
    let wide = model.cast::<Lanes<4>>();
    let pack = |pick: fn(&crate::common::State) -> &Vec<f64>| -> Vec<Lanes<4>> {
        (0..pick(&states[0]).len()).map(|k| Lanes::from_lanes(|i| pick(&states[i])[k])).collect()
    };
    let (q, b) = (pack(|s| &s.q), pack(|s| &s.tau));
    let mut ws = Workspace::new(&wide);
    let mut x = lift::<Lanes<4>>(&vec![0.0; 2 * n]);
    let twice = [b.clone(), b].concat();
    factorize(&wide, &mut ws, &q).expect("regular").solve_many(&twice, &mut x);
    for (i, s) in states.iter().enumerate() {
        let mut ws = Workspace::new(&model);
        let mut one = vec![0.0; n];
        factorize(&model, &mut ws, &s.q).expect("regular").solve(&s.tau, &mut one);
        for part in x.chunks(n) {
            let lane: Vec<f64> = part.iter().map(|x| x.lane(i)).collect();
            assert_eq!(lane, one, "lane {i}");
        }
    }
}
