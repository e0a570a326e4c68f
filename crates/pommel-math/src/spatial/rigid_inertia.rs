//! The inertia of a rigid body, ten numbers.

use core::ops::{Add, AddAssign};

use super::{ArticulatedInertia, Mat3, Sym3, Transform, Twist, Vec3, Wrench};
use crate::Real;

/// The inertia of a rigid body about the origin of its frame: mass `m`, first moment `m c`, and
/// inertia tensor about the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct RigidInertia<T> {
    /// Mass, kg.
    pub mass: T,
    /// Mass times the position of the mass centre, kg·m.
    pub first_moment: Vec3<T>,
    /// Inertia tensor about the origin, kg·m².
    pub inertia: Sym3<T>,
}

/// `I + m (cᵀc 1 − c cᵀ)` without the leading `I`, for the vector `h = m c`.
#[inline(always)]
fn steiner<T: Real>(h: Vec3<T>, c: Vec3<T>) -> Sym3<T> {
    let trace = h.dot(c);
    Sym3::scalar(trace).minus_outer(h, c)
}

impl<T: Real> RigidInertia<T> {
    /// No mass.
    #[inline(always)]
    pub fn zero() -> Self {
        RigidInertia { mass: T::zero(), first_moment: Vec3::zero(), inertia: Sym3::zero() }
    }

    /// From mass (kg), mass centre (m) and the inertia tensor about the mass centre (kg·m²).
    #[inline(always)]
    pub fn from_centroidal(mass: T, centre: Vec3<T>, inertia: Sym3<T>) -> Self {
        let first_moment = centre.scale(mass);
        RigidInertia { mass, first_moment, inertia: inertia + steiner(first_moment, centre) }
    }

    /// `(n, f) = M t`: for a twist, the momentum about the origin; for the rate of a twist, the
    /// wrench that causes it at rest.
    #[inline(always)]
    pub fn apply(self, t: Twist<T>) -> Wrench<T> {
        Wrench::new(
            self.first_moment.cross_add(t.linear, self.inertia * t.angular),
            t.angular.cross_add(self.first_moment, t.linear.scale(self.mass)),
        )
    }

    /// The wrench about the origin that moves the body with angular velocity `omega` and the
    /// acceleration `rate`: angular acceleration, and acceleration of the body point at the origin
    /// (the ordinary one, not the "spatial" one).
    ///
    /// No linear velocity enters, so that a body at orbital speed loses no digits.
    #[inline(always)]
    pub fn newton_euler(self, omega: Vec3<T>, rate: Twist<T>) -> Wrench<T> {
        let Wrench { moment, force } = self.apply(rate);
        let centripetal = omega.cross(self.first_moment);
        Wrench::new(
            omega.cross_add(self.inertia * omega, moment),
            omega.cross_add(centripetal, force),
        )
    }

    /// Kinetic energy for a twist at the origin, J.
    #[inline(always)]
    pub fn kinetic_energy(self, t: Twist<T>) -> T {
        t.dot(self.apply(t)) * T::from_f64(0.5)
    }

    /// The same body seen from the parent frame of `x`.
    #[inline(always)]
    pub fn to_parent(self, x: Transform<T>) -> Self {
        let Transform { rotation, translation } = x;
        let h = rotation * self.first_moment;
        let inertia = self.inertia.rotated(rotation);
        // c → c + r:  I + (2 h·r + m r·r) 1 − (h rᵀ + r hᵀ + m r rᵀ)
        let shifted = h + translation.scale(self.mass);
        let outer = |a: Vec3<T>, b: Vec3<T>| Mat3::from_rows(b * a.x, b * a.y, b * a.z);
        let (p, q) = (outer(translation, h), outer(shifted, translation));
        let cross = Sym3 {
            xx: p.x.x + q.x.x,
            yy: p.y.y + q.y.y,
            zz: p.z.z + q.z.z,
            xy: p.x.y + q.x.y,
            xz: p.x.z + q.x.z,
            yz: p.y.z + q.y.z,
        };
        let trace = h.dot(translation) + shifted.dot(translation);
        RigidInertia {
            mass: self.mass,
            first_moment: shifted,
            inertia: inertia + (Sym3::scalar(trace) - cross),
        }
    }

    /// As an articulated inertia.
    #[inline(always)]
    pub fn to_articulated(self) -> ArticulatedInertia<T> {
        let Vec3 { x, y, z } = self.first_moment;
        let o = T::zero();
        ArticulatedInertia {
            inertia: self.inertia,
            coupling: Mat3::from_rows(
                Vec3::new(o, -z, y),
                Vec3::new(z, o, -x),
                Vec3::new(-y, x, o),
            ),
            mass: Sym3::scalar(self.mass),
        }
    }

    /// The inertia with each entry in another scalar.
    #[inline(always)]
    pub fn cast<U: Real>(self, f: impl Fn(T) -> U + Copy) -> RigidInertia<U> {
        RigidInertia {
            mass: f(self.mass),
            first_moment: self.first_moment.cast(f),
            inertia: self.inertia.cast(f),
        }
    }
}

impl<T: Real> Add for RigidInertia<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        RigidInertia {
            mass: self.mass + b.mass,
            first_moment: self.first_moment + b.first_moment,
            inertia: self.inertia + b.inertia,
        }
    }
}

impl<T: Real> AddAssign for RigidInertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
