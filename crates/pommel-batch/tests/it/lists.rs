//! Instances from the rows of files.

use crate::support::{Place, model_path};
use pommel_batch::{ColumnKind, ColumnValues, ParquetTable, Sweep};
use std::path::Path;

/// A plan of a list beside the model.
fn place(name: &str, file: &str) -> Place {
    let place = Place::new(name);
    std::fs::copy(model_path(), place.join("model.toml")).expect("copy");
    let plan = format!(
        r#"name = "list"
model = "model.toml"
end = 1.0

[design]
kind = "list"
file = "{file}"

[[parameters]]
path = "bodies.L1.mass"
column = "m1"

[[parameters]]
path = "gravity[0]"
name = "g"
"#
    );
    std::fs::write(place.join("plan.toml"), plan).expect("plan");
    place
}

fn sweep(place: &Place) -> Sweep {
    Sweep::from_path(place.join("plan.toml")).expect("a sweep")
}

/// The faults of a text, with the directory cut off.
fn faults(name: &str, text: impl AsRef<[u8]>) -> Vec<String> {
    let place = place(name, "list.csv");
    std::fs::write(place.join("list.csv"), text).expect("list");
    told(&place)
}

fn told(place: &Place) -> Vec<String> {
    let error = Sweep::from_path(place.join("plan.toml")).expect_err("faulty");
    let directory = place.join("").display().to_string();
    error.faults().iter().map(|fault| fault.to_string().replace(&directory, "")).collect()
}

fn parquet(path: &Path, columns: Vec<(&str, ColumnKind, ColumnValues<'_>)>) {
    let file = std::fs::File::create(path).expect("file");
    let heads: Vec<_> = columns.iter().map(|(name, kind, _)| ((*name).to_owned(), *kind)).collect();
    let mut table = ParquetTable::create(file, &heads, Vec::new()).expect("table");
    table.write(columns.into_iter().map(|(_, _, values)| values).collect()).expect("rows");
    table.finish().expect("table");
}

#[test]
fn rows_of_a_text_are_instances() {
    let place = place("list-csv", "list.csv");
    let text = "\u{feff}# from elsewhere\nm1, note ,g\n1.5,a,-9.81\n 2e-3 ,\"b, c\",0\n";
    std::fs::write(place.join("list.csv"), text).expect("list");
    let first = sweep(&place);
    assert_eq!(first.len(), 2);
    assert_eq!(first.parameters(0), [1.5, -9.81]);
    assert_eq!(first.parameters(1), [2e-3, 0.0]);
    assert_eq!(first.swept()[0].name(), "bodies.L1.mass");
    assert_eq!(first.mechanism(1).expect("sound").description().bodies[1].mass, 2e-3);

    // another list is another plan, the same one is not
    assert_eq!(sweep(&place).plan_digest(), first.plan_digest());
    assert_eq!(first.plan_digest().len(), 64);
    std::fs::write(place.join("list.csv"), text.replace("1.5", "1.6")).expect("list");
    let other = sweep(&place);
    assert_ne!(other.plan_digest(), first.plan_digest());
    assert_eq!(other.plan().digest(), first.plan().digest());
}

#[test]
fn rows_of_a_table_are_instances() {
    let place = place("list-parquet", "list.parquet");
    let g: Vec<_> = (0..10_000).map(|k| f64::from(k).sqrt()).collect();
    let path = place.join("list.parquet");
    parquet(
        &path,
        vec![
            (
                "g",
                ColumnKind::OptionalReal,
                ColumnValues::OptionalReal(g.iter().copied().map(Some).collect()),
            ),
            ("note", ColumnKind::Text, ColumnValues::Text(vec!["x"; 10_000])),
            ("m1", ColumnKind::Unsigned, ColumnValues::Unsigned((1..=10_000).collect())),
        ],
    );
    let sweep = sweep(&place);
    assert_eq!(sweep.len(), 10_000);
    for index in [0, 1, 4095, 4096, 9_999] {
        assert_eq!(sweep.parameters(index), [index as f64 + 1.0, g[index as usize]]);
    }
}

#[test]
fn a_table_of_results_is_a_list() {
    let place = place("list-again", "results.parquet");
    let path = place.join("results.parquet");
    let file = std::fs::File::create(&path).expect("file");
    let heads = [("m1".to_owned(), ColumnKind::Real), ("g".to_owned(), ColumnKind::Real)];
    let mut table = ParquetTable::create(file, &heads, Vec::new()).expect("table");
    for group in 0..3 {
        let base = f64::from(group);
        let rows =
            vec![ColumnValues::Real(vec![base, base + 0.5]), ColumnValues::Real(vec![0.0, 1.0])];
        table.write(rows).expect("rows");
    }
    table.finish().expect("table");
    let sweep = sweep(&place);
    let masses: Vec<_> = (0..sweep.len()).map(|k| sweep.parameters(k)[0]).collect();
    assert_eq!(masses, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5], "all row groups, in order");
}

