//! From the index of an instance to the values of its parameters.

mod latin;
mod list;
mod list_parquet;
mod sobol;

pub(crate) use latin::LARGEST as LATIN_LARGEST;
pub(crate) use list::List;
pub use list::ListFault;
pub(crate) use sobol::{DIMENSIONS as SOBOL_DIMENSIONS, LARGEST as SOBOL_LARGEST};

use crate::draw::Draws;
use crate::plan::{Design, DesignKind};
use crate::spread::Spread;
use latin::LatinHypercube;
use sobol::Sobol;

/// The values of every instance, as a function of its index.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// One for each parameter; none in a list.
    spreads: Vec<Spread>,
    kind: Kind,
    length: u64,
}

#[derive(Debug, Clone)]
enum Kind {
    Random { seed: u64 },
    Grid,
    List(Vec<Vec<f64>>),
    LatinHypercube(LatinHypercube),
    Sobol(Sobol),
    OneAtATime { centre: Vec<f64> },
}

impl Layout {
    /// The layout of a sound design, `centre` for one parameter at a time; none for a list, and if
    /// there are more instances than 64 bits count.
    pub(crate) fn new(design: &Design, spreads: Vec<Spread>, centre: Vec<f64>) -> Option<Self> {
        let (seed, count) = (design.seed.unwrap_or_default(), design.count.unwrap_or_default());
        let parameters = spreads.len();
        let (kind, length) = match design.kind {
            DesignKind::Random => (Kind::Random { seed }, count),
            DesignKind::LatinHypercube => {
                (Kind::LatinHypercube(LatinHypercube::new(seed, count, parameters)), count)
            }
            DesignKind::Sobol => (Kind::Sobol(Sobol::new(seed, parameters)), count),
            DesignKind::Grid => (Kind::Grid, enumerated(design.kind, &counts(&spreads))?),
            DesignKind::OneAtATime => {
                (Kind::OneAtATime { centre }, enumerated(design.kind, &counts(&spreads))?)
            }
            // its instances are not here, but in a file
            DesignKind::List => return None,
        };
        Some(Self { spreads, kind, length })
    }

    /// The rows of a list.
    pub(crate) fn of_list(list: List) -> Self {
        let length = list.columns.first().map_or(0, |column| column.len() as u64);
        Self { spreads: Vec::new(), kind: Kind::List(list.columns), length }
    }

    /// Number of instances.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// The values of an instance, in the order of the parameters.
    pub(crate) fn values(&self, index: u64) -> Vec<f64> {
        let each = |f: &dyn Fn(usize, &Spread) -> f64| {
            self.spreads.iter().enumerate().map(|(p, spread)| f(p, spread)).collect()
        };
        match &self.kind {
            Kind::Random { seed } => {
                let mut draws = Draws::new(*seed, index);
                let spreads = self.spreads.iter().enumerate();
                spreads.map(|(p, spread)| spread.draw(draws.at(p))).collect()
            }
            Kind::Grid => grid_point(&self.spreads, index),
            Kind::List(columns) => columns.iter().map(|column| column[index as usize]).collect(),
            Kind::LatinHypercube(latin) => each(&|p, spread| spread.at(latin.unit(p, index))),
            Kind::Sobol(sobol) => each(&|p, spread| spread.at(sobol.unit(p, index))),
            Kind::OneAtATime { centre } => one_changed(&self.spreads, centre, index),
        }
    }
}

fn counts(spreads: &[Spread]) -> Vec<u64> {
    spreads.iter().map(|spread| spread.count().unwrap_or_default()).collect()
}

/// Number of instances of a grid or of one parameter at a time; none if it exceeds 64 bits.
pub(crate) fn enumerated(kind: DesignKind, counts: &[u64]) -> Option<u64> {
    let mut counts = counts.iter();
    match kind {
        DesignKind::OneAtATime => counts.try_fold(1_u64, |sum, count| sum.checked_add(*count)),
        _ => counts.try_fold(1_u64, |product, count| product.checked_mul(*count)),
    }
}

/// The values of instance `index` of a grid, the last parameter varying fastest.
fn grid_point(spreads: &[Spread], index: u64) -> Vec<f64> {
    let mut rest = index;
    let mut values: Vec<_> = spreads
        .iter()
        .rev()
        .map(|spread| {
            let count = spread.count().unwrap_or(1);
            let digit = rest % count;
            rest /= count;
            // the digit is below the count; a grid has lists only
            spread.value(digit).unwrap_or(f64::NAN)
        })
        .collect();
    values.reverse();
    values
}

/// The centre, and then each parameter alone through its values.
fn one_changed(spreads: &[Spread], centre: &[f64], index: u64) -> Vec<f64> {
    let mut values = centre.to_vec();
    let Some(mut rest) = index.checked_sub(1) else { return values };
    for (spread, value) in spreads.iter().zip(&mut values) {
        let count = spread.count().unwrap_or_default();
        if let Some(changed) = spread.value(rest) {
            *value = changed;
            break;
        }
        rest -= count;
    }
    values
}
