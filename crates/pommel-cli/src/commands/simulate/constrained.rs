//! Mechanisms in absolute coordinates, with or without loops.

use pommel::AbsoluteDynamics;
use pommel::constrained::{
    Accuracy, Approach, ConstrainedSample, ConstrainedTrajectory, Stabilization,
    simulate_constrained,
};
use pommel::integrate::mechanics::{Level, MechanicsOptions, Scheme};
use pommel::integrate::{
    Adaptive, Controller, ExplicitMethod, ImplicitMethod, ImplicitOptions, Options,
};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::nonsmooth::{NonsmoothDynamics, NonsmoothOptions};
use pommel::simulate::Integrator;
use serde_json::json;

use super::tree::ODE45;
use super::{events, every, finish, nothing_touches, progress_bar, tell_files, unknown};
use crate::args::Simulate;
use crate::commands::{cannot_assemble, state, tell_moved};
use crate::failure::Failure;
use crate::output::trajectory::Columns;
use crate::output::{self, Table, counted, number, plot, trajectory};

/// Methods with constraints in every step.
pub(super) const SCHEMES: [(&str, &str); 4] = [
    ("rattle", "RATTLE (Störmer–Verlet), order 2, symplectic"),
    ("symplectic-euler", "symplectic Euler, order 1"),
    ("generalized-alpha", "generalized-α, order 2; =RADIUS from 0 to 1 [default: 0.8]"),
    ("hht", "Hilber, Hughes and Taylor, order 2; =ALPHA from -1/3 to 0 [default: -0.05]"),
];
const MOST_STEPS: u64 = 10_000_000;
/// Tolerance of adaptive steps.
const RTOL: f64 = Integrator::RTOL;

pub(super) fn run(args: &Simulate, mechanism: &Mechanism) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    let every = every(args)?;
    args.files.check_names()?;
    if let Some(accuracy) = args.accuracy.filter(|x| !(1e-12..1.0).contains(x)) {
        return Err(Failure::usage(format!("--accuracy {accuracy} must be from 1e-12 to 1")));
    }
    let failed = |error| Failure::computation(&args.model.model, error);
    let given = state(mechanism, &args.model.model, args.state.as_deref())?;
    let nonsmooth = NonsmoothDynamics::new(mechanism).map_err(failed)?;
    let dynamics = nonsmooth.smooth();
    let start = match &args.state {
        Some(_) => dynamics.state(&given),
        None => dynamics.initial_state(),
    };
    let start = start.map_err(|error| cannot_assemble(mechanism, &args.model.model, error))?;
    tell_moved(&start);
    args.files.check_writable()?;
    let interactions = nonsmooth.interactions();
    if interactions.gaps().is_empty() {
        nothing_touches(args)?;
    }
    if !(interactions.rubs().is_empty() && interactions.gaps().is_empty()) {
        return events::run(args, &nonsmooth, &start, plan.nonsmooth()?, every);
    }

    let bar = progress_bar();
    let cpu = cpu_time::ProcessTime::now();
    let accuracy = match args.accuracy {
        Some(accuracy) => Accuracy::End(accuracy),
        None => Accuracy::Steps(args.rtol.unwrap_or(RTOL)),
    };
    let mut progress = |t: f64| {
        if args.end > 0.0 {
            bar.set_position((1000.0 * t / args.end) as u64);
        }
    };
    let span = if args.end > 0.0 { (args.end, every) } else { (0.0, 1.0) };
    let approach = |tolerance| plan.approach(tolerance);
    let run = simulate_constrained(dynamics, &start, &approach, accuracy, span, &mut progress);
    bar.finish_and_clear();
    let run = run.map_err(failed)?;
    let cpu_seconds = cpu.elapsed().as_secs_f64();

    let columns = Columns::of_absolute(dynamics, &run.samples);
    if let Some(file) = &args.files.out {
        trajectory::write(file, &columns)?;
    }
    if let Some(file) = &args.files.plot {
        plot::trajectory(file, &columns)?;
    }
    warn(&run);
    if args.json {
        let mut document = json!({
            "steps": run.statistics.steps,
            "rejected": run.statistics.rejected,
            "evaluations": run.statistics.evaluations,
            "factorizations": run.statistics.factorizations,
            "events": [],
            "position_residual_max": run.position_residual,
            "velocity_residual_max": run.velocity_residual,
            "energy_drift": run.energy_drift,
            "kinetic_energy_max": run.kinetic_scale,
            "integrator": args.integrator,
            "formulation": plan.method.name(),
            "stabilization": plan.stabilization_name,
            "cpu_seconds": cpu_seconds,
        });
        if let (Some(map), Some(verified)) = (document.as_object_mut(), &run.verified) {
            let about = json!({
                "runs": verified.runs,
                "tolerance": verified.tolerance,
                "difference": verified.difference,
            });
            map.insert("verified".to_owned(), about);
        }
        return finish(args, document, &columns);
    }
    output::text(&report(dynamics, &run, &plan, cpu_seconds))?;
    tell_files(args)
}

