//! Taking a pivot.

use pommel_math::{Mask, Real};

/// What an elimination notices, lane by lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Where a pivot was dropped.
    pub(crate) dropped: Mask,
    /// Where signs of pivots must be counted.
    pub(crate) turned: Mask,
    /// Where a pivot is infinite or NaN.
    pub(crate) broken: Mask,
}

impl Outcome {
    /// Nothing yet.
    pub(crate) const NONE: Outcome =
        Outcome { dropped: Mask::NONE, turned: Mask::NONE, broken: Mask::NONE };

    /// What two eliminations notice.
    #[cfg(feature = "rayon")]
    pub(crate) fn and(self, other: Outcome) -> Outcome {
        Outcome {
            dropped: self.dropped | other.dropped,
            turned: self.turned | other.turned,
            broken: self.broken | other.broken,
        }
    }
}

/// `1/d` of a pivot that was left by numbers of `size`, zero where it is below `tolerance · size`.
/// `sign` is 1 if it should be positive, −1 if negative.
#[inline(always)]
pub(crate) fn take<T: Real>(d: T, size: T, sign: T, tolerance: T, outcome: &mut Outcome) -> T {
    let limit = tolerance * size;
    let signed = d * sign;
    let good = limit.lt(signed);
    if good.is_all(T::LANES) { T::one() / d } else { take_with_care(d, limit, signed, outcome) }
}

#[cold]
#[inline(never)]
fn take_with_care<T: Real>(d: T, limit: T, signed: T, outcome: &mut Outcome) -> T {
    let all = Mask::all(T::LANES);
    let kept = limit.lt(signed) | limit.lt(-signed);
    let broken = !(d.is_finite() & limit.is_finite()) & all;
    outcome.dropped |= !kept & all;
    outcome.turned |= limit.lt(-signed);
    outcome.broken |= broken;
    T::select(kept, T::one() / d, T::zero())
}
