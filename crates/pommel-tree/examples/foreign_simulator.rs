//! A small simulator of its own around `pommel-tree`, and nothing else of the project.
//!
//! A free-floating servicer with an arm of three joints pushes a free-floating target away. The
//! simulator brings its own integrator (Runge–Kutta with a fixed step), its own contact (a sphere
//! that pushes back and damps) and its own controller (joint PD, and a push in operational space).
//! `pommel-tree` gives kinematics, bias forces, and the factored inertia matrix: factored once at each
//! state, solved several times. No thruster fires, so momentum is kept; energy is kept but for
//! what the motors do and the contact takes.
#![allow(clippy::print_stdout, reason = "an example prints")]

use pommel_tree::pommel_math::{Transform, Twist, Vec3, Wrench};
use pommel_tree::{
    BodyId, BodyMotion, BodySpec, Joint, Model, TreeBuilder, TreeError, Workspace, bias_forces,
    energy, factorize, forward_kinematics, jacobian, momentum, normalize, position_rate,
};

/// Radius of the target, m.
const RADIUS: f64 = 0.6;
/// Contact force per depth, N/m, and its growth with the speed of approach, s/m.
const STIFFNESS: f64 = 2.0e4;
const DAMPING: f64 = 1.0;
/// The point of the last link that touches, in its frame, m.
const TIP: Vec3<f64> = Vec3::new(0.8, 0.0, 0.0);
/// Arm posture that the joint controller holds, rad, its stiffness, N·m/rad, and damping, N·m·s.
const POSTURE: [f64; 3] = [0.0, -0.5, 1.0];
const PROPORTIONAL: f64 = 60.0;
const DERIVATIVE: f64 = 30.0;
/// The push: acceleration that the tip would have without contact, at the most, m/s²; from and
/// until, s.
const PUSH: (f64, f64, f64) = (12.0, 0.4, 1.2);
/// The arm's velocities stand after the six of the base.
const ARM: usize = 6;

struct Simulator {
    model: Model<f64>,
    tip: BodyId,
    target: BodyId,
    // all memory of the hot loop, allocated once
    workspace: Workspace<f64>,
    bodies: Vec<BodyMotion<f64>>,
    external: Vec<Wrench<f64>>,
    bias: Vec<f64>,
    forces: Vec<f64>,
    jacobian: Vec<f64>,
    stages: [Vec<f64>; 5],
}

/// The contact of the tip with the target.
#[derive(Clone, Copy)]
struct Contact {
    /// Depth, m; negative without contact.
    depth: f64,
    /// Its rate, m/s.
    speed: f64,
    /// The place, m, and the direction from the target's centre.
    place: Vec3<f64>,
    normal: Vec3<f64>,
}

impl Contact {
    /// Force on the tip along the normal, N (Hunt and Crossley's law).
    fn force(self) -> f64 {
        let depth = self.depth.max(0.0);
        (STIFFNESS * depth * (1.0 + DAMPING * self.speed)).max(0.0)
    }

    /// Energy in the spring, J.
    fn energy(self) -> f64 {
        0.5 * STIFFNESS * self.depth.max(0.0).powi(2)
    }
}

impl Simulator {
    fn new() -> Result<Self, TreeError> {
        let mut builder = TreeBuilder::new();
        let base = builder.add(BodySpec::new("base", None, Joint::Free).with_inertia(
            400.0,
            Vec3::zero(),
            [60.0, 70.0, 80.0, 1.0, -2.0, 0.5],
        ))?;
        let at = |x: f64| Transform::new(Transform::identity().rotation, Vec3::new(x, 0.0, 0.0));
        let mut parent = base;
        let axes = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        for (i, (axis, x)) in axes.into_iter().zip([0.5, 0.1, 0.8]).enumerate() {
            let spec = BodySpec::new(format!("link{i}"), Some(parent), Joint::Revolute { axis });
            let (mass, length) = if i == 0 { (4.0, 0.1) } else { (8.0, 0.8) };
            let across = mass * length * length / 12.0 + 0.02;
            let inertia = [0.02, across, across, 0.0, 0.0, 0.0];
            let centre = Vec3::new(length / 2.0, 0.0, 0.0);
            parent = builder.add(spec.placed(at(x)).with_inertia(mass, centre, inertia))?;
        }
        let tip = parent;
        let round = 0.4 * 800.0 * RADIUS * RADIUS;
        let target = builder.add(BodySpec::new("target", None, Joint::Free).with_inertia(
            800.0,
            Vec3::zero(),
            [round, round, round, 0.0, 0.0, 0.0],
        ))?;
        let model = builder.build()?;
        let size = model.nq() + model.nv() + 2;
        Ok(Simulator {
            workspace: Workspace::new(&model),
            bodies: vec![BodyMotion::default(); model.body_count()],
            external: vec![Wrench::zero(); model.body_count()],
            bias: vec![0.0; model.nv()],
            forces: vec![0.0; model.nv()],
            jacobian: vec![0.0; 6 * model.nv()],
            stages: std::array::from_fn(|_| vec![0.0; size]),
            model,
            tip,
            target,
        })
    }

