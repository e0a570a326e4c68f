//! Trajectories.

mod options;
mod system;
mod trajectory;

pub use options::{Integrator, SimulateOptions};
pub use trajectory::{Diagnostics, Sample, Trajectory};

use pommel_integrate::{Control, Grid, Observer, Sampler, Step, Stepper};
use pommel_model::ResolvedState;

use crate::error::check_end;
use crate::{Error, TreeDynamics};
pub(crate) use system::{TreeSystem, pieces};

/// Integrates a mechanism from a state.
///
/// The joint forces and wrenches of `state` act all the time, besides the loads of the mechanism.
/// The integration goes from one corner or jump of the loads to the next, so that none is stepped
/// over. Samples are taken at the start, at every multiple of `every`, and at the end. `stop` is asked
/// after every step.
///
/// # Errors
/// [`Error::Integration`] with time and reason if the end is not reached, [`Error::Force`] if that is a force given as
/// code; [`Error::End`] if the end is before the start.
pub fn simulate(
    dynamics: &TreeDynamics,
    state: &ResolvedState,
    options: &SimulateOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Trajectory, Error> {
    check_end(options.end)?;
    let model = dynamics.model();
    let (nq, nv) = (model.nq(), model.nv());
    let mut system = TreeSystem::new(dynamics, state);
    let mut y = system.initial(state);
    let every = options.every.unwrap_or(f64::INFINITY).min(options.end);
    let grid = if options.end > 0.0 { Grid::Every(every) } else { Grid::At(&[0.0]) };
    let mut samples = Vec::new();
    let mut defect = 0.0_f64;
    let statistics = {
        let sink = |s: pommel_integrate::Sample<'_, f64>| {
            let (mut q, mut qd) = (s.y[..nq].to_vec(), vec![0.0; nq]);
            // an interpolated quaternion is a unit quaternion up to the tolerance only
            defect = defect.max(pommel_tree::quaternion_defect(model, &q));
            pommel_tree::normalize(model, &mut q, &mut qd);
            samples.push(Sample { t: s.t, q, v: s.y[nq..nq + nv].to_vec(), work: s.y[nq + nv] });
        };
        let sampler = Sampler::new(grid, 0.0, options.end, y.len(), sink)
            .map_err(pommel_integrate::IntegrateError::from)?;
        let mut watch = Watch { sampler, progress };
        {
            let mut stepper = Stepper::new(y.len(), &options.method())
                .map_err(pommel_integrate::IntegrateError::from)?;
            let run = system.run(&mut stepper, options.end, &mut y, &mut watch);
            run.map_err(|error| system.ended(error))?
        }
    };
    let mut diagnostics = Diagnostics::of(dynamics, &samples, dynamics.is_isolated(state));
    diagnostics.quaternion_residual = defect;
    Ok(Trajectory { samples, statistics, diagnostics })
}

/// Hands steps to the sampler and tells how far the integration is.
struct Watch<'a, S> {
    sampler: S,
    progress: &'a mut dyn FnMut(f64),
}

impl<S: Observer<f64>> Observer<f64> for Watch<'_, S> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.sampler.start(t, y);
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        (self.progress)(step.t_new());
        self.sampler.step(step)
    }

    fn interpolates(&self, t_new: f64) -> bool {
        self.sampler.interpolates(t_new)
    }
}
