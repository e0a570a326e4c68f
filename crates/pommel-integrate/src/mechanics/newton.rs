//! When iterations of a step end.

use std::sync::Arc;

/// Why a step was not found.
pub(super) enum Trouble<E> {
    /// Changes do not shrink.
    Slow { contraction: f64 },
    /// The mechanism does not go along.
    System(Arc<E>),
    /// A row of Φ stays open.
    Open { row: usize, violation: f64 },
    /// A number is none; its component in `(q, v)`.
    NonFinite { component: usize },
}

impl<E> From<E> for Trouble<E> {
    fn from(error: E) -> Self {
        Trouble::System(Arc::new(error))
    }
}

/// Most iterations of a step.
const MOST: usize = 40;
/// Changes below this part of what they change are rounding.
const ROUNDING: f64 = 1e-16;
/// Changes that no longer shrink are taken for rounding below this part.
const STALLED: f64 = 1e-11;

/// What changes of positions and velocities are measured by: their largest entries, and one at least.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    q: f64,
    v: f64,
    /// magnitude of the step
    h: f64,
    /// roundings of positions per step that are in velocities
    noise: f64,
}

impl Sizes {
    pub(super) fn new(q: &[f64], v: &[f64], h: f64, noise: f64) -> Self {
        let largest = |list: &[f64]| list.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        Sizes { q: largest(q), v: largest(v), h: h.abs(), noise }
    }

    /// A change of velocities, and of positions that is `h` times as large, relatively.
    pub(super) fn of_velocities(&self, change: &[f64]) -> f64 {
        let largest = largest(change);
        (largest / self.v).max(self.h * largest / self.q)
    }

    /// The same of positions.
    pub(super) fn of_positions(&self, change: &[f64]) -> f64 {
        largest(change) / self.q
    }

    /// What positions are measured by.
    pub(super) fn position(&self) -> f64 {
        self.q
    }

    /// What rounding of positions makes of velocities, where these follow from constraints on positions.
    pub(super) fn noise(&self) -> f64 {
        self.noise * f64::EPSILON * self.q / self.h
    }
}

/// NaN if there is one.
fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0_f64, |most, x| if x.is_nan() { *x } else { most.max(x.abs()) })
}

/// The course of one iteration: changes, relative to what they change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    wanted: f64,
    stalled: f64,
    before: f64,
    contraction: f64,
    count: usize,
}

impl Course {
    /// Until changes are below `wanted`, or rounding.
    pub(super) fn new(wanted: f64, sizes: &Sizes) -> Self {
        Course {
            wanted: wanted.max(ROUNDING),
            stalled: STALLED.max(sizes.noise() / sizes.v),
            before: f64::INFINITY,
            contraction: 0.0,
            count: 0,
        }
    }

    /// After a change: whether that was the last.
    pub(super) fn ends<E>(&mut self, change: f64) -> Result<bool, Trouble<E>> {
        self.count += 1;
        self.contraction = change / self.before;
        // what the next change leaves, at the rate so far
        let rate = self.contraction.clamp(1e-3, 0.9);
        let left = if self.before.is_finite() { change * rate / (1.0 - rate) } else { change };
        if left <= self.wanted || change == 0.0 {
            return Ok(true);
        }
        let shrinks = change < self.before;
        if !shrinks && change <= self.stalled {
            return Ok(true);
        }
        let hopeless = self.count > 3 && self.contraction >= 1.0;
        if change.is_nan() || hopeless || self.count >= MOST {
            return Err(Trouble::Slow { contraction: self.contraction });
        }
        self.before = change;
        Ok(false)
    }
}
