//! Operational-space inertia of a point of a body.
//!
//! `Λ⁻¹ = J M⁻¹ Jᵀ = (U⁻¹ Jᵀ)ᵀ D⁻¹ (U⁻¹ Jᵀ)`. The column of `Jᵀ` of a unit wrench acts at the joints that
//! carry the body and at no others, and `U⁻¹` keeps it so: with `z` the six unit wrenches,
//! `g_i = p_iᵀ z`, `z_p = B_ipᵀ (z − ψ̂_i g_i)` from the body to the root, and `Λ⁻¹ = Σ g_iᵀ m̂_i⁻¹ g_i`.

use pommel_math::{Kernel, Mask, Mat3, Real, Vec3, dispatch};

use super::UdutFactor;
use super::sweeps::{self, Columns};
use crate::TreeError;
use crate::block::{Rows, add, rotate, wrench_before, wrench_from, wrench_to_parent, zeros};
use crate::model::{BodyId, LinkKind, Role};
use crate::sweep::root;

/// Units of rounding that the share of a direction must exceed.
const LIMIT: f64 = 64.0;

impl<T: Real> UdutFactor<'_, T> {
    /// The inverse of the operational-space inertia of a point of a body, `Λ⁻¹ = J M⁻¹ Jᵀ`: its
    /// acceleration per wrench on it, where nothing else acts.
    ///
    /// # Arguments
    /// - `body` the body, `point` the point in its frame, m
    ///
    /// # Returns
    /// Six rows of six, symmetric to the bit, in the order, axes and point of
    /// [`jacobian`](crate::jacobian): from a moment about the point (N·m) and a force (N) to angular
    /// acceleration (rad/s²) and acceleration of the point (m/s²), in world axes. Zero for a
    /// body that is fixed to the ground; singular where the body cannot move in all six directions.
    ///
    /// # Panics
    /// If the body is not one of the model.
    ///
    /// # Cost
    /// Linear in the number of joints that carry the body, with six columns side by side; no
    /// allocation.
    ///
    /// # Source
    /// `[Kha87]`; the recursion along the path is that of `[KJR92]`, here with the columns of `U`.
    pub fn inverse_operational_inertia(&mut self, body: BodyId, point: Vec3<T>) -> [[T; 6]; 6] {
        let model = self.model;
        assert!(body.index() < model.body_count(), "the body is not one of the model");
        let (columns, _) = sweeps::narrow(model, self.workspace);
        dispatch(Inverse { columns, body, point })
    }

    /// The operational-space inertia of a point of a body, `Λ = (J M⁻¹ Jᵀ)⁻¹`: the wrench that
    /// gives it an acceleration, where nothing else acts.
    ///
    /// # Arguments
    /// - `body` the body, `point` the point in its frame, m
    ///
    /// # Returns
    /// Six rows of six, symmetric to the bit, in the order, axes and point of
    /// [`jacobian`](crate::jacobian); kg·m², kg·m, kg.
    ///
    /// # Errors
    /// [`TreeError::NoOperationalInertia`] if the body cannot move in all six directions: if of the
    /// motion in a direction not more than a share of 64 units of rounding
    /// ([`EPSILON`](Real::EPSILON)) is left when the other five are kept at rest. Near such postures
    /// the result has as many digits less as the share has zeros. For scalars with several lanes the
    /// error names the lanes that failed, and nothing is returned of the good
    /// ones.
    ///
    /// # Panics
    /// If the body is not one of the model.
    ///
    /// # Cost
    /// As [`inverse_operational_inertia`](UdutFactor::inverse_operational_inertia), and `L D Lᵀ` of
    /// a 6 × 6 matrix; no allocation.
    ///
    /// # Source
    /// `[Kha87]`.
    pub fn operational_inertia(
        &mut self,
        body: BodyId,
        point: Vec3<T>,
    ) -> Result<[[T; 6]; 6], TreeError> {
        let inverse = self.inverse_operational_inertia(body, point);
        let velocities = self.velocities_that_carry(body);
        let (inertia, shares) = dispatch(Invert(inverse));
        let limit = T::from_f64(LIMIT * T::EPSILON);
        let mut good = Mask::all(T::LANES);
        for share in shares {
            good &= limit.lt(share);
        }
        if velocities >= 6 && good.is_all(T::LANES) {
            return Ok(inertia);
        }
        if velocities < 6 {
            good = Mask::NONE;
        }
        let lanes = !good & Mask::all(T::LANES);
        let lane = lanes.first().unwrap_or(0);
        let name = self.model.topology.body_name(body).to_owned();
        Err(no_inertia(name, velocities, shares.map(|x| x.lane(lane)), limit.lane(lane), lanes))
    }

    /// Number of velocities of the joints that carry a body.
    fn velocities_that_carry(&self, body: BodyId) -> usize {
        let topology = self.model.topology();
        let mut link = topology.bodies[body.index()].link;
        let mut count = 0;
        while let Some(i) = link {
            let shape = topology.links[i as usize];
            count += shape.kind.coordinates().1;
            link = shape.parent;
        }
        count
    }
}

