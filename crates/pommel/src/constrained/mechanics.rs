//! The terms of the equations for methods that solve for the constraints in every step.

use pommel_integrate::mechanics::Mechanics;
use pommel_math::Vec3;
use pommel_mechanism::formulation::FormulationError;
use pommel_mechanism::{Evaluation, SaddleFactor, System};

use crate::AbsoluteDynamics;
use crate::absolute::AbsoluteState;

/// A mechanism in absolute coordinates as [`integrate_mechanics`](pommel_integrate::mechanics::integrate_mechanics)
/// takes it: `y = (q, v)`.
#[derive(Clone, Debug)]
pub struct AbsoluteMechanics<'a> {
    system: &'a System<f64>,
    applied: &'a [f64],
    evaluation: Evaluation<f64>,
    factor: SaddleFactor,
    holonomic: Vec<bool>,
}

impl<'a> AbsoluteMechanics<'a> {
    /// From a state, whose applied forces act all the time.
    ///
    /// # Panics
    /// If the state is not one of this mechanism.
    pub fn new(dynamics: &'a AbsoluteDynamics, state: &'a AbsoluteState) -> Self {
        let system = dynamics.system();
        let mut evaluation = Evaluation::new(system);
        evaluation.set_turns(&state.turns);
        let mut holonomic = vec![true; system.rows()];
        for row in system.constraints().iter().flat_map(|c| c.nonholonomic.clone()) {
            holonomic[row] = false;
        }
        let factor = SaddleFactor::new(system);
        AbsoluteMechanics { system, applied: &state.applied, evaluation, factor, holonomic }
    }

    /// The terms at the state that was evaluated last.
    pub fn evaluation(&self) -> &Evaluation<f64> {
        &self.evaluation
    }

    /// Takes over turns of joints in space ([`Evaluation::turns`]).
    pub(super) fn set_turns(&mut self, turns: &[f64]) {
        self.evaluation.set_turns(turns);
    }

    /// Angular velocities or displacements of the bodies in space; none in the plane.
    fn turns(&self) -> impl Iterator<Item = usize> + use<> {
        let bodies = if self.system.is_planar() { 0 } else { self.system.body_count() };
        (0..bodies).map(|body| 6 * body)
    }
}

fn add(to: &mut [f64], at: usize, by: Vec3<f64>) {
    to[at] += by.x;
    to[at + 1] += by.y;
    to[at + 2] += by.z;
}

impl Mechanics for AbsoluteMechanics<'_> {
    type Error = FormulationError;

    fn coordinates(&self) -> usize {
        self.system.nq()
    }

    fn velocities(&self) -> usize {
        self.system.nv()
    }

    fn rows(&self) -> usize {
        self.system.rows()
    }

    fn is_holonomic(&self, row: usize) -> bool {
        self.holonomic[row]
    }

    fn evaluate(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), FormulationError> {
        self.system.evaluate(t, q, v, &mut self.evaluation);
        let force = self.evaluation.force_mut();
        force.iter_mut().zip(self.applied).for_each(|(q, f)| *q += f);
        Ok(())
    }

    fn force(&self) -> &[f64] {
        self.evaluation.force()
    }

    fn positions(&self) -> &[f64] {
        self.evaluation.phi()
    }

    fn nu(&self) -> &[f64] {
        self.evaluation.nu()
    }

    fn gamma(&self) -> &[f64] {
        self.evaluation.gamma()
    }

    fn add_mass(&self, s: f64, x: &[f64], to: &mut [f64]) {
        let mass = self.system.mass();
        for (row, column, value) in self.system.pattern().mass_entries() {
            to[row] += s * mass[value] * x[column];
            if row != column {
                to[column] += s * mass[value] * x[row];
            }
        }
    }

    fn multiply(&self, x: &[f64], to: &mut [f64]) {
        to.fill(0.0);
        let jacobian = self.evaluation.jacobian();
        for (row, column, value) in self.system.pattern().jacobian_entries() {
            to[row] += jacobian[value] * x[column];
        }
    }

    fn add_transposed(&self, s: f64, x: &[f64], to: &mut [f64]) {
        let jacobian = self.evaluation.jacobian();
        for (row, column, value) in self.system.pattern().jacobian_entries() {
            to[column] += s * jacobian[value] * x[row];
        }
    }

    fn factorize(&mut self) -> Result<(), FormulationError> {
        Ok(self.factor.factorize(self.system, &self.evaluation)?)
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), FormulationError> {
        Ok(self.factor.solve(self.system, x)?)
    }

    fn position_rate(&self, q: &[f64], v: &[f64], rate: &mut [f64]) {
        self.system.position_rate(q, v, rate);
    }

    fn displace(&self, q: &mut [f64], d: &[f64]) {
        self.system.displace(q, d);
    }

    fn displacement_rate(&self, d: &[f64], v: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(v);
        for at in self.turns() {
            let (d, w) = (Vec3::from_slice(&d[at..]), Vec3::from_slice(&v[at..]));
            add(rate, at, d.cross(w).scale(0.5) + d.scale(0.25 * d.dot(w)));
        }
    }

    fn momenta(&self, h: f64, u: &[f64], start: &mut [f64], end: &mut [f64]) {
        start.fill(0.0);
        self.add_mass(1.0, u, start);
        end.copy_from_slice(start);
        for at in self.turns() {
            let d = Vec3::from_slice(&u[at..]).scale(h);
            let momentum = Vec3::from_slice(&start[at..]);
            let turned = d.cross(momentum).scale(0.5);
            let along = d.scale(0.25 * d.dot(momentum));
            add(start, at, turned + along);
            add(end, at, along - turned);
        }
    }

    fn remove_gyroscopic(&self, v: &[f64], force: &mut [f64]) {
        self.system.remove_gyroscopic(v, force);
    }

    fn accepted(&mut self) {
        self.system.track(&mut self.evaluation);
    }
}
