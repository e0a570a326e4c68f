//! The values that one parameter takes.

use crate::draw::Draws;
use crate::normal::quantile;
use crate::plan::{Linspace, Normal};

/// The values that one parameter takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// Uniform between two bounds.
    Uniform {
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// The logarithm is uniform between those of two positive bounds.
    LogUniform {
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
    },
    /// A normal distribution.
    Normal(Normal),
    /// The values one by one.
    Values(Vec<f64>),
    /// Equally spaced values.
    Linspace(Linspace),
}

impl Spread {
    /// Number of values; none for a distribution.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Values(values) => Some(values.len() as u64),
            Self::Linspace(line) => Some(line.count),
            Self::Uniform { .. } | Self::LogUniform { .. } | Self::Normal(_) => None,
        }
    }

    /// Value number `index` of a list; none for a distribution or past the end.
    pub fn value(&self, index: u64) -> Option<f64> {
        match self {
            Self::Values(values) => values.get(usize::try_from(index).ok()?).copied(),
            Self::Linspace(line) => (index < line.count).then(|| match index {
                0 => line.from,
                last if last == line.count - 1 => line.to,
                index => {
                    line.from + (line.to - line.from) * (index as f64 / (line.count - 1) as f64)
                }
            }),
            Self::Uniform { .. } | Self::LogUniform { .. } | Self::Normal(_) => None,
        }
    }

    /// The value at a number of the unit interval, 0 < `unit` < 1: distributions by the inverse of
    /// their cumulative function, lists in equal parts.
    ///
    /// Elementary functions are those of `libm` in Rust, not of the platform, so that the same
    /// seed gives the same bits everywhere.
    pub(crate) fn at(&self, unit: f64) -> f64 {
        match self {
            Self::Uniform { lower, upper } => lower + (upper - lower) * unit,
            Self::LogUniform { lower, upper } => {
                let (from, to) = (libm::log(*lower), libm::log(*upper));
                // rounding of the functions must not leave the bounds
                libm::exp(from + (to - from) * unit).clamp(*lower, *upper)
            }
            Self::Normal(normal) => normal.mean + normal.standard_deviation * quantile(unit),
            Self::Values(_) | Self::Linspace(_) => {
                let count = self.count().unwrap_or(1);
                let index = ((unit * count as f64) as u64).min(count - 1);
                // a sound list has values, and the index is inside
                self.value(index).unwrap_or(f64::NAN)
            }
        }
    }

    /// A random value; normal ones by the transformation of Box and Muller.
    pub(crate) fn draw(&self, draws: &mut Draws) -> f64 {
        match self {
            Self::Uniform { .. } | Self::LogUniform { .. } => self.at(draws.unit()),
            Self::Normal(normal) => normal.mean + normal.standard_deviation * draws.normal(),
            Self::Values(values) => values[draws.below(values.len() as u64) as usize],
            Self::Linspace(line) => {
                let index = draws.below(line.count);
                // below() keeps the index inside
                self.value(index).unwrap_or(line.to)
            }
        }
    }
}
