//! How small a pivot may be.

use pommel_math::Real;

use super::{Link, LinkKind, LinkShape};

/// A pivot is compared with the rounding of the inertia that a link can at most feel: that of all
/// bodies beyond it, stretched out. `spread` is `Σ m r²` of them about the link's origin.
pub(super) fn set_pivot_limits<T: Real>(shapes: &[LinkShape], links: &mut [Link<T>]) {
    let mut mass = vec![T::zero(); links.len()];
    let mut spread = vec![T::zero(); links.len()];
    for i in (0..links.len()).rev() {
        let own = links[i].inertia;
        let p = own.second_moment;
        mass[i] += own.mass.abs();
        spread[i] += p.xx.abs() + p.yy.abs() + p.zz.abs();
        let pitch = links[i].pitch;
        let bound = match shapes[i].kind {
            LinkKind::Prismatic => mass[i],
            LinkKind::Helical => (pitch * pitch).mul_add(mass[i], spread[i]),
            LinkKind::Revolute | LinkKind::Ball | LinkKind::Free => spread[i],
        };
        links[i].pivot_limit = bound * T::from_f64(T::EPSILON);
        if let Some(p) = shapes[i].parent {
            let x = links[i].screw;
            let step = x.a.abs() + x.b.abs() + x.d.abs() + x.s.abs();
            // Σ m (r + step)² ≤ (√Σ m r² + step √Σ m)²
            let root = step.mul_add(mass[i].sqrt(), spread[i].sqrt());
            let moved = mass[i];
            mass[p as usize] += moved;
            spread[p as usize] += root * root;
        }
    }
}
