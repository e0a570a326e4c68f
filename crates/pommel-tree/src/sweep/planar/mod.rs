//! Forward dynamics in the plane: the same elimination for trees whose axes are all parallel.
//!
//! Everything is seen in axes that do not turn, those of the root. A rigid motion in the plane is
//! the angular acceleration α and the acceleration `a` of a point; turned by a right angle, the arm
//! `r` is `e = ẑ × r`. What a link and all it bears answer at its joint is
//!
//! ```text
//! moment = J α + u·a + n        force = u α + K a + f
//! ```
//!
//! with `u = ẑ × h` for one link of first moment `h`. Its joint gives the moment τ, so that
//! `α = (τ − n − u·a) / J`, and its parent feels, on the arm `r`,
//!
//! ```text
//! K' = K − u uᵀ / J      u_p += K' e      J_p += e·K' e
//! f' = f + u (τ − n)/J   n_p += τ + e·f'
//! ```
//!
//! Base parameters have no mass (see [`the_algorithm`](crate::the_algorithm)), so `K` is what the
//! joints beyond take away. The reference motion is that in which no link has an angular
//! acceleration, so that accelerations, like angles, are sums along the tree:
//! `a = a_p − ω_p² r`, from −g at the ground. Then `n = u·a` and `f = −ω² h` of the link itself.
//!
//! Each step depends on the one before by way of `1 / J`. So `e·K e`, `K e` and `u·e` are formed
//! while the processor divides, and `J_p` follows by one operation: `e·K' e = e·K e − (u·e)² / J`.
//!
//! | here                  | meaning                                        |
//! |-----------------------|------------------------------------------------|
//! | [`Felt`]              | `J, u, K` and `n, f`                           |
//! | `psi`, `lever`, `free` | `u / J`, `u·e / J`, `(τ − n) / J`             |
//! | `low`                 | what rounding took from the angle ψ            |
//!
//! This is `[Fea08, Table 7.1]` in the plane; the sums over absolute angles are Kane's choice of
//! generalized speeds for pendula.

mod inward;
mod loads;
mod outward;
mod pair;

pub(crate) use inward::eliminate_joints;
pub(crate) use loads::collect;
pub(crate) use outward::{accelerate, place, turn};
pub(crate) use pair::solve_pair;

use pommel_math::Real;

use crate::model::Planar;

/// A vector in the plane.
pub(crate) type Pair<T> = [T; 2];

#[inline(always)]
fn dot<T: Real>(a: Pair<T>, b: Pair<T>) -> T {
    a[0].mul_add(b[0], a[1] * b[1])
}

/// `b + a x`.
#[inline(always)]
fn scale_add<T: Real>(a: Pair<T>, x: T, b: Pair<T>) -> Pair<T> {
    [a[0].mul_add(x, b[0]), a[1].mul_add(x, b[1])]
}

#[inline(always)]
fn sum<T: Real>(a: Pair<T>, b: Pair<T>) -> Pair<T> {
    [a[0] + b[0], a[1] + b[1]]
}

/// The vector turned by an angle.
#[inline(always)]
fn turned<T: Real>(a: Pair<T>, sin: T, cos: T) -> Pair<T> {
    [cos.mul_add(a[0], -(sin * a[1])), sin.mul_add(a[0], cos * a[1])]
}

/// Writes an acceleration in the lanes that are planar. Returns the sum of `before` and no times what
/// stands there: NaN where that is not finite, so that one comparison tells it of all.
#[inline(always)]
fn put<T: Real>(planar: &Planar<T>, qdd: &mut [T], v: u32, rate: T, before: T) -> T {
    let mixed = T::LANES > 1 && !planar.lanes.is_all(T::LANES);
    let at = &mut qdd[v as usize];
    *at = if mixed { T::select(planar.lanes, rate, *at) } else { rate };
    at.mul_add(T::zero(), before)
}

/// Memory of the sweeps in the plane: one entry a link, none for trees that cannot be planar.
#[derive(Clone, Debug)]
pub(crate) struct Memory<T> {
    states: Vec<State<T>>,
    felt: Vec<Felt<T>>,
    columns: Vec<Column<T>>,
    loads: Vec<Load<T>>,
}

/// Motion of a link at the reference accelerations.
#[derive(Clone, Copy, Debug, Default)]
struct State<T> {
    low: T,
    omega: T,
    /// of the joint, less gravity
    acceleration: Pair<T>,
    e: Pair<T>,
}

/// What a joint feels of the links beyond; zero from the start for a tip, and never written.
#[derive(Clone, Copy, Debug, Default)]
struct Felt<T> {
    j: T,
    u: Pair<T>,
    /// xx, xy, yy
    k: [T; 3],
    n: T,
    f: Pair<T>,
}

impl<T: Real> Felt<T> {
    /// Unlike a derived default, it is inlined.
    #[inline(always)]
    fn zero() -> Self {
        let o = T::zero();
        Felt { j: o, u: [o; 2], k: [o; 3], n: o, f: [o; 2] }
    }

    #[inline(always)]
    fn plus(self, o: Self) -> Self {
        let (k, l) = (self.k, o.k);
        Felt {
            j: self.j + o.j,
            u: sum(self.u, o.u),
            k: [k[0] + l[0], k[1] + l[1], k[2] + l[2]],
            n: self.n + o.n,
            f: sum(self.f, o.f),
        }
    }
}

/// What the elimination of a joint leaves for the way back; that of the ground is `free` alone.
#[derive(Clone, Copy, Debug, Default)]
struct Column<T> {
    psi: Pair<T>,
    lever: T,
    free: T,
}

/// An external load at a joint: moment and force.
#[derive(Clone, Copy, Debug, Default)]
struct Load<T> {
    n: T,
    f: Pair<T>,
}

impl<T: Real> Memory<T> {
    pub(crate) fn new(links: usize) -> Self {
        Memory {
            states: vec![State::default(); links],
            felt: vec![Felt::default(); links],
            columns: vec![Column::default(); links],
            loads: vec![Load::default(); links],
        }
    }
}
