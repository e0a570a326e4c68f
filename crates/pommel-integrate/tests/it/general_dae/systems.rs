//! Systems with known index and solution.

use pommel_integrate::{Dae, MatrixTimes, QuasilinearDae};
use pommel_math::Real;

pub(crate) const G: f64 = 9.81;

fn number<S: Real>(x: f64) -> S {
    S::from_f64(x)
}

/// `x2' = q1 − x1`, `x3' = q2 − 2 x2 − t (q1 − x1)`, `0 = q3 − t x2 − x3`, of index 3 without degrees of
/// freedom \[Zam19, eq. 3.2\]: with q = (sin t, 1, 2) the solution is (sin t, 1, 2 − t), with q = (1, 1, 0)
/// it is (1, 1, −t).
pub(crate) struct Linear {
    pub(crate) constant: bool,
}

impl Dae for Linear {
    fn dim(&self) -> usize {
        3
    }
    fn residual<S: Real>(&self, t: S, x: &[S], xp: &[S], r: &mut [S]) {
        let (q1, q3) = match self.constant {
            true => (S::one(), S::zero()),
            false => (t.sin_cos().0, number(2.0)),
        };
        r[0] = xp[1] - q1 + x[0];
        r[1] = xp[2] - S::one() + x[1] + x[1] + t * (q1 - x[0]);
        r[2] = q3 - t * x[1] - x[2];
    }
}

impl Linear {
    pub(crate) fn exact(&self, t: f64) -> [f64; 3] {
        if self.constant { [1.0, 1.0, -t] } else { [t.sin(), 1.0, 2.0 - t] }
    }
}

/// A Lagrangian system in (x, y, u, v, λ) with the constraint `x² + (x² − y)² = 1` \[Zam19, eq. 1.2.1\].
pub(crate) struct Parabola;

impl QuasilinearDae for Parabola {
    fn dim(&self) -> usize {
        5
    }
    fn matrix<S: Real>(&self, _t: S, s: &[S], e: &mut MatrixTimes<'_, S>) {
        let two_x = s[0] + s[0];
        e.add(0, 0, S::one());
        e.add(1, 1, S::one());
        e.add(2, 2, S::one() + two_x * two_x);
        e.add(2, 3, two_x);
        e.add(3, 2, two_x);
        e.add(3, 3, S::one());
    }
    fn right_side<S: Real>(&self, _t: S, s: &[S], g: &mut [S]) {
        let [x, y, u, v, lambda] = [s[0], s[1], s[2], s[3], s[4]];
        let (two, gravity) = (number::<S>(2.0), number::<S>(G));
        let w = x * x - y;
        g[0] = u;
        g[1] = v;
        g[2] =
            -(number::<S>(4.0) * x * u * u + x * gravity) - two * x * (S::one() + two * w) * lambda;
        g[3] = number::<S>(0.5) * gravity - two * u * u + two * w * lambda;
        g[4] = S::one() - x * x - w * w;
    }
}

impl Parabola {
    /// The constraints as printed in \[Zam19, eqs. 2.3.2 to 2.3.4\].
    pub(crate) fn printed(s: &[f64]) -> [f64; 3] {
        let [x, y, u, v, l] = [s[0], s[1], s[2], s[3], s[4]];
        let x2 = x * x;
        let alg1 = x2 + (x2 - y).powi(2) - 1.0;
        let alg2 = 2.0 * x * u - 4.0 * (x * u - v / 2.0) * (y - x2);
        let alg3 = -64.0 * l * x.powi(6)
            + ((128.0 * y - 36.0) * l - 16.0 * G) * x.powi(4)
            + ((-64.0 * y * y + 40.0 * y - 4.0) * l + 16.0 * y * G + 16.0 * u * u - 5.0 * G) * x2
            - 8.0 * x * u * v
            - 4.0 * l * y * y
            + (-8.0 * u * u + G) * y
            + 2.0 * u * u
            + 2.0 * v * v;
        [alg1, alg2, alg3]
    }

    /// λ' as printed in \[Zam19, eq. 2.2.5\].
    pub(crate) fn printed_rate_of_lambda(s: &[f64]) -> f64 {
        let [x, y, u, v, l] = [s[0], s[1], s[2], s[3], s[4]];
        let power = |k: i32| x.powi(k);
        let numerator =
            768.0 * l * power(5) * u - 256.0 * l * power(4) * v - 1024.0 * l * power(3) * u * y
                + 288.0 * l * power(3) * u
                + 256.0 * l * power(2) * v * y
                + 256.0 * l * x * u * y * y
                + 160.0 * power(3) * u * G
                - 80.0 * l * power(2) * v
                - 160.0 * l * x * u * y
                - 48.0 * power(2) * v * G
                - 48.0 * x * u.powi(3)
                - 64.0 * x * u * y * G
                + 16.0 * l * x * u
                + 16.0 * l * v * y
                + 22.0 * x * u * G
                + 24.0 * u * u * v
                - 3.0 * v * G;
        let denominator =
            16.0 * power(6) - 32.0 * power(4) * y + 9.0 * power(4) + 16.0 * power(2) * y * y
                - 10.0 * y * power(2)
                + power(2)
                + y * y;
        -numerator / (4.0 * denominator)
    }
}

