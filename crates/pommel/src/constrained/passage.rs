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
//! Whether it holds is told by what it knows nothing of. The integral over all nodes, from a state before, must lie on
//! the constraints at every node beyond, before it is projected: a state of another branch is projected onto that
//! branch, and its integral is not. A second bridge with fewer nodes, which have other places, must end at the same
//! state, and rates between nodes must be those of the polynomial. All that to the tolerance of steps, as far as rounding
//! lets, and to [`LOOSEST`] in any case. Where motions do not continue beyond a position (velocities grow without bound, or the position beyond
//! is out of reach), iterations do not converge or states beyond cannot be brought onto the constraints, there is no
//! bridge, and the integration goes on and ends as it does without.
//!
//! Looked at are times from the start of the motion on, or from the end of the passage before, and up to the far end of
//! the bridge, which may be later than the end of the motion.

use pommel_integrate::{Bridge, Step};
use pommel_math::sin_cos;
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::{Method, RANK_TOLERANCE};
use pommel_mechanism::kinematics::Metric;
use pommel_mechanism::linear::{Gaussian, Pivoting};

use super::way::{Past, Way, extrapolate};
use super::{ConstrainedSystem, Stabilization};
use crate::AbsoluteDynamics;
use crate::absolute::AbsoluteState;

/// Nodes on each side of the bridge, and of the one that it is compared with.
const NODES: [usize; 2] = [8, 7];
/// The longest bridge ends where σ is that.
const FAR: f64 = 0.25;
/// Nodes keep this part of its reach away from the singular position.
const GAP: f64 = 0.1;
/// It begins with a state that is no farther away than this many times its reach, and looks back over this part of it
/// at least.
const BEHIND: f64 = 4.0;
const BESIDE: f64 = 0.3;
/// States that are guessed by are that part of the reach apart at least.
const APART: f64 = 0.3;
/// Projected ends agree to no less than that: rounding of velocities next to singular positions.
const ROUNDING: f64 = 1e-12;
/// Integrals agree to no less: what rounding of accelerations there puts off the constraints.
const ROUNDED: f64 = 1e-9;
/// Both agree to no more, whatever the tolerance: another branch is farther away.
const LOOSEST: f64 = 1e-4;
/// Next to singular positions, what integrals miss turns velocities by some 1/σ of it, and rates by more: at nodes and
/// in rates that much more is allowed than in the end.
const NEAR: f64 = 100.0;
/// σ falls towards zero if it was this many times larger before, and larger than [`SEEN`].
const FALLS: f64 = 2.0;
const SEEN: f64 = 0.01;

/// Jacobians of more entries are not looked at: they are eliminated as dense ones, each state's once, which takes as
/// long as some tens of steps there.
const LARGEST: usize = 100_000;

/// What a passage is to span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// when the position is singular
    pub(super) time: f64,
    /// from there to the end of the bridge
    pub(super) reach: f64,
    /// nothing earlier is looked at
    pub(super) since: f64,
}

impl Span {
    /// Where the bridge ends, and whether a time is away from the singular position.
    pub(super) fn far(&self) -> f64 {
        self.time + self.reach
    }

    /// From when on it may be left.
    pub(super) fn near(&self) -> f64 {
        self.time + GAP * self.reach
    }

    fn is_away(&self, t: f64) -> bool {
        (t - self.time).abs() >= GAP * self.reach
    }
}

