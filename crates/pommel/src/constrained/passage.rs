//! Singular positions on the way, passed in one step.

use pommel_integrate::{Collocation, Control, Observer, Statistics, Step, System as Ode};
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::{Method, RANK_TOLERANCE};
use pommel_mechanism::kinematics::Metric;
use pommel_mechanism::linear::{Gaussian, Pivoting};

use super::watch::Watch;
use super::{ConstrainedSystem, Stabilization};
use crate::AbsoluteDynamics;
use crate::absolute::AbsoluteState;

const STAGES: usize = 8;
const HISTORY: usize = 16;
const SHRUNK: f64 = 0.25;

/// A state of the way so far.
struct Past {
    t: f64,
    y: Vec<f64>,
    dy: Vec<f64>,
}

pub(super) struct Lookout<'a, O> {
    dynamics: &'a AbsoluteDynamics,
    state: &'a AbsoluteState,
    pub(super) watch: Watch<'a, O>,
    method: Method,
    tolerance: f64,
    end: f64,
    started: bool,
    past: Vec<Past>,
    passage: Option<Passage<'a>>,
    passed: bool,
    quiet_until: f64,
    pub(super) statistics: Statistics,
}

struct Passage<'a> {
    system: ConstrainedSystem<'a>,
    evaluation: Evaluation<f64>,
    elimination: Gaussian,
    dense: Vec<f64>,
    eight: Collocation,
    six: Collocation,
    trouble: bool,
}

impl<'a, O: Observer<f64>> Lookout<'a, O> {
    pub(super) fn new(
        dynamics: &'a AbsoluteDynamics,
        state: &'a AbsoluteState,
        watch: Watch<'a, O>,
        (method, tolerance): (Method, f64),
        end: f64,
    ) -> Self {
        Lookout {
            dynamics,
            state,
            watch,
            method,
            tolerance,
            end,
            started: false,
            past: Vec::with_capacity(HISTORY),
            passage: None,
            passed: false,
            quiet_until: f64::INFINITY,
            statistics: Statistics::default(),
        }
    }

    /// Time and state after a passage, if there was one.
    pub(super) fn take_passage(&mut self) -> Option<(f64, &[f64])> {
        if !std::mem::take(&mut self.passed) {
            return None;
        }
        let past = self.past.last()?;
        Some((past.t, &past.y))
    }

    fn remember(&mut self, t: f64, y: &[f64], dy: &[f64]) {
        if self.past.len() < HISTORY {
            self.past.push(Past { t, y: y.to_vec(), dy: dy.to_vec() });
            return;
        }
        self.past.rotate_left(1);
        let past = &mut self.past[HISTORY - 1];
        past.t = t;
        past.y.copy_from_slice(y);
        past.dy.copy_from_slice(dy);
    }

    fn largest_step(&self) -> f64 {
        self.past.windows(2).fold(0.0, |most, pair| f64::max(most, pair[1].t - pair[0].t))
    }

    fn is_small(&mut self, h: f64) -> bool {
        let largest = self.largest_step();
        if h > 0.5 * largest {
            self.quiet_until = f64::INFINITY;
        }
        let small = h < SHRUNK * largest && h < self.quiet_until;
        small && self.past.len() > 3
    }

    /// Tries to pass what is ahead; whether that was possible.
    pub(super) fn try_passage(&mut self) -> bool {
        let debug = std::env::var("SG").is_ok();
        if self.past.len() < 3 {
            return false;
        }
        if self.passage.is_none() {
            self.passage = Passage::new(self.dynamics, self.state, self.method);
        }
        let Some(passage) = &mut self.passage else { return false };
        let now = &self.past[self.past.len() - 1];
        let far = &self.past[0];
        let (d0, d1) = (passage.distance(self.dynamics, now), passage.distance(self.dynamics, far));
        let rate = (d1 - d0) / (now.t - far.t);
        let ahead = d0 / rate;
        let h = now.t - self.past[self.past.len() - 2].t;
        if debug {
            eprintln!("t={} h={h:e} d0={d0:e} d1={d1:e} rate={rate} ahead={ahead:e}", now.t);
        }
        if !(rate > 0.0 && d1 > 1.2 * d0) {
            return false;
        }
        let whole = 0.25 / rate;
        let remaining = self.end - now.t;
        let middle = 2.0 * ahead;
        let mut sizes = [whole, 0.7 * whole, 0.5 * whole, 0.35 * whole];
        if middle > 0.3 * whole && middle < 2.0 * whole {
            sizes = [middle, 1.1 * middle, 0.9 * middle, 0.9 * middle];
        }
        for size in sizes {
            let size = size.min(remaining);
            let before = self.statistics.evaluations;
            let found = passage.cross(
                &self.past,
                size,
                self.tolerance,
                self.watch.turns(),
                &mut self.statistics,
            );
            if debug {
                eprintln!("  H={size:e} {found:?} evals {}", self.statistics.evaluations - before);
            }
            if found == Some(true) {
                let step = passage.eight.as_step();
                let (t, y, dy) = (step.t_new(), step.y_new().to_vec(), step.dy_new().to_vec());
                let _ = self.watch.step(&step);
                self.past.clear();
                self.remember(t, &y, &dy);
                self.passed = true;
                self.statistics.steps += 1;
                return true;
            }
        }
        false
    }
}

