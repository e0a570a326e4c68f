//! Variants of a mechanism side by side.

use pommel_math::{Lanes, Real};
use pommel_mechanism::{Evaluation, PackError, System};
use pommel_testkit::Rng;

use crate::models::{Hinge, PLANAR, SPATIAL, Sample, mechanism, sketch};

type Four = Lanes<4>;

const ELEMENTS: &str = r#"
[[forces]]
type = "spring_damper"
body1 = "ground"
point1 = [1.0, 2.0]
body2 = "c"
stiffness = STIFFNESS
damping = 2.0
rest_length = 0.5

[[forces]]
type = "bushing"
body1 = "a"
body2 = "d"
stiffness = [STIFFNESS, 20.0, 0.0]
torsional_stiffness = [0.0, 0.0, 3.0]
torsional_damping = [0.0, 0.0, 0.3]

[[forces]]
type = "torque"
body1 = "a"
body2 = "e"
torque = { type = "sine", amplitude = STIFFNESS, angular_frequency = 2.0 }

[[forces]]
type = "wrench"
body = "b"
point = [0.1, 0.2]
frame = "body"
force = [STIFFNESS, 2.0, 0.0]
moment = [0.0, 0.0, 1.0]

[[constraints]]
type = "distance"
body1 = "a"
body2 = "d"
length = STIFFNESS

[[constraints]]
type = "cam"
name = "cam"
joint1 = "turn"
joint2 = "slide"
period = 1.5
profile = { type = "table", times = [0.0, 0.8, 1.5], values = [0.0, STIFFNESS, 0.0], interpolation = "cubic" }

[[constraints]]
type = "rolling"
body1 = "a"
plane = { normal = [0.6, 0.8] }
body2 = "c"
radius = STIFFNESS

[[drivers]]
joint = "turn"
motion = { type = "sine", amplitude = STIFFNESS, angular_frequency = 3.0 }
"#;

fn further(stiffness: f64, planar: bool) -> String {
    let text = ELEMENTS.replace("STIFFNESS", &format!("{stiffness}"));
    if planar {
        return text;
    }
    let three = |line: &str| -> String {
        let vector = line.starts_with("point") || line.starts_with("plane");
        if !vector { line.to_owned() } else { line.replace(']', ", 0.3]") }
    };
    text.lines().map(|line| three(line) + "\n").collect()
}

/// Forces in joints with numbers that differ.
fn with_loads(hinges: &[Hinge], planar: bool, text: &str, variant: usize) -> String {
    let mut text = text.to_owned();
    for hinge in hinges {
        let (kind, value) = (hinge.kind, 1.0 + variant as f64);
        let (nv, springs) = match kind {
            "spherical" => (3, false),
            "planar" => (3, true),
            "free" if planar => (3, true),
            "free" => (6, false),
            "universal" | "cylindrical" => (2, true),
            "fixed" => continue,
            _ => (1, true),
        };
        let line = format!("[[joints]]\nname = \"{}\"\n", hinge.name);
        let mut loads = format!("damping = {value}\n");
        if springs {
            loads += &format!("stiffness = {}\nrest = 0.2\n", 2.0 * value);
        }
        // not all variants have a torque
        if variant != 1 {
            let torque = format!("{{ type = \"polynomial\", coefficients = [{value}, 2.0] }}");
            loads += &format!("torque = [{}]\n", vec![torque; nv].join(", "));
        }
        let friction = format!("{{ coulomb = {value}, viscous = 0.1, surface_velocity = 0.2 }}");
        loads += &format!("friction = [{}]\n", vec![friction; nv].join(", "));
        text = text.replace(&line, &(line.clone() + &loads));
    }
    text
}

fn variants(hinges: &[Hinge], planar: bool) -> Vec<Sample> {
    let variant = |k: usize| {
        // other seeds: other masses, frames, mass centres
        let text =
            sketch(40 + k as u64, hinges, planar, false, &further(1.0 + 0.5 * k as f64, planar));
        Sample::new(&with_loads(hinges, planar, &text, k))
    };
    (0..4).map(variant).collect()
}

#[test]
fn four_variants_side_by_side_have_the_bits_of_four_alone() {
    let mut rng = Rng::new(41);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        let mut samples = variants(hinges, planar);
        let motions: Vec<_> = samples.iter_mut().map(|s| s.motion(&mut rng, 1.0)).collect();
        let systems: Vec<&System<f64>> = samples.iter().map(|s| &s.system).collect();
        let packed: System<Four> = System::pack(&systems).unwrap();
        let mut together = Evaluation::new(&packed);
        let gather = |list: [&[f64]; 4]| -> Vec<Four> {
            (0..list[0].len()).map(|i| Four::from_lanes(|lane| list[lane][i])).collect()
        };
        let q = gather(std::array::from_fn(|k| &*motions[k].q));
        let v = gather(std::array::from_fn(|k| &*motions[k].v));
        let time = Four::from_lanes(|lane| 0.1 + 0.3 * lane as f64);
        packed.evaluate(time, &q, &v, &mut together);
        packed.track(&mut together);
        packed.evaluate(time, &q, &v, &mut together);
        for (lane, (sample, motion)) in samples.iter().zip(&motions).enumerate() {
            let system = &sample.system;
            let mut alone = Evaluation::new(system);
            system.evaluate(time.lane(lane), &motion.q, &motion.v, &mut alone);
            system.track(&mut alone);
            system.evaluate(time.lane(lane), &motion.q, &motion.v, &mut alone);
            for (what, found, expected) in [
                ("phi", together.phi(), alone.phi()),
                ("jacobian", together.jacobian(), alone.jacobian()),
                ("nu", together.nu(), alone.nu()),
                ("gamma", together.gamma(), alone.gamma()),
                ("force", together.force(), alone.force()),
                ("mass", packed.mass(), system.mass()),
            ] {
                for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
                    let found = found.lane(lane);
                    assert!(
                        found.to_bits() == expected.to_bits(),
                        "{what}[{k}], lane {lane}: {found}, {expected}"
                    );
                }
            }
            let energy = packed.energy(&v, &together);
            assert_eq!(energy.kinetic.lane(lane), system.energy(&motion.v, &alone).kinetic);
            assert_eq!(energy.potential.lane(lane), system.energy(&motion.v, &alone).potential);
        }
    }
}

