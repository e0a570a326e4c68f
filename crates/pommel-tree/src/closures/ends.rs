//! The ends of rows on their way to the root: which are at which link.

use pommel_math::Real;

use super::workspace::{ClosureWorkspace, NONE};

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

/// Makes the ends at a link active, in the order of their rows, and joins the ends of a row. Those
/// that `follow` are active already.
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
    let mut kept = 0;
    let mut k = 0;
    while k < memory.active.len() {
        let end = memory.active[k];
        let partner = memory.active.get(k + 1).copied();
        if end.is_multiple_of(2) && partner == Some(end + 1) {
            let other = memory.ends[end as usize + 1];
            let own = &mut memory.ends[end as usize];
            own.wrench += other.wrench;
            own.joint += other.joint;
            memory.rows[end as usize / 2].complete = true;
            k += 1;
        }
        memory.active[kept] = end;
        kept += 1;
        k += 1;
    }
    memory.active.truncate(kept);
}
