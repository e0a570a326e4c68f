//! What can go wrong, before and during an integration.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::mechanics::SchemeError;

/// The caller's input cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputError {
    /// The state has another length than the system says.
    Dimension {
        /// [`System::dim`](crate::System::dim).
        expected: usize,
        /// Length of the state.
        found: usize,
    },
    /// A tolerance is negative, infinite or NaN.
    Tolerance {
        /// The component.
        component: usize,
        /// The tolerance.
        value: f64,
    },
    /// The step control of `ode45` needs a relative tolerance above zero for every component.
    NoRelativeTolerance {
        /// The first component without.
        component: usize,
    },
    /// Both tolerances of a component are zero, which no step meets.
    NoTolerance {
        /// The first such component.
        component: usize,
    },
    /// There are tolerances per component, but not one for each.
    ToleranceLength {
        /// Dimension of the system.
        expected: usize,
        /// Number of tolerances.
        found: usize,
    },
    /// A step size is not positive and finite.
    Step {
        /// The step size.
        value: f64,
    },
    /// Implicit methods choose their steps by a controller of their own, not by that of a name.
    NoController {
        /// Its name.
        name: &'static str,
    },
    /// A scheme for motion under constraints makes no sense.
    Scheme(SchemeError),
    /// Adaptive steps were asked from a method without embedded weights.
    NoErrorEstimate,
    /// A sample time lies outside the integration's interval, or before the one before it.
    SampleTime {
        /// The lane whose interval it is.
        lane: usize,
        /// Index of the sample time.
        index: usize,
        /// The sample time.
        t: f64,
    },
    /// The spacing of samples is not positive, not finite, or too small for the interval.
    SampleSpacing {
        /// The spacing.
        value: f64,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Dimension { expected, found } => {
                write!(f, "the state has {found} components, but the system has {expected}")
            }
            InputError::Tolerance { component, value } => {
                write!(f, "tolerance {value:e} of component {component} must be finite and not negative")
            }
            InputError::NoTolerance { component } => write!(
                f,
                "both tolerances of component {component} are zero, which no step meets: give one above zero"
            ),
            InputError::NoRelativeTolerance { component } => write!(
                f,
                "the relative tolerance of component {component} is 0, but `Controller::Ode45` \
                 needs one above; take `Controller::Pi`, or a small number"
            ),
            InputError::ToleranceLength { expected, found } => {
                write!(f, "{found} tolerances for {expected} components; give one number, or one each")
            }
            InputError::Step { value } => {
                write!(f, "step size {value:e} must be positive and finite")
            }
            InputError::NoController { name } => {
                write!(f, "implicit methods do not know the step control '{name}'; leave it as it is")
            }
            InputError::Scheme(error) => error.fmt(f),
            InputError::NoErrorEstimate => f.write_str(
                "the method has no embedded weights to estimate its error; take fixed steps, or a pair \
                 such as `Tableau::dormand_prince_54()`",
            ),
            InputError::SampleTime { lane, index, t } => write!(
                f,
                "sample time {t:e} (index {index}) is outside the interval of lane {lane}, or out of order"
            ),
            InputError::SampleSpacing { value } => {
                write!(f, "sample spacing {value:e} must be positive and resolve the interval")
            }
        }
    }
}

impl Error for InputError {}

/// Why the integration of a lane ended before its end time.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause<E> {
    /// The start or end time is infinite or NaN.
    Time,
    /// The initial state is infinite or NaN.
    InitialState {
        /// The first such component.
        component: usize,
    },
    /// The system returned an error, however small the step was made.
    Rhs(Arc<E>),
    /// A number that is not finite appeared, however small the step was made.
    NonFinite {
        /// The stage whose derivative was the first to have it; the number of stages if only the
        /// new state has it.
        stage: usize,
        /// Component of that stage.
        component: usize,
    },
    /// The tolerance cannot be met with the smallest step.
    Tolerance {
        /// Error norm of the last attempt; 1 would have been accepted.
        error: f64,
        /// The component with the largest part in it.
        component: usize,
    },
    /// Newton's method found no stages of an implicit method, however small the step was made.
    Stages {
        /// What its changes were multiplied by from one step to the next, at last; 1 and more do not
        /// converge.
        contraction: f64,
    },
    /// A constraint on positions stayed open at the end of a step, however small the step was made: next to a singular
    /// position, rows that depend on others for a moment are left out.
    OpenConstraint {
        /// The row of Φ.
        row: usize,
        /// Its Φ.
        violation: f64,
    },
    /// The matrix `M − h J` of an implicit method has no inverse, however small the step was made.
    SingularMatrix,
    /// The number of steps reached its limit.
    TooManySteps {
        /// The limit.
        limit: u64,
    },
    /// A fixed step is below the resolution of the time.
    StepBelowResolution,
}

