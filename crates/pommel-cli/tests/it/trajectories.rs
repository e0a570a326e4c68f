//! Files and samples of `simulate`.

use parquet::record::Field;
use serde_json::Value;

use crate::support::{ARM, Place, numbers, parquet_columns, pommel, texts};

/// Names and bits of the columns of a table, in the order of its file.
type Columns = Vec<(String, Vec<u64>)>;

fn from_csv(text: &str) -> Columns {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().expect("a head").clone();
    let mut columns: Columns = head.iter().map(|name| (name.to_owned(), Vec::new())).collect();
    for record in reader.records() {
        for (cell, (_, column)) in record.expect("a row").iter().zip(&mut columns) {
            column.push(cell.parse::<f64>().expect("a number").to_bits());
        }
    }
    columns
}

fn from_json(text: &str) -> Columns {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let bits = |list: Vec<f64>| list.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let mut columns = vec![("t".to_owned(), bits(numbers(&document["t"])))];
    for (key, names) in [("q", "coordinates"), ("v", "velocities")] {
        let rows: Vec<_> =
            document[key].as_array().expect("rows").iter().map(|row| bits(numbers(row))).collect();
        for (k, name) in texts(&document[names]).iter().enumerate() {
            columns.push((format!("{key}.{name}"), rows.iter().map(|row| row[k]).collect()));
        }
    }
    for key in ["work", "kinetic_energy", "potential_energy"] {
        columns.push((key.to_owned(), bits(numbers(&document[key]))));
    }
    columns
}

#[test]
fn csv_parquet_and_json_hold_the_same_numbers() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    for name in ["run.csv", "run.parquet", "run.json"] {
        let file = place.path(name);
        let run = pommel(&["simulate", &model, "--end", "1", "--every", "0.1", "--out", &file]);
        assert!(run.succeeds().out.contains(&format!("wrote {file}")));
    }
    let json = from_json(&place.text("run.json"));
    assert_eq!(json.len(), 1 + 8 + 7 + 3);
    assert!(json.iter().all(|(_, column)| column.len() == 11));
    assert_eq!(from_csv(&place.text("run.csv")), json);

    let parquet = parquet_columns(&place.path("run.parquet"));
    assert_eq!(parquet.len(), json.len());
    for (name, bits) in &json {
        let cells: Vec<_> = (parquet[name].iter())
            .map(|cell| match cell {
                Field::Double(x) => x.to_bits(),
                other => panic!("{name} holds {other}"),
            })
            .collect();
        assert_eq!(&cells, bits, "{name}");
    }
}

