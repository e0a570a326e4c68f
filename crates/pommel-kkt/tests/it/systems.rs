//! Systems of the testkit as patterns and values.

use pommel_kkt::pattern::MassBlock;
use pommel_kkt::{Pattern, PatternBuilder, Values};
use pommel_math::Dual;
use pommel_testkit::{Rng, SaddleShape, SaddleSystem, SaddleUnits};

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

/// A shape whose numbers are all near 1.
pub(crate) fn plain_shape(rng: &mut Rng) -> SaddleShape {
    SaddleShape {
        units: SaddleUnits::Same,
        scaled_masses: false,
        scaled_rows: false,
        contradicted: false,
        ..SaddleShape::random(rng)
    }
}

/// The system of numbers as f32 has them, with the same solution.
pub(crate) fn rounded(system: &SaddleSystem) -> SaddleSystem {
    let mut rounded = system.clone();
    for list in [&mut rounded.mass, &mut rounded.jacobian, &mut rounded.compliance] {
        list.iter_mut().for_each(|entry| entry.2 = f64::from(entry.2 as f32));
    }
    let rhs = rounded.times(&[&system.truth.x[..], &system.truth.lambda].concat());
    let n = system.f.len();
    rounded.f.copy_from_slice(&rhs[..n]);
    rounded.g.copy_from_slice(&rhs[n..]);
    rounded
}

/// Half of the time between states that are compared.
pub(crate) const STEP: f64 = 1e-5;

/// A system and its right-hand side now, a [`STEP`] later and one before. M, J and `f` change in
/// proportion, so that rows depend on each other, and agree, at all times.
pub(crate) struct Motion(pub(crate) [(Case, Vec<f64>); 3]);

impl Motion {
    pub(crate) fn random(rng: &mut Rng, system: &SaddleSystem) -> Self {
        let (slow, fast) = (rng.uniform(0.5, 1.0), rng.uniform(-1.0, -0.5));
        Motion([0.0, STEP, -STEP].map(|t| {
            let (slow, fast) = (1.0 + slow * t, 1.0 + fast * t);
            let mut at = case(system);
            at.mass.iter_mut().for_each(|x| *x *= slow * slow);
            at.jacobian.iter_mut().for_each(|x| *x *= fast);
            let mut rhs = system.right_hand_side();
            rhs[..system.f.len()].iter_mut().for_each(|x| *x *= slow);
            (at, rhs)
        }))
    }

    /// A list now, with its derivative by time.
    pub(crate) fn dual(&self, part: fn(&(Case, Vec<f64>)) -> &Vec<f64>) -> Vec<Dual<1>> {
        let [now, ahead, behind] = self.0.each_ref().map(part);
        let rates = differences(ahead, behind);
        now.iter().zip(rates).map(|(x, rate)| Dual::new(*x, [rate])).collect()
    }
}

/// Derivatives by time.
pub(crate) fn differences(ahead: &[f64], behind: &[f64]) -> Vec<f64> {
    ahead.iter().zip(behind).map(|(a, b)| (a - b) / (2.0 * STEP)).collect()
}
