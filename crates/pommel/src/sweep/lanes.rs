//! Equations of motion of several instances side by side, one a lane.

use std::convert::Infallible;

use pommel_integrate::System;
use pommel_math::{Mask, Real, Transform, Vec3, Wrench};
use pommel_tree::{BodyMotion, Model, TreeError, Workspace, forward_dynamics, forward_kinematics};

use super::prepared::Prepared;
use crate::dynamics::{Applied, power};

/// `y = (q, v, work)` as [`TreeSystem`](crate::simulate::TreeSystem) has it, in lanes.
///
/// Every lane has the bits of its instance alone. Where a lane's joint feels no inertia, its derivative is NaN.
pub(super) struct LaneSystem<'a, T> {
    model: Model<T>,
    workspace: Workspace<T>,
    /// instances, with what is needed to evaluate their loads
    lanes: Vec<Option<Seated<'a>>>,
    scratch: Scratch,
    /// whether forces act on bodies, in all lanes or in none
    has_wrenches: bool,
    tau: Vec<T>,
    wrenches: Vec<Wrench<T>>,
    motions: Vec<BodyMotion<T>>,
}

/// An instance in a lane.
struct Seated<'a> {
    instance: &'a Prepared,
    wrenches: Option<Vec<Wrench<f64>>>,
    /// loads are taken at this time at the latest: just before the next breakpoint
    until: f64,
}

/// State and loads of one lane.
struct Scratch {
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    wrenches: Vec<Wrench<f64>>,
    motions: Vec<BodyMotion<f64>>,
}

impl<'a, T: Real> LaneSystem<'a, T> {
    /// For instances like this one; all lanes are empty.
    pub(super) fn new(instance: &Prepared) -> Self {
        let model: Model<T> = instance.dynamics.model().cast();
        let (nq, nv, bodies) = (model.nq(), model.nv(), model.body_count());
        LaneSystem {
            workspace: Workspace::new(&model),
            lanes: (0..T::LANES).map(|_| None).collect(),
            scratch: Scratch {
                q: vec![0.0; nq],
                v: vec![0.0; nv],
                tau: vec![0.0; nv],
                wrenches: vec![Wrench::zero(); bodies],
                motions: vec![BodyMotion::default(); bodies],
            },
            has_wrenches: instance.has_wrenches(),
            tau: vec![T::zero(); nv],
            wrenches: vec![Wrench::zero(); bodies],
            motions: vec![BodyMotion::default(); bodies],
            model,
        }
    }

    /// Puts an instance into a lane.
    ///
    /// # Errors
    /// [`TreeError::DifferentTopology`] if it is not like the others.
    pub(super) fn seat(&mut self, lane: usize, instance: &'a Prepared) -> Result<(), TreeError> {
        self.model.set_lane(lane, instance.dynamics.model())?;
        let wrenches = instance.dynamics.wrenches(&instance.state);
        self.lanes[lane] = Some(Seated { instance, wrenches, until: f64::INFINITY });
        Ok(())
    }

    /// From when on the loads of a lane are no more looked at.
    pub(super) fn set_until(&mut self, lane: usize, until: f64) {
        if let Some(seated) = &mut self.lanes[lane] {
            seated.until = until;
        }
    }

    /// Joint forces, and wrenches on bodies where there are any, lane by lane.
    #[inline(always)]
    fn load(&mut self, t: T, q: &[T], v: &[T]) {
        let LaneSystem { lanes, scratch, tau, wrenches, motions, has_wrenches, .. } = self;
        for (lane, seated) in lanes.iter().enumerate() {
            let Some(Seated { instance, wrenches: constant, until }) = seated else { continue };
            let (dynamics, t) = (&instance.dynamics, t.lane(lane).min(*until));
            scratch.tau.copy_from_slice(&instance.state.tau);
            if dynamics.has_joint_forces() {
                read(lane, q, &mut scratch.q);
                read(lane, v, &mut scratch.v);
                dynamics.add_joint_forces(t, &scratch.q, &scratch.v, &mut scratch.tau);
            }
            write(lane, &scratch.tau, tau);
            if *has_wrenches {
                for (of_lane, motion) in scratch.motions.iter_mut().zip(&*motions) {
                    *of_lane = lane_of_motion(lane, motion);
                }
                match constant {
                    Some(constant) => scratch.wrenches.copy_from_slice(constant),
                    None => scratch.wrenches.fill(Wrench::zero()),
                }
                dynamics.add_wrenches(t, &scratch.motions, &mut scratch.wrenches);
                for (to, wrench) in wrenches.iter_mut().zip(&scratch.wrenches) {
                    write_vector(lane, wrench.moment, &mut to.moment);
                    write_vector(lane, wrench.force, &mut to.force);
                }
            }
        }
    }
}

