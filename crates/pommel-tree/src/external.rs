//! External wrenches in the frames of the links.

use pommel_math::{Real, Vec3, Wrench};

use crate::model::Role;
use crate::{Model, Workspace, kinematics};

/// Moves wrenches on bodies (moment about the mass centre and force, in world axes) to the origins
/// and axes of the links that carry them. With `wheels_apart`, a balanced wheel keeps of its wrench
/// only the moment about its axis, and its parent takes the rest.
#[inline(always)]
pub(crate) fn to_links<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    q: &[T],
    wrenches: &[Wrench<T>],
    wheels_apart: bool,
) {
    kinematics::place_links(model, ws, q);
    ws.external.fill(Wrench::zero());
    for ((body, shape), wrench) in model.bodies.iter().zip(&model.topology.bodies).zip(wrenches) {
        let Some(link) = shape.link else { continue };
        let rotation = ws.placements[link as usize].rotation;
        let moment = rotation.transpose_mul(wrench.moment);
        let force = rotation.transpose_mul(wrench.force);
        let centre = body.placement.point_to_parent(body.centre);
        ws.external[link as usize] += Wrench::new(centre.cross_add(force, moment), force);
    }
    if !wheels_apart {
        return;
    }
    for (i, shape) in model.topology.links.iter().enumerate() {
        if let (Role::Wheel, Some(p)) = (shape.role, shape.parent) {
            let p = p as usize;
            let Wrench { mut moment, force } = ws.external[i];
            ws.external[i] = Wrench::new(Vec3::new(T::zero(), T::zero(), moment.z), Vec3::zero());
            moment.z = T::zero();
            // not from placements in world, which may be far away
            ws.external[p] += ws.locals[i].wrench_to_parent(Wrench::new(moment, force));
        }
    }
}
