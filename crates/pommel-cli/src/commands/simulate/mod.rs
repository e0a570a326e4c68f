//! `pommel simulate`.

mod constrained;
mod events;
mod tree;

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pommel::integrate::{ExplicitMethod, ImplicitMethod};
use pommel::mechanism::formulation::Method;
use serde_json::Value;

use super::{RECURSION, check_formulation};
use crate::args::Simulate;
use crate::failure::Failure;
use crate::output;
use crate::output::trajectory::Columns;

pub(crate) fn run(args: &Simulate) -> Result<(), Failure> {
    if !(args.end.is_finite() && args.end >= 0.0) {
        return Err(Failure::usage(format!("--end {} must be finite and not negative", args.end)));
    }
    if let Some(name) = &args.formulation {
        check_formulation(name, &Method::ALL.map(Method::name))?;
    }
    if let Some(speed) = args.rest_speed.filter(|x| !(x.is_finite() && *x >= 0.0)) {
        return Err(Failure::usage(format!(
            "--rest-speed {speed} must be finite and not negative"
        )));
    }
    if args.rtol == Some(0.0) && args.atol.is_none_or(|atol| atol == 0.0) {
        return Err(Failure::usage(
            "--rtol 0 needs an --atol above 0: both are zero otherwise, which no step meets",
        ));
    }
    let mechanism = args.model.load()?;
    let description = mechanism.description();
    let is_free = mechanism.is_tree()
        && description.constraints.is_empty()
        && description.drivers.is_empty()
        && description.contacts.is_empty()
        && description.joints.iter().all(|joint| joint.friction.is_none());
    let explicit =
        args.integrator == tree::ODE45 || ExplicitMethod::from_name(&args.integrator).is_some();
    let in_joints = match args.formulation.as_deref() {
        Some(RECURSION) => is_free,
        Some(_) => false,
        None => is_free,
    };
    if in_joints && explicit && args.stabilization.is_none() && args.accuracy.is_none() {
        nothing_touches(args)?;
        tree::run(args, &mechanism)
    } else {
        constrained::run(args, &mechanism)
    }
}

/// Refuses a speed of impacts where nothing collides in this motion.
fn nothing_touches(args: &Simulate) -> Result<(), Failure> {
    match args.rest_speed {
        None => Ok(()),
        Some(_) => Err(Failure::usage(
            "--rest-speed is for impacts, but nothing collides in this motion: the model has no contacts and no \
             limits of joints that act (those of trees do with --formulation sparse_kkt)",
        )),
    }
}

/// Time between samples.
fn every(args: &Simulate) -> Result<f64, Failure> {
    // a picture needs more points than a table
    let samples = if args.files.plot.is_some() { 400.0 } else { 100.0 };
    let every = args.every.unwrap_or(args.end / samples);
    let span_needed = args.end > 0.0;
    if span_needed && !(every > 0.0 && every.is_finite() && args.end / every <= 1e7) {
        return Err(Failure::usage(format!(
            "--every {every} must be positive, and give at most ten million samples"
        )));
    }
    Ok(every)
}

/// Prints a document, with the trajectory where that is not in a file.
fn finish(args: &Simulate, mut document: Value, columns: &Columns) -> Result<(), Failure> {
    if args.files.out.is_none()
        && let Some(map) = document.as_object_mut()
    {
        map.insert("trajectory".to_owned(), columns.to_json());
    }
    output::json(&document)
}

/// Tells what was written.
fn tell_files(args: &Simulate) -> Result<(), Failure> {
    for file in args.files.iter() {
        output::text(&format!("wrote {}\n", file.display()))?;
    }
    Ok(())
}

/// A bar of a thousand parts.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {elapsed} / {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

fn unknown(name: &str) -> Failure {
    let mut known = String::new();
    for method in ExplicitMethod::ALL {
        let steps = if method.is_pair() { "adaptive steps" } else { "steps of one size" };
        known.push_str(&format!("\n  {}: {}, {steps}", method.name(), method.about()));
    }
    known.push_str(&format!(
        "\n  {}: Dormand and Prince 5(4) with the steps of MATLAB's ode45",
        tree::ODE45
    ));
    for method in ImplicitMethod::ALL {
        known.push_str(&format!("\n  {}: {}", method.name(), method.about()));
    }
    for (name, about) in constrained::SCHEMES {
        known.push_str(&format!("\n  {name}: {about}"));
    }
    Failure::usage(format!("unknown integrator '{name}'; known:{known}"))
}
