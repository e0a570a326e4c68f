//! A solver for one instance, run for every lane of a scalar with several.

use core::marker::PhantomData;

use pommel_math::Real;

use super::Summary;
use crate::error::{KktError, check_length};
use crate::pattern::{Pattern, Values};

/// What [`SaddleSolver`](super::SaddleSolver) says, of a scalar with one lane.
pub(super) trait Instance<T: Real> {
    fn new(pattern: &Pattern) -> Self;
    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError>;
    fn set_row_tolerance(&mut self, share: f64);
    /// The lengths have been checked.
    fn solve(&mut self, rhs: &[T], solution: &mut [T]);
}

/// A solver `S` for scalars of one lane, or a solver `L` over f64 for each lane.
#[derive(Clone, Debug)]
pub(super) struct Lanewise<T, S, L> {
    size: usize,
    one: Option<S>,
    lanes: Vec<L>,
    values: [Vec<f64>; 3],
    rhs: Vec<f64>,
    solution: Vec<f64>,
    scalar: PhantomData<T>,
}

impl<T: Real, S: Instance<T>, L: Instance<f64>> Lanewise<T, S, L> {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let size = pattern.unknowns() + pattern.rows();
        let several = T::LANES > 1;
        let room = |length: usize| vec![0.0; if several { length } else { 0 }];
        Lanewise {
            size,
            one: (!several).then(|| S::new(pattern)),
            lanes: (0..if several { T::LANES } else { 0 }).map(|_| L::new(pattern)).collect(),
            values: [
                room(pattern.mass_len()),
                room(pattern.jacobian_len()),
                room(pattern.compliance_len()),
            ],
            rhs: room(size),
            solution: room(size),
            scalar: PhantomData,
        }
    }

    pub(super) fn set_row_tolerance(&mut self, share: f64) -> Result<(), KktError> {
        if !(0.0..1.0).contains(&share) {
            return Err(KktError::Tolerance { value: share });
        }
        self.one.iter_mut().for_each(|solver| solver.set_row_tolerance(share));
        self.lanes.iter_mut().for_each(|solver| solver.set_row_tolerance(share));
        Ok(())
    }

    pub(super) fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError> {
        if let Some(solver) = &mut self.one {
            return solver.factorize(values);
        }
        let mut worst: Option<Summary> = None;
        let [mass, jacobian, compliance] = &mut self.values;
        for (lane, solver) in self.lanes.iter_mut().enumerate() {
            copy_lane(values.mass, lane, "mass", mass)?;
            copy_lane(values.jacobian, lane, "jacobian", jacobian)?;
            copy_lane(values.compliance, lane, "compliance", compliance)?;
            let summary = solver.factorize(&Values { mass, jacobian, compliance })?;
            if worst.is_none_or(|w| summary.rank < w.rank) {
                worst = Some(summary);
            }
        }
        Ok(worst.unwrap_or_default())
    }

    pub(super) fn solve(&mut self, rhs: &[T], solution: &mut [T]) {
        for (what, found) in [("a right-hand side", rhs.len()), ("a solution", solution.len())] {
            assert_eq!(found, self.size, "{what} of {} entries, not {found}", self.size);
        }
        if let Some(solver) = &mut self.one {
            return solver.solve(rhs, solution);
        }
        for (lane, solver) in self.lanes.iter_mut().enumerate() {
            self.rhs.iter_mut().zip(rhs).for_each(|(to, from)| *to = from.lane(lane));
            solver.solve(&self.rhs, &mut self.solution);
            for (to, x) in solution.iter_mut().zip(&self.solution) {
                let old = *to;
                *to = T::from_lanes(|l| if l == lane { *x } else { old.lane(l) });
            }
        }
    }
}

fn copy_lane<T: Real>(
    from: &[T],
    lane: usize,
    array: &'static str,
    to: &mut [f64],
) -> Result<(), KktError> {
    check_length(array, to.len(), from.len())?;
    to.iter_mut().zip(from).for_each(|(to, from)| *to = from.lane(lane));
    Ok(())
}
