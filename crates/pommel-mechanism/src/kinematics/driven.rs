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
//! no harm. Rows that constrain velocities only, as rolling does, have no Φ: what they leave free of
//! positions is integrated from one time to the next, to about nine digits of a radian.

use super::correct::{self, Corrector, magnitudes, multiply, open_rows};
use super::error::Quantity;
use super::rounding::reach;
use super::{AssembleOptions, Assembler, KinematicsError, SingularPosition, between};
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
    /// Angles of joints in space with their full turns ([`Evaluation::turns`]).
    pub turns: Vec<f64>,
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
    pub(super) system: &'a System<f64>,
    assembler: Assembler,
    pub(super) corrector: Corrector,
    pub(super) evaluation: Evaluation<f64>,
    options: AssembleOptions,
    product: Vec<f64>,
    sizes: Vec<f64>,
    pub(super) length: f64,
    /// whether there are rows without Φ
    rolls: bool,
    /// whether rates may be undetermined: where only the determinacy is asked for
    pub(super) any_rates: bool,
}

/// Most steps of Newton's method before an assembly is tried.
const STEPS: usize = 12;
/// No body turns farther from one position to the next, rad: relative angles stay within half a turn.
const TURN: f64 = 1.0;
/// Positions may be that far from where they were predicted, rad and typical lengths.
const NEAR: f64 = 0.2;
/// The same where wheels roll. What is predicted is off by `h³/6` of a third derivative, what is integrated
/// by `h⁵/720` of a fifth: of turns `sin t`, by 1e-10 in a unit of time.
const NEAR_ROLLING: f64 = 1e-6;
/// Most positions between two samples.
const BETWEEN: usize = 1000;
/// The same where wheels roll.
const BETWEEN_ROLLING: usize = 10_000_000;
/// The same where a singular position is sought between two samples.
const BETWEEN_PROBES: usize = 20;
/// Determinacy σ below which it is looked at what rounding of the position does to the rates: above, ε/σ³
/// is less than 1e-6 of them, if the position is closed to rounding.
const DOUBTFUL: f64 = 1e-3;
/// Rates that rounding of the position changes by more than this part are not determined.
const UNDETERMINED: f64 = 1e-4;
/// Where drivers may ask for a position that is not singular, s and parts of the time.
const ELSEWHERE: [f64; 5] = [0.0, 1e-3, -1e-3, 1e-2, -1e-2];
/// Rows of rates may be off by this part of their terms.
const CONSISTENT: f64 = 1e-9;

impl<'a> DrivenMotion<'a> {
    /// Memory for a system.
    ///
    /// # Errors
    /// [`KinematicsError::Kkt`] if the system is too large.
    pub fn new(system: &'a System<f64>) -> Result<Self, KinematicsError> {
        let evaluation = Evaluation::new(system);
        Ok(DrivenMotion {
            system,
            assembler: Assembler::new(system)?,
            corrector: Corrector::new(system),
            length: system.typical_length(),
            rolls: system.constraints().iter().any(|c| !c.nonholonomic.is_empty()),
            any_rates: false,
            evaluation,
            options: AssembleOptions::default(),
            product: vec![0.0; system.rows()],
            sizes: vec![0.0; system.rows()],
        })
    }

    /// Takes over turns of joints in space ([`Evaluation::turns`]) at the start; they are zero
    /// otherwise.
    ///
    /// # Panics
    /// If there are more or fewer of them than the system tracks.
    pub fn set_turns(&mut self, turns: &[f64]) {
        self.set_turns_between(turns);
    }

    /// Goes on from other turns.
    pub(super) fn set_turns_between(&mut self, turns: &[f64]) {
        self.evaluation.set_turns(turns);
        self.assembler.set_turns(turns);
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
        self.assembler.set_turns(self.evaluation.turns());
        sample.turns = self.evaluation.turns().to_vec();
        Ok(sample)
    }

