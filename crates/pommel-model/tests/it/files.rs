//! Files, schema and digest.

use crate::support::{FOUR_BAR, RICH, datasets};
use pommel_model::{Description, Mechanism, ModelError, schema};
use serde_json::Value;

fn rich() -> Description {
    Description::from_toml_str(RICH).expect("rich model")
}

#[test]
fn a_rich_model_survives_toml_and_json_unchanged() {
    let rich = rich();
    let toml = Description::from_toml_str(&rich.to_toml_string()).expect("own TOML");
    let json = Description::from_json_str(&rich.to_json_string()).expect("own JSON");
    assert_eq!(toml, rich);
    assert_eq!(json, rich);
    assert_eq!(toml.to_toml_string(), rich.to_toml_string());
}

#[test]
fn the_rich_model_is_sound() {
    let mechanism = Mechanism::from_toml_str(RICH).expect("sound");
    assert_eq!(mechanism.warnings(), []);
    assert_eq!(
        (mechanism.nq(), mechanism.nv()),
        (7 + 2 + 1 + 4 + 1 + 2 + 3 + 1, 6 + 2 + 1 + 3 + 1 + 2 + 3 + 1)
    );
}

#[test]
fn every_double_survives_both_formats() {
    let mut description = rich();
    // the ends of the range, a denormal, and numbers with 17 digits
    for value in [f64::MIN_POSITIVE, 5e-324, f64::MAX, 0.1 + 0.2, 1.0 / 3.0, 1e22, 123456789.0] {
        description.bodies[0].mass = value;
        let toml = Description::from_toml_str(&description.to_toml_string()).expect("TOML");
        let json = Description::from_json_str(&description.to_json_string()).expect("JSON");
        assert_eq!(toml.bodies[0].mass.to_bits(), value.to_bits());
        assert_eq!(json.bodies[0].mass.to_bits(), value.to_bits());
    }
}

#[test]
fn strings_with_quotes_and_control_characters_survive_toml() {
    let mut description = rich();
    description.caveat = Some("\"quoted\" back\\slash\ttab\nline \u{7f} \u{1} é".to_owned());
    let toml = Description::from_toml_str(&description.to_toml_string()).expect("TOML");
    assert_eq!(toml.caveat, description.caveat);
}

#[test]
fn digest_does_not_depend_on_format_or_order_of_keys() {
    let rich = rich();
    let digest = rich.digest();
    assert_eq!(digest.len(), 64);
    let json = Description::from_json_str(&rich.to_json_string()).expect("JSON");
    assert_eq!(json.digest(), digest);
    let reversed = reverse_keys(&serde_json::to_value(&rich).expect("value")).to_string();
    assert!(reversed.starts_with("{\"initial\""), "the keys are reversed");
    assert_eq!(Description::from_json_str(&reversed).expect("JSON").digest(), digest);
}

fn reverse_keys(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            Value::Object(map.iter().rev().map(|(k, v)| (k.clone(), reverse_keys(v))).collect())
        }
        Value::Array(items) => items.iter().map(reverse_keys).collect(),
        other => other.clone(),
    }
}

#[test]
fn digest_does_not_depend_on_spelled_out_defaults() {
    let spelled = FOUR_BAR.replace("kind = \"planar\"", "kind = \"planar\"\ngravity = [0, -9.81]");
    let spelled = spelled.replace("type = \"revolute\"", "type = \"revolute\", axis = [0, 0, 1.0]");
    let digest = |text| Mechanism::from_toml_str(text).expect("model").digest();
    assert_eq!(digest(&spelled), digest(FOUR_BAR));
}

#[test]
fn digest_changes_with_any_number() {
    let rich = rich();
    let digest = rich.digest();
    let paths = rich.parameters();
    assert!(paths.len() > 150, "{}", paths.len());
    for (path, value) in paths {
        let mut changed = rich.clone();
        let parameter = path.parse::<pommel_model::ParameterPath>().expect("path");
        let parameter = parameter.resolve(&rich).expect("number");
        parameter.set(&mut changed, value + 0.5).expect("set");
        assert_ne!(changed.digest(), digest, "{path}");
    }
}

