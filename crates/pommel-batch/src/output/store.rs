//! Runs a sweep, or a share of one, into a directory.

use super::file::{Partial, io_error, make_directory, names, remove_directory, remove_leftovers};
use super::gather::{self, Source};
use super::lock::Lock;
use super::manifest::Manifest;
use super::parts::{Limits, Parts, has_parts};
use super::{PARTS, PLAN_FILE, RESULTS_FILE, SUMMARY_FILE};
use crate::crew::Crew;
use crate::error::SweepError;
use crate::execute::{RunOptions, columns};
use crate::observe::Observer;
use crate::pipeline::drive;
use crate::runner::{Column, Runner};
use crate::shard::Shard;
use crate::summary::Summary;
use crate::sweep::Sweep;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Runs a sweep and writes `results.parquet`, `summary.json`, `manifest.json` and `plan.toml` into
/// a directory, which is made if need be. Finished results of the same plan are replaced once the
/// new ones are complete.
///
/// Rows are written as they come, so that a sweep that ends early, however it ends, goes on with
/// [`RunOptions::resume`] where it was; a finished one is then read back. The bytes of
/// `results.parquet` depend on neither. With [`RunOptions::shard`], the product is the file
/// [`Shard::file_name`] instead; several shares may run at once in one directory, and
/// [`merge`](crate::merge) joins them.
///
/// # Errors
/// As [`run`](crate::run), and [`SweepError::NotADirectory`], [`SweepError::ForeignResults`],
/// [`SweepError::Changed`], [`SweepError::Unfinished`], [`SweepError::Sharded`],
/// [`SweepError::Busy`], [`SweepError::Damaged`], [`SweepError::Io`] with the file.
///
/// # Panics
/// As [`run`](crate::run).
pub fn run_to_directory<R: Runner>(
    sweep: &Sweep,
    runner: &R,
    options: &RunOptions<'_>,
    observer: &mut dyn Observer,
    directory: impl AsRef<Path>,
) -> Result<Summary, SweepError> {
    let columns = columns(sweep, runner)?;
    // what is wrong is told before anything is made
    options.judge(0)?;
    let path = directory.as_ref();
    let store = Store {
        manifest: &Manifest::new(sweep, &columns),
        columns: &columns,
        sweep,
        runner,
        options,
        path,
    };
    let is_new = make_directory(path)?;
    let result = match options.shard {
        None => store.whole(observer),
        Some(shard) => store.share(shard, observer),
    };
    if is_new && result.is_err() {
        // goes only if it is empty
        let _ = std::fs::remove_dir(path);
    }
    result
}

/// A sweep and the place for its results.
struct Store<'a, R: Runner> {
    manifest: &'a Manifest,
    columns: &'a [Column],
    sweep: &'a Sweep,
    runner: &'a R,
    options: &'a RunOptions<'a>,
    path: &'a Path,
}

