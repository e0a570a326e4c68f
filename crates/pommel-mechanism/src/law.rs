//! Forces given as code.

use std::fmt;
use std::sync::Arc;

use pommel_math::Real;

use crate::{Evaluation, System};

/// A force that a program gives as code, beside those of the model.
///
/// It is a function of time and state alone: evaluations ask for it at trial states, in any order, more than once, and
/// from several threads; also at states that are not finite, where what it says does not matter.
pub trait ForceLaw: fmt::Debug + Send + Sync {
    /// Its name, for errors.
    fn name(&self) -> &str;

    /// Adds to Q at a state.
    ///
    /// # Arguments
    /// - `time` s
    /// - `q`, `v` coordinates and velocities of the [`System`]
    /// - `force` **in/out**, length [`System::nv`]; N, N·m, in the frames of the velocities
    fn add_to(&self, time: f64, q: &[f64], v: &[f64], force: &mut [f64]);
}

/// A force given as code that is infinite or NaN at a state that is neither.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the force '{name}' is {value} at t = {time}")]
pub struct UnsoundForce {
    /// The name of the force.
    pub name: String,
    /// When it was asked for, s.
    pub time: f64,
    /// Its first number that is not finite.
    pub value: f64,
}

/// The forces of a system that are given as code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Laws {
    list: Vec<Arc<dyn ForceLaw>>,
    /// the system was made for another scalar, which code over `f64` does not know
    lost: bool,
}

/// What asking for such forces needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    q: Vec<f64>,
    v: Vec<f64>,
    force: Vec<f64>,
    unsound: Option<Unsound>,
}

#[derive(Clone, Copy, Debug)]
struct Unsound {
    law: usize,
    time: f64,
    value: f64,
}

impl Laws {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Those of a system over another scalar.
    pub(crate) fn lost(&self) -> Self {
        Laws { list: self.list.clone(), lost: true }
    }

    pub(crate) fn memory(&self, coordinates: usize, velocities: usize) -> Memory {
        if self.is_empty() {
            return Memory::default();
        }
        let zeros = |count| vec![0.0; count];
        let (q, v, force) = (zeros(coordinates), zeros(velocities), zeros(velocities));
        Memory { q, v, force, unsound: None }
    }

    /// Whether memory is for as many velocities.
    pub(crate) fn fit(&self, memory: &Memory, velocities: usize) -> bool {
        self.is_empty() || memory.force.len() == velocities
    }

    pub(crate) fn add_to<T: Real>(
        &self,
        time: T,
        (q, v): (&[T], &[T]),
        memory: &mut Memory,
        force: &mut [T],
    ) {
        if self.lost {
            return force.fill(T::from_f64(f64::NAN));
        }
        let time = time.lane(0);
        memory.q.iter_mut().zip(q).for_each(|(to, q)| *to = q.lane(0));
        memory.v.iter_mut().zip(v).for_each(|(to, v)| *to = v.lane(0));
        // what comes of a state that is no state is not the force's fault
        let sound = time.is_finite() && memory.q.iter().chain(&memory.v).all(|x| x.is_finite());
        if sound {
            memory.unsound = None;
        }
        for (law, given) in self.list.iter().enumerate() {
            memory.force.fill(0.0);
            given.add_to(time, &memory.q, &memory.v, &mut memory.force);
            if sound
                && memory.unsound.is_none()
                && let Some(&value) = memory.force.iter().find(|f| !f.is_finite())
            {
                memory.unsound = Some(Unsound { law, time, value });
            }
            for (to, f) in force.iter_mut().zip(&memory.force) {
                *to += T::from_f64(*f);
            }
        }
    }
}

impl System<f64> {
    /// Adds a force given as code to Q of all evaluations from here on; make memory for these after that.
    ///
    /// Systems over other scalars ([`cast`](System::cast), [`pack`](System::pack)) do not know it: their Q is NaN, all
    /// else stays.
    pub fn add_force_law(&mut self, law: Arc<dyn ForceLaw>) {
        self.laws.list.push(law);
    }

    /// The forces given as code, in the order in which they were added.
    pub fn force_laws(&self) -> &[Arc<dyn ForceLaw>] {
        &self.laws.list
    }
}

impl<T: Real> System<T> {
    /// The force given as code that is no number in the last evaluation at a state that is finite; none if all were
    /// numbers there.
    pub fn unsound_force(&self, evaluation: &Evaluation<T>) -> Option<UnsoundForce> {
        let Unsound { law, time, value } = evaluation.given.unsound?;
        let name = self.laws.list.get(law)?.name().to_owned();
        Some(UnsoundForce { name, time, value })
    }
}
