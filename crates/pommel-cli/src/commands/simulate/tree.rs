//! Trees in joint coordinates.

use pommel::coordinate_units;
use pommel::integrate::ExplicitMethod;
use pommel::model::Mechanism;
use pommel::simulate::{Integrator, SimulateOptions, Trajectory, simulate};
use serde_json::json;

use super::{every, finish, progress_bar, tell_files, unknown};
use crate::args::Simulate;
use crate::commands::{dynamics, state};
use crate::failure::Failure;
use crate::output::trajectory::Columns;
use crate::output::{self, Table, counted, number, plot, trajectory};

/// Below, the error estimate of a step is rounding.
const SMALLEST_RTOL: f64 = 1e-14;

pub(super) fn run(args: &Simulate, mechanism: &Mechanism) -> Result<(), Failure> {
    let options = options(args)?;
    let state = state(mechanism, &args.model.model, args.state.as_deref())?;
    let dynamics = dynamics(mechanism, &args.model.model)?;

    args.files.check_writable()?;

    let bar = progress_bar();
    let cpu = cpu_time::ProcessTime::now();
    let mut progress = |t: f64| {
        bar.set_position((1000.0 * t / options.end) as u64);
    };
    let run = simulate(&dynamics, &state, &options, &mut progress);
    bar.finish_and_clear();
    let run = run.map_err(|error| Failure::computation(&args.model.model, error))?;
    let cpu_seconds = cpu.elapsed().as_secs_f64();

    let columns = Columns::of(mechanism, &dynamics, &run);
    if let Some(file) = &args.files.out {
        trajectory::write(file, &columns)?;
    }
    if let Some(file) = &args.files.plot {
        plot::trajectory(file, &columns)?;
    }
    let exceeded = limits_exceeded(mechanism, &run);
    warn(&run, &exceeded);
    if args.json {
        let d = &run.diagnostics;
        let document = json!({
            "steps": run.statistics.steps,
            "rejected": run.statistics.rejected,
            "evaluations": run.statistics.evaluations,
            "events": [],
            "position_residual_max": d.quaternion_residual,
            "velocity_residual_max": 0.0,
            "energy_drift": d.energy_drift,
            "kinetic_energy_max": d.kinetic_scale,
            "momentum_drift": {
                "linear": d.linear_momentum_drift,
                "angular": d.angular_momentum_drift,
            },
            "limits_exceeded": (exceeded.iter())
                .map(|e| json!({ "joint": e.joint, "t": e.t, "value": e.value }))
                .collect::<Vec<_>>(),
            "cpu_seconds": cpu_seconds,
        });
        return finish(args, document, &columns);
    }
    output::text(&report(mechanism, &run, cpu_seconds))?;
    tell_files(args)
}

fn options(args: &Simulate) -> Result<SimulateOptions, Failure> {
    let mut options = SimulateOptions::new(args.end);
    options.every = Some(every(args)?);
    options.integrator = integrator(args)?;
    // the step of the fixed method is a part of it
    if !matches!(options.integrator, Integrator::Fixed { .. }) {
        options.first_step = args.step;
    }
    args.files.check_names()?;
    Ok(options)
}

/// The method and its steps.
pub(super) fn integrator(args: &Simulate) -> Result<Integrator, Failure> {
    let name = args.integrator.as_str();
    let ode45 = name == ODE45;
    let method = if ode45 {
        ExplicitMethod::DormandPrince54
    } else {
        ExplicitMethod::from_name(name).ok_or_else(|| unknown(name))?
    };
    if args.fixed || !method.is_pair() {
        if args.rtol.is_some() || args.atol.is_some() {
            return Err(Failure::usage(format!(
                "--rtol and --atol belong to adaptive steps (dopri5, ode45, …); {name} with steps of \
                 one size takes --step"
            )));
        }
        let step = args
            .step
            .ok_or_else(|| Failure::usage(format!("{name} needs --step H, its step in seconds")))?;
        return Ok(Integrator::fixed(method, step));
    }
    if let Some(rtol) = args.rtol.filter(|&rtol| 0.0 < rtol && rtol < SMALLEST_RTOL) {
        return Err(Failure::usage(format!(
            "--rtol {rtol:e} is below the rounding of numbers; take {SMALLEST_RTOL:e} or more"
        )));
    }
    if ode45 && args.rtol == Some(0.0) {
        return Err(Failure::usage("--rtol 0: ode45 needs a relative tolerance above zero"));
    }
    Ok(if ode45 {
        Integrator::ode45(args.rtol, args.atol)
    } else {
        Integrator::adaptive(method, args.rtol, args.atol)
    })
}

