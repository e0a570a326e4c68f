//! Scales of rows and columns, as powers of two.

use nalgebra::DMatrix;

/// What the scales of a symmetric matrix make equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Equilibration {
    /// The largest entry of every row.
    Largest,
    /// The diagonal, and in rows with a zero there the largest entry.
    Diagonal,
    /// The mean of the logarithms of what is not zero in every row: it finds the units of rows and
    /// columns again whatever the entries are.
    Mean,
}

impl Equilibration {
    pub(super) const ALL: [Self; 3] = [Self::Largest, Self::Diagonal, Self::Mean];
}

const SWEEPS: usize = 60;

/// Scales rows and columns; returns the scales.
pub(super) fn equilibrate(k: &mut DMatrix<f64>, way: Equilibration) -> Vec<f64> {
    let size = k.nrows();
    let logarithms = k.map(|x| x.abs().log2());
    let mut scale = vec![0.0_f64; size];
    let diagonal = |i: usize| way == Equilibration::Diagonal && logarithms[(i, i)].is_finite();
    for i in (0..size).filter(|i| diagonal(*i)) {
        scale[i] = -0.5 * logarithms[(i, i)];
    }
    for _ in 0..SWEEPS {
        let steps: Vec<f64> = (0..size)
            .map(|i| {
                let row = (0..size).map(|j| logarithms[(i, j)] + scale[i] + scale[j]);
                let row = row.filter(|x| x.is_finite());
                let (sum, count, largest) =
                    row.fold((0.0, 0, f64::NEG_INFINITY), |r, x| (r.0 + x, r.1 + 1, x.max(r.2)));
                match way {
                    _ if count == 0 || diagonal(i) => 0.0,
                    Equilibration::Mean => -0.5 * sum / f64::from(count),
                    _ => -0.5 * largest,
                }
            })
            .collect();
        scale.iter_mut().zip(&steps).for_each(|(s, step)| *s += step);
    }
    scale.iter_mut().for_each(|s| *s = s.round().exp2());
    for i in 0..size {
        for j in 0..size {
            k[(i, j)] *= scale[i] * scale[j];
        }
    }
    scale
}
