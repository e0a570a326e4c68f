//! Several right-hand sides side by side.
//!
//! A number of the model meets `K` right-hand sides at once: the loops over `K` become vector
//! instructions, and the numbers of the model are loaded once for all.

use pommel_math::{Mat3, Real, Vec3};

use crate::model::{Link, LinkShape};

/// One number for each of `K` right-hand sides.
pub(crate) type Row<T, const K: usize> = [T; K];

/// A twist or a wrench for each of `K` right-hand sides: angular velocity and velocity, or moment
/// and force.
pub(crate) type Rows<T, const K: usize> = [Row<T, K>; 6];

#[inline(always)]
pub(crate) fn zeros<T: Real, const K: usize>() -> Rows<T, K> {
    [[T::zero(); K]; 6]
}

/// `y + s x`.
#[inline(always)]
pub(crate) fn add<T: Real, const K: usize>(y: &mut Row<T, K>, s: T, x: &Row<T, K>) {
    for k in 0..K {
        y[k] = s.mul_add(x[k], y[k]);
    }
}

/// `y + Σ s_i x_i`.
#[inline(always)]
pub(crate) fn add_all<T: Real, const K: usize>(y: &mut Row<T, K>, s: [T; 6], x: &Rows<T, K>) {
    for (s, x) in s.into_iter().zip(x) {
        add(y, s, x);
    }
}

/// `(a, b) → (c a − s b, c b + s a)`: out of a turned frame.
#[inline(always)]
fn turn<T: Real, const K: usize>(a: &mut Row<T, K>, b: &mut Row<T, K>, s: T, c: T) {
    for k in 0..K {
        let (x, y) = (a[k], b[k]);
        a[k] = c.mul_add(x, -(s * y));
        b[k] = c.mul_add(y, s * x);
    }
}

/// Turns both halves about z (`axis` 2) or x (`axis` 0), out of the turned frame.
#[inline(always)]
pub(crate) fn turn_about<T: Real, const K: usize>(x: &mut Rows<T, K>, axis: usize, s: T, c: T) {
    let (a, b) = if axis == 2 { (0, 1) } else { (1, 2) };
    for half in [0, 3] {
        let (left, right) = x.split_at_mut(half + b);
        turn(&mut left[half + a], &mut right[0], s, c);
    }
}

/// `R` on both halves.
#[inline(always)]
pub(crate) fn rotate<T: Real, const K: usize>(x: &mut Rows<T, K>, r: Mat3<T>) {
    for half in [0, 3] {
        for k in 0..K {
            let v = r * Vec3::new(x[half][k], x[half + 1][k], x[half + 2][k]);
            (x[half][k], x[half + 1][k], x[half + 2][k]) = (v.x, v.y, v.z);
        }
    }
}

/// A wrench about a point from which its own point is at `r`: the moment gains `r × f`.
#[inline(always)]
pub(crate) fn wrench_from<T: Real, const K: usize>(w: &mut Rows<T, K>, r: [Option<T>; 3]) {
    let [n0, n1, n2, f0, f1, f2] = w;
    if let Some(x) = r[0] {
        add(n1, -x, f2);
        add(n2, x, f1);
    }
    if let Some(y) = r[1] {
        add(n0, y, f2);
        add(n2, -y, f0);
    }
    if let Some(z) = r[2] {
        add(n0, -z, f1);
        add(n1, z, f0);
    }
}

/// A twist at the point `r` of its body: the velocity gains `ω × r`.
#[inline(always)]
pub(crate) fn twist_at<T: Real, const K: usize>(t: &mut Rows<T, K>, r: [Option<T>; 3]) {
    let [w0, w1, w2, u0, u1, u2] = t;
    if let Some(x) = r[0] {
        add(u1, x, w2);
        add(u2, -x, w1);
    }
    if let Some(y) = r[1] {
        add(u0, -y, w2);
        add(u2, y, w0);
    }
    if let Some(z) = r[2] {
        add(u0, z, w1);
        add(u1, -z, w0);
    }
}

/// A wrench from the frame before the joint's motion (after `Rx(α)`) to the parent's frame.
#[inline(always)]
pub(crate) fn wrench_to_parent<T: Real, const K: usize>(
    w: &mut Rows<T, K>,
    link: &Link<T>,
    shape: LinkShape,
) {
    let x = &link.screw;
    turn_about(w, 0, x.sin_alpha, x.cos_alpha);
    wrench_from(w, [Some(x.a), shape.has_offset.then_some(x.b), None]);
    if shape.has_branch {
        turn_about(w, 2, x.sin_phi, x.cos_phi);
        wrench_from(w, [None, None, Some(x.s)]);
    }
}

/// A twist from the parent's frame to the frame before the joint's motion (after `Rx(α)`).
#[inline(always)]
pub(crate) fn twist_from_parent<T: Real, const K: usize>(
    t: &mut Rows<T, K>,
    link: &Link<T>,
    shape: LinkShape,
) {
    let x = &link.screw;
    if shape.has_branch {
        twist_at(t, [None, None, Some(x.s)]);
        turn_about(t, 2, -x.sin_phi, x.cos_phi);
    }
    twist_at(t, [Some(x.a), shape.has_offset.then_some(x.b), None]);
    turn_about(t, 0, -x.sin_alpha, x.cos_alpha);
}

/// A wrench from the link's frame to that before the joint's motion.
#[inline(always)]
pub(crate) fn wrench_before<T: Real, const K: usize>(w: &mut Rows<T, K>, sin: T, cos: T, d: T) {
    wrench_from(w, [None, None, Some(d)]);
    turn_about(w, 2, sin, cos);
}

/// A twist from the frame before the joint's motion to the link's frame.
#[inline(always)]
pub(crate) fn twist_after<T: Real, const K: usize>(t: &mut Rows<T, K>, sin: T, cos: T, d: T) {
    turn_about(t, 2, -sin, cos);
    twist_at(t, [None, None, Some(d)]);
}