#[cold]
fn no_inertia(
    body: String,
    velocities: usize,
    shares: [f64; 6],
    limit: f64,
    lanes: Mask,
) -> TreeError {
    // rounding may leave any number where there is nothing
    let least = shares.into_iter().fold(1.0, f64::min);
    let nothing = velocities < 6 || shares.iter().any(|x| x.is_nan());
    let share = if nothing { 0.0 } else { least.max(0.0) };
    TreeError::NoOperationalInertia { body, velocities, share, limit, lanes }
}

struct Inverse<'a, T> {
    columns: Columns<'a, T>,
    body: BodyId,
    point: Vec3<T>,
}

impl<T: Real> Kernel for Inverse<'_, T> {
    type Output = [[T; 6]; 6];
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> [[T; 6]; 6] {
        let Inverse { columns, body, point } = self;
        let model = columns.model;
        let mut sum = [[T::zero(); 6]; 6];
        let Some(link) = model.topology.bodies[body.index()].link else { return sum };
        let rotation = columns.rotation_in_world(link);
        let in_link = model.bodies[body.index()].placement.point_to_parent(point);
        let mut z = unit_wrenches(rotation, in_link);
        let mut next = Some(link);
        while let Some(i) = next {
            columns.climb(i as usize, &mut z, &mut sum);
            next = model.topology.links[i as usize].parent;
        }
        for a in 0..6 {
            for b in 0..a {
                sum[a][b] = sum[b][a];
            }
        }
        sum
    }
}

/// Unit wrenches along world axes at a point of a link, about the link's origin in its axes.
#[inline(always)]
fn unit_wrenches<T: Real>(rotation: Mat3<T>, point: Vec3<T>) -> Rows<T, 6> {
    let mut z = zeros();
    let rows = rotation.to_rows();
    for k in 0..3 {
        for a in 0..3 {
            z[a][k] = rows[k][a];
            z[3 + a][3 + k] = rows[k][a];
        }
    }
    wrench_from(&mut z, [Some(point.x), Some(point.y), Some(point.z)]);
    z
}

