//! Space: velocities `ω ṙ`, the angular velocity in body axes, that of the mass centre in world axes.

use pommel_math::{Mat3, Quaternion, Real, Sym3, Vec3};

use super::{PoseOf, Space, VectorOf};
use crate::constraint::CoordinateAt;
use crate::gather::{mat3, number, sym3, vec3};

/// Motion in space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spatial;

impl<T: Real> VectorOf<T> for Vec3<T> {
    #[inline(always)]
    fn zero() -> Self {
        Vec3::zero()
    }
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        self + b
    }
    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        self - b
    }
    #[inline(always)]
    fn times(self, s: T) -> Self {
        self.scale(s)
    }
    #[inline(always)]
    fn times_plus(self, s: T, c: Self) -> Self {
        self.scale_add(s, c)
    }
    #[inline(always)]
    fn dot(self, b: Self) -> T {
        Vec3::dot(self, b)
    }
}

/// Mass centre, rotation body → world, velocities in world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose<T> {
    pub(crate) centre: Vec3<T>,
    pub(crate) rotation: Mat3<T>,
    pub(crate) velocity: Vec3<T>,
    pub(crate) omega: Vec3<T>,
}

impl<T: Real> Default for Pose<T> {
    /// The ground.
    fn default() -> Self {
        Pose {
            centre: Vec3::zero(),
            rotation: Mat3::identity(),
            velocity: Vec3::zero(),
            omega: Vec3::zero(),
        }
    }
}

impl<T: Real> PoseOf<T> for Pose<T> {}

/// Mass and inertia about the mass centre in body axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inertia<T> {
    pub(crate) mass: T,
    pub(crate) tensor: Sym3<T>,
}

impl<T: Real> Inertia<T> {
    /// `−ω × J ω`
    #[inline(always)]
    pub(crate) fn gyroscopic_moment(&self, omega: Vec3<T>) -> Vec3<T> {
        (self.tensor * omega).cross(omega)
    }
}

/// Which angle between two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Angle<T> {
    /// About an axis that both bodies share.
    About {
        /// the axis, and two directions that make it a right-handed frame, in body 1
        axis: Vec3<T>,
        x1: Vec3<T>,
        y1: Vec3<T>,
        /// the first direction in body 2
        x2: Vec3<T>,
    },
    /// The first or the second angle of a universal joint.
    Universal {
        /// the first axis and two directions perpendicular to it, in body 1
        axis: Vec3<T>,
        x1: Vec3<T>,
        y1: Vec3<T>,
        /// the second axis and two directions perpendicular to it, in body 2
        axis2: Vec3<T>,
        x2: Vec3<T>,
        y2: Vec3<T>,
        /// cosine of the angle of the axes
        cosine: T,
        second: bool,
    },
}

/// `a · b = cosine` with `a` in body 1 and `b` in body 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Perpendicular<T> {
    pub(crate) a: Vec3<T>,
    pub(crate) b: Vec3<T>,
    pub(crate) cosine: T,
}

/// Orientations of the two frames of a bushing in their bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames<T> {
    pub(crate) first: Mat3<T>,
    pub(crate) second: Mat3<T>,
}

impl Space for Spatial {
    const WIDTH: usize = 6;
    const PLACE: usize = 3;
    const SPIN: usize = 0;
    const SPINS: usize = 3;
    const DIMENSION: usize = 3;
    const ANGLES_WRAP: bool = true;

    type Vector<T: Real> = Vec3<T>;
    type Spin<T: Real> = Vec3<T>;
    type Row<T: Real> = [T; 6];
    type Pose<T: Real> = Pose<T>;
    type Inertia<T: Real> = Inertia<T>;
    type Angle<T: Real> = Angle<T>;
    type Perpendicular<T: Real> = Perpendicular<T>;
    type Frames<T: Real> = Frames<T>;