/// The memory of passages.
pub(super) struct Passage<'a> {
    dynamics: &'a AbsoluteDynamics,
    system: ConstrainedSystem<'a>,
    evaluation: Evaluation<f64>,
    elimination: Gaussian,
    dense: Vec<f64>,
    bridges: [Bridge; 2],
    /// of each, as integrated and as projected
    ends: [[Vec<f64>; 2]; 2],
    /// turns of joints in space at times that were looked at
    turns: Vec<(f64, Vec<f64>)>,
    /// where the step that is taken begins, and where it ends
    old: Past,
    new: Past,
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
            ends: std::array::from_fn(|_| [vec![0.0; dim], vec![0.0; dim]]),
            turns: Vec::new(),
            old: Past::default(),
            new: Past::default(),
            evaluations: 0,
        })
    }

    /// Evaluations since that was asked last.
    pub(super) fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.evaluations)
    }

    /// When σ vanishes by the line through its values now and when it was larger, and the time from there until it is
    /// [`FAR`]; none if it does not fall, or that is not near. States before `since` are not looked at.
    pub(super) fn foresee(&mut self, way: &mut Way, since: f64) -> Option<(f64, f64)> {
        let (now, before) = way.past.split_last_mut()?;
        let (rank, least) = self.distance(now)?;
        for state in before.iter_mut().rev().take_while(|state| state.t >= since) {
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

    /// The rank of Φ_q with rows of unit length, and its least pivot; found once.
    fn distance(&mut self, past: &mut Past) -> Option<(usize, f64)> {
        if past.distance.is_some() {
            return past.distance;
        }
        let system = self.dynamics.system();
        let (q, v) = past.y.split_at(system.nq());
        self.evaluation.set_turns(&past.turns);
        system.evaluate(past.t, q, v, &mut self.evaluation);
        self.evaluations += 1;
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
        past.distance = Some((rank, pivots.fold(f64::INFINITY, f64::min)));
        past.distance
    }

    /// Builds a bridge over a singular position; whether it holds.
    pub(super) fn cross(&mut self, way: &Way, span: Span, tolerance: f64) -> bool {
        self.build(way, span, tolerance.min(LOOSEST)).is_some()
    }

    fn build(&mut self, way: &Way, span: Span, tolerance: f64) -> Option<()> {
        let Span { time, reach, since } = span;
        let gap = GAP * reach;
        let base = way.past.iter().rfind(|past| past.t <= time - gap)?;
        let behind = (time - base.t).max(reach.min(time - since));
        if base.t < since || behind > BEHIND * reach || behind < BESIDE * reach {
            return None;
        }
        let places = way.places(APART * reach)?;
        self.turns.clear();
        self.turns.extend(way.past.iter().map(|past| (past.t, past.turns.clone())));
        let agreed = tolerance.max(ROUNDED);
        let (mut from, mut dy) = (base.y.clone(), base.dy.clone());
        // what methods leave open must not be taken for an error of the integral
        look(&mut self.system, &mut self.turns, &mut self.evaluations)
            .at(base.t, &mut from, &mut dy)
            .ok()?;
        // the one that is kept is the last, so that turns are those of its nodes
        for k in [1, 0] {
            // in order of time, so that turns of joints are followed
            let mut nodes: Vec<f64> = away(gap, behind, NODES[k]).map(|x| time - x).collect();
            nodes.reverse();
            nodes.extend(away(gap, reach, NODES[k]).map(|x| time + x));
            let mut guess = |t: f64, y: &mut [f64]| extrapolate(&places, t, y);
            let mut look = look(&mut self.system, &mut self.turns, &mut self.evaluations);
            let mut rate = |t: f64, y: &mut [f64], dy: &mut [f64]| look.at(t, y, dy);
            let (bridge, [raw, end]) = (&mut self.bridges[k], &mut self.ends[k]);
            let change = bridge.solve((base.t, &from), &nodes, &mut guess, &mut rate).ok()??;
            if change.max(bridge.missed()) > NEAR * agreed {
                return None;
            }
            bridge.state(span.far(), raw);
            end.copy_from_slice(raw);
            look.at(span.far(), end, &mut dy).ok()?;
            if difference(raw, end) > agreed {
                return None;
            }
        }
        let [[raw, end], [other_raw, other]] = &self.ends;
        if difference(raw, other_raw) > agreed || difference(end, other) > tolerance.max(ROUNDING) {
            return None;
        }
        // what lies farthest from nodes: both ends, and a place between on each side
        let (mut raw, mut by_nodes) = (end.clone(), end.clone());
        let between = |far: f64| (0.5 * (gap * gap + far * far)).sqrt();
        for t in [time - behind, time - between(behind), time + between(reach), span.far()] {
            self.bridges[0].state(t, &mut raw);
            let mut y = raw.clone();
            look(&mut self.system, &mut self.turns, &mut self.evaluations)
                .at(t, &mut y, &mut dy)
                .ok()?;
            self.bridges[0].rate(t, &mut by_nodes);
            let rates = reach * difference(&by_nodes, &dy);
            if difference(&raw, &y) > agreed || rates > NEAR * agreed {
                return None;
            }
        }
        Some(())
    }

    /// Goes onto the bridge that was built last, at a state of the way so far.
    pub(super) fn enter(&mut self, now: &Past) {
        self.new.clone_from(now);
    }

    /// The next step on the bridge, up to a time within it. Its end is projected; next to the singular position only if
    /// that is no farther than the bridge is accurate, and its derivative is that of the polynomial there.
    pub(super) fn step(&mut self, t: f64, span: Span, tolerance: f64) -> Step<'_, f64> {
        std::mem::swap(&mut self.old, &mut self.new);
        let mut y = self.ends[0][0].clone();
        self.bridges[0].state(t, &mut y);
        let (mut projected, mut dy) = (y.clone(), y.clone());
        let found = look(&mut self.system, &mut self.turns, &mut self.evaluations)
            .at(t, &mut projected, &mut dy)
            .is_ok();
        if found && difference(&y, &projected) <= tolerance.clamp(ROUNDED, LOOSEST) {
            y.copy_from_slice(&projected);
        }
        if !found || !span.is_away(t) {
            self.bridges[0].rate(t, &mut dy);
        }
        let turns = nearest(&self.turns, t);
        self.new.set(t, (&y, &dy), turns);
        let (old, new) = (&self.old, &self.new);
        self.bridges[0].step((old.t, &old.y), (t, &new.y), &new.dy)
    }

    /// The end of the step that was taken last.
    pub(super) fn reached(&self) -> &Past {
        &self.new
    }
}

