//! `simulate` of mechanisms with loops, and with events.

use serde_json::Value;

use crate::support::{Place, dataset, numbers, pommel, texts};

fn model(name: &str) -> String {
    dataset(&format!("mechanisms/{name}/model.toml"))
}

fn document(arguments: &[&str]) -> Value {
    let run = pommel(arguments);
    serde_json::from_str(&run.succeeds().out).expect("JSON")
}

/// The last row of a reference, beside the last row of a trajectory.
fn error(document: &Value, name: &str) -> f64 {
    let file =
        format!("{}/../../datasets/mechanisms/{name}/truth.json", env!("CARGO_MANIFEST_DIR"));
    let truth: Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect(name)).expect("JSON");
    let last = |rows: &Value| numbers(rows.as_array().expect("rows").last().expect("a row"));
    let state = truth["states"].as_array().expect("states").last().expect("a state");
    let trajectory = &document["trajectory"];
    ["q", "v"]
        .iter()
        .flat_map(|key| last(&trajectory[*key]).into_iter().zip(numbers(&state[*key])))
        .fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / (1.0 + b.abs())))
}

/// What the contract promises, for every way to stay on the constraints.
#[test]
fn mechanisms_with_loops_end_where_the_reference_does() {
    for (extra, limit) in [
        (&[][..], 1e-5),
        (&["--stabilization", "projection-length"], 1e-5),
        (&["--stabilization", "partitioning"], 1e-5),
        (&["--stabilization", "simple-partitioning"], 1e-5),
        (&["--stabilization", "baumgarte=20"], 1e-5),
        (&["--stabilization", "none"], 1e-5),
        (&["--formulation", "qr"], 1e-5),
        (&["--integrator", "dop853"], 1e-5),
        (&["--integrator", "radau5"], 1e-7),
        (&["--integrator", "radau5", "--stabilization", "stabilized"], 1e-5),
        (&["--integrator", "radau5", "--stabilization", "index2"], 1e-5),
        (&["--integrator", "radau3", "--stabilization", "index3", "--rtol", "1e-6"], 1e-3),
        (&["--integrator", "rattle", "--rtol", "1e-5"], 5e-2),
        (&["--integrator", "rattle", "--step", "0.0005", "--fixed"], 1e-3),
        (&["--integrator", "symplectic-euler", "--step", "0.0005", "--fixed"], 1e-1),
        (&["--integrator", "generalized-alpha=0.9", "--rtol", "1e-5"], 5e-2),
        (&["--integrator", "hht", "--rtol", "1e-5"], 5e-2),
        (&["--accuracy", "1e-9"], 1e-8),
    ] {
        let found = document(
            &[&["simulate", &model("fourbar_ex32"), "--end", "2", "--json"], extra].concat(),
        );
        let off = error(&found, "fourbar_ex32");
        assert!(off < limit, "{extra:?}: {off:e}");
        let residual = found["position_residual_max"].as_f64().expect("a number");
        let drifts = extra.iter().any(|x| ["none", "index2", "baumgarte=20"].contains(x));
        let open = if drifts { 1e-5 } else { 1e-8 };
        assert!(residual < open, "{extra:?}: {residual:e}");
        for key in ["steps", "rejected", "evaluations", "velocity_residual_max", "energy_drift"] {
            assert!(found[key].is_number(), "{key}");
        }
        assert_eq!(found["events"], Value::Array(Vec::new()));
        let trajectory = &found["trajectory"];
        assert_eq!(numbers(&trajectory["t"]).len(), 101);
        assert_eq!(texts(&trajectory["coordinates"]).len(), 9);
        let crank = &trajectory["bodies"]["crank"];
        assert_eq!(crank["position"].as_array().expect("rows").len(), 101);
        assert_eq!(numbers(&crank["position"][100]).len(), 2);
    }
}

/// Dampers and drivers do work, which the balance knows; bodies in space have quaternions.
#[test]
fn energy_is_balanced_with_dampers_and_in_space() {
    let found = document(&["simulate", &model("fm24"), "--end", "2", "--json"]);
    let work = numbers(&found["trajectory"]["work"]);
    assert!(work[100] < -0.1, "the damper takes energy: {}", work[100]);
    let (drift, scale) = (&found["energy_drift"], &found["kinetic_energy_max"]);
    assert!(drift.as_f64().expect("a number") < 1e-6 * scale.as_f64().expect("a number"));
    let bricard = &model("a04_bricard");
    let found = document(&["simulate", bricard, "--end", "1", "--json"]);
    let quaternion = numbers(&found["trajectory"]["bodies"]["rod1"]["quaternion"][50]);
    let norm: f64 = quaternion.iter().map(|x| x * x).sum();
    assert!((norm - 1.0).abs() < 1e-14);
}

