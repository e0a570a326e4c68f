//! `kinematics`, what `info` tells of constraints, and starts of models that place bodies.

use serde_json::Value;

use crate::support::{Place, assert_keys, dataset, pommel};

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn read(name: &str) -> Value {
    let text = std::fs::read_to_string(dataset(name)).expect("the file");
    serde_json::from_str(&text).expect("JSON")
}

fn near(found: &[f64], expected: &[f64], limit: f64) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= limit * (1.0 + b.abs()))
}

/// The published table of a four-bar linkage, to the digits that it has here.
#[test]
fn a_driven_linkage_follows_the_table() {
    let model = dataset("mechanisms/fourbar_table/model.toml");
    let found = pommel(&["kinematics", &model, "--end", "1", "--every", "0.025", "--json"]).json();
    let keys =
        ["coordinates", "velocities", "t", "q", "v", "a", "frames", "residuals", "iterations"];
    assert_keys(&found, &keys);
    let rows = read("mechanisms/fourbar_table/table.json");
    let rows = rows["rows"].as_array().expect("rows");
    assert_eq!((found["t"].as_array().map(Vec::len), rows.len()), (Some(41), 41));
    for (k, row) in rows.iter().enumerate() {
        let row = numbers(row);
        let of = |key: &str, which: &[usize]| -> Vec<f64> {
            let all = numbers(&found[key][k]);
            which.iter().map(|&i| all[i]).collect()
        };
        assert!(near(&of("q", &[2, 5, 8]), &row[..3], 1e-12), "row {k}");
        assert!(near(&of("v", &[5, 8]), &row[3..5], 1e-11), "row {k}");
        assert!(near(&of("a", &[5, 8]), &row[5..7], 1e-10), "row {k}");
        assert!(numbers(&found["residuals"][k]).iter().all(|r| *r < 1e-11));
    }
    assert_eq!(found["singular_positions"], Value::Array(Vec::new()));
}

/// The pin between coupler and rocker, as a point of both, and one that stands still.
#[test]
fn named_frames_are_traced() {
    let place = Place::new();
    let text =
        std::fs::read_to_string(dataset("mechanisms/fourbar_table/model.toml")).expect("read");
    let frame = |name: &str, body: &str, at: &str| {
        format!("\n[[frames]]\nname = \"{name}\"\nbody = \"{body}\"\nposition = {at}\n")
    };
    let model = [
        text,
        frame("tip", "coupler", "[0.2, 0.0]"),
        frame("pin", "rocker", "[0.15, 0.0]"),
        frame("post", "ground", "[0.35, 0.1]"),
    ]
    .concat();
    let model = place.file("traced.toml", model);
    let (out, plot) = (place.path("motion.csv"), place.path("motion.svg"));
    let run = ["kinematics", &model, "--end", "1", "--every", "0.01"];
    let found = pommel(&[&run[..], &["--json", "--out", &out, "--plot", &plot]].concat()).json();
    let rows = |frame: &str, kind: &str| -> Vec<Vec<f64>> {
        found["frames"][frame][kind].as_array().expect("a list").iter().map(numbers).collect()
    };
    for kind in ["position", "velocity", "acceleration"] {
        let (tip, pin) = (rows("tip", kind), rows("pin", kind));
        assert_eq!((tip.len(), tip[0].len()), (101, 2));
        assert!(tip.iter().zip(&pin).all(|(a, b)| near(a, b, 1e-11)), "{kind}");
    }
    // the rocker turns about the post
    for (k, pin) in rows("pin", "position").iter().enumerate() {
        let post = &rows("post", "position")[k];
        assert_eq!(post[..], [0.35, 0.1]);
        assert!(((pin[0] - post[0]).hypot(pin[1] - post[1]) - 0.3).abs() < 1e-12);
    }
    // central differences of 0.01 s: to the square of 2π times that, and third derivatives
    let (position, velocity) = (rows("tip", "position"), rows("tip", "velocity"));
    let acceleration = rows("tip", "acceleration");
    for k in 1..100 {
        for axis in 0..2 {
            let rate = |list: &[Vec<f64>]| (list[k + 1][axis] - list[k - 1][axis]) / 0.02;
            assert!((rate(&position) - velocity[k][axis]).abs() < 0.05, "{k}");
            assert!((rate(&velocity) - acceleration[k][axis]).abs() < 1.5, "{k}");
        }
    }
    let text = place.text("motion.csv");
    let header = text.lines().next().expect("names");
    assert!(header.contains("frame.tip.x,frame.tip.y,frame.tip.vx"), "{header}");
    assert!(header.contains("frame.post.ay"), "{header}");
    assert!(place.text("motion.svg").contains("Paths of frames"));
    let table = pommel(&run).succeeds().out;
    assert!(table.contains("frame tip.x"), "{table}");
}

