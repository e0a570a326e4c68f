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
    rounded(x, 7)
}

/// A number rounded to some digits.
fn rounded(x: f64, digits: i32) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let size = x.abs();
    if (1e-4..1e7).contains(&size) {
        let decimals = (digits - 1 - size.log10().floor() as i32).clamp(0, 12) as usize;
        let text = format!("{x:.decimals$}");
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').to_owned();
        }
        return text;
    }
    format!("{x:.0$e}", digits as usize - 1)
}

/// Rows and columns that people get to see of a matrix.
const SHOWN: usize = 12;

/// A matrix, row by row, with five digits of each entry; a dot is a zero. Of a large one the first
/// rows and columns, and a note that there are more.
pub(crate) fn matrix(names: &[String], columns: usize, entries: &[f64]) -> String {
    let (rows, shown) = (names.len().min(SHOWN), columns.min(SHOWN));
    let head = (0..shown).map(|c| c.to_string());
    let head: Vec<String> = std::iter::once(String::new()).chain(head).collect();
    let mut table = Table { head, rows: Vec::new() };
    for (r, name) in names.iter().enumerate().take(rows) {
        let entry = |&x: &f64| if x == 0.0 { ".".to_owned() } else { rounded(x, 5) };
        let row = entries[r * columns..r * columns + shown].iter().map(entry);
        table.rows.push(std::iter::once(name.clone()).chain(row).collect());
    }
    let mut out = table.to_string();
    if rows < names.len() || shown < columns {
        let all = names.len();
        out.push_str(&format!(
            "… the first {rows} × {shown} of {all} × {columns} entries; --json has all\n"
        ));
    }
    out
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |c: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(c));
            cells.chain(self.head.get(c)).map(|s| s.chars().count()).max().unwrap_or(0)
        };
        let numeric = |c: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(c)).peekable();
            cells.peek().is_some()
                && cells.all(|s| s == "-" || s == "." || s.parse::<f64>().is_ok())
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