#[test]
fn files_hold_residuals_and_plots_are_drawn() {
    let place = Place::new();
    let (csv, svg) = (place.path("run.csv"), place.path("run.svg"));
    let run =
        pommel(&["simulate", &model("fourbar_ex32"), "--end", "1", "--out", &csv, "--plot", &svg]);
    let out = &run.succeeds().out;
    assert!(out.contains("constraints (sparse_kkt, projection)"), "{out}");
    let text = place.text("run.csv");
    let head = text.lines().next().expect("a head");
    assert!(
        head.ends_with("work,kinetic_energy,potential_energy,position_residual,velocity_residual")
    );
    assert_eq!(text.lines().count(), 402);
    let svg = place.text("run.svg");
    for title in
        ["Positions", "Energy balance", "Residuals of positions", "Residuals of velocities"]
    {
        assert!(svg.contains(title), "{title}");
    }
}

#[test]
fn friction_and_impacts_have_an_event_log() {
    let found = document(&["simulate", &model("ev_belt_stickslip"), "--end", "3", "--json"]);
    let events = found["events"].as_array().expect("events");
    let log: Vec<_> = (events.iter())
        .map(|e| (e["kind"].as_str().expect("a kind"), e["t"].as_f64().expect("a time")))
        .collect();
    assert_eq!(log.iter().map(|e| e.0).collect::<Vec<_>>(), ["slip", "stick", "slip"]);
    // the spring reaches the static limit, 5 N, after 1 s of 0.2 m/s
    assert!((log[0].1 - 1.0).abs() < 1e-9, "{log:?}");
    // the same span of sticking after the first: 2 (5 − 3) / 25 m, at 0.2 m/s
    assert!((log[2].1 - log[1].1 - 0.8).abs() < 1e-8, "{log:?}");
    assert_eq!(events[0]["name"], "slide");

    let ball = &model("ev_bouncing_ball");
    let run = pommel(&["simulate", ball, "--end", "5"]);
    run.fails(1, &["pile up"]);
    let run = pommel(&["simulate", ball, "--end", "5", "--rest-speed", "0.01"]);
    let out = &run.succeeds().out;
    assert!(out.contains("impact") && out.contains("0.4515236"), "{out}");
    // and there it lies
    let found = document(&["simulate", ball, "--end", "5", "--rest-speed", "0.01", "--json"]);
    let rows = found["trajectory"]["q"].as_array().expect("rows");
    assert!(numbers(&rows[100])[1].abs() < 1e-9);
    assert_eq!(found["events"].as_array().and_then(|e| e.last()).expect("one")["kind"], "closed");
}

#[test]
fn arguments_that_exclude_each_other_are_told() {
    for (extra, message) in [
        (&["--stabilization", "glue"][..], "unknown stabilization 'glue'"),
        (&["--stabilization", "projection=2"], "takes no number"),
        (&["--stabilization", "baumgarte=-1"], "must be positive"),
        (&["--stabilization", "baumgarte=x"], "'x' in 'baumgarte=x' is not a number"),
        (&["--integrator", "rattle", "--stabilization", "projection"], "in every step"),
        (&["--integrator", "rattle", "--formulation", "qr"], "in every step"),
        (&["--integrator", "rattle=2"], "takes no number"),
        (&["--integrator", "generalized-alpha=2"], "not between 0 and 1"),
        (&["--integrator", "hht=1"], "not between −1/3 and 0"),
        (&["--integrator", "gauss4", "--stabilization", "index2"], "not for gauss4"),
        (&["--integrator", "dopri5", "--stabilization", "index3"], "not for dopri5"),
        (&["--integrator", "leapfrog"], "unknown integrator 'leapfrog'"),
        (&["--integrator", "rk4", "--step", "0.01", "--accuracy", "1e-6"], "cannot be used with"),
        (&["--accuracy", "2"], "must be from 1e-12 to 1"),
        (&["--integrator", "radau5", "--fixed"], "--fixed needs --step"),
        (&["--formulation", "magic"], "unknown formulation 'magic'"),
    ] {
        let run = pommel(&[&["simulate", &model("fourbar_ex32"), "--end", "1"], extra].concat());
        run.fails(2, &[message]);
    }
    let ball = &model("ev_bouncing_ball");
    for extra in [
        &["--accuracy", "1e-6"][..],
        &["--integrator", "radau5"],
        &["--stabilization", "partitioning"],
    ] {
        let run = pommel(&[&["simulate", ball, "--end", "1"], extra].concat());
        run.fails(2, &["dry friction, stops or contacts"]);
    }
}

/// The end of a chaotic motion is not known, and the command says so.
#[test]
fn an_end_that_is_not_known_is_no_result() {
    let chain = &model("chain5");
    let run =
        pommel(&["simulate", chain, "--end", "40", "--accuracy", "1e-9", "--integrator", "dop853"]);
    run.fails(1, &["is not known to 1e-9"]);
}
