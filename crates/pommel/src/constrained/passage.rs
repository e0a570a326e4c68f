//! Singular positions on the way, passed in one step.

use pommel_integrate::{Bridge, Control, Known, Observer, Statistics, Step, System as Ode};
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::{Method, RANK_TOLERANCE};
use pommel_mechanism::kinematics::Metric;
use pommel_mechanism::linear::{Gaussian, Pivoting};

use super::watch::Watch;
use super::{ConstrainedSystem, Stabilization};
use crate::AbsoluteDynamics;
use crate::absolute::AbsoluteState;

const HISTORY: usize = 24;
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
    largest: f64,
    since: f64,
    pub(super) statistics: Statistics,
}

struct Passage<'a> {
    system: ConstrainedSystem<'a>,
    evaluation: Evaluation<f64>,
    elimination: Gaussian,
    dense: Vec<f64>,
    bridges: [Bridge; 2],
    ends: [Vec<f64>; 3],
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
            largest: 0.0,
            since: f64::NEG_INFINITY,
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
        // the state goes whose neighbours are nearest for its age
        let gap = |i: usize| {
            (self.past[i + 1].t - self.past[i - 1].t) / (t - self.past[i].t)
        };
        let least = (1..HISTORY - 1).map(|i| (i, gap(i))).fold((1, f64::INFINITY), |best, this| {
            if this.1 < best.1 { this } else { best }
        });
        self.past[least.0..].rotate_left(1);
        let past = &mut self.past[HISTORY - 1];
        past.t = t;
        past.y.copy_from_slice(y);
        past.dy.copy_from_slice(dy);
    }

    fn is_small(&mut self, h: f64) -> bool {
        self.largest = h.max(0.9 * self.largest);
        if h > 0.5 * self.largest {
            self.quiet_until = f64::INFINITY;
        }
        h < SHRUNK * self.largest && h < self.quiet_until
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
        let Some(at) = passage.foresee(self.dynamics, &self.past, self.since) else { return false };
        if debug {
            eprintln!("t={} at {} ahead {:e} reach {:e}", self.past[self.past.len() - 1].t, at.t, at.t - self.past[self.past.len() - 1].t, at.reach);
        }
        for reach in [1.0, 0.7, 0.5, 0.35, 0.25] {
            let before = self.statistics.evaluations;
            let found = passage.cross(&self.past, (at.t, reach * at.reach), self.end, self.tolerance, self.watch.turns(), &mut self.statistics);
            if debug {
                eprintln!("  reach {reach:e} {found:?} evals {}", self.statistics.evaluations - before);
            }
            if let Some(t) = found {
                let now = self.past.len() - 1;
                let [y, _, dy] = &passage.ends;
                let (y, dy) = (y.clone(), dy.clone());
                let old = (self.past[now].t, &self.past[now].y[..]);
                let step = passage.bridges[0].step(old, (t, &y), &dy);
                let _ = self.watch.step(&step);
                self.remember(t, &y, &dy);
                self.since = t;
                self.largest = 0.0;
                self.passed = true;
                self.statistics.steps += 1;
                return true;
            }
        }
        false
    }
}

struct Ahead {
    t: f64,
    /// until the distance is a quarter
    reach: f64,
}

impl<'a> Passage<'a> {
    fn new(
        dynamics: &'a AbsoluteDynamics,
        state: &'a AbsoluteState,
        method: Method,
    ) -> Option<Self> {
        let stabilization = Stabilization::Projection(Metric::Mass);
        let mut system = ConstrainedSystem::new(dynamics, state, method, stabilization).ok()?;
        system.close_to_rounding();
        let sizes = dynamics.system();
        let (m, n) = (sizes.rows(), sizes.nv());
        let dim = sizes.nq() + n;
        Some(Passage {
            system,
            evaluation: Evaluation::new(sizes),
            elimination: Gaussian::new(m, n, 0),
            dense: vec![0.0; m * n],
            bridges: [Bridge::new(dim), Bridge::new(dim)],
            ends: std::array::from_fn(|_| vec![0.0; dim]),
        })
    }

