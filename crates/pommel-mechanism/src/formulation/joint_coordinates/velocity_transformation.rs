//! Velocity transformation: `v = B θ̇`, `v̇ = B θ̈ + c` \[KV86\].
//!
//! | here | meaning                                                    | shape        |
//! |------|------------------------------------------------------------|--------------|
//! | `B`  | velocities of the bodies from those of the joints of the tree | n × f     |
//! | `c`  | what velocities alone add to the accelerations             | n            |
//! | `A`  | `Φ_q B` of the rows that are not of the tree                | m' × f       |
//!
//! ```text
//! M̂ = Bᵀ M B      Q̂ = Bᵀ (Q − M c)
//! (A M̂⁻¹ Aᵀ) μ = A M̂⁻¹ Q̂ − (γ' − Φ'_q c)      M̂ θ̈ = Q̂ − Aᵀ μ
//! ```
//!
//! Dense: `n f²` multiply-adds for M̂, `f³/3` for its factor, `m'² f + m'³/3` for the loops.
//!
//! \[KV86\]: S. S. Kim, M. J. Vanderploeg, *A general and efficient method for dynamic analysis of
//! mechanical systems using velocity transformations*, J. Mech. Transm. Autom. Des. 108 (1986).

use pommel_math::Vec3;
use pommel_model::Mechanism;
use pommel_tree::{Workspace, jacobian};

use super::ROWS_HOLD_TO;
use super::multipliers::Multipliers;
use crate::formulation::dense::RowCheck;
use crate::formulation::{
    Formulation, FormulationError, INERTIA_TOLERANCE, Method, Outcome, gram_tolerance,
};
use crate::joint_space::{JointSpace, rotation_of};
use crate::linear::{Crout, Gaussian, LinearError, Pivoting};
use crate::{Equations, System};

/// The method, with memory for one mechanism.
#[derive(Clone, Debug)]
pub struct VelocityTransformation {
    space: JointSpace,
    workspace: Workspace<f64>,
    multipliers: Multipliers,
    check: RowCheck,
    /// mass centres in body frames
    centres: Vec<Vec3<f64>>,
    planar: bool,
    /// for each row of Φ its place among those that are not of the tree
    place: Vec<Option<usize>>,
    others: usize,
    theta: Vec<f64>,
    rates: Vec<f64>,
    zero: Vec<f64>,
    /// of one body, 6 × f
    block: Vec<f64>,
    /// n × f
    b: Vec<f64>,
    /// `M B`, n × f
    mb: Vec<f64>,
    c: Vec<f64>,
    a: Vec<f64>,
    /// M̂, f × f
    matrix: Vec<f64>,
    factor: Crout,
    /// `A M̂⁻¹`, m' × f, and `A M̂⁻¹ Aᵀ`
    inverse: Vec<f64>,
    gram: Vec<f64>,
    closing: Gaussian,
    mu: Vec<f64>,
    step: Vec<f64>,
    rhs: Vec<f64>,
    forces: Vec<f64>,
}

impl VelocityTransformation {
    /// For a mechanism and its system.
    ///
    /// # Errors
    /// [`FormulationError::Tree`] if the tree cannot be built.
    pub fn new(mechanism: &Mechanism, system: &System<f64>) -> Result<Self, FormulationError> {
        let space = JointSpace::new(mechanism, system)?;
        let (n, f) = (system.nv(), space.model().nv());
        let mut place = vec![None; system.rows()];
        let mut others = 0;
        for constraint in system.constraints().iter().filter(|c| !c.of_tree) {
            for row in constraint.rows.clone() {
                place[row] = Some(others);
                others += 1;
            }
        }
        let centres = (mechanism.description().bodies.iter().enumerate())
            .filter(|(b, _)| system.body_of_model(*b).is_some())
            .map(|(_, body)| Vec3::from_f64(body.com))
            .collect();
        let size = f + others;
        Ok(VelocityTransformation {
            workspace: Workspace::new(space.model()),
            multipliers: Multipliers::new(system.pattern()),
            check: RowCheck::new(system.pattern()),
            centres,
            planar: system.is_planar(),
            place,
            others,
            theta: space.model().zero_configuration(),
            rates: vec![0.0; f],
            zero: vec![0.0; f],
            block: vec![0.0; 6 * f],
            b: vec![0.0; n * f],
            mb: vec![0.0; n * f],
            c: vec![0.0; n],
            a: vec![0.0; others * f],
            matrix: vec![0.0; f * f],
            factor: Crout::new(f),
            inverse: vec![0.0; others * f],
            gram: vec![0.0; others * others],
            closing: Gaussian::new(others, others, 0),
            mu: vec![0.0; others],
            step: vec![0.0; others],
            rhs: vec![0.0; size],
            forces: vec![0.0; n],
            space,
        })
    }

