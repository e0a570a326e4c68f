//! Algorithm K-I: coordinates that are known functions of time.
//!
//! With `k` coordinates `v` known, the others `u` follow from as many constraints
//! \[Nik88, eqs. 3.6, 3.8, 3.11\]:
//!
//! ```text
//! Φ(u, v) = 0      Φ_u u̇ = ν − Φ_v v̇      Φ_u ü = γ − Φ_v v̈
//! ```
//!
//! Dense, with the factors of [`Gaussian`]: for mechanisms of a few dozen bodies. For large ones, and
//! for drivers of relative coordinates, see [`DrivenMotion`](super::DrivenMotion).

use pommel_model::TimeFunction;

use super::correct::{multiply, open_rows};
use super::driven::largest;
use super::error::Quantity;
use super::{KinematicsError, MotionSample};
use crate::linear::{Gaussian, Pivoting};
use crate::{Evaluation, System};

/// A coordinate that is a known function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownCoordinate {
    /// Index in the coordinates of the system, which must be planar.
    pub index: usize,
    /// m or rad.
    pub motion: TimeFunction,
}

/// Motion of a planar mechanism some of whose coordinates are known.
#[derive(Clone, Debug)]
pub struct PartitionedMotion<'a> {
    system: &'a System<f64>,
    known: Vec<KnownCoordinate>,
    /// indices of the other coordinates
    unknown: Vec<usize>,
    elimination: Gaussian,
    evaluation: Evaluation<f64>,
}

/// Pivots of Φ_u below this part of the first count as zero.
const SINGULAR: f64 = 1e-8;
const STEPS: usize = 50;
const CLOSED: f64 = 1e-12;

impl<'a> PartitionedMotion<'a> {
    /// The motion of a system with known coordinates.
    ///
    /// # Errors
    /// [`KinematicsError::BadCoordinate`] if the system is not planar (quaternions are no
    /// coordinates to know one by one), if there is no such coordinate, or if it is given twice.
    pub fn new(
        system: &'a System<f64>,
        known: Vec<KnownCoordinate>,
    ) -> Result<Self, KinematicsError> {
        for (k, coordinate) in known.iter().enumerate() {
            let index = coordinate.index;
            let reason = if !system.is_planar() {
                "the mechanism is in space; drive joints instead"
            } else if index >= system.nq() {
                "there is no such coordinate"
            } else if known[..k].iter().any(|other| other.index == index) {
                "it is given twice"
            } else {
                continue;
            };
            return Err(KinematicsError::BadCoordinate { index, reason });
        }
        let unknown: Vec<usize> =
            (0..system.nq()).filter(|&i| known.iter().all(|k| k.index != i)).collect();
        Ok(PartitionedMotion {
            elimination: Gaussian::new(system.rows(), unknown.len(), 1),
            evaluation: Evaluation::new(system),
            system,
            known,
            unknown,
        })
    }

