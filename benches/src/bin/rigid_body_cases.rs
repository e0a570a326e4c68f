//! Times of forward and inverse dynamics on robots that other programs can recreate.
//!
//! The module [`rigid_body_cases`](pommel_benches::rigid_body_cases) draws robots and states that
//! are the same to the bit in every language, so that the lines of this program can be set beside
//! those of others on the same machine:
//!
//! ```sh
//! cargo run --release -p pommel-benches --bin rigid_body_cases
//! ```
//!
//! prints a line `pommel:<what> <case> <joints> <median ns>  # details` for
//!
//! | what | call, over 256 states in turn |
//! |---|---|
//! | `fd` | forward dynamics of one instance |
//! | `fd-lanes4`, `fd-lanes8` | the same in 4 or 8 lanes of `with_lanes`; time **per instance**, states packed before; the scalar is in the details |
//! | `id` | inverse dynamics of one instance |
//! | `fd-derivatives` | accelerations and their derivatives by q, v and τ; up to 192 joints |
//! | `closed` | accelerations and multipliers of a case with loops |
//!
//! Variables of the environment, all optional:
//!
//! * `RBD_CASES`: names of cases between commas, such as `fixed-6,dualgrasp-14`; else all open ones;
//! * `RBD_BUDGET`: seconds a line, 0.4 unless given;
//! * `RBD_REF`: a folder with files `<case>.qdd`, accelerations of the first four states by another
//!   program, in the form of Pinocchio's `aba`, a state a line. Ours are then compared before they
//!   are timed: `joints` and `base` in the details are the largest error relative to the largest
//!   entry. A case that is off by more than 1e-6 is not timed, and the program fails. The states of
//!   closed cases violate their loops; frames that are welded then fall apart in a way that depends
//!   on how the rows are written, so those cases are not compared here.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the output of this program")]

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use pommel::math::{LaneJob, Real, lane_scalar, with_lanes};
use pommel::tree::{
    ClosureWorkspace, DerivativeWorkspace, ForwardDynamicsDerivatives, Model, TreeError, Workspace,
    constrained_dynamics, forward_dynamics, forward_dynamics_derivatives, inverse_dynamics,
};
use pommel_benches::rigid_body_cases::{
    Case, LoopShape, REFERENCES, RobotCase, in_base_frame, parse_reference,
};
use pommel_benches::timing::{CallTime, time_calls};
use pommel_benches::{STATES, State};
use pommel_testkit::relative_error;

/// Larger errors relative to the reference are mistakes: rounding stays below at 768 joints.
const TOLERANCE: f64 = 1e-6;

fn main() -> Result<(), Box<dyn Error>> {
    let budget = match std::env::var("RBD_BUDGET") {
        Ok(seconds) => Duration::try_from_secs_f64(seconds.parse()?)?,
        Err(_) => Duration::from_millis(400),
    };
    let cases = match std::env::var("RBD_CASES") {
        Ok(names) => {
            let case = |name| Case::parse(name).ok_or_else(|| format!("no case `{name}`"));
            names.split(',').map(case).collect::<Result<_, _>>()?
        }
        Err(_) => Case::open(),
    };
    for case in cases {
        let subject = Subject::new(case, budget)?;
        if case.kind.is_closed() {
            subject.closed()?;
            continue;
        }
        subject.forward::<f64>("fd", "")?;
        for (lanes, what) in [(4, "fd-lanes4"), (8, "fd-lanes8")] {
            let scalar = format!(", {}", lane_scalar(lanes)?);
            with_lanes(lanes, Forward { subject: &subject, what, scalar: &scalar })??;
        }
        subject.inverse()?;
        if case.joints <= 192 {
            subject.derivatives()?;
        }
    }
    Ok(())
}

/// A case that is timed.
struct Subject {
    case: Case,
    robot: RobotCase,
    model: Model<f64>,
    states: Vec<State<f64>>,
    /// accelerations of the first states by another program
    reference: Option<Vec<Vec<f64>>>,
    budget: Duration,
}

