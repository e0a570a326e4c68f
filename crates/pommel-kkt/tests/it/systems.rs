//! Systems of the testkit as patterns and values.

use pommel_kkt::pattern::MassBlock;
use pommel_kkt::{Pattern, PatternBuilder, Values};
use pommel_testkit::SaddleSystem;

/// A pattern and its values.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) pattern: Pattern,
    pub(crate) mass: Vec<f64>,
    pub(crate) jacobian: Vec<f64>,
    pub(crate) compliance: Vec<f64>,
}

impl Case {
    pub(crate) fn values(&self) -> Values<'_, f64> {
        Values { mass: &self.mass, jacobian: &self.jacobian, compliance: &self.compliance }
    }
}

/// Body by body and constraint by constraint: M by its lower triangles, J by dense blocks.
pub(crate) fn case(system: &SaddleSystem) -> Case {
    let mut builder = PatternBuilder::new();
    let bodies: Vec<_> =
        system.body_widths.iter().map(|w| builder.body(*w, MassBlock::Lower)).collect();
    let compliant =
        |first: usize, end: usize| system.compliance.iter().any(|(i, ..)| (first..end).contains(i));
    let (mut first, mut soft) = (0, Vec::new());
    for (rows, on) in system.constraint_rows.iter().zip(&system.constraint_bodies) {
        let on: Vec<_> = on.iter().map(|b| bodies[*b]).collect();
        let constraint = builder.constraint(*rows, &on);
        if compliant(first, first + rows) {
            soft.push((first, *rows, builder.soften(constraint, MassBlock::Lower)));
        }
        first += rows;
    }
    let ranges: Vec<_> = bodies.iter().map(|b| builder.mass(*b)).collect();
    let pattern = builder.build().expect("a pattern");
    let lower = |i: usize, j: usize| i * (i + 1) / 2 + j;
    let mut mass = vec![0.0; pattern.mass_len()];
    let body_of: Vec<usize> =
        (0..pattern.body_count()).flat_map(|b| pattern.body(b).map(move |_| b)).collect();
    for (i, j, value) in &system.mass {
        let body = body_of[*i];
        let start = pattern.body(body).start;
        mass[ranges[body].start + lower(i - start, j - start)] = *value;
    }
    let mut compliance = vec![0.0; pattern.compliance_len()];
    for (i, j, value) in &system.compliance {
        let block = soft.iter().find(|(first, rows, _)| (*first..first + rows).contains(i));
        let (first, _, range) = block.expect("a block");
        compliance[range.start + lower(i - first, j - first)] = *value;
    }
    Case { jacobian: jacobian(system), pattern, mass, compliance }
}

/// Values of J in the order of a builder: constraint by constraint, body by body, row by row.
fn jacobian(system: &SaddleSystem) -> Vec<f64> {
    let mut first_column = vec![0];
    for width in &system.body_widths {
        first_column.push(first_column[first_column.len() - 1] + width);
    }
    let dense: std::collections::HashMap<(usize, usize), f64> =
        system.jacobian.iter().map(|(i, j, v)| ((*i, *j), *v)).collect();
    let (mut values, mut first) = (Vec::new(), 0);
    for (rows, on) in system.constraint_rows.iter().zip(&system.constraint_bodies) {
        for body in on {
            for row in first..first + rows {
                let columns = first_column[*body]..first_column[body + 1];
                values.extend(columns.map(|c| dense[&(row, c)]));
            }
        }
        first += rows;
    }
    values
}
