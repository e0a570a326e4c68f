//! Elimination of multipliers: which rows are ready, which depend on others, which contradict them.

use pommel_math::{Real, Vec3, Wrench};

use super::workspace::{ClosureWorkspace, RowSet, SIDE, Solved, pair};
use super::{ClosureError, LoopClosures};
use crate::block::add;
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

/// What rows that depend on others may miss.
#[derive(Clone, Copy)]
pub(super) struct Slack {
    /// m/s² or rad/s²
    acceleration: f64,
    /// a pivot below this part of what the joints gave to it is none
    pivot: f64,
    /// no more of a wrench than this part is nothing
    wrench: f64,
}

impl Slack {
    pub(super) fn of<T: Real>(closures: &LoopClosures<T>) -> Self {
        let drift = closures.drift;
        let least = dependent::<T>();
        Slack {
            acceleration: closures.tolerance,
            pivot: least.max(drift * drift),
            wrench: least.max(drift),
        }
    }
}

/// Rounding of a sum along a chain, in units of `ε`, relative to terms that may have cancelled.
const ROUNDING: f64 = 64.0;

/// Within the tree, pivots below this part wait for more joints.
const WAIT: f64 = 1e-4;

/// A loop must not become an inertia larger than `M̂` by more than this factor.
const STIFFEST: f64 = 1e2;

/// Eliminates the multipliers of rows that are ready, the best pivot first. `size` holds mass and
/// inertia of the link with what it bears; none on the ground, where all must go.
#[inline(always)]
pub(super) fn close_rows<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    inner: &mut Inner<T>,
    size: Option<[T; 2]>,
    slack: Slack,
) -> Result<(), ClosureError> {
    loop {
        let mut best: Option<(usize, usize, f64)> = None;
        for a in 0..memory.active.len() {
            let end = memory.active[a] as usize;
            let (closure, set) = (end / 2, &memory.sets[end / 2]);
            if !set.complete || memory.ends[end].joint.lane(0) != 0.0 {
                continue;
            }
            for row in 0..memory.counts[closure] {
                let pivot = memory.mobility[pair(closure, closure)][row][row].lane(0);
                if set.open[row].lane(0) == 0.0 || !set.is_moved_by(row, pivot, slack) {
                    continue;
                }
                let part = pivot / set.mobility[row].lane(0);
                if best.is_some_and(|(_, _, other)| part <= other) {
                    continue;
                }
                let ready = match size {
                    None => true,
                    Some([mass, inertia]) => {
                        let w = memory.ends[end].wrench(row);
                        let (moment, force) =
                            (w.moment.norm_squared().lane(0), w.force.norm_squared().lane(0));
                        part > WAIT
                            && force <= STIFFEST * pivot * mass.lane(0)
                            && moment <= STIFFEST * pivot * inertia.lane(0)
                    }
                };
                if ready {
                    best = Some((a, row, part));
                }
            }
        }
        let Some((a, row, share)) = best else { break };
        eliminate_row(memory, inner, (a, row), share);
    }
    drop_dependent(memory, size.is_none(), slack)?;
    retain_open(memory);
    Ok(())
}

/// Forgets the ends of closures without open rows.
#[inline(always)]
fn retain_open<T: Real>(memory: &mut ClosureWorkspace<T>) {
    let mut kept = 0;
    for a in 0..memory.active.len() {
        let end = memory.active[a];
        if memory.sets[end as usize / 2].open_count > 0 {
            memory.active[kept] = end;
            kept += 1;
        }
    }
    memory.active.truncate(kept);
}

/// Takes a row out of those that are open; its wrench goes with it.
#[inline(always)]
fn shut<T: Real>(memory: &mut ClosureWorkspace<T>, end: usize, row: usize) {
    let set = &mut memory.sets[end / 2];
    set.open[row] = T::zero();
    set.open_count -= 1;
    for c in 0..6 {
        memory.ends[end].wrenches[c][row] = T::zero();
    }
}

#[inline(always)]
fn eliminate_row<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    inner: &mut Inner<T>,
    (at, row): (usize, usize),
    share: f64,
) {
    let end = memory.active[at] as usize;
    let closure = end / 2;
    let wrench = memory.ends[end].wrench(row);
    let acceleration = memory.sets[closure].acceleration[row];
    let inverse = memory.mobility[pair(closure, closure)][row][row].recip();
    let scaled = wrench.scale(inverse);
    inner.inertia = inner.inertia.minus_outer(-wrench, scaled);
    inner.wrench = scaled.scale_add(acceleration, inner.wrench);
    shut(memory, end, row);
    let w = wrench.to_array();
    let begin = memory.couplings.len();
    for a in 0..memory.active.len() {
        let other_end = memory.active[a] as usize;
        let other = other_end / 2;
        let mut coupling = if other <= closure {
            memory.mobility[pair(closure, other)][row]
        } else {
            let entries = &memory.mobility[pair(other, closure)];
            let mut column = [T::zero(); SIDE];
            for k in 0..SIDE {
                column[k] = entries[k][row];
            }
            column
        };
        let (set, end) = (&mut memory.sets[other], &mut memory.ends[other_end]);
        let mut factor = [T::zero(); SIDE];
        for k in 0..SIDE {
            coupling[k] *= set.open[k];
            factor[k] = -(coupling[k] * inverse);
        }
        add(&mut set.acceleration, acceleration, &factor);
        for c in 0..6 {
            add(&mut end.wrenches[c], w[c], &factor);
        }
        memory.couplings.push((other as u32, coupling));
    }
    let couplings = &memory.couplings[begin..];
    for a in 0..couplings.len() {
        let (first, coupling) = couplings[a];
        for b in 0..=a {
            let (second, other) = couplings[b];
            let entries = &mut memory.mobility[pair(first as usize, second as usize)];
            for r in 0..memory.counts[first as usize] {
                add(&mut entries[r], -(coupling[r] * inverse), &other);
            }
        }
    }
    memory.solved.push(Solved {
        closure: closure as u32,
        row: row as u32,
        wrench,
        inverse,
        share,
        acceleration,
        couplings: [begin as u32, memory.couplings.len() as u32],
    });
}

