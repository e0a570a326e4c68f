//! `U`, `D`, `Uᵀ` and their inverses on several right-hand sides.
//!
//! With `U_ji = p_jᵀ B_ijᵀ ψ̂_i` for the ancestors `j` of `i`:
//!
//! * towards the root, `U w`: `(U w)_i = w_i + p_iᵀ f_i` with `f_p = Σ B_ipᵀ (f_i + ψ̂_i w_i)`, and
//!   `w = U⁻¹ b` by `w_i = b_i − p_iᵀ f_i`;
//! * towards the tips, `Uᵀ x`: `(Uᵀ x)_i = x_i + ψ̂_iᵀ B_ip t_p` with `t_i = B_ip t_p + p_i x_i`, and
//!   `x = U⁻ᵀ y` by `x_i = y_i − ψ̂_iᵀ B_ip t_p`.

use pommel_math::{Real, Transform, Vec3};

use crate::block::{
    Row, Rows, add, add_all, rotate, twist_after, twist_from_parent, wrench_before,
    wrench_to_parent, zeros,
};
use crate::model::{Link, LinkKind, LinkShape, Model, Role};
use crate::sweep::{ball, root, tip};
use crate::workspace::{BallColumn, Column, RootColumn, Workspace};
use crate::{kinematics, screw};

/// What a factorization leaves in a workspace.
pub(super) struct Columns<'a, T> {
    pub(super) model: &'a Model<T>,
    sin: &'a [T],
    cos: &'a [T],
    slides: &'a [crate::workspace::Bias<T>],
    pub(super) single: &'a [Column<T>],
    pub(super) balls: &'a [BallColumn<T>],
    pub(super) roots: &'a [RootColumn<T>],
}

/// Memory for `K` right-hand sides: a twist or wrench for each link, a row for each velocity.
pub(super) struct Scratch<'a, T, const K: usize> {
    pub(super) links: &'a mut [Rows<T, K>],
    pub(super) rows: &'a mut [Row<T, K>],
}

/// Splits a workspace into what a factorization left and the memory for one right-hand side.
#[inline(always)]
pub(super) fn narrow<'a, T: Real>(
    model: &'a Model<T>,
    ws: &'a mut Workspace<T>,
) -> (Columns<'a, T>, Scratch<'a, T, 1>) {
    let Workspace { sin, cos, biases, columns, balls, roots, narrow, .. } = ws;
    let columns = Columns { model, sin, cos, slides: biases, single: columns, balls, roots };
    (columns, Scratch { links: &mut narrow.0, rows: &mut narrow.1 })
}

/// Splits a workspace into what a factorization left and the memory for a block of right-hand
/// sides.
#[inline(always)]
pub(super) fn wide<'a, T: Real>(
    model: &'a Model<T>,
    ws: &'a mut Workspace<T>,
) -> (Columns<'a, T>, Scratch<'a, T, { super::BLOCK }>) {
    let Workspace { sin, cos, biases, columns, balls, roots, wide, .. } = ws;
    let columns = Columns { model, sin, cos, slides: biases, single: columns, balls, roots };
    (columns, Scratch { links: &mut wide.0, rows: &mut wide.1 })
}

/// Fills `ws.placements` from what a factorization left, without the positions.
#[inline(always)]
pub(super) fn place_links<T: Real>(model: &Model<T>, ws: &mut Workspace<T>) {
    let Workspace { sin, cos, biases, columns, balls, roots, placements, .. } = ws;
    let columns = Columns { model, sin, cos, slides: biases, single: columns, balls, roots };
    let shapes = &model.topology.links;
    for i in 0..shapes.len() {
        let local = columns.local(i);
        placements[i] = match shapes[i].parent {
            Some(p) => placements[p as usize] * local,
            None => local,
        };
    }
}

