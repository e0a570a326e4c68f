//! Plan files that are not sound: every fault, with its path.

use crate::support::{model, random_plan};
use pommel_batch::{Plan, PlanError, Sweep};

const HEAD: &str = "name = \"s\"\nmodel = \"m.toml\"\nend = 1.0\n";
const RANDOM: &str = "design = { kind = \"random\", count = 3 }\n";
const GRID: &str = "design = { kind = \"grid\" }\n";
const MASS: &str = "parameters = [{ path = \"bodies.L1.mass\", uniform = [1.0, 2.0] }]\n";

/// The faults of a plan, without line numbers.
fn faults(text: &str) -> Vec<String> {
    let error = match Plan::from_toml_str(text).and_then(|plan| Sweep::new(plan, model())) {
        Ok(_) => panic!("sound:\n{text}"),
        Err(error) => error,
    };
    assert!(matches!(error, PlanError::Invalid { .. }), "{error}");
    error.faults().iter().map(|fault| format!("{}: {}", fault.path, fault.kind)).collect()
}

/// The one fault of a random plan with this parameter.
fn parameter(inside: &str) -> String {
    one(&format!("{HEAD}{RANDOM}parameters = [{{ {inside} }}]"))
}

fn one(text: &str) -> String {
    let faults = faults(text);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults.into_iter().next().expect("one")
}

#[test]
fn spreads_are_checked() {
    for (inside, expected) in [
        ("uniform = [3, 1]", "parameters[0].uniform: lower bound 3 exceeds upper bound 1"),
        ("uniform = [1, inf]", "parameters[0].uniform[1]: inf is not a finite number"),
        ("uniform = [nan, 1]", "parameters[0].uniform[0]: NaN is not a finite number"),
        ("uniform = [1]", "parameters[0].uniform: expected 2 values, found 1"),
        ("uniform = [-1e308, 1e308]", "parameters[0].uniform: the distance from -1"),
        ("log_uniform = [0, 1]", "parameters[0].log_uniform[0]: 0 must be positive"),
        ("log_uniform = [2.0, 1.0]", "parameters[0].log_uniform: lower bound 2 exceeds upper"),
        (
            "normal = { mean = 0, standard_deviation = -1 }",
            "parameters[0].normal.standard_deviation: -1 must not be negative",
        ),
        (
            "normal = { mean = 0, standard_deviation = nan }",
            "parameters[0].normal.standard_deviation: NaN is not",
        ),
        (
            "normal = { mean = 0, deviation = 1, standard_deviation = 1 }",
            "parameters[0].normal: unknown key 'deviation'; known are mean, standard_deviation",
        ),
        ("normal = { mean = 0 }", "parameters[0].normal: the key 'standard_deviation' is missing"),
        ("values = []", "parameters[0].values: there are no values"),
        ("values = [1, -inf]", "parameters[0].values[1]: -inf is not a finite number"),
        ("values = 1", "parameters[0].values: expected a list, found the number 1"),
        ("values = ['a']", "parameters[0].values[0]: expected a number, found the text 'a'"),
        (
            "linspace = { from = 0, to = 1, count = 0 }",
            "parameters[0].linspace.count: there are no values",
        ),
        (
            "linspace = { from = 0, to = 1, count = -2 }",
            "parameters[0].linspace.count: -2 must not be negative",
        ),
        (
            "linspace = { from = 0, to = 1, count = 1.5 }",
            "parameters[0].linspace.count: expected a whole number, found the number 1.5",
        ),
        (
            "linspace = { from = -1e308, to = 1e308, count = 2 }",
            "parameters[0].linspace: the distance from",
        ),
        (
            "uniform = [1, 2], values = [1]",
            "parameters[0]: give exactly one of uniform, log_uniform, normal, values, linspace; \
             found uniform, values",
        ),
        (
            "unit = 'kg'",
            "parameters[0]: give exactly one of uniform, log_uniform, normal, values, linspace; \
             found none",
        ),
        ("unifrom = [1, 2]", "parameters[0]: unknown key 'unifrom'; did you mean 'uniform'?"),
    ] {
        let found = parameter(&format!("path = 'bodies.L1.mass', {inside}"));
        assert!(found.starts_with(expected), "{found}\n  instead of\n{expected}");
    }
}

