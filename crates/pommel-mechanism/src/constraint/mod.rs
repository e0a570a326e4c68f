//! Constraints as rows: what they demand of positions, velocities and accelerations.
//!
//! A joint is made of a few parts; each part adds rows `Φ`, with
//!
//! ```text
//! Φ(q, t) = 0      Φ_q v = ν      Φ_q v̇ = γ
//! ```
//!
//! | part            | Φ                                             | rows            |
//! |-----------------|-----------------------------------------------|-----------------|
//! | `Coincide`      | `P₂ − P₁`, world axes                         | 2 in the plane, 3 |
//! | `Along`         | `n₁ · (P₂ − P₁)`                              | 1               |
//! | `Perpendicular` | `a₁ · b₂ − cosine`                            | 1               |
//! | `Distance`      | `‖P₂ − P₁‖ − l`                               | 1               |
//! | `Relation`      | `c₂ − g(c₁) − f(t)` of relative coordinates   | 1               |
//! | `Roll`          | distance to a plane, and no slip on it        | 2 in the plane, 3 |
//!
//! Points, axes and normals are fixed in the bodies that their index names. The derivatives are
//! written out here; tests compare them with those of dual numbers and jets.

mod coordinate;
mod relation;
mod roll;

pub(crate) use coordinate::{Coordinate, CoordinateAt, CoordinateKind};
pub(crate) use relation::{Leader, Relation};
pub(crate) use roll::{Disc, Roll};

use core::ops::Range;

use pommel_math::Real;

use crate::gather::{number, vector, vectors};
use crate::space::{PointAt, Space, VectorOf};

/// Where the entries of a body start in the values of Φ_q.
///
/// Only entries that can differ from zero are kept: those in the support of the part's rows, row by
/// row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// index among the poses; the ground is the last
    pub(crate) body: u32,
    /// the first value of the part's first row; none for the ground
    pub(crate) block: Option<u32>,
}

/// Which entries of a row for one body can differ from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// all
    Whole,
    /// those of the angular velocity
    Spin,
    /// those of the angular velocity, and the one of the velocity along an axis: another in each row
    Place,
}

/// Some rows of a constraint.
#[derive(Clone, Debug)]
pub(crate) struct Part<T: Real, S: Space> {
    /// first row
    pub(crate) row: u32,
    pub(crate) ends: [End; 2],
    pub(crate) kind: Kind<T, S>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind<T: Real, S: Space> {
    Coincide { points: [S::Vector<T>; 2] },
    Along { points: [S::Vector<T>; 2], normal: S::Vector<T> },
    Perpendicular(S::Perpendicular<T>),
    Distance { points: [S::Vector<T>; 2], length: T },
    Relation(Box<Relation<T, S>>),
    Roll(Box<Roll<T, S>>),
}

impl<T: Real, S: Space> Kind<T, S> {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Kind::Coincide { .. } | Kind::Roll(_) => S::DIMENSION,
            _ => 1,
        }
    }

    pub(crate) fn support(&self) -> Support {
        match self {
            Kind::Coincide { .. } => Support::Place,
            Kind::Perpendicular(_) => Support::Spin,
            Kind::Relation(relation) => relation.support(),
            Kind::Along { .. } | Kind::Distance { .. } | Kind::Roll(_) => Support::Whole,
        }
    }
}

/// The arrays that a part writes its rows to.
pub(crate) struct Rows<'a, T> {
    pub(crate) phi: &'a mut [T],
    pub(crate) jacobian: &'a mut [T],
    pub(crate) nu: &'a mut [T],
    pub(crate) gamma: &'a mut [T],
}

