//! Memory of the sweeps.

use pommel_math::{ArticulatedInertia, Mat3, Real, Transform, Twist, Vec3, Wrench};

use crate::Model;

/// All memory that the functions of this crate need, allocated once for one topology.
///
/// A workspace holds no results and no state: every call writes what it reads. Use one per thread.
#[derive(Clone, Debug)]
pub struct Workspace<T> {
    pub(crate) motions: Vec<Motion<T>>,
    pub(crate) inner: Vec<Inner<T>>,
    pub(crate) columns: Vec<Column<T>>,
    pub(crate) rates: Vec<Twist<T>>,
    /// placements of the link frames in world
    pub(crate) placements: Vec<Transform<T>>,
    /// external wrenches about the origins of the link frames, in their axes
    pub(crate) external: Vec<Wrench<T>>,
}

/// Motion of a link at the reference accelerations, in link axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion<T> {
    /// `ω`, rad/s
    pub(crate) omega: Vec3<T>,
    /// `α`, rad/s²
    pub(crate) alpha: Vec3<T>,
    /// acceleration of the origin less gravity, m/s²
    pub(crate) acceleration: Vec3<T>,
    /// `G = [α]× + [ω]×²`: the acceleration of the point `r` is `a + G r`
    pub(crate) gradient: Mat3<T>,
    /// sine and cosine of θ
    pub(crate) sin: T,
    pub(crate) cos: T,
    /// slide along z, m
    pub(crate) d: T,
    /// reference acceleration of the joint
    pub(crate) reference: T,
    /// wrench that keeps the link itself on the reference motion, about the origin
    pub(crate) bias: Wrench<T>,
}

/// What a link feels of the links beyond it. That of a link without children is zero from the
/// start and never written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inner<T> {
    /// `Σ Bᵀ (M̂ − ψ ψ̂ᵀ) B` over the children
    pub(crate) inertia: ArticulatedInertia<T>,
    /// `Σ Bᵀ (z + ψ̂ τ̂)` over the children
    pub(crate) wrench: Wrench<T>,
}

/// A column of `U` with its pivot, as the elimination leaves it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column<T> {
    /// `ψ̂ = M̂ p / m̂`
    pub(crate) psi_hat: Wrench<T>,
    /// `τ̂ / m̂`
    pub(crate) rate: T,
}

impl<T: Real> Workspace<T> {
    /// Memory for models of the topology of `model`; linear in the number of links.
    pub fn new(model: &Model<T>) -> Self {
        let n = model.topology().link_count();
        Workspace {
            motions: vec![Motion::default(); n],
            inner: vec![Inner::default(); n],
            columns: vec![Column::default(); n],
            rates: vec![Twist::default(); n],
            placements: vec![Transform::identity(); n],
            external: vec![Wrench::default(); n],
        }
    }
}
