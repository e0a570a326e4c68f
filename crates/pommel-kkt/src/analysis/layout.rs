//! Where everything stands in memory, for one width of vectors.
//!
//! A front's *panel* stays in the factor: the columns of its pivots, first their pivot rows, then
//! their boundary rows, each part padded with zeros to whole vectors of `W` numbers. The columns of
//! its boundary, the *update*, live until the parent has taken them. Where the boundary is a run of
//! the parent's pivots, the update is subtracted from the parent's panel at once (`direct`).
//!
//! Parts that are eliminated at the same time touch no memory of each other: updates of a part stand
//! behind those of its descendants, panels do so anyway, and no front writes into a panel of another
//! part, not even the zeros that pad a vector.

use super::cut::{Cut, Part};
use super::graph::Graph;
use super::symbolic::Fronts;
use crate::pattern::{Entries, Pattern};

/// One front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front {
    /// First pivot, in elimination order.
    pub(crate) first: u32,
    /// Number of pivots.
    pub(crate) pivots: u32,
    /// Number of boundary rows.
    pub(crate) boundary: u32,
    /// Distance of columns of pivot rows.
    pub(crate) pivot_stride: u32,
    /// Distance of columns of boundary rows, in the panel and in the update.
    pub(crate) boundary_stride: u32,
    /// Start of the panel: `pivots` columns of pivot rows, then as many of boundary rows.
    pub(crate) panel: u32,
    /// Start of the update, one more column for the sizes of its diagonal; for a direct one the row
    /// of the parent's pivots at which it starts.
    pub(crate) update: u32,
    /// Start of the boundary in [`Layout::rows`].
    pub(crate) rows: u32,
    /// Start in [`Layout::joins`], to the next front's.
    pub(crate) joins: u32,
    /// Starts of entries of M, J and C in [`Layout::entries`], to the next front's.
    pub(crate) entries: [u32; 3],
    /// The parent, or `u32::MAX`.
    pub(crate) parent: u32,
    /// Whether no child writes into the panel before its turn.
    pub(crate) untouched: bool,
    /// Whether this is the first front that writes into its parent's panel.
    pub(crate) opens_parent: bool,
    /// Whether the update goes straight into the parent's panel.
    pub(crate) direct: bool,
    /// Whether the boundary is a run of consecutive pivots.
    pub(crate) run: bool,
    /// Whether no child adds to the update.
    pub(crate) fresh: bool,
    /// Whether pivots are chosen by size.
    pub(crate) pivoted: bool,
}

impl Front {
    /// What stands behind the last front, where elimination ends at `first`.
    fn end(first: u32) -> Self {
        Front {
            first,
            pivots: 0,
            boundary: 0,
            pivot_stride: 0,
            boundary_stride: 0,
            panel: 0,
            update: 0,
            rows: 0,
            joins: 0,
            entries: [0; 3],
            parent: u32::MAX,
            untouched: true,
            opens_parent: false,
            direct: false,
            run: false,
            fresh: true,
            pivoted: false,
        }
    }

    /// Length of the panel.
    #[inline(always)]
    pub(crate) fn panel_length(&self) -> usize {
        self.pivots as usize * (self.pivot_stride + self.boundary_stride) as usize
    }

    /// Length of the update with its sizes.
    #[inline(always)]
    pub(crate) fn update_length(&self) -> usize {
        if self.direct || self.boundary == 0 {
            return 0;
        }
        (self.boundary as usize + 1) * self.boundary_stride as usize
    }
}

/// A child's update, as its parent sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Join {
    /// Start of the child's update.
    pub(crate) update: u32,
    /// Distance of its columns.
    pub(crate) stride: u32,
    /// Number of its rows.
    pub(crate) rows: u32,
    /// Start in [`Layout::places`] of the parent's rows for them.
    pub(crate) places: u32,
}

/// A value of M, J or C and its place in its front's panel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) value: u32,
    pub(crate) place: u32,
}

/// The whole memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) fronts: Vec<Front>,
    /// Boundary rows of the fronts, in elimination order.
    pub(crate) rows: Vec<u32>,
    pub(crate) joins: Vec<Join>,
    /// Rows of a parent's front for the boundary rows of a child.
    pub(crate) places: Vec<u32>,
    /// Entries of M, of J, of C.
    pub(crate) entries: [Vec<Entry>; 3],
    /// Length of all panels.
    pub(crate) panels: usize,
    /// Length of all updates.
    pub(crate) updates: usize,
    /// Most boundary rows of a front, padded.
    pub(crate) tallest: usize,
    /// What may be eliminated at the same time, descendants first; none if the system is not cut.
    pub(crate) parts: Vec<Part>,
}