/// What is asked for.
struct Plan<'a> {
    args: &'a Simulate,
    method: Method,
    family: Family,
    stabilization: Stabilization,
    stabilization_name: String,
}

enum Family {
    /// with a step of its own, if it takes steps of one size
    Explicit(ExplicitMethod, Controller, Option<f64>),
    Implicit(ImplicitMethod),
    Scheme(Scheme),
}

impl<'a> Plan<'a> {
    fn new(args: &'a Simulate) -> Result<Self, Failure> {
        let method = args.formulation.as_deref().and_then(Method::from_name);
        let name = args.stabilization.as_deref();
        let level = name.and_then(level);
        let family = family(args, level)?;
        let refused = |what: &str| {
            Err(Failure::usage(format!(
                "{what} is for accelerations; {} has constraints in every step",
                args.integrator
            )))
        };
        let (stabilization, stabilization_name) = match (&family, name) {
            (Family::Scheme(scheme), name) => {
                scheme.check().map_err(|error| Failure::usage(error.to_string()))?;
                if args.formulation.is_some() {
                    return refused("--formulation");
                }
                match name {
                    Some(name) if level.is_none() => {
                        return refused(&format!("--stabilization {name}"));
                    }
                    name => (Stabilization::None, name.unwrap_or("none").to_owned()),
                }
            }
            (_, name) => {
                let name = name.unwrap_or("projection");
                (stabilization(name)?, name.to_owned())
            }
        };
        let method = method.unwrap_or(Method::SparseKkt);
        Ok(Plan { args, method, family, stabilization, stabilization_name })
    }

    /// Adaptive steps of a tolerance, or as the arguments say.
    fn steps(&self, tolerance: f64) -> Adaptive {
        let args = self.args;
        let ode45 = matches!(self.family, Family::Explicit(_, Controller::Ode45, _));
        let (rtol, atol) = match (args.accuracy, ode45) {
            (Some(_), _) => (tolerance, tolerance),
            (None, true) => {
                let default = Integrator::ODE45_TOLERANCE;
                (args.rtol.unwrap_or(default), args.atol.unwrap_or(default))
            }
            (None, false) => (tolerance, args.atol.unwrap_or(0.01 * tolerance)),
        };
        let steps = Adaptive::new(rtol, atol);
        match args.step {
            Some(h) => steps.first_step(h),
            None => steps,
        }
    }

    /// For mechanisms with events.
    fn nonsmooth(&self) -> Result<NonsmoothOptions, Failure> {
        let refused = |what: &str| {
            Err(Failure::usage(format!(
                "{what} is not for mechanisms with dry friction, stops or contacts: take an explicit integrator"
            )))
        };
        if self.args.accuracy.is_some() {
            return Err(Failure::usage(
                "--accuracy is not for mechanisms with dry friction, stops or contacts: use --rtol and --atol",
            ));
        }
        let tolerance = self.args.rtol.unwrap_or(RTOL);
        let Approach::Explicit { method, stabilization, options } = self.approach(tolerance) else {
            return refused(&format!("--integrator {}", self.args.integrator));
        };
        if stabilization == Stabilization::Partitioning {
            return refused("--stabilization partitioning");
        }
        let rest_speed = self.args.rest_speed.unwrap_or(0.0);
        Ok(NonsmoothOptions { method, stabilization, rest_speed, ..NonsmoothOptions::new(options) })
    }

