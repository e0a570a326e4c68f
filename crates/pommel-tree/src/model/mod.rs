//! The immutable description of a tree, prepared for the sweeps.

mod assemble;
mod builder;
mod elements;
mod exact;
mod joint;
mod limits;
mod link;
mod lump;
mod numbers;
mod placement;
mod planar;
mod reroot;
mod roles;
mod topology;

pub use builder::{Elimination, TreeBuilder};
pub use joint::{BodySpec, Joint, Rotor};
pub use topology::{BodyId, Topology};

pub(crate) use link::{Link, LinkKind, LinkShape, Role, RootPlacement, Screw, Spin};
pub(crate) use planar::{End, Place, Planar, may_be_planar};

use std::sync::Arc;

use pommel_math::{Mask, Real, RigidInertia, Sym3, Transform, Vec3};

use crate::TreeError;
use crate::rerooted::Rerooted;
use crate::sweep::tip::Tip;

/// A kinematic tree with its numbers: the immutable input of every function of this crate.
///
/// Made by [`TreeBuilder`]. The numbers are scalars too: [`cast`](Model::cast) moves a model to
/// another scalar, [`pack`](Model::pack) puts the instances of one topology into lanes.
///
/// Units are SI. World axes are inertial.
#[derive(Clone, Debug)]
pub struct Model<T> {
    pub(crate) topology: Arc<Topology>,
    pub(crate) links: Vec<Link<T>>,
    /// inertia of the bodies of each link, in its frame, before any regrouping
    pub(crate) rigid: Vec<RigidInertia<T>>,
    pub(crate) rotors: Vec<Spin<T>>,
    /// inertia added to the diagonal, that of rotors included, length nv
    pub(crate) armature: Vec<T>,
    /// the constant columns of tips
    pub(crate) tips: Vec<Tip<T>>,
    /// the tree in the plane, if that is where it moves
    pub(crate) planar: Option<Box<Planar<T>>>,
    pub(crate) bodies: Vec<Body<T>>,
    pub(crate) roots: Vec<RootPlacement<T>>,
    pub(crate) gravity: Vec3<T>,
    /// the trees with other bodies at their roots, if that is where forward dynamics eliminates
    pub(crate) rerooted: Option<Box<Rerooted<T>>>,
}

/// What a body adds to the link that carries it.
#[derive(Clone, Debug)]
pub(crate) struct Body<T> {
    /// the body frame in the frame of its link (in world, if it is fixed to the ground)
    pub(crate) placement: Transform<T>,
    /// kg
    pub(crate) mass: T,
    /// mass centre in the body frame, m
    pub(crate) centre: Vec3<T>,
    /// inertia tensor about the mass centre, in body axes, kg·m²
    pub(crate) inertia: Sym3<T>,
}

