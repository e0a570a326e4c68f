//! The inertia of a body with what it bears, 21 numbers.

use core::ops::{Add, AddAssign};

use super::{Mat3, Sym3, Transform, Twist, Vec3, Wrench};
use crate::Real;

/// A symmetric 6 × 6 matrix `[I H; Hᵀ M]` from twists to wrenches, about the frame's origin.
///
/// Saha's `M̂_i`, Featherstone's `I^A_i`: what a body and all the joints beyond it feel like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct ArticulatedInertia<T> {
    /// `I`: moment per angular acceleration, kg·m².
    pub inertia: Sym3<T>,
    /// `H`: moment per linear acceleration, kg·m.
    pub coupling: Mat3<T>,
    /// `M`: force per linear acceleration, kg.
    pub mass: Sym3<T>,
}

impl<T: Real> ArticulatedInertia<T> {
    /// No inertia.
    #[inline(always)]
    pub fn zero() -> Self {
        ArticulatedInertia { inertia: Sym3::zero(), coupling: Mat3::zero(), mass: Sym3::zero() }
    }

    /// `M̂ t`.
    #[inline(always)]
    pub fn apply(self, t: Twist<T>) -> Wrench<T> {
        Wrench::new(
            self.inertia * t.angular + self.coupling * t.linear,
            self.coupling.transpose_mul(t.angular) + self.mass * t.linear,
        )
    }

    /// `M̂ − ψ ψ̂ᵀ` where `ψ̂` is a multiple of `ψ`: one step of Gaussian elimination.
    #[inline(always)]
    pub fn minus_outer(self, psi: Wrench<T>, psi_hat: Wrench<T>) -> Self {
        let row = |row: Vec3<T>, s: T| psi_hat.force.scale_add(-s, row);
        ArticulatedInertia {
            inertia: self.inertia.minus_outer(psi.moment, psi_hat.moment),
            coupling: Mat3::from_rows(
                row(self.coupling.x, psi.moment.x),
                row(self.coupling.y, psi.moment.y),
                row(self.coupling.z, psi.moment.z),
            ),
            mass: self.mass.minus_outer(psi.force, psi_hat.force),
        }
    }

    /// `Xᵀ M̂ X`, about the origin of the parent frame of `x` and in its axes.
    #[inline(always)]
    pub fn to_parent(self, x: Transform<T>) -> Self {
        let Transform { rotation, translation } = x;
        ArticulatedInertia {
            inertia: self.inertia.rotated(rotation),
            coupling: rotation * self.coupling * rotation.transpose(),
            mass: self.mass.rotated(rotation),
        }
        .shifted(translation)
    }

    /// The inertia about the origin of a parallel frame in which this frame's origin is `r`.
    ///
    /// With `r̃` the matrix of `r ×`:  `H' = H + r̃ M`,  `I' = I + (r̃ Hᵀ)ᵀ + r̃ H'ᵀ`.
    #[inline(always)]
    pub fn shifted(self, r: Vec3<T>) -> Self {
        let Vec3 { x, y, z } = r;
        let (h, m) = (self.coupling, self.mass);
        let shifted = Mat3::from_rows(
            m.row_z().scale_add(y, m.row_y().scale_add(-z, h.x)),
            m.row_x().scale_add(z, m.row_z().scale_add(-x, h.y)),
            m.row_y().scale_add(x, m.row_x().scale_add(-y, h.z)),
        );
        // (r̃ Hᵀ)_ij = (r × row j of H)_i
        let (a, b) = (h, shifted);
        let i = self.inertia;
        // entries (1,1): a₁·(r × a)₁ …: (r × a_x).x + (r × b_x).x
        let xx = y.mul_add(a.x.z + b.x.z, (-z).mul_add(a.x.y + b.x.y, i.xx));
        let yy = z.mul_add(a.y.x + b.y.x, (-x).mul_add(a.y.z + b.y.z, i.yy));
        let zz = x.mul_add(a.z.y + b.z.y, (-y).mul_add(a.z.x + b.z.x, i.zz));
        // (1,2): (r × a_x).y + (r × b_y).x
        let xy = (-x).mul_add(a.x.z, z.mul_add(a.x.x, i.xy));
        let xy = y.mul_add(b.y.z, (-z).mul_add(b.y.y, xy));
        let xz = x.mul_add(a.x.y, (-y).mul_add(a.x.x, i.xz));
        let xz = y.mul_add(b.z.z, (-z).mul_add(b.z.y, xz));
        let yz = x.mul_add(a.y.y, (-y).mul_add(a.y.x, i.yz));
        let yz = z.mul_add(b.z.x, (-x).mul_add(b.z.z, yz));
        ArticulatedInertia { inertia: Sym3 { xx, yy, zz, xy, xz, yz }, coupling: shifted, mass: m }
    }

    /// The full matrix, angular rows and columns first.
    #[inline(always)]
    pub fn to_rows(self) -> [[T; 6]; 6] {
        let ArticulatedInertia { inertia: i, coupling: h, mass: k } = self;
        // written out, because closures would not always be inlined
        [
            [i.xx, i.xy, i.xz, h.x.x, h.x.y, h.x.z],
            [i.xy, i.yy, i.yz, h.y.x, h.y.y, h.y.z],
            [i.xz, i.yz, i.zz, h.z.x, h.z.y, h.z.z],
            [h.x.x, h.y.x, h.z.x, k.xx, k.xy, k.xz],
            [h.x.y, h.y.y, h.z.y, k.xy, k.yy, k.yz],
            [h.x.z, h.y.z, h.z.z, k.xz, k.yz, k.zz],
        ]
    }

    /// The inertia with each entry in another scalar.
    #[inline(always)]
    pub fn cast<U: Real>(self, f: impl Fn(T) -> U + Copy) -> ArticulatedInertia<U> {
        ArticulatedInertia {
            inertia: self.inertia.cast(f),
            coupling: self.coupling.cast(f),
            mass: self.mass.cast(f),
        }
    }
}

impl<T: Real> Add for ArticulatedInertia<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        ArticulatedInertia {
            inertia: self.inertia + b.inertia,
            coupling: Mat3::from_rows(
                self.coupling.x + b.coupling.x,
                self.coupling.y + b.coupling.y,
                self.coupling.z + b.coupling.z,
            ),
            mass: self.mass + b.mass,
        }
    }
}

impl<T: Real> AddAssign for ArticulatedInertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
