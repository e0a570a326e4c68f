//! Whole motions beside other integrators, in one run.
//!
//! ```sh
//! cargo run --release -p pommel-benches --features peers --bin integration_cases
//! ```
//!
//! prints a line for every contender, in microseconds of processor time for one motion (the median over rounds in
//! which contenders take turns), with its error and its ratio to the fastest partner of that case:
//!
//! | case | partners | what is compared |
//! |---|---|---|
//! | `andrews`, tolerance 1e-6 and 1e-9 | `ode_solvers`' Dormand-Prince 5(4) on the equations of the mechanism written out by hand, dense LU | ours, from the model file, in absolute coordinates and in the angles of bodies, projected after every step, with the loosest tolerance of tenths of decades from which on no error is larger than the partner's; and the whole call, with everything made anew |
//! | `double_pendulum`, tolerance 1e-6, 10 s | the same pair by hand for four numbers, and `ode_solvers`, on equations written out by hand | ours by the recursion of `pommel-tree`, alone and in lanes of four and eight, where the next takes the lane of one that ended; median of the drift of energy over the pendulums |
//!
//! Calls are all that find accelerations: those of the steps, and one more of each projection. Motions in angles are
//! spared the latter where a projection changes less than the tolerance, so theirs are at most so many.
//!
//! The variable `INTEGRATION_ROUNDS` of the environment is the number of rounds, 15 unless given.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the output of this program")]

use std::cell::Cell;
use std::convert::Infallible;
use std::error::Error;

use cpu_time::ThreadTime;
use ode_solvers::dop_shared::OutputType;
use ode_solvers::{Dopri5, SVector, System as OdeSystem};
use pommel::AbsoluteDynamics;
use pommel::absolute::AbsoluteState;
use pommel::constrained::{ConstrainedSystem, OpenLoopSystem, Stabilization, integrate_open_loop};
use pommel::integrate::{Adaptive, Options, Stepper, System, Tableau};
use pommel::math::{LaneJob, Mask, Mat3, Real, Transform, Vec3, with_lanes};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::mechanism::open_loop::OpenLoop;
use pommel::model::Mechanism;
use pommel::tree::{BodySpec, Joint, Model, TreeBuilder, Workspace, forward_dynamics};
use pommel_benches::integration_cases::double_pendulum::{END, GRAVITY, START, Second};
use pommel_benches::integration_cases::{andrews, by_hand};

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let rounds = match std::env::var("INTEGRATION_ROUNDS") {
        Ok(count) => count.parse()?,
        Err(_) => 15,
    };
    if rounds == 0 {
        return Err("INTEGRATION_ROUNDS must be at least 1".into());
    }
    for tolerance in [1e-6, 1e-9] {
        squeezer(tolerance, rounds)?;
    }
    double_pendulums(rounds)
}

/// A contender: its name, what one turn costs it, and what came of it.
struct Contender<'a> {
    name: String,
    is_partner: bool,
    /// motions in a turn
    motions: usize,
    turn: Box<dyn FnMut() -> Result<(f64, u64), Failure> + 'a>,
}