impl<T: Real> Model<T> {
    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        self.topology.nq
    }

    /// Number of velocities (degrees of freedom).
    pub fn nv(&self) -> usize {
        self.topology.nv
    }

    /// Number of bodies, without the ground.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Names, parents and coordinates of the bodies.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The links, root to tips: their shapes and as many sets of numbers. Kernels count through
    /// both, because a zipped iterator is not always inlined.
    #[inline(always)]
    pub(crate) fn links(&self) -> (&[LinkShape], &[Link<T>]) {
        let shapes = &self.topology.links[..];
        (shapes, &self.links[..shapes.len()])
    }

    /// Uniform gravity in world axes, m/s².
    pub fn gravity(&self) -> Vec3<T> {
        self.gravity
    }

    /// Sets uniform gravity in world axes, m/s².
    pub fn set_gravity(&mut self, gravity: Vec3<T>) {
        self.gravity = gravity;
        for root in &mut self.roots {
            root.gravity = root.world.rotation.transpose_mul(gravity);
        }
        if let Some(rerooted) = &mut self.rerooted {
            rerooted.model.set_gravity(gravity);
        }
    }

    /// Mass of all bodies that are not fixed to the ground, kg.
    pub fn moving_mass(&self) -> T {
        let moving = |i: &usize| self.topology.bodies[*i].link.is_some();
        (0..self.bodies.len()).filter(moving).fold(T::zero(), |sum, i| sum + self.bodies[i].mass)
    }

    /// Whether every body hangs on a free body, so that the ground feels no joint.
    pub fn has_only_free_roots(&self) -> bool {
        let on_ground = |shape: &LinkShape| shape.parent.is_none();
        self.topology.links.iter().filter(|s| on_ground(s)).all(|s| s.kind == LinkKind::Free)
    }

    /// The bodies towards which forward dynamics eliminates free trees, where that is not the body
    /// with the free joint ([`Elimination`]).
    pub fn elimination_roots(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.rerooted.iter().flat_map(|r| r.roots())
    }

    /// Mass centre of a body in its own frame, m.
    pub fn centre_of_mass(&self, body: BodyId) -> Vec3<T> {
        self.bodies[body.index()].centre
    }

    /// A configuration: zero joint angles and slides, unit quaternions; length [`nq`](Model::nq).
    pub fn zero_configuration(&self) -> Vec<T> {
        let mut q = vec![T::zero(); self.nq()];
        for shape in &self.topology.links {
            match shape.kind {
                LinkKind::Free => q[shape.q as usize + 3] = T::one(),
                LinkKind::Ball => q[shape.q as usize] = T::one(),
                _ => {}
            }
        }
        q
    }
}

impl Model<f64> {
    /// The same model over another scalar; the same numbers in every lane.
    pub fn cast<T: Real>(&self) -> Model<T> {
        let mut model = Model {
            topology: Arc::clone(&self.topology),
            links: vec![Link::default(); self.links.len()],
            rigid: vec![RigidInertia::zero(); self.rigid.len()],
            rotors: vec![Spin::default(); self.rotors.len()],
            armature: vec![T::zero(); self.armature.len()],
            tips: Vec::new(),
            planar: None,
            bodies: vec![Body::default(); self.bodies.len()],
            roots: vec![RootPlacement::default(); self.roots.len()],
            gravity: Vec3::zero(),
            rerooted: self.rerooted.as_ref().map(|r| Box::new(r.with_model(r.model.cast()))),
        };
        let numbers = self.numbers();
        model.set_numbers(&mut numbers.iter().map(|&x| T::from_f64(x)));
        model.scale_pivot_limits();
        model
    }

    /// The models of several instances side by side: lane `i` has the numbers of `instances[i]`.
    ///
    /// Every lane then computes the bits that its instance computes alone.
    ///
    /// # Errors
    /// [`TreeError::WrongNumberOfInstances`] unless there is one instance per lane, and
    /// [`TreeError::DifferentTopology`] if the instances differ in bodies, joints or coordinates, in
    /// which wheels are balanced, or in the body that forward dynamics eliminates towards.
    pub fn pack<T: Real>(instances: &[&Model<f64>]) -> Result<Model<T>, TreeError> {
        let wrong =
            TreeError::WrongNumberOfInstances { lanes: T::LANES, instances: instances.len() };
        let Some(first) = instances.first().filter(|_| instances.len() == T::LANES) else {
            return Err(wrong);
        };
        let mut topology = Arc::clone(&first.topology);
        for (i, other) in instances.iter().enumerate().skip(1) {
            topology = Topology::merged(&topology, &other.topology)
                .ok_or(TreeError::DifferentTopology { instance: i })?;
        }
        let numbers: Vec<Vec<f64>> = instances.iter().map(|m| m.numbers()).collect();
        let mut model = first.cast::<T>();
        model.topology = topology;
        let count = numbers[0].len();
        model.set_numbers(&mut (0..count).map(|k| T::from_lanes(|i| numbers[i][k])));
        model.scale_pivot_limits();
        if let Some(rerooted) = &first.rerooted {
            let inner = |(i, m): (usize, &&Model<f64>)| {
                let same = m.rerooted.as_ref().filter(|r| r.roots().eq(rerooted.roots()));
                let same = same.ok_or(TreeError::DifferentTopology { instance: i })?;
                Ok(same.model.clone())
            };
            let inner: Result<Vec<Model<f64>>, TreeError> =
                instances.iter().enumerate().map(inner).collect();
            let inner = inner?;
            let packed = Model::pack(&inner.iter().collect::<Vec<_>>())?;
            model.rerooted = Some(Box::new(rerooted.with_model(packed)));
        } else if let Some(i) = instances.iter().position(|m| m.rerooted.is_some()) {
            return Err(TreeError::DifferentTopology { instance: i });
        }
        Ok(model)
    }
}

