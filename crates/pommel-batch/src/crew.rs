//! Runs groups of instances: outcomes, checked, as rows.

use crate::outcome::{Outcome, Row};
use crate::runner::{Column, Instance, Runner};
use crate::sweep::Sweep;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// What the threads share.
pub(crate) struct Crew<'a, R: Runner> {
    sweep: &'a Sweep,
    runner: &'a R,
    columns: &'a [Column],
    /// Workers that wait for a group.
    idle: Mutex<Vec<R::Worker>>,
}

impl<'a, R: Runner> Crew<'a, R> {
    pub(crate) fn new(sweep: &'a Sweep, runner: &'a R, columns: &'a [Column]) -> Self {
        Self { sweep, runner, columns, idle: Mutex::new(Vec::new()) }
    }

    /// Number of instances that are run at once.
    pub(crate) fn group(&self) -> u64 {
        self.runner.group().max(1) as u64
    }

    /// Runs the instances of a group.
    pub(crate) fn run(&self, indices: std::ops::Range<u64>) -> Vec<Row> {
        let parameters: Vec<_> =
            indices.clone().map(|index| self.sweep.parameters(index)).collect();
        let instances: Vec<_> = indices
            .clone()
            .zip(&parameters)
            .map(|(index, parameters)| Instance::new(self.sweep, index, parameters))
            .collect();
        let outcomes = self.outcomes(&instances);
        let end = self.sweep.end();
        indices
            .zip(parameters)
            .zip(outcomes)
            .map(|((index, parameters), outcome)| {
                let outcome = outcome.checked(self.columns, end.of(&parameters));
                Row { index, parameters, outcome }
            })
            .collect()
    }

    /// The outcomes of a group; a panic costs only the instance that causes it.
    fn outcomes(&self, instances: &[Instance<'_>]) -> Vec<Outcome> {
        let outcomes = match self.attempt(instances) {
            Ok(outcomes) => outcomes,
            Err(payload) if instances.len() == 1 => vec![Outcome::panicked(&*payload)],
            Err(_) => instances
                .iter()
                .flat_map(|instance| self.outcomes(std::slice::from_ref(instance)))
                .collect(),
        };
        assert_eq!(
            outcomes.len(),
            instances.len(),
            "outcomes that the runner gave: {}, instances: {}",
            outcomes.len(),
            instances.len()
        );
        outcomes
    }

    /// One call of the runner. A worker that panicked is dropped, not used again; the runner itself
    /// is shared and only read, so nothing that the panic left half-done is seen again.
    fn attempt(
        &self,
        instances: &[Instance<'_>],
    ) -> Result<Vec<Outcome>, Box<dyn Any + Send + 'static>> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let (worker, outcomes) = catch_unwind(AssertUnwindSafe(|| {
            let mut worker = waiting.unwrap_or_else(|| self.runner.worker());
            let outcomes = self.runner.run(&mut worker, instances);
            (worker, outcomes)
        }))?;
        idle().push(worker);
        Ok(outcomes)
    }
}
