//! Elimination of any joint with one velocity: prismatic, helical, and with armature or a rotor.
//!
//! Columns are kept in the frame before the joint's motion (after `Rx(α)`), where a rotor on the
//! parent has a constant axis. With armature `A` and a rotor of axial inertia `J` and ratio `N`,
//! `m̂ = pᵀ M̂ p + A + N² J` and `ψ = M̂ p + N J [e_r; 0]`.

use pommel_math::{ArticulatedInertia, Real, Vec3, Wrench};

use super::turn;
use crate::model::{Link, LinkKind, LinkShape, Spin};
use crate::screw::{inertia_x_out, inertia_z_out, x_out, z_out};
use crate::workspace::{Column, Workspace};

/// Where the joint stands: angle and slide.
#[derive(Clone, Copy)]
pub(crate) struct Posture<T> {
    pub(crate) sin: T,
    pub(crate) cos: T,
    pub(crate) slide: T,
}

impl<T: Real> Posture<T> {
    #[inline(always)]
    pub(crate) fn of(shape: LinkShape, link: &Link<T>, ws: &Workspace<T>, slide: T) -> Self {
        let at = shape.turn as usize;
        let (sin, cos) = match shape.kind {
            LinkKind::Prismatic => (link.screw.sin_theta, link.screw.cos_theta),
            _ => (ws.sin[at], ws.cos[at]),
        };
        Posture { sin, cos, slide }
    }

    /// To the frame before the joint's motion.
    #[inline(always)]
    pub(crate) fn wrench_out(self, w: Wrench<T>) -> Wrench<T> {
        let w = turn::slide_wrench(w, self.slide);
        Wrench::new(z_out(w.moment, self.sin, self.cos), z_out(w.force, self.sin, self.cos))
    }

    #[inline(always)]
    fn inertia_out(self, m: ArticulatedInertia<T>) -> ArticulatedInertia<T> {
        let zero = T::zero();
        inertia_z_out(m.shifted(Vec3::new(zero, zero, self.slide)), self.sin, self.cos)
    }
}

/// `pᵀ z` of a wrench in the frame of the link.
#[inline(always)]
pub(crate) fn along<T: Real>(kind: LinkKind, link: &Link<T>, z: Wrench<T>) -> T {
    match kind {
        LinkKind::Prismatic => z.force.z,
        LinkKind::Helical => link.pitch.mul_add(z.force.z, z.moment.z),
        LinkKind::Revolute | LinkKind::Ball | LinkKind::Free => z.moment.z,
    }
}

/// Column, pivot, and `M̂ − ψ ψ̂ᵀ` with the link's own inertia, before the joint's motion.
#[inline(always)]
pub(crate) fn reduce<T: Real>(
    inner: ArticulatedInertia<T>,
    kind: LinkKind,
    link: &Link<T>,
    posture: Posture<T>,
    armature: T,
    spin: Option<&Spin<T>>,
) -> (Column<T>, T, ArticulatedInertia<T>) {
    let m = inner + link.inertia.to_rigid().to_articulated();
    let h = &m.coupling;
    let mut psi = match kind {
        LinkKind::Prismatic => Wrench::new(Vec3::new(h.x.z, h.y.z, h.z.z), m.mass.row_z()),
        _ => Wrench::new(m.inertia.row_z(), h.z),
    };
    if kind == LinkKind::Helical {
        let slide = Wrench::new(Vec3::new(h.x.z, h.y.z, h.z.z), m.mass.row_z());
        psi = slide.scale_add(link.pitch, psi);
    }
    let pivot = along(kind, link, psi) + armature;
    let inverse = pivot.recip();
    let Some(spin) = spin else {
        // in the frame of the link, where the row of the axis vanishes exactly
        let psi_hat = psi.scale(inverse);
        let reduced = posture.inertia_out(m.minus_outer(psi, psi_hat));
        return (Column { psi_hat: posture.wrench_out(psi_hat), inverse }, pivot, reduced);
    };
    let mut psi = posture.wrench_out(psi);
    psi.moment = spin.axis.scale_add(spin.coupling, psi.moment);
    let psi_hat = psi.scale(inverse);
    let reduced = posture.inertia_out(m).minus_outer(psi, psi_hat);
    (Column { psi_hat, inverse }, pivot, reduced)
}

/// `Rx(α)` of any inertia and wrench.
#[inline(always)]
pub(crate) fn turn_out<T: Real>(
    m: ArticulatedInertia<T>,
    z: Wrench<T>,
    link: &Link<T>,
) -> (ArticulatedInertia<T>, Wrench<T>) {
    let (sin, cos) = (link.screw.sin_alpha, link.screw.cos_alpha);
    let z = Wrench::new(x_out(z.moment, sin, cos), x_out(z.force, sin, cos));
    (inertia_x_out(m, sin, cos), z)
}
