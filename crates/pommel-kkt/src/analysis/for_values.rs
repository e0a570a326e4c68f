//! Orders that are tried on numbers.

use std::sync::Arc;

use pommel_math::Real;

use super::cut::Cut;
use super::graph::Graph;
use super::symbolic::Fronts;
use super::{Analysis, Options, PRODUCTS, Program, massless, tolerance_or_default};
use crate::error::KktError;
use crate::numeric::{Factor, Refinement, Workspace};
use crate::pairs;
use crate::pattern::{Pattern, Values};

/// Most orders that are tried on numbers.
const ROUNDS: usize = 8;

/// So much more work is done where a partition is asked for.
const ASKED: usize = 16;

impl Analysis {
    /// Analyses a pattern for numbers like these: finds bodies without enough mass and constraints
    /// that must wait, and tries orders on the numbers until no pivot is misplaced and two steps of
    /// refinement make solutions as good as they can be.
    ///
    /// The order of the pattern is the first, unless bodies lack mass. Where the numbers object to it,
    /// coordinates are partitioned ([`Options::partitioned`]). Where that takes too much work or does not
    /// suit them either, light bodies are taken before heavy ones that are tied to them; and at last
    /// pivots of bodies that are light or lack mass are chosen by size.
    ///
    /// What is returned was tried. If the numbers still object to the eighth order, or to one that cannot
    /// be mended, a solution may say [`Verdict::Misplaced`](crate::Verdict::Misplaced) or need more
    /// steps. An ordering that is given is not tried, only bodies without mass are found.
    /// Numbers that are infinite or NaN are no error here: factors and solutions say so.
    ///
    /// # Errors
    /// Those of [`with_options`](Self::with_options); [`KktError::Length`] if an array of values has
    /// another length than the pattern says.
    pub fn for_values<T: Real>(
        pattern: &Pattern,
        values: &Values<'_, T>,
        options: &Options,
    ) -> Result<Self, KktError> {
        values.check_lengths(pattern)?;
        let pattern = Arc::new(pattern.clone());
        let mut options = options.clone();
        options.massless.extend(massless::bodies_without_mass(&pattern, values));
        let (mut rounds, mut by_numbers, mut masses) = (0, None, None);
        options.check(&pattern)?;
        let mut partition = options.ordering.is_none() && options.partitioned.unwrap_or(true);
        let at_once = options.partitioned.is_some() || !options.massless.is_empty();
        if partition && at_once {
            partition = false;
            if let Some(analysis) = Self::try_partition(&pattern, values, &options, &mut rounds)? {
                return Ok(analysis);
            }
        }
        loop {
            rounds += 1;
            options.massless.sort_unstable();
            options.massless.dedup();
            let analysis =
                Analysis { rounds, ..Self::of(&pattern, &options, by_numbers, masses.as_deref())? };
            if options.ordering.is_some() {
                return Ok(analysis);
            }
            let (massless, late) = analysis.objections(values, &options)?;
            if rounds == ROUNDS || massless.is_empty() && late.is_empty() {
                return Ok(analysis);
            }
            if core::mem::take(&mut partition)
                && let Some(analysis) =
                    Self::try_partition(&pattern, values, &options, &mut rounds)?
            {
                return Ok(analysis);
            }
            if masses.is_none() && late.is_empty() {
                // before pivots are chosen by size, light bodies are taken before heavy ones
                (by_numbers, masses) = (Some(false), Some(massless::masses(&pattern, values)));
                continue;
            }
            options.massless.extend(massless);
            options.late.extend(late);
        }
    }

    /// Partitions coordinates by the numbers of J in the first lane, if that takes few products and suits
    /// the numbers of all lanes.
    fn try_partition<T: Real>(
        pattern: &Arc<Pattern>,
        values: &Values<'_, T>,
        options: &Options,
        rounds: &mut usize,
    ) -> Result<Option<Self>, KktError> {
        let tolerance = tolerance_or_default::<T>(options.tolerance);
        if pattern.compliance.len() > 0 {
            return Ok(None);
        }
        let limit = Self::most_products(pattern, options.partitioned == Some(true));
        let value = |i: usize| values.jacobian[i].lane(0);
        let steps = pairs::choose(pattern, value, tolerance.sqrt(), limit);
        let Some(plan) = steps.and_then(|steps| pairs::Plan::new(pattern, steps)) else {
            return Ok(None);
        };
        *rounds += 1;
        let analysis = Analysis { rounds: *rounds, ..Self::of_pairs(pattern, options, plan) };
        Ok(analysis.suits(values)?.then_some(analysis))
    }

    /// Most products of a partition.
    pub(super) fn most_products(pattern: &Pattern, asked: bool) -> usize {
        let scalars = pattern.unknowns() + pattern.rows();
        scalars.saturating_mul(if asked { ASKED * PRODUCTS } else { PRODUCTS })
    }