impl<T: Real> Model<T> {
    /// Whether two instances can be side by side in the lanes of one model ([`pack`](Model::pack),
    /// [`set_lane`](Model::set_lane)).
    pub fn goes_with(&self, other: &Model<T>) -> bool {
        let inner = match (&self.rerooted, &other.rerooted) {
            (None, None) => true,
            (Some(own), Some(other)) => {
                own.roots().eq(other.roots()) && own.model.goes_with(&other.model)
            }
            _ => false,
        };
        inner && Topology::merged(&self.topology, &other.topology).is_some()
    }

    /// Puts another instance into a lane; the other lanes stay as they are, to the last bit.
    ///
    /// Workspaces of the model go on serving it.
    ///
    /// # Errors
    /// [`TreeError::WrongNumberOfInstances`] if there is no such lane, [`TreeError::DifferentTopology`] as
    /// [`pack`](Model::pack); the model is then as it was.
    pub fn set_lane(&mut self, lane: usize, instance: &Model<f64>) -> Result<(), TreeError> {
        if lane >= T::LANES {
            let instances = lane + 1;
            return Err(TreeError::WrongNumberOfInstances { lanes: T::LANES, instances });
        }
        let different = TreeError::DifferentTopology { instance: lane };
        let Some(topology) = Topology::merged(&self.topology, &instance.topology) else {
            return Err(different);
        };
        match (&mut self.rerooted, &instance.rerooted) {
            (None, None) => {}
            (Some(own), Some(other)) if own.roots().eq(other.roots()) => {
                own.model.set_lane(lane, &other.model)?;
            }
            _ => return Err(different),
        }
        self.topology = topology;
        self.set_lane_numbers(lane, &instance.numbers());
        let ratio = T::from_f64(T::EPSILON / f64::EPSILON);
        let here = Mask::from_fn(T::LANES, |i| i == lane);
        for link in &mut self.links {
            link.pivot_limit = T::select(here, link.pivot_limit * ratio, link.pivot_limit);
        }
        self.derive();
        Ok(())
    }

    /// Fills what follows from the other numbers.
    pub(crate) fn derive(&mut self) {
        self.links.iter_mut().for_each(Link::derive);
        let tips = self.topology.links.iter().zip(&self.links);
        self.tips = tips.filter(|(s, _)| s.role == Role::Tip).map(|(_, l)| Tip::new(l)).collect();
        self.planar = Planar::of(&self.topology.links, &self.links);
    }

    /// Pivot limits that came from `f64` are limits of rounding in `f64`.
    fn scale_pivot_limits(&mut self) {
        let ratio = T::from_f64(T::EPSILON / f64::EPSILON);
        self.links.iter_mut().for_each(|link| link.pivot_limit *= ratio);
        self.derive();
    }
}

impl<T: Real> Default for Body<T> {
    fn default() -> Self {
        Body {
            placement: Transform::identity(),
            mass: T::zero(),
            centre: Vec3::zero(),
            inertia: Sym3::zero(),
        }
    }
}
