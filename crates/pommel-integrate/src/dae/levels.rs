//! Ranks of the leading blocks of a derivative array: index, constraints, and where they come from.
//!
//! With J of the array of order ν at a consistent state, and for each order `k = 0..=ν`:
//!
//! | here   | meaning                                                                          |
//! |--------|----------------------------------------------------------------------------------|
//! | `B_k`  | the rows of order up to k of J, columns of `c_1, …, c_{k+1}`                     |
//! | `N_k`  | the left null space of `B_k`: combinations free of derivatives of y, constraints |
//! | `a_k`  | dimension of `N_k`: number of constraints known after k differentiations         |
//! | 1-full | `B_k x = 0` implies that the part of x for `c_1` vanishes: y' is determined      |
//!
//! The differentiation index is the least k with a 1-full `B_k` \[BCP96\].
//!
//! A vector of `N_k` has a last block, for the equations of order k, in the left null space of `F_y'`; those
//! last blocks span a space of dimension `a_k − a_{k−1}`, which shrinks with k since a constraint of level k
//! is the derivative of one of level k − 1. Elimination with full pivoting in these spaces, from the last
//! to the first, picks one equation for each chain of constraints that are derivatives of each other.

use super::array::DerivativeArray;
use super::error::RankError;
use super::rank::{Scales, Svd};

/// An equation whose derivatives of order below `length`, freed of derivatives of y by the other equations,
/// are constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) equation: usize,
    pub(super) length: usize,
}

/// What is sought in the array of one order, in memory for it.
#[derive(Debug)]
pub(super) struct Levels {
    n: usize,
    scales: Scales,
    equation_scales: Vec<f64>,
    /// `B_k`
    blocks: Vec<Svd>,
    /// `B_k` without the columns of `c_1`
    rests: Vec<Svd>,
    /// the columns of `c_1` without their part in the range of that
    open: Vec<Svd>,
    /// last blocks of the vectors of `N_k`, row by row
    last: Vec<f64>,
    coranks: Vec<usize>,
    index: Option<usize>,
    chains: Vec<Chain>,
}

impl Levels {
    pub(super) fn new(n: usize, order: usize) -> Self {
        let orders = || 0..=order;
        Levels {
            n,
            scales: Scales::new(n * (order + 1), n * (order + 2)),
            equation_scales: vec![1.0; n],
            blocks: orders().map(|k| Svd::new(n * (k + 1), n * (k + 1))).collect(),
            rests: orders().map(|k| Svd::new(n * (k + 1), n * k)).collect(),
            open: orders().map(|k| Svd::new(n * (k + 1), n)).collect(),
            last: vec![0.0; n * (order + 1) * n],
            coranks: Vec::with_capacity(order + 1),
            index: None,
            chains: Vec::with_capacity(n),
        }
    }

    /// The differentiation index, if it is not above the order.
    pub(super) fn index(&self) -> Option<usize> {
        self.index
    }

    /// Number of constraints of level k alone.
    pub(super) fn count(&self, k: usize) -> usize {
        if k == 0 { self.coranks[0] } else { self.coranks[k] - self.coranks[k - 1] }
    }

    /// Number of all constraints; 0 without an index.
    pub(super) fn constraints(&self) -> usize {
        match self.index {
            None | Some(0) => 0,
            Some(index) => self.coranks[index - 1],
        }
    }

    /// Index and number of constraints.
    pub(super) fn verdict(&self) -> Option<(usize, usize)> {
        self.index.map(|index| (index, self.constraints()))
    }

    /// What equations are multiplied by where they are compared: the geometric mean of 1 and of the factor
    /// that makes their entries about 1, between trust in the units of the caller and none.
    pub(super) fn equation_scales(&self) -> &[f64] {
        &self.equation_scales
    }

    /// Longest first.
    pub(super) fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Whether component v of y' is open in the array of order k.
    pub(super) fn is_open(&self, k: usize, v: usize, tolerance: f64) -> bool {
        let open = &self.open[k];
        (open.count_above(tolerance)..self.n).any(|j| open.v(v, j).abs() > 1e-6)
    }

