//! Every formulation on every mechanism, at every reference state.

use pommel_mechanism::formulation::{FormulationError, Method};
use pommel_mechanism::{Equations, Evaluation};

use crate::dataset::{Dataset, deviation};

/// The largest part of `M q̈ + Φ_qᵀ λ − Q`, relative to the largest of its terms.
fn unbalanced(equations: &Equations<'_>, qdd: &[f64], lambda: &[f64]) -> f64 {
    let mut rest: Vec<f64> = equations.force.iter().map(|f| -f).collect();
    let mut scale = rest.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let mut add = |row: usize, term: f64| {
        rest[row] += term;
        scale = scale.max(term.abs());
    };
    for (row, column, value) in equations.pattern.mass_entries() {
        add(row, equations.mass[value] * qdd[column]);
        if row != column {
            add(column, equations.mass[value] * qdd[row]);
        }
    }
    for (row, column, value) in equations.pattern.jacobian_entries() {
        add(column, equations.jacobian[value] * lambda[row]);
    }
    rest.iter().fold(0.0_f64, |m, x| m.max(x.abs())) / scale
}

/// What a method may refuse: masses that vanish, where it says that it needs them.
fn refuses_rightly(method: Method, name: &str, error: &FormulationError) -> bool {
    let without_mass = name == "massless_coupler";
    match error {
        FormulationError::MassNotPositive { .. } => without_mass,
        // a joint that feels no inertia
        FormulationError::Closure(_) => without_mass && method == Method::Recursion,
        FormulationError::MotionWithoutInertia { .. } => {
            without_mass && method == Method::VelocityTransformation
        }
        _ => false,
    }
}

#[test]
fn every_formulation_gives_the_reference_accelerations() {
    let mut failures = Vec::new();
    for data in Dataset::all() {
        let system = &data.system;
        let size = system.nv() + system.rows();
        let mut evaluation = Evaluation::new(system);
        for method in Method::ALL {
            // decompositions of matrices of 500 rows take long: of two states only
            let dense = !matches!(method, Method::SparseKkt | Method::Recursion);
            let states = if dense && size > 260 { 2 } else { usize::MAX };
            // a penalty approximates: λ over its stiffness of 10⁹ masses is left of each row
            let limit = if method.is_exact() { 1e-10 } else { 1e-5 };
            let mut worst = [0.0_f64; 3];
            let mut formulation = None;
            for state in data.states.iter().chain(&data.truth).take(states) {
                system.evaluate(state.t, &state.q, &state.v, &mut evaluation);
                let equations = system.equations(&evaluation, (&state.q, &state.v));
                let built = match &mut formulation {
                    Some(built) => built,
                    None => match method.build_for(&data.mechanism, system, &equations) {
                        Ok(built) => formulation.insert(built),
                        Err(error) => {
                            failures.push(format!("{} {method}: {error}", data.name));
                            break;
                        }
                    },
                };
                let (mut qdd, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
                match built.solve(&equations, &mut qdd, &mut lambda) {
                    Err(error) if refuses_rightly(method, &data.name, &error) => break,
                    Err(error) => {
                        failures.push(format!("{} {method} t = {}: {error}", data.name, state.t));
                        break;
                    }
                    Ok(found) => {
                        if let (Some(rank), Some(expected)) = (found.rank, data.rank)
                            && rank != expected
                        {
                            failures.push(format!("{} {method}: rank {rank}", data.name));
                        }
                    }
                }
                worst[0] = worst[0].max(deviation(&qdd, &state.a));
                if let Some(expected) = &state.lambda {
                    worst[1] = worst[1].max(deviation(&lambda, expected));
                }
                worst[2] = worst[2].max(unbalanced(&equations, &qdd, &lambda));
            }
            if worst.iter().any(|&w| w > limit) {
                failures.push(format!("{} {method}: {worst:?}", data.name));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