#[test]
fn motions_are_written_as_tables_and_pictures() {
    let place = Place::new();
    let model = dataset("mechanisms/fourbar_table/model.toml");
    for (out, plot) in [("a.csv", "a.svg"), ("b.json", "b.png"), ("c.parquet", "c.svg")] {
        let (out, plot) = (place.path(out), place.path(plot));
        // the end is a sample, also where it is no multiple
        let run = ["kinematics", &model, "--end", "0.25", "--every", "0.1"];
        let said = pommel(&[&run[..], &["--out", &out, "--plot", &plot]].concat()).succeeds();
        assert!(said.out.contains("4 samples from t = 0 to 0.25 s"), "{}", said.out);
        for file in [&out, &plot] {
            assert!(said.err.contains(file.as_str()));
            assert!(std::fs::metadata(file).expect("written").len() > 200);
        }
    }
    let table = place.text("a.csv");
    let head: Vec<&str> = table.lines().next().expect("a head").split(',').collect();
    assert_eq!((head[0], head[1], head.len()), ("t", "q.crank.x", 1 + 9 + 9 + 9 + 4));
    assert_eq!(table.lines().count(), 5);
    assert!(place.text("a.svg").contains("Angular accelerations"));
}

#[test]
fn a_mechanism_that_is_not_driven_is_refused_with_what_is_missing() {
    let model = dataset("mechanisms/fm24/model.toml");
    pommel(&["kinematics", &model, "--end", "1"])
        .fails(1, &["2 motions are not prescribed", "driver"]);
    let model = dataset("mechanisms/fourbar_table/model.toml");
    pommel(&["kinematics", &model, "--end", "-1"]).fails(2, &["--end -1"]);
    pommel(&["kinematics", &model, "--end", "1", "--every", "0"]).fails(2, &["--every 0"]);
    pommel(&["kinematics", &model, "--end", "1", "--out", "x.xls"]).fails(2, &["x.xls", ".csv"]);
}

#[test]
fn drivers_that_exclude_each_other_are_named() {
    let place = Place::new();
    let text = std::fs::read_to_string(dataset("mechanisms/fourbar_table/model.toml"));
    let second = "\n[[drivers]]\nname = \"second\"\njoint = \"ground_rocker\"\n\
                  motion = { type = \"polynomial\", coefficients = [1.0] }\n";
    let model = place.file("two.toml", text.expect("the file") + second);
    let run = pommel(&["kinematics", &model, "--end", "1"]);
    assert!(run.err.contains("can be assembled without the drivers"), "{}", run.err);
    assert!(run.err.contains("'second'"), "{}", run.err);
    run.fails(1, &["cannot be assembled"]);
    let info = pommel(&["info", &model]).succeeds().out;
    assert!(info.contains("can be assembled without the drivers"), "{info}");
}

/// A slider is pushed beyond where its crank lets it: what was found before stays.
#[test]
fn a_motion_that_ends_early_leaves_what_was_found() {
    let place = Place::new();
    let text = std::fs::read_to_string(dataset("mechanisms/slidercrank/model.toml")).expect("read");
    let driver = "\n[[drivers]]\nname = \"push\"\njoint = \"ground_slider\"\n\
                  motion = { type = \"polynomial\", coefficients = [1.0057570561667655, 0.1] }\n";
    let model = place.file("pushed.toml", text + driver);
    let out = place.path("motion.csv");
    let run = ["kinematics", &model, "--end", "2", "--every", "0.1", "--out", &out];
    let said = pommel(&run);
    assert!(said.err.contains("10 samples of 21 found before"), "{}", said.err);
    said.fails(1, &["cannot be assembled at t = 0.94", "'push (coordinate)'"]);
    assert_eq!(place.text("motion.csv").lines().count(), 11);
}

