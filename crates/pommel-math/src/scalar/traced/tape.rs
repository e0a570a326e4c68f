//! The record of a computation, pruned while it is written.
//!
//! Every rule is exact in floating point: it keeps the bits of the result, but for the sign of
//! zeros, and but for inputs that are infinite or NaN (`0 · x` is 0).

use std::collections::HashMap;

use super::program::{Function, Operand, Operation, Program};

const ZERO: Operand = Operand::Constant(0.0);

/// Operations so far, each once.
#[derive(Debug)]
pub(super) struct Tape {
    pub(super) id: u32,
    operations: Vec<Operation>,
    known: HashMap<(Function, [(u8, u64); 3]), usize>,
}

/// An operand or its negative. The operand itself is no negation and no negative constant.
#[derive(Clone, Copy)]
struct Signed {
    negative: bool,
    operand: Operand,
}

impl Signed {
    fn negated_if(self, negative: bool) -> Self {
        Signed { negative: self.negative != negative, ..self }
    }
}

impl Tape {
    pub(super) fn new(id: u32) -> Self {
        Tape { id, operations: Vec::new(), known: HashMap::new() }
    }

    /// Where the result of an operation is found; not all of the operands are constants.
    pub(super) fn operate(&mut self, function: Function, [a, b, c]: [Operand; 3]) -> Operand {
        let (x, y) = (self.signed(a), self.signed(b));
        match function {
            Function::Neg => self.unsigned(x.negated_if(true)),
            Function::Abs => self.record(Function::Abs, [x.operand, ZERO, ZERO]),
            Function::Add => self.sum(x, y),
            Function::Sub => self.sum(x, y.negated_if(true)),
            Function::Mul => self.product(x, y),
            Function::Div => self.quotient(x, y),
            Function::MulAdd => self.product_and_sum(x, y, c),
            Function::Sqrt
            | Function::Sin
            | Function::Cos
            | Function::Exp
            | Function::Ln
            | Function::Atan2 => self.record(function, [a, b, c]),
        }
    }

    fn signed(&self, operand: Operand) -> Signed {
        match operand {
            Operand::Constant(x) if x.is_sign_negative() => {
                Signed { negative: true, operand: Operand::Constant(-x) }
            }
            Operand::Node(k) if self.operations[k].function == Function::Neg => {
                Signed { negative: true, operand: self.operations[k].operands[0] }
            }
            _ => Signed { negative: false, operand },
        }
    }

    fn unsigned(&mut self, x: Signed) -> Operand {
        match (x.negative, x.operand) {
            (false, operand) => operand,
            (true, Operand::Constant(c)) => Operand::Constant(-c),
            (true, operand) => self.record(Function::Neg, [operand, ZERO, ZERO]),
        }
    }

    fn sum(&mut self, a: Signed, b: Signed) -> Operand {
        if a.operand.is_constant(0.0) {
            return self.unsigned(b);
        }
        if b.operand.is_constant(0.0) {
            return self.unsigned(a);
        }
        match (a.negative, b.negative) {
            (false, true) => self.record(Function::Sub, [a.operand, b.operand, ZERO]),
            (true, false) => self.record(Function::Sub, [b.operand, a.operand, ZERO]),
            (negative, _) => {
                let [a, b] = sorted(a.operand, b.operand);
                let operand = self.record(Function::Add, [a, b, ZERO]);
                self.unsigned(Signed { negative, operand })
            }
        }
    }

    fn product(&mut self, a: Signed, b: Signed) -> Operand {
        if a.operand.is_constant(0.0) || b.operand.is_constant(0.0) {
            return ZERO;
        }
        if a.operand.is_constant(1.0) {
            return self.unsigned(b.negated_if(a.negative));
        }
        if b.operand.is_constant(1.0) {
            return self.unsigned(a.negated_if(b.negative));
        }
        let [x, y] = sorted(a.operand, b.operand);
        let operand = self.record(Function::Mul, [x, y, ZERO]);
        self.unsigned(Signed { negative: a.negative != b.negative, operand })
    }

    fn quotient(&mut self, a: Signed, b: Signed) -> Operand {
        if a.operand.is_constant(0.0) {
            return ZERO;
        }
        if b.operand.is_constant(1.0) {
            return self.unsigned(a.negated_if(b.negative));
        }
        let operand = self.record(Function::Div, [a.operand, b.operand, ZERO]);
        self.unsigned(Signed { negative: a.negative != b.negative, operand })
    }

    fn product_and_sum(&mut self, a: Signed, b: Signed, c: Operand) -> Operand {
        if c.is_constant(0.0) {
            return self.product(a, b);
        }
        if a.operand.is_constant(0.0) || b.operand.is_constant(0.0) {
            return c;
        }
        let z = self.signed(c);
        if a.operand.is_constant(1.0) {
            return self.sum(b.negated_if(a.negative), z);
        }
        if b.operand.is_constant(1.0) {
            return self.sum(a.negated_if(b.negative), z);
        }
        let negative = a.negative != b.negative;
        if let (Operand::Constant(x), Operand::Constant(y)) = (a.operand, b.operand)
            && let Some(product) = exact_product(x, y)
        {
            return self.sum(Signed { negative, operand: Operand::Constant(product) }, z);
        }
        let [x, y] = sorted(a.operand, b.operand);
        // −a b − c = −(a b + c)
        if negative && z.negative {
            let operand = self.record(Function::MulAdd, [x, y, z.operand]);
            return self.unsigned(Signed { negative, operand });
        }
        let x = self.unsigned(Signed { negative, operand: x });
        self.record(Function::MulAdd, [x, y, c])
    }

    /// The operation, at its first place.
    fn record(&mut self, function: Function, operands: [Operand; 3]) -> Operand {
        let next = self.operations.len();
        let place = *self.known.entry((function, operands.map(Operand::code))).or_insert(next);
        if place == next {
            self.operations.push(Operation { function, operands });
        }
        Operand::Node(place)
    }

    /// What the outputs need, numbered anew.
    pub(super) fn into_program(self, inputs: usize, outputs: &[Operand]) -> Program {
        let mut needed = vec![false; self.operations.len()];
        let mark = |operand: &Operand, needed: &mut [bool]| {
            if let Operand::Node(k) = *operand {
                needed[k] = true;
            }
        };
        outputs.iter().for_each(|operand| mark(operand, &mut needed));
        for k in (0..needed.len()).rev() {
            if needed[k] {
                self.operations[k].operands().iter().for_each(|x| mark(x, &mut needed));
            }
        }
        let mut places = vec![0; needed.len()];
        let moved = |operand: Operand, places: &[usize]| match operand {
            Operand::Node(k) => Operand::Node(places[k]),
            other => other,
        };
        let mut operations = Vec::new();
        for (k, operation) in self.operations.iter().enumerate() {
            if needed[k] {
                places[k] = operations.len();
                let operands = operation.operands.map(|operand| moved(operand, &places));
                operations.push(Operation { operands, ..*operation });
            }
        }
        let outputs = outputs.iter().map(|&operand| moved(operand, &places)).collect();
        Program { inputs, operations, outputs }
    }
}

/// Operands of a function whose operands may be swapped, in one order.
fn sorted(a: Operand, b: Operand) -> [Operand; 2] {
    if a.code() <= b.code() { [a, b] } else { [b, a] }
}

/// The product if it is a number without rounding.
fn exact_product(a: f64, b: f64) -> Option<f64> {
    let product = a * b;
    // far from where the remainder itself would be rounded to zero
    let plain = (1e-250..1e250).contains(&product.abs());
    (plain && a.mul_add(b, -product) == 0.0).then_some(product)
}
