//! What a sweep came to, in a few numbers.

use crate::digest::ContentDigest;
use crate::outcome::{Outcome, Row};
use crate::output::{Manifest, ManifestColumn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a sweep came to, in a few numbers; the content of `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the sweep.
    pub name: String,
    /// Number of instances; of a share of a sweep, those of the share.
    pub instances: u64,
    /// Number of instances that reached their end.
    pub finished: u64,
    /// Number of instances that did not, by reason.
    pub failed: BTreeMap<String, u64>,
    /// Wall time of running instances, s; summed over the runs of an interrupted sweep, and over
    /// the shares of a merged one.
    pub wall_seconds: f64,
    /// Instances a second of wall time.
    pub instances_per_second: f64,
    /// Digest (SHA-256, hexadecimal) of the content of the results in index order: index, status,
    /// reason, bits of parameters and quantities. The same for any threads and shares, and however
    /// often the sweep was interrupted.
    pub digest: String,
    /// Digest of the plan.
    pub plan_digest: String,
    /// Digest of the model, before parameters are set.
    pub model_digest: String,
    /// Number of threads; the largest if runs or shares had different ones.
    pub threads: usize,
    /// Version of this crate that ran the instances.
    pub version: String,
    /// The quantities over the finished instances, in the order of the columns.
    pub quantities: Vec<QuantitySummary>,
}

/// A quantity over the finished instances; without any, there are no numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantitySummary {
    /// Name of the column.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Smallest value.
    pub min: Option<f64>,
    /// Mean, summed in index order.
    pub mean: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
}

/// What is counted while rows come, in index order.
#[derive(Debug)]
pub(crate) struct Tally {
    finished: u64,
    failed: BTreeMap<String, u64>,
    extents: Vec<Extent>,
    digest: ContentDigest,
}

/// Range and sum of one quantity.
#[derive(Debug, Clone, Copy)]
struct Extent {
    min: f64,
    max: f64,
    sum: f64,
    /// What rounding took from the sum (Neumaier).
    lost: f64,
}

impl Extent {
    const EMPTY: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0, lost: 0.0 };

    fn add(&mut self, value: f64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let sum = self.sum + value;
        let (large, small) =
            if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }
}

impl Tally {
    pub(crate) fn new(quantities: usize) -> Self {
        Self {
            finished: 0,
            failed: BTreeMap::new(),
            extents: vec![Extent::EMPTY; quantities],
            digest: ContentDigest::new(),
        }
    }

    /// Counts the next row.
    pub(crate) fn row(&mut self, row: &Row) {
        self.digest.row(row);
        match &row.outcome {
            Outcome::Finished { values } => {
                self.finished += 1;
                for (extent, value) in self.extents.iter_mut().zip(values) {
                    extent.add(*value);
                }
            }
            Outcome::Failed { reason, .. } => {
                *self.failed.entry(reason.to_string()).or_default() += 1;
            }
        }
    }

    /// The summary of what was counted.
    pub(crate) fn finish(self, manifest: &Manifest, effort: Effort) -> Summary {
        let finished = self.finished;
        let instances = finished + self.failed.values().sum::<u64>();
        let known = |number: f64| (finished > 0).then_some(number);
        let quantity = |(column, extent): (&ManifestColumn, &Extent)| QuantitySummary {
            name: column.name.clone(),
            unit: column.unit.clone().unwrap_or_default(),
            min: known(extent.min),
            mean: known((extent.sum + extent.lost) / finished as f64),
            max: known(extent.max),
        };
        Summary {
            name: manifest.name.clone(),
            instances,
            finished,
            failed: self.failed,
            wall_seconds: effort.seconds,
            // a clock may stand still over a short run
            instances_per_second: instances as f64 / effort.seconds.max(1e-9),
            digest: self.digest.finish(),
            plan_digest: manifest.plan_digest.clone(),
            model_digest: manifest.model_digest.clone(),
            threads: effort.threads,
            version: manifest.version.clone(),
            quantities: manifest.quantities().zip(&self.extents).map(quantity).collect(),
        }
    }
}

/// What it took to run instances.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Effort {
    /// Wall time, s.
    pub(crate) seconds: f64,
    /// Number of threads.
    pub(crate) threads: usize,
}

impl Effort {
    /// Adds what another run took.
    pub(crate) fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.threads = self.threads.max(other.threads);
    }
}
