//! `pommel time`.

use std::path::Path;
use std::time::Duration;

use cpu_time::ThreadTime;
use pommel::AbsoluteDynamics;
use pommel::kernels::{
    RepeatError, Repeated, TreeKernel, assembled_states_around, count_operations,
    count_saddle_operations, repeat, repeat_saddle, states_around,
};
use pommel::math::{OperationCount, lane_scalar};
use pommel::model::{Mechanism, ModelError, ResolvedState, State};
use serde_json::{Value, json};

use super::dynamics;
use crate::args::Time;
use crate::failure::Failure;
use crate::output::{self, Table};

/// States that are cycled through at least, so that no branch of the kernel learns one by heart.
const STATES: usize = 256;

/// What is timed.
#[derive(Clone, Copy)]
enum TimedKernel {
    Tree(TreeKernel),
    /// factorization and solution of the saddle-point system
    Saddle,
}

const SADDLE: &str = "kkt";

impl TimedKernel {
    fn name(self) -> &'static str {
        match self {
            TimedKernel::Tree(kernel) => kernel.name(),
            TimedKernel::Saddle => SADDLE,
        }
    }
}

pub(crate) fn run(args: &Time) -> Result<(), Failure> {
    let kernel = kernel(&args.kernel)?;
    let scalar = match args.lanes {
        1 => "f64",
        lanes => lane_scalar(lanes).map_err(|_| {
            Failure::usage(format!("--lanes {lanes}: a call serves 1, 2, 4 or 8 instances"))
        })?,
    };
    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
        let seconds = args.seconds;
        return Err(Failure::usage(format!(
            "--seconds {seconds} must be positive and at most 3600"
        )));
    }
    let mechanism = args.model.load()?;
    let given =
        args.states.as_deref().map(|file| states_of_file(args, &mechanism, file)).transpose()?;
    let (velocities, instances, operations, times) = match kernel {
        TimedKernel::Tree(kernel) => of_tree(args, kernel, &mechanism, given)?,
        TimedKernel::Saddle => of_saddle(args, &mechanism, given)?,
    };
    let timed = Timed { kernel, lanes: args.lanes, scalar, velocities, instances, times };
    if args.json {
        output::json(&timed.document(&operations))
    } else {
        output::text(&timed.report(&mechanism, &operations))
    }
}

/// Number of velocities and of states, operations of a call, times.
type Measured = (usize, usize, OperationCount, Vec<f64>);

fn of_tree(
    args: &Time,
    kernel: TreeKernel,
    mechanism: &Mechanism,
    given: Option<Vec<ResolvedState>>,
) -> Result<Measured, Failure> {
    let dynamics = dynamics(mechanism, &args.model.model)?;
    let initial = super::state(mechanism, &args.model.model, None)?;
    let states = given.unwrap_or_else(|| states_around(&dynamics, &initial, STATES));
    let operations = count_operations(&dynamics, kernel, &states[0])
        .map_err(|error| Failure::computation(&args.model.model, error))?;
    let times = measure(args, |job| repeat(&dynamics, kernel, args.lanes, &states, job))?;
    Ok((mechanism.nv(), states.len(), operations, times))
}

fn of_saddle(
    args: &Time,
    mechanism: &Mechanism,
    given: Option<Vec<ResolvedState>>,
) -> Result<Measured, Failure> {
    let failed = |error| Failure::computation(&args.model.model, error);
    let dynamics = AbsoluteDynamics::new(mechanism).map_err(failed)?;
    let states = match given {
        Some(list) => list.iter().map(|state| dynamics.state(state)).collect(),
        None => {
            let initial = super::state(mechanism, &args.model.model, None)?;
            assembled_states_around(&dynamics, &initial, STATES)
        }
    };
    let states = states.map_err(failed)?;
    let operations = count_saddle_operations(&dynamics, &states[0])
        .map_err(|error| Failure::computation(&args.model.model, error))?;
    let times = measure(args, |job| repeat_saddle(&dynamics, args.lanes, &states, job))?;
    Ok((dynamics.system().nv(), states.len(), operations, times))
}

fn kernel(name: &str) -> Result<TimedKernel, Failure> {
    if name == SADDLE {
        return Ok(TimedKernel::Saddle);
    }
    let known = TreeKernel::ALL.into_iter().find(|kernel| kernel.name() == name);
    known.map(TimedKernel::Tree).ok_or_else(|| {
        let known = TreeKernel::ALL.map(TreeKernel::name).join(", ");
        Failure::usage(format!("unknown kernel '{name}'; known: {known}, {SADDLE}"))
    })
}