/// Contenders take turns; prints a line for each.
fn race(case: &str, rounds: usize, mut contenders: Vec<Contender<'_>>) -> Result<(), Failure> {
    let mut times = vec![Vec::new(); contenders.len()];
    let mut results = vec![(0.0, 0); contenders.len()];
    for round in 0..=rounds {
        for (i, contender) in contenders.iter_mut().enumerate() {
            let start = ThreadTime::now();
            results[i] = (contender.turn)()?;
            let time = start.elapsed().as_secs_f64() * 1e6 / contender.motions as f64;
            // the first is for caches
            if round > 0 {
                times[i].push(time);
            }
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|list| {
            list.sort_by(f64::total_cmp);
            list[list.len() / 2]
        })
        .collect();
    let partners = contenders.iter().zip(&medians).filter(|(c, _)| c.is_partner);
    let fastest = partners.map(|(_, t)| *t).fold(f64::INFINITY, f64::min);
    for ((contender, median), (error, calls)) in contenders.iter().zip(&medians).zip(results) {
        let ratio = median / fastest;
        let name = &contender.name;
        println!(
            "{case}:{name} {median:.1} us  # ratio {ratio:.2}, error {error:.1e}, {calls} calls"
        );
    }
    Ok(())
}

/// The equations by hand as `ode_solvers` takes them, with a count of calls.
struct ByHand<F>(F, Cell<u64>);

impl<const N: usize, F: Fn(&[f64; N]) -> [f64; N]> OdeSystem<f64, SVector<f64, N>> for &ByHand<F> {
    fn system(&self, _t: f64, y: &SVector<f64, N>, dy: &mut SVector<f64, N>) {
        self.1.set(self.1.get() + 1);
        dy.copy_from_slice(&(self.0)(&(*y).into()));
    }
}

/// `ode_solvers`' Dormand-Prince 5(4), with its defaults and no output but the end.
fn ode_solvers_motion<const N: usize>(
    rates: impl Fn(&[f64; N]) -> [f64; N],
    start: [f64; N],
    end: f64,
    tolerance: f64,
) -> Result<([f64; N], u64), Failure> {
    let system = ByHand(rates, Cell::new(0));
    let mut stepper = Dopri5::from_param(
        &system,
        0.0,
        end,
        end,
        SVector::<f64, N>::from(start),
        tolerance,
        tolerance,
        0.9,
        0.04,
        0.2,
        10.0,
        end,
        0.0,
        1_000_000,
        1_000_000_000,
        OutputType::Sparse,
    );
    stepper.integrate().map_err(|error| error.to_string())?;
    let end = stepper.y_out().last().ok_or("no output")?;
    Ok(((*end).into(), system.1.get()))
}

/// One motion with a stepper: its error, and how often accelerations were found.
type Motion<'a> = Box<dyn FnMut(&mut Stepper<f64>) -> Result<(f64, u64), Failure> + 'a>;

/// Runs a system from a state whose angles of K1 to K7 stand at these places; projections find accelerations, too.
fn motion<S: System<f64>>(
    system: &mut S,
    stepper: &mut Stepper<f64>,
    start: &[f64],
    places: [usize; 7],
) -> Result<(f64, u64), Failure>
where
    S::Error: std::fmt::Debug,
{
    let mut y = start.to_vec();
    let run = stepper.run(system, 0.0, andrews::END, &mut y, &mut ())?;
    let calls = run.outcome.calls + run.outcome.statistics(0).steps;
    run.into_result().map_err(|error| format!("{error:?}"))?;
    let turned = |y: &[f64]| places.map(|at| y[at]);
    Ok((andrews::error(&andrews::angles(&turned(&y), &turned(start))), calls))
}

/// Our ways to integrate Andrews' mechanism from its model file.
struct Squeezer<'a> {
    dynamics: &'a AbsoluteDynamics,
    state: &'a AbsoluteState,
    open: &'a OpenLoop,
}

impl<'a> Squeezer<'a> {
    /// In absolute coordinates, projected after every step.
    fn absolute(&self) -> Result<(usize, Motion<'a>), Failure> {
        let Squeezer { dynamics, state, .. } = *self;
        let stabilization = Stabilization::Projection(Metric::Mass);
        let mut system = ConstrainedSystem::new(dynamics, state, Method::SparseKkt, stabilization)?;
        let start = [&state.q[..], &state.v].concat();
        let places = std::array::from_fn(|body| 3 * body + 2);
        let run = move |stepper: &mut Stepper<f64>| motion(&mut system, stepper, &start, places);
        Ok((2 * dynamics.system().nv(), Box::new(run)))
    }

    /// In the angles of bodies.
    fn angles(&self, tolerance: f64) -> Result<(usize, Motion<'a>), Failure> {
        let Squeezer { state, open, .. } = *self;
        let n = open.coordinates();
        let mut system = OpenLoopSystem::new(open, state, tolerance)?;
        let start = OpenLoopSystem::start(open, state);
        let names = open.coordinate_names();
        let place = |body: usize| {
            let name = format!("K{}.angle", body + 1);
            names.iter().position(|other| *other == name).ok_or(format!("no {name}"))
        };
        let mut places = [0; 7];
        for (body, at) in places.iter_mut().enumerate() {
            *at = place(body)?;
        }
        let run = move |stepper: &mut Stepper<f64>| motion(&mut system, stepper, &start, places);
        Ok((2 * n, Box::new(run)))
    }

    /// The whole call, from the state to the end, everything made anew.
    fn call(&self, options: &Options) -> Result<(f64, u64), Failure> {
        let Squeezer { dynamics, state, .. } = *self;
        let run = integrate_open_loop(dynamics, state, options, andrews::END, &mut ())?;
        let turned = |q: &[f64]| std::array::from_fn(|body| q[3 * body + 2]);
        let error = andrews::error(&andrews::angles(&turned(&run.q), &turned(&state.q)));
        Ok((error, run.statistics.evaluations + run.statistics.steps))
    }
}

