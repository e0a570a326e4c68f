//! Steps of an implicit method.

use std::sync::Arc;

use pommel_math::Mask;

use super::control::Predictive;
use super::linear::Mass;
use super::newton::Trouble;
use super::stages::{Factors, Stages, combine};
use super::{ImplicitOptions, StiffSystem};
use crate::kernels::Polynomial;
use crate::options::Stepping;
use crate::precision::rounding_of_quotient;
use crate::{Cause, Failure, InputError, Statistics, Step};

/// An implicit integration in progress, with the memory that it needs.
///
/// Made once for a dimension and options, it may [`run`](ImplicitStepper::run) any number of integrations. One system at
/// a time: there are no lanes. Batches go over threads, a stepper in each.
#[derive(Debug)]
pub struct ImplicitStepper {
    pub(super) n: usize,
    pub(super) options: ImplicitOptions,
    pub(super) mass: Mass,
    /// what errors are weighted by beside the tolerance: powers of the step
    pub(super) powers: Vec<i32>,
    pub(super) rtol: Vec<f64>,
    pub(super) atol: Vec<f64>,
    pub(super) jacobian: Vec<f64>,
    /// whether the Jacobian is that of the state that the step begins with
    pub(super) fresh: bool,
    /// whether it is good enough for the next step
    pub(super) good: bool,
    /// the signed step that factors are for; 0 if there are none
    pub(super) factored: f64,
    pub(super) factors: Factors,
    pub(super) stages: Stages,
    /// the derivatives of the stages, then that of the new state
    pub(super) k: Vec<f64>,
    pub(super) polynomials: Vec<Polynomial<f64>>,
    pub(super) scale: Vec<f64>,
    pub(super) error: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    pub(super) control: Predictive,
    /// what `contraction / (1 − contraction)` was in the last step
    pub(super) contraction: f64,
    pub(super) t: f64,
    pub(super) t0: f64,
    pub(super) t1: f64,
    pub(super) t_old: f64,
    /// signed step that was tried last
    pub(super) h: f64,
    /// magnitude of the next step
    pub(super) next: f64,
    pub(super) h_max: f64,
    pub(super) total_steps: u64,
    pub(super) y: Vec<f64>,
    pub(super) y_old: Vec<f64>,
    pub(super) statistics: Statistics,
}

/// What came of an attempt.
pub(super) enum Tried<E> {
    Accepted,
    Rejected,
    Failed(Failure<E>),
}

impl ImplicitStepper {
    /// Memory for systems with `dim` components.
    ///
    /// # Errors
    /// [`InputError`] if the options make no sense, or have tolerances for another dimension.
    pub fn new(dim: usize, options: &ImplicitOptions) -> Result<Self, InputError> {
        options.check(dim)?;
        let tableau = &options.tableau;
        let s = tableau.stages();
        let (rtol, atol) = match &options.stepping {
            Stepping::Fixed(_) => (Vec::new(), Vec::new()),
            Stepping::Adaptive(settings) => (
                (0..dim).map(|i| settings.rtol.of(i)).collect(),
                (0..dim).map(|i| settings.atol.of(i).max(1e-35)).collect(),
            ),
        };
        let zeros = || vec![0.0; dim];
        Ok(ImplicitStepper {
            n: dim,
            mass: Mass::new(dim),
            powers: vec![0; dim],
            rtol,
            atol,
            jacobian: vec![0.0; dim * dim],
            fresh: false,
            good: false,
            factored: 0.0,
            factors: Factors::new(tableau, dim),
            stages: Stages::new(s, dim),
            k: vec![0.0; (s + 1) * dim],
            polynomials: polynomials(tableau, dim),
            scale: zeros(),
            error: zeros(),
            scratch: zeros(),
            control: Predictive::new(tableau.estimate_order() + 1),
            contraction: 1.0,
            t: 0.0,
            t0: 0.0,
            t1: 0.0,
            t_old: 0.0,
            h: 0.0,
            next: 0.0,
            h_max: f64::INFINITY,
            total_steps: 0,
            y: zeros(),
            y_old: zeros(),
            statistics: Statistics::default(),
            options: options.clone(),
        })
    }