#[test]
fn faulty_texts_are_told_with_row_and_column() {
    assert_eq!(
        faults("list-cells", "m1,g\n1,2\n# no\n3,x\n,nan\n"),
        [
            "design.file (line 7): list.csv: row 2 (line 4), column 'g': 'x' is not a finite number",
            "design.file (line 7): list.csv: row 3 (line 5), column 'm1': an empty cell is not a \
             finite number",
            "design.file (line 7): list.csv: row 3 (line 5), column 'g': 'nan' is not a finite \
             number",
        ]
    );
    assert_eq!(
        faults("list-huge", "m1,g\n1e999,2\n"),
        ["design.file (line 7): list.csv: row 1 (line 2), column 'm1': '1e999' is not a finite \
          number"]
    );
    assert_eq!(
        faults("list-ragged", "m1,g\n1\n1,2,3\n"),
        [
            "design.file (line 7): list.csv: row 1 (line 2) has 1 cells, the header 2",
            "design.file (line 7): list.csv: row 2 (line 3) has 3 cells, the header 2",
        ]
    );
    assert_eq!(
        faults("list-columns", "m2,wind\n1,2\n"),
        [
            "parameters[0].column (line 11): list.csv has no column 'm1'; did you mean 'm2'?",
            "parameters[1] (line 13): list.csv has no column 'g'; known are m2, wind",
        ]
    );
    assert_eq!(
        faults("list-twice", "m1,g,m1\n1,2,3\n"),
        ["parameters[0].column (line 11): list.csv has two columns 'm1'; rename one"]
    );
    let none = "design.file (line 7): list.csv has no rows, so the sweep has no instances";
    assert_eq!(faults("list-none", "m1,g\n"), [none]);
    let empty = faults("list-empty", "");
    assert_eq!(empty.len(), 2, "{empty:?}");
    assert!(empty[0].contains("list.csv has no column 'm1'"), "{empty:?}");
    let bytes = faults("list-bytes", b"m1,g\n1,\xff\xfe\n");
    assert!(bytes.len() == 1 && bytes[0].contains("cannot read list.csv: "), "{bytes:?}");
    assert!(bytes[0].to_lowercase().contains("utf-8"), "{bytes:?}");
    let many = faults("list-many", "m1,g\n".to_owned() + &"x,y\n".repeat(500));
    assert_eq!(many.len(), 21);
    assert_eq!(many[20], "design.file (line 7): list.csv: 980 more rows or cells are faulty");
}

#[test]
fn files_that_are_no_lists_are_told() {
    let missing = told(&place("list-missing", "list.csv"));
    assert_eq!(missing.len(), 1);
    assert!(missing[0].starts_with("design.file (line 7): cannot read list.csv: "), "{missing:?}");
    assert_eq!(
        told(&place("list-kind", "list.xlsx")),
        ["design.file (line 7): list.xlsx: unknown file type; lists end in .csv or .parquet"]
    );
    let text = place("list-text", "list.parquet");
    std::fs::write(text.join("list.parquet"), "m1,g\n1,2\n").expect("list");
    let faults = told(&text);
    assert!(faults.len() == 1 && faults[0].contains("cannot read list.parquet: "), "{faults:?}");
}

