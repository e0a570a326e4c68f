//! All terms of the equations at one state.

use pommel_math::{InstructionSet, Kernel, Quaternion, Real, Vec3, dispatch};

use super::{Elements, Spaces, System};
use crate::constraint::{At, Kind, Rows};
use crate::force::Forces;
use crate::law::Memory;
use crate::space::{Planar, Space, Spatial, planar, spatial};

/// The terms of the equations at the state evaluated last, with the memory that they need.
///
/// Made once for a system; evaluating does not allocate.
#[derive(Clone, Debug)]
pub struct Evaluation<T: Real> {
    pub(crate) time: T,
    phi: Vec<T>,
    jacobian: Vec<T>,
    nu: Vec<T>,
    gamma: Vec<T>,
    force: Vec<T>,
    /// angles of joints as last tracked: two a relation, one for what acts in a joint
    pub(crate) turns: Vec<T>,
    pub(crate) planar: Vec<planar::Pose<T>>,
    pub(crate) spatial: Vec<spatial::Pose<T>>,
    /// angles, sines and cosines in the plane; zeros behind them as `T::sin_cos_all` likes it
    pub(crate) scratch: [Vec<T>; 3],
    pub(crate) given: Memory,
}

impl<T: Real> Evaluation<T> {
    /// Memory for evaluations of a system.
    pub fn new(system: &System<T>) -> Self {
        let zeros = |count: usize| vec![T::zero(); count];
        let (rows, bodies) = (system.rows(), system.body_count());
        let planar = system.is_planar();
        // one more: the ground
        let poses = |here: bool| if here { bodies + 1 } else { 0 };
        Evaluation {
            time: T::zero(),
            phi: zeros(rows),
            jacobian: zeros(system.pattern().jacobian_len()),
            nu: zeros(rows),
            gamma: zeros(rows),
            force: zeros(system.nv()),
            turns: zeros(system.about.tracked),
            planar: vec![planar::Pose::default(); poses(planar)],
            spatial: vec![spatial::Pose::default(); poses(!planar)],
            scratch: [(); 3]
                .map(|()| zeros(if planar { bodies.next_multiple_of(T::ANGLES) } else { 0 })),
            given: system.laws.memory(system.nq(), system.nv()),
        }
    }

    /// The time that was evaluated, s.
    pub fn time(&self) -> T {
        self.time
    }

    /// Φ, what the constraints are off by; m, rad, or sines of angles. Zero for rows that constrain
    /// velocities only.
    pub fn phi(&self) -> &[T] {
        &self.phi
    }

    /// Values of Φ_q, in the places of the pattern.
    pub fn jacobian(&self) -> &[T] {
        &self.jacobian
    }

    /// ν, what Φ_q v should be.
    pub fn nu(&self) -> &[T] {
        &self.nu
    }

    /// γ, what Φ_q v̇ should be.
    pub fn gamma(&self) -> &[T] {
        &self.gamma
    }

    /// Q: gravity, forces of the model and those given as code, and the moments `−ω × J ω` of bodies that turn; N, N·m.
    pub fn force(&self) -> &[T] {
        &self.force
    }

    /// What asking for forces given as code needs, and Q.
    pub(crate) fn given_forces(&mut self) -> (&mut Memory, &mut [T]) {
        (&mut self.given, &mut self.force)
    }

    /// Q, to add forces of your own to.
    pub fn force_mut(&mut self) -> &mut [T] {
        &mut self.force
    }

    /// γ, to change what is demanded of accelerations, as constraint stabilization does.
    pub fn gamma_mut(&mut self) -> &mut [T] {
        &mut self.gamma
    }

    /// Angles of joints in space as tracked last, with their full turns ([`System::track`]); rad. Their
    /// number and order are the system's own.
    pub fn turns(&self) -> &[T] {
        &self.turns
    }

