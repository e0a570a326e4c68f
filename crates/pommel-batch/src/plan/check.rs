//! Whether a plan makes sense, as far as can be seen without its model.

use super::fault::PlanFaultKind;
use super::structure::Found;
use super::{DesignKind, Integrator, Method, Plan, PlanParameter};
use crate::design::grid_length;
use crate::output::FIXED_COLUMNS;
use crate::spread::Spread;

const SPREADS: &[&str] = &["uniform", "log_uniform", "normal", "values", "linspace"];

/// All faults, with their paths.
pub(super) fn check(plan: &Plan) -> Found {
    let mut found = Found::new();
    for (path, text) in [("name", &plan.name), ("model", &plan.model)] {
        if text.trim().is_empty() {
            found.push((path.to_owned(), PlanFaultKind::EmptyText));
        }
    }
    positive("end", plan.end, &mut found);
    integrator(&plan.integrator, &mut found);
    design(plan, &mut found);
    if plan.parameters.is_empty() {
        found.push(("parameters".to_owned(), PlanFaultKind::NoParameters));
    }
    for (index, item) in plan.parameters.iter().enumerate() {
        parameter(plan, index, item, &mut found);
    }
    if found.is_empty() && plan.is_grid() {
        let counts: Vec<_> = plan
            .parameters
            .iter()
            .filter_map(|parameter| parameter.spreads().first()?.1.count())
            .collect();
        if grid_length(&counts).is_none() {
            found.push(("parameters".to_owned(), PlanFaultKind::TooManyInstances { counts }));
        }
    }
    found
}

fn integrator(integrator: &Integrator, found: &mut Found) {
    let tolerances = [("rtol", integrator.rtol), ("atol", integrator.atol)];
    for (key, value) in tolerances.into_iter().chain([("step", integrator.step)]) {
        if let Some(value) = value {
            positive(&format!("integrator.{key}"), value, found);
        }
    }
    if let Some(limit) = integrator.max_steps {
        if limit == 0 {
            let kind = PlanFaultKind::NotPositive { value: 0.0 };
            found.push(("integrator.max_steps".to_owned(), kind));
        }
        integer("integrator.max_steps", limit, found);
    }
    if integrator.name == Method::Rk4 {
        for (key, value) in tolerances {
            if value.is_some() {
                let kind = PlanFaultKind::NotForFixedSteps { what: key };
                found.push((format!("integrator.{key}"), kind));
            }
        }
        if integrator.step.is_none() {
            found.push(("integrator".to_owned(), PlanFaultKind::StepNeeded));
        }
    }
}

fn design(plan: &Plan, found: &mut Found) {
    let design = &plan.design;
    for (key, value) in [("count", design.count), ("seed", design.seed)] {
        let Some(value) = value else { continue };
        let path = format!("design.{key}");
        if plan.is_grid() {
            found.push((path, PlanFaultKind::NotForGrid { what: key }));
        } else {
            integer(&path, value, found);
        }
    }
    if design.kind == DesignKind::Random {
        match design.count {
            None => {
                let kind = PlanFaultKind::NeededForRandom { key: "count" };
                found.push(("design".to_owned(), kind));
            }
            Some(0) => found.push(("design.count".to_owned(), PlanFaultKind::NoInstances)),
            Some(_) => {}
        }
    }
}

fn parameter(plan: &Plan, index: usize, item: &PlanParameter, found: &mut Found) {
    let path = format!("parameters[{index}]");
    let mut exactly_one = |keys: &'static [&'static str], given: Vec<&'static str>| {
        if given.len() != 1 {
            found.push((path.clone(), PlanFaultKind::ExactlyOne { keys, given }));
        }
    };
    let targets = [("path", item.path.is_some()), ("paths", item.paths.is_some())];
    exactly_one(
        &["path", "paths"],
        targets.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect(),
    );
    let spreads = item.spreads();
    exactly_one(SPREADS, spreads.iter().map(|(key, _)| *key).collect());
    if item.paths.as_ref().is_some_and(Vec::is_empty) {
        let kind = PlanFaultKind::ExactlyOne { keys: &["path", "paths"], given: Vec::new() };
        found.push((format!("{path}.paths"), kind));
    }
    for (key, spread) in &spreads {
        let below = format!("{path}.{key}");
        spread_faults(&below, spread, found);
        if plan.is_grid() && spread.count().is_none() {
            let what = match *key {
                "uniform" => "uniform distribution",
                "log_uniform" => "log-uniform distribution",
                _ => "normal distribution",
            };
            found.push((below, PlanFaultKind::NotForGrid { what }));
        }
    }
    let name = item.column_name();
    if item.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        found.push((format!("{path}.name"), PlanFaultKind::EmptyText));
    } else if FIXED_COLUMNS.contains(&name) {
        found.push((path, PlanFaultKind::ReservedName { name: name.to_owned() }));
    } else if let Some(first) =
        plan.parameters[..index].iter().position(|other| other.column_name() == name)
    {
        found.push((path, PlanFaultKind::DuplicateName { name: name.to_owned(), first }));
    }
}

fn spread_faults(path: &str, spread: &Spread, found: &mut Found) {
    match spread {
        Spread::Uniform { lower, upper } | Spread::LogUniform { lower, upper } => {
            let before = found.len();
            for (index, value) in [*lower, *upper].into_iter().enumerate() {
                let below = format!("{path}[{index}]");
                match spread {
                    Spread::LogUniform { .. } => positive(&below, value, found),
                    _ => finite(&below, value, found),
                }
            }
            if found.len() == before && lower > upper {
                let kind = PlanFaultKind::BoundOrder { lower: *lower, upper: *upper };
                found.push((path.to_owned(), kind));
            } else {
                width(path, *lower, *upper, found);
            }
        }
        Spread::Normal(normal) => {
            let deviation = normal.standard_deviation;
            finite(&format!("{path}.mean"), normal.mean, found);
            let below = format!("{path}.standard_deviation");
            finite(&below, deviation, found);
            if deviation < 0.0 {
                found.push((below, PlanFaultKind::Negative { value: deviation }));
            }
        }
        Spread::Values(values) => {
            if values.is_empty() {
                found.push((path.to_owned(), PlanFaultKind::NoValues));
            }
            for (index, value) in values.iter().enumerate() {
                finite(&format!("{path}[{index}]"), *value, found);
            }
        }
        Spread::Linspace(line) => {
            finite(&format!("{path}.from"), line.from, found);
            finite(&format!("{path}.to"), line.to, found);
            width(path, line.from, line.to, found);
            let below = format!("{path}.count");
            integer(&below, line.count, found);
            if line.count == 0 {
                found.push((below, PlanFaultKind::NoValues));
            }
        }
    }
}

fn finite(path: &str, value: f64, found: &mut Found) {
    if !value.is_finite() {
        found.push((path.to_owned(), PlanFaultKind::NotFinite { value }));
    }
}

/// The distance of two numbers must be one.
fn width(path: &str, from: f64, to: f64, found: &mut Found) {
    if from.is_finite() && to.is_finite() && !(to - from).is_finite() {
        found.push((path.to_owned(), PlanFaultKind::Width { from, to }));
    }
}

fn positive(path: &str, value: f64, found: &mut Found) {
    finite(path, value, found);
    if value <= 0.0 && value.is_finite() {
        found.push((path.to_owned(), PlanFaultKind::NotPositive { value }));
    }
}

/// TOML has integers of 64 bits with a sign.
fn integer(path: &str, value: u64, found: &mut Found) {
    if i64::try_from(value).is_err() {
        found.push((path.to_owned(), PlanFaultKind::TooLarge { value }));
    }
}