/// The model of a mechanism that README shows, as it stands there.
#[test]
fn the_mechanism_of_the_readme_is_described_driven_and_solved() {
    let place = Place::new();
    let readme = std::fs::read_to_string(dataset("../README.md")).expect("README");
    let (_, rest) = readme.split_once("### A mechanism with a loop").expect("the section");
    let (_, rest) = rest.split_once("```toml\n").expect("the model");
    let (model, _) = rest.split_once("```").expect("its end");
    let model = place.file("mechanism.toml", model);
    let info = pommel(&["info", &model]).succeeds().out;
    assert!(info.contains("1 degree of freedom, of which 1 driver (motor) leaves 0"), "{info}");
    let found = pommel(&["kinematics", &model, "--end", "1", "--every", "0.05", "--json"]).json();
    // x = r cos φ + √(l² − r² sin² φ)
    for k in 0..=20 {
        let angle = 0.9 + std::f64::consts::TAU * 0.05 * f64::from(k);
        let (sin, cos) = angle.sin_cos();
        let x = 0.3 * cos + (0.64 - 0.09 * sin * sin).sqrt();
        let q = numbers(&found["q"][k as usize]);
        assert!((q[2] - angle).abs() < 1e-9 && (q[6] - x).abs() < 1e-9, "{k}: {q:?} {angle} {x}");
    }
    // recursion does not know drivers
    let said = pommel(&["accel", &model]).succeeds().out;
    assert!(said.contains("formulation: sparse_kkt"), "{said}");
}

#[test]
fn redundant_rows_are_counted_by_rank_and_named() {
    for (name, rows, rank, freedoms) in [
        ("double_parallel_crank", 12, 11, 1),
        ("fm24", 24, 22, 2),
        ("a04_bricard", 30, 29, 1),
        ("fourbar_table", 9, 9, 0),
    ] {
        let model = dataset(&format!("mechanisms/{name}/model.toml"));
        let info = pommel(&["info", &model, "--json"]).json();
        let count = |key: &str| info[key].as_u64();
        assert_eq!(count("constraints"), Some(rows), "{name}");
        assert_eq!(count("rank"), Some(rank), "{name}");
        assert_eq!(count("degrees_of_freedom"), Some(freedoms), "{name}");
        let redundant = info["redundant_rows"].as_array().expect("names");
        assert_eq!(redundant.len() as u64, rows - rank, "{name}");
        for row in redundant {
            // a joint and one of its rows
            let (joint, _) = row.as_str().and_then(|row| row.split_once(" (")).expect("a row");
            let joints = info["joints"].as_array().expect("names");
            assert!(joints.iter().any(|name| name == joint), "{joint}");
        }
        let said = pommel(&["info", &model]).succeeds().out;
        let undriven = count("degrees_of_freedom_without_drivers").expect("a count");
        let drivers = info["drivers"].as_array().map_or(0, Vec::len) as u64;
        assert_eq!(undriven, freedoms + drivers, "{name}");
        let degrees = if undriven == 1 { "degree" } else { "degrees" };
        assert!(said.contains(&format!("{undriven} {degrees} of freedom")), "{said}");
    }
    // what cannot be assembled is described all the same
    let place = Place::new();
    let text = std::fs::read_to_string(dataset("mechanisms/fourbar_table/model.toml"));
    let rod = "\n[[constraints]]\ntype = \"distance\"\nname = \"rod\"\nbody1 = \"ground\"\n\
               body2 = \"crank\"\nlength = 5.0\n";
    let odd = place.file("odd.toml", text.expect("the file") + rod);
    let info = pommel(&["info", &odd]).succeeds().out;
    assert!(info.contains("not known: the mechanism cannot be assembled"), "{info}");
    assert!(info.contains("'rod (length)'") && info.contains("ground_crank"), "{info}");
    let info = pommel(&["info", &odd, "--json"]).json();
    assert_eq!((&info["rank"], &info["degrees_of_freedom"]), (&Value::Null, &Value::Null));
}

/// Bent at the start, by where the model places its bars.
#[test]
fn a_chain_starts_where_its_bodies_are_placed() {
    let model = dataset("mechanisms/chain50/model.toml");
    let run =
        pommel(&["simulate", &model, "--end", "1", "--every", "1", "--rtol", "1e-10", "--json"]);
    let found = run.json();
    let truth = read("mechanisms/chain50/truth.json");
    let states = truth["states"].as_array().expect("states");
    let (first, last) = (&states[0], &states[states.len() - 1]);
    assert_eq!(last["t"].as_f64(), Some(1.0));
    let bodies = found["trajectory"]["bodies"].as_object().expect("bodies");
    assert_eq!(bodies.len(), 50);
    for (k, state, limit) in [(0, first, 1e-14), (1, last, 1e-7)] {
        let q = numbers(&state["q"]);
        for i in 0..50 {
            let name = format!("link{i}");
            let position = numbers(&bodies[&name]["position"][k]);
            assert!(near(&position, &q[3 * i..3 * i + 2], limit), "{name}: {position:?}");
        }
    }
}

