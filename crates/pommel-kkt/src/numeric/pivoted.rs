//! Fronts whose pivots are chosen by size.
//!
//! Bodies without mass stand in one front with all constraints on them. Its pivot block is indefinite
//! and may be singular: it is inverted by symmetric exchange steps with 1×1 and 2×2 pivots, the
//! largest first (as in Bunch and Parlett, SIAM J. Numer. Anal. 8(4), 1971), after its rows are
//! scaled. What is left when nothing but rounding remains is dropped: rows and columns of the inverse
//! are zero there. The panel then holds the inverse, and the boundary rows as they were.

use pommel_math::Real;

/// α of Bunch and Parlett: (1 + √17) / 8.
const ALPHA: f64 = 0.640_388_203_202_208;

/// Inverts the leading symmetric `p × p` block of `a`, whose lower triangle is given; `signs` gets
/// the inertia: as many 1 and −1 as there are positive and negative eigenvalues, 0 where a row was
/// dropped. Decisions follow lane 0.
///
/// `size` is the magnitude of what the diagonal entries are left by.
pub(super) fn invert<T: Real>(
    a: &mut [T],
    stride: usize,
    p: usize,
    size: &[f64],
    tolerance: f64,
    signs: &mut [f64],
    scratch: &mut [f64],
) {
    for j in 0..p {
        for i in 0..j {
            a[j * stride + i] = a[i * stride + j];
        }
    }
    let (scale, magnitude) = scratch.split_at_mut(p);
    let magnitude = &mut magnitude[..p];
    equilibrate(a, stride, scale);
    for i in 0..p {
        magnitude[i] = (size[i] * scale[i] * scale[i]).max(1.0);
        signs[i] = f64::NAN;
    }
    // NaN marks a row that waits
    loop {
        let at = |i: usize, j: usize| (a[j * stride + i].lane(0) * scale[i] * scale[j]).abs();
        let limit = |i: usize, j: usize| tolerance * (magnitude[i] * magnitude[j]).sqrt();
        let (mut diagonal, mut pair) = ((0.0, usize::MAX), (0.0, usize::MAX, usize::MAX));
        for i in (0..p).filter(|&i| signs[i].is_nan()) {
            if at(i, i) > diagonal.0 && at(i, i) > limit(i, i) {
                diagonal = (at(i, i), i);
            }
            for j in (0..i).filter(|&j| signs[j].is_nan()) {
                if at(i, j) > pair.0 && at(i, j) > limit(i, j) {
                    pair = (at(i, j), i, j);
                }
            }
        }
        if diagonal.1 == usize::MAX && pair.1 == usize::MAX {
            break;
        }
        if diagonal.0 >= ALPHA * pair.0 {
            let i = diagonal.1;
            signs[i] = if a[i * stride + i].lane(0) < 0.0 { -1.0 } else { 1.0 };
            exchange(a, stride, p, &[i], signs, scale, magnitude);
        } else {
            (signs[pair.1], signs[pair.2]) = (1.0, -1.0);
            exchange(a, stride, p, &[pair.1, pair.2], signs, scale, magnitude);
        }
    }
    for j in 0..p {
        for i in 0..p {
            let kept = !signs[i].is_nan() && !signs[j].is_nan();
            let x = &mut a[j * stride + i];
            *x = if kept { -*x } else { T::zero() };
        }
    }
    for s in &mut signs[..p] {
        if s.is_nan() {
            *s = 0.0;
        }
    }
}

/// Scales so that the largest number of every row is about 1.
fn equilibrate<T: Real>(a: &[T], stride: usize, scale: &mut [f64]) {
    let p = scale.len();
    scale.fill(1.0);
    for _ in 0..4 {
        for i in 0..p {
            let row = (0..p).map(|j| (a[j * stride + i].lane(0) * scale[j]).abs());
            let largest = row.fold(0.0, f64::max) * scale[i];
            if largest > 0.0 && largest.is_finite() {
                scale[i] /= largest.sqrt();
            }
        }
    }
}

/// One exchange step: `A_PP → −A_PP⁻¹`, `A_RP → A_RP A_PP⁻¹`, `A_RR → A_RR − A_RP A_PP⁻¹ A_PR`.
fn exchange<T: Real>(
    a: &mut [T],
    stride: usize,
    p: usize,
    pivots: &[usize],
    signs: &[f64],
    scale: &[f64],
    magnitude: &mut [f64],
) {
    // the inverse of the pivot block
    let (i, j) = (pivots[0], pivots[pivots.len() - 1]);
    let mut b = [[T::zero(); 2]; 2];
    if pivots.len() == 1 {
        b[0][0] = T::one() / a[i * stride + i];
    } else {
        // divided by the off-diagonal first: nothing overflows
        let c = a[i * stride + j];
        let (x, y) = (a[i * stride + i] / c, a[j * stride + j] / c);
        let det = (x.mul_add(y, -T::one())) * c;
        b[0][0] = y / det;
        b[1][1] = x / det;
        b[0][1] = -(T::one() / det);
        b[1][0] = b[0][1];
    }
    let n = pivots.len();
    for r in 0..p {
        if pivots.contains(&r) {
            continue;
        }
        // row r of A_RP A_PP⁻¹
        let mut w = [T::zero(); 2];
        for x in 0..n {
            for y in 0..n {
                w[x] = a[pivots[y] * stride + r].mul_add(b[y][x], w[x]);
            }
        }
        for s in 0..p {
            if pivots.contains(&s) {
                continue;
            }
            let mut z = a[s * stride + r];
            for x in 0..n {
                let term = w[x] * a[s * stride + pivots[x]];
                if r == s && signs[r].is_nan() {
                    magnitude[r] += term.lane(0).abs() * scale[r] * scale[r];
                }
                z -= term;
            }
            a[s * stride + r] = z;
        }
        // kept in the column until all rows have used the old one
        for x in 0..n {
            a[r * stride + pivots[x]] = a[pivots[x] * stride + r];
            a[pivots[x] * stride + r] = w[x];
        }
        // rows above have their new entry in the column; the row keeps the old one until the end
    }
    for r in 0..p {
        if pivots.contains(&r) {
            continue;
        }
        for &x in pivots {
            a[r * stride + x] = a[x * stride + r];
        }
    }
    for x in 0..n {
        for y in 0..n {
            a[pivots[y] * stride + pivots[x]] = -b[x][y];
        }
    }
}