    /// Takes over the turns of another evaluation of the same mechanism.
    ///
    /// # Panics
    /// If there are more or fewer of them.
    pub fn set_turns(&mut self, turns: &[T]) {
        self.turns.copy_from_slice(turns);
    }

    fn fits(&self, system: &System<T>) -> bool {
        self.phi.len() == system.rows()
            && self.force.len() == system.nv()
            && self.jacobian.len() == system.pattern().jacobian_len()
            && self.planar.is_empty() != system.is_planar()
            && system.laws.fit(&self.given, system.nv())
    }
}

impl<T: Real> System<T> {
    /// Evaluates Φ, Φ_q, ν, γ and Q at a state.
    ///
    /// # Arguments
    /// - `time` s
    /// - `q`, `v` coordinates and velocities, lengths [`nq`](System::nq) and [`nv`](System::nv);
    ///   quaternions need not have unit norm, their rotation is that of the normalised quaternion
    /// - `evaluation` **out**
    ///
    /// # Panics
    /// If a slice has another length, or the evaluation was made for another system.
    ///
    /// # Cost
    /// Linear in the number of bodies, constraints and forces; no allocation. Forces given as code cost what they do.
    pub fn evaluate(&self, time: T, q: &[T], v: &[T], evaluation: &mut Evaluation<T>) {
        self.check(q, v, evaluation);
        evaluation.time = time;
        match &self.spaces {
            Spaces::Planar(elements) => {
                let mut poses = std::mem::take(&mut evaluation.planar);
                dispatch(Evaluate { elements, time, q, v, poses: &mut poses, to: evaluation });
                evaluation.planar = poses;
            }
            Spaces::Spatial(elements) => {
                let mut poses = std::mem::take(&mut evaluation.spatial);
                dispatch(Evaluate { elements, time, q, v, poses: &mut poses, to: evaluation });
                evaluation.spatial = poses;
            }
        }
        if !self.laws.is_empty() {
            let Evaluation { given, force, .. } = evaluation;
            self.laws.add_to(time, (q, v), given, force);
        }
    }

    /// Places the bodies at a state, which is what [`energy`](System::energy) needs and a part of
    /// [`evaluate`](System::evaluate): Φ, Φ_q, ν, γ and Q stay those of the state evaluated before.
    ///
    /// # Panics
    /// As [`evaluate`](System::evaluate).
    pub fn place(&self, time: T, q: &[T], v: &[T], evaluation: &mut Evaluation<T>) {
        self.check(q, v, evaluation);
        let Evaluation { planar, spatial, scratch, .. } = evaluation;
        match &self.spaces {
            Spaces::Planar(_) => dispatch(Place::<T, Planar> { q, v, scratch, poses: planar }),
            Spaces::Spatial(_) => dispatch(Place::<T, Spatial> { q, v, scratch, poses: spatial }),
        }
        evaluation.time = time;
    }

    /// Asks of accelerations that violations of the constraints die out:
    /// `γ ← γ − 2 α (Φ_q v − ν) − β² Φ` (Baumgarte), with the terms of an evaluation at `v`.
    ///
    /// # Panics
    /// If `v` has another length than [`nv`](System::nv).
    pub fn stabilize(&self, alpha: T, beta: T, v: &[T], evaluation: &mut Evaluation<T>) {
        assert_eq!(v.len(), self.nv(), "v must have nv entries");
        let twice = T::from_f64(2.0) * alpha;
        let Evaluation { phi, jacobian, nu, gamma, .. } = evaluation;
        for (row, gamma) in gamma.iter_mut().enumerate() {
            *gamma += twice.mul_add(nu[row], -(beta * beta * phi[row]));
        }
        for (row, column, value) in self.pattern().jacobian_entries() {
            gamma[row] = (-twice * jacobian[value]).mul_add(v[column], gamma[row]);
        }
    }

