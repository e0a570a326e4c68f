//! The last pass: files in index order become one, counted as they are read back.

use super::file::Partial;
use super::manifest::Manifest;
use super::rows::RowReader;
use super::table::{Table, part_facts};
use super::{GROUP_ROWS, RESULTS_FILE, SUMMARY_FILE};
use crate::digest::ContentDigest;
use crate::error::SweepError;
use crate::observe::Observer;
use crate::outcome::Row;
use crate::shard::Shard;
use crate::summary::{Effort, Summary, Tally};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A complete file and the instances that it must hold.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) range: Range<u64>,
}

/// Reads a file from end to end and checks that it holds its instances as they were written; what
/// it took to run them.
pub(super) fn read(
    source: &Source,
    manifest: &Manifest,
    each: &mut dyn FnMut(Vec<Row>) -> Result<(), SweepError>,
) -> Result<Effort, SweepError> {
    let reader = RowReader::open(&source.path, manifest)?;
    let Range { start, end } = source.range;
    if reader.len() != end - start {
        let reason = format!("it has {} rows, not {}", reader.len(), end - start);
        return Err(reader.damaged(reason));
    }
    let mut next = start;
    let mut check = ContentDigest::new();
    for batch in reader.batches() {
        let rows = reader.batch(batch)?;
        for row in &rows {
            if row.index != next {
                let reason = format!("instance {} is in the place of {next}", row.index);
                return Err(reader.damaged(reason));
            }
            next += 1;
            check.exact(row);
        }
        each(rows)?;
    }
    // results say the digest of their content, other files that of all they hold
    if let Some(expected) = reader.fact("check") {
        if check.finish() != expected {
            return Err(reader.damaged("its content is not what was written".to_owned()));
        }
    } else if reader.path().file_name().is_none_or(|name| name != RESULTS_FILE) {
        return Err(reader.damaged("it does not say what its content must be".to_owned()));
    }
    Ok(reader.effort())
}

/// Writes rows as they come in row groups of one size, whatever the sizes in which they come.
struct Regroup {
    table: Table,
    rows: Vec<Row>,
}

impl Regroup {
    fn create(directory: &Path, name: &str, manifest: &Manifest) -> Result<Self, SweepError> {
        Ok(Self { table: Table::create(directory, name, manifest)?, rows: Vec::new() })
    }

    fn write(&mut self, rows: Vec<Row>) -> Result<(), SweepError> {
        for row in rows {
            self.rows.push(row);
            if self.rows.len() == GROUP_ROWS {
                self.table.write(&self.rows)?;
                self.rows.clear();
            }
        }
        Ok(())
    }

    fn finish(mut self, facts: &[(&str, String)]) -> Result<(), SweepError> {
        self.table.write(&self.rows)?;
        self.table.finish(facts)
    }
}

/// Makes the table of results and the summary of sources that follow each other.
pub(super) fn results(
    directory: &Path,
    manifest: &Manifest,
    sources: &[Source],
    observer: &mut dyn Observer,
) -> Result<Summary, SweepError> {
    let mut table = Regroup::create(directory, RESULTS_FILE, manifest)?;
    let mut tally = Tally::new(manifest.quantities().count());
    let mut effort = Effort::default();
    for source in sources {
        effort.add(read(source, manifest, &mut |rows| {
            rows.iter().for_each(|row| tally.row(row));
            observer.rows(&rows);
            table.write(rows)
        })?);
    }
    let summary = tally.finish(manifest, effort);
    table.finish(&[("digest", summary.digest.clone())])?;
    // plain data with text keys
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n";
    // the summary last: whoever finds it finds the rest
    Partial::create(directory, SUMMARY_FILE)?.text(&text)?.complete()?;
    Ok(summary)
}

/// Makes the file of a share of sources that follow each other.
pub(super) fn shard(
    directory: &Path,
    manifest: &Manifest,
    shard: Shard,
    sources: &[Source],
    observer: &mut dyn Observer,
) -> Result<Summary, SweepError> {
    let mut table = Regroup::create(directory, &shard.file_name(), manifest)?;
    let mut tally = Tally::new(manifest.quantities().count());
    let mut effort = Effort::default();
    let mut check = ContentDigest::new();
    for source in sources {
        effort.add(read(source, manifest, &mut |rows| {
            for row in &rows {
                tally.row(row);
                check.exact(row);
            }
            observer.rows(&rows);
            table.write(rows)
        })?);
    }
    let facts = part_facts(check, effort);
    let summary = tally.finish(manifest, effort);
    let more = [("shard", shard.to_string()), ("digest", summary.digest.clone())];
    table.finish(&[&facts[..], &more].concat())?;
    Ok(summary)
}

/// The summary of a complete file, read from end to end.
pub(super) fn summary_of(
    source: &Source,
    manifest: &Manifest,
    observer: &mut dyn Observer,
) -> Result<Summary, SweepError> {
    let mut tally = Tally::new(manifest.quantities().count());
    let effort = read(source, manifest, &mut |rows| {
        rows.iter().for_each(|row| tally.row(row));
        observer.rows(&rows);
        Ok(())
    })?;
    Ok(tally.finish(manifest, effort))
}
