//! What a plan file says, field by field.

mod check;
mod design;
mod fault;
mod parameter;
mod read;
mod structure;

pub use design::{Design, DesignKind};
pub use fault::{PlanFault, PlanFaultKind};
pub use parameter::{Linspace, Normal, PlanDerived, PlanParameter};

use crate::digest::sha256_hex;
use crate::target::Setting;
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
    /// What the sweep may cost before it is given up.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// Which instances there are.
    pub design: Design,
    /// The numbers that vary.
    pub parameters: Vec<PlanParameter>,
    /// Numbers that follow from the parameters, in the order in which they are computed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<PlanDerived>,
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
    /// Step, s: every step of `rk4`, which needs it (or a parameter that sets it); the first step of `dopri5`.
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

/// What a sweep may cost before it is given up. Nothing here changes the results of instances that
/// finish.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Wall time of an instance, s; one that takes longer fails. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Share of failed instances, 0 to 1, above which the sweep ends. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_failed_share: Option<f64>,
}

impl Limits {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Plan {
    /// Digest (SHA-256, hexadecimal) of what the plan says. The file format, the order of keys, the
    /// spelling of numbers and comments do not matter. The content of a list is not in it, but in
    /// [`Sweep::plan_digest`](crate::Sweep::plan_digest).
    pub fn digest(&self) -> String {
        // the types are plain data with text keys, so serialization cannot fail; keys come in the
        // order of the fields, numbers in their shortest exact form
        sha256_hex(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// Whether instances have a setting of their own.
    pub(crate) fn varies(&self, setting: Setting) -> bool {
        let parameters = self.parameters.iter().flat_map(PlanParameter::targets);
        let derived = self.derived.iter().flat_map(PlanDerived::targets);
        parameters.chain(derived).any(|path| Setting::of_text(path) == Some(setting))
    }

    /// The plan as TOML.
    pub fn to_toml_string(&self) -> String {
        // as above; integers beyond TOML's 64 bits with sign are refused when plans are checked
        toml::to_string(self).unwrap_or_default()
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
