//! A model, plans, and runners whose answers are known in closed form.

use pommel_batch::{Column, Instance, Outcome, Plan, Runner, Sweep};
use pommel_model::{Description, Mechanism};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The model that the plans vary.
pub(crate) fn model_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../datasets/robots/planar2_papadopoulos/model.toml")
}

/// A plan of the data sets.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/sweeps").join(name)
}

/// The model that the plans vary.
pub(crate) fn model() -> Description {
    Mechanism::from_path(model_path()).expect("the data set is sound").into_description()
}

/// A random plan: the mass of a link and the initial speed of a joint.
pub(crate) fn random_plan(count: u64, seed: u64) -> String {
    format!(
        r#"
        name = "oscillators"
        model = "model.toml"
        end = 2.0
        design = {{ kind = "random", count = {count}, seed = {seed} }}

        [[parameters]]
        path = "bodies.L1.mass"
        name = "mass"
        unit = "kg"
        uniform = [1.0, 3.0]

        [[parameters]]
        path = "initial.v.j_L1"
        unit = "rad/s"
        normal = {{ mean = 0.0, standard_deviation = 0.5 }}
        "#
    )
}

pub(crate) fn sweep_of(plan: &str) -> Sweep {
    Sweep::new(Plan::from_toml_str(plan).expect("plan"), model()).expect("sweep")
}

pub(crate) fn random_sweep(count: u64) -> Sweep {
    sweep_of(&random_plan(count, 7))
}

/// What a runner does with an instance instead of its duty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mischief {
    Fail,
    Panic,
    NotANumber,
}

/// An oscillator with the mass of link 1, stiffness 9 N/m and the initial speed of its joint,
/// solved in closed form at the end time.
#[derive(Default)]
pub(crate) struct Oscillator {
    pub(crate) group: usize,
    pub(crate) mischief: Vec<(u64, Mischief)>,
    pub(crate) workers: AtomicUsize,
}

impl Oscillator {
    pub(crate) fn with(mischief: &[(u64, Mischief)]) -> Self {
        Self { mischief: mischief.to_vec(), ..Self::default() }
    }

    fn solve(&self, instance: &Instance<'_>, worker: &mut Description) -> Outcome {
        match self.mischief.iter().find(|(index, _)| *index == instance.index()) {
            Some((_, Mischief::Fail)) => {
                return Outcome::failed("singular", "pivot 0 at joint j_L2", 0.25);
            }
            Some((_, Mischief::Panic)) => panic!("instance {} panics", instance.index()),
            Some((_, Mischief::NotANumber)) => {
                return Outcome::Finished { values: vec![f64::NAN, 1.0] };
            }
            None => {}
        }
        // the description of the worker, to show that nothing stays of the instance before
        instance.write(worker);
        let mechanism = match Mechanism::new(worker.clone()) {
            Ok(mechanism) => mechanism,
            Err(error) => return Outcome::from(error),
        };
        let mass = mechanism.description().bodies[1].mass;
        let speed = mechanism.initial_state().v[6];
        let frequency = (9.0 / mass).sqrt();
        let position = speed / frequency * (frequency * instance.sweep().plan().end).sin();
        Outcome::Finished { values: vec![position, 0.5 * mass * speed * speed] }
    }
}

impl Runner for Oscillator {
    type Worker = Description;

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("position", "m", "position at the end"),
            Column::new("energy", "J", "kinetic energy at the start"),
        ]
    }

    fn group(&self) -> usize {
        self.group.max(1)
    }

    fn worker(&self) -> Description {
        self.workers.fetch_add(1, Ordering::Relaxed);
        random_sweep(1).base().clone()
    }

    fn run(&self, worker: &mut Description, instances: &[Instance<'_>]) -> Vec<Outcome> {
        // neighbours, and no more than may be
        assert!((1..=self.group()).contains(&instances.len()));
        assert!(instances.windows(2).all(|pair| pair[0].index() + 1 == pair[1].index()));
        instances.iter().map(|instance| self.solve(instance, worker)).collect()
    }
}

/// An empty place of its own for one test.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("pommel-batch-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("temporary directory");
        Self(path)
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Names of everything in the place, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.0)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Names of everything in a directory, sorted.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("directory");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}
