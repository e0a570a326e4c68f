//! A saddle-point system from files.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use pommel::kkt::pattern::{MatrixMarket, Partitions, System, read_matrix_market};

use crate::args::Kkt;
use crate::failure::Failure;

/// A system with its right-hand side.
pub(super) struct Problem {
    /// The files of the matrices, for messages.
    pub(super) files: String,
    pub(super) system: System,
    /// `[f; g]`.
    pub(super) rhs: Vec<f64>,
    /// Where the right-hand side comes from.
    pub(super) rhs_source: String,
}

impl Problem {
    pub(super) fn read(args: &Kkt) -> Result<Self, Failure> {
        let (files, system) = system(args)?;
        let (n, m) = (system.pattern.unknowns(), system.pattern.rows());
        let (rhs, rhs_source) = match &args.rhs {
            Some(file) => (column(file, n, m)?, file.display().to_string()),
            None => (times_ones(&system), "K times a vector of ones".to_owned()),
        };
        Ok(Problem { files, system, rhs, rhs_source })
    }
}

fn system(args: &Kkt) -> Result<(String, System), Failure> {
    let paths = [&args.matrix, &args.mass, &args.jacobian, &args.compliance];
    let names: Vec<String> = paths.into_iter().flatten().map(|p| p.display().to_string()).collect();
    let files = names.join(", ");
    let found = match (&args.matrix, &args.mass, &args.jacobian) {
        (Some(matrix), ..) => {
            let matrix = matrix_of(matrix)?;
            if let Some(unknowns) = args.unknowns.filter(|&n| n > matrix.rows) {
                let rows = matrix.rows;
                return Err(Failure::usage(format!(
                    "--unknowns {unknowns}: {files} has {rows} rows, those of M and of J"
                )));
            }
            System::from_kkt_matrix_market(&matrix, args.unknowns, Partitions::found())
        }
        (None, Some(mass), Some(jacobian)) => {
            let (mass, jacobian) = (matrix_of(mass)?, matrix_of(jacobian)?);
            let compliance = args.compliance.as_deref().map(matrix_of).transpose()?;
            System::from_matrix_market(&mass, &jacobian, compliance.as_ref(), Partitions::found())
        }
        _ => return Err(Failure::usage("--mass and --jacobian go together, or give --matrix")),
    };
    match found {
        Ok(system) => Ok((files, system)),
        Err(error) => Err(Failure::System { files, error }),
    }
}

fn matrix_of(path: &Path) -> Result<MatrixMarket, Failure> {
    let file = File::open(path)
        .map_err(|error| Failure::Read { path: path.to_owned(), reason: error.to_string() })?;
    read_matrix_market(BufReader::new(file))
        .map_err(|error| Failure::Matrix { path: path.to_owned(), error })
}

/// A file with one column of `n + m` numbers.
fn column(path: &Path, n: usize, m: usize) -> Result<Vec<f64>, Failure> {
    let matrix = matrix_of(path)?;
    let (rows, columns, expected) = (matrix.rows, matrix.columns, n + m);
    if (rows, columns) != (expected, 1) {
        return Err(Failure::usage(format!(
            "{}: the right-hand side is {rows} × {columns}, not {expected} × 1: the {n} numbers of f \
             and the {m} of g, one below the other",
            path.display()
        )));
    }
    let mut rhs = vec![0.0; expected];
    for (&(row, _), value) in matrix.entries.iter().zip(&matrix.values) {
        rhs[row as usize] += value;
    }
    match rhs.iter().position(|x| !x.is_finite()) {
        None => Ok(rhs),
        Some(row) => Err(Failure::usage(format!(
            "{}: the entries of row {row} (from 0) add up to no finite number",
            path.display()
        ))),
    }
}

/// `K` times a vector of ones: the sums of its rows.
fn times_ones(system: &System) -> Vec<f64> {
    let pattern = &system.pattern;
    let n = pattern.unknowns();
    let mut sums = vec![0.0; n + pattern.rows()];
    let mut add = |row: usize, column: usize, value: f64| {
        sums[row] += value;
        if row != column {
            sums[column] += value;
        }
    };
    for (row, column, entry) in pattern.mass_entries() {
        add(row, column, system.mass[entry]);
    }
    for (row, column, entry) in pattern.jacobian_entries() {
        add(n + row, column, system.jacobian[entry]);
    }
    let sign = if pattern.compliance_is_negated() { 1.0 } else { -1.0 };
    for (row, column, entry) in pattern.compliance_entries() {
        add(n + row, n + column, sign * system.compliance[entry]);
    }
    sums
}
