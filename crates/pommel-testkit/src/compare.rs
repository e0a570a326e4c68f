//! Errors of vectors.

/// The largest absolute entry; 1 if all are zero.
pub fn scale(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// The largest difference of two vectors relative to the largest entry of the second, the truth.
/// Infinite if the lengths differ or an entry is NaN.
pub fn relative_error(got: &[f64], truth: &[f64]) -> f64 {
    if got.len() != truth.len() {
        return f64::INFINITY;
    }
    let worst = got.iter().zip(truth).fold(0.0_f64, |worst, (g, t)| {
        let error = (g - t).abs();
        if error.is_nan() { f64::INFINITY } else { worst.max(error) }
    });
    worst / scale(truth)
}