    /// Remembers the angles of joints in space at the state evaluated last.
    ///
    /// Coordinates in space know the angle of a joint up to full turns. Where turns matter (gears,
    /// cams, screws, springs in joints), the angle is taken that is next to the one remembered: so call this now and then, at
    /// the latest every half turn. In the plane it does nothing.
    pub fn track(&self, evaluation: &mut Evaluation<T>) {
        if let Spaces::Spatial(elements) = &self.spaces {
            for part in &elements.parts {
                if let Kind::Relation(relation) = &part.kind {
                    relation.track(&evaluation.spatial, &mut evaluation.turns);
                }
            }
            for element in &elements.forces {
                element.track(&evaluation.spatial, &mut evaluation.turns);
            }
        }
    }

    /// `q̇` for velocities `v`: a copy in the plane; in space `½ q ∘ (0, ω)` for quaternions.
    ///
    /// # Panics
    /// If a slice has another length than [`nq`](System::nq) or [`nv`](System::nv).
    pub fn position_rate(&self, q: &[T], v: &[T], qd: &mut [T]) {
        assert_eq!(q.len(), self.nq(), "q must have nq entries");
        assert_eq!(v.len(), self.nv(), "v must have nv entries");
        assert_eq!(qd.len(), self.nq(), "qd must have nq entries");
        if self.is_planar() {
            qd.copy_from_slice(v);
            return;
        }
        for i in 0..self.body_count() {
            let (q, v, qd) = (&q[7 * i..], &v[6 * i..], &mut qd[7 * i..]);
            qd[..3].copy_from_slice(&v[3..6]);
            let rate = Quaternion::from_slice(&q[3..]).rate_in_body(Vec3::from_slice(v));
            rate.write_to(&mut qd[3..]);
        }
    }

    /// Moves `q` along a small displacement with the components of velocities: by `q̇` of it, with
    /// quaternions brought back to unit norm.
    ///
    /// # Panics
    /// If a slice has another length than [`nq`](System::nq) or [`nv`](System::nv).
    pub fn displace(&self, q: &mut [T], displacement: &[T]) {
        assert_eq!(q.len(), self.nq(), "q must have nq entries");
        assert_eq!(displacement.len(), self.nv(), "a displacement has nv entries");
        if self.is_planar() {
            q.iter_mut().zip(displacement).for_each(|(q, d)| *q += *d);
            return;
        }
        for i in 0..self.body_count() {
            let (q, d) = (&mut q[7 * i..], &displacement[6 * i..]);
            for k in 0..3 {
                q[k] += d[k + 3];
            }
            let quaternion = Quaternion::from_slice(&q[3..]);
            let rate = quaternion.rate_in_body(Vec3::from_slice(d));
            let moved = Quaternion::new(
                quaternion.w + rate.w,
                quaternion.x + rate.x,
                quaternion.y + rate.y,
                quaternion.z + rate.z,
            );
            moved.normalized().write_to(&mut q[3..]);
        }
    }

    /// Brings quaternions back to unit norm, and their rates `qd` with them; nothing in the plane.
    ///
    /// # Panics
    /// If a slice has another length than [`nq`](System::nq).
    pub fn normalize(&self, q: &mut [T], qd: &mut [T]) {
        assert_eq!(q.len(), self.nq(), "q must have nq entries");
        assert_eq!(qd.len(), self.nq(), "qd must have nq entries");
        if self.is_planar() {
            return;
        }
        for i in 0..self.body_count() {
            let at = 7 * i + 3;
            let quaternion = Quaternion::from_slice(&q[at..]);
            let inverse = quaternion.norm_squared().sqrt().recip();
            quaternion.scale(inverse).write_to(&mut q[at..]);
            Quaternion::from_slice(&qd[at..]).scale(inverse).write_to(&mut qd[at..]);
        }
    }

