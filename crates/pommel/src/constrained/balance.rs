//! What a trajectory did to the constraints and to the energy.
//!
//! The drift of energy is that of kinetic plus potential energy less the work of everything else:
//! dampers, torques, friction, drivers. The power of these is what is left of the power of all forces
//! when that of gravity and springs is taken off, which is the rate of the potential energy by exact
//! differentiation; it is integrated over each step with three points of Gauss on the dense output. Within a step over
//! a singular position, multipliers of drivers are quotients of zeros, so that power is the polynomial through its
//! values at the states that the step has looked at ([`Visits`]), on both sides.

use pommel_integrate::{Control, Observer, Step, Visits};
use pommel_math::Jet;
use pommel_mechanism::formulation::Formulation;
use pommel_mechanism::{Evaluation, System};

use super::watch::follow;
use crate::absolute::AbsoluteState;

/// Watches an integration.
pub(crate) struct Balance<'a> {
    system: &'a System<f64>,
    evaluation: Evaluation<f64>,
    /// the system along a motion, for rates
    moving: System<Jet<1>>,
    along: Evaluation<Jet<1>>,
    /// for the multipliers, where drivers do work
    formulation: Option<Box<dyn Formulation>>,
    qd: Vec<f64>,
    start: &'a AbsoluteState,
    jets: [Vec<Jet<1>>; 2],
    turns: Vec<Jet<1>>,
    state: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
    energy_at_start: f64,
    /// of everything but gravity and springs since the start, at the end of the last step
    pub(crate) work: f64,
    pub(crate) kinetic_scale: f64,
    pub(crate) position_residual: f64,
    pub(crate) velocity_residual: f64,
    pub(crate) energy_drift: f64,
}

impl<'a> Balance<'a> {
    pub(crate) fn new(
        system: &'a System<f64>,
        formulation: Option<Box<dyn Formulation>>,
        start: &'a AbsoluteState,
    ) -> Self {
        let moving = system.cast::<Jet<1>>();
        let zero = Jet::constant(0.0);
        Balance {
            evaluation: Evaluation::new(system),
            turns: Evaluation::new(&moving).turns().to_vec(),
            along: Evaluation::new(&moving),
            formulation,
            start,
            qd: vec![0.0; system.nq()],
            jets: [vec![zero; system.nq()], vec![zero; system.nv()]],
            state: vec![0.0; system.nq() + system.nv()],
            a: vec![0.0; system.nv()],
            lambda: vec![0.0; system.rows()],
            energy_at_start: 0.0,
            work: 0.0,
            kinetic_scale: 0.0,
            position_residual: 0.0,
            velocity_residual: 0.0,
            energy_drift: 0.0,
            moving,
            system,
        }
    }

    fn energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let (q, v) = y.split_at(self.system.nq());
        self.system.evaluate(t, q, v, &mut self.evaluation);
        let phi = self.evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.position_residual = self.position_residual.max(phi);
        let rates = self.system.velocity_residual(v, &self.evaluation);
        self.velocity_residual = self.velocity_residual.max(rates);
        let energy = self.system.energy(v, &self.evaluation);
        self.kinetic_scale = self.kinetic_scale.max(energy.kinetic);
        energy.kinetic + energy.potential
    }

    /// Work from the start of a step to a time within.
    pub(crate) fn work_until(&mut self, step: &Step<'_, f64>, t: f64) -> f64 {
        if let Some(visits) = step.visits() {
            return self.work_between(&visits, (step.t_old(), t));
        }
        let h = t - step.t_old();
        let mut state = std::mem::take(&mut self.state);
        let third = 0.6_f64.sqrt() / 2.0;
        let mut work = 0.0;
        for (theta, weight) in [(0.5 - third, 5.0), (0.5, 8.0), (0.5 + third, 5.0)] {
            let t = step.t_old() + theta * h;
            step.interpolate(t, &mut state);
            work += h * weight / 18.0 * self.power(t, &state);
        }
        self.state = state;
        work
    }

    /// Work by the powers at visits.
    fn work_between(&mut self, visits: &Visits<'_>, (from, to): (f64, f64)) -> f64 {
        let turns = self.evaluation.turns().to_vec();
        let list: Vec<(f64, &[f64])> = visits.iter().collect();
        let (before, after): (Vec<usize>, Vec<usize>) =
            (0..list.len()).partition(|&i| list[i].0 < from);
        let mut powers = vec![0.0; list.len()];
        // turns of joints in space are followed away from the beginning, either way
        for side in [before.into_iter().rev().collect(), after] {
            self.evaluation.set_turns(&turns);
            for i in side {
                let (t, y) = list[i];
                powers[i] = self.power(t, y);
                self.system.track(&mut self.evaluation);
            }
        }
        self.evaluation.set_turns(&turns);
        visits.integral(&powers, (from, to))
    }

    /// Power of what is neither gravity nor a spring.
    fn power(&mut self, t: f64, y: &[f64]) -> f64 {
        let (q, v) = y.split_at(self.system.nq());
        self.system.evaluate(t, q, v, &mut self.evaluation);
        self.system.position_rate(q, v, &mut self.qd);
        for (jet, (q, qd)) in self.jets[0].iter_mut().zip(q.iter().zip(&self.qd)) {
            *jet = Jet::new(*q, [*qd]);
        }
        for (jet, v) in self.jets[1].iter_mut().zip(v) {
            *jet = Jet::constant(*v);
        }
        let [jq, jv] = &self.jets;
        for (to, turn) in self.turns.iter_mut().zip(self.evaluation.turns()) {
            *to = Jet::constant(*turn);
        }
        self.along.set_turns(&self.turns);
        self.moving.place(Jet::new(t, [1.0]), jq, jv, &mut self.along);
        let potential = self.moving.energy(jv, &self.along).potential;
        let forces = self.evaluation.force().iter().zip(&self.start.applied);
        let forces: f64 = forces.zip(v).map(|((f, applied), v)| (f + applied) * v).sum();
        let mut power = forces + potential.derivative(1);
        // constraints that move do work: −λᵀ ν
        if let Some(formulation) = &mut self.formulation {
            let applied = self.evaluation.force_mut().iter_mut().zip(&self.start.applied);
            applied.for_each(|(q, f)| *q += f);
            let equations = self.system.equations(&self.evaluation, (q, v));
            let solved = formulation.solve(&equations, &mut self.a, &mut self.lambda);
            // what drivers do is not known then, nor the balance from here on
            if solved.is_err() {
                power = f64::NAN;
            } else {
                let nu = self.evaluation.nu().iter().zip(&self.lambda);
                power -= nu.map(|(nu, lambda)| nu * lambda).sum::<f64>();
            }
        }
        power
    }
}

impl Observer<f64> for Balance<'_> {
    fn start(&mut self, t: f64, y: &[f64]) {
        self.evaluation.set_turns(&self.start.turns);
        self.work = 0.0;
        (self.position_residual, self.velocity_residual) = (0.0, 0.0);
        (self.energy_drift, self.kinetic_scale) = (0.0, 0.0);
        self.energy_at_start = self.energy(t, y);
    }

    fn step(&mut self, step: &Step<'_, f64>) -> Control {
        self.work += self.work_until(step, step.t_new());
        follow(self.system, step, (step.t_old(), step.t_new()), &mut self.evaluation);
        let energy = self.energy(step.t_new(), step.y_new());
        self.system.track(&mut self.evaluation);
        let drift = (energy - self.energy_at_start - self.work).abs();
        self.energy_drift = if drift.is_nan() { drift } else { self.energy_drift.max(drift) };
        Control::Continue
    }
}
