//! The columns that vary: parameters, and what follows from them.

use crate::spread::Spread;
use crate::target::Target;

/// A parameter of a sweep, or a number derived from parameters, with its targets.
#[derive(Debug, Clone)]
pub struct SweptParameter {
    pub(crate) name: String,
    pub(crate) unit: Option<String>,
    pub(crate) targets: Vec<Target>,
    pub(crate) spread: Option<Spread>,
    pub(crate) expression: Option<String>,
}

impl SweptParameter {
    /// Name of its column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its unit, if the plan gives one.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// What it sets; a derived number may set nothing.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The values that it takes; none for a column of a list, and for a derived number.
    pub fn spread(&self) -> Option<&Spread> {
        self.spread.as_ref()
    }

    /// The expression of a derived number.
    pub fn expression(&self) -> Option<&str> {
        self.expression.as_deref()
    }
}
