//! From bodies and joints to a model.

use std::sync::Arc;

use pommel_math::{Mask, Mat3, Real, RigidInertia, Sym3, Transform, Vec3};

use super::link::LumpedInertia;
use super::lump::lump;
use super::placement::{Decomposition, decompose, rotation_z, z_to};
use super::topology::{BodyId, BodyShape, Topology};
use super::{Body, Link, LinkKind, LinkShape, Model, RootPlacement, Screw};
use crate::TreeError;
use crate::error::Quantity;

/// How a body moves relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Joint {
    /// Rotation about an axis of the joint frame, which need not have unit length; coordinate rad.
    Revolute {
        /// The axis in the joint frame.
        axis: [f64; 3],
    },
    /// Translation along an axis of the joint frame, which need not have unit length; coordinate m.
    Prismatic {
        /// The axis in the joint frame.
        axis: [f64; 3],
    },
    /// No motion: the body is counted with the body that carries it.
    Fixed,
    /// Free motion relative to the ground.
    ///
    /// Seven positions: origin of the body frame in world axes (m), quaternion `w x y z`
    /// (body → world). Six velocities: angular velocity (rad/s), velocity of the origin (m/s), both
    /// in world axes; accelerations are their time derivatives; forces are the moment about the
    /// origin (N·m) and the force (N), in world axes.
    Free,
}

/// A body, and the joint that carries it.
#[derive(Clone, Debug)]
pub struct BodySpec<T> {
    /// Name, used in error messages.
    pub name: String,
    /// The body that carries it; none for the ground.
    pub parent: Option<BodyId>,
    /// The joint.
    pub joint: Joint,
    /// The joint frame in the parent's frame (in world, on the ground). Not used by a free joint.
    pub in_parent: Transform<T>,
    /// The joint frame, after the motion of the joint, in the frame of this body. Not used by a
    /// free joint.
    pub in_child: Transform<T>,
    /// Mass, kg.
    pub mass: T,
    /// Mass centre in the frame of this body, m.
    pub centre: Vec3<T>,
    /// Inertia tensor about the mass centre, in the axes of this body, kg·m²; its entries `xx, yy,
    /// zz, xy, xz, yz`.
    pub inertia: [T; 6],
    /// First position coordinate and first velocity of the joint in `q` and `v`; none to number on.
    /// Either all bodies say so or none.
    pub coordinates: Option<(usize, usize)>,
}

impl<T: Real> BodySpec<T> {
    /// A massless body with its joint at the parent's origin.
    pub fn new(name: impl Into<String>, parent: Option<BodyId>, joint: Joint) -> Self {
        BodySpec {
            name: name.into(),
            parent,
            joint,
            in_parent: Transform::identity(),
            in_child: Transform::identity(),
            mass: T::zero(),
            centre: Vec3::zero(),
            inertia: [T::zero(); 6],
            coordinates: None,
        }
    }

    /// Sets the joint frame in the parent's frame.
    pub fn placed(mut self, in_parent: Transform<T>) -> Self {
        self.in_parent = in_parent;
        self
    }

    /// Sets mass (kg), mass centre (m) and central inertia (kg·m², `xx, yy, zz, xy, xz, yz`).
    pub fn with_inertia(mut self, mass: T, centre: Vec3<T>, inertia: [T; 6]) -> Self {
        self.mass = mass;
        self.centre = centre;
        self.inertia = inertia;
        self
    }
}

/// Builds a [`Model`] body by body, parents first.
///
/// ```
/// use pommel_tree::pommel_math::Vec3;
/// use pommel_tree::{BodySpec, Joint, TreeBuilder, Workspace, forward_dynamics};
///
/// // a rod of 1 kg that hangs horizontally from a revolute joint, mass centre 1 m from the axis
/// let mut builder = TreeBuilder::<f64>::new();
/// builder.add(
///     BodySpec::new("rod", None, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
///         .with_inertia(1.0, Vec3::new(1.0, 0.0, 0.0), [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
/// )?;
/// builder.gravity(Vec3::new(0.0, -9.81, 0.0));
/// let pendulum = builder.build()?;
///
/// let mut workspace = Workspace::new(&pendulum);
/// let mut qdd = [0.0];
/// forward_dynamics(&pendulum, &mut workspace, &[0.0], &[0.0], &[0.0], None, &mut qdd)?;
/// // −m g l / (I + m l²)
/// assert!((qdd[0] + 4.905).abs() < 1e-15 * 4.905);
/// # Ok::<(), pommel_tree::TreeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TreeBuilder<T> {
    specs: Vec<BodySpec<T>>,
    gravity: Option<Vec3<T>>,
}

