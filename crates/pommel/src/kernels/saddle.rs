//! The saddle-point system of a mechanism: factorization and solution.

use std::hint::black_box;

use pommel_kkt::{Analysis, Options, Values, Workspace};
use pommel_math::{Counted, LaneJob, OperationCount, Real, with_lanes};
use pommel_mechanism::Evaluation;
use pommel_model::ResolvedState;

use super::{Random, RepeatError, Repeated, cycle, state_around};
use crate::Error;
use crate::absolute::{AbsoluteDynamics, AbsoluteState};

/// `count` assembled states around one, the same for the same number: joint coordinates and
/// velocities with other values within 0.4 (rad, m; rad/s, m/s), or less where loops do not close
/// then, moved to the constraints.
///
/// # Errors
/// [`Error::Kinematics`] if loops do not even close near the centre.
pub fn assembled_states_around(
    dynamics: &AbsoluteDynamics,
    centre: &ResolvedState,
    count: usize,
) -> Result<Vec<AbsoluteState>, Error> {
    let mut random = Random(0);
    let mut size = 0.4;
    let mut states = Vec::with_capacity(count);
    while states.len() < count {
        let state = state_around(dynamics.joint_topology(), centre, &mut random, size);
        match dynamics.state(&state) {
            Ok(state) => states.push(state),
            Err(error) if size < 1e-3 => return Err(error),
            Err(_) => size /= 2.0,
        }
    }
    Ok(states)
}

/// The operations of one factorization and solution.
///
/// # Errors
/// [`RepeatError::Kkt`] if there is no order of elimination.
pub fn count_saddle_operations(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
) -> Result<OperationCount, RepeatError> {
    let states = std::slice::from_ref(state);
    let analysis = analysis(dynamics, states)?;
    let mut calls = Calls::<Counted>::new(dynamics, &analysis, states);
    let (result, count) = pommel_math::count_operations(|| calls.call(0));
    result.map(|_| count)
}

/// Hands `job` a function that factors and solves the system as many times as it is told; every
/// call takes the terms of the next state, or with several lanes of as many of the next states.
/// After the last state comes the first.
///
/// Terms are evaluated, and every state is tried, once before. All states share one order of
/// elimination, chosen by the numbers of the first.
///
/// # Arguments
/// - `lanes` 1, 2, 4 or 8; above 1 the scalar is the best that [`with_lanes`] finds
///
/// # Errors
/// [`RepeatError`]; `job` has then not been called.
///
/// # Panics
/// If there are no states.
pub fn repeat_saddle(
    dynamics: &AbsoluteDynamics,
    lanes: usize,
    states: &[AbsoluteState],
    job: &mut dyn FnMut(Repeated<'_>),
) -> Result<(), RepeatError> {
    assert!(!states.is_empty(), "a kernel needs a state");
    let analysis = analysis(dynamics, states)?;
    let repeat = Repeat { dynamics, analysis: &analysis, states, job };
    match lanes {
        1 => repeat.run::<f64>(),
        _ => with_lanes(lanes, repeat)?,
    }
}

/// The order of elimination for the numbers of the first state.
fn analysis(
    dynamics: &AbsoluteDynamics,
    states: &[AbsoluteState],
) -> Result<Analysis, RepeatError> {
    let system = dynamics.system();
    let mut evaluation = Evaluation::new(system);
    evaluation.set_turns(&states[0].turns);
    system.evaluate(0.0, &states[0].q, &states[0].v, &mut evaluation);
    let values = Values::new(system.mass(), evaluation.jacobian());
    Ok(Analysis::for_values(system.pattern(), &values, &Options::default())?)
}

struct Repeat<'a> {
    dynamics: &'a AbsoluteDynamics,
    analysis: &'a Analysis,
    states: &'a [AbsoluteState],
    job: &'a mut dyn FnMut(Repeated<'_>),
}

impl LaneJob for Repeat<'_> {
    type Output = Result<(), RepeatError>;

    fn run<T: Real>(self) -> Self::Output {
        let mut calls = Calls::<T>::new(self.dynamics, self.analysis, self.states);
        let count = calls.inputs.len();
        for k in 0..count {
            let misplaced = calls.call(k)?;
            if misplaced > 0 {
                return Err(RepeatError::Misplaced { state: k * T::LANES, misplaced });
            }
        }
        cycle(count, self.job, |k| {
            // a state that was solved once is solved again
            let _ = black_box(calls.call(k));
        });
        Ok(())
    }
}

/// Everything that calls over one scalar need.
struct Calls<T> {
    mass: Vec<T>,
    inputs: Vec<Input<T>>,
    workspace: Workspace<T>,
    solution: Vec<T>,
}

/// What one call takes: as many instances as the scalar has lanes.
struct Input<T> {
    jacobian: Vec<T>,
    /// Q, then γ
    rhs: Vec<T>,
}

impl<T: Real> Calls<T> {
    // not inlined, so that the kernels are compiled once, not at every place that calls them
    #[inline(never)]
    fn new(dynamics: &AbsoluteDynamics, analysis: &Analysis, states: &[AbsoluteState]) -> Self {
        let system = dynamics.system();
        let mut evaluation = Evaluation::new(system);
        let terms: Vec<(Vec<f64>, Vec<f64>)> = (states.iter())
            .map(|state| {
                evaluation.set_turns(&state.turns);
                system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
                let force = evaluation.force().iter().zip(&state.applied).map(|(q, f)| q + f);
                let rhs = force.chain(evaluation.gamma().iter().copied()).collect();
                (evaluation.jacobian().to_vec(), rhs)
            })
            .collect();
        let input = |first: usize| {
            let lane = |i: usize| &terms[(first + i) % terms.len()];
            let jacobian = |k| T::from_lanes(|i| lane(i).0[k]);
            let rhs = |k| T::from_lanes(|i| lane(i).1[k]);
            Input {
                jacobian: (0..lane(0).0.len()).map(jacobian).collect(),
                rhs: (0..lane(0).1.len()).map(rhs).collect(),
            }
        };
        Calls {
            mass: system.mass().iter().map(|&m| T::from_f64(m)).collect(),
            inputs: (0..states.len()).step_by(T::LANES).map(input).collect(),
            workspace: Workspace::new(analysis),
            solution: vec![T::zero(); system.nv() + system.rows()],
        }
    }

    /// One call of the kernel with input `k`; the number of pivots that vanish.
    #[inline(never)]
    fn call(&mut self, k: usize) -> Result<usize, RepeatError> {
        let Input { jacobian, rhs } = &self.inputs[k];
        let mut factor = self.workspace.factorize(&Values::new(&self.mass, jacobian))?;
        factor.substitute(rhs, &mut self.solution)?;
        let misplaced = (0..T::LANES).map(|lane| factor.misplaced(lane)).sum();
        black_box(&mut self.solution);
        Ok(misplaced)
    }
}