    fn approach(&self, tolerance: f64) -> Approach {
        let (method, stabilization) = (self.method, self.stabilization);
        let steps = self.steps(tolerance);
        let fixed = self.args.fixed.then_some(self.args.step).flatten();
        match &self.family {
            Family::Explicit(explicit, controller, fixed) => {
                let options = match fixed {
                    Some(step) => Options::fixed(explicit.tableau(), *step),
                    None => Options::adaptive(explicit.tableau(), steps.controller(*controller)),
                };
                Approach::Explicit { method, stabilization, options: options.max_steps(MOST_STEPS) }
            }
            Family::Implicit(implicit) => {
                let options = match fixed {
                    Some(h) => ImplicitOptions::fixed(implicit.tableau(), h),
                    None => ImplicitOptions::adaptive(implicit.tableau(), steps),
                };
                Approach::Implicit { method, stabilization, options: options.max_steps(MOST_STEPS) }
            }
            Family::Scheme(scheme) => {
                let options = match fixed {
                    Some(h) => MechanicsOptions::fixed(scheme.clone(), h),
                    None => MechanicsOptions::adaptive(scheme.clone(), steps),
                };
                Approach::Constrained(options.max_steps(MOST_STEPS))
            }
        }
    }
}

/// The constraints that stages of an implicit method satisfy.
fn level(name: &str) -> Option<Level> {
    match name {
        "stabilized" => Some(Level::Stabilized),
        "index2" => Some(Level::Velocity),
        "index3" => Some(Level::Position),
        _ => None,
    }
}

fn family(args: &Simulate, level: Option<Level>) -> Result<Family, Failure> {
    let (name, value) = parts(&args.integrator)?;
    let scheme = match name {
        "rattle" => Some(Scheme::Rattle),
        "symplectic-euler" => Some(Scheme::SymplecticEuler),
        "generalized-alpha" => {
            Some(Scheme::GeneralizedAlpha { spectral_radius: value.unwrap_or(0.8) })
        }
        "hht" => Some(Scheme::Hht { alpha: value.unwrap_or(-0.05) }),
        _ => None,
    };
    let takes_value = matches!(name, "generalized-alpha" | "hht");
    if value.is_some() && !takes_value {
        return Err(Failure::usage(format!("integrator '{name}' takes no number")));
    }
    if args.fixed && args.step.is_none() {
        return Err(Failure::usage("--fixed needs --step H, the step in seconds".to_owned()));
    }
    let of_accelerations = |what: &str| {
        Failure::usage(format!(
            "--stabilization {} is for radau5, radau3 and implicit-euler, not for {what}",
            args.stabilization.as_deref().unwrap_or_default()
        ))
    };
    if let Some(scheme) = scheme {
        return if level.is_some() {
            Err(of_accelerations(name))
        } else {
            Ok(Family::Scheme(scheme))
        };
    }
    if let Some(implicit) = ImplicitMethod::from_name(name) {
        let Some(level) = level else { return Ok(Family::Implicit(implicit)) };
        let tableau = implicit.tableau();
        if !tableau.is_stiffly_accurate() {
            return Err(of_accelerations(name));
        }
        return Ok(Family::Scheme(Scheme::radau(tableau, level)));
    }
    if name != ODE45 && ExplicitMethod::from_name(name).is_none() {
        return Err(unknown(name));
    }
    if level.is_some() {
        return Err(of_accelerations(name));
    }
    match super::tree::integrator(args)? {
        Integrator::Adaptive { method, controller, .. } => {
            Ok(Family::Explicit(method, controller, None))
        }
        Integrator::Fixed { .. } if args.accuracy.is_some() => Err(Failure::usage(format!(
            "--accuracy is for adaptive steps; {name} takes steps of one size"
        ))),
        Integrator::Fixed { method, step } => {
            Ok(Family::Explicit(method, Controller::Pi, Some(step)))
        }
        _ => Err(unknown(name)),
    }
}

/// `name` or `name=number`.
fn parts(text: &str) -> Result<(&str, Option<f64>), Failure> {
    let Some((name, value)) = text.split_once('=') else { return Ok((text, None)) };
    let value = value
        .parse()
        .map_err(|_| Failure::usage(format!("'{value}' in '{text}' is not a number")))?;
    Ok((name, Some(value)))
}

