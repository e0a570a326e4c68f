//! Matrices of the crate `faer`.

use faer::sparse::{
    SparseColMatRef, SparseRowMatRef, SymbolicSparseColMatRef, SymbolicSparseRowMatRef,
};

use super::{Compressed, Index};

/// Values are those of `val()`, in this order; columns may have free space behind their entries.
///
/// ```
/// use faer::sparse::{SparseColMat, Triplet};
/// use pommel_kkt::pattern::{Partitions, Pattern, Symmetric};
/// let mass = [Triplet::new(0, 0, 2.0), Triplet::new(1, 1, 3.0)];
/// let mass = SparseColMat::<usize, f64>::try_new_from_triplets(2, 2, &mass).unwrap();
/// let jacobian =
///     SparseColMat::<usize, f64>::try_new_from_triplets(1, 2, &[Triplet::new(0, 1, 1.0)]).unwrap();
/// let pattern = Pattern::from_csc(
///     Symmetric::both(mass.symbolic()),
///     jacobian.symbolic().into(),
///     None,
///     Partitions::found(),
/// )?;
/// assert_eq!(pattern.mass_len(), mass.val().len());
/// # Ok::<(), pommel_kkt::KktError>(())
/// ```
impl<'a, I: faer::Index + Index> From<SymbolicSparseColMatRef<'a, I>> for Compressed<'a, I> {
    fn from(matrix: SymbolicSparseColMatRef<'a, I>) -> Self {
        let (rows, columns, pointers, counts, indices) = matrix.parts();
        let compressed = Compressed::csc(rows, columns, pointers, indices);
        Compressed { counts, ..compressed }
    }
}

/// Values are those of `val()`, in this order; rows may have free space behind their entries.
impl<'a, I: faer::Index + Index> From<SymbolicSparseRowMatRef<'a, I>> for Compressed<'a, I> {
    fn from(matrix: SymbolicSparseRowMatRef<'a, I>) -> Self {
        let (rows, columns, pointers, counts, indices) = matrix.parts();
        let compressed = Compressed::csr(rows, columns, pointers, indices);
        Compressed { counts, ..compressed }
    }
}

/// The places of the entries; the values stay with the matrix.
impl<'a, I: faer::Index + Index, T> From<SparseColMatRef<'a, I, T>> for Compressed<'a, I> {
    fn from(matrix: SparseColMatRef<'a, I, T>) -> Self {
        matrix.symbolic().into()
    }
}

/// The places of the entries; the values stay with the matrix.
impl<'a, I: faer::Index + Index, T> From<SparseRowMatRef<'a, I, T>> for Compressed<'a, I> {
    fn from(matrix: SparseRowMatRef<'a, I, T>) -> Self {
        matrix.symbolic().into()
    }
}
