//! All terms of the equations in the angles of bodies.

use pommel_math::{InstructionSet, Kernel, Real, dispatch};

use super::OpenLoop;
use super::tree::Base;
use crate::space::planar::{Pose, Vec2};
use crate::system::Spaces;
use crate::{Equations, Evaluation};

/// The terms of the equations at the state evaluated last.
#[derive(Clone, Debug)]
pub struct OpenLoopEvaluation {
    pub(super) absolute: Evaluation<f64>,
    /// arms turned by a quarter, which are the columns of B, and a one
    turned: Vec<f64>,
    /// −c of mass centres
    bias: Vec<f64>,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    force: Vec<f64>,
    gamma: Vec<f64>,
    /// absolute coordinates and velocities, where forces are given as code
    state: [Vec<f64>; 2],
}

impl OpenLoopEvaluation {
    /// Memory for evaluations of a mechanism.
    pub fn new(mechanism: &OpenLoop) -> Self {
        let n = mechanism.coordinates();
        OpenLoopEvaluation {
            absolute: Evaluation::new(&mechanism.system),
            turned: vec![1.0; 2 * mechanism.tree.arms.len() + 1],
            bias: vec![0.0; 2 * mechanism.system.body_count()],
            mass: mechanism.mass.clone(),
            jacobian: vec![0.0; mechanism.pattern.jacobian_len()],
            force: vec![0.0; n],
            gamma: vec![0.0; mechanism.rows()],
            state: [(); 2].map(|()| {
                let has = !mechanism.system.force_laws().is_empty();
                vec![0.0; if has { mechanism.system.nq() } else { 0 }]
            }),
        }
    }

    /// Entries of Φ̂_q that are rounding of their terms.
    pub(super) fn cancelled(&self, mechanism: &OpenLoop) -> Vec<bool> {
        mechanism.jacobian.cancelled(self.absolute.jacobian(), &self.turned)
    }

    /// Φ, what loops are open by; m, rad.
    pub fn phi(&self) -> &[f64] {
        self.absolute.phi()
    }

    /// ν, what Φ̂_q w should be.
    pub fn nu(&self) -> &[f64] {
        self.absolute.nu()
    }

    /// Values of Φ̂_q, in the places of the pattern.
    pub fn jacobian(&self) -> &[f64] {
        &self.jacobian
    }

    /// Values of M̂, in the places of the pattern; kg, kg·m, kg·m².
    pub fn mass(&self) -> &[f64] {
        &self.mass
    }
}

impl OpenLoop {
    /// Evaluates Φ, Φ̂_q, ν, γ̂, M̂ and Q̂ at a state.
    ///
    /// # Arguments
    /// - `time` s
    /// - `u`, `w` coordinates and velocities, length [`coordinates`](Self::coordinates)
    /// - `applied` absolute forces besides those of the model, three a body as [`System`](crate::System) has them, or
    ///   nothing
    /// - `to` **out**
    ///
    /// # Panics
    /// If a slice has another length, or the evaluation was made for another mechanism.
    ///
    /// # Cost
    /// Linear in constraints, forces and arms: one arm for each body on the way of each body to the ground. No
    /// allocation.
    pub fn evaluate(
        &self,
        time: f64,
        (u, w): (&[f64], &[f64]),
        applied: &[f64],
        to: &mut OpenLoopEvaluation,
    ) {
        let n = self.coordinates();
        assert!(u.len() == n && w.len() == n, "a state has {n} coordinates and velocities");
        let nv = self.system.nv();
        assert!(applied.is_empty() || applied.len() == nv, "a force has {nv} entries");
        assert!(
            to.force.len() == n
                && to.jacobian.len() == self.pattern.jacobian_len()
                && to.turned.len() == 2 * self.tree.arms.len() + 1,
            "the evaluation was made for another mechanism"
        );
        let mut poses = std::mem::take(&mut to.absolute.planar);
        to.absolute.time = time;
        let place = Place { of: self, u, w, applied, poses: &mut poses, to };
        if self.system.laws.is_empty() {
            dispatch(Whole(place));
        } else {
            dispatch(place);
            let [mut q, mut v] = std::mem::take(&mut to.state);
            write_state(&poses, &mut q, &mut v);
            let (given, force) = to.absolute.given_forces();
            self.system.laws.add_to(time, (&q, &v), given, force);
            to.state = [q, v];
            dispatch(Reduce { of: self, poses: &poses, to });
        }
        to.absolute.planar = poses;
    }