impl<T: Real> Rows<'_, T> {
    /// Writes a whole row of Φ_q for one end, `at` rows below the first of the part.
    #[inline(always)]
    fn put<S: Space>(&mut self, end: End, at: usize, row: S::Row<T>) {
        if let Some(block) = end.block {
            let start = block as usize + at * S::WIDTH;
            self.jacobian[start..start + S::WIDTH].copy_from_slice(row.as_ref());
        }
    }

    /// Writes what a row has for the angular velocity.
    #[inline(always)]
    fn put_spin<S: Space>(&mut self, end: End, row: S::Row<T>) {
        if let Some(block) = end.block {
            let spin = &row.as_ref()[S::SPIN..S::SPIN + S::SPINS];
            self.jacobian[block as usize..block as usize + S::SPINS].copy_from_slice(spin);
        }
    }

    /// Writes row `k` of places along the axes: what it has for the angular velocity, and its entry
    /// for the velocity along axis `k`.
    #[inline(always)]
    fn put_place<S: Space>(&mut self, end: End, k: usize, row: S::Row<T>) {
        if let Some(block) = end.block {
            let start = block as usize + k * (S::SPINS + 1);
            let (row, to) = (row.as_ref(), &mut self.jacobian[start..start + S::SPINS + 1]);
            to[..S::SPINS].copy_from_slice(&row[S::SPIN..S::SPIN + S::SPINS]);
            to[S::SPINS] = row[S::PLACE + k];
        }
    }

    #[inline(always)]
    fn demand(&mut self, row: usize, phi: T, nu: T, gamma: T) {
        self.phi[row] = phi;
        self.nu[row] = nu;
        self.gamma[row] = gamma;
    }
}

/// What a state gives to constraints.
pub(crate) struct At<'a, T: Real, S: Space> {
    pub(crate) time: T,
    pub(crate) poses: &'a [S::Pose<T>],
    /// angles of joints as last tracked, two a relation
    pub(crate) turns: &'a [T],
}

impl<T: Real, S: Space> Part<T, S> {
    /// Φ, Φ_q, ν and γ of the rows of this part.
    #[inline(always)]
    pub(crate) fn write(&self, at: &At<'_, T, S>, rows: &mut Rows<'_, T>) {
        let row = self.row as usize;
        let [p1, p2] = self.ends.map(|end| &at.poses[end.body as usize]);
        let zero = T::zero();
        match &self.kind {
            Kind::Coincide { points } => {
                let (a, b) = (S::point_at(p1, points[0]), S::point_at(p2, points[1]));
                let d = S::components(b.position.minus(a.position));
                let demanded = S::components(a.bias.minus(b.bias));
                for k in 0..S::DIMENSION {
                    rows.demand(row + k, d[k], zero, demanded[k]);
                    let mut axis = [zero; 3];
                    axis[k] = T::one();
                    let axis = S::vector(axis);
                    rows.put_place::<S>(self.ends[0], k, S::point_row(p1, a.arm, axis.negated()));
                    rows.put_place::<S>(self.ends[1], k, S::point_row(p2, b.arm, axis));
                }
            }
            Kind::Along { points, normal } => {
                let (a, b) = (S::point_at(p1, points[0]), S::point_at(p2, points[1]));
                let n = S::rotate(p1, *normal);
                let found = along::<T, S>([p1, p2], [&a, &b], n);
                rows.demand(row, found.value, zero, -found.bias);
                rows.put::<S>(self.ends[0], 0, found.rows[0]);
                rows.put::<S>(self.ends[1], 0, found.rows[1]);
            }
            Kind::Perpendicular(axes) => {
                let found = S::perpendicular(axes, [p1, p2]);
                rows.demand(row, found.value, zero, -found.bias);
                rows.put_spin::<S>(self.ends[0], found.rows[0]);
                rows.put_spin::<S>(self.ends[1], found.rows[1]);
            }
            Kind::Distance { points, length } => {
                let (a, b) = (S::point_at(p1, points[0]), S::point_at(p2, points[1]));
                let d = b.position.minus(a.position);
                let rate = b.velocity.minus(a.velocity);
                let distance = d.dot(d).sqrt();
                let inverse = distance.recip();
                let u = d.times(inverse);
                let along = u.dot(rate);
                // ü: what of the velocity is across the line turns it
                let across = rate.dot(rate) - along * along;
                let bias = across.mul_add(inverse, u.dot(b.bias.minus(a.bias)));
                rows.demand(row, distance - *length, zero, -bias);
                rows.put::<S>(self.ends[0], 0, S::point_row(p1, a.arm, u.negated()));
                rows.put::<S>(self.ends[1], 0, S::point_row(p2, b.arm, u));
            }
            Kind::Relation(relation) => relation.write(row, at, rows),
            Kind::Roll(roll) => roll.write(row, self.ends, [p1, p2], rows),
        }
    }
}