/// Two parallel cranks at an angle, both turning at 1 rad/s, with what carries them.
fn parallelogram(angle: f64, speeds: [f64; 2]) -> String {
    let (sin, cos) = angle.sin_cos();
    let mut text =
        String::from("name = \"parallelogram\"\nkind = \"planar\"\ngravity = [0.0, -9.81]\n");
    let bodies = [
        ("one", 0.5 * cos, 0.5 * sin, angle, 0.5 * speeds[0]),
        ("two", 2.0 + 0.5 * cos, 0.5 * sin, angle, 0.5 * speeds[1]),
        ("top", 1.0 + cos, sin, 0.0, 0.5 * (speeds[0] + speeds[1])),
    ];
    for (name, x, y, angle, speed) in bodies {
        let spin = if name == "top" { 0.5 * (speeds[1] - speeds[0]) } else { 2.0 * speed };
        text += &format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = 0.1\nposition = [{x}, {y}]\n\
             angle = {angle}\nvelocity = [{}, {}]\nangular_velocity = {spin}\n",
            -speed * sin,
            speed * cos
        );
    }
    let joints = [
        ("A", "ground", 0.0, "one", -0.5),
        ("B", "ground", 2.0, "two", -0.5),
        ("C", "one", 0.5, "top", -1.0),
        ("D", "two", 0.5, "top", 1.0),
    ];
    for (name, parent, at, child, from) in joints {
        text += &format!(
            "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
             child = \"{child}\"\nin_parent = {{ position = [{at}, 0.0] }}\n\
             in_child = {{ position = [{from}, 0.0] }}\n"
        );
    }
    text
}

#[test]
fn accelerations_near_a_change_point_are_warned_of() {
    let place = Place::new();
    for (off, doubtful) in [(1e-6, true), (1e-5, true), (1e-2, false), (1.0, false)] {
        let model = parallelogram(std::f64::consts::PI - off, [1.0, 1.0]);
        let model = place.file("flat.toml", model);
        let found = pommel(&["accel", &model]);
        assert_eq!(found.err.contains("near a singular one"), doubtful, "{off}: {}", found.err);
        // every multiplier with the name of its row
        let said = found.succeeds().out;
        assert!(
            ["A (x)", "B (y)", "C (x)", "D (y)"].iter().all(|row| said.contains(row)),
            "{said}"
        );
    }
}

#[test]
fn velocities_that_are_moved_are_told() {
    let place = Place::new();
    let model = place.file("turned.toml", parallelogram(1.0, [1.0, 0.9]));
    let found = pommel(&["accel", &model]);
    assert!(found.err.contains("the velocities missed constraints by"), "{}", found.err);
    assert!(!found.err.contains("the state missed"), "{}", found.err);
    let model = place.file("good.toml", parallelogram(1.0, [1.0, 1.0]));
    assert_eq!(pommel(&["accel", &model]).err, "");
}

/// A slider-crank of 0.05 m and 0.2 m whose slider is driven, from the crank's angle.
fn pushed(angle: f64, motion: &str) -> String {
    let (r, l) = (0.05, 0.2);
    let (sin, cos) = f64::sin_cos(angle);
    let tilt = f64::asin(-r * sin / l);
    let end = r * cos + l * tilt.cos();
    format!(
        "name = \"pushed\"\nkind = \"planar\"\n\
         bodies = [\n\
         {{ name = \"crank\", mass = 1.0, inertia = 0.01, position = [{}, {}], angle = {angle} }},\n\
         {{ name = \"rod\", mass = 1.0, inertia = 0.01, position = [{}, {}], angle = {tilt} }},\n\
         {{ name = \"slider\", mass = 1.0, inertia = 0.01, position = [{end}, 0.0] }},\n]\n\
         joints = [\n\
         {{ name = \"main\", type = \"revolute\", parent = \"ground\", child = \"crank\", in_child = {{ position = [-0.025, 0.0] }} }},\n\
         {{ name = \"big\", type = \"revolute\", parent = \"crank\", in_parent = {{ position = [0.025, 0.0] }}, child = \"rod\", in_child = {{ position = [-0.1, 0.0] }} }},\n\
         {{ name = \"small\", type = \"revolute\", parent = \"rod\", in_parent = {{ position = [0.1, 0.0] }}, child = \"slider\" }},\n\
         {{ name = \"bore\", type = \"prismatic\", axis = [1.0, 0.0], parent = \"ground\", child = \"slider\" }},\n]\n\
         drivers = [{{ name = \"motor\", joint = \"bore\", motion = {motion} }}]\n",
        0.5 * r * cos,
        0.5 * r * sin,
        r * cos + 0.5 * l * tilt.cos(),
        0.5 * r * sin,
    )
}

