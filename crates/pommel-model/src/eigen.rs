//! Eigenvalues of a symmetric 3 × 3 matrix by cyclic Jacobi rotations.

use crate::rotation::Matrix3;

/// Eigenvalues in ascending order. Jacobi rotations give small eigenvalues with an error of a few
/// roundings of the largest entry, which the closed formula does not.
pub(crate) fn eigenvalues(matrix: &Matrix3) -> [f64; 3] {
    let mut a = *matrix;
    // converges quadratically: six sweeps bring any double matrix to rounding level
    for _ in 0..12 {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, p, q);
        }
    }
    let mut values = [a[0][0], a[1][1], a[2][2]];
    values.sort_by(f64::total_cmp);
    values
}

/// One rotation in the plane (p, q) that makes the entry (p, q) zero.
fn rotate(a: &mut Matrix3, p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    // tangent of the smaller rotation angle; also right when theta² overflows
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let r = 3 - p - q;
    let apq = a[p][q];
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    let (arp, arq) = (a[r][p], a[r][q]);
    a[r][p] = c * arp - s * arq;
    a[r][q] = s * arp + c * arq;
    a[p][r] = a[r][p];
    a[q][r] = a[r][q];
}

#[cfg(test)]
mod tests {
    use super::eigenvalues;

    /// `[[2,1,0],[1,2,0],[0,0,-5]]` has the eigenvalues -5, 1, 3.
    #[test]
    fn eigenvalues_of_a_block_matrix_are_found_to_rounding() {
        let found = eigenvalues(&[[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, -5.0]]);
        for (found, expected) in found.into_iter().zip([-5.0, 1.0, 3.0]) {
            // 8: a handful of rotations of entries up to 5
            assert!((found - expected).abs() < 8.0 * f64::EPSILON * 5.0, "{found} {expected}");
        }
    }

    /// `v vᵀ` has the eigenvalues 0, 0, |v|².
    #[test]
    fn eigenvalues_of_a_rank_one_matrix_are_zero_to_rounding() {
        let v = [1.0, -2.0, 3.0];
        let found = eigenvalues(&v.map(|a| v.map(|b| a * b)));
        assert!(found[0].abs() < 16.0 * f64::EPSILON * 14.0);
        assert!(found[1].abs() < 16.0 * f64::EPSILON * 14.0);
        assert!((found[2] - 14.0).abs() < 16.0 * f64::EPSILON * 14.0);
    }
}
