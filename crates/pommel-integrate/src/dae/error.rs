//! What can be wrong with a differential-algebraic system, and on the way through it.

use std::error::Error;
use std::fmt;

/// Why a differential-algebraic system could not be analysed, started or evaluated.
///
/// Equations and components are counted from 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DaeError {
    /// A slice has another length than the system has components.
    Dimension {
        /// [`Dae::dim`](crate::Dae::dim), or the number of hidden constraints.
        expected: usize,
        /// Length of the slice.
        found: usize,
    },
    /// The system has no equations.
    Empty,
    /// The time is infinite or NaN.
    Time,
    /// A guess is infinite or NaN.
    State {
        /// The first such component.
        component: usize,
    },
    /// A rank tolerance is not above 0 and below 0.01.
    RankTolerance {
        /// The tolerance.
        value: f64,
    },
    /// A greater index is asked for than there are derivatives.
    MaxIndex {
        /// The index asked for.
        value: usize,
        /// The greatest possible.
        limit: usize,
    },
    /// The rate of Baumgarte's method is negative, infinite or NaN.
    Rate {
        /// The rate, 1/s.
        value: f64,
    },
    /// No assignment gives every equation an unknown of its own: some equations have too few unknowns,
    /// some unknowns too few equations.
    StructurallySingular {
        /// Equations that share too few unknowns.
        equations: Vec<usize>,
        /// Components that no equation is left for.
        components: Vec<usize>,
    },
    /// Equations depend on each other, so that they do not determine all components.
    Singular {
        /// Time.
        t: f64,
        /// How often the equations were differentiated until that showed.
        order: usize,
        /// The equations that depend on each other.
        equations: Vec<usize>,
        /// Components whose derivatives they leave open.
        components: Vec<usize>,
    },
    /// A singular value is too near the rank tolerance to say whether it is zero.
    AmbiguousRank {
        /// Time.
        t: f64,
        /// How often the equations were differentiated.
        order: usize,
        /// The scaled singular value.
        value: f64,
        /// The rank tolerance.
        tolerance: f64,
    },
    /// Index or number of constraints are others at a consistent state close by: the state is singular,
    /// and what is found there does not hold around it.
    RankChanges {
        /// Time.
        t: f64,
        /// Differentiation index and number of constraints at the state, if it has an index.
        here: Option<(usize, usize)>,
        /// The same close by.
        nearby: Option<(usize, usize)>,
    },
    /// Not all derivatives are determined by as many differentiations as are allowed.
    IndexAbove {
        /// Their number.
        limit: usize,
        /// Components whose derivatives are open.
        components: Vec<usize>,
    },
    /// The residual, or a derivative of it, is infinite or NaN.
    NonFinite {
        /// Time.
        t: f64,
        /// The equation.
        equation: usize,
        /// How often it is differentiated by time.
        differentiated: usize,
    },
    /// Held components contradict the constraints, or each other by way of them.
    Contradiction {
        /// Time.
        t: f64,
        /// The held components concerned.
        components: Vec<usize>,
        /// The equations concerned.
        equations: Vec<usize>,
    },
    /// No consistent values were found from the guess.
    NoConsistentState {
        /// Time.
        t: f64,
        /// How often the equations were differentiated.
        order: usize,
        /// The equation with the largest residual left.
        equation: usize,
        /// Its scaled residual.
        residual: f64,
    },
    /// The derivatives of a state are not determined any more: the system is singular there.
    Undetermined {
        /// Time.
        t: f64,
        /// Least pivot relative to the greatest.
        pivot: f64,
    },
    /// Newton's method did not find the derivatives of a state.
    NoConvergence {
        /// Time.
        t: f64,
        /// Its last change, relative.
        change: f64,
    },
    /// A state could not be projected onto the constraints.
    NoProjection {
        /// Time.
        t: f64,
        /// The last change of the state, relative.
        change: f64,
    },
    /// The number of constraints at a state is not that of the start.
    IndexChanged {
        /// Time.
        t: f64,
        /// Index and number of constraints at the start.
        expected: (usize, usize),
        /// The same at the state, if it has an index.
        found: Option<(usize, usize)>,
    },
    /// The singular value decomposition of a derivative array failed.
    Decomposition {
        /// Time.
        t: f64,
    },
}

