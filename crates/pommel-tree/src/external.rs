//! External wrenches in the frames of the links.

use pommel_math::{Real, Wrench};

use crate::{Model, Workspace, kinematics};

/// Moves wrenches on bodies (moment about the mass centre and force, in world axes) to the origins
/// and axes of the links that carry them.
#[inline(always)]
pub(crate) fn to_links<T: Real>(
    model: &Model<T>,
    ws: &mut Workspace<T>,
    q: &[T],
    wrenches: &[Wrench<T>],
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
}
