//! Algorithm K-II: drivers appended to the constraints.
//!
//! With as many drivers as motions are free, \[Nik88, section 3.2.2\]
//!
//! ```text
//! Φ(q, t) = 0      Φ_q v = ν      Φ_q v̇ = γ
//! ```
//!
//! have one solution each: the first by Newton's method, from a prediction with the velocities and
//! accelerations of the time before, the others by the same sparse factor. Redundant constraints do
//! no harm.

use super::correct::{Corrector, magnitudes, multiply, open_rows};
use super::error::Quantity;
use super::{AssembleOptions, Assembler, KinematicsError, SingularPosition};
use crate::{Evaluation, System};

/// Position, velocity and acceleration at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionSample {
    /// s.
    pub time: f64,
    /// Coordinates of the [`System`].
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Their time derivatives.
    pub a: Vec<f64>,
    /// Iterations for the position.
    pub iterations: usize,
    /// Largest residuals of Φ, `Φ_q v − ν` and `Φ_q v̇ − γ`.
    pub residuals: [f64; 3],
    /// The least singular value of Φ_q relative to the largest, estimated: small near a singular
    /// position.
    pub determinacy: f64,
}

/// Motion of a mechanism whose drivers prescribe all that is free.
#[derive(Clone, Debug)]
pub struct DrivenMotion<'a> {
    system: &'a System<f64>,
    assembler: Assembler,
    corrector: Corrector,
    evaluation: Evaluation<f64>,
    options: AssembleOptions,
    product: Vec<f64>,
    sizes: Vec<f64>,
}

/// Most steps of Newton's method before an assembly is tried.
const STEPS: usize = 12;
/// Rows of rates may be off by this part of their terms.
const CONSISTENT: f64 = 1e-9;

impl<'a> DrivenMotion<'a> {
    /// Memory for a system.
    ///
    /// # Errors
    /// [`KinematicsError::Kkt`] if the system is too large.
    pub fn new(system: &'a System<f64>) -> Result<Self, KinematicsError> {
        Ok(DrivenMotion {
            system,
            assembler: Assembler::new(system)?,
            corrector: Corrector::new(system),
            evaluation: Evaluation::new(system),
            options: AssembleOptions::default(),
            product: vec![0.0; system.rows()],
            sizes: vec![0.0; system.rows()],
        })
    }

    /// Position, velocity and acceleration at a time, from a position nearby.
    ///
    /// # Errors
    /// [`KinematicsError::NotDriven`] if motions are left free, [`KinematicsError::Singular`] if
    /// that is so at this position only, [`KinematicsError::CannotAssemble`],
    /// [`KinematicsError::Contradiction`] if drivers or redundant constraints contradict each other.
    ///
    /// # Panics
    /// If `near` has another length than [`System::nq`].
    pub fn at(&mut self, time: f64, near: &[f64]) -> Result<MotionSample, KinematicsError> {
        let mut sample = MotionSample {
            time,
            q: near.to_vec(),
            v: vec![0.0; self.system.nv()],
            a: vec![0.0; self.system.nv()],
            ..MotionSample::default()
        };
        sample.iterations = self.position(time, &mut sample.q)?;
        self.rates(&mut sample)?;
        self.system.track(&mut self.evaluation);
        self.assembler.count_turns_as(&self.evaluation);
        Ok(sample)
    }

    /// The motion at several times, in order, from a position near the first.
    ///
    /// Each position is predicted from the one before. Returns the singular positions on the way
    /// ([`singular_positions`](Self::singular_positions)).
    ///
    /// # Arguments
    /// - `samples` **out**: one a time is appended; those before an error stay
    /// - `progress` is told the number of samples that are done
    ///
    /// # Errors
    /// As [`at`](Self::at): at the first time at which there is no answer.
    ///
    /// # Panics
    /// As [`at`](Self::at).
    pub fn motion(
        &mut self,
        times: &[f64],
        start: &[f64],
        samples: &mut Vec<MotionSample>,
        mut progress: impl FnMut(usize),
    ) -> Result<Vec<SingularPosition>, KinematicsError> {
        let first = samples.len();
        for (k, &time) in times.iter().enumerate() {
            let near = match samples[first..].last() {
                Some(last) => self.predict(last, time),
                None => start.to_vec(),
            };
            samples.push(self.at(time, &near)?);
            progress(k + 1);
        }
        self.singular_positions(&samples[first..])
    }

