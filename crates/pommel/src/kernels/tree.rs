//! The kernels of trees.

use std::hint::black_box;

use pommel_math::{Counted, LaneJob, OperationCount, Real, Vec3, Wrench, with_lanes};
use pommel_model::ResolvedState;
use pommel_tree::{
    DerivativeWorkspace, ForwardDynamicsDerivatives, Model, TreeError, Workspace, forward_dynamics,
    forward_dynamics_derivatives, inverse_dynamics, mass_matrix,
};

use super::{RepeatError, Repeated, cycle};
use crate::TreeDynamics;

/// A function of `pommel-tree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeKernel {
    /// Accelerations from the forces of a state.
    ForwardDynamics,
    /// Joint forces from accelerations, for which the numbers of the velocities are taken.
    InverseDynamics,
    /// The joint-space inertia matrix.
    MassMatrix,
    /// Accelerations with their derivatives by positions, velocities and joint forces.
    Derivatives,
}

impl TreeKernel {
    /// All kernels.
    pub const ALL: [TreeKernel; 4] = [
        TreeKernel::ForwardDynamics,
        TreeKernel::InverseDynamics,
        TreeKernel::MassMatrix,
        TreeKernel::Derivatives,
    ];

    /// The kernel's name in words.
    pub fn name(self) -> &'static str {
        match self {
            TreeKernel::ForwardDynamics => "forward-dynamics",
            TreeKernel::InverseDynamics => "inverse-dynamics",
            TreeKernel::MassMatrix => "mass-matrix",
            TreeKernel::Derivatives => "derivatives",
        }
    }
}

/// The operations of one call of a kernel for one instance.
///
/// # Errors
/// [`TreeError`] if the kernel fails at this state.
pub fn count_operations(
    dynamics: &TreeDynamics,
    kernel: TreeKernel,
    state: &ResolvedState,
) -> Result<OperationCount, TreeError> {
    let states = std::slice::from_ref(state);
    let mut calls = Calls::<Counted>::new(dynamics, kernel, states);
    let (result, count) = pommel_math::count_operations(|| calls.call(0));
    result.map(|()| count)
}

/// Hands `job` a function that calls the kernel as many times as it is told; every call takes the
/// next state, or with several lanes as many of the next states. After the last state comes the
/// first.
///
/// Every state is tried once before.
///
/// # Arguments
/// - `lanes` 1, 2, 4 or 8; above 1 the scalar is the best that [`with_lanes`] finds
///
/// # Errors
/// [`RepeatError`]; `job` has then not been called.
///
/// # Panics
/// If there are no states.
pub fn repeat(
    dynamics: &TreeDynamics,
    kernel: TreeKernel,
    lanes: usize,
    states: &[ResolvedState],
    job: &mut dyn FnMut(Repeated<'_>),
) -> Result<(), RepeatError> {
    assert!(!states.is_empty(), "a kernel needs a state");
    let repeat = Repeat { dynamics, kernel, states, job };
    match lanes {
        1 => repeat.run::<f64>()?,
        _ => with_lanes(lanes, repeat)??,
    }
    Ok(())
}

struct Repeat<'a> {
    dynamics: &'a TreeDynamics,
    kernel: TreeKernel,
    states: &'a [ResolvedState],
    job: &'a mut dyn FnMut(Repeated<'_>),
}

impl LaneJob for Repeat<'_> {
    type Output = Result<(), TreeError>;

    fn run<T: Real>(self) -> Self::Output {
        let mut calls = Calls::<T>::new(self.dynamics, self.kernel, self.states);
        let count = calls.inputs.len();
        (0..count).try_for_each(|k| calls.call(k))?;
        cycle(count, self.job, |k| {
            // a state that was solved once is solved again
            let _ = black_box(calls.call(k));
        });
        Ok(())
    }
}

/// A kernel over one scalar with all that its calls need.
struct Calls<T> {
    kernel: TreeKernel,
    model: Model<T>,
    inputs: Vec<Input<T>>,
    workspace: Workspace<T>,
    derivatives: DerivativeWorkspace<T>,
    /// a vector of `nv` entries and three matrices of `nv × nv`
    out: (Vec<T>, [Vec<T>; 3]),
}

/// What one call takes: as many instances as the scalar has lanes.
struct Input<T> {
    q: Vec<T>,
    v: Vec<T>,
    tau: Vec<T>,
    wrenches: Option<Vec<Wrench<T>>>,
}

impl<T: Real> Calls<T> {
    // not inlined, so that the kernels are compiled once, not at every place that calls them
    #[inline(never)]
    fn new(dynamics: &TreeDynamics, kernel: TreeKernel, states: &[ResolvedState]) -> Self {
        let model = dynamics.model().cast::<T>();
        let nv = model.nv();
        // if one state has wrenches, all calls take some, so that all do the same work
        let loads: Vec<_> = states.iter().map(|state| dynamics.wrenches(state)).collect();
        let loaded = loads.iter().any(Option::is_some);
        let input = |first: usize| {
            let lane = |i: usize| &states[(first + i) % states.len()];
            let pick = |list: fn(&ResolvedState) -> &[f64]| -> Vec<T> {
                let value = |k| T::from_lanes(|i| list(lane(i))[k]);
                (0..list(lane(0)).len()).map(value).collect()
            };
            let wrench = |body: usize| {
                let of = |i: usize| loads[(first + i) % states.len()].as_ref().map(|l| l[body]);
                let part = |part: fn(&Wrench<f64>) -> [f64; 3]| {
                    let x = |k| T::from_lanes(|i| of(i).map_or(0.0, |wrench| part(&wrench)[k]));
                    Vec3::new(x(0), x(1), x(2))
                };
                Wrench::new(part(|w| w.moment.to_array()), part(|w| w.force.to_array()))
            };
            Input {
                q: pick(|state| &state.q),
                v: pick(|state| &state.v),
                tau: pick(|state| &state.tau),
                wrenches: loaded.then(|| (0..model.body_count()).map(wrench).collect()),
            }
        };
        Calls {
            kernel,
            inputs: (0..states.len()).step_by(T::LANES).map(input).collect(),
            workspace: Workspace::new(&model),
            derivatives: DerivativeWorkspace::new(&model),
            out: (vec![T::zero(); nv], [(); 3].map(|()| vec![T::zero(); nv * nv])),
            model,
        }
    }

    /// One call of the kernel with input `k`.
    #[inline(never)]
    fn call(&mut self, k: usize) -> Result<(), TreeError> {
        let Calls { kernel, model, inputs, workspace, derivatives, out } = self;
        let Input { q, v, tau, wrenches } = &inputs[k];
        let external = wrenches.as_deref();
        let (vector, [position, velocity, force]) = out;
        let result = match kernel {
            TreeKernel::ForwardDynamics => {
                forward_dynamics(model, workspace, q, v, tau, external, vector)
            }
            TreeKernel::InverseDynamics => {
                inverse_dynamics(model, workspace, q, v, v, external, vector);
                Ok(())
            }
            TreeKernel::MassMatrix => {
                mass_matrix(model, workspace, q, position);
                Ok(())
            }
            TreeKernel::Derivatives => {
                let qdd = vector;
                let out = ForwardDynamicsDerivatives { qdd, position, velocity, force };
                forward_dynamics_derivatives(model, derivatives, q, v, tau, external, out)
            }
        };
        black_box(&mut self.out);
        result
    }
}
