//! Drift off the constraints over time, by what is done about it.

use pommel_integrate::{Control, ExplicitMethod, Observer, Options, Step};
use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::Method;
use pommel_mechanism::kinematics::Metric;

use super::contenders::MOST_STEPS;
use crate::absolute::AbsoluteState;
use crate::constrained::{Approach, integrate_constrained};
use crate::{AbsoluteDynamics, Error, Stabilization};

/// How far a motion is off its constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct DriftCurve {
    /// What is done about it.
    pub name: &'static str,
    /// Times, s, and the largest `|Φ|` of steps up to there since the point before; m, rad.
    pub points: Vec<(f64, f64)>,
}

/// Points of a curve.
const POINTS: usize = 400;

/// Dormand and Prince 5(4) from 0 to `end`, with nothing, Baumgarte's method and projection.
///
/// # Errors
/// As [`integrate_constrained`].
///
/// # Panics
/// If the state is not one of this mechanism.
pub fn drift(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    end: f64,
    tolerance: f64,
) -> Result<Vec<DriftCurve>, Error> {
    let steps = pommel_integrate::Adaptive::new(tolerance, tolerance);
    let options = Options::adaptive(ExplicitMethod::DormandPrince54.tableau(), steps);
    let mut curves = Vec::new();
    for (name, stabilization) in [
        ("none", Stabilization::None),
        ("baumgarte", Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 }),
        ("projection", Stabilization::Projection(Metric::Mass)),
    ] {
        let approach = Approach::Explicit {
            method: Method::SparseKkt,
            stabilization,
            options: options.clone().max_steps(MOST_STEPS),
        };
        let mut evaluation = Evaluation::new(dynamics.system());
        evaluation.set_turns(&state.turns);
        let mut watch = Watch { dynamics, evaluation, end, points: Vec::new() };
        integrate_constrained(dynamics, state, &approach, end, &mut watch)?;
        curves.push(DriftCurve { name, points: watch.points });
    }
    Ok(curves)
}

struct Watch<'a> {
    dynamics: &'a AbsoluteDynamics,
    evaluation: Evaluation<f64>,
    end: f64,
    points: Vec<(f64, f64)>,
}

impl Observer<f64> for Watch<'_> {
    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        let system = self.dynamics.system();
        let (q, v) = step.y_new().split_at(system.nq());
        system.evaluate(step.t_new(), q, v, &mut self.evaluation);
        system.track(&mut self.evaluation);
        let open = self.evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let slot = |t: f64| (t / self.end * POINTS as f64) as usize;
        match self.points.last_mut() {
            Some(last) if slot(last.0) == slot(step.t_new()) => last.1 = last.1.max(open),
            _ => self.points.push((step.t_new(), open)),
        }
        Control::Continue
    }

    fn interpolates(&self, _t_new: f64) -> bool {
        false
    }
}
