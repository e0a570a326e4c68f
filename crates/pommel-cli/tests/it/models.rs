//! Models that cannot be used: what the program says about them, and how it ends.

use crate::support::{ARM, Place, arm_with, dataset, garbage, masses, plan, pommel};

/// Reads a model with this text and expects a complaint.
#[track_caller]
fn refused(text: &str, complaints: &[&str]) {
    let place = Place::new();
    let file = place.file("arm.toml", text);
    pommel(&["info", &file]).fails(2, &[&[file.as_str()], complaints].concat());
}

#[test]
fn a_missing_model_is_named() {
    for command in ["info", "accel", "mass-matrix"] {
        pommel(&[command, "nowhere.toml"]).fails(2, &["cannot read nowhere.toml"]);
    }
    pommel(&["simulate", "nowhere.toml", "--end", "1"]).fails(2, &["cannot read nowhere.toml"]);
    let place = Place::new();
    pommel(&["convert", "nowhere.toml", &place.path("out.json")])
        .fails(2, &["cannot read nowhere.toml"]);
    assert!(place.names(".").is_empty());
}

#[test]
fn broken_toml_is_found_by_line_and_column() {
    // the comma before `type` is missing
    let text = "name = \"arm\"\njoints = [\n  { name = \"elbow\" type = \"revolute\" },\n]\n";
    refused(text, &["arm.toml:3:20: ", "missing comma"]);
}

#[test]
fn broken_json_and_urdf_are_found() {
    let place = Place::new();
    let file = place.file("arm.json", "{\n  \"name\": \"arm\",\n  \"bodies\": [}\n}\n");
    pommel(&["info", &file]).fails(2, &["arm.json:3:14: "]);
    let file = place.file("arm.urdf", "<robot name=\"arm\"><link name=\"a\"></robot>");
    pommel(&["info", &file]).fails(2, &["arm.urdf: URDF: "]);
}

#[test]
fn an_unknown_key_is_found_with_its_line_and_a_suggestion() {
    let faulty = arm_with("com = ", "con = ");
    refused(&faulty, &["bodies[1] 'link' (line 11)", "unknown key 'con'", "did you mean 'com'?"]);
}

#[test]
fn a_value_of_the_wrong_type_is_found() {
    let faulty = arm_with("mass = 2.0", "mass = \"two\"");
    refused(&faulty, &["bodies[1] 'link'.mass (line 10)", "expected a number", "'two'"]);
}

#[test]
fn a_negative_mass_is_found_with_its_path() {
    let faulty = arm_with("mass = 2.0", "mass = -2.0");
    refused(&faulty, &["bodies[1] 'link'.mass (line 10): -2 must not be negative"]);
}

#[test]
fn nan_and_infinity_in_a_model_are_found() {
    let faulty = arm_with("mass = 2.0", "mass = nan");
    refused(&faulty, &["bodies[1] 'link'.mass (line 10): NaN is not a finite number"]);
    let faulty = arm_with("elbow = 0.5", "elbow = inf");
    refused(&faulty, &["initial.v.elbow", "inf is not a finite number"]);
}

#[test]
fn a_cycle_of_parents_is_named() {
    let faulty = arm_with("parent = \"ground\"", "parent = \"link\"")
        .replace("type = \"free\"", "type = \"revolute\"");
    refused(&faulty, &["the parents go round in a circle: base -> link -> base"]);
}

#[test]
fn a_zero_axis_is_found() {
    let faulty = arm_with("axis = [0.0, 0.0, 1.0]", "axis = [0.0, 0.0, 0.0]");
    refused(&faulty, &["joints[1] 'elbow'.axis", "the zero vector has no direction"]);
}

#[test]
fn duplicate_names_are_found() {
    let faulty = arm_with("name = \"link\"", "name = \"base\"");
    refused(&faulty, &["bodies[1]", "the name 'base' is taken by item 0"]);
    let faulty = arm_with("name = \"elbow\"", "name = \"root\"");
    refused(&faulty, &["joints[1]", "the name 'root' is taken by item 0"]);
}

#[test]
fn a_reference_to_no_body_is_found_with_a_suggestion() {
    let faulty = arm_with("child = \"link\"", "child = \"lnik\"");
    refused(&faulty, &["joints[1] 'elbow'.child", "no body 'lnik'", "did you mean 'link'?"]);
}

#[test]
fn all_faults_are_listed_at_once() {
    let faulty = arm_with("mass = 2.0", "mass = -2.0").replace("mass = 10.0", "mass = -10.0");
    refused(&faulty, &["2 faults", "bodies[0] 'base'.mass", "bodies[1] 'link'.mass"]);
}

#[test]
fn binary_garbage_an_empty_file_and_a_directory_are_no_models() {
    let place = Place::new();
    for name in ["garbage.toml", "garbage.json", "garbage.urdf"] {
        pommel(&["info", &place.file(name, garbage())]).fails(2, &[name]);
    }
    for name in ["empty.toml", "empty.json", "empty.urdf"] {
        pommel(&["info", &place.file(name, "")]).fails(2, &[name]);
    }
    for name in ["directory.toml", "directory.json", "directory.urdf"] {
        let path = place.path(name);
        std::fs::create_dir(&path).expect("directory");
        pommel(&["info", &path]).fails(2, &["cannot read", name]);
    }
}

