//! The six equations of a free body.

use pommel_math::{ArticulatedInertia, Mat3, Real, Sym3, Twist, Vec3, Wrench};

use super::eliminate::PivotCheck;
use crate::workspace::RootColumn;

/// `L D Lᵀ` of `M̂`, in body axes.
#[inline(always)]
pub(crate) fn factorize<T: Real>(
    mut m: ArticulatedInertia<T>,
    armature: Option<&[T]>,
    limit: T,
    link: usize,
    column: &mut RootColumn<T>,
    check: &mut PivotCheck,
) {
    if let Some(a) = armature {
        let into_body = column.rotation.transpose();
        let diagonal = |k: usize| Sym3 { xx: a[k], yy: a[k + 1], zz: a[k + 2], ..Sym3::zero() };
        m.inertia += diagonal(0).rotated(into_body);
        m.mass += diagonal(3).rotated(into_body);
    }
    let mut a = m.to_rows();
    let epsilon = T::from_f64(T::EPSILON);
    let mass_limit = (m.mass.xx + m.mass.yy + m.mass.zz) * epsilon;
    for k in 0..6 {
        check.require(a[k][k], if k < 3 { limit } else { mass_limit }, link, k);
        eliminate(&mut a, k);
    }
    column.factors = a;
}

/// Step `k` of `L D Lᵀ` of a symmetric matrix, of which what stands on and above the diagonal is
/// read: leaves column `k` of `L` below the diagonal and the inverse pivot on it.
#[inline(always)]
pub(crate) fn eliminate<T: Real>(a: &mut [[T; 6]; 6], k: usize) {
    let inverse = a[k][k].recip();
    for i in k + 1..6 {
        let l = a[k][i] * inverse;
        for j in i..6 {
            a[i][j] = (-l).mul_add(a[k][j], a[i][j]);
        }
        a[i][k] = l;
    }
    a[k][k] = inverse;
}

/// `(L D Lᵀ)⁻¹ x`.
#[inline(always)]
pub(crate) fn solve_factors<T: Real>(column: &RootColumn<T>, x: &mut [T; 6]) {
    solve_rows(&column.factors, x);
}

/// `(L D Lᵀ)⁻¹ x` with the factors as [`eliminate`] leaves them.
#[inline(always)]
pub(crate) fn solve_rows<T: Real>(a: &[[T; 6]; 6], x: &mut [T; 6]) {
    for k in 0..6 {
        for i in k + 1..6 {
            x[i] = (-a[i][k]).mul_add(x[k], x[i]);
        }
    }
    for k in (0..6).rev() {
        x[k] *= a[k][k];
        for i in k + 1..6 {
            x[k] = (-a[i][k]).mul_add(x[i], x[k]);
        }
    }
}

/// Sums of the inverse pivots of the moments and of the forces.
#[inline(always)]
pub(crate) fn inverses<T: Real>(column: &RootColumn<T>) -> [T; 2] {
    let a = &column.factors;
    [a[0][0] + a[1][1] + a[2][2], a[3][3] + a[4][4] + a[5][5]]
}

/// `L D Lᵀ x`.
#[inline(always)]
pub(crate) fn multiply_factors<T: Real>(column: &RootColumn<T>, x: &mut [T; 6]) {
    let a = &column.factors;
    for k in 0..6 {
        for i in k + 1..6 {
            x[k] = a[i][k].mul_add(x[i], x[k]);
        }
        x[k] = x[k] / a[k][k];
    }
    for k in (0..6).rev() {
        for i in 0..k {
            x[k] = a[k][i].mul_add(x[i], x[k]);
        }
    }
}

/// The reference motion of a free body.
#[derive(Clone, Copy)]
pub(crate) struct Fall<'a, T> {
    pub(crate) gravity: Vec3<T>,
    pub(crate) armature: Option<&'a [T]>,
}

/// Solves `M̂ x = Q − z`, writes the accelerations in world axes, and returns `x`, the rate of the
/// twist relative to free fall, in body axes.
#[inline(always)]
pub(crate) fn solve<T: Real>(
    column: &RootColumn<T>,
    z: Wrench<T>,
    tau: &[T],
    fall: Fall<'_, T>,
    qdd: &mut [T],
) -> Twist<T> {
    let rotation: Mat3<T> = column.rotation;
    let mut applied = Vec3::from_slice(&tau[3..]);
    let g = fall.gravity;
    if let Some(a) = fall.armature {
        applied -= Vec3::new(a[3] * g.x, a[4] * g.y, a[5] * g.z);
    }
    let moment = rotation.transpose_mul(Vec3::from_slice(tau)) - z.moment;
    let force = rotation.transpose_mul(applied) - z.force;
    let mut x = [moment.x, moment.y, moment.z, force.x, force.y, force.z];
    solve_factors(column, &mut x);
    let rate = Twist::new(Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]));
    (rotation * rate.angular).write_to(qdd);
    (rotation * rate.linear + g).write_to(&mut qdd[3..]);
    rate
}
