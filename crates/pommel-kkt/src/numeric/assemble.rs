//! The numbers of a front: those of the matrix, and what its children leave.

use pommel_math::Real;

use super::factor::Piece;
use crate::analysis::Layout;
use crate::pattern::Values;

/// Fills the panel of front `f` and the sizes of its pivots with the numbers of the matrix.
#[inline(always)]
pub(super) fn prepare<T: Real, const W: usize>(
    layout: &Layout,
    f: usize,
    values: &Values<'_, T>,
    compliance_sign: T,
    piece: &mut Piece<'_, T>,
) {
    let (front, next) = (&layout.fronts[f], &layout.fronts[f + 1]);
    let panel = &mut piece.panels[front.panel as usize - piece.panel..][..front.panel_length()];
    if W > 1 {
        for vector in panel.chunks_exact_mut(W) {
            for x in vector {
                *x = T::zero();
            }
        }
    } else {
        for x in &mut *panel {
            *x = T::zero();
        }
    }
    // a zero is added to make a negative zero positive
    let range = |part: usize| front.entries[part] as usize..next.entries[part] as usize;
    for e in &layout.entries[0][range(0)] {
        panel[e.place as usize] = values.mass[e.value as usize] + T::zero();
    }
    for e in &layout.entries[1][range(1)] {
        panel[e.place as usize] = values.jacobian[e.value as usize] + T::zero();
    }
    for e in &layout.entries[2][range(2)] {
        panel[e.place as usize] =
            compliance_sign.mul_add(values.compliance[e.value as usize], T::zero());
    }
    let (p, stride) = (front.pivots as usize, front.pivot_stride as usize);
    let size = &mut piece.size[front.first as usize - piece.first..][..p];
    for j in 0..p {
        size[j] = panel[j * stride + j].abs();
    }
}

/// Adds the updates of children that are not direct.
#[inline(always)]
pub(super) fn join<T: Real, const W: usize>(layout: &Layout, f: usize, piece: &mut Piece<'_, T>) {
    let Piece { panels, updates, size, .. } = piece;
    let (front, next) = (&layout.fronts[f], &layout.fronts[f + 1]);
    let (p, u) = (front.pivots as usize, front.boundary as usize);
    let (pivot_stride, boundary_stride) =
        (front.pivot_stride as usize, front.boundary_stride as usize);
    let panel = &mut panels[front.panel as usize - piece.panel..][..front.panel_length()];
    let size = &mut size[front.first as usize - piece.first..][..p];
    if !front.fresh {
        let own = front.update as usize - piece.update;
        updates[own..own + (u + 1) * boundary_stride].fill(T::zero());
    }
    for join in &layout.joins[front.joins as usize..next.joins as usize] {
        let (rows, stride) = (join.rows as usize, join.stride as usize);
        let places = &layout.places[join.places as usize..][..rows];
        let split = places.partition_point(|&t| (t as usize) < p);
        let update = join.update as usize - piece.update;
        for a in 0..split {
            let t = places[a] as usize;
            let source = &updates[update + a * stride..][..rows];
            let column = &mut panel[t * pivot_stride..][..pivot_stride];
            for b in a..split {
                column[places[b] as usize] += source[b];
            }
            if split < rows {
                let column =
                    &mut panel[p * pivot_stride + t * boundary_stride..][..boundary_stride];
                for b in split..rows {
                    column[places[b] as usize - p] += source[b];
                }
            }
        }
        let sizes = update + rows * stride;
        for a in 0..split {
            size[places[a] as usize] += updates[sizes + a];
        }
        if split == rows {
            continue;
        }
        let own = front.update as usize - piece.update;
        let (target, source) =
            both(updates, own, (u + 1) * boundary_stride, update, (rows + 1) * stride);
        for a in split..rows {
            let t = places[a] as usize - p;
            let source = &source[a * stride..][..rows];
            let column = &mut target[t * boundary_stride..][..boundary_stride];
            for b in a..rows {
                column[places[b] as usize - p] += source[b];
            }
        }
        let source = &source[rows * stride..][..rows];
        let column = &mut target[u * boundary_stride..][..boundary_stride];
        for a in split..rows {
            column[places[a] as usize - p] += source[a];
        }
    }
}

/// Two pieces of one array that do not overlap: the first to be written, the second to be read.
#[inline(always)]
fn both<T>(x: &mut [T], a: usize, n: usize, b: usize, m: usize) -> (&mut [T], &[T]) {
    if a < b {
        let (left, right) = x.split_at_mut(b);
        (&mut left[a..a + n], &right[..m])
    } else {
        let (left, right) = x.split_at_mut(a);
        (&mut right[..n], &left[b..b + m])
    }
}
