//! Dense matrices that tests compare.

use pommel_kkt::pattern::{MatrixMarket, Pattern, Values};
use pommel_testkit::Rng;

/// Rows of numbers.
pub(crate) type Dense = Vec<Vec<f64>>;

/// `[M Jᵀ; J −C]` of a pattern and its values.
pub(crate) fn kkt(pattern: &Pattern, values: &Values<'_, f64>) -> Dense {
    let (n, m) = (pattern.unknowns(), pattern.rows());
    let mut k = vec![vec![0.0; n + m]; n + m];
    let mut set = |row: usize, column: usize, value: f64| {
        assert_eq!(k[row][column], 0.0, "({row}, {column}) is written once");
        k[row][column] = value;
        k[column][row] = value;
    };
    for (row, column, e) in pattern.mass_entries() {
        set(row, column, values.mass[e]);
    }
    for (row, column, e) in pattern.jacobian_entries() {
        set(n + row, column, values.jacobian[e]);
    }
    let sign = if pattern.compliance_is_negated() { 1.0 } else { -1.0 };
    for (row, column, e) in pattern.compliance_entries() {
        set(n + row, n + column, sign * values.compliance[e]);
    }
    k
}

/// What a pattern must be, whatever it was made from.
pub(crate) fn check(pattern: &Pattern) {
    let (n, m) = (pattern.unknowns(), pattern.rows());
    let blocks = |count: usize, block: &dyn Fn(usize) -> core::ops::Range<usize>, end: usize| {
        let mut next = 0;
        for i in 0..count {
            assert_eq!(block(i).start, next);
            assert!(!block(i).is_empty());
            next = block(i).end;
        }
        assert_eq!(next, end);
    };
    blocks(pattern.body_count(), &|i| pattern.body(i), n);
    blocks(pattern.constraint_count(), &|i| pattern.constraint(i), m);
    let entries = |list: Vec<(usize, usize, usize)>, rows, columns, values, symmetric: bool| {
        let mut places: Vec<_> = list.iter().map(|&(row, column, _)| (row, column)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), list.len());
        for (row, column, e) in list {
            assert!(row < rows && column < columns && e < values);
            assert!(!symmetric || row >= column);
        }
    };
    entries(pattern.mass_entries().collect(), n, n, pattern.mass_len(), true);
    entries(pattern.jacobian_entries().collect(), m, n, pattern.jacobian_len(), false);
    entries(pattern.compliance_entries().collect(), m, m, pattern.compliance_len(), true);
}

/// The numbers of a matrix.
pub(crate) fn matrix(matrix: &MatrixMarket) -> Dense {
    let mut dense = vec![vec![0.0; matrix.columns]; matrix.rows];
    for (&(row, column), value) in matrix.entries.iter().zip(&matrix.values) {
        dense[row as usize][column as usize] += value;
        if matrix.symmetric && row != column {
            dense[column as usize][row as usize] += value;
        }
    }
    dense
}

/// A random matrix of which about a part `filled` is not zero.
pub(crate) fn random(rng: &mut Rng, rows: usize, columns: usize, filled: f64) -> Dense {
    let mut entry = || {
        let value = rng.uniform(0.5, 1.0);
        if rng.uniform(0.0, 1.0) < filled { value } else { 0.0 }
    };
    (0..rows).map(|_| (0..columns).map(|_| entry()).collect()).collect()
}

/// A random symmetric matrix.
pub(crate) fn random_symmetric(rng: &mut Rng, n: usize, filled: f64) -> Dense {
    let mut a = random(rng, n, n, filled);
    for i in 0..n {
        for j in 0..i {
            a[j][i] = a[i][j];
        }
    }
    a
}

/// `[M Jᵀ; J −C]` of dense parts.
pub(crate) fn assemble(mass: &Dense, jacobian: &Dense, compliance: &Dense) -> Dense {
    let (n, m) = (mass.len(), jacobian.len());
    let mut k = vec![vec![0.0; n + m]; n + m];
    for i in 0..n {
        k[i][..n].copy_from_slice(&mass[i]);
    }
    for r in 0..m {
        for j in 0..n {
            k[n + r][j] = jacobian[r][j];
            k[j][n + r] = jacobian[r][j];
        }
        for s in 0..m {
            k[n + r][n + s] = 0.0 - compliance[r][s];
        }
    }
    k
}

/// A compressed matrix with its numbers, owned.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    pub(crate) pointers: Vec<usize>,
    pub(crate) indices: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

/// Columns of the entries that are not zero and that `keep` wants, shuffled within each column.
pub(crate) fn sparse(
    rng: &mut Rng,
    a: &Dense,
    columns: usize,
    keep: fn(usize, usize) -> bool,
) -> Sparse {
    let mut out = Sparse { pointers: vec![0], indices: vec![], values: vec![] };
    for column in 0..columns {
        let mut rows: Vec<usize> =
            (0..a.len()).filter(|&r| a[r][column] != 0.0 && keep(r, column)).collect();
        shuffle(rng, &mut rows);
        out.values.extend(rows.iter().map(|&r| a[r][column]));
        out.indices.extend(rows);
        out.pointers.push(out.indices.len());
    }
    out
}

/// Any order.
pub(crate) fn shuffle<T>(rng: &mut Rng, list: &mut [T]) {
    for i in (1..list.len()).rev() {
        list.swap(i, rng.below(i + 1));
    }
}

/// The matrix with rows and columns exchanged.
pub(crate) fn transposed(a: &Dense, columns: usize) -> Dense {
    (0..columns).map(|c| a.iter().map(|row| row[c]).collect()).collect()
}

/// The lower triangle.
pub(crate) fn lower(row: usize, column: usize) -> bool {
    row >= column
}

/// The upper triangle.
pub(crate) fn upper(row: usize, column: usize) -> bool {
    row <= column
}

/// Everything.
pub(crate) fn all(_: usize, _: usize) -> bool {
    true
}
