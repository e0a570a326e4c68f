//! Forces from accelerations.

use pommel_math::{Kernel, Real, Twist, Vec3, Wrench, dispatch};

use crate::accelerate::accelerate_links;
use crate::model::{Link, LinkKind, LinkShape, Model};
use crate::workspace::Flow;
use crate::{Workspace, external, screw};

/// Joint forces that produce given accelerations: `τ = M(q) q̈ + h(q, v)`.
///
/// The recursive Newton–Euler method, with general changes of frame. It shares the frames with
/// [`forward_dynamics`](crate::forward_dynamics), but neither its regrouped inertias nor its
/// sweeps: as a residual it checks the elimination.
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
    assert!(workspace.fits(model), "the workspace is that of another topology");
    if let Some(external) = external {
        assert_eq!(external.len(), model.body_count(), "one external wrench per body");
    }
    let (v, qdd) = (Some(v), Some(qdd));
    dispatch(InverseDynamics { model, workspace, q, v, qdd, external, tau });
}

/// Joint forces of the motion without joint accelerations: `h(q, v)`, the Coriolis, centrifugal and
/// gravity terms less external wrenches.
///
/// # Arguments
/// As in [`inverse_dynamics`]; `h` **out**, length [`nv`](Model::nv); N·m, N
///
/// # Panics
/// As [`inverse_dynamics`].
pub fn bias_forces<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    external: Option<&[Wrench<T>]>,
    h: &mut [T],
) {
    assert_eq!(v.len(), model.nv(), "v must have the model's nv entries");
    still(model, workspace, q, Some(v), external, h);
}

/// Joint forces that hold the tree at rest against gravity: `g(q)`.
///
/// # Arguments
/// As in [`inverse_dynamics`]; `g` **out**, length [`nv`](Model::nv); N·m, N
///
/// # Panics
/// As [`inverse_dynamics`].
pub fn gravity_forces<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    g: &mut [T],
) {
    still(model, workspace, q, None, None, g);
}

fn still<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    v: Option<&[T]>,
    external: Option<&[Wrench<T>]>,
    tau: &mut [T],
) {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(tau.len(), model.nv(), "the forces must have the model's nv entries");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    if let Some(external) = external {
        assert_eq!(external.len(), model.body_count(), "one external wrench per body");
    }
    dispatch(InverseDynamics { model, workspace, q, v, qdd: None, external, tau });
}

struct InverseDynamics<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    /// none for rest
    v: Option<&'a [T]>,
    /// none for zero
    qdd: Option<&'a [T]>,
    external: Option<&'a [Wrench<T>]>,
    tau: &'a mut [T],
}

impl<T: Real> Kernel for InverseDynamics<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let InverseDynamics { model, workspace: ws, q, v, qdd, external, tau } = self;
        match external {
            Some(wrenches) => external::to_links(model, ws, q, wrenches, false),
            None => ws.external.fill(Wrench::zero()),
        }
        accelerate_links(model, ws, q, v, qdd, -model.gravity);
        let shapes = &model.topology.links;
        let at = |list: Option<&[T]>, k: usize| list.map_or(T::zero(), |list| list[k]);
        for i in 0..shapes.len() {
            let (shape, link) = (shapes[i], &model.links[i]);
            let Flow { omega, alpha, acceleration, .. } = ws.flows[i];
            let wrench = model.rigid[i].newton_euler(omega, Twist::new(alpha, acceleration));
            ws.biases[i].wrench = wrench - ws.external[i];
            let iv = shape.v as usize;
            for k in iv..iv + shape.kind.coordinates().1 {
                tau[k] = model.armature[k] * at(qdd, k);
            }
            if let (Some(rotor), Some(p)) = (shape.rotor, shape.parent) {
                // the spin N J q̇ e of the rotor turns with the parent
                let momentum = rotor_momentum(model, rotor, shape, link);
                let parent = &ws.flows[p as usize];
                tau[iv] += momentum.dot(parent.alpha);
                let (spin, rate) = (momentum.scale(at(v, iv)), momentum.scale(at(qdd, iv)));
                ws.biases[p as usize].wrench.moment += parent.omega.cross_add(spin, rate);
            }
        }
        for i in (0..shapes.len()).rev() {
            let (shape, wrench) = (shapes[i], ws.biases[i].wrench);
            let iv = shape.v as usize;
            match shape.kind {
                LinkKind::Revolute => tau[iv] += wrench.moment.z,
                LinkKind::Prismatic => tau[iv] += wrench.force.z,
                LinkKind::Helical => {
                    let pitch = model.links[i].pitch;
                    tau[iv] += pitch.mul_add(wrench.force.z, wrench.moment.z);
                }
                LinkKind::Ball => add_to(&mut tau[iv..], wrench.moment),
                LinkKind::Free => {
                    let out = ws.locals[i].rotation;
                    add_to(&mut tau[iv..], out * wrench.moment);
                    add_to(&mut tau[iv + 3..], out * wrench.force);
                }
            }
            if let Some(p) = shape.parent {
                ws.biases[p as usize].wrench += ws.locals[i].wrench_to_parent(wrench);
            }
        }
    }
}

#[inline(always)]
fn add_to<T: Real>(tau: &mut [T], x: Vec3<T>) {
    (Vec3::from_slice(tau) + x).write_to(tau);
}

/// `N J e` of a rotor, in the axes of the link that carries it, kg·m².
#[inline(always)]
pub(crate) fn rotor_momentum<T: Real>(
    model: &Model<T>,
    rotor: u32,
    shape: LinkShape,
    link: &Link<T>,
) -> Vec3<T> {
    let spin = &model.rotors[rotor as usize];
    let x = &link.screw;
    let mut axis = screw::x_out(spin.axis, x.sin_alpha, x.cos_alpha);
    if shape.has_branch {
        axis = screw::z_out(axis, x.sin_phi, x.cos_phi);
    }
    axis.scale(spin.coupling)
}
