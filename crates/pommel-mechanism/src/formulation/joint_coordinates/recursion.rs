//! O(n) recursion with loop closures.
//!
//! The state is taken to the coordinates of the tree that the joints span; `pommel-tree` eliminates
//! joint after joint and closes the loops, and the accelerations of the joints are taken back to
//! those of the bodies. Cost: linear in bodies and in loops that share none; of loops that share bodies,
//! as the cube of their number or more.

use pommel_math::{Vec3, Wrench};
use pommel_model::Mechanism;
use pommel_tree::{
    ClosureWorkspace, LoopClosures, Model, Stabilization, Workspace, constrained_dynamics,
};

use super::ROWS_HOLD_TO;
use super::multipliers::Multipliers;
use crate::formulation::dense::RowCheck;
use crate::formulation::{Formulation, FormulationError, Method, Outcome};
use crate::joint_space::{JointSpace, closures, rotation_of, tree_model};
use crate::{Equations, System};

/// The method, with memory for one mechanism.
#[derive(Clone, Debug)]
pub struct Recursion {
    space: JointSpace,
    /// without gravity, which is part of Q
    model: Model<f64>,
    closures: LoopClosures<f64>,
    workspace: Workspace<f64>,
    memory: ClosureWorkspace<f64>,
    multipliers: Multipliers,
    check: RowCheck,
    /// inertia matrices in body axes, to take gyroscopic moments out of Q: the tree knows them
    tensors: Vec<[f64; 6]>,
    planar: bool,
    theta: Vec<f64>,
    rates: Vec<f64>,
    tau: Vec<f64>,
    wrenches: Vec<Wrench<f64>>,
    joint: Vec<f64>,
    lambda: Vec<f64>,
}

impl Recursion {
    /// For a mechanism and its system.
    ///
    /// # Errors
    /// [`FormulationError::UnknownConstraint`] for constraints that are no closures (drivers, cams,
    /// lines, rolling, helical loops), [`FormulationError::Tree`], [`FormulationError::Closure`].
    pub fn new(mechanism: &Mechanism, system: &System<f64>) -> Result<Self, FormulationError> {
        let (mut model, ids) = tree_model(mechanism)?;
        model.set_gravity(Vec3::zero());
        let list =
            closures(mechanism, &ids).map_err(|unknown| FormulationError::UnknownConstraint {
                method: Method::Recursion,
                constraint: unknown.constraint,
            })?;
        // redundant rows drift apart from each other: what they ask for beyond that is an error
        let mut closures = LoopClosures::new(&model, list, Stabilization::default())?;
        closures.tolerate(DRIFT);
        let tensors = (mechanism.description().bodies.iter().enumerate())
            .filter(|(b, _)| system.body_of_model(*b).is_some())
            .map(|(_, body)| {
                let i = body.inertia.tensor();
                [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]]
            })
            .collect();
        Ok(Recursion {
            space: JointSpace::new(mechanism, system)?,
            workspace: Workspace::new(&model),
            memory: ClosureWorkspace::new(&closures),
            multipliers: Multipliers::new(system.pattern()),
            check: RowCheck::new(system.pattern()),
            tensors,
            planar: system.is_planar(),
            theta: model.zero_configuration(),
            rates: vec![0.0; model.nv()],
            tau: vec![0.0; model.nv()],
            wrenches: vec![Wrench::zero(); model.body_count()],
            joint: vec![0.0; model.nv()],
            lambda: vec![0.0; closures.rows()],
            closures,
            model,
        })
    }

    /// Q as wrenches about the mass centres, in world axes.
    fn load(&mut self, force: &[f64], q: &[f64], v: &[f64]) {
        for (i, body) in self.space.bodies().iter().enumerate() {
            let wrench = if self.planar {
                let f = &force[3 * i..3 * i + 3];
                Wrench::new(Vec3::new(0.0, 0.0, f[2]), Vec3::new(f[0], f[1], 0.0))
            } else {
                let f = &force[6 * i..6 * i + 6];
                let omega = Vec3::from_slice(&v[6 * i..]);
                let tensor = pommel_math::Sym3::<f64>::from_f64(self.tensors[i]);
                let moment = Vec3::from_slice(f) + omega.cross(tensor * omega);
                Wrench::new(rotation_of(q, i) * moment, Vec3::from_slice(&f[3..]))
            };
            self.wrenches[body.index()] = wrench;
        }
    }
}

/// What dependent rows may contradict each other by, m/s² or rad/s², before it is an error.
const DRIFT: f64 = 1e-2;

impl Formulation for Recursion {
    fn method(&self) -> Method {
        Method::Recursion
    }

    fn solve(
        &mut self,
        equations: &Equations<'_>,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Outcome, FormulationError> {
        let Some(state) = equations.state else {
            return Err(FormulationError::NeedsModel { method: Method::Recursion });
        };
        self.space.to_joint(state.q, state.v, &mut self.theta, &mut self.rates);
        let rank_tolerance = self.check.rank_tolerance(equations);
        self.closures.set_drift(rank_tolerance);
        self.load(equations.force, state.q, state.v);
        constrained_dynamics(
            &self.model,
            &self.closures,
            &mut self.workspace,
            &mut self.memory,
            (&self.theta, &self.rates),
            &self.tau,
            Some(&self.wrenches),
            &mut self.joint,
            &mut self.lambda,
        )?;
        self.space.accelerations(&self.theta, &self.rates, &self.joint, qdd);
        let freedoms = self.model.nv() + self.memory.dependent_rows().count();
        let rank = (qdd.len() + self.closures.rows()).saturating_sub(freedoms);
        self.multipliers.solve(equations, rank_tolerance, qdd, lambda)?;
        self.check.check(equations, qdd, lambda, Method::Recursion, ROWS_HOLD_TO)?;
        Ok(Outcome { rank: Some(rank) })
    }
}