impl Subject {
    fn new(case: Case, budget: Duration) -> Result<Self, Box<dyn Error>> {
        let robot = RobotCase::new(case);
        let model = robot.model();
        let is_welded = robot.loops.iter().any(|l| l.shape == LoopShape::Weld);
        let reference = match std::env::var_os("RBD_REF").filter(|_| !is_welded) {
            Some(folder) => {
                let path = Path::new(&folder).join(format!("{case}.qdd"));
                let text = std::fs::read_to_string(&path)
                    .map_err(|e| format!("{}: {e}", path.display()))?;
                let wrong = || format!("{}: not {REFERENCES} states", path.display());
                Some(parse_reference(&text, model.nv()).ok_or_else(wrong)?)
            }
            None => None,
        };
        Ok(Subject { case, model, states: robot.states(STATES), robot, reference, budget })
    }

    /// Checks and times forward dynamics over a scalar.
    fn forward<T: Real>(&self, what: &str, scalar: &str) -> Result<(), Box<dyn Error>> {
        let model = self.model.cast::<T>();
        let states: Vec<State<T>> = self.states.chunks(T::LANES).map(pack).collect();
        let mut workspace = Workspace::new(&model);
        let mut qdd = vec![T::zero(); model.nv()];
        let mut solve = |s: &State<T>, qdd: &mut [T]| -> Result<(), TreeError> {
            forward_dynamics(&model, &mut workspace, &s.q, &s.v, &s.tau, None, qdd)
        };
        let mut ours = Vec::new();
        for k in 0..REFERENCES {
            solve(&states[k / T::LANES], &mut qdd)?;
            ours.push(qdd.iter().map(|x| x.lane(k % T::LANES)).collect());
        }
        let note = self.compare(&ours)? + scalar;
        let time = time_calls(states.len(), self.budget, |k| {
            let solved = solve(&states[k], black_box(&mut qdd));
            assert!(solved.is_ok());
        });
        self.print(what, time.per_instance(T::LANES), &note);
        Ok(())
    }

    /// Checks and times inverse dynamics: that of our accelerations gives the joint forces back.
    fn inverse(&self) -> Result<(), Box<dyn Error>> {
        let Subject { model, states, .. } = self;
        let mut workspace = Workspace::new(model);
        let (mut qdd, mut tau) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        let mut worst = 0.0_f64;
        for s in &states[..REFERENCES] {
            forward_dynamics(model, &mut workspace, &s.q, &s.v, &s.tau, None, &mut qdd)?;
            inverse_dynamics(model, &mut workspace, &s.q, &s.v, &qdd, None, &mut tau);
            worst = worst.max(relative_error(&tau, &s.tau));
        }
        let time = time_calls(STATES, self.budget, |k| {
            let s = &states[k];
            // any numbers of the size of accelerations will do
            let qdd = &s.tau;
            inverse_dynamics(model, &mut workspace, &s.q, &s.v, qdd, None, black_box(&mut tau));
        });
        self.print("id", time, &format!(", residual {worst:.1e}"));
        Ok(())
    }

    /// Checks the accelerations of the derivatives' call and times it. The derivatives themselves are
    /// tested in the crate, against dual numbers.
    fn derivatives(&self) -> Result<(), Box<dyn Error>> {
        let Subject { model, states, .. } = self;
        let nv = model.nv();
        let mut workspace = DerivativeWorkspace::new(model);
        let mut qdd = vec![0.0; nv];
        let mut matrices = [(); 3].map(|()| vec![0.0; nv * nv]);
        let mut solve = |s: &State<f64>, qdd: &mut [f64], m: &mut [Vec<f64>; 3]| {
            let [position, velocity, force] = m;
            let out = ForwardDynamicsDerivatives { qdd, position, velocity, force };
            forward_dynamics_derivatives(model, &mut workspace, &s.q, &s.v, &s.tau, None, out)
        };
        let mut ours = Vec::new();
        for s in &states[..REFERENCES] {
            solve(s, &mut qdd, &mut matrices)?;
            ours.push(qdd.clone());
        }
        let note = self.compare(&ours)?;
        let time = time_calls(STATES, self.budget, |k| {
            let solved = solve(&states[k], &mut qdd, black_box(&mut matrices));
            assert!(solved.is_ok());
        });
        self.print("fd-derivatives", time, &note);
        Ok(())
    }

