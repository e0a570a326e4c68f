//! `pommel info`.

use pommel::mechanism::kinematics::{Mobility, Redundancy};
use pommel::model::Mechanism;
use pommel::{AbsoluteDynamics, Error, TreeDynamics};
use serde_json::{Value, json};

use super::{blame_drivers, driver_names, undriven};
use crate::args::Info;
use crate::failure::Failure;
use crate::output::{self, Table, counted};

pub(crate) fn run(args: &Info) -> Result<(), Failure> {
    let mechanism = args.model.load()?;
    if args.json {
        output::json(&document(&mechanism))
    } else {
        output::text(&description(&mechanism))
    }
}

/// What the constraints of a mechanism leave free.
enum Constraints {
    /// There are none: every joint coordinate is free.
    Tree,
    /// Ranks at the initial position, in absolute coordinates, and what is free without the drivers.
    Known { found: Mobility, without_drivers: usize },
    /// Why ranks are not known, and the number of rows if that is.
    Unknown { reason: String, rows: Option<usize> },
}

impl Constraints {
    fn of(mechanism: &Mechanism) -> Self {
        let description = mechanism.description();
        let none = description.constraints.is_empty() && description.drivers.is_empty();
        if none && mechanism.is_tree() {
            return Constraints::Tree;
        }
        let dynamics = match AbsoluteDynamics::new(mechanism) {
            Ok(dynamics) => dynamics,
            Err(error) => return Constraints::Unknown { reason: error.to_string(), rows: None },
        };
        let found = dynamics.initial_position().and_then(|q| {
            let found = dynamics.mobility(&q)?;
            if description.drivers.is_empty() {
                let without_drivers = found.degrees_of_freedom;
                return Ok(Constraints::Known { found, without_drivers });
            }
            let undriven = AbsoluteDynamics::new(&undriven(mechanism)?)?;
            let without_drivers = undriven.mobility(&q)?.degrees_of_freedom;
            Ok(Constraints::Known { found, without_drivers })
        });
        match found {
            Ok(known) => known,
            Err(error) => {
                let rows = Some(dynamics.system().rows());
                let reason = match blame_drivers(mechanism) {
                    Some(blame) => format!("{error}; {blame}"),
                    None => error.to_string(),
                };
                Constraints::Unknown { reason, rows }
            }
        }
    }
}

