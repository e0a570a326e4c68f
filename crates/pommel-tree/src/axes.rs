//! The columns of all joints in one frame per tree: world axes, about the origin of the root.

use pommel_math::{Real, Twist, Vec3};

use crate::model::{LinkKind, Model};
use crate::workspace::Workspace;

/// Fills `ws.axes` from `ws.placements`.
///
/// The twist of a link about the root's origin is the sum of `axes[k] v[k]` over the velocities of
/// the joints that carry it.
#[inline(always)]
pub(crate) fn find_axes<T: Real>(model: &Model<T>, ws: &mut Workspace<T>) {
    for (i, (shape, link)) in model.topology.links.iter().zip(&model.links).enumerate() {
        let at = ws.placements[i];
        let r = at.translation;
        let columns = at.rotation.transpose();
        let turn = |e: Vec3<T>| Twist::new(e, r.cross(e));
        let iv = shape.v as usize;
        match shape.kind {
            LinkKind::Revolute => ws.axes[iv] = turn(columns.z),
            LinkKind::Prismatic => ws.axes[iv] = Twist::new(Vec3::zero(), columns.z),
            LinkKind::Helical => {
                let Twist { angular, linear } = turn(columns.z);
                ws.axes[iv] = Twist::new(angular, columns.z.scale_add(link.pitch, linear));
            }
            LinkKind::Ball => {
                for (k, e) in [columns.x, columns.y, columns.z].into_iter().enumerate() {
                    ws.axes[iv + k] = turn(e);
                }
            }
            LinkKind::Free => {
                let (zero, one) = (T::zero(), T::one());
                let units = [
                    Vec3::new(one, zero, zero),
                    Vec3::new(zero, one, zero),
                    Vec3::new(zero, zero, one),
                ];
                for (k, e) in units.into_iter().enumerate() {
                    ws.axes[iv + k] = turn(e);
                    ws.axes[iv + 3 + k] = Twist::new(Vec3::zero(), e);
                }
            }
        }
    }
}