    /// `q + h v + h²/2 v̇`
    pub(super) fn predict(&self, from: &MotionSample, time: f64) -> Vec<f64> {
        let h = time - from.time;
        let displacement: Vec<f64> =
            from.v.iter().zip(&from.a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
        let mut q = from.q.clone();
        self.system.displace(&mut q, &displacement);
        q
    }

    /// Newton's method with the least change; where it fails, an assembly.
    fn position(&mut self, time: f64, q: &mut [f64]) -> Result<usize, KinematicsError> {
        if let Some(index) = q.iter().position(|x| !x.is_finite()) {
            return Err(KinematicsError::NotFinite { what: "q", index });
        }
        let rest = vec![0.0; self.system.nv()];
        let mut change = vec![0.0; self.system.nv()];
        let start = q.to_vec();
        let mut before = f64::INFINITY;
        for step in 0..STEPS {
            self.system.evaluate(time, q, &rest, &mut self.evaluation);
            let phi = self.evaluation.phi();
            let residual = phi.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let position = q.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let rounded = residual <= 8.0 * f64::EPSILON * position;
            let settled = residual <= self.options.tolerance && residual > 0.25 * before;
            if rounded || settled {
                // a reversed axis is left to the assembler to name
                if self.system.reversed_joint(&self.evaluation).is_none() {
                    return Ok(step);
                }
                break;
            }
            let nearer = residual < 2.0 * before;
            if !nearer {
                break;
            }
            before = residual;
            self.product.iter_mut().zip(phi).for_each(|(to, phi)| *to = -phi);
            let mut jacobian = self.evaluation.jacobian().to_vec();
            self.system.clear_nonholonomic(&mut jacobian);
            self.corrector.solve(self.system, &jacobian, None, &self.product, &mut change)?;
            self.system.displace(q, &change);
        }
        q.copy_from_slice(&start);
        let found = self.assembler.assemble(self.system, time, q, &self.options)?;
        Ok(STEPS + found.iterations)
    }

    /// Velocities and accelerations at the sample's position.
    fn rates(&mut self, sample: &mut MotionSample) -> Result<(), KinematicsError> {
        let DrivenMotion { system, corrector, evaluation, product, sizes, .. } = self;
        let (system, time) = (*system, sample.time);
        system.evaluate(time, &sample.q, &sample.v, evaluation);
        sample.residuals[0] = largest(evaluation.phi());
        // rows and their numbers are those of the position
        let jacobian = evaluation.jacobian().to_vec();
        let mut check = |demanded: &[f64], found: &[f64], what| {
            multiply(system, &jacobian, found, product);
            magnitudes(system, &jacobian, found, sizes);
            product.iter_mut().zip(demanded).for_each(|(product, demanded)| *product -= demanded);
            let scale = largest(sizes).max(largest(demanded));
            let open = open_rows(system, product, |_| CONSISTENT * scale);
            if open.is_empty() {
                return Ok(largest(product));
            }
            Err(KinematicsError::Contradiction { time, what, open })
        };
        let rank = corrector.at(system, &jacobian, |corrections| {
            let rank = corrections.rank();
            if rank < system.nv() {
                return Ok(rank);
            }
            corrections.solve(None, evaluation.nu(), &mut sample.v)?;
            sample.residuals[1] = check(evaluation.nu(), &sample.v, Quantity::Velocities)?;
            system.evaluate(time, &sample.q, &sample.v, evaluation);
            corrections.solve(None, evaluation.gamma(), &mut sample.a)?;
            sample.residuals[2] = check(evaluation.gamma(), &sample.a, Quantity::Accelerations)?;
            sample.determinacy = corrections.determinacy()?;
            Ok::<_, KinematicsError>(rank)
        })?;
        if rank < system.nv() {
            return Err(self.undetermined(time, &sample.q, rank)?);
        }
        Ok(())
    }

    /// Whether motions are free everywhere or at this position only.
    fn undetermined(
        &mut self,
        time: f64,
        q: &[f64],
        rank: usize,
    ) -> Result<KinematicsError, KinematicsError> {
        let system = self.system;
        // somewhere nearby, off the position in all coordinates
        let mut nearby = q.to_vec();
        let shift: Vec<f64> =
            (0..system.nv()).map(|k| 1e-3 * ((k * 7 + 3) % 11) as f64 - 5e-3).collect();
        system.displace(&mut nearby, &shift);
        let _ = self.assembler.assemble(system, time, &mut nearby, &self.options);
        let here = super::mobility(system, time, q)?;
        let there = super::mobility(system, time, &nearby)?;
        if there.degrees_of_freedom == 0 && here.degrees_of_freedom > 0 {
            let names = here.redundant.into_iter().map(|r| r.name).collect();
            return Ok(KinematicsError::Singular { time, names });
        }
        let velocities = system.nv();
        Ok(KinematicsError::NotDriven { degrees_of_freedom: velocities - rank, rank, velocities })
    }

    /// Counts the turns of joints in space along some samples, from turn zero.
    pub(super) fn count_turns(&mut self, samples: &[MotionSample]) {
        self.evaluation = Evaluation::new(self.system);
        for sample in samples {
            self.system.evaluate(sample.time, &sample.q, &sample.v, &mut self.evaluation);
            self.system.track(&mut self.evaluation);
        }
        self.assembler.count_turns_as(&self.evaluation);
    }
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}
