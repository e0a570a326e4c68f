//! The equations of motion.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::{Motion, Robot};

/// `H v̇ + h = τ`.
#[derive(Clone, Debug)]
pub struct DenseTerms {
    /// `H`, nv × nv.
    pub mass_matrix: DMatrix<f64>,
    /// `h`: velocity terms, gravity and (minus) external wrenches, length nv.
    pub bias: DVector<f64>,
    /// Motion of every body, with Jacobians and accelerations at v̇ = 0.
    pub motions: Vec<Motion>,
}

/// A geared rotor in motion, world axes.
pub(super) struct Spin {
    /// Place of the joint's coordinate in `v`.
    pub(super) velocity: usize,
    /// Inertia, kg·m².
    pub(super) inertia: f64,
    /// Rotor speed divided by joint speed.
    pub(super) ratio: f64,
    /// Spin axis.
    pub(super) axis: Vector3<f64>,
    /// The body that carries the rotor; none for the ground.
    pub(super) carrier: Option<usize>,
}

impl Robot {
    /// The rotors.
    pub(super) fn spins(&self, motions: &[Motion]) -> Vec<Spin> {
        let mut spins = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let Some(rotor) = body.rotor else { continue };
            let (_, v) = self.coordinates(i);
            assert_eq!(v.len(), 1, "body {i}: a rotor needs a joint of one coordinate");
            let parent = body.parent.map_or(Matrix3::identity(), |p| motions[p].rotation);
            spins.push(Spin {
                velocity: v.start,
                inertia: rotor.inertia,
                ratio: rotor.ratio,
                axis: body.joint_axes(&parent) * Vector3::from(rotor.axis),
                carrier: body.parent,
            });
        }
        spins
    }

    /// Armature by velocity, length nv.
    pub(super) fn armature(&self) -> Vec<f64> {
        (self.bodies.iter())
            .flat_map(|body| body.armature[..body.joint.velocity_count()].iter().copied())
            .collect()
    }

    /// The equations of motion. `external` holds, per body, the moment about the mass centre
    /// (N·m) and the force (N), in world axes.
    ///
    /// # Panics
    ///
    /// If lengths do not fit, or a rotor sits on a joint that has not one coordinate.
    pub fn terms(&self, q: &[f64], v: &[f64], external: Option<&[[f64; 6]]>) -> DenseTerms {
        let motions = self.motions(q, v);
        let mut mass_matrix = DMatrix::from_diagonal(&DVector::from_vec(self.armature()));
        let mut bias = DVector::zeros(v.len());
        for (i, (body, motion)) in self.bodies.iter().zip(&motions).enumerate() {
            let inertia = body.world_inertia(&motion.rotation);
            let mut m = DMatrix::zeros(6, 6);
            m.fixed_view_mut::<3, 3>(0, 0).copy_from(&inertia);
            m.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * body.mass));
            let omega = motion.angular_velocity;
            let moment =
                inertia * motion.bias_angular_acceleration + omega.cross(&(inertia * omega));
            let force = (motion.bias_acceleration - Vector3::from(self.gravity)) * body.mass;
            let mut wrench = DVector::zeros(6);
            wrench.fixed_rows_mut::<3>(0).copy_from(&moment);
            wrench.fixed_rows_mut::<3>(3).copy_from(&force);
            if let Some(external) = external {
                wrench -= DVector::from_row_slice(&external[i]);
            }
            mass_matrix += motion.jacobian.transpose() * m * &motion.jacobian;
            bias += motion.jacobian.transpose() * wrench;
        }
        for spin in self.spins(&motions) {
            spin.add_to(&motions, v, &mut mass_matrix, &mut bias);
        }
        DenseTerms { mass_matrix, bias, motions }
    }

    /// Accelerations by a dense solve; none if the mass matrix is not positive definite.
    pub fn accelerations(
        &self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        external: Option<&[[f64; 6]]>,
    ) -> Option<Vec<f64>> {
        let terms = self.terms(q, v, external);
        let right = DVector::from_row_slice(tau) - terms.bias;
        let solution = terms.mass_matrix.cholesky()?.solve(&right);
        Some(solution.iter().copied().collect())
    }
}

impl Spin {
    /// The spin momentum `J N q̇ e` turns with the carrier: a moment `J N q̈ e + ω × J N q̇ e` on
    /// the carrier and `N (J N q̈ + J e·α)` at the joint. `e·α` is the whole rate of `e·ω`, as
    /// `ė = ω × e`.
    fn add_to(
        &self,
        motions: &[Motion],
        v: &[f64],
        mass_matrix: &mut DMatrix<f64>,
        bias: &mut DVector<f64>,
    ) {
        let (k, coupling) = (self.velocity, self.inertia * self.ratio);
        mass_matrix[(k, k)] += self.ratio * coupling;
        let Some(carrier) = self.carrier.map(|p| &motions[p]) else { return };
        let angular = carrier.jacobian.fixed_rows::<3>(0);
        let row = angular.transpose() * self.axis * coupling;
        for c in 0..v.len() {
            mass_matrix[(k, c)] += row[c];
            mass_matrix[(c, k)] += row[c];
        }
        let gyroscopic = carrier.angular_velocity.cross(&(self.axis * (coupling * v[k])));
        *bias += angular.transpose() * gyroscopic;
        bias[k] += coupling * self.axis.dot(&carrier.bias_angular_acceleration);
    }
}
