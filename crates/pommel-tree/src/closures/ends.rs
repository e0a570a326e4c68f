//! The ends of closures on their way to the root: which are at which link.

use pommel_math::Real;

use super::workspace::{ClosureWorkspace, NONE, SIDE, pair};

/// Leaves the active ends at a link.
#[inline(always)]
pub(super) fn put_down<T: Real>(memory: &mut ClosureWorkspace<T>, link: usize) {
    for k in 0..memory.active.len() {
        let end = memory.active[k];
        memory.ends[end as usize].next = memory.heads[link];
        memory.heads[link] = end;
    }
    memory.active.clear();
}

/// Makes the ends at a link active, in the order of their closures, and joins the ends of a closure.
/// Those that `follow` are active already.
#[inline(always)]
pub(super) fn arrive<T: Real>(memory: &mut ClosureWorkspace<T>, link: usize, follow: bool) {
    if memory.heads[link] == NONE {
        if !follow {
            memory.active.clear();
        }
        return;
    }
    if follow {
        put_down(memory, link);
    }
    memory.active.clear();
    let mut at = memory.heads[link];
    while at != NONE {
        memory.active.push(at);
        at = memory.ends[at as usize].next;
    }
    memory.heads[link] = NONE;
    // few, and almost in order
    for k in 1..memory.active.len() {
        let mut at = k;
        while at > 0 && memory.active[at - 1] > memory.active[at] {
            memory.active.swap(at - 1, at);
            at -= 1;
        }
    }
    join(memory);
    meet(memory);
}

/// Ends of one closure at one link become its first end.
#[inline(always)]
fn join<T: Real>(memory: &mut ClosureWorkspace<T>) {
    let (mut kept, mut k) = (0, 0);
    while k < memory.active.len() {
        let end = memory.active[k];
        let partner = memory.active.get(k + 1).copied();
        if end.is_multiple_of(2) && partner == Some(end + 1) {
            let (first, second) = memory.ends.split_at_mut(end as usize + 1);
            let (own, other) = (&mut first[end as usize], &second[0]);
            for c in 0..6 {
                for row in 0..SIDE {
                    own.wrenches[c][row] += other.wrenches[c][row];
                }
            }
            own.joint += other.joint;
            memory.sets[end as usize / 2].complete = true;
            k += 1;
        }
        memory.active[kept] = end;
        kept += 1;
        k += 1;
    }
    memory.active.truncate(kept);
}

/// Closures that are at one link for the first time in a call have no couplings yet.
#[inline(always)]
fn meet<T: Real>(memory: &mut ClosureWorkspace<T>) {
    for a in 0..memory.active.len() {
        for b in 0..=a {
            let both = pair(memory.active[a] as usize / 2, memory.active[b] as usize / 2);
            if memory.known[both] != memory.call {
                memory.known[both] = memory.call;
                memory.mobility[both] = [[T::zero(); SIDE]; SIDE];
            }
        }
    }
}
