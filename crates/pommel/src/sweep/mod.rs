//! Sweeps of simulations: what [`pommel_batch`] runs for every instance.

mod lanes;
mod loops;
mod prepared;
mod side_by_side;

use std::time::Duration;

use pommel_batch::{Column, Instance, Integrator as Settings, Outcome, Runner, Sweep};
use pommel_integrate::{Cause, ExplicitMethod, IntegrateError, Stepper};
use pommel_math::{LaneJob, UnsupportedLanes, lane_scalar, with_lanes};
use pommel_model::{Description, Mechanism};

use crate::simulate::{Integrator, SimulateOptions};
use crate::units::{coordinate_units, velocity_units};
use crate::{Error, TreeDynamics};
use prepared::Prepared;
use side_by_side::{End, SideBySide};

/// Simulates every instance of a sweep from its initial state to the end time.
///
/// Trees give
///
/// * the end state, `q.NAME` and `v.NAME`, in joint coordinates,
/// * the `work` of all forces but gravity and the `energy_drift`,
/// * for an isolated mechanism, the drift of linear and angular momentum,
/// * the counts `steps`, `rejected` and `evaluations`.
///
/// They are simulated side by side in the lanes of vector registers, each with its own steps; whenever one ends, the
/// next takes its lane. The number of lanes does not change a bit of the results. An instance that takes longer than
/// the plan allows (`limits.time_limit`) fails; only that depends on the machine.
///
/// Mechanisms with loops, constraints, drivers or bushings are simulated one after the other, projected onto their
/// constraints after every step, and give the end state in absolute coordinates, `position_residual` and
/// `velocity_residual`, and the counts.
#[derive(Clone, Debug)]
pub struct SimulationRunner {
    base: Description,
    columns: Vec<Column>,
    kind: Kind,
    lanes: usize,
    /// wall time that an instance may take
    limit: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// in joint coordinates; an isolated one keeps its momentum
    Tree { isolated: bool },
    /// in absolute coordinates
    Loops,
}

/// What a thread needs to simulate instances.
#[derive(Debug)]
pub struct Worker {
    description: Description,
}

/// Instances in a group, for each lane: the lanes of the last ones wait for each other.
const DEPTH: usize = 8;

impl SimulationRunner {
    /// A runner for the instances of a sweep, with as many lanes as the registers of this processor have.
    ///
    /// # Errors
    /// [`Error::Model`] or [`Error::Unsupported`] if the model itself, without parameters set,
    /// cannot be simulated; [`Error::Kinematics`] if it cannot be assembled; [`Error::Integration`] if the settings of
    /// the integrator make no sense.
    pub fn new(sweep: &Sweep) -> Result<Self, Error> {
        let base = sweep.base().clone();
        let mechanism = Mechanism::new(base.clone())?;
        // settings are checked once, here, unless instances have their own
        if !sweep.varies_settings() {
            let plan = sweep.plan();
            let dim = mechanism.nq() + mechanism.nv() + 1;
            let method = options(&plan.integrator, plan.end).method();
            Stepper::<f64>::new(dim, &method).map_err(IntegrateError::from)?;
        }
        let (kind, mut columns) = match TreeDynamics::new(&mechanism) {
            Ok(dynamics) => {
                let isolated = dynamics.is_isolated(&crate::initial_state(&mechanism)?);
                (Kind::Tree { isolated }, columns(&mechanism, isolated))
            }
            Err(error) if loops::know(&error) => (Kind::Loops, loops::columns(&mechanism)?),
            Err(error) => return Err(error),
        };
        for (name, what) in [
            ("steps", "accepted steps"),
            ("rejected", "rejected steps"),
            ("evaluations", "evaluations of the equations of motion"),
        ] {
            columns.push(Column::new(name, "1", what));
        }
        // one that is beyond all times is none
        let limit = sweep.plan().limits.time_limit.map(Duration::try_from_secs_f64);
        let limit = limit.and_then(Result::ok);
        Ok(SimulationRunner { columns, base, kind, lanes: widest(), limit })
    }

    /// With this number of lanes: 1, 2, 4 or 8.
    ///
    /// # Errors
    /// [`UnsupportedLanes`] for other numbers.
    pub fn with_lanes(self, lanes: usize) -> Result<Self, UnsupportedLanes> {
        if lanes != 1 {
            lane_scalar(lanes)?;
        }
        Ok(SimulationRunner { lanes, ..self })
    }

