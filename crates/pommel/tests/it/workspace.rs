//! The architecture, as `cargo metadata` sees it.

use std::collections::BTreeMap;

/// From the ground up: a crate depends only on crates above it in this list.
const LAYERS: [&str; 11] = [
    "pommel-testkit",
    "pommel-math",
    "pommel-kkt",
    "pommel-tree",
    "pommel-integrate",
    "pommel-model",
    "pommel-mechanism",
    "pommel-batch",
    "pommel",
    "pommel-cli",
    "pommel-benches",
];

/// Crates that do not know each other although one stands above the other.
const STRANGERS: [(&str, &str); 10] = [
    ("pommel-mechanism", "pommel-integrate"),
    ("pommel-batch", "pommel-mechanism"),
    ("pommel-tree", "pommel-kkt"),
    ("pommel-integrate", "pommel-kkt"),
    ("pommel-model", "pommel-kkt"),
    ("pommel-batch", "pommel-kkt"),
    ("pommel-batch", "pommel-tree"),
    ("pommel-integrate", "pommel-tree"),
    ("pommel-model", "pommel-tree"),
    ("pommel-model", "pommel-integrate"),
];

fn dependencies() -> BTreeMap<String, Vec<String>> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo metadata");
    let normal = |p: &cargo_metadata::Package| {
        (p.dependencies.iter())
            .filter(|d| d.kind == cargo_metadata::DependencyKind::Normal && d.path.is_some())
            .map(|d| d.name.to_string())
            .collect()
    };
    metadata.packages.iter().map(|p| (p.name.to_string(), normal(p))).collect()
}

#[test]
fn crates_depend_only_on_lower_layers() {
    let rank = |name: &str| {
        LAYERS.iter().position(|l| *l == name).unwrap_or_else(|| panic!("{name} has no layer"))
    };
    let found = dependencies();
    assert_eq!(found.len(), LAYERS.len(), "{found:?}");
    for (name, list) in &found {
        for other in list {
            assert!(rank(other) < rank(name), "{name} must not depend on {other}");
            let measures = name == "pommel-benches";
            assert!(measures || other != "pommel-testkit", "{name} needs the testkit for use");
        }
    }
    for (name, other) in STRANGERS {
        assert!(!found[name].iter().any(|o| o == other), "{name} must not know {other}");
    }
}

/// The program sees the facade only.
#[test]
fn the_program_sees_only_the_facade() {
    assert_eq!(dependencies()["pommel-cli"], ["pommel"]);
}

/// Every path that the architecture text names exists.
#[test]
fn paths_in_the_architecture_text_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut checked = 0;
    for word in text.split('`').skip(1).step_by(2) {
        let first = word.split('/').next().unwrap_or_default();
        if word.contains('/') && ["crates", "datasets", "ci", "benches", ".ci"].contains(&first) {
            assert!(root.join(word).exists(), "ARCHITECTURE.md names `{word}`");
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} paths found");
}

/// The Rust example of the README is the one that is compiled.
#[test]
fn the_example_of_the_readme_is_the_one_that_is_compiled() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let example = include_str!("../../examples/quick_start.rs");
    let code = example.split_once("\n\n").expect("a head, then code").1;
    assert!(readme.contains(&format!("```rust\n{code}```")), "README.md differs from\n{code}");
}
