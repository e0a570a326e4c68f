//! Results that cannot be written.

use crate::support::{ARM, Place, dataset, masses, plan, pommel};

#[test]
fn a_result_below_a_regular_file_is_a_failure_that_names_it() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let below = |name: &str| place.path(&format!("arm.toml/{name}"));
    for (option, name) in [("--out", "run.csv"), ("--out", "run.parquet"), ("--plot", "run.svg")] {
        let file = below(name);
        pommel(&["simulate", &model, "--end", "0.1", option, &file])
            .fails(1, &["cannot write", &file]);
    }
    let file = below("copy.json");
    pommel(&["convert", &model, &file]).fails(1, &["cannot write", &file]);

    let plan = place.file("plan.toml", plan(&masses("[1.0]")));
    let directory = below("results");
    pommel(&["sweep", &plan, "--out", &directory]).fails(1, &["cannot create", &directory]);
    pommel(&["sweep", &plan, "--out", &model]).fails(1, &[&model, "is not a directory"]);
    assert_eq!(place.names("."), ["arm.toml", "plan.toml"]);
    assert_eq!(place.text("arm.toml"), ARM);
}

#[test]
fn a_result_in_place_of_a_directory_is_a_failure_and_leaves_nothing() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let directory = place.path("run.csv");
    std::fs::create_dir(&directory).expect("directory");
    pommel(&["simulate", &model, "--end", "0.1", "--out", &directory])
        .fails(1, &["cannot write", &directory]);
    assert_eq!(place.names("."), ["arm.toml", "run.csv"]);
}

#[test]
fn a_result_of_unknown_type_is_refused_with_those_that_are_known() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    for name in ["run.txt", "run", ".csv"] {
        pommel(&["simulate", &model, "--end", "1", "--out", &place.path(name)])
            .fails(2, &["cannot tell the format of", name, ".csv, .parquet, .json"]);
    }
    pommel(&["simulate", &model, "--end", "1", "--plot", &place.path("run.pdf")])
        .fails(2, &["cannot tell the format of", "run.pdf", ".svg, .png"]);
    let urdf = dataset("robots/puma560_fixed/model.urdf");
    pommel(&["convert", &urdf, &place.path("copy.urdf")])
        .fails(2, &["copy.urdf", ".toml or .json"]);
    assert_eq!(place.names("."), ["arm.toml"]);
}

#[test]
fn an_earlier_result_is_replaced() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let file = place.file("run.csv", "old\n".repeat(10_000));
    pommel(&["simulate", &model, "--end", "0.1", "--out", &file]).succeeds();
    assert!(place.text("run.csv").starts_with("t,q.root.x,"));
    assert_eq!(place.names("."), ["arm.toml", "run.csv"]);
}
