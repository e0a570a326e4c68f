//! `pommel kinematics`.

use indicatif::{ProgressBar, ProgressStyle};
use pommel::AbsoluteDynamics;
use pommel::mechanism::Frames;
use pommel::mechanism::kinematics::{KinematicsError, SingularPosition};
use pommel::model::Mechanism;
use serde_json::json;

use super::{cannot_assemble, driver_names, state};
use crate::args::Kinematics;
use crate::failure::Failure;
use crate::output::columns::Series;
use crate::output::motion::Motion;
use crate::output::{self, Table, counted, motion_plot, number};

pub(crate) fn run(args: &Kinematics) -> Result<(), Failure> {
    let times = times(args)?;
    let mechanism = args.model.load()?;
    let failed = |error: pommel::Error| Failure::computation(&args.model.model, error);
    let dynamics = AbsoluteDynamics::new(&mechanism).map_err(failed)?;
    let given = state(&mechanism, &args.model.model, args.state.as_deref())?;
    let start = match &args.state {
        Some(_) => dynamics.position(&given),
        None => dynamics.initial_position(),
    };
    let start = start.map_err(|error| cannot_assemble(&mechanism, &args.model.model, error))?;
    args.files.check_writable()?;
    warn_of_corners(&mechanism, args.end);

    let bar = ProgressBar::new(times.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len}  {elapsed}") {
        bar.set_style(style);
    }
    let mut driven = dynamics.driven_motion(&given).map_err(failed)?;
    let mut samples = Vec::with_capacity(times.len());
    let singular =
        driven.motion(&times, &start, &mut samples, |done| bar.set_position(done as u64));
    bar.finish_and_clear();

    // what was found before an error is written, too
    let frames = Frames::new(&mechanism, dynamics.system());
    let motion = Motion::of(mechanism.name(), dynamics.system(), &frames, &samples);
    if !samples.is_empty() {
        if let Some(file) = &args.files.out {
            motion.write(file)?;
        }
        if let Some(file) = &args.files.plot {
            motion_plot::motion(file, &motion)?;
        }
    }
    let tell =
        || args.files.iter().for_each(|file| output::note(&format!("wrote {}", file.display())));
    let singular = match singular {
        Ok(singular) => singular,
        Err(error) => {
            if !samples.is_empty() {
                if let Ok(singular) = driven.singular_positions(&samples) {
                    warn(&singular);
                }
                let reached = counted(samples.len(), "sample");
                output::note(&format!("note: {reached} of {} found before", times.len()));
                if matches!(error, KinematicsError::CannotAssemble { .. }) {
                    output::note(&limit_position(&mechanism));
                }
                tell();
            }
            return Err(failed(error.into()));
        }
    };
    warn(&singular);
    if args.json {
        let mut document = motion.to_json();
        document["singular_positions"] =
            singular.iter().map(|s| json!({ "t": s.time, "determinacy": s.determinacy })).collect();
        return output::json(&document);
    }
    output::text(&report(&motion))?;
    tell();
    Ok(())
}

/// What ends a motion that could be assembled before.
fn limit_position(mechanism: &Mechanism) -> String {
    let names = driver_names(mechanism).join("', '");
    format!(
        "note: the motion ends at a limit position (a dead centre), or one that drivers ask for is out of \
         reach: look at '{names}' and at the lengths of the bodies"
    )
}

/// Warns of times at which the motion of a driver jumps or has a corner.
fn warn_of_corners(mechanism: &Mechanism, end: f64) {
    for (driver, name) in mechanism.description().drivers.iter().zip(driver_names(mechanism)) {
        for time in driver.motion.breakpoints() {
            if !(0.0..end).contains(&time) {
                continue;
            }
            let near = 1e-9 * (1.0 + time.abs());
            let before = driver.motion.derivatives(time - near);
            let after = driver.motion.derivatives(time + near);
            let differs = |k: usize| {
                let size = 1e-6 * (1.0 + before[k].abs().max(after[k].abs()));
                (before[k] - after[k]).abs() > size
            };
            let what = match (time > 0.0 && differs(0), differs(1)) {
                (true, _) => "jumps: velocities there are without bound",
                (false, true) => "has a corner: accelerations there are without bound",
                (false, false) => continue,
            };
            output::note(&format!(
                "warning: the motion of driver '{name}' {what} (t = {} s)",
                number(time)
            ));
        }
    }
}

fn warn(singular: &[SingularPosition]) {
    for SingularPosition { time, .. } in singular {
        output::note(&format!(
            "warning: the position at t = {} s is singular: velocities are not determined there, \
             and the motion may go on in more than one way",
            number(*time)
        ));
    }
}

fn times(args: &Kinematics) -> Result<Vec<f64>, Failure> {
    let end = args.end;
    if !(end.is_finite() && end >= 0.0) {
        return Err(Failure::usage(format!("--end {end} must be finite and not negative")));
    }
    let every = args.every.unwrap_or(end / 100.0);
    if end > 0.0 && !(every > 0.0 && every.is_finite() && end / every <= 1e6) {
        return Err(Failure::usage(format!(
            "--every {every} must be positive, and give at most a million samples"
        )));
    }
    args.files.check_names()?;
    if end == 0.0 {
        return Ok(vec![0.0]);
    }
    // multiples, and the end even if it is none
    let count = (end / every * (1.0 + 1e-12)).floor() as usize;
    let mut times: Vec<f64> = (0..=count).map(|k| (k as f64 * every).min(end)).collect();
    if times.last().is_some_and(|last| end - last > 1e-9 * every) {
        times.push(end);
    }
    Ok(times)
}

fn report(motion: &Motion) -> String {
    let mut table = Table::new(&["", "first", "last", "least", "most"]);
    let traces = motion.traces();
    let lists = [("q", &motion.q), ("v", &motion.v), ("a", &motion.a), ("frame", &traces)];
    for (kind, list) in lists {
        for Series { name, values } in list {
            let (Some(first), Some(last)) = (values.first(), values.last()) else { continue };
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let cells = [*first, *last, least, most].map(number);
            table.row(&[&[format!("{kind} {name}")], &cells[..]].concat());
        }
    }
    let most = |list: &[f64]| list.iter().copied().fold(0.0_f64, f64::max);
    let [position, velocity, acceleration] = [0, 1, 2].map(|k| most(&motion.residuals[k]));
    format!(
        "{table}\n{} from t = {} to {} s; at most {} for a position\nlargest residuals: positions \
         {position:.1e}, velocities {velocity:.1e}, accelerations {acceleration:.1e}\n",
        counted(motion.t.len(), "sample"),
        motion.t.first().map_or(String::new(), |&t| number(t)),
        motion.t.last().map_or(String::new(), |&t| number(t)),
        counted(most(&motion.iterations) as usize, "iteration"),
    )
}
