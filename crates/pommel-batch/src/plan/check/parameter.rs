//! Checks of one parameter: where it goes, and what it takes.

use super::super::fault::PlanFaultKind;
use super::super::structure::Found;
use super::super::{DesignKind, PlanParameter};
use super::{finite, integer, positive, width};
use crate::spread::Spread;

const SPREADS: &[&str] = &["uniform", "log_uniform", "normal", "values", "linspace"];

pub(super) fn check(design: DesignKind, path: &str, item: &PlanParameter, found: &mut Found) {
    let mut exactly_one = |keys: &'static [&'static str], given: Vec<&'static str>| {
        if given.len() != 1 {
            found.push((path.to_owned(), PlanFaultKind::ExactlyOne { keys, given }));
        }
    };
    let targets = [("path", item.path.is_some()), ("paths", item.paths.is_some())];
    exactly_one(
        &["path", "paths"],
        targets.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect(),
    );
    let spreads = item.spreads();
    if design != DesignKind::List {
        exactly_one(SPREADS, spreads.iter().map(|(key, _)| *key).collect());
    }
    if item.paths.as_ref().is_some_and(Vec::is_empty) {
        let kind = PlanFaultKind::ExactlyOne { keys: &["path", "paths"], given: Vec::new() };
        found.push((format!("{path}.paths"), kind));
    }
    let foreign = |what: &'static str| PlanFaultKind::NotForDesign { design, what };
    for (key, spread) in &spreads {
        let below = format!("{path}.{key}");
        spread_faults(&below, spread, found);
        let what = match *key {
            "uniform" => "uniform distribution",
            "log_uniform" => "log-uniform distribution",
            "normal" => "normal distribution",
            key => key,
        };
        if design == DesignKind::List || design.is_enumerated() && spread.count().is_none() {
            found.push((below, foreign(what)));
        }
    }
    if let Some(centre) = item.centre {
        let below = format!("{path}.centre");
        finite(&below, centre, found);
        if design != DesignKind::OneAtATime {
            found.push((below, foreign("centre")));
        }
    }
    if let Some(column) = &item.column {
        let below = format!("{path}.column");
        if design != DesignKind::List {
            found.push((below, foreign("column")));
        } else if column.trim().is_empty() {
            found.push((below, PlanFaultKind::EmptyText));
        }
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