/// A link while it is being built.
struct Draft<T> {
    shape: LinkShape,
    /// the joint frame (z along the axis) in that of the carrying link
    decomposition: Option<Decomposition<T>>,
    children: Vec<usize>,
}

impl<T: Real> TreeBuilder<T> {
    /// An empty tree without gravity.
    pub fn new() -> Self {
        TreeBuilder { specs: Vec::new(), gravity: None }
    }

    /// Uniform gravity in world axes, m/s².
    pub fn gravity(&mut self, gravity: Vec3<T>) -> &mut Self {
        self.gravity = Some(gravity);
        self
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`TreeError::UnknownParent`], [`TreeError::ZeroAxis`], [`TreeError::FreeJointNotOnGround`],
    /// [`TreeError::NotFinite`].
    pub fn add(&mut self, spec: BodySpec<T>) -> Result<BodyId, TreeError> {
        if let Some(parent) = spec.parent
            && parent.index() >= self.specs.len()
        {
            return Err(TreeError::UnknownParent {
                body: spec.name,
                parent: parent.index(),
                bodies: self.specs.len(),
            });
        }
        match spec.joint {
            Joint::Revolute { axis } | Joint::Prismatic { axis } => {
                if z_to(axis).is_none() {
                    return Err(TreeError::ZeroAxis { body: spec.name });
                }
            }
            Joint::Free if spec.parent.is_some() => {
                return Err(TreeError::FreeJointNotOnGround { body: spec.name });
            }
            Joint::Free | Joint::Fixed => {}
        }
        if let Some(quantity) = not_finite(&spec) {
            return Err(TreeError::NotFinite { body: spec.name, quantity });
        }
        self.specs.push(spec);
        Ok(BodyId(self.specs.len() as u32 - 1))
    }

