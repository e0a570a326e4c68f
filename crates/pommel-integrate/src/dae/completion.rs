//! The differential equation that a differential-algebraic system determines, at any state.
//!
//! A state off the constraints satisfies no derivative array; so it is asked to satisfy that of
//!
//! ```text
//! F(t, y, y') = Σ_s e_s κ_s(t),    (d/dt + α)^ℓ_s κ_s = 0,    s = 1, …
//! ```
//!
//! with one function `κ_s` in the equation of each chain of hidden constraints, whose length `ℓ_s` is. As many
//! values `κ_s, κ_s', …, κ_s^(ℓ_s−1)` are free as there are constraints, and together with the derivatives of
//! y they are determined by t and y alone. Hence y' = f(t, y) is an ordinary differential equation, the
//! values are residuals of the hidden constraints at y, and along its solutions they vanish as `(s + α)^ℓ`
//! says: as by Baumgarte's method \[Zam19, section 4.3\], and for α = 0 as polynomials, in the drift of the
//! equations that are merely differentiated.

use super::array::DerivativeArray;
use super::levels::Chain;
use super::lu::FullPivotLu;
use super::{Dae, DaeError};

/// Newton steps for the derivatives of a state.
const MAX_STEPS: usize = 25;

/// A change below this, relative, is the last one: the next would be its square.
const LAST_CHANGE: f64 = 1e-9;

/// A change that may be rounding, in ill-conditioned equations, if it does not shrink.
const ROUNDING: f64 = 1e-6;

/// A factor is kept while it changes the unknowns by less than this part, or makes changes shrink by as much.
const KEEP_FACTOR: f64 = 0.03;

/// Numbers that stay 0 are chosen anew where the pivot ratio has shrunk by this since they were.
const WORN: f64 = 1e-2;

/// The least pivot ratio of a matrix that counts as regular.
const LEAST_PIVOT: f64 = 1e-13;

/// Derivatives of a state, and residuals of the hidden constraints there.
#[derive(Clone, Debug)]
pub(super) struct Derivatives {
    /// `c_0, …, c_{ν+1}`
    pub(super) c: Vec<f64>,
    /// `κ_s^(j)`, chain by chain
    pub(super) kappa: Vec<f64>,
    /// of `c_1, …` and κ: as many numbers as constraints, of high order, that are not determined and stay 0
    open: Vec<bool>,
    /// least pivot relative to the greatest, where these were chosen
    pivot: f64,
}

impl Derivatives {
    pub(super) fn new(c: Vec<f64>, n: usize, count: usize) -> Self {
        let open = vec![false; c.len() - n + count];
        Derivatives { c, kappa: vec![0.0; count], open, pivot: f64::INFINITY }
    }

    pub(super) fn copy_from(&mut self, other: &Derivatives) {
        self.c.copy_from_slice(&other.c);
        self.kappa.copy_from_slice(&other.kappa);
        self.open.copy_from_slice(&other.open);
        self.pivot = other.pivot;
    }
}

/// Equations for the derivatives of a state, in memory for one size.
#[derive(Clone, Debug)]
pub(super) struct Completion {
    array: DerivativeArray,
    chains: Vec<Chain>,
    /// what equations are multiplied by where they are compared
    scales: Vec<f64>,
    rate: f64,
    /// Taylor coefficient i of `κ_s` by `κ_s^(j)`; row i, one column for each value
    table: Vec<f64>,
    lu: FullPivotLu,
    rhs: Vec<f64>,
    change: Vec<f64>,
    pivot: f64,
}

impl Completion {
    /// For the array of order `index`.
    pub(super) fn new(n: usize, index: usize, chains: &[Chain], scales: &[f64]) -> Self {
        let array = DerivativeArray::new(n, index);
        let count: usize = chains.iter().map(|chain| chain.length).sum();
        let m = array.rows();
        let mut completion = Completion {
            array,
            chains: chains.to_vec(),
            scales: scales.to_vec(),
            rate: 0.0,
            table: vec![0.0; (index + 1) * count],
            lu: FullPivotLu::new(m, m + count),
            rhs: vec![0.0; m],
            change: vec![0.0; m + count],
            pivot: 0.0,
        };
        completion.fill_table();
        completion
    }

