//! Columns of the part of the factor that is eliminated one pivot after the other.

const NONE: u32 = u32::MAX;

/// Rows of the columns below the diagonal, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Structure {
    /// Where every column starts, and their total length.
    pub(super) start: Vec<u32>,
    pub(super) rows: Vec<u32>,
}

impl Structure {
    /// The factor of a matrix of order `total` with entries `own` (column, row) below the diagonal and
    /// with dense blocks on `cliques`, lists of rows that ascend, with something beside each; `None` if its
    /// elimination takes more than `limit` products.
    pub(super) fn new(
        total: usize,
        own: &[[u32; 2]],
        cliques: &Lists<[u32; 2]>,
        limit: usize,
    ) -> Option<Self> {
        if own.len() >= NONE as usize {
            return None;
        }
        let mut begin = vec![0u32; total + 1];
        own.iter().for_each(|e| begin[e[0] as usize + 1] += 1);
        for k in 0..total {
            begin[k + 1] += begin[k];
        }
        let mut next = begin.clone();
        let mut entries = vec![0u32; own.len()];
        for &[column, row] in own {
            entries[next[column as usize] as usize] = row;
            next[column as usize] += 1;
        }
        // dense blocks and eliminated columns wait in the column of their first row
        let mut waiting = vec![NONE; total];
        let count = cliques.ends.len();
        let mut after = vec![NONE; count + total];
        for i in 0..count {
            if let Some(&[first, _]) = cliques.of(i).first() {
                after[i] = core::mem::replace(&mut waiting[first as usize], i as u32);
            }
        }
        let mut start = vec![0u32; total + 1];
        let mut rows: Vec<u32> = Vec::with_capacity(4 * total);
        let mut mark = vec![NONE; total];
        let mut products = 0;
        for k in 0..total {
            let here = k as u32;
            mark[k] = here;
            let from = rows.len();
            let mut add = |row: u32, rows: &mut Vec<u32>| {
                if mark[row as usize] != here {
                    mark[row as usize] = here;
                    rows.push(row);
                }
            };
            for &row in &entries[begin[k] as usize..begin[k + 1] as usize] {
                add(row, &mut rows);
            }
            let mut c = waiting[k];
            while c != NONE {
                if (c as usize) < count {
                    cliques.of(c as usize)[1..].iter().for_each(|e| add(e[0], &mut rows));
                } else {
                    let c = c as usize - count;
                    for e in start[c] + 1..start[c + 1] {
                        let row = rows[e as usize];
                        add(row, &mut rows);
                    }
                }
                c = after[c as usize];
            }
            rows[from..].sort_unstable();
            let height = rows.len() - from;
            products = (height.saturating_mul(height + 1) / 2).saturating_add(products);
            if products > limit || rows.len() + total >= NONE as usize {
                return None;
            }
            if let Some(&parent) = rows.get(from) {
                let list = &mut waiting[parent as usize];
                let c = count + k;
                after[c] = core::mem::replace(list, c as u32);
            }
            start[k + 1] = rows.len() as u32;
        }
        Some(Structure { start, rows })
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Where a column stands.
    pub(super) fn column(&self, k: usize) -> core::ops::Range<usize> {
        self.start[k] as usize..self.start[k + 1] as usize
    }

    /// Entries by rows: place, column.
    pub(super) fn by_rows(&self) -> Lists<[u32; 2]> {
        let columns = (0..self.len()).flat_map(|k| self.column(k).map(move |place| (place, k)));
        let entries = columns.map(|(place, k)| (self.rows[place], [place as u32, k as u32]));
        Lists::new(self.len(), entries)
    }

    /// Where an entry below the diagonal stands.
    pub(super) fn place(&self, row: u32, column: u32) -> usize {
        let range = self.column(column as usize);
        let place = range.start + self.rows[range].partition_point(|&r| r < row);
        assert_eq!(self.rows[place], row, "an entry of the column");
        place
    }
}

/// Lists, one for every slot, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists<X> {
    /// Where every list ends.
    pub(crate) ends: Vec<u32>,
    pub(crate) items: Vec<X>,
}

impl<X: Copy + Default> Lists<X> {
    /// Sorts items by their slots; those of one slot stay in order.
    pub(crate) fn new(slots: usize, items: impl Iterator<Item = (u32, X)> + Clone) -> Self {
        let mut next = vec![0u32; slots + 1];
        items.clone().for_each(|(slot, _)| next[slot as usize + 1] += 1);
        for slot in 0..slots {
            next[slot + 1] += next[slot];
        }
        let mut sorted = vec![X::default(); next[slots] as usize];
        for (slot, item) in items {
            sorted[next[slot as usize] as usize] = item;
            next[slot as usize] += 1;
        }
        next.truncate(slots);
        Lists { ends: next, items: sorted }
    }

    fn range(&self, slot: usize) -> core::ops::Range<usize> {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] };
        start as usize..self.ends[slot] as usize
    }

    /// The list of a slot.
    pub(crate) fn of(&self, slot: usize) -> &[X] {
        &self.items[self.range(slot)]
    }

    /// Adds a list.
    pub(crate) fn push(&mut self, list: &[X]) {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len() as u32);
    }

    /// The last list.
    pub(crate) fn last(&self) -> &[X] {
        self.of(self.ends.len() - 1)
    }

    /// The list of a slot, to be changed.
    pub(crate) fn of_mut(&mut self, slot: usize) -> &mut [X] {
        let range = self.range(slot);
        &mut self.items[range]
    }
}
