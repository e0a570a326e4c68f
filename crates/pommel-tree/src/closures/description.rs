//! Loop closures: what they tie together, and where their rows meet in the tree.

use std::sync::Arc;

use pommel_math::{Real, RigidInertia, Transform, Vec3};

use super::{ClosureError, ClosureQuantity};
use crate::model::{BodyId, Model, Topology};

/// A frame on a body, or on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment<T> {
    /// The body; none for the ground.
    pub body: Option<BodyId>,
    /// The frame in that of the body (in world, on the ground).
    pub frame: Transform<T>,
}

impl<T: Real> Attachment<T> {
    /// A frame on a body.
    pub fn on(body: BodyId, frame: Transform<T>) -> Self {
        Attachment { body: Some(body), frame }
    }

    /// A frame on the ground.
    pub fn ground(frame: Transform<T>) -> Self {
        Attachment { body: None, frame }
    }
}

/// What a closure demands of two frames `A` and `B`, or of two joints.
///
/// A loop joint leaves free what a tree joint of its name lets its child do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Closure<T> {
    /// The origins coincide and the axes are parallel: six rows.
    Weld(Attachment<T>, Attachment<T>),
    /// The origins coincide: three rows.
    Spherical(Attachment<T>, Attachment<T>),
    /// The origins coincide and the z axes are parallel: five rows.
    Revolute(Attachment<T>, Attachment<T>),
    /// The origin of `B` lies on the z axis of `A`, and the axes are parallel: five rows.
    Prismatic(Attachment<T>, Attachment<T>),
    /// The origin of `B` lies on the z axis of `A`, and the z axes are parallel: four rows.
    Cylindrical(Attachment<T>, Attachment<T>),
    /// The origins coincide, and the x axis of `A` is perpendicular to the y axis of `B`: four rows.
    Universal(Attachment<T>, Attachment<T>),
    /// The origin of `B` lies in the xy plane of `A`, and the z axes are parallel: three rows.
    Planar(Attachment<T>, Attachment<T>),
    /// The origins keep a distance, m, which is positive: one row.
    Distance(Attachment<T>, Attachment<T>, T),
    /// Two joints with one coordinate each turn together: `q_b = ratio q_a + offset`, one row.
    Gear {
        /// Index of the velocity of joint `a`.
        a: usize,
        /// Index of the velocity of joint `b`.
        b: usize,
        /// `q̇_b / q̇_a`.
        ratio: T,
        /// `q_b` at `q_a = 0`; rad or m.
        offset: T,
    },
}

impl<T: Real> Closure<T> {
    /// What of the description is no number, no rotation or no distance.
    fn fault(&self) -> Option<ClosureQuantity> {
        let finite = |x: T| x.is_finite().is_all(T::LANES);
        for end in self.ends().into_iter().flatten() {
            let r = end.frame.rotation;
            let t = end.frame.translation;
            let numbers = [r.x, r.y, r.z, t].into_iter().flat_map(Vec3::to_array);
            if !numbers.into_iter().all(finite) {
                return Some(ClosureQuantity::Frame);
            }
            let [x, y, z] = [r.x, r.y, r.z];
            let skew = [x.dot(y), y.dot(z), z.dot(x)].into_iter();
            let stretch = [x, y, z].into_iter().map(|a| a.norm_squared() - T::one());
            let turned = [x.cross(y).dot(z) - T::one()];
            let limit = T::from_f64(NO_ROTATION);
            if skew.chain(stretch).chain(turned).any(|e| limit.lt(e.abs()).any()) {
                return Some(ClosureQuantity::Rotation);
            }
        }
        match *self {
            Closure::Distance(_, _, d) if !(finite(d) && T::zero().lt(d).is_all(T::LANES)) => {
                Some(ClosureQuantity::Distance)
            }
            Closure::Gear { ratio, offset, .. } if !(finite(ratio) && finite(offset)) => {
                Some(ClosureQuantity::Gear)
            }
            _ => None,
        }
    }
}

/// Frames that are farther from a rotation were not meant as one.
const NO_ROTATION: f64 = 1e-3;

impl<T> Closure<T> {
    /// Number of rows.
    pub const fn rows(&self) -> usize {
        match self {
            Closure::Weld(..) => 6,
            Closure::Revolute(..) | Closure::Prismatic(..) => 5,
            Closure::Cylindrical(..) | Closure::Universal(..) => 4,
            Closure::Spherical(..) | Closure::Planar(..) => 3,
            Closure::Distance(..) | Closure::Gear { .. } => 1,
        }
    }

