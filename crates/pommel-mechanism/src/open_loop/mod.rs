//! Planar mechanisms in the angles of their bodies, with loops cut open.
//!
//! Revolute joints that span trees from the ground are satisfied by the choice of coordinates; only what closes
//! loops is left as constraints (cut joints \[W77\], velocity transformation \[KV86\]). The coordinates are some of the
//! absolute ones: the angle of every body, and the place of the first body of a tree that does not hang on the
//! ground. Let `w` be their velocities, `ω` those that are turns, and `p_ia` the arm of body `i` that turns with its
//! ancestor `a` (or with itself): from the joint where the way to `i` comes to `a` to the one where it leaves, or to the
//! mass centre at last. Then
//!
//! ```text
//! r_i = base + Σ_a p_ia      ṙ_i = … + Σ_a ω_a ẑ × p_ia      r̈_i = … + Σ_a (ω̇_a ẑ × p_ia − ω_a² p_ia)
//! ```
//!
//! so that `v = B w`, `v̇ = B ẇ + c` with the columns `ẑ × p` and `c = −Σ ω² p`, and
//!
//! ```text
//! M̂ = Bᵀ M B      Q̂ = Bᵀ (Q − M c)      Φ̂_q = Φ_q B      γ̂ = γ − Φ_q c
//! M̂ ẇ + Φ̂_qᵀ λ = Q̂      Φ̂_q ẇ = γ̂
//! ```
//!
//! M̂ is sparse: an entry couples a body with an ancestor, and depends on the difference of their angles only,
//! `α cos − β sin` with sums `α = Σ m d·e`, `β = Σ m d×e` over the bodies beyond both, found once. A squeezer of seven
//! bodies has 7 unknowns and 6 rows in these coordinates, 21 and 20 in absolute ones.
//!
//! * `[W77]` J. Wittenburg, *Dynamics of Systems of Rigid Bodies*, Teubner 1977, section 5.3.
//! * `[KV86]` S. S. Kim, M. J. Vanderploeg, *A general and efficient method for dynamic analysis of mechanical systems
//!   using velocity transformations*, J. Mech. Transm. Autom. Des. 108 (1986).

mod build;
mod evaluate;
mod products;
mod solver;
mod tree;

pub use evaluate::OpenLoopEvaluation;
pub use solver::OpenLoopSolver;

use std::sync::Arc;

use pommel_kkt::Pattern;
use products::Products;

use crate::{ForceLaw, System, UnsoundForce};

/// A planar mechanism in the angles of its bodies ([`open_loop`](self)).
///
/// ```
/// use pommel_mechanism::open_loop::{OpenLoop, OpenLoopSolver};
/// use pommel_mechanism::pommel_model::Mechanism;
///
/// // a pendulum of 2 kg at 0.5 m, level
/// let model = Mechanism::from_toml_str(r#"
///     name = "pendulum"
///     kind = "planar"
///     gravity = [0.0, -9.81]
///     bodies = [{ name = "bob", mass = 2.0, inertia = 0.1 }]
///     joints = [{ name = "pivot", type = "revolute", parent = "ground", child = "bob",
///                 in_child = { position = [-0.5, 0.0] } }]
/// "#)?;
/// let pendulum = OpenLoop::new(&model)?.ok_or("not in the plane")?;
/// assert_eq!((pendulum.coordinates(), pendulum.rows()), (1, 0));
/// let mut solver = OpenLoopSolver::new(&pendulum, 0.0, &[0.0], &[0.0])?;
/// let mut acceleration = [0.0];
/// solver.accelerations(&pendulum, 0.0, &[0.0], &[0.0], &[], &mut acceleration)?;
/// assert!((acceleration[0] + 2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenLoop {
    /// all bodies, and what is not embedded
    system: System<f64>,
    tree: tree::Tree,
    /// the embedded joints, by their index in the model
    embedded: Vec<usize>,
    pattern: Pattern,
    scales: Vec<f64>,
    /// values of M̂, of which some change
    mass: Vec<f64>,
    couplings: Vec<Coupling>,
    moments: Vec<Moment>,
    /// Φ_q B, Bᵀ Q, Φ_q c
    jacobian: Products,
    force: Products,
    bias: Products,
}

/// An entry of M̂ between the angles of two bodies.
#[derive(Clone, Copy, Debug)]
struct Coupling {
    value: u32,
    /// the bodies whose angles they are, and the columns of these
    bodies: [u32; 2],
    columns: [u32; 2],
    /// `Σ m d·e` and `Σ m d×e`
    even: f64,
    odd: f64,
}

/// Entries of M̂ between the place of the first body of a tree and an angle.
#[derive(Clone, Copy, Debug)]
struct Moment {
    values: [u32; 2],
    columns: [u32; 2],
    body: u32,
    /// `Σ m d` in axes of the body, kg·m
    arm: [f64; 2],
}

impl OpenLoop {
    /// Number of coordinates, which is that of velocities.
    pub fn coordinates(&self) -> usize {
        self.tree.columns.len()
    }

    /// Number of rows that close loops or drive.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// The bodies with the constraints that are left, in absolute coordinates.
    pub fn system(&self) -> &System<f64> {
        &self.system
    }

    /// Adds a force given as code; make evaluations and solvers after that.
    pub fn add_force_law(&mut self, law: Arc<dyn ForceLaw>) {
        self.system.add_force_law(law);
    }

    /// The force given as code that is no number in an evaluation at a state that is finite; none if all were numbers.
    pub fn unsound_force(&self, evaluation: &OpenLoopEvaluation) -> Option<UnsoundForce> {
        self.system.unsound_force(&evaluation.absolute)
    }

    /// Indices in the model of the joints that need no constraints.
    pub fn embedded_joints(&self) -> &[usize] {
        &self.embedded
    }

    /// Where M̂ and Φ̂_q have entries.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Names of the coordinates, such as `rod.angle`.
    pub fn coordinate_names(&self) -> Vec<String> {
        let names = self.system.coordinate_names();
        self.tree.columns.iter().map(|&absolute| names[absolute as usize].clone()).collect()
    }

    /// Coordinates from absolute ones, or velocities from absolute ones.
    ///
    /// # Panics
    /// If a slice has another length than [`System::nq`] and [`coordinates`](Self::coordinates).
    pub fn select(&self, absolute: &[f64], own: &mut [f64]) {
        assert_eq!(absolute.len(), self.system.nq(), "absolute coordinates of all bodies");
        assert_eq!(own.len(), self.coordinates(), "one for each coordinate");
        for (own, &at) in own.iter_mut().zip(&self.tree.columns) {
            *own = absolute[at as usize];
        }
    }
}
