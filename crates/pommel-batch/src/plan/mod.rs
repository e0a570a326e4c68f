//! What a plan file says, field by field.

mod check;
mod fault;
mod read;
mod structure;

pub use fault::{PlanFault, PlanFaultKind};

use crate::digest::sha256_hex;
use crate::spread::Spread;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A sweep as a plan file describes it. SI units, radians.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Name of the sweep.
    pub name: String,
    /// What the sweep is for, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The model file (.toml, .json or .urdf), relative to the plan file.
    pub model: String,
    /// End of every simulation, s; each starts at 0.
    pub end: f64,
    /// How every instance is integrated.
    #[serde(default)]
    pub integrator: Integrator,
    /// Which instances there are.
    pub design: Design,
    /// The numbers of the model that vary.
    pub parameters: Vec<PlanParameter>,
}

/// How every instance is integrated. What is left out is the integrator's own default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Integrator {
    /// The method; default `dopri5`.
    #[serde(default)]
    pub name: Method,
    /// Relative tolerance of adaptive steps (`dopri5` only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtol: Option<f64>,
    /// Absolute tolerance of adaptive steps, in the units of the state (`dopri5` only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atol: Option<f64>,
    /// Step, s: every step of `rk4`, which needs it; the first step of `dopri5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// An instance that needs more steps between two breakpoints of its loads fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
}

/// A method of integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Dormand and Prince, order 5(4), adaptive steps.
    #[default]
    Dopri5,
    /// The classical method of order 4, fixed steps.
    Rk4,
}

/// Which instances there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// `random` or `grid`.
    pub kind: DesignKind,
    /// Number of instances of a random design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Seed of a random design; default 0. The same seed gives the same instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// How instances are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DesignKind {
    /// Every instance is drawn independently of the others.
    Random,
    /// Every combination of the parameters' values, the last parameter varying fastest.
    Grid,
}

/// A parameter: where its number goes and which values it takes. Exactly one of `path` and
/// `paths`, and exactly one of `uniform`, `log_uniform`, `normal`, `values`, `linspace`. A grid
/// needs `values` or `linspace`; a random design picks among these with equal probability.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanParameter {
    /// Path of a number of the model, such as `bodies.link3.mass` or `initial.q.j1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Paths of several numbers that all get the same value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// Name of the column in the results; default the (first) path.
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

impl Plan {
    /// Digest (SHA-256, hexadecimal) of what the plan says. The file format, the order of keys, the
    /// spelling of numbers and comments do not matter.
    pub fn digest(&self) -> String {
        // the types are plain data with text keys, so serialization cannot fail; keys come in the
        // order of the fields, numbers in their shortest exact form
        sha256_hex(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// The plan as TOML.
    pub fn to_toml_string(&self) -> String {
        // as above; integers beyond TOML's 64 bits with sign are refused when plans are checked
        toml::to_string(self).unwrap_or_default()
    }
}

impl PlanParameter {
    /// Where the number goes: `path`, or `paths`.
    pub fn targets(&self) -> &[String] {
        match (&self.path, &self.paths) {
            (Some(path), _) => std::slice::from_ref(path),
            (None, Some(paths)) => paths,
            (None, None) => &[],
        }
    }

    /// Name of the column in the results: `name`, else the first path.
    pub fn column_name(&self) -> &str {
        match &self.name {
            Some(name) => name,
            None => self.targets().first().map_or("", String::as_str),
        }
    }

    /// Every spread that is given, with its key; a sound plan gives exactly one.
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

/// The JSON Schema (draft 2020-12) of a plan file.
pub fn plan_schema() -> serde_json::Value {
    schema().clone()
}

/// The schema, made once.
fn schema() -> &'static serde_json::Value {
    static SCHEMA: OnceLock<serde_json::Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Plan>().to_value()
    })
}