fn document(mechanism: &Mechanism) -> Value {
    let description = mechanism.description();
    let names = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (constraints, rank, redundant, freedoms, undriven) = match Constraints::of(mechanism) {
        Constraints::Tree => {
            let freedoms = Some(mechanism.nv());
            (Some(0), Some(0), Some(Vec::new()), freedoms, freedoms)
        }
        Constraints::Known { found, without_drivers } => {
            let names = found.redundant.iter().map(|r| r.name.clone()).collect();
            let freedoms = Some(found.degrees_of_freedom);
            (Some(found.rows), Some(found.rank), Some(names), freedoms, Some(without_drivers))
        }
        Constraints::Unknown { reason, rows } => {
            output::note(&format!("note: ranks are not known: {reason}"));
            (rows, None, None, None, None)
        }
    };
    json!({
        "name": mechanism.name(),
        "kind": if mechanism.is_planar() { "planar" } else { "spatial" },
        "description": description.description,
        "source": description.source,
        "caveat": description.caveat,
        "gravity": mechanism.gravity(),
        "bodies": names(description.bodies.iter().map(|b| b.name.as_str()).collect()),
        "joints": names(description.joints.iter().map(|j| j.name.as_str()).collect()),
        "coordinates": mechanism.coordinate_names(),
        "velocities": mechanism.velocity_names(),
        "constraints": constraints,
        "rank": rank,
        "redundant_rows": redundant,
        "degrees_of_freedom": freedoms,
        "degrees_of_freedom_without_drivers": undriven,
        "drivers": driver_names(mechanism),
        "is_tree": mechanism.is_tree(),
        "total_mass": mechanism.total_mass(),
        "digest": mechanism.digest(),
        "unsupported": match TreeDynamics::new(mechanism) {
            Err(Error::Unsupported(list)) => list.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        },
        "warnings": mechanism.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn description(mechanism: &Mechanism) -> String {
    let description = mechanism.description();
    let kind = if mechanism.is_planar() { "planar" } else { "spatial" };
    let mut out = format!("{} ({kind})\n", mechanism.name());
    let notes = [
        ("description", &description.description),
        ("source", &description.source),
        ("caveat", &description.caveat),
    ];
    for (label, text) in notes {
        if let Some(text) = text {
            out.push_str(&format!("{label}: {text}\n"));
        }
    }
    let [gx, gy, gz] = mechanism.gravity();
    out.push_str(&format!("gravity: {gx} {gy} {gz} m/s²\n"));
    out.push_str(&format!(
        "{}, {} kg in motion; {}, {} of joints\n",
        counted(description.bodies.len(), "body"),
        mechanism.total_mass(),
        counted(mechanism.nq(), "coordinate"),
        counted(mechanism.nv(), "velocity"),
    ));
    out.push_str(&freedoms(mechanism));
    let mut table =
        Table::new(&["joint", "type", "parent", "child", "mass of child, kg", "q", "v"]);
    for (joint, data) in mechanism.joints().iter().zip(&description.joints) {
        let range = |r: &std::ops::Range<usize>| match r.len() {
            0 => "-".to_owned(),
            1 => r.start.to_string(),
            _ => format!("{}..{}", r.start, r.end - 1),
        };
        let mass = joint.child.map_or("-".to_owned(), |b| description.bodies[b].mass.to_string());
        let kind = joint.joint_type.name();
        let kind = if joint.closes_loop { format!("{kind} (loop)") } else { kind.to_owned() };
        table.row(&[
            data.name.clone(),
            kind,
            data.parent.clone(),
            data.child.clone(),
            mass,
            range(&joint.q),
            range(&joint.v),
        ]);
    }
    out.push('\n');
    out.push_str(&table.to_string());
    if let Err(Error::Unsupported(list)) = TreeDynamics::new(mechanism) {
        out.push_str(
            "\njoint coordinates do not take it (`sweep` takes loops, constraints, drivers and bushings in \
             absolute ones, dry friction and contacts it does not):\n",
        );
        list.iter().for_each(|feature| out.push_str(&format!("  {feature}\n")));
    }
    out.push_str(&format!("\ndigest: {}\n", mechanism.digest()));
    out
}

/// Degrees of freedom and redundant rows, in words.
fn freedoms(mechanism: &Mechanism) -> String {
    match Constraints::of(mechanism) {
        Constraints::Tree => {
            format!("a tree with {} of freedom\n", counted(mechanism.nv(), "degree"))
        }
        Constraints::Known { found, without_drivers } => {
            let drivers = driver_names(mechanism);
            let mut out = format!(
                "{} of rank {} in absolute coordinates ({}): {} of freedom",
                counted(found.rows - drivers.len(), "constraint row"),
                found.velocities - without_drivers,
                counted(found.velocities, "velocity"),
                counted(without_drivers, "degree"),
            );
            if !drivers.is_empty() {
                out.push_str(&format!(
                    ", of which {} ({}) {} {}",
                    counted(drivers.len(), "driver"),
                    drivers.join(", "),
                    if drivers.len() == 1 { "leaves" } else { "leave" },
                    found.degrees_of_freedom,
                ));
            }
            out.push('\n');
            if found.degrees_of_freedom + drivers.len() != without_drivers {
                out.push_str(
                    "  drivers do not take one motion each: they depend on each other, or the position is \
                     singular, and counts hold at it only\n",
                );
            }
            for Redundancy { name, depends_on, .. } in &found.redundant {
                let with = if depends_on.is_empty() { "" } else { ", with " };
                out.push_str(&format!("  redundant: {name}{with}{}\n", depends_on.join(", ")));
            }
            out
        }
        Constraints::Unknown { reason, .. } => format!("degrees of freedom not known: {reason}\n"),
    }
}