/// A pendulum of 1 m in (x, y, u, v, λ), with its constraint differentiated `level` times: index 3, 2, 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pendulum {
    pub(crate) level: usize,
}

impl Dae for Pendulum {
    fn dim(&self) -> usize {
        5
    }
    fn residual<S: Real>(&self, _t: S, s: &[S], sp: &[S], r: &mut [S]) {
        let [x, y, u, v, lambda] = [s[0], s[1], s[2], s[3], s[4]];
        let gravity = number::<S>(G);
        r[0] = sp[0] - u;
        r[1] = sp[1] - v;
        r[2] = sp[2] + x * lambda;
        r[3] = sp[3] + y * lambda + gravity;
        r[4] = match self.level {
            0 => x * x + y * y - S::one(),
            1 => x * u + y * v,
            _ => u * u + v * v - lambda * (x * x + y * y) - gravity * y,
        };
    }
}

impl Pendulum {
    /// At an angle from the vertical, with an angular velocity.
    pub(crate) fn state(angle: f64, rate: f64) -> [f64; 5] {
        let (s, c) = angle.sin_cos();
        [s, -c, rate * c, rate * s, rate * rate + G * c]
    }
}

/// The car axis of the test set for initial value problems, (xl, yl, xr, yr), their velocities, λ.
pub(crate) struct CarAxis;

impl Dae for CarAxis {
    fn dim(&self) -> usize {
        10
    }
    fn residual<S: Real>(&self, t: S, s: &[S], sp: &[S], r: &mut [S]) {
        let (length, rest, k) = (1.0, 0.5, 10.0 * 0.01 * 0.01 / 2.0);
        let yb = number::<S>(0.1) * (number::<S>(10.0) * t).sin_cos().0;
        let xb = (number::<S>(length) - yb * yb).sqrt();
        let [xl, yl, xr, yr] = [s[0], s[1], s[2], s[3]];
        let (l1, l2) = (s[8], s[9]);
        let left = (xl * xl + yl * yl).sqrt();
        let (dx, dy) = (xr - xb, yr - yb);
        let right = (dx * dx + dy * dy).sqrt();
        let (spring_left, spring_right) =
            ((number::<S>(rest) - left) / left, (number::<S>(rest) - right) / right);
        let weight = number::<S>(k);
        let (gx, gy) = (number::<S>(2.0) * (xl - xr), number::<S>(2.0) * (yl - yr));
        let forces = [
            spring_left * xl + xb * l1 + gx * l2,
            spring_left * yl - weight + yb * l1 + gy * l2,
            spring_right * dx - gx * l2,
            spring_right * dy - weight - gy * l2,
        ];
        for i in 0..4 {
            r[i] = sp[i] - s[4 + i];
            r[4 + i] = weight * sp[4 + i] - forces[i];
        }
        r[8] = xb * xl + yb * yl;
        r[9] = (xl - xr) * (xl - xr) + (yl - yr) * (yl - yr) - S::one();
    }
}

/// A source `u0 sin t` over a resistor and a capacitor, (node voltages e1, e2, current of the source): index 1.
pub(crate) struct Circuit;

impl Circuit {
    pub(crate) const R: f64 = 2.0;
    pub(crate) const C: f64 = 0.25;

    /// e2 with e2(0) = 0.
    pub(crate) fn capacitor(t: f64) -> f64 {
        let tau = Circuit::R * Circuit::C;
        (t.sin() - tau * t.cos() + tau * (-t / tau).exp()) / (1.0 + tau * tau)
    }
}

impl Dae for Circuit {
    fn dim(&self) -> usize {
        3
    }
    fn residual<S: Real>(&self, t: S, s: &[S], sp: &[S], r: &mut [S]) {
        let conductance = number::<S>(1.0 / Circuit::R);
        r[0] = conductance * (s[0] - s[1]) + s[2];
        r[1] = number::<S>(Circuit::C) * sp[1] + conductance * (s[1] - s[0]);
        r[2] = s[0] - t.sin_cos().0;
    }
}

/// `E y' = A y + f` with constant matrices, row by row, and `f_i = sin((i + 1) t)`.
pub(crate) struct Constant {
    pub(crate) e: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) n: usize,
}

impl Dae for Constant {
    fn dim(&self) -> usize {
        self.n
    }
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]) {
        let n = self.n;
        for i in 0..n {
            let mut sum = -(number::<S>((i + 1) as f64) * t).sin_cos().0;
            for j in 0..n {
                // what is not there must not be seen
                for (matrix, x) in [(self.e[i * n + j], yp[j]), (-self.a[i * n + j], y[j])] {
                    if matrix != 0.0 {
                        sum += number::<S>(matrix) * x;
                    }
                }
            }
            r[i] = sum;
        }
    }
}

/// Another system with its equations mixed by rotations in time, of equation i with the next one.
#[derive(Debug)]
pub(crate) struct Mixed<D>(pub(crate) D);

impl<D: Dae> Dae for Mixed<D> {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]) {
        self.0.residual(t, y, yp, r);
        let (s, c) = (t + t).sin_cos();
        for i in 1..r.len() {
            let (a, b) = (r[i - 1], r[i]);
            (r[i - 1], r[i]) = (c * a - s * b, s * a + c * b);
        }
    }
}
