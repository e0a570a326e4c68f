//! Sweeps of simulations: what [`pommel_batch`] runs for every instance.

use pommel_batch::{Column, Instance, Integrator as Settings, Outcome, Runner, Sweep};
use pommel_integrate::{Cause, ExplicitMethod, IntegrateError, Stepper};
use pommel_model::{Description, Mechanism};

use crate::simulate::{Diagnostics, Integrator, Sample, SimulateOptions, TreeSystem};
use crate::units::{coordinate_units, velocity_units};
use crate::{Error, TreeDynamics};

/// Simulates every instance of a sweep from its initial state to the end time and gives
///
/// * the end state, `q.NAME` and `v.NAME`,
/// * the `work` of all forces but gravity and the `energy_drift`,
/// * for an isolated mechanism, the drift of linear and angular momentum,
/// * the counts `steps`, `rejected` and `evaluations`.
#[derive(Clone, Debug)]
pub struct SimulationRunner {
    base: Description,
    columns: Vec<Column>,
    isolated: bool,
}

/// What a thread needs to simulate instances.
#[derive(Debug)]
pub struct Worker {
    description: Description,
    /// The stepper of the last instance, with its settings.
    stepper: Option<(Settings, Stepper<f64>)>,
}

impl SimulationRunner {
    /// A runner for the instances of a sweep.
    ///
    /// # Errors
    /// [`Error::Model`] or [`Error::Unsupported`] if the model itself, without parameters set,
    /// cannot be simulated; [`Error::Integration`] if the settings of the integrator make no sense.
    pub fn new(sweep: &Sweep) -> Result<Self, Error> {
        let base = sweep.base().clone();
        let mechanism = Mechanism::new(base.clone())?;
        let dynamics = TreeDynamics::new(&mechanism)?;
        // settings are checked once, here, unless instances have their own
        if !sweep.varies_settings() {
            let plan = sweep.plan();
            let dim = mechanism.nq() + mechanism.nv() + 1;
            let method = options(&plan.integrator, plan.end).method();
            Stepper::<f64>::new(dim, &method).map_err(IntegrateError::from)?;
        }
        let isolated = dynamics.is_isolated(&crate::initial_state(&mechanism)?);
        Ok(SimulationRunner { columns: columns(&mechanism, isolated), base, isolated })
    }

    fn simulate(&self, worker: &mut Worker, instance: &Instance<'_>) -> Result<Vec<f64>, Outcome> {
        let (settings, end) = (instance.integrator(), instance.end());
        if !(end > 0.0 && end.is_finite()) {
            let message = format!("the end {end} must be a positive number");
            return Err(Outcome::failed("integrator settings", message, 0.0));
        }
        instance.write(&mut worker.description);
        let mechanism = Mechanism::new(worker.description.clone())?;
        let dynamics = TreeDynamics::new(&mechanism).map_err(failed)?;
        let state = crate::initial_state(&mechanism).map_err(failed)?;
        let mut system = TreeSystem::new(&dynamics, &state);
        let mut y = system.initial(&state);
        let known = worker.stepper.take().filter(|(known, _)| *known == settings);
        let stepper = match known {
            Some((_, stepper)) => stepper,
            None => Stepper::new(y.len(), &options(&settings, end).method())
                .map_err(|e| failed(IntegrateError::from(e).into()))?,
        };
        let (_, stepper) = worker.stepper.insert((settings, stepper));
        let counts =
            system.run(stepper, end, &mut y, &mut ()).map_err(|e| failed(Error::Integration(e)))?;

        let (nq, nv) = (mechanism.nq(), mechanism.nv());
        let last =
            Sample { t: end, q: y[..nq].to_vec(), v: y[nq..nq + nv].to_vec(), work: y[nq + nv] };
        let start = Sample { t: 0.0, q: state.q.clone(), v: state.v.clone(), work: 0.0 };
        let d = Diagnostics::of(&dynamics, &[start, last], self.isolated);
        let mut values = y;
        values.push(d.energy_drift);
        if self.isolated {
            values.extend(d.linear_momentum_drift.into_iter().chain(d.angular_momentum_drift));
        }
        values.extend([counts.steps, counts.rejected, counts.evaluations].map(|n| n as f64));
        Ok(values)
    }
}

impl Runner for SimulationRunner {
    type Worker = Worker;

    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn worker(&self) -> Worker {
        Worker { description: self.base.clone(), stepper: None }
    }

    fn run(&self, worker: &mut Worker, instances: &[Instance<'_>]) -> Vec<Outcome> {
        let mut one = |instance| match self.simulate(worker, instance) {
            Ok(values) => Outcome::Finished { values },
            Err(outcome) => outcome,
        };
        instances.iter().map(&mut one).collect()
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
    list.push(Column::new("steps", "1", "accepted steps"));
    list.push(Column::new("rejected", "1", "rejected steps"));
    list.push(Column::new("evaluations", "1", "evaluations of the equations of motion"));
    list
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
