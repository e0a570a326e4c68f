//! A share of a sweep: a contiguous range of its instances.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The share `index` of `count`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Share `index` of `count`; none unless `index` is in 1 to `count`.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        (1..=count).contains(&index).then_some(Self { index, count })
    }

    /// Which of the shares it is, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Number of shares.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Its instances in a sweep of so many: from length (index − 1) / count to
    /// length index / count, rounded down; empty where there are more shares than instances.
    pub fn range(self, length: u64) -> Range<u64> {
        let bound = |index: u32| {
            let bound = u128::from(length) * u128::from(index) / u128::from(self.count);
            // index is at most count, so the bound is at most the length
            u64::try_from(bound).unwrap_or(length)
        };
        bound(self.index - 1)..bound(self.index)
    }

    /// Name of the file with its results.
    pub fn file_name(self) -> String {
        format!("shard-{}-of-{}.parquet", self.index, self.count)
    }

    /// The share whose results have this name.
    pub(crate) fn of_file_name(name: &str) -> Option<Self> {
        let (index, count) =
            name.strip_prefix("shard-")?.strip_suffix(".parquet")?.split_once("-of-")?;
        let shard = Self::new(index.parse().ok()?, count.parse().ok()?)?;
        // +1, 01
        (shard.file_name() == name).then_some(shard)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let shard = numbers.and_then(|(index, count)| Self::new(index, count));
        shard.ok_or_else(|| format!("'{text}' is no share I/N with I from 1 to N, such as 2/8"))
    }
}
