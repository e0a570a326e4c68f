//! `pommel accel`.

use pommel::absolute::{AbsoluteState, BodyState, Solution};
use pommel::mechanism::formulation::{Method, Recursion};
use pommel::model::{Mechanism, ResolvedState};
use pommel::{AbsoluteDynamics, TreeDynamics, acceleration_units, velocity_units};
use serde_json::{Map, Value, json};

use super::{RECURSION, cannot_assemble, dynamics, state, tell_moved};
use crate::args::Accel;
use crate::failure::Failure;
use crate::output::{self, Table, number};

/// In place of a formulation: every one.
const ALL: &str = "all";

pub(crate) fn run(args: &Accel) -> Result<(), Failure> {
    let name = args.formulation.as_deref();
    let all = name == Some(ALL);
    let method = name.and_then(Method::from_name);
    if let (Some(name), None, false) = (name, method, all) {
        let known = Method::ALL.map(Method::name).join(", ");
        return Err(Failure::usage(format!("unknown formulation '{name}'; known: {known}, {ALL}")));
    }
    let mechanism = args.model.load()?;
    let state = state(&mechanism, &args.model.model, args.state.as_deref())?;
    // a tree in its own coordinates
    let description = mechanism.description();
    let free = description.constraints.is_empty() && description.drivers.is_empty();
    let in_joints =
        mechanism.is_tree() && (all || method == Some(Method::Recursion) || name.is_none() && free);
    let mut documents = Vec::new();
    if in_joints {
        let dynamics = dynamics(&mechanism, &args.model.model)?;
        documents.extend(in_joint_coordinates(args, &mechanism, &dynamics, &state)?);
        if !all {
            return documents.pop().map_or(Ok(()), |document| output::json(&document));
        }
    }
    let failed = |error| Failure::computation(&args.model.model, error);
    let dynamics = AbsoluteDynamics::new(&mechanism).map_err(failed)?;
    let state = match &args.state {
        Some(_) => dynamics.state(&state),
        None => dynamics.initial_state(),
    };
    let state = state.map_err(|error| cannot_assemble(&mechanism, &args.model.model, error))?;
    tell_moved(&state);
    let methods = match method {
        Some(method) => vec![method],
        None if all => Method::ALL.to_vec(),
        None => vec![default_method(&dynamics)],
    };
    documents.extend(in_absolute_coordinates(args, &dynamics, &state, &methods)?);
    match (args.json, all) {
        (false, _) => Ok(()),
        (true, true) => output::json(&Value::Array(documents)),
        (true, false) => documents.pop().map_or(Ok(()), |document| output::json(&document)),
    }
}

fn in_joint_coordinates(
    args: &Accel,
    mechanism: &Mechanism,
    dynamics: &TreeDynamics,
    state: &ResolvedState,
) -> Result<Option<Value>, Failure> {
    let found = dynamics
        .accelerations(state)
        .map_err(|error| Failure::computation(&args.model.model, error))?;
    if args.json {
        let bodies = AbsoluteDynamics::new(mechanism)
            .map(|absolute| bodies_document(&absolute.bodies_of_joints(state, &found.a)));
        return Ok(Some(json!({
            "coordinates": mechanism.coordinate_names(),
            "velocities": mechanism.velocity_names(),
            "q": state.q,
            "v": state.v,
            "a": found.a,
            "multipliers": [],
            "backward_error": found.backward_error,
            "formulation": RECURSION,
            // what absolute coordinates do not know leaves them out
            "bodies": bodies.unwrap_or_default(),
        })));
    }
    let mut table = Table::new(&["velocity", "v", "", "a", ""]);
    let units = velocity_units(mechanism).into_iter().zip(acceleration_units(mechanism));
    for (k, (name, units)) in mechanism.velocity_names().into_iter().zip(units).enumerate() {
        let (v, a) = (number(state.v[k]), number(found.a[k]));
        table.row(&[name, v, units.0.to_owned(), a, units.1.to_owned()]);
    }
    output::text(&format!(
        "{table}\nformulation: {RECURSION}, backward error {:.1e}\n",
        found.backward_error
    ))?;
    Ok(None)
}