    pub(super) fn array(&self) -> &DerivativeArray {
        &self.array
    }

    /// Number of hidden constraints.
    pub(super) fn count(&self) -> usize {
        self.change.len() - self.rhs.len()
    }

    pub(super) fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Takes other chains of the same number and lengths.
    pub(super) fn set_chains(&mut self, chains: &[Chain], scales: &[f64]) {
        self.chains.copy_from_slice(chains);
        self.scales.copy_from_slice(scales);
        self.fill_table();
    }

    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    pub(super) fn set_rate(&mut self, rate: f64) {
        self.rate = rate;
        self.fill_table();
    }

    /// `κ^(i)` for i from the length ℓ of a chain on:
    /// `κ^(i) = −Σ_{j<ℓ} (ℓ over j) α^(ℓ−j) κ^(i−ℓ+j)`.
    fn fill_table(&mut self) {
        let (count, orders) = (self.count(), self.array.order() + 1);
        self.table.fill(0.0);
        let mut first = 0;
        for chain in &self.chains {
            let length = chain.length;
            for j in 0..length {
                let column = first + j;
                for i in 0..orders {
                    self.table[i * count + column] = if i < length {
                        f64::from(u8::from(i == j))
                    } else {
                        let mut weight = 1.0;
                        let mut sum = 0.0;
                        for p in (0..length).rev() {
                            // (ℓ over p) α^(ℓ−p) from that of p + 1
                            weight *= self.rate * (p + 1) as f64 / (length - p) as f64;
                            sum -= weight * self.table[(i - length + p) * count + column];
                        }
                        sum
                    };
                }
            }
            first += length;
        }
        let mut factorial = 1.0;
        for (i, row) in self.table.chunks_exact_mut(count.max(1)).enumerate().skip(1) {
            factorial *= i as f64;
            row.iter_mut().for_each(|x| *x /= factorial);
        }
    }

    /// Finds `c_1, …` and κ for t and the `c_0` in `of`, from the others there.
    ///
    /// # Errors
    /// [`DaeError::NonFinite`], [`DaeError::Undetermined`], [`DaeError::NoConvergence`].
    pub(super) fn solve<D: Dae>(
        &mut self,
        dae: &D,
        t: f64,
        of: &mut Derivatives,
    ) -> Result<(), DaeError> {
        let mut last = f64::INFINITY;
        let (mut fresh, mut chosen) = (true, false);
        for _ in 0..MAX_STEPS {
            self.array.evaluate(dae, t, &of.c, fresh)?;
            if fresh && self.factorize(&of.open) < WORN * of.pivot && !chosen {
                self.choose_open(of);
                chosen = true;
                continue;
            }
            if fresh && self.pivot <= LEAST_PIVOT {
                return Err(DaeError::Undetermined { t, pivot: self.pivot });
            }
            self.set_residual(&of.kappa);
            let change = self.step(of);
            if !change.is_finite() {
                return Err(DaeError::NoConvergence { t, change });
            }
            // with the same factor, changes shrink by a constant; with a new one by more, but for rounding
            let contraction = change / last;
            let done = if fresh {
                change <= LAST_CHANGE || (change <= ROUNDING && contraction > 0.1)
            } else {
                change * contraction <= 16.0 * f64::EPSILON && contraction <= KEEP_FACTOR
            };
            if done {
                return Ok(());
            }
            fresh = if fresh { change > KEEP_FACTOR } else { contraction > KEEP_FACTOR };
            last = change;
        }
        Err(DaeError::NoConvergence { t, change: last })
    }

    /// A step of Newton's method for the residual in `rhs`; gives its size, relative.
    fn step(&mut self, of: &mut Derivatives) -> f64 {
        let n = self.array.n();
        self.lu.solve(&self.rhs, &mut self.change);
        let (mut largest, mut size) = (0.0_f64, 1.0_f64);
        let mut finite = true;
        let unknowns = of.c[n..].iter_mut().chain(&mut of.kappa);
        for (j, (x, dx)) in unknowns.zip(&self.change).enumerate() {
            *x -= dx;
            finite &= x.is_finite();
            largest = largest.max((self.lu.unit(j) * dx).abs());
            size = size.max((self.lu.unit(j) * *x).abs());
        }
        if finite { largest / size } else { f64::NAN }
    }

