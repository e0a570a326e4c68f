//! The best scalar for several instances on this processor.

use core::fmt;
use core::marker::PhantomData;

use super::Lanes;
#[cfg(target_arch = "x86_64")]
use super::array::AVX2;
use super::array::{Array, BASELINE};
#[cfg(target_arch = "x86_64")]
use super::wide::{F64x4, F64x8};
use crate::dispatch::{InstructionSet, Kernel, dispatch, instruction_set};
use crate::real::Real;

/// Work over a scalar that holds several instances; [`with_lanes`] chooses the scalar.
pub trait LaneJob {
    /// What the work returns; it cannot mention the scalar.
    type Output;

    /// Does the work. `T::LANES` is the number of lanes that was asked for.
    ///
    /// Arithmetic written here itself becomes vector instructions if the method is
    /// `#[inline(always)]`; a call of a function that goes through [`dispatch`](crate::dispatch())
    /// needs nothing.
    fn run<T: Real>(self) -> Self::Output;
}

/// Runs `job` over the best scalar with `lanes` lanes (2, 4 or 8) that this processor has.
///
/// That is a vector register of `lanes` numbers where the processor has one with fused
/// multiply-add, and else [`Lanes`]: on x86-64 with AVX2 and FMA for 4 lanes, with AVX-512
/// (F, VL and DQ) for 8, too. Each lane has the bits of an `f64` whichever it is, except for sign
/// and payload of a NaN. [`lane_scalar`] tells which one it is.
///
/// # Errors
/// [`UnsupportedLanes`] if `lanes` is not 2, 4 or 8; `job` is then dropped.
///
/// ```
/// use pommel_math::{LaneJob, Real, with_lanes};
///
/// /// x² + 1 of a list, `T::LANES` entries at a time.
/// struct Squares<'a>(&'a [f64]);
///
/// impl LaneJob for Squares<'_> {
///     type Output = Vec<f64>;
///
///     #[inline(always)]
///     fn run<T: Real>(self) -> Vec<f64> {
///         let mut squares = Vec::new();
///         for part in self.0.chunks(T::LANES) {
///             let x = T::from_lanes(|i| part.get(i).copied().unwrap_or_default());
///             let y = x.mul_add(x, T::one());
///             squares.extend((0..part.len()).map(|i| y.lane(i)));
///         }
///         squares
///     }
/// }
///
/// assert_eq!(with_lanes(4, Squares(&[1.0, 2.0, 3.0, 4.0, 5.0])), Ok(vec![2.0, 5.0, 10.0, 17.0, 26.0]));
/// assert!(with_lanes(3, Squares(&[])).is_err());
/// ```
pub fn with_lanes<J: LaneJob>(lanes: usize, job: J) -> Result<J::Output, UnsupportedLanes> {
    Ok(match Choice::new(lanes)? {
        Choice::Array2 => run::<J, Lanes<2>>(job),
        Choice::Array4 => run::<J, Array<4, BASELINE>>(job),
        Choice::Array8 => run::<J, Array<8, BASELINE>>(job),
        #[cfg(target_arch = "x86_64")]
        Choice::Avx2Array8 => run::<J, Array<8, AVX2>>(job),
        #[cfg(target_arch = "x86_64")]
        Choice::Register4 => run::<J, F64x4>(job),
        #[cfg(target_arch = "x86_64")]
        Choice::Register8 => run::<J, F64x8>(job),
    })
}

/// The scalar that [`with_lanes`] uses for `lanes` lanes on this processor, in words.
///
/// # Errors
/// [`UnsupportedLanes`] if `lanes` is not 2, 4 or 8.
///
/// ```
/// let name = pommel_math::lane_scalar(4)?;
/// assert!(["array of 4", "256-bit register"].contains(&name));
/// # Ok::<(), pommel_math::UnsupportedLanes>(())
/// ```
pub fn lane_scalar(lanes: usize) -> Result<&'static str, UnsupportedLanes> {
    Ok(match Choice::new(lanes)? {
        Choice::Array2 => "array of 2",
        Choice::Array4 => "array of 4",
        Choice::Array8 => "array of 8",
        #[cfg(target_arch = "x86_64")]
        Choice::Avx2Array8 => "array of 8",
        #[cfg(target_arch = "x86_64")]
        Choice::Register4 => "256-bit register",
        #[cfg(target_arch = "x86_64")]
        Choice::Register8 => "512-bit register",
    })
}

/// No scalar has this number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedLanes {
    /// the number that was asked for
    pub lanes: usize,
}

impl fmt::Display for UnsupportedLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.lanes == 1 { "" } else { "s" };
        write!(f, "no scalar has {} lane{plural}: use 2, 4 or 8", self.lanes)
    }
}

impl core::error::Error for UnsupportedLanes {}

enum Choice {
    Array2,
    Array4,
    Array8,
    #[cfg(target_arch = "x86_64")]
    Avx2Array8,
    #[cfg(target_arch = "x86_64")]
    Register4,
    #[cfg(target_arch = "x86_64")]
    Register8,
}

impl Choice {
    /// The only place that hands out registers: it asks the processor first.
    fn new(lanes: usize) -> Result<Choice, UnsupportedLanes> {
        Ok(match (lanes, instruction_set()) {
            #[cfg(target_arch = "x86_64")]
            (4, InstructionSet::Avx2Fma | InstructionSet::Avx512) => Choice::Register4,
            #[cfg(target_arch = "x86_64")]
            (8, InstructionSet::Avx512) => Choice::Register8,
            #[cfg(target_arch = "x86_64")]
            (8, InstructionSet::Avx2Fma) => Choice::Avx2Array8,
            (2, _) => Choice::Array2,
            (4, _) => Choice::Array4,
            (8, _) => Choice::Array8,
            _ => return Err(UnsupportedLanes { lanes }),
        })
    }
}

fn run<J: LaneJob, T: Real>(job: J) -> J::Output {
    dispatch(Run::<J, T>(job, PhantomData))
}

struct Run<J, T>(J, PhantomData<T>);

impl<J: LaneJob, T: Real> Kernel for Run<J, T> {
    type Output = J::Output;
    const SETS: [InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> J::Output {
        self.0.run::<T>()
    }
}
