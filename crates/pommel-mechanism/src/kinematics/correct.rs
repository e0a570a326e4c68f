//! The least change that meets linear conditions.

use pommel_kkt::{Analysis, Factor, KktError, Options, Refinement, Values, Verdict, Workspace};

use super::error::OpenRow;
use crate::System;
use crate::space::VectorOf;
use crate::system::Spaces;

/// Solves `min ‖x − x₀‖_W` with `Φ_q x = b`, where W weighs displacements and turns alike.
#[derive(Clone, Debug)]
pub(super) struct Corrector {
    weights: Vec<f64>,
    diagonal: Vec<f64>,
    workspace: Option<Workspace<f64>>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

/// A length that is typical for the mechanism: the largest distance of a joint's point from the
/// mass centre of its body, 1 m if there is none.
pub(super) fn typical_length(system: &System<f64>) -> f64 {
    use crate::constraint::Kind;
    fn largest<S: crate::space::Space>(elements: &crate::system::Elements<f64, S>) -> f64 {
        let mut largest = 0.0_f64;
        for part in &elements.parts {
            let (Kind::Coincide { points }
            | Kind::Along { points, .. }
            | Kind::Distance { points, .. }) = &part.kind
            else {
                continue;
            };
            let ground = elements.inertia.len();
            for (end, point) in part.ends.iter().zip(points) {
                if (end.body as usize) < ground {
                    largest = largest.max(point.dot(*point).sqrt());
                }
            }
        }
        largest
    }
    let found = match &system.spaces {
        Spaces::Planar(elements) => largest(elements),
        Spaces::Spatial(elements) => largest(elements),
    };
    if found > 0.0 { found } else { 1.0 }
}

/// Weights of the velocities: 1 for displacements, the square of a length for turns.
pub(super) fn weights(system: &System<f64>, length: f64) -> Vec<f64> {
    let turn = length * length;
    let body: &[f64] =
        if system.is_planar() { &[1.0, 1.0, turn] } else { &[turn, turn, turn, 1.0, 1.0, 1.0] };
    body.repeat(system.body_count())
}

impl Corrector {
    pub(super) fn new(system: &System<f64>) -> Self {
        let diagonal = weights(system, typical_length(system));
        let pattern = system.pattern();
        let mut values = vec![0.0; pattern.mass_len()];
        for (value, row, column) in pattern.mass_entries() {
            if row == column {
                values[value] = diagonal[row];
            }
        }
        let size = pattern.unknowns() + pattern.rows();
        Corrector {
            weights: values,
            diagonal,
            workspace: None,
            rhs: vec![0.0; size],
            solution: vec![0.0; size],
        }
    }

    /// Solves; `near` is x₀, zero if there is none. Returns the rank of Φ_q.
    pub(super) fn solve(
        &mut self,
        system: &System<f64>,
        jacobian: &[f64],
        near: Option<&[f64]>,
        demanded: &[f64],
        x: &mut [f64],
    ) -> Result<usize, KktError> {
        let n = system.nv();
        match near {
            Some(near) => {
                let weighted = near.iter().zip(&self.diagonal).map(|(x, w)| x * w);
                self.rhs[..n].iter_mut().zip(weighted).for_each(|(to, x)| *to = x);
            }
            None => self.rhs[..n].fill(0.0),
        }
        self.rhs[n..].copy_from_slice(demanded);
        self.solve_rhs(system, jacobian)?;
        x.copy_from_slice(&self.solution[..n]);
        let workspace = self.workspace.as_mut();
        let values = Values::new(&self.weights, jacobian);
        let rank = match workspace {
            Some(workspace) => workspace.factorize(&values)?.rank(0),
            None => 0,
        };
        Ok(rank)
    }

    /// The factor for a Jacobian, from an analysis that suits it.
    pub(super) fn factor<'w>(
        &'w mut self,
        system: &System<f64>,
        jacobian: &'w [f64],
    ) -> Result<Factor<'w, f64>, KktError> {
        let values = Values::new(&self.weights, jacobian);
        let suits = match &mut self.workspace {
            Some(workspace) => workspace.factorize(&values)?.misplaced(0) == 0,
            None => false,
        };
        if !suits {
            let analysis = Analysis::for_values(system.pattern(), &values, &Options::default())?;
            self.workspace = Some(Workspace::new(&analysis));
        }
        let workspace = self.workspace.as_mut().expect("made above");
        workspace.factorize(&values)
    }

    fn solve_rhs(&mut self, system: &System<f64>, jacobian: &[f64]) -> Result<(), KktError> {
        let (mut rhs, mut solution) =
            (std::mem::take(&mut self.rhs), std::mem::take(&mut self.solution));
        let solved = (|| {
            let mut factor = self.factor(system, jacobian)?;
            let report = factor.solve(&rhs, &mut solution, &Refinement::quick())?;
            if matches!(report.verdict(0), Verdict::NotFinite) {
                factor.check_finite(0)?;
                factor.check_rhs(&rhs, 0)?;
            }
            Ok(())
        })();
        std::mem::swap(&mut self.rhs, &mut rhs);
        std::mem::swap(&mut self.solution, &mut solution);
        solved
    }
}

/// `Φ_q x`
pub(super) fn multiply(system: &System<f64>, jacobian: &[f64], x: &[f64], product: &mut [f64]) {
    product.fill(0.0);
    for (value, row, column) in system.pattern().jacobian_entries() {
        product[row] = jacobian[value].mul_add(x[column], product[row]);
    }
}

/// `|Φ_q| |x|`, the size of the terms of each row.
pub(super) fn magnitudes(system: &System<f64>, jacobian: &[f64], x: &[f64], sizes: &mut [f64]) {
    sizes.fill(0.0);
    for (value, row, column) in system.pattern().jacobian_entries() {
        sizes[row] += (jacobian[value] * x[column]).abs();
    }
}

/// The largest residuals above a limit, the worst first, at most five.
pub(super) fn open_rows(
    system: &System<f64>,
    residuals: &[f64],
    limit: impl Fn(usize) -> f64,
) -> Vec<OpenRow> {
    let mut rows: Vec<usize> = (0..residuals.len())
        .filter(|&row| !(residuals[row].abs() <= limit(row)))
        .collect();
    rows.sort_by(|&a, &b| residuals[b].abs().total_cmp(&residuals[a].abs()));
    rows.truncate(5);
    rows.into_iter()
        .map(|row| OpenRow { row, name: system.row_name(row), residual: residuals[row] })
        .collect()
}
