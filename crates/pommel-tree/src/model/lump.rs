//! Base inertial parameters: each link hands what moves like its parent to the parent.
//!
//! Points on the axis of a revolute joint move with the parent. So the mass, the first moment along
//! z and the second moment ∫z² of a link can be counted with the parent, and accelerations do not
//! change; five numbers per link remain besides the two first moments. For a prismatic joint, the
//! rotation is the parent's, so all second moments move, and mass and first moment stay. A balanced
//! wheel hands over all but its inertia about its axis.
//! (`[KD02, ch. 9]`; the pivots `m̂` are those of the original.)

use pommel_math::{Real, Sym3, Vec3};

use super::link::LumpedInertia;
use super::{Link, LinkKind, LinkShape, Role};
use crate::screw;

/// Regroups the inertias of all links in place.
pub(super) fn lump<T: Real>(shapes: &[LinkShape], links: &mut [Link<T>]) {
    for i in (0..links.len()).rev() {
        let part = match (shapes[i].role, shapes[i].kind) {
            (Role::Wheel, _) => take_all_but_spin(&mut links[i].inertia),
            (_, LinkKind::Revolute) => take_axis(&mut links[i].inertia),
            (_, LinkKind::Prismatic) => take_second_moment(&mut links[i].inertia),
            (_, LinkKind::Helical | LinkKind::Ball | LinkKind::Free) => continue,
        };
        // what reaches the ground is felt by no joint
        let Some(parent) = shapes[i].parent else { continue };
        let seen = to_parent(shapes[i], &links[i], part);
        let sum = &mut links[parent as usize].inertia;
        sum.mass += seen.mass;
        sum.first_moment += seen.first_moment;
        sum.second_moment += seen.second_moment;
    }
}

/// Mass spread along the joint axis: the same in the frame before the joint's rotation.
fn take_axis<T: Real>(inertia: &mut LumpedInertia<T>) -> LumpedInertia<T> {
    let zero = T::zero();
    let part = LumpedInertia {
        mass: inertia.mass,
        first_moment: Vec3::new(zero, zero, inertia.first_moment.z),
        second_moment: Sym3 { zz: inertia.second_moment.zz, ..Sym3::zero() },
    };
    inertia.mass = zero;
    inertia.first_moment.z = zero;
    inertia.second_moment.zz = zero;
    part
}

/// All of a balanced wheel but its inertia about its own axis: what it is when it turns freely.
fn take_all_but_spin<T: Real>(inertia: &mut LumpedInertia<T>) -> LumpedInertia<T> {
    let half_spin = inertia.second_moment.xx;
    let mut part = take_axis(inertia);
    part.second_moment.zz += half_spin;
    part
}

/// The second moments alone.
fn take_second_moment<T: Real>(inertia: &mut LumpedInertia<T>) -> LumpedInertia<T> {
    let second_moment = core::mem::replace(&mut inertia.second_moment, Sym3::zero());
    LumpedInertia { mass: T::zero(), first_moment: Vec3::zero(), second_moment }
}

/// The part as the parent's frame sees it, at q = 0 (it is the same at every q).
fn to_parent<T: Real>(
    shape: LinkShape,
    link: &Link<T>,
    part: LumpedInertia<T>,
) -> LumpedInertia<T> {
    let transform = screw::constant_transform(shape, &link.screw);
    let (rotation, r) = (transform.rotation, transform.translation);
    let h = rotation * part.first_moment;
    // a second moment without mass does not feel the shift
    let shifted = h + r.scale(part.mass);
    let outer = |a: Vec3<T>, b: Vec3<T>| Sym3 {
        xx: a.x * b.x + a.x * b.x,
        yy: a.y * b.y + a.y * b.y,
        zz: a.z * b.z + a.z * b.z,
        xy: a.x * b.y + a.y * b.x,
        xz: a.x * b.z + a.z * b.x,
        yz: a.y * b.z + a.z * b.y,
    };
    // ∫(Rx + r)(Rx + r)ᵀ = R P Rᵀ + h rᵀ + r hᵀ + m r rᵀ
    let half_mass = T::from_f64(0.5) * part.mass;
    LumpedInertia {
        mass: part.mass,
        first_moment: shifted,
        second_moment: part.second_moment.rotated(rotation) + outer(h + r.scale(half_mass), r),
    }
}