impl<E> Clone for Cause<E> {
    fn clone(&self) -> Self {
        match self {
            Cause::Time => Cause::Time,
            Cause::InitialState { component } => Cause::InitialState { component: *component },
            Cause::Rhs(source) => Cause::Rhs(Arc::clone(source)),
            Cause::NonFinite { stage, component } => {
                Cause::NonFinite { stage: *stage, component: *component }
            }
            Cause::Tolerance { error, component } => {
                Cause::Tolerance { error: *error, component: *component }
            }
            Cause::Stages { contraction } => Cause::Stages { contraction: *contraction },
            Cause::OpenConstraint { row, violation } => {
                Cause::OpenConstraint { row: *row, violation: *violation }
            }
            Cause::SingularMatrix => Cause::SingularMatrix,
            Cause::TooManySteps { limit } => Cause::TooManySteps { limit: *limit },
            Cause::StepBelowResolution => Cause::StepBelowResolution,
        }
    }
}

/// A lane that could not be integrated to its end time.
///
/// Its state stays that of the last accepted step, at time [`t`](Failure::t).
#[derive(Clone, Debug)]
pub struct Failure<E> {
    /// The lane; 0 for a scalar with one.
    pub lane: usize,
    /// Time of the last accepted step.
    pub t: f64,
    /// Size, with sign, of the step that failed; 0 before the first.
    pub step: f64,
    /// What happened.
    pub cause: Cause<E>,
}

impl<E> fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { lane, t, step, cause } = self;
        if *lane > 0 {
            write!(f, "lane {lane}, ")?;
        }
        write!(f, "t = {t:e}, step {step:e}: ")?;
        match cause {
            Cause::Time => f.write_str("the start or end time is not finite"),
            Cause::InitialState { component } => {
                write!(f, "component {component} of the initial state is not finite")
            }
            Cause::Rhs(_) => f.write_str("the system could not be evaluated"),
            Cause::NonFinite { stage, component } => {
                write!(f, "component {component} of stage {stage} is not finite")
            }
            Cause::Tolerance { error, component } => write!(
                f,
                "the error is {error:e} times the tolerance at the smallest step, mostly in component \
                 {component}; a discontinuity, a singularity, or a tolerance below rounding"
            ),
            Cause::Stages { contraction } => write!(
                f,
                "the stages of the implicit method were not found (changes are multiplied by \
                 {contraction:.2} from one iteration to the next); a smaller step, or derivatives that \
                 are exact, may help"
            ),
            Cause::OpenConstraint { row, violation } => write!(
                f,
                "row {row} of the constraints stays open by {violation:e}: the position is next to a singular one; \
                 projection of accelerations may pass it"
            ),
            Cause::SingularMatrix => f.write_str(
                "the matrix M/h − ∂f/∂y has no inverse: equations depend on each other, or do not \
                 determine all components",
            ),
            Cause::TooManySteps { limit } => write!(
                f,
                "the limit on steps, {limit}, is reached; if the step is far below what the \
                 solution seems to need, the problem is stiff"
            ),
            Cause::StepBelowResolution => {
                f.write_str("the fixed step is below the resolution of the time")
            }
        }
    }
}

impl<E: Error + 'static> Error for Failure<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Rhs(source) => Some(&**source),
            _ => None,
        }
    }
}

/// Why [`integrate`](crate::integrate) gave no end state.
#[derive(Clone, Debug)]
pub enum IntegrateError<E> {
    /// The input cannot be used; nothing was evaluated.
    Input(InputError),
    /// A lane failed on its way.
    Failed(Failure<E>),
}

impl<E> From<InputError> for IntegrateError<E> {
    fn from(error: InputError) -> Self {
        IntegrateError::Input(error)
    }
}

impl<E> fmt::Display for IntegrateError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntegrateError::Input(error) => error.fmt(f),
            IntegrateError::Failed(failure) => failure.fmt(f),
        }
    }
}

impl<E: Error + 'static> Error for IntegrateError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            IntegrateError::Input(error) => Some(error),
            IntegrateError::Failed(failure) => failure.source(),
        }
    }
}
