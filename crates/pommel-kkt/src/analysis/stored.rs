//! Analyses in files and messages, by `serde`.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};

use super::{Analysis, Options};
use crate::pattern::Pattern;

/// Number of the format; another one is refused.
const FORMAT: u32 = 1;

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
}

impl Serialize for Analysis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_struct("Analysis", 6)?;
        stored.serialize_field("format", &FORMAT)?;
        stored.serialize_field("pattern", self.pattern())?;
        stored.serialize_field("massless", &self.massless)?;
        stored.serialize_field("ordering", &self.ordering())?;
        stored.serialize_field("tolerance", &self.tolerance)?;
        stored.serialize_field("by_numbers", &self.flat.is_some())?;
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
            tolerance: stored.tolerance,
        };
        let by_numbers = Some(stored.by_numbers);
        Analysis::of(&Arc::new(stored.pattern), &options, by_numbers, None)
            .map_err(de::Error::custom)
    }
}