impl<T: Real> Columns<'_, T> {
    /// The placement of a link in its parent; of a root its orientation in world and its place
    /// relative to the origin of its tree.
    #[inline(always)]
    pub(super) fn local(&self, i: usize) -> Transform<T> {
        let (shape, link) = (self.model.topology.links[i], &self.model.links[i]);
        let slot = shape.slot as usize;
        let inner = match shape.role {
            Role::Free => Transform::new(self.roots[slot].rotation, Vec3::zero()),
            Role::Ball => {
                let turned = Transform::new(self.balls[slot].rotation, Vec3::zero());
                screw::constant_transform(shape, &link.screw) * turned
            }
            _ => {
                let (sin, cos, d) = self.posture(i, shape, link);
                screw::transform(shape, &link.screw, sin, cos, d)
            }
        };
        kinematics::on_ground(self.model, shape, inner)
    }

    /// Sine, cosine and slide of a link's joint.
    #[inline(always)]
    pub(super) fn posture(&self, i: usize, shape: LinkShape, link: &Link<T>) -> (T, T, T) {
        let x = &link.screw;
        let at = shape.turn as usize;
        match (shape.role, shape.kind) {
            (_, LinkKind::Prismatic) => (x.sin_theta, x.cos_theta, self.slides[i].extra),
            (Role::Single, _) => (self.sin[at], self.cos[at], self.slides[i].extra),
            (_, LinkKind::Ball | LinkKind::Free) => (x.sin_theta, x.cos_theta, x.d),
            _ => (self.sin[at], self.cos[at], x.d),
        }
    }

    /// `U w`, or with `INVERSE` `U⁻¹ b`, in place.
    #[inline(always)]
    pub(super) fn towards_root<const K: usize, const INVERSE: bool>(
        &self,
        scratch: &mut Scratch<'_, T, K>,
    ) {
        let shapes = &self.model.topology.links;
        let Scratch { links, rows } = scratch;
        links[..shapes.len()].fill(zeros());
        for i in (0..shapes.len()).rev() {
            let (shape, link) = (shapes[i], &self.model.links[i]);
            let iv = shape.v as usize;
            let mut f = links[i];
            let (sin, cos, d) = self.posture(i, shape, link);
            match shape.role {
                Role::Turn | Role::Tip | Role::Second => {
                    let given = rows[iv];
                    let out = combine::<T, K, INVERSE>(&given, &f[2]);
                    rows[iv] = out;
                    let weight = if INVERSE { out } else { given };
                    spread(&mut f, self.single[i].psi_hat.to_array(), &weight);
                    wrench_before(&mut f, sin, cos, d);
                }
                Role::Ground => {
                    rows[iv] = combine::<T, K, INVERSE>(&rows[iv], &f[2]);
                    continue;
                }
                Role::Wheel => {
                    // the column of U is the axis, in the parent's frame
                    let axis = tip::wheel_axis(link, shape).to_array();
                    let parent = shape.parent.map(|p| &mut links[p as usize]);
                    for (row, e) in parent.into_iter().flatten().zip(axis) {
                        add(row, e, &rows[iv]);
                    }
                    continue;
                }
                Role::Single => {
                    let given = rows[iv];
                    let felt = along(shape.kind, link, &f);
                    let out = combine::<T, K, INVERSE>(&given, &felt);
                    rows[iv] = out;
                    let weight = if INVERSE { out } else { given };
                    wrench_before(&mut f, sin, cos, d);
                    spread(&mut f, self.single[i].psi_hat.to_array(), &weight);
                }
                Role::Ball => {
                    let column = &self.balls[shape.slot as usize];
                    for k in 0..K {
                        let given = Vec3::new(rows[iv][k], rows[iv + 1][k], rows[iv + 2][k]);
                        let moment = Vec3::new(f[0][k], f[1][k], f[2][k]);
                        let out = if INVERSE { given - moment } else { given + moment };
                        let weight = if INVERSE { out } else { given };
                        let n = moment + column.angular.transpose_mul(weight);
                        let force = column.linear.transpose_mul(weight);
                        for (c, x) in [out.x, out.y, out.z].into_iter().enumerate() {
                            rows[iv + c][k] = x;
                        }
                        (f[0][k], f[1][k], f[2][k]) = (n.x, n.y, n.z);
                        f[3][k] += force.x;
                        f[4][k] += force.y;
                        f[5][k] += force.z;
                    }
                    rotate(&mut f, column.rotation);
                    wrench_before(&mut f, sin, cos, d);
                }
                Role::Free => {
                    rotate(&mut f, self.roots[shape.slot as usize].rotation);
                    for (c, felt) in f.iter().enumerate() {
                        rows[iv + c] = combine::<T, K, INVERSE>(&rows[iv + c], felt);
                    }
                    continue;
                }
            }
            if let Some(p) = shape.parent {
                wrench_to_parent(&mut f, link, shape);
                let one = T::one();
                for (sum, x) in links[p as usize].iter_mut().zip(&f) {
                    add(sum, one, x);
                }
            }
        }
    }

    /// `Uᵀ x`, or with `INVERSE` `U⁻ᵀ y`, in place.
    #[inline(always)]
    pub(super) fn towards_tips<const K: usize, const INVERSE: bool>(
        &self,
        scratch: &mut Scratch<'_, T, K>,
    ) {
        let shapes = &self.model.topology.links;
        let Scratch { links, rows } = scratch;
        for i in 0..shapes.len() {
            let (shape, link) = (shapes[i], &self.model.links[i]);
            let iv = shape.v as usize;
            let mut t = shape.parent.map_or_else(zeros, |p| links[p as usize]);
            let (sin, cos, d) = self.posture(i, shape, link);
            match shape.role {
                Role::Turn | Role::Tip | Role::Second => {
                    twist_from_parent(&mut t, link, shape);
                    twist_after(&mut t, sin, cos, d);
                    let rate = self.meet::<K, INVERSE>(&mut rows[iv], i, &t);
                    add(&mut t[2], T::one(), &rate);
                }
                Role::Ground => t[2] = rows[iv],
                Role::Wheel => {
                    let axis = tip::wheel_axis(link, shape).to_array();
                    for (row, e) in t.iter().zip(axis) {
                        add(&mut rows[iv], if INVERSE { -e } else { e }, row);
                    }
                    continue;
                }
                Role::Single => {
                    if shape.parent.is_some() {
                        twist_from_parent(&mut t, link, shape);
                    }
                    let rate = self.meet::<K, INVERSE>(&mut rows[iv], i, &t);
                    twist_after(&mut t, sin, cos, d);
                    if shape.kind.turns() {
                        add(&mut t[2], T::one(), &rate);
                        add(&mut t[5], link.pitch, &rate);
                    } else {
                        add(&mut t[5], T::one(), &rate);
                    }
                }
                Role::Ball => {
                    if shape.parent.is_some() {
                        twist_from_parent(&mut t, link, shape);
                    }
                    twist_after(&mut t, sin, cos, d);
                    let column = &self.balls[shape.slot as usize];
                    rotate(&mut t, column.rotation.transpose());
                    for k in 0..K {
                        let w = Vec3::new(t[0][k], t[1][k], t[2][k]);
                        let u = Vec3::new(t[3][k], t[4][k], t[5][k]);
                        let met = column.angular * w + column.linear * u;
                        let given = Vec3::new(rows[iv][k], rows[iv + 1][k], rows[iv + 2][k]);
                        let out = if INVERSE { given - met } else { given + met };
                        let w = w + if INVERSE { out } else { given };
                        for (c, x) in [out.x, out.y, out.z].into_iter().enumerate() {
                            rows[iv + c][k] = x;
                        }
                        (t[0][k], t[1][k], t[2][k]) = (w.x, w.y, w.z);
                    }
                }
                Role::Free => {
                    t.copy_from_slice(&rows[iv..iv + 6]);
                    rotate(&mut t, self.roots[shape.slot as usize].rotation.transpose());
                }
            }
            links[i] = t;
        }
    }

    /// `x ± ψ̂ᵀ t` into the row; returns the rate of the joint.
    #[inline(always)]
    fn meet<const K: usize, const INVERSE: bool>(
        &self,
        row: &mut Row<T, K>,
        i: usize,
        t: &Rows<T, K>,
    ) -> Row<T, K> {
        let given = *row;
        let psi = self.single[i].psi_hat.to_array();
        add_all(row, if INVERSE { psi.map(|x| -x) } else { psi }, t);
        if INVERSE { *row } else { given }
    }

    /// `D x`, or with `INVERSE` `D⁻¹ x`, in place.
    #[inline(always)]
    pub(super) fn scale<const K: usize, const INVERSE: bool>(&self, rows: &mut [Row<T, K>]) {
        for (i, &shape) in self.model.topology.links.iter().enumerate() {
            let iv = shape.v as usize;
            match shape.role {
                Role::Ball => {
                    let column = &self.balls[shape.slot as usize];
                    for k in 0..K {
                        let x = Vec3::new(rows[iv][k], rows[iv + 1][k], rows[iv + 2][k]);
                        let y = if INVERSE {
                            ball::solve(column, x)
                        } else {
                            ball::multiply(column, x)
                        };
                        (rows[iv][k], rows[iv + 1][k], rows[iv + 2][k]) = (y.x, y.y, y.z);
                    }
                }
                Role::Free => {
                    let column = &self.roots[shape.slot as usize];
                    let mut block = [[T::zero(); K]; 6];
                    block.copy_from_slice(&rows[iv..iv + 6]);
                    rotate(&mut block, column.rotation.transpose());
                    for k in 0..K {
                        let mut x = block.map(|row| row[k]);
                        if INVERSE {
                            root::solve_factors(column, &mut x);
                        } else {
                            root::multiply_factors(column, &mut x);
                        }
                        for (row, x) in block.iter_mut().zip(x) {
                            row[k] = x;
                        }
                    }
                    rotate(&mut block, column.rotation);
                    rows[iv..iv + 6].copy_from_slice(&block);
                }
                _ => {
                    let inverse = self.single[i].inverse;
                    let factor = if INVERSE { inverse } else { inverse.recip() };
                    for x in &mut rows[iv] {
                        *x *= factor;
                    }
                }
            }
        }
    }

    /// The pivots `m̂`, those of the factors `L D Lᵀ` for joints with several velocities.
    pub(super) fn pivots(&self, out: &mut [T]) {
        for (i, &shape) in self.model.topology.links.iter().enumerate() {
            let iv = shape.v as usize;
            match shape.role {
                Role::Ball => {
                    let d = self.balls[shape.slot as usize].inverse;
                    d.cast(T::recip).write_to(&mut out[iv..]);
                }
                Role::Free => {
                    let factors = &self.roots[shape.slot as usize].factors;
                    for k in 0..6 {
                        out[iv + k] = factors[k][k].recip();
                    }
                }
                _ => out[iv] = self.single[i].inverse.recip(),
            }
        }
    }
}

/// `given ± felt`.
#[inline(always)]
fn combine<T: Real, const K: usize, const INVERSE: bool>(
    given: &Row<T, K>,
    felt: &Row<T, K>,
) -> Row<T, K> {
    core::array::from_fn(|k| if INVERSE { given[k] - felt[k] } else { given[k] + felt[k] })
}

/// `f + ψ̂ w`.
#[inline(always)]
fn spread<T: Real, const K: usize>(f: &mut Rows<T, K>, psi_hat: [T; 6], w: &Row<T, K>) {
    for (row, psi) in f.iter_mut().zip(psi_hat) {
        add(row, psi, w);
    }
}

/// `pᵀ f`.
#[inline(always)]
fn along<T: Real, const K: usize>(kind: LinkKind, link: &Link<T>, f: &Rows<T, K>) -> Row<T, K> {
    match kind {
        LinkKind::Prismatic => f[5],
        LinkKind::Helical => core::array::from_fn(|k| link.pitch.mul_add(f[5][k], f[2][k])),
        LinkKind::Revolute | LinkKind::Ball | LinkKind::Free => f[2],
    }
}
