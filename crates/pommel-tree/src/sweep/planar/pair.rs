//! Two links, one on the other: the double pendulum, without memory between the sweeps.
//!
//! In the axes of the first link its arm `r` to the second is constant, and the angle of the second
//! is that of its own joint. With the first moment `h` of the second turned into these axes,
//! `C = r·h` and `S = r × h`, gravity `g` likewise, the equations of the module are
//!
//! ```text
//! t = τ₁ − ω₀² S + h × g                  λ = C / J₁
//! (J₀ − C λ) α₀ = τ₀ − τ₁ + ω₁² S + h₀ × g − λ t
//! α₁ = t / J₁ − λ α₀
//! ```
//!
//! (written for axes of one sense).

use pommel_math::{Mask, Real, Vec3};

use super::{put, turned};
use crate::model::{Planar, RootPlacement};
use crate::sweep::eliminate::PivotCheck;

/// Accelerations of two links; `planar.is_pair` holds. Returns the lanes in which they are finite.
#[inline(always)]
pub(crate) fn solve_pair<T: Real>(
    planar: &Planar<T>,
    roots: &[RootPlacement<T>],
    (q, v, tau): (&[T], &[T], &[T]),
    check: &mut PivotCheck,
    qdd: &mut [T],
) -> Mask {
    let [first, second] = &planar.links[..] else { return Mask::NONE };
    let sense = second.sense;
    // the root has the sense of the plane
    let angle = q[first.q as usize] + first.angle;
    let relative = sense.mul_add(q[second.q as usize], second.angle);
    let (sin, cos) = angle.sin_cos();
    let (sine, cosine) = relative.sin_cos();
    let omega = v[first.v as usize];
    let omega_1 = sense.mul_add(v[second.v as usize], omega);
    let (tau_0, tau_1) = (tau[first.v as usize], sense * tau[second.v as usize]);

    let (r, h) = (second.arm, second.moment);
    let along = r[0].mul_add(h[0], r[1] * h[1]);
    let across = r[0].mul_add(h[1], -(r[1] * h[0]));
    // C = r·h and S = r × h, h turned
    let c = cosine.mul_add(along, -(sine * across));
    let s = sine.mul_add(along, cosine * across);

    let inverse_1 = second.inertia.recip();
    if !second.heavy {
        check.require(second.inertia, second.limit, 1, 0);
    }
    let lever = c * inverse_1;
    let pivot = (-c).mul_add(lever, first.inertia);
    check.require(pivot, first.limit, 0, 0);
    let inverse = pivot.recip();

    let Vec3 { x, y, .. } = roots[first.root as usize].gravity;
    let g = turned([x, y], -sin, cos);
    let (h, h_0) = (turned(h, sine, cosine), first.moment);
    let spun = (-(omega * omega)).mul_add(s, tau_1);
    let t = h[0].mul_add(g[1], (-h[1]).mul_add(g[0], spun));
    let spun = (omega_1 * omega_1).mul_add(s, tau_0 - tau_1);
    let first_alone = h_0[0].mul_add(g[1], (-h_0[1]).mul_add(g[0], spun));
    let alpha = (-lever).mul_add(t, first_alone) * inverse;
    let free = sense * (t * inverse_1);
    let rate = (-(sense * (lever + T::one()))).mul_add(alpha, free);
    let finite = put(planar, qdd, first.v, alpha, T::zero());
    put(planar, qdd, second.v, rate, finite).is_finite()
}