/// Looks at states: projects them and finds their rates.
struct Look<'p, 'a> {
    system: &'p mut ConstrainedSystem<'a>,
    turns: &'p mut Vec<(f64, Vec<f64>)>,
    evaluations: &'p mut u64,
}

impl Look<'_, '_> {
    fn at(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), Broken> {
        *self.evaluations += 1;
        self.system.project_near(nearest(self.turns, t), t, y, dy);
        if self.system.failure().is_some() || !dy.iter().all(|x| x.is_finite()) {
            return Err(Broken);
        }
        let turns = self.system.turns();
        match self.turns.iter_mut().find(|(time, _)| *time == t) {
            Some((_, known)) => known.copy_from_slice(turns),
            None => self.turns.push((t, turns.to_vec())),
        }
        Ok(())
    }
}

fn look<'p, 'a>(
    system: &'p mut ConstrainedSystem<'a>,
    turns: &'p mut Vec<(f64, Vec<f64>)>,
    evaluations: &'p mut u64,
) -> Look<'p, 'a> {
    Look { system, turns, evaluations }
}

/// No state on the constraints was found, or none of finite rates.
struct Broken;

/// Turns that are known at the time next to one.
fn nearest(turns: &[(f64, Vec<f64>)], t: f64) -> &[f64] {
    let by_distance =
        |a: &&(f64, Vec<f64>), b: &&(f64, Vec<f64>)| (a.0 - t).abs().total_cmp(&(b.0 - t).abs());
    turns.iter().min_by(by_distance).map_or(&[], |(_, turns)| turns)
}

/// The largest `|Δy| / (1 + |y|)`; infinite if anything is no number.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| {
        let part = (a - b).abs() / (1.0 + b.abs());
        if part.is_nan() { f64::INFINITY } else { part.max(most) }
    })
}

/// Distances of nodes: zeros of Chebyshev's polynomial in their squares, between those of `near` and `far`.
fn away(near: f64, far: f64, count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| {
        let (_, x) = sin_cos(core::f64::consts::PI * (i as f64 + 0.5) / count as f64);
        let (near, far) = (near * near, far * far);
        (near + (far - near) * 0.5 * (1.0 - x)).sqrt()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes keep away from the middle and stay within.
    #[test]
    fn nodes_keep_away() {
        let nodes: Vec<f64> = away(0.1, 2.0, 7).collect();
        assert!(nodes.iter().all(|x| (0.1..2.0).contains(x)), "{nodes:?}");
        assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]), "{nodes:?}");
    }

    /// What is no number does not agree with anything.
    #[test]
    fn what_is_nan_differs() {
        assert_eq!(difference(&[1.0, f64::NAN], &[1.0, 0.0]), f64::INFINITY);
        assert_eq!(difference(&[f64::NAN, 1.0], &[1.0, 1.0]), f64::INFINITY);
        assert_eq!(difference(&[1.0, 3.0], &[1.0, 1.0]), 1.0);
    }
}
