//! Singular positions on the way, passed in one step.
//!
//! Where Φ_q loses rank, velocities and accelerations are quotients of numbers that vanish together. With the least
//! singular value σ of Φ_q, a position that is off the constraints by e turns velocities by `e / σ²` and accelerations
//! by `e / σ³`: rounding is of no account at `σ = 0.01`, and all at `σ = 1e-5`. Early stages of a step are off by
//! `h²` or more, so that steps shrink with σ and pile up before such a position, although the motion passes it as
//! smoothly as any other: N four-bars in a row do whenever all bars lie flat.
//!
//! So a [`Bridge`] is built over it. Steps that shrink give the occasion to look at σ, measured by the least pivot of
//! Φ_q with rows of unit length: it vanishes as the distance in time does, `σ = |t − t*| / τ`, which tells t* and τ.
//! The bridge reaches from `t* − τ/4` to `t* + τ/4` (less if it does not hold) and looks at states whose distance from
//! t* is a tenth of that at least, on both sides, each brought onto the constraints before. Its nodes are the zeros of
//! Chebyshev's polynomial in `(t − t*)²`, the best ones for two intervals. It begins at a state of the way so far that
//! is not nearer than they are, and ends on the branch that continues the motion smoothly: accelerations there are
//! those of the one polynomial through both sides.
//!
//! Whether it holds is told by a second one with fewer nodes, which have other places: their ends must agree to the
//! tolerance of the steps. Where motions do not continue beyond a position (velocities grow without bound, or the
//! position beyond is out of reach), iterations do not converge or states beyond cannot be brought onto the
//! constraints, there is no bridge, and the integration goes on and ends as it does without.

use pommel_integrate::{Bridge, Step, System as Ode};
use pommel_math::sin_cos;
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::{Method, RANK_TOLERANCE};
use pommel_mechanism::kinematics::Metric;
use pommel_mechanism::linear::{Gaussian, Pivoting};

use super::{ConstrainedSystem, Stabilization};
use crate::AbsoluteDynamics;
use crate::absolute::AbsoluteState;

/// Nodes on each side of the bridge, and of the one that it is compared with.
const NODES: [usize; 2] = [8, 7];
/// The longest bridge ends where σ is that.
const FAR: f64 = 0.25;
/// Nodes keep this part of its reach away from the singular position.
const GAP: f64 = 0.1;
/// It begins with a state that is no farther away than this many times its reach.
const BEHIND: f64 = 4.0;
/// Guesses are polynomials through so many states, which are that part of the reach apart at least.
const GUESSED_BY: usize = 3;
const APART: f64 = 0.3;
/// Ends agree to no less than that: rounding of velocities next to singular positions.
const ROUNDING: f64 = 1e-12;
/// σ falls towards zero if it was this many times larger before, and larger than [`SEEN`].
const FALLS: f64 = 2.0;
const SEEN: f64 = 0.01;

/// Jacobians of more entries are not looked at: they are eliminated as dense ones here.
const LARGEST: usize = 1_000_000;

/// A state of the way so far.
#[derive(Clone, Debug)]
pub(super) struct Past {
    pub(super) t: f64,
    pub(super) y: Vec<f64>,
    pub(super) dy: Vec<f64>,
}

/// What a passage is to span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// when the position is singular
    pub(super) time: f64,
    /// from there to the end of the bridge
    pub(super) reach: f64,
    /// the end of the motion
    pub(super) end: f64,
}

/// The memory of passages.
pub(super) struct Passage<'a> {
    dynamics: &'a AbsoluteDynamics,
    system: ConstrainedSystem<'a>,
    evaluation: Evaluation<f64>,
    elimination: Gaussian,
    dense: Vec<f64>,
    bridges: [Bridge; 2],
    ends: [Vec<f64>; 2],
    dy: Vec<f64>,
    evaluations: u64,
}

