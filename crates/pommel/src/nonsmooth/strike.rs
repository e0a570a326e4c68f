//! Impacts at one state.

use pommel_mechanism::impact::{ImpactError, Touching};
use pommel_mechanism::kinematics::{Metric, StateProjector};

use super::NonsmoothError;
use super::phase::At;
use super::state::MotionState;
use crate::Error;

/// What impacts did.
pub(super) struct Struck {
    /// of each gap that took an impulse the rates before the first and after the last
    pub(super) rates: Vec<Option<[f64; 2]>>,
    /// whether velocities jumped
    pub(super) any: bool,
}

/// Most impacts in a row at one time.
const ROUNDS: usize = 100;
/// Velocities that miss those of drivers by less than this part follow them.
const FOLLOWS: f64 = 1e-6;
/// Velocities below this part of the fastest are rounding, where turns are compared with displacements by the typical
/// length.
const ROUNDING: f64 = 1e-14;
/// Rates below this part of their terms do not close.
const CLOSES: f64 = 1e-11;

impl MotionState<'_> {
    /// Brings velocities to those of drivers that jump, by impulses of these; returns whether they did.
    ///
    /// # Errors
    /// [`NonsmoothError::Projection`].
    fn follow(&mut self, t: f64, q: &mut [f64], v: &mut [f64]) -> Result<bool, Error> {
        let system = self.dynamics.system();
        system.evaluate(t, q, v, &mut self.free);
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let limit = FOLLOWS * largest(v).max(largest(self.free.nu()));
        if system.velocity_residual(v, &self.free) <= limit {
            return Ok(false);
        }
        let mut projector = StateProjector::new(system, Metric::Mass);
        projector.set_turns(&self.phase.turns());
        let projected = projector.project(system, t, q, v);
        projected.map_err(|source| NonsmoothError::Projection { time: t, source })?;
        Ok(true)
    }

    /// Lets all that touches and closes collide, until nothing closes.
    ///
    /// # Errors
    /// [`NonsmoothError::Impact`], [`NonsmoothError::Impacts`].
    pub(super) fn collide(
        &mut self,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<Struck, Error> {
        let jolted = self.shown.kink && self.follow(t, q, v)?;
        let system = self.dynamics.system();
        let gaps = self.interactions().gaps().len();
        let mut struck: Vec<Option<[f64; 2]>> = vec![None; gaps];
        system.evaluate(t, q, v, &mut self.free);
        let touching: Vec<usize> = (0..gaps).filter(|&gap| self.touches(gap)).collect();
        let rows: Vec<Vec<f64>> = touching
            .iter()
            .map(|&gap| {
                let sign = self.interactions().gaps()[gap].sign;
                self.row(self.of_gap(gap)).into_iter().map(|x| sign * x).collect()
            })
            .collect();
        let noise: Vec<f64> = rows.iter().map(|row| self.rounding_rate(row, v)).collect();
        let mut rounds = 0;
        loop {
            // which close, and which open
            let rate = |row: &Vec<f64>| row.iter().zip(&*v).map(|(r, v)| r * v).sum::<f64>();
            let size =
                |row: &Vec<f64>| row.iter().zip(&*v).map(|(r, v)| (r * v).abs()).sum::<f64>();
            let closes = |k: usize| {
                // what an event has not shown is noise where the gap is closed already
                let sharp = self.shown.touching.contains(&touching[k]);
                let limit = if sharp && rounds == 0 {
                    0.0
                } else {
                    CLOSES.mul_add(size(&rows[k]), noise[k])
                };
                rate(&rows[k]) < -limit
                    && (rounds > 0 || sharp || jolted || !self.statuses.is_shut(touching[k]))
            };
            let closing: Vec<usize> = (0..touching.len()).filter(|&k| closes(k)).collect();
            if closing.is_empty() {
                break;
            }
            if rounds >= ROUNDS {
                let names = closing.iter().map(|&k| self.gap_name(touching[k])).collect();
                return Err(NonsmoothError::Impacts { time: t, rounds, names }.into());
            }
            let taking: Vec<usize> = (0..touching.len())
                .filter(|&k| rate(&rows[k]) <= CLOSES.mul_add(size(&rows[k]), noise[k]))
                .collect();
            let flat: Vec<f64> = taking.iter().flat_map(|&k| rows[k].iter().copied()).collect();
            let restitution: Vec<f64> = taking
                .iter()
                .map(|&k| {
                    let slow = rate(&rows[k]) >= -self.options.rest_speed;
                    if slow { 0.0 } else { self.interactions().gaps()[touching[k]].restitution }
                })
                .collect();
            let conditions = Touching { rows: &flat, restitution: &restitution };
            let hypothesis = self.options.restitution;
            let found = self.impacts.solve(system, &self.free, &conditions, hypothesis, v);
            let impact = found.map_err(|source| {
                let index = match source {
                    ImpactError::NoImpulse { index, .. }
                    | ImpactError::Restitution { index, .. } => Some(index),
                    _ => None,
                };
                let name = index.map(|index| self.gap_name(touching[taking[index]]));
                NonsmoothError::Impact { time: t, name, source }
            })?;
            for (i, &k) in taking.iter().enumerate() {
                let gap = touching[k];
                if impact.impulses[i] > 0.0 {
                    let first = struck[gap].map_or(impact.before[i], |[before, _]| before);
                    struck[gap] = Some([first, impact.after[i]]);
                }
            }
            rounds += 1;
        }
        self.place(At { t, q, v });
        Ok(Struck { rates: struck, any: jolted || rounds > 0 })
    }

    /// Whether a gap is zero at the state placed last.
    fn touches(&self, gap: usize) -> bool {
        self.statuses.is_shut(gap)
            || self.shown.touching.contains(&gap)
            || self.gap(gap)[0] <= self.touching_limit(gap)
    }

    pub(super) fn gap_name(&self, gap: usize) -> String {
        self.interactions().gaps()[gap].name.clone()
    }

    /// Below this a rate is at rest, beside velocities before and after an impact.
    pub(super) fn rest_rate(&self, index: usize, before: &[f64], after: &[f64]) -> f64 {
        let row = self.row(index);
        let terms = row.iter().zip(before.iter().zip(after));
        let terms = terms.map(|(r, (a, b))| r.abs() * a.abs().max(b.abs())).sum::<f64>();
        let noise = self.rounding_rate(&row, before).max(self.rounding_rate(&row, after));
        REST.mul_add(terms, noise)
    }

    /// What rounding of velocities makes of the rate of a row: its own terms may all be rounding of faster ones.
    fn rounding_rate(&self, row: &[f64], v: &[f64]) -> f64 {
        let scales = self.dynamics.system().scales();
        let fastest =
            v.iter().zip(scales).fold(0.0_f64, |most, (v, scale)| most.max((v * scale).abs()));
        let length: f64 = row.iter().zip(scales).map(|(r, scale)| (r / scale).abs()).sum();
        ROUNDING * fastest * length
    }
}

/// Rates below this part of their terms are at rest.
const REST: f64 = 1e-10;