    /// B and c at a state.
    fn transform(&mut self, q: &[f64], v: &[f64]) {
        self.space.to_joint(q, v, &mut self.theta, &mut self.rates);
        let f = self.rates.len();
        let (model, bodies) = (self.space.model(), self.space.bodies());
        for (i, (&body, &centre)) in bodies.iter().zip(&self.centres).enumerate() {
            jacobian(model, &mut self.workspace, &self.theta, body, centre, &mut self.block);
            if self.planar {
                // the rows of ẋ, ẏ and of ω about z
                for (k, row) in [3, 4, 2].into_iter().enumerate() {
                    self.b[(3 * i + k) * f..(3 * i + k + 1) * f]
                        .copy_from_slice(&self.block[row * f..(row + 1) * f]);
                }
            } else {
                let rotation = rotation_of(q, i);
                for column in 0..f {
                    let at = |row: usize| self.block[row * f + column];
                    let omega = rotation.transpose_mul(Vec3::new(at(0), at(1), at(2)));
                    let entries = [omega.x, omega.y, omega.z, at(3), at(4), at(5)];
                    for (k, entry) in entries.into_iter().enumerate() {
                        self.b[(6 * i + k) * f + column] = entry;
                    }
                }
            }
        }
        self.space.accelerations(&self.theta, &self.rates, &self.zero, &mut self.c);
    }
}

impl Formulation for VelocityTransformation {
    fn method(&self) -> Method {
        Method::VelocityTransformation
    }

    fn solve(
        &mut self,
        equations: &Equations<'_>,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<Outcome, FormulationError> {
        let method = Method::VelocityTransformation;
        let Some(state) = equations.state else {
            return Err(FormulationError::NeedsModel { method });
        };
        self.transform(state.q, state.v);
        let (n, f) = (qdd.len(), self.rates.len());
        let pattern = equations.pattern;
        // M B and Q − M c
        self.mb.fill(0.0);
        self.forces.copy_from_slice(equations.force);
        for (row, column, value) in pattern.mass_entries() {
            let m = equations.mass[value];
            let mut add = |i: usize, j: usize| {
                for k in 0..f {
                    self.mb[i * f + k] = m.mul_add(self.b[j * f + k], self.mb[i * f + k]);
                }
                self.forces[i] -= m * self.c[j];
            };
            add(row, column);
            if row != column {
                add(column, row);
            }
        }
        // A and γ' − Φ'_q c
        self.a.fill(0.0);
        for (row, place) in self.place.iter().enumerate() {
            if let Some(at) = place {
                self.rhs[f + at] = equations.gamma[row];
            }
        }
        for (row, column, value) in pattern.jacobian_entries() {
            let Some(at) = self.place[row] else { continue };
            let j = equations.jacobian[value];
            for k in 0..f {
                self.a[at * f + k] = j.mul_add(self.b[column * f + k], self.a[at * f + k]);
            }
            self.rhs[f + at] -= j * self.c[column];
        }
        // Bᵀ M B and Bᵀ (Q − M c)
        self.matrix.fill(0.0);
        self.rhs[..f].fill(0.0);
        for i in 0..n {
            let (b, mb) = (&self.b[i * f..(i + 1) * f], &self.mb[i * f..(i + 1) * f]);
            for row in 0..f {
                for column in 0..f {
                    self.matrix[row * f + column] =
                        b[row].mul_add(mb[column], self.matrix[row * f + column]);
                }
                self.rhs[row] = b[row].mul_add(self.forces[i], self.rhs[row]);
            }
        }
        let factored = self.factor.factorize(&self.matrix, Pivoting::None, INERTIA_TOLERANCE);
        if let Err(error) = factored {
            let LinearError::Singular { rank: positive, .. } = error else {
                return Err(FormulationError::NotFinite { array: "jacobian", index: 0 });
            };
            return Err(FormulationError::MotionWithoutInertia { method, dimension: f, positive });
        }
        let others = self.others;
        let mut rank = n - f;
        if others > 0 {
            // A M̂⁻¹ Aᵀ
            self.inverse.copy_from_slice(&self.a);
            self.inverse.chunks_exact_mut(f).for_each(|row| self.factor.solve(row));
            for i in 0..others {
                let row = &self.a[i * f..(i + 1) * f];
                for j in 0..others {
                    self.gram[i * others + j] = dot(row, &self.inverse[j * f..(j + 1) * f]);
                }
            }
            let tolerance = gram_tolerance(self.check.rank_tolerance(equations));
            rank += self
                .closing
                .eliminate(&self.gram, &[], Pivoting::Full, tolerance)
                .map_err(|_| FormulationError::NotFinite { array: "jacobian", index: 0 })?;
        }
        self.mu.fill(0.0);
        self.close();
        self.spread(qdd);
        // once more with what is left: Bᵀ (Q − M v̇) − Aᵀ μ and γ' − Φ'_q v̇
        self.rest(equations, qdd);
        self.close();
        for (i, qdd) in qdd.iter_mut().enumerate() {
            *qdd += dot(&self.b[i * f..(i + 1) * f], &self.rhs[..f]);
        }
        self.multipliers.solve(equations, self.check.rank_tolerance(equations), qdd, lambda)?;
        self.check.check(equations, qdd, lambda, method, ROWS_HOLD_TO)?;
        Ok(Outcome { rank: Some(rank) })
    }
}

