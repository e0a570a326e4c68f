//! A matrix from Matrix Market text.

use std::io::BufRead;

use super::{MatrixMarket, MatrixMarketError, MatrixMarketProblem as Problem};

/// Space reserved before entries are seen: sizes may promise what is not there.
const RESERVED: u64 = 1 << 16;

/// Reads a matrix in Matrix Market format.
///
/// Understood are `coordinate` matrices that are `real`, `integer` or `pattern` and `general` or
/// `symmetric` (by the lower or the upper triangle), and `array` matrices that are `real` or
/// `integer` and `general`, as right-hand sides are kept. Exponents may be written with `D`.
///
/// # Errors
/// [`MatrixMarketError`] names the line and what is wrong with it.
pub fn read_matrix_market(reader: impl BufRead) -> Result<MatrixMarket, MatrixMarketError> {
    let mut lines = Lines { reader, number: 0, bytes: Vec::new() };
    read(&mut lines).map_err(|problem| MatrixMarketError { line: lines.number, problem })
}

/// What the banner says of entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Real,
    Integer,
    Pattern,
}

struct Banner {
    array: bool,
    field: Field,
    symmetric: bool,
}

fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<MatrixMarket, Problem> {
    let first = lines.next()?.ok_or(Problem::Empty)?;
    let Banner { array, field, symmetric } = banner(&first)?;
    let mut matrix = MatrixMarket { symmetric, ..MatrixMarket::default() };
    let sizes = loop {
        let Some(line) = lines.next()? else {
            return Err(Problem::Sizes { found: String::new(), expected: sizes_expected(array) });
        };
        match line.trim_start().strip_prefix('%') {
            Some(comment) => matrix.comments.push(comment.to_owned()),
            None if line.trim().is_empty() => {}
            None => break line,
        }
    };
    let [rows, columns, count] = parse_sizes(&sizes, array)?;
    matrix.rows = small(rows)?;
    matrix.columns = small(columns)?;
    if symmetric && rows != columns {
        return Err(Problem::NotSquare { rows: matrix.rows, columns: matrix.columns });
    }
    // 4·10⁹ entries are not more than 32 bits can count, 4·10⁹ × 4·10⁹ are
    let count = small(count)? as u64;
    matrix.entries.reserve(count.min(RESERVED) as usize);
    matrix.values.reserve(count.min(RESERVED) as usize);
    if array {
        read_array(lines, &mut matrix, count, field)
    } else {
        read_entries(lines, &mut matrix, count, field)
    }?;
    match lines.next_content()? {
        Some(_) => Err(Problem::TooManyEntries { expected: count }),
        None => Ok(matrix),
    }
}

fn read_entries<R: BufRead>(
    lines: &mut Lines<R>,
    matrix: &mut MatrixMarket,
    count: u64,
    field: Field,
) -> Result<(), Problem> {
    let (rows, columns) = (matrix.rows, matrix.columns);
    let expected = match field {
        Field::Real => "`row column value`",
        Field::Integer => "`row column value`, all of them integers",
        Field::Pattern => "`row column`",
    };
    // whether an entry below, and whether one above the diagonal was seen
    let mut sides = [false; 2];
    for found in 0..count {
        let Some(line) = lines.next_content()? else {
            return Err(Problem::TooFewEntries { expected: count, found });
        };
        let wrong = || Problem::Entry { found: start_of(&line), expected };
        let mut words = line.split_ascii_whitespace();
        let mut index = || words.next()?.parse::<u64>().ok();
        let (Some(row), Some(column)) = (index(), index()) else { return Err(wrong()) };
        let value = match (field, words.next()) {
            (Field::Pattern, None) => 1.0,
            (Field::Real | Field::Integer, Some(word)) => number(word, field)?.ok_or_else(wrong)?,
            _ => return Err(wrong()),
        };
        if words.next().is_some() {
            return Err(wrong());
        }
        if !(1..=rows as u64).contains(&row) || !(1..=columns as u64).contains(&column) {
            return Err(Problem::IndexOutOfRange { row, column, rows, columns });
        }
        sides[0] |= row > column;
        sides[1] |= row < column;
        if matrix.symmetric && sides == [true; 2] {
            return Err(Problem::BothTriangles { row, column });
        }
        matrix.entries.push((row as u32 - 1, column as u32 - 1));
        matrix.values.push(value);
    }
    Ok(())
}