fn stabilization(text: &str) -> Result<Stabilization, Failure> {
    let (name, value) = parts(text)?;
    let found = match name {
        "none" => Stabilization::None,
        "projection" => Stabilization::Projection(Metric::Mass),
        "projection-length" => Stabilization::Projection(Metric::Length),
        "simple-partitioning" => Stabilization::Projection(Metric::Independent),
        "partitioning" => Stabilization::Partitioning,
        "baumgarte" => {
            let rate = value.unwrap_or(BAUMGARTE_RATE);
            if !(rate > 0.0 && rate.is_finite()) {
                return Err(Failure::usage(format!(
                    "the rate of baumgarte={rate} must be positive, 1/s"
                )));
            }
            return Ok(Stabilization::Baumgarte { alpha: rate, beta: rate });
        }
        _ => {
            return Err(Failure::usage(format!(
                "unknown stabilization '{name}'; known: projection (least change of kinetic energy), \
                 projection-length (least displacement), partitioning (dependent coordinates follow from \
                 independent ones in every evaluation), simple-partitioning (after every step), \
                 baumgarte[=RATE], none; with radau5, radau3 and implicit-euler also stabilized, index2, index3"
            )));
        }
    };
    match value {
        Some(_) => Err(Failure::usage(format!("stabilization '{name}' takes no number"))),
        None => Ok(found),
    }
}

/// Violations die out within tenths of a second, 1/s.
const BAUMGARTE_RATE: f64 = 10.0;

fn warn(run: &ConstrainedTrajectory) {
    if run.energy_drift > 0.01 * run.kinetic_scale {
        output::note(&format!(
            "warning: the energy balance is off by {:.1e} J with a kinetic energy of at most {:.1e} J: do not \
             trust this trajectory; reduce --rtol or --step",
            run.energy_drift, run.kinetic_scale
        ));
    }
    if run.position_residual > 1e-3 {
        output::note(&format!(
            "warning: constraints are violated by up to {:.1e} (m, rad); take another --stabilization",
            run.position_residual
        ));
    }
}

fn report(
    dynamics: &AbsoluteDynamics,
    run: &ConstrainedTrajectory,
    plan: &Plan<'_>,
    cpu_seconds: f64,
) -> String {
    let mut out = String::new();
    out.push_str(&ends(dynamics, &run.samples));
    let s = &run.statistics;
    out.push_str(&format!(
        "{}, {} rejected, {}, {cpu_seconds:.3} s of processor time\n",
        counted(s.steps, "step"),
        s.rejected,
        counted(s.evaluations, "evaluation")
    ));
    let by = match &plan.family {
        Family::Scheme(scheme) => scheme.name(),
        _ => format!("{}, {}", plan.method, plan.stabilization_name),
    };
    out.push_str(&format!(
        "constraints ({by}): positions off by at most {:.1e} (m, rad), velocities by {:.1e} (m/s, rad/s)\n",
        run.position_residual, run.velocity_residual
    ));
    out.push_str(&format!(
        "energy drift {:.1e} J (kinetic energy up to {:.1e} J)\n",
        run.energy_drift, run.kinetic_scale
    ));
    if let Some(verified) = &run.verified {
        out.push_str(&format!(
            "{} with tolerances down to {:.1e}; the last two ends differ by {:.1e}\n",
            counted(verified.runs as u64, "run"),
            verified.tolerance,
            verified.difference
        ));
    }
    out
}

/// Coordinates at the start and at the end.
pub(super) fn ends(dynamics: &AbsoluteDynamics, samples: &[ConstrainedSample]) -> String {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return String::new();
    };
    let system = dynamics.system();
    let time = |t| format!("t = {}", number(t));
    let mut table = Table::new(&["coordinate", "unit", &time(first.t), &time(last.t)]);
    let names = system.coordinate_names().into_iter().enumerate();
    for ((k, name), (a, b)) in names.zip(first.q.iter().zip(&last.q)) {
        let unit = match (system.is_planar(), k % system.coordinates_per_body()) {
            (true, 2) => "rad",
            (false, 3..) => "",
            _ => "m",
        };
        table.row(&[name, unit.to_owned(), number(*a), number(*b)]);
    }
    format!("{table}\n")
}
