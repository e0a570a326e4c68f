//! `pommel info`.

use pommel::model::{JointType, Mechanism};
use pommel::{Error, TreeDynamics};
use serde_json::{Value, json};

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

/// Rows of the constraints that close loops, for joints by their kind.
fn loop_rows(mechanism: &Mechanism) -> usize {
    let planar = mechanism.is_planar();
    let rows = |kind: JointType| (if planar { 3 } else { 6 }) - kind.nv(planar);
    let loops = mechanism.loop_joints().map(|j| rows(mechanism.joints()[j].joint_type));
    let description = mechanism.description();
    loops.sum::<usize>() + description.constraints.len() + description.drivers.len()
}

fn document(mechanism: &Mechanism) -> Value {
    let description = mechanism.description();
    let names = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let constraints = loop_rows(mechanism);
    // ranks need an assembled configuration; without constraints they are known
    let tree = constraints == 0;
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
        "rank": tree.then_some(0),
        "redundant_rows": if tree { json!([]) } else { Value::Null },
        "degrees_of_freedom": tree.then_some(mechanism.nv()),
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
    let constraints = loop_rows(mechanism);
    out.push_str(&format!(
        "{}, {} kg in motion; {}, {}, {}\n",
        counted(description.bodies.len(), "body"),
        mechanism.total_mass(),
        counted(mechanism.nq(), "position"),
        counted(mechanism.nv(), "velocity"),
        counted(constraints, "constraint row"),
    ));
    if constraints == 0 {
        let degrees = counted(mechanism.nv(), "degree");
        out.push_str(&format!("a tree with {degrees} of freedom\n"));
    }
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
        out.push_str("\ncannot be solved yet:\n");
        list.iter().for_each(|feature| out.push_str(&format!("  {feature}\n")));
    }
    out.push_str(&format!("\ndigest: {}\n", mechanism.digest()));
    out
}
