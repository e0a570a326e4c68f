//! One attempt at a step, for every running lane at once.

use pommel_math::{InstructionSet, Kernel, Mask, Real, dispatch};

use crate::kernels::Combine;
use crate::lane::{Lane, MAX_LANES};
use crate::method::Method;
use crate::options::Stepping;
use crate::precision::epsilon;
use crate::verdict::Verdict;
use crate::{Failure, InputError, Options, Statistics, Step, System};

/// An integration in progress, with the memory that it needs.
///
/// Made once for a dimension and options, it may run any number of integrations. The loop that
/// [`run`](Stepper::run) performs is
///
/// ```
/// # use pommel_integrate::{Adaptive, Options, Stepper, Tableau, from_fn};
/// # let mut system = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = -y[0]);
/// # let options = Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(1e-6, 1e-9));
/// let mut stepper = Stepper::new(1, &options)?;
/// let mut failures = stepper.start(&mut system, 0.0, 1.0, &[1.0])?;
/// while stepper.running().any() {
///     let attempt = stepper.step(&mut system);
///     failures.extend(attempt.failures);
/// }
/// assert!(failures.is_empty());
/// assert_eq!(stepper.t(), 1.0);
/// # Ok::<(), pommel_integrate::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stepper<T> {
    pub(crate) n: usize,
    pub(crate) options: Options,
    pub(crate) method: Method<T>,
    pub(crate) epsilon: f64,
    pub(crate) lanes: [Lane; MAX_LANES],
    pub(crate) t0: T,
    pub(crate) t1: T,
    pub(crate) t_old: T,
    pub(crate) t_new: T,
    pub(crate) h: T,
    /// Lanes whose new state becomes the old one when the next attempt begins.
    pub(crate) commit: Mask,
    pub(crate) advanced: Mask,
    pub(crate) y_old: Vec<T>,
    pub(crate) y_new: Vec<T>,
    pub(crate) y_stage: Vec<T>,
    /// Derivatives, stage by stage; then that of the new state, if it is none of them, then the extra
    /// stages.
    pub(crate) k: Vec<T>,
    /// Whether the extra stages are those of the last step.
    pub(crate) extended: bool,
    pub(crate) calls: u64,
}

/// What one call of [`Stepper::step`] did.
#[derive(Clone, Debug)]
#[must_use]
pub struct Attempt<E> {
    /// Lanes that accepted a step.
    pub accepted: Mask,
    /// Lanes that ended here without reaching their end time.
    pub failures: Vec<Failure<E>>,
}

impl<T: Real> Stepper<T> {
    /// Memory for systems with `dim` components.
    ///
    /// # Errors
    /// [`InputError`] if the options make no sense, or have tolerances for another dimension.
    pub fn new(dim: usize, options: &Options) -> Result<Stepper<T>, InputError> {
        options.check(dim)?;
        let method = Method::new(&options.tableau, &options.stepping, dim);
        let zeros = || vec![T::zero(); dim];
        Ok(Stepper {
            n: dim,
            options: options.clone(),
            epsilon: epsilon::<T>(),
            lanes: [Lane::new(options.stepping.controller(), method.k); MAX_LANES],
            t0: T::zero(),
            t1: T::zero(),
            t_old: T::zero(),
            t_new: T::zero(),
            h: T::zero(),
            commit: Mask::NONE,
            advanced: Mask::NONE,
            y_old: zeros(),
            y_new: zeros(),
            y_stage: zeros(),
            k: vec![T::zero(); method.derivatives(dim)],
            extended: false,
            method,
            calls: 0,
        })
    }

    /// Time reached.
    pub fn t(&self) -> T {
        self.t_new
    }

    /// State reached.
    pub fn y(&self) -> &[T] {
        &self.y_new
    }

    /// Lanes that have neither reached their end time, nor failed, nor been stopped.
    #[inline(always)]
    pub fn running(&self) -> Mask {
        Mask::from_fn(T::LANES, |i| self.lanes[i].running)
    }

    /// Lanes that [`stop`](Stepper::stop) ended.
    pub fn stopped(&self) -> Mask {
        Mask::from_fn(T::LANES, |i| self.lanes[i].stopped)
    }