#[test]
fn paths_and_names_are_checked() {
    for (inside, expected) in [
        ("", "parameters[0]: give exactly one of path, paths; found none"),
        (
            "path = 'gravity[0]', paths = ['gravity[1]'],",
            "parameters[0]: give exactly one of path, paths; found path, paths",
        ),
        ("paths = [],", "parameters[0].paths: give exactly one of path, paths; found none"),
        (
            "path = 'bodies.L9.mass',",
            "parameters[0].path: 'bodies.L9.mass': bodies has no 'L9'; did you mean 'L1'?",
        ),
        ("path = 'bodies.L1',", "parameters[0].path: 'bodies.L1' is not one number"),
        ("path = 'bodies..mass',", "parameters[0].path: 'bodies..mass' is no parameter path"),
        ("path = 'initial.q.j_L9',", "parameters[0].path: 'initial.q.j_L9': initial"),
        (
            "path = 'initial.q.j_L1[1]',",
            "parameters[0].path: 'initial.q.j_L1[1]': initial.q.j_L1 has no '1'",
        ),
        (
            "paths = ['bodies.L1.mass', 'bodies[1].mass'],",
            "parameters[0].paths[1]: 'bodies[1].mass' is the number that 'bodies.L1.mass' in \
             parameters[0] sets already",
        ),
        ("path = 'gravity[0]', name = ' ',", "parameters[0].name: the text is empty"),
        (
            "path = 'gravity[0]', name = 'status',",
            "parameters[0]: every table of results has a column 'status'; give another `name`",
        ),
    ] {
        let found = parameter(&format!("{inside} uniform = [1.0, 2.0]"));
        assert!(found.starts_with(expected), "{found}\n  instead of\n{expected}");
    }
    let twice = MASS
        .replace("}]", "}, { path = \"gravity[0]\", name = \"bodies.L1.mass\", values = [1.0] }]");
    assert_eq!(
        one(&format!("{HEAD}{RANDOM}{twice}")),
        "parameters[1]: the name 'bodies.L1.mass' is taken by parameters[0]; give another `name`"
    );
}

#[test]
fn designs_are_checked() {
    let with = |design: &str| faults(&format!("{HEAD}design = {{ {design} }}\n{MASS}"));
    assert_eq!(with("kind = 'random'"), ["design: a random design needs the key 'count'"]);
    assert_eq!(
        with("kind = 'random', count = 0"),
        ["design.count: a count of 0 is a sweep without instances"]
    );
    assert_eq!(with("kind = 'random', count = -1"), ["design.count: -1 must not be negative"]);
    assert_eq!(
        with("kind = 'random', count = 9223372036854775808"),
        ["design.count: expected a whole number, found the number 9.223372036854776e+18"]
    );
    assert_eq!(
        with("kind = 'rnadom', count = 1"),
        ["design.kind: unknown value 'rnadom'; did you mean 'random'?"]
    );
    let grid = with("kind = 'grid', count = 2, seed = 1");
    assert_eq!(grid.len(), 3);
    assert!(grid[0].starts_with("design.count: a grid has no count; "), "{grid:?}");
    assert!(grid[1].starts_with("design.seed: a grid has no seed; "), "{grid:?}");
    assert!(
        grid[2].starts_with("parameters[0].uniform: a grid has no uniform distribution; "),
        "{grid:?}"
    );
    assert_eq!(
        one(&format!("{HEAD}{GRID}parameters = []")),
        "parameters: a sweep needs at least one parameter, else all instances are the same"
    );
    let long = "linspace = { from = 0, to = 1, count = 5_000_000_000 }";
    let overflow = format!(
        "{HEAD}{GRID}parameters = [{{ path = 'gravity[0]', {long} }}, \
         {{ path = 'gravity[1]', {long} }}]"
    );
    assert_eq!(
        one(&overflow),
        "parameters: a grid of 5000000000 x 5000000000 has more than 18446744073709551615 instances"
    );
    let json = r#"{"name": "s", "model": "m", "end": 1, "design": {"kind": "random",
        "count": 18446744073709551615},
        "parameters": [{"path": "gravity[0]", "uniform": [0, 1]}]}"#;
    let error = Plan::from_json_str(json).expect_err("too large").to_string();
    assert!(error.starts_with("design.count: 18446744073709551615 is too large"), "{error}");
}

