//! The ordinary differential equation of a differential-algebraic system, as something to integrate.

use super::completion::{Completion, Derivatives};
use super::levels::{Chain, Levels};
use super::projector::Projector;
use super::{ConsistentState, Dae, DaeError, DaeOptions, HiddenConstraint, check_input};
use crate::{StiffSystem, System};

/// Steps of a projection.
const MAX_STEPS: usize = 20;

/// A change of the state below this, relative, is the last one: the next would be its square.
const LAST_CHANGE: f64 = 1e-9;

/// The equations of the chains are chosen anew where residuals grow by this against what they did then.
const WORN: f64 = 2.0;

/// With a growth above this, chains must be chosen anew.
const USELESS: f64 = 1e6;

/// `y' = f(t, y)` of a differential-algebraic system, with all components as state, for
/// [`integrate`](crate::integrate) and its relatives.
///
/// At states on all hidden constraints, f is what the system determines. Elsewhere each equation with
/// hidden constraints may have a residual κ, all others hold; at first `κ^(ℓ) = 0`, ℓ being the number of
/// constraints that come from the equation, so that errors drift as polynomials of degree ℓ − 1. With
/// [`baumgarte`](ReducedDae::baumgarte) they decay instead, and with
/// [`projection`](ReducedDae::projection) accepted states are put back onto the constraints, too.
///
/// Neither evaluation nor projection allocates. Calls start Newton's method from the derivatives of the
/// last accepted state, so rejected steps leave no trace; a new integration should start with a new value
/// or [`restart`](ReducedDae::restart).
///
/// # Source
/// The reduction to index 0 of \[Zam19, sections 2.2 and 2.3\], its stabilization of index 3,
/// `alg4 + … = 0` \[Zam19, section 4.3\], with one root of multiplicity ℓ; projection as in
/// \[Zam19, section 4.4\]. Without symbols: see [`consistent_state`](crate::consistent_state).
///
/// ```
/// use pommel_integrate::{
///     Dae, DaeOptions, Options, ReducedDae, Tableau, consistent_state, integrate,
/// };
/// use pommel_math::Real;
///
/// /// `x2' = sin t − x1`, `x3' = 1 − 2 x2 − t (sin t − x1)`, `0 = 2 − t x2 − x3`, of index 3
/// struct Chain;
///
/// impl Dae for Chain {
///     fn dim(&self) -> usize {
///         3
///     }
///     fn residual<S: Real>(&self, t: S, x: &[S], xp: &[S], r: &mut [S]) {
///         let q = t.sin_cos().0;
///         r[0] = xp[1] - q + x[0];
///         r[1] = xp[2] - S::one() + x[1] + x[1] + t * (q - x[0]);
///         r[2] = S::from_f64(2.0) - t * x[1] - x[2];
///     }
/// }
///
/// let start = consistent_state(&Chain, 0.0, &[0.0; 3], &[false; 3], &DaeOptions::default())?;
/// let mut reduced = ReducedDae::new(Chain, &start, &DaeOptions::default())?.projection(true);
/// let (mut y, options) = (start.y.clone(), Options::fixed(Tableau::rk4(), 0.1));
/// integrate(&mut reduced, 0.0, 10.0, &mut y, &options, &mut ())?;
/// // x1 = sin t, x2 = 1, x3 = 2 − t
/// let exact = [10_f64.sin(), 1.0, -8.0];
/// assert!(y.iter().zip(exact).all(|(y, e)| (y - e).abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReducedDae<D> {
    dae: D,
    index: usize,
    rank_tolerance: f64,
    projection: bool,
    completion: Completion,
    levels: Levels,
    projector: Projector,
    start: Start,
    /// derivatives of the last accepted state
    accepted: Derivatives,
    /// those of the state evaluated last, and its time
    last: Derivatives,
    last_t: f64,
    /// growth of residuals where the chains were chosen
    fresh: f64,
    failure: Option<DaeError>,
}

/// What [`ReducedDae::restart`] goes back to.
#[derive(Debug)]
struct Start {
    accepted: Derivatives,
    chains: Vec<Chain>,
    scales: Vec<f64>,
    fresh: f64,
}

