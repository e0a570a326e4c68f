//! Why an integration with events ended early.

use std::error::Error;
use std::fmt;

use crate::IntegrateError;

/// Why an integration with events ended early.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EventError<E> {
    /// The integration failed.
    Integrate(IntegrateError<E>),
    /// An event function is NaN or infinite.
    NotFinite {
        /// Name of the function.
        name: String,
        /// The time.
        t: f64,
    },
    /// An event function was zero at all points of several steps: it tells nothing.
    ConstantZero {
        /// Name of the function.
        name: String,
        /// The time from which on it is zero.
        t: f64,
    },
    /// Restarts come ever faster and pile up at a time beyond which there is no solution of this
    /// kind (Zeno): a ball that comes to rest.
    Zeno {
        /// Name of the function whose events pile up.
        name: String,
        /// The last of them.
        t: f64,
        /// Where they pile up.
        limit: f64,
        /// How many there were.
        count: usize,
    },
    /// More events than [`MAX_EVENTS`](super::MAX_EVENTS).
    TooMany {
        /// Name of the function of the last one.
        name: String,
        /// Its time.
        t: f64,
    },
}

impl<E> From<IntegrateError<E>> for EventError<E> {
    fn from(error: IntegrateError<E>) -> Self {
        EventError::Integrate(error)
    }
}

impl<E> fmt::Display for EventError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventError::Integrate(error) => error.fmt(f),
            EventError::NotFinite { name, t } => {
                write!(f, "{name}: its function is not finite at t = {t:e}")
            }
            EventError::ConstantZero { name, t } => write!(
                f,
                "{name}: its function is zero from t = {t:e} on, so that it tells no event; leave it out \
                 while it does"
            ),
            EventError::Zeno { name, t, limit, count } => write!(
                f,
                "{name}: after {count} restarts, at t = {t:e}, events pile up at t = {limit:e}; let \
                 what happens there end by another state, such as rest"
            ),
            EventError::TooMany { name, t } => {
                write!(f, "{name}: at t = {t:e} there were {} events", super::MAX_EVENTS)
            }
        }
    }
}

impl<E: Error + 'static> Error for EventError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            EventError::Integrate(error) => Some(error),
            _ => None,
        }
    }
}
