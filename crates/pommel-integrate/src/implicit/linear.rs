//! Dense factors of `σ M − J` for real and complex shifts σ.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{Mat, Par, c64};

/// A dense `L U` factor, with memory for its size.
pub(super) struct Lu<T> {
    a: Mat<T>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    rhs: Mat<T>,
    memory: MemBuffer,
}

impl<T> core::fmt::Debug for Lu<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Lu").field("size", &self.forward.len()).finish_non_exhaustive()
    }
}

/// A scalar of factors.
pub(super) trait Shift: ComplexField + Copy {
    /// `σ m − j`
    fn entry(self, m: f64, j: f64) -> Self;
    fn is_usable(self) -> bool;
}

impl Shift for f64 {
    fn entry(self, m: f64, j: f64) -> f64 {
        self * m - j
    }
    fn is_usable(self) -> bool {
        self != 0.0 && self.is_finite()
    }
}

impl Shift for c64 {
    fn entry(self, m: f64, j: f64) -> c64 {
        c64::new(self.re * m - j, self.im * m)
    }
    fn is_usable(self) -> bool {
        (self.re != 0.0 || self.im != 0.0) && self.re.is_finite() && self.im.is_finite()
    }
}

impl<T: Shift> Lu<T> {
    pub(super) fn new(n: usize) -> Self {
        let factor = factor::lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Default::default());
        let solve = solve::solve_in_place_scratch::<usize, T>(n, 1, Par::Seq);
        Lu {
            a: Mat::zeros(n, n),
            forward: vec![0; n],
            backward: vec![0; n],
            rhs: Mat::zeros(n, 1),
            memory: MemBuffer::new(factor.or(solve)),
        }
    }

    /// Factors `σ M − J`; false if it has no inverse, or numbers are none.
    pub(super) fn factorize(&mut self, shift: T, mass: &Mass, jacobian: &[f64]) -> bool {
        let n = self.forward.len();
        for j in 0..n {
            for i in 0..n {
                self.a[(i, j)] = shift.entry(mass.entry(i, j, n), jacobian[i * n + j]);
            }
        }
        factor::lu_in_place(
            self.a.as_mut(),
            &mut self.forward,
            &mut self.backward,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        (0..n).all(|k| self.a[(k, k)].is_usable())
    }

    /// Solves for what stands in `rhs`.
    fn solve_rhs(&mut self) {
        let n = self.forward.len();
        let order = PermRef::new_checked(&self.forward, &self.backward, n);
        solve::solve_in_place(
            self.a.as_ref(),
            self.a.as_ref(),
            order,
            self.rhs.as_mut(),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

impl Lu<f64> {
    /// `x ← (σ M − J)⁻¹ x`
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        x.iter().enumerate().for_each(|(i, x)| self.rhs[(i, 0)] = *x);
        self.solve_rhs();
        x.iter_mut().enumerate().for_each(|(i, x)| *x = self.rhs[(i, 0)]);
    }
}

impl Lu<c64> {
    /// `x + i y ← (σ M − J)⁻¹ (x + i y)`
    pub(super) fn solve(&mut self, x: &mut [f64], y: &mut [f64]) {
        let parts = x.iter().zip(&*y).enumerate();
        parts.for_each(|(i, (x, y))| self.rhs[(i, 0)] = c64::new(*x, *y));
        self.solve_rhs();
        for (i, (x, y)) in x.iter_mut().zip(y).enumerate() {
            (*x, *y) = (self.rhs[(i, 0)].re, self.rhs[(i, 0)].im);
        }
    }
}

/// M.
#[derive(Clone, Debug)]
pub(super) struct Mass {
    kind: Kind,
    /// the diagonal, or all, row by row
    values: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Unit,
    Diagonal,
    Full,
}

impl Mass {
    /// The unit matrix, with room for any other.
    pub(super) fn new(n: usize) -> Mass {
        Mass { kind: Kind::Unit, values: vec![0.0; n * n] }
    }

    pub(super) fn is_unit(&self) -> bool {
        self.kind == Kind::Unit
    }

    pub(super) fn set_unit(&mut self) {
        self.kind = Kind::Unit;
    }

    /// A matrix row by row.
    pub(super) fn set(&mut self, matrix: &[f64], n: usize) {
        let is_diagonal = |k: usize| k / n == k % n;
        if matrix.iter().enumerate().any(|(k, x)| !is_diagonal(k) && *x != 0.0) {
            self.kind = Kind::Full;
            self.values.copy_from_slice(matrix);
            return;
        }
        for i in 0..n {
            self.values[i] = matrix[i * n + i];
        }
        let unit = self.values[..n].iter().all(|x| *x == 1.0);
        self.kind = if unit { Kind::Unit } else { Kind::Diagonal };
    }

    fn entry(&self, i: usize, j: usize, n: usize) -> f64 {
        match self.kind {
            Kind::Full => self.values[i * n + j],
            _ if i != j => 0.0,
            Kind::Unit => 1.0,
            Kind::Diagonal => self.values[i],
        }
    }

    /// `to ← to + s M x`
    pub(super) fn add_product(&self, s: f64, x: &[f64], to: &mut [f64]) {
        match self.kind {
            Kind::Unit => to.iter_mut().zip(x).for_each(|(to, x)| *to += s * x),
            Kind::Diagonal => {
                let terms = x.iter().zip(&self.values);
                to.iter_mut().zip(terms).for_each(|(to, (x, m))| *to += s * m * x);
            }
            Kind::Full => {
                let rows = self.values.chunks_exact(x.len());
                for (to, row) in to.iter_mut().zip(rows) {
                    *to += s * row.iter().zip(x).map(|(m, x)| m * x).sum::<f64>();
                }
            }
        }
    }
}