#[test]
fn dead_centres_are_told_as_such() {
    let place = Place::new();
    let line = |from: f64, speed: f64| {
        format!("{{ type = \"polynomial\", coefficients = [{from}, {speed}] }}")
    };
    // at its outer dead centre, from which it is pulled back
    let model = place.file("dead.toml", pushed(0.0, &line(0.25, -0.1)));
    pommel(&["kinematics", &model, "--end", "0.1"])
        .fails(1, &["the position at t = 0 s is singular"]);
    let said = pommel(&["info", &model]).succeeds().out;
    assert!(said.contains("the position is singular"), "{said}");
    // through it
    let model = place.file("through.toml", pushed(1.2, &line(0.2125676, 0.1)));
    let found = pommel(&["kinematics", &model, "--end", "1"]);
    assert!(found.err.contains("limit position (a dead centre)"), "{}", found.err);
    assert!(found.err.contains("look at 'motor'"), "{}", found.err);
    found.fails(1, &["cannot be assembled at t = 0.37"]);
    // nothing is odd about a crank in the middle of its way
    let model = place.file("fine.toml", pushed(1.2, &line(0.2125676, 0.01)));
    let said = pommel(&["info", &model]).succeeds().out;
    assert!(!said.contains("singular"), "{said}");
}

#[test]
fn corners_of_drivers_are_warned_of() {
    let place = Place::new();
    let cases = [
        (
            "{ type = \"ramp\", start = 0.1, end = 0.2, from = 0.21, to = 0.22 }",
            Some("has a corner"),
        ),
        (
            "{ type = \"table\", times = [0.0, 0.1, 0.2], values = [0.21, 0.22, 0.21], interpolation = \"linear\" }",
            Some("has a corner"),
        ),
        (
            "{ type = \"table\", times = [0.0, 0.1, 0.1, 0.3], values = [0.21, 0.21, 0.22, 0.22], interpolation = \"linear\" }",
            Some("jumps"),
        ),
        ("{ type = \"polynomial\", coefficients = [0.21, 0.01] }", None),
    ];
    for (motion, word) in cases {
        let model = place.file("corner.toml", pushed(1.2, motion));
        let found = pommel(&["kinematics", &model, "--end", "0.3", "--every", "0.03"]);
        match word {
            Some(word) => {
                let said = format!("driver 'motor' {word}");
                assert!(
                    found.err.contains(&said) && found.err.contains("0.1"),
                    "{motion}: {}",
                    found.err
                );
            }
            None => assert!(!found.err.contains("driver 'motor'"), "{}", found.err),
        }
    }
}

#[test]
fn a_missing_directory_is_named_with_what_to_do() {
    let place = Place::new();
    let model = dataset("mechanisms/fourbar_table/model.toml");
    let file = place.path("none/motion.csv");
    pommel(&["kinematics", &model, "--end", "0.1", "--out", &file])
        .fails(1, &["cannot write", "make the directory", "none first"]);
}

/// Drivers that exclude each other are told by whatever has to assemble.
#[test]
fn drivers_are_blamed_by_every_command() {
    let place = Place::new();
    let far = pushed(1.2, "{ type = \"constant\", value = 0.9 }");
    let model = place.file("far.toml", far);
    for command in [&["accel", &model][..], &["compare", &model, "--end", "0.1"]] {
        let found = pommel(command);
        assert!(
            found.err.contains("it can be assembled without the driver 'motor'"),
            "{}",
            found.err
        );
        found.fails(1, &["cannot be assembled"]);
    }
}
