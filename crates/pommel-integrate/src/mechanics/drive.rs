//! Steps one after the other.

use core::fmt;
use std::sync::Arc;

use pommel_math::Mask;

use super::engine::Engine;
use super::interpolant::Interpolant;
use super::newton::{Sizes, Trouble};
use super::start::Motion;
use super::{Mechanics, MechanicsOptions};
use crate::control::power;
use crate::drive::outcome_of_one;
use crate::options::Stepping;
use crate::precision::rounding_of_quotient;
use crate::{
    Adaptive, Cause, Control, Failure, InputError, IntegrateError, Observer, Outcome, Statistics,
};

/// Errors grow and steps shrink by no more than these at once.
const LARGEST_FACTOR: f64 = 4.0;
const SMALLEST_FACTOR: f64 = 0.2;
const SAFETY: f64 = 0.9;
/// The least step is one of this many times its size, too: differences of times are rounded.
const LEAST: f64 = 1.01;
/// Steps that differ by no more than this part are of one size.
const SAME: f64 = 1e-8;
/// Positions at the end of a step may be off their constraints by this part of the coordinates, or by some times
/// what iterations leave.
const OPEN: f64 = 1e-9;
/// Equations of a step are solved to this part of the tolerance.
const SOLVED: f64 = 1e-3;

/// Integrates a mechanism with constraints, with the memory that it needs.
///
/// One system at a time: there are no lanes. Batches go over threads, a stepper in each.
#[derive(Clone)]
pub struct MechanicsStepper {
    options: MechanicsOptions,
    engine: Engine,
    sizes: [usize; 3],
    /// where the step begins, its middle and its end, and the end by one whole step
    now: Motion,
    middle: Motion,
    next: Motion,
    whole: Motion,
    /// where the step before began, if it was of the same run
    before: Motion,
    has_before: bool,
    /// the size of the step that α of the generalized-α method is for; 0 if there is none
    alpha_h: f64,
    x: Vec<f64>,
    interpolant: Interpolant,
    statistics: Statistics,
}

impl fmt::Debug for MechanicsStepper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MechanicsStepper")
            .field("options", &self.options)
            .field("t", &self.now.t)
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}

impl MechanicsStepper {
    /// Memory for mechanisms of these numbers of coordinates, velocities and rows.
    ///
    /// # Errors
    /// [`InputError`] if the options make no sense, or have tolerances for another dimension than that of `(q, v)`.
    pub fn new(
        coordinates: usize,
        velocities: usize,
        rows: usize,
        options: &MechanicsOptions,
    ) -> Result<Self, InputError> {
        let (nq, n) = (coordinates, velocities);
        options.check(nq + n)?;
        let motion = || Motion::new(nq, n, rows);
        Ok(MechanicsStepper {
            options: options.clone(),
            engine: Engine::new(&options.scheme, [nq, n, rows]),
            sizes: [nq, n, rows],
            now: motion(),
            middle: motion(),
            next: motion(),
            whole: motion(),
            before: motion(),
            has_before: false,
            alpha_h: 0.0,
            x: vec![0.0; n + rows],
            interpolant: Interpolant::new(nq, n),
            statistics: Statistics::default(),
        })
    }

    /// Multipliers λ at the end of the last step.
    pub fn multipliers(&self) -> &[f64] {
        &self.now.lambda
    }