#[test]
fn a_model_of_another_file_type_is_refused_with_those_that_are_known() {
    let place = Place::new();
    let file = place.file("arm.yaml", ARM);
    pommel(&["info", &file]).fails(2, &["unknown file type", ".toml, .json or .urdf"]);
}

#[test]
fn an_unsupported_feature_is_named_with_its_joint() {
    let place = Place::new();
    let dry = "type = \"revolute\"\nfriction = { coulomb = 0.1 }";
    let model = arm_with("type = \"revolute\"", dry);
    let file = place.file("arm.toml", model);
    pommel(&["info", &file]).succeeds();
    let plan = place.file("plan.toml", plan(&masses("[1.0]")));
    let says = ["joints[1] 'elbow': dry friction is not available"];
    pommel(&["accel", &file]).fails(1, &says);
    pommel(&["mass-matrix", &file]).fails(1, &says);
    pommel(&["time", &file, "--kernel", "mass-matrix"]).fails(1, &says);
    pommel(&["sweep", &plan, "--out", &place.path("results")]).fails(1, &says);
    // absolute coordinates know it
    pommel(&["simulate", &file, "--end", "0.1"]).succeeds();
    assert_eq!(place.names("."), ["arm.toml", "plan.toml"]);
}

#[test]
fn a_massless_tip_is_named_with_what_to_do() {
    let place = Place::new();
    let model = arm_with("mass = 2.0", "mass = 0.0").replace("[0.1, 0.2, 0.2]", "[0.0, 0.0, 0.0]");
    let file = place.file("arm.toml", model);
    let says = ["arm.toml: ", "joint of body 'link'", "no inertia", "give body 'link' mass"];
    pommel(&["accel", &file]).fails(1, &says);
    pommel(&["mass-matrix", &file]).fails(1, &says);
    pommel(&["simulate", &file, "--end", "1"]).fails(1, &says);
    pommel(&["time", &file, "--kernel", "mass-matrix"]).succeeds();
    pommel(&["time", &file, "--kernel", "forward-dynamics"]).fails(1, &says);
}

#[test]
fn a_massless_base_is_named_not_its_first_link() {
    let robot = dataset("robots/puma560_fixed/model.urdf");
    let says = [
        "puma560_fixed/model.urdf: the joint of body 'L1' (velocity 0), on the side of body 'base'",
        "feels no inertia; give body 'base' mass and inertia",
    ];
    pommel(&["accel", &robot, "--floating-base"]).fails(1, &says);
}

#[test]
fn a_spring_in_a_spherical_joint_is_refused_with_advice_that_can_be_followed() {
    let place = Place::new();
    let ball = |law: &str| {
        arm_with("type = \"revolute\"", &format!("type = \"spherical\"{law}"))
            .replace("elbow = 0.5", "elbow = [0.0, 0.0, 0.5]")
    };
    let file = place.file("arm.toml", ball("\nstiffness = 3.0"));
    let advice = ["'elbow'.stiffness", "set it to 0", "forces of type \"spring_damper\""];
    pommel(&["accel", &file]).fails(2, &advice);
    let spring = "\n[[forces]]\ntype = \"spring_damper\"\nbody1 = \"base\"\nbody2 = \"link\"\n\
                  point1 = [0.5, 0.3, 0.0]\npoint2 = [0.2, 0.0, 0.0]\nstiffness = 10.0\n\
                  rest_length = 0.1\n";
    let followed = format!("{}{spring}", ball("\nstiffness = 0.0"));
    pommel(&["accel", &place.file("arm.toml", followed)]).succeeds();
}

#[test]
fn values_of_a_wrong_form_are_refused_with_the_right_one() {
    let friction = arm_with("type = \"revolute\"", "type = \"revolute\"\nfriction = 1.0");
    let says = ["'elbow'.friction", "a table with the key 'coulomb', such as { coulomb = 1.0 }"];
    refused(&friction, &says);
    let limits = arm_with("type = \"revolute\"", "type = \"revolute\"\nlimits = 1.0");
    refused(&limits, &["'elbow'.limits", "a table such as { lower = -1.0, upper = 1.0 }"]);
    let number = arm_with("mass = 2.0", "mass = 1.0.0");
    refused(&number, &["arm.toml:10:", "write a number as 1, 1.0 or 1e-3"]);
}

#[test]
fn a_urdf_that_is_cut_off_says_so() {
    let place = Place::new();
    let text = std::fs::read_to_string(dataset("robots/puma560_fixed/model.urdf")).expect("file");
    let file = place.file("cut.urdf", &text[..text.len() / 2]);
    pommel(&["info", &file]).fails(2, &["cut.urdf: URDF: ", "no closing </robot>"]);
}

#[test]
fn an_acceleration_beyond_all_numbers_is_a_failure() {
    let place = Place::new();
    let file = place.file("arm.toml", ARM);
    // free fall at 1e308 m/s² is a number
    pommel(&["accel", &file, "--gravity", "1e308", "0", "0"]).succeeds();
    let fast = place.file("fast.json", r#"{ "v": { "elbow": 1e200 } }"#);
    let says = ["infinite or NaN"];
    pommel(&["accel", &file, "--state", &fast]).fails(1, &says);
    pommel(&["simulate", &file, "--end", "1", "--state", &fast]).fails(1, &["t = "]);
}