impl<D: Dae> ReducedDae<D> {
    /// The differential equation of a system around a consistent state of it, which
    /// [`consistent_state`](crate::consistent_state) gives.
    ///
    /// # Errors
    /// [`DaeError::Dimension`] if the state belongs to another system; errors of an evaluation there, as
    /// those of [`rhs`](System::rhs); [`DaeError::RankTolerance`], [`DaeError::MaxIndex`] for options.
    pub fn new(
        dae: D,
        at: &ConsistentState,
        options: &DaeOptions,
    ) -> Result<ReducedDae<D>, DaeError> {
        options.check()?;
        check_input(&dae, at.t, &at.y)?;
        let (n, index) = (dae.dim(), at.analysis.index);
        let mut completion = Completion::new(n, index, &at.chains, &at.scales);
        let mut accepted = Derivatives::new(at.coefficients.clone(), n, completion.count());
        completion.solve(&dae, at.t, &mut accepted)?;
        let fresh = completion.growth();
        Ok(ReducedDae {
            dae,
            index,
            rank_tolerance: options.rank_tolerance,
            projection: false,
            levels: Levels::new(n, index),
            projector: Projector::new(n, completion.count()),
            start: Start {
                accepted: accepted.clone(),
                chains: at.chains.clone(),
                scales: at.scales.clone(),
                fresh,
            },
            last: accepted.clone(),
            last_t: at.t,
            accepted,
            completion,
            fresh,
            failure: None,
        })
    }

    /// Lets the residual κ of each equation with hidden constraints decay by `(d/dt + rate)^ℓ κ = 0`,
    /// Baumgarte's method for each index. The rate, in 1/s, should be below the inverse of the step size:
    /// it is an eigenvalue of the differential equation. 0 turns the method off.
    ///
    /// # Errors
    /// [`DaeError::Rate`] if the rate is negative or not finite.
    pub fn baumgarte(mut self, rate: f64) -> Result<Self, DaeError> {
        if !(rate >= 0.0 && rate.is_finite()) {
            return Err(DaeError::Rate { value: rate });
        }
        self.completion.set_rate(rate);
        Ok(self)
    }

    /// Whether accepted states are projected onto all hidden constraints, by the shortest change in the
    /// Euclidean norm of the components. Where that fails, the derivative is NaN, so that the integrator
    /// does not accept the step, and [`failure`](ReducedDae::failure) says why.
    pub fn projection(mut self, projection: bool) -> Self {
        self.projection = projection;
        self
    }

    /// The system.
    pub fn dae(&self) -> &D {
        &self.dae
    }

    /// The hidden constraints, in the order of [`residuals`](ReducedDae::residuals); the equations named
    /// may change on the way where others become better suited.
    pub fn constraints(&self) -> impl Iterator<Item = HiddenConstraint> {
        self.completion.chains().iter().flat_map(|chain| {
            (0..chain.length)
                .map(|differentiated| HiddenConstraint { equation: chain.equation, differentiated })
        })
    }

    /// Why an accepted state could not be projected, or the equations of its constraints not be found;
    /// the error contains its time. None if the last one could.
    pub fn failure(&self) -> Option<&DaeError> {
        self.failure.as_ref()
    }

    /// Forgets all states seen: the next evaluation is the one that a new value would make.
    pub fn restart(&mut self) {
        let Start { accepted, chains, scales, fresh } = &self.start;
        self.accepted.copy_from(accepted);
        self.completion.set_chains(chains, scales);
        self.fresh = *fresh;
        self.last_t = f64::NAN;
        self.failure = None;
    }

    /// Residuals of the hidden constraints at a state, in the order of
    /// [`constraints`](ReducedDae::constraints): the left side of an equation, and its derivatives by
    /// time, with derivatives of y from the other equations.
    ///
    /// # Arguments
    /// - `t`, `y` time and state, length n
    /// - `out`    **out**, length of the constraints
    ///
    /// # Errors
    /// [`DaeError::Dimension`], and those of [`rhs`](System::rhs).
    pub fn residuals(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), DaeError> {
        check_input(&self.dae, t, y)?;
        if out.len() != self.completion.count() {
            return Err(DaeError::Dimension {
                expected: self.completion.count(),
                found: out.len(),
            });
        }
        let rate = self.completion.rate();
        self.completion.set_rate(0.0);
        let found = self.evaluate(t, y);
        self.completion.set_rate(rate);
        self.last_t = f64::NAN;
        found?;
        out.copy_from_slice(&self.last.kappa);
        Ok(())
    }

