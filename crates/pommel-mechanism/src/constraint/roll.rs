//! Rolling without slip on a plane.
//!
//! | here | meaning                                            |
//! |------|----------------------------------------------------|
//! | `n`  | normal of the plane, fixed in body 1, towards body 2 |
//! | `e`  | from the point of contact to the centre of the disc, a unit vector: `n` for a sphere |
//! | `C`  | point of contact, `C = P₂ − r e`                    |
//! | `w`  | velocity of body 2 at C less that of body 1 there   |
//!
//! The first row demands that C lies in the plane, `n · (C − P₁) = 0`; its derivative is `n · w`, as
//! C moves along the plane only. The others demand `t · w = 0` for directions `t` in the plane: in
//! space they have no integral.

use pommel_math::Real;

use super::{End, Rows};
use crate::gather::{number, vector, vectors};
use crate::space::{Space, VectorOf};

/// A sphere or a disc on body 2 that rolls on a plane of body 1.
#[derive(Clone, Debug)]
pub(crate) struct Roll<T: Real, S: Space> {
    /// a point of the plane, and the centre
    pub(crate) points: [S::Vector<T>; 2],
    pub(crate) normal: S::Vector<T>,
    pub(crate) radius: T,
    pub(crate) disc: Option<Disc<T, S>>,
}

/// The axis of a thin disc, in body 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc<T: Real, S: Space> {
    pub(crate) axis: S::Vector<T>,
}

impl<T: Real, S: Space> Roll<T, S> {
    #[inline(always)]
    pub(super) fn write(
        &self,
        row: usize,
        ends: [End; 2],
        [p1, p2]: [&S::Pose<T>; 2],
        rows: &mut Rows<'_, T>,
    ) {
        let (a, b) = (S::point_at(p1, self.points[0]), S::point_at(p2, self.points[1]));
        let (omega1, omega2) = (S::omega(p1), S::omega(p2));
        let n = S::rotate(p1, self.normal);
        let n_rate = S::turn(omega1, n);
        let (e, e_rate) = match &self.disc {
            None => (n, n_rate),
            Some(disc) => {
                // the part of n that lies in the disc's plane
                let axis = S::rotate(p2, disc.axis);
                let axis_rate = S::turn(omega2, axis);
                let c = axis.dot(n);
                let c_rate = axis_rate.dot(n) + axis.dot(n_rate);
                let m = n.minus(axis.times(c));
                let m_rate = n_rate.minus(axis.times(c_rate)).minus(axis_rate.times(c));
                let inverse = m.dot(m).sqrt().recip();
                let e = m.times(inverse);
                (e, m_rate.minus(e.times(e.dot(m_rate))).times(inverse))
            }
        };
        // arms of C from both mass centres, and w
        let arm2 = e.times_plus(-self.radius, b.arm);
        let contact = S::centre(p2).plus(arm2);
        let arm1 = contact.minus(S::centre(p1));
        let contact_rate = b.velocity.minus(e_rate.times(self.radius));
        let arm1_rate = contact_rate.minus(S::centre_velocity(p1));
        let slip = b
            .velocity
            .minus(S::turn(omega2, e).times(self.radius))
            .minus(S::centre_velocity(p1))
            .minus(S::turn(omega1, arm1));
        let slip_bias = b
            .bias
            .minus(S::turn(omega2, e_rate).times(self.radius))
            .minus(S::turn(omega1, arm1_rate));
        let tangents = S::tangents(self.normal);
        let zero = T::zero();
        for k in 0..S::DIMENSION {
            let direction = if k == 0 { n } else { S::rotate(p1, tangents[k - 1]) };
            let direction_rate = S::turn(omega1, direction);
            let phi = if k == 0 { n.dot(contact.minus(a.position)) } else { zero };
            let bias = direction.dot(slip_bias) + direction_rate.dot(slip);
            rows.demand(row + k, phi, zero, -bias);
            rows.put::<S>(ends[0], k, S::point_row(p1, arm1, direction.negated()));
            rows.put::<S>(ends[1], k, S::point_row(p2, arm2, direction));
        }
    }
}

impl<S: Space> Roll<f64, S> {
    pub(crate) fn gather<T: Real>(list: &[&Self]) -> Roll<T, S> {
        let discs: Vec<&Disc<f64, S>> = list.iter().filter_map(|r| r.disc.as_ref()).collect();
        Roll {
            points: vectors::<Self, T, S, 2>(list, |r| r.points),
            normal: vector::<Self, T, S>(list, |r| r.normal),
            radius: number(list, |r| r.radius),
            disc: (!discs.is_empty())
                .then(|| Disc { axis: vector::<Disc<f64, S>, T, S>(&discs, |d| d.axis) }),
        }
    }
}
