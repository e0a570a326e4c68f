//! Numbers that follow from parameters.

use crate::support::{model, sweep_of};
use pommel_batch::{Plan, PlanFaultKind, Sweep};

const HEAD: &str = r#"name = "s"
model = "m.toml"
end = 1.0
design = { kind = "random", count = 50, seed = 4 }

[[parameters]]
path = "bodies.L1.mass"
name = "mass"
uniform = [1.0, 3.0]

[[parameters]]
path = "gravity[0]"
name = "length"
uniform = [-2.0, 2.0]

[[parameters]]
path = "bodies.L2.mass"
uniform = [1.0, 3.0]
"#;

/// The value of an expression of `mass` and `length` in instance 7, with these.
fn value(expression: &str) -> (f64, f64, f64) {
    let sweep = sweep_of(&format!("{HEAD}[[derived]]\nname = 'x'\nexpression = '{expression}'\n"));
    let values = sweep.parameters(7);
    (values[3], values[0], values[1])
}

/// The one fault of a plan with these derived numbers.
fn fault(derived: &str) -> String {
    let plan = Plan::from_toml_str(&format!("{HEAD}{derived}"));
    let error = plan.and_then(|plan| Sweep::new(plan, model())).expect_err("faulty");
    assert_eq!(error.faults().len(), 1, "{error}");
    error.faults()[0].to_string()
}

fn expression_fault(expression: &str) -> String {
    fault(&format!("[[derived]]\nname = 'x'\nexpression = '{expression}'\n"))
}

#[test]
fn expressions_are_those_of_arithmetic() {
    let check = |text: &str, expected: &dyn Fn(f64, f64) -> f64| {
        let (value, m, l) = value(text);
        let expected = expected(m, l);
        assert_eq!(value.to_bits(), expected.to_bits(), "{text}: {value}, not {expected}");
    };
    check("mass * length^2 / 12", &|m, l| m * (l * l) / 12.0);
    check("mass - length - 1", &|m, l| m - l - 1.0);
    check("mass - (length - 1)", &|m, l| m - (l - 1.0));
    check("mass / length / 3", &|m, l| m / l / 3.0);
    check("1 + 2 * mass", &|m, _| 1.0 + 2.0 * m);
    check("-length^2", &|_, l| -(l * l));
    check("(-length)^2", &|_, l| l * l);
    check("mass^-length", &|m, l| libm::pow(m, -l));
    check("2^3^2", &|_, _| 512.0);
    check("2^-2", &|_, _| 0.25);
    check("mass * -length", &|m, l| m * -l);
    check("- - +mass", &|m, _| m);
    check("-mass + length", &|m, l| -m + l);
    check("1.5e-3 * mass + .5e2 + 2E+1 + 3.", &|m, _| 1.5e-3 * m + 50.0 + 20.0 + 3.0);
    check("pi * mass", &|m, _| std::f64::consts::PI * m);
    check("mass^0.5", &|m, _| libm::pow(m, 0.5));
    check(" sqrt( mass )+cbrt(mass)", &|m, _| m.sqrt() + libm::cbrt(m));
    check("exp(length) + log(mass) + log10(mass)", &|m, l| {
        libm::exp(l) + libm::log(m) + libm::log10(m)
    });
    check("sin(mass) + cos(mass) * tan(mass)", &|m, _| libm::sin(m) + libm::cos(m) * libm::tan(m));
    check("asin(length / 2) - acos(length / 2) - atan(length)", &|_, l| {
        libm::asin(l / 2.0) - libm::acos(l / 2.0) - libm::atan(l)
    });
    check("sinh(length) + cosh(length) - tanh(length)", &|_, l| {
        libm::sinh(l) + libm::cosh(l) - libm::tanh(l)
    });
    check("abs(length - 5)", &|_, l| (l - 5.0).abs());
    check("atan2(length, mass)", &|m, l| libm::atan2(l, m));
    check("hypot(length, mass) * min(length, mass) + max(length, mass)", &|m, l| {
        libm::hypot(l, m) * l.min(m) + l.max(m)
    });
    // NaN is one and the same, whatever it comes from
    for text in ["log(-1)", "-log(-1)", "0 / 0", "min(1, 0 / 0)", "max(0 / 0, 1)"] {
        check(text, &|_, _| f64::NAN);
    }
}