    /// Row `k`, of closures between frames.
    #[inline(always)]
    pub(super) fn row(&self, k: usize) -> Row<T>
    where
        T: Copy,
    {
        const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
        match self {
            Closure::Weld(..) if k < 3 => Row::Spin(AXES[k]),
            Closure::Weld(..) => Row::Place(AXES[k - 3]),
            Closure::Prismatic(..) if k < 3 => Row::Spin(AXES[k]),
            Closure::Prismatic(..) => Row::Along(AXES[k - 3]),
            Closure::Universal(..) if k < 1 => Row::Product(Axis::X, Axis::Y),
            Closure::Universal(..) => Row::Place(AXES[k - 1]),
            Closure::Revolute(..) | Closure::Cylindrical(..) | Closure::Planar(..) if k < 2 => {
                Row::Product(Axis::Z, AXES[k])
            }
            Closure::Revolute(..) => Row::Place(AXES[k - 2]),
            Closure::Cylindrical(..) => Row::Along(AXES[k - 2]),
            Closure::Planar(..) => Row::Along(Axis::Z),
            Closure::Distance(_, _, length) => Row::Distance(*length),
            Closure::Spherical(..) | Closure::Gear { .. } => Row::Place(AXES[k]),
        }
    }

    /// The two frames; none for a gear.
    pub(super) const fn ends(&self) -> Option<[&Attachment<T>; 2]> {
        match self {
            Closure::Weld(a, b)
            | Closure::Spherical(a, b)
            | Closure::Revolute(a, b)
            | Closure::Prismatic(a, b)
            | Closure::Cylindrical(a, b)
            | Closure::Universal(a, b)
            | Closure::Planar(a, b)
            | Closure::Distance(a, b, _) => Some([a, b]),
            Closure::Gear { .. } => None,
        }
    }
}

/// An axis of a frame, or of world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    X,
    Y,
    Z,
}

/// What a row between two frames compares.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row<T> {
    /// the orientations about an axis of world
    Spin(Axis),
    /// an axis of `A` with one of `B`, which are to be perpendicular
    Product(Axis, Axis),
    /// the places along an axis of world
    Place(Axis),
    /// the places along an axis of `A`
    Along(Axis),
    /// the distance of the origins with a number
    Distance(T),
}

/// How violations die out: `Φ̈ + 2 α Φ̇ + β² Φ = 0` (Baumgarte).
///
/// Without it (zero, the default), accelerations keep `Φ̈ = 0` whatever `Φ` and `Φ̇` are: a state that
/// violates the closures, or closures that contradict one another in place only, go unnoticed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stabilization<T> {
    /// `α`, 1/s.
    pub alpha: T,
    /// `β`, 1/s.
    pub beta: T,
}

/// The closures of a tree, checked and ready for [`constrained_dynamics`](super::constrained_dynamics).
#[derive(Clone, Debug)]
pub struct LoopClosures<T> {
    pub(super) closures: Vec<Closure<T>>,
    pub(super) stabilization: Stabilization<T>,
    /// for each closure its first row
    pub(super) first_row: Vec<usize>,
    /// for each closure the links of its ends; none for the ground
    pub(super) links: Vec<[Option<u32>; 2]>,
    /// for each closure the roots of the trees of its ends, if they differ: only then do places and
    /// velocities in world matter
    pub(super) roots: Vec<[Option<u32>; 2]>,
    pub(super) rows: usize,
    /// crossings of closures and joints, at most
    pub(super) crossings: usize,
    pub(super) topology: Arc<Topology>,
    /// by which dependent rows may contradict others, m/s² or rad/s²
    pub(super) tolerance: f64,
    /// share of a row that others may leave of it if it depends on them, beside rounding
    pub(super) drift: f64,
    /// for each link about the mass of all that it carries, and about the sum of its three moments
    /// of inertia about the link's origin
    pub(super) sizes: Vec<[T; 2]>,
}