    /// Derivatives of a state, from those of the last accepted one.
    fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), DaeError> {
        self.last.copy_from(&self.accepted);
        self.last.c[..y.len()].copy_from_slice(y);
        self.last_t = f64::NAN;
        self.completion.solve(&self.dae, t, &mut self.last)?;
        self.last_t = t;
        Ok(())
    }

    /// Makes a state that a step ends in the last accepted one.
    fn accept(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), DaeError> {
        let n = y.len();
        if self.last_t != t || self.last.c[..n] != *y {
            self.evaluate(t, y)?;
        }
        if self.projection {
            self.project_last(t)?;
        }
        if self.completion.growth() > WORN * self.fresh {
            self.renew_chains(t)?;
        }
        y.copy_from_slice(&self.last.c[..n]);
        dy.copy_from_slice(&self.last.c[n..2 * n]);
        self.accepted.copy_from(&self.last);
        Ok(())
    }

    /// Projects the state of `last`, whose derivatives and factor are known, and finds them again.
    fn project_last(&mut self, t: f64) -> Result<(), DaeError> {
        let n = self.dae.dim();
        let mut change = 0.0;
        for _ in 0..MAX_STEPS {
            change = self.projector.step(&mut self.completion, &mut self.last, n);
            if !change.is_finite() {
                break;
            }
            self.completion.solve(&self.dae, t, &mut self.last)?;
            if change <= LAST_CHANGE {
                return Ok(());
            }
        }
        Err(DaeError::NoProjection { t, change })
    }

    /// Chooses equations for the chains anew; where ranks do not tell them, the old ones stay as long as
    /// they do.
    fn renew_chains(&mut self, t: f64) -> Result<(), DaeError> {
        let n = self.dae.dim();
        let growth = self.completion.growth();
        self.projector.keep(&self.last.c[..n]);
        let chosen = self.choose_chains(t);
        self.last.c[..n].copy_from_slice(self.projector.kept());
        if let Err(error) = chosen
            && growth > USELESS
        {
            return Err(error);
        }
        self.completion.solve(&self.dae, t, &mut self.last)?;
        self.fresh = self.completion.growth();
        Ok(())
    }

    /// Chooses equations for the chains by the ranks at the consistent state next to that of `last`.
    fn choose_chains(&mut self, t: f64) -> Result<(), DaeError> {
        if !self.projection {
            self.project_last(t)?;
        }
        self.completion.linearize(&self.dae, t, &self.last)?;
        self.levels
            .find(self.completion.array(), self.rank_tolerance)
            .map_err(|error| error.at(t))?;
        let found = self.levels.verdict();
        let expected = (self.index, self.completion.count());
        let lengths = |chains: &[Chain], k: usize| chains[k].length;
        let (old, new) = (self.completion.chains(), self.levels.chains());
        if found != Some(expected)
            || old.len() != new.len()
            || (0..old.len()).any(|k| lengths(old, k) != lengths(new, k))
        {
            return Err(DaeError::IndexChanged { t, expected, found });
        }
        self.completion.set_chains(self.levels.chains(), self.levels.equation_scales());
        Ok(())
    }
}

impl<D: Dae> System<f64> for ReducedDae<D> {
    type Error = DaeError;

    fn dim(&self) -> usize {
        self.dae.dim()
    }

    /// # Errors
    /// [`DaeError::NonFinite`] where the residual does not exist, [`DaeError::Undetermined`] at singular
    /// states, [`DaeError::NoConvergence`].
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), DaeError> {
        self.evaluate(t, y)?;
        dy.copy_from_slice(&self.last.c[y.len()..2 * y.len()]);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        self.failure = self.accept(t, y, dy).err();
        if self.failure.is_some() {
            dy.fill(f64::NAN);
        }
    }
}

impl<D: Dae> StiffSystem for ReducedDae<D> {
    /// Exact to rounding: by automatic differentiation of the derivative array.
    fn jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut [f64]) -> Result<bool, DaeError> {
        self.evaluate(t, y)?;
        self.completion.linearize(&self.dae, t, &self.last)?;
        let n = y.len();
        for v in 0..n {
            self.completion.sensitivity(v, |rates, _| {
                rates.iter().enumerate().for_each(|(i, x)| jacobian[i * n + v] = *x);
            });
        }
        Ok(true)
    }
}
