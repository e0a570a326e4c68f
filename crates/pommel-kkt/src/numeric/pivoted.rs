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
/// `size` is the magnitude of what the diagonal entries are left by, and afterwards that of what
/// they are left by in this block, too. Of a dropped row, the entries in columns of kept ones are
/// `A_RP A_PP⁻¹`, for the caller to use and clear.
#[inline(always)]
pub(super) fn invert<T: Real>(
    a: &mut [T],
    stride: usize,
    p: usize,
    size: &mut [f64],
    tolerance: f64,
    signs: &mut [f64],
    scratch: &mut [f64],
    columns: &mut [T],
) {
    let (scale, magnitude) = scratch.split_at_mut(p);
    let magnitude = &mut magnitude[..p];
    for j in 0..p {
        for i in 0..j {
            a[j * stride + i] = a[i * stride + j];
        }
    }
    equilibrate(a, stride, scale);
    rescale(a, stride, scale);
    for i in 0..p {
        magnitude[i] = (size[i] * scale[i] * scale[i]).max(1.0);
        // waits
        signs[i] = f64::NAN;
    }
    loop {
        let (mut diagonal, mut pair) = ((0.0, usize::MAX), (0.0, usize::MAX, usize::MAX));
        for j in 0..p {
            if !signs[j].is_nan() {
                continue;
            }
            let column = &a[j * stride..j * stride + p];
            let x = column[j].lane(0).abs();
            if x > diagonal.0 && x > tolerance * magnitude[j] {
                diagonal = (x, j);
            }
            for i in j + 1..p {
                let x = column[i].lane(0).abs();
                if x > pair.0 && signs[i].is_nan() {
                    let limit = tolerance * (magnitude[i] * magnitude[j]).sqrt();
                    if x > limit {
                        pair = (x, i, j);
                    }
                }
            }
        }
        if diagonal.1 == usize::MAX && pair.1 == usize::MAX {
            break;
        }
        if diagonal.0 >= ALPHA * pair.0 {
            let i = diagonal.1;
            signs[i] = if a[i * stride + i].lane(0) < 0.0 { -1.0 } else { 1.0 };
            exchange::<T, 1>(a, stride, p, [i], signs, magnitude, columns);
        } else {
            let (i, j) = (pair.1, pair.2);
            let [x, y, c] = [(i, i), (j, j), (i, j)].map(|(i, j)| a[j * stride + i].lane(0));
            // of equal signs only if both diagonal entries were too uncertain to be pivots
            let same = x * y > c * c;
            (signs[i], signs[j]) = if same { (x.signum(), x.signum()) } else { (1.0, -1.0) };
            exchange::<T, 2>(a, stride, p, [pair.1, pair.2], signs, magnitude, columns);
        }
    }
    for j in 0..p {
        for i in 0..p {
            let x = &mut a[j * stride + i];
            *x = match (signs[i].is_nan(), signs[j].is_nan()) {
                (false, false) => -*x * T::from_f64(scale[i]) * T::from_f64(scale[j]),
                (true, false) => *x * T::from_f64(scale[j] / scale[i]),
                (_, true) => T::zero(),
            };
        }
        size[j] = magnitude[j] / (scale[j] * scale[j]);
    }
    for s in &mut signs[..p] {
        if s.is_nan() {
            *s = 0.0;
        }
    }
}

/// Powers of two that make the largest number of every row about 1.
#[inline(always)]
fn equilibrate<T: Real>(a: &[T], stride: usize, scale: &mut [f64]) {
    let p = scale.len();
    scale.fill(1.0);
    for _ in 0..4 {
        for i in 0..p {
            let mut largest = 0.0f64;
            for j in 0..p {
                largest = largest.max((a[j * stride + i].lane(0) * scale[j]).abs());
            }
            largest *= scale[i];
            if largest > 0.0 && largest.is_finite() {
                scale[i] /= largest.sqrt();
            }
        }
    }
    for s in scale {
        // the exponent alone
        *s = f64::from_bits(s.to_bits() & 0x7ff0_0000_0000_0000);
    }
}

/// `S A S`, exactly.
#[inline(always)]
fn rescale<T: Real>(a: &mut [T], stride: usize, scale: &[f64]) {
    let p = scale.len();
    for j in 0..p {
        for i in 0..p {
            let x = &mut a[j * stride + i];
            *x = *x * T::from_f64(scale[i]) * T::from_f64(scale[j]);
        }
    }
}

/// One exchange step: `A_PP → −A_PP⁻¹`, `A_RP → A_RP A_PP⁻¹`, `A_RR → A_RR − A_RP A_PP⁻¹ A_PR`.
#[inline(always)]
fn exchange<T: Real, const N: usize>(
    a: &mut [T],
    stride: usize,
    p: usize,
    pivots: [usize; N],
    signs: &[f64],
    magnitude: &mut [f64],
    columns: &mut [T],
) {
    // the inverse of the pivot block
    let (i, j) = (pivots[0], pivots[N - 1]);
    let mut b = [[T::zero(); N]; N];
    if N == 1 {
        b[0][0] = T::one() / a[i * stride + i];
    } else {
        // divided by the off-diagonal first: nothing overflows
        let c = a[i * stride + j];
        let (x, y) = (a[i * stride + i] / c, a[j * stride + j] / c);
        let det = x.mul_add(y, -T::one()) * c;
        b[0][0] = y / det;
        b[N - 1][N - 1] = x / det;
        b[0][N - 1] = -(T::one() / det);
        b[N - 1][0] = b[0][N - 1];
    }
    // A_RP A_PP⁻¹, a column for each pivot
    for x in 0..N {
        let w = &mut columns[x * p..(x + 1) * p];
        for r in 0..p {
            let mut sum = T::zero();
            for y in 0..N {
                sum = a[pivots[y] * stride + r].mul_add(b[y][x], sum);
            }
            w[r] = sum;
        }
    }
    for s in 0..p {
        if pivots.contains(&s) {
            continue;
        }
        let column = &mut a[s * stride..s * stride + p];
        for x in 0..N {
            let w = &columns[x * p..(x + 1) * p];
            let factor = column[pivots[x]];
            if signs[s].is_nan() {
                magnitude[s] += (w[s] * factor).lane(0).abs();
            }
            for r in 0..p {
                // rows of pivots are written below; until then the other factor is read there
                if r != pivots[N - 1] || x == N - 1 {
                    column[r] = (-w[r]).mul_add(factor, column[r]);
                }
            }
        }
        for x in 0..N {
            column[pivots[x]] = columns[x * p + s];
        }
    }
    for x in 0..N {
        let column = &mut a[pivots[x] * stride..pivots[x] * stride + p];
        column.copy_from_slice(&columns[x * p..(x + 1) * p]);
        for y in 0..N {
            column[pivots[y]] = -b[x][y];
        }
    }
}
