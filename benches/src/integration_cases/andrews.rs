//! Andrews' squeezing mechanism as a partner writes it down: seven angles, six equations of its loops.
//!
//! Mechanism, numbers, initial state and end values are those of E. Hairer, G. Wanner, *Solving Ordinary Differential
//! Equations II*, section VII.7, and of the *Test Set for Initial Value Problem Solvers*. The equations of motion are
//! solved as one dense saddle-point system by LU with pivoting, as published comparisons do.

use nalgebra::{SMatrix, SVector};
pub use pommel_testkit::andrews::{END, START, angles, error};

// masses in kg, moments of inertia about mass centres in kg m²
const MASS: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
const INERTIA: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
// fixed points and lengths in m, stiffness in N/m, torque in N m, named as in the sources
const A: [f64; 2] = [-0.06934, -0.00227];
const B: [f64; 2] = [-0.03635, 0.03273];
const C: [f64; 2] = [0.014, 0.072];
const STIFFNESS: f64 = 4530.0;
const FREE_LENGTH: f64 = 0.07785;
const TORQUE: f64 = 0.033;
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const SS: f64 = 0.035;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;

/// `y' = f(y)` with `y = (q, v)`: the saddle-point system of 13 unknowns by LU with pivoting.
///
/// # Panics
/// If the matrix is singular, which it is not near the motion from [`START`].
pub fn rates(y: &[f64; 14]) -> [f64; 14] {
    let mut rates = [0.0; 14];
    rates[..7].copy_from_slice(&y[7..]);
    rates[7..].copy_from_slice(&accelerations(&y[..7], &y[7..]));
    rates
}

fn accelerations(q: &[f64], v: &[f64]) -> [f64; 7] {
    let sc: [(f64, f64); 7] = std::array::from_fn(|i| q[i].sin_cos());
    let ((sb, cb), (st, ct), (sg, cg)) = (sc[0], sc[1], sc[2]);
    let ((sp, cp), (sd, cd), (so, co), (se, ce)) = (sc[3], sc[4], sc[5], sc[6]);
    let (sbt, cbt) = (q[0] + q[1]).sin_cos();
    let (spd, cpd) = (q[3] + q[4]).sin_cos();
    let (soe, coe) = (q[5] + q[6]).sin_cos();

    let mut k = SMatrix::<f64, 13, 13>::zeros();
    let mut set = |i: usize, j: usize, x: f64| {
        k[(i, j)] = x;
        k[(j, i)] = x;
    };
    // inertia: K1 with K2, K3, K4 with K5, K6 with K7
    let (m2, m4, m6) = (MASS[1], MASS[3], MASS[5]);
    let own = m2 * DA * DA + INERTIA[1];
    set(0, 0, MASS[0] * RA * RA + m2 * RR * RR + INERTIA[0] + own - 2.0 * m2 * DA * RR * ct);
    set(0, 1, own - m2 * DA * RR * ct);
    set(1, 1, own);
    set(2, 2, MASS[2] * (SA * SA + SB * SB) + INERTIA[2]);
    let (e, x) = (E - EA, ZF - FA);
    let own = m4 * e * e + INERTIA[3];
    set(3, 3, own);
    set(3, 4, own + m4 * ZT * e * sp);
    let carried = m4 * ZT * ZT + MASS[4] * (TA * TA + TB * TB) + INERTIA[4];
    set(4, 4, own + carried + 2.0 * m4 * ZT * e * sp);
    let own = m6 * x * x + INERTIA[5];
    set(5, 5, own);
    set(5, 6, own - m6 * U * x * so);
    let carried = m6 * U * U + MASS[6] * (UA * UA + UB * UB) + INERTIA[6];
    set(6, 6, own + carried - 2.0 * m6 * U * x * so);

    // the three loops meet where K2 ends
    let tip = [[-RR * sb + D * sbt, D * sbt], [RR * cb - D * cbt, -D * cbt]];
    let ends: [[(usize, f64); 2]; 6] = [
        [(2, -SS * cg), (2, -SS * cg)],
        [(2, -SS * sg), (2, -SS * sg)],
        [(3, -E * cpd), (4, -E * cpd + ZT * sd)],
        [(3, -E * spd), (4, -E * spd - ZT * cd)],
        [(5, ZF * soe), (6, ZF * soe - U * ce)],
        [(5, -ZF * coe), (6, -ZF * coe - U * se)],
    ];
    for (row, end) in ends.into_iter().enumerate() {
        let [beta, theta] = tip[row % 2];
        set(7 + row, 0, beta);
        set(7 + row, 1, theta);
        for (column, x) in end {
            set(7 + row, column, x);
        }
    }

    let mut rhs = SVector::<f64, 13>::zeros();
    let (dx, dy) = (SD * cg + SC * sg + B[0] - C[0], SD * sg - SC * cg + B[1] - C[1]);
    let length = dx.hypot(dy);
    let pull = -STIFFNESS * (length - FREE_LENGTH) / length;
    rhs[0] = TORQUE - m2 * DA * RR * v[1] * (v[1] + 2.0 * v[0]) * st;
    rhs[1] = m2 * DA * RR * v[0] * v[0] * st;
    rhs[2] = pull * (dx * (SC * cg - SD * sg) + dy * (SD * cg + SC * sg));
    rhs[3] = m4 * ZT * e * v[4] * v[4] * cp;
    rhs[4] = -m4 * ZT * e * v[3] * (v[3] + 2.0 * v[4]) * cp;
    rhs[5] = -m6 * U * x * v[6] * v[6] * co;
    rhs[6] = m6 * U * x * v[5] * (v[5] + 2.0 * v[6]) * co;
    // what is left of the loops' accelerations where angles do not accelerate
    let square = |x: f64| x * x;
    let (b, bt, g) = (square(v[0]), square(v[0] + v[1]), square(v[2]));
    let (pd, d) = (square(v[3] + v[4]), square(v[4]));
    let (oe, ee) = (square(v[5] + v[6]), square(v[6]));
    let tip = [-RR * cb * b + D * cbt * bt, -RR * sb * b + D * sbt * bt];
    let ends = [
        [SS * sg * g, -SS * cg * g],
        [E * spd * pd + ZT * cd * d, -E * cpd * pd + ZT * sd * d],
        [ZF * coe * oe + U * se * ee, ZF * soe * oe - U * ce * ee],
    ];
    for (i, end) in ends.iter().enumerate() {
        for axis in 0..2 {
            rhs[7 + 2 * i + axis] = -(tip[axis] + end[axis]);
        }
    }
    let solution = k.lu().solve(&rhs).expect("a regular matrix");
    std::array::from_fn(|i| solution[i])
}

/// How far the loops are open, m.
pub fn loop_residual(q: &[f64; 7]) -> f64 {
    let tip =
        [RR * q[0].cos() - D * (q[0] + q[1]).cos(), RR * q[0].sin() - D * (q[0] + q[1]).sin()];
    let (pd, oe) = (q[3] + q[4], q[5] + q[6]);
    let rests = [
        tip[0] - SS * q[2].sin() - B[0],
        tip[1] + SS * q[2].cos() - B[1],
        tip[0] - E * pd.sin() - ZT * q[4].cos() - A[0],
        tip[1] + E * pd.cos() - ZT * q[4].sin() - A[1],
        tip[0] - ZF * oe.cos() - U * q[6].sin() - A[0],
        tip[1] - ZF * oe.sin() + U * q[6].cos() - A[1],
    ];
    rests.into_iter().fold(0.0, |most: f64, rest| most.max(rest.abs()))
}
