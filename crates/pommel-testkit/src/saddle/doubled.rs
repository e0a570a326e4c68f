//! Sums of twice the digits.

/// A number of about 32 digits: an unevaluated sum of two `f64`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Doubled {
    high: f64,
    low: f64,
}

impl Doubled {
    pub(super) fn new(x: f64) -> Self {
        Doubled { high: x, low: 0.0 }
    }

    pub(super) fn value(self) -> f64 {
        self.high
    }

    pub(super) fn plus(self, x: f64) -> Self {
        let (sum, error) = two_sum(self.high, x);
        renormalized(sum, error + self.low)
    }

    /// `self + a · x`, the product without rounding as long as nothing underflows.
    pub(super) fn plus_product(self, a: f64, x: Doubled) -> Self {
        let product = a * x.high;
        let low = a.mul_add(x.high, -product) + a * x.low;
        let (sum, error) = two_sum(self.high, product);
        renormalized(sum, error + (self.low + low))
    }
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let other = sum - a;
    (sum, (a - (sum - other)) + (b - other))
}

fn renormalized(high: f64, low: f64) -> Doubled {
    let sum = high + low;
    Doubled { high: sum, low: low - (sum - high) }
}

#[cfg(test)]
mod tests {
    use super::Doubled;

    #[test]
    fn what_cancels_in_f64_stays() {
        let sum = Doubled::new(1e16).plus(1.0).plus(-1e16);
        assert_eq!(sum.value(), 1.0);
        let x = 1.0 + f64::EPSILON;
        let square = Doubled::new(0.0).plus_product(x, Doubled::new(x)).plus(-1.0);
        assert_eq!(square.plus(-2.0 * f64::EPSILON).value(), f64::EPSILON * f64::EPSILON);
    }
}
