//! Applies a factor to vectors that stand in the workspace.

use pommel_math::{Kernel, Real, dispatch};

use super::sweeps::{self, Columns, Scratch};
use super::{BLOCK, UdutFactor};

/// What to apply to a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Solve,
    Multiply,
    Upper,
    UpperInverse,
    UpperTransposed,
    UpperTransposedInverse,
    Diagonal,
}

impl<T: Real> UdutFactor<'_, T> {
    pub(super) fn apply(&mut self, operation: Operation, b: &[T], x: &mut [T]) {
        let nv = self.model.nv();
        assert_eq!(b.len(), nv, "the given vector must have the model's nv entries");
        assert_eq!(x.len(), nv, "the resulting vector must have the model's nv entries");
        self.row().copy_from_slice(b);
        self.perform(operation);
        x.copy_from_slice(self.row());
    }

    pub(super) fn apply_many(&mut self, operation: Operation, b: &[T], x: &mut [T]) {
        let nv = self.model.nv();
        assert_eq!(b.len(), x.len(), "as many results as right-hand sides");
        assert!(nv == 0 || b.len().is_multiple_of(nv), "vectors of nv entries, one after another");
        if nv == 0 {
            return;
        }
        if T::LANES > 1 {
            // lanes are wide enough
            for (b, x) in b.chunks_exact(nv).zip(x.chunks_exact_mut(nv)) {
                self.apply(operation, b, x);
            }
            return;
        }
        for (b, x) in b.chunks(BLOCK * nv).zip(x.chunks_mut(BLOCK * nv)) {
            let count = b.len() / nv;
            for (v, row) in self.block().iter_mut().enumerate() {
                for k in 0..BLOCK {
                    row[k] = if k < count { b[k * nv + v] } else { T::zero() };
                }
            }
            self.perform_block(operation);
            for (v, row) in self.block().iter().enumerate() {
                for k in 0..count {
                    x[k * nv + v] = row[k];
                }
            }
        }
    }

    /// The vector in the workspace, a number for each velocity.
    pub(super) fn row(&mut self) -> &mut [T] {
        self.workspace.narrow.1.as_flattened_mut()
    }

    /// The block of vectors in the workspace; empty for scalars with several lanes.
    pub(super) fn block(&mut self) -> &mut [[T; BLOCK]] {
        &mut self.workspace.wide.1
    }

    /// Applies an operation to [`row`](UdutFactor::row), in place.
    pub(super) fn perform(&mut self, operation: Operation) {
        dispatch(Perform { factor: self, operation });
    }

    /// Applies an operation to [`block`](UdutFactor::block), in place.
    pub(super) fn perform_block(&mut self, operation: Operation) {
        dispatch(PerformBlock { factor: self, operation });
    }
}

struct Perform<'a, 'w, T> {
    factor: &'a mut UdutFactor<'w, T>,
    operation: Operation,
}

impl<T: Real> Kernel for Perform<'_, '_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let (columns, mut scratch) = sweeps::narrow(self.factor.model, self.factor.workspace);
        perform(&columns, &mut scratch, self.operation);
    }
}

struct PerformBlock<'a, 'w, T> {
    factor: &'a mut UdutFactor<'w, T>,
    operation: Operation,
}

impl<T: Real> Kernel for PerformBlock<'_, '_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        if T::LANES > 1 {
            return;
        }
        let (columns, mut scratch) = sweeps::wide(self.factor.model, self.factor.workspace);
        perform(&columns, &mut scratch, self.operation);
    }
}

#[inline(always)]
fn perform<T: Real, const K: usize>(
    columns: &Columns<'_, T>,
    scratch: &mut Scratch<'_, T, K>,
    operation: Operation,
) {
    match operation {
        Operation::Solve => {
            columns.towards_root::<K, true>(scratch);
            columns.scale::<K, true>(scratch.rows);
            columns.towards_tips::<K, true>(scratch);
        }
        Operation::Multiply => {
            columns.towards_tips::<K, false>(scratch);
            columns.scale::<K, false>(scratch.rows);
            columns.towards_root::<K, false>(scratch);
        }
        Operation::Upper => columns.towards_root::<K, false>(scratch),
        Operation::UpperInverse => columns.towards_root::<K, true>(scratch),
        Operation::UpperTransposed => columns.towards_tips::<K, false>(scratch),
        Operation::UpperTransposedInverse => columns.towards_tips::<K, true>(scratch),
        Operation::Diagonal => columns.scale::<K, false>(scratch.rows),
    }
}