#[test]
fn integrators_are_checked() {
    let with = |inside: &str| faults(&format!("{HEAD}{RANDOM}integrator = {{ {inside} }}\n{MASS}"));
    assert_eq!(with("rtol = 0"), ["integrator.rtol: 0 must be positive"]);
    assert_eq!(with("atol = inf"), ["integrator.atol: inf is not a finite number"]);
    assert_eq!(with("step = -1"), ["integrator.step: -1 must be positive"]);
    assert_eq!(with("max_steps = 0"), ["integrator.max_steps: 0 must be positive"]);
    assert_eq!(
        with("name = 'rk4'"),
        ["integrator: rk4 takes fixed steps and needs the key 'step'"]
    );
    assert_eq!(
        with("name = 'rk4', step = 0.1, rtol = 1e-3"),
        ["integrator.rtol: rk4 takes fixed steps and has no rtol; give `step` only, \
             or choose dopri5"]
    );
    assert_eq!(
        with("name = 'dopri'"),
        ["integrator.name: unknown value 'dopri'; did you mean 'dopri5'?"]
    );
}

#[test]
fn all_faults_are_reported_at_once_with_their_lines() {
    let text = random_plan(3, 1)
        .replace("end = 2.0", "end = 0.0")
        .replace("name = \"oscillators\"", "name = \"\"")
        .replace("[1.0, 3.0]", "[3.0, 1.0]")
        .replace("standard_deviation = 0.5", "standard_deviation = -0.5");
    let error = Plan::from_toml_str(&text).expect_err("faulty");
    assert_eq!(
        error.to_string(),
        "4 faults\n  name (line 2): the text is empty\n  end (line 4): 0 must be positive\n  \
         parameters[0].uniform (line 11): lower bound 3 exceeds upper bound 1\n  \
         parameters[1].normal.standard_deviation (line 16): -0.5 must not be negative"
    );
    let error = Plan::from_toml_str("nmae = \"s\"").expect_err("faulty");
    let keys: Vec<_> = error.faults().iter().map(ToString::to_string).collect();
    assert_eq!(keys[0], "the plan (line 1): unknown key 'nmae'; did you mean 'name'?");
    assert_eq!(keys[1], "the plan: the key 'name' is missing");
    assert_eq!(keys.len(), 6, "{keys:#?}");
}

#[test]
fn keys_given_twice_are_errors() {
    let json = r#"{"name": "s", "name": "t", "model": "m", "end": 1,
        "design": {"kind": "grid"}, "parameters": [{"path": "gravity[0]", "values": [1]}]}"#;
    let error = Plan::from_json_str(json).expect_err("twice");
    assert!(matches!(error, PlanError::Syntax { line: Some(1), .. }), "{error}");
    assert!(Plan::from_toml_str("name = \"s\"\nname = \"t\"").is_err());
}

/// Whatever is cut off or changed in a plan, reading it gives a plan or an error, never a panic.
#[test]
fn damaged_plans_do_not_panic() {
    let text = random_plan(3, 1);
    for end in 0..text.len() {
        let _ = Plan::from_toml_str(&text[..end]);
    }
    for value in ["true", "[]", "{}", "1979-05-27", "'x'", "99999999999999999999", "-1", "nan"] {
        for key in ["end", "name", "design", "model", "parameters", "integrator", "description"] {
            let _ = Plan::from_toml_str(&format!("{key} = {value}"));
            let _ = Plan::from_json_str(&format!("{{\"{key}\": {value}}}"));
        }
    }
    for json in ["null", "[]", "3", "{\"integrator\": null}", "{\"parameters\": [null, 3, []]}"] {
        assert!(Plan::from_json_str(json).is_err());
    }
}
