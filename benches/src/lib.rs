//! Cases that the benches share: reproducible robots and states, and the dense partner.

#![forbid(unsafe_code)]

pub mod integration_cases;
pub mod pendulum;
pub mod rigid_body_cases;
pub mod saddle_cases;
#[cfg(feature = "peers")]
pub mod saddle_peers;
pub mod timing;

use nalgebra::{DMatrix, DVector};
use pommel::math::{Mat3, Real, Transform, Vec3};
use pommel::tree::{BodySpec, Joint, Model, TreeBuilder, Workspace, inverse_dynamics};
use pommel_testkit::Rng;

/// Number of states that every bench cycles through, so that no branch predictor learns one.
pub const STATES: usize = 256;

/// A serial chain of `n` revolute joints with general Denavit–Hartenberg parameters on the ground.
///
/// # Panics
/// Never: the numbers make a valid tree.
pub fn revolute_chain(n: usize) -> Model<f64> {
    let mut rng = Rng::new(3);
    let mut x = || rng.symmetric(1.0);
    let mut builder = TreeBuilder::new();
    builder.gravity(Vec3::from_f64([0.0, 0.0, -9.81]));
    let mut parent = None;
    for i in 0..n {
        let alpha = 1.5 * x();
        let (a, d) = (0.3 + 0.2 * x(), 0.2 + 0.1 * x());
        let spec =
            BodySpec::new(format!("b{i}"), parent, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
                .placed(Transform::new(
                    Mat3::from_rpy([alpha, 0.0, 0.0]),
                    Vec3::from_f64([a, -d * alpha.sin(), d * alpha.cos()]),
                ))
                .with_inertia(
                    3.0 + 2.0 * x(),
                    Vec3::from_f64([0.1 * x(), 0.1 * x(), 0.1 * x()]),
                    [0.3, 0.25, 0.2, 0.01, 0.02, 0.015],
                );
        parent = Some(builder.add(spec).expect("a valid body"));
    }
    builder.build().expect("a valid tree")
}

/// A state with joint forces.
#[derive(Clone, Debug)]
pub struct State<T> {
    /// Positions.
    pub q: Vec<T>,
    /// Velocities.
    pub v: Vec<T>,
    /// Joint forces.
    pub tau: Vec<T>,
}

/// [`STATES`] states of a chain, another one in each lane.
pub fn states<T: Real>(model: &Model<T>) -> Vec<State<T>> {
    let mut rng = Rng::new(77);
    let mut list = |count: usize, size: f64| -> Vec<T> {
        (0..count).map(|_| T::from_lanes(|_| rng.symmetric(size))).collect()
    };
    let (nq, nv) = (model.nq(), model.nv());
    let state = |_| State { q: list(nq, 3.0), v: list(nv, 1.0), tau: list(nv, 10.0) };
    (0..STATES).map(state).collect()
}

/// The dense partner: the mass matrix column by column from inverse dynamics, then Cholesky.
#[derive(Clone, Debug)]
pub struct Dense {
    workspace: Workspace<f64>,
    still: Model<f64>,
    zero: Vec<f64>,
    unit: Vec<f64>,
    column: Vec<f64>,
    matrix: DMatrix<f64>,
}

impl Dense {
    /// Memory for a model.
    pub fn new(model: &Model<f64>) -> Self {
        let n = model.nv();
        // columns of the mass matrix: no velocity, no gravity
        let mut still = model.clone();
        still.set_gravity(Vec3::zero());
        Dense {
            workspace: Workspace::new(model),
            still,
            zero: vec![0.0; n],
            unit: vec![0.0; n],
            column: vec![0.0; n],
            matrix: DMatrix::zeros(n, n),
        }
    }

    /// Accelerations by `M q̈ = τ − h`.
    ///
    /// # Panics
    /// If the mass matrix is not positive definite.
    pub fn accelerations(&mut self, model: &Model<f64>, s: &State<f64>) -> DVector<f64> {
        let n = model.nv();
        inverse_dynamics(
            model,
            &mut self.workspace,
            &s.q,
            &s.v,
            &self.zero,
            None,
            &mut self.column,
        );
        let right = DVector::from_fn(n, |i, _| s.tau[i] - self.column[i]);
        for j in 0..n {
            self.unit[j] = 1.0;
            let ws = &mut self.workspace;
            inverse_dynamics(&self.still, ws, &s.q, &self.zero, &self.unit, None, &mut self.column);
            self.unit[j] = 0.0;
            self.matrix.column_mut(j).copy_from_slice(&self.column);
        }
        let factor = self.matrix.clone().cholesky().expect("positive definite");
        factor.solve(&right)
    }
}
