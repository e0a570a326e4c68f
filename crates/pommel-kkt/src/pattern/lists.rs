//! Short lists of numbers, one list a key.

/// `count` lists in two arrays.
pub(crate) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Sorts pairs of key and item by their keys, keeping the order of items with one key.
    pub(crate) fn new(count: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let mut start = vec![0u32; count + 1];
        for (key, _) in pairs.clone() {
            start[key + 1] += 1;
        }
        for key in 0..count {
            start[key + 1] += start[key];
        }
        let mut place = start.clone();
        let mut items = vec![0; start[count] as usize];
        for (key, item) in pairs {
            items[place[key] as usize] = item;
            place[key] += 1;
        }
        Lists { start, items }
    }

    /// The list of one key.
    pub(crate) fn of(&self, key: usize) -> &[u32] {
        &self.items[self.start[key] as usize..self.start[key + 1] as usize]
    }

    /// All pairs by rising keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, u32)> + Clone + '_ {
        (0..self.start.len() - 1).flat_map(|key| self.of(key).iter().map(move |&item| (key, item)))
    }
}
