//! Mechanisms of `datasets/mechanisms` with their reference states.

use std::path::PathBuf;

use pommel_mechanism::System;
use pommel_mechanism::joint_space::JointSpace;
use pommel_model::Mechanism;
use serde_json::Value;

/// A mechanism, its system, and states with accelerations.
pub(crate) struct Dataset {
    pub(crate) name: String,
    pub(crate) mechanism: Mechanism,
    pub(crate) system: System<f64>,
    /// where the model stands
    pub(crate) q: Vec<f64>,
    pub(crate) rank: Option<usize>,
    /// digits of the accelerations relative to 1 + |value|
    pub(crate) truth: Vec<Reference>,
    pub(crate) states: Vec<Reference>,
}

/// A state in the order of the system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reference {
    pub(crate) t: f64,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) lambda: Option<Vec<f64>>,
    pub(crate) energy: Option<f64>,
    /// decimal digits of `a`
    pub(crate) digits: f64,
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/mechanisms"))
}

fn read(name: &str, file: &str) -> Option<Value> {
    let text = std::fs::read_to_string(folder().join(name).join(file)).ok()?;
    Some(serde_json::from_str(&text).expect("a JSON file"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

impl Dataset {
    pub(crate) fn load(name: &str) -> Self {
        let mechanism = Mechanism::from_path(folder().join(name).join("model.toml")).expect(name);
        let system = System::new(&mechanism).expect(name);
        let states = |file: &str| -> (Vec<Reference>, Option<usize>) {
            // tables have none
            let Some(document) = read(name, file) else { return (Vec::new(), None) };
            let digits = document
                .get("digits_trusted_a")
                .or(document.get("digits_trusted"))
                .and_then(Value::as_f64)
                .unwrap_or(15.0);
            let list = document["states"].as_array().expect("states");
            let list = list.iter().map(|s| reference(&system, s, digits)).collect();
            (list, document.get("rank").and_then(Value::as_u64).map(|r| r as usize))
        };
        let (truth, _) = states("truth.json");
        let (states, rank) = states("states.json");
        let mut space = JointSpace::new(&mechanism, &system).expect(name);
        let (q, _) = space.initial_state(&mechanism, &system);
        Dataset { name: name.to_owned(), mechanism, system, q, rank, truth, states }
    }

    /// The file of the model.
    pub(crate) fn path(&self) -> PathBuf {
        folder().join(&self.name).join("model.toml")
    }

    /// All mechanisms that have states.
    pub(crate) fn all() -> Vec<Dataset> {
        let mut names: Vec<String> = std::fs::read_dir(folder())
            .expect("datasets/mechanisms")
            .filter_map(|entry| {
                let path = entry.expect("an entry").path();
                let has = path.join("states.json").exists() && path.join("model.toml").exists();
                has.then(|| path.file_name().expect("a name").to_string_lossy().into_owned())
            })
            .collect();
        names.sort();
        assert!(names.len() >= 18, "{names:?}");
        names.iter().map(|name| Dataset::load(name)).collect()
    }
}

fn reference(system: &System<f64>, state: &Value, digits: f64) -> Reference {
    let velocities = |list: Vec<f64>| -> Vec<f64> {
        if system.is_planar() {
            return list;
        }
        // files have the velocity first, systems the angular velocity
        list.chunks(6).flat_map(|b| [b[3], b[4], b[5], b[0], b[1], b[2]]).collect()
    };
    Reference {
        t: state["t"].as_f64().expect("t"),
        q: numbers(&state["q"]),
        v: velocities(numbers(&state["v"])),
        a: velocities(numbers(&state["a"])),
        lambda: state.get("lambda").map(numbers),
        energy: state.get("energy").and_then(Value::as_f64),
        digits,
    }
}

/// The largest difference relative to the largest number.
pub(crate) fn deviation(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let pairs = found.iter().zip(expected);
    pairs.fold(0.0_f64, |worst, (a, b)| {
        let difference = (a - b).abs();
        if difference.is_nan() { f64::INFINITY } else { worst.max(difference) }
    }) / scale
}
