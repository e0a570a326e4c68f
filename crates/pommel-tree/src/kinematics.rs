//! Where the bodies are and how they move.

use pommel_math::{Kernel, Quaternion, Real, Transform, Twist, Vec3, dispatch};

use crate::model::{Link, LinkKind, LinkShape};
use crate::{Model, Workspace, screw};

/// Placement and velocity of a body, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct BodyMotion<T> {
    /// The body frame in world: rotation body → world, position of the origin, m.
    pub placement: Transform<T>,
    /// Position of the mass centre, m.
    pub centre: Vec3<T>,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec3<T>,
    /// Velocity of the mass centre, m/s.
    pub velocity: Vec3<T>,
}

impl<T: Real> Default for BodyMotion<T> {
    /// At rest at the origin.
    fn default() -> Self {
        BodyMotion {
            placement: Transform::identity(),
            centre: Vec3::zero(),
            angular_velocity: Vec3::zero(),
            velocity: Vec3::zero(),
        }
    }
}

/// Placements and velocities of all bodies.
///
/// # Arguments
/// - `q`, `v` positions and velocities as in [`forward_dynamics`](crate::forward_dynamics)
/// - `bodies` **out**, length [`body_count`](Model::body_count)
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of joints; no allocation.
pub fn forward_kinematics<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    bodies: &mut [BodyMotion<T>],
) {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(v.len(), model.nv(), "v must have the model's nv entries");
    assert_eq!(bodies.len(), model.body_count(), "one motion per body");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    dispatch(ForwardKinematics { model, workspace, q, v, bodies });
}

struct ForwardKinematics<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    v: &'a [T],
    bodies: &'a mut [BodyMotion<T>],
}

impl<T: Real> Kernel for ForwardKinematics<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let ForwardKinematics { model, workspace: ws, q, v, bodies } = self;
        place_links(model, ws, q);
        move_links::<T, true>(model, ws, v);
        for (i, out) in bodies.iter_mut().enumerate() {
            let data = &model.bodies[i];
            *out = match model.topology.bodies[i].link {
                Some(link) => {
                    let world = ws.placements[link as usize];
                    let origin = ws.origins[link as usize];
                    let relative = world * data.placement;
                    let Twist { angular, linear } = ws.rates[link as usize];
                    let centre = data.placement.point_to_parent(data.centre);
                    let position = origin + relative.translation;
                    BodyMotion {
                        placement: Transform::new(relative.rotation, position),
                        centre: origin + world.point_to_parent(centre),
                        angular_velocity: world.rotation * angular,
                        velocity: world.rotation * angular.cross_add(centre, linear),
                    }
                }
                None => BodyMotion {
                    placement: data.placement,
                    centre: data.placement.point_to_parent(data.centre),
                    ..BodyMotion::default()
                },
            };
        }
    }
}

/// The placement of a link in its parent; of a root its orientation in world and its place relative
/// to its [`root_origin`].
#[inline(always)]
pub(crate) fn link_in_parent<T: Real>(
    model: &Model<T>,
    shape: LinkShape,
    link: &Link<T>,
    q: &[T],
) -> Transform<T> {
    let x = &link.screw;
    let q = &q[shape.q as usize..];
    let inner = match shape.kind {
        LinkKind::Revolute | LinkKind::Helical => {
            let (sin, cos) = (q[0] + x.theta).sin_cos();
            let d = match shape.kind {
                LinkKind::Helical => link.pitch.mul_add(q[0], x.d),
                _ => x.d,
            };
            screw::transform(shape, x, sin, cos, d)
        }
        LinkKind::Prismatic => screw::transform(shape, x, x.sin_theta, x.cos_theta, x.d + q[0]),
        LinkKind::Ball => {
            let turned = Transform::new(Quaternion::from_slice(q).rotation(), Vec3::zero());
            screw::constant_transform(shape, x) * turned
        }
        LinkKind::Free => Transform::new(Quaternion::from_slice(&q[3..]).rotation(), Vec3::zero()),
    };
    on_ground(model, shape, inner)
}

/// The placement of a link of which `inner` is that in its parent, or in the frame on the ground
/// in which its joint moves: then in world axes, relative to its [`root_origin`].
#[inline(always)]
pub(crate) fn on_ground<T: Real>(
    model: &Model<T>,
    shape: LinkShape,
    inner: Transform<T>,
) -> Transform<T> {
    match shape.root {
        Some(root) => {
            let world = model.roots[root as usize].world.rotation;
            Transform::new(world * inner.rotation, world * inner.translation)
        }
        None => inner,
    }
}

/// The point about which the tree of a root is described, in world: the origin of a free body, or
/// that of the joint frame on the ground.
#[inline(always)]
pub(crate) fn root_origin<T: Real>(model: &Model<T>, shape: LinkShape, q: &[T]) -> Vec3<T> {
    match (shape.kind, shape.root) {
        (LinkKind::Free, _) => Vec3::from_slice(&q[shape.q as usize..]),
        (_, Some(root)) => model.roots[root as usize].world.translation,
        (_, None) => Vec3::zero(),
    }
}

