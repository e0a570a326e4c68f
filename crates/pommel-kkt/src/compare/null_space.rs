//! Motions that J leaves free first: `Zᵀ M Z z = Zᵀ (f − M Y y)` with `J Z = 0`.
//!
//! | here      | meaning                                                        | shape    |
//! |-----------|----------------------------------------------------------------|----------|
//! | `qr`      | `Jᵀ P = Q R`, Q = [Y Z], Y of `r` columns, the rank            | n × m    |
//! | `product` | `Qᵀ M Q`                                                       | n × n    |
//! | `factor`  | of `Zᵀ M Z`, the lower right block of `Qᵀ M Q`                 | n−r × n−r |

use pommel_math::Real;

use super::lanewise::{Instance, Lanewise};
use super::parts::Parts;
use super::{SaddleSolver, Summary};
use crate::dense::{Equilibration, PivotedQr, RookFactor};
use crate::error::KktError;
use crate::inertia::Inertia;
use crate::pattern::{Pattern, Values};

/// The null-space method: motions that J allows come first, multipliers last. Needs C = 0
/// ([`KktError::ComplianceNotSupported`]) and M positive definite on the null space of J
/// ([`KktError::ReducedMassNotPositive`]); M may be singular and rows of J may depend on each other.
///
/// Cost: `n m²` for `Jᵀ = Q R`, `4 n² m` for `Qᵀ M Q`, `(n − m)³/3` for the reduced mass matrix and
/// four times as much for the errors of its entries.
#[derive(Clone, Debug)]
pub struct NullSpace<T>(Lanewise<T, Single<T>, Single<f64>>);

impl<T: Real> NullSpace<T> {
    /// Room for systems of this pattern.
    pub fn new(pattern: &Pattern) -> Self {
        NullSpace(Lanewise::new(pattern))
    }
}

impl<T: Real> SaddleSolver<T> for NullSpace<T> {
    fn name(&self) -> &'static str {
        "null space"
    }
    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError> {
        self.0.factorize(values)
    }
    fn solve(&mut self, rhs: &[T], solution: &mut [T]) {
        self.0.solve(rhs, solution);
    }
    fn set_row_tolerance(&mut self, share: f64) -> Result<(), KktError> {
        self.0.set_row_tolerance(share)
    }
}

/// One instance.
#[derive(Clone, Debug)]
struct Single<T> {
    parts: Parts<T>,
    scales: Equilibration,
    qr: PivotedQr<T>,
    product: Vec<T>,
    factor: RookFactor<T>,
    work: Vec<T>,
}

impl<T: Real> Single<T> {
    /// Qᵀ M Q: reflections on columns, then on rows
    fn multiply(&mut self) {
        let n = self.parts.n;
        for j in 0..n {
            for i in 0..n {
                let (row, column) = (i.max(j), i.min(j));
                let a = self.parts.mass[column * n + row];
                self.product[j * n + i] = self.scales.scale(row, column, a);
            }
        }
        for _ in 0..2 {
            for column in self.product.chunks_exact_mut(n) {
                self.qr.apply_transposed(column);
            }
            for j in 0..n {
                for i in 0..j {
                    self.product.swap(j * n + i, i * n + j);
                }
            }
        }
    }
}

impl<T: Real> Instance<T> for Single<T> {
    fn new(pattern: &Pattern) -> Self {
        let parts = Parts::new(pattern);
        let (n, m) = (parts.n, parts.m);
        Single {
            scales: Equilibration::new(n + m),
            qr: PivotedQr::new(n, m),
            product: vec![T::zero(); n * n],
            factor: RookFactor::new(n),
            work: vec![T::zero(); n.max(m)],
            parts,
        }
    }

    fn set_row_tolerance(&mut self, share: f64) {
        self.qr.set_inexact(share);
    }

    fn factorize(&mut self, values: &Values<'_, T>) -> Result<Summary, KktError> {
        self.parts.fill(values)?;
        if let Some(row) = self.parts.compliant_row() {
            return Err(KktError::ComplianceNotSupported { row });
        }
        let (n, m) = (self.parts.n, self.parts.m);
        self.parts.equilibrate(&mut self.scales);
        let (parts, scales) = (&self.parts, &self.scales);
        self.qr.factorize(|i, j| scales.scale(n + j, i, parts.jacobian[i * m + j]));
        if n > 0 {
            self.multiply();
        }
        let (rank, product) = (self.qr.rank(), &self.product);
        let largest = product.iter().fold(0.0_f64, |x, a| x.max(a.lane(0).abs()));
        let factor = &mut self.factor;
        factor.resize(n - rank);
        factor.factorize(|i, j| product[(j + rank) * n + i + rank], |_, _| largest);
        let (dimension, positive) = (n - rank, factor.inertia().positive);
        if positive < dimension {
            return Err(KktError::ReducedMassNotPositive { dimension, positive });
        }
        let inertia = Inertia { positive: n, negative: rank, zero: m - rank };
        Ok(Summary { inertia, dependent_rows: m - rank, rank: inertia.rank() })
    }

    fn solve(&mut self, rhs: &[T], solution: &mut [T]) {
        let n = self.parts.n;
        let rank = self.qr.rank();
        let (scales, product) = (&self.scales, &self.product);
        // Rᵀ y = Pᵀ g, the leading rows
        let x = &mut solution[..n];
        for (k, row) in self.qr.order()[..rank].iter().enumerate() {
            x[k] = scales.scale_row(n + row, rhs[n + row]);
        }
        self.qr.solve_transposed(&mut x[..rank]);
        // Zᵀ M Z z = Zᵀ f − (Zᵀ M Y) y
        let force = &mut self.work[..n];
        for i in 0..n {
            force[i] = scales.scale_row(i, rhs[i]);
        }
        self.qr.apply_transposed(force);
        for i in rank..n {
            let mut sum = force[i];
            for k in 0..rank {
                sum = (-product[k * n + i]).mul_add(x[k], sum);
            }
            x[i] = sum;
        }
        self.factor.solve(&mut x[rank..]);
        // R λ = Yᵀ (f − M x)
        for i in 0..rank {
            let mut sum = force[i];
            for k in 0..n {
                sum = (-product[k * n + i]).mul_add(x[k], sum);
            }
            force[i] = sum;
        }
        self.qr.solve(&mut force[..rank]);
        self.qr.apply(x);
        for i in 0..n {
            solution[i] = scales.scale_row(i, solution[i]);
        }
        solution[n..].fill(T::zero());
        for (k, row) in self.qr.order()[..rank].iter().enumerate() {
            solution[n + row] = scales.scale_row(n + row, force[k]);
        }
    }
}