    /// Ends the given lanes where they are; those that are not running are not touched.
    pub fn stop(&mut self, lanes: Mask) {
        for (i, lane) in self.lanes[..T::LANES].iter_mut().enumerate() {
            if lanes.lane(i) && lane.running {
                lane.running = false;
                lane.stopped = true;
            }
        }
    }

    /// Counts of one lane.
    ///
    /// # Panics
    /// If `lane` is not below the number of lanes.
    pub fn statistics(&self, lane: usize) -> Statistics {
        self.lanes[..T::LANES][lane].statistics
    }

    /// Calls of the system's right-hand side since [`start`](Stepper::start), for all lanes at
    /// once.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The last accepted step; of no length before the first.
    pub fn last_step(&self) -> Step<'_, T> {
        Step {
            t_old: self.t_old,
            t_new: self.t_new,
            h: self.h,
            advanced: self.advanced,
            y_old: &self.y_old,
            y_new: &self.y_new,
            dy_new: &self.k[self.method.end..self.method.end + self.n],
            k: &self.k,
            polynomials: if self.extended || self.method.extra.is_empty() {
                &self.method.polynomials
            } else {
                &self.method.hermite
            },
            visits: None,
        }
    }

    /// Evaluates what [`last_step`](Stepper::last_step) needs to interpolate with the order of the
    /// method's dense output, if the stages of the step do not suffice (of the methods that come with the
    /// crate, for [`Tableau::dormand_prince_853`](crate::Tableau::dormand_prince_853)). Without, the step
    /// interpolates by a cubic. [`run`](Stepper::run) calls it where the observer asks for it.
    ///
    /// # Errors
    /// That of the system; the step then interpolates by a cubic.
    ///
    /// # Panics
    /// If the system has another dimension than at the [`start`](Stepper::start).
    pub fn extend<S: System<T>>(&mut self, system: &mut S) -> Result<(), S::Error> {
        assert_eq!(system.dim(), self.n, "dimension of the system against that of the stepper");
        if self.extended || self.advanced.is_none() {
            return Ok(());
        }
        let (n, first) = (self.n, self.method.end + self.n);
        // lanes that stand still see their state again
        let h = self.t_new - self.t_old;
        for (e, (row, c)) in self.method.extra.iter().enumerate() {
            let at = first + e * n;
            let (done, rest) = self.k.split_at_mut(at);
            dispatch(Combine { h, y: &self.y_old, k: done, row, out: &mut self.y_stage });
            let t = h.mul_add(T::from_f64(*c), self.t_old);
            count_call::<T>(&mut self.calls, &mut self.lanes, self.advanced);
            system.rhs(t, &self.y_stage, &mut rest[..n])?;
        }
        self.extended = true;
        Ok(())
    }

    /// Whether dense output takes more evaluations than steps do.
    pub(crate) fn needs_extra(&self) -> bool {
        !self.method.extra.is_empty()
    }

    /// Tries one step in every running lane; does nothing if there is none.
    ///
    /// # Panics
    /// If the system has another dimension than at the [`start`](Stepper::start).
    pub fn step<S: System<T>>(&mut self, system: &mut S) -> Attempt<S::Error> {
        assert_eq!(system.dim(), self.n, "dimension of the system against that of the stepper");
        if self.running().is_none() {
            return Attempt { accepted: Mask::NONE, failures: Vec::new() };
        }
        dispatch(Try(self, system))
    }

    #[inline(always)]
    fn attempt<S: System<T>>(&mut self, system: &mut S) -> Attempt<S::Error> {
        self.commit();
        self.extended = false;
        self.plan();
        match self.evaluate(system) {
            Ok(verdicts) => self.conclude(&verdicts),
            Err(error) => self.retreat(error),
        }
    }

    /// The stages and the verdicts on them.
    #[inline(always)]
    fn evaluate<S: System<T>>(&mut self, system: &mut S) -> Result<[Verdict; MAX_LANES], S::Error> {
        self.stages(system)?;
        let mut verdicts = self.judge();
        self.finish(system, &mut verdicts)?;
        Ok(verdicts)
    }

    /// The new state of the last accepted step becomes the old one.
    #[inline(always)]
    pub(crate) fn commit(&mut self) {
        let (n, end, commit) = (self.n, self.method.end, self.commit);
        self.t_old = T::select(commit, self.t_new, self.t_old);
        if commit.is_all(T::LANES) {
            std::mem::swap(&mut self.y_old, &mut self.y_new);
            self.k.copy_within(end..end + n, 0);
        } else if commit.any() {
            for i in 0..n {
                self.y_old[i] = T::select(commit, self.y_new[i], self.y_old[i]);
                self.k[i] = T::select(commit, self.k[end + i], self.k[i]);
            }
        }
        self.commit = Mask::NONE;
        self.advanced = Mask::NONE;
    }

    /// Size and end of the step to try, per lane: zero where a lane is not running.
    #[inline(always)]
    fn plan(&mut self) {
        let fixed = matches!(self.options.stepping, Stepping::Fixed(_));
        for (i, lane) in self.lanes[..T::LANES].iter_mut().enumerate() {
            lane.h_tried = 0.0;
            lane.last = false;
            if lane.running {
                let remaining = (self.t1.lane(i) - self.t_old.lane(i)).abs();
                if fixed { lane.plan_fixed(remaining) } else { lane.plan_adaptive(remaining) }
            }
        }
        let lanes = &self.lanes;
        let last = Mask::from_fn(T::LANES, |i| lanes[i].last);
        let h = T::from_lanes(|i| lanes[i].direction * lanes[i].h_tried);
        self.h = T::select(last, self.t1 - self.t_old, h);
        let t_new = if fixed {
            // a product, so that rounding does not add up from step to step
            let from_start = T::from_lanes(|i| {
                let steps = lanes[i].statistics.steps + u64::from(lanes[i].running);
                lanes[i].direction * lanes[i].h * steps as f64
            });
            T::select(self.running(), self.t0 + from_start, self.t_old)
        } else {
            self.t_old + self.h
        };
        self.t_new = T::select(last, self.t1, t_new);
    }

    /// Evaluates the stages after the first, and the new state.
    #[inline(always)]
    fn stages<S: System<T>>(&mut self, system: &mut S) -> Result<(), S::Error> {
        let (n, running) = (self.n, self.running());
        let last = if self.method.first_same_as_last { self.method.stages - 1 } else { usize::MAX };
        for i in 1..self.method.stages {
            let (done, rest) = self.k.split_at_mut(i * n);
            // the last stage of such a method is evaluated at the new state
            let y_stage = if i == last { &mut self.y_new } else { &mut self.y_stage };
            let row = &self.method.a[i];
            Combine { h: self.h, y: &self.y_old, k: done, row, out: y_stage }.run();
            let c = self.method.c[i];
            let t = if c == 1.0 { self.t_new } else { self.h.mul_add(T::from_f64(c), self.t_old) };
            count_call::<T>(&mut self.calls, &mut self.lanes, running);
            system.rhs(t, y_stage, &mut rest[..n])?;
        }
        if !self.method.first_same_as_last {
            let (y, k, row) = (&self.y_old, &self.k, &self.method.b);
            Combine { h: self.h, y, k, row, out: &mut self.y_new }.run();
        }
        Ok(())
    }
}

/// One attempt, compiled for the best instruction set as a whole: every operation on lanes would be a call
/// otherwise.
struct Try<'a, T, S>(&'a mut Stepper<T>, &'a mut S);

impl<T: Real, S: System<T>> Kernel for Try<'_, T, S> {
    type Output = Attempt<S::Error>;
    const SETS: [InstructionSet; 2] = if T::LANES == 1 {
        InstructionSet::up_to(InstructionSet::Avx2Fma, T::SETS)
    } else {
        T::SETS
    };

    #[inline(always)]
    fn run(self) -> Attempt<S::Error> {
        self.0.attempt(self.1)
    }
}

/// Counts a call of the right-hand side, for the lanes that it is made for.
#[inline(always)]
pub(crate) fn count_call<T: Real>(calls: &mut u64, lanes: &mut [Lane; MAX_LANES], of: Mask) {
    *calls += 1;
    for (i, lane) in lanes[..T::LANES].iter_mut().enumerate() {
        lane.statistics.evaluations += u64::from(of.lane(i));
    }
}
