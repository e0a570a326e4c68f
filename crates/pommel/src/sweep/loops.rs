//! Instances of mechanisms with loops, constraints and drivers, in absolute coordinates.

use std::time::{Duration, Instant};

use pommel_batch::{Column, Outcome};
use pommel_integrate::{Control, Step};
use pommel_model::Mechanism;

use super::{failed, too_slow};
use crate::constrained::{Approach, integrate_constrained};
use crate::dynamics::Feature;
use crate::simulate::SimulateOptions;
use crate::{AbsoluteDynamics, Error};

/// Whether absolute coordinates know what joint coordinates do not.
pub(super) fn know(error: &Error) -> bool {
    let known = |feature| {
        matches!(feature, Feature::Loop | Feature::Constraint | Feature::Driver | Feature::Bushing)
    };
    matches!(error, Error::Unsupported(list) if list.iter().all(|found| known(found.feature)))
}

/// The quantities of every instance.
///
/// # Errors
/// [`Error::Kinematics`] if the mechanism cannot be assembled.
pub(super) fn columns(mechanism: &Mechanism) -> Result<Vec<Column>, Error> {
    let dynamics = AbsoluteDynamics::new(mechanism)?;
    dynamics.initial_state()?;
    let system = dynamics.system();
    let planar = system.is_planar();
    let position = |k: usize| match (planar, k % if planar { 3 } else { 7 }) {
        (true, 2) => "rad",
        (false, 3..) => "1",
        _ => "m",
    };
    let velocity = |k: usize| {
        let turns = if planar { k % 3 == 2 } else { k % 6 < 3 };
        if turns { "rad/s" } else { "m/s" }
    };
    let column = |letter: char, name: String, unit: &str, what: &str| {
        Column::new(format!("{letter}.{name}"), unit, format!("{what} {name} at the end"))
    };
    let q = system.coordinate_names().into_iter().enumerate();
    let mut list: Vec<Column> =
        q.map(|(k, name)| column('q', name, position(k), "coordinate")).collect();
    let v = system.velocity_names().into_iter().enumerate();
    list.extend(v.map(|(k, name)| column('v', name, velocity(k), "velocity")));
    let off = "by how much constraints were violated after steps, at most";
    list.push(Column::new("position_residual", "m, rad", format!("positions: {off}")));
    list.push(Column::new("velocity_residual", "m/s, rad/s", format!("velocities: {off}")));
    Ok(list)
}

/// The motion of a mechanism from its initial state, projected after every step.
pub(super) fn simulate(
    mechanism: &Mechanism,
    options: &SimulateOptions,
    limit: Option<Duration>,
) -> Outcome {
    let begun = Instant::now();
    let mut watch = |_: &Step<'_, f64>| match limit {
        Some(limit) if begun.elapsed() > limit => Control::Stop,
        _ => Control::Continue,
    };
    let mut run = || {
        let dynamics = AbsoluteDynamics::new(mechanism)?;
        let state = dynamics.initial_state()?;
        let approach = Approach::projected(options.method());
        integrate_constrained(&dynamics, &state, &approach, options.end, &mut watch)
    };
    match run() {
        Ok(run) if run.t != options.end => too_slow(limit, run.t),
        Ok(run) => {
            let mut values = [run.q, run.v].concat();
            values.extend([run.position_residual, run.velocity_residual]);
            let counts = run.statistics;
            values.extend([counts.steps, counts.rejected, counts.evaluations].map(|n| n as f64));
            Outcome::Finished { values }
        }
        Err(error) => failed(error),
    }
}
