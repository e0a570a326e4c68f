//! Every scalar keeps its promise.

use pommel_math::{
    Counted, Dual, InstructionSet, Kernel, Lanes, Mask, Real, count_operations, dispatch,
    instruction_set,
};
use pommel_testkit::Rng;

/// A formula that uses every function of the bound.
pub(crate) fn formula<T: Real>(x: T, y: T) -> T {
    let (s, c) = (x * y).sin_cos();
    let root = (x * x + T::from_f64(0.3)).sqrt();
    let chosen = T::select(x.lt(y), s / root, c.mul_add(y, -x));
    let mut sum = chosen.abs() + y.exp().recip() + (root + T::one()).ln();
    sum += x.atan2(root);
    sum -= x.max(y) * x.min(y);
    sum *= T::select(y.le(x) & x.is_finite(), x, y);
    sum
}

#[test]
fn a_lane_is_an_f64_to_the_bit() {
    let mut rng = Rng::new(5);
    for _ in 0..5_000 {
        let x: [f64; 4] = std::array::from_fn(|_| rng.symmetric(3.0));
        let y: [f64; 4] = std::array::from_fn(|_| rng.symmetric(3.0));
        let lanes = formula(Lanes(x), Lanes(y));
        for i in 0..4 {
            assert_eq!(lanes.0[i].to_bits(), formula(x[i], y[i]).to_bits());
        }
    }
}

#[test]
fn dual_derivatives_agree_with_central_differences() {
    let mut rng = Rng::new(6);
    let mut tried = 0;
    while tried < 2_000 {
        let (x, y) = (rng.symmetric(2.0), rng.symmetric(2.0));
        // the formula jumps at x = y, |·| and min have corners
        if (x - y).abs() < 0.01 || x.abs() < 0.01 || y.abs() < 0.01 {
            continue;
        }
        tried += 1;
        let d = formula(Dual::<2>::variable(x, 0), Dual::variable(y, 1));
        assert!((d.value() - formula(x, y)).abs() <= 8.0 * f64::EPSILON * d.value().abs().max(1.0));
        let h = 1e-6;
        let dx = (formula(x + h, y) - formula(x - h, y)) / (2.0 * h);
        let dy = (formula(x, y + h) - formula(x, y - h)) / (2.0 * h);
        for (got, truth) in [(d.derivative(0), dx), (d.derivative(1), dy)] {
            let corner = (got - truth).abs() > 1e-3;
            // |chosen| has a corner wherever it crosses zero: seen by one-sided differences
            let near = corner && {
                let side = |h: f64| (formula(x + h, y) - formula(x, y)) / h;
                (side(1e-6) - side(-1e-6)).abs() > 1e-3 || {
                    let side = |h: f64| (formula(x, y + h) - formula(x, y)) / h;
                    (side(1e-6) - side(-1e-6)).abs() > 1e-3
                }
            };
            assert!(
                near || (got - truth).abs() < 1e-7 * (1.0 + truth.abs()),
                "{x} {y} {got} {truth}"
            );
        }
    }
}

#[test]
fn operations_are_counted_as_the_literature_does() {
    let (x, y) = (Counted::from_f64(1.5), Counted::from_f64(-0.5));
    let (_, c) = count_operations(|| x.mul_add(y, x) - y * x / (x + y) + -x.sin_cos().0 + x.sqrt());
    assert_eq!((c.mul, c.add, c.div, c.sqrt, c.trig), (2, 5, 1, 1, 1));
    let (_, outer) = count_operations(|| {
        let (_, inner) = count_operations(|| x * y);
        assert_eq!(inner.mul, 1);
        x + y
    });
    assert_eq!((outer.mul, outer.add), (0, 1));
}

#[test]
fn single_precision_rounds_double() {
    let x = 0.7_f32;
    assert_eq!(Real::sin_cos(x).0, libm::sin(f64::from(x)) as f32);
    assert!((formula(0.7_f32, 0.4) - formula(0.7, 0.4) as f32).abs() < 1e-6);
}

#[test]
fn comparisons_with_nan_are_false() {
    let x = Lanes([1.0, f64::NAN, 3.0, f64::INFINITY]);
    let y = Lanes([2.0, 2.0, f64::NAN, f64::INFINITY]);
    assert_eq!(x.lt(y).bits(), 0b0001);
    assert_eq!(x.le(y).bits(), 0b1001);
    assert_eq!(x.is_finite().bits(), 0b0101);
    assert_eq!((!x.le(y) & Mask::all(4)).bits(), 0b0110);
    assert_eq!(Mask::all(8).count(), 8);
    assert!(Mask::NONE.is_none() && Mask::NONE.first().is_none());
}

struct Sum<'a>(&'a [Lanes<4>]);

impl Kernel for Sum<'_> {
    type Output = Lanes<4>;
    #[inline(always)]
    fn run(self) -> Lanes<4> {
        self.0.iter().fold(Lanes::default(), |s, &x| x.mul_add(x, s * Lanes::from_f64(0.9)))
    }
}

/// The wide code and the baseline code give the same bits: a fused operation stays fused.
#[test]
fn dispatch_changes_no_bit() {
    let mut rng = Rng::new(7);
    let list: Vec<Lanes<4>> =
        (0..999).map(|_| Lanes(std::array::from_fn(|_| rng.symmetric(1.0)))).collect();
    assert_eq!(dispatch(Sum(&list)), Sum(&list).run());
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        assert_ne!(instruction_set(), InstructionSet::Baseline);
    }
}

/// What keeps single numbers from being packed must leave them as they are, in every form.
#[test]
fn multiply_add_of_one_number_is_that_of_the_processor() {
    let list = [0.0, -0.0, 1.0, -3.5, 1e-308, 5e-324, 1e308, f64::INFINITY, f64::NAN, 0.1, -7e12];
    for a in list {
        for b in list {
            for c in list {
                let same =
                    |x: f64, y: f64| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
                let truth = f64::mul_add(a, b, c);
                assert!(same(<f64 as Real>::mul_add(a, b, c), truth), "{a} {b} {c}");
                assert!(same(a.mul_add(b, c), truth), "{a} {b} {c}");
                let (p, q, r) = (a as f32, b as f32, c as f32);
                let (x, y) = (<f32 as Real>::mul_add(p, q, r), f32::mul_add(p, q, r));
                assert!(x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()), "{p} {q} {r}");
            }
        }
    }
}
