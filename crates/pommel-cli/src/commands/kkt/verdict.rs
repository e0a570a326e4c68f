//! What a solution is worth, in words.

use pommel::kkt::{Factor, KktError, Part, Report, Verdict};

use super::input::Problem;
use crate::output::counted;

/// The kinds of verdict, as documents name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Good,
    GoodWithDependentRows,
    Inconsistent,
    Singular,
    Inaccurate,
    Misplaced,
    NotFinite,
    Other,
}

impl Name {
    pub(super) fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Good => Name::Good,
            Verdict::GoodWithDependentRows { .. } => Name::GoodWithDependentRows,
            Verdict::Inconsistent { .. } => Name::Inconsistent,
            Verdict::Singular { .. } => Name::Singular,
            Verdict::Inaccurate { .. } => Name::Inaccurate,
            Verdict::Misplaced { .. } => Name::Misplaced,
            Verdict::NotFinite => Name::NotFinite,
            _ => Name::Other,
        }
    }

    pub(super) fn is_good(self) -> bool {
        matches!(self, Name::Good | Name::GoodWithDependentRows)
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Name::Good => "good",
            Name::GoodWithDependentRows => "good_with_dependent_rows",
            Name::Inconsistent => "inconsistent",
            Name::Singular => "singular",
            Name::Inaccurate => "inaccurate",
            Name::Misplaced => "misplaced",
            Name::NotFinite => "not_finite",
            Name::Other => "other",
        }
    }

    pub(super) fn words(self) -> String {
        self.text().replace('_', " ")
    }
}

/// The number to blame if one is not finite, or overflows, where it stands.
pub(super) fn overflow(problem: &Problem, factor: &Factor<'_, f64>) -> Option<String> {
    let pattern = &problem.system.pattern;
    let place = |part: Part, entry: usize| {
        let found = match part {
            Part::Mass => pattern.mass_entries().find(|e| e.2 == entry),
            Part::Jacobian => pattern.jacobian_entries().find(|e| e.2 == entry),
            _ => pattern.compliance_entries().find(|e| e.2 == entry),
        };
        found.map_or_else(String::new, |(row, column, _)| {
            format!("at row {row}, column {column} (from 0) of {part}")
        })
    };
    let error = factor.check_finite(0).and_then(|()| factor.check_rhs(&problem.rhs, 0)).err()?;
    Some(match error {
        KktError::NotFinite { part: Part::RightHandSide, entry } => format!(
            "row {entry} (from 0) of the right-hand side, {}, is not finite: choose other units",
            problem.rhs_source
        ),
        KktError::Overflow { part, entry, value } => format!(
            "a pivot or its inverse overflows: there is {value:e} {}: choose other units",
            place(part, entry)
        ),
        error => error.to_string(),
    })
}

/// A sentence that says what is known of a solution, and what to do.
pub(super) fn in_words(
    verdict: &Verdict,
    report: &Report<f64>,
    free_unknowns: &[usize],
    overflow: Option<String>,
) -> String {
    match verdict {
        Verdict::Good if report.unknowns_error == 0.0 => {
            "the solution is unique; no error of its unknowns is seen".to_owned()
        }
        Verdict::Good => format!(
            "the solution is unique; its unknowns are right to {:.0e} of the largest, as estimated",
            report.unknowns_error
        ),
        Verdict::GoodWithDependentRows { count } => format!(
            "{} of J {} on others and {} with them: the unknowns are unique, the multipliers one \
             choice of many; if multipliers matter, leave these rows out or give them a compliance",
            counted(*count, "row"),
            if *count == 1 { "depends" } else { "depend" },
            if *count == 1 { "agrees" } else { "agree" },
        ),
        Verdict::Inconsistent { row, residual, relative, count } => format!(
            "there is no solution: {} of J {} on others and {} them, most of all row {row} (from 0): \
             g − J x is {residual:.1e}, a share of {relative:.0e} of its terms; correct the right-hand \
             side of this row or of one that it depends on, leave the row out, or keep it by a smaller \
             --tolerance if it depends on others nearly. The unknowns solve the other rows",
            counted(*count, "row"),
            if *count == 1 { "depends" } else { "depend" },
            if *count == 1 { "contradicts" } else { "contradict" },
        ),
        Verdict::Singular { count } => format!(
            "the unknowns are not unique: {} neither mass nor constraint, at the unknowns {} (from \
             0), which were set to 0; give them mass or constrain them",
            if *count == 1 {
                "one motion meets".to_owned()
            } else {
                format!("{count} motions meet")
            },
            list(free_unknowns)
        ),
        Verdict::Inaccurate { estimated_error } => format!(
            "the unknowns may be wrong by a share of {estimated_error:.0e} of the largest: rows are \
             nearly dependent or sizes differ too much; choose units in which masses and rows of J \
             are of like size, or leave nearly dependent rows out"
        ),
        Verdict::Misplaced { count } => format!(
            "{} although the rows are independent: no order of elimination was found that suits these \
             numbers; see that M is positive definite on what J leaves free, C positive semidefinite \
             and the number of unknowns right, or scale the rows of J to like size",
            if *count == 1 {
                "one pivot vanishes".to_owned()
            } else {
                format!("{count} pivots vanish")
            },
        ),
        Verdict::NotFinite => {
            overflow.unwrap_or_else(|| "the solution overflows: choose other units".to_owned())
        }
        other => format!("{other:?}"),
    }
}

/// Most indices of a list that are shown.
const SHOWN: usize = 10;

/// Indices between commas, the first of them if there are many.
pub(super) fn list(indices: &[usize]) -> String {
    let mut text: Vec<String> = indices.iter().take(SHOWN).map(usize::to_string).collect();
    if indices.len() > SHOWN {
        text.push(format!("… ({} in all)", indices.len()));
    }
    text.join(", ")
}
