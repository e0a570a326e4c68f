//! The six equations of a free body.

use pommel_math::{ArticulatedInertia, Mat3, Real, Twist, Vec3, Wrench};

use super::eliminate::PivotCheck;

/// Solves `M̂ x = Q − z` by `L D Lᵀ`, writes the accelerations in world axes, and returns `x`, the
/// rate of the twist relative to free fall, in body axes.
#[inline(always)]
pub(super) fn solve<T: Real>(
    m: ArticulatedInertia<T>,
    z: Wrench<T>,
    tau: &[T],
    gravity: Vec3<T>,
    rotation: Mat3<T>,
    limit: T,
    link: usize,
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Twist<T> {
    let moment = rotation.transpose_mul(Vec3::from_slice(tau)) - z.moment;
    let force = rotation.transpose_mul(Vec3::from_slice(&tau[3..])) - z.force;
    let mut a = m.to_rows();
    let mut x = [moment.x, moment.y, moment.z, force.x, force.y, force.z];
    let epsilon = T::from_f64(T::EPSILON);
    let mass_limit = (m.mass.xx + m.mass.yy + m.mass.zz) * epsilon;

    for k in 0..6 {
        check.require(a[k][k], if k < 3 { limit } else { mass_limit }, link, k);
        let inverse = a[k][k].recip();
        for i in k + 1..6 {
            let l = a[k][i] * inverse;
            for j in i..6 {
                a[i][j] = (-l).mul_add(a[k][j], a[i][j]);
            }
            x[i] = (-l).mul_add(x[k], x[i]);
            a[i][k] = l;
        }
        a[k][k] = inverse;
    }
    for k in (0..6).rev() {
        x[k] *= a[k][k];
        for i in k + 1..6 {
            x[k] = (-a[i][k]).mul_add(x[i], x[k]);
        }
    }
    let rate = Twist::new(Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]));
    (rotation * rate.angular).write_to(qdd);
    (rotation * rate.linear + gravity).write_to(&mut qdd[3..]);
    rate
}
