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
    let mut push = |path: String, kind| found.push((path, kind));
    match spread {
        Spread::Uniform { lower, upper } | Spread::LogUniform { lower, upper } => {
            let mut sound = true;
            for (index, value) in [*lower, *upper].into_iter().enumerate() {
                let below = format!("{path}[{index}]");
                if !value.is_finite() {
                    push(below, PlanFaultKind::NotFinite { value });
                    sound = false;
                } else if matches!(spread, Spread::LogUniform { .. }) && value <= 0.0 {
                    push(below, PlanFaultKind::NotPositive { value });
                    sound = false;
                }
            }
            if sound && lower > upper {
                let kind = PlanFaultKind::BoundOrder { lower: *lower, upper: *upper };
                push(path.to_owned(), kind);
            } else if sound && !(upper - lower).is_finite() {
                push(path.to_owned(), PlanFaultKind::Width { from: *lower, to: *upper });
            }
        }
        Spread::Normal(normal) => {
            let deviation = normal.standard_deviation;
            for (key, value) in [("mean", normal.mean), ("standard_deviation", deviation)] {
                if !value.is_finite() {
                    push(format!("{path}.{key}"), PlanFaultKind::NotFinite { value });
                }
            }
            if deviation < 0.0 {
                let kind = PlanFaultKind::Negative { value: deviation };
                push(format!("{path}.standard_deviation"), kind);
            }
        }
        Spread::Values(values) => {
            if values.is_empty() {
                push(path.to_owned(), PlanFaultKind::NoValues);
            }
            for (index, value) in values.iter().copied().enumerate() {
                if !value.is_finite() {
                    push(format!("{path}[{index}]"), PlanFaultKind::NotFinite { value });
                }
            }
        }
        Spread::Linspace(line) => {
            for (key, value) in [("from", line.from), ("to", line.to)] {
                if !value.is_finite() {
                    push(format!("{path}.{key}"), PlanFaultKind::NotFinite { value });
                }
            }
            let finite = line.from.is_finite() && line.to.is_finite();
            if finite && !(line.to - line.from).is_finite() {
                push(path.to_owned(), PlanFaultKind::Width { from: line.from, to: line.to });
            }
            if line.count == 0 {
                push(format!("{path}.count"), PlanFaultKind::NoValues);
            }
            integer(&format!("{path}.count"), line.count, found);
        }
    }
}

fn positive(path: &str, value: f64, found: &mut Found) {
    if !value.is_finite() {
        found.push((path.to_owned(), PlanFaultKind::NotFinite { value }));
    } else if value <= 0.0 {
        found.push((path.to_owned(), PlanFaultKind::NotPositive { value }));
    }
}

/// TOML has integers of 64 bits with a sign.
fn integer(path: &str, value: u64, found: &mut Found) {
    if i64::try_from(value).is_err() {
        found.push((path.to_owned(), PlanFaultKind::TooLarge { value }));
    }
}
