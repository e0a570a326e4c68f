//! The dense solution of a saddle-point system.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::SaddleSystem;
use super::doubled::Doubled;
use super::equilibrate::{Equilibration, equilibrate};

/// Singular values of the equilibrated matrix below this part of the largest are zero: far above
/// what rounding makes of a zero (1e-15), far below what a system is expected to hold.
const ZERO: f64 = 1e-12;

/// What is known about a system from the eigenvalues of its dense matrix.
///
/// The matrix is equilibrated first: `S K S` with powers of two `S`. Ranks and the inertia do not change by that; the condition number, and which of all
/// multipliers have the least norm, are those of the equilibrated matrix. Of three ways to do so
/// the one that shows the higher rank is taken, and of equals the lower condition number: a singular
/// value that is seen in one of them is not zero, whatever hides it in the other.
///
/// The solution is improved with residuals of twice the digits until it stands still: it is exact
/// to about the last digit while the condition number is below 1e14.
#[derive(Clone, Debug)]
pub struct DenseSaddle {
    /// Rank of J.
    pub jacobian_rank: usize,
    /// Rank of `K = [M Jᵀ; J −C]`.
    pub rank: usize,
    /// Numbers of positive, negative and zero eigenvalues of K.
    pub inertia: (usize, usize, usize),
    /// The largest singular value over the least that is not zero; 1 for a matrix of zeros.
    pub condition: f64,
    /// The least singular value that is not zero over the greatest that is, the worse of K and J. A
    /// test should leave out a system whose gap is small: its rank is anybody's guess.
    pub gap: f64,
    /// Whether all solutions have the same `x`.
    pub unique: bool,
    /// The part of the equilibrated right-hand side that no unknowns explain, relative to all of it.
    pub contradiction: f64,
    /// The unknowns; where they are not unique, those of the least norm.
    pub x: Vec<f64>,
    /// The multipliers of the least norm.
    pub lambda: Vec<f64>,
    system: SaddleSystem,
    scales: Vec<f64>,
    /// Norms of the equilibrated matrix, right-hand side and solution.
    norms: [f64; 3],
}

/// Errors of a solution, in the variables of the equilibrated matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaddleError {
    /// Of `x`, relative to the largest of all unknowns and multipliers.
    pub x: f64,
    /// Of `Jᵀ λ`, relative to the largest of all unknowns and multipliers.
    pub force: f64,
    /// Of `[x; λ]`: the multipliers count only where the solution is unique.
    pub all: f64,
    /// `b − K z` relative to `‖K‖ ‖z‖ + ‖b‖`.
    pub residual: f64,
}

impl DenseSaddle {
    /// Solves a system.
    pub fn new(system: &SaddleSystem) -> Self {
        let (n, m) = (system.unknowns(), system.rows());
        let size = n + m;
        let mut k = DMatrix::zeros(size, size);
        for (i, j, value) in system.lower_entries() {
            k[(i, j)] = value;
            k[(j, i)] = value;
        }
        let (values, vectors, scales) = best_eigen(&mut k);
        let right = system.right_hand_side();
        let b = DVector::from_fn(size, |i, _| right[i] * scales[i]);
        let split = Split::new(values.iter().map(|x| x.abs()).collect());
        let of_jacobian = match n.min(m) {
            0 => Split::new(Vec::new()),
            _ => {
                Split::new(k.view((n, 0), (m, n)).into_owned().singular_values().as_slice().into())
            }
        };
        let zero = |x: f64| x.abs() <= split.limit;
        let null: Vec<usize> = (0..size).filter(|c| zero(values[*c])).collect();
        let unique = null.iter().all(|c| vectors.column(*c).rows(0, n).norm() < 1e-6);
        let unexplained: f64 = null.iter().map(|c| vectors.column(*c).dot(&b).powi(2)).sum();
        let inverse = DVector::from_fn(size, |i, _| match zero(values[i]) {
            true => 0.0,
            false => 1.0 / values[i],
        });
        let improve = |r: &DVector<f64>| &vectors * inverse.component_mul(&vectors.tr_mul(r));
        let mut z = vec![Doubled::default(); size];
        for _ in 0..12 {
            let correction = improve(&residual(&k, &b, &z));
            z.iter_mut().zip(&correction).for_each(|(z, c)| *z = z.plus(*c));
            let largest = z.iter().fold(0.0_f64, |x, z| x.max(z.value().abs()));
            if correction.amax() <= 1e-18 * largest {
                break;
            }
        }
        let solution: Vec<f64> = z.iter().zip(&scales).map(|(z, s)| z.value() * s).collect();
        let count =
            |test: fn(f64) -> bool| values.iter().filter(|x| !zero(**x) && test(**x)).count();
        let largest = z.iter().fold(0.0_f64, |x, z| x.max(z.value().abs()));
        DenseSaddle {
            jacobian_rank: of_jacobian.rank,
            rank: split.rank,
            inertia: (count(|x| x > 0.0), count(|x| x < 0.0), null.len()),
            condition: split.condition,
            gap: split.gap.min(of_jacobian.gap),
            unique,
            contradiction: if b.norm() > 0.0 { unexplained.sqrt() / b.norm() } else { 0.0 },
            x: solution[..n].to_vec(),
            lambda: solution[n..].to_vec(),
            norms: [if size > 0 { k.amax() } else { 0.0 }, b.norm(), largest],
            system: system.clone(),
            scales,
        }
    }