    /// Instances side by side.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Ends of instances that go with the same method.
    fn side_by_side(&self, list: &[&Prepared]) -> Vec<End> {
        let job = SideBySide { list, limit: self.limit };
        if self.lanes == 1 || list.len() == 1 {
            return job.run::<f64>();
        }
        // the number of lanes was checked
        with_lanes(self.lanes, job).unwrap_or_else(|_| vec![End::Apart; list.len()])
    }

    /// What became of instances that go with the same method.
    fn simulate(&self, list: &[&Prepared], isolated: bool) -> Vec<Outcome> {
        let outcome = |(instance, mut end): (&&Prepared, End)| {
            if let End::Apart = end {
                // the same way, so that nothing depends on its neighbours
                let job = SideBySide { list: &[*instance], limit: self.limit };
                end = job.run::<f64>().pop().unwrap_or(End::Failed);
            }
            match end {
                End::Reached(y, counts) => {
                    Outcome::Finished { values: instance.values(y, &counts, isolated) }
                }
                End::TooSlow(t) => too_slow(self.limit, t),
                // again, for the reason
                End::Failed | End::Apart => instance.alone(isolated),
            }
        };
        list.iter().zip(self.side_by_side(list)).map(outcome).collect()
    }

    /// Trees, all that go together side by side.
    fn run_trees(
        &self,
        worker: &mut Worker,
        instances: &[Instance<'_>],
        isolated: bool,
    ) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; instances.len()];
        let mut ready: Vec<(usize, Prepared)> = Vec::with_capacity(instances.len());
        for (k, instance) in instances.iter().enumerate() {
            match worker.mechanism(instance).and_then(|(m, options)| Prepared::new(&m, options)) {
                Ok(prepared) => ready.push((k, prepared)),
                Err(outcome) => outcomes[k] = Some(outcome),
            }
        }
        let mut left: Vec<&(usize, Prepared)> = ready.iter().collect();
        while let Some(first) = left.pop() {
            let (mut alike, others): (Vec<_>, Vec<_>) =
                left.iter().copied().partition(|(_, other)| other.goes_with(&first.1));
            alike.push(first);
            let list: Vec<&Prepared> = alike.iter().map(|(_, prepared)| prepared).collect();
            for ((k, _), outcome) in alike.iter().zip(self.simulate(&list, isolated)) {
                outcomes[*k] = Some(outcome);
            }
            left = others;
        }
        outcomes.into_iter().flatten().collect()
    }
}

impl Worker {
    /// The mechanism of an instance and how it is simulated.
    ///
    /// # Errors
    /// The failed outcome, if there is no such mechanism.
    fn mechanism(
        &mut self,
        instance: &Instance<'_>,
    ) -> Result<(Mechanism, SimulateOptions), Outcome> {
        let end = instance.end();
        if !(end > 0.0 && end.is_finite()) {
            let message = format!("the end {end} must be a positive number");
            return Err(Outcome::failed("integrator settings", message, 0.0));
        }
        instance.write(&mut self.description);
        let mechanism = Mechanism::new(self.description.clone())?;
        Ok((mechanism, options(&instance.integrator(), end)))
    }
}

impl Runner for SimulationRunner {
    type Worker = Worker;

    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn group(&self) -> usize {
        match self.kind {
            Kind::Tree { .. } => DEPTH * self.lanes,
            Kind::Loops => 1,
        }
    }

    fn worker(&self) -> Worker {
        Worker { description: self.base.clone() }
    }

