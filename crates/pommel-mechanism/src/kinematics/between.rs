//! From one position of a driven motion to the next.
//!
//! Positions are predicted from velocities and accelerations. That suffices where Φ determines them: they
//! are corrected. What rolling leaves free of them is known by its velocities only, and is integrated with
//! the derivatives at both ends, to fourth order in the step. Turns in space are the exponential of
//!
//! ```text
//! Ω = h/2 (ω₀ + ω₁) + h²/12 (ω̇₀ − ω̇₁ + ω₀ × ω₁)
//! ```
//!
//! in axes of the body, the first two terms of Magnus' series \[IN99\].
//!
//! Source: \[IN99\] A. Iserles, S. P. Nørsett, *On the solution of linear differential equations in Lie
//! groups*, Phil. Trans. R. Soc. A 357 (1999).

use pommel_math::Vec3;

use super::{DrivenMotion, KinematicsError, MotionSample};
use crate::System;

/// Most rounds of positions from velocities, and of velocities at them.
const ROUNDS: usize = 20;
/// No prediction turns farther than twice that, rad.
const LARGEST_HALF: f64 = 1.0;
/// Positions stand still if they move by less than this, rad and typical lengths.
const STILL: f64 = 1e-13;

/// `q + h v + h²/2 v̇`
pub(super) fn predict(system: &System<f64>, from: &MotionSample, time: f64) -> Vec<f64> {
    let h = time - from.time;
    let displacement: Vec<f64> =
        from.v.iter().zip(&from.a).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
    displaced(system, from, displacement)
}

/// `q + h/2 (v₀ + v₁) + h²/12 (v̇₀ − v̇₁)`, with turns as in the head of this file.
fn between(system: &System<f64>, from: &MotionSample, to: &MotionSample) -> Vec<f64> {
    let h = to.time - from.time;
    let share = h * h / 12.0;
    let ends = from.v.iter().zip(&to.v).zip(from.a.iter().zip(&to.a));
    let mut displacement: Vec<f64> =
        ends.map(|((v0, v1), (a0, a1))| 0.5 * h * (v0 + v1) + share * (a0 - a1)).collect();
    if !system.is_planar() {
        let bodies = from.v.chunks(6).zip(to.v.chunks(6));
        for (to, (v0, v1)) in displacement.chunks_mut(6).zip(bodies) {
            let turn =
                Vec3::from_slice(to) + Vec3::from_slice(v0).cross(Vec3::from_slice(v1)) * share;
            to[..3].copy_from_slice(&turn.to_array());
        }
    }
    displaced(system, from, displacement)
}

/// The position at a displacement, whose turns in space are rotation vectors.
fn displaced(system: &System<f64>, from: &MotionSample, mut displacement: Vec<f64>) -> Vec<f64> {
    if !system.is_planar() {
        for body in displacement.chunks_mut(6) {
            // displacements turn by 2 atan(|d|/2)
            let half = (0.5 * Vec3::from_slice(body).norm()).min(LARGEST_HALF);
            let scale = if half > 0.0 { half.tan() / half } else { 1.0 };
            body[..3].iter_mut().for_each(|x| *x *= scale);
        }
    }
    let mut q = from.q.clone();
    system.displace(&mut q, &displacement);
    q
}

impl DrivenMotion<'_> {
    /// The sample again, with what rows without Φ leave free integrated from the one before.
    pub(super) fn integrate(
        &mut self,
        from: &MotionSample,
        mut to: MotionSample,
        turns: &[f64],
    ) -> Result<MotionSample, KinematicsError> {
        for _ in 0..ROUNDS {
            let near = between(self.system, from, &to);
            self.set_turns_between(turns);
            let next = self.at(to.time, &near)?;
            let moved = self.distance(&to.q, &next.q);
            to = MotionSample { iterations: to.iterations + next.iterations, ..next };
            if moved <= STILL {
                return Ok(to);
            }
        }
        Err(KinematicsError::Unresolved { time: to.time })
    }

    /// How far apart two positions are, the farthest body: turns in rad, displacements by the
    /// typical length.
    pub(super) fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let width = self.system.coordinates_per_body();
        let length = self.length;
        let of = |(a, b): (&[f64], &[f64])| {
            let part = |range: std::ops::Range<usize>, sign: f64| {
                let squares = a[range.clone()].iter().zip(&b[range]);
                squares.map(|(a, b)| (a - sign * b).powi(2)).sum::<f64>().sqrt()
            };
            if width == 3 {
                (part(0..2, 1.0) / length).max((a[2] - b[2]).abs())
            } else {
                // a quaternion and its negative are one orientation
                (part(0..3, 1.0) / length).max(2.0 * part(3..7, 1.0).min(part(3..7, -1.0)))
            }
        };
        a.chunks(width).zip(b.chunks(width)).map(of).fold(0.0, f64::max)
    }
}
