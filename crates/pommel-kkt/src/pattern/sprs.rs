//! Matrices of the crate `sprs`.

use core::ops::Deref;

use sprs::{CsMatBase, SpIndex};

use super::{Compressed, Index};

/// Compressed by columns or by rows, owned or a view. Values are those of `data()`, in this order.
///
/// ```
/// use pommel_kkt::pattern::{Partitions, Pattern, Symmetric};
/// let mass = sprs::CsMat::<f64>::eye(3);
/// let mut jacobian = sprs::TriMat::new((1, 3));
/// jacobian.add_triplet(0, 2, 1.0);
/// let jacobian = jacobian.to_csr::<usize>();
/// let pattern =
///     Pattern::from_csc(Symmetric::both(&mass), (&jacobian).into(), None, Partitions::found())?;
/// assert_eq!(pattern.jacobian_len(), jacobian.data().len());
/// # Ok::<(), pommel_kkt::KktError>(())
/// ```
impl<'a, N, I, Pointers, Indices, Data> From<&'a CsMatBase<N, I, Pointers, Indices, Data>>
    for Compressed<'a, I>
where
    I: SpIndex + Index,
    Pointers: Deref<Target = [I]>,
    Indices: Deref<Target = [I]>,
    Data: Deref<Target = [N]>,
{
    fn from(matrix: &'a CsMatBase<N, I, Pointers, Indices, Data>) -> Self {
        let (pointers, indices) = (matrix.indptr().into_raw_storage(), matrix.indices());
        let origin = pointers.first().map_or(0, |first| first.number());
        let mut compressed = Compressed::csc(matrix.rows(), matrix.cols(), pointers, indices);
        compressed.by_rows = matrix.is_csr();
        compressed.origin = origin;
        compressed
    }
}
