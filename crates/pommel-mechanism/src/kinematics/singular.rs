//! Singular positions on the way of a driven motion.
//!
//! Between two samples a mechanism may pass through a position where its velocities are not
//! determined. There the least singular value of Φ_q vanishes, so it has a minimum: where an
//! estimate of it dips, the dip is narrowed down by golden section.

use super::{DrivenMotion, KinematicsError, MotionSample};

/// A position where constraints and drivers do not determine the velocities.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularPosition {
    /// s.
    pub time: f64,
    /// The least singular value of Φ_q relative to the largest, estimated.
    pub determinacy: f64,
}

/// Below, a position counts as singular.
const SINGULAR: f64 = 1e-6;
/// A sample is looked at more closely if its determinacy is below this part of its neighbours'
/// larger one, or below 1e-3.
const DIP: f64 = 0.7;

impl DrivenMotion<'_> {
    /// Singular positions near dips of the determinacy of samples in order of time.
    ///
    /// # Errors
    /// [`KinematicsError`] if a position between two samples is not found for another reason.
    pub fn singular_positions(
        &mut self,
        samples: &[MotionSample],
    ) -> Result<Vec<SingularPosition>, KinematicsError> {
        let mut found: Vec<SingularPosition> = Vec::new();
        for k in 0..samples.len() {
            let here = samples[k].determinacy;
            let left = samples[k.saturating_sub(1)].determinacy;
            let right = samples[(k + 1).min(samples.len() - 1)].determinacy;
            let dips = here <= left && here <= right;
            if !dips || here > DIP * left.max(right) && here > 1e-3 {
                continue;
            }
            let (a, b) = (k.saturating_sub(1), (k + 1).min(samples.len() - 1));
            self.any_rates = true;
            let position = self.narrow(&samples[a], &samples[k], &samples[b]);
            self.any_rates = false;
            let position = position?;
            let far = found.last().is_none_or(|last| {
                (position.time - last.time).abs() > 1e-6 * (1.0 + position.time.abs())
            });
            if position.determinacy <= SINGULAR && far {
                found.push(position);
            }
        }
        Ok(found)
    }

    /// The least determinacy between two times.
    fn narrow(
        &mut self,
        from: &MotionSample,
        middle: &MotionSample,
        to: &MotionSample,
    ) -> Result<SingularPosition, KinematicsError> {
        let golden = 0.5 * (3.0 - 5.0_f64.sqrt());
        let (mut a, mut b) = (from.time, to.time);
        let mut best = SingularPosition { time: middle.time, determinacy: middle.determinacy };
        let mut at = |this: &mut Self, time: f64| -> Result<f64, KinematicsError> {
            let near = if time < middle.time { from } else { middle };
            // samples later on may be turns away
            if near.turns.len() == this.evaluation.turns().len() {
                this.set_turns_between(&near.turns);
            }
            let determinacy = match this.advance(near, time) {
                Ok(sample) => sample.determinacy,
                // so near that the rates are not found any more
                Err(
                    KinematicsError::Singular { .. }
                    | KinematicsError::Contradiction { .. }
                    | KinematicsError::NotDriven { .. },
                ) => 0.0,
                Err(other) => return Err(other),
            };
            if determinacy < best.determinacy {
                best = SingularPosition { time, determinacy };
            }
            Ok(determinacy)
        };
        let (mut x, mut y) = (a + golden * (b - a), b - golden * (b - a));
        let (mut fx, mut fy) = (at(self, x)?, at(self, y)?);
        for _ in 0..60 {
            // positions there are known to the root of rounding
            if (b - a).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs())) {
                break;
            }
            if fx < fy {
                (b, y, fy) = (y, x, fx);
                x = a + golden * (b - a);
                fx = at(self, x)?;
            } else {
                (a, x, fx) = (x, y, fy);
                y = b - golden * (b - a);
                fy = at(self, y)?;
            }
        }
        Ok(best)
    }
}
