//! Patterns in files and messages, by `serde`: what is read is checked.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};

use super::{Entries, Pattern};
use crate::error::{KktError, Part, check_length};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    bodies: Vec<u32>,
    constraints: Vec<u32>,
    mass: StoredEntries,
    jacobian: StoredEntries,
    compliance: StoredEntries,
    negated: bool,
}

/// Rows, columns, places among the values; and the number of values.
#[derive(Deserialize, Serialize)]
struct StoredEntries(Vec<u32>, Vec<u32>, Vec<u32>, usize);

impl From<&Entries> for StoredEntries {
    fn from(e: &Entries) -> Self {
        StoredEntries(e.rows.clone(), e.columns.clone(), e.index.clone(), e.values)
    }
}

impl StoredEntries {
    fn entries(self, part: Part, lower: bool) -> Result<Entries, KktError> {
        let StoredEntries(rows, columns, index, values) = self;
        check_length("columns", rows.len(), columns.len())?;
        check_length("index", rows.len(), index.len())?;
        for (&row, &column) in rows.iter().zip(&columns) {
            if lower && column > row {
                let (row, column) = (row as usize, column as usize);
                return Err(KktError::WrongTriangle { part, row, column });
            }
        }
        Ok(Entries { rows, columns, index, values })
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = serializer.serialize_struct("Pattern", 6)?;
        stored.serialize_field("bodies", &self.bodies)?;
        stored.serialize_field("constraints", &self.constraints)?;
        stored.serialize_field("mass", &StoredEntries::from(&self.mass))?;
        stored.serialize_field("jacobian", &StoredEntries::from(&self.jacobian))?;
        stored.serialize_field("compliance", &StoredEntries::from(&self.compliance))?;
        stored.serialize_field("negated", &self.negated)?;
        stored.end()
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        stored.pattern().map_err(de::Error::custom)
    }
}

impl Stored {
    fn pattern(self) -> Result<Pattern, KktError> {
        let offsets =
            [("body", "bodies", &self.bodies), ("constraint", "constraints", &self.constraints)];
        for (what, array, offsets) in offsets {
            let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
                return Err(KktError::Length { array, expected: 1, found: 0 });
            };
            if let Some(index) = offsets.windows(2).position(|w| w[0] >= w[1]) {
                return Err(KktError::EmptyBlock { what, index });
            }
            if first > 0 {
                let (sum, expected) = ((last - first) as usize, last as usize);
                return Err(KktError::Partition { array, sum, expected });
            }
        }
        Pattern::new(
            self.bodies,
            self.constraints,
            self.mass.entries(Part::Mass, true)?,
            self.jacobian.entries(Part::Jacobian, false)?,
            self.compliance.entries(Part::Compliance, true)?,
            self.negated,
        )
    }
}
