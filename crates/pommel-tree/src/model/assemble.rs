//! From elements to links: frames, coordinates, inertias.

use std::sync::Arc;

use pommel_math::{Mat3, Real, RigidInertia, Sym3, Transform, Vec3};

use super::elements::{Element, Motion};
use super::joint::BodySpec;
use super::limits::set_pivot_limits;
use super::link::{Derived, LumpedInertia};
use super::lump::lump;
use super::placement::{Decomposition, decompose, rotation_z, z_to};
use super::roles;
use super::topology::{BodyShape, Topology};
use super::{Body, Link, LinkKind, LinkShape, Model, Role, RootPlacement, Screw, Spin};
use crate::TreeError;

/// A link while it is being built.
pub(super) struct Draft<T> {
    pub(super) shape: LinkShape,
    /// the joint frame (z along the axis) in that of the carrying link
    decomposition: Option<Decomposition<T>>,
    pub(super) children: Vec<usize>,
    pitch: T,
}

/// The model of elements that stand parents first, chains together.
pub(super) fn assemble<T: Real>(
    specs: &[BodySpec<T>],
    elements: &[Element<T>],
    (nq, nv): (usize, usize),
    gravity: Vec3<T>,
) -> Result<Model<T>, TreeError> {
    let mut roots: Vec<RootPlacement<T>> = Vec::new();
    let mut drafts: Vec<Draft<T>> = Vec::new();
    let mut rotors: Vec<Spin<T>> = Vec::new();
    let mut armature = vec![T::zero(); nv];
    // for each element the link that carries it (none for the ground), and its frame in the joint
    // frame of that link (in world, without one)
    let mut carriers: Vec<(Option<u32>, Transform<T>)> = Vec::new();

    for element in elements {
        let name = &specs[element.owner].name;
        let (carrier, parent_placement) =
            element.parent.map_or((None, Transform::identity()), |p| carriers[p]);
        let joint_in_carrier = parent_placement * element.in_parent;
        let Some((kind, align, pitch)) = kind(element.motion) else {
            carriers.push((carrier, joint_in_carrier * element.in_child.inverse()));
            continue;
        };
        let align = Transform::new(align, Vec3::zero());
        let (connection, placement) = match kind {
            LinkKind::Free => (Transform::identity(), Transform::identity()),
            _ => (joint_in_carrier * align, align.inverse() * element.in_child.inverse()),
        };
        let root = carrier.is_none().then(|| {
            roots.push(RootPlacement { world: connection, gravity: Vec3::zero() });
            roots.len() as u32 - 1
        });
        let index = drafts.len();
        let decomposition = match carrier {
            Some(_) => Some(
                decompose(connection)
                    .ok_or_else(|| TreeError::NotDifferentiable { body: name.clone() })?,
            ),
            None => None,
        };
        if let Some(c) = carrier {
            drafts[c as usize].children.push(index);
        }
        armature[element.v..][..element.armature.len()].copy_from_slice(&element.armature);
        let mut rotor = None;
        if let Some(given) = element.rotor {
            let coupling = given.ratio * given.inertia;
            armature[element.v] = given.ratio.mul_add(coupling, armature[element.v]);
            if carrier.is_some() {
                let r = aligned::<T>(given.axis);
                let axis = align.rotation.transpose_mul(Vec3::new(r.x.z, r.y.z, r.z.z));
                let (sin, cos) = decomposition.map_or(T::zero(), |x| x.theta).sin_cos();
                rotors.push(Spin { coupling, axis: rotation_z(sin, cos) * axis });
                rotor = Some(rotors.len() as u32 - 1);
            }
        }
        drafts.push(Draft {
            shape: LinkShape {
                kind,
                role: Role::Single,
                parent: carrier,
                root,
                q: element.q as u32,
                v: element.v as u32,
                body: element.owner as u32,
                turn: 0,
                slot: 0,
                rotor,
                geared: !element.armature.is_empty() || element.rotor.is_some(),
                after_slide: false,
                follows: false,
                keeps: false,
                sole: false,
                has_sole: false,
                arrives_first: false,
                has_branch: false,
                has_offset: false,
            },
            decomposition,
            children: Vec::new(),
            pitch: T::from_f64(pitch),
        });
        carriers.push((Some(index as u32), placement));
    }

    let gauges: Vec<(T, T)> = drafts.iter().map(|d| gauge(d, &drafts)).collect();
    let mut links: Vec<Link<T>> = Vec::new();
    for (i, draft) in drafts.iter_mut().enumerate() {
        links.push(finish_link(draft, &gauges, i));
    }
    let mut shapes: Vec<Option<BodyShape>> = vec![None; specs.len()];
    let mut bodies = vec![Body::default(); specs.len()];
    let mut rigid = vec![RigidInertia::zero(); links.len()];
    for (element, &(link, placement)) in elements.iter().zip(&carriers) {
        let Some(carried) = element.carried else { continue };
        let spec = &specs[carried];
        let into_frame = match link {
            Some(l) => own_offset(gauges[l as usize]).inverse(),
            None => Transform::identity(),
        };
        let [xx, yy, zz, xy, xz, yz] = spec.inertia;
        let body = Body {
            placement: into_frame * placement,
            mass: spec.mass,
            centre: spec.centre,
            inertia: Sym3 { xx, yy, zz, xy, xz, yz },
        };
        if let Some(l) = link {
            let own = RigidInertia::from_centroidal(body.mass, body.centre, body.inertia);
            rigid[l as usize] += own.to_parent(body.placement);
            let sum = &mut links[l as usize].inertia;
            // second moments directly, not as differences of moments of inertia
            let part = LumpedInertia::from_rigid(own.to_parent(body.placement));
            sum.mass += part.mass;
            sum.first_moment += part.first_moment;
            sum.second_moment += part.second_moment;
        }
        shapes[carried] = Some(BodyShape { name: spec.name.clone(), parent: spec.parent, link });
        bodies[carried] = body;
    }
    roles::set_structure(&mut drafts);
    let mut link_shapes: Vec<LinkShape> = drafts.iter().map(|d| d.shape).collect();
    set_pivot_limits(&link_shapes, &mut links);
    roles::find_wheels(&mut link_shapes, &links);
    lump(&link_shapes, &mut links);
    roles::number(&mut link_shapes);

    let shapes = shapes.into_iter().flatten().collect();
    let topology = Topology { links: link_shapes, bodies: shapes, nq, nv };
    let mut model = Model {
        topology: Arc::new(topology),
        links,
        rigid,
        rotors,
        armature,
        tips: Vec::new(),
        planar: None,
        rerooted: None,
        bodies,
        roots,
        gravity: Vec3::zero(),
    };
    model.set_gravity(gravity);
    model.derive();
    Ok(model)
}