fn read_array<R: BufRead>(
    lines: &mut Lines<R>,
    matrix: &mut MatrixMarket,
    count: u64,
    field: Field,
) -> Result<(), Problem> {
    for found in 0..count {
        let Some(line) = lines.next_content()? else {
            return Err(Problem::TooFewEntries { expected: count, found });
        };
        let expected = "one number";
        let value = number(line.trim(), field)?
            .ok_or_else(|| Problem::Entry { found: start_of(&line), expected })?;
        let (column, row) = (found / matrix.rows as u64, found % matrix.rows as u64);
        matrix.entries.push((row as u32, column as u32));
        matrix.values.push(value);
    }
    Ok(())
}

fn banner(line: &str) -> Result<Banner, Problem> {
    let lower = line.trim_start_matches('\u{feff}').to_ascii_lowercase();
    let mut words = lower.split_ascii_whitespace();
    if words.next() != Some("%%matrixmarket") {
        return Err(Problem::Banner { found: start_of(line) });
    }
    let unsupported = |found: &str, known| Problem::Unsupported { found: start_of(found), known };
    let mut word = || words.next().ok_or_else(|| Problem::Banner { found: start_of(line) });
    let (object, format, field, symmetry) = (word()?, word()?, word()?, word()?);
    if words.next().is_some() {
        return Err(Problem::Banner { found: start_of(line) });
    }
    if object != "matrix" {
        return Err(unsupported(object, "`matrix`"));
    }
    let array = match format {
        "coordinate" => false,
        "array" => true,
        _ => return Err(unsupported(format, "`coordinate` or `array`")),
    };
    let field = match field {
        "real" | "double" => Field::Real,
        "integer" => Field::Integer,
        "pattern" if !array => Field::Pattern,
        "pattern" => return Err(unsupported(field, "`array real` or `coordinate pattern`")),
        _ => return Err(unsupported(field, "`real`, `integer` or `pattern`")),
    };
    let symmetric = match symmetry {
        "general" => false,
        "symmetric" if !array => true,
        "symmetric" => return Err(unsupported(symmetry, "`coordinate` or `general`")),
        _ => return Err(unsupported(symmetry, "`general` or `symmetric`")),
    };
    Ok(Banner { array, field, symmetric })
}

fn sizes_expected(array: bool) -> &'static str {
    if array { "`rows columns`" } else { "`rows columns entries`" }
}

/// Rows, columns and the number of entries.
fn parse_sizes(line: &str, array: bool) -> Result<[u64; 3], Problem> {
    let wrong = || Problem::Sizes { found: start_of(line), expected: sizes_expected(array) };
    let mut sizes = [0u64; 3];
    let used = if array { 2 } else { 3 };
    let mut words = line.split_ascii_whitespace();
    for size in &mut sizes[..used] {
        *size = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
    }
    if words.next().is_some() {
        return Err(wrong());
    }
    if array {
        sizes[2] = sizes[0].saturating_mul(sizes[1]);
    }
    Ok(sizes)
}

/// A size that indices of 32 bits can count to.
fn small(size: u64) -> Result<usize, Problem> {
    if size >= u64::from(u32::MAX) {
        return Err(Problem::TooLarge { size });
    }
    usize::try_from(size).map_err(|_| Problem::TooLarge { size })
}

/// A finite number; `None` if the word is no number.
fn number(word: &str, field: Field) -> Result<Option<f64>, Problem> {
    let value = match field {
        Field::Integer => word.parse::<i64>().ok().map(|value| value as f64),
        _ => word.parse().ok().or_else(|| word.replace(['d', 'D'], "e").parse().ok()),
    };
    match value {
        Some(value) if !f64::is_finite(value) => Err(Problem::NotFinite { found: start_of(word) }),
        value => Ok(value),
    }
}

/// As much of a line as an error should show.
fn start_of(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Lines of a reader, counted. Bytes that are not UTF-8 are replaced: comments may have them.
struct Lines<R> {
    reader: R,
    number: usize,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<String>, Problem> {
        self.bytes.clear();
        self.number += 1;
        let read = self.reader.read_until(b'\n', &mut self.bytes);
        if read.map_err(|error| Problem::Io(error.kind()))? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&self.bytes);
        Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// The next line that is neither empty nor a comment.
    fn next_content(&mut self) -> Result<Option<String>, Problem> {
        while let Some(line) = self.next()? {
            let content = line.trim_start();
            if !content.is_empty() && !content.starts_with('%') {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }
}