    /// The equations of motion as a formulation takes them, with the numbers of an evaluation.
    pub fn equations<'a>(&'a self, evaluation: &'a OpenLoopEvaluation) -> Equations<'a> {
        Equations {
            pattern: &self.pattern,
            mass: &evaluation.mass,
            jacobian: &evaluation.jacobian,
            force: &evaluation.force,
            gamma: &evaluation.gamma,
            phi: evaluation.phi(),
            scales: &self.scales,
            state: None,
        }
    }

    /// Absolute coordinates and velocities of the state evaluated last.
    ///
    /// # Panics
    /// If a slice has another length than [`System::nq`](crate::System::nq).
    pub fn expand(&self, evaluation: &OpenLoopEvaluation, q: &mut [f64], v: &mut [f64]) {
        let nq = self.system.nq();
        assert!(q.len() == nq && v.len() == nq, "absolute coordinates are {nq}");
        write_state(&evaluation.absolute.planar, q, v);
    }

    /// Absolute accelerations of the state evaluated last, where coordinates accelerate by `a`.
    ///
    /// # Panics
    /// If a slice has another length than [`coordinates`](Self::coordinates), [`System::nv`](crate::System::nv).
    pub fn accelerations(&self, evaluation: &OpenLoopEvaluation, a: &[f64], absolute: &mut [f64]) {
        assert_eq!(a.len(), self.coordinates(), "one acceleration a coordinate");
        assert_eq!(absolute.len(), self.system.nv(), "absolute accelerations of all bodies");
        for hung in &self.tree.order {
            let body = hung.body as usize;
            let mut sum = [-evaluation.bias[2 * body], -evaluation.bias[2 * body + 1]];
            if let Base::Body { column } = hung.base {
                sum[0] += a[column as usize];
                sum[1] += a[column as usize + 1];
            }
            for k in hung.first as usize..hung.end as usize {
                let turn = a[self.tree.angles[self.tree.arms[k].body as usize] as usize];
                sum[0] += turn * evaluation.turned[2 * k];
                sum[1] += turn * evaluation.turned[2 * k + 1];
            }
            let turn = a[self.tree.angles[body] as usize];
            absolute[3 * body..3 * body + 3].copy_from_slice(&[sum[0], sum[1], turn]);
        }
    }
}

/// Coordinates and velocities of bodies.
fn write_state(poses: &[Pose<f64>], q: &mut [f64], v: &mut [f64]) {
    for ((q, v), pose) in q.chunks_exact_mut(3).zip(v.chunks_exact_mut(3)).zip(poses) {
        q.copy_from_slice(&[pose.centre.x, pose.centre.y, pose.angle]);
        v.copy_from_slice(&[pose.velocity.x, pose.velocity.y, pose.omega]);
    }
}

/// Bodies, and what acts on them.
struct Place<'a> {
    of: &'a OpenLoop,
    u: &'a [f64],
    w: &'a [f64],
    applied: &'a [f64],
    poses: &'a mut [Pose<f64>],
    to: &'a mut OpenLoopEvaluation,
}

impl Kernel for Place<'_> {
    type Output = ();
    const SETS: [InstructionSet; 2] = f64::SETS;

    #[inline(always)]
    fn run(self) {
        let Place { of, u, w, applied, poses, to } = self;
        of.place(u, w, poses, to);
        if let Spaces::Planar(elements) = &of.system.spaces {
            elements.write(to.absolute.time, &[], poses, &mut to.absolute);
        }
        let force = to.absolute.force_mut();
        force.iter_mut().zip(applied).for_each(|(to, f)| *to += f);
    }
}

/// Both parts.
struct Whole<'a>(Place<'a>);

impl Kernel for Whole<'_> {
    type Output = ();
    const SETS: [InstructionSet; 2] = f64::SETS;

    #[inline(always)]
    fn run(self) {
        let Place { of, u, w, applied, poses, to } = self.0;
        Place { of, u, w, applied, poses: &mut *poses, to: &mut *to }.run();
        of.reduce(poses, to);
    }
}

/// The equations of the coordinates.
struct Reduce<'a> {
    of: &'a OpenLoop,
    poses: &'a [Pose<f64>],
    to: &'a mut OpenLoopEvaluation,
}

