//! What a motion knows while it runs.

use pommel_mechanism::Evaluation;
use pommel_mechanism::impact::{ImpactSolver, Interactions, Measured};

use super::log::EventRecord;
use super::phase::{At, Phase};
use super::status::Statuses;
use super::{NonsmoothDynamics, NonsmoothError, NonsmoothOptions};
use crate::Error;

/// What an event has shown, which numbers alone would leave to rounding.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// the time of it
    pub(super) t: f64,
    /// whether drivers may have jumped
    pub(super) kink: bool,
    /// joints whose sliding velocity is zero
    pub(super) at_rest: Vec<usize>,
    /// joints whose friction is at its limit, and the sense in which they go
    pub(super) released: Vec<(usize, f64)>,
    /// gaps that are zero
    pub(super) touching: Vec<usize>,
    /// gaps that open
    pub(super) opening: Vec<usize>,
}

/// What event functions are shifted by, so that rounding about zero is no event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shifts {
    pub(super) force: f64,
    pub(super) speed: f64,
}

/// All that the equations and the events share.
pub(super) struct MotionState<'a> {
    pub(super) dynamics: &'a NonsmoothDynamics,
    pub(super) options: NonsmoothOptions,
    pub(super) applied: Vec<f64>,
    pub(super) statuses: Statuses,
    pub(super) phase: Phase,
    /// terms of the system with nothing held
    pub(super) free: Evaluation<f64>,
    /// coordinates of rubs and gaps as tracked last
    pub(super) near: Vec<f64>,
    pub(super) impacts: ImpactSolver,
    pub(super) shown: Shown,
    pub(super) shifts: Shifts,
    pub(super) log: Vec<EventRecord>,
    pub(super) failure: Option<Error>,
}

/// Event functions are shifted by this part of the largest force or speed.
const SHIFT: f64 = 1e-12;
/// Gaps below this length, in typical lengths of the mechanism or rad, are closed.
const TOUCHING: f64 = 1e-10;

impl MotionState<'_> {
    pub(super) fn interactions(&self) -> &Interactions {
        self.dynamics.interactions()
    }

    /// Index of the coordinate of a gap.
    pub(super) fn of_gap(&self, gap: usize) -> usize {
        self.interactions().rubs().len() + gap
    }

    /// Places the bodies of the free system.
    pub(super) fn place(&mut self, at: At<'_>) {
        self.dynamics.system().place(at.t, at.q, at.v, &mut self.free);
    }

    /// A coordinate at the state placed last.
    pub(super) fn measure(&self, index: usize) -> Measured {
        self.interactions().measure(index, self.near[index], &self.free)
    }

    /// The sliding velocity of a joint.
    pub(super) fn sliding(&self, rub: usize) -> f64 {
        self.measure(rub).rate - self.interactions().rubs()[rub].friction.surface_velocity
    }

    /// Gap and its rate.
    pub(super) fn gap(&self, gap: usize) -> [f64; 2] {
        let info = &self.interactions().gaps()[gap];
        let found = self.measure(self.of_gap(gap));
        [info.sign * (found.value - info.bound), info.sign * found.rate]
    }

    /// What pushes a closed gap open, by the multipliers solved for last.
    pub(super) fn push(&self, gap: usize) -> f64 {
        self.interactions().gaps()[gap].sign * self.phase.holding(self.of_gap(gap))
    }

    /// The row of a coordinate at the state placed last.
    pub(super) fn row(&self, index: usize) -> Vec<f64> {
        let system = self.dynamics.system();
        let mut row = vec![0.0; system.nv()];
        self.interactions().row(index, system, &self.free, &mut row);
        row
    }

    /// Which gaps count as zero.
    pub(super) fn touching_limit(&self, gap: usize) -> f64 {
        // turns are multiplied by 1, displacements by the inverse of the typical length
        let inverse = self.dynamics.system().scales().iter().fold(1.0_f64, |m, s| m.min(*s));
        let bound = self.interactions().gaps()[gap].bound.abs();
        TOUCHING * inverse.recip().max(bound)
    }

    /// Remembers angles in space at a state.
    pub(super) fn track(&mut self, at: At<'_>) {
        self.phase.track(at);
        self.place(at);
        for index in 0..self.near.len() {
            self.near[index] = self.measure(index).value;
        }
    }

    /// Shifts of event functions for forces and speeds as they are now.
    pub(super) fn shift(&mut self, v: &[f64]) {
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let force = largest(self.phase.evaluation.force()).max(largest(&self.phase.lambda));
        let rubs = self.interactions().rubs().iter();
        let speed = rubs.fold(largest(v), |m, rub| m.max(rub.friction.surface_velocity.abs()));
        self.shifts = Shifts {
            force: SHIFT.mul_add(force, f64::MIN_POSITIVE),
            speed: SHIFT.mul_add(speed, f64::MIN_POSITIVE),
        };
    }

    /// A phase for statuses at a state.
    ///
    /// # Errors
    /// As [`Phase::new`].
    pub(super) fn build(&self, statuses: &Statuses, at: At<'_>) -> Result<Phase, Error> {
        let turns = self.phase.turns();
        Phase::new(self.dynamics, &self.options, statuses, at, (&turns, &self.applied))
    }

    /// What shows that a phase has no accelerations.
    pub(super) fn no_accelerations(
        &self,
        phase: &Phase,
        time: f64,
        source: pommel_mechanism::formulation::FormulationError,
    ) -> Error {
        if let Some(source) = phase.system.unsound_force(&phase.evaluation) {
            return Error::Force { source, reached: Some(time) };
        }
        let place = phase.system.place_of(&source);
        NonsmoothError::Accelerations { time, source, place }.into()
    }
}
