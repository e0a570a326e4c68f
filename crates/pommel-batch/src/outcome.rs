//! What became of an instance.

use crate::runner::Column;
use pommel_model::ModelError;
use std::any::Any;
use std::borrow::Cow;

/// What became of an instance.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The simulation reached its end.
    Finished {
        /// The quantities, in the order of [`Runner::columns`](crate::Runner::columns). All must be
        /// finite: an instance with another value is recorded as failed, with reason `not finite`.
        values: Vec<f64>,
    },
    /// The simulation did not reach its end.
    Failed {
        /// Kind of failure, short and stable, without numbers: failures are counted by it, and it
        /// is part of the digest. `model`, `panic` and `not finite` are this crate's own.
        reason: Cow<'static, str>,
        /// What happened, with numbers.
        message: String,
        /// Time reached, s.
        time: f64,
    },
}

/// One instance with what became of it: a row of the results.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Index of the instance.
    pub index: u64,
    /// Its parameters, in the order of the plan.
    pub parameters: Vec<f64>,
    /// What became of it.
    pub outcome: Outcome,
}

impl Outcome {
    /// A failure.
    pub fn failed(
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        time: f64,
    ) -> Self {
        Self::Failed { reason: reason.into(), message: message.into(), time }
    }

    /// Whether the simulation reached its end.
    pub fn is_finished(&self) -> bool {
        matches!(self, Self::Finished { .. })
    }

    /// The failure that a panic is recorded as.
    pub(crate) fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Self::failed("panic", text.unwrap_or("a panic without a message"), 0.0)
    }

    /// A finished outcome with a value that is not finite is a failure.
    ///
    /// # Panics
    /// If the number of values is not that of the columns.
    pub(crate) fn checked(self, columns: &[Column], end: f64) -> Self {
        let Self::Finished { values } = &self else { return self };
        assert_eq!(
            values.len(),
            columns.len(),
            "columns of the runner: {}, values that it gave: {}",
            columns.len(),
            values.len()
        );
        match values.iter().zip(columns).find(|(value, _)| !value.is_finite()) {
            Some((value, column)) => {
                Self::failed("not finite", format!("{} is {value}", column.name), end)
            }
            None => self,
        }
    }
}

impl From<ModelError> for Outcome {
    /// The failure of an instance whose parameters make no sound mechanism: reason `model`, time 0.
    fn from(error: ModelError) -> Self {
        Self::failed("model", error.to_string(), 0.0)
    }
}
