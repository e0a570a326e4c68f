//! A revolute link whose parent turns on the ground: of all that it passes on, the parent feels
//! what is about its axis.

use pommel_math::{Real, Twist, Vec3};

use super::turn::Reduced;
use crate::model::{Link, LinkShape};
use crate::screw::z_in;

/// A unit turn about the parent's axis, as a twist in the frame of the link.
#[inline(always)]
pub(crate) fn ground_axis<T: Real>(link: &Link<T>, shape: LinkShape, sin: T, cos: T) -> Twist<T> {
    let (x, c) = (&link.screw, &link.derived);
    let angular = Vec3::new(sin * x.sin_alpha, cos * x.sin_alpha, x.cos_alpha);
    // ẑ × (a, b, 0), past Rx(α)
    let mut linear = Vec3::new(sin * c.a_cos, cos * c.a_cos, c.minus_a_sin);
    if shape.has_offset {
        let offset = z_in(Vec3::new(-x.b, T::zero(), T::zero()), sin, cos);
        linear += offset;
    }
    linear.x = angular.y.mul_add(x.d, linear.x);
    linear.y = (-angular.x).mul_add(x.d, linear.y);
    Twist::new(angular, linear)
}

/// The inertia about that axis.
#[inline(always)]
pub(crate) fn inertia_about<T: Real>(m: &Reduced<T>, axis: Twist<T>) -> T {
    let Twist { angular: w, linear: u } = axis;
    let k = &m.k;
    let double = |x: T| x + x;
    let force = u.x.mul_add(
        k.xx.mul_add(u.x, double(k.xy.mul_add(u.y, k.xz * u.z))),
        u.y.mul_add(k.yy.mul_add(u.y, double(k.yz * u.z)), u.z * (k.zz * u.z)),
    );
    let x = m.ixx.mul_add(w.x, double(m.ixy.mul_add(w.y, m.hx.dot(u))));
    let y = m.iyy.mul_add(w.y, double(m.hy.dot(u)));
    w.x.mul_add(x, w.y.mul_add(y, force))
}