    /// The largest entry of `Φ_q v − ν` with the terms of an evaluation; m/s, rad/s.
    ///
    /// # Panics
    /// If `v` has another length than [`nv`](System::nv).
    pub fn velocity_residual(&self, v: &[T], evaluation: &Evaluation<T>) -> T {
        assert_eq!(v.len(), self.nv(), "v must have nv entries");
        let mut rest: Vec<T> = evaluation.nu().iter().map(|&nu| -nu).collect();
        for (row, column, value) in self.pattern().jacobian_entries() {
            rest[row] = evaluation.jacobian()[value].mul_add(v[column], rest[row]);
        }
        rest.into_iter().fold(T::zero(), |most, x| x.abs().max(most))
    }

    /// Takes the moments `−ω × J ω` of bodies that turn in space out of Q at velocities `v`; nothing in the plane,
    /// where there are none.
    ///
    /// # Panics
    /// If a slice has another length than [`nv`](System::nv).
    pub fn remove_gyroscopic(&self, v: &[T], force: &mut [T]) {
        assert_eq!(v.len(), self.nv(), "v must have nv entries");
        assert_eq!(force.len(), self.nv(), "a force has nv entries");
        if let Spaces::Spatial(elements) = &self.spaces {
            for (i, inertia) in elements.inertia.iter().enumerate() {
                let omega = Vec3::from_slice(&v[6 * i..]);
                let moment = inertia.gyroscopic_moment(omega);
                force[6 * i] -= moment.x;
                force[6 * i + 1] -= moment.y;
                force[6 * i + 2] -= moment.z;
            }
        }
    }

    fn check(&self, q: &[T], v: &[T], evaluation: &Evaluation<T>) {
        assert_eq!(q.len(), self.nq(), "q must have nq entries");
        assert_eq!(v.len(), self.nv(), "v must have nv entries");
        assert!(evaluation.fits(self), "the evaluation was made for another system");
    }
}

// gathers of a few numbers a body: only scalars that fill wide registers gain from these
const fn sets<T: Real>() -> [InstructionSet; 2] {
    if T::LANES < 8 { InstructionSet::up_to(InstructionSet::Avx2Fma, T::SETS) } else { T::SETS }
}

struct Place<'a, T: Real, S: Space> {
    q: &'a [T],
    v: &'a [T],
    scratch: &'a mut [Vec<T>; 3],
    poses: &'a mut [S::Pose<T>],
}

impl<T: Real, S: Space> Kernel for Place<'_, T, S> {
    type Output = ();
    const SETS: [InstructionSet; 2] = sets::<T>();

    #[inline(always)]
    fn run(self) {
        S::place(self.q, self.v, self.scratch, self.poses);
    }
}

struct Evaluate<'a, T: Real, S: Space> {
    elements: &'a Elements<T, S>,
    time: T,
    q: &'a [T],
    v: &'a [T],
    poses: &'a mut [S::Pose<T>],
    to: &'a mut Evaluation<T>,
}

impl<T: Real, S: Space> Kernel for Evaluate<'_, T, S> {
    type Output = ();
    const SETS: [InstructionSet; 2] = sets::<T>();

    #[inline(always)]
    fn run(self) {
        let Evaluate { elements, time, q, v, poses, to } = self;
        S::place(q, v, &mut to.scratch, poses);
        elements.write(time, v, poses, to);
    }
}

impl<T: Real, S: Space> Elements<T, S> {
    /// The terms of the equations where bodies have been placed; in the plane velocities are not looked at.
    #[inline(always)]
    pub(crate) fn write(&self, time: T, v: &[T], poses: &[S::Pose<T>], to: &mut Evaluation<T>) {
        let Evaluation { phi, jacobian, nu, gamma, force, turns, .. } = to;
        let at = At { time, poses, turns };
        let mut rows = Rows { phi, jacobian, nu, gamma };
        for part in &self.parts {
            part.write(&at, &mut rows);
        }
        force.copy_from_slice(&self.weight);
        S::add_gyroscopic(&self.inertia, v, force);
        let mut forces = Forces { time, poses, turns: at.turns, force };
        for element in &self.forces {
            element.add_to(&mut forces);
        }
    }
}
