//! Degrees of freedom and redundant constraints, by rank.

use pommel_kkt::{Factor, KktError, Refinement};

use super::KinematicsError;
use super::correct::Corrector;
use crate::{Evaluation, System};

/// What the constraints leave free at a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Mobility {
    /// Number of velocities.
    pub velocities: usize,
    /// Number of rows of Φ_q.
    pub rows: usize,
    /// Rank of Φ_q.
    pub rank: usize,
    /// Motions left free: velocities less rank. Drivers count as constraints.
    pub degrees_of_freedom: usize,
    /// Rows that say nothing new.
    pub redundant: Vec<Redundancy>,
}

/// A row that depends on others.
#[derive(Clone, Debug, PartialEq)]
pub struct Redundancy {
    /// The row of Φ_q.
    pub row: usize,
    /// Its name, such as `hinge (x)`.
    pub name: String,
    /// The constraints whose rows it is a combination of; left empty beyond the first
    /// [`NAMED_PARTNERS`] redundant rows.
    pub depends_on: Vec<String>,
}

/// Of so many redundant rows [`mobility`] names what they depend on, each at the cost of a solution.
pub const NAMED_PARTNERS: usize = 32;

/// Rank, degrees of freedom and redundant rows at a position.
///
/// A row counts as redundant if the part of it outside of the span of others is below about
/// 5·10⁻⁷ of its size, turns being weighed by the typical length of the mechanism. Of rows that
/// depend on each other, which ones are named follows from an order of elimination; `depends_on`
/// names their partners. The rank is that of this position: at a singular one it is less than nearby.
///
/// # Cost
/// Linear in the number of bodies for mechanisms with local loops.
///
/// # Errors
/// [`KinematicsError::NotFinite`], [`KinematicsError::Kkt`].
///
/// # Panics
/// If `q` has another length than [`System::nq`].
pub fn mobility(system: &System<f64>, time: f64, q: &[f64]) -> Result<Mobility, KinematicsError> {
    mobility_with_turns(system, time, q, Evaluation::new(system).turns())
}

/// [`mobility`] where joints in space have made full turns ([`Evaluation::turns`]), on which rows of cams
/// depend.
///
/// # Errors
/// As [`mobility`].
///
/// # Panics
/// As [`mobility`], or if there are more or fewer turns than the system tracks.
pub fn mobility_with_turns(
    system: &System<f64>,
    time: f64,
    q: &[f64],
    turns: &[f64],
) -> Result<Mobility, KinematicsError> {
    if let Some(index) = q.iter().position(|x| !x.is_finite()) {
        return Err(KinematicsError::NotFinite { what: "q", index });
    }
    let mut evaluation = Evaluation::new(system);
    evaluation.set_turns(turns);
    system.evaluate(time, q, &vec![0.0; system.nv()], &mut evaluation);
    let mut corrector = Corrector::new(system);
    let jacobian = evaluation.jacobian();
    let (n, m) = (system.nv(), system.rows());
    let redundant = corrector
        .at(system, jacobian, |corrections| redundancies(system, jacobian, corrections.factor))?;
    let rank = m - redundant.len();
    Ok(Mobility { velocities: n, rows: m, rank, degrees_of_freedom: n - rank.min(n), redundant })
}

/// The rows that are left out of a factor, in order, with what they depend on.
fn redundancies(
    system: &System<f64>,
    jacobian: &[f64],
    factor: &mut Factor<'_, f64>,
) -> Result<Vec<Redundancy>, KktError> {
    let mut dependent: Vec<usize> = factor.dependent_rows(0).collect();
    dependent.sort_unstable();
    let (n, m) = (system.nv(), system.rows());
    let mut redundant = Vec::with_capacity(dependent.len());
    let (mut rhs, mut solution) = (vec![0.0; n + m], vec![0.0; n + m]);
    let mut rows: Vec<Vec<(usize, usize)>> = vec![Vec::new(); m];
    if !dependent.is_empty() {
        for (row, column, value) in system.pattern().jacobian_entries() {
            rows[row].push((value, column));
        }
    }
    for (count, &row) in dependent.iter().enumerate() {
        if count >= NAMED_PARTNERS {
            redundant.push(Redundancy { row, name: system.row_name(row), depends_on: Vec::new() });
            continue;
        }
        // Φ_qᵀ λ = the row: λ of the dependent rows is zero
        rhs.fill(0.0);
        for &(value, column) in &rows[row] {
            rhs[column] = jacobian[value];
        }
        factor.solve(&rhs, &mut solution, &Refinement::quick())?;
        let lambda = &solution[n..];
        let largest = lambda.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut depends_on: Vec<usize> = (0..m)
            .filter(|&r| r != row && lambda[r].abs() > 1e-6 * largest)
            .map(|r| system.constraint_of_row(r))
            .collect();
        depends_on.sort_unstable();
        depends_on.dedup();
        redundant.push(Redundancy {
            row,
            name: system.row_name(row),
            depends_on: (depends_on.into_iter())
                .map(|c| system.constraints()[c].name.clone())
                .collect(),
        });
    }
    Ok(redundant)
}
