//! Motions of bodies from wrenches on bodies, `J M⁻¹ Jᵀ`.

use pommel_math::{Kernel, Real, Twist, Vec3, Wrench, dispatch};

use super::perform::Operation;
use super::{UdutFactor, sweeps};
use crate::axes;
use crate::model::{BodyId, Model};
use crate::workspace::Workspace;

impl<T: Real> UdutFactor<'_, T> {
    /// `J M⁻¹ Jᵀ w`: how bodies accelerate by wrenches on them, or how their velocities jump by
    /// impulses, without a Jacobian.
    ///
    /// `J` holds six rows for each body of the list, those of its mass centre. This is what a
    /// contact or constraint solver applies in every iteration; it says nothing of velocity terms,
    /// gravity and joint forces.
    ///
    /// # Arguments
    /// - `bodies` the bodies; one may stand there several times, one fixed to the ground does not
    ///   move
    /// - `wrenches` for each of them a moment about its mass centre (N·m) and a force (N), in world
    ///   axes, as in [`forward_dynamics`](crate::forward_dynamics); or impulses, N·m·s and N·s
    /// - `twists` **out**, for each of them angular acceleration (rad/s²) and acceleration of the
    ///   mass centre (m/s²), in world axes; or jumps of the velocities, rad/s and m/s
    ///
    /// # Panics
    /// If the slices differ in length, or a body is not one of the model.
    ///
    /// # Cost
    /// Four sweeps, linear in the number of joints, and linear in that of the bodies of the list;
    /// the first call for a factor also places the links. No allocation.
    ///
    /// # Source
    /// `Jᵀ` and `J` by sweeps in world axes about the origin of each tree's root, `M⁻¹` by the factor;
    /// the operator is that of `[Kha87]`, for several bodies.
    pub fn apply_mobility(
        &mut self,
        bodies: &[BodyId],
        wrenches: &[Wrench<T>],
        twists: &mut [Twist<T>],
    ) {
        assert_eq!(wrenches.len(), bodies.len(), "one wrench per body of the list");
        assert_eq!(twists.len(), bodies.len(), "one twist per body of the list");
        let count = self.model.body_count();
        assert!(bodies.iter().all(|b| b.index() < count), "a body is not one of the model");
        let (model, placed) = (self.model, self.placed);
        dispatch(Forces { model, workspace: &mut *self.workspace, placed, bodies, wrenches });
        self.placed = true;
        self.perform(Operation::Solve);
        dispatch(Motions { model, workspace: &mut *self.workspace, bodies, twists });
    }
}

/// `Jᵀ w` into the row of the workspace.
struct Forces<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    placed: bool,
    bodies: &'a [BodyId],
    wrenches: &'a [Wrench<T>],
}

impl<T: Real> Kernel for Forces<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let Forces { model, workspace: ws, placed, bodies, wrenches } = self;
        if !placed {
            sweeps::place_links(model, ws);
            axes::find_axes(model, ws);
        }
        ws.external.fill(Wrench::zero());
        for k in 0..bodies.len() {
            let Some((link, centre)) = mass_centre(model, ws, bodies[k]) else { continue };
            let Wrench { moment, force } = wrenches[k];
            ws.external[link] += Wrench::new(centre.cross_add(force, moment), force);
        }
        let shapes = &model.topology.links;
        for i in (0..shapes.len()).rev() {
            let iv = shapes[i].v as usize;
            let whole = ws.external[i];
            for k in iv..iv + shapes[i].kind.coordinates().1 {
                ws.narrow.1[k][0] = ws.axes[k].dot(whole);
            }
            if let Some(p) = shapes[i].parent {
                ws.external[p as usize] += whole;
            }
        }
    }
}

/// `J x` of the row of the workspace.
struct Motions<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    bodies: &'a [BodyId],
    twists: &'a mut [Twist<T>],
}

impl<T: Real> Kernel for Motions<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let Motions { model, workspace: ws, bodies, twists } = self;
        let shapes = &model.topology.links;
        for i in 0..shapes.len() {
            let iv = shapes[i].v as usize;
            let mut twist = match shapes[i].parent {
                Some(p) => ws.rates[p as usize],
                None => Twist::zero(),
            };
            for k in iv..iv + shapes[i].kind.coordinates().1 {
                twist += ws.axes[k].scale(ws.narrow.1[k][0]);
            }
            ws.rates[i] = twist;
        }
        for k in 0..bodies.len() {
            twists[k] = match mass_centre(model, ws, bodies[k]) {
                Some((link, centre)) => {
                    let Twist { angular, linear } = ws.rates[link];
                    Twist::new(angular, angular.cross_add(centre, linear))
                }
                None => Twist::zero(),
            };
        }
    }
}

/// The link of a body, and the body's mass centre in world axes from the origin of the tree's root;
/// none if the body is fixed to the ground.
#[inline(always)]
fn mass_centre<T: Real>(
    model: &Model<T>,
    ws: &Workspace<T>,
    body: BodyId,
) -> Option<(usize, Vec3<T>)> {
    let link = model.topology.bodies[body.index()].link? as usize;
    let data = &model.bodies[body.index()];
    let centre = data.placement.point_to_parent(data.centre);
    Some((link, ws.placements[link].point_to_parent(centre)))
}