/// Drops complete rows that neither the joints so far nor those to come can move; on the ground all.
#[inline(always)]
fn drop_dependent<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    on_ground: bool,
    slack: Slack,
) -> Result<(), ClosureError> {
    for a in 0..memory.active.len() {
        let end = memory.active[a] as usize;
        let closure = end / 2;
        if !(on_ground || memory.sets[closure].complete) {
            continue;
        }
        let pending = memory.ends[end].joint.lane(0) != 0.0;
        for row in 0..memory.counts[closure] {
            let set = &memory.sets[closure];
            if set.open[row].lane(0) == 0.0 {
                continue;
            }
            let pivot = memory.mobility[pair(closure, closure)][row][row].lane(0);
            let stuck = !pending
                && !set.is_moved_by(row, pivot, slack)
                && set.is_borne(row, memory.ends[end].wrench(row), slack);
            if on_ground || stuck {
                check_dependent(memory, closure, row, slack)?;
                memory.sets[closure].dependent[row] = true;
                shut(memory, end, row);
            }
        }
    }
    Ok(())
}

/// Whether the rows that a row depends on give it the acceleration that it asks for.
#[inline(always)]
fn check_dependent<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    closure: usize,
    row: usize,
    slack: Slack,
) -> Result<(), ClosureError> {
    let set = &memory.sets[closure];
    let residual = set.acceleration[row].lane(0).abs();
    let mut limit = set.inexact(row, slack);
    if !(residual.is_finite() && limit.is_finite()) {
        return Err(ClosureError::NotFinite { closure, row });
    }
    if residual > limit {
        limit = rounding(memory, closure, row, slack);
    }
    limit += slack.acceleration;
    if residual > limit {
        return Err(ClosureError::Inconsistent { closure, row, residual, limit });
    }
    Ok(())
}

impl<T: Real> RowSet<T> {
    /// Whether the pivot of a row is more than what dependence and rounding leave.
    #[inline(always)]
    fn is_moved_by(&self, row: usize, pivot: f64, slack: Slack) -> bool {
        pivot > slack.pivot * self.mobility[row].lane(0)
            && pivot > unmoved::<T>() * self.reach[row].lane(0)
    }

    /// What the state and rounding may leave of the acceleration of a row: it may differ from those that
    /// it depends on by the root of their pivots.
    #[inline(always)]
    fn inexact(&self, row: usize, slack: Slack) -> f64 {
        let rounding = ROUNDING * T::EPSILON * self.terms[row].lane(0);
        slack.pivot.sqrt().mul_add(self.size[row].lane(0), rounding)
    }

    /// Whether nothing but rounding, or drift, is left of a row's wrench, so that no further joint feels it.
    #[inline(always)]
    fn is_borne(&self, row: usize, left: Wrench<T>, slack: Slack) -> bool {
        let part = slack.wrench;
        let largest = |u: Vec3<T>| u.x.abs().max(u.y.abs()).max(u.z.abs()).lane(0);
        largest(left.moment) <= part * self.moment[row].lane(0)
            && largest(left.force) <= part * self.force[row].lane(0)
    }
}

/// What eliminations may have left of the acceleration of a dependent row: each hands on what the
/// eliminated row had, and the rounding of its factor, for which a small pivot stands.
#[cold]
fn rounding<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    closure: usize,
    row: usize,
    slack: Slack,
) -> f64 {
    let ClosureWorkspace { sets, solved, couplings, .. } = memory;
    for set in sets.iter_mut() {
        for row in 0..SIDE {
            set.rounding[row] = set.inexact(row, slack);
        }
    }
    for s in &*solved {
        let (from, k) = (sets[s.closure as usize], s.row as usize);
        let (inverse, own) = (s.inverse.lane(0), from.reach[k].lane(0));
        for (to, coupling) in &couplings[s.couplings[0] as usize..s.couplings[1] as usize] {
            let to = &mut sets[*to as usize];
            for r in 0..SIDE {
                // rows that were not open then have no coupling
                if coupling[r].lane(0) == 0.0 {
                    continue;
                }
                let factor = (coupling[r].lane(0) * inverse).abs();
                let entry = (own * to.reach[r].lane(0)).sqrt() + factor * own;
                let unsure = ROUNDING * T::EPSILON * entry * inverse;
                to.rounding[r] += factor * from.rounding[k] + unsure * s.acceleration.lane(0).abs();
            }
        }
    }
    sets[closure].rounding[row]
}
