//! The parts of a sweep that is not finished: which there are, and new ones.

use super::file::{io_error, make_directory, names};
use super::gather::{Source, read};
use super::manifest::Manifest;
use super::table::write_part;
use crate::error::SweepError;
use crate::judge::Judge;
use crate::observe::Observer;
use crate::outcome::Row;
use crate::pipeline::Sink;
use crate::summary::Effort;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of a part: the first instance, and the one after the last; names sort as numbers do.
fn part_name(range: &Range<u64>) -> String {
    format!("{:020}-{:020}.parquet", range.start, range.end)
}

/// The instances of a part with this name.
fn part_range(name: &str) -> Option<Range<u64>> {
    let (start, end) = name.strip_suffix(".parquet")?.split_once('-')?;
    let range = start.parse().ok()?..end.parse().ok()?;
    (part_name(&range) == name && range.start < range.end).then_some(range)
}

/// Whether a directory holds parts.
pub(super) fn has_parts(directory: &Path) -> Result<bool, SweepError> {
    Ok(names(directory)?.iter().any(|name| part_range(name).is_some()))
}

/// The parts of a range of instances; a sink for those that are missing.
pub(super) struct Parts<'a> {
    directory: PathBuf,
    manifest: &'a Manifest,
    /// Where the user looks.
    place: &'a Path,
    range: Range<u64>,
    parts: Vec<Source>,
    judge: Option<Judge>,
    observer: &'a mut dyn Observer,
    done: u64,
    failed: u64,
    /// Rows without a part yet, in index order without gaps.
    rows: Vec<Row>,
    limits: Limits,
    /// When the last part was completed, or the run began.
    last: Instant,
}

/// When a part is complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) rows: usize,
    pub(super) time: Duration,
    pub(super) threads: usize,
}

impl<'a> Parts<'a> {
    /// Opens a directory, which is made if need be. Parts that are damaged are removed with a note.
    pub(super) fn open(
        directory: PathBuf,
        manifest: &'a Manifest,
        place: &'a Path,
        range: Range<u64>,
        judge: Option<Judge>,
        limits: Limits,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, SweepError> {
        make_directory(&directory)?;
        let mut this = Self {
            directory,
            manifest,
            place,
            range,
            parts: Vec::new(),
            judge,
            observer,
            done: 0,
            failed: 0,
            rows: Vec::new(),
            limits,
            last: Instant::now(),
        };
        for name in names(&this.directory)? {
            let path = this.directory.join(&name);
            match part_range(&name) {
                Some(range) => this.keep(Source { path, range })?,
                // of a run that was killed
                None if name.ends_with(".partial") => remove(&path)?,
                None => {}
            }
        }
        Ok(this)
    }

    /// Keeps a part of an earlier run if it is sound.
    fn keep(&mut self, part: Source) -> Result<(), SweepError> {
        let follows = self.parts.last().is_none_or(|last| last.range.end <= part.range.start);
        let inside = self.range.start <= part.range.start && part.range.end <= self.range.end;
        // no more rows than are held while they are run
        let mut rows = Vec::new();
        let result = if !(follows && inside) {
            Err("it overlaps another part, or is beyond the sweep".to_owned())
        } else {
            let each = &mut |more: Vec<Row>| {
                rows.extend(more);
                Ok(())
            };
            match read(&part, self.manifest, each) {
                Err(SweepError::Damaged { reason, .. }) => Err(reason),
                other => other.map(Ok)?,
            }
        };
        match result {
            Ok(_) => {
                self.count(&rows);
                if let Some(judge) = &mut self.judge {
                    rows.iter().for_each(|row| judge.row(row));
                }
                self.parts.push(part);
            }
            Err(reason) => {
                let path = part.path.display();
                self.observer.noted(&format!("removed {path}, to be run again: {reason}"));
                remove(&part.path)?;
            }
        }
        Ok(())
    }

    /// The instances that are missing.
    pub(super) fn gaps(&self) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut next = self.range.start;
        for part in &self.parts {
            gaps.push(next..part.range.start);
            next = part.range.end;
        }
        gaps.push(next..self.range.end);
        gaps.retain(|gap| !gap.is_empty());
        gaps
    }

    /// Number of instances, and how many of them are done.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.range.end - self.range.start, self.done)
    }

    /// Tells the observer where the run starts.
    pub(super) fn start(&mut self) -> Result<(), SweepError> {
        let (total, done) = self.progress();
        self.observer.started(total, done);
        if done > 0 {
            self.observer.advanced(done, self.failed);
        }
        self.last = Instant::now();
        self.check()
    }

    /// Writes the rows that have no part yet.
    pub(super) fn flush(&mut self) -> Result<(), SweepError> {
        let (Some(first), Some(last)) = (self.rows.first(), self.rows.last()) else {
            return Ok(());
        };
        let range = first.index..last.index + 1;
        let name = part_name(&range);
        let seconds = self.last.elapsed().as_secs_f64();
        let effort = Effort { seconds, threads: self.limits.threads };
        write_part(&self.directory, &name, self.manifest, &self.rows, effort)?;
        self.parts.push(Source { path: self.directory.join(name), range });
        self.rows.clear();
        self.last = Instant::now();
        Ok(())
    }

    /// All parts, in index order.
    pub(super) fn into_sources(mut self) -> Vec<Source> {
        self.parts.sort_by_key(|part| part.range.start);
        self.parts
    }

    fn count(&mut self, rows: &[Row]) {
        self.done += rows.len() as u64;
        self.failed += rows.iter().filter(|row| !row.outcome.is_finished()).count() as u64;
    }

    fn check(&self) -> Result<(), SweepError> {
        self.judge.as_ref().map_or(Ok(()), |judge| judge.check(Some(self.place)))
    }
}

impl Sink for Parts<'_> {
    fn arrived(&mut self, rows: &[Row]) {
        self.count(rows);
        self.observer.advanced(self.done, self.failed);
    }

    fn rows(&mut self, rows: Vec<Row>) -> Result<(), SweepError> {
        let follows = match (self.rows.last(), rows.first()) {
            (Some(last), Some(first)) => last.index + 1 == first.index,
            _ => true,
        };
        // a part of an earlier run is in between
        if !follows {
            self.flush()?;
        }
        if let Some(judge) = &mut self.judge {
            rows.iter().for_each(|row| judge.row(row));
        }
        self.rows.extend(rows);
        if self.rows.len() >= self.limits.rows {
            self.flush()?;
        }
        if let Err(error) = self.check() {
            // what was run stays
            self.flush()?;
            return Err(error);
        }
        Ok(())
    }

    fn tick(&mut self) -> Result<(), SweepError> {
        if !self.rows.is_empty() && self.last.elapsed() >= self.limits.time {
            self.flush()?;
        }
        Ok(())
    }
}

fn remove(path: &Path) -> Result<(), SweepError> {
    std::fs::remove_file(path).map_err(|source| io_error("remove", path, source))
}