    /// Checks and times a case with loops.
    fn closed(&self) -> Result<(), Box<dyn Error>> {
        let Subject { model, states, .. } = self;
        let closures = self.robot.closures(model);
        let mut workspace = Workspace::new(model);
        let mut memory = ClosureWorkspace::new(&closures);
        let (mut qdd, mut lambda) = (vec![0.0; model.nv()], vec![0.0; closures.rows()]);
        let mut solve = |s: &State<f64>, qdd: &mut [f64], lambda: &mut [f64]| {
            let (memory, state) = (&mut memory, (&s.q[..], &s.v[..]));
            let ws = &mut workspace;
            constrained_dynamics(model, &closures, ws, memory, state, &s.tau, None, qdd, lambda)
        };
        let mut ours = Vec::new();
        for s in &states[..REFERENCES] {
            solve(s, &mut qdd, &mut lambda)?;
            ours.push(qdd.clone());
        }
        let note = self.compare(&ours)? + &format!(", rows {}", closures.rows());
        let time = time_calls(STATES, self.budget, |k| {
            let solved = solve(&states[k], black_box(&mut qdd), black_box(&mut lambda));
            assert!(solved.is_ok());
        });
        self.print("closed", time, &note);
        Ok(())
    }

    /// The errors of accelerations of the first states, in words.
    fn compare(&self, ours: &[Vec<f64>]) -> Result<String, String> {
        let Some(reference) = &self.reference else { return Ok(", no reference".to_owned()) };
        let base = self.model.nv() - self.case.joints;
        let (mut of_joints, mut of_base) = (0.0_f64, 0.0_f64);
        for ((qdd, truth), state) in ours.iter().zip(reference).zip(&self.states) {
            let qdd = if base == 0 { qdd.clone() } else { in_base_frame(state, qdd) };
            of_joints = of_joints.max(relative_error(&qdd[base..], &truth[base..]));
            of_base = of_base.max(relative_error(&qdd[..base], &truth[..base]));
        }
        if of_joints.max(of_base) > TOLERANCE {
            let case = self.case;
            return Err(format!("{case}: off by {of_joints:.1e} (joints), {of_base:.1e} (base)"));
        }
        let mut note = format!(", relerr joints {of_joints:.1e}");
        if base > 0 {
            note += &format!(", base {of_base:.1e}");
        }
        Ok(note)
    }

    fn print(&self, what: &str, time: CallTime, note: &str) {
        let Case { joints, .. } = self.case;
        let CallTime { median, fastest } = time;
        let per_dof = median / self.model.nv() as f64;
        let case = self.case;
        println!(
            "pommel:{what} {case} {joints} {median:.0}  # min {fastest:.0}, per dof {per_dof:.1}{note}"
        );
    }
}

/// Forward dynamics in lanes.
struct Forward<'a> {
    subject: &'a Subject,
    what: &'a str,
    scalar: &'a str,
}

impl LaneJob for Forward<'_> {
    type Output = Result<(), Box<dyn Error>>;

    fn run<T: Real>(self) -> Self::Output {
        self.subject.forward::<T>(self.what, self.scalar)
    }
}

/// States side by side, one in each lane.
fn pack<T: Real>(states: &[State<f64>]) -> State<T> {
    let lanes = |list: fn(&State<f64>) -> &Vec<f64>| -> Vec<T> {
        (0..list(&states[0]).len()).map(|i| T::from_lanes(|lane| list(&states[lane])[i])).collect()
    };
    State { q: lanes(|s| &s.q), v: lanes(|s| &s.v), tau: lanes(|s| &s.tau) }
}
