//! `pommel mass-matrix`.

use pommel::dynamics::{BodyPoint, Inertia, PointMotion};
use pommel::model::document::suggestion;
use pommel::model::{Mechanism, ResolvedState};
use pommel::velocity_units;
use serde_json::{Map, Value, json};

use super::{dynamics, state};
use crate::args::MassMatrix;
use crate::failure::Failure;
use crate::output::{self, Table, matrix, number};

/// Rows of a Jacobian.
const ROWS: [&str; 6] = ["wx", "wy", "wz", "vx", "vy", "vz"];

pub(crate) fn run(args: &MassMatrix) -> Result<(), Failure> {
    let mechanism = args.model.load()?;
    let points: Vec<BodyPoint> =
        args.frames.iter().map(|name| point(&mechanism, name)).collect::<Result<_, _>>()?;
    let state = state(&mechanism, &args.model.model, args.state.as_deref())?;
    let dynamics = dynamics(&mechanism, &args.model.model)?;
    let inertia =
        dynamics.inertia(&state).map_err(|error| Failure::computation(&args.model.model, error))?;
    let frames: Vec<(&str, PointMotion)> = (args.frames.iter().zip(points))
        .map(|(name, point)| (name.as_str(), dynamics.point_motion(&state, point)))
        .collect();
    if args.json {
        output::json(&document(&mechanism, &state, &inertia, &frames))
    } else {
        output::text(&report(&mechanism, &state, &inertia, &frames))
    }
}

/// The point that a name stands for.
fn point(mechanism: &Mechanism, name: &str) -> Result<BodyPoint, Failure> {
    BodyPoint::named(mechanism, name).ok_or_else(|| {
        let description = mechanism.description();
        let frames: Vec<&str> = description.frames.iter().map(|f| f.name.as_str()).collect();
        let bodies: Vec<&str> = description.bodies.iter().map(|b| b.name.as_str()).collect();
        let all = frames.iter().chain(&bodies).copied();
        let hint = match suggestion(name, all) {
            Some(near) => format!("did you mean '{near}'?"),
            None if frames.is_empty() => format!("bodies: {}", list(&bodies)),
            None => format!("frames: {}; bodies: {}", list(&frames), list(&bodies)),
        };
        Failure::usage(format!(
            "--frame {name}: the model '{}' has no frame and no body of this name; {hint}",
            mechanism.name()
        ))
    })
}

/// Names, not more than a person reads.
fn list(names: &[&str]) -> String {
    const MOST: usize = 20;
    let some = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST { format!("{some}, …") } else { some }
}

fn rows(entries: &[f64], columns: usize) -> Vec<&[f64]> {
    // without velocities there are no rows
    entries.chunks(columns.max(1)).collect()
}

fn document(
    mechanism: &Mechanism,
    state: &ResolvedState,
    inertia: &Inertia,
    frames: &[(&str, PointMotion)],
) -> Value {
    let nv = mechanism.nv();
    let frames: Map<String, Value> = (frames.iter())
        .map(|(name, point)| {
            let jacobian: Vec<&[f64]> = (0..6).map(|r| &point.jacobian[r * nv..][..nv]).collect();
            let value = json!({
                "position": point.position,
                "twist": point.twist,
                "jacobian": jacobian,
                "jacobian_rate_v": point.bias,
            });
            ((*name).to_owned(), value)
        })
        .collect();
    let momentum = &inertia.momentum;
    json!({
        "coordinates": mechanism.velocity_names(),
        "q": state.q,
        "v": state.v,
        "H": rows(&inertia.matrix, nv),
        "U": rows(&inertia.upper, nv),
        "D": rows(&inertia.diagonal, nv),
        "pivots": inertia.pivots,
        "momentum": {
            "linear": momentum.linear.to_array(),
            "angular": momentum.angular.to_array(),
            "centre": momentum.centre.to_array(),
            "mass": momentum.mass,
        },
        "kinetic": inertia.energy.kinetic,
        "potential": inertia.energy.potential,
        "frames": frames,
    })
}

fn report(
    mechanism: &Mechanism,
    state: &ResolvedState,
    inertia: &Inertia,
    frames: &[(&str, PointMotion)],
) -> String {
    let (nv, names) = (mechanism.nv(), mechanism.velocity_names());
    let mut table = Table::new(&["", "velocity", "unit", "v", "pivot"]);
    for (k, (name, unit)) in names.iter().zip(velocity_units(mechanism)).enumerate() {
        let (v, pivot) = (number(state.v[k]), number(inertia.pivots[k]));
        table.row(&[k.to_string(), name.clone(), unit.to_owned(), v, pivot]);
    }
    let mut out = table.to_string();
    for (title, entries) in [
        ("inertia matrix H = U D Uᵀ", &inertia.matrix),
        ("U", &inertia.upper),
        ("D", &inertia.diagonal),
    ] {
        out.push_str(&format!("\n{title}\n{}", matrix(&names, nv, entries)));
    }
    let (m, e) = (&inertia.momentum, &inertia.energy);
    let vector = |x: &[f64]| x.iter().map(|&x| number(x)).collect::<Vec<_>>().join("  ");
    let mut table = Table::new(&["all that moves", "", "unit"]);
    let mut row = |what: &str, value: String, unit: &str| {
        table.row(&[what.to_owned(), value, unit.to_owned()]);
    };
    row("mass", number(m.mass), "kg");
    row("mass centre", vector(&m.centre.to_array()), "m");
    row("linear momentum", vector(&m.linear.to_array()), "kg·m/s");
    row("angular momentum about the mass centre", vector(&m.angular.to_array()), "kg·m²/s");
    row("kinetic energy", number(e.kinetic), "J");
    row("potential energy", number(e.potential), "J");
    out.push_str(&format!("\n{table}"));
    for (name, point) in frames {
        let mut table = Table::new(&[&format!("frame {name}"), "", "unit"]);
        let mut row = |what: &str, value: &[f64], unit: &str| {
            table.row(&[what.to_owned(), vector(value), unit.to_owned()]);
        };
        row("position", &point.position, "m");
        row("angular velocity", &point.twist[..3], "rad/s");
        row("velocity", &point.twist[3..], "m/s");
        row("J̇ v, angular", &point.bias[..3], "rad/s²");
        row("J̇ v, linear", &point.bias[3..], "m/s²");
        let jacobian = matrix(&ROWS.map(str::to_owned), nv, &point.jacobian);
        out.push_str(&format!("\n{table}\nJacobian of {name}\n{jacobian}"));
    }
    out
}