    /// The motion at several times, in order, from a position near the first.
    ///
    /// Each position is predicted from the one before, by way of positions between where bodies turn
    /// far. Returns the singular positions on the way
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
            let sample = match samples[first..].last() {
                Some(last) => self.advance(last, time)?,
                None => self.at(time, start)?,
            };
            samples.push(sample);
            progress(k + 1);
        }
        self.singular_positions(&samples[first..])
    }

    /// The sample at a time after another, by so many between that bodies turn little from one to
    /// the next and each is found near where it was predicted: else a mechanism might change its
    /// assembly unseen.
    pub(super) fn advance(
        &mut self,
        last: &MotionSample,
        time: f64,
    ) -> Result<MotionSample, KinematicsError> {
        if !time.is_finite() {
            return Err(KinematicsError::NotFinite { what: "time", index: 0 });
        }
        // what rolls is known as well as the steps are short
        let most = match (self.rolls, self.any_rates) {
            (true, _) => BETWEEN_ROLLING,
            (false, true) => BETWEEN_PROBES,
            (false, false) => BETWEEN,
        };
        let least = (time - last.time).abs() / most as f64;
        let least = least.min(TURN / self.fastest_turn(&last.v));
        let mut from = last.clone();
        let mut limit = f64::INFINITY;
        loop {
            let rest = time - from.time;
            let step = rest.abs().min(limit).min(TURN / self.fastest_turn(&from.v)).max(least);
            let arrives = step >= rest.abs();
            let to = if arrives { time } else { from.time + step.copysign(rest) };
            let near = between::predict(self.system, &from, to);
            let turns = self.evaluation.turns().to_vec();
            let mut found = self.at(to, &near);
            let mut far = match &found {
                Ok(sample) => sample.iterations >= STEPS || self.distance(&near, &sample.q) > NEAR,
                Err(_) => true,
            };
            if self.rolls
                && !far
                && let Ok(sample) = &found
            {
                found = self.integrate(&from, sample.clone(), &turns);
                far = found.as_ref().map_or(true, |to| self.distance(&near, &to.q) > NEAR_ROLLING);
            }
            if far && step > least {
                limit = 0.5 * step;
                self.set_turns_between(&turns);
                continue;
            }
            let sample = found?;
            if far && self.rolls {
                return Err(KinematicsError::Unresolved { time: to });
            }
            if arrives {
                return Ok(sample);
            }
            limit = 2.0 * step;
            from = sample;
        }
    }

    /// The largest angular velocity of a body, rad/s.
    fn fastest_turn(&self, v: &[f64]) -> f64 {
        let width = self.system.velocities_per_body();
        let of = |body: &[f64]| match body {
            [_, _, spin] => spin.abs(),
            _ => body[..3].iter().map(|w| w * w).sum::<f64>().sqrt(),
        };
        v.chunks(width).fold(0.0_f64, |most, body| most.max(of(body)))
    }

    /// Newton's method with the least change; where it fails, an assembly.
    fn position(&mut self, time: f64, q: &mut [f64]) -> Result<usize, KinematicsError> {
        if !time.is_finite() {
            return Err(KinematicsError::NotFinite { what: "time", index: 0 });
        }
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
            let residual = largest(phi);
            let rounded = residual <= 8.0 * f64::EPSILON * reach(self.system, self.length, q);
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
        let time = sample.time;
        let solved = self.solve_rates(sample);
        if let Ok(rank) = solved
            && rank < self.system.nv()
        {
            return Err(self.undetermined(time, &sample.q, rank)?);
        }
        let contradicts = matches!(solved, Err(KinematicsError::Contradiction { .. }));
        if (contradicts || solved.is_ok() && !self.any_rates)
            && sample.determinacy < DOUBTFUL
            && self.uncertainty(sample)? > UNDETERMINED
        {
            // the position is known to rounding, and so near a singular one that this decides
            return Err(self.singular(time, &sample.q)?);
        }
        solved.map(|_| ())
    }

    /// Velocities and accelerations, if the rank, which it returns, is full.
    fn solve_rates(&mut self, sample: &mut MotionSample) -> Result<usize, KinematicsError> {
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
        corrector.at(system, &jacobian, |corrections| {
            let rank = corrections.rank();
            if rank < system.nv() {
                return Ok(rank);
            }
            // more than there are unknowns: rounding passes for rows
            let believable = rank == system.nv();
            sample.determinacy = if believable { corrections.determinacy()? } else { 0.0 };
            let improves = corrections.left_out() > 0 && sample.determinacy < correct::DOUBTFUL;
            corrections.solve(None, evaluation.nu(), &mut sample.v)?;
            if improves {
                corrections.improve(evaluation.nu(), &mut sample.v)?;
            }
            sample.residuals[1] = check(evaluation.nu(), &sample.v, Quantity::Velocities)?;
            system.evaluate(time, &sample.q, &sample.v, evaluation);
            corrections.solve(None, evaluation.gamma(), &mut sample.a)?;
            if improves {
                corrections.improve(evaluation.gamma(), &mut sample.a)?;
            }
            sample.residuals[2] = check(evaluation.gamma(), &sample.a, Quantity::Accelerations)?;
            Ok(rank)
        })
    }

    /// A position where rows are independent by rounding only.
    fn singular(&mut self, time: f64, q: &[f64]) -> Result<KinematicsError, KinematicsError> {
        let found = super::mobility_with_turns(self.system, time, q, self.evaluation.turns())?;
        let names = found.redundant.into_iter().map(|r| r.name).collect();
        Ok(KinematicsError::Singular { time, names })
    }

    /// Whether motions are free everywhere or at this position only.
    fn undetermined(
        &mut self,
        time: f64,
        q: &[f64],
        rank: usize,
    ) -> Result<KinematicsError, KinematicsError> {
        let system = self.system;
        let turns = self.evaluation.turns().to_vec();
        let here = super::mobility_with_turns(system, time, q, &turns)?;
        let shift: Vec<f64> =
            (0..system.nv()).map(|k| 1e-3 * ((k * 7 + 3) % 11) as f64 - 5e-3).collect();
        // somewhere nearby, off the position in all coordinates; drivers may hold it at this time
        for later in ELSEWHERE {
            let mut nearby = q.to_vec();
            system.displace(&mut nearby, &shift);
            self.assembler.set_turns(&turns);
            let later = time + later * (1.0 + time.abs());
            let found = self.assembler.assemble(system, later, &mut nearby, &self.options);
            // two orders of elimination that differ about a position also make it singular
            if (found.is_ok() || later == time)
                && super::mobility_with_turns(system, later, &nearby, &turns)?.degrees_of_freedom
                    == 0
            {
                let names = here.redundant.into_iter().map(|r| r.name).collect();
                return Ok(KinematicsError::Singular { time, names });
            }
        }
        let velocities = system.nv();
        Ok(KinematicsError::NotDriven { degrees_of_freedom: velocities - rank, rank, velocities })
    }
}

/// The largest size; NaN if one is.
pub(crate) fn largest(list: &[f64]) -> f64 {
    list.iter()
        .fold(0.0_f64, |m, x| if x.is_nan() || m.is_nan() { f64::NAN } else { m.max(x.abs()) })
}
