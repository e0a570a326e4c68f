//! Who simulates: the trait, and what it is handed.

use crate::outcome::Outcome;
use crate::plan::Integrator;
use crate::sweep::Sweep;
use pommel_model::{Description, Mechanism, ModelError};

/// A column of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Unit; `1` if it has none.
    pub unit: String,
    /// What it is, in words.
    pub description: String,
}

impl Column {
    /// A column.
    pub fn new(
        name: impl Into<String>,
        unit: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), unit: unit.into(), description: description.into() }
    }
}

/// Simulates groups of instances.
///
/// An outcome must be a function of the instance alone, down to the last bit: not of the worker's
/// past, nor of the other instances of its group.
pub trait Runner: Sync {
    /// What a thread needs to simulate: memory, a description to write parameters into.
    type Worker: Send;

    /// The quantities that every finished instance gives.
    fn columns(&self) -> Vec<Column>;

    /// How many instances [`Runner::run`] gets at once at most, such as eight times the number of SIMD lanes: it gets
    /// fewer, down to an eighth, of short sweeps, of slow instances and towards the end. Instances are run one by one
    /// after a panic in their group.
    fn group(&self) -> usize {
        1
    }

    /// A new worker. Workers are reused; about as many are made as there are threads.
    fn worker(&self) -> Self::Worker;

    /// Simulates a group, whose instances differ in their numbers only. Returns an outcome for
    /// each, in the same order.
    ///
    /// # Panics
    /// A panic in here is caught and recorded as an outcome with reason `panic`, and the worker is
    /// dropped. The instances of a group of several are then run again one by one with fresh
    /// workers, so that only those that panic by themselves are lost. (The panic hook still prints
    /// its message. With `panic = "abort"` nothing can be caught.) The wrong number of outcomes
    /// or values is a programming error and ends the sweep with a panic.
    fn run(&self, worker: &mut Self::Worker, instances: &[Instance<'_>]) -> Vec<Outcome>;
}

/// One instance of a sweep, as handed to a [`Runner`].
#[derive(Debug, Clone, Copy)]
pub struct Instance<'a> {
    sweep: &'a Sweep,
    index: u64,
    parameters: &'a [f64],
}

impl<'a> Instance<'a> {
    pub(crate) fn new(sweep: &'a Sweep, index: u64, parameters: &'a [f64]) -> Self {
        Self { sweep, index, parameters }
    }

    /// Its index in the sweep.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Its parameters and derived numbers, in the order of the plan.
    pub fn parameters(&self) -> &'a [f64] {
        self.parameters
    }

    /// How it is integrated: the settings of the plan, with its own put in. These are not checked.
    pub fn integrator(&self) -> Integrator {
        self.sweep.integrator(self.parameters)
    }

    /// When it ends, s: as the plan says, or its own; this is not checked.
    pub fn end(&self) -> f64 {
        self.sweep.end().of(self.parameters)
    }

    /// The sweep that it belongs to.
    pub fn sweep(&self) -> &'a Sweep {
        self.sweep
    }

    /// Its description; not checked, since parameters may make no sound mechanism.
    pub fn description(&self) -> Description {
        let mut description = self.sweep.base().clone();
        self.write(&mut description);
        description
    }

    /// Writes its parameters into a description that came from the same sweep. All parameters are
    /// written, so nothing remains of another instance.
    pub fn write(&self, description: &mut Description) {
        self.sweep.write(self.parameters, description);
    }

    /// Its mechanism.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] if its parameters make no sound mechanism;
    /// `Outcome::from` turns this into a failed instance.
    pub fn mechanism(&self) -> Result<Mechanism, ModelError> {
        Mechanism::new(self.description())
    }
}
