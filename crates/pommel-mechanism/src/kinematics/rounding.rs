//! What rounding of a position makes of velocities and accelerations there.
//!
//! Near singular positions it may be most of them: a position that is closed to ε is known to ε/σ there,
//! where σ is the least singular value of Φ_q, and its rates to ε/σ³. A small singular value alone does not
//! tell: long chains have some. So rates are found again where the position is moved by what it is known
//! to. Of some patterns of signs the one that changes most counts, as one may happen to leave the singular
//! direction alone.

use super::correct::{Corrector, row_scales, weights};
use super::driven::largest;
use super::{DrivenMotion, KinematicsError, MotionSample, VelocityProjector};
use crate::{Evaluation, System};

/// Starts of the patterns of signs.
const SEEDS: [f64; 3] = [0.5, 0.271_828, 0.618_034];
/// Rounding of positions, in units of ε.
const ROUNDINGS: f64 = 4.0;

/// By which part accelerations of a body change, at most, when the position does by what it is known to:
/// its residual, and rounding.
///
/// Velocities are projected onto the constraints of the moved position. Changes are taken relative to the
/// acceleration of the body, what turning makes of its velocity, what forces would give it alone, or
/// a thousandth of the largest of these of all bodies. At states that have drifted off the constraints
/// it is about the drift. Infinite if there are no accelerations at a moved position.
///
/// # Arguments
/// - `q`, `v`: a state, lengths [`System::nq`] and [`System::nv`]
/// - `turns`: of joints in space ([`Evaluation::turns`])
/// - `a`: accelerations at it, length [`System::nv`]
/// - `accelerations` finds them at another state, which was evaluated; `None` if there are none
///
/// # Errors
/// [`KinematicsError::NotFinite`], [`KinematicsError::Kkt`].
///
/// # Panics
/// If a slice has another length than stated.
pub fn sensitivity(
    system: &System<f64>,
    time: f64,
    (q, v): (&[f64], &[f64]),
    turns: &[f64],
    a: &[f64],
    mut accelerations: impl FnMut(&mut Evaluation<f64>, &[f64], &[f64]) -> Option<Vec<f64>>,
) -> Result<f64, KinematicsError> {
    for (what, list) in [("q", q), ("v", v), ("a", a)] {
        if let Some(index) = list.iter().position(|x| !x.is_finite()) {
            return Err(KinematicsError::NotFinite { what, index });
        }
    }
    let mut corrector = Corrector::new(system);
    let mut evaluation = Evaluation::new(system);
    let mut projector = VelocityProjector::new(system);
    let length = system.typical_length();
    let mut most = 0.0_f64;
    projector.set_turns(turns);
    system.evaluate(time, q, v, &mut evaluation);
    // rows that depend on others contradict each other by about the drift
    let drift = 10.0 * system.equations(&evaluation, (q, v)).rank_tolerance();
    for seed in SEEDS {
        evaluation.set_turns(turns);
        let near = moved(system, &mut corrector, &mut evaluation, (length, time), q, seed)?;
        let mut rates = v.to_vec();
        match projector.project_to(system, time, (&near, &mut rates), 0.0, drift) {
            Ok(_) => {}
            Err(KinematicsError::Contradiction { .. }) => return Ok(f64::INFINITY),
            Err(other) => return Err(other),
        }
        system.evaluate(time, &near, &rates, &mut evaluation);
        let Some(found) = accelerations(&mut evaluation, &near, &rates) else {
            return Ok(f64::INFINITY);
        };
        let alone = alone(system, length, evaluation.force());
        most = most.max(change(system, length, [v, a], [v, &found], Some(&alone)));
    }
    Ok(most)
}

/// A position moved by what another is known to, with a pattern of signs.
fn moved(
    system: &System<f64>,
    corrector: &mut Corrector,
    evaluation: &mut Evaluation<f64>,
    (length, time): (f64, f64),
    q: &[f64],
    mut seed: f64,
) -> Result<Vec<f64>, KinematicsError> {
    let rest = vec![0.0; system.nv()];
    system.evaluate(time, q, &rest, evaluation);
    let rounding = ROUNDINGS * f64::EPSILON * reach(system, length, q);
    let scales = row_scales(system, evaluation.jacobian(), &weights(system, length));
    let demand: Vec<f64> = (evaluation.phi().iter().zip(&scales))
        .map(|(phi, scale)| {
            seed = (seed * 997.0 + 0.123).fract();
            (phi.abs() + rounding / scale).copysign(seed - 0.5)
        })
        .collect();
    let mut shift = rest;
    let mut jacobian = evaluation.jacobian().to_vec();
    system.clear_nonholonomic(&mut jacobian);
    corrector.solve(system, &jacobian, None, &demand, &mut shift)?;
    let mut q = q.to_vec();
    system.displace(&mut q, &shift);
    Ok(q)
}