fn squeezer(tolerance: f64, rounds: usize) -> Result<(), Failure> {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/mechanisms/a03_andrews/model.toml");
    let dynamics = AbsoluteDynamics::new(&Mechanism::from_path(file)?)?;
    let state = dynamics.initial_state()?;
    let open = dynamics.open_loop()?;
    let ours = Squeezer { dynamics: &dynamics, state: &state, open: &open };
    let by_hand = move || {
        let mut y = [0.0; 14];
        y[..7].copy_from_slice(&andrews::START);
        let (y, calls) = ode_solvers_motion(andrews::rates, y, andrews::END, tolerance)?;
        let angles = std::array::from_fn(|i| y[i]);
        Ok((andrews::error(&angles), calls))
    };
    let (allowed, _) = by_hand()?;
    let mut contenders = vec![Contender {
        name: "ode_solvers_dopri5_dense_lu".to_owned(),
        is_partner: true,
        motions: 1,
        turn: Box::new(by_hand),
    }];
    let case = format!("andrews_{tolerance:.0e}");
    let methods =
        [("dopri5", Tableau::dormand_prince_54()), ("dop853", Tableau::dormand_prince_853())];
    for (name, tableau) in methods {
        let options = |tenths: i32| {
            let tolerance = 10f64.powf(-0.1 * f64::from(tenths));
            (Options::adaptive(tableau.clone(), Adaptive::new(tolerance, tolerance)), tolerance)
        };
        for coordinates in ["absolute", "angles"] {
            let make = |tenths: i32| -> Result<_, Failure> {
                let (options, tolerance) = options(tenths);
                let (dim, motion) = if coordinates == "angles" {
                    ours.angles(tolerance)?
                } else {
                    ours.absolute()?
                };
                Ok((motion, Stepper::new(dim, &options)?))
            };
            // from tight tolerances on, as long as errors are small enough
            let mut loosest = None;
            for tenths in (20..=100).rev() {
                let (mut motion, mut stepper) = make(tenths)?;
                if motion(&mut stepper)?.0 > allowed {
                    break;
                }
                loosest = Some(tenths);
            }
            let Some(tenths) = loosest else {
                println!("{case}:pommel_{name}_{coordinates} does not reach {allowed:.1e}");
                continue;
            };
            let (options, tolerance) = options(tenths);
            let (mut motion, mut stepper) = make(tenths)?;
            contenders.push(Contender {
                name: format!("pommel_{name}_{coordinates}_at_{tolerance:.1e}"),
                is_partner: false,
                motions: 1,
                turn: Box::new(move || motion(&mut stepper)),
            });
            if coordinates == "angles" {
                let ours = &ours;
                contenders.push(Contender {
                    name: format!("pommel_{name}_whole_call_at_{tolerance:.1e}"),
                    is_partner: false,
                    motions: 1,
                    turn: Box::new(move || ours.call(&options)),
                });
            }
        }
    }
    race(&case, rounds, contenders)
}

/// A double pendulum for the recursion; its coordinates are relative angles.
fn pendulum(second: Second) -> Result<Model<f64>, Failure> {
    let mut builder = TreeBuilder::<f64>::new();
    builder.gravity(Vec3::new(0.0, -GRAVITY, 0.0));
    let mut parent = None;
    for (name, mass, length, at) in
        [("first", 1.0, 1.0, 0.0), ("second", second.mass, second.length, 1.0)]
    {
        let spec = BodySpec::new(name, parent, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
            .placed(Transform::new(Mat3::identity(), Vec3::new(0.0, -at, 0.0)))
            .with_inertia(mass, Vec3::new(0.0, -length, 0.0), [0.0; 6]);
        parent = Some(builder.add(spec)?);
    }
    Ok(builder.build()?)
}

/// The equations of motion of double pendulums, one a lane.
struct Swing<T> {
    model: Model<T>,
    workspace: Workspace<T>,
}

impl<T: Real> Swing<T> {
    fn new(model: Model<T>) -> Self {
        Swing { workspace: Workspace::new(&model), model }
    }

    /// Where all begin.
    fn start() -> [T; 4] {
        let [first, second, ..] = START;
        [first, second - first, 0.0, 0.0].map(T::from_f64)
    }
}

impl<T: Real> System<T> for Swing<T> {
    type Error = Infallible;

    fn dim(&self) -> usize {
        4
    }

    #[inline]
    fn rhs(&mut self, _t: T, y: &[T], dy: &mut [T]) -> Result<(), Infallible> {
        let none = [T::zero(); 2];
        let (q, v) = y.split_at(2);
        dy[..2].copy_from_slice(v);
        // a failure leaves NaN, which ends the motion
        let (model, workspace) = (&self.model, &mut self.workspace);
        let _ = forward_dynamics(model, workspace, q, v, &none, None, &mut dy[2..]);
        Ok(())
    }
}

/// One motion.
fn swing(model: &Model<f64>, stepper: &mut Stepper<f64>) -> Result<([f64; 4], u64), Failure> {
    let mut y = Swing::<f64>::start();
    let mut system = Swing::new(model.clone());
    let run = stepper.run(&mut system, 0.0, END, &mut y, &mut ())?;
    let calls = run.outcome.calls;
    run.into_result().map_err(|error| format!("{error:?}"))?;
    Ok((y, calls))
}

/// A state of relative angles in absolute ones.
fn absolute(y: [f64; 4]) -> [f64; 4] {
    [y[0], y[0] + y[1], y[2], y[2] + y[3]]
}

/// Over many pendulums: the median drift and the mean number of calls.
fn summary(mut drifts: Vec<f64>, calls: u64) -> (f64, u64) {
    drifts.sort_by(f64::total_cmp);
    (drifts[drifts.len() / 2], calls / drifts.len() as u64)
}

const PENDULUMS: usize = 256;
const TOLERANCE: f64 = 1e-6;

/// The pendulums in lanes.
struct InLanes<'a>(&'a [(Second, Model<f64>)]);

