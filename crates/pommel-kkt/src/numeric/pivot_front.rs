//! A front whose pivots are chosen by size, among the others.

use pommel_math::{Mask, Real};

use super::front::{Pivots, Target};
use super::pivoted::invert;
use crate::analysis::Front;

/// Memory for the largest of these fronts.
#[derive(Clone, Debug)]
pub(super) struct Scratch<T> {
    size: Vec<f64>,
    signs: Vec<f64>,
    scratch: Vec<f64>,
    /// Two columns of an exchange step.
    pair: Vec<T>,
    pair_lanes: Vec<f64>,
    /// The pivot block in every lane.
    lanes: Vec<f64>,
    column: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(super) fn new(pivots: usize) -> Self {
        let lanes = if T::LANES > 1 { T::LANES * pivots * pivots } else { 0 };
        Scratch {
            size: vec![0.0; pivots],
            signs: vec![0.0; pivots * T::LANES],
            scratch: vec![0.0; 2 * pivots],
            pair: vec![T::zero(); 2 * pivots],
            pair_lanes: vec![0.0; if T::LANES > 1 { 2 * pivots } else { 0 }],
            lanes: vec![0.0; lanes],
            column: vec![T::zero(); pivots],
        }
    }
}

/// Inverts the pivot block and forms the update.
#[inline(always)]
pub(super) fn eliminate<T: Real>(
    front: &Front,
    panel: &mut [T],
    target: &mut Target<'_, T>,
    pivots: &mut Pivots<'_, T>,
    memory: &mut Scratch<T>,
) {
    let (p, u) = (front.pivots as usize, front.boundary as usize);
    let (pivot_stride, stride) = (front.pivot_stride as usize, front.boundary_stride as usize);
    let (own, below) = panel.split_at_mut(p * pivot_stride);
    let tolerance = pivots.tolerance.lane(0);
    let Scratch { size, signs, scratch, pair, pair_lanes, lanes, column } = memory;
    for j in 0..p {
        for i in j..p {
            let broken = !own[j * pivot_stride + i].is_finite() & Mask::all(T::LANES);
            pivots.outcome.broken |= broken;
        }
    }
    if T::LANES == 1 {
        for i in 0..p {
            size[i] = pivots.size[i].lane(0);
        }
        invert(own, pivot_stride, p, &mut size[..p], tolerance, signs, scratch, pair);
        for i in 0..p {
            pivots.size[i] = T::from_f64(size[i]);
        }
    } else {
        for lane in 0..T::LANES {
            let block = &mut lanes[lane * p * p..][..p * p];
            for j in 0..p {
                for i in 0..p {
                    block[j * p + i] = own[j * pivot_stride + i].lane(lane);
                }
                size[j] = pivots.size[j].lane(lane);
            }
            let signs = &mut signs[lane * p..][..p];
            invert(block, p, p, &mut size[..p], tolerance, signs, scratch, pair_lanes);
            for i in 0..p {
                pivots.size[i] =
                    T::from_lanes(|l| if l == lane { size[i] } else { pivots.size[i].lane(l) });
            }
        }
        for j in 0..p {
            for i in 0..p {
                own[j * pivot_stride + i] = T::from_lanes(|l| lanes[l * p * p + j * p + i]);
            }
        }
    }
    for i in 0..p {
        pivots.inverse[i] = T::from_lanes(|l| signs[l * p + i]);
        let dropped = Mask::from_fn(T::LANES, |l| signs[l * p + i] == 0.0);
        pivots.outcome.dropped |= dropped;
        if dropped.any() {
            leave(own, pivot_stride, below, stride, [p, u, i], dropped);
        }
    }
    // inertia is counted, not known
    pivots.outcome.turned = Mask::all(T::LANES);

    // U − B A⁻¹ Bᵀ
    for j in 0..u {
        let mut s = if target.fresh { T::zero() } else { target.sizes[j] };
        column[..p].fill(T::zero());
        for l in 0..p {
            let (x, b) = (&own[l * pivot_stride..][..p], below[l * stride + j]);
            for k in 0..p {
                column[k] = x[k].mul_add(b, column[k]);
            }
        }
        for k in 0..p {
            s += (column[k] * below[k * stride + j]).abs();
        }
        let to = &mut target.columns[j * target.stride..];
        for i in 0..u {
            let mut x = if target.fresh { T::zero() } else { to[i] };
            for k in 0..p {
                x = (-column[k]).mul_add(below[k * stride + i], x);
            }
            to[i] = x;
        }
        target.sizes[j] = s;
    }
    if target.fresh {
        // what pads the columns
        for j in 0..=u {
            let to =
                if j < u { &mut target.columns[j * target.stride..] } else { &mut *target.sizes };
            for x in &mut to[u..stride] {
                *x = T::zero();
            }
        }
    }
}

/// Boundary rows `B_i − A_iP A_PP⁻¹ B_P` that a dropped pivot `i` leaves, in place of `B_i`, which
/// nothing else reads: they vanish with the pivot if its row depends on others.
#[inline(always)]
fn leave<T: Real>(
    own: &mut [T],
    pivot_stride: usize,
    below: &mut [T],
    stride: usize,
    [p, u, i]: [usize; 3],
    dropped: Mask,
) {
    for j in (0..p).filter(|&j| j != i) {
        let w = T::select(dropped, own[j * pivot_stride + i], T::zero());
        for row in 0..u {
            below[i * stride + row] =
                (-w).mul_add(below[j * stride + row], below[i * stride + row]);
        }
        let x = &mut own[j * pivot_stride + i];
        *x = T::select(dropped, T::zero(), *x);
    }
}

/// `A⁻¹ y` in place of the pivots; the boundary rows are brought up to date.
#[inline(always)]
pub(super) fn forward<T: Real>(
    front: &Front,
    panel: &[T],
    rows: &[u32],
    y: &mut [T],
    memory: &mut Scratch<T>,
) {
    let (p, u) = (front.pivots as usize, front.boundary as usize);
    let (pivot_stride, stride) = (front.pivot_stride as usize, front.boundary_stride as usize);
    let (own, below) = panel.split_at(p * pivot_stride);
    let first = front.first as usize;
    let column = &mut memory.column;
    for k in 0..p {
        let mut z = T::zero();
        for l in 0..p {
            z = own[l * pivot_stride + k].mul_add(y[first + l], z);
        }
        column[k] = z;
    }
    y[first..first + p].copy_from_slice(&column[..p]);
    for i in 0..u {
        let mut x = T::zero();
        for k in 0..p {
            x = (-column[k]).mul_add(below[k * stride + i], x);
        }
        y[rows[i] as usize] += x;
    }
}

/// `y − A⁻¹ Bᵀ x` for the pivots.
#[inline(always)]
pub(super) fn backward<T: Real>(
    front: &Front,
    panel: &[T],
    rows: &[u32],
    y: &mut [T],
    memory: &mut Scratch<T>,
) {
    let (p, u) = (front.pivots as usize, front.boundary as usize);
    let (pivot_stride, stride) = (front.pivot_stride as usize, front.boundary_stride as usize);
    let (own, below) = panel.split_at(p * pivot_stride);
    let first = front.first as usize;
    let column = &mut memory.column;
    for k in 0..p {
        let mut s = T::zero();
        for i in 0..u {
            s = below[k * stride + i].mul_add(y[rows[i] as usize], s);
        }
        column[k] = s;
    }
    for k in 0..p {
        let mut x = y[first + k];
        for l in 0..p {
            x = (-own[l * pivot_stride + k]).mul_add(column[l], x);
        }
        y[first + k] = x;
    }
}
