//! A description that has been found sound, with what follows from it.

use crate::description::{Description, Joint, JointType};
use crate::error::ModelError;
use crate::fault::{Fault, FaultKind, Severity};
use crate::options::LoadOptions;
use crate::path::push_key;
use crate::read::{Draft, draft, draft_of_file, parse_json, parse_toml, parse_urdf};
use crate::rotation::{normalised, normalised_quaternion};
use crate::state::ResolvedState;
use crate::topology::span;
use crate::validate::{Validator, validate};
use std::ops::Range;
use std::path::Path;

/// A sound mechanism: its description and the tree that its joints span. Immutable.
///
/// Bodies and joints are counted from 0 in the order of the file; ground is `None`. Each body has
/// one tree joint, which has it as `child`: the first that reaches it when the joints are swept in
/// file order, again and again, from bodies that hang on ground already. The other joints close
/// loops. Only tree joints have coordinates, numbered in file order.
#[derive(Debug, Clone)]
pub struct Mechanism {
    description: Description,
    bodies: Vec<ResolvedBody>,
    joints: Vec<ResolvedJoint>,
    order: Vec<usize>,
    nq: usize,
    nv: usize,
    warnings: Vec<Fault>,
    initial: ResolvedState,
}

/// Where a body is in the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedBody {
    /// The joint that carries it.
    pub tree_joint: usize,
    /// The body that it hangs on; none for ground.
    pub parent: Option<usize>,
    /// Whether only fixed joints are between it and ground, so that it never moves.
    pub grounded: bool,
}

/// A joint with its names resolved and its axes normalised.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedJoint {
    /// What the joint lets its child do.
    pub joint_type: JointType,
    /// Body on the parent side; none for ground.
    pub parent: Option<usize>,
    /// Body on the child side; none for ground.
    pub child: Option<usize>,
    /// Whether the joint closes a loop instead of carrying its child.
    pub closes_loop: bool,
    /// Unit axis in the joint frame.
    pub axis: [f64; 3],
    /// Unit second axis of a universal joint, in the frame after the first rotation; else zero.
    pub axis2: [f64; 3],
    /// Pitch of a helical joint, m/rad; else zero.
    pub pitch: f64,
    /// Where its coordinates are in `q`; empty for joints that close loops.
    pub q: Range<usize>,
    /// Where its velocities are in `v`, and its forces in `tau`; empty for joints that close loops.
    pub v: Range<usize>,
}

impl Mechanism {
    /// Checks a description and resolves it.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] with every fault.
    pub fn new(description: Description) -> Result<Self, ModelError> {
        Self::build(Draft { description, ..Draft::default() })
    }

    /// Reads and checks a TOML model.
    ///
    /// # Errors
    /// [`ModelError::Syntax`], or [`ModelError::Invalid`] with every fault, path and line.
    pub fn from_toml_str(text: &str) -> Result<Self, ModelError> {
        Self::build(draft(parse_toml(text)?)?)
    }

    /// Reads and checks a JSON model.
    ///
    /// # Errors
    /// [`ModelError::Syntax`], or [`ModelError::Invalid`] with every fault and path.
    pub fn from_json_str(text: &str) -> Result<Self, ModelError> {
        Self::build(draft(parse_json(text)?)?)
    }

    /// Reads and checks a URDF model; see [`Description::from_urdf_str`].
    ///
    /// # Errors
    /// [`ModelError::Syntax`], or [`ModelError::Invalid`] with every fault and path.
    pub fn from_urdf_str(text: &str) -> Result<Self, ModelError> {
        Self::build(parse_urdf(text)?)
    }

