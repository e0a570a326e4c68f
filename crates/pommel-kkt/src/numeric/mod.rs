//! Factorization and solution.

mod assemble;
mod front;
mod narrow;
mod solve;

use core::any::TypeId;

use pommel_math::{InstructionSet, Kernel, Mask, Real, dispatch};

use crate::analysis::{Analysis, Layout};
use crate::error::KktError;
use crate::pattern::Values;
use front::{Pivots, Target};

/// Width of the vectors of rows for scalars of one number.
const WIDE: usize = 8;

/// All memory of one factorization.
#[derive(Clone, Debug)]
pub struct Workspace<T> {
    layout: Layout,
    /// For every pivot: its scalar in the order `x`, λ.
    sequence: Vec<u32>,
    sign: Vec<T>,
    panels: Vec<T>,
    updates: Vec<T>,
    inverse: Vec<T>,
    size: Vec<T>,
    weights: Vec<T>,
    local: Vec<T>,
    y: Vec<T>,
    unknowns: usize,
    rows: usize,
    lengths: [usize; 3],
    compliance_sign: T,
    tolerance: T,
}

/// Whether rows are taken in vectors.
fn is_plain<T: 'static>() -> bool {
    TypeId::of::<T>() == TypeId::of::<f64>() || TypeId::of::<T>() == TypeId::of::<f32>()
}

impl<T: Real> Workspace<T> {
    /// Memory for the factorizations of an analysis.
    pub fn new(analysis: &Analysis) -> Self {
        let layout = analysis.layout(if is_plain::<T>() { WIDE } else { 1 });
        let sequence = analysis.sequence();
        let pattern = analysis.pattern();
        let unknowns = pattern.unknowns();
        let sign = (sequence.iter())
            .map(|&s| T::from_f64(if (s as usize) < unknowns { 1.0 } else { -1.0 }))
            .collect();
        let zeros = |n: usize| vec![T::zero(); n];
        let deepest = layout.fronts.iter().map(|f| f.pivots as usize).max().unwrap_or(0);
        Workspace {
            sign,
            panels: zeros(layout.panels),
            updates: zeros(layout.updates),
            inverse: zeros(sequence.len()),
            size: zeros(sequence.len() + 2 * WIDE),
            weights: zeros(4 * deepest.max(1)),
            local: zeros(layout.tallest + WIDE),
            y: zeros(sequence.len() + WIDE),
            unknowns,
            rows: pattern.rows(),
            lengths: [pattern.mass_len(), pattern.jacobian_len(), pattern.compliance_len()],
            compliance_sign: T::from_f64(if pattern.negated { 1.0 } else { -1.0 }),
            tolerance: T::from_f64(64.0 * T::EPSILON),
            layout,
            sequence,
        }
    }

    /// Factors `[M Jᵀ; J −C]`.
    ///
    /// # Errors
    /// [`KktError::Length`] if an array of values has another length than the pattern says.
    pub fn factorize(&mut self, values: &Values<'_, T>) -> Result<Factor<'_, T>, KktError> {
        let given = [values.mass.len(), values.jacobian.len(), values.compliance.len()];
        for (i, array) in ["mass", "jacobian", "compliance"].into_iter().enumerate() {
            if given[i] != self.lengths[i] {
                let (expected, found) = (self.lengths[i], given[i]);
                return Err(KktError::Length { array, expected, found });
            }
        }
        let (dropped, turned) = dispatch(Factorize { workspace: self, values: *values });
        Ok(Factor { workspace: self, dropped, turned })
    }
}

struct Factorize<'a, T> {
    workspace: &'a mut Workspace<T>,
    values: Values<'a, T>,
}

impl<T: Real> Kernel for Factorize<'_, T> {
    type Output = (Mask, Mask);
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> (Mask, Mask) {
        if is_plain::<T>() {
            factorize::<T, WIDE>(self.workspace, &self.values)
        } else {
            factorize::<T, 1>(self.workspace, &self.values)
        }
    }
}

