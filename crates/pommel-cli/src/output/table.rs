//! Tables for people.

use std::fmt;

/// A table with a head; numbers to the right, words to the left.
#[derive(Debug)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Table { head: head.iter().map(|&h| h.to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }
}

/// A number in at most 12 characters or so: seven digits.
pub(crate) fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let size = x.abs();
    if (1e-4..1e7).contains(&size) {
        let digits = (6 - size.log10().floor() as i32).clamp(0, 12) as usize;
        let text = format!("{x:.digits$}");
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').to_owned();
        }
        return text;
    }
    format!("{x:.6e}")
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |c: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(c));
            cells.chain(self.head.get(c)).map(|s| s.chars().count()).max().unwrap_or(0)
        };
        let numeric = |c: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(c)).peekable();
            cells.peek().is_some() && cells.all(|s| s == "-" || s.parse::<f64>().is_ok())
        };
        let columns = self.head.len();
        let layout: Vec<(usize, bool)> = (0..columns).map(|c| (width(c), numeric(c))).collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().zip(&layout).map(|(cell, &(width, right))| {
                let pad = " ".repeat(width - cell.chars().count());
                if right { format!("{pad}{cell}") } else { format!("{cell}{pad}") }
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        writeln!(f, "{}", line(&self.head))?;
        let rule = layout.iter().map(|(w, _)| "─".repeat(*w)).collect::<Vec<_>>().join("──");
        writeln!(f, "{rule}")?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}