    #[inline(always)]
    fn vector<T: Real>([x, y, z]: [T; 3]) -> Vec3<T> {
        Vec3::new(x, y, z)
    }
    #[inline(always)]
    fn components<T: Real>(v: Vec3<T>) -> [T; 3] {
        v.to_array()
    }
    #[inline(always)]
    fn spin<T: Real>([x, y, z]: [T; 3]) -> Vec3<T> {
        Vec3::new(x, y, z)
    }
    #[inline(always)]
    fn omega<T: Real>(pose: &Pose<T>) -> Vec3<T> {
        pose.omega
    }
    #[inline(always)]
    fn centre_velocity<T: Real>(pose: &Pose<T>) -> Vec3<T> {
        pose.velocity
    }
    #[inline(always)]
    fn centre<T: Real>(pose: &Pose<T>) -> Vec3<T> {
        pose.centre
    }
    #[inline(always)]
    fn rotate<T: Real>(pose: &Pose<T>, v: Vec3<T>) -> Vec3<T> {
        pose.rotation * v
    }
    #[inline(always)]
    fn turn<T: Real>(omega: Vec3<T>, v: Vec3<T>) -> Vec3<T> {
        omega.cross(v)
    }
    #[inline(always)]
    fn cross<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
        a.cross(b)
    }
    #[inline(always)]
    fn tangents<T: Real>(n: Vec3<T>) -> [Vec3<T>; 2] {
        // the world axis that is farthest from n, made perpendicular
        let [x, y, z] = [n.x.abs(), n.y.abs(), n.z.abs()];
        let (zero, one) = (T::zero(), T::one());
        let first = x.le(y) & x.le(z);
        let second = !first & y.le(z);
        let helper = Vec3::new(
            T::select(first, one, zero),
            T::select(second, one, zero),
            T::select(first, zero, T::select(second, zero, one)),
        );
        let t = n.cross(helper);
        let t = t.scale(t.norm().recip());
        [t, n.cross(t)]
    }
    #[inline(always)]
    fn point_row<T: Real>(pose: &Pose<T>, arm: Vec3<T>, direction: Vec3<T>) -> [T; 6] {
        let turn = pose.rotation.transpose_mul(arm.cross(direction));
        [turn.x, turn.y, turn.z, direction.x, direction.y, direction.z]
    }
    #[inline(always)]
    fn spin_row<T: Real>(pose: &Pose<T>, moment: Vec3<T>) -> [T; 6] {
        let m = pose.rotation.transpose_mul(moment);
        let zero = T::zero();
        [m.x, m.y, m.z, zero, zero, zero]
    }

    #[inline(always)]
    fn angle<T: Real>(angle: &Angle<T>, [p, c]: [&Pose<T>; 2]) -> CoordinateAt<T, Self> {
        let relative = c.omega - p.omega;
        let (value, along, along_rate) = match *angle {
            Angle::About { axis, x1, y1, x2 } => {
                let x2 = c.rotation * x2;
                let (x1, y1) = (p.rotation * x1, p.rotation * y1);
                let axis = p.rotation * axis;
                (x2.dot(y1).atan2(x2.dot(x1)), axis, p.omega.cross(axis))
            }
            Angle::Universal { axis, x1, y1, axis2, x2, y2, cosine, second } => {
                let (a, b) = (p.rotation * axis, c.rotation * axis2);
                let (a_rate, b_rate) = (p.omega.cross(a), c.omega.cross(b));
                // ω of the child against the parent is θ̇₁ a + θ̇₂ b: dual directions give the rates
                let scale = T::one() - cosine * cosine;
                if second {
                    let (x2, y2) = (c.rotation * x2, c.rotation * y2);
                    // seen from the child, the first axis turns the other way
                    let value = (-a.dot(y2)).atan2(a.dot(x2));
                    let along = (b - a.scale(cosine)).scale(scale.recip());
                    (value, along, (b_rate - a_rate.scale(cosine)).scale(scale.recip()))
                } else {
                    let (x1, y1) = (p.rotation * x1, p.rotation * y1);
                    let value = b.dot(y1).atan2(b.dot(x1));
                    let along = (a - b.scale(cosine)).scale(scale.recip());
                    (value, along, (a_rate - b_rate.scale(cosine)).scale(scale.recip()))
                }
            }
        };
        CoordinateAt {
            value,
            rate: relative.dot(along),
            bias: relative.dot(along_rate),
            rows: [Self::spin_row(p, -along), Self::spin_row(c, along)],
        }
    }

    #[inline(always)]
    fn perpendicular<T: Real>(
        axes: &Perpendicular<T>,
        [p, c]: [&Pose<T>; 2],
    ) -> CoordinateAt<T, Self> {
        let (a, b) = (p.rotation * axes.a, c.rotation * axes.b);
        let (a_rate, b_rate) = (p.omega.cross(a), c.omega.cross(b));
        let normal = a.cross(b);
        let two = T::from_f64(2.0);
        CoordinateAt {
            value: a.dot(b) - axes.cosine,
            rate: a_rate.dot(b) + a.dot(b_rate),
            bias: p.omega.cross(a_rate).dot(b)
                + two * a_rate.dot(b_rate)
                + a.dot(c.omega.cross(b_rate)),
            rows: [Self::spin_row(p, normal), Self::spin_row(c, -normal)],
        }
    }

    #[inline(always)]
    fn small_rotation<T: Real>(frames: &Frames<T>, [p, c]: [&Pose<T>; 2]) -> [(T, Vec3<T>); 3] {
        let first = (p.rotation * frames.first).transpose();
        let second = (c.rotation * frames.second).transpose();
        // ½ Σ aᵢ × bᵢ: the axis times the sine of the angle
        let sum = first.x.cross(second.x) + first.y.cross(second.y) + first.z.cross(second.z);
        let rotation = sum.scale(T::from_f64(0.5));
        [first.x, first.y, first.z].map(|axis| (rotation.dot(axis), axis))
    }

    #[inline(always)]
    fn place<T: Real>(q: &[T], v: &[T], _: &mut [Vec<T>; 3], poses: &mut [Pose<T>]) {
        let count = q.len() / 7;
        for (i, pose) in poses[..count].iter_mut().enumerate() {
            let (q, v) = (&q[7 * i..7 * i + 7], &v[6 * i..6 * i + 6]);
            let rotation = Quaternion::from_slice(&q[3..]).rotation();
            *pose = Pose {
                centre: Vec3::from_slice(q),
                rotation,
                velocity: Vec3::from_slice(&v[3..]),
                omega: rotation * Vec3::from_slice(v),
            };
        }
    }

    #[inline(always)]
    fn add_gyroscopic<T: Real>(inertia: &[Inertia<T>], v: &[T], force: &mut [T]) {
        for (i, inertia) in inertia.iter().enumerate() {
            let omega = Vec3::from_slice(&v[6 * i..]);
            let moment = inertia.gyroscopic_moment(omega);
            force[6 * i] += moment.x;
            force[6 * i + 1] += moment.y;
            force[6 * i + 2] += moment.z;
        }
    }

    fn angles_alike(a: &Angle<f64>, b: &Angle<f64>) -> bool {
        match (a, b) {
            (Angle::About { .. }, Angle::About { .. }) => true,
            (Angle::Universal { second: a, .. }, Angle::Universal { second: b, .. }) => a == b,
            _ => false,
        }
    }
    fn gather_angle<T: Real>(list: &[&Angle<f64>]) -> Angle<T> {
        // what a joint is does not differ between instances
        let pick = |f: fn(&Angle<f64>) -> Vec3<f64>| vec3(list, |a: &Angle<f64>| f(a));
        let axis = pick(|a| match a {
            Angle::About { axis, .. } | Angle::Universal { axis, .. } => *axis,
        });
        let x1 = pick(|a| match a {
            Angle::About { x1, .. } | Angle::Universal { x1, .. } => *x1,
        });
        let y1 = pick(|a| match a {
            Angle::About { y1, .. } | Angle::Universal { y1, .. } => *y1,
        });
        let x2 = pick(|a| match a {
            Angle::About { x2, .. } | Angle::Universal { x2, .. } => *x2,
        });
        match list[0] {
            Angle::About { .. } => Angle::About { axis, x1, y1, x2 },
            Angle::Universal { second, .. } => Angle::Universal {
                axis,
                x1,
                y1,
                axis2: pick(|a| match a {
                    Angle::Universal { axis2, .. } => *axis2,
                    Angle::About { axis, .. } => *axis,
                }),
                x2,
                y2: pick(|a| match a {
                    Angle::Universal { y2, .. } => *y2,
                    Angle::About { y1, .. } => *y1,
                }),
                cosine: number(list, |a: &Angle<f64>| match a {
                    Angle::Universal { cosine, .. } => *cosine,
                    Angle::About { .. } => 0.0,
                }),
                second: *second,
            },
        }
    }
    fn gather_perpendicular<T: Real>(list: &[&Perpendicular<f64>]) -> Perpendicular<T> {
        Perpendicular {
            a: vec3(list, |p| p.a),
            b: vec3(list, |p| p.b),
            cosine: number(list, |p| p.cosine),
        }
    }
    fn gather_frames<T: Real>(list: &[&Frames<f64>]) -> Frames<T> {
        Frames { first: mat3(list, |f| f.first), second: mat3(list, |f| f.second) }
    }
    fn gather_inertia<T: Real>(list: &[&Inertia<f64>]) -> Inertia<T> {
        Inertia { mass: number(list, |i| i.mass), tensor: sym3(list, |i| i.tensor) }
    }

    #[inline(always)]
    fn twice_kinetic<T: Real>(inertia: &Inertia<T>, v: &[T]) -> T {
        let (omega, velocity) = (Vec3::from_slice(v), Vec3::from_slice(&v[3..]));
        omega.dot(inertia.tensor * omega) + inertia.mass * velocity.norm_squared()
    }
    #[inline(always)]
    fn mass<T: Real>(inertia: &Inertia<T>) -> T {
        inertia.mass
    }
}