/// A place in memory.
///
/// # Panics
/// If it is beyond 4·10⁹ numbers.
fn small(place: usize) -> u32 {
    u32::try_from(place).expect("a factor of less than 4·10⁹ numbers")
}

/// Memory that is handed out and taken back while the fronts are walked through.
#[derive(Default)]
struct Arena {
    /// Free pieces: start, length; ascending.
    free: Vec<(usize, usize)>,
    end: usize,
}

impl Arena {
    fn take(&mut self, length: usize) -> usize {
        if let Some(i) = self.free.iter().position(|f| f.1 >= length) {
            let start = self.free[i].0;
            self.free[i].0 += length;
            self.free[i].1 -= length;
            if self.free[i].1 == 0 {
                self.free.remove(i);
            }
            return start;
        }
        let start = match self.free.last() {
            Some(&(start, n)) if start + n == self.end => {
                self.free.pop();
                start
            }
            _ => self.end,
        };
        self.end = start + length;
        start
    }

    fn give(&mut self, start: usize, length: usize) {
        if length == 0 {
            return;
        }
        let at = self.free.partition_point(|f| f.0 < start);
        self.free.insert(at, (start, length));
        if at + 1 < self.free.len() && start + length == self.free[at + 1].0 {
            self.free[at].1 += self.free[at + 1].1;
            self.free.remove(at + 1);
        }
        if at > 0 && self.free[at - 1].0 + self.free[at - 1].1 == start {
            self.free[at - 1].1 += self.free[at].1;
            self.free.remove(at);
        }
    }
}

impl Layout {
    /// No fronts.
    pub(crate) fn empty() -> Self {
        Layout { fronts: vec![Front::end(0)], ..Layout::default() }
    }

    pub(crate) fn new(
        pattern: &Pattern,
        graph: &Graph,
        fronts: &Fronts,
        cut: &Cut,
        w: usize,
    ) -> Self {
        let count = fronts.len();
        let total = graph.scalars.len();
        // elimination order of the scalars
        let mut position = vec![0u32; total];
        let mut first_of_node = Vec::with_capacity(fronts.nodes.len() + 1);
        let mut at = 0u32;
        for &node in &fronts.nodes {
            first_of_node.push(at);
            for &scalar in graph.scalars(node as usize) {
                position[scalar as usize] = at;
                at += 1;
            }
        }
        first_of_node.push(at);

        let mut layout = Layout::default();
        let mut front_of = vec![0u32; total];
        let mut first_child = vec![u32::MAX; count];
        let mut sibling = vec![u32::MAX; count];
        for f in (0..count).rev() {
            if let Some(p) = fronts.parent[f] {
                sibling[f] = first_child[p as usize];
                first_child[p as usize] = f as u32;
            }
        }
        let mut untouched = vec![true; count];
        let part_of = cut.of_fronts(count);
        let whole = cut.parts.is_empty();
        let mut panels = 0usize;
        for f in 0..count {
            let (a, b) = (fronts.first[f] as usize, fronts.first[f + 1] as usize);
            let (first, end) = (first_of_node[a], first_of_node[b]);
            front_of[first as usize..end as usize].fill(f as u32);
            let pivots = (end - first) as usize;
            let rows = layout.rows.len();
            for &node in fronts.boundary(f) {
                let range = first_of_node[node as usize]..first_of_node[node as usize + 1];
                layout.rows.extend(range);
            }
            let boundary = layout.rows.len() - rows;
            let own = &layout.rows[rows..];
            let run = own.windows(2).all(|w| w[0] + 1 == w[1]);
            let mut front = Front {
                first,
                pivots: pivots as u32,
                boundary: boundary as u32,
                pivot_stride: pivots.next_multiple_of(w) as u32,
                boundary_stride: boundary.next_multiple_of(w) as u32,
                panel: small(panels),
                update: 0,
                rows: rows as u32,
                joins: layout.joins.len() as u32,
                entries: [0; 3],
                parent: fronts.parent[f].unwrap_or(u32::MAX),
                untouched: untouched[f],
                opens_parent: false,
                direct: false,
                run,
                fresh: true,
                pivoted: fronts.pivoted[f],
            };
            let mut child = first_child[f];
            while child != u32::MAX {
                let c = &layout.fronts[child as usize];
                let last = layout.rows[(c.rows + c.boundary) as usize - 1];
                front.fresh &= last < end;
                child = sibling[child as usize];
            }
            if let Some(parent) = fronts.parent[f] {
                let [a, b] =
                    [parent, parent + 1].map(|p| first_of_node[fronts.first[p as usize] as usize]);
                let (part, end) = part_of[parent as usize];
                // of the widest vectors, as bits must not depend on the width
                let last = own[0] + boundary.next_multiple_of(8) as u32;
                let within = part == part_of[f].0
                    && last <= first_of_node[fronts.first[end as usize] as usize];
                let free = !fronts.pivoted[parent as usize] && (whole || within);
                if run && front.fresh && own[boundary - 1] < b && free {
                    front.direct = true;
                    front.opens_parent = untouched[parent as usize];
                    untouched[parent as usize] = false;
                    front.update = own[0] - a;
                }
            }
            let mut child = first_child[f];
            while child != u32::MAX {
                let c = layout.fronts[child as usize];
                child = sibling[child as usize];
                if c.direct {
                    continue;
                }
                let places = layout.places.len() as u32;
                let mut near = 0;
                let own = &layout.rows[rows..];
                for &row in &layout.rows[c.rows as usize..(c.rows + c.boundary) as usize] {
                    layout.places.push(if row < end {
                        row - first
                    } else {
                        while own[near] != row {
                            near += 1;
                        }
                        (pivots + near) as u32
                    });
                }
                layout.joins.push(Join {
                    update: 0,
                    stride: c.boundary_stride,
                    rows: c.boundary,
                    places,
                });
            }
            panels += front.panel_length();
            layout.tallest = layout.tallest.max(front.boundary_stride as usize);
            layout.fronts.push(front);
        }
        layout.panels = panels + 2 * w;
        // a last front that ends all ranges
        layout.fronts.push(Front {
            panel: small(panels),
            rows: layout.rows.len() as u32,
            joins: layout.joins.len() as u32,
            ..Front::end(at)
        });
        layout.place_updates(cut, &first_child, &sibling);
        layout.updates += 2 * w;
        let n = pattern.unknowns() as u32;
        layout.place_entries(0, &pattern.mass, [0, 0], &position, &front_of);
        layout.place_entries(1, &pattern.jacobian, [n, 0], &position, &front_of);
        layout.place_entries(2, &pattern.compliance, [n, n], &position, &front_of);
        layout
    }

