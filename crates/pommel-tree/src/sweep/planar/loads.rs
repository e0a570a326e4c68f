//! External wrenches in the plane.

use pommel_math::{Real, Wrench};

use super::{Load, sum, turned};
use crate::Model;
use crate::model::Planar;
use crate::workspace::Workspace;

/// Moves wrenches on bodies (moment about the mass centre and force, in world axes) to the joints of
/// the links that carry them. A force across the plane and a moment along it do no work.
#[inline(always)]
pub(crate) fn collect<T: Real>(
    model: &Model<T>,
    planar: &Planar<T>,
    ws: &mut Workspace<T>,
    wrenches: &[Wrench<T>],
) {
    let loads = &mut ws.planar.loads[..];
    for load in loads.iter_mut() {
        *load = Load { n: T::zero(), f: [T::zero(); 2] };
    }
    for ((body, shape), wrench) in model.bodies.iter().zip(&model.topology.bodies).zip(wrenches) {
        let Some(i) = shape.link else { continue };
        let i = i as usize;
        let link = &planar.links[i];
        let world = &model.roots[link.root as usize].world.rotation;
        let moment = world.transpose_mul(wrench.moment).z;
        let force = world.transpose_mul(wrench.force);
        let centre = body.placement.point_to_parent(body.centre);
        let r = turned([centre.x, link.sense * centre.y], ws.sin[i], ws.cos[i]);
        let load = &mut loads[i];
        load.n += r[0].mul_add(force.y, (-r[1]).mul_add(force.x, moment));
        load.f = sum(load.f, [force.x, force.y]);
    }
}
