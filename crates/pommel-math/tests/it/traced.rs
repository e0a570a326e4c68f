//! Programs that a trace leaves.

use std::convert::Infallible;

use pommel_math::{Counted, Function, Operand, Program, Real, Traced, count_operations, trace};
use pommel_testkit::Rng;

fn record(sample: &[f64], f: impl FnOnce(&[Traced]) -> Vec<Traced>) -> Program {
    trace(sample, |x| Ok::<_, Infallible>(f(x))).expect("infallible")
}

fn constant(x: f64) -> Traced {
    Traced::from_f64(x)
}

/// What is left of an expression in one input, with its only output.
#[track_caller]
fn leaves(f: impl Fn(Traced) -> Traced, functions: &[Function], output: Operand) {
    let program = record(&[0.7, -0.4], |x| vec![f(x[0])]);
    let found: Vec<Function> = program.operations().iter().map(|o| o.function).collect();
    assert_eq!(found, functions);
    assert_eq!(program.outputs(), [output]);
}

#[test]
fn zeros_and_ones_are_left_out() {
    let (zero, one) = (constant(0.0), constant(1.0));
    let x = Operand::Input(0);
    let plain: [&dyn Fn(Traced) -> Traced; 14] = [
        &|x| x + zero,
        &|x| zero + x,
        &|x| x - zero,
        &|x| x - constant(-0.0),
        &|x| x * one,
        &|x| one * x,
        &|x| x / one,
        &|x| -(-x),
        &|x| -(x * -one),
        &|x| -(x / -one),
        &|x| x.mul_add(one, zero),
        &|x| zero - -x,
        &|x| x.mul_add(zero, x),
        &|x| zero.mul_add(x, x),
    ];
    for f in plain {
        leaves(f, &[], x);
    }
    let nothing: [&dyn Fn(Traced) -> Traced; 5] =
        [&|x| x * zero, &|x| -zero * x, &|x| zero / x, &|x| x.mul_add(zero, zero), &|x| {
            x * (one - one) + zero * x
        }];
    for f in nothing {
        leaves(f, &[], Operand::Constant(0.0));
    }
    let node = Operand::Node(0);
    let two = constant(2.0);
    leaves(|x| zero - x, &[Function::Neg], node);
    leaves(|x| x * -one, &[Function::Neg], node);
    leaves(|x| x.mul_add(one, two), &[Function::Add], node);
    leaves(|x| (-one).mul_add(x, two), &[Function::Sub], node);
    leaves(|x| x.mul_add(two, zero), &[Function::Mul], node);
    leaves(|x| -x + two, &[Function::Sub], node);
    leaves(|x| x - -two, &[Function::Add], node);
    leaves(|x| -x * -two, &[Function::Mul], node);
    leaves(|x| (-x).mul_add(-x, -two), &[Function::MulAdd], node);
    leaves(|x| (-x).mul_add(x, -two), &[Function::MulAdd, Function::Neg], Operand::Node(1));
}

#[test]
fn constants_are_folded_with_their_rounding() {
    let (tenth, third) = (constant(0.1), constant(1.0 / 3.0));
    let output = Operand::Constant(0.1_f64.mul_add(1.0 / 3.0, 0.1).sqrt());
    leaves(|_| tenth.mul_add(third, tenth).sqrt(), &[], output);
    // 0.5 · 3 is exact, 0.1 / 3 is not: its rounding comes after the addition
    leaves(|x| constant(0.5).mul_add(constant(3.0), x), &[Function::Add], Operand::Node(0));
    leaves(|x| tenth.mul_add(third, x), &[Function::MulAdd], Operand::Node(0));
    assert_eq!((tenth + third).lane(0), 0.1 + 1.0 / 3.0, "no trace is needed for constants");
}

