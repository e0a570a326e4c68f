//! Matrices of `sprs` keep the order of their data.

use pommel_kkt::Pattern;
use pommel_kkt::pattern::{Partitions, Symmetric, Values};
use pommel_testkit::Rng;
use sprs::{CsMat, TriMat};

use crate::matrices::{self, Dense};

fn triplets(a: &Dense, columns: usize, keep: fn(usize, usize) -> bool) -> TriMat<f64> {
    let mut triplets = TriMat::new((a.len(), columns));
    for (r, row) in a.iter().enumerate() {
        for (c, &value) in row.iter().enumerate() {
            if value != 0.0 && keep(r, c) {
                triplets.add_triplet(r, c, value);
            }
        }
    }
    triplets
}

#[test]
fn both_storages_and_views_of_a_part_give_the_same_matrix() {
    let mut rng = Rng::new(7);
    for _ in 0..100 {
        let (n, m) = (1 + rng.below(8), 1 + rng.below(6));
        let mass = matrices::random_symmetric(&mut rng, n, 0.5);
        let jacobian = matrices::random(&mut rng, m, n, 0.5);
        let none = vec![vec![0.0; m]; m];
        let expected = matrices::assemble(&mass, &jacobian, &none);
        let a = triplets(&mass, n, matrices::lower);
        let j = triplets(&jacobian, n, matrices::all);
        // J as a slice of a larger matrix: its pointers do not start at 0
        let mut larger = vec![vec![1.0; n]];
        larger.extend(jacobian.clone());
        let larger: CsMat<f64> = triplets(&larger, n, matrices::all).to_csr();
        let slice = larger.slice_outer(1..m + 1);
        let (a_columns, a_rows): (CsMat<f64>, CsMat<f64>) = (a.to_csc(), a.to_csr());
        let (j_columns, j_rows): (CsMat<f64>, CsMat<f64>) = (j.to_csc(), j.to_csr());
        for a in [&a_columns, &a_rows] {
            for j in [j_columns.view(), j_rows.view(), slice] {
                let lower = Symmetric::lower(a);
                let pattern =
                    Pattern::from_csc(lower, (&j).into(), None, Partitions::found()).unwrap();
                let values = Values::new(a.data(), j.data());
                assert_eq!(matrices::kkt(&pattern, &values), expected);
            }
        }
    }
}