impl<'a> Passage<'a> {
    /// None where the formulation does not know something of the mechanism, or Φ_q has more than [`LARGEST`] entries.
    pub(super) fn new(
        dynamics: &'a AbsoluteDynamics,
        state: &'a AbsoluteState,
        method: Method,
    ) -> Option<Self> {
        let sizes = dynamics.system();
        let (m, n) = (sizes.rows(), sizes.nv());
        if m * n > LARGEST {
            return None;
        }
        let stabilization = Stabilization::Projection(Metric::Mass);
        let mut system = ConstrainedSystem::new(dynamics, state, method, stabilization).ok()?;
        system.close_to_rounding();
        let dim = sizes.nq() + n;
        Some(Passage {
            dynamics,
            system,
            evaluation: Evaluation::new(sizes),
            elimination: Gaussian::new(m, n, 0),
            dense: vec![0.0; m * n],
            bridges: [Bridge::new(dim), Bridge::new(dim)],
            ends: [vec![0.0; dim], vec![0.0; dim]],
            dy: vec![0.0; dim],
            evaluations: 0,
        })
    }

    /// Takes over turns of joints in space.
    pub(super) fn set_turns(&mut self, turns: &[f64]) {
        self.system.set_turns(turns);
    }

    /// Evaluations since that was asked last.
    pub(super) fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.evaluations)
    }

    /// When σ vanishes by the line through its values now and when it was larger, and the time from there until it is
    /// [`FAR`]; none if it does not fall, or that is not near. States before `since` are not looked at.
    pub(super) fn foresee(&mut self, past: &[Past], since: f64) -> Option<(f64, f64)> {
        let (now, before) = past.split_last()?;
        let (rank, least) = self.distance(now)?;
        for state in before.iter().rev().take_while(|state| state.t >= since) {
            let (full, sigma) = self.distance(state)?;
            // what is below the threshold for ranks is none
            let here = if full > rank { 0.0 } else { least };
            let rises = here > SEEN && here > FALLS * sigma;
            if full < rank || rises {
                return None;
            }
            if sigma > SEEN && sigma > FALLS * here {
                let rate = (sigma - here) / (now.t - state.t);
                return (here < FAR).then_some((now.t + here / rate, FAR / rate));
            }
        }
        None
    }

    /// The rank of Φ_q with rows of unit length, and its least pivot.
    fn distance(&mut self, past: &Past) -> Option<(usize, f64)> {
        let system = self.dynamics.system();
        let (q, v) = past.y.split_at(system.nq());
        system.evaluate(past.t, q, v, &mut self.evaluation);
        let n = system.nv();
        self.dense.fill(0.0);
        let jacobian = self.evaluation.jacobian();
        for (row, column, value) in system.pattern().jacobian_entries() {
            self.dense[row * n + column] += jacobian[value] / system.scales()[column];
        }
        for row in self.dense.chunks_exact_mut(n) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length.max(f64::MIN_POSITIVE));
        }
        self.elimination.eliminate(&self.dense, &[], Pivoting::Full, RANK_TOLERANCE).ok()?;
        let rank = self.elimination.rank();
        let pivots = (0..rank).map(|k| self.elimination.pivot(k).abs());
        Some((rank, pivots.fold(f64::INFINITY, f64::min)))
    }

    /// Builds a bridge over a singular position; the time of its end, if it holds.
    pub(super) fn cross(&mut self, past: &[Past], span: Span, tolerance: f64) -> Option<f64> {
        let gap = GAP * span.reach;
        let base = past.iter().rfind(|past| past.t <= span.time - gap)?;
        let behind = (span.time - base.t).max(span.reach);
        if behind > BEHIND * span.reach {
            return None;
        }
        let mut places = [base; GUESSED_BY];
        let mut count = 1;
        for state in past.iter().rev() {
            if count < GUESSED_BY && state.t <= places[count - 1].t - APART * span.reach {
                places[count] = state;
                count += 1;
            }
        }
        let places = &places[..count];
        let t = (span.time + span.reach).min(span.end);
        let sides = [(-1.0, behind), (1.0, span.reach)];
        // the one that is kept is the last, so that its derivative is
        for k in [1, 0] {
            let nodes: Vec<f64> = sides
                .iter()
                .flat_map(|&(sign, far)| {
                    away(gap, far, NODES[k]).map(move |x| span.time + sign * x)
                })
                .collect();
            let (system, evaluations) = (&mut self.system, &mut self.evaluations);
            let mut rate = |t: f64, y: &mut [f64], dy: &mut [f64]| {
                *evaluations += 1;
                system.project(t, y, dy);
                if system.failure().is_some() { Err(Broken) } else { Ok(()) }
            };
            let mut guess = |t: f64, y: &mut [f64]| extrapolate(places, t, y);
            let from = (base.t, &base.y[..]);
            let found = self.bridges[k].solve(from, &nodes, &mut guess, &mut rate);
            if !matches!(found, Ok(Some(_))) {
                return None;
            }
            let end = &mut self.ends[k];
            self.bridges[k].state(t, end);
            rate(t, end, &mut self.dy).ok()?;
        }
        let [end, other] = &self.ends;
        let mut ends = end.iter().zip(other);
        let agree =
            |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance.max(ROUNDING) * (1.0 + a.abs());
        let finite = self.dy.iter().all(|x| x.is_finite());
        (finite && ends.all(agree)).then_some(t)
    }

    /// The step from a state to the end of the bridge that was built last.
    pub(super) fn step(&mut self, now: &Past, t: f64) -> Step<'_, f64> {
        self.bridges[0].step((now.t, &now.y), (t, &self.ends[0]), &self.dy)
    }
}