    /// When the distance from singular positions will vanish.
    fn foresee(&mut self, dynamics: &AbsoluteDynamics, past: &[Past], since: f64) -> Option<Ahead> {
        let now = past.len() - 1;
        let (rank, here) = self.distance(dynamics, &past[now])?;
        let mut k = now;
        while k > 0 && past[k - 1].t >= since {
            k -= 1;
            let (before, there) = self.distance(dynamics, &past[k])?;
            let here = if before > rank { 0.0 } else { here };
            if before < rank || there < here {
                return None;
            }
            if there > 2.0 * here && there > 0.01 {
                let rate = (there - here) / (past[now].t - past[k].t);
                let reach = 0.25 / rate;
                let t = past[now].t + here / rate;
                return (here < 0.25).then_some(Ahead { t, reach });
            }
        }
        None
    }

    /// The rank of Φ_q, and the least pivot with rows of unit length.
    fn distance(&mut self, dynamics: &AbsoluteDynamics, past: &Past) -> Option<(usize, f64)> {
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
        self.elimination.eliminate(&self.dense, &[], Pivoting::Full, RANK_TOLERANCE).ok()?;
        let rank = self.elimination.rank();
        let pivots = (0..rank).map(|k| self.elimination.pivot(k).abs());
        Some((rank, pivots.fold(f64::INFINITY, f64::min)))
    }

    fn cross(
        &mut self,
        past: &[Past],
        (singular, reach): (f64, f64),
        end: f64,
        tolerance: f64,
        turns: &[f64],
        statistics: &mut Statistics,
    ) -> Option<f64> {
        let debug = std::env::var("SG").is_ok();
        let env = |name: &str, or: f64| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(or);
        let gap = env("GAP", 0.1) * reach;
        let base = past.iter().rfind(|past| past.t <= singular - gap)?;
        if base.t < singular - env("BACK", 4.0) * reach {
            return None;
        }
        // places of the way so far, not too dense
        let mut places: Vec<&Past> = vec![base];
        for past in past.iter().rev() {
            let last = places[places.len() - 1].t;
            if past.t <= last - env("SPACE", 0.3) * reach && places.len() < env("PK", 3.0) as usize {
                places.push(past);
            }
        }
        if debug {
            eprintln!("    places {:?}", places.iter().map(|k| (k.t - singular) / reach).collect::<Vec<_>>());
        }
        let mut guess = |t: f64, y: &mut [f64]| extrapolate(&places, t, y);
        let system = &mut self.system;
        let from = (places[0].t, &places[0].y[..]);
        let passed = singular + reach;
        let t = passed.min(end);
        let more = env("TOT", 6.0) as usize;
        let behind = reach.max(singular - base.t);
        for (k, count) in [(1, more - 1), (0, more)] {
            // zeros of Chebyshev's polynomial in the square of the time
            let places = |far: f64| (0..count).map(move |i| {
                let x = (core::f64::consts::PI * (i as f64 + 0.5) / count as f64).cos();
                let (g, f) = (gap * gap, far * far);
                (g + (f - g) * 0.5 * (1.0 - x)).sqrt()
            });
            let nodes: Vec<f64> = places(behind).map(|x| singular - x).rev().chain(places(reach).map(|x| singular + x)).collect();
            let known: [Known<'_>; 0] = [];
            let known = &known;
            system.set_turns(turns);
            let mut rate = |t: f64, y: &mut [f64], dy: &mut [f64]| {
                statistics.evaluations += 1;
                system.project(t, y, dy);
                if dy.iter().any(|x| !x.is_finite()) { Err(()) } else { Ok(()) }
            };
            let done = self.bridges[k].solve(from, known, &nodes, &mut guess, &mut rate);
            if debug {
                eprintln!("    {done:?} {:?}", system.failure());
            }
            if !matches!(done, Ok(Some(_))) {
                return None;
            }
            self.bridges[k].state(t, &mut self.ends[k]);
            let [first, second, dy] = &mut self.ends;
            statistics.evaluations += 1;
            system.project(t, if k == 0 { first } else { second }, dy);
            if dy.iter().any(|x| !x.is_finite()) {
                return None;
            }
        }
        let ends = self.ends[0].iter().zip(&self.ends[1]);
        let difference =
            ends.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / (1.0 + a.abs())));
        if debug {
            eprintln!("    difference {difference:e}");
        }
        (difference <= tolerance.max(1e-12)).then_some(t)
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