/// `n · (P₂ − P₁)` with `n` fixed in body 1, given in world axes.
#[inline(always)]
pub(crate) fn along<T: Real, S: Space>(
    [p1, p2]: [&S::Pose<T>; 2],
    [a, b]: [&PointAt<S::Vector<T>>; 2],
    n: S::Vector<T>,
) -> CoordinateAt<T, S> {
    let omega = S::omega(p1);
    let d = b.position.minus(a.position);
    let d_rate = b.velocity.minus(a.velocity);
    let n_rate = S::turn(omega, n);
    let n_bias = S::turn(omega, n_rate);
    let two = T::from_f64(2.0);
    // −n · Ṗ₁ + ṅ · d, in one row: the arm of the point, prolonged by d
    let row1 = S::point_row(p1, a.arm.plus(d), n.negated());
    CoordinateAt {
        value: n.dot(d),
        rate: n.dot(d_rate) + n_rate.dot(d),
        bias: n.dot(b.bias.minus(a.bias)) + two * n_rate.dot(d_rate) + n_bias.dot(d),
        rows: [row1, S::point_row(p2, b.arm, n)],
    }
}

/// A constraint: some parts with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintInfo {
    /// Name of the joint or constraint, or what stands in for it, such as `driver of 'crank'`.
    pub name: String,
    /// Its rows.
    pub rows: Range<usize>,
    /// What each row compares, such as `x` or `axis`.
    pub row_names: Vec<&'static str>,
    /// Whether it is a joint of the tree that the model's joints span.
    pub of_tree: bool,
    /// Rows that constrain velocities only.
    pub nonholonomic: Range<usize>,
    /// Bodies that it acts on, as indices of the system's bodies.
    pub bodies: Vec<usize>,
}

impl<S: Space> Part<f64, S> {
    /// Whether two parts differ in numbers only.
    pub(crate) fn alike(&self, other: &Self) -> bool {
        let kinds = match (&self.kind, &other.kind) {
            (Kind::Relation(a), Kind::Relation(b)) => a.alike(b),
            (Kind::Roll(a), Kind::Roll(b)) => a.disc.is_some() == b.disc.is_some(),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        kinds && self.ends.map(|end| end.body) == other.ends.map(|end| end.body)
    }

    /// The same part of several instances.
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> Part<T, S> {
        type Points<S> = [<S as Space>::Vector<f64>; 2];
        let points_of = |part: &Self| -> Points<S> {
            match &part.kind {
                Kind::Coincide { points }
                | Kind::Along { points, .. }
                | Kind::Distance { points, .. } => *points,
                _ => [S::Vector::<f64>::default(); 2],
            }
        };
        let points = || vectors::<Self, T, S, 2>(list, points_of);
        let kind = match &list[0].kind {
            Kind::Coincide { .. } => Kind::Coincide { points: points() },
            Kind::Along { .. } => {
                let of = |part: &Self| match &part.kind {
                    Kind::Along { normal, .. } => *normal,
                    _ => S::Vector::<f64>::default(),
                };
                Kind::Along { points: points(), normal: vector::<Self, T, S>(list, of) }
            }
            Kind::Distance { .. } => {
                let of = |part: &Self| match &part.kind {
                    Kind::Distance { length, .. } => *length,
                    _ => 0.0,
                };
                Kind::Distance { points: points(), length: number(list, of) }
            }
            Kind::Perpendicular(_) => {
                let axes: Vec<_> = list
                    .iter()
                    .filter_map(
                        |p| if let Kind::Perpendicular(a) = &p.kind { Some(a) } else { None },
                    )
                    .collect();
                Kind::Perpendicular(S::gather_perpendicular(&axes))
            }
            Kind::Relation(_) => {
                let relations: Vec<_> = list
                    .iter()
                    .filter_map(|p| if let Kind::Relation(r) = &p.kind { Some(&**r) } else { None })
                    .collect();
                Kind::Relation(Box::new(Relation::gather(&relations)))
            }
            Kind::Roll(_) => {
                let rolls: Vec<_> = list
                    .iter()
                    .filter_map(|p| if let Kind::Roll(r) = &p.kind { Some(&**r) } else { None })
                    .collect();
                Kind::Roll(Box::new(Roll::gather(&rolls)))
            }
        };
        Part { row: list[0].row, ends: list[0].ends, kind }
    }
}
