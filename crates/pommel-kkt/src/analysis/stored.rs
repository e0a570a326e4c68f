//! Analyses in files and messages, by `serde`.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};

use super::{Analysis, Options, Program};
use crate::pairs;
use crate::pattern::Pattern;

/// Number of the format; another one is refused.
const FORMAT: u32 = 2;

/// What an analysis cannot find again at once: the fronts follow from these.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    pattern: Pattern,
    massless: Vec<usize>,
    ordering: Vec<usize>,
    tolerance: Option<f64>,
    by_numbers: bool,
    /// Of a partition, each an unknown and a row, or one of them and the largest number.
    steps: Option<Vec<[u32; 2]>>,
    weights: Option<Vec<f64>>,
}

impl Serialize for Analysis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_struct("Analysis", 8)?;
        stored.serialize_field("format", &FORMAT)?;
        stored.serialize_field("pattern", self.pattern())?;
        stored.serialize_field("massless", &self.massless)?;
        stored.serialize_field("ordering", &self.ordering())?;
        stored.serialize_field("tolerance", &self.tolerance)?;
        let (steps, weights) = match &self.program {
            Some(Program::Pairs(plan)) => (Some(&plan.steps), Some(&plan.weights)),
            _ => (None, None),
        };
        stored.serialize_field("by_numbers", &self.program.is_some())?;
        stored.serialize_field("steps", &steps)?;
        stored.serialize_field("weights", &weights)?;
        stored.end()
    }
}

impl<'de> Deserialize<'de> for Analysis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        if stored.format != FORMAT {
            let message = format!(
                "an analysis in format {}, this version reads {FORMAT}: analyse again",
                stored.format
            );
            return Err(de::Error::custom(message));
        }
        let options = Options {
            massless: stored.massless,
            late: Vec::new(),
            ordering: Some(stored.ordering),
            partitioned: None,
            tolerance: stored.tolerance,
        };
        if let Some(steps) = stored.steps {
            let pattern = Arc::new(stored.pattern);
            let limit = Analysis::most_products(&pattern, true);
            let plan = pairs::replay(&pattern, &steps, stored.weights.unwrap_or_default(), limit)
                .and_then(|steps| pairs::Plan::new(&pattern, steps))
                .ok_or_else(|| de::Error::custom("no partition of this pattern: analyse again"))?;
            options.check(&pattern).map_err(de::Error::custom)?;
            return Ok(Analysis::of_pairs(&pattern, &options, plan));
        }
        let by_numbers = Some(stored.by_numbers);
        Analysis::of(&Arc::new(stored.pattern), &options, by_numbers, None)
            .map_err(de::Error::custom)
    }
}