impl LaneJob for InLanes<'_> {
    type Output = Result<(f64, u64), Failure>;

    fn run<T: Real>(self) -> Self::Output {
        let options =
            Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(TOLERANCE, TOLERANCE));
        let mut stepper = Stepper::<T>::new(4, &options)?;
        let (first, mut waiting) = (&self.0[..T::LANES], self.0[T::LANES..].iter());
        let models: Vec<&Model<f64>> = first.iter().map(|(_, model)| model).collect();
        let mut system = Swing::new(Model::pack::<T>(&models)?);
        let (start, end, y) = (T::zero(), T::from_f64(END), Swing::<T>::start());
        let failed = |failures: Vec<_>| match failures.first() {
            Some(failure) => Err(format!("{failure:?}")),
            None => Ok(()),
        };
        failed(stepper.start(&mut system, start, end, &y)?)?;
        let mut seats: Vec<_> = first.iter().map(Some).collect();
        let (mut drifts, mut calls) = (Vec::new(), stepper.calls());
        while stepper.running().any() {
            let before = stepper.calls();
            failed(stepper.step(&mut system).failures)?;
            let mut begun = Mask::NONE;
            for (lane, seat) in seats.iter_mut().enumerate() {
                if let Some((second, _)) = seat.filter(|_| !stepper.running().lane(lane)) {
                    let end = std::array::from_fn(|i| stepper.y()[i].lane(lane));
                    drifts.push(second.drift(&absolute(end)));
                    // the next takes its lane
                    *seat = waiting.next();
                    if let Some((_, model)) = seat {
                        system.model.set_lane(lane, model)?;
                        begun |= Mask::from_fn(T::LANES, |i| i == lane);
                    }
                }
            }
            if begun.any() {
                failed(stepper.restart(&mut system, begun, start, end, &y)?)?;
            }
            calls += stepper.calls() - before;
        }
        calls *= T::LANES as u64;
        Ok(summary(drifts, calls))
    }
}

fn double_pendulums(rounds: usize) -> Result<(), Failure> {
    let mut list = Vec::new();
    for k in 0..PENDULUMS {
        let second = Second::drawn(k);
        list.push((second, pendulum(second)?));
    }
    let list = &list[..];
    type Motion = fn(Second) -> Result<([f64; 4], u64), Failure>;
    let by_hand: Motion =
        |second| Ok(by_hand::dormand_prince(|y| second.rates(y), START, END, TOLERANCE));
    let library: Motion = |second| ode_solvers_motion(|y| second.rates(y), START, END, TOLERANCE);
    let mut contenders = Vec::new();
    for (name, motion) in [("by_hand_dopri5", by_hand), ("ode_solvers_dopri5", library)] {
        contenders.push(Contender {
            name: name.to_owned(),
            is_partner: true,
            motions: PENDULUMS,
            turn: Box::new(move || {
                let (mut drifts, mut calls) = (Vec::new(), 0);
                for (second, _) in list {
                    let (y, made) = motion(*second)?;
                    drifts.push(second.drift(&y));
                    calls += made;
                }
                Ok(summary(drifts, calls))
            }),
        });
    }
    for (name, tableau) in
        [("dopri5", Tableau::dormand_prince_54()), ("dop853", Tableau::dormand_prince_853())]
    {
        let options = Options::adaptive(tableau, Adaptive::new(TOLERANCE, TOLERANCE));
        let mut stepper = Stepper::<f64>::new(4, &options)?;
        contenders.push(Contender {
            name: format!("pommel_{name}"),
            is_partner: false,
            motions: PENDULUMS,
            turn: Box::new(move || {
                let (mut drifts, mut calls) = (Vec::new(), 0);
                for (second, model) in list {
                    let (y, made) = swing(model, &mut stepper)?;
                    drifts.push(second.drift(&absolute(y)));
                    calls += made;
                }
                Ok(summary(drifts, calls))
            }),
        });
    }
    for lanes in [4, 8] {
        contenders.push(Contender {
            name: format!("pommel_dopri5_lanes_{lanes}"),
            is_partner: false,
            motions: PENDULUMS,
            turn: Box::new(move || with_lanes(lanes, InLanes(list))?),
        });
    }
    race("double_pendulum", rounds, contenders)
}