impl fmt::Display for DaeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair = |found: &Option<(usize, usize)>| match found {
            Some((index, constraints)) => format!("index {index} with {constraints} constraints"),
            None => "no index".to_owned(),
        };
        match self {
            DaeError::Dimension { expected, found } => {
                write!(f, "a slice has length {found}, not {expected}")
            }
            DaeError::Empty => f.write_str("the system has no equations"),
            DaeError::Time => f.write_str("the time is infinite or NaN"),
            DaeError::State { component } => {
                write!(f, "the guess for component {component} is infinite or NaN")
            }
            DaeError::RankTolerance { value } => {
                write!(f, "rank tolerance {value:e} must be above 0 and below 0.01")
            }
            DaeError::MaxIndex { value, limit } => {
                write!(f, "indices up to {limit} can be found, not up to {value}")
            }
            DaeError::Rate { value } => {
                write!(f, "rate {value:e} of Baumgarte's method must be finite and not negative")
            }
            DaeError::StructurallySingular { equations, components } => write!(
                f,
                "equations {equations:?} have too few unknowns, components {components:?} too few \
                 equations"
            ),
            DaeError::Singular { t, order, equations, components } => write!(
                f,
                "at t = {t:e}, equations {equations:?}, differentiated up to {order} times, depend on \
                 each other; the derivatives of components {components:?} stay open"
            ),
            DaeError::AmbiguousRank { t, order, value, tolerance } => write!(
                f,
                "at t = {t:e}, a rank of the equations differentiated up to {order} times is \
                 ambiguous: singular value {value:e} against tolerance {tolerance:e}; choose another \
                 state, other units, or set the tolerance"
            ),
            DaeError::RankChanges { t, here, nearby } => write!(
                f,
                "the state at t = {t:e} is singular: {} there, {} close by; choose another state",
                pair(here),
                pair(nearby)
            ),
            DaeError::IndexAbove { limit, components } => write!(
                f,
                "the index is above {limit}: the derivatives of components {components:?} stay open"
            ),
            DaeError::NonFinite { t, equation, differentiated: 0 } => write!(
                f,
                "at t = {t:e}, the residual of equation {equation} or a derivative of it by its \
                 arguments is infinite or NaN"
            ),
            DaeError::NonFinite { t, equation, differentiated } => write!(
                f,
                "at t = {t:e}, equation {equation}, differentiated {differentiated} times, is \
                 infinite or NaN"
            ),
            DaeError::Contradiction { t, components, equations } => write!(
                f,
                "at t = {t:e}, the values held for components {components:?} contradict equations \
                 {equations:?}; release one of them"
            ),
            DaeError::NoConsistentState { t, order, equation, residual } => write!(
                f,
                "no consistent values at t = {t:e} near the guess: equation {equation} keeps a scaled \
                 residual of {residual:e} (equations differentiated up to {order} times)"
            ),
            DaeError::Undetermined { t, pivot } => write!(
                f,
                "at t = {t:e}, the equations do not determine the derivatives (pivot ratio {pivot:e})"
            ),
            DaeError::NoConvergence { t, change } => write!(
                f,
                "at t = {t:e}, Newton's method for the derivatives ends with a change of {change:e}"
            ),
            DaeError::NoProjection { t, change } => write!(
                f,
                "at t = {t:e}, the state cannot be projected onto the constraints: its last change is \
                 {change:e}"
            ),
            DaeError::IndexChanged { t, expected: (index, constraints), found } => write!(
                f,
                "at t = {t:e}, the system has {}, not index {index} with {constraints} constraints",
                pair(found)
            ),
            DaeError::Decomposition { t } => {
                write!(f, "at t = {t:e}, a singular value decomposition did not converge")
            }
        }
    }
}

impl Error for DaeError {}

/// What was found about a rank, where the time is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RankError {
    /// A singular value too near the tolerance.
    Ambiguous { order: usize, value: f64, tolerance: f64 },
    /// The decomposition failed.
    Decomposition,
}

impl RankError {
    pub(super) fn at(self, t: f64) -> DaeError {
        match self {
            RankError::Ambiguous { order, value, tolerance } => {
                DaeError::AmbiguousRank { t, order, value, tolerance }
            }
            RankError::Decomposition => DaeError::Decomposition { t },
        }
    }
}
