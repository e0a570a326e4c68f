//! Truncated Taylor series in one variable.
//!
//! | here      | meaning                                                              |
//! |-----------|----------------------------------------------------------------------|
//! | `K`       | order: the highest power that is kept                                |
//! | `c_k`     | coefficient of the `k`-th power, `k = 0..=K`; the derivative is `k! c_k` |
//!
//! A product is the convolution of its factors. Every other function follows from a differential
//! equation that it satisfies, compared power by power, which gives coefficient `k` from those before
//! it in O(k) operations [GW08, chapter 13]:
//!
//! | function            | equation              | coefficient `k`                               |
//! |---------------------|-----------------------|-----------------------------------------------|
//! | `q = a / b`         | `q b = a`             | `(a_k − Σ_{j<k} q_j b_{k−j}) / b_0`           |
//! | `r = √a`            | `r² = a`              | `(a_k − Σ_{0<j<k} r_j r_{k−j}) / (2 r_0)`     |
//! | `e = exp a`         | `e' = a' e`           | `Σ_{0<j≤k} j a_j e_{k−j} / k`                 |
//! | `l = ln a`          | `a l' = a'`           | `(a_k − Σ_{0<j<k} j l_j a_{k−j} / k) / a_0`   |
//! | `s, c = sin, cos a` | `s' = a' c, c' = −a' s` | `Σ_{0<j≤k} j a_j c_{k−j} / k`, and so on    |
//! | `p = atan2(y, x)`   | `(x² + y²) p' = x y' − y x'` | as for `ln`                            |

use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::Mask;
use crate::real::{Real, sealed::Sealed};

/// A function of one variable (time, say) as its Taylor series around a point, cut after the power
/// `K`: `Jet<2>` carries value, first and second derivative, `Jet<0>` the value alone.
///
/// What goes in as a function of time comes out as one: seed the arguments with [`variable`] or
/// [`from_derivatives`], run the kernel, read [`derivative`]. The value has the bits of `f64`, the
/// first derivative those of [`Dual`](crate::Dual); derivatives of all orders are exact to rounding.
/// Comparisons look at the value only, so the derivatives of a [`select`](Real::select) are those of
/// the chosen side, and [`abs`](Real::abs) at 0 has those of its argument.
///
/// Where a function has no derivative, the coefficients say so with infinities or NaN, also for an
/// argument that does not move, as with `Dual`: [`sqrt`](Real::sqrt) at 0 (infinite slope, NaN from
/// there on and for constants), [`ln`](Real::ln) at 0, [`atan2`](Real::atan2) at the origin, a
/// division by 0. The value is not touched by that.
///
/// ```
/// use pommel_math::{Jet, Real};
///
/// // x = sin(t²) at t = 0.5: velocity 2 t cos(t²), acceleration 2 cos(t²) − 4 t² sin(t²)
/// let t = Jet::<2>::variable(0.5);
/// let (x, _) = (t * t).sin_cos();
/// assert_eq!(x.derivative(1), 0.25_f64.cos());
/// let acceleration = 2.0 * 0.25_f64.cos() - 0.25_f64.sin();
/// assert!((x.derivative(2) - acceleration).abs() < 1e-15);
/// ```
///
/// [`variable`]: Jet::variable
/// [`from_derivatives`]: Jet::from_derivatives
/// [`derivative`]: Jet::derivative
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<const K: usize> {
    value: f64,
    /// `c_1, …, c_K`: stable Rust has no array of length `K + 1`.
    higher: [f64; K],
}

impl<const K: usize> Default for Jet<K> {
    fn default() -> Self {
        Jet::constant(0.0)
    }
}

impl<const K: usize> Jet<K> {
    /// `x`, which does not change.
    #[inline(always)]
    pub const fn constant(x: f64) -> Self {
        Jet { value: x, higher: [0.0; K] }
    }

    /// The variable itself, at `t`: its derivative is 1.
    #[inline(always)]
    pub fn variable(t: f64) -> Self {
        let mut jet = Jet::constant(t);
        if let Some(slope) = jet.higher.first_mut() {
            *slope = 1.0;
        }
        jet
    }

    /// The value `c_0` and the coefficients `c_1, …, c_K`.
    #[inline(always)]
    pub const fn new(value: f64, coefficients: [f64; K]) -> Self {
        Jet { value, higher: coefficients }
    }

    /// The value and the derivatives of order `1, …, K`.
    #[inline(always)]
    pub fn from_derivatives(value: f64, derivatives: [f64; K]) -> Self {
        let mut jet = Jet::new(value, derivatives);
        for (k, c) in jet.higher.iter_mut().enumerate() {
            *c /= factorial(k + 1);
        }
        jet
    }

    /// The value.
    #[inline(always)]
    pub const fn value(self) -> f64 {
        self.value
    }

    /// The coefficient `c_k` of the `k`-th power.
    ///
    /// # Panics
    /// If `k` is above `K`.
    #[inline(always)]
    pub const fn coefficient(self, k: usize) -> f64 {
        if k == 0 { self.value } else { self.higher[k - 1] }
    }

    /// The `k`-th derivative, `k! c_k`; that of order 0 is the value.
    ///
    /// # Panics
    /// If `k` is above `K`.
    #[inline(always)]
    pub fn derivative(self, k: usize) -> f64 {
        factorial(k) * self.coefficient(k)
    }

    /// Coefficient `k`, short.
    #[inline(always)]
    fn at(&self, k: usize) -> f64 {
        self.coefficient(k)
    }

