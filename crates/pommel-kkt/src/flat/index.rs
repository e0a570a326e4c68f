//! Indices that a plan has found once and for all are not checked again.
//!
//! The same source with checks is run by a test on the same numbers; in a build with debug assertions,
//! and under Miri, an index out of range stops the unchecked one, too.
#![allow(unsafe_code, reason = "indices of a plan are checked when it is made")]

/// `x[i]`.
#[inline(always)]
pub(crate) fn at<const CHECKED: bool, X: Copy>(x: &[X], i: usize) -> X {
    if CHECKED {
        return x[i];
    }
    debug_assert!(i < x.len());
    // SAFETY: callers pass indices of a `Plan` into arrays of the lengths that they have compared
    // with it; `Plan::new`, of single numbers or of pairs, makes no index that is out of their range.
    unsafe { *x.get_unchecked(i) }
}

/// `x[i]`, to be written.
#[inline(always)]
pub(crate) fn at_mut<const CHECKED: bool, X>(x: &mut [X], i: usize) -> &mut X {
    if CHECKED {
        return &mut x[i];
    }
    debug_assert!(i < x.len());
    // SAFETY: as for `at`: the index is one of a `Plan`, and the array has the length that the caller has
    // compared with that plan.
    unsafe { x.get_unchecked_mut(i) }
}
