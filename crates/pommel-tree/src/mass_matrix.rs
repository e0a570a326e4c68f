//! The generalized inertia matrix, and the momenta that velocities give.

use pommel_math::{Kernel, Real, Vec3, Wrench, dispatch};

use crate::inverse_dynamics::rotor_momentum;
use crate::{Model, Workspace, axes, kinematics};

/// The generalized inertia matrix `M(q)`, by the composite bodies beyond each joint.
///
/// To solve with it, [`factorize`](crate::factorize) is faster and needs no matrix.
///
/// # Arguments
/// - `q` positions as in [`forward_dynamics`](crate::forward_dynamics)
/// - `matrix` **out**, [`nv`](Model::nv) × `nv`, symmetric, row by row; kg·m², kg·m, kg. Entries of
///   joints of which none carries the other are zero.
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of pairs of a joint with one that carries it; no allocation.
///
/// # Source
/// `[Fea08, Table 6.2]`, with all quantities in world axes about the origin of the root: then a pair
/// costs one scalar product of twist and wrench, and nothing is carried from frame to frame.
pub fn mass_matrix<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    matrix: &mut [T],
) {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(matrix.len(), model.nv() * model.nv(), "the matrix is nv × nv");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    dispatch(MassMatrix { model, workspace, q, matrix });
}

struct MassMatrix<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    matrix: &'a mut [T],
}

impl<T: Real> Kernel for MassMatrix<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let MassMatrix { model, workspace: ws, q, matrix } = self;
        let nv = model.nv();
        matrix.fill(T::zero());
        kinematics::place_links(model, ws, q);
        axes::find_axes(model, ws);
        find_momenta(model, ws);
        let shapes = &model.topology.links;
        for (i, shape) in shapes.iter().enumerate() {
            let iv = shape.v as usize;
            for k in iv..iv + shape.kind.coordinates().1 {
                let momentum = ws.momenta[k];
                let spin = ws.spins[k];
                let mut carrier = Some(i as u32);
                while let Some(c) = carrier {
                    let other = shapes[c as usize];
                    let jv = other.v as usize;
                    for j in jv..jv + other.kind.coordinates().1 {
                        let axis = ws.axes[j];
                        let mut entry = axis.dot(momentum);
                        if shape.rotor.is_some() && j != k {
                            entry += axis.angular.dot(spin);
                        }
                        matrix[k * nv + j] = entry;
                        matrix[j * nv + k] = entry;
                    }
                    carrier = other.parent;
                }
                matrix[k * nv + k] += model.armature[k];
            }
        }
    }
}

/// Fills `ws.composites`, `ws.momenta` and `ws.spins` from placements and axes: for each velocity
/// the momentum that a unit of it gives the links beyond, and the spin of its rotor; in world axes,
/// the momentum about the origin of the root.
#[inline(always)]
pub(crate) fn find_momenta<T: Real>(model: &Model<T>, ws: &mut Workspace<T>) {
    let shapes = &model.topology.links;
    for (i, rigid) in model.rigid.iter().enumerate() {
        ws.composites[i] = rigid.to_parent(ws.placements[i]);
    }
    for i in (0..shapes.len()).rev() {
        if let Some(p) = shapes[i].parent {
            let own = ws.composites[i];
            ws.composites[p as usize] += own;
        }
    }
    for (i, (&shape, link)) in shapes.iter().zip(&model.links).enumerate() {
        let iv = shape.v as usize;
        for k in iv..iv + shape.kind.coordinates().1 {
            ws.momenta[k] = ws.composites[i].apply(ws.axes[k]);
            ws.spins[k] = match (shape.rotor, shape.parent) {
                (Some(rotor), Some(p)) => {
                    let in_link = rotor_momentum(model, rotor, shape, link);
                    ws.placements[p as usize].rotation * in_link
                }
                _ => Vec3::zero(),
            };
        }
    }
}

/// The centroidal momentum matrix: `[L; P] = A v`, the angular momentum about the common mass centre
/// and the linear momentum of all moving bodies, with the spin of the rotors on them.
///
/// # Arguments
/// - `q` positions as in [`forward_dynamics`](crate::forward_dynamics)
/// - `matrix` **out**, 6 × [`nv`](Model::nv) row by row, in world axes: three rows of the angular
///   momentum (kg·m²/s), three of the linear momentum (kg·m/s)
///
/// # Returns
/// The common mass centre in world, m; the world's origin if nothing has mass.
///
/// # Panics
/// If a slice has another length than stated, or the workspace is that of another topology.
///
/// # Cost
/// Linear in the number of joints; no allocation.
pub fn centroidal_momentum_matrix<T: Real>(
    model: &Model<T>,
    workspace: &mut Workspace<T>,
    q: &[T],
    matrix: &mut [T],
) -> Vec3<T> {
    assert_eq!(q.len(), model.nq(), "q must have the model's nq entries");
    assert_eq!(matrix.len(), 6 * model.nv(), "the matrix is 6 × nv");
    assert!(workspace.fits(model), "the workspace is that of another topology");
    dispatch(CentroidalMomentum { model, workspace, q, matrix })
}

struct CentroidalMomentum<'a, T> {
    model: &'a Model<T>,
    workspace: &'a mut Workspace<T>,
    q: &'a [T],
    matrix: &'a mut [T],
}

impl<T: Real> Kernel for CentroidalMomentum<'_, T> {
    type Output = Vec3<T>;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Vec3<T> {
        let CentroidalMomentum { model, workspace: ws, q, matrix } = self;
        let nv = model.nv();
        kinematics::place_links(model, ws, q);
        axes::find_axes(model, ws);
        find_momenta(model, ws);
        let shapes = &model.topology.links;
        let (mut mass, mut moment) = (T::zero(), Vec3::zero());
        for (i, _) in shapes.iter().enumerate().filter(|(_, s)| s.parent.is_none()) {
            let whole = &ws.composites[i];
            mass += whole.mass;
            moment += ws.origins[i].scale_add(whole.mass, whole.first_moment);
        }
        let inverse = T::select(T::zero().lt(mass), mass.recip(), T::zero());
        let centre = moment.scale(inverse);
        for (i, &shape) in shapes.iter().enumerate() {
            let iv = shape.v as usize;
            // from the root's origin to the mass centre
            let arm = centre - ws.origins[i];
            for k in iv..iv + shape.kind.coordinates().1 {
                let Wrench { moment, force } = ws.momenta[k];
                let angular = force.cross_add(arm, moment) + ws.spins[k];
                for (row, x) in angular.to_array().into_iter().chain(force.to_array()).enumerate() {
                    matrix[row * nv + k] = x;
                }
            }
        }
        centre
    }
}