    /// Positions, velocities, work of the motors and energy that the contact took, J.
    fn initial(&mut self) -> Vec<f64> {
        let mut y = self.model.zero_configuration();
        y[7..10].copy_from_slice(&POSTURE);
        // the target drifts towards the tip, a little aside
        y[10..13].copy_from_slice(&[2.61, 0.05, -0.02]);
        let (nq, nv) = (self.model.nq(), self.model.nv());
        y.resize(nq + nv + 2, 0.0);
        y[nq + ARM + 3..][..6].copy_from_slice(&[0.0, 0.02, 0.0, -0.02, 0.0, 0.0]);
        y
    }

    /// Places the bodies and finds the contact.
    fn look(&mut self, y: &[f64]) -> Contact {
        let (q, rest) = y.split_at(self.model.nq());
        let v = &rest[..self.model.nv()];
        forward_kinematics(&self.model, &mut self.workspace, q, v, &mut self.bodies);
        let (link, ball) = (self.bodies[self.tip.index()], self.bodies[self.target.index()]);
        let place = link.placement.point_to_parent(TIP);
        let arm = place - ball.centre;
        let normal = arm.scale(arm.norm().recip());
        let of_tip = link.angular_velocity.cross_add(place - link.centre, link.velocity);
        let of_ball = ball.angular_velocity.cross_add(arm, ball.velocity);
        let speed = -normal.dot(of_tip - of_ball);
        Contact { depth: RADIUS - arm.norm(), speed, place, normal }
    }

