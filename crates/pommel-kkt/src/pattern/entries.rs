//! Entries of one matrix: places, and which value stands there.

use crate::error::{KktError, Part};

/// Entries of a sparse matrix in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entries {
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    /// Which of the caller's values stands there.
    pub(crate) index: Vec<u32>,
    /// Length of the caller's array: some of its values may stand nowhere.
    pub(crate) values: usize,
}

impl Entries {
    /// Adds an entry with the next value.
    pub(crate) fn push(&mut self, row: usize, column: usize) {
        self.push_at(row, column, self.values);
        self.values += 1;
    }

    /// Adds an entry whose value is `index`.
    pub(crate) fn push_at(&mut self, row: usize, column: usize, index: usize) {
        self.rows.push(row as u32);
        self.columns.push(column as u32);
        self.index.push(index as u32);
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Rows, columns and value indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, usize)> + Clone + '_ {
        (0..self.len())
            .map(|e| (self.rows[e] as usize, self.columns[e] as usize, self.index[e] as usize))
    }

    /// All in range, none twice.
    pub(crate) fn check(&self, part: Part, rows: usize, columns: usize) -> Result<(), KktError> {
        let largest = rows.max(columns).max(self.values).max(self.len());
        if largest >= u32::MAX as usize {
            return Err(KktError::TooLarge { size: largest });
        }
        let mut start = vec![0u32; columns + 1];
        for (row, column, entry) in self.iter() {
            if row >= rows || column >= columns {
                return Err(KktError::IndexOutOfRange { part, entry, row, column, rows, columns });
            }
            start[column + 1] += 1;
        }
        if let Some(&index) = self.index.iter().find(|&&index| index as usize >= self.values) {
            let ([.., array], expected) = (part.arrays(), index as usize + 1);
            return Err(KktError::Length { array, expected, found: self.values });
        }
        // counting sort by columns; then a row seen twice within one column is a duplicate
        for c in 0..columns {
            start[c + 1] += start[c];
        }
        let mut place = start.clone();
        let mut sorted = vec![0u32; self.len()];
        for (row, column, _) in self.iter() {
            sorted[place[column] as usize] = row as u32;
            place[column] += 1;
        }
        let mut seen = vec![u32::MAX; rows];
        for column in 0..columns {
            for &row in &sorted[start[column] as usize..start[column + 1] as usize] {
                if seen[row as usize] == column as u32 {
                    return Err(KktError::Duplicate { part, row: row as usize, column });
                }
                seen[row as usize] = column as u32;
            }
        }
        Ok(())
    }
}