#[test]
fn every_key_of_the_rich_model_is_described_in_the_schema() {
    let schema = schema();
    let mut described = Vec::new();
    keys_of_schema(&schema, &mut described);
    let mut used = Vec::new();
    keys_of_value(&serde_json::to_value(rich()).expect("value"), &mut used);
    assert!(used.len() > 70, "{}", used.len());
    let names = ["elbow", "shoulder", "socket", "thread"];
    for key in used.iter().filter(|key| !names.contains(&key.as_str())) {
        assert!(described.contains(key), "{key} is not in the schema");
    }
}

fn keys_of_schema(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            map.values().for_each(|value| keys_of_schema(value, keys));
        }
        Value::Array(items) => items.iter().for_each(|item| keys_of_schema(item, keys)),
        _ => {}
    }
}

fn keys_of_value(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if !keys.contains(key) {
                    keys.push(key.clone());
                }
                keys_of_value(value, keys);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys_of_value(item, keys)),
        _ => {}
    }
}

#[test]
fn every_field_in_the_schema_says_what_it_is() {
    fn check(value: &Value, missing: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                if let Some(Value::Object(properties)) = map.get("properties") {
                    for (key, property) in properties {
                        // a constant is the tag of a variant, which is described itself
                        if property.get("const").is_none() && property.get("description").is_none()
                        {
                            missing.push(key.clone());
                        }
                    }
                }
                map.values().for_each(|value| check(value, missing));
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, missing)),
            _ => {}
        }
    }
    let mut missing = Vec::new();
    check(&schema(), &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn a_missing_file_is_named() {
    let error = Mechanism::from_path("no/such/model.toml").expect_err("no file");
    assert!(matches!(error, ModelError::Read { .. }));
    assert!(error.to_string().starts_with("cannot read no/such/model.toml: "), "{error}");
}

#[test]
fn an_unknown_ending_is_refused() {
    let error = Mechanism::from_path("model.xyz").expect_err("ending");
    assert_eq!(
        error.to_string(),
        "model.xyz: unknown file type; models end in .toml, .json or .urdf"
    );
}

#[test]
fn a_syntax_error_in_toml_has_line_and_column() {
    let error = Mechanism::from_toml_str("name = \"x\"\nkind = = 3\n").expect_err("syntax");
    let ModelError::Syntax { line, column, .. } = &error else { panic!("{error:?}") };
    assert_eq!((*line, *column), (Some(2), Some(8)), "{error}");
}

#[test]
fn a_syntax_error_in_json_has_line_and_column() {
    let error = Mechanism::from_json_str("{\n\"name\": ]").expect_err("syntax");
    assert_eq!(error.to_string(), "line 2, column 9: expected value");
}

#[test]
fn nan_in_json_is_explained() {
    for text in ["{\"gravity\": [0, NaN, 0]}", "{\"gravity\": NaN}", "{\"gravity\": [-Infinity]}"] {
        let error = Mechanism::from_json_str(text).expect_err("NaN").to_string();
        assert!(error.contains("NaN and Infinity are not numbers in JSON"), "{error}");
    }
    let other = Mechanism::from_json_str("{\"gravity\": [0, @]}").expect_err("sign").to_string();
    assert!(!other.contains("NaN"), "{other}");
}

#[test]
fn a_number_too_large_for_a_double_is_refused() {
    let error = Mechanism::from_json_str("{\"gravity\": [1e999]}").expect_err("too large");
    assert!(error.to_string().contains("out of range"), "{error}");
    let faults = crate::support::faults_with("mass = 2.5", "mass = 1e999");
    assert_eq!(faults, ["bodies[1] 'upper'.mass (line 20): inf is not a finite number"]);
}

#[test]
fn a_key_given_twice_in_json_is_refused() {
    let error = Mechanism::from_json_str("{\"name\": \"a\", \"name\": \"b\"}").expect_err("twice");
    assert!(error.to_string().contains("the key 'name' is given twice"), "{error}");
}

#[test]
fn faults_in_a_file_name_the_file() {
    let path = datasets("robots/puma560_fixed/static.json");
    let error = Mechanism::from_path(&path).expect_err("not a model");
    let start = format!("{}: ", path.display());
    assert!(error.to_string().starts_with(&start), "{error}");
}