    /// Number of rows of `[J −C]` that depend on others, if `x` is [unique](Self::unique).
    pub fn dependent_rows(&self) -> usize {
        self.inertia.2
    }

    /// Errors of a solution `[x; λ]`.
    pub fn error(&self, solution: &[f64]) -> SaddleError {
        let n = self.x.len();
        let truth = [self.x.as_slice(), &self.lambda].concat();
        let scale = if self.norms[2] > 0.0 { self.norms[2] } else { 1.0 };
        let difference: Vec<f64> = solution.iter().zip(&truth).map(|(a, b)| a - b).collect();
        let mut force = vec![0.0; n];
        for (i, j, value) in &self.system.jacobian {
            force[*j] += value * difference[n + i];
        }
        let worst = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0_f64, |w, x| if x.is_nan() { f64::INFINITY } else { w.max(x.abs()) })
        };
        let mut scaled = (0..truth.len()).map(|i| difference[i] / self.scales[i]);
        let x = worst(&mut scaled.by_ref().take(n)) / scale;
        let multipliers = if self.inertia.2 == 0 { worst(&mut scaled) / scale } else { 0.0 };
        let force = worst(&mut (0..n).map(|i| force[i] * self.scales[i])) / scale;
        SaddleError { x, force, all: x.max(multipliers), residual: self.residual(solution) }
    }

    fn residual(&self, solution: &[f64]) -> f64 {
        let right = self.system.right_hand_side();
        let mut rest: Vec<Doubled> = right.iter().map(|b| Doubled::new(*b)).collect();
        for (i, j, value) in self.system.lower_entries() {
            rest[i] = rest[i].plus_product(-value, Doubled::new(solution[j]));
            if i != j {
                rest[j] = rest[j].plus_product(-value, Doubled::new(solution[i]));
            }
        }
        let norm =
            |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
        let size = norm(&mut solution.iter().zip(&self.scales).map(|(z, s)| z / s));
        let rest = norm(&mut rest.iter().zip(&self.scales).map(|(r, s)| r.value() * s));
        let bound = self.norms[0] * size + self.norms[1];
        if rest == 0.0 { 0.0 } else { rest / bound }
    }
}

/// Singular values, sorted and cut.
struct Split {
    limit: f64,
    rank: usize,
    condition: f64,
    gap: f64,
}

impl Split {
    fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(|a, b| b.total_cmp(a));
        let Some(largest) = values.first().copied().filter(|x| *x > 0.0) else {
            return Split { limit: 0.0, rank: 0, condition: 1.0, gap: f64::INFINITY };
        };
        let limit = ZERO * largest;
        let rank = values.partition_point(|x| *x > limit);
        let least = values[rank - 1];
        // what rounding makes of a zero is not smaller than this
        let rounding = f64::EPSILON * largest;
        let dropped = values.get(rank).map_or(rounding, |x| x.max(rounding));
        Split { limit, rank, condition: largest / least, gap: least / dropped }
    }
}

/// Equilibrates the matrix; its eigenvalues, eigenvectors and scales.
fn best_eigen(k: &mut DMatrix<f64>) -> (DVector<f64>, DMatrix<f64>, Vec<f64>) {
    if k.nrows() == 0 {
        return (DVector::zeros(0), DMatrix::zeros(0, 0), Vec::new());
    }
    let tries = Equilibration::ALL.map(|way| {
        let mut scaled = k.clone();
        let scales = equilibrate(&mut scaled, way);
        let eigen = SymmetricEigen::new(scaled.clone());
        let split = Split::new(eigen.eigenvalues.iter().map(|x| x.abs()).collect());
        (split, eigen, scales, scaled)
    });
    let better =
        |a: &Split, b: &Split| a.rank > b.rank || a.rank == b.rank && a.condition < b.condition;
    let best = tries.into_iter().reduce(|a, b| if better(&b.0, &a.0) { b } else { a });
    let (_, eigen, scales, scaled) = best.expect("more than one way");
    *k = scaled;
    (eigen.eigenvalues, eigen.eigenvectors, scales)
}

fn residual(k: &DMatrix<f64>, b: &DVector<f64>, z: &[Doubled]) -> DVector<f64> {
    DVector::from_fn(b.len(), |i, _| {
        let start = Doubled::new(b[i]);
        z.iter().enumerate().fold(start, |r, (j, z)| r.plus_product(-k[(i, j)], *z)).value()
    })
}
