//! Plan files that are sound.

use crate::support::{Place, example, model_path, random_plan};
use pommel_batch::{DesignKind, Method, Plan, PlanError, Spread, Sweep, plan_schema};
use pommel_model::LoadOptions;

const FULL: &str = r#"
    name = "full"
    description = "everything once"
    model = "model.toml"
    end = 10

    [integrator]
    name = "dopri5"
    rtol = 1e-9
    atol = 1e-12
    step = 1e-3
    max_steps = 100_000

    [limits]
    time_limit = 2.5
    max_failed_share = 0.25

    [design]
    kind = "random"
    count = 12
    seed = 3

    [[parameters]]
    path = "bodies.L1.mass"
    name = "mass"
    unit = "kg"
    uniform = [1, 2]

    [[parameters]]
    paths = ["bodies.base.inertia[0]", "bodies.base.inertia[1]"]
    log_uniform = [0.1, 10.0]

    [[parameters]]
    path = "gravity[2]"
    normal = { mean = -9.81, standard_deviation = 0.1 }

    [[parameters]]
    path = "initial.q.j_L1"
    values = [0.0, 0.5]

    [[parameters]]
    path = "initial.q.j_L2"
    linspace = { from = -1.0, to = 1.0, count = 5 }

    [[derived]]
    path = "bodies.L2.mass"
    expression = "2 * mass"
    name = "other_mass"
    unit = "kg"
"#;

#[test]
fn every_field_is_read() {
    let plan = Plan::from_toml_str(FULL).expect("sound");
    assert_eq!(
        (plan.end, plan.integrator.name, plan.integrator.rtol),
        (10.0, Method::Dopri5, Some(1e-9))
    );
    assert_eq!((plan.integrator.step, plan.integrator.max_steps), (Some(1e-3), Some(100_000)));
    assert_eq!(plan.design.kind, DesignKind::Random);
    assert_eq!(plan.parameters[1].targets().len(), 2);
    assert_eq!((plan.limits.time_limit, plan.limits.max_failed_share), (Some(2.5), Some(0.25)));
    let sweep = Sweep::new(plan, crate::support::model()).expect("sweep");
    assert_eq!(sweep.len(), 12);
    assert_eq!(sweep.swept()[0].spread(), Some(&Spread::Uniform { lower: 1.0, upper: 2.0 }));
    assert_eq!((sweep.swept()[0].name(), sweep.swept()[0].unit()), ("mass", Some("kg")));
    let derived = &sweep.swept()[5];
    assert_eq!((derived.name(), derived.unit()), ("other_mass", Some("kg")));
    assert_eq!((derived.spread(), derived.expression()), (None, Some("2 * mass")));
}

#[test]
fn toml_and_json_are_the_same_plan() {
    let plan = Plan::from_toml_str(FULL).expect("sound");
    let json = serde_json::to_string(&plan).expect("json");
    let again = Plan::from_json_str(&json).expect("json");
    assert_eq!(again, plan);
    assert_eq!(again.digest(), plan.digest());
    let toml = Plan::from_toml_str(&plan.to_toml_string()).expect("written toml");
    assert_eq!(toml, plan);
    let spelt = FULL.replace("end = 10", "end = 10.00 # s");
    assert_eq!(Plan::from_toml_str(&spelt).expect("sound").digest(), plan.digest());
    let other = FULL.replace("seed = 3", "seed = 4");
    assert_ne!(Plan::from_toml_str(&other).expect("sound").digest(), plan.digest());
}

#[test]
fn a_plan_file_names_its_model_relative_to_itself() {
    let place = Place::new("plans");
    std::fs::create_dir(place.join("models")).expect("directory");
    std::fs::copy(model_path(), place.join("models/arm.toml")).expect("copy");
    let text = random_plan(4, 1).replace("\"model.toml\"", "\"models/arm.toml\"");
    std::fs::write(place.join("plan.toml"), &text).expect("plan");
    let sweep = Sweep::from_path(place.join("plan.toml")).expect("sweep");
    assert_eq!(sweep.plan_text(), text);
    let json = serde_json::to_string(sweep.plan()).expect("json");
    std::fs::write(place.join("plan.json"), json).expect("plan");
    let again = Sweep::from_path(place.join("plan.json")).expect("sweep");
    assert_eq!(again.plan_digest(), sweep.plan_digest());
    assert_eq!(Plan::from_toml_str(&again.plan_text()).expect("toml"), *sweep.plan());

    let options = LoadOptions { gravity: Some([0.0, 0.0, -1.62]), ..Default::default() };
    let moon = Sweep::from_path_with(place.join("plan.toml"), &options).expect("sweep");
    assert_eq!(moon.base().gravity(), [0.0, 0.0, -1.62]);
    assert_ne!(moon.model_digest(), sweep.model_digest());
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let place = Place::new("no-plans");
    let error = Sweep::from_path(place.join("none.toml")).expect_err("missing").to_string();
    assert!(error.contains("none.toml"), "{error}");
    let error = Sweep::from_path(place.join("plan.yaml")).expect_err("ending").to_string();
    assert!(
        error.ends_with("plan.yaml: unknown file type; plans end in .toml or .json"),
        "{error}"
    );
    std::fs::write(place.join("plan.toml"), random_plan(1, 1)).expect("plan");
    let error = Sweep::from_path(place.join("plan.toml")).expect_err("no model");
    assert!(matches!(error, PlanError::Model(_)), "{error}");
    assert!(error.to_string().contains("model.toml"), "{error}");
    std::fs::copy(model_path(), place.join("model.toml")).expect("copy");
    let text = random_plan(1, 1).replace("bodies.L1.mass", "bodies.L1.mess");
    std::fs::write(place.join("plan.toml"), text).expect("plan");
    let error = Sweep::from_path(place.join("plan.toml")).expect_err("path").to_string();
    let expected = "plan.toml: parameters[0].path (line 8): 'bodies.L1.mess': bodies.L1 has no \
                    'mess'; did you mean 'mass'?";
    assert!(error.ends_with(expected), "{error}");
    std::fs::write(place.join("plan.toml"), "name = \"a\"\nend = = 3").expect("plan");
    let error = Sweep::from_path(place.join("plan.toml")).expect_err("syntax").to_string();
    assert!(error.contains("plan.toml:2:7: "), "{error}");
}

#[test]
fn the_schema_knows_every_key() {
    let schema = plan_schema();
    let mut plan = serde_json::to_value(Plan::from_toml_str(FULL).expect("sound")).expect("value");
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().expect("object").keys().cloned().collect()
    };
    let mut given = keys(&plan);
    let mut known = keys(&schema["properties"]);
    given.sort();
    known.sort();
    assert_eq!(given, known);
    assert_eq!(schema["additionalProperties"], false);
    plan["design"]["cuont"] = 1.into();
    assert!(Plan::from_json_str(&plan.to_string()).is_err());
}

/// Keys that a plan does not use are not in its digest, so that results keep their plan. The number
/// is that of the text that the plan is written as, hashed by other means.
#[test]
fn the_digest_of_a_plan_is_pinned() {
    let plan = Plan::from_path(example("free_floating_arm.toml")).expect("sound");
    assert_eq!(plan.digest(), "f0ae131dbf54d4acc251c4717ed640edce43bd64e39b467a60eea3ec98d8c23c");
}
