//! What is in the files.

use crate::support::{Mischief, Oscillator, Place, names, random_sweep};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use pommel_batch::{Observer, Outcome, Row, RunOptions, Summary, run_to_directory};
use std::collections::HashMap;
use std::fs::File;

#[derive(Default)]
struct Rows(Vec<Row>);

impl Observer for Rows {
    fn rows(&mut self, rows: &[Row]) {
        self.0.extend_from_slice(rows);
    }
}

#[test]
fn the_table_holds_the_rows() {
    let place = Place::new("table");
    let directory = place.join("a/b");
    let sweep = random_sweep(25);
    let runner = Oscillator::with(&[(2, Mischief::Fail), (20, Mischief::Panic)]);
    let options = RunOptions { threads: 2, chunk: 10, ..Default::default() };
    let mut rows = Rows::default();
    let summary = run_to_directory(&sweep, &runner, &options, &mut rows, &directory).expect("runs");
    assert_eq!(
        names(&directory),
        ["manifest.json", "plan.toml", "results.parquet", "summary.json"]
    );

    let file = File::open(directory.join("results.parquet")).expect("file");
    let reader = SerializedFileReader::new(file).expect("parquet");
    let lengths: Vec<_> =
        reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(lengths, [25], "row groups do not tell the chunks");
    let schema = reader.metadata().file_metadata().schema();
    let fields: Vec<_> = schema.get_fields().iter().map(|f| f.name().to_owned()).collect();
    assert_eq!(
        fields,
        [
            "instance",
            "status",
            "reason",
            "message",
            "time_reached",
            "mass",
            "initial.v.j_L1",
            "position",
            "energy"
        ]
    );
    let metadata: HashMap<_, _> = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .expect("metadata")
        .iter()
        .map(|entry| (entry.key.as_str(), entry.value.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(metadata["pommel.plan_digest"], sweep.plan_digest());
    assert_eq!(metadata["pommel.model_digest"], sweep.model_digest());
    assert_eq!(metadata["pommel.digest"], summary.digest);
    assert_eq!(metadata["pommel.version"], env!("CARGO_PKG_VERSION"));
    let columns: serde_json::Value =
        serde_json::from_str(metadata["pommel.columns"]).expect("json");
    assert_eq!(columns["initial.v.j_L1"]["path"], "initial.v.j_L1");
    assert_eq!(columns["position"]["unit"], "m");
    assert_eq!(
        (&columns["mass"]["unit"], &columns["mass"]["path"]),
        (&"kg".into(), &"bodies.L1.mass".into())
    );
    assert_eq!(
        (&columns["energy"]["unit"], &columns["energy"]["role"]),
        (&"J".into(), &"quantity".into())
    );
    assert_eq!(columns["time_reached"]["unit"], "s");

    let mut read = Vec::new();
    for row in reader.get_row_iter(None).expect("rows") {
        let row = row.expect("row");
        let cells: Vec<Field> = row.get_column_iter().map(|(_, cell)| cell.clone()).collect();
        let number = |c: usize| match cells[c] {
            Field::Double(x) => x,
            ref other => panic!("column {c} holds {other}"),
        };
        let text = |c: usize| match &cells[c] {
            Field::Str(text) => text.clone(),
            other => panic!("column {c} holds {other}"),
        };
        let outcome = if text(1) == "finished" {
            assert_eq!((&cells[2], &cells[3]), (&Field::Null, &Field::Null));
            assert_eq!(number(4), 2.0);
            Outcome::Finished { values: vec![number(7), number(8)] }
        } else {
            assert_eq!((&cells[7], &cells[8]), (&Field::Null, &Field::Null));
            Outcome::failed(text(2), text(3), number(4))
        };
        let Field::ULong(index) = cells[0] else { panic!("index is {}", cells[0]) };
        read.push(Row { index, parameters: vec![number(5), number(6)], outcome });
    }
    assert_eq!(read, rows.0);
}

#[test]
fn the_summary_and_the_plan_are_written_as_promised() {
    let place = Place::new("summary");
    let sweep = random_sweep(25);
    let runner = Oscillator::with(&[(2, Mischief::Fail)]);
    let mut rows = Rows::default();
    let options = RunOptions { threads: 2, ..Default::default() };
    let summary =
        run_to_directory(&sweep, &runner, &options, &mut rows, place.join("out")).expect("runs");
    let text = std::fs::read_to_string(place.join("out/summary.json")).expect("summary");
    let read: Summary = serde_json::from_str(&text).expect("json");
    assert_eq!(read, summary);
    let value: serde_json::Value = serde_json::from_str(&text).expect("json");
    for key in [
        "instances",
        "finished",
        "failed",
        "wall_seconds",
        "instances_per_second",
        "digest",
        "name",
        "plan_digest",
        "model_digest",
        "threads",
        "version",
        "quantities",
    ] {
        assert!(value.get(key).is_some(), "{key}");
    }
    assert_eq!(value["failed"], serde_json::json!({"singular": 1}));
    assert!(summary.wall_seconds > 0.0 && summary.instances_per_second > 0.0);

    let energies: Vec<f64> = rows
        .0
        .iter()
        .filter_map(|row| match &row.outcome {
            Outcome::Finished { values } => Some(values[1]),
            Outcome::Failed { .. } => None,
        })
        .collect();
    let energy = &summary.quantities[1];
    assert_eq!((energy.name.as_str(), energy.unit.as_str()), ("energy", "J"));
    assert_eq!(energy.min, energies.iter().copied().reduce(f64::min));
    assert_eq!(energy.max, energies.iter().copied().reduce(f64::max));
    let mean = energies.iter().sum::<f64>() / energies.len() as f64;
    // all terms are positive, so plain summation is good to n eps
    let error = (energy.mean.expect("mean") - mean).abs();
    assert!(error <= 25.0 * f64::EPSILON * mean, "{error}");

    let plan = std::fs::read_to_string(place.join("out/plan.toml")).expect("plan");
    assert_eq!(plan, sweep.plan_text());
    assert_eq!(
        pommel_batch::Plan::from_toml_str(&plan).expect("plan").digest(),
        summary.plan_digest
    );
}

/// The table of 1 and of 2 threads is the same file, byte for byte.
#[test]
fn the_table_does_not_depend_on_threads() {
    let place = Place::new("bytes");
    let sweep = random_sweep(300);
    let bytes = |threads: usize| {
        let options = RunOptions { threads, chunk: 64, ..Default::default() };
        let directory = place.join(&format!("out{threads}"));
        run_to_directory(&sweep, &Oscillator::default(), &options, &mut (), &directory)
            .expect("runs");
        std::fs::read(directory.join("results.parquet")).expect("file")
    };
    assert!(bytes(1) == bytes(2));
}