/// No state on the constraints was found.
struct Broken;

/// Distances of nodes: zeros of Chebyshev's polynomial in their squares, between those of `near` and `far`.
fn away(near: f64, far: f64, count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| {
        let (_, x) = sin_cos(core::f64::consts::PI * (i as f64 + 0.5) / count as f64);
        let (near, far) = (near * near, far * far);
        (near + (far - near) * 0.5 * (1.0 - x)).sqrt()
    })
}

/// Hermite's polynomial through states and derivatives at several times.
fn extrapolate(places: &[&Past], t: f64, y: &mut [f64]) {
    y.fill(0.0);
    for (a, place) in places.iter().enumerate() {
        let (mut basis, mut slope) = (1.0, 0.0);
        for (_, other) in places.iter().enumerate().filter(|(b, _)| *b != a) {
            basis *= (t - other.t) / (place.t - other.t);
            slope += 1.0 / (place.t - other.t);
        }
        let (square, s) = (basis * basis, t - place.t);
        let (of_value, of_rate) = (square * (1.0 - 2.0 * s * slope), square * s);
        for (to, (value, rate)) in y.iter_mut().zip(place.y.iter().zip(&place.dy)) {
            *to += of_value * value + of_rate * rate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes keep away from the middle and stay within; those of a polynomial of degree 5 give it back.
    #[test]
    fn nodes_and_guesses() {
        let nodes: Vec<f64> = away(0.1, 2.0, 7).collect();
        assert!(nodes.iter().all(|x| (0.1..2.0).contains(x)), "{nodes:?}");
        assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]), "{nodes:?}");
        let value = |t: f64| 1.0 + t * (2.0 - t * t * (3.0 - t * t));
        let rate = |t: f64| 2.0 - t * t * (9.0 - 5.0 * t * t);
        let at = |t: f64| Past { t, y: vec![value(t)], dy: vec![rate(t)] };
        let (a, b, c) = (at(0.0), at(-0.5), at(-1.25));
        let mut y = [0.0];
        extrapolate(&[&a, &b, &c], 0.75, &mut y);
        assert!((y[0] - value(0.75)).abs() < 1e-13, "{}", y[0]);
    }
}
