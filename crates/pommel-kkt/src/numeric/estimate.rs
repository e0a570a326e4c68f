//! How far a solution may be from the exact one.
//!
//! Rounding in data and in the residual perturbs the right-hand side by at most
//! `g = |r| + ε (|K| |x| + |b|)`, so the solution by at most `|K⁻¹| g`. The largest entry of that is
//! the 1-norm of `diag(g) K⁻¹ P`, with `P` the part of the solution that is asked for, and is
//! estimated by Hager's method as Higham has it (ACM TOMS 14(4), 1988, Algorithm 674): a few
//! substitutions. Both ways in which that looks for the norm find the product with some vector, over
//! the norm of the vector: what is found is never more than the norm, and may be less.

use pommel_math::{Mask, Real};

use super::factored::Factor;
use super::product;
use super::refine::least;
use super::status::kept;
use super::substitute::substitute;
use super::workspace::Workspace;
use crate::pattern::Entries;

/// Most rounds of the estimator.
const ROUNDS: usize = 4;

impl<T: Real> Factor<'_, T> {
    /// Estimated relative errors of unknowns and multipliers. Unknowns that vanish because forces
    /// balance have no relative error: theirs is relative to √ε of what the forces would do to the
    /// masses alone. Residual and bound of the solution
    /// stand in the workspace; afterwards the bounds of rows that were dropped do, and no others.
    pub(super) fn estimate_errors(&mut self, solution: &[T]) -> (T, T) {
        let n = self.workspace.pattern.unknowns();
        let total = self.workspace.sequence.len();
        let workspace = &mut *self.workspace;
        let rest =
            at_rest(&workspace.pattern.mass, self.values.mass, &workspace.bound, &solution[..n]);
        let mut weight = core::mem::take(&mut workspace.bound);
        // rows that were dropped bear nothing: their bounds wait with the other sign
        for (k, &s) in workspace.sequence.iter().enumerate() {
            let (s, x) = (s as usize, workspace.inverse[k]);
            let kept = kept(x);
            let w = T::from_f64(T::EPSILON).mul_add(weight[s], workspace.residual[s].abs());
            weight[s] = T::select(kept, w, -weight[s]);
        }
        let unknowns = self.largest_error(&weight, 0..n) / largest(&solution[..n]).max(rest);
        let multipliers = self.largest_error(&weight, n..total) / largest(&solution[n..]);
        // the bounds of dropped rows are asked for later
        weight.iter_mut().for_each(|w| *w = w.abs());
        self.workspace.bound = weight;
        (unknowns, multipliers)
    }

    /// Skeel's condition number `‖ |K⁻¹| |K| ‖∞`, estimated from below: how much relative errors of
    /// the numbers grow in the solution. Units of single rows do not matter to it. Dropped rows bear
    /// nothing.
    ///
    /// But for rounding it is a lower bound, seldom too small by more than a factor of three; matrices
    /// for which it is too small by any factor exist. Costs four to nine substitutions and does not
    /// allocate.
    ///
    /// ```
    /// use pommel_kkt::{Analysis, Pattern, Values, Workspace};
    ///
    /// // K = [2 1; 1 0], K⁻¹ = [0 1; 1 −2]: |K⁻¹| |K| = [1 0; 4 1]
    /// let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[(0, 0)], &[])?;
    /// let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
    /// let mut factor = workspace.factorize(&Values::new(&[2.0], &[1.0]))?;
    /// assert_eq!(factor.condition_estimate(), 5.0);
    /// # Ok::<(), pommel_kkt::KktError>(())
    /// ```
    ///
    /// # Source
    /// Higham, ACM Trans. Math. Softw. 14 (1988), Algorithm 674.
    pub fn condition_estimate(&mut self) -> T {
        let total = self.workspace.sequence.len();
        let workspace = &mut *self.workspace;
        // |K| e is the bound for x = e, b = 0
        let Workspace { pattern, y, direction, residual, bound, .. } = workspace;
        y.fill(T::one());
        direction.fill(T::zero());
        product::residual(pattern, &self.values, &y[..total], direction, residual, bound);
        let mut weight = core::mem::take(bound);
        for (k, &s) in workspace.sequence.iter().enumerate() {
            let x = workspace.inverse[k];
            let kept = kept(x);
            weight[s as usize] = T::select(kept, weight[s as usize], T::zero());
        }
        let condition = self.largest_error(&weight, 0..total);
        self.workspace.bound = weight;
        condition
    }

    /// `‖P |K⁻¹| weight‖∞`, estimated from below.
    fn largest_error(&mut self, weight: &[T], part: core::ops::Range<usize>) -> T {
        if part.is_empty() {
            return T::zero();
        }
        let workspace = &mut *self.workspace;
        let mut v = core::mem::take(&mut workspace.direction);
        // x ↦ diag(g) K⁻¹ P x, started evenly
        let even = T::from_f64(1.0 / part.len() as f64);
        for i in 0..v.len() {
            v[i] = if part.contains(&i) { even } else { T::zero() };
        }
        let mut best = T::zero();
        // a lane that gets no better has done, whatever the others do
        let mut better = Mask::all(T::LANES);
        for _ in 0..ROUNDS {
            substitute(workspace, &self.values, None, &mut v);
            let sum = sum_and_signs(&mut v, weight);
            better &= best.lt(sum);
            best = T::select(better, sum, best);
            if better.is_none() {
                break;
            }
            substitute(workspace, &self.values, None, &mut v);
            // the column that promises most, in every lane
            let mut at = [0usize; 8];
            for (lane, at) in at.iter_mut().enumerate().take(T::LANES) {
                let mut most = -1.0;
                for i in part.clone() {
                    let x = v[i].lane(lane).abs();
                    if x > most {
                        (most, *at) = (x, i);
                    }
                }
            }
            for i in 0..v.len() {
                let here = part.contains(&i);
                v[i] = T::from_lanes(|l| if here && at[l] == i { 1.0 } else { 0.0 });
            }
        }
        // an iteration that stops at once where B 1 hides what cancels in it is helped by another vector
        let last = part.len().saturating_sub(1).max(1) as f64;
        for i in 0..v.len() {
            let k = if part.contains(&i) { i - part.start } else { 0 };
            let x = if k % 2 == 0 { 1.0 + k as f64 / last } else { -1.0 - k as f64 / last };
            v[i] = T::from_f64(if part.contains(&i) { x } else { 0.0 });
        }
        substitute(workspace, &self.values, None, &mut v);
        let share = T::from_f64(2.0 / (3.0 * part.len() as f64));
        let sum = sum_and_signs(&mut v, weight) * share;
        workspace.direction = v;
        T::select(best.lt(sum), sum, best)
    }
}