    /// The model.
    ///
    /// # Errors
    /// [`TreeError::Coordinates`] if coordinates overlap or leave a gap,
    /// [`TreeError::NotDifferentiable`] for dual numbers at parallel axes.
    pub fn build(self) -> Result<Model<T>, TreeError> {
        let (nq, nv, coordinates) = assign_coordinates(&self.specs)?;
        let mut roots: Vec<RootPlacement<T>> = Vec::new();
        let mut drafts: Vec<Draft<T>> = Vec::new();
        let mut shapes: Vec<BodyShape> = Vec::new();
        // body frames in the joint frame of their link (in world, without one)
        let mut placements: Vec<Transform<T>> = Vec::new();

        for (i, spec) in self.specs.iter().enumerate() {
            let (carrier, parent_placement) = match spec.parent {
                Some(p) => (shapes[p.index()].link, placements[p.index()]),
                None => (None, Transform::identity()),
            };
            let joint_in_carrier = parent_placement * spec.in_parent;
            let (link, placement) = match spec.joint {
                Joint::Fixed => (carrier, joint_in_carrier * spec.in_child.inverse()),
                joint => {
                    let (kind, align) = match joint {
                        Joint::Revolute { axis } => (LinkKind::Revolute, aligned(axis)),
                        Joint::Prismatic { axis } => (LinkKind::Prismatic, aligned(axis)),
                        Joint::Free | Joint::Fixed => (LinkKind::Free, Mat3::identity()),
                    };
                    let align = Transform::new(align, Vec3::zero());
                    let (connection, placement) = match kind {
                        LinkKind::Free => (Transform::identity(), Transform::identity()),
                        _ => (joint_in_carrier * align, align.inverse() * spec.in_child.inverse()),
                    };
                    let root = carrier.is_none().then(|| {
                        let world = connection;
                        roots.push(RootPlacement { world, gravity: Vec3::zero() });
                        roots.len() as u32 - 1
                    });
                    let index = drafts.len();
                    let decomposition = match carrier {
                        Some(_) => Some(decompose(connection).ok_or_else(|| {
                            TreeError::NotDifferentiable { body: spec.name.clone() }
                        })?),
                        None => None,
                    };
                    if let Some(c) = carrier {
                        drafts[c as usize].children.push(index);
                    }
                    drafts.push(Draft {
                        shape: LinkShape {
                            kind,
                            parent: carrier,
                            root,
                            q: coordinates[i].0 as u32,
                            v: coordinates[i].1 as u32,
                            body: i as u32,
                            arrives_first: false,
                            has_branch: false,
                            has_offset: false,
                        },
                        decomposition,
                        children: Vec::new(),
                    });
                    (Some(index as u32), placement)
                }
            };
            shapes.push(BodyShape { name: spec.name.clone(), parent: spec.parent, link });
            placements.push(placement);
        }

        let gauges: Vec<(T, T)> = drafts.iter().map(|d| gauge(d, &drafts)).collect();
        let mut links: Vec<Link<T>> = Vec::new();
        for (i, draft) in drafts.iter_mut().enumerate() {
            links.push(finish_link(draft, &gauges, i));
        }
        let bodies: Vec<Body<T>> = (self.specs.iter().zip(&shapes).zip(&placements))
            .map(|((spec, shape), &placement)| {
                let into_frame = match shape.link {
                    Some(l) => own_offset(gauges[l as usize]).inverse(),
                    None => Transform::identity(),
                };
                let [xx, yy, zz, xy, xz, yz] = spec.inertia;
                Body {
                    placement: into_frame * placement,
                    mass: spec.mass,
                    centre: spec.centre,
                    inertia: Sym3 { xx, yy, zz, xy, xz, yz },
                }
            })
            .collect();

        for i in 0..drafts.len() {
            // the sweep from the tips meets the last child first
            if let Some(&last) = drafts[i].children.last() {
                drafts[last].shape.arrives_first = true;
            }
            // the frame of a link is turned towards its first child, that of a free one towards
            // none; by structure and not by numbers, so that all instances do the same operations
            let towards = usize::from(drafts[i].shape.kind != LinkKind::Free);
            for k in towards..drafts[i].children.len() {
                let child = drafts[i].children[k];
                drafts[child].shape.has_branch = true;
            }
        }
        let link_shapes: Vec<LinkShape> = drafts.iter().map(|d| d.shape).collect();
        for (shape, body) in shapes.iter().zip(&bodies) {
            if let Some(l) = shape.link {
                let rigid = RigidInertia::from_centroidal(body.mass, body.centre, body.inertia);
                let part = LumpedInertia::from_rigid(rigid.to_parent(body.placement));
                let sum = &mut links[l as usize].inertia;
                sum.mass += part.mass;
                sum.first_moment += part.first_moment;
                sum.second_moment += part.second_moment;
            }
        }
        set_pivot_limits(&link_shapes, &mut links);
        lump(&link_shapes, &mut links);

        let topology = Topology { links: link_shapes, bodies: shapes, nq, nv };
        let mut model =
            Model { topology: Arc::new(topology), links, bodies, roots, gravity: Vec3::zero() };
        model.set_gravity(self.gravity.unwrap_or_else(Vec3::zero));
        Ok(model)
    }
}

/// A rotation that takes z to a joint axis; the axis was checked when the body was added.
fn aligned<T: Real>(axis: [f64; 3]) -> Mat3<T> {
    z_to(axis).unwrap_or_else(Mat3::identity).cast(T::from_f64)
}

/// The screw `(φ, s)` by which a link's frame is moved along its axis, so that its first child
/// needs no screw of its own.
fn gauge<T: Real>(draft: &Draft<T>, drafts: &[Draft<T>]) -> (T, T) {
    if draft.shape.kind == LinkKind::Free {
        return (T::zero(), T::zero());
    }
    let first = draft.children.first().and_then(|&c| drafts[c].decomposition);
    first.map_or((T::zero(), T::zero()), |d| (d.phi, d.s))
}

/// The frame of a link in its joint frame: moved along the axis by the gauge.
fn own_offset<T: Real>((phi, s): (T, T)) -> Transform<T> {
    let (sin, cos) = phi.sin_cos();
    Transform::new(rotation_z(sin, cos), Vec3::new(T::zero(), T::zero(), s))
}