#[inline(always)]
fn factorize<T: Real, const W: usize>(
    workspace: &mut Workspace<T>,
    values: &Values<'_, T>,
) -> (Mask, Mask) {
    let Workspace { layout, panels, updates, inverse, sign, size, weights, .. } = workspace;
    let compliance_sign = workspace.compliance_sign;
    let (mut dropped, mut turned) = (Mask::NONE, Mask::NONE);
    for f in 0..layout.fronts.len() - 1 {
        let front = &layout.fronts[f];
        if front.leaf {
            assemble::prepare::<T, W>(layout, f, values, compliance_sign, panels, size);
        }
        if front.first_child {
            let parent = front.parent as usize;
            assemble::prepare::<T, W>(layout, parent, values, compliance_sign, panels, size);
        }
        if front.joins < layout.fronts[f + 1].joins {
            assemble::join::<T, W>(layout, f, panels, updates, size);
        }
        let (first, p, u) = (front.first as usize, front.pivots as usize, front.boundary as usize);
        let (panel, after) = panels[front.panel as usize..].split_at_mut(front.panel_length());
        let (size, size_after) = size[first..].split_at_mut(p);
        let mut target = if front.direct {
            let parent = &layout.fronts[front.parent as usize];
            let stride = parent.pivot_stride as usize;
            let row = front.update as usize;
            let start = (parent.panel - front.panel) as usize - panel.len();
            Target {
                columns: &mut after[start + row * stride + row..],
                stride,
                sizes: &mut size_after[parent.first as usize + row - first - p..],
                fresh: false,
            }
        } else {
            let length = u * front.boundary_stride as usize;
            let (columns, sizes) = updates[front.update as usize..].split_at_mut(length);
            Target { columns, stride: front.boundary_stride as usize, sizes, fresh: front.fresh }
        };
        let mut pivots = Pivots {
            inverse: &mut inverse[first..first + p],
            size,
            sign: &sign[first..first + p],
            tolerance: workspace.tolerance,
            dropped: Mask::NONE,
            turned: Mask::NONE,
        };
        if W > 1 {
            match (front.boundary_stride as usize / W, p) {
                (1, 1) => front::small::<T, W, 1, 1>(front, panel, &mut target, &mut pivots),
                (1, 2) => front::small::<T, W, 2, 1>(front, panel, &mut target, &mut pivots),
                (1, 3) => front::small::<T, W, 3, 1>(front, panel, &mut target, &mut pivots),
                (1, 5) => front::small::<T, W, 5, 1>(front, panel, &mut target, &mut pivots),
                (1, 6) => front::small::<T, W, 6, 1>(front, panel, &mut target, &mut pivots),
                (0, 0..=WIDE) => front::small::<T, W, 0, 0>(front, panel, &mut target, &mut pivots),
                (1, 0..=WIDE) => front::small::<T, W, 0, 1>(front, panel, &mut target, &mut pivots),
                (2, 0..=WIDE) => front::small::<T, W, 0, 2>(front, panel, &mut target, &mut pivots),
                (3, 0..=WIDE) => front::small::<T, W, 0, 3>(front, panel, &mut target, &mut pivots),
                _ => front::large::<T, W>(front, panel, &mut target, weights, &mut pivots),
            }
        } else {
            match p {
                1 => narrow::eliminate::<T, 1>(front, panel, &mut target, &mut pivots),
                2 => narrow::eliminate::<T, 2>(front, panel, &mut target, &mut pivots),
                3 => narrow::eliminate::<T, 3>(front, panel, &mut target, &mut pivots),
                5 => narrow::eliminate::<T, 5>(front, panel, &mut target, &mut pivots),
                6 => narrow::eliminate::<T, 6>(front, panel, &mut target, &mut pivots),
                _ => front::large::<T, W>(front, panel, &mut target, weights, &mut pivots),
            }
        }
        dropped = dropped | pivots.dropped;
        turned = turned | pivots.turned;
    }
    (dropped, turned)
}

/// A factored system. It borrows its workspace: a stale factor does not compile.
#[derive(Debug)]
pub struct Factor<'w, T> {
    workspace: &'w mut Workspace<T>,
    dropped: Mask,
    turned: Mask,
}