    /// Position, velocity and acceleration at a time, from a position nearby.
    ///
    /// # Errors
    /// [`KinematicsError::NotDriven`] if the known coordinates leave others undetermined,
    /// [`KinematicsError::CannotAssemble`], [`KinematicsError::Contradiction`].
    ///
    /// # Panics
    /// If `near` has another length than [`System::nq`].
    pub fn at(&mut self, time: f64, near: &[f64]) -> Result<MotionSample, KinematicsError> {
        let system = self.system;
        let n = system.nv();
        if !time.is_finite() {
            return Err(KinematicsError::NotFinite { what: "time", index: 0 });
        }
        if let Some(index) = near.iter().position(|x| !x.is_finite()) {
            return Err(KinematicsError::NotFinite { what: "q", index });
        }
        let mut sample = MotionSample {
            time,
            q: near.to_vec(),
            v: vec![0.0; n],
            a: vec![0.0; n],
            ..MotionSample::default()
        };
        let (mut q, mut v, mut a) = (near.to_vec(), vec![0.0; n], vec![0.0; n]);
        for known in &self.known {
            let [value, rate, acceleration] = known.motion.derivatives(time);
            (q[known.index], v[known.index], a[known.index]) = (value, rate, acceleration);
        }
        // Φ_u Δu = −Φ
        let known_rates = (v.clone(), a.clone());
        let mut change = vec![0.0; self.unknown.len()];
        let mut before = f64::INFINITY;
        loop {
            system.evaluate(time, &q, &v, &mut self.evaluation);
            let phi = self.evaluation.phi();
            let residual = largest(phi);
            sample.residuals[0] = residual;
            let position = q.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let rounded = residual <= 2.0 * f64::EPSILON * position;
            // closed, and as good as it gets
            if rounded || residual <= CLOSED && residual > 0.25 * before {
                break;
            }
            before = residual;
            if sample.iterations == STEPS || !residual.is_finite() {
                let open = open_rows(system, phi, |_| CLOSED);
                let iterations = sample.iterations;
                return Err(KinematicsError::CannotAssemble { time, iterations, open });
            }
            let side: Vec<f64> = phi.iter().map(|x| -x).collect();
            self.eliminate(time, &side)?;
            self.elimination.back_substitute(0, &mut change);
            for (&i, change) in self.unknown.iter().zip(&change) {
                q[i] += change;
            }
            sample.iterations += 1;
        }
        for (what, rates, known) in [
            (Quantity::Velocities, &mut v, known_rates.0),
            (Quantity::Accelerations, &mut a, known_rates.1),
        ] {
            // evaluated with velocities that are known by now
            let demanded = match what {
                Quantity::Velocities => self.evaluation.nu().to_vec(),
                Quantity::Accelerations => {
                    system.evaluate(time, &q, &sample.v, &mut self.evaluation);
                    self.evaluation.gamma().to_vec()
                }
            };
            let mut side = demanded;
            for (row, column, value) in system.pattern().jacobian_entries() {
                if self.known.iter().any(|k| k.index == column) {
                    side[row] -= self.evaluation.jacobian()[value] * known[column];
                }
            }
            let scale = side.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let rank = self.eliminate(time, &side)?;
            if rank < self.unknown.len() {
                let velocities = self.unknown.len();
                let degrees_of_freedom = velocities - rank;
                return Err(KinematicsError::NotDriven { degrees_of_freedom, rank, velocities });
            }
            if let Err(error) = self.elimination.check_consistent(0, 1e-8 * scale) {
                let crate::linear::LinearError::Contradiction { row, defect } = error else {
                    return Err(KinematicsError::Elimination { time, error });
                };
                let name = system.row_name(row);
                let open = vec![super::OpenRow { row, name, residual: defect }];
                return Err(KinematicsError::Contradiction { time, what, open });
            }
            self.elimination.back_substitute(0, &mut change);
            rates.copy_from_slice(&known);
            for (&i, change) in self.unknown.iter().zip(&change) {
                rates[i] = *change;
            }
            let left = match what {
                Quantity::Velocities => &mut sample.residuals[1],
                Quantity::Accelerations => &mut sample.residuals[2],
            };
            let demanded = match what {
                Quantity::Velocities => self.evaluation.nu(),
                Quantity::Accelerations => self.evaluation.gamma(),
            };
            let mut product = vec![0.0; system.rows()];
            multiply(system, self.evaluation.jacobian(), rates, &mut product);
            product.iter_mut().zip(demanded).for_each(|(product, demanded)| *product -= demanded);
            *left = largest(&product);
            if what == Quantity::Velocities {
                sample.v.copy_from_slice(rates);
            }
        }
        // with nothing unknown, all is determined
        sample.determinacy = match self.elimination.rank() {
            0 => 1.0,
            rank => (self.elimination.pivot(rank - 1) / self.elimination.pivot(0)).abs(),
        };
        (sample.q, sample.a) = (q, a);
        Ok(sample)
    }

    /// Eliminates `[Φ_u | side]`; returns the rank.
    fn eliminate(&mut self, time: f64, side: &[f64]) -> Result<usize, KinematicsError> {
        let columns = self.unknown.len();
        let mut place = vec![usize::MAX; self.system.nq()];
        for (k, &i) in self.unknown.iter().enumerate() {
            place[i] = k;
        }
        let mut dense = vec![0.0; self.system.rows() * columns];
        for (row, column, value) in self.system.pattern().jacobian_entries() {
            if place[column] != usize::MAX {
                dense[row * columns + place[column]] += self.evaluation.jacobian()[value];
            }
        }
        let eliminated = self.elimination.eliminate(&dense, side, Pivoting::Full, SINGULAR);
        eliminated.map_err(|error| KinematicsError::Elimination { time, error })
    }
}