    /// Ranks of an array whose J is evaluated.
    ///
    /// # Errors
    /// [`RankError`], also where the numbers of constraints contradict each other.
    pub(super) fn find(
        &mut self,
        array: &DerivativeArray,
        tolerance: f64,
    ) -> Result<(), RankError> {
        self.coranks.clear();
        self.chains.clear();
        self.index = None;
        self.scales.fit(|i, j| array.jacobian(i, j));
        let scales = self.equation_scales.iter_mut().zip(&self.scales.rows);
        scales.for_each(|(of, row)| *of = row.sqrt());
        for k in 0..=array.order() {
            let corank = self.corank(array, k, tolerance)?;
            self.coranks.push(corank);
            if self.is_one_full(array, k, tolerance)? {
                self.index = Some(k);
                break;
            }
        }
        for k in (0..self.index.unwrap_or(0)).rev() {
            self.extend_chains(k);
        }
        Ok(())
    }

    fn corank(
        &mut self,
        array: &DerivativeArray,
        k: usize,
        tolerance: f64,
    ) -> Result<usize, RankError> {
        let (n, Scales { rows, columns }) = (self.n, &self.scales);
        let block = &mut self.blocks[k];
        block.decompose(|i, j| rows[i] * array.jacobian(i, n + j) * columns[n + j])?;
        Ok(block.rows() - block.rank(tolerance, k)?)
    }

    fn is_one_full(
        &mut self,
        array: &DerivativeArray,
        k: usize,
        tolerance: f64,
    ) -> Result<bool, RankError> {
        let (n, Scales { rows, columns }) = (self.n, &self.scales);
        let rest = &mut self.rests[k];
        rest.decompose(|i, j| rows[i] * array.jacobian(i, 2 * n + j) * columns[2 * n + j])?;
        let rank = if k == 0 { 0 } else { rest.rank(tolerance, k)? };
        let m = rest.rows();
        let left = |i: usize, j: usize| {
            let terms = (0..m).map(|l| rest.u(l, i) * rows[l] * array.jacobian(l, n + j));
            terms.sum::<f64>() * columns[n + j]
        };
        let open = &mut self.open[k];
        open.decompose(|i, j| if rank + i < m { left(rank + i, j) } else { 0.0 })?;
        Ok(open.rank(tolerance, k)? == n)
    }

    /// Adds the equations of chains that end at level k.
    fn extend_chains(&mut self, k: usize) {
        let n = self.n;
        let (block, corank) = (&self.blocks[k], self.coranks[k]);
        let first = block.rows() - corank;
        let rows = &mut self.last[..corank * n];
        for (w, row) in rows.chunks_exact_mut(n).enumerate() {
            let scale = |e: usize| self.scales.rows[k * n + e] / self.equation_scales[e];
            (0..n).for_each(|e| row[e] = scale(e) * block.u(k * n + e, first + w));
        }
        let mut used = 0;
        for chain in &self.chains {
            let pivot = largest(rows, n, used, chain.equation..chain.equation + 1);
            eliminate(rows, n, used, pivot);
            used += 1;
        }
        let below = if k == 0 { 0 } else { self.coranks[k - 1] };
        for _ in self.chains.len()..corank - below {
            let pivot = largest(rows, n, used, 0..n);
            eliminate(rows, n, used, pivot);
            used += 1;
            self.chains.push(Chain { equation: pivot.1, length: k + 1 });
        }
    }
}

/// Row and column of the largest entry in these columns, from row `used` on.
fn largest(rows: &[f64], n: usize, used: usize, columns: std::ops::Range<usize>) -> (usize, usize) {
    let (mut size, mut at) = (0.0, (used, columns.start));
    for (i, row) in rows.chunks_exact(n).enumerate().skip(used) {
        for j in columns.clone() {
            // a little in favour of the first of equals
            if row[j].abs() > 1.000_001 * size {
                (size, at) = (row[j].abs(), (i, j));
            }
        }
    }
    at
}

/// Moves the pivot's row to place `used` and clears its column below.
fn eliminate(rows: &mut [f64], n: usize, used: usize, pivot: (usize, usize)) {
    let (row, column) = pivot;
    if row != used {
        let (upper, lower) = rows.split_at_mut(row * n);
        upper[used * n..][..n].swap_with_slice(&mut lower[..n]);
    }
    let (above, below) = rows.split_at_mut((used + 1) * n);
    let pivot_row = &above[used * n..];
    if pivot_row[column] == 0.0 {
        return;
    }
    for row in below.chunks_exact_mut(n) {
        let factor = row[column] / pivot_row[column];
        row.iter_mut().zip(pivot_row).for_each(|(x, y)| *x -= factor * y);
        row[column] = 0.0;
    }
}
