//! Which instances a plan has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which instances there are.
///
/// | `kind` | instances | keys | a parameter has |
/// |---|---|---|---|
/// | `random` | drawn independently | `count`, `seed` | a distribution or a list |
/// | `latin_hypercube` | spread evenly in every parameter | `count`, `seed` | a distribution or a list |
/// | `sobol` | spread evenly in all parameters together | `count`, `seed` | a distribution or a list |
/// | `grid` | all combinations | none | `values` or `linspace` |
/// | `one_at_a_time` | the centre, then each parameter alone | none | `values` or `linspace`; `centre` |
/// | `list` | the rows of a file | `file` | `column` |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// `random`, `latin_hypercube`, `sobol`, `grid`, `one_at_a_time` or `list`.
    pub kind: DesignKind,
    /// Number of instances of a random design, a Latin hypercube (at most 2^40) or a Sobol design
    /// (at most 2^52; best a power of two).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Seed of a random design, a Latin hypercube or a Sobol design; default 0. The same seed gives
    /// the same instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// File of a list, relative to the plan file: `.csv` (commas, a header, `#` for comments) or
    /// `.parquet`. Its digest is part of the digest of the sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// How instances are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DesignKind {
    /// Every instance is drawn independently of the others.
    Random,
    /// Every combination of the parameters' values, the last parameter varying fastest.
    Grid,
    /// The rows of a file, in their order.
    List,
    /// The range of every parameter is cut into `count` parts of equal probability, and each part
    /// holds one instance; which goes with which part of another parameter is random, and so is
    /// the place in the part. An instance depends on `count`.
    LatinHypercube,
    /// Points of the Sobol sequence (direction numbers of Joe and Kuo, up to 1000 parameters),
    /// scrambled after Owen: evenly spread in all parameters together, so that means over
    /// instances settle faster than those of random ones. An instance does not depend on `count`.
    Sobol,
    /// Instance 0 is the centre; then each parameter alone takes its values, in the order of the
    /// plan.
    OneAtATime,
}

impl DesignKind {
    /// Whether instances come from `count` and `seed`.
    pub(crate) fn is_drawn(self) -> bool {
        matches!(self, Self::Random | Self::LatinHypercube | Self::Sobol)
    }

    /// Whether instances go through the `values` and `linspace` of parameters one by one.
    pub(crate) fn is_enumerated(self) -> bool {
        matches!(self, Self::Grid | Self::OneAtATime)
    }

    /// With its article.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Random => "a random design",
            Self::Grid => "a grid",
            Self::List => "a list",
            Self::LatinHypercube => "a Latin hypercube",
            Self::Sobol => "a Sobol design",
            Self::OneAtATime => "a one-at-a-time design",
        }
    }

    /// What its instances are.
    pub(crate) fn instances(self) -> &'static str {
        match self {
            Self::Random | Self::LatinHypercube | Self::Sobol => "come from `count` and `seed`",
            Self::Grid => "are all combinations of `values` and `linspace`",
            Self::List => "are the rows of `file`",
            Self::OneAtATime => {
                "are the centre and each parameter alone at its `values` or `linspace`"
            }
        }
    }
}
