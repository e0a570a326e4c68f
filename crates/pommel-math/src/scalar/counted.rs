//! Operation counts.

use core::cell::Cell;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::Mask;
use crate::dispatch::InstructionSet;
use crate::real::{Real, sealed::Sealed};

/// How many floating-point operations a computation performed.
///
/// A fused multiply-add counts as one multiplication and one addition, a subtraction as an
/// addition. Negation, comparison, selection and moving numbers are free, as in the published
/// counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationCount {
    /// Multiplications.
    pub mul: u64,
    /// Additions and subtractions.
    pub add: u64,
    /// Divisions.
    pub div: u64,
    /// Square roots.
    pub sqrt: u64,
    /// Transcendental functions; a sine with its cosine is one.
    pub trig: u64,
}

thread_local! {
    static COUNT: Cell<OperationCount> = const {
        Cell::new(OperationCount::tick(0, 0, 0, 0, 0))
    };
}

impl OperationCount {
    const fn tick(mul: u64, add: u64, div: u64, sqrt: u64, trig: u64) -> Self {
        OperationCount { mul, add, div, sqrt, trig }
    }

    fn plus(self, b: Self) -> Self {
        OperationCount {
            mul: self.mul + b.mul,
            add: self.add + b.add,
            div: self.div + b.div,
            sqrt: self.sqrt + b.sqrt,
            trig: self.trig + b.trig,
        }
    }
}

const MUL: OperationCount = OperationCount::tick(1, 0, 0, 0, 0);
const ADD: OperationCount = OperationCount::tick(0, 1, 0, 0, 0);
const MUL_ADD: OperationCount = OperationCount::tick(1, 1, 0, 0, 0);
const DIV: OperationCount = OperationCount::tick(0, 0, 1, 0, 0);
const SQRT: OperationCount = OperationCount::tick(0, 0, 0, 1, 0);
const TRIG: OperationCount = OperationCount::tick(0, 0, 0, 0, 1);

#[inline]
fn tally(step: OperationCount) {
    COUNT.with(|cell| cell.set(cell.get().plus(step)));
}

/// Runs `f` and returns its result with the operations that [`Counted`] numbers performed in it,
/// on this thread.
///
/// ```
/// use pommel_math::{Counted, Real, count_operations};
/// let (y, count) = count_operations(|| {
///     let x = Counted::from_f64(3.0);
///     x * x + x
/// });
/// assert_eq!(y.lane(0), 12.0);
/// assert_eq!((count.mul, count.add), (1, 1));
/// ```
pub fn count_operations<R>(f: impl FnOnce() -> R) -> (R, OperationCount) {
    let before = COUNT.with(|cell| cell.replace(OperationCount::default()));
    let result = f();
    let count = COUNT.with(|cell| cell.replace(before));
    (result, count)
}

/// An `f64` that counts what is done to it; see [`count_operations`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Counted(f64);

impl Add for Counted {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        tally(ADD);
        Counted(self.0 + other.0)
    }
}

impl Sub for Counted {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        tally(ADD);
        Counted(self.0 - other.0)
    }
}

impl Mul for Counted {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        tally(MUL);
        Counted(self.0 * other.0)
    }
}

impl Div for Counted {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        tally(DIV);
        Counted(self.0 / other.0)
    }
}

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted(-self.0)
    }
}

impl AddAssign for Counted {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Counted {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for Counted {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl Sealed for Counted {}

impl Real for Counted {
    const LANES: usize = 1;
    const SETS: [InstructionSet; 2] = [InstructionSet::Baseline; 2];
    const EPSILON: f64 = f64::EPSILON;

    fn from_f64(x: f64) -> Self {
        Counted(x)
    }
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        Counted(f(0))
    }
    fn lane(self, _i: usize) -> f64 {
        self.0
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        tally(MUL_ADD);
        Counted(self.0.mul_add(b.0, c.0))
    }
    fn product_both(self, b: Self, plus: Self, minus: Self) -> (Self, Self) {
        tally(MUL_ADD);
        tally(ADD);
        (Counted(self.0.mul_add(b.0, plus.0)), Counted((-self.0).mul_add(b.0, minus.0)))
    }
    fn sqrt(self) -> Self {
        tally(SQRT);
        Counted(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Counted(self.0.abs())
    }
    fn sin_cos(self) -> (Self, Self) {
        tally(TRIG);
        let (s, c) = Real::sin_cos(self.0);
        (Counted(s), Counted(c))
    }
    fn atan2(self, x: Self) -> Self {
        tally(TRIG);
        Counted(Real::atan2(self.0, x.0))
    }
    fn exp(self) -> Self {
        tally(TRIG);
        Counted(Real::exp(self.0))
    }
    fn ln(self) -> Self {
        tally(TRIG);
        Counted(Real::ln(self.0))
    }
    fn lt(self, other: Self) -> Mask {
        Real::lt(self.0, other.0)
    }
    fn le(self, other: Self) -> Mask {
        Real::le(self.0, other.0)
    }
    fn is_finite(self) -> Mask {
        Real::is_finite(self.0)
    }
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        if mask.lane(0) { a } else { b }
    }
}
