//! Memory of the sweeps.

use std::sync::Arc;

use pommel_math::{ArticulatedInertia, Mat3, Real, RigidInertia, Transform, Twist, Vec3, Wrench};

use crate::factor::BLOCK;
use crate::model::{LinkKind, Role, Topology, may_be_planar};
use crate::sweep::planar;
use crate::{Model, rerooted};

/// All memory that the functions of this crate need, allocated once for one topology.
///
/// A workspace holds no results and no state: every call writes what it reads. Use one per thread.
#[derive(Clone, Debug)]
pub struct Workspace<T> {
    topology: Arc<Topology>,
    /// angles of the links that turn, their sines and cosines; zeros behind them where
    /// `T::sin_cos_all` takes several at a time
    pub(crate) angles: Vec<T>,
    pub(crate) sin: Vec<T>,
    pub(crate) cos: Vec<T>,
    /// motions of the links that keep theirs for a link that does not follow
    pub(crate) flows: Vec<Flow<T>>,
    pub(crate) biases: Vec<Bias<T>>,
    pub(crate) gears: Vec<GearLoad<T>>,
    pub(crate) inner: Vec<Inner<T>>,
    pub(crate) columns: Vec<Column<T>>,
    pub(crate) balls: Vec<BallColumn<T>>,
    pub(crate) roots: Vec<RootColumn<T>>,
    pub(crate) rates: Vec<Twist<T>>,
    /// placements of the link frames: world axes, relative to the origin of their tree's root
    pub(crate) placements: Vec<Transform<T>>,
    /// for each root, a linear velocity that its tree moves with
    pub(crate) root_velocities: Vec<Vec3<T>>,
    /// placements of the link frames in their parents
    pub(crate) locals: Vec<Transform<T>>,
    /// inertia of each link and all beyond it, world axes, about the origin of the root
    pub(crate) composites: Vec<RigidInertia<T>>,
    /// for each velocity, the momentum that it gives the links beyond, in the frame of `axes`, and
    /// the spin of the joint's rotor
    pub(crate) momenta: Vec<Wrench<T>>,
    pub(crate) spins: Vec<Vec3<T>>,
    /// for each link, the origin of its tree's root in world
    pub(crate) origins: Vec<Vec3<T>>,
    /// for each velocity, the twist that it gives the links beyond: world axes, about the origin of
    /// the tree's root
    pub(crate) axes: Vec<Twist<T>>,
    /// twists or wrenches of the links and rows of the velocities for one right-hand side, and for
    /// a block of them
    pub(crate) narrow: (Vec<[[T; 1]; 6]>, Vec<[T; 1]>),
    pub(crate) wide: (Vec<[[T; BLOCK]; 6]>, Vec<[T; BLOCK]>),
    /// external wrenches about the origins of the link frames, in their axes
    pub(crate) external: Vec<Wrench<T>>,
    pub(crate) planar: planar::Memory<T>,
    pub(crate) rerooted: Option<Box<rerooted::Memory<T>>>,
}

/// Motion of a link at the reference accelerations, in link axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow<T> {
    /// `ω`, rad/s
    pub(crate) omega: Vec3<T>,
    /// `α`, rad/s²
    pub(crate) alpha: Vec3<T>,
    /// acceleration of the origin less gravity, m/s²
    pub(crate) acceleration: Vec3<T>,
    /// `G = [α]× + [ω]×²`: the acceleration of the point `r` is `a + G r`
    pub(crate) gradient: Mat3<T>,
}

impl<T: Real> Flow<T> {
    /// At rest. Unlike a derived default, it is inlined, so that a motion stays in registers.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        let (zero, none) = (Vec3::zero(), Mat3::zero());
        Flow { omega: zero, alpha: zero, acceleration: zero, gradient: none }
    }
}

impl<T: Real> Inner<T> {
    /// Nothing beyond; inlined as [`Flow::zero`].
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Inner { inertia: ArticulatedInertia::zero(), wrench: Wrench::zero() }
    }
}

impl<T: Real> Bias<T> {
    /// A wrench alone; inlined as [`Flow::zero`].
    #[inline(always)]
    pub(crate) fn of(wrench: Wrench<T>) -> Self {
        Bias { wrench, reference: T::zero(), extra: T::zero() }
    }
}