    /// Evaluates and factors the Jacobian at these derivatives.
    ///
    /// # Errors
    /// [`DaeError::NonFinite`], [`DaeError::Undetermined`].
    pub(super) fn linearize<D: Dae>(
        &mut self,
        dae: &D,
        t: f64,
        of: &Derivatives,
    ) -> Result<(), DaeError> {
        self.array.evaluate(dae, t, &of.c, true)?;
        match self.factorize(&of.open) {
            pivot if pivot > LEAST_PIVOT => Ok(()),
            pivot => Err(DaeError::Undetermined { t, pivot }),
        }
    }

    /// Chooses the numbers that stay 0, by the pivots of a factor of all columns. Those that the equations
    /// determine have pivots in any factor.
    fn choose_open(&mut self, of: &mut Derivatives) {
        of.open.fill(false);
        of.pivot = self.factorize(&of.open);
        let (n, m) = (self.array.n(), self.rhs.len());
        for &j in self.lu.without_pivot() {
            of.open[j] = true;
            let value = if j < m { &mut of.c[n + j] } else { &mut of.kappa[j - m] };
            *value = 0.0;
        }
    }

    /// `r − Σ κ` by Taylor coefficients.
    fn set_residual(&mut self, kappa: &[f64]) {
        let (n, count) = (self.array.n(), kappa.len());
        self.rhs.copy_from_slice(self.array.residual());
        let mut first = 0;
        for chain in &self.chains {
            for i in 0..=self.array.order() {
                let row = &self.table[i * count + first..][..chain.length];
                let values = &kappa[first..first + chain.length];
                let sum: f64 = row.iter().zip(values).map(|(x, k)| x * k).sum();
                self.rhs[i * n + chain.equation] -= sum;
            }
            first += chain.length;
        }
    }

    /// Factors the equations without the columns of `open`; gives the pivot ratio.
    fn factorize(&mut self, open: &[bool]) -> f64 {
        let Completion { array, chains, table, lu, rhs, change, .. } = self;
        let (n, m) = (array.n(), rhs.len());
        let count = change.len() - m;
        let of_value = |row: usize, value: usize| {
            let mut first = 0;
            for chain in &**chains {
                if value < first + chain.length {
                    let here = chain.equation == row % n;
                    return if here { -table[row / n * count + value] } else { 0.0 };
                }
                first += chain.length;
            }
            0.0
        };
        self.pivot = lu.factorize(|i, j| match open[j] {
            true => 0.0,
            false if j < m => array.jacobian(i, n + j),
            false => of_value(i, j - m),
        });
        self.pivot
    }

    /// How much more the constraint that ends a chain depends on some equation than on the one that is
    /// free to have a residual, in scaled equations: what its residual is magnified by. At least 1.
    pub(super) fn growth(&mut self) -> f64 {
        let (n, m) = (self.array.n(), self.rhs.len());
        let mut growth = 1.0_f64;
        let mut end = m;
        for k in 0..self.chains.len() {
            let Chain { equation, length } = self.chains[k];
            end += length;
            let mut share = |e: usize| {
                let row = (length - 1) * n + e;
                self.rhs.fill(0.0);
                self.rhs[row] = 1.0 / self.scales[e];
                self.lu.solve(&self.rhs, &mut self.change);
                self.change[end - 1].abs()
            };
            let own = share(equation);
            growth = (0..n).map(share).fold(growth, |growth, share| growth.max(share / own));
        }
        growth
    }

    /// Derivatives of y' and κ by component v of y, from the last factor: calls `with` with n and then
    /// as many numbers as constraints.
    pub(super) fn sensitivity(&mut self, v: usize, with: impl FnOnce(&[f64], &[f64])) {
        let (n, m) = (self.array.n(), self.rhs.len());
        for i in 0..m {
            self.rhs[i] = -self.array.jacobian(i, v);
        }
        self.lu.solve(&self.rhs, &mut self.change);
        with(&self.change[..n], &self.change[m..]);
    }
}
