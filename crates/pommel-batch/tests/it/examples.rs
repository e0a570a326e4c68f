//! The plans of the data sets: sound, and what their README says they are.

use crate::support::example;
use pommel_batch::{DesignKind, Sweep};

const PLANS: [(&str, DesignKind, u64); 6] = [
    ("free_floating_arm.toml", DesignKind::Random, 1000),
    ("two_links_grid.toml", DesignKind::Grid, 63),
    ("two_links_latin_hypercube.toml", DesignKind::LatinHypercube, 100),
    ("two_links_list.toml", DesignKind::List, 5),
    ("two_links_one_at_a_time.toml", DesignKind::OneAtATime, 14),
    ("two_links_sobol.toml", DesignKind::Sobol, 128),
];

#[test]
fn every_plan_is_sound_and_every_instance_a_mechanism() {
    for (name, kind, instances) in PLANS {
        let sweep = Sweep::from_path(example(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((sweep.plan().design.kind, sweep.len()), (kind, instances), "{name}");
        assert_eq!(format!("{}.toml", sweep.plan().name), name);
        for index in 0..sweep.len() {
            assert!(sweep.parameters(index).iter().all(|value| value.is_finite()), "{name}");
            sweep.mechanism(index).unwrap_or_else(|error| panic!("{name} {index}: {error}"));
        }
    }
}

#[test]
fn the_readme_names_every_plan() {
    let readme = std::fs::read_to_string(example("README.md")).expect("a text");
    let entries = std::fs::read_dir(example("")).expect("a directory");
    let mut plans: Vec<String> = entries
        .map(|entry| entry.expect("entry").file_name().into_string().expect("text"))
        .filter(|name| name.ends_with(".toml"))
        .collect();
    plans.sort();
    assert_eq!(plans, PLANS.map(|(name, ..)| name));
    for (name, _, instances) in PLANS {
        let line = readme.lines().find(|line| line.contains(&format!("]({name})")));
        let line = line.unwrap_or_else(|| panic!("{name} is not in the README"));
        assert!(line.ends_with(&format!("| {instances} |")), "{line}");
    }
}