/// Fills `ws.placements`, relative to the origin of each tree's root, and `ws.origins`: a robot far
/// from the origin of world keeps its digits.
#[inline(always)]
pub(crate) fn place_links<T: Real>(model: &Model<T>, ws: &mut Workspace<T>, q: &[T]) {
    for (i, &shape) in model.topology.links.iter().enumerate() {
        let local = link_in_parent(model, shape, &model.links[i], q);
        ws.locals[i] = local;
        (ws.placements[i], ws.origins[i]) = match shape.parent {
            Some(p) => (ws.placements[p as usize] * local, ws.origins[p as usize]),
            None => (local, root_origin(model, shape, q)),
        };
    }
}

/// Fills `ws.rates` with the twists of the placed links about their origins, in link axes; without
/// `ROOTS` relative to the linear velocity of their root, which then is in `ws.root_velocities`.
#[inline(always)]
pub(crate) fn move_links<T: Real, const ROOTS: bool>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    v: &[T],
) {
    for (i, &shape) in model.topology.links.iter().enumerate() {
        let own = &v[shape.v as usize..];
        let mut twist = match shape.parent {
            // not from placements in world, which may be far away
            Some(p) => ws.locals[i].twist_to_child(ws.rates[p as usize]),
            None => Twist::zero(),
        };
        ws.root_velocities[i] = Vec3::zero();
        match shape.kind {
            LinkKind::Revolute => twist.angular.z += own[0],
            LinkKind::Prismatic => twist.linear.z += own[0],
            LinkKind::Helical => {
                twist.angular.z += own[0];
                twist.linear.z = model.links[i].pitch.mul_add(own[0], twist.linear.z);
            }
            LinkKind::Ball => twist.angular += Vec3::from_slice(own),
            LinkKind::Free => {
                let rotation = ws.placements[i].rotation;
                twist.angular = rotation.transpose_mul(Vec3::from_slice(own));
                let linear = Vec3::from_slice(&own[3..]);
                if ROOTS {
                    twist.linear = rotation.transpose_mul(linear);
                } else {
                    ws.root_velocities[i] = linear;
                }
            }
        }
        ws.rates[i] = twist;
    }
}

/// The time derivative of `q` for the velocities `v`.
///
/// # Arguments
/// - `q`   positions, length [`nq`](Model::nq)
/// - `v`   velocities, length [`nv`](Model::nv)
/// - `qd`  **out**, length [`nq`](Model::nq); a quaternion's rate is `½ (0, ω) ∘ q` for a free body
///   (`ω` in world axes) and `½ q ∘ (0, ω)` for a spherical joint (`ω` in child axes)
///
/// # Panics
/// If a slice has another length than stated.
pub fn position_rate<T: Real>(model: &Model<T>, q: &[T], v: &[T], qd: &mut [T]) {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(v.len(), model.nv(), "v must have the model's nv entries");
    assert_eq!(qd.len(), model.nq(), "qd must have the model's nq entries");
    dispatch(PositionRate { model, q, v, qd });
}

struct PositionRate<'a, T> {
    model: &'a Model<T>,
    q: &'a [T],
    v: &'a [T],
    qd: &'a mut [T],
}

impl<T: Real> Kernel for PositionRate<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let PositionRate { model, q, v, qd } = self;
        for shape in &model.topology.links {
            let (iq, iv) = (shape.q as usize, shape.v as usize);
            match shape.kind {
                LinkKind::Revolute | LinkKind::Prismatic | LinkKind::Helical => qd[iq] = v[iv],
                LinkKind::Ball => {
                    let omega = Vec3::from_slice(&v[iv..]);
                    let rate = Quaternion::from_slice(&q[iq..]).rate_in_body(omega);
                    rate.write_to(&mut qd[iq..]);
                }
                LinkKind::Free => {
                    qd[iq..iq + 3].copy_from_slice(&v[iv + 3..iv + 6]);
                    let omega = Vec3::from_slice(&v[iv..]);
                    let rate = Quaternion::from_slice(&q[iq + 3..]).rate(omega);
                    rate.write_to(&mut qd[iq + 3..]);
                }
            }
        }
    }
}

/// Brings the quaternions in `q` back to unit norm, and scales their rates in `qd` with them, so
/// that `qd` stays what [`position_rate`] gives.
///
/// # Panics
/// If a slice is not of length [`nq`](Model::nq).
pub fn normalize<T: Real>(model: &Model<T>, q: &mut [T], qd: &mut [T]) {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(qd.len(), model.nq(), "qd must have the model's nq entries");
    for at in model.topology.quaternions() {
        let quaternion = Quaternion::from_slice(&q[at..]);
        let inverse = quaternion.norm_squared().sqrt().recip();
        quaternion.scale(inverse).write_to(&mut q[at..]);
        Quaternion::from_slice(&qd[at..]).scale(inverse).write_to(&mut qd[at..]);
    }
}

/// The largest distance of a quaternion's norm from one; zero without quaternions.
///
/// # Panics
/// If `q` is not of length [`nq`](Model::nq).
pub fn quaternion_defect<T: Real>(model: &Model<T>, q: &[T]) -> T {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    model.topology.quaternions().fold(T::zero(), |worst, at| {
        let quaternion = Quaternion::from_slice(&q[at..]);
        (quaternion.norm_squared().sqrt() - T::one()).abs().max(worst)
    })
}