impl VelocityTransformation {
    /// Solves for θ̈, in place of its right-hand side, and adds the multipliers to μ.
    fn close(&mut self) {
        let f = self.rates.len();
        let (joint, demanded) = self.rhs.split_at_mut(f);
        self.factor.solve(joint);
        if self.others == 0 {
            return;
        }
        // (A M̂⁻¹ Aᵀ) μ = A M̂⁻¹ Q̂ − (γ' − Φ'_q c), of the rows that do not depend on others
        let independent = self.closing.independent_rows();
        let step = &mut self.step[..independent.len()];
        for (step, &row) in step.iter_mut().zip(independent) {
            *step = dot(&self.a[row * f..(row + 1) * f], joint) - demanded[row];
        }
        self.closing.solve_dependent(step);
        for (&row, step) in self.closing.dependent().iter().zip(&*step) {
            self.mu[row] += step;
            let inverse = &self.inverse[row * f..(row + 1) * f];
            joint.iter_mut().zip(inverse).for_each(|(x, a)| *x -= step * a);
        }
    }

    /// `v̇ = B θ̈ + c`
    fn spread(&self, qdd: &mut [f64]) {
        let f = self.rates.len();
        for (i, qdd) in qdd.iter_mut().enumerate() {
            *qdd = self.c[i] + dot(&self.b[i * f..(i + 1) * f], &self.rhs[..f]);
        }
    }

    /// What accelerations leave of both right-hand sides.
    fn rest(&mut self, equations: &Equations<'_>, qdd: &[f64]) {
        let f = self.rates.len();
        self.forces.copy_from_slice(equations.force);
        for (row, column, value) in equations.pattern.mass_entries() {
            let m = equations.mass[value];
            self.forces[row] -= m * qdd[column];
            if row != column {
                self.forces[column] -= m * qdd[row];
            }
        }
        self.rhs[..f].fill(0.0);
        for (i, force) in self.forces.iter().enumerate() {
            let row = &self.b[i * f..(i + 1) * f];
            self.rhs[..f].iter_mut().zip(row).for_each(|(x, b)| *x = b.mul_add(*force, *x));
        }
        for (at, mu) in self.mu.iter().enumerate() {
            let row = &self.a[at * f..(at + 1) * f];
            self.rhs[..f].iter_mut().zip(row).for_each(|(x, a)| *x -= mu * a);
        }
        for (row, place) in self.place.iter().enumerate() {
            if let Some(at) = place {
                self.rhs[f + at] = equations.gamma[row];
            }
        }
        for (row, column, value) in equations.pattern.jacobian_entries() {
            if let Some(at) = self.place[row] {
                self.rhs[f + at] -= equations.jacobian[value] * qdd[column];
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}