    /// The series with this value whose coefficient `k` is `f` of `k` and of the series so far.
    #[inline(always)]
    fn recur(value: f64, f: impl Fn(usize, &Self) -> f64) -> Self {
        let mut jet = Jet::constant(value);
        for k in 1..=K {
            jet.higher[k - 1] = f(k, &jet);
        }
        jet
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Jet { value: f(self.value), higher: self.higher.map(f) }
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Jet::recur(f(self.value, other.value), |k, _| f(self.at(k), other.at(k)))
    }

    /// `Σ_{0<j≤k} j self_j f_{k−j}`: coefficient `k − 1` of `self' f`.
    #[inline(always)]
    fn slope_times(&self, f: &Self, k: usize) -> f64 {
        let mut sum = k as f64 * self.at(k) * f.at(0);
        for j in 1..k {
            sum = (j as f64 * self.at(j)).mul_add(f.at(k - j), sum);
        }
        sum
    }

    /// `Σ_{0<j<k} j self_j f_{k−j}`: the same without the coefficient `k` of `self`.
    #[inline(always)]
    fn slope_times_known(&self, f: &Self, k: usize) -> f64 {
        let mut sum = 0.0;
        for j in 1..k {
            sum = (j as f64 * self.at(j)).mul_add(f.at(k - j), sum);
        }
        sum
    }

    /// `sum + Σ_{j<k} self_j b_{k−j}`: what is left of coefficient `k` of a product after its first
    /// term.
    #[inline(always)]
    fn convolve(&self, b: &Self, k: usize, mut sum: f64) -> f64 {
        for j in (0..k).rev() {
            sum = self.at(j).mul_add(b.at(k - j), sum);
        }
        sum
    }
}

/// `k!`, exact up to 22.
#[inline(always)]
fn factorial(k: usize) -> f64 {
    (2..=k).fold(1.0, |product, j| product * j as f64)
}

impl<const K: usize> Add for Jet<K> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const K: usize> Sub for Jet<K> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const K: usize> Mul for Jet<K> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Jet::recur(self.value * other.value, |k, _| {
            self.convolve(&other, k, self.at(k) * other.value)
        })
    }
}

impl<const K: usize> Div for Jet<K> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let inverse = 1.0 / other.value;
        Jet::recur(self.value / other.value, |k, q| {
            let mut rest = self.at(k);
            for j in 0..k {
                rest = (-q.at(j)).mul_add(other.at(k - j), rest);
            }
            rest * inverse
        })
    }
}

impl<const K: usize> Neg for Jet<K> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|c| -c)
    }
}

impl<const K: usize> AddAssign for Jet<K> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const K: usize> SubAssign for Jet<K> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const K: usize> MulAssign for Jet<K> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl<const K: usize> Sealed for Jet<K> {}

impl<const K: usize> Real for Jet<K> {
    const LANES: usize = 1;
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Jet::constant(x)
    }
    #[inline(always)]
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        Jet::constant(f(0))
    }
    #[inline(always)]
    fn lane(self, _i: usize) -> f64 {
        self.value
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Jet::recur(self.value.mul_add(b.value, c.value), |k, _| {
            self.convolve(&b, k, self.at(k).mul_add(b.value, c.at(k)))
        })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        let slope = 0.5 / root;
        Jet::recur(root, |k, r| {
            let mut rest = self.at(k);
            for j in 1..k {
                rest = (-r.at(j)).mul_add(r.at(k - j), rest);
            }
            slope * rest
        })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let Jet { value, higher } = if self.value < 0.0 { -self } else { self };
        // −0 is not less than 0
        Jet { value: value.abs(), higher }
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = <f64 as Real>::sin_cos(self.value);
        let (mut s, mut c) = (Jet::constant(s), Jet::constant(c));
        for k in 1..=K {
            let (ds, dc) = (self.slope_times(&c, k), -self.slope_times(&s, k));
            s.higher[k - 1] = ds / k as f64;
            c.higher[k - 1] = dc / k as f64;
        }
        (s, c)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let y = self;
        let square = y.value.mul_add(y.value, x.value * x.value);
        let square = Jet::recur(square, |k, _| {
            let first = y.value.mul_add(y.at(k), x.value * x.at(k));
            y.convolve(&y, k, x.convolve(&x, k, first))
        });
        Jet::recur(libm::atan2(y.value, x.value), |k, p| {
            let mut rest = k as f64 * (x.value * y.at(k) - y.value * x.at(k));
            for j in 1..k {
                rest += j as f64 * (x.at(k - j) * y.at(j) - y.at(k - j) * x.at(j));
            }
            (rest - p.slope_times_known(&square, k)) / (k as f64 * square.value)
        })
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Jet::recur(libm::exp(self.value), |k, e| self.slope_times(e, k) / k as f64)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        let inverse = 1.0 / self.value;
        Jet::recur(libm::log(self.value), |k, l| {
            inverse * (self.at(k) - l.slope_times_known(&self, k) / k as f64)
        })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask {
        Real::lt(self.value, other.value)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask {
        Real::le(self.value, other.value)
    }
    #[inline(always)]
    fn is_finite(self) -> Mask {
        let finite = self.value.is_finite() && self.higher.iter().all(|c| c.is_finite());
        Mask::from_fn(1, |_| finite)
    }
    fn is_constant(self) -> bool {
        self.higher.iter().all(|&c| c == 0.0)
    }
    #[inline(always)]
    fn select(mask: Mask, a: Self, b: Self) -> Self {
        if mask.lane(0) { a } else { b }
    }
}
