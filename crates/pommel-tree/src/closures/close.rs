//! Elimination of multipliers: which rows are ready, which depend on others, which contradict them.

use pommel_math::{Real, Wrench};

use super::ClosureError;
use super::LoopClosures;
use super::workspace::{ClosureWorkspace, Row, Solved};
use crate::workspace::Inner;

/// A pivot of `L` below `ε^¾` of what the joints gave to it is none: the row depends on others.
/// (1.8e-12 for f64; rounding leaves `n ε`, and a row that differs from others by `δ` leaves `δ²`.)
#[inline(always)]
fn dependent<T: Real>() -> f64 {
    (T::EPSILON * T::EPSILON * T::EPSILON).sqrt().sqrt()
}

/// A pivot below this part of what joints give to rows whose wrenches they do not bear is none: no
/// joint moves the row. (2.4e-18 for f64: a lever of `1.6e-9` of the distance.)
#[inline(always)]
fn unmoved<T: Real>() -> f64 {
    dependent::<T>() * dependent::<T>().sqrt()
}

/// What a dependent row may leave of its acceleration, relative to its terms: it may differ from the
/// others by as much, a pivot being a square. (1.3e-6 for f64.)
#[inline(always)]
fn inexact<T: Real>() -> f64 {
    dependent::<T>().sqrt()
}

/// Rounding of an entry of `L`, in units of `ε`, relative to the diagonal.
const ROUNDING: f64 = 64.0;

/// Within the tree, pivots below this part wait for more joints.
const WAIT: f64 = 1e-4;

/// A loop must not become an inertia larger than `M̂` by more than this factor.
const STIFFEST: f64 = 1e2;

/// Eliminates the multipliers of rows that are ready, the best pivot first. `size` holds mass and
/// inertia of the link with what it bears; none on the ground, where all must go.
#[inline(always)]
pub(super) fn close_rows<T: Real>(
    closures: &LoopClosures<T>,
    memory: &mut ClosureWorkspace<T>,
    inner: &mut Inner<T>,
    size: Option<[T; 2]>,
) -> Result<(), ClosureError> {
    let n = closures.rows;
    loop {
        let mut best: Option<(usize, f64)> = None;
        for (k, &end) in memory.active.iter().enumerate() {
            let row = end as usize / 2;
            let data = &memory.rows[row];
            if !data.complete || memory.ends[end as usize].joint.lane(0) != 0.0 {
                continue;
            }
            let pivot = memory.mobility[row * n + row].lane(0);
            if !data.is_moved_by(pivot) {
                continue;
            }
            let part = pivot / data.mobility.lane(0);
            let ready = match size {
                None => true,
                Some([mass, inertia]) => {
                    let w = memory.ends[end as usize].wrench;
                    let (moment, force) =
                        (w.moment.norm_squared().lane(0), w.force.norm_squared().lane(0));
                    part > WAIT
                        && force <= STIFFEST * pivot * mass.lane(0)
                        && moment <= STIFFEST * pivot * inertia.lane(0)
                }
            };
            if ready && best.is_none_or(|(_, other)| part > other) {
                best = Some((k, part));
            }
        }
        let Some((k, _)) = best else { break };
        eliminate_row(n, memory, inner, k);
    }
    drop_dependent(closures, memory, size.is_none())
}

/// Where the entry of `L` between two rows stands: only the lower half is kept.
#[inline(always)]
fn lower(n: usize, r: usize, s: usize) -> usize {
    if r >= s { r * n + s } else { s * n + r }
}

