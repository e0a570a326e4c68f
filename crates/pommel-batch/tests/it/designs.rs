//! Which parameters an instance has.

use crate::support::{random_plan, random_sweep, sweep_of};

fn columns<const N: usize>(count: u64, parameters: &str) -> [Vec<f64>; N] {
    let sweep = sweep_of(&format!(
        "name = \"s\"\nmodel = \"m.toml\"\nend = 1.0\n\
         design = {{ kind = \"random\", count = {count}, seed = 11 }}\n{parameters}"
    ));
    let mut columns = [const { Vec::new() }; N];
    for index in 0..count {
        for (column, value) in columns.iter_mut().zip(sweep.parameters(index)) {
            column.push(value);
        }
    }
    columns
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn moment(values: &[f64], power: i32) -> f64 {
    let centre = mean(values);
    values.iter().map(|x| (x - centre).powi(power)).sum::<f64>() / values.len() as f64
}

/// `got` within five standard errors of `expected`: one test in a million fails by chance, and the
/// seed is fixed.
fn within(got: f64, expected: f64, error: f64) {
    assert!((got - expected).abs() < 5.0 * error, "{got} is not {expected} ± 5 × {error}");
}

#[test]
fn distributions_have_their_moments() {
    let n = 20_000;
    let [uniform, log_uniform, normal, picked] = columns(
        n,
        r#"
        parameters = [
            { path = "bodies.L1.mass", uniform = [1.0, 3.0] },
            { path = "bodies.L2.mass", log_uniform = [1e-2, 1e2] },
            { path = "bodies.L1.com[1]", normal = { mean = 2.0, standard_deviation = 0.5 } },
            { path = "bodies.L2.com[1]", values = [1.0, 2.0, 5.0] },
        ]"#,
    );
    let n = n as f64;
    // a uniform variable of width w: variance w²/12, and of the squared deviation w⁴/180
    let flat = |values: &[f64], centre: f64, width: f64| {
        within(mean(values), centre, width / (12.0 * n).sqrt());
        within(moment(values, 2), width * width / 12.0, width * width / (180.0 * n).sqrt());
    };
    flat(&uniform, 2.0, 2.0);
    assert!(uniform.iter().all(|x| (1.0..3.0).contains(x)));
    assert!(log_uniform.iter().all(|x| (1e-2..=1e2).contains(x)));
    let logarithms: Vec<_> = log_uniform.iter().map(|x| x.log10()).collect();
    flat(&logarithms, 0.0, 4.0);
    // normal: standard errors σ/√n, √2 σ²/√n, √15 σ³/√n and √96 σ⁴/√n
    let sigma: f64 = 0.5;
    within(mean(&normal), 2.0, sigma / n.sqrt());
    within(moment(&normal, 2), sigma.powi(2), (2.0 / n).sqrt() * sigma.powi(2));
    within(moment(&normal, 3), 0.0, (15.0 / n).sqrt() * sigma.powi(3));
    within(moment(&normal, 4), 3.0 * sigma.powi(4), (96.0 / n).sqrt() * sigma.powi(4));
    for value in [1.0, 2.0, 5.0] {
        let share = picked.iter().filter(|x| **x == value).count() as f64 / n;
        within(share, 1.0 / 3.0, (2.0 / 9.0 / n).sqrt());
    }
    // the parameters of an instance are independent: a correlation has the standard error 1/√n
    let (a, b) = (mean(&uniform), mean(&normal));
    let products = uniform.iter().zip(&normal).map(|(x, y)| (x - a) * (y - b));
    let covariance = products.sum::<f64>() / n;
    let scale = (moment(&uniform, 2) * moment(&normal, 2)).sqrt();
    within(covariance / scale, 0.0, 1.0 / n.sqrt());
}

/// The numbers of a seed are a promise: a change here is a change of every published sweep.
#[test]
fn first_values_of_a_seed_are_pinned() {
    let [uniform, log_uniform, normal, picked] = columns(
        3,
        r#"
        parameters = [
            { path = "bodies.L1.mass", uniform = [0.0, 1.0] },
            { path = "bodies.L2.mass", log_uniform = [1e-3, 1e3] },
            { path = "bodies.L1.com[1]", normal = { mean = 0.0, standard_deviation = 1.0 } },
            { path = "bodies.L2.com[1]", linspace = { from = 0.0, to = 1.0, count = 1001 } },
        ]"#,
    );
    // computed by another implementation of ChaCha (the last digit of the second normal number
    // depends on the library of elementary functions)
    assert_eq!(uniform, [0.3038623996851275, 0.34768480299094784, 0.873748951929332]);
    assert_eq!(log_uniform, [1.1011924825020496, 0.001421356333943198, 9.300363195127218]);
    assert_eq!(normal, [-0.7504518012661888, 1.215088471503121, 0.23921662825609077]);
    assert_eq!(picked, [0.337, 0.388, 0.11]);
}

#[test]
fn an_instance_does_not_depend_on_the_others() {
    let (few, many) = (random_sweep(5), random_sweep(1000));
    for index in (0..5).rev() {
        assert_eq!(few.parameters(index), many.parameters(index));
    }
    let other = sweep_of(&random_plan(5, 8));
    assert_ne!(few.parameters(0), other.parameters(0), "another seed");
    assert_ne!(few.parameters(0), few.parameters(1), "another instance");
}

#[test]
fn parameters_appended_to_a_plan_leave_the_others_as_they_are() {
    let more =
        random_plan(5, 7) + "[[parameters]]\npath = \"bodies.L2.mass\"\nlog_uniform = [1.0, 2.0]\n";
    let (before, after) = (random_sweep(5), sweep_of(&more));
    for index in 0..5 {
        assert_eq!(before.parameters(index), after.parameters(index)[..2]);
    }
}

#[test]
fn the_last_instance_of_the_largest_design_has_parameters() {
    let sweep = random_sweep(i64::MAX as u64);
    assert_eq!(sweep.parameters(sweep.len() - 1).len(), 2);
}

#[test]
fn a_grid_runs_through_all_combinations_the_last_parameter_fastest() {
    let sweep = sweep_of(
        r#"
        name = "grid"
        model = "m.toml"
        end = 1.0
        design = { kind = "grid" }
        parameters = [
            { path = "bodies.L1.mass", values = [3.0, 1.0] },
            { path = "bodies.L2.mass", linspace = { from = 0.1, to = 0.3, count = 3 } },
            { path = "gravity[0]", values = [0.0, 9.0] },
        ]"#,
    );
    assert_eq!(sweep.len(), 12);
    let all: Vec<_> = (0..12).map(|index| sweep.parameters(index)).collect();
    let mut expected = Vec::new();
    for a in [3.0, 1.0] {
        for b in [0.1, 0.1 + (0.3 - 0.1) * 0.5, 0.3] {
            for c in [0.0, 9.0] {
                expected.push(vec![a, b, c]);
            }
        }
    }
    assert_eq!(all, expected);
}

#[test]
fn parameters_reach_the_model() {
    let sweep = sweep_of(
        r#"
        name = "targets"
        model = "m.toml"
        end = 1.0
        design = { kind = "grid" }
        parameters = [
            { paths = ["bodies.L1.mass", "bodies.L2.mass"], values = [5.0] },
            { path = "initial.q.j_L2", values = [0.7] },
            { path = "initial.v.root[5]", values = [-1.5] },
            { path = "joints.j_L1.in_parent.position[0]", values = [0.6] },
        ]"#,
    );
    let mechanism = sweep.mechanism(0).expect("sound");
    let description = mechanism.description();
    assert_eq!((description.bodies[1].mass, description.bodies[2].mass), (5.0, 5.0));
    assert_eq!(mechanism.initial_state().q, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.7]);
    assert_eq!(mechanism.initial_state().v, [0.0, 0.0, 0.0, 0.0, 0.0, -1.5, 0.0, 0.0]);
    assert_eq!(sweep.swept()[0].name(), "bodies.L1.mass");
    assert_eq!(sweep.swept()[0].targets().len(), 2);
    // the digest is that of the model as it was
    assert_eq!(sweep.model_digest(), crate::support::model().digest());
    assert_ne!(mechanism.digest(), sweep.model_digest());
}

#[test]
#[should_panic(expected = "instance 5 of a sweep of 5")]
fn an_index_past_the_end_panics() {
    random_sweep(5).parameters(5);
}
