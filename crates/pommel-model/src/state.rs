//! State files: coordinates, velocities, applied forces and wrenches of a mechanism.

use crate::description::OneOrMany;
use crate::error::ModelError;
use crate::fault::{Entity, Fault, FaultKind, suggestion};
use crate::mechanism::{Mechanism, normalise};
use crate::path::{Lines, push_index, push_key};
use crate::read::check::Checker;
use crate::read::{parse_json, read, schema};
use crate::rotation::norm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// What a state file says. What is missing comes from the initial state of the model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Position coordinates: rad, m, unit quaternions (normalised on reading).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<Coordinates>,
    /// Velocities: rad/s, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<Coordinates>,
    /// Applied generalized forces: N·m, N; zero where missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau: Option<Coordinates>,
    /// Wrenches on bodies, `[nx, ny, nz, fx, fy, fz]`: moment about the mass centre and force, in
    /// world axes, N·m and N; zero where missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrenches: Option<Wrenches>,
}

/// Values of coordinates: one list for all, or by joint name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a list of all values, or values by joint name")]
pub enum Coordinates {
    /// All values in the order of the coordinates.
    Flat(Vec<f64>),
    /// A number or a list by joint name.
    ByJoint(BTreeMap<String, OneOrMany<f64>>),
}

/// Wrenches: one list for all bodies, or by body name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a list of all wrenches, or wrenches by body name")]
pub enum Wrenches {
    /// One wrench a body, in the order of the bodies.
    Flat(Vec<[f64; 6]>),
    /// A wrench by body name.
    ByBody(BTreeMap<String, [f64; 6]>),
}

/// A state as arrays in the order of one mechanism.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ResolvedState {
    /// Position coordinates, length `nq`; quaternions have unit norm.
    pub q: Vec<f64>,
    /// Velocities, length `nv`.
    pub v: Vec<f64>,
    /// Applied generalized forces, length `nv`.
    pub tau: Vec<f64>,
    /// One wrench a body: moment about its mass centre, force; world axes.
    pub wrenches: Vec<[f64; 6]>,
}

impl State {
    /// Reads a state from JSON.
    ///
    /// # Errors
    /// [`ModelError::Syntax`], or [`ModelError::Invalid`] with every structural fault.
    pub fn from_json_str(text: &str) -> Result<Self, ModelError> {
        let mut value = parse_json(text)?.value;
        let mut found = Checker::new(schema::state(), false).check(&mut value);
        match serde_path_to_error::deserialize::<_, Self>(&value) {
            Ok(state) if found.is_empty() => return Ok(state),
            Err(error) if found.is_empty() => {
                let message = error.inner().to_string();
                found.push((error.path().to_string(), FaultKind::Rejected { message }));
            }
            _ => {}
        }
        Err(invalid(found))
    }

    /// Reads a state file (JSON).
    ///
    /// # Errors
    /// [`ModelError::Read`], or as [`State::from_json_str`].
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        Self::from_json_str(&read(path)?).map_err(|error| error.in_file(path))
    }

    /// The state as arrays in the order of a mechanism.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] with every unknown name, wrong length and number that is not finite.
    pub fn resolve(&self, mechanism: &Mechanism) -> Result<ResolvedState, ModelError> {
        self.resolve_from(mechanism, mechanism.initial_state())
    }

    /// The state as arrays in the order of a mechanism; what it leaves out is as in another state.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn resolve_from(
        &self,
        mechanism: &Mechanism,
        other: &ResolvedState,
    ) -> Result<ResolvedState, ModelError> {
        let mut state = other.clone();
        let mut faults = Faults(Vec::new());
        faults.fill("q", self.q.as_ref(), mechanism, &mut state.q, |joint| joint.q.clone());
        faults.fill("v", self.v.as_ref(), mechanism, &mut state.v, |joint| joint.v.clone());
        faults.fill("tau", self.tau.as_ref(), mechanism, &mut state.tau, |joint| joint.v.clone());
        faults.quaternions(mechanism, &mut state.q);
        faults.wrenches(self.wrenches.as_ref(), mechanism, &mut state.wrenches);
        if faults.0.is_empty() { Ok(state) } else { Err(invalid(faults.0)) }
    }
}