    /// Finds places for updates, part by part.
    fn place_updates(&mut self, cut: &Cut, first_child: &[u32], sibling: &[u32]) {
        let count = self.fronts.len() - 1;
        let mut parts = cut.parts.clone();
        let mut all = Part { below: 0, first: 0, own: Vec::new(), updates: 0 };
        if parts.is_empty() {
            all.own.push(0..count as u32);
        }
        for part in parts.iter_mut().chain([&mut all]) {
            let start = self.updates;
            let mut arena = Arena { free: Vec::new(), end: start };
            part.updates = small(start);
            for f in part.own.iter().cloned().flatten() {
                let front = &mut self.fronts[f as usize];
                let length = front.update_length();
                if length > 0 {
                    front.update = small(arena.take(length));
                } else if !front.direct {
                    front.update = part.updates;
                }
                let mut join = front.joins as usize;
                let mut child = first_child[f as usize];
                while child != u32::MAX {
                    let c = self.fronts[child as usize];
                    child = sibling[child as usize];
                    if c.direct {
                        continue;
                    }
                    self.joins[join].update = c.update;
                    join += 1;
                    // what another part left is not written over
                    if c.update as usize >= start {
                        arena.give(c.update as usize, c.update_length());
                    }
                }
            }
            self.updates = arena.end;
        }
        self.parts = parts;
    }

    /// Sorts entries by front and finds their places.
    fn place_entries(
        &mut self,
        part: usize,
        entries: &Entries,
        offset: [u32; 2],
        position: &[u32],
        front_of: &[u32],
    ) {
        let count = self.fronts.len() - 1;
        let mut start = vec![0u32; count + 1];
        let place = |e: usize| {
            let a = position[(entries.rows[e] + offset[0]) as usize];
            let b = position[(entries.columns[e] + offset[1]) as usize];
            (a.max(b), a.min(b))
        };
        for e in 0..entries.len() {
            start[front_of[place(e).1 as usize] as usize + 1] += 1;
        }
        for f in 0..count {
            start[f + 1] += start[f];
            self.fronts[f].entries[part] = start[f];
        }
        self.fronts[count].entries[part] = start[count];
        let mut list = vec![Entry { value: 0, place: 0 }; entries.len()];
        for e in 0..entries.len() {
            let (row, column) = place(e);
            let f = front_of[column as usize] as usize;
            let front = &self.fronts[f];
            let column = column - front.first;
            let place = if row < front.first + front.pivots {
                column * front.pivot_stride + row - front.first
            } else {
                let own = &self.rows[front.rows as usize..(front.rows + front.boundary) as usize];
                front.pivots * front.pivot_stride
                    + column * front.boundary_stride
                    + own.partition_point(|&r| r < row) as u32
            };
            list[start[f] as usize] = Entry { value: entries.index[e], place };
            start[f] += 1;
        }
        self.entries[part] = list;
    }
}
