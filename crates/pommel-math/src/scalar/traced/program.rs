//! A computation as a list of operations.

use std::collections::HashSet;

use crate::{OperationCount, Real};

/// What one operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// `−a`
    Neg,
    /// `|a|`
    Abs,
    /// `√a`
    Sqrt,
    /// `sin a`
    Sin,
    /// `cos a`
    Cos,
    /// `exp a`
    Exp,
    /// The natural logarithm of `a`.
    Ln,
    /// `a + b`
    Add,
    /// `a − b`
    Sub,
    /// `a · b`
    Mul,
    /// `a / b`
    Div,
    /// The arc tangent of `a / b` in the quadrant of the point `(b, a)`.
    Atan2,
    /// `a · b + c`, rounded once.
    MulAdd,
}

impl Function {
    /// Number of operands.
    pub fn arity(self) -> usize {
        use Function::{Abs, Add, Atan2, Cos, Div, Exp, Ln, Mul, MulAdd, Neg, Sin, Sqrt, Sub};
        match self {
            Neg | Abs | Sqrt | Sin | Cos | Exp | Ln => 1,
            Add | Sub | Mul | Div | Atan2 => 2,
            MulAdd => 3,
        }
    }

    /// The value, with the bits of the `f64` of [`Real`].
    pub(super) fn apply(self, [a, b, c]: [f64; 3]) -> f64 {
        match self {
            Function::Neg => -a,
            Function::Abs => a.abs(),
            Function::Sqrt => a.sqrt(),
            Function::Sin => Real::sin_cos(a).0,
            Function::Cos => Real::sin_cos(a).1,
            Function::Exp => Real::exp(a),
            Function::Ln => Real::ln(a),
            Function::Add => a + b,
            Function::Sub => a - b,
            Function::Mul => a * b,
            Function::Div => a / b,
            Function::Atan2 => Real::atan2(a, b),
            Function::MulAdd => a.mul_add(b, c),
        }
    }
}

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A number that is the same for all inputs.
    Constant(f64),
    /// The input of this index.
    Input(usize),
    /// The result of the operation of this index.
    Node(usize),
}

impl Operand {
    /// Equal for the same operand, to the bit; orders constants before inputs before results.
    pub(super) fn code(self) -> (u8, u64) {
        match self {
            Operand::Constant(x) => (0, x.to_bits()),
            Operand::Input(k) => (1, k as u64),
            Operand::Node(k) => (2, k as u64),
        }
    }

    pub(super) fn is_constant(self, x: f64) -> bool {
        matches!(self, Operand::Constant(c) if c == x)
    }
}

/// One operation of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operation {
    /// What it does.
    pub function: Function,
    /// those beyond the arity are zero
    pub(super) operands: [Operand; 3],
}

impl Operation {
    /// What it takes, as many as [`Function::arity`] says.
    pub fn operands(&self) -> &[Operand] {
        &self.operands[..self.function.arity()]
    }
}

/// A computation without branches: what [`trace`](crate::trace) leaves of a kernel.
///
/// Operations stand in an order in which each takes constants, inputs and results of earlier ones;
/// all of them are needed for the outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub(super) inputs: usize,
    pub(super) operations: Vec<Operation>,
    pub(super) outputs: Vec<Operand>,
}

impl Program {
    /// Number of inputs, those that nothing depends on included.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The operations, in an order in which they can be done.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Where each output is found.
    pub fn outputs(&self) -> &[Operand] {
        &self.outputs
    }

    /// The outputs for some inputs, with the bits of the traced kernel over `f64`, but for the sign
    /// of zeros; slow, for tests.
    ///
    /// # Panics
    /// If there are not [`inputs`](Program::inputs) numbers.
    pub fn evaluate(&self, inputs: &[f64]) -> Vec<f64> {
        assert_eq!(inputs.len(), self.inputs, "one number for each input of the program");
        let mut results: Vec<f64> = Vec::with_capacity(self.operations.len());
        let value = |operand: Operand, results: &[f64]| match operand {
            Operand::Constant(x) => x,
            Operand::Input(k) => inputs[k],
            Operand::Node(k) => results[k],
        };
        for operation in &self.operations {
            let operands = operation.operands.map(|operand| value(operand, &results));
            results.push(operation.function.apply(operands));
        }
        self.outputs.iter().map(|&operand| value(operand, &results)).collect()
    }

    /// The operations as [`Counted`](crate::Counted) counts them: negations and absolute values are
    /// free, the sine and the cosine of the same angle are one.
    pub fn count(&self) -> OperationCount {
        let mut count = OperationCount::default();
        let mut angles = HashSet::new();
        for operation in &self.operations {
            match operation.function {
                Function::Neg | Function::Abs => {}
                Function::Add | Function::Sub => count.add += 1,
                Function::Mul => count.mul += 1,
                Function::MulAdd => {
                    count.mul += 1;
                    count.add += 1;
                }
                Function::Div => count.div += 1,
                Function::Sqrt => count.sqrt += 1,
                Function::Sin | Function::Cos => {
                    count.trig += u64::from(angles.insert(operation.operands[0].code()));
                }
                Function::Exp | Function::Ln | Function::Atan2 => count.trig += 1,
            }
        }
        count
    }
}
