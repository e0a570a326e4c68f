//! Mechanisms with known accelerations, drift, and the misprint that gives wrong ones.

use nalgebra::{DMatrix, DVector};
use pommel_mechanism::formulation::{FormulationError, Method};
use pommel_testkit::Rng;
use serde_json::Value;

use crate::support::{Case, Shape, assert_near, dataset, methods, number, numbers, random};

/// A state of `datasets/formulation_states`: equations, accelerations, rank.
fn state(value: &Value) -> (Case, Vec<f64>, usize) {
    let masses = numbers(&value["M_diagonal"]);
    let (gamma, force) = (numbers(&value["gamma"]), numbers(&value["Q"]));
    let n = masses.len();
    let rows = DMatrix::from_row_slice(gamma.len(), n, &numbers(&value["J"]));
    let mass = DMatrix::from_diagonal(&DVector::from_vec(masses));
    let case = Case::new(&vec![3; n / 3], &mass, &rows, &force, &gamma);
    (case, numbers(&value["a"]), value["rank"].as_u64().unwrap() as usize)
}

fn states(file: &str) -> Vec<Value> {
    let data = dataset(&format!("formulation_states/{file}.json"));
    data["states"].as_array().unwrap().clone()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| x.abs().max(most))
}

fn deviation(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn accelerations_of_parallel_cranks_and_of_andrews_mechanism() {
    for (file, exact, approximate) in
        // the penalty method loses with the spread of masses
        [("parallel_cranks", 1e-12, 1e-5), ("andrews", 1e-9, 1e-1)]
    {
        for value in states(file) {
            let (case, expected, rank) = state(&value);
            for method in methods() {
                let (qdd, lambda, outcome) = case.solve(method).unwrap_or_else(|e| panic!("{e}"));
                let tolerance = if method.is_exact() { exact } else { approximate };
                let found = deviation(&qdd, &expected) / largest(&expected);
                assert!(found < tolerance, "{method} of {file}: {found:e}");
                assert!(outcome.rank.is_none_or(|found| found == rank), "{method}");
                assert!(case.force_defect(&qdd, &lambda) < tolerance, "{method} of {file}");
            }
        }
    }
}

/// The listing of [dFGP08] weighs by `v.^1/2`, half the inverse masses, where their roots are
/// meant: constraints hold and accelerations are wrong. Ours agree with all other methods.
#[test]
fn udwadia_and_kalaba_weigh_by_the_root_of_masses() {
    let value = &states("parallel_cranks")[0];
    let (case, expected, _) = state(value);
    let (mass, rows) = case.dense();
    let [force, gamma] = [&case.force, &case.gamma].map(|x| DVector::from_column_slice(x));
    let free = force.component_div(&mass.diagonal());
    let by_weight = |weight: DVector<f64>| {
        let weight = DMatrix::from_diagonal(&weight);
        let svd = (&rows * &weight).svd(true, true);
        let limit = 1e-7 * svd.singular_values.max();
        &free + weight * svd.solve(&(&gamma - &rows * &free), limit).unwrap()
    };
    let right = by_weight(mass.diagonal().map(|m| 1.0 / m.sqrt()));
    let printed = by_weight(mass.diagonal().map(|m| (1.0 / m) / 2.0));
    assert!(deviation(right.as_slice(), &expected) < 1e-11);
    let wrong = deviation(printed.as_slice(), &expected);
    assert!((wrong - 3.8).abs() < 0.05, "{wrong}");
    let relative = number(&value["deviation_of_printed_udwadia_kalaba"]);
    assert!((wrong / largest(&expected) / relative - 1.0).abs() < 0.1);
    // although its constraints hold
    assert!((&rows * &printed - &gamma).amax() < 1e-11);
    let (ours, ..) = case.solve(Method::UdwadiaKalaba).unwrap();
    assert!(deviation(&ours, &expected) < 1e-11);
}

/// "SVD: Fails" in the published comparison.
#[test]
fn the_method_of_singular_values_does_not_fail() {
    let mut rng = Rng::new(31);
    for value in states("parallel_cranks") {
        let (case, expected, rank) = state(&value);
        let (qdd, _, outcome) = case.solve(Method::Svd).unwrap();
        assert_near(&qdd, &expected, 1e-11);
        assert_eq!(outcome.rank, Some(rank));
        // nor with any other of a thousand matrices of that rank
        for _ in 0..500 {
            let mut other = case.clone();
            other.force = rng.list(24, 10.0);
            let twist = rng.list(24, 0.3);
            for (_, column, index) in case.pattern.jacobian_entries() {
                other.jacobian[index] *= 1.0 + twist[column];
            }
            let (_, rows) = other.dense();
            let some = DVector::from_vec(rng.list(24, 1.0));
            other.gamma = (rows * some).as_slice().to_vec();
            let (qdd, lambda, outcome) = other.solve(Method::Svd).unwrap();
            assert_eq!(outcome.rank, Some(rank));
            assert!(other.force_defect(&qdd, &lambda) < 1e-10);
        }
    }
}

/// Dependent rows that differ by 1e-9.
#[test]
fn singular_values_of_drift_change_neither_rank_nor_answer() {
    let mut rng = Rng::new(32);
    let (case, _, rank) = state(&states("parallel_cranks")[0]);
    let (_, rows) = case.dense();
    let svd = rows.clone().svd(true, true);
    let (u, v) = (svd.u.unwrap(), svd.v_t.unwrap());
    let smallest = svd.singular_values[rank - 1];
    for round in 0..10 {
        // the two vanishing singular values become 1e-9, and γ is inconsistent by as much
        let size = 1e-9 * svd.singular_values[0];
        let mut drifted = rows.clone();
        for k in rank..24 {
            let (a, b) = (rng.symmetric(1.0), rng.symmetric(1.0));
            let twist = |k: usize| (a * v.row(k) + b * v.row(22 + (k + 1) % 2)).normalize();
            drifted += size * u.column(k) * twist(k);
        }
        let (mass, _) = case.dense();
        let mut gamma = case.gamma.clone();
        gamma[round] += 1e-9 * largest(&case.gamma);
        let other = Case::new(&[3; 8], &mass, &drifted, &case.force, &gamma);
        let found = drifted.singular_values();
        assert!(found[rank] > 0.3 * size, "{found}");
        for method in methods() {
            let (expected, ..) = case.solve(method).unwrap();
            let (qdd, _, outcome) = other.solve(method).unwrap_or_else(|e| panic!("{e}"));
            assert!(outcome.rank.is_none_or(|found| found == rank), "{method}: {outcome:?}");
            // a relative change of 1e-9 is amplified by at most the condition, twice by the masses
            let condition = svd.singular_values[0] / smallest;
            let tolerance = 1e-9 * 40.0 * condition * largest(&expected);
            let moved = deviation(&qdd, &expected);
            assert!(moved < tolerance, "{method}: {moved:e}, not {tolerance:e}");
        }
    }
}

/// Rows that ask for different things are no drift.
#[test]
fn contradictions_are_told_and_drift_is_not() {
    let mut rng = Rng::new(33);
    let shape = Shape { bodies: 4, width: 3, rows: 8, rank: 6, massless: 0, blocks: true };
    let case = random(&mut rng, shape);
    let scale = largest(&case.gamma);
    for method in methods() {
        let mut drifted = case.clone();
        drifted.gamma[7] += 1e-6 * scale;
        drifted.solve(method).unwrap_or_else(|e| panic!("{e}"));
        let mut wrong = case.clone();
        wrong.gamma[7] += scale;
        match wrong.solve(method) {
            Err(FormulationError::Inconsistent { method: found, defect, .. }) => {
                assert!(found == method && defect.abs() > 1e-2 * scale);
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}
