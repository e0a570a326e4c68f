//! Matrices of `faer` keep the order of their values.

use ::faer::sparse::{SparseColMat, SymbolicSparseColMatRef, Triplet};
use pommel_kkt::Pattern;
use pommel_kkt::pattern::{Partitions, Symmetric, Values};
use pommel_testkit::Rng;

use crate::matrices::{self, Dense};

fn columns(a: &Dense, columns: usize, keep: fn(usize, usize) -> bool) -> SparseColMat<u32, f64> {
    let mut triplets = Vec::new();
    for (r, row) in a.iter().enumerate() {
        for (c, &value) in row.iter().enumerate() {
            if value != 0.0 && keep(r, c) {
                triplets.push(Triplet::new(r as u32, c as u32, value));
            }
        }
    }
    SparseColMat::try_new_from_triplets(a.len(), columns, &triplets).unwrap()
}

#[test]
fn columns_and_rows_give_the_same_matrix() {
    let mut rng = Rng::new(8);
    for _ in 0..100 {
        let (n, m) = (1 + rng.below(8), 1 + rng.below(6));
        let mass = matrices::random_symmetric(&mut rng, n, 0.5);
        let jacobian = matrices::random(&mut rng, m, n, 0.5);
        let none = vec![vec![0.0; m]; m];
        let expected = matrices::assemble(&mass, &jacobian, &none);
        let a = columns(&mass, n, matrices::upper);
        let upper = Symmetric::upper(a.symbolic());
        let j = columns(&jacobian, n, matrices::all);
        let pattern =
            Pattern::from_csc(upper, j.symbolic().into(), None, Partitions::found()).unwrap();
        assert_eq!(matrices::kkt(&pattern, &Values::new(a.val(), j.val())), expected);
        let rows = j.to_row_major().unwrap();
        let pattern =
            Pattern::from_csc(upper, rows.as_ref().into(), None, Partitions::found()).unwrap();
        assert_eq!(matrices::kkt(&pattern, &Values::new(a.val(), rows.val())), expected);
    }
}

#[test]
fn free_space_of_a_column_has_no_place() {
    // J = [5 0 7], space for two entries in every column
    let (pointers, counts, rows) = ([0u32, 2, 4, 6], [1u32, 0, 1], [0u32, 9, 9, 9, 0, 9]);
    let jacobian =
        SymbolicSparseColMatRef::new_unsorted_checked(1, 3, &pointers, Some(&counts), &rows);
    let pattern = Pattern::from_diagonal(3, jacobian.into(), None, Partitions::found()).unwrap();
    assert_eq!(pattern.jacobian_len(), 6);
    assert_eq!(pattern.jacobian_entries().collect::<Vec<_>>(), [(0, 0, 0), (0, 2, 4)]);
}