impl<T: Real> Factor<'_, T> {
    /// Whether any pivot was dropped, or had another sign than expected.
    pub fn is_regular(&self) -> bool {
        self.dropped.is_none() && self.turned.is_none()
    }

    /// Number of dropped pivots in a lane.
    pub fn dropped(&self, lane: usize) -> usize {
        self.workspace.inverse.iter().filter(|d| d.lane(lane) == 0.0).count()
    }

    /// Solves for one right-hand side, in place.
    pub fn solve_in_place(&mut self, rhs: &mut [T]) {
        dispatch(Solve { workspace: self.workspace, rhs });
    }
}

struct Solve<'a, T> {
    workspace: &'a mut Workspace<T>,
    rhs: &'a mut [T],
}

impl<T: Real> Kernel for Solve<'_, T> {
    type Output = ();
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        if is_plain::<T>() {
            solve::<T, WIDE>(self.workspace, self.rhs)
        } else {
            solve::<T, 1>(self.workspace, self.rhs)
        }
    }
}

#[inline(always)]
fn solve<T: Real, const W: usize>(workspace: &mut Workspace<T>, rhs: &mut [T]) {
    let Workspace { layout, panels, inverse, y, local, sequence, .. } = workspace;
    for (y, &s) in y.iter_mut().zip(sequence.iter()) {
        *y = rhs[s as usize];
    }
    let count = layout.fronts.len() - 1;
    for f in 0..count {
        let front = &layout.fronts[f];
        let p = front.pivots as usize;
        let panel = &panels[front.panel as usize..][..front.panel_length()];
        let inverse = &inverse[front.first as usize..][..p];
        let rows = &layout.rows[front.rows as usize..][..front.boundary as usize];
        match p {
            1 if W == 1 => narrow::forward::<T, 1>(front, panel, inverse, rows, y),
            2 if W == 1 => narrow::forward::<T, 2>(front, panel, inverse, rows, y),
            3 if W == 1 => narrow::forward::<T, 3>(front, panel, inverse, rows, y),
            5 if W == 1 => narrow::forward::<T, 5>(front, panel, inverse, rows, y),
            6 if W == 1 => narrow::forward::<T, 6>(front, panel, inverse, rows, y),
            1 => solve::forward::<T, W, 1>(front, panel, inverse, rows, y, local),
            2 => solve::forward::<T, W, 2>(front, panel, inverse, rows, y, local),
            3 => solve::forward::<T, W, 3>(front, panel, inverse, rows, y, local),
            5 => solve::forward::<T, W, 5>(front, panel, inverse, rows, y, local),
            6 => solve::forward::<T, W, 6>(front, panel, inverse, rows, y, local),
            _ => solve::forward::<T, W, 0>(front, panel, inverse, rows, y, local),
        }
    }
    for f in (0..count).rev() {
        let front = &layout.fronts[f];
        let p = front.pivots as usize;
        let panel = &panels[front.panel as usize..][..front.panel_length()];
        let inverse = &inverse[front.first as usize..][..p];
        let rows = &layout.rows[front.rows as usize..][..front.boundary as usize];
        match p {
            1 if W == 1 => narrow::backward::<T, 1>(front, panel, inverse, rows, y),
            2 if W == 1 => narrow::backward::<T, 2>(front, panel, inverse, rows, y),
            3 if W == 1 => narrow::backward::<T, 3>(front, panel, inverse, rows, y),
            5 if W == 1 => narrow::backward::<T, 5>(front, panel, inverse, rows, y),
            6 if W == 1 => narrow::backward::<T, 6>(front, panel, inverse, rows, y),
            1 => solve::backward::<T, W, 1>(front, panel, inverse, rows, y, local),
            2 => solve::backward::<T, W, 2>(front, panel, inverse, rows, y, local),
            3 => solve::backward::<T, W, 3>(front, panel, inverse, rows, y, local),
            5 => solve::backward::<T, W, 5>(front, panel, inverse, rows, y, local),
            6 => solve::backward::<T, W, 6>(front, panel, inverse, rows, y, local),
            _ => solve::backward::<T, W, 0>(front, panel, inverse, rows, y, local),
        }
    }
    for (y, &s) in y.iter().zip(sequence.iter()) {
        rhs[s as usize] = *y;
    }
}