    /// Reads and checks a model file: `.toml`, `.json` or `.urdf`.
    ///
    /// # Errors
    /// [`ModelError::Read`], [`ModelError::Format`], [`ModelError::Syntax`] or
    /// [`ModelError::Invalid`] with every fault.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::from_path_with(path, &LoadOptions::default())
    }

    /// As [`Mechanism::from_path`], with options.
    ///
    /// # Errors
    /// As [`Mechanism::from_path`].
    pub fn from_path_with(
        path: impl AsRef<Path>,
        options: &LoadOptions,
    ) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let mut draft = draft_of_file(path)?;
        let build = || {
            draft.description = options.apply(std::mem::take(&mut draft.description))?;
            Self::build(draft)
        };
        build().map_err(|error| error.in_file(path))
    }

    fn build(draft: Draft) -> Result<Self, ModelError> {
        let Draft { mut description, lines, faults } = draft;
        description.gravity = Some(description.gravity());
        let mut validator = validate(&description, &lines);
        let topology = span(&description);
        if let Err(found) = &topology {
            for (path, kind) in found {
                validator.push(path.clone(), kind.clone());
            }
        }
        if let Ok(topology) = &topology {
            loop_states(&description, &topology.tree_joint, &mut validator);
        }
        let mut all = faults;
        all.extend(validator.finish());
        let topology = match topology {
            Ok(topology) if all.iter().all(|fault| fault.severity() == Severity::Warning) => {
                topology
            }
            _ => return Err(ModelError::Invalid { path: None, faults: all }),
        };

        let planar = description.is_planar();
        let (mut nq, mut nv) = (0, 0);
        let joints: Vec<_> = (0..description.joints.len())
            .map(|j| {
                let (parent, child) = topology.ends[j];
                let closes_loop = child.is_none_or(|child| topology.tree_joint[child] != j);
                let mut joint = resolve(&description.joints[j], parent, child, closes_loop);
                let kind = joint.joint_type;
                joint.q = nq..nq + if closes_loop { 0 } else { kind.nq(planar) };
                joint.v = nv..nv + if closes_loop { 0 } else { kind.nv(planar) };
                (nq, nv) = (joint.q.end, joint.v.end);
                joint
            })
            .collect();
        let mut bodies: Vec<_> = topology
            .tree_joint
            .iter()
            .map(|&j| ResolvedBody { tree_joint: j, parent: joints[j].parent, grounded: false })
            .collect();
        for &body in &topology.order {
            let fixed = joints[bodies[body].tree_joint].joint_type == JointType::Fixed;
            bodies[body].grounded =
                fixed && bodies[body].parent.is_none_or(|parent| bodies[parent].grounded);
        }
        let initial = initial_state(&description, &joints, nq, nv);
        Ok(Self {
            description,
            bodies,
            joints,
            order: topology.order,
            nq,
            nv,
            warnings: all,
            initial,
        })
    }

    /// What the file says.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The description, for a change.
    pub fn into_description(self) -> Description {
        self.description
    }

    /// Name of the mechanism.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// Whether this is a planar mechanism.
    pub fn is_planar(&self) -> bool {
        self.description.is_planar()
    }

    /// Gravitational acceleration in world axes, m/s².
    pub fn gravity(&self) -> [f64; 3] {
        self.description.gravity()
    }

    /// The bodies as resolved; their data are in [`Description::bodies`] under the same index.
    pub fn bodies(&self) -> &[ResolvedBody] {
        &self.bodies
    }

    /// The joints as resolved; their data are in [`Description::joints`] under the same index.
    pub fn joints(&self) -> &[ResolvedJoint] {
        &self.joints
    }

    /// Indices of the bodies, parent before child.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Indices of the joints that carry bodies, in file order.
    pub fn tree_joints(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(|&joint| !self.joints[joint].closes_loop)
    }

    /// Indices of the joints that close loops, in file order.
    pub fn loop_joints(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(|&joint| self.joints[joint].closes_loop)
    }

    /// Whether nothing constrains the coordinates: no loops, constraints or drivers.
    pub fn is_tree(&self) -> bool {
        self.loop_joints().next().is_none()
            && self.description.constraints.is_empty()
            && self.description.drivers.is_empty()
    }

    /// Number of position coordinates of the tree.
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Number of velocity coordinates of the tree.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Names of the position coordinates: the joint's name, with a suffix if it has several.
    pub fn coordinate_names(&self) -> Vec<String> {
        self.names(JointType::coordinate_suffixes)
    }

    /// Names of the velocity coordinates: the joint's name, with a suffix if it has several.
    pub fn velocity_names(&self) -> Vec<String> {
        self.names(JointType::velocity_suffixes)
    }

    fn names(&self, suffixes: fn(JointType, bool) -> &'static [&'static str]) -> Vec<String> {
        let planar = self.is_planar();
        self.tree_joints()
            .flat_map(|joint| {
                let name = &self.description.joints[joint].name;
                let suffixes = suffixes(self.joints[joint].joint_type, planar);
                suffixes.iter().map(move |suffix| format!("{name}{suffix}"))
            })
            .collect()
    }

    /// Mass of all bodies that are not fixed to ground, kg.
    pub fn total_mass(&self) -> f64 {
        let bodies = self.bodies.iter().zip(&self.description.bodies);
        bodies.filter(|(at, _)| !at.grounded).map(|(_, body)| body.mass).sum()
    }

    /// What looks suspicious but forbids nothing, such as inertias that no body has.
    pub fn warnings(&self) -> &[Fault] {
        &self.warnings
    }

    /// The initial state: as given in the file, else zero and identity orientations; a free joint
    /// starts where its body is placed. No applied forces.
    ///
    /// Where the file places bodies with other joints, their joint coordinates follow from the
    /// placements, which takes kinematics: `pommel::initial_state` has it.
    pub fn initial_state(&self) -> &ResolvedState {
        &self.initial
    }

    /// Digest of the description; see [`Description::digest`].
    pub fn digest(&self) -> String {
        self.description.digest()
    }
}

