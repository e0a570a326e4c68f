//! What varies in a plan: parameters, and numbers derived from them.

use crate::spread::Spread;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A parameter: where its number goes and which values it takes. Exactly one of `path` and
/// `paths`, and exactly one of `uniform`, `log_uniform`, `normal`, `values`, `linspace`, but none
/// of these in a list. A grid and one at a time need `values` or `linspace`; a random design picks
/// among these with equal probability, a Latin hypercube and a Sobol design in equal parts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanParameter {
    /// Path of a number of the model, such as `bodies.link3.mass` or `initial.q.j1`, or of a
    /// setting: `integrator.rtol`, `integrator.atol`, `integrator.step`, `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Paths of several numbers that all get the same value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// Name of the column in the results; default the (first) path. Expressions can use names of
    /// letters, digits and `_` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Unit, for tables and plots; nothing is converted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Lower and upper bound of a uniform distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<[f64; 2]>,
    /// Positive bounds of a distribution whose logarithm is uniform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_uniform: Option<[f64; 2]>,
    /// A normal distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<Normal>,
    /// The values one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<f64>>,
    /// Equally spaced values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linspace: Option<Linspace>,
    /// Value while others vary (one at a time only); default that of the model or the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<f64>,
    /// Column of the list (lists only); default the name of the column in the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

/// A number that follows from the parameters by an expression. At most one of `path` and `paths`;
/// with neither, it is a column of the results, and others can use it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDerived {
    /// Path of the number that it sets, as for parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Paths of several numbers that all get the same value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// Expression of the names of parameters and of derived numbers before this one, such as
    /// `mass * length^2 / 12`. Operators `+ - * / ^`, the constant `pi`, and the functions `sqrt`,
    /// `cbrt`, `exp`, `log` (natural), `log10`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`,
    /// `sinh`, `cosh`, `tanh`, `abs`, `atan2(y, x)`, `hypot(x, y)`, `min(a, b)`, `max(a, b)`.
    /// As in mathematics, `-a^2` is -(a^2) and `a^b^c` is a^(b^c).
    pub expression: String,
    /// Name of the column in the results; default the (first) path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Unit, for tables and plots; nothing is converted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A normal distribution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub standard_deviation: f64,
}

/// Equally spaced values, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Linspace {
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// How many; a single one is `from`.
    pub count: u64,
}

impl PlanParameter {
    /// Where the number goes: `path`, or `paths`.
    pub fn targets(&self) -> &[String] {
        targets(self.path.as_ref(), self.paths.as_deref())
    }

    /// Name of the column in the results: `name`, else the first path.
    pub fn column_name(&self) -> &str {
        column_name(self.name.as_deref(), self.targets())
    }

    /// Name of the column in the file of a list: `column`, else that in the results.
    pub fn list_column(&self) -> &str {
        self.column.as_deref().unwrap_or(self.column_name())
    }

    /// Every spread that is given, with its key; a sound plan gives exactly one, in a list none.
    pub(crate) fn spreads(&self) -> Vec<(&'static str, Spread)> {
        let given = [
            ("uniform", self.uniform.map(|[lower, upper]| Spread::Uniform { lower, upper })),
            (
                "log_uniform",
                self.log_uniform.map(|[lower, upper]| Spread::LogUniform { lower, upper }),
            ),
            ("normal", self.normal.map(Spread::Normal)),
            ("values", self.values.clone().map(Spread::Values)),
            ("linspace", self.linspace.map(Spread::Linspace)),
        ];
        given.into_iter().filter_map(|(key, spread)| Some((key, spread?))).collect()
    }
}

impl PlanDerived {
    /// Where the number goes: `path`, or `paths`, or nowhere.
    pub fn targets(&self) -> &[String] {
        targets(self.path.as_ref(), self.paths.as_deref())
    }

    /// Name of the column in the results: `name`, else the first path.
    pub fn column_name(&self) -> &str {
        column_name(self.name.as_deref(), self.targets())
    }
}

fn targets<'a>(path: Option<&'a String>, paths: Option<&'a [String]>) -> &'a [String] {
    match (path, paths) {
        (Some(path), _) => std::slice::from_ref(path),
        (None, Some(paths)) => paths,
        (None, None) => &[],
    }
}

fn column_name<'a>(name: Option<&'a str>, targets: &'a [String]) -> &'a str {
    name.or(targets.first().map(String::as_str)).unwrap_or_default()
}
