//! The plane: velocities `ẋ ẏ φ̇` of the mass centre and of the angle.

use pommel_math::Real;

use super::{PoseOf, Space, VectorOf};
use crate::constraint::CoordinateAt;
use crate::gather::number;

/// Motion in the x-y plane.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Planar;

/// Two components.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vec2<T> {
    pub(crate) x: T,
    pub(crate) y: T,
}

impl<T: Real> VectorOf<T> for Vec2<T> {
    #[inline(always)]
    fn zero() -> Self {
        Vec2 { x: T::zero(), y: T::zero() }
    }
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        Vec2 { x: self.x + b.x, y: self.y + b.y }
    }
    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        Vec2 { x: self.x - b.x, y: self.y - b.y }
    }
    #[inline(always)]
    fn times(self, s: T) -> Self {
        Vec2 { x: self.x * s, y: self.y * s }
    }
    #[inline(always)]
    fn times_plus(self, s: T, c: Self) -> Self {
        Vec2 { x: self.x.mul_add(s, c.x), y: self.y.mul_add(s, c.y) }
    }
    #[inline(always)]
    fn dot(self, b: Self) -> T {
        self.x.mul_add(b.x, self.y * b.y)
    }
}

/// One component, about z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AboutZ<T>(pub(crate) T);

impl<T: Real> VectorOf<T> for AboutZ<T> {
    #[inline(always)]
    fn zero() -> Self {
        AboutZ(T::zero())
    }
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        AboutZ(self.0 + b.0)
    }
    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        AboutZ(self.0 - b.0)
    }
    #[inline(always)]
    fn times(self, s: T) -> Self {
        AboutZ(self.0 * s)
    }
    #[inline(always)]
    fn times_plus(self, s: T, c: Self) -> Self {
        AboutZ(self.0.mul_add(s, c.0))
    }
    #[inline(always)]
    fn dot(self, b: Self) -> T {
        self.0 * b.0
    }
}

/// Mass centre, angle with sine and cosine, velocities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose<T> {
    pub(crate) centre: Vec2<T>,
    pub(crate) angle: T,
    pub(crate) sin: T,
    pub(crate) cos: T,
    pub(crate) velocity: Vec2<T>,
    pub(crate) omega: T,
}

impl<T: Real> Default for Pose<T> {
    /// The ground.
    fn default() -> Self {
        let zero = T::zero();
        Pose {
            centre: Vec2::zero(),
            angle: zero,
            sin: zero,
            cos: T::one(),
            velocity: Vec2::zero(),
            omega: zero,
        }
    }
}

impl<T: Real> PoseOf<T> for Pose<T> {}

/// `sign · (φ₂ − φ₁) − offset`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Angle<T> {
    pub(crate) sign: T,
    pub(crate) offset: T,
}

/// Mass and moment of inertia about the mass centre.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia<T> {
    pub(crate) mass: T,
    pub(crate) moment: T,
}

/// Nothing: axes are always perpendicular to the plane.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Never {}

impl Space for Planar {
    const WIDTH: usize = 3;
    const PLACE: usize = 0;
    const SPIN: usize = 2;
    const SPINS: usize = 1;
    const DIMENSION: usize = 2;
    const ANGLES_WRAP: bool = false;

    type Vector<T: Real> = Vec2<T>;
    type Spin<T: Real> = AboutZ<T>;
    type Row<T: Real> = [T; 3];
    type Pose<T: Real> = Pose<T>;
    type Inertia<T: Real> = Inertia<T>;
    type Angle<T: Real> = Angle<T>;
    type Perpendicular<T: Real> = Never;
    type Frames<T: Real> = Angle<T>;

