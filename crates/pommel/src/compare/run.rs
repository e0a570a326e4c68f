//! Runs all formulations.

use std::time::Duration;

use cpu_time::ProcessTime;
use pommel_integrate::{Adaptive, Cause, Controller, Options, Statistics, Stepper, Tableau};
use pommel_mechanism::formulation::{Formulation, FormulationError, Method};
use pommel_mechanism::{Evaluation, System};

use super::ode::Motion;
use crate::Error;
use crate::absolute::{AbsoluteDynamics, AbsoluteState};
use crate::constrained::Balance;

/// How to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// End time, s; the start is 0.
    pub end: f64,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// The step control: [`Controller::Ode45`] is that of the published comparison.
    pub controller: Controller,
    /// The formulations, in order.
    pub methods: Vec<Method>,
    /// Processor time to spend on repeated runs of each formulation, s; each runs at least once.
    pub seconds: f64,
}

impl CompareOptions {
    /// End time of the published comparison as it is reproduced, s.
    pub const PUBLISHED_END: f64 = 7.38;

    /// All formulations to the end time, with the integrator of the published comparison.
    pub fn new(end: f64) -> Self {
        CompareOptions {
            end,
            rtol: 1e-6,
            atol: 1e-6,
            controller: Controller::Ode45,
            methods: Method::ALL.to_vec(),
            seconds: 0.2,
        }
    }

    fn method(&self) -> Options {
        let steps = Adaptive::new(self.rtol, self.atol).controller(self.controller);
        Options::adaptive(Tableau::dormand_prince_54(), steps).max_steps(1_000_000)
    }
}

/// How a formulation fared.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// It reached the end.
    Ok,
    /// It refuses the mechanism, or the run ended early: why.
    Failed {
        /// In words.
        reason: String,
    },
}

/// One formulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which one.
    pub method: Method,
    /// Processor time of a whole run, median over runs, s.
    pub cpu_seconds: f64,
    /// Runs that were timed.
    pub runs: usize,
    /// Calls of the right-hand side, and steps.
    pub statistics: Statistics,
    /// Of these seconds, those spent in the formulation: its share of a run with a clock in it.
    pub solver_seconds: f64,
    /// The largest |Φ| after a step; m, rad.
    pub position_residual: f64,
    /// The largest |Φ_q v − ν| after a step; m/s, rad/s.
    pub velocity_residual: f64,
    /// The largest drift of energy less work, J.
    pub energy_drift: f64,
    /// Coordinates and velocities at the end.
    pub end: Vec<f64>,
    /// How it fared; if it failed, the other fields mean nothing.
    pub status: Status,
}

/// All formulations on one mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Name of the mechanism.
    pub mechanism: String,
    /// Number of coordinates, velocities, rows.
    pub sizes: [usize; 3],
    /// What was asked for.
    pub options: CompareOptions,
    /// One row a formulation.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Whether the published figures belong beside it: it is on the mechanism with the counts of
    /// the published one, `fm24`, over the same time with the same tolerances and steps.
    pub fn is_beside_published(&self) -> bool {
        let CompareOptions { end, rtol, atol, controller, .. } = self.options;
        let published = CompareOptions::new(CompareOptions::PUBLISHED_END);
        self.mechanism == "fm24"
            && self.sizes == [24; 3]
            && (end, rtol, atol) == (published.end, published.rtol, published.atol)
            && controller == published.controller
    }

    /// The largest distance of the ends of a row from those of the first row that reached the end.
    pub fn spread(&self, row: &Row) -> Option<f64> {
        let first = self.rows.iter().find(|row| row.status == Status::Ok)?;
        let pairs = first.end.iter().zip(&row.end);
        (row.status == Status::Ok).then(|| pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())))
    }
}

/// Integrates a mechanism with every formulation.
///
/// `progress` is told the number of formulations that are done.
///
/// # Errors
/// [`Error::Kinematics`] if the initial state cannot be assembled. A formulation that refuses or
/// fails is no error but a row that says why.
pub fn compare(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    options: &CompareOptions,
    progress: &mut dyn FnMut(usize),
) -> Result<Comparison, Error> {
    let system = dynamics.system();
    let mut rows = Vec::with_capacity(options.methods.len());
    for (k, &method) in options.methods.iter().enumerate() {
        rows.push(row(dynamics, state, options, method));
        progress(k + 1);
    }
    Ok(Comparison {
        mechanism: dynamics.mechanism().name().to_owned(),
        sizes: [system.nq(), system.nv(), system.rows()],
        options: options.clone(),
        rows,
    })
}