#[inline(always)]
fn eliminate_row<T: Real>(
    n: usize,
    memory: &mut ClosureWorkspace<T>,
    inner: &mut Inner<T>,
    k: usize,
) {
    let end = memory.active.remove(k);
    let row = end as usize / 2;
    let wrench = memory.ends[end as usize].wrench;
    let acceleration = memory.rows[row].acceleration;
    let inverse = memory.mobility[row * n + row].recip();
    let scaled = wrench.scale(inverse);
    inner.inertia = inner.inertia.minus_outer(-wrench, scaled);
    inner.wrench = scaled.scale_add(acceleration, inner.wrench);
    let begin = memory.couplings.len() as u32;
    for a in 0..memory.active.len() {
        let other = memory.active[a] as usize;
        let r = other / 2;
        let coupling = memory.mobility[lower(n, r, row)];
        memory.couplings.push((r as u32, coupling));
        let factor = coupling * inverse;
        let target = &mut memory.ends[other];
        target.wrench = wrench.scale_add(-factor, target.wrench);
        memory.rows[r].acceleration -= factor * acceleration;
        for b in 0..=a {
            let s = memory.active[b] as usize / 2;
            let entry = memory.mobility[lower(n, s, row)];
            let target = &mut memory.mobility[r * n + s];
            *target = (-factor).mul_add(entry, *target);
        }
    }
    memory.solved.push(Solved {
        row: row as u32,
        wrench,
        inverse,
        acceleration,
        couplings: [begin, memory.couplings.len() as u32],
    });
}

/// Drops complete rows that neither the joints so far nor those to come can move; on the ground all.
#[inline(always)]
fn drop_dependent<T: Real>(
    closures: &LoopClosures<T>,
    memory: &mut ClosureWorkspace<T>,
    on_ground: bool,
) -> Result<(), ClosureError> {
    let n = closures.rows;
    let mut k = 0;
    while k < memory.active.len() {
        let end = memory.active[k] as usize;
        let row = end / 2;
        if !(on_ground || memory.rows[row].complete) {
            k += 1;
            continue;
        }
        let data = memory.rows[row];
        let pivot = memory.mobility[row * n + row].lane(0);
        let pending = memory.ends[end].joint.lane(0) != 0.0;
        let stuck = !pending && !data.is_moved_by(pivot) && data.is_borne(memory.ends[end].wrench);
        if !(on_ground || stuck) {
            k += 1;
            continue;
        }
        let residual = data.acceleration.lane(0).abs();
        let mut limit = inexact::<T>() * data.size.lane(0);
        if residual > limit {
            limit = rounding(memory, row);
        }
        let (closure, index) = closures.closure_of(row);
        if !(residual.is_finite() && limit.is_finite()) {
            return Err(ClosureError::NotFinite { closure, row: index });
        }
        if residual > limit {
            return Err(ClosureError::Inconsistent { closure, row: index, residual, limit });
        }
        memory.rows[row].dependent = true;
        memory.multipliers[row] = T::zero();
        memory.active.remove(k);
    }
    Ok(())
}

impl<T: Real> Row<T> {
    /// Whether a pivot is more than what dependence and rounding leave.
    #[inline(always)]
    fn is_moved_by(&self, pivot: f64) -> bool {
        pivot > dependent::<T>() * self.mobility.lane(0)
            && pivot > unmoved::<T>() * self.reach.lane(0)
    }

    /// Whether nothing but rounding is left of the wrench, so that no further joint feels it.
    #[inline(always)]
    fn is_borne(&self, left: Wrench<T>) -> bool {
        let part = dependent::<T>() * dependent::<T>();
        left.moment.norm_squared().lane(0) <= part * self.moment_squared.lane(0)
            && left.force.norm_squared().lane(0) <= part * self.force_squared.lane(0)
    }
}

/// What eliminations may have left of the acceleration of a dependent row: each hands on what the
/// eliminated row had, and the rounding of its factor, for which a small pivot stands.
#[cold]
fn rounding<T: Real>(memory: &mut ClosureWorkspace<T>, row: usize) -> f64 {
    let ClosureWorkspace { rows, solved, couplings, .. } = memory;
    for row in rows.iter_mut() {
        row.rounding = inexact::<T>() * row.size.lane(0);
    }
    for s in &*solved {
        let from = rows[s.row as usize];
        let (inverse, own) = (s.inverse.lane(0), from.reach.lane(0));
        for (r, coupling) in &couplings[s.couplings[0] as usize..s.couplings[1] as usize] {
            let to = &mut rows[*r as usize];
            let factor = (coupling.lane(0) * inverse).abs();
            let entry = (own * to.reach.lane(0)).sqrt() + factor * own;
            let unsure = ROUNDING * T::EPSILON * entry * inverse;
            to.rounding += factor * from.rounding + unsure * s.acceleration.lane(0).abs();
        }
    }
    rows[row].rounding
}