impl<R: Runner> Store<'_, R> {
    fn whole(&self, observer: &mut dyn Observer) -> Result<Summary, SweepError> {
        let _lock = Lock::whole(self.path)?;
        let parts = self.path.join(PARTS);
        remove_leftovers(&parts)?;
        let found = self.found()?;
        if has_parts(&parts)? {
            if !self.options.resume {
                return Err(SweepError::Unfinished { path: self.path.to_path_buf() });
            }
            // parts without a manifest: somebody removed it
            let found = found.as_ref().map_or_else(|| Manifest::read(self.path), |m| Ok(m.clone()));
            self.manifest.check_same(&found?, self.path)?;
        } else if is_finished(self.path, self.manifest)? {
            if self.options.resume {
                return finished(self.path, self.manifest, observer);
            }
        } else if has_shards(self.path)? {
            return Err(SweepError::Sharded { path: self.path.to_path_buf() });
        }
        if found.as_ref() != Some(self.manifest) {
            self.manifest.write(self.path)?;
        }
        self.write_plan(None)?;
        let sources = self.fill(parts.clone(), observer)?;
        let summary = gather::results(self.path, self.manifest, &sources, observer)?;
        remove_directory(&parts)?;
        Ok(summary)
    }

    fn share(&self, shard: Shard, observer: &mut dyn Observer) -> Result<Summary, SweepError> {
        let _locks = Lock::shard(self.path, shard)?;
        let found = match self.found()? {
            Some(found) => found,
            None => {
                let writer = format!("{}-of-{}", shard.index(), shard.count());
                self.manifest.publish(self.path, &writer)?
            }
        };
        self.manifest.check_same(&found, self.path)?;
        let source = Source {
            path: self.path.join(shard.file_name()),
            range: self.options.range(self.sweep),
        };
        let all = self.path.join(PARTS);
        let parts = all.join(format!("{}-of-{}", shard.index(), shard.count()));
        remove_leftovers(&parts)?;
        if source.path.exists() {
            observer.noted(&format!("{} is complete", source.path.display()));
            return gather::summary_of(&source, self.manifest, observer);
        }
        if is_finished(self.path, self.manifest)? && !has_parts(&all)? {
            return finished(self.path, self.manifest, observer);
        }
        self.write_plan(Some(shard))?;
        make_directory(&all)?;
        let sources = self.fill(parts.clone(), observer)?;
        let summary = gather::shard(self.path, self.manifest, shard, &sources, observer)?;
        remove_directory(&parts)?;
        // the last one removes it
        let _ = std::fs::remove_dir(&all);
        Ok(summary)
    }

    /// Runs the instances that are in no part yet.
    fn fill(
        &self,
        directory: PathBuf,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Source>, SweepError> {
        let options = self.options;
        let range = options.range(self.sweep);
        let schedule = options.schedule();
        let limits =
            Limits { rows: options.chunk(), time: options.part_time(), threads: schedule.threads };
        let judge = options.judge(range.start)?;
        let (manifest, path) = (self.manifest, self.path);
        let mut parts = Parts::open(directory, manifest, path, range, judge, limits, observer)?;
        parts.start()?;
        let gaps = parts.gaps();
        if !gaps.is_empty() {
            let crew = Crew::new(self.sweep, self.runner, self.columns);
            let complete = drive(&crew, schedule, &gaps, &mut parts)?;
            parts.flush()?;
            if !complete {
                let (total, done) = parts.progress();
                let path = Some(self.path.to_path_buf());
                return Err(SweepError::Cancelled { done, total, path });
            }
        }
        Ok(parts.into_sources())
    }

    /// The manifest that is there, if it is one of the same plan; results that are there without
    /// one must be of the same plan, too.
    fn found(&self) -> Result<Option<Manifest>, SweepError> {
        if let Some(found) = Manifest::find(self.path)? {
            self.manifest.check_plan(&found, self.path)?;
            return Ok(Some(found));
        }
        let summary = self.path.join(SUMMARY_FILE);
        let found = match std::fs::read(&summary) {
            Ok(bytes) => serde_json::from_slice::<Value>(&bytes)
                .ok()
                .and_then(|summary| Some(summary.get("plan_digest")?.as_str()?.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !self.path.join(RESULTS_FILE).exists() {
                    return Ok(None);
                }
                None
            }
            Err(source) => return Err(io_error("read", &summary, source)),
        };
        if found.as_ref() == Some(&self.manifest.plan_digest) {
            return Ok(None);
        }
        let plan_digest = self.manifest.plan_digest.clone();
        Err(SweepError::ForeignResults { path: self.path.to_path_buf(), found, plan_digest })
    }

    /// Writes the copy of the plan; a share does so beside others.
    fn write_plan(&self, shard: Option<Shard>) -> Result<(), SweepError> {
        let file = match shard {
            None => Partial::create(self.path, PLAN_FILE)?,
            Some(_) if self.path.join(PLAN_FILE).is_file() => return Ok(()),
            Some(shard) => {
                let writer = format!("{}-of-{}", shard.index(), shard.count());
                Partial::create_beside(self.path, PLAN_FILE, &writer)?
            }
        };
        file.text(&self.sweep.plan_text())?.complete()
    }
}

/// Whether a directory holds the finished results of a sweep.
pub(super) fn is_finished(directory: &Path, manifest: &Manifest) -> Result<bool, SweepError> {
    let path = directory.join(SUMMARY_FILE);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(io_error("read", &path, source)),
    };
    let Ok(summary) = serde_json::from_slice::<Summary>(&text) else { return Ok(false) };
    let same = (&summary.plan_digest, &summary.model_digest, &summary.version)
        == (&manifest.plan_digest, &manifest.model_digest, &manifest.version);
    Ok(same && directory.join(RESULTS_FILE).is_file())
}

/// The summary of a finished sweep, whose results are read once more.
pub(super) fn finished(
    directory: &Path,
    manifest: &Manifest,
    observer: &mut dyn Observer,
) -> Result<Summary, SweepError> {
    observer.noted(&format!("{} is finished", directory.display()));
    let source = Source { path: directory.join(RESULTS_FILE), range: 0..manifest.instances };
    let read = gather::summary_of(&source, manifest, observer)?;
    let path = directory.join(SUMMARY_FILE);
    let text = std::fs::read(&path).map_err(|source| io_error("read", &path, source))?;
    let damaged = |reason: String| SweepError::Damaged { path: path.clone(), reason };
    let summary: Summary =
        serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    if read.digest != summary.digest {
        return Err(damaged(format!("it is of other results than {RESULTS_FILE}")));
    }
    Ok(summary)
}

/// Whether a directory holds shares, complete or not.
fn has_shards(directory: &Path) -> Result<bool, SweepError> {
    let complete = names(directory)?.iter().any(|name| Shard::of_file_name(name).is_some());
    if complete {
        return Ok(true);
    }
    for name in names(&directory.join(PARTS))? {
        let parts = directory.join(PARTS).join(name);
        if parts.is_dir() && has_parts(&parts)? {
            return Ok(true);
        }
    }
    Ok(false)
}
