//! Linear complementarity problems by Lemke's method.
//!
//! ```text
//! w = A z + b      w ≥ 0      z ≥ 0      wᵀ z = 0
//! ```
//!
//! For a symmetric positive semidefinite A, as that of impulses is, the method ends with a solution if there
//! is one. Ties are broken by lexicographic order, so it does not cycle, and the same numbers take the same
//! pivots.
//!
//! Source: R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, Academic Press 1992,
//! sections 4.4 and 4.9.

/// What came of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Solved,
    /// no z ≥ 0 makes w ≥ 0
    Infeasible,
    /// most pivots were made
    Pivots(usize),
}

/// Entries of the tableau below this part of the largest of their column, or of one, are no pivots.
const PIVOT: f64 = 1e-11;
/// The artificial variable is zero below this part of the largest right-hand side.
const GONE: f64 = 1e-13;
/// Ratios that differ by less than this part are equal.
const TIE: f64 = 1e-13;

/// Solves `w = A z + b` for `z`; `A` is n × n by rows, with entries of about one on its diagonal.
pub(super) fn lemke(a: &[f64], b: &[f64], z: &mut [f64]) -> Ended {
    let n = b.len();
    z.fill(0.0);
    if b.iter().all(|&b| b >= 0.0) {
        return Ended::Solved;
    }
    // columns: w (n), z (n), the artificial variable, right-hand side; rows: w − A z − z₀ 1 = b
    let width = 2 * n + 2;
    let (artificial, rhs) = (2 * n, 2 * n + 1);
    let mut t = vec![0.0; n * width];
    for i in 0..n {
        t[i * width + i] = 1.0;
        for j in 0..n {
            t[i * width + n + j] = -a[i * n + j];
        }
        t[i * width + artificial] = -1.0;
        t[i * width + rhs] = b[i];
    }
    let mut basis: Vec<usize> = (0..n).collect();
    // the artificial variable enters for the most negative right-hand side, of equal ones the last
    let mut row = 0;
    for i in 1..n {
        if b[i] <= b[row] {
            row = i;
        }
    }
    let largest = b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
    let mut entering = artificial;
    let most = 50 * (n + 1);
    for _ in 0..most {
        let leaving = basis[row];
        pivot(&mut t, width, row, entering);
        basis[row] = entering;
        // it is as good as gone where rounding hides what is left of it
        let left = basis.iter().position(|variable| *variable == artificial);
        if left.is_none_or(|i| t[i * width + rhs] <= GONE * largest) {
            for (i, &variable) in basis.iter().enumerate() {
                if (n..2 * n).contains(&variable) {
                    z[variable - n] = t[i * width + rhs].max(0.0);
                }
            }
            return Ended::Solved;
        }
        // the complement of what has left
        entering = if leaving < n { leaving + n } else { leaving - n };
        match ratio_test(&t, width, n, entering, &basis) {
            Some(next) => row = next,
            None => return Ended::Infeasible,
        }
    }
    Ended::Pivots(most)
}

/// Gauss–Jordan elimination of one column.
fn pivot(t: &mut [f64], width: usize, row: usize, column: usize) {
    let inverse = t[row * width + column].recip();
    t[row * width..(row + 1) * width].iter_mut().for_each(|x| *x *= inverse);
    let pivot_row = t[row * width..(row + 1) * width].to_vec();
    for (i, other) in t.chunks_mut(width).enumerate() {
        let factor = other[column];
        if i != row && factor != 0.0 {
            other.iter_mut().zip(&pivot_row).for_each(|(x, p)| *x -= factor * p);
            other[column] = 0.0;
        }
    }
}

/// The row that blocks first; none if no row blocks.
fn ratio_test(t: &[f64], width: usize, n: usize, column: usize, basis: &[usize]) -> Option<usize> {
    let (artificial, rhs) = (width - 2, width - 1);
    let entry = |i: usize, j: usize| t[i * width + j];
    let ratio = |i: usize, j: usize| entry(i, j) / entry(i, column);
    // the artificial variable where it blocks as soon as another, else by lexicographic order of the
    // right-hand side and the inverse of the basis
    let blocks_before = |i: usize, k: usize| {
        for j in std::iter::once(rhs).chain(0..n) {
            let (mine, theirs) = (ratio(i, j), ratio(k, j));
            if (mine - theirs).abs() > TIE * mine.abs().max(theirs.abs()) {
                return mine < theirs;
            }
            if j == rhs && (basis[i] == artificial || basis[k] == artificial) {
                return basis[i] == artificial;
            }
        }
        false
    };
    // a column of nothing but rounding blocks nothing
    let largest = (0..n).fold(1.0_f64, |m, i| m.max(entry(i, column).abs()));
    let mut first: Option<usize> = None;
    for i in 0..n {
        let blocks = entry(i, column) > PIVOT * largest;
        if blocks && first.is_none_or(|k| blocks_before(i, k)) {
            first = Some(i);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &[f64], b: &[f64], z: &[f64]) {
        let n = b.len();
        for i in 0..n {
            let w = b[i] + (0..n).map(|j| a[i * n + j] * z[j]).sum::<f64>();
            assert!(z[i] >= 0.0 && w >= -1e-10 && (w * z[i]).abs() < 1e-9, "row {i}: {w} {}", z[i]);
        }
    }

    #[test]
    fn a_problem_of_two() {
        // both push: 2 z1 + z2 = 1, z1 + 2 z2 = 1
        let (a, b, mut z) = ([2.0, 1.0, 1.0, 2.0], [-1.0, -1.0], [0.0; 2]);
        assert_eq!(lemke(&a, &b, &mut z), Ended::Solved);
        assert!((z[0] - 1.0 / 3.0).abs() < 1e-15 && (z[1] - 1.0 / 3.0).abs() < 1e-15, "{z:?}");
        // one would have to pull
        let (b, mut z) = ([-1.0, 2.0], [0.0; 2]);
        assert_eq!(lemke(&a, &b, &mut z), Ended::Solved);
        assert_eq!(z, [0.5, 0.0]);
    }

    #[test]
    fn a_problem_without_solution_is_told() {
        let mut z = [0.0; 2];
        assert_eq!(lemke(&[0.0, 0.0, 0.0, 1.0], &[-1.0, -1.0], &mut z), Ended::Infeasible);
    }

    /// Gram matrices of fewer dimensions than rows: redundant conditions.
    #[test]
    fn random_problems_with_dependent_rows_are_solved() {
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        for case in 0..500 {
            let (n, rank) = (1 + case % 7, 1 + case % 4);
            let rows: Vec<f64> = (0..n * rank).map(|_| next()).collect();
            let velocity: Vec<f64> = (0..rank).map(|_| next()).collect();
            let dot = |i: usize, v: &[f64]| -> f64 {
                rows[i * rank..(i + 1) * rank].iter().zip(v).map(|(a, b)| a * b).sum()
            };
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] = dot(i, &rows[j * rank..(j + 1) * rank]);
                }
            }
            // b in the range of the rows, so that rest is feasible
            let b: Vec<f64> = (0..n).map(|i| dot(i, &velocity)).collect();
            let mut z = vec![0.0; n];
            assert_eq!(lemke(&a, &b, &mut z), Ended::Solved, "case {case}");
            check(&a, &b, &z);
        }
    }
}