impl<T: Real> LoopClosures<T> {
    /// The closures of the tree of `model`.
    ///
    /// # Errors
    /// [`ClosureError::UnknownBody`], [`ClosureError::NotOneCoordinate`] for a gear on a joint with
    /// several velocities, [`ClosureError::SameLink`] if both ends move together,
    /// [`ClosureError::SameVelocity`] for a gear of a velocity with itself,
    /// [`ClosureError::Invalid`] for numbers that are none, rotations that are none, and distances
    /// that are not positive, [`ClosureError::InvalidStabilization`] for rates that are negative or
    /// no numbers.
    pub fn new(
        model: &Model<T>,
        closures: Vec<Closure<T>>,
        stabilization: Stabilization<T>,
    ) -> Result<Self, ClosureError> {
        for (index, closure) in closures.iter().enumerate() {
            if let Some(quantity) = closure.fault() {
                return Err(ClosureError::Invalid { closure: index, quantity });
            }
        }
        let rate = |x: T| x.is_finite().is_all(T::LANES) && !x.lt(T::zero()).any();
        if !(rate(stabilization.alpha) && rate(stabilization.beta)) {
            return Err(ClosureError::InvalidStabilization);
        }
        let shapes = &model.topology.links;
        let path = |link: Option<u32>| {
            let mut list = Vec::new();
            let mut at = link;
            while let Some(l) = at {
                list.push(l);
                at = shapes[l as usize].parent;
            }
            list
        };
        let mut result = LoopClosures {
            closures,
            stabilization,
            first_row: Vec::new(),
            links: Vec::new(),
            roots: Vec::new(),
            rows: 0,
            crossings: 0,
            topology: Arc::clone(&model.topology),
            tolerance: 0.0,
            drift: 0.0,
            sizes: sizes(model),
        };
        for (index, closure) in result.closures.iter().enumerate() {
            let mut links = [None; 2];
            match (closure.ends(), closure) {
                (Some(ends), _) => {
                    for (link, end) in links.iter_mut().zip(ends) {
                        if let Some(body) = end.body {
                            let shape = model.topology.bodies.get(body.index());
                            let shape =
                                shape.ok_or(ClosureError::UnknownBody { closure: index })?;
                            *link = shape.link;
                        }
                    }
                    if links[0] == links[1] {
                        return Err(ClosureError::SameLink { closure: index });
                    }
                }
                (None, Closure::Gear { a, b, .. }) => {
                    for (link, v) in links.iter_mut().zip([*a, *b]) {
                        let found = shapes
                            .iter()
                            .position(|s| s.v as usize == v && s.kind.coordinates().1 == 1);
                        let wrong = ClosureError::NotOneCoordinate { closure: index, velocity: v };
                        *link = Some(found.ok_or(wrong)? as u32);
                    }
                    if a == b {
                        return Err(ClosureError::SameVelocity { closure: index, velocity: *a });
                    }
                }
                (None, _) => {}
            }
            let (a, b) = (path(links[0]), path(links[1]));
            result.first_row.push(result.rows);
            result.links.push(links);
            let roots = [a.last().copied(), b.last().copied()];
            result.roots.push(if roots[0] == roots[1] { [None; 2] } else { roots });
            result.rows += closure.rows();
            result.crossings += a.len() + b.len();
        }
        Ok(result)
    }

    /// Lets dependent rows contradict others by an acceleration, m/s² or rad/s², before a call fails
    /// with [`ClosureError::Inconsistent`]: for a simulation, whose states drift off the closures. The
    /// rows that come first in the elimination are satisfied then;
    /// [`acceleration_residuals`](super::ClosureWorkspace::acceleration_residuals) has what is left
    /// of the others.
    pub fn tolerate(&mut self, acceleration: f64) {
        self.tolerance = acceleration.max(0.0);
    }

    /// Takes rows for dependent if others leave no more than this share of them: for a state that violates
    /// the closures by about a tenth of it, relative to distances. Shares below 1.3·10⁻⁶, which rounding
    /// and small drift leave, change nothing.
    ///
    /// Numbers that are negative or none count as zero, those above 0.1 as 0.1.
    pub fn set_drift(&mut self, share: f64) {
        self.drift = if share > 0.0 { share.min(0.1) } else { 0.0 };
    }

    /// Number of rows: the length of the multipliers.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The closures, in the order of their rows.
    pub fn closures(&self) -> &[Closure<T>] {
        &self.closures
    }

    /// The closure that a row belongs to, and which of its rows it is.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn closure_of(&self, row: usize) -> (usize, usize) {
        assert!(row < self.rows, "there is no row {row}");
        let closure = self.first_row.partition_point(|&first| first <= row) - 1;
        (closure, row - self.first_row[closure])
    }
}

/// About what each link carries: offsets add to the inertia as if all stood at right angles.
fn sizes<T: Real>(model: &Model<T>) -> Vec<[T; 2]> {
    let own = |r: &RigidInertia<T>| [r.mass, r.inertia.xx + r.inertia.yy + r.inertia.zz];
    let mut sizes: Vec<[T; 2]> = model.rigid.iter().map(own).collect();
    for i in (0..sizes.len()).rev() {
        if let Some(p) = model.topology.links[i].parent {
            let (screw, [mass, inertia]) = (&model.links[i].screw, sizes[i]);
            let offset = [screw.a, screw.b, screw.d, screw.s];
            let square = offset.into_iter().fold(T::zero(), |sum, x| x.mul_add(x, sum));
            let parent = &mut sizes[p as usize];
            parent[0] += mass;
            parent[1] += (square + square).mul_add(mass, inertia);
        }
    }
    sizes
}