/// The method and its name where its steps are chosen as by MATLAB.
pub(super) const ODE45: &str = "ode45";

/// Joints that leave their limits: stops are not simulated yet.
fn limits_exceeded(mechanism: &Mechanism, run: &Trajectory) -> Vec<Exceeded> {
    let mut found = Vec::new();
    for (joint, data) in mechanism.joints().iter().zip(&mechanism.description().joints) {
        let Some(limits) = &data.limits else { continue };
        for (k, q) in joint.q.clone().enumerate() {
            let Some(limit) = limits.get(k) else { continue };
            let low = limit.lower.unwrap_or(f64::NEG_INFINITY);
            let high = limit.upper.unwrap_or(f64::INFINITY);
            if let Some(s) = run.samples.iter().find(|s| s.q[q] < low || s.q[q] > high) {
                let joint = data.name.clone();
                found.push(Exceeded { joint, t: s.t, value: s.q[q], range: (low, high) });
            }
        }
    }
    found
}

/// The first sample at which a joint is outside its limits.
struct Exceeded {
    joint: String,
    t: f64,
    value: f64,
    range: (f64, f64),
}

fn warn(run: &Trajectory, exceeded: &[Exceeded]) {
    for Exceeded { joint, t, value, range: (low, high) } in exceeded {
        output::note(&format!(
            "warning: joint '{joint}' is at {} at t = {} s, outside its limits {low} to {high}; \
             stops are simulated with --formulation sparse_kkt",
            number(*value),
            number(*t)
        ));
    }
    let d = &run.diagnostics;
    if d.energy_drift > 0.01 * d.kinetic_scale {
        output::note(&format!(
            "warning: the energy balance is off by {:.1e} J with a kinetic energy of at most \
             {:.1e} J: do not trust this trajectory; reduce --rtol or --step",
            d.energy_drift, d.kinetic_scale
        ));
    }
}

fn report(mechanism: &Mechanism, run: &Trajectory, cpu_seconds: f64) -> String {
    let mut out = String::new();
    if let (Some(first), Some(last)) = (run.samples.first(), run.samples.last()) {
        let time = |t| format!("t = {}", number(t));
        let mut table = Table::new(&["coordinate", "unit", &time(first.t), &time(last.t)]);
        let names = mechanism.coordinate_names().into_iter().zip(coordinate_units(mechanism));
        for (((name, unit), a), b) in names.zip(&first.q).zip(&last.q) {
            table.row(&[name, unit.to_owned(), number(*a), number(*b)]);
        }
        out.push_str(&format!("{table}\n"));
    }
    let s = &run.statistics;
    out.push_str(&format!(
        "{}, {} rejected, {}, {cpu_seconds:.3} s of processor time\n",
        counted(s.steps, "step"),
        s.rejected,
        counted(s.evaluations, "evaluation")
    ));
    let d = &run.diagnostics;
    out.push_str(&format!(
        "energy drift {:.1e} J (kinetic energy up to {:.1e} J)\n",
        d.energy_drift, d.kinetic_scale
    ));
    if let (Some(linear), Some(angular)) = (d.linear_momentum_drift, d.angular_momentum_drift) {
        out.push_str(&format!(
            "momentum drift {linear:.1e} kg·m/s linear, {angular:.1e} kg·m²/s angular\n"
        ));
    }
    out
}
