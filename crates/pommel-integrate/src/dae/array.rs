//! The derivative array: a system and its derivatives by time, with their Jacobian.
//!
//! | here   | meaning                                                                        |
//! |--------|--------------------------------------------------------------------------------|
//! | `k`    | order: how often the equations are differentiated                              |
//! | `c_j`  | Taylor coefficient j of y at t, `y^(j) / j!`, `j = 0..=k + 1`; `c_0 = y`, `c_1 = y'` |
//! | `r_i`  | Taylor coefficient i of `F(t, y(t), y'(t))`, `i = 0..=k`                       |
//! | `J`    | `∂r_i/∂c_j = [F_y]_{i−j} + j [F_y']_{i−j+1}`, `n (k + 1)` × `n (k + 2)`         |
//!
//! where `[X]_i` is Taylor coefficient i of X, and zero for negative i: a change of `c_j` by δ changes
//! y by `δ τ^j` and y' by `j δ τ^(j−1)`. Equations are scaled by `1/i!` and unknowns by `j!` against the
//! derivative array of \[BCP96\], which changes no rank.

use pommel_math::{Jet, Real, Tangent};

use super::{Dae, DaeError};

/// The greatest order.
pub(super) const MAX_ORDER: usize = 8;

/// Derivatives found by one call of the residual.
const CHUNK: usize = 4;

/// Arguments and result of the residual, as Taylor series of order K with derivatives.
#[derive(Clone, Debug)]
struct Series<const K: usize> {
    y: Vec<Tangent<Jet<K>, CHUNK>>,
    yp: Vec<Tangent<Jet<K>, CHUNK>>,
    r: Vec<Tangent<Jet<K>, CHUNK>>,
}

impl<const K: usize> Series<K> {
    fn new(n: usize) -> Self {
        let zeros = vec![Tangent::default(); n];
        Series { y: zeros.clone(), yp: zeros.clone(), r: zeros }
    }

    /// Writes `r_i`, and with it `[F_y]_i` and `[F_y']_i`, n × n each, one after the other.
    fn evaluate<D: Dae>(&mut self, dae: &D, at: At<'_>, out: &mut Parts, derivatives: bool) {
        let n = self.y.len();
        let known = |j: usize, v: usize| if j <= at.order + 1 { at.c[j * n + v] } else { 0.0 };
        let chunks = if derivatives { (2 * n).div_ceil(CHUNK) } else { 1 };
        for chunk in 0..chunks {
            let seed = |direction: usize| {
                let mut gradient = [Jet::zero(); CHUNK];
                if derivatives && direction / CHUNK == chunk {
                    gradient[direction % CHUNK] = Jet::one();
                }
                gradient
            };
            for v in 0..n {
                let y = Jet::new(known(0, v), std::array::from_fn(|i| known(i + 1, v)));
                let rate = |i: usize| (i + 1) as f64 * known(i + 1, v);
                let yp = Jet::new(rate(0), std::array::from_fn(|i| rate(i + 1)));
                self.y[v] = Tangent::new(y, seed(v));
                self.yp[v] = Tangent::new(yp, seed(n + v));
            }
            self.r.fill(Tangent::default());
            let t = Tangent::constant(Jet::variable(at.t));
            dae.residual(t, &self.y, &self.yp, &mut self.r);
            for (e, r) in self.r.iter().enumerate() {
                for i in 0..=at.order {
                    let row = i * n + e;
                    if chunk == 0 {
                        out.residual[row] = r.value().coefficient(i);
                    }
                    if !derivatives {
                        continue;
                    }
                    for lane in 0..CHUNK.min(2 * n - chunk * CHUNK) {
                        let direction = chunk * CHUNK + lane;
                        let by = if direction < n { &mut out.by_y } else { &mut out.by_yp };
                        by[row * n + direction % n] = r.derivative(lane).coefficient(i);
                    }
                }
            }
        }
    }
}

/// Where an array is evaluated.
#[derive(Clone, Copy)]
struct At<'a> {
    t: f64,
    c: &'a [f64],
    order: usize,
}

/// `r_i`, `[F_y]_i` and `[F_y']_i`, row by row.
#[derive(Clone, Debug)]
struct Parts {
    residual: Vec<f64>,
    by_y: Vec<f64>,
    by_yp: Vec<f64>,
}

