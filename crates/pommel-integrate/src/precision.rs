//! The precision of a scalar.

use pommel_math::Real;

/// The spacing of numbers just above 1, found by halving: the bound on scalars does not tell it.
pub(crate) fn epsilon<T: Real>() -> f64 {
    let mut epsilon = 1.0;
    while (T::one() + T::from_f64(0.5 * epsilon)).lane(0) > 1.0 {
        epsilon *= 0.5;
    }
    epsilon
}

/// How far, relatively, a quotient of an interval by a step may be off an integer by rounding of
/// the two only.
pub(crate) fn rounding_of_quotient<T: Real>() -> f64 {
    8.0 * epsilon::<T>()
}
