//! What can be wrong with a plan, with the numbers.

use super::DesignKind;
use crate::design::ListFault;
use crate::expression::ExpressionError;
use pommel_model::ParameterError;
use pommel_model::document::{counted, hint};
use std::fmt;

/// A fault in a plan, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanFault {
    /// Path of the faulty part, such as `parameters[2].uniform`; empty for the plan as a whole.
    pub path: String,
    /// Line in the file, from 1, where it is known (TOML).
    pub line: Option<usize>,
    /// What is wrong.
    pub kind: PlanFaultKind,
}

impl fmt::Display for PlanFault {
    /// `parameters[2].uniform (line 12): lower bound 3 exceeds upper bound 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.path.is_empty() { "the plan" } else { &self.path })?;
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        write!(f, ": {}", self.kind)
    }
}

/// What is wrong, with the numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFaultKind {
    /// A key that the schema does not know.
    #[error("unknown key '{key}'{}", hint(suggestion.as_deref(), known))]
    UnknownKey {
        /// The key.
        key: String,
        /// The most similar known key that is not given yet.
        suggestion: Option<String>,
        /// All keys known here.
        known: Vec<String>,
    },
    /// A key that must be given.
    #[error("the key '{key}' is missing")]
    MissingKey {
        /// The key.
        key: String,
    },
    /// A value of the wrong type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What belongs here.
        expected: String,
        /// What is here.
        found: String,
    },
    /// A list of the wrong length.
    #[error("expected {}, found {found}", counted(*expected, "value"))]
    WrongLength {
        /// Its length by the schema.
        expected: u64,
        /// Its length.
        found: usize,
    },
    /// A word that is none of the allowed ones.
    #[error("unknown value '{found}'{}", hint(suggestion.as_deref(), known))]
    UnknownValue {
        /// The word.
        found: String,
        /// The most similar allowed word.
        suggestion: Option<String>,
        /// All allowed words.
        known: Vec<String>,
    },
    /// A value that the reader rejected for a reason of its own.
    #[error("{message}")]
    Rejected {
        /// The reader's message.
        message: String,
    },
    /// An empty text where one is needed.
    #[error("the text is empty")]
    EmptyText,
    /// NaN or infinite.
    #[error("{value} is not a finite number")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// A value that must be positive.
    #[error("{value} must be positive")]
    NotPositive {
        /// The value.
        value: f64,
    },
    /// A value that must not be negative.
    #[error("{value} must not be negative")]
    Negative {
        /// The value.
        value: f64,
    },
    /// An integer that a TOML file cannot hold.
    #[error("{value} is too large; the largest integer in a plan is {}", i64::MAX)]
    TooLarge {
        /// The value.
        value: u64,
    },
    /// Bounds in the wrong order.
    #[error("lower bound {lower} exceeds upper bound {upper}")]
    BoundOrder {
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// Bounds so far apart that their difference is no number.
    #[error("the distance from {from} to {to} exceeds the largest number")]
    Width {
        /// One end.
        from: f64,
        /// Other end.
        to: f64,
    },
    /// A list without values.
    #[error("there are no values, so the sweep has no instances")]
    NoValues,
    /// No parameters at all.
    #[error("a sweep needs at least one parameter, else all instances are the same")]
    NoParameters,
    /// A count of zero.
    #[error("a count of 0 is a sweep without instances")]
    NoInstances,
    /// More instances than can be counted.
    #[error("{} of {} has more than {} instances", design.words(), combined(*design, counts), u64::MAX)]
    TooManyInstances {
        /// The design.
        design: DesignKind,
        /// Number of values of each parameter.
        counts: Vec<u64>,
    },
    /// Not exactly one of several keys.
    #[error("give exactly one of {}; found {}", keys.join(", "), found(given))]
    ExactlyOne {
        /// The keys.
        keys: &'static [&'static str],
        /// Those that are given.
        given: Vec<&'static str>,
    },
    /// Something that a design needs.
    #[error("{} needs the key '{key}'", design.words())]
    Needed {
        /// The design.
        design: DesignKind,
        /// The key.
        key: &'static str,
    },
    /// Something that a design does not have.
    #[error("{} has no {what}; its instances {}", design.words(), design.instances())]
    NotForDesign {
        /// The design.
        design: DesignKind,
        /// What it does not have.
        what: &'static str,
    },
    /// More than a design can have.
    #[error("{} has at most {largest} {what}, found {found}", design.words())]
    TooMany {
        /// The design.
        design: DesignKind,
        /// What it has too many of: `instances` or `parameters`.
        what: &'static str,
        /// The largest number.
        largest: u64,
        /// The number.
        found: u64,
    },
    /// The file of a list is faulty.
    #[error(transparent)]
    List(#[from] ListFault),
    /// A value to vary one parameter at a time from, that neither the plan nor the model gives.
    #[error("{why}; give `centre`")]
    NoCentre {
        /// Why there is none.
        why: String,
    },
    /// A share that is none.
    #[error("{value} is no share; give a number from 0 to 1")]
    NotAShare {
        /// The value.
        value: f64,
    },
    /// A text that is no expression.
    #[error("'{expression}': {error}")]
    Expression {
        /// The text.
        expression: String,
        /// Why.
        error: ExpressionError,
    },
    /// An expression that reads what comes later, or itself.
    #[error(
        "'{expression}' reads '{name}', which is not known before {at}; \
         an expression reads parameters and derived numbers above it"
    )]
    NotYetKnown {
        /// The text.
        expression: String,
        /// The name that it reads.
        name: String,
        /// The part of the plan that has the name.
        at: String,
    },
    /// An expression that reads a column whose name is no identifier.
    #[error(
        "an expression cannot read '{name}'; give {at} a `name` of letters, digits and _ \
         that starts with a letter"
    )]
    NoIdentifier {
        /// The name of the column.
        name: String,
        /// The part of the plan that has it.
        at: String,
    },
    /// A name that expressions use otherwise.
    #[error("in expressions, '{name}' is a constant; give another `name`")]
    ConstantName {
        /// The name.
        name: String,
    },
    /// A derived number without name and path.
    #[error("give a `path` or a `name`; without either it is of no use")]
    Nameless,
    /// Something that only adaptive steps have.
    #[error("rk4 takes fixed steps and has no {what}; give `step` only, or choose dopri5")]
    NotForFixedSteps {
        /// What it does not have.
        what: &'static str,
    },
    /// A fixed-step method without a step.
    #[error("rk4 takes fixed steps and needs the key 'step'")]
    StepNeeded,
    /// A column name that another parameter or derived number has.
    #[error("the name '{name}' is taken by {first}; give another `name`")]
    DuplicateName {
        /// The name.
        name: String,
        /// The part of the plan that has it.
        first: String,
    },
    /// A column name that every table of results has.
    #[error("every table of results has a column '{name}'; give another `name`")]
    ReservedName {
        /// The name.
        name: String,
    },
    /// A path that leads to no number of the model.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A number of the model that two paths lead to.
    #[error("'{path}' is the number that '{other}' in {first} sets already")]
    SameNumber {
        /// This path.
        path: String,
        /// The other path.
        other: String,
        /// The part of the plan that it belongs to.
        first: String,
    },
}

fn combined(design: DesignKind, counts: &[u64]) -> String {
    let sign = if design == DesignKind::Grid { " x " } else { " + " };
    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(sign)
}

fn found(given: &[&str]) -> String {
    if given.is_empty() { "none".to_owned() } else { given.join(", ") }
}
