//! Joins the shares of a sweep.

use super::PARTS;
use super::file::{io_error, names, remove_directory};
use super::gather::{self, Source};
use super::lock::Lock;
use super::manifest::Manifest;
use super::store::{finished, is_finished};
use crate::error::SweepError;
use crate::observe::Observer;
use crate::shard::Shard;
use crate::summary::Summary;
use std::collections::BTreeMap;
use std::path::Path;

/// How shares are joined.
#[derive(Debug, Clone, Copy, Default)]
pub struct MergeOptions {
    /// Removes the files of the shares once the results are complete.
    pub remove_shards: bool,
}

/// Makes `results.parquet` and `summary.json` of the shares in a directory, the same to the byte as
/// [`run_to_directory`](crate::run_to_directory) makes of the sweep at once. A directory with
/// results and no shares is read back.
///
/// # Errors
/// [`SweepError::NoSweep`], [`SweepError::MissingShards`] with those that are missing,
/// [`SweepError::Damaged`] with a file that is not as it was written, [`SweepError::Busy`] while
/// shares are running, [`SweepError::Io`].
pub fn merge(
    directory: impl AsRef<Path>,
    options: &MergeOptions,
    observer: &mut dyn Observer,
) -> Result<Summary, SweepError> {
    let path = directory.as_ref();
    let manifest = Manifest::read(path)?;
    let _lock = Lock::whole(path)?;
    let shards = match complete(path) {
        Err(SweepError::MissingShards { found: 0, .. }) if is_finished(path, &manifest)? => {
            return finished(path, &manifest, observer);
        }
        other => other?,
    };
    let source = |shard: &Shard| Source {
        path: path.join(shard.file_name()),
        range: shard.range(manifest.instances),
    };
    let sources: Vec<_> = shards.iter().map(source).collect();
    let summary = gather::results(path, &manifest, &sources, observer)?;
    remove_directory(&path.join(PARTS))?;
    if options.remove_shards {
        for Source { path, .. } in &sources {
            std::fs::remove_file(path).map_err(|source| io_error("remove", path, source))?;
        }
    }
    Ok(summary)
}

/// The shares of the smallest number of shares that are all there.
fn complete(path: &Path) -> Result<Vec<Shard>, SweepError> {
    let mut by_count = BTreeMap::<u32, Vec<Shard>>::new();
    for shard in names(path)?.iter().filter_map(|name| Shard::of_file_name(name)) {
        by_count.entry(shard.count()).or_default().push(shard);
    }
    for shards in by_count.values_mut() {
        shards.sort_by_key(|shard| shard.index());
        if shards.first().is_some_and(|shard| shard.count() as usize == shards.len()) {
            return Ok(std::mem::take(shards));
        }
    }
    // of the number of shares of which most are there
    let most = by_count.into_iter().max_by_key(|(_, shards)| shards.len());
    let (count, shards) = most.unwrap_or_default();
    let all = (1..=count).filter_map(|index| Shard::new(index, count));
    let missing = all.filter(|shard| !shards.contains(shard)).collect();
    Err(SweepError::MissingShards { path: path.to_path_buf(), found: shards.len(), missing })
}