    fn run(&self, worker: &mut Worker, instances: &[Instance<'_>]) -> Vec<Outcome> {
        match self.kind {
            Kind::Tree { isolated } => self.run_trees(worker, instances, isolated),
            Kind::Loops => {
                let one = |instance| match worker.mechanism(instance) {
                    Ok((mechanism, options)) => loops::simulate(&mechanism, &options, self.limit),
                    Err(outcome) => outcome,
                };
                instances.iter().map(one).collect()
            }
        }
    }
}

/// As many lanes as the widest registers have.
fn widest() -> usize {
    let has = |lanes: usize, name: &str| lane_scalar(lanes).is_ok_and(|scalar| scalar == name);
    match () {
        () if has(8, "512-bit register") => 8,
        () if has(4, "256-bit register") => 4,
        () => 2,
    }
}

fn options(settings: &Settings, end: f64) -> SimulateOptions {
    let mut options = SimulateOptions::new(end);
    options.integrator = match settings.name {
        pommel_batch::Method::Dopri5 => {
            options.first_step = settings.step;
            Integrator::dormand_prince(settings.rtol, settings.atol)
        }
        // a plan without a step is refused when it is read
        pommel_batch::Method::Rk4 => {
            Integrator::fixed(ExplicitMethod::Rk4, settings.step.unwrap_or(f64::NAN))
        }
    };
    options.max_steps = settings.max_steps.unwrap_or(options.max_steps);
    options
}

fn columns(mechanism: &Mechanism, isolated: bool) -> Vec<Column> {
    let end_state = |letter: &str, names: Vec<String>, units: Vec<&str>, what: &str| {
        let list = names.into_iter().zip(units);
        list.map(|(name, unit)| {
            Column::new(format!("{letter}.{name}"), unit, format!("{what} {name} at the end"))
        })
        .collect::<Vec<_>>()
    };
    let mut list = end_state(
        "q",
        mechanism.coordinate_names(),
        coordinate_units(mechanism),
        "position coordinate",
    );
    list.extend(end_state(
        "v",
        mechanism.velocity_names(),
        velocity_units(mechanism),
        "velocity coordinate",
    ));
    list.push(Column::new("work", "J", "work of all forces but gravity"));
    let drift = "change of kinetic and potential energy less the work, absolute value";
    list.push(Column::new("energy_drift", "J", drift));
    if isolated {
        let linear = "change of linear momentum that gravity does not explain";
        list.push(Column::new("linear_momentum_drift", "kg·m/s", linear));
        let angular = "change of angular momentum about the mass centre";
        list.push(Column::new("angular_momentum_drift", "kg·m²/s", angular));
    }
    list
}

/// An instance that took too long, and got to a time.
fn too_slow(limit: Option<Duration>, t: f64) -> Outcome {
    let limit = limit.unwrap_or_default().as_secs_f64();
    let message =
        format!("it took more than {limit} s; it got to {t} s (limits.time_limit of the plan)");
    Outcome::failed("time limit", message, t)
}

/// A failed instance, with a reason to count it by.
fn failed(error: Error) -> Outcome {
    let message = error.to_string();
    let (reason, time) = match &error {
        Error::Model(_) => ("model", 0.0),
        Error::Unsupported(_) => ("unsupported", 0.0),
        Error::Integration(IntegrateError::Failed(failure)) => (cause(&failure.cause), failure.t),
        Error::Integration(IntegrateError::Input(_)) => ("integrator settings", 0.0),
        Error::Tree(_) | Error::Formulation { .. } | Error::Repeat(_) => ("singular", 0.0),
        Error::System(_) | Error::NotPlanar => ("unsupported", 0.0),
        Error::Kinematics(_) | Error::Inconsistent { .. } => ("assembly", 0.0),
        Error::Constrained { failure, .. } => (cause(&failure.cause), failure.t),
        Error::Projection { time, .. } => ("projection", *time),
        Error::Accuracy { .. } | Error::NotAdaptive => ("accuracy", 0.0),
        Error::Nonsmooth(_) => ("nonsmooth", 0.0),
        Error::End { .. } => ("time", 0.0),
        Error::Force { source, .. } => ("not finite", source.time),
    };
    Outcome::failed(reason, message, time)
}

fn cause<E>(cause: &Cause<E>) -> &'static str {
    match cause {
        Cause::Rhs(_) => "singular",
        Cause::NonFinite { .. } => "not finite",
        Cause::Tolerance { .. } => "tolerance",
        Cause::TooManySteps { .. } => "too many steps",
        Cause::InitialState { .. } => "initial state",
        Cause::Stages { .. } | Cause::SingularMatrix | Cause::OpenConstraint { .. } => {
            "implicit stages"
        }
        Cause::StepBelowResolution => "step below resolution",
        _ => "time",
    }
}