impl<'a> Passage<'a> {
    fn new(
        dynamics: &'a AbsoluteDynamics,
        state: &'a AbsoluteState,
        method: Method,
    ) -> Option<Self> {
        let stabilization = Stabilization::Projection(Metric::Mass);
        let system = ConstrainedSystem::new(dynamics, state, method, stabilization).ok()?;
        let sizes = dynamics.system();
        let (m, n) = (sizes.rows(), sizes.nv());
        let dim = sizes.nq() + n;
        Some(Passage {
            system,
            evaluation: Evaluation::new(sizes),
            elimination: Gaussian::new(m, n, 0),
            dense: vec![0.0; m * n],
            eight: Collocation::gauss(STAGES, dim),
            six: Collocation::gauss(STAGES - 2, dim),
            trouble: false,
        })
    }

    /// The least pivot of Φ_q with rows of unit length, relative to the largest.
    fn distance(&mut self, dynamics: &AbsoluteDynamics, past: &Past) -> f64 {
        let system = dynamics.system();
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
        let done = self.elimination.eliminate(&self.dense, &[], Pivoting::Full, RANK_TOLERANCE);
        if done.is_err() {
            return f64::NAN;
        }
        let pivots = (0..self.elimination.rank()).map(|k| self.elimination.pivot(k).abs());
        pivots.fold(f64::INFINITY, f64::min)
    }

    fn cross(
        &mut self,
        past: &[Past],
        h: f64,
        tolerance: f64,
        turns: &[f64],
        statistics: &mut Statistics,
    ) -> Option<bool> {
        let now = &past[past.len() - 1];
        // three places of the way so far, as far apart as what is ahead
        let back = |by: f64| past.iter().rfind(|p| p.t <= now.t - by).unwrap_or(&past[0]);
        let middle = back(0.3 * h);
        let first = back(0.6 * h);
        let mut places = vec![now];
        if middle.t < now.t {
            places.push(middle);
        }
        if first.t < middle.t {
            places.push(first);
        }
        let mut guess = |t: f64, y: &mut [f64]| extrapolate(&places, t, y);
        let system = &mut self.system;
        let trouble = &mut self.trouble;
        for steps in [&mut self.eight, &mut self.six] {
            system.set_turns(turns);
            let mut rate = |t: f64, y: &mut [f64], dy: &mut [f64]| {
                statistics.evaluations += 1;
                system.project(t, y, dy);
                *trouble = dy.iter().any(|x| !x.is_finite());
                if *trouble { Err(()) } else { Ok(()) }
            };
            let accuracy = (0.01 * tolerance).max(1e-13);
            let done = steps.step((now.t, h), &now.y, accuracy, &mut guess, &mut rate);
            if std::env::var("SG").is_ok() {
                eprintln!("    {done:?} {:?}", system.failure());
            }
            if !matches!(done, Ok(Some(_))) {
                return None;
            }
        }
        let ends = self.eight.end().iter().zip(self.six.end());
        let difference =
            ends.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / (1.0 + a.abs())));
        if std::env::var("SG").is_ok() {
            eprintln!("    difference {difference:e}");
        }
        if !(difference <= tolerance.max(1e-12)) {
            return Some(false);
        }
        let (t, y, dy) = self.eight.end_mut();
        statistics.evaluations += 1;
        self.system.project(t, y, dy);
        Some(dy.iter().all(|x| x.is_finite()))
    }
}

/// Hermite's polynomial through values and derivatives at several times.
fn extrapolate(places: &[&Past], t: f64, y: &mut [f64]) {
    let m = places.len();
    for (i, to) in y.iter_mut().enumerate() {
        *to = 0.0;
        for (a, at) in places.iter().enumerate() {
            let (mut basis, mut slope) = (1.0, 0.0);
            for (b, other) in places.iter().enumerate() {
                if a != b {
                    basis *= (t - other.t) / (at.t - other.t);
                    slope += 1.0 / (at.t - other.t);
                }
            }
            let square = basis * basis;
            let s = t - at.t;
            *to += square * ((1.0 - 2.0 * s * slope) * at.y[i] + s * at.dy[i]);
        }
    }
    debug_assert!(m > 0);
}

impl<O: Observer<f64>> Observer<f64> for Lookout<'_, O> {
    fn start(&mut self, t: f64, y: &[f64]) {
        if !std::mem::replace(&mut self.started, true) {
            self.watch.start(t, y);
        }
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        let control = self.watch.step(step);
        self.remember(step.t_new(), step.y_new(), step.dy_new());
        if control != Control::Continue || step.t_new() >= self.end {
            return control;
        }
        let h = step.t_new() - step.t_old();
        if !self.is_small(h) {
            return control;
        }
        self.quiet_until = SHRUNK * h;
        if self.try_passage() { Control::Stop } else { control }
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.watch.interpolates(t_new)
    }
}