/// The last instance fills the lanes that are left.
#[test]
fn fewer_instances_than_lanes_repeat_the_last() {
    let samples = variants(PLANAR, true);
    let packed: System<Four> = System::pack(&[&samples[0].system, &samples[1].system]).unwrap();
    for (k, mass) in packed.mass().iter().enumerate() {
        let [a, b] = [0, 1].map(|i: usize| samples[i].system.mass()[k]);
        assert_eq!([0, 1, 2, 3].map(|lane| mass.lane(lane)), [a, b, b, b]);
    }
}

#[test]
fn single_precision_agrees_to_its_own_rounding() {
    let mut rng = Rng::new(42);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        let mut sample = variants(hinges, planar).remove(0);
        let motion = sample.motion(&mut rng, 1.0);
        let single: System<f32> = sample.system.cast();
        let mut found = Evaluation::new(&single);
        let cast = |list: &[f64]| -> Vec<f32> { list.iter().map(|x| *x as f32).collect() };
        single.evaluate(0.5, &cast(&motion.q), &cast(&motion.v), &mut found);
        let expected = sample.evaluate(0.5, &motion.q, &motion.v);
        for (found, expected) in [
            (found.phi(), expected.phi()),
            (found.jacobian(), expected.jacobian()),
            (found.gamma(), expected.gamma()),
            (found.force(), expected.force()),
        ] {
            let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for (found, expected) in found.iter().zip(expected) {
                // 100: a dozen terms of about ten roundings
                let limit = 100.0 * f64::from(f32::EPSILON) * scale;
                assert!((f64::from(*found) - expected).abs() < limit, "{found} {expected}");
            }
        }
    }
}

#[test]
fn what_is_not_the_same_mechanism_is_not_packed() {
    let planar = variants(PLANAR, true);
    let spatial = variants(SPATIAL, false);
    let pack = |list: &[&System<f64>]| System::pack::<Four>(list).map(|_| ()).unwrap_err();
    assert_eq!(pack(&[]), PackError::Empty);
    assert_eq!(pack(&[&planar[0].system; 5]), PackError::TooMany { instances: 5, lanes: 4 });
    let found = pack(&[&planar[0].system, &spatial[0].system]);
    assert_eq!(found, PackError::Different { instance: 1 });
    assert!(found.to_string().contains("instance 1"));

    let text = |more: &str| sketch(50, PLANAR, true, false, more);
    let spring = |body: &str| {
        text(&format!(
            "[[forces]]\ntype = \"spring_damper\"\nbody1 = \"ground\"\nbody2 = \"{body}\"\n"
        ))
    };
    let gear = |joint1: &str, joint2: &str| {
        text(&format!(
            "[[constraints]]\ntype = \"gear\"\nname = \"law\"\njoint1 = \"{joint1}\"\n\
             joint2 = \"{joint2}\"\nratio = 2.0\n"
        ))
    };
    let cam = |period: &str| {
        text(&format!(
            "[[constraints]]\ntype = \"cam\"\nname = \"law\"\njoint1 = \"turn\"\n\
             joint2 = \"slide\"\nprofile = 0.2\n{period}\n"
        ))
    };
    let drive = |coordinate: usize| {
        text(&format!("[[drivers]]\njoint = \"plane\"\ncoordinate = {coordinate}\nmotion = 0.2\n"))
    };
    let damped = |joint: &str| {
        let line = format!("name = \"{joint}\"\ntype = \"revolute\"\n");
        text("").replace(&line, &(line.clone() + "damping = 1.0\n"))
    };
    for (first, second) in [
        (text(""), spring("a")),
        (spring("a"), spring("b")),
        (gear("turn", "slide"), cam("")),
        (gear("turn", "slide"), gear("slide", "turn")),
        (cam(""), cam("period = 1.0")),
        (drive(1), drive(2)),
        (drive(0), drive(1)),
        (damped("turn"), damped("back")),
    ] {
        let [a, b] = [&first, &second].map(|text| System::new(&mechanism(text)).unwrap());
        let found = System::pack::<Four>(&[&a, &b]).map(|_| ());
        if first == drive(0) || first == cam("") {
            // two axes, or two periods, are numbers
            assert_eq!(found, Ok(()));
        } else {
            assert_eq!(found, Err(PackError::Different { instance: 1 }), "{second}");
        }
    }
}