/// The largest coordinate of a mass centre, at least the typical length; m.
pub(super) fn reach(system: &System<f64>, length: f64, q: &[f64]) -> f64 {
    let width = system.coordinates_per_body();
    let places = q.chunks(width).flat_map(|body| &body[..if width == 3 { 2 } else { 3 }]);
    places.fold(length, |most, x| most.max(x.abs()))
}

/// What forces would give each body alone, m/s².
fn alone(system: &System<f64>, length: f64, force: &[f64]) -> Vec<f64> {
    let mut found: Vec<f64> = vec![0.0; system.nv()];
    for (row, column, value) in system.pattern().mass_entries() {
        let mass = system.mass()[value];
        if row == column && mass > 0.0 {
            found[row] = force[row] / mass;
        }
    }
    sizes(system, length, &found)
}

/// Sizes of what each body does, m/s and m/s².
fn sizes(system: &System<f64>, length: f64, list: &[f64]) -> Vec<f64> {
    let weights = weights(system, length);
    let squares: Vec<f64> = list.iter().zip(&weights).map(|(x, w)| x * x * w).collect();
    let bodies = squares.chunks(system.velocities_per_body());
    bodies.map(|body| body.iter().sum::<f64>().sqrt()).collect()
}

/// By which part velocities and accelerations of a body differ from others, at most; `alone` adds to the
/// sizes of accelerations.
fn change(
    system: &System<f64>,
    length: f64,
    [v, a]: [&[f64]; 2],
    [other_v, other_a]: [&[f64]; 2],
    alone: Option<&[f64]>,
) -> f64 {
    let sizes = |list: &[f64]| sizes(system, length, list);
    let differences =
        |x: &[f64], y: &[f64]| sizes(&x.iter().zip(y).map(|(x, y)| x - y).collect::<Vec<f64>>());
    let speeds = sizes(v);
    let alone = |body: usize| alone.map_or(0.0, |list| list[body]);
    let turning = sizes(a).into_iter().zip(&speeds).enumerate();
    let turning = turning.map(|(body, (a, v))| a + v * v / length + alone(body));
    let of_v = largest_part(&differences(v, other_v), &speeds);
    let of_a = largest_part(&differences(a, other_a), &turning.collect::<Vec<f64>>());
    of_v.max(of_a)
}

/// The largest ratio of a difference to a size, or to a thousandth of the largest where that is more; infinite
/// if a number is none.
fn largest_part(differences: &[f64], sizes: &[f64]) -> f64 {
    let least = 1e-3 * largest(sizes);
    let part = |(difference, size): (&f64, &f64)| match *difference {
        0.0 => 0.0,
        d => d / size.max(least),
    };
    let parts = differences.iter().zip(sizes).map(part);
    parts.fold(0.0, |most: f64, x| if x.is_nan() { f64::INFINITY } else { most.max(x) })
}

impl DrivenMotion<'_> {
    /// By which part the rates of a body change when the position does by what it is known to.
    pub(super) fn uncertainty(&mut self, sample: &MotionSample) -> Result<f64, KinematicsError> {
        let mut most = 0.0_f64;
        for seed in SEEDS {
            most = most.max(self.change_by_rounding(sample, seed)?);
        }
        Ok(most)
    }

    /// By which part the rates of a body change with one pattern of signs; infinite if there are none.
    fn change_by_rounding(
        &mut self,
        sample: &MotionSample,
        seed: f64,
    ) -> Result<f64, KinematicsError> {
        let DrivenMotion { system, corrector, evaluation, length, .. } = self;
        let (system, time) = (*system, sample.time);
        let q = moved(system, corrector, evaluation, (*length, time), &sample.q, seed)?;
        let rest = vec![0.0; system.nv()];
        let (mut v, mut a) = (rest.clone(), rest.clone());
        system.evaluate(time, &q, &rest, evaluation);
        let jacobian = evaluation.jacobian().to_vec();
        let is_full = corrector.at(system, &jacobian, |corrections| {
            if corrections.rank() != system.nv() {
                return Ok(false);
            }
            corrections.solve(None, evaluation.nu(), &mut v)?;
            corrections.improve(evaluation.nu(), &mut v)?;
            system.evaluate(time, &q, &v, evaluation);
            corrections.solve(None, evaluation.gamma(), &mut a)?;
            corrections.improve(evaluation.gamma(), &mut a)?;
            Ok::<_, KinematicsError>(true)
        })?;
        if !is_full {
            return Ok(f64::INFINITY);
        }
        Ok(change(system, *length, [&sample.v, &sample.a], [&v, &a], None))
    }
}
