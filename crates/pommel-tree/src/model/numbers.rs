//! All numbers of a model as one list, in a fixed order: how models move between scalars.

use pommel_math::{Mat3, Real, RigidInertia, Sym3, Transform, Vec3};

use super::link::LumpedInertia;
use super::{Body, Link, Model, RootPlacement, Screw, Spin};

/// Calls `f` on each number.
trait Numbers<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T));
}

impl<T: Real> Numbers<T> for Vec3<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        for x in [&mut self.x, &mut self.y, &mut self.z] {
            f(x);
        }
    }
}

impl<T: Real> Numbers<T> for Sym3<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        let Sym3 { xx, yy, zz, xy, xz, yz } = self;
        for x in [xx, yy, zz, xy, xz, yz] {
            f(x);
        }
    }
}

impl<T: Real> Numbers<T> for Mat3<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        for row in [&mut self.x, &mut self.y, &mut self.z] {
            row.each(f);
        }
    }
}

impl<T: Real> Numbers<T> for Transform<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        self.rotation.each(f);
        self.translation.each(f);
    }
}

impl<T: Real> Numbers<T> for LumpedInertia<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        f(&mut self.mass);
        self.first_moment.each(f);
        self.second_moment.each(f);
    }
}

impl<T: Real> Numbers<T> for Screw<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        let Screw {
            a,
            b,
            sin_alpha,
            cos_alpha,
            theta,
            sin_theta,
            cos_theta,
            d,
            sin_phi,
            cos_phi,
            s,
        } = self;
        for x in [a, b, sin_alpha, cos_alpha, theta, sin_theta, cos_theta, d, sin_phi, cos_phi, s] {
            f(x);
        }
    }
}

impl<T: Real> Numbers<T> for Link<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        self.screw.each(f);
        self.inertia.each(f);
        f(&mut self.pivot_limit);
        f(&mut self.pitch);
    }
}

impl<T: Real> Numbers<T> for RigidInertia<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        f(&mut self.mass);
        self.first_moment.each(f);
        self.inertia.each(f);
    }
}

impl<T: Real> Numbers<T> for Spin<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        f(&mut self.coupling);
        self.axis.each(f);
    }
}

impl<T: Real> Numbers<T> for Body<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        self.placement.each(f);
        f(&mut self.mass);
        self.centre.each(f);
        self.inertia.each(f);
    }
}

impl<T: Real> Numbers<T> for RootPlacement<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        self.world.each(f);
        self.gravity.each(f);
    }
}

impl<T: Real> Numbers<T> for Model<T> {
    fn each(&mut self, f: &mut impl FnMut(&mut T)) {
        self.links.iter_mut().for_each(|link| link.each(f));
        self.rigid.iter_mut().for_each(|inertia| inertia.each(f));
        self.rotors.iter_mut().for_each(|rotor| rotor.each(f));
        self.armature.iter_mut().for_each(&mut *f);
        self.bodies.iter_mut().for_each(|body| body.each(f));
        self.roots.iter_mut().for_each(|root| root.each(f));
        self.gravity.each(f);
    }
}

impl<T: Real> Model<T> {
    /// All numbers of the model.
    pub(super) fn numbers(&self) -> Vec<T> {
        let mut list = Vec::new();
        self.clone().each(&mut |x| list.push(*x));
        list
    }

    /// Replaces all numbers in one lane, in the order of [`numbers`](Model::numbers).
    pub(super) fn set_lane_numbers(&mut self, lane: usize, list: &[f64]) {
        let mut list = list.iter();
        self.each(&mut |x| {
            let new = *list.next().expect("one number for each of the model");
            let old = *x;
            *x = T::from_lanes(|i| if i == lane { new } else { old.lane(i) });
        });
    }

    /// Replaces all numbers of the model, in the order of [`numbers`](Model::numbers).
    pub(super) fn set_numbers(&mut self, list: &mut dyn Iterator<Item = T>) {
        self.each(&mut |x| *x = list.next().expect("one number for each of the model"));
        self.derive();
    }
}
