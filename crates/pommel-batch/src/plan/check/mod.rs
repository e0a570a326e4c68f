//! Whether a plan makes sense, as far as can be seen without its model.

mod derived;
mod parameter;

use super::fault::PlanFaultKind;
use super::structure::Found;
use super::{Design, DesignKind, Integrator, Limits, Method, Plan, PlanParameter};
use crate::design::{LATIN_LARGEST, SOBOL_DIMENSIONS, SOBOL_LARGEST, enumerated};
use crate::output::FIXED_COLUMNS;
use crate::target::Setting;

/// All faults, with their paths.
pub(super) fn check(plan: &Plan) -> Found {
    let mut found = Found::new();
    for (path, text) in [("name", &plan.name), ("model", &plan.model)] {
        if text.trim().is_empty() {
            found.push((path.to_owned(), PlanFaultKind::EmptyText));
        }
    }
    positive("end", plan.end, &mut found);
    integrator(&plan.integrator, plan.varies(Setting::Step), &mut found);
    limits(&plan.limits, &mut found);
    design(&plan.design, &mut found);
    if plan.parameters.is_empty() {
        found.push(("parameters".to_owned(), PlanFaultKind::NoParameters));
    }
    let mut taken = Vec::new();
    for (index, item) in plan.parameters.iter().enumerate() {
        let path = format!("parameters[{index}]");
        parameter::check(plan.design.kind, &path, item, &mut found);
        settings(plan, &path, item.targets(), &mut found);
        column_name(&path, item.name.as_deref(), item.column_name(), &mut taken, &mut found);
    }
    for (index, item) in plan.derived.iter().enumerate() {
        let path = format!("derived[{index}]");
        derived::targets(&path, item, &mut found);
        settings(plan, &path, item.targets(), &mut found);
        column_name(&path, item.name.as_deref(), item.column_name(), &mut taken, &mut found);
    }
    derived::expressions(plan, &mut found);
    if found.is_empty() {
        size(plan, &mut found);
    }
    found
}

fn integrator(integrator: &Integrator, step_varies: bool, found: &mut Found) {
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
        if integrator.step.is_none() && !step_varies {
            found.push(("integrator".to_owned(), PlanFaultKind::StepNeeded));
        }
    }
}

/// Only adaptive steps have tolerances, whoever sets them.
fn settings(plan: &Plan, path: &str, targets: &[String], found: &mut Found) {
    if plan.integrator.name != Method::Rk4 {
        return;
    }
    for target in targets {
        let what = match Setting::of_text(target) {
            Some(Setting::RelativeTolerance) => "rtol",
            Some(Setting::AbsoluteTolerance) => "atol",
            _ => continue,
        };
        found.push((path.to_owned(), PlanFaultKind::NotForFixedSteps { what }));
    }
}

fn limits(limits: &Limits, found: &mut Found) {
    if let Some(seconds) = limits.time_limit {
        positive("limits.time_limit", seconds, found);
    }
    if let Some(value) = limits.max_failed_share
        && !(0.0..=1.0).contains(&value)
    {
        found.push(("limits.max_failed_share".to_owned(), PlanFaultKind::NotAShare { value }));
    }
}

fn design(design: &Design, found: &mut Found) {
    let kind = design.kind;
    let mut key = |key: &'static str, given: bool, has: bool, needs: bool| {
        if given && !has {
            let fault = PlanFaultKind::NotForDesign { design: kind, what: key };
            found.push((format!("design.{key}"), fault));
        } else if needs && !given {
            found.push(("design".to_owned(), PlanFaultKind::Needed { design: kind, key }));
        }
    };
    let (drawn, list) = (kind.is_drawn(), kind == DesignKind::List);
    key("count", design.count.is_some(), drawn, drawn);
    key("seed", design.seed.is_some(), drawn, false);
    key("file", design.file.is_some(), list, list);
    if drawn {
        for (key, value) in [("count", design.count), ("seed", design.seed)] {
            if let Some(value) = value {
                integer(&format!("design.{key}"), value, found);
            }
        }
        if design.count == Some(0) {
            found.push(("design.count".to_owned(), PlanFaultKind::NoInstances));
        }
    }
    if design.file.as_ref().is_some_and(|file| file.trim().is_empty()) {
        found.push(("design.file".to_owned(), PlanFaultKind::EmptyText));
    }
}

/// Whether the design can have as many instances and parameters.
fn size(plan: &Plan, found: &mut Found) {
    let design = plan.design.kind;
    let mut limit = |path: &str, what, value: u64, largest| {
        if value > largest {
            let fault = PlanFaultKind::TooMany { design, what, largest, found: value };
            found.push((path.to_owned(), fault));
        }
    };
    let count = plan.design.count.unwrap_or_default();
    match design {
        DesignKind::LatinHypercube => limit("design.count", "instances", count, LATIN_LARGEST),
        DesignKind::Sobol => {
            limit("design.count", "instances", count, SOBOL_LARGEST);
            let parameters = plan.parameters.len() as u64;
            limit("parameters", "parameters", parameters, SOBOL_DIMENSIONS as u64);
        }
        DesignKind::Grid | DesignKind::OneAtATime => {
            let one = |parameter: &PlanParameter| parameter.spreads().first()?.1.count();
            let counts: Vec<_> = plan.parameters.iter().filter_map(one).collect();
            if enumerated(design, &counts).is_none() {
                let fault = PlanFaultKind::TooManyInstances { design, counts };
                found.push(("parameters".to_owned(), fault));
            }
        }
        DesignKind::Random | DesignKind::List => {}
    }
}

/// The name of a column must be given, free and unlike those that all results have.
fn column_name<'a>(
    path: &str,
    given: Option<&str>,
    name: &'a str,
    taken: &mut Vec<(&'a str, String)>,
    found: &mut Found,
) {
    if given.is_some_and(|name| name.trim().is_empty()) {
        found.push((format!("{path}.name"), PlanFaultKind::EmptyText));
    } else if FIXED_COLUMNS.contains(&name) {
        let name = name.to_owned();
        found.push((path.to_owned(), PlanFaultKind::ReservedName { name }));
    } else if let Some((_, first)) = taken.iter().find(|(other, _)| *other == name) {
        let (name, first) = (name.to_owned(), first.clone());
        // without a name there is another fault
        if !name.is_empty() {
            found.push((path.to_owned(), PlanFaultKind::DuplicateName { name, first }));
        }
    } else {
        taken.push((name, path.to_owned()));
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