    /// Counts of the last integration.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn failure<E>(&self, h: f64, cause: Cause<E>) -> IntegrateError<E> {
        IntegrateError::Failed(Failure { lane: 0, t: self.now.t, step: h, cause })
    }

    /// A whole integration from `t0` to `t1`, forward or backward, as [`integrate_mechanics`] does it.
    ///
    /// # Errors
    /// As [`integrate_mechanics`].
    pub fn run<S: Mechanics>(
        &mut self,
        system: &mut S,
        t0: f64,
        t1: f64,
        y: &mut [f64],
        observer: &mut impl Observer<f64>,
    ) -> Result<Outcome<f64>, IntegrateError<S::Error>> {
        let [nq, n, rows] = self.sizes;
        let found = [system.coordinates(), system.velocities(), system.rows()];
        if found != [nq, n, rows] || y.len() != nq + n {
            let found = if y.len() == nq + n { found[0] + found[1] } else { y.len() };
            return Err(InputError::Dimension { expected: nq + n, found }.into());
        }
        self.statistics = Statistics::default();
        (self.now.t, self.has_before, self.alpha_h) = (t0, false, 0.0);
        self.now.q.copy_from_slice(&y[..nq]);
        self.now.v.copy_from_slice(&y[nq..]);
        if !(t0.is_finite() && t1.is_finite()) {
            return Err(self.failure(0.0, Cause::Time));
        }
        if let Some(component) = y.iter().position(|y| !y.is_finite()) {
            return Err(self.failure(0.0, Cause::InitialState { component }));
        }
        observer.start(t0, y);
        let span = (t1 - t0).abs();
        if span == 0.0 {
            return Ok(outcome_of_one(t0, Mask::NONE, self.statistics));
        }
        if let Err(trouble) = self.now.settle(system, &mut self.x) {
            return Err(self.failure(0.0, cause(trouble)));
        }
        self.statistics.evaluations += 1;
        self.statistics.factorizations += 1;
        let stopped = match self.options.stepping.clone() {
            Stepping::Fixed(h) => self.fixed(system, t1, h, observer),
            Stepping::Adaptive(settings) => self.adaptive(system, t1, &settings, observer),
        };
        y[..nq].copy_from_slice(&self.now.q);
        y[nq..].copy_from_slice(&self.now.v);
        let stopped = if stopped? { Mask::all(1) } else { Mask::NONE };
        Ok(outcome_of_one(self.now.t, stopped, self.statistics))
    }

    /// Steps of one size; whether the observer stopped.
    fn fixed<S: Mechanics>(
        &mut self,
        system: &mut S,
        t1: f64,
        h: f64,
        observer: &mut impl Observer<f64>,
    ) -> Result<bool, IntegrateError<S::Error>> {
        let t0 = self.now.t;
        let span = (t1 - t0).abs();
        if h < 10.0 * f64::EPSILON * t0.abs().max(t1.abs()) && h < span {
            return Err(self.failure(h, Cause::StepBelowResolution));
        }
        let steps = (span / h * (1.0 - rounding_of_quotient::<f64>())).ceil().max(1.0) as u64;
        for step in 1..=steps {
            let limit = self.options.max_steps;
            if self.statistics.steps >= limit {
                return Err(self.failure(h, Cause::TooManySteps { limit }));
            }
            // a product, so that rounding does not add up
            let t = if step == steps { t1 } else { t0 + (h * step as f64).copysign(t1 - t0) };
            let size = t - self.now.t;
            self.next.t = t;
            if let Err(trouble) = self.one(system, Target::Next, 0.0) {
                return Err(self.failure(size, cause(trouble)));
            }
            if self.accept(system, size, false, observer) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Steps of two halves; whether the observer stopped.
    fn adaptive<S: Mechanics>(
        &mut self,
        system: &mut S,
        t1: f64,
        settings: &Adaptive,
        observer: &mut impl Observer<f64>,
    ) -> Result<bool, IntegrateError<S::Error>> {
        let span = (t1 - self.now.t).abs();
        let most = settings.max_step.unwrap_or(span).min(span);
        let order = self.options.scheme.order();
        let strictest = settings.strictest(self.sizes[0] + self.sizes[1]);
        let wanted = SOLVED * strictest.min(1.0);
        let mut size = settings.first_step.unwrap_or_else(|| self.guess(settings, span)).min(most);
        let mut rejected = false;
        loop {
            let limit = self.options.max_steps;
            if self.statistics.steps + self.statistics.rejected >= limit {
                return Err(self.failure(size, Cause::TooManySteps { limit }));
            }
            let least =
                (settings.min_step).max(100.0 * f64::EPSILON * self.now.t.abs().max(t1.abs()));
            let remaining = t1 - self.now.t;
            let last = remaining.abs() <= 1.01 * size;
            let t = if last { t1 } else { self.now.t + size.copysign(remaining) };
            let h = t - self.now.t;
            let tried = self.two_halves(system, t, wanted, settings);
            let (error, component) = match tried {
                Ok(measured) => measured,
                Err(trouble) => {
                    self.statistics.rejected += 1;
                    if h.abs() <= LEAST * least {
                        return Err(self.failure(h, cause(trouble)));
                    }
                    (size, rejected) = ((0.25 * h.abs()).max(least), true);
                    // the factor may be that of another state
                    self.refactor(system, h)?;
                    continue;
                }
            };
            let factor = SAFETY * power(error.max(1e-10), -1.0 / (order + 1) as f64);
            if error <= 1.0 {
                let stopped = self.accept(system, h, true, observer);
                let most_growth = if rejected { 1.0 } else { LARGEST_FACTOR };
                let factor = factor.clamp(SMALLEST_FACTOR, most_growth);
                (size, rejected) = ((h.abs() * factor).max(least).min(most), false);
                if stopped || last {
                    return Ok(stopped);
                }
                continue;
            }
            self.statistics.rejected += 1;
            if h.abs() <= LEAST * least {
                return Err(self.failure(h, Cause::Tolerance { error, component }));
            }
            (size, rejected) = ((h.abs() * factor.clamp(0.1, SAFETY)).max(least), true);
            self.refactor(system, h)?;
        }
    }

    /// The factor at the start of the step once more.
    fn refactor<S: Mechanics>(
        &mut self,
        system: &mut S,
        h: f64,
    ) -> Result<(), IntegrateError<S::Error>> {
        let algorithmic = std::mem::take(&mut self.now.algorithmic);
        let settled = self.now.settle(system, &mut self.x);
        self.now.algorithmic = algorithmic;
        self.statistics.evaluations += 1;
        self.statistics.factorizations += 1;
        settled.map_err(|trouble| self.failure(h, cause(trouble)))
    }

    /// The step from now to `t` as a whole and as two halves: the error of the halves per tolerance, and its
    /// largest component.
    fn two_halves<S: Mechanics>(
        &mut self,
        system: &mut S,
        t: f64,
        wanted: f64,
        settings: &Adaptive,
    ) -> Result<(f64, usize), Trouble<S::Error>> {
        let half = self.now.t + 0.5 * (t - self.now.t);
        (self.whole.t, self.middle.t, self.next.t) = (t, half, t);
        self.one(system, Target::Whole, wanted)?;
        if matches!(self.engine, Engine::Variational(_)) {
            // this engine leaves the factor of the end
            self.restore(system)?;
        }
        self.one(system, Target::Middle, wanted)?;
        std::mem::swap(&mut self.now, &mut self.middle);
        let second = self.one(system, Target::Next, wanted);
        std::mem::swap(&mut self.now, &mut self.middle);
        second?;
        let ends = |m: &'_ Motion, i: usize| {
            if i < m.q.len() { m.q[i] } else { m.v[i - m.q.len()] }
        };
        // velocities that follow from positions are no more certain than this
        let noise = self.options.scheme.noise();
        let noise = Sizes::new(&self.now.q, &self.now.v, t - half, noise).noise();
        let (mut sum, mut worst, mut component) = (0.0, 0.0, 0);
        let dim = self.sizes[0] + self.sizes[1];
        for i in 0..dim {
            let (fine, coarse, old) =
                (ends(&self.next, i), ends(&self.whole, i), ends(&self.now, i));
            let size = settings.atol.of(i) + settings.rtol.of(i) * old.abs().max(fine.abs());
            let noise = if i < self.sizes[0] { f64::MIN_POSITIVE } else { noise };
            let part = (fine - coarse) / size.max(noise);
            if part.abs() > worst {
                (worst, component) = (part.abs(), i);
            }
            sum += part * part;
        }
        if !sum.is_finite() {
            return Err(Trouble::NonFinite { component });
        }
        Ok(((sum / dim.max(1) as f64).sqrt(), component))
    }

    /// The factor of where the step begins.
    fn restore<S: Mechanics>(&mut self, system: &mut S) -> Result<(), Trouble<S::Error>> {
        system.evaluate(self.now.t, &self.now.q, &self.now.v)?;
        system.factorize()?;
        self.statistics.evaluations += 1;
        self.statistics.factorizations += 1;
        Ok(())
    }

    /// One step from now; the factor is then that of its end, but for [`Target::Whole`].
    fn one<S: Mechanics>(
        &mut self,
        system: &mut S,
        target: Target,
        wanted: f64,
    ) -> Result<(), Trouble<S::Error>> {
        let MechanicsStepper { engine, now, middle, next, whole, before, .. } = self;
        let to = match target {
            Target::Whole => whole,
            Target::Middle => middle,
            Target::Next => next,
        };
        if let Engine::Alpha(alpha) = engine {
            let h = to.t - now.t;
            // times are products of steps, so that steps of one size differ by rounding
            let same = (self.alpha_h - h).abs() <= SAME * h.abs();
            if !same || target == Target::Whole {
                if self.has_before {
                    alpha.rebase(now, before, h);
                } else {
                    // a step tells how accelerations go on
                    now.algorithmic.copy_from_slice(&now.a);
                    self.statistics.evaluations += alpha.step(system, now, h, to, wanted)? as u64;
                    to.check()?;
                    alpha.lead(now, to);
                }
                self.alpha_h = h;
            }
        }
        let evaluations = engine.step(system, now, to, wanted)?;
        self.statistics.evaluations += evaluations as u64;
        to.check()?;
        let leaves_velocities = self.options.scheme.leaves_velocities();
        if target == Target::Whole {
            if leaves_velocities {
                // as those of the halves, to the order of the error
                to.correct_velocities(system, &mut self.x)?;
                self.statistics.evaluations += 1;
            }
            return Ok(());
        }
        to.settle(system, &mut self.x)?;
        if self.options.scheme.keeps_positions() {
            let most = Sizes::new(&to.q, &to.v, 1.0, 0.0).position() * OPEN.max(100.0 * wanted);
            let open = |x: &f64| x.abs() > most;
            if let Some(row) = system.positions().iter().position(open) {
                let violation = system.positions()[row];
                return Err(Trouble::Open { row, violation });
            }
        }
        self.statistics.evaluations += 1;
        self.statistics.factorizations += 1;
        let adaptive = matches!(self.options.stepping, Stepping::Adaptive(_));
        if adaptive && leaves_velocities {
            // a step of another size would make a jump of what they are off by
            to.project_velocities(system, &mut self.x)?;
            self.statistics.evaluations += 1;
        }
        Ok(())
    }

    /// Takes the step; whether the observer stops.
    fn accept<S: Mechanics>(
        &mut self,
        system: &mut S,
        h: f64,
        halves: bool,
        observer: &mut impl Observer<f64>,
    ) -> bool {
        system.accepted();
        self.statistics.count_accepted(h.abs());
        let MechanicsStepper { now, middle, next, before, interpolant, .. } = self;
        let step = interpolant.step(system, h, [now, next], halves.then_some(middle));
        std::mem::swap(before, now);
        std::mem::swap(now, next);
        if halves {
            std::mem::swap(before, middle);
        }
        self.has_before = true;
        observer.step(&step) != Control::Continue
    }

    /// A first step over which velocities change by a part of a power of the tolerance.
    fn guess(&self, settings: &Adaptive, span: f64) -> f64 {
        let nq = self.sizes[0];
        let mut least = 1.0_f64;
        let mut fastest = 0.0_f64;
        for (i, (v, a)) in self.now.v.iter().zip(&self.now.a).enumerate() {
            fastest = fastest.max(a.abs() / v.abs().max(1.0));
            let tolerance = settings.rtol.of(nq + i).max(settings.atol.of(nq + i));
            least = least.min(tolerance.max(1e-16));
        }
        let power = power(least, 1.0 / (self.options.scheme.order() + 1) as f64);
        // where nothing happens yet, a part of the interval
        (0.1 * power / fastest.max(1.0 / span)).min(span)
    }
}

