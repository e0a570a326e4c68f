//! Wrong usage.

use crate::support::{ARM, Place, numbers, pommel};

/// Simulates the arm with these arguments and expects a complaint; nothing is written.
#[track_caller]
fn refused(args: &[&str], complaints: &[&str]) {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let args = [&["simulate", &model], args].concat();
    pommel(&args).fails(2, complaints);
    assert_eq!(place.names("."), ["arm.toml"]);
}

#[test]
fn without_a_subcommand_the_program_lists_them() {
    let run = pommel(&[]);
    assert_eq!(run.status, Some(2));
    assert_eq!(run.out, "");
    let commands =
        ["info", "accel", "mass-matrix", "simulate", "sweep", "time", "kkt", "schema", "convert"];
    for command in commands {
        assert!(run.err.contains(&format!("\n  {command} ")), "{}", run.err);
    }
}

#[test]
fn an_unknown_subcommand_or_option_is_named() {
    pommel(&["simulaet"]).fails(2, &["unrecognized subcommand 'simulaet'", "'simulate'"]);
    refused(&["--end", "1", "--ebery", "0.1"], &["unexpected argument '--ebery'", "'--every'"]);
    pommel(&["info"]).fails(2, &["<MODEL>"]);
}

#[test]
fn the_end_time_must_be_given_and_finite_and_not_negative() {
    refused(&[], &["--end <T>"]);
    refused(&["--end", "-1"], &["--end -1 must be finite and not negative"]);
    refused(&["--end", "NaN"], &["--end NaN must be finite and not negative"]);
    refused(&["--end", "inf"], &["--end inf must be finite and not negative"]);
    refused(&["--end", "soon"], &["invalid value 'soon' for '--end <T>'"]);
}

#[test]
fn the_time_between_samples_must_be_positive() {
    for every in ["0", "-0.1", "NaN"] {
        refused(&["--end", "1", "--every", every], &["--every", every, "must be positive"]);
    }
    refused(&["--end", "1", "--every", "1e-9"], &["--every", "at most ten million samples"]);
}

#[test]
fn an_unknown_integrator_is_refused_with_those_that_are_known() {
    let says = ["unknown integrator 'rk5'", "dopri5: ", "ode45: ", "rk4: ", "euler: ", "bs32: "];
    refused(&["--end", "1", "--integrator", "rk5"], &says);
}

#[test]
fn an_unknown_formulation_is_refused_with_those_that_are_known() {
    let says = ["unknown formulation 'magic'", "known: recursion"];
    refused(&["--end", "1", "--formulation", "magic"], &says);
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let says = ["unknown formulation 'magic'", "known: sparse_kkt", "recursion", ", all"];
    pommel(&["accel", &model, "--formulation", "magic"]).fails(2, &says);
}

#[test]
fn fixed_steps_need_a_step_and_no_tolerance() {
    let rk4 = ["--end", "1", "--integrator", "rk4"];
    refused(&rk4, &["rk4 needs --step"]);
    refused(&[&rk4[..], &["--step", "0.1", "--rtol", "1e-6"]].concat(), &["--rtol", "dopri5"]);
    // a pair may be told to
    let pair = ["--end", "1", "--integrator", "dopri5", "--fixed"];
    refused(&pair, &["dopri5 needs --step"]);
    refused(&[&pair[..], &["--step", "0.1", "--rtol", "1e-6"]].concat(), &["--rtol", "one size"]);
    for (given, said) in [("0", "0"), ("-0.1", "-1e-1"), ("NaN", "NaN"), ("inf", "inf")] {
        let says = ["step size", said, "must be positive and finite"];
        refused(&[&rk4[..], &["--step", given]].concat(), &says);
    }
}

#[test]
fn tolerances_and_the_first_step_must_make_sense() {
    for (option, value) in [("--rtol", "-1e-3"), ("--rtol", "NaN"), ("--atol", "-1")] {
        refused(&["--end", "1", option, value], &["tolerance", "must be finite and not negative"]);
    }
    let ode45 = ["--end", "1", "--integrator", "ode45"];
    refused(&[&ode45[..], &["--rtol", "0"]].concat(), &["--rtol 0 needs an --atol above 0"]);
    refused(&[&ode45[..], &["--rtol", "1e-16"]].concat(), &["below the rounding of numbers"]);
    refused(&["--end", "1", "--step", "-1"], &["step size", "must be positive and finite"]);
}

#[test]
fn gravity_takes_three_finite_numbers() {
    refused(&["--end", "1", "--gravity", "0", "0"], &["3 values required for '--gravity"]);
    refused(&["--end", "1", "--gravity", "0", "0", "down"], &["invalid value 'down'"]);
    refused(&["--end", "1", "--gravity", "0", "0", "NaN"], &["gravity[2]", "NaN"]);
}

#[test]
fn a_floating_base_needs_a_single_fixed_one() {
    // two bodies, each on ground
    let model = ARM
        .replace("parent = \"base\"", "parent = \"ground\"")
        .replace("type = \"free\"", "type = \"fixed\"")
        .replace("type = \"revolute\"", "type = \"fixed\"")
        .replace("axis = [0.0, 0.0, 1.0]\n", "")
        .replace("[initial.v]\nelbow = 0.5\n", "");
    let place = Place::new();
    let file = place.file("arm.toml", model);
    pommel(&["info", &file, "--floating-base"])
        .fails(2, &["a floating base needs exactly one body fixed to ground", "found 2"]);
}

#[test]
fn numbers_may_be_negative_and_have_an_exponent() {
    let place = Place::new();
    let model = place.file("arm.toml", ARM);
    let info = pommel(&["info", &model, "--gravity", "-1e-3", "-2E+1", "-.5", "--json"]).json();
    assert_eq!(numbers(&info["gravity"]), [-1e-3, -20.0, -0.5]);
}

#[test]
fn a_sweep_takes_a_sensible_number_of_threads() {
    for threads in ["0", "-1", "1000000", "two"] {
        pommel(&["sweep", "plan.toml", "--out", "results", "--threads", threads])
            .fails(2, &[threads]);
    }
}