    /// The analysis of a partition.
    pub(super) fn of_pairs(pattern: &Arc<Pattern>, options: &Options, plan: pairs::Plan) -> Self {
        let graph = Graph::new(pattern);
        let mut order = Vec::with_capacity(graph.nodes());
        let mut seen = vec![false; graph.nodes()];
        for &scalar in &plan.sequence {
            let n = pattern.unknowns();
            let node = match (scalar as usize).checked_sub(n) {
                None => pattern.body_of(scalar as usize),
                Some(row) => pattern.body_count() + pattern.constraint_of(row),
            };
            if !core::mem::replace(&mut seen[node], true) {
                order.push(node as u32);
            }
        }
        // blocks of no scalars
        order.extend((0..graph.nodes()).filter(|&i| !seen[i]).map(|i| i as u32));
        Analysis {
            pattern: pattern.clone(),
            graph,
            fronts: Fronts::default(),
            cut: Cut::default(),
            cost: plan.cost(),
            program: Some(Program::Pairs(Arc::new(plan))),
            massless: Vec::new(),
            order,
            tolerance: options.tolerance,
            rounds: 1,
        }
    }

    /// Whether two steps of refinement make a solution as good as it can be, and no pivot may be nothing
    /// but rounding.
    fn suits<T: Real>(&self, values: &Values<'_, T>) -> Result<bool, KktError> {
        let mut workspace = Workspace::<T>::new(self);
        let mut factor = workspace.factorize(values)?;
        let misplaced = factor.misplaced_scalars().next().is_some();
        let lost = (0..T::LANES).any(|lane| factor.cancellation(lane) * doubtful::<T>() > 1.0);
        Ok(!misplaced && !lost && probe(&mut factor, &Refinement::quick())?)
    }

    /// Whether coordinates are partitioned ([`Options::partitioned`]).
    pub fn is_partitioned(&self) -> bool {
        matches!(self.program, Some(Program::Pairs(_)))
    }

    /// What the numbers say against the order of these options, and was not known yet: bodies that
    /// need pivots chosen by size, constraints that must wait.
    fn objections<T: Real>(
        &self,
        values: &Values<'_, T>,
        options: &Options,
    ) -> Result<(Vec<usize>, Vec<usize>), KktError> {
        let pattern = &*self.pattern;
        let n = pattern.unknowns();
        let mut workspace = Workspace::<T>::new(self);
        let mut factor = workspace.factorize(values)?;
        let (mut massless, mut late, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for scalar in factor.misplaced_scalars() {
            let Some(row) = scalar.checked_sub(n) else {
                massless.push(pattern.body_of(scalar));
                continue;
            };
            let constraint = pattern.constraint_of(row);
            if options.late.contains(&constraint) {
                // to wait was not enough
                rows.push(row);
            } else {
                late.push(constraint);
            }
        }
        if massless.is_empty() && late.is_empty() && rows.is_empty() {
            rows = inexact_rows(&mut factor)?;
        }
        massless.extend(massless::lightest_on(pattern, values, &rows, &options.massless));
        massless.retain(|i| options.massless.binary_search(i).is_err());
        late.sort_unstable();
        late.dedup();
        Ok((massless, late))
    }
}

/// Rows of J to blame if two steps of refinement do not make the solution for the right-hand side
/// `±1` as good as it can be.
///
/// A step multiplies the error by some `ρ`, and so did the factor: after one it is about `ρ²`, and
/// rows below `ε^⅔` would be left with `ρ³ ≤ ε`. Where bodies are much lighter than their neighbours
/// `ρ` may be near 1: what elimination adds to their masses, or to the zeros in rows on them, is
/// rounded by more than weighs there.
fn inexact_rows<T: Real>(factor: &mut Factor<'_, T>) -> Result<Vec<usize>, KktError> {
    if probe(factor, &Refinement::quick())? {
        return Ok(Vec::new());
    }
    let cancelled = factor.cancelled_rows(doubtful::<T>());
    if !cancelled.is_empty() {
        return Ok(cancelled);
    }
    let once = Refinement { steps: 1, ..Refinement::quick() };
    probe(factor, &once)?;
    Ok(factor.rows_with_errors_above(T::EPSILON.powf(2.0 / 3.0)))
}

/// Solves for the right-hand side `±1`; whether that is as good as it can be.
fn probe<T: Real>(factor: &mut Factor<'_, T>, refinement: &Refinement) -> Result<bool, KktError> {
    let total = factor.len();
    let rhs: Vec<T> =
        (0..total).map(|i| T::from_f64(if i % 3 == 0 { -1.0 } else { 1.0 })).collect();
    let mut solution = vec![T::zero(); total];
    let report = factor.solve(&rhs, &mut solution, refinement)?;
    Ok(report.backward_error.le(T::from_f64(16.0 * T::EPSILON)).is_all(T::LANES))
}

/// Pivots little above the tolerance, ε^0.8 of what they were left by, may be nothing but rounding.
fn doubtful<T: Real>() -> f64 {
    T::EPSILON.powf(0.7)
}
