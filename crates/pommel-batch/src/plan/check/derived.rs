//! Checks of derived numbers: where they go, and what they read.

use super::super::fault::PlanFaultKind;
use super::super::structure::Found;
use super::super::{Plan, PlanDerived};
use crate::expression::{Expression, ExpressionError, PI, is_name};

/// At most one of `path` and `paths`, and a name if there is neither.
pub(super) fn targets(path: &str, item: &PlanDerived, found: &mut Found) {
    const KEYS: &[&str] = &["path", "paths"];
    if item.path.is_some() && item.paths.is_some() {
        let kind = PlanFaultKind::ExactlyOne { keys: KEYS, given: KEYS.to_vec() };
        found.push((path.to_owned(), kind));
    }
    if item.paths.as_ref().is_some_and(Vec::is_empty) {
        let kind = PlanFaultKind::ExactlyOne { keys: KEYS, given: Vec::new() };
        found.push((format!("{path}.paths"), kind));
    } else if item.targets().is_empty() && item.name.is_none() {
        found.push((path.to_owned(), PlanFaultKind::Nameless));
    }
}

/// Every expression must read parameters and derived numbers before it.
pub(super) fn expressions(plan: &Plan, found: &mut Found) {
    if plan.derived.is_empty() {
        return;
    }
    let parameters = plan.parameters.iter().enumerate();
    let parameters = parameters.map(|(n, item)| (item.column_name(), format!("parameters[{n}]")));
    let derived = plan.derived.iter().enumerate();
    let derived = derived.map(|(n, item)| (item.column_name(), format!("derived[{n}]")));
    let columns: Vec<(&str, String)> = parameters.chain(derived).collect();
    for (_, at) in columns.iter().filter(|(name, _)| *name == PI) {
        found.push((at.clone(), PlanFaultKind::ConstantName { name: PI.to_owned() }));
    }
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    for (index, item) in plan.derived.iter().enumerate() {
        let before = plan.parameters.len() + index;
        let text = &item.expression;
        let path = format!("derived[{index}].expression");
        if text.trim().is_empty() {
            found.push((path, PlanFaultKind::EmptyText));
            continue;
        }
        let Err(error) = Expression::parse(text, &names[..before]) else { continue };
        found.push((path, explained(text, error, &columns, before)));
    }
}

/// Why an expression is none, if there is more to say than where.
fn explained(
    text: &str,
    error: ExpressionError,
    columns: &[(&str, String)],
    before: usize,
) -> PlanFaultKind {
    let expression = text.to_owned();
    let unreadable =
        columns.iter().find(|(name, _)| !name.is_empty() && !is_name(name) && text.contains(name));
    if let Some((name, at)) = unreadable {
        return PlanFaultKind::NoIdentifier { name: (*name).to_owned(), at: at.clone() };
    }
    if let ExpressionError::UnknownName { name, .. } = &error
        && let Some((_, at)) = columns[before..].iter().find(|(other, _)| other == name)
    {
        let (name, at) = (name.clone(), at.clone());
        return PlanFaultKind::NotYetKnown { expression, name, at };
    }
    PlanFaultKind::Expression { expression, error }
}