/// Memory of the series that an order needs.
#[derive(Clone, Debug)]
enum Scalars {
    K1(Series<1>),
    K2(Series<2>),
    K3(Series<3>),
    K4(Series<4>),
    K6(Series<6>),
    K8(Series<8>),
}

/// The derivative array of one order.
#[derive(Clone, Debug)]
pub(super) struct DerivativeArray {
    n: usize,
    order: usize,
    scalars: Scalars,
    parts: Parts,
    /// J, row by row
    jacobian: Vec<f64>,
}

impl DerivativeArray {
    /// # Panics
    /// If the order is above [`MAX_ORDER`].
    pub(super) fn new(n: usize, order: usize) -> Self {
        let scalars = match order {
            0 | 1 => Scalars::K1(Series::new(n)),
            2 => Scalars::K2(Series::new(n)),
            3 => Scalars::K3(Series::new(n)),
            4 => Scalars::K4(Series::new(n)),
            5 | 6 => Scalars::K6(Series::new(n)),
            _ => Scalars::K8(Series::new(n)),
        };
        assert!(order <= MAX_ORDER, "order {order} is above {MAX_ORDER}");
        let m = n * (order + 1);
        let parts =
            Parts { residual: vec![0.0; m], by_y: vec![0.0; m * n], by_yp: vec![0.0; m * n] };
        DerivativeArray { n, order, scalars, parts, jacobian: vec![0.0; m * (m + n)] }
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn order(&self) -> usize {
        self.order
    }

    /// Number of rows: `n (k + 1)`.
    pub(super) fn rows(&self) -> usize {
        self.n * (self.order + 1)
    }

    /// `r_i`, one after the other.
    pub(super) fn residual(&self) -> &[f64] {
        &self.parts.residual
    }

    /// Entry of J; column `j n + v` belongs to component v of `c_j`.
    #[inline(always)]
    pub(super) fn jacobian(&self, row: usize, column: usize) -> f64 {
        self.jacobian[row * (self.rows() + self.n) + column]
    }

    /// Evaluates at t and the coefficients `c_j`, one after the other; J only where it is asked for.
    ///
    /// # Errors
    /// [`DaeError::NonFinite`].
    pub(super) fn evaluate<D: Dae>(
        &mut self,
        dae: &D,
        t: f64,
        c: &[f64],
        derivatives: bool,
    ) -> Result<(), DaeError> {
        let at = At { t, c, order: self.order };
        let parts = &mut self.parts;
        match &mut self.scalars {
            Scalars::K1(series) => series.evaluate(dae, at, parts, derivatives),
            Scalars::K2(series) => series.evaluate(dae, at, parts, derivatives),
            Scalars::K3(series) => series.evaluate(dae, at, parts, derivatives),
            Scalars::K4(series) => series.evaluate(dae, at, parts, derivatives),
            Scalars::K6(series) => series.evaluate(dae, at, parts, derivatives),
            Scalars::K8(series) => series.evaluate(dae, at, parts, derivatives),
        }
        let n = self.n;
        let fail =
            |row: usize| Err(DaeError::NonFinite { t, equation: row % n, differentiated: row / n });
        if let Some(row) = parts.residual.iter().position(|r| !r.is_finite()) {
            return fail(row);
        }
        if derivatives {
            for by in [&parts.by_y, &parts.by_yp] {
                if let Some(at) = by.iter().position(|x| !x.is_finite()) {
                    return fail(at / n);
                }
            }
            self.assemble();
        }
        Ok(())
    }

    fn assemble(&mut self) {
        let (n, columns) = (self.n, self.rows() + self.n);
        let Parts { by_y, by_yp, .. } = &self.parts;
        for i in 0..=self.order {
            for e in 0..n {
                let row = &mut self.jacobian[(i * n + e) * columns..][..columns];
                for j in 0..=i + 1 {
                    let of_y = (i + 1 - j).checked_sub(1).map(|d| &by_y[(d * n + e) * n..][..n]);
                    // not used for j = 0
                    let of_yp = &by_yp[((i + 1 - j).min(i) * n + e) * n..][..n];
                    for v in 0..n {
                        row[j * n + v] = of_y.map_or(0.0, |of_y| of_y[v]) + j as f64 * of_yp[v];
                    }
                }
            }
        }
    }
}