fn finish_link<T: Real>(draft: &mut Draft<T>, gauges: &[(T, T)], i: usize) -> Link<T> {
    let (zero, one) = (T::zero(), T::one());
    let mut screw = Screw { cos_alpha: one, cos_theta: one, cos_phi: one, ..Screw::default() };
    let (mut theta, mut d) = gauges[i];
    if let (Some(x), Some(p)) = (draft.decomposition, draft.shape.parent) {
        let (phi, s) = gauges[p as usize];
        screw.a = x.a;
        screw.b = x.b;
        (screw.sin_alpha, screw.cos_alpha) = (x.sin_alpha, x.cos_alpha);
        (screw.sin_phi, screw.cos_phi) = (x.phi - phi).sin_cos();
        screw.s = x.s - s;
        theta += x.theta;
        d += x.d;
        draft.shape.has_offset = (0..T::LANES).any(|i| x.b.lane(i) != 0.0);
    }
    screw.theta = theta;
    (screw.sin_theta, screw.cos_theta) = theta.sin_cos();
    screw.d = d;
    Link { screw, inertia: LumpedInertia::default(), pivot_limit: zero }
}

/// A pivot is compared with the rounding of the inertia that a link can at most feel: that of all
/// bodies beyond it, stretched out. `spread` is `Σ m r²` of them about the link's origin.
fn set_pivot_limits<T: Real>(shapes: &[LinkShape], links: &mut [Link<T>]) {
    let mut mass = vec![T::zero(); links.len()];
    let mut spread = vec![T::zero(); links.len()];
    for i in (0..links.len()).rev() {
        let own = links[i].inertia;
        let p = own.second_moment;
        mass[i] += own.mass.abs();
        spread[i] += p.xx.abs() + p.yy.abs() + p.zz.abs();
        let translating = shapes[i].kind == LinkKind::Prismatic;
        let bound = if translating { mass[i] } else { spread[i] };
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

fn not_finite<T: Real>(spec: &BodySpec<T>) -> Option<Quantity> {
    let mut ok = Mask::all(T::LANES);
    let rotation = |r: Mat3<T>| [r.x, r.y, r.z];
    for frame in [spec.in_parent, spec.in_child] {
        for v in rotation(frame.rotation).into_iter().chain([frame.translation]) {
            v.to_array().into_iter().for_each(|x| ok &= x.is_finite());
        }
    }
    if !ok.is_all(T::LANES) {
        return Some(Quantity::Placement);
    }
    ok &= spec.mass.is_finite();
    spec.centre.to_array().into_iter().chain(spec.inertia).for_each(|x| ok &= x.is_finite());
    (!ok.is_all(T::LANES)).then_some(Quantity::Inertia)
}

/// Numbers of positions and velocities, and each body's first ones.
type Coordinates = (usize, usize, Vec<(usize, usize)>);

fn assign_coordinates<T>(specs: &[BodySpec<T>]) -> Result<Coordinates, TreeError> {
    let size = |spec: &BodySpec<T>| match spec.joint {
        Joint::Revolute { .. } => LinkKind::Revolute.coordinates(),
        Joint::Prismatic { .. } => LinkKind::Prismatic.coordinates(),
        Joint::Free => LinkKind::Free.coordinates(),
        Joint::Fixed => (0, 0),
    };
    let (nq, nv) = specs.iter().map(size).fold((0, 0), |s, n| (s.0 + n.0, s.1 + n.1));
    let mut used = (vec![false; nq], vec![false; nv]);
    let mut next = (0, 0);
    let mut first = Vec::new();
    for spec in specs {
        let (q, v) = spec.coordinates.unwrap_or(next);
        let (n_q, n_v) = size(spec);
        for (used, first, count) in [(&mut used.0, q, n_q), (&mut used.1, v, n_v)] {
            for index in first..first + count {
                match used.get_mut(index) {
                    Some(taken) if !*taken => *taken = true,
                    _ => {
                        let body = Some(spec.name.clone());
                        return Err(TreeError::Coordinates { body, index });
                    }
                }
            }
        }
        next = (q + n_q, v + n_v);
        first.push((q, v));
    }
    Ok((nq, nv, first))
}