#[test]
fn faulty_tables_are_told_with_row_and_column() {
    let place = place("list-nulls", "list.parquet");
    let path = place.join("list.parquet");
    let real = |values: &[f64]| ColumnValues::Real(values.to_vec());
    parquet(
        &path,
        vec![
            ("m1", ColumnKind::OptionalReal, ColumnValues::OptionalReal(vec![None, Some(1.0)])),
            ("g", ColumnKind::Real, real(&[f64::INFINITY, 2.0])),
        ],
    );
    assert_eq!(
        told(&place),
        [
            "design.file (line 7): list.parquet: row 1, column 'm1': an empty cell is not a finite \
             number",
            "design.file (line 7): list.parquet: row 1, column 'g': 'inf' is not a finite number",
        ]
    );
    parquet(
        &path,
        vec![
            ("m1", ColumnKind::Text, ColumnValues::Text(vec!["1"])),
            ("gg", ColumnKind::Real, real(&[2.0])),
        ],
    );
    assert_eq!(
        told(&place),
        ["parameters[1] (line 13): list.parquet has no column 'g'; did you mean 'gg'?"]
    );
    parquet(
        &path,
        vec![
            ("m1", ColumnKind::Text, ColumnValues::Text(vec!["1"])),
            ("g", ColumnKind::Real, real(&[2.0])),
        ],
    );
    assert_eq!(
        told(&place),
        ["parameters[0].column (line 11): column 'm1' of list.parquet holds texts or bytes, not \
          numbers"]
    );
    let empty = vec![("m1", ColumnKind::Real, real(&[])), ("g", ColumnKind::Real, real(&[]))];
    parquet(&path, empty);
    assert_eq!(
        told(&place),
        ["design.file (line 7): list.parquet has no rows, so the sweep has no instances"]
    );
}

/// Whatever is cut off or changed in a table, reading it gives a list or an error, never a panic.
#[test]
fn damaged_tables_do_not_panic() {
    let place = place("list-damaged", "list.parquet");
    let path = place.join("list.parquet");
    let values: Vec<_> = (0..50).map(|k| Some(f64::from(k))).collect();
    parquet(
        &path,
        vec![
            ("m1", ColumnKind::OptionalReal, ColumnValues::OptionalReal(values)),
            ("g", ColumnKind::Unsigned, ColumnValues::Unsigned((0..50).collect())),
        ],
    );
    let sound = std::fs::read(&path).expect("table");
    let whole = sweep(&place);
    for end in (0..sound.len()).step_by(7) {
        std::fs::write(&path, &sound[..end]).expect("written");
        assert!(Sweep::from_path(place.join("plan.toml")).is_err(), "cut at {end}");
    }
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, bytes).expect("written");
        if let Ok(other) = Sweep::from_path(place.join("plan.toml")) {
            assert_ne!(other.plan_digest(), whole.plan_digest());
        }
    }
}

#[test]
fn keys_of_other_designs_are_faults() {
    let place = place("list-keys", "list.csv");
    std::fs::write(place.join("list.csv"), "m1,g\n1,2\n").expect("list");
    let path = place.join("plan.toml");
    let text = std::fs::read_to_string(&path).expect("plan");
    let with = |from: &str, to: &str| {
        std::fs::write(&path, text.replace(from, to)).expect("plan");
        told(&place)
    };
    let rows = "its instances are the rows of `file`";
    assert_eq!(
        with("name = \"g\"", "name = \"g\"\nuniform = [0.0, 1.0]\ncentre = 1.0"),
        [
            format!("parameters[1].uniform (line 16): a list has no uniform distribution; {rows}"),
            format!("parameters[1].centre (line 17): a list has no centre; {rows}"),
        ]
    );
    assert_eq!(
        with("file =", "count = 3\nfile ="),
        [format!("design.count (line 7): a list has no count; {rows}")]
    );
    assert_eq!(with("file = \"list.csv\"\n", ""), ["design (line 5): a list needs the key 'file'"]);
    assert_eq!(with("list.csv", " "), ["design.file (line 7): the text is empty"]);
    assert_eq!(with("\"m1\"", "\"\""), ["parameters[0].column (line 11): the text is empty"]);
}
