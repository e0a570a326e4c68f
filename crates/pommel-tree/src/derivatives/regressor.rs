//! The joint forces as a linear function of inertial parameters.

use pommel_math::{Kernel, Mat3, Real, Vec3, dispatch};

use super::memory::Column;
use super::motion::{advance, motion_of};
use crate::model::Model;
use crate::posture::{axis, place};
use crate::sweep::bias::{gradient, turn_joints};
use crate::workspace::Workspace;

/// Inertial parameters of a body, in the order of the columns of the
/// [regressor](inertial_parameter_regressor).
pub const PARAMETERS: usize = 10;

/// The matrix `Y` with `τ = Y π` for the inertial parameters `π` of all bodies.
///
/// The ten parameters of body `b` stand at `10 b`: the mass `m` (kg), the first moment `m c` along
/// x, y, z (kg·m), and the inertia tensor **about the origin** of the body frame, entries `xx, yy,
/// zz, xy, xz, yz` (kg·m²), all in the axes of the body frame. With the numbers of a
/// [`BodySpec`](crate::BodySpec), whose tensor is about the mass centre, `I_xx = inertia[0] +
/// m (c_y² + c_z²)`, `I_xy = inertia[3] − m c_x c_y`, and so on.
///
/// Gravity is included. Armature and geared rotors are no inertial parameters of bodies: `Y π` is
/// the `τ` of [`inverse_dynamics`](crate::inverse_dynamics()) without external wrenches less what
/// armature and rotors add. Of all numbers of the model, only gravity and those of the placements
/// enter.
///
/// # Arguments
/// - `q`, `v`, `qdd` as in [`inverse_dynamics`](crate::inverse_dynamics())
/// - `out` **out**, nv rows of `10 ·` [`body_count`](Model::body_count) entries, row after row;
///   columns of bodies that the velocity of a row does not carry are zero
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of pairs of a body and a velocity that carries it, and in the size of the
/// output. No allocation.
///
/// # Source
/// `[KD02]` derives the identification of the parameters; the columns are the equations of Newton
/// and Euler about the origin of the body frame.
pub fn inertial_parameter_regressor<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    qdd: &[T],
    out: &mut [T],
) {
    let (nq, nv) = (model.nq(), model.nv());
    assert_eq!(q.len(), nq, "q must have the model's nq entries");
    assert_eq!(v.len(), nv, "v must have the model's nv entries");
    assert_eq!(qdd.len(), nv, "qdd must have the model's nv entries");
    let entries = nv * PARAMETERS * model.body_count();
    assert_eq!(out.len(), entries, "the regressor must have nv × 10 entries a body");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    dispatch(Regressor { model, workspace, q, v, qdd, out });
}

struct Regressor<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    v: &'a [T],
    qdd: &'a [T],
    out: &'a mut [T],
}

impl<T: Real> Kernel for Regressor<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let Regressor { model, workspace: ws, q, v, qdd, out } = self;
        turn_joints(model, ws, q);
        place(model, ws, q);
        let mut columns = [Column::zero(); 6];
        for i in 0..model.links.len() {
            advance(model, ws, i, v, qdd, &mut columns);
        }
        out.fill(T::zero());
        let width = PARAMETERS * model.body_count();
        for (b, (body, shape)) in model.bodies.iter().zip(&model.topology.bodies).enumerate() {
            let Some(link) = shape.link else { continue };
            let at = ws.placements[link as usize] * body.placement;
            let (twist, rate) = motion_of(ws, link as usize);
            let into = |x: Vec3<T>| at.rotation.transpose_mul(x);
            // ordinary acceleration of the origin of the body frame
            let velocity = twist.angular.cross_add(at.translation, twist.linear);
            let acceleration = rate.angular.cross_add(at.translation, rate.linear);
            let acceleration = twist.angular.cross_add(velocity, acceleration);
            let motion = Motion::new(into(twist.angular), into(rate.angular), into(acceleration));
            let mut carrier = Some(link);
            while let Some(i) = carrier {
                let i = i as usize;
                let shape = model.topology.links[i];
                for k in 0..shape.kind.coordinates().1 {
                    let s = axis(shape.kind, model.links[i].pitch, ws.placements[i], k);
                    let linear = s.angular.cross_add(at.translation, s.linear);
                    let row = motion.row(into(s.angular), into(linear));
                    let start = (shape.v as usize + k) * width + PARAMETERS * b;
                    out[start..start + PARAMETERS].copy_from_slice(&row);
                }
                carrier = shape.parent;
            }
        }
    }
}

/// Motion of a body, in its axes: `ω`, `α`, the acceleration of the origin less gravity, and
/// `G = [α]× + [ω]×²`.
struct Motion<T> {
    omega: Vec3<T>,
    alpha: Vec3<T>,
    acceleration: Vec3<T>,
    gradient: Mat3<T>,
}

impl<T: Real> Motion<T> {
    #[inline(always)]
    fn new(omega: Vec3<T>, alpha: Vec3<T>, acceleration: Vec3<T>) -> Self {
        Motion { omega, alpha, acceleration, gradient: gradient(omega, alpha) }
    }

    /// The power on a twist of the body of the wrench that each parameter asks for:
    /// `f = m a + G h` and `n = h × a + I α + ω × I ω`.
    #[inline(always)]
    fn row(&self, angular: Vec3<T>, linear: Vec3<T>) -> [T; PARAMETERS] {
        let (w, a, t) = (self.omega, self.alpha, angular);
        // t · (ω × I ω) = (t × ω) · I ω
        let u = t.cross(w);
        let first = self.acceleration.cross_add(t, self.gradient.transpose_mul(linear));
        let pair = |t: T, a: T, u: T, w: T| t.mul_add(a, u * w);
        [
            linear.dot(self.acceleration),
            first.x,
            first.y,
            first.z,
            pair(t.x, a.x, u.x, w.x),
            pair(t.y, a.y, u.y, w.y),
            pair(t.z, a.z, u.z, w.z),
            pair(t.x, a.y, u.x, w.y) + pair(t.y, a.x, u.y, w.x),
            pair(t.x, a.z, u.x, w.z) + pair(t.z, a.x, u.z, w.x),
            pair(t.y, a.z, u.y, w.z) + pair(t.z, a.y, u.z, w.y),
        ]
    }
}
