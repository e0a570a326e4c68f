//! Structural analysis: the signature matrix, its assignment and its offsets.
//!
//! The Σ-method \[Pry01\]: the signature matrix has `σ_ij = 1` where `y_j'` occurs in equation i, 0 where only
//! `y_j` does, and −∞ elsewhere. A transversal of greatest sum assigns an unknown to each equation, and the
//! least offsets with `d_j − c_i ≥ σ_ij`, equal on the transversal, say how often each equation is to be
//! differentiated (`c_i`) to find derivative `d_j` of each unknown.

use pommel_math::{Real, Tangent};

use super::{Dae, DaeError};

/// What the pattern of a system says, whatever its numbers.
///
/// It can be wrong in both directions, since numbers may cancel; the numerical index of an
/// [`Analysis`](super::Analysis) is not. Symbols are those of \[Pry01\].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// `σ_ij`, row by row: `Some(1)` where the derivative of component j occurs in equation i, `Some(0)`
    /// where only the component does, `None` elsewhere.
    pub signature: Vec<Option<u8>>,
    /// For each equation the component assigned to it: a transversal of greatest sum.
    pub assignment: Vec<usize>,
    /// `c_i`: how often equation i is to be differentiated.
    pub equation_offsets: Vec<usize>,
    /// `d_j`: the order of the derivative of component j that is then found.
    pub component_offsets: Vec<usize>,
}

impl Structure {
    /// Number of equations.
    pub fn dim(&self) -> usize {
        self.assignment.len()
    }

    /// `max c_i`, and one more if some `d_j` is zero \[Pry01\].
    pub fn index(&self) -> usize {
        let most = self.equation_offsets.iter().max().copied().unwrap_or(0);
        most + usize::from(self.component_offsets.contains(&0))
    }

    /// `Σ d_j − Σ c_i`: degrees of freedom, as far as the pattern knows.
    pub fn degrees_of_freedom(&self) -> usize {
        let sum = |offsets: &[usize]| offsets.iter().sum::<usize>();
        sum(&self.component_offsets) - sum(&self.equation_offsets)
    }

    /// Whether entry (i, j) is one of the system Jacobian, `d_j − c_i = σ_ij`.
    pub(super) fn is_tight(&self, i: usize, j: usize) -> bool {
        let sigma = self.signature[i * self.dim() + j];
        sigma
            .is_some_and(|s| self.equation_offsets[i] + usize::from(s) == self.component_offsets[j])
    }
}

/// Structural analysis of a system; what occurs in which equation is found from derivatives of the
/// residual at the state given and at a few close to it.
///
/// # Arguments
/// - `t`, `y` a time and a state, length n, where the residual exists
///
/// # Errors
/// [`DaeError::StructurallySingular`]; [`DaeError::Dimension`], [`DaeError::Empty`], [`DaeError::Time`],
/// [`DaeError::State`] for input that makes no sense; [`DaeError::NonFinite`] if the residual exists at
/// none of the states.
///
/// # Source
/// \[Pry01\].
pub fn structure<D: Dae>(dae: &D, t: f64, y: &[f64]) -> Result<Structure, DaeError> {
    super::check_input(dae, t, y)?;
    let signature = signature(dae, t, y)?;
    let n = dae.dim();
    let occurs = |i: usize, j: usize| signature[i * n + j].is_some();
    if let Some((equations, components)) = surplus(n, occurs) {
        return Err(DaeError::StructurallySingular { equations, components });
    }
    let assignment = greatest_transversal(n, &signature);
    let (equation_offsets, component_offsets) = offsets(n, &signature, &assignment);
    Ok(Structure { signature, assignment, equation_offsets, component_offsets })
}

/// Derivatives that are zero at all probes are taken for none at all; a probe where one does not exist is
/// left out.
fn signature<D: Dae>(dae: &D, t: f64, y: &[f64]) -> Result<Vec<Option<u8>>, DaeError> {
    let n = dae.dim();
    let zeros = vec![Tangent::<f64, 1>::default(); n];
    let (mut ys, mut yps, mut r) = (zeros.clone(), zeros.clone(), zeros);
    let mut sigma = vec![None; n * n];
    let mut failed = None;
    let mut found = false;
    for probe in 0..4 {
        // the state itself, then others, with derivatives that are not zero
        let off = |seed: usize| match probe {
            0 => 0.0,
            _ => 0.01 * scatter(seed + 7919 * probe),
        };
        let time = Tangent::constant(t + (1.0 + t.abs()) * off(0));
        for j in 0..n {
            ys[j] = Tangent::constant(y[j] + (1.0 + y[j].abs()) * off(j + 1));
            yps[j] = Tangent::constant(100.0 * off(n + j + 1));
        }
        let mut here = vec![None; n * n];
        let mut usable = true;
        for direction in 0..2 * n {
            let (j, rate) = (direction % n, direction < n);
            let seeded = if rate { &mut yps } else { &mut ys };
            let value = seeded[j].value();
            seeded[j] = Tangent::variable(value, 0);
            r.fill(Tangent::default());
            dae.residual(time, &ys, &yps, &mut r);
            let seeded = if rate { &mut yps } else { &mut ys };
            seeded[j] = Tangent::constant(value);
            if let Some(equation) = r.iter().position(|r| !r.is_finite().lane(0)) {
                failed = Some(DaeError::NonFinite { t, equation, differentiated: 0 });
                usable = false;
                break;
            }
            for i in (0..n).filter(|&i| r[i].derivative(0) != 0.0) {
                here[i * n + j] = here[i * n + j].max(Some(u8::from(rate)));
            }
        }
        if usable {
            found = true;
            sigma.iter_mut().zip(here).for_each(|(s, h)| *s = (*s).max(h));
        }
    }
    match failed {
        Some(error) if !found => Err(error),
        _ => Ok(sigma),
    }
}