fn invalid(found: Vec<(String, FaultKind)>) -> ModelError {
    let lines = Lines::default();
    let faults = found
        .into_iter()
        .map(|(path, kind)| Fault { name: None, line: lines.find(&path), path, kind })
        .collect();
    ModelError::Invalid { path: None, faults }
}

struct Faults(Vec<(String, FaultKind)>);

impl Faults {
    /// Copies the values of joints to their places.
    fn fill(
        &mut self,
        key: &str,
        values: Option<&Coordinates>,
        mechanism: &Mechanism,
        into: &mut [f64],
        range: impl Fn(&crate::ResolvedJoint) -> Range<usize>,
    ) {
        match values {
            None => {}
            Some(Coordinates::Flat(values)) => self.copy(key.to_owned(), values, into),
            Some(Coordinates::ByJoint(map)) => {
                for (name, values) in map {
                    let mut path = key.to_owned();
                    push_key(&mut path, name);
                    match mechanism.description().joint_index(name) {
                        None => {
                            let joints = &mechanism.description().joints;
                            let known = joints.iter().map(|joint| joint.name.as_str());
                            self.unknown(path, Entity::Joint, name, known);
                        }
                        Some(joint) if mechanism.joints()[joint].closes_loop => {
                            self.0.push((path, FaultKind::LoopJoint { joint: name.clone() }));
                        }
                        Some(joint) => {
                            let range = range(&mechanism.joints()[joint]);
                            self.copy(path, values.as_slice(), &mut into[range]);
                        }
                    }
                }
            }
        }
    }

    fn unknown<'a>(
        &mut self,
        path: String,
        entity: Entity,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) {
        let suggestion = suggestion(name, known);
        self.0.push((path, FaultKind::UnknownName { entity, name: name.to_owned(), suggestion }));
    }

    /// Copies finite values of the right number.
    fn copy(&mut self, path: String, values: &[f64], into: &mut [f64]) {
        for (index, value) in values.iter().enumerate().filter(|(_, value)| !value.is_finite()) {
            let mut path = path.clone();
            push_index(&mut path, index);
            self.0.push((path, FaultKind::NotFinite { value: *value }));
        }
        if values.len() == into.len() {
            into.copy_from_slice(values);
        } else {
            let expected = into.len().to_string();
            self.0.push((path, FaultKind::WrongLength { expected, found: values.len() }));
        }
    }

    fn quaternions(&mut self, mechanism: &Mechanism, q: &mut [f64]) {
        for joint in mechanism.tree_joints() {
            let resolved = &mechanism.joints()[joint];
            let offset = resolved.joint_type.quaternion_offset(mechanism.is_planar());
            let Some(offset) = offset else { continue };
            let start = resolved.q.start + offset;
            let quaternion = &mut q[start..start + 4];
            if norm(quaternion) == 0.0 {
                let mut path = "q".to_owned();
                push_key(&mut path, &mechanism.description().joints[joint].name);
                self.0.push((path, FaultKind::ZeroQuaternion));
            }
            normalise(quaternion);
        }
    }

    fn wrenches(
        &mut self,
        wrenches: Option<&Wrenches>,
        mechanism: &Mechanism,
        into: &mut [[f64; 6]],
    ) {
        match wrenches {
            None => {}
            Some(Wrenches::Flat(wrenches)) if wrenches.len() != into.len() => {
                let (expected, found) = (into.len().to_string(), wrenches.len());
                self.0.push(("wrenches".to_owned(), FaultKind::WrongLength { expected, found }));
            }
            Some(Wrenches::Flat(wrenches)) => {
                for (index, wrench) in wrenches.iter().enumerate() {
                    self.copy(format!("wrenches[{index}]"), wrench, &mut into[index]);
                }
            }
            Some(Wrenches::ByBody(map)) => {
                for (name, wrench) in map {
                    let mut path = "wrenches".to_owned();
                    push_key(&mut path, name);
                    match mechanism.description().body_index(name) {
                        Some(body) => self.copy(path, wrench, &mut into[body]),
                        None => {
                            let bodies = &mechanism.description().bodies;
                            let known = bodies.iter().map(|body| body.name.as_str());
                            self.unknown(path, Entity::Body, name, known);
                        }
                    }
                }
            }
        }
    }
}