impl<T: Real> System<T> for LaneSystem<'_, T> {
    type Error = Infallible;

    fn dim(&self) -> usize {
        self.model.nq() + self.model.nv() + 1
    }

    #[inline(always)]
    fn rhs(&mut self, t: T, y: &[T], dy: &mut [T]) -> Result<(), Infallible> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let (q, v) = (&y[..nq], &y[nq..nq + nv]);
        let (qd, rest) = dy.split_at_mut(nq);
        let (a, work) = rest.split_at_mut(nv);
        pommel_tree::position_rate(&self.model, q, v, qd);
        if self.has_wrenches {
            forward_kinematics(&self.model, &mut self.workspace, q, v, &mut self.motions);
        }
        self.load(t, q, v);
        let external = self.has_wrenches.then_some(&self.wrenches[..]);
        work[0] = power(&self.tau, v, external.unwrap_or_default(), &self.motions);
        let (model, workspace) = (&self.model, &mut self.workspace);
        // lanes without an answer are NaN
        let _ = forward_dynamics(model, workspace, q, v, &self.tau, external, a);
        Ok(())
    }

    fn project(&mut self, _t: T, y: &mut [T], dy: &mut [T]) {
        let nq = self.model.nq();
        pommel_tree::normalize(&self.model, &mut y[..nq], &mut dy[..nq]);
    }
}

impl Prepared {
    /// Whether forces act on bodies.
    pub(super) fn has_wrenches(&self) -> bool {
        let wrenches = self.dynamics.wrenches(&self.state);
        let applied = Applied { tau: &self.state.tau, wrenches: wrenches.as_deref() };
        self.dynamics.with_wrenches(applied)
    }
}

/// The numbers of a lane.
#[inline(always)]
pub(super) fn read<T: Real>(lane: usize, from: &[T], to: &mut [f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.lane(lane);
    }
}

/// Puts numbers into a lane.
#[inline(always)]
pub(super) fn write<T: Real>(lane: usize, from: &[f64], to: &mut [T]) {
    let here = Mask::from_fn(T::LANES, |i| i == lane);
    for (to, from) in to.iter_mut().zip(from) {
        *to = T::select(here, T::from_f64(*from), *to);
    }
}

fn write_vector<T: Real>(lane: usize, from: Vec3<f64>, to: &mut Vec3<T>) {
    let here = Mask::from_fn(T::LANES, |i| i == lane);
    for (to, from) in [(&mut to.x, from.x), (&mut to.y, from.y), (&mut to.z, from.z)] {
        *to = T::select(here, T::from_f64(from), *to);
    }
}

fn lane_of_vector<T: Real>(lane: usize, x: Vec3<T>) -> Vec3<f64> {
    Vec3::new(x.x.lane(lane), x.y.lane(lane), x.z.lane(lane))
}

fn lane_of_motion<T: Real>(lane: usize, motion: &BodyMotion<T>) -> BodyMotion<f64> {
    let of = |x: Vec3<T>| lane_of_vector(lane, x);
    let Transform { rotation, translation } = motion.placement;
    let mut placement = Transform::identity();
    (placement.rotation.x, placement.rotation.y) = (of(rotation.x), of(rotation.y));
    placement.rotation.z = of(rotation.z);
    placement.translation = of(translation);
    BodyMotion {
        placement,
        centre: of(motion.centre),
        velocity: of(motion.velocity),
        angular_velocity: of(motion.angular_velocity),
    }
}
