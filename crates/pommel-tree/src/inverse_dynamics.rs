//! Forces from accelerations.

use pommel_math::{Kernel, Real, Twist, Vec3, Wrench, dispatch};

use crate::model::{LinkKind, Model};
use crate::sweep::bias::gradient;
use crate::{Workspace, external, kinematics};

/// Joint forces that produce given accelerations: `τ = M(q) q̈ + h(q, v)`.
///
/// The recursive Newton–Euler method, with general changes of frame. It shares the model (frames,
/// regrouped inertias) with [`forward_dynamics`](crate::forward_dynamics) but not its sweeps: as a
/// residual it checks the elimination, not the model.
///
/// # Arguments
/// - `q`, `v`, `external` as in [`forward_dynamics`](crate::forward_dynamics)
/// - `qdd` accelerations, length [`nv`](Model::nv); rad/s², m/s²
/// - `tau` **out**, joint forces, length [`nv`](Model::nv); N·m, N
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// One sweep out, one in, linear in the number of joints; no allocation.
///
/// # Source
/// `[Fea08, Table 5.1]` with ordinary accelerations of points instead of spatial ones.
pub fn inverse_dynamics<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    qdd: &[T],
    external: Option<&[Wrench<T>]>,
    tau: &mut [T],
) {
    let (nq, nv) = (model.nq(), model.nv());
    assert_eq!(q.len(), nq, "q must have the model's nq entries");
    assert_eq!(v.len(), nv, "v must have the model's nv entries");
    assert_eq!(qdd.len(), nv, "qdd must have the model's nv entries");
    assert_eq!(tau.len(), nv, "tau must have the model's nv entries");
    let links = model.topology.links.len();
    assert_eq!(workspace.motions.len(), links, "the workspace is that of another topology");
    if let Some(external) = external {
        assert_eq!(external.len(), model.body_count(), "one external wrench per body");
    }
    dispatch(InverseDynamics { model, workspace, q, v, qdd, external, tau });
}

struct InverseDynamics<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    v: &'a [T],
    qdd: &'a [T],
    external: Option<&'a [Wrench<T>]>,
    tau: &'a mut [T],
}

impl<T: Real> Kernel for InverseDynamics<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let InverseDynamics { model, workspace: ws, q, v, qdd, external, tau } = self;
        match external {
            Some(wrenches) => external::to_links(model, ws, q, wrenches),
            None => ws.external.fill(Wrench::zero()),
        }
        let shapes = &model.topology.links;
        for i in 0..shapes.len() {
            let shape = shapes[i];
            let local = kinematics::link_in_parent(model, shape, &model.links[i], q);
            let (omega, alpha, a) = match shape.parent {
                Some(p) => {
                    let m = &ws.motions[p as usize];
                    (m.omega, m.alpha, m.acceleration + m.gradient * local.translation)
                }
                None => (Vec3::zero(), Vec3::zero(), -model.gravity),
            };
            let into = |u: Vec3<T>| local.rotation.transpose_mul(u);
            let (mut omega, mut alpha, mut a) = (into(omega), into(alpha), into(a));
            let iv = shape.v as usize;
            match shape.kind {
                LinkKind::Revolute => {
                    let spin = Vec3::new(T::zero(), T::zero(), v[iv]);
                    alpha = omega.cross_add(spin, alpha);
                    alpha.z += qdd[iv];
                    omega.z += v[iv];
                }
                LinkKind::Prismatic => {
                    let slide = Vec3::new(T::zero(), T::zero(), v[iv] + v[iv]);
                    a = omega.cross_add(slide, a);
                    a.z += qdd[iv];
                }
                LinkKind::Free => {
                    omega = into(Vec3::from_slice(&v[iv..]));
                    alpha = into(Vec3::from_slice(&qdd[iv..]));
                    a += into(Vec3::from_slice(&qdd[iv + 3..]));
                }
            }
            let rigid = model.links[i].inertia.to_rigid();
            let wrench = rigid.newton_euler(omega, Twist::new(alpha, a)) - ws.external[i];
            let motion = &mut ws.motions[i];
            motion.omega = omega;
            motion.alpha = alpha;
            motion.acceleration = a;
            motion.gradient = gradient(omega, alpha);
            ws.placements[i] = local;
            ws.motions[i].bias = wrench;
        }
        for i in (0..shapes.len()).rev() {
            let (shape, wrench) = (shapes[i], ws.motions[i].bias);
            let iv = shape.v as usize;
            match shape.kind {
                LinkKind::Revolute => tau[iv] = wrench.moment.z,
                LinkKind::Prismatic => tau[iv] = wrench.force.z,
                LinkKind::Free => {
                    let out = ws.placements[i].rotation;
                    (out * wrench.moment).write_to(&mut tau[iv..]);
                    (out * wrench.force).write_to(&mut tau[iv + 3..]);
                }
            }
            if let Some(p) = shape.parent {
                ws.motions[p as usize].bias += ws.placements[i].wrench_to_parent(wrench);
            }
        }
    }
}