/// The same with the functions of the platform, which round differently.
#[test]
fn functions_are_what_their_names_say() {
    for (text, function) in [
        ("sqrt", f64::sqrt as fn(f64) -> f64),
        ("cbrt", f64::cbrt),
        ("exp", f64::exp),
        ("log", f64::ln),
        ("log10", f64::log10),
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("tan", f64::tan),
        ("asin", f64::asin),
        ("acos", f64::acos),
        ("atan", f64::atan),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("tanh", f64::tanh),
        ("abs", f64::abs),
    ] {
        let (value, mass, _) = value(&format!("{text}(mass / 4)"));
        let expected = function(mass / 4.0);
        assert!((value - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{text}");
    }
}

#[test]
fn derived_numbers_reach_the_model_and_each_other() {
    let sweep = sweep_of(&format!(
        "{HEAD}
        [[derived]]
        name = \"area\"
        unit = \"m^2\"
        expression = \"length^2\"
        [[derived]]
        paths = [\"bodies.L1.inertia[0]\", \"bodies.L1.inertia[1]\"]
        name = \"inertia\"
        expression = \"mass * area / 12 + 1\"
        [[derived]]
        path = \"integrator.step\"
        expression = \"inertia / 1000\"
        "
    ));
    let names: Vec<_> = sweep.swept().iter().map(|swept| swept.name()).collect();
    assert_eq!(names, ["mass", "length", "bodies.L2.mass", "area", "inertia", "integrator.step"]);
    for index in 0..sweep.len() {
        let values = sweep.parameters(index);
        let inertia = values[0] * (values[1] * values[1]) / 12.0 + 1.0;
        assert_eq!(values[3..], [values[1] * values[1], inertia, inertia / 1000.0]);
        let body = &sweep.description(index).bodies[1];
        let numbers = sweep.description(index).parameters();
        let found = |path: &str| numbers.iter().find(|(p, _)| p == path).map(|(_, value)| *value);
        assert_eq!(found("bodies[1].inertia[0]"), Some(inertia));
        assert_eq!(found("bodies[1].inertia[1]"), Some(inertia));
        assert_eq!(body.mass, values[0]);
    }
}

#[test]
fn faults_of_expressions_are_told_with_the_place() {
    for (expression, expected) in [
        ("mas * 2", "'mas * 2': unknown name 'mas' at column 1; did you mean 'mass'?"),
        ("2 * zz", "'2 * zz': unknown name 'zz' at column 5; known are mass, length, pi"),
        ("sqr(mass)", "'sqr(mass)': unknown function 'sqr' at column 1; did you mean 'sqrt'?"),
        ("mass(2)", "'mass(2)': unknown function 'mass' at column 1; "),
        ("sin + 1", "'sin + 1': unknown name 'sin' at column 1; "),
        ("atan2(mass)", "'atan2(mass)': 'atan2' at column 1 takes two arguments, found 1"),
        ("1 + sin(1, 2)", "'1 + sin(1, 2)': 'sin' at column 5 takes one argument, found 2"),
        ("min(1, 2, 3)", "'min(1, 2, 3)': 'min' at column 1 takes two arguments, found 3"),
        ("sin()", "'sin()': expected a number, a name or '(' at column 5, found ')'"),
        ("mass *", "'mass *': expected a number, a name or '(' at column 7, found the end"),
        ("mass 2", "'mass 2': expected an operator or the end at column 6, found '2'"),
        ("2 mass", "'2 mass': expected an operator or the end at column 3, found 'm'"),
        ("(mass", "'(mass': expected an operator or ')' at column 6, found the end"),
        ("mass)", "'mass)': expected an operator or the end at column 5, found ')'"),
        ("mass ** 2", "'mass ** 2': expected a number, a name or '(' at column 7, found '*'"),
        ("1.2.3", "'1.2.3': expected a number at column 1, found '1.2.3'"),
        ("1e999", "'1e999': expected a number at column 1, found '1e999'"),
        ("ä + §", "'ä + §': unknown name 'ä' at column 1; "),
        ("1 + §", "'1 + §': expected a number, a name or '(' at column 5, found '§'"),
        (" ", "the text is empty"),
        (
            "2 * bodies.L2.mass",
            "an expression cannot read 'bodies.L2.mass'; give parameters[2] a `name` of letters, \
             digits and _ that starts with a letter",
        ),
        (
            "x + 1",
            "'x + 1' reads 'x', which is not known before derived[0]; an expression reads \
             parameters and derived numbers above it",
        ),
    ] {
        let found = expression_fault(expression);
        let expected = format!("derived[0].expression (line 21): {expected}");
        assert!(found.starts_with(&expected), "{found}\n  instead of\n{expected}");
    }
}

#[test]
fn depth_and_length_are_limited() {
    let deep = "(".repeat(100_000);
    assert!(expression_fault(&deep).ends_with("within each other at column 102"));
    assert!(expression_fault(&"-".repeat(100_000)).contains("more than 100 parentheses and signs"));
    let tower = "2^".repeat(100_000) + "2";
    assert!(expression_fault(&tower).contains("more than 100 parentheses and signs"));
    let long = "1+".repeat(100_000) + "1";
    assert!(expression_fault(&long).contains("more than 1000 operators up to column 2002"));
    let (sum, ..) = value(&("1+".repeat(1000) + "1"));
    assert_eq!(sum, 1001.0);
}

#[test]
fn order_names_and_targets_are_checked() {
    assert_eq!(
        fault(
            "[[derived]]\nname = 'a'\nexpression = 'b'\n\
             [[derived]]\nname = 'b'\nexpression = 'mass'"
        ),
        "derived[0].expression (line 21): 'b' reads 'b', which is not known before derived[1]; \
         an expression reads parameters and derived numbers above it"
    );
    assert_eq!(
        fault("[[derived]]\nexpression = 'mass'"),
        "derived[0] (line 19): give a `path` or a `name`; without either it is of no use"
    );
    assert_eq!(
        fault("[[derived]]\nname = 'mass'\nexpression = '1'"),
        "derived[0] (line 19): the name 'mass' is taken by parameters[0]; give another `name`"
    );
    assert_eq!(
        fault("[[derived]]\nname = 'pi'\nexpression = '1'"),
        "derived[0] (line 19): in expressions, 'pi' is a constant; give another `name`"
    );
    assert_eq!(
        fault("[[derived]]\nname = 'status'\nexpression = '1'"),
        "derived[0] (line 19): every table of results has a column 'status'; give another `name`"
    );
    assert_eq!(
        fault("[[derived]]\npath = 'end'\npaths = ['gravity[1]']\nexpression = '1'"),
        "derived[0] (line 19): give exactly one of path, paths; found path, paths"
    );
    assert!(fault("[[derived]]\npath = 'bodies.L1.mass'\nexpression = '1'").starts_with(
        "derived[0].path: 'bodies.L1.mass' is the number that 'bodies.L1.mass' in \
                          parameters[0] sets already"
    ));
    assert!(
        fault("[[derived]]\npath = 'bodies.L1.mess'\nexpression = '1'")
            .starts_with("derived[0].path: 'bodies.L1.mess': bodies.L1 has no 'mess'; did you")
    );
    let error = Plan::from_toml_str(&format!("{HEAD}[[derived]]\nname = 'x'")).expect_err("faulty");
    assert!(
        matches!(&error.faults()[0].kind, PlanFaultKind::MissingKey { key } if key == "expression")
    );
}