/// Numbers between −1 and 1 without a pattern.
pub(super) fn scatter(seed: usize) -> f64 {
    let golden = (seed as f64 + 1.0) * 0.618_033_988_749_894_9;
    2.0 * (golden - golden.floor()) - 1.0
}

/// Equations with too few unknowns and unknowns with too few equations, if there are such: those reached by
/// alternating paths from the ones that a greatest matching leaves \[DM58\].
fn surplus(n: usize, occurs: impl Fn(usize, usize) -> bool) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut of_component: Vec<Option<usize>> = vec![None; n];
    let mut unmatched = Vec::new();
    for i in 0..n {
        let mut seen = vec![false; n];
        if !augment(i, &occurs, &mut of_component, &mut seen) {
            unmatched.push(i);
        }
    }
    if unmatched.is_empty() {
        return None;
    }
    let mut equations = vec![false; n];
    let mut list = unmatched;
    while let Some(i) = list.pop() {
        if !std::mem::replace(&mut equations[i], true) {
            list.extend((0..n).filter(|&j| occurs(i, j)).filter_map(|j| of_component[j]));
        }
    }
    let mut components: Vec<bool> = of_component.iter().map(Option::is_none).collect();
    let mut list: Vec<usize> = (0..n).filter(|&j| components[j]).collect();
    while let Some(j) = list.pop() {
        for i in (0..n).filter(|&i| occurs(i, j)) {
            for other in (0..n).filter(|&o| of_component[o] == Some(i)) {
                if !std::mem::replace(&mut components[other], true) {
                    list.push(other);
                }
            }
        }
    }
    let marked = |marks: Vec<bool>| (0..n).filter(|&k| marks[k]).collect();
    Some((marked(equations), marked(components)))
}

/// Finds an unknown for equation i, moving others.
fn augment(
    i: usize,
    occurs: &impl Fn(usize, usize) -> bool,
    of_component: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for j in 0..seen.len() {
        if occurs(i, j) && !std::mem::replace(&mut seen[j], true) {
            let free = match of_component[j] {
                None => true,
                Some(other) => augment(other, occurs, of_component, seen),
            };
            if free {
                of_component[j] = Some(i);
                return true;
            }
        }
    }
    false
}

/// The Hungarian method by shortest augmenting paths \[Kuh55\]; a transversal exists.
fn greatest_transversal(n: usize, signature: &[Option<u8>]) -> Vec<usize> {
    // −∞ as a loss that no sum of others makes up for
    let loss = |i: usize, j: usize| match signature[i * n + j] {
        Some(s) => 1 - i64::from(s),
        None => 2 * n as i64 + 2,
    };
    // row and column 0 are auxiliary
    let (mut u, mut v) = (vec![0_i64; n + 1], vec![0_i64; n + 1]);
    let mut row_of = vec![0; n + 1];
    for i in 1..=n {
        row_of[0] = i;
        let mut column = 0;
        let mut least = vec![i64::MAX; n + 1];
        let mut before = vec![0; n + 1];
        let mut done = vec![false; n + 1];
        while row_of[column] != 0 {
            done[column] = true;
            let row = row_of[column];
            let (mut step, mut next) = (i64::MAX, 0);
            for j in (1..=n).filter(|&j| !done[j]) {
                let reduced = loss(row - 1, j - 1) - u[row] - v[j];
                if reduced < least[j] {
                    (least[j], before[j]) = (reduced, column);
                }
                if least[j] < step {
                    (step, next) = (least[j], j);
                }
            }
            for j in 0..=n {
                if done[j] {
                    u[row_of[j]] += step;
                    v[j] -= step;
                } else {
                    least[j] = least[j].saturating_sub(step);
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let mut assignment = vec![0; n];
    (1..=n).for_each(|j| assignment[row_of[j] - 1] = j - 1);
    assignment
}

/// The least offsets, by iteration to a fixed point \[Pry01\].
fn offsets(n: usize, signature: &[Option<u8>], assignment: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut c, mut d) = (vec![0; n], vec![0; n]);
    loop {
        for j in 0..n {
            let most = (0..n).filter_map(|i| signature[i * n + j].map(|s| c[i] + usize::from(s)));
            d[j] = most.max().unwrap_or(0);
        }
        let mut changed = false;
        for i in 0..n {
            let j = assignment[i];
            let sigma = signature[i * n + j].map_or(0, usize::from);
            let next = d[j] - sigma;
            changed |= next != c[i];
            c[i] = next;
        }
        if !changed {
            return (c, d);
        }
    }
}
