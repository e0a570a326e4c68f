//! Numbers that record what is done to them.

mod program;
mod tape;

pub use program::{Function, Operand, Operation, Program};

use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Mask;
use crate::dispatch::InstructionSet;
use crate::real::{Real, sealed::Sealed};
use tape::Tape;

thread_local! {
    /// The traces that run on this thread, one inside the other.
    static TAPES: RefCell<Vec<Tape>> = const { RefCell::new(Vec::new()) };
}

/// An `f64` that records what is done to it; see [`trace`].
///
/// It carries its value at the sample. Comparisons, [`lane`](Real::lane) and
/// [`is_finite`](Real::is_finite) look at that value, and [`select`](Real::select) takes the side
/// that it chooses. What is computed from constants alone is a constant.
#[derive(Clone, Copy, Debug)]
pub struct Traced {
    value: f64,
    /// the value itself, if it is a constant
    operand: Operand,
    /// which trace the operand belongs to; 0 for constants
    tape: u32,
}

/// Records what `f` computes from its inputs, as a program without branches.
///
/// Numbers that `f` brings along are constants of the program: they are folded, and operations with
/// zero, one and minus one are left out. What is computed twice is recorded once, what no output
/// needs is dropped. The program gives the bits of `f` over `f64`, but for the sign of zeros; for
/// infinite and NaN inputs it may give others, because `0 · x` is taken for 0.
///
/// # Arguments
/// - `sample` values of the inputs at which `f` runs
/// - `f` takes as many inputs, returns the outputs
///
/// # Limits
/// Branches are taken, and selections made, as at the sample: the program is valid where all
/// comparisons come out the same. A number taken out by [`lane`](Real::lane) is a constant when it
/// comes back. Time and memory are linear in the number of operations.
///
/// # Errors
/// Those of `f`.
///
/// # Panics
/// If a number of another trace is used.
///
/// ```
/// use std::convert::Infallible;
/// use pommel_math::{Real, Traced, trace};
///
/// let program = trace(&[0.5, 2.0], |x| {
///     let zero = Traced::zero();
///     Ok::<_, Infallible>(vec![x[0].mul_add(x[1], zero) + x[1] * zero])
/// })?;
/// assert_eq!(program.operations().len(), 1);
/// assert_eq!(program.evaluate(&[3.0, 4.0]), [12.0]);
/// # Ok::<(), Infallible>(())
/// ```
pub fn trace<E>(
    sample: &[f64],
    f: impl FnOnce(&[Traced]) -> Result<Vec<Traced>, E>,
) -> Result<Program, E> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let tape = NEXT.fetch_add(1, Ordering::Relaxed);
    let inputs = sample.iter().enumerate();
    let inputs: Vec<Traced> =
        inputs.map(|(k, &value)| Traced { value, operand: Operand::Input(k), tape }).collect();
    TAPES.with(|tapes| tapes.borrow_mut().push(Tape::new(tape)));
    let recording = Recording;
    let outputs = f(&inputs)?;
    let record = TAPES.with(|tapes| {
        let mut tapes = tapes.borrow_mut();
        let current = tapes.last_mut().expect("the tape of a running trace");
        std::mem::replace(current, Tape::new(tape))
    });
    drop(recording);
    outputs.iter().for_each(|x| x.check(tape));
    let outputs: Vec<Operand> = outputs.iter().map(|x| x.operand).collect();
    Ok(record.into_program(sample.len(), &outputs))
}

/// Ends a trace, also when it fails or panics.
struct Recording;

impl Drop for Recording {
    fn drop(&mut self) {
        TAPES.with(|tapes| tapes.borrow_mut().pop());
    }
}

impl Traced {
    fn constant(x: f64) -> Self {
        Traced { value: x, operand: Operand::Constant(x), tape: 0 }
    }

    fn check(self, tape: u32) {
        assert!(
            self.tape == 0 || self.tape == tape,
            "a traced number belongs to the trace that made it"
        );
    }
}

fn operate<const N: usize>(function: Function, list: [Traced; N]) -> Traced {
    let operand = |k: usize| list.get(k).copied().unwrap_or(Traced::constant(0.0));
    let list = [operand(0), operand(1), operand(2)];
    let value = function.apply(list.map(|x| x.value));
    if list.iter().all(|x| x.tape == 0) {
        return Traced::constant(value);
    }
    TAPES.with(|tapes| {
        let mut tapes = tapes.borrow_mut();
        let tape = tapes.last_mut().expect("traced numbers are used inside of a trace");
        list.iter().for_each(|x| x.check(tape.id));
        match tape.operate(function, list.map(|x| x.operand)) {
            Operand::Constant(x) => Traced::constant(x),
            operand => Traced { value, operand, tape: tape.id },
        }
    })
}

impl Default for Traced {
    fn default() -> Self {
        Traced::constant(0.0)
    }
}

/// Of the values at the sample.
impl PartialEq for Traced {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Add for Traced {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        operate(Function::Add, [self, other])
    }
}

impl Sub for Traced {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        operate(Function::Sub, [self, other])
    }
}

impl Mul for Traced {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        operate(Function::Mul, [self, other])
    }
}

impl Div for Traced {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        operate(Function::Div, [self, other])
    }
}

impl Neg for Traced {
    type Output = Self;
    fn neg(self) -> Self {
        operate(Function::Neg, [self])
    }
}

impl AddAssign for Traced {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Traced {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for Traced {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl Sealed for Traced {}

impl Real for Traced {
    const LANES: usize = 1;
    const SETS: [InstructionSet; 2] = [InstructionSet::Baseline; 2];
    const EPSILON: f64 = f64::EPSILON;

    fn from_f64(x: f64) -> Self {
        Traced::constant(x)
    }
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        Traced::constant(f(0))
    }
    fn lane(self, _i: usize) -> f64 {
        self.value
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        operate(Function::MulAdd, [self, b, c])
    }
    fn sqrt(self) -> Self {
        operate(Function::Sqrt, [self])
    }
    fn abs(self) -> Self {
        operate(Function::Abs, [self])
    }
    fn sin_cos(self) -> (Self, Self) {
        (operate(Function::Sin, [self]), operate(Function::Cos, [self]))
    }
    fn atan2(self, x: Self) -> Self {
        operate(Function::Atan2, [self, x])
    }
    fn exp(self) -> Self {
        operate(Function::Exp, [self])
    }
    fn ln(self) -> Self {
        operate(Function::Ln, [self])
    }
    fn lt(self, other: Self) -> Mask {
        Real::lt(self.value, other.value)
    }
    fn le(self, other: Self) -> Mask {
        Real::le(self.value, other.value)
    }
    fn is_finite(self) -> Mask {
        Real::is_finite(self.value)
    }
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        if mask.lane(0) { a } else { b }
    }
}