fn in_absolute_coordinates(
    args: &Accel,
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    methods: &[Method],
) -> Result<Vec<Value>, Failure> {
    let system = dynamics.system();
    let mut documents = Vec::new();
    let mut text = String::new();
    let mut warned = false;
    let mut first: Option<(Method, Vec<f64>)> = None;
    for &method in methods {
        let found = match dynamics.accelerations(method, 0.0, state) {
            Ok(found) => found,
            // one that refuses among all is told, not fatal
            Err(error) if methods.len() > 1 => {
                output::note(&format!("note: {error}"));
                continue;
            }
            Err(error) => return Err(Failure::computation(&args.model.model, error)),
        };
        if !warned {
            warned = warn_if_singular(dynamics, state, &found);
        }
        let bodies = dynamics.bodies(&state.q, &state.v, &found.a);
        if args.json {
            let rows = (0..system.rows()).map(|row| system.row_name(row)).collect::<Vec<_>>();
            documents.push(json!({
                "coordinates": system.coordinate_names(),
                "velocities": system.velocity_names(),
                "q": state.q,
                "v": state.v,
                "a": found.a,
                "rows": rows,
                "multipliers": found.multipliers,
                "rank": found.rank,
                "backward_error": found.backward_error,
                "formulation": method.name(),
                "bodies": bodies_document(&bodies),
            }));
            continue;
        }
        let error = found.backward_error;
        let line = format!("formulation: {method}, backward error {error:.1e}");
        match &first {
            None => {
                let mut table = Table::new(&["velocity", "v", "", "a", ""]);
                for (k, name) in system.velocity_names().into_iter().enumerate() {
                    let [v, a] = units(system.is_planar(), k);
                    let cells =
                        [number(state.v[k]), v.to_owned(), number(found.a[k]), a.to_owned()];
                    table.row(&[&[name], &cells[..]].concat());
                }
                text.push_str(&format!("{table}\n"));
                if system.rows() > 0 {
                    let mut rows = Table::new(&["row", "multiplier"]);
                    for (row, multiplier) in found.multipliers.iter().enumerate() {
                        rows.row(&[system.row_name(row), number(*multiplier)]);
                    }
                    text.push_str(&format!("{rows}\n"));
                    if let Some(rank) = found.rank.filter(|rank| *rank < system.rows()) {
                        text.push_str(&format!(
                            "{} rows of rank {rank}: some depend on others, and multipliers are one choice of \
                             many\n\n",
                            system.rows()
                        ));
                    }
                }
                text.push_str(&format!("{line}\n"));
                first = Some((method, found.a));
            }
            Some((other, a)) => {
                let size = a.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
                let apart =
                    a.iter().zip(&found.a).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()));
                text.push_str(&format!("{line}, differs from {other} by {:.1e}\n", apart / size));
            }
        }
    }
    output::text(&text)?;
    Ok(documents)
}

/// Accelerations that change by more than this part with rounding of the position are warned of.
const DOUBTFUL: f64 = 1e-4;

/// Says so, if rounding decides about accelerations, and whether it did.
fn warn_if_singular(dynamics: &AbsoluteDynamics, state: &AbsoluteState, found: &Solution) -> bool {
    // accelerations stand, even if nothing is known about nearby ones
    let Ok(part) = dynamics.sensitivity(0.0, state, found) else { return false };
    let doubtful = part > DOUBTFUL;
    if doubtful {
        let by = if part < 1.0 { format!("{part:.0e} of themselves") } else { "all digits".into() };
        output::note(&format!(
            "warning: the position is near a singular one: accelerations change by {by} when it does by \
             rounding; start from a position farther off"
        ));
    }
    doubtful
}

/// Units of a velocity in absolute coordinates, and of its acceleration.
fn units(planar: bool, index: usize) -> [&'static str; 2] {
    let turns = if planar { index % 3 == 2 } else { index % 6 < 3 };
    if turns { ["rad/s", "rad/s²"] } else { ["m/s", "m/s²"] }
}

/// Recursion, or where it does not know a constraint the sparse saddle-point system.
fn default_method(dynamics: &AbsoluteDynamics) -> Method {
    match Recursion::new(dynamics.mechanism(), dynamics.system()) {
        Ok(_) => Method::Recursion,
        Err(_) => Method::SparseKkt,
    }
}

fn bodies_document(bodies: &[(String, BodyState)]) -> Map<String, Value> {
    bodies.iter().map(|(name, body)| (name.clone(), body_document(body))).collect()
}

/// Vectors of the plane have two components, its angular quantities are numbers.
fn body_document(body: &BodyState) -> Value {
    let planar = body.angle.is_some();
    let vector = |v: [f64; 3]| if planar { json!([v[0], v[1]]) } else { json!(v) };
    let angular = |v: [f64; 3]| if planar { json!(v[2]) } else { json!(v) };
    let mut document = json!({
        "position": vector(body.position),
        "velocity": vector(body.velocity),
        "angular_velocity": angular(body.angular_velocity),
        "acceleration": vector(body.acceleration),
        "angular_acceleration": angular(body.angular_acceleration),
    });
    match (body.angle, body.quaternion) {
        (Some(angle), _) => document["angle"] = json!(angle),
        (None, quaternion) => document["quaternion"] = json!(quaternion),
    }
    document
}
