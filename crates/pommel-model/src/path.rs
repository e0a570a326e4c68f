//! Paths into a description, as text: `bodies[3].inertia`, `initial.q['a.b']`.

use std::collections::HashMap;
use std::fmt::Write;

/// Appends a key: `.key`, or `['key']` if it holds more than letters, digits, `_` and `-`.
pub(crate) fn push_key(path: &mut String, key: &str) {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(plain) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str("['");
        for c in key.chars() {
            if c == '\'' || c == '\\' {
                path.push('\\');
            }
            path.push(c);
        }
        path.push_str("']");
    }
}

/// Path of a key below `path`: `path.key`, or `path['key']` if the key is no plain word.
pub fn child(path: &str, key: &str) -> String {
    let mut below = path.to_owned();
    push_key(&mut below, key);
    below
}

/// Appends an index: `[3]`.
pub(crate) fn push_index(path: &mut String, index: usize) {
    // writing to a string cannot fail
    let _ = write!(path, "[{index}]");
}

/// Splits `bodies[3].inertia` into the list, the index and the rest.
pub(crate) fn list_item(path: &str) -> Option<(&str, usize, &str)> {
    let (list, rest) = path.split_once('[')?;
    let (index, rest) = rest.split_once(']')?;
    Some((list, index.parse().ok()?, rest))
}

/// Line numbers (from 1) of the parts of a file, by path.
#[derive(Debug, Default)]
pub(crate) struct Lines(HashMap<String, usize>);

impl Lines {
    pub(crate) fn insert(&mut self, path: String, line: usize) {
        self.0.insert(path, line);
    }

    /// Line of the part, or of the closest part that contains it.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        let mut path = path;
        loop {
            if let Some(line) = self.0.get(path) {
                return Some(*line);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }
}
