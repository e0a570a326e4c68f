//! A saddle-point system from files.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use pommel::kkt::pattern::{MatrixMarket, Partitions, System, SystemError, read_matrix_market};
use pommel::kkt::{KktError, Part};

use crate::args::Kkt;
use crate::failure::Failure;

/// A system with its right-hand side.
pub(super) struct Problem {
    /// The files of the matrices.
    pub(super) files: Vec<PathBuf>,
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

impl Problem {
    /// The files of the matrices, for messages.
    pub(super) fn names(&self) -> String {
        names(&self.files)
    }
}

fn names(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(", ")
}

fn system(args: &Kkt) -> Result<(Vec<PathBuf>, System), Failure> {
    let files = [&args.matrix, &args.mass, &args.jacobian, &args.compliance];
    let files: Vec<PathBuf> = files.into_iter().flatten().cloned().collect();
    let found = match (&args.matrix, &args.mass, &args.jacobian) {
        (Some(matrix), ..) => {
            let matrix = matrix_of(matrix)?;
            if let Some(unknowns) = args.unknowns.filter(|&n| n > matrix.rows) {
                let rows = matrix.rows;
                return Err(Failure::usage(format!(
                    "--unknowns {unknowns}: {} has {rows} rows, those of M and of J",
                    names(&files)
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
        Err(error) => Err(refusal(args, &files, error)),
    }
}

/// Why matrices make no system: the file to blame, places from 1 as they stand there, and the remedy.
fn refusal(args: &Kkt, files: &[PathBuf], error: SystemError) -> Failure {
    let file = |part: Part| match part {
        Part::Mass => args.mass.as_ref(),
        Part::Jacobian => args.jacobian.as_ref(),
        Part::Compliance => args.compliance.as_ref(),
        _ => args.matrix.as_ref(),
    };
    let (part, message) = match error {
        SystemError::Pattern(KktError::Shape { part, rows, columns, expected_columns, .. }) => {
            let expected = expected_columns;
            let must = match part {
                Part::Jacobian => format!("M has {expected} columns: J must be m × {expected}"),
                Part::Compliance => {
                    format!("J has {expected} rows: C must be {expected} × {expected}")
                }
                _ => "it must be square".to_owned(),
            };
            (part, format!("{part} is {rows} × {columns}, but {must}"))
        }
        SystemError::NotFinite { part, row, column } => {
            let (row, column) = (row + 1, column + 1);
            let message = format!(
                "the values of the entry at row {row}, column {column} (from 1) add up to no finite \
                 number"
            );
            (part, message)
        }
        SystemError::NotSymmetric { part, row, column, lower, upper } => {
            let (row, column) = (row + 1, column + 1);
            let message = format!(
                "{part} is not symmetric: {lower:e} at row {row}, column {column}, but {upper:e} at row \
                 {column}, column {row} (from 1); if only one triangle is given, call the matrix \
                 `symmetric`"
            );
            (part, message)
        }
        SystemError::UnknownsMissing => {
            let message = "no comment such as `%nv 60 nc 50` says how many rows M has: state it with \
                           --unknowns";
            (Part::Whole, message.to_owned())
        }
        SystemError::TooManyUnknowns { unknowns, rows, .. } => {
            let message = format!(
                "the comment `nv {unknowns}` is wrong, as there are {rows} rows, those of M and of J: \
                 correct it, or state the rows of M with --unknowns"
            );
            (Part::Whole, message)
        }
        error => return Failure::System { files: names(files), error },
    };
    match file(part) {
        Some(file) => Failure::usage(format!("{}: {message}", file.display())),
        None => Failure::usage(format!("{}: {message}", names(files))),
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
            "{}: the entries of row {} (from 1) add up to no finite number",
            path.display(),
            row + 1
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