fn row(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    options: &CompareOptions,
    method: Method,
) -> Row {
    let mut row = Row {
        method,
        cpu_seconds: f64::NAN,
        runs: 0,
        statistics: Statistics::default(),
        solver_seconds: f64::NAN,
        position_residual: f64::NAN,
        velocity_residual: f64::NAN,
        energy_drift: f64::NAN,
        end: Vec::new(),
        status: Status::Ok,
    };
    if let Err(error) = fill(&mut row, dynamics, state, options) {
        row.status = Status::Failed { reason: error.to_string() };
    }
    row
}

/// Why a formulation has no row: in words, as they come from the layers below.
type Reason = Box<dyn std::error::Error>;

fn fill(
    row: &mut Row,
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    options: &CompareOptions,
) -> Result<(), Reason> {
    let system = dynamics.system();
    let start: Vec<f64> = state.q.iter().chain(&state.v).copied().collect();
    let mut formulation = built(dynamics, state, row.method)?;
    let mut stepper = Stepper::new(start.len(), &options.method())?;

    // what happens along the way
    let drivers = !dynamics.mechanism().description().drivers.is_empty();
    let multipliers = drivers.then(|| built(dynamics, state, Method::SparseKkt)).transpose()?;
    let mut balance = Balance::new(system, multipliers, state);
    let mut motion = Motion::new(system, formulation.as_mut(), state);
    motion.rewind();
    let mut y = start.clone();
    let outcome = stepper.run(&mut motion, 0.0, options.end, &mut y, &mut balance)?;
    row.statistics =
        outcome.into_result().map_err(|failure| why(dynamics, &failure))?.statistics(0);
    row.position_residual = balance.position_residual;
    row.velocity_residual = balance.velocity_residual;
    row.energy_drift = balance.energy_drift;
    row.end.clone_from(&y);

    // what part of a run is the formulation's, by a run with a clock in it
    motion.solver = Some(Duration::ZERO);
    motion.rewind();
    y.copy_from_slice(&start);
    let whole = std::time::Instant::now();
    let outcome = stepper.run(&mut motion, 0.0, options.end, &mut y, &mut ())?;
    let whole = whole.elapsed().as_secs_f64();
    outcome.into_result().map_err(|failure| why(dynamics, &failure))?;
    let clock = clock_cost() * row.statistics.evaluations as f64;
    let solver = motion.solver.unwrap_or_default().as_secs_f64();
    let share = ((solver - clock) / (whole - clock)).clamp(0.0, 1.0);

    // the time of a run alone
    motion.solver = None;
    let mut times = Vec::new();
    let mut spent = 0.0;
    while times.is_empty() || spent < options.seconds && times.len() < 1000 {
        y.copy_from_slice(&start);
        motion.rewind();
        let clock = ProcessTime::now();
        let outcome = stepper.run(&mut motion, 0.0, options.end, &mut y, &mut ())?;
        let seconds = clock.elapsed().as_secs_f64();
        outcome.into_result().map_err(|failure| why(dynamics, &failure))?;
        spent += seconds;
        times.push(seconds);
    }
    times.sort_by(f64::total_cmp);
    row.cpu_seconds = times[times.len() / 2];
    row.solver_seconds = share * row.cpu_seconds;
    row.runs = times.len();
    Ok(())
}

/// When a run ended early, and what the formulation said.
fn why(
    dynamics: &AbsoluteDynamics,
    failure: &pommel_integrate::Failure<FormulationError>,
) -> Reason {
    match &failure.cause {
        Cause::Rhs(error) => format!(
            "ended at t = {}: {}",
            failure.t,
            dynamics.named(FormulationError::clone(error))
        )
        .into(),
        _ => failure.to_string().into(),
    }
}

/// A formulation for the numbers at the start.
fn built(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    method: Method,
) -> Result<Box<dyn Formulation>, Reason> {
    let system: &System<f64> = dynamics.system();
    let mut evaluation = Evaluation::new(system);
    evaluation.set_turns(&state.turns);
    system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
    Ok(dynamics.formulation(method, &system.equations(&evaluation, (&state.q, &state.v)))?)
}

/// What reading the clock twice costs, s.
fn clock_cost() -> f64 {
    let mut total = Duration::ZERO;
    for _ in 0..1000 {
        let start = std::time::Instant::now();
        total += start.elapsed();
    }
    total.as_secs_f64() / 1000.0
}