#[test]
fn equal_expressions_are_recorded_once_and_unused_ones_dropped() {
    let program = record(&[0.3, 0.9], |x| {
        let (a, b) = (x[0], x[1]);
        let unused = (a / b).exp();
        let _ = unused + a;
        let sum = a + b;
        vec![sum * a, a * (b + a), (b * -a).mul_add(sum, a), (a * b).mul_add(-sum, a)]
    });
    let functions: Vec<Function> = program.operations().iter().map(|o| o.function).collect();
    use Function::{Add, Mul, MulAdd, Neg};
    assert_eq!(functions.len(), 5, "{functions:?}");
    for (function, times) in [(Add, 1), (Mul, 2), (Neg, 1), (MulAdd, 1)] {
        assert_eq!(functions.iter().filter(|&&f| f == function).count(), times, "{function:?}");
    }
    let outputs = program.outputs();
    assert!(outputs[0] == outputs[1] && outputs[2] == outputs[3]);
}

/// A random expression: each step takes two or three earlier results, among them constants that are
/// pruned.
fn expression<T: Real>(seed: u64, inputs: &[T]) -> Vec<T> {
    let mut rng = Rng::new(seed);
    let mut pool: Vec<T> = inputs.to_vec();
    for x in [0.0, 1.0, -1.0, 2.0, -0.3, 0.5] {
        pool.push(T::from_f64(x));
    }
    for _ in 0..60 {
        let pick = |rng: &mut Rng| pool[rng.below(pool.len())];
        let (a, b, c) = (pick(&mut rng), pick(&mut rng), pick(&mut rng));
        // bounded, so that no result overflows
        let small = |x: T| x.sin_cos().0;
        pool.push(match rng.below(10) {
            0 => a + b,
            1 => a - b,
            2 => small(a) * b,
            3 => a / (b * b + T::one()),
            4 => -a,
            5 => small(a).mul_add(b, c),
            6 => a.sin_cos().1,
            7 => (a.abs() + T::one()).sqrt(),
            8 => small(a).exp().ln(),
            _ => a.atan2(b.abs() + T::one()),
        });
    }
    pool.split_off(inputs.len() + 6)
}

#[test]
fn a_program_gives_the_bits_of_the_expression_with_no_more_operations() {
    let mut rng = Rng::new(41);
    for seed in 0..300 {
        let sample = rng.list(3, 2.0);
        let program = record(&sample, |x| expression(seed, x));
        for _ in 0..5 {
            let x = rng.list(3, 2.0);
            // 0 equals −0
            assert_eq!(program.evaluate(&x), expression::<f64>(seed, &x), "expression {seed}");
        }
        let counted: Vec<Counted> = sample.iter().map(|&x| Counted::from_f64(x)).collect();
        let all = count_operations(|| expression(seed, &counted)).1;
        let ours = program.count();
        assert!(ours.mul <= all.mul && ours.add <= all.add && ours.div <= all.div);
        assert!(ours.sqrt <= all.sqrt && ours.trig <= all.trig);
    }
}

#[test]
fn choices_are_those_at_the_sample() {
    let program = record(&[1.0, 2.0], |x| vec![x[0].max(x[1])]);
    assert_eq!(program.outputs(), [Operand::Input(1)]);
    assert_eq!(program.evaluate(&[4.0, 3.0]), [3.0]);
}

#[test]
fn a_trace_that_fails_leaves_the_thread_as_it_was() {
    let failed = trace(&[1.0], |x| if x[0].lane(0) > 0.0 { Err("no") } else { Ok(vec![]) });
    assert_eq!(failed, Err("no"));
    let program = record(&[1.0, 2.0], |x| {
        let inner = record(&[3.0], |y| vec![y[0] * y[0]]);
        assert_eq!(inner.evaluate(&[3.0]), [9.0]);
        vec![x[0] / x[1]]
    });
    assert_eq!(program.evaluate(&[1.0, 4.0]), [0.25]);
}

#[test]
#[should_panic(expected = "belongs to the trace that made it")]
fn a_number_of_another_trace_is_refused() {
    let mut kept = None;
    record(&[1.0], |x| {
        kept = Some(x[0]);
        vec![]
    });
    record(&[1.0], |x| vec![x[0] + kept.expect("a number")]);
}