/// The kind of a motion, the rotation that takes z to its axis, and its pitch; none for no motion.
fn kind<T: Real>(motion: Motion) -> Option<(LinkKind, Mat3<T>, f64)> {
    Some(match motion {
        Motion::Fixed => return None,
        Motion::Turn(axis) => (LinkKind::Revolute, aligned(axis), 0.0),
        Motion::Slide(axis) => (LinkKind::Prismatic, aligned(axis), 0.0),
        Motion::Screw(axis, pitch) => (LinkKind::Helical, aligned(axis), pitch),
        Motion::Ball => (LinkKind::Ball, Mat3::identity(), 0.0),
        Motion::Free => (LinkKind::Free, Mat3::identity(), 0.0),
    })
}

/// A rotation that takes z to a joint axis; the axis was checked when the body was added.
fn aligned<T: Real>(axis: [f64; 3]) -> Mat3<T> {
    z_to(axis).unwrap_or_else(Mat3::identity).cast(T::from_f64)
}

/// The screw `(φ, s)` by which a link's frame is moved along its axis, so that its first child
/// needs no screw of its own; at a tip, so that it needs no slide.
fn gauge<T: Real>(draft: &Draft<T>, drafts: &[Draft<T>]) -> (T, T) {
    if draft.shape.kind.is_whole() {
        return (T::zero(), T::zero());
    }
    match (draft.children.first(), draft.decomposition) {
        (Some(&child), _) => {
            drafts[child].decomposition.map_or((T::zero(), T::zero()), |d| (d.phi, d.s))
        }
        (None, Some(own)) => (T::zero(), -own.d),
        (None, None) => (T::zero(), T::zero()),
    }
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
    Link {
        screw,
        inertia: LumpedInertia::default(),
        pivot_limit: zero,
        pitch: draft.pitch,
        derived: Derived::default(),
    }
}
