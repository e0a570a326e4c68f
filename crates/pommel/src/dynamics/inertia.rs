//! What the inertia of a tree is at one state, and how points of bodies move.

use pommel_math::Vec3;
use pommel_model::{Mechanism, ResolvedState};
use pommel_tree::{
    BodyAcceleration, BodyMotion, Energy, Momentum, Workspace, energy, factorize,
    forward_accelerations, forward_kinematics, jacobian, mass_matrix, momentum,
};

use super::TreeDynamics;
use crate::Error;

/// The joint-space inertia matrix with its factors `H = U D Uᵀ`, momentum and energy at one state.
///
/// Matrices are `nv × nv`, row by row, in the order of [`Mechanism::velocity_names`].
#[derive(Clone, Debug)]
pub struct Inertia {
    /// `H`, symmetric; kg·m², kg·m, kg.
    pub matrix: Vec<f64>,
    /// `U`: ones on the diagonal, and `U_ji` other than zero only if joint `j` carries joint `i`.
    pub upper: Vec<f64>,
    /// `D`: diagonal but for a block for each free and spherical joint.
    pub diagonal: Vec<f64>,
    /// The inertia that each joint's motor feels while the joints beyond are free; those of a block
    /// of `D` are the pivots of its own elimination.
    pub pivots: Vec<f64>,
    /// Momentum of all that moves, about its mass centre.
    pub momentum: Momentum<f64>,
    /// Kinetic and potential energy.
    pub energy: Energy<f64>,
}

/// A point fixed in a body of a mechanism, or in the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    /// Index of the body in the mechanism; none for the ground.
    pub body: Option<usize>,
    /// The point in the frame of the body, m.
    pub point: [f64; 3],
}

impl BodyPoint {
    /// The point that a name stands for: the origin of the frame of that name, else the mass centre
    /// of the body of that name. None if there is neither.
    pub fn named(mechanism: &Mechanism, name: &str) -> Option<Self> {
        let description = mechanism.description();
        if let Some(frame) = description.frames.iter().find(|frame| frame.name == name) {
            // a frame that is not on the ground names a body
            let body = description.body_index(&frame.body);
            return Some(BodyPoint { body, point: frame.position });
        }
        let body = description.body_index(name)?;
        Some(BodyPoint { body: Some(body), point: description.bodies[body].com })
    }
}

/// How a point moves, in world axes.
#[derive(Clone, Debug, Default)]
pub struct PointMotion {
    /// Position, m.
    pub position: [f64; 3],
    /// Angular velocity of the body (rad/s), velocity of the point (m/s): `J v`.
    pub twist: [f64; 6],
    /// `J`, `6 × nv` row by row: three rows of the angular velocity, three of the velocity of the
    /// point.
    pub jacobian: Vec<f64>,
    /// What velocities alone contribute to the angular acceleration (rad/s²) and to the acceleration
    /// of the point (m/s²): `J̇ v`.
    pub bias: [f64; 6],
}

impl TreeDynamics {
    /// Inertia matrix, factors, momentum and energy at a state.
    ///
    /// # Errors
    /// [`Error::Tree`] if a joint feels no inertia.
    pub fn inertia(&self, state: &ResolvedState) -> Result<Inertia, Error> {
        let (model, nv) = (&self.model, self.model.nv());
        let mut workspace = Workspace::new(model);
        let mut motions = vec![BodyMotion::default(); model.body_count()];
        forward_kinematics(model, &mut workspace, &state.q, &state.v, &mut motions);
        let mut matrix = vec![0.0; nv * nv];
        mass_matrix(model, &mut workspace, &state.q, &mut matrix);

        let mut factor = factorize(model, &mut workspace, &state.q)?;
        let (mut upper, mut diagonal) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);
        let (mut unit, mut column, mut pivots) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]);
        let store = |column: &[f64], k: usize, into: &mut [f64]| {
            column.iter().enumerate().for_each(|(row, &x)| into[row * nv + k] = x);
        };
        for k in 0..nv {
            unit[k] = 1.0;
            factor.multiply_u(&unit, &mut column);
            store(&column, k, &mut upper);
            factor.multiply_d(&unit, &mut column);
            store(&column, k, &mut diagonal);
            unit[k] = 0.0;
        }
        factor.pivots(&mut pivots);
        let momentum = momentum(model, &state.v, &motions);
        let energy = energy(model, &state.v, &motions);
        Ok(Inertia { matrix, upper, diagonal, pivots, momentum, energy })
    }

    /// Where a point is and how it moves at a state.
    ///
    /// # Panics
    /// If the point is not one of this mechanism.
    pub fn point_motion(&self, state: &ResolvedState, at: BodyPoint) -> PointMotion {
        let (model, nv) = (&self.model, self.model.nv());
        let mut found = PointMotion { jacobian: vec![0.0; 6 * nv], ..PointMotion::default() };
        let Some(body) = at.body.map(|body| self.body(body)) else {
            found.position = at.point;
            return found;
        };
        let point = Vec3::from_f64(at.point);
        let mut workspace = Workspace::new(model);
        let mut motions = vec![BodyMotion::default(); model.body_count()];
        let mut rates = vec![BodyAcceleration::default(); model.body_count()];
        let at_rest = vec![0.0; nv];
        forward_kinematics(model, &mut workspace, &state.q, &state.v, &mut motions);
        forward_accelerations(model, &mut workspace, &state.q, &state.v, &at_rest, &mut rates);
        jacobian(model, &mut workspace, &state.q, body, point, &mut found.jacobian);
        let (motion, rate) = (&motions[body.index()], &rates[body.index()]);
        let position = motion.placement.point_to_parent(point);
        let arm = position - motion.centre;
        let velocity = motion.angular_velocity.cross_add(arm, motion.velocity);
        found.position = position.to_array();
        found.twist = six(motion.angular_velocity, velocity);
        found.bias = six(rate.angular, rate.at(arm));
        found
    }
}

fn six(angular: Vec3<f64>, linear: Vec3<f64>) -> [f64; 6] {
    let ([a, b, c], [d, e, f]) = (angular.to_array(), linear.to_array());
    [a, b, c, d, e, f]
}
