//! The plane and space, as far as constraints and forces tell them apart.
//!
//! | here        | meaning                                               | plane      | space         |
//! |-------------|-------------------------------------------------------|------------|---------------|
//! | `Vector`    | positions, velocities, directions                     | 2 numbers  | 3 numbers     |
//! | `Spin`      | angular velocities, moments                           | 1 number   | 3 numbers     |
//! | `Row`       | derivative of a scalar rate by a body's velocities    | 3 numbers  | 6 numbers     |
//! | velocities  | of a body                                             | `ẋ ẏ φ̇`    | `ω ṙ`, ω in body axes |
//!
//! Everything else is written once, over [`Space`].

pub(crate) mod planar;
pub(crate) mod spatial;

use core::fmt::Debug;

use pommel_math::Real;

pub(crate) use planar::Planar;
pub(crate) use spatial::Spatial;

/// Sums, multiples and products of vectors.
pub(crate) trait VectorOf<T: Real>: Copy + Debug + Default + Send + Sync {
    fn zero() -> Self;
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn times(self, s: T) -> Self;
    /// `self · s + c`
    fn times_plus(self, s: T, c: Self) -> Self;
    fn dot(self, b: Self) -> T;
    #[inline(always)]
    fn negated(self) -> Self {
        Self::zero().minus(self)
    }
}

/// A body at one state.
pub(crate) trait PoseOf<T: Real>: Copy + Debug + Default + Send + Sync {}

/// A point of a body at one state, in world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointAt<V> {
    /// from the mass centre
    pub(crate) arm: V,
    pub(crate) position: V,
    pub(crate) velocity: V,
    /// acceleration of the point while the body's own accelerations are zero
    pub(crate) bias: V,
}

/// What differs between the plane and space.
pub(crate) trait Space: Copy + Clone + Debug + Default + Send + Sync + 'static {
    /// Velocities of a body.
    const WIDTH: usize;
    /// Where the velocities of the mass centre start among the velocities of a body.
    const PLACE: usize;
    /// Where the angular velocities start, and how many there are.
    const SPIN: usize;
    /// Components of an angular velocity.
    const SPINS: usize;
    /// Components of a vector.
    const DIMENSION: usize;
    /// Whether angles of joints are known up to full turns only.
    const ANGLES_WRAP: bool;

    type Vector<T: Real>: VectorOf<T>;
    type Spin<T: Real>: VectorOf<T>;
    type Row<T: Real>: Copy + Debug + AsRef<[T]> + AsMut<[T]> + Send + Sync;
    type Pose<T: Real>: PoseOf<T>;
    /// Mass and inertia of a body.
    type Inertia<T: Real>: Copy + Debug + Send + Sync;
    /// A relative angle of two bodies.
    type Angle<T: Real>: Copy + Debug + Send + Sync;
    /// Two axes, one in each body, that keep their angle.
    type Perpendicular<T: Real>: Copy + Debug + Send + Sync;
    /// Two frames for a bushing's rotations.
    type Frames<T: Real>: Copy + Debug + Send + Sync;

    fn vector<T: Real>(components: [T; 3]) -> Self::Vector<T>;
    fn components<T: Real>(vector: Self::Vector<T>) -> [T; 3];
    /// A moment from its world components; the plane takes the third.
    fn spin<T: Real>(components: [T; 3]) -> Self::Spin<T>;

    fn omega<T: Real>(pose: &Self::Pose<T>) -> Self::Spin<T>;
    fn centre_velocity<T: Real>(pose: &Self::Pose<T>) -> Self::Vector<T>;
    fn centre<T: Real>(pose: &Self::Pose<T>) -> Self::Vector<T>;
    /// Body axes → world axes.
    fn rotate<T: Real>(pose: &Self::Pose<T>, v: Self::Vector<T>) -> Self::Vector<T>;
    /// `ω × v`
    fn turn<T: Real>(omega: Self::Spin<T>, v: Self::Vector<T>) -> Self::Vector<T>;
    /// `a × b`
    fn cross<T: Real>(a: Self::Vector<T>, b: Self::Vector<T>) -> Self::Spin<T>;
    /// Unit vectors that span what is perpendicular to a unit vector: one in the plane, two in space.
    fn tangents<T: Real>(n: Self::Vector<T>) -> [Self::Vector<T>; 2];

    /// Derivative of `direction · ṗ` by the velocities, of the point at `arm`.
    fn point_row<T: Real>(
        pose: &Self::Pose<T>,
        arm: Self::Vector<T>,
        direction: Self::Vector<T>,
    ) -> Self::Row<T>;
    /// Derivative of `moment · ω` by the velocities.
    fn spin_row<T: Real>(pose: &Self::Pose<T>, moment: Self::Spin<T>) -> Self::Row<T>;

    /// Value, rate and the part of the acceleration that is left at zero accelerations.
    fn angle<T: Real>(
        angle: &Self::Angle<T>,
        poses: [&Self::Pose<T>; 2],
    ) -> crate::constraint::CoordinateAt<T, Self>;

    /// `Φ`, rows of both bodies and the bias of a condition on two axes.
    fn perpendicular<T: Real>(
        axes: &Self::Perpendicular<T>,
        poses: [&Self::Pose<T>; 2],
    ) -> crate::constraint::CoordinateAt<T, Self>;

    /// Rotation of the second frame of a bushing against the first, and the axes of the first as
    /// moments: the rotation about axis `k` and that axis.
    fn small_rotation<T: Real>(
        frames: &Self::Frames<T>,
        poses: [&Self::Pose<T>; 2],
    ) -> [(T, Self::Spin<T>); 3];

    /// Poses from coordinates and velocities; the ground's stays at the end of the list.
    fn place<T: Real>(q: &[T], v: &[T], scratch: &mut [Vec<T>; 3], poses: &mut [Self::Pose<T>]);

    /// Adds the inertial forces that velocities cause.
    fn add_gyroscopic<T: Real>(inertia: &[Self::Inertia<T>], v: &[T], force: &mut [T]);

    /// Whether two angles differ in numbers only.
    fn angles_alike(a: &Self::Angle<f64>, b: &Self::Angle<f64>) -> bool;
    fn gather_angle<T: Real>(list: &[&Self::Angle<f64>]) -> Self::Angle<T>;
    fn gather_perpendicular<T: Real>(list: &[&Self::Perpendicular<f64>]) -> Self::Perpendicular<T>;
    fn gather_frames<T: Real>(list: &[&Self::Frames<f64>]) -> Self::Frames<T>;
    fn gather_inertia<T: Real>(list: &[&Self::Inertia<f64>]) -> Self::Inertia<T>;

    /// Twice the kinetic energy of a body with velocities `v`.
    fn twice_kinetic<T: Real>(inertia: &Self::Inertia<T>, v: &[T]) -> T;
    fn mass<T: Real>(inertia: &Self::Inertia<T>) -> T;

    /// A point of a body, world axes.
    #[inline(always)]
    fn point_at<T: Real>(pose: &Self::Pose<T>, point: Self::Vector<T>) -> PointAt<Self::Vector<T>> {
        let arm = Self::rotate(pose, point);
        let swing = Self::turn(Self::omega(pose), arm);
        PointAt {
            arm,
            position: Self::centre(pose).plus(arm),
            velocity: Self::centre_velocity(pose).plus(swing),
            bias: Self::turn(Self::omega(pose), swing),
        }
    }
}