/// What the reference motion asks of a link's joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bias<T> {
    /// wrench that keeps the link itself on the reference motion, about the origin
    pub(crate) wrench: Wrench<T>,
    /// reference acceleration of the joint; of a link with the role `Turn` or `Tip` the y component
    /// of the parent's angular acceleration before `Rx(α)`, from which it follows
    pub(crate) reference: T,
    /// slide along z of a link with the role `Single`, m; external moment about the axis of a
    /// wheel, N·m; of other links the reference acceleration that a sliding parent adds
    pub(crate) extra: T,
}

/// What a geared rotor adds at the reference motion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GearLoad<T> {
    /// on the parent, in the frame before the joint's motion, N·m
    pub(crate) moment: Vec3<T>,
    /// at the joint, N·m
    pub(crate) torque: T,
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

/// A column of `U` with its pivot, as the elimination leaves it; of links with the role `Single` in
/// the frame before their joint's motion, else in the link's frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column<T> {
    /// `ψ̂ = M̂ p / m̂`
    pub(crate) psi_hat: Wrench<T>,
    /// `1 / m̂`
    pub(crate) inverse: T,
}

/// Three columns of `U`, in child axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BallColumn<T> {
    /// child → parent's joint frame
    pub(crate) rotation: Mat3<T>,
    /// reference acceleration of the joint
    pub(crate) reference: Vec3<T>,
    /// `L D Lᵀ` of `m̂`: the inverse pivots and the three factors `l₂₁, l₃₁, l₃₂`
    pub(crate) inverse: Vec3<T>,
    pub(crate) lower: Vec3<T>,
    /// `m̂⁻¹ I` (one without armature) and `m̂⁻¹ H`
    pub(crate) angular: Mat3<T>,
    pub(crate) linear: Mat3<T>,
}

/// `L D Lᵀ` of the six equations of a free body: the factors of `L` below the diagonal, the inverse
/// pivots on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RootColumn<T> {
    /// body → world
    pub(crate) rotation: Mat3<T>,
    pub(crate) factors: [[T; 6]; 6],
}

impl<T: Real> Workspace<T> {
    /// Memory for models of the topology of `model`; linear in the number of links.
    pub fn new(model: &Model<T>) -> Self {
        let links = &model.topology().links;
        let n = links.len();
        let count = |role| links.iter().filter(|s| s.role == role).count();
        let turning = |kind| matches!(kind, LinkKind::Revolute | LinkKind::Helical);
        let turns = links.iter().filter(|s| turning(s.kind)).count();
        // a single angle is faster alone
        let turns = if turns > 1 { turns.next_multiple_of(T::ANGLES) } else { turns };
        Workspace {
            topology: Arc::clone(&model.topology),
            angles: vec![T::zero(); turns],
            sin: vec![T::zero(); turns],
            cos: vec![T::zero(); turns],
            flows: vec![Flow::default(); n],
            biases: vec![Bias::default(); n],
            gears: vec![GearLoad::default(); model.rotors.len()],
            inner: vec![Inner::default(); n],
            columns: vec![Column::default(); n],
            balls: vec![BallColumn::default(); count(Role::Ball)],
            roots: vec![RootColumn::default(); count(Role::Free)],
            rates: vec![Twist::default(); n],
            placements: vec![Transform::identity(); n],
            root_velocities: vec![Vec3::zero(); n],
            locals: vec![Transform::identity(); n],
            composites: vec![RigidInertia::zero(); n],
            momenta: vec![Wrench::zero(); model.nv()],
            spins: vec![Vec3::zero(); model.nv()],
            origins: vec![Vec3::zero(); n],
            axes: vec![Twist::zero(); model.nv()],
            narrow: (vec![[[T::zero(); 1]; 6]; n], vec![[T::zero(); 1]; model.nv()]),
            wide: (
                vec![[[T::zero(); BLOCK]; 6]; if T::LANES == 1 { n } else { 0 }],
                vec![[T::zero(); BLOCK]; if T::LANES == 1 { model.nv() } else { 0 }],
            ),
            external: vec![Wrench::default(); n],
            planar: planar::Memory::new(if may_be_planar(links) { n } else { 0 }),
            rerooted: model.rerooted.as_ref().map(|r| Box::new(rerooted::Memory::new(r))),
        }
    }

    /// Whether the memory is for the topology of `model`: what no sweep writes, because nothing
    /// hangs on a link, must be zero.
    #[inline]
    pub(crate) fn fits(&self, model: &Model<T>) -> bool {
        let inner = match (&self.rerooted, &model.rerooted) {
            (None, None) => true,
            (Some(memory), Some(rerooted)) => memory.workspace.fits(&rerooted.model),
            _ => false,
        };
        inner && self.topology.has_the_links_of(&model.topology)
    }
}