/// Where a step goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Whole,
    Middle,
    Next,
}

fn cause<E>(trouble: Trouble<E>) -> Cause<E> {
    match trouble {
        Trouble::Slow { contraction } => Cause::Stages { contraction },
        Trouble::System(source) => Cause::Rhs(Arc::clone(&source)),
        Trouble::NonFinite { component } => Cause::NonFinite { stage: 0, component },
        Trouble::Open { row, violation } => Cause::OpenConstraint { row, violation },
    }
}

/// Integrates a mechanism with constraints from `t0` to `t1`, forward or backward, and leaves the end state in `y`.
///
/// # Arguments
/// - `y`        **in/out**, `(q, v)`, which should satisfy the constraints; after an error, that of the last
///   accepted step
/// - `observer` sees every accepted step; interpolants are Hermite's, of degree 3 for fixed and 5 for adaptive steps
///
/// # Errors
/// As [`integrate`](crate::integrate).
pub fn integrate_mechanics<S: Mechanics>(
    system: &mut S,
    t0: f64,
    t1: f64,
    y: &mut [f64],
    options: &MechanicsOptions,
    observer: &mut impl Observer<f64>,
) -> Result<Outcome<f64>, IntegrateError<S::Error>> {
    let (nq, n, rows) = (system.coordinates(), system.velocities(), system.rows());
    MechanicsStepper::new(nq, n, rows, options)?.run(system, t0, t1, y, observer)
}
