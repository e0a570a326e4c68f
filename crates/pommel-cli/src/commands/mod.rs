//! One file a subcommand.

mod accel;
mod compare;
mod convert;
mod info;
mod kinematics;
mod kkt;
mod mass_matrix;
mod merge;
mod precision;
mod schema;
mod simulate;
mod sweep;
mod sweep_output;
mod time;

use std::path::Path;

use pommel::absolute::AbsoluteState;
use pommel::model::{Mechanism, ResolvedState, State};
use pommel::{AbsoluteDynamics, Error, NonsmoothDynamics, TreeDynamics};

use crate::args::{Arguments, Command};
use crate::failure::Failure;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Info(args) => info::run(args),
        Command::Accel(args) => accel::run(args),
        Command::MassMatrix(args) => mass_matrix::run(args),
        Command::Kinematics(args) => kinematics::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Precision(args) => precision::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Time(args) => time::run(args),
        Command::Kkt(args) => kkt::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Convert(args) => convert::run(args),
    }
}

/// The equations of motion of a model file.
fn dynamics(mechanism: &Mechanism, file: &Path) -> Result<TreeDynamics, Failure> {
    TreeDynamics::new(mechanism).map_err(|error| no_equations(error, file))
}

/// Why there are no equations of motion of a model file, or of the model of a plan.
fn no_equations(error: Error, file: &Path) -> Failure {
    match error {
        Error::Unsupported(list) => Failure::Unsupported { path: file.to_owned(), list },
        other => Failure::computation(file, other),
    }
}

/// The state of a file, or the initial state of the model.
fn state(
    mechanism: &Mechanism,
    model: &Path,
    file: Option<&Path>,
) -> Result<ResolvedState, Failure> {
    let initial =
        pommel::initial_state(mechanism).map_err(|error| Failure::computation(model, error))?;
    match file {
        None => Ok(initial),
        Some(file) => {
            let state = State::from_path(file)?;
            let state = state.resolve_from(mechanism, &initial);
            state.map_err(|error| error.in_file(file).into())
        }
    }
}

/// What a state missed constraints by.
fn tell_moved(state: &AbsoluteState) {
    let moved = [("state", "was", state.moved), ("velocities", "were", state.velocities_moved)];
    for (what, was, by) in moved.into_iter().filter(|(.., by)| *by > 0.0) {
        crate::output::note(&format!(
            "note: the {what} missed constraints by {by:.1e} and {was} moved onto them"
        ));
    }
}

/// A mechanism without its drivers.
fn undriven(mechanism: &Mechanism) -> Result<Mechanism, Error> {
    let mut description = mechanism.description().clone();
    description.drivers.clear();
    Ok(Mechanism::new(description)?)
}

/// Names of the drivers, of the joint where a driver has none.
fn driver_names(mechanism: &Mechanism) -> Vec<String> {
    let drivers = mechanism.description().drivers.iter();
    drivers.map(|d| d.name.clone().unwrap_or_else(|| format!("on {}", d.joint))).collect()
}

/// Of a mechanism that cannot be assembled: whether that is the drivers' doing.
fn blame_drivers(mechanism: &Mechanism) -> Option<String> {
    let names = driver_names(mechanism);
    if names.is_empty() {
        return None;
    }
    AbsoluteDynamics::new(&undriven(mechanism).ok()?).ok()?.initial_position().ok()?;
    let which = match &names[..] {
        [name] => format!("the driver '{name}', which asks for a position out of reach"),
        _ => format!(
            "the drivers '{}', which ask for positions that exclude each other or are out of reach",
            names.join("', '")
        ),
    };
    Some(format!("it can be assembled without {which}"))
}

/// A failure to assemble, with a note on what drivers have to do with it.
fn cannot_assemble(mechanism: &Mechanism, model: &Path, error: Error) -> Failure {
    if let Some(blame) = blame_drivers(mechanism) {
        crate::output::note(&format!("note: {blame}"));
    }
    Failure::computation(model, error)
}

/// Refuses mechanisms whose motion has events, for commands that integrate smooth motion only.
fn only_smooth(mechanism: &Mechanism, model: &Path, command: &str) -> Result<(), Failure> {
    let dynamics =
        NonsmoothDynamics::new(mechanism).map_err(|error| Failure::computation(model, error))?;
    let interactions = dynamics.interactions();
    if interactions.rubs().is_empty() && interactions.gaps().is_empty() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: dry friction, limits of joints and contacts have events, which `pommel {command}` does not know: take them \
         out of the model, or use `pommel simulate`",
        model.display()
    )))
}

/// The formulations that serve tree-like mechanisms.
const RECURSION: &str = "recursion";

fn check_formulation(name: &str, others: &[&str]) -> Result<(), Failure> {
    if name == RECURSION || others.contains(&name) {
        return Ok(());
    }
    let mut known = vec![RECURSION];
    known.extend(others.iter().filter(|other| **other != RECURSION));
    let known = known.join(", ");
    Err(Failure::usage(format!("unknown formulation '{name}'; known: {known}")))
}
