//! Revolute links with nothing beyond: what is constant about them.

use pommel_math::{ArticulatedInertia, Real, Vec3};

use super::turn::{Reduced, plus_turning, reduce};
use crate::model::{Link, LinkShape};
use crate::screw::{x_out, z_out};
use crate::workspace::Column;

/// Column, pivot and reduced inertia of a tip: they do not depend on the state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tip<T> {
    pub(crate) column: Column<T>,
    pub(crate) pivot: T,
    pub(crate) reduced: Reduced<T>,
}

impl<T: Real> Tip<T> {
    pub(crate) fn new(link: &Link<T>) -> Self {
        let inertia = plus_turning(ArticulatedInertia::zero(), link);
        let (column, reduced) = reduce(inertia);
        Tip { column, pivot: inertia.inertia.zz, reduced }
    }
}

/// The axis of a link's joint in the frame of its parent.
#[inline(always)]
pub(crate) fn wheel_axis<T: Real>(link: &Link<T>, shape: LinkShape) -> Vec3<T> {
    let x = &link.screw;
    let axis = x_out(Vec3::new(T::zero(), T::zero(), T::one()), x.sin_alpha, x.cos_alpha);
    if shape.has_branch { z_out(axis, x.sin_phi, x.cos_phi) } else { axis }
}