/// `Σ g |v|`; what is left in `v` is `g` with the signs of `v`. Negative weights count as none.
fn sum_and_signs<T: Real>(v: &mut [T], weight: &[T]) -> T {
    let mut sum = T::zero();
    for (v, g) in v.iter_mut().zip(weight) {
        let g = T::select(g.lt(T::zero()), T::zero(), *g);
        let x = *v * g;
        sum += x.abs();
        *v = T::select(x.lt(T::zero()), -g, g);
    }
    sum
}

/// If all unknowns are no more than rounding of what the forces on them would do to their masses
/// alone: √ε of the largest of that; else zero.
fn at_rest<T: Real>(entries: &Entries, mass: &[T], force: &[T], x: &[T]) -> T {
    let rounding = T::from_f64(64.0 * T::EPSILON);
    let (mut most, mut rests) = (T::zero(), Mask::all(T::LANES));
    let mut diagonal = 0;
    for (row, column, index) in entries.iter() {
        if row != column {
            continue;
        }
        diagonal += 1;
        let m = mass[index].abs();
        rests &= T::zero().lt(m) | x[row].abs().le(T::zero());
        rests &= (m * x[row].abs()).le(rounding * force[row]);
        most = most.max(T::select(T::zero().lt(m), force[row] / m, T::zero()));
    }
    if diagonal < x.len() {
        // unknowns without mass have no such measure
        return T::zero();
    }
    T::select(rests, T::from_f64(T::EPSILON.sqrt()) * most, T::zero())
}

fn largest<T: Real>(x: &[T]) -> T {
    let mut most: T = least();
    for x in x {
        most = most.max(x.abs());
    }
    most
}