/// States given for joints that have no coordinates.
fn loop_states(description: &Description, tree_joint: &[usize], validator: &mut Validator<'_>) {
    let initial = &description.initial;
    for (list, map) in [("initial.q", &initial.q), ("initial.v", &initial.v)] {
        for name in map.keys() {
            let Some(joint) = description.joint_index(name) else { continue };
            if !tree_joint.contains(&joint) {
                let mut path = list.to_owned();
                push_key(&mut path, name);
                validator.push(path, FaultKind::LoopJoint { joint: name.clone() });
            }
        }
    }
}

fn resolve(
    joint: &Joint,
    parent: Option<usize>,
    child: Option<usize>,
    closes_loop: bool,
) -> ResolvedJoint {
    ResolvedJoint {
        joint_type: joint.joint_type,
        parent,
        child,
        closes_loop,
        axis: normalised(joint.axis).unwrap_or([0.0, 0.0, 1.0]),
        axis2: joint.axis2.and_then(normalised).unwrap_or_default(),
        pitch: joint.pitch.unwrap_or_default(),
        q: 0..0,
        v: 0..0,
    }
}

fn initial_state(
    description: &Description,
    joints: &[ResolvedJoint],
    nq: usize,
    nv: usize,
) -> ResolvedState {
    let planar = description.is_planar();
    let mut state = ResolvedState {
        q: vec![0.0; nq],
        v: vec![0.0; nv],
        tau: vec![0.0; nv],
        wrenches: vec![[0.0; 6]; description.bodies.len()],
    };
    for (resolved, joint) in joints.iter().zip(&description.joints) {
        if resolved.closes_loop {
            continue;
        }
        let (q, v) = (&mut state.q[resolved.q.clone()], &mut state.v[resolved.v.clone()]);
        let quaternion = resolved.joint_type.quaternion_offset(planar);
        if let Some(at) = quaternion {
            q[at] = 1.0;
        }
        if let (JointType::Free, Some(body)) = (resolved.joint_type, resolved.child) {
            free_start(&description.bodies[body], planar, q, v);
        }
        if let Some(given) = description.initial.q.get(&joint.name) {
            q.copy_from_slice(given.as_slice());
        }
        if let Some(given) = description.initial.v.get(&joint.name) {
            v.copy_from_slice(given.as_slice());
        }
        if let Some(at) = quaternion {
            normalise(&mut q[at..at + 4]);
        }
    }
    state
}

/// Normalises a quaternion in place.
pub(crate) fn normalise(quaternion: &mut [f64]) {
    if let [w, x, y, z] = *quaternion
        && let Some(unit) = normalised_quaternion([w, x, y, z])
    {
        quaternion.copy_from_slice(&unit);
    }
}

/// Coordinates of a free joint from the placement of its body.
fn free_start(body: &crate::Body, planar: bool, q: &mut [f64], v: &mut [f64]) {
    let velocity = body.velocity.unwrap_or_default();
    let rate = body.angular_velocity.map(|rate| rate.vector()).unwrap_or_default();
    if planar {
        v.copy_from_slice(&[velocity[0], velocity[1], rate[2]]);
    } else {
        v[..3].copy_from_slice(&rate);
        v[3..].copy_from_slice(&velocity);
    }
    let Some(frame) = body.placement() else { return };
    if planar {
        let rotation = frame.rotation();
        let angle = frame.angle.unwrap_or_else(|| rotation[1][0].atan2(rotation[0][0]));
        q.copy_from_slice(&[frame.position[0], frame.position[1], angle]);
    } else {
        q[..3].copy_from_slice(&frame.position);
        // a quaternion given as such keeps its digits and its sign
        q[3..].copy_from_slice(&frame.quaternion.unwrap_or_else(|| frame.unit_quaternion()));
    }
}