impl Kernel for Reduce<'_> {
    type Output = ();
    const SETS: [InstructionSet; 2] = f64::SETS;

    #[inline(always)]
    fn run(self) {
        self.of.reduce(self.poses, self.to);
    }
}

impl OpenLoop {
    /// Poses of all bodies, arms, and c.
    #[inline(always)]
    fn place(&self, u: &[f64], w: &[f64], poses: &mut [Pose<f64>], to: &mut OpenLoopEvaluation) {
        let tree = &self.tree;
        let [angles, sines, cosines] = &mut to.absolute.scratch;
        for (angle, &at) in angles.iter_mut().zip(&tree.angles) {
            *angle = u[at as usize];
        }
        f64::sin_cos_all(angles, sines, cosines);
        for (body, &at) in tree.angles.iter().enumerate() {
            let pose = &mut poses[body];
            (pose.angle, pose.omega) = (angles[body], w[at as usize]);
            (pose.sin, pose.cos) = (sines[body], cosines[body]);
        }
        for hung in &tree.order {
            let (mut centre, mut velocity) = match hung.base {
                Base::Ground(point) => (point, [0.0; 2]),
                Base::Body { column } => {
                    let k = column as usize;
                    ([u[k], u[k + 1]], [w[k], w[k + 1]])
                }
            };
            let mut bias = [0.0; 2];
            for k in hung.first as usize..hung.end as usize {
                let arm = &tree.arms[k];
                let pose = &poses[arm.body as usize];
                let [x, y] = arm.vector;
                let p = [pose.cos.mul_add(x, -(pose.sin * y)), pose.sin.mul_add(x, pose.cos * y)];
                let square = pose.omega * pose.omega;
                centre = [centre[0] + p[0], centre[1] + p[1]];
                velocity =
                    [pose.omega.mul_add(-p[1], velocity[0]), pose.omega.mul_add(p[0], velocity[1])];
                bias = [square.mul_add(p[0], bias[0]), square.mul_add(p[1], bias[1])];
                to.turned[2 * k..2 * k + 2].copy_from_slice(&[-p[1], p[0]]);
            }
            let pose = &mut poses[hung.body as usize];
            pose.centre = Vec2 { x: centre[0], y: centre[1] };
            pose.velocity = Vec2 { x: velocity[0], y: velocity[1] };
            let at = 2 * hung.body as usize;
            to.bias[at..at + 2].copy_from_slice(&bias);
        }
    }

    /// M̂, Q̂, Φ̂_q and γ̂.
    #[inline(always)]
    fn reduce(&self, poses: &[Pose<f64>], to: &mut OpenLoopEvaluation) {
        let OpenLoopEvaluation { absolute, turned, bias, mass, jacobian, force, gamma, .. } = to;
        self.force.write(absolute.force(), turned, force);
        for c in &self.couplings {
            let [a, b] = c.bodies.map(|body| &poses[body as usize]);
            let cos = a.cos.mul_add(b.cos, a.sin * b.sin);
            let sin = b.sin.mul_add(a.cos, -(b.cos * a.sin));
            mass[c.value as usize] = c.even.mul_add(cos, -(c.odd * sin));
            let turn = c.odd.mul_add(cos, c.even * sin);
            let [ka, kb] = c.columns.map(|column| column as usize);
            force[ka] = turn.mul_add(b.omega * b.omega, force[ka]);
            force[kb] = (-turn).mul_add(a.omega * a.omega, force[kb]);
        }
        for m in &self.moments {
            let pose = &poses[m.body as usize];
            let [x, y] = m.arm;
            let p = [pose.cos.mul_add(x, -(pose.sin * y)), pose.sin.mul_add(x, pose.cos * y)];
            mass[m.values[0] as usize] = -p[1];
            mass[m.values[1] as usize] = p[0];
            let square = pose.omega * pose.omega;
            for (column, p) in m.columns.iter().zip(p) {
                force[*column as usize] = square.mul_add(p, force[*column as usize]);
            }
        }
        let (given, demanded) = (absolute.jacobian(), absolute.gamma());
        self.jacobian.write(given, turned, jacobian);
        // γ − Φ_q c
        self.bias.add_to(demanded, given, bias, gamma);
    }
}