/// The states of a file, again and again until there are enough.
fn states_of_file(
    args: &Time,
    mechanism: &Mechanism,
    file: &Path,
) -> Result<Vec<ResolvedState>, Failure> {
    let initial = super::state(mechanism, &args.model.model, None)?;
    let text = std::fs::read_to_string(file)
        .map_err(|source| ModelError::Read { path: file.to_owned(), source })?;
    let value: Value = serde_json::from_str(&text).map_err(|error| ModelError::Syntax {
        path: Some(file.to_owned()),
        line: Some(error.line()),
        column: Some(error.column()),
        message: "this is not JSON; a file of states is [{\"q\": …, \"v\": …, \"tau\": …}, …]"
            .into(),
    })?;
    let list = value.as_array().filter(|list| !list.is_empty()).ok_or_else(|| {
        Failure::usage(format!(
            "{}: expected a list of states: [{{\"q\": …, \"v\": …, \"tau\": …}}, …]",
            file.display()
        ))
    })?;
    let mut states = Vec::new();
    for (k, item) in list.iter().enumerate() {
        let state = State::from_json_str(&item.to_string())
            .and_then(|state| state.resolve_from(mechanism, &initial))
            .map_err(|error| in_list(error, k).in_file(file))?;
        states.push(state);
    }
    let count = states.len();
    let rounds = STATES.div_ceil(count);
    Ok(states.into_iter().cycle().take(rounds * count).collect())
}

/// The fault of a state as that of an item of a list.
fn in_list(mut error: ModelError, k: usize) -> ModelError {
    if let ModelError::Invalid { faults, .. } = &mut error {
        for fault in faults {
            let rest = std::mem::take(&mut fault.path);
            let point = if rest.is_empty() { "" } else { "." };
            fault.path = format!("[{k}]{point}{rest}");
        }
    }
    error
}

/// Processor times of a call, s: of the chunks, in order of size.
fn measure(
    args: &Time,
    repeat: impl FnOnce(&mut dyn FnMut(Repeated<'_>)) -> Result<(), RepeatError>,
) -> Result<Vec<f64>, Failure> {
    let budget = Duration::from_secs_f64(args.seconds);
    let mut times = Vec::new();
    let mut job = |call: Repeated<'_>| {
        let mut chunk = |calls: usize| {
            let start = ThreadTime::now();
            call(calls);
            start.elapsed().as_secs_f64() / calls as f64
        };
        // until the clock sees a chunk: how long is a call?
        let (mut calls, mut estimate) = (1, 0.0);
        while estimate * (calls as f64) < 2e-4 && calls < 1 << 30 {
            calls *= 2;
            estimate = chunk(calls);
        }
        let calls = ((1e-3 / estimate) as usize).max(1);
        let start = ThreadTime::now();
        while start.elapsed() < budget / 10 {
            chunk(calls);
        }
        let start = ThreadTime::now();
        while times.is_empty() || start.elapsed() < budget {
            times.push(chunk(calls));
        }
    };
    repeat(&mut job).map_err(|error| match error {
        RepeatError::Lanes(error) => Failure::usage(error.to_string()),
        other => Failure::computation(&args.model.model, other),
    })?;
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// What was measured.
struct Timed {
    kernel: TimedKernel,
    lanes: usize,
    scalar: &'static str,
    velocities: usize,
    instances: usize,
    times: Vec<f64>,
}

impl Timed {
    /// The median, ns a call.
    fn median(&self) -> f64 {
        1e9 * self.times[self.times.len() / 2]
    }

    fn document(&self, operations: &OperationCount) -> Value {
        let median = self.median();
        json!({
            "kernel": self.kernel.name(),
            "lanes": self.lanes,
            "scalar": self.scalar,
            "instances": self.instances,
            "chunks": self.times.len(),
            "ns_per_call_median": median,
            "ns_per_call_fastest": 1e9 * self.times[0],
            "ns_per_instance_median": median / self.lanes as f64,
            "operations": {
                "mul": operations.mul,
                "add": operations.add,
                "div": operations.div,
                "trig": operations.trig,
                "sqrt": operations.sqrt,
            },
        })
    }

    fn report(&self, mechanism: &Mechanism, operations: &OperationCount) -> String {
        let mut table = Table::new(&[self.kernel.name(), mechanism.name()]);
        let mut row = |what: &str, value: String| table.row(&[what.to_owned(), value]);
        let (median, lanes) = (self.median(), self.lanes as f64);
        row("velocities", self.velocities.to_string());
        row("lanes", format!("{} ({})", self.lanes, self.scalar));
        row("states", self.instances.to_string());
        row("time per call, median", format!("{median:.1} ns"));
        row("time per call, fastest chunk", format!("{:.1} ns", 1e9 * self.times[0]));
        row("time per instance, median", format!("{:.1} ns", median / lanes));
        row("multiplications", operations.mul.to_string());
        row("additions", operations.add.to_string());
        row("divisions", operations.div.to_string());
        row("sines with cosines", operations.trig.to_string());
        row("square roots", operations.sqrt.to_string());
        table.to_string()
    }
}