#[test]
fn a_plot_is_an_svg_or_a_png() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    for name in ["run.svg", "run.png"] {
        let file = place.path(name);
        pommel(&["simulate", &model, "--end", "1", "--plot", &file]).succeeds();
    }
    let svg = place.text("run.svg");
    assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{}", &svg[..80]);
    assert!(svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("<polyline") || svg.contains("<path"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert!(place.read("run.png").starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[test]
fn the_plot_of_a_single_sample_can_be_drawn() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    for name in ["run.svg", "run.png"] {
        pommel(&["simulate", &model, "--end", "0", "--plot", &place.path(name)]).succeeds();
    }
    assert!(!place.text("run.svg").contains("NaN"));
}

#[test]
fn samples_are_at_zero_at_multiples_and_at_the_end() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let times = |options: &[&str]| {
        let document = pommel(&[&["simulate", &model, "--json"], options].concat()).json();
        let trajectory = &document["trajectory"];
        let t = numbers(&trajectory["t"]);
        assert_eq!(trajectory["q"].as_array().map(Vec::len), Some(t.len()));
        t
    };
    let close = |found: &[f64], expected: &[f64]| {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= f64::EPSILON;
        assert!(
            found.len() == expected.len() && found.iter().zip(expected).all(near),
            "{found:?} is not {expected:?}"
        );
        assert_eq!((found.first(), found.last()), (expected.first(), expected.last()));
    };
    close(&times(&["--end", "1", "--every", "0.3"]), &[0.0, 0.3, 0.6, 0.9, 1.0]);
    close(&times(&["--end", "1", "--every", "0.25"]), &[0.0, 0.25, 0.5, 0.75, 1.0]);
    close(&times(&["--end", "1", "--every", "7"]), &[0.0, 1.0]);
    let fixed = ["--end", "1", "--every", "0.3", "--integrator", "rk4", "--step", "0.07"];
    close(&times(&fixed), &[0.0, 0.3, 0.6, 0.9, 1.0]);
    assert_eq!(times(&["--end", "1"]).len(), 101);
}

/// All methods end alike, the better the higher their order.
#[test]
fn every_integrator_ends_at_the_same_state() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let end = |more: &[&str]| -> Vec<f64> {
        let args = ["simulate", &model, "--end", "1", "--every", "1", "--json"];
        let document = pommel(&[&args[..], more].concat()).json();
        let q = document["trajectory"]["q"][1].as_array().expect("a state").clone();
        q.iter().map(|x| x.as_f64().expect("a number")).collect()
    };
    let truth = end(&["--rtol", "1e-12"]);
    let off = |q: &[f64]| q.iter().zip(&truth).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    for (name, limits) in [
        ("euler", [1e-1, 1e-2]),
        ("collatz", [1e-2, 1e-4]),
        ("heun", [1e-2, 1e-4]),
        ("bs32", [1e-4, 1e-7]),
        ("rk4", [1e-5, 1e-9]),
        ("rk38", [1e-5, 1e-9]),
        ("rkf45", [1e-5, 1e-9]),
        ("dopri5", [1e-7, 1e-11]),
    ] {
        let run = |step: &str| off(&end(&["--integrator", name, "--fixed", "--step", step]));
        let errors = [run("0.02"), run("0.002")];
        assert!(errors[0] < limits[0] && errors[1] < limits[1], "{name}: {errors:?}");
        // down to rounding
        assert!(errors[1] < errors[0].max(1e-13), "{name}: {errors:?}");
    }
    for name in ["heun", "bs32", "rkf45", "dopri5", "ode45"] {
        let found = off(&end(&["--integrator", name, "--rtol", "1e-6", "--atol", "1e-8"]));
        assert!(found < 1e-4, "{name}: {found}");
    }
}

/// One evaluation to begin, six an attempt; default tolerances as documented.
#[test]
fn ode45_counts_as_matlab_does() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let run = |more: &[&str]| {
        let args = ["simulate", &model, "--end", "3", "--json", "--integrator", "ode45"];
        let document = pommel(&[&args[..], more].concat()).json();
        ["steps", "rejected", "evaluations"].map(|key| document[key].as_u64().unwrap())
    };
    let default = run(&[]);
    assert!(default[0] >= 10, "no step is larger than a tenth of the whole");
    assert_eq!(default[2], 1 + 6 * (default[0] + default[1]));
    assert_eq!(run(&["--rtol", "1e-6", "--atol", "1e-6"]), default);
    assert!(run(&["--rtol", "1e-9", "--atol", "1e-9"])[0] > default[0]);
    assert!(run(&["--step", "1e-4"])[0] > default[0]);
}

#[test]
fn a_run_that_ends_at_once_holds_the_initial_state() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let document = pommel(&["simulate", &model, "--end", "0", "--json"]).json();
    assert_eq!(document["steps"], 0);
    let trajectory = &document["trajectory"];
    assert_eq!(numbers(&trajectory["t"]), [0.0]);
    assert_eq!(numbers(&trajectory["q"][0]), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(numbers(&trajectory["v"][0]), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
    pommel(&["simulate", &model, "--end", "0"]).succeeds();
}

/// Whatever the arm does, its mass centre falls: `(m₁ z₁ + m₂ z₂) / (m₁ + m₂) = -g t² / 2`.
#[test]
fn the_mass_centre_of_a_free_arm_falls() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let gravity = ["--gravity", "0", "0", "-2"];
    let args = [&["simulate", &model, "--end", "3", "--every", "1", "--json"], &gravity[..]];
    let trajectory = &pommel(&args.concat()).json()["trajectory"];
    for (k, fall) in [0.0, -1.0, -4.0, -9.0].into_iter().enumerate() {
        let z = |body: &str| numbers(&trajectory["bodies"][body]["position"][k])[2];
        let centre = (10.0 * z("base") + 2.0 * z("link")) / 12.0;
        // ten times the relative tolerance of the integrator, 1e-8
        assert!((centre - fall).abs() <= 1e-7 * 9.0, "{centre} is not {fall}");
    }
}