    #[inline(always)]
    fn vector<T: Real>([x, y, _]: [T; 3]) -> Vec2<T> {
        Vec2 { x, y }
    }
    #[inline(always)]
    fn components<T: Real>(v: Vec2<T>) -> [T; 3] {
        [v.x, v.y, T::zero()]
    }
    #[inline(always)]
    fn spin<T: Real>([_, _, z]: [T; 3]) -> AboutZ<T> {
        AboutZ(z)
    }
    #[inline(always)]
    fn omega<T: Real>(pose: &Pose<T>) -> AboutZ<T> {
        AboutZ(pose.omega)
    }
    #[inline(always)]
    fn centre_velocity<T: Real>(pose: &Pose<T>) -> Vec2<T> {
        pose.velocity
    }
    #[inline(always)]
    fn centre<T: Real>(pose: &Pose<T>) -> Vec2<T> {
        pose.centre
    }
    #[inline(always)]
    fn rotate<T: Real>(pose: &Pose<T>, v: Vec2<T>) -> Vec2<T> {
        Vec2 {
            x: pose.cos.mul_add(v.x, -(pose.sin * v.y)),
            y: pose.sin.mul_add(v.x, pose.cos * v.y),
        }
    }
    #[inline(always)]
    fn turn<T: Real>(omega: AboutZ<T>, v: Vec2<T>) -> Vec2<T> {
        Vec2 { x: -(omega.0 * v.y), y: omega.0 * v.x }
    }
    #[inline(always)]
    fn cross<T: Real>(a: Vec2<T>, b: Vec2<T>) -> AboutZ<T> {
        AboutZ(a.x.mul_add(b.y, -(a.y * b.x)))
    }
    #[inline(always)]
    fn tangents<T: Real>(n: Vec2<T>) -> [Vec2<T>; 2] {
        [Vec2 { x: -n.y, y: n.x }, Vec2::zero()]
    }
    #[inline(always)]
    fn point_row<T: Real>(_: &Pose<T>, arm: Vec2<T>, direction: Vec2<T>) -> [T; 3] {
        [direction.x, direction.y, Self::cross(arm, direction).0]
    }
    #[inline(always)]
    fn spin_row<T: Real>(_: &Pose<T>, moment: AboutZ<T>) -> [T; 3] {
        [T::zero(), T::zero(), moment.0]
    }

    #[inline(always)]
    fn angle<T: Real>(angle: &Angle<T>, [p, c]: [&Pose<T>; 2]) -> CoordinateAt<T, Self> {
        let zero = T::zero();
        CoordinateAt {
            value: angle.sign.mul_add(c.angle - p.angle, -angle.offset),
            rate: angle.sign * (c.omega - p.omega),
            bias: zero,
            rows: [[zero, zero, -angle.sign], [zero, zero, angle.sign]],
        }
    }

    #[inline(always)]
    fn perpendicular<T: Real>(axes: &Never, _: [&Pose<T>; 2]) -> CoordinateAt<T, Self> {
        match *axes {}
    }

    #[inline(always)]
    fn small_rotation<T: Real>(frames: &Angle<T>, poses: [&Pose<T>; 2]) -> [(T, AboutZ<T>); 3] {
        let none = (T::zero(), AboutZ::zero());
        [none, none, (Self::angle(frames, poses).value, AboutZ(T::one()))]
    }

    #[inline(always)]
    fn place<T: Real>(q: &[T], v: &[T], scratch: &mut [Vec<T>; 3], poses: &mut [Pose<T>]) {
        let count = q.len() / 3;
        let [angles, sines, cosines] = scratch;
        for (angle, q) in angles.iter_mut().zip(q.chunks_exact(3)) {
            *angle = q[2];
        }
        T::sin_cos_all(angles, sines, cosines);
        let (angles, sines, cosines) = (&angles[..count], &sines[..count], &cosines[..count]);
        let poses = &mut poses[..count];
        let (q, v) = (&q[..3 * count], &v[..3 * count]);
        for i in 0..count {
            poses[i] = Pose {
                centre: Vec2 { x: q[3 * i], y: q[3 * i + 1] },
                angle: angles[i],
                sin: sines[i],
                cos: cosines[i],
                velocity: Vec2 { x: v[3 * i], y: v[3 * i + 1] },
                omega: v[3 * i + 2],
            };
        }
    }

    #[inline(always)]
    fn add_gyroscopic<T: Real>(_: &[Inertia<T>], _: &[T], _: &mut [T]) {}

    fn angles_alike(_: &Angle<f64>, _: &Angle<f64>) -> bool {
        true
    }
    fn gather_angle<T: Real>(list: &[&Angle<f64>]) -> Angle<T> {
        Angle { sign: number(list, |a| a.sign), offset: number(list, |a| a.offset) }
    }
    fn gather_perpendicular<T: Real>(list: &[&Never]) -> Never {
        *list[0]
    }
    fn gather_frames<T: Real>(list: &[&Angle<f64>]) -> Angle<T> {
        Self::gather_angle(list)
    }
    fn gather_inertia<T: Real>(list: &[&Inertia<f64>]) -> Inertia<T> {
        Inertia { mass: number(list, |a| a.mass), moment: number(list, |a| a.moment) }
    }

    #[inline(always)]
    fn twice_kinetic<T: Real>(inertia: &Inertia<T>, v: &[T]) -> T {
        inertia.mass * (v[0] * v[0] + v[1] * v[1]) + inertia.moment * v[2] * v[2]
    }
    #[inline(always)]
    fn mass<T: Real>(inertia: &Inertia<T>) -> T {
        inertia.mass
    }
}
