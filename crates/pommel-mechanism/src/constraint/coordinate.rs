//! Relative coordinates of two bodies: the angle or the displacement of a joint.

use core::f64::consts::TAU;

use pommel_math::Real;

use super::along;
use crate::gather::{vector, vectors};
use crate::space::Space;

/// A scalar of two bodies at one state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoordinateAt<T: Real, S: Space> {
    pub(crate) value: T,
    pub(crate) rate: T,
    /// the part of its acceleration that is left at zero accelerations of the bodies
    pub(crate) bias: T,
    /// derivatives of the rate by the velocities of both bodies
    pub(crate) rows: [S::Row<T>; 2],
}

/// A relative coordinate of two bodies.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate<T: Real, S: Space> {
    /// indices among the poses
    pub(crate) bodies: [u32; 2],
    pub(crate) kind: CoordinateKind<T, S>,
}

#[derive(Clone, Debug)]
pub(crate) enum CoordinateKind<T: Real, S: Space> {
    Angle(S::Angle<T>),
    /// displacement of the second point against the first along an axis of body 1
    Slide {
        points: [S::Vector<T>; 2],
        axis: S::Vector<T>,
    },
}

impl<T: Real, S: Space> Coordinate<T, S> {
    #[inline(always)]
    pub(crate) fn at(&self, poses: &[S::Pose<T>]) -> CoordinateAt<T, S> {
        let pair = self.bodies.map(|body| &poses[body as usize]);
        match &self.kind {
            CoordinateKind::Angle(angle) => S::angle(angle, pair),
            CoordinateKind::Slide { points, axis } => {
                let (a, b) = (S::point_at(pair[0], points[0]), S::point_at(pair[1], points[1]));
                along::<T, S>(pair, [&a, &b], S::rotate(pair[0], *axis))
            }
        }
    }

    /// A value of it next to one that was tracked, where angles are known up to full turns.
    #[inline(always)]
    pub(crate) fn unwrap(&self, value: T, nearest: T) -> T {
        if S::ANGLES_WRAP && self.is_angle() { unwrapped(value, nearest) } else { value }
    }

    /// Takes its value as that which the next ones are near to.
    pub(crate) fn track(&self, poses: &[S::Pose<T>], turn: &mut T) {
        *turn = self.unwrap(self.at(poses).value, *turn);
    }

    #[inline(always)]
    pub(crate) fn is_angle(&self) -> bool {
        matches!(self.kind, CoordinateKind::Angle(_))
    }
}

/// `angle` plus the full turns that bring it next to `nearest`.
#[inline(always)]
fn unwrapped<T: Real>(angle: T, nearest: T) -> T {
    let turns = |lane| TAU * ((nearest.lane(lane) - angle.lane(lane)) / TAU).round();
    angle + T::from_lanes(turns)
}

impl<S: Space> Coordinate<f64, S> {
    /// Whether two coordinates differ in numbers only.
    pub(crate) fn alike(&self, other: &Self) -> bool {
        let kinds = match (&self.kind, &other.kind) {
            (CoordinateKind::Angle(a), CoordinateKind::Angle(b)) => S::angles_alike(a, b),
            (CoordinateKind::Slide { .. }, CoordinateKind::Slide { .. }) => true,
            _ => false,
        };
        kinds && self.bodies == other.bodies
    }

    pub(crate) fn gather<T: Real>(list: &[&Self]) -> Coordinate<T, S> {
        let kind = match &list[0].kind {
            CoordinateKind::Angle(_) => {
                let of = |c: &Self| match c.kind {
                    CoordinateKind::Angle(angle) => Some(angle),
                    CoordinateKind::Slide { .. } => None,
                };
                let angles: Vec<_> = list.iter().filter_map(|c| of(c)).collect();
                CoordinateKind::Angle(S::gather_angle(&angles.iter().collect::<Vec<_>>()))
            }
            CoordinateKind::Slide { points, axis } => {
                let of = |c: &Self| match c.kind {
                    CoordinateKind::Slide { points, axis } => (points, axis),
                    CoordinateKind::Angle(_) => (*points, *axis),
                };
                CoordinateKind::Slide {
                    points: vectors::<Self, T, S, 2>(list, |c| of(c).0),
                    axis: vector::<Self, T, S>(list, |c| of(c).1),
                }
            }
        };
        Coordinate { bodies: list[0].bodies, kind }
    }
}