    /// The last accepted step; of no length before the first. What [`Step::dy_new`] tells is f, not y',
    /// where M is not the unit matrix.
    pub fn last_step(&self) -> Step<'_, f64> {
        Step {
            t_old: self.t_old,
            t_new: self.t,
            h: self.t - self.t_old,
            advanced: Mask::all(1),
            y_old: &self.y_old,
            y_new: &self.y,
            dy_new: &self.k[self.k.len() - self.n..],
            k: &self.k,
            polynomials: &self.polynomials,
            visits: None,
        }
    }

    /// Counts of the integration so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Whether the end is reached.
    pub(super) fn is_done(&self) -> bool {
        self.t == self.t1
    }

    fn failure<E>(&self, cause: Cause<E>) -> Failure<E> {
        Failure { lane: 0, t: self.t, step: self.h, cause }
    }

    /// Begins an integration.
    pub(super) fn start<S: StiffSystem>(
        &mut self,
        system: &mut S,
        t0: f64,
        t1: f64,
        y0: &[f64],
    ) -> Result<(), Failure<S::Error>> {
        let n = self.n;
        (self.t0, self.t1, self.t, self.t_old, self.h) = (t0, t1, t0, t0, 0.0);
        self.y.copy_from_slice(y0);
        self.y_old.copy_from_slice(y0);
        self.statistics = Statistics::default();
        (self.fresh, self.good, self.factored, self.contraction) = (false, false, 0.0, 1.0);
        self.control = Predictive::new(self.options.tableau.estimate_order() + 1);
        self.k.fill(0.0);
        if !(t0.is_finite() && t1.is_finite()) {
            return Err(self.failure(Cause::Time));
        }
        if let Some(component) = y0.iter().position(|y| !y.is_finite()) {
            return Err(self.failure(Cause::InitialState { component }));
        }
        // the Jacobian's memory serves M first
        self.jacobian.fill(0.0);
        if system.mass(&mut self.jacobian) {
            self.mass.set(&self.jacobian, n);
        } else {
            self.mass.set_unit();
        }
        for (i, power) in self.powers.iter_mut().enumerate() {
            *power = i32::from(system.index(i).max(1)) - 1;
        }
        let span = (t1 - t0).abs();
        if span == 0.0 {
            return Ok(());
        }
        self.derivative(system).map_err(|cause| self.failure(cause))?;
        match &self.options.stepping {
            Stepping::Fixed(h) => {
                if *h < 10.0 * f64::EPSILON * t0.abs().max(t1.abs()) && *h < span {
                    return Err(self.failure(Cause::StepBelowResolution));
                }
                self.next = *h;
                let steps = span / h * (1.0 - rounding_of_quotient::<f64>());
                self.total_steps = steps.ceil().max(1.0) as u64;
            }
            Stepping::Adaptive(settings) => {
                self.h_max = settings.max_step.unwrap_or(span).min(span);
                self.next = settings.first_step.unwrap_or_else(|| self.guess(span));
                self.next = self.next.max(self.smallest()).min(self.h_max);
            }
        }
        Ok(())
    }

    /// A first step over which the state changes by a part of the tolerance's root, as f tells, or a
    /// millionth of the interval where f is no derivative.
    fn guess(&self, span: f64) -> f64 {
        let derivative = &self.k[self.k.len() - self.n..];
        let (mut fastest, mut least) = (0.0_f64, 1.0_f64);
        for i in 0..self.n {
            let size = self.atol[i] + self.rtol[i] * self.y[i].abs();
            fastest = fastest.max(derivative[i].abs() / size);
            least = least.min(self.rtol[i].max(1e-16));
        }
        let explicit = self.mass.is_unit();
        if explicit && fastest > 0.0 && fastest.is_finite() {
            let exponent = -1.0 / self.control.k();
            0.1 * crate::control::power(least, exponent) / fastest
        } else {
            1e-6 * span
        }
    }

    /// The least step.
    fn smallest(&self) -> f64 {
        let set = match &self.options.stepping {
            Stepping::Fixed(_) => 0.0,
            Stepping::Adaptive(settings) => settings.min_step,
        };
        set.max(10.0 * f64::EPSILON * self.t.abs().max(self.t1.abs()))
    }

    /// `f(t, y)` at the state that was reached, behind the stages' derivatives.
    fn derivative<S: StiffSystem>(&mut self, system: &mut S) -> Result<(), Cause<S::Error>> {
        let at = self.k.len() - self.n;
        self.statistics.evaluations += 1;
        let dy = &mut self.k[at..];
        system.rhs(self.t, &self.y, dy).map_err(|source| Cause::Rhs(Arc::new(source)))?;
        match dy.iter().position(|x| !x.is_finite()) {
            Some(component) => {
                Err(Cause::NonFinite { stage: self.options.tableau.stages(), component })
            }
            None => Ok(()),
        }
    }

    /// Tries one step.
    pub(super) fn attempt<S: StiffSystem>(&mut self, system: &mut S) -> Tried<S::Error> {
        let limit = self.options.max_steps;
        if self.statistics.steps + self.statistics.rejected >= limit {
            return Tried::Failed(self.failure(Cause::TooManySteps { limit }));
        }
        let fixed = matches!(self.options.stepping, Stepping::Fixed(_));
        let remaining = self.t1 - self.t;
        let (size, last) = if fixed {
            let last = self.statistics.steps + 1 >= self.total_steps;
            (if last { remaining.abs() } else { self.next }, last)
        } else {
            let reaches = remaining.abs() <= 1.01 * self.next;
            (if reaches { remaining.abs() } else { self.next }, reaches)
        };
        let h = if last { remaining } else { size.copysign(remaining) };
        self.h = h;
        if !(self.fresh || self.good) {
            match self.differentiate(system) {
                Ok(()) => self.factored = 0.0,
                Err(cause) => return Tried::Failed(self.failure(cause)),
            }
        }
        if self.factored != h {
            self.statistics.factorizations += self.factors.count();
            if !self.factors.factorize(h, &self.mass, &self.jacobian) {
                self.factored = 0.0;
                return self.again(Cause::SingularMatrix);
            }
            self.factored = h;
        }
        let t_new = if last {
            self.t1
        } else if fixed {
            // a product, so that rounding does not add up from step to step
            let steps = (self.statistics.steps + 1) as f64;
            self.t0 + (self.next * steps).copysign(remaining)
        } else {
            self.t + h
        };
        self.set_scale();
        self.guess_stages(h);
        let newton = match self.solve_stages(system, h, t_new) {
            Ok(newton) => newton,
            Err(Trouble::Slow { contraction }) => {
                return self.again(Cause::Stages { contraction });
            }
            Err(Trouble::Rhs(source)) => return self.again(Cause::Rhs(source)),
            Err(Trouble::NonFinite { stage, component }) => {
                return self.again(Cause::NonFinite { stage, component });
            }
        };
        if fixed {
            return self.accept(system, t_new, newton, None);
        }
        let err = self.estimate(system, h);
        if err < 1.0 {
            return self.accept(system, t_new, newton, Some(err));
        }
        self.statistics.rejected += 1;
        let most = self.options.newton_steps;
        let size = h.abs();
        let smaller = match err.is_finite() {
            true => self.control.reject(size, err, newton, most),
            false => self.control.cut(size),
        };
        if size <= self.smallest() {
            let part = |i: &usize| (self.error[*i] / self.scale[*i]).abs();
            let worst = (0..self.n).max_by(|a, b| part(a).total_cmp(&part(b))).unwrap_or(0);
            return Tried::Failed(self.failure(Cause::Tolerance { error: err, component: worst }));
        }
        self.next = smaller.max(self.smallest());
        Tried::Rejected
    }

    /// After a step whose stages were not found: with new derivatives, or smaller.
    fn again<E>(&mut self, cause: Cause<E>) -> Tried<E> {
        self.statistics.rejected += 1;
        self.contraction = 1.0;
        if !self.fresh {
            // derivatives of an earlier state are to blame first
            self.good = false;
            return Tried::Rejected;
        }
        let fixed = matches!(self.options.stepping, Stepping::Fixed(_));
        let size = self.h.abs();
        if fixed || size <= self.smallest() {
            return Tried::Failed(self.failure(cause));
        }
        self.next = self.control.cut(size).max(self.smallest());
        Tried::Rejected
    }

    /// J at the state that the step begins with.
    fn differentiate<S: StiffSystem>(&mut self, system: &mut S) -> Result<(), Cause<S::Error>> {
        let n = self.n;
        self.statistics.jacobians += 1;
        let wrong = |source| Cause::Rhs(Arc::new(source));
        if !system.jacobian(self.t, &self.y, &mut self.jacobian).map_err(wrong)? {
            let at = self.k.len() - n;
            for j in 0..n {
                let y = self.y[j];
                // away from zero, so that roots and logarithms are not left
                let shift = (f64::EPSILON * y.abs().max(1e-5)).sqrt().copysign(y);
                self.y[j] = y + shift;
                let shift = self.y[j] - y;
                self.statistics.evaluations += 1;
                let result = system.rhs(self.t, &self.y, &mut self.scratch);
                self.y[j] = y;
                result.map_err(wrong)?;
                for i in 0..n {
                    self.jacobian[i * n + j] = (self.scratch[i] - self.k[at + i]) / shift;
                }
            }
        }
        if let Some(at) = self.jacobian.iter().position(|x| !x.is_finite()) {
            return Err(Cause::NonFinite { stage: 0, component: at / n.max(1) });
        }
        (self.fresh, self.good) = (true, true);
        Ok(())
    }

    /// What components are weighed by.
    fn set_scale(&mut self) {
        let h = self.h.abs();
        if matches!(self.options.stepping, Stepping::Fixed(_)) {
            let largest = self.y.iter().fold(f64::MIN_POSITIVE, |most, y| most.max(y.abs()));
            for (i, scale) in self.scale.iter_mut().enumerate() {
                let size = self.y[i].abs().max(1e-3 * largest);
                *scale = self.options.newton_tolerance * size / h.powi(self.powers[i]);
            }
        } else {
            for (i, scale) in self.scale.iter_mut().enumerate() {
                let tolerance = self.atol[i] + self.rtol[i] * self.y[i].abs();
                *scale = tolerance / h.powi(self.powers[i]);
            }
        }
    }

    /// Takes the step.
    fn accept<S: StiffSystem>(
        &mut self,
        system: &mut S,
        t_new: f64,
        newton: usize,
        err: Option<f64>,
    ) -> Tried<S::Error> {
        let (n, s) = (self.n, self.options.tableau.stages());
        let before = self.t;
        std::mem::swap(&mut self.y, &mut self.y_old);
        self.y.copy_from_slice(&self.y_old);
        for (z, d) in self.stages.z.chunks_exact(n.max(1)).zip(&self.options.tableau.d) {
            if *d != 0.0 {
                self.y.iter_mut().zip(z).for_each(|(y, z)| *y += d * z);
            }
        }
        self.t = t_new;
        self.scratch.copy_from_slice(&self.k[s * n..]);
        if let Err(cause) = self.derivative(system) {
            // as if it had not been
            self.t = before;
            std::mem::swap(&mut self.y, &mut self.y_old);
            self.k[s * n..].copy_from_slice(&self.scratch);
            return self.again(cause);
        }
        self.t_old = before;
        // derivatives of the stages: h⁻¹ A⁻¹ z
        combine(&self.options.tableau.inverse, &self.stages.z, n, &mut self.k[..s * n]);
        let h = self.h;
        self.k[..s * n].iter_mut().for_each(|k| *k /= h);
        let at = self.k.len() - n;
        system.project(self.t, &mut self.y, &mut self.k[at..]);
        self.fresh = false;
        self.statistics.count_accepted(h.abs());
        if let Some(err) = err {
            let most = self.options.newton_steps;
            let next = self.control.accept(h.abs(), err, newton, most);
            self.next = next.max(self.smallest()).min(self.h_max);
        }
        Tried::Accepted
    }
}

/// `r_j(θ) = b_j(θ) − (3θ² − 2θ³) b_j` of every stage.
fn polynomials(tableau: &crate::ImplicitTableau, n: usize) -> Vec<Polynomial<f64>> {
    let rows = tableau.continuous.iter().enumerate().map(|(j, weights)| {
        let b: f64 = weights.iter().sum();
        let mut coefficients = weights.clone();
        coefficients.resize(weights.len().max(3), 0.0);
        coefficients[1] -= 3.0 * b;
        coefficients[2] += 2.0 * b;
        Polynomial { offset: j * n, coefficients, series: Vec::new() }
    });
    rows.collect()
}