    /// The rate of the state.
    fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), TreeError> {
        let contact = self.look(y);
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let (q, v) = (&y[..nq], &y[nq..nq + nv]);
        let force = contact.normal.scale(contact.force());
        for (body, force) in [(self.tip, force), (self.target, -force)] {
            let arm = contact.place - self.bodies[body.index()].centre;
            self.external[body.index()] = Wrench::new(arm.cross(force), force);
        }
        // what needs the workspace for itself comes before the factor, which keeps it
        let (model, workspace) = (&self.model, &mut self.workspace);
        bias_forces(model, workspace, q, v, Some(&self.external), &mut self.bias);
        jacobian(model, workspace, q, self.tip, TIP, &mut self.jacobian);
        let mut factor = factorize(model, workspace, q)?;

        // first use of the factor: the push as a wrench at the tip
        let (acceleration, from, until) = PUSH;
        let mut wrench = [0.0; 6];
        if (from..until).contains(&t) {
            let inertia = factor.operational_inertia(self.tip, TIP)?;
            let phase = std::f64::consts::PI * (t - from) / (until - from);
            let rise = phase.sin().powi(2);
            let wanted = contact.normal.scale(-acceleration * rise).to_array();
            for (w, row) in wrench.iter_mut().zip(inertia) {
                *w = (0..3).map(|k| row[3 + k] * wanted[k]).sum();
            }
        }
        let mut power = 0.0;
        for k in 0..3 {
            let column = ARM + k;
            let push: f64 = (0..6).map(|r| self.jacobian[r * nv + column] * wrench[r]).sum();
            let hold = PROPORTIONAL * (POSTURE[k] - q[7 + k]) - DERIVATIVE * v[column];
            self.forces[column] = push + hold;
            power += self.forces[column] * v[column];
        }
        // second use: accelerations
        for (b, tau) in self.bias.iter_mut().zip(&self.forces) {
            *b = tau - *b;
        }
        factor.solve(&self.bias, &mut rate[nq..nq + nv]);
        position_rate(model, q, v, &mut rate[..nq]);
        rate[nq + nv] = power;
        let elastic = STIFFNESS * contact.depth.max(0.0);
        rate[nq + nv + 1] = (contact.force() - elastic) * contact.speed;
        Ok(())
    }

    /// A step of the classical Runge–Kutta method.
    fn step(&mut self, t: f64, h: f64, y: &mut [f64]) -> Result<(), TreeError> {
        let mut stages = std::mem::take(&mut self.stages);
        let [k1, k2, k3, k4, at] = &mut stages;
        let advance = |at: &mut [f64], h: f64, k: &[f64], y: &[f64]| {
            for ((at, k), y) in at.iter_mut().zip(k).zip(y) {
                *at = y + h * k;
            }
        };
        self.rate(t, y, k1)?;
        advance(at, 0.5 * h, k1, y);
        self.rate(t + 0.5 * h, at, k2)?;
        advance(at, 0.5 * h, k2, y);
        self.rate(t + 0.5 * h, at, k3)?;
        advance(at, h, k3, y);
        self.rate(t + h, at, k4)?;
        for i in 0..y.len() {
            y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
        let nq = self.model.nq();
        normalize(&self.model, &mut y[..nq], &mut k1[..nq]);
        self.stages = stages;
        Ok(())
    }

    /// What the two bodies together weigh against a force between them, kg.
    fn contact_mass(&mut self, y: &[f64]) -> Result<f64, TreeError> {
        let contact = self.look(y);
        let bodies = [self.tip, self.target];
        let arms = bodies.map(|body| contact.place - self.bodies[body.index()].centre);
        let forces = [contact.normal, -contact.normal];
        let wrenches = [0, 1].map(|k| Wrench::new(arms[k].cross(forces[k]), forces[k]));
        let mut twists = [Twist::zero(); 2];
        let q = &y[..self.model.nq()];
        let mut factor = factorize(&self.model, &mut self.workspace, q)?;
        factor.apply_mobility(&bodies, &wrenches, &mut twists);
        let at = |k: usize| twists[k].angular.cross_add(arms[k], twists[k].linear);
        Ok(contact.normal.dot(at(0) - at(1)).recip())
    }

    /// Linear momentum, angular momentum about the origin, and the energy that must not change.
    fn balance(&mut self, y: &[f64]) -> (Vec3<f64>, Vec3<f64>, f64) {
        let contact = self.look(y);
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let v = &y[nq..nq + nv];
        let whole = momentum(&self.model, v, &self.bodies);
        let kinetic = energy(&self.model, v, &self.bodies).kinetic;
        let (work, taken) = (y[nq + nv], y[nq + nv + 1]);
        let kept = kinetic + contact.energy() + taken - work;
        (whole.linear, whole.angular_about_origin(), kept)
    }
}

fn main() -> Result<(), TreeError> {
    let mut simulator = Simulator::new()?;
    let mut y = simulator.initial();
    let mass = simulator.contact_mass(&y)?;
    // a fortieth of the contact's time constant
    let h = (STIFFNESS / mass).sqrt().recip() / 40.0;
    println!("mass at the contact {mass:.1} kg, step {:.2} ms", 1e3 * h);
    println!("   t    gap   force  motors  linear momentum  energy kept");
    println!("   s     mm       N       J           kg·m/s            J");
    let start = simulator.balance(&y);
    let (end, rows) = (2.0, 10);
    let steps = (end / h / f64::from(rows)).ceil() as usize;
    let h = end / f64::from(rows) / steps as f64;
    let mut t = 0.0;
    let mut hardest = 0.0_f64;
    for row in 0..=rows {
        let contact = simulator.look(&y);
        let (linear, _, kept) = simulator.balance(&y);
        let work = y[y.len() - 2];
        println!(
            "{t:4.1} {:6.1} {:7.1} {work:7.2} {:16.9} {kept:12.8}",
            -1e3 * contact.depth,
            contact.force(),
            linear.norm(),
        );
        if row == rows {
            break;
        }
        for _ in 0..steps {
            simulator.step(t, h, &mut y)?;
            t += h;
            hardest = hardest.max(simulator.look(&y).force());
        }
    }
    let last = simulator.balance(&y);
    let linear = (last.0 - start.0).norm() / start.0.norm();
    let angular = (last.1 - start.1).norm() / start.1.norm();
    let energy = ((last.2 - start.2) / y[y.len() - 2]).abs();
    println!("hardest contact {hardest:.0} N");
    println!(
        "drift: momentum {linear:.1e}, angular {angular:.1e}, energy {energy:.1e} of the work"
    );
    // a step that meets the edge of the contact is of lower order
    assert!(linear < 1e-9 && angular < 1e-9 && energy < 1e-5, "a balance is broken");
    assert!(hardest > 10.0, "the arm missed the target");
    Ok(())
}