impl<T: Real> Columns<'_, T> {
    /// The rotation link → world.
    #[inline(always)]
    fn rotation_in_world(&self, link: u32) -> Mat3<T> {
        let mut rotation = Mat3::identity();
        let mut next = Some(link);
        while let Some(i) = next {
            rotation = self.local(i as usize).rotation * rotation;
            next = self.model.topology.links[i as usize].parent;
        }
        rotation
    }

    /// Frees the joint of a link: adds what it gives to the upper triangle of `Λ⁻¹`, and takes
    /// `z` to the parent.
    #[inline(always)]
    fn climb(&self, i: usize, z: &mut Rows<T, 6>, sum: &mut [[T; 6]; 6]) {
        let (shape, link) = (self.model.topology.links[i], &self.model.links[i]);
        let (sin, cos, d) = self.posture(i, shape, link);
        match shape.role {
            Role::Turn | Role::Tip | Role::Second => {
                let g = z[2];
                add_outer(sum, &g, self.single[i].inverse);
                let psi_hat = self.single[i].psi_hat.to_array();
                for a in 0..6 {
                    add(&mut z[a], -psi_hat[a], &g);
                }
                wrench_before(z, sin, cos, d);
            }
            Role::Ground => {
                add_outer(sum, &z[2], self.single[i].inverse);
                return;
            }
            Role::Wheel => {
                // its column of U is its axis
                add_outer(sum, &z[2], self.single[i].inverse);
                z[2] = [T::zero(); 6];
                wrench_before(z, sin, cos, d);
            }
            Role::Single => {
                let mut g = if shape.kind == LinkKind::Prismatic { z[5] } else { z[2] };
                if shape.kind == LinkKind::Helical {
                    add(&mut g, link.pitch, &z[5]);
                }
                add_outer(sum, &g, self.single[i].inverse);
                wrench_before(z, sin, cos, d);
                let psi_hat = self.single[i].psi_hat.to_array();
                for a in 0..6 {
                    add(&mut z[a], -psi_hat[a], &g);
                }
            }
            Role::Ball => {
                let column = &self.balls[shape.slot as usize];
                let (l, inverse) = (column.lower, column.inverse);
                // L⁻¹ g
                let mut y = [z[0], z[1], z[2]];
                let [y0, y1, y2] = &mut y;
                add(y1, -l.x, y0);
                add(y2, -l.y, y0);
                add(y2, -l.z, y1);
                add_outer(sum, y0, inverse.x);
                add_outer(sum, y1, inverse.y);
                add_outer(sum, y2, inverse.z);
                for k in 0..6 {
                    let g = Vec3::new(z[0][k], z[1][k], z[2][k]);
                    let n = g - column.angular.transpose_mul(g);
                    let f = column.linear.transpose_mul(g);
                    (z[0][k], z[1][k], z[2][k]) = (n.x, n.y, n.z);
                    z[3][k] -= f.x;
                    z[4][k] -= f.y;
                    z[5][k] -= f.z;
                }
                rotate(z, column.rotation);
                wrench_before(z, sin, cos, d);
            }
            Role::Free => {
                // in body axes, as the factors: L⁻¹ z
                let a = &self.roots[shape.slot as usize].factors;
                for k in 0..6 {
                    let g = z[k];
                    add_outer(sum, &g, a[k][k]);
                    for j in k + 1..6 {
                        add(&mut z[j], -a[j][k], &g);
                    }
                }
                return;
            }
        }
        if shape.parent.is_some() {
            wrench_to_parent(z, link, shape);
        }
    }
}

/// `S + gᵀ s g`, on and above the diagonal.
#[inline(always)]
fn add_outer<T: Real>(sum: &mut [[T; 6]; 6], g: &[T; 6], s: T) {
    for a in 0..6 {
        let scaled = s * g[a];
        for b in a..6 {
            sum[a][b] = scaled.mul_add(g[b], sum[a][b]);
        }
    }
}

/// `A⁻¹` of a symmetric `A`, and for each direction `1 / (A_kk A⁻¹_kk)`: what is left of the motion
/// in it when forces in the other directions keep these at rest.
struct Invert<T>([[T; 6]; 6]);

impl<T: Real> Kernel for Invert<T> {
    type Output = ([[T; 6]; 6], [T; 6]);
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> ([[T; 6]; 6], [T; 6]) {
        let mut factors = self.0;
        for k in 0..6 {
            root::eliminate(&mut factors, k);
        }
        let mut inverse = [[T::zero(); 6]; 6];
        let mut shares = [T::zero(); 6];
        for k in 0..6 {
            let mut column = [T::zero(); 6];
            column[k] = T::one();
            root::solve_rows(&factors, &mut column);
            for a in 0..k + 1 {
                inverse[a][k] = column[a];
                inverse[k][a] = column[a];
            }
            shares[k] = (self.0[k][k] * inverse[k][k]).recip();
        }
        (inverse, shares)
    }
}
