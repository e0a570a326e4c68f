//! Patterns from compressed matrices.

use pommel_kkt::Pattern;
use pommel_kkt::pattern::{Compressed, Partitions, Symmetric, Values};
use pommel_testkit::Rng;

use crate::matrices::{self, Dense, Sparse, all, lower, upper};

fn csc(a: &Sparse, rows: usize) -> Compressed<'_> {
    Compressed::csc(rows, a.pointers.len() - 1, &a.pointers, &a.indices)
}

type Keep = fn(usize, usize) -> bool;
type Wrap = for<'a> fn(Compressed<'a>) -> Symmetric<'a>;

/// A triangle: which entries it keeps and what says so.
fn triangles() -> [(Keep, Wrap); 3] {
    [
        (lower, |a| Symmetric::lower(a)),
        (upper, |a| Symmetric::upper(a)),
        (all, |a| Symmetric::both(a)),
    ]
}

fn parts(rng: &mut Rng) -> [Dense; 3] {
    let (n, m) = (rng.below(9), rng.below(7));
    [
        matrices::random_symmetric(rng, n, 0.4),
        matrices::random(rng, m, n, 0.5),
        matrices::random_symmetric(rng, m, 0.3),
    ]
}

#[test]
fn every_triangle_and_order_gives_the_same_matrix() {
    let mut rng = Rng::new(2);
    for _ in 0..300 {
        let [mass, jacobian, compliance] = parts(&mut rng);
        let (n, m) = (mass.len(), jacobian.len());
        let expected = matrices::assemble(&mass, &jacobian, &compliance);
        let j = matrices::sparse(&mut rng, &jacobian, n, all);
        let j_by_rows = matrices::sparse(&mut rng, &matrices::transposed(&jacobian, n), m, all);
        for (keep, wrap) in triangles() {
            let a = matrices::sparse(&mut rng, &mass, n, keep);
            let c = matrices::sparse(&mut rng, &compliance, m, keep);
            let j_rows = Compressed::csr(m, n, &j_by_rows.pointers, &j_by_rows.indices);
            for (j, storage) in [(&j, csc(&j, m)), (&j_by_rows, j_rows)] {
                let soft = Some(wrap(csc(&c, m)));
                let pattern =
                    Pattern::from_csc(wrap(csc(&a, n)), storage, soft, Partitions::found())
                        .unwrap();
                matrices::check(&pattern);
                let values = Values { mass: &a.values, jacobian: &j.values, compliance: &c.values };
                values.check(&pattern).unwrap();
                assert_eq!(matrices::kkt(&pattern, &values), expected);
            }
        }
    }
}

#[test]
fn one_array_holds_the_whole_matrix() {
    let mut rng = Rng::new(3);
    for _ in 0..300 {
        let [mass, jacobian, compliance] = parts(&mut rng);
        let n = mass.len();
        let expected = matrices::assemble(&mass, &jacobian, &compliance);
        let size = expected.len();
        for (keep, wrap) in triangles() {
            let k = matrices::sparse(&mut rng, &expected, size, keep);
            let pattern =
                Pattern::from_kkt_csc(n, wrap(csc(&k, size)), Partitions::found()).unwrap();
            matrices::check(&pattern);
            assert!(pattern.compliance_is_negated());
            let values = Values::whole(&k.values);
            values.check(&pattern).unwrap();
            assert_eq!(matrices::kkt(&pattern, &values), expected);
        }
    }
}

#[test]
fn rows_of_a_symmetric_matrix_are_columns_of_the_other_triangle() {
    let (pointers, indices) = ([0usize, 1, 3], [0usize, 0, 1]);
    let rows = Symmetric::lower(Compressed::csr(2, 2, &pointers, &indices));
    let columns = Symmetric::upper(Compressed::csc(2, 2, &pointers, &indices));
    let none = Compressed::csc(0, 2, &[0, 0, 0], &[]);
    let entries = |mass| {
        let pattern = Pattern::from_csc(mass, none, None, Partitions::found()).unwrap();
        let mut entries: Vec<_> = pattern.mass_entries().collect();
        entries.sort_unstable();
        entries
    };
    assert_eq!(entries(rows), [(0, 0, 0), (1, 0, 1), (1, 1, 2)]);
    assert_eq!(entries(columns), entries(rows));
}

#[test]
fn indices_may_have_any_integer_type() {
    let reference = Pattern::from_diagonal(
        3,
        Compressed::csc(2, 3, &[0usize, 1, 1, 2], &[1, 0]),
        None,
        Partitions::found(),
    );
    fn same<I: pommel_kkt::pattern::Index>(
        p: [I; 4],
        i: [I; 2],
    ) -> Result<Pattern, pommel_kkt::KktError> {
        Pattern::from_diagonal(3, Compressed::csc(2, 3, &p, &i), None, Partitions::found())
    }
    assert_eq!(reference, same([0u32, 1, 1, 2], [1, 0]));
    assert_eq!(reference, same([0i32, 1, 1, 2], [1, 0]));
    assert_eq!(reference, same([0u64, 1, 1, 2], [1, 0]));
    assert_eq!(reference, same([0i64, 1, 1, 2], [1, 0]));
}

#[test]
fn stated_blocks_are_kept() {
    let jacobian = Compressed::csc(3, 4, &[0usize, 0, 0, 0, 0], &[]);
    let stated = Partitions { bodies: Some(&[1, 3]), constraints: Some(&[2, 1]) };
    let pattern = Pattern::from_diagonal(4, jacobian, None, stated).unwrap();
    assert_eq!([pattern.body(0), pattern.body(1)], [0..1, 1..4]);
    assert_eq!([pattern.constraint(0), pattern.constraint(1)], [0..2, 2..3]);
}

#[test]
fn a_system_may_be_empty() {
    let nothing = Compressed::csc(0, 0, &[0usize], &[]);
    let pattern =
        Pattern::from_csc(Symmetric::lower(nothing), nothing, None, Partitions::found()).unwrap();
    assert_eq!((pattern.body_count(), pattern.constraint_count()), (0, 0));
    let whole = Pattern::from_kkt_csc(0, Symmetric::both(nothing), Partitions::found()).unwrap();
    assert_eq!((whole.unknowns(), whole.rows()), (0, 0));
    // only constraints: K = −C
    let soft = Symmetric::lower(Compressed::csc(2, 2, &[0usize, 1, 2], &[0, 1]));
    let jacobian = Compressed::csc(2, 0, &[0usize], &[]);
    let pattern = Pattern::from_diagonal(0, jacobian, Some(soft), Partitions::found()).unwrap();
    assert_eq!((pattern.unknowns(), pattern.rows(), pattern.compliance_len()), (0, 2, 2));
}
