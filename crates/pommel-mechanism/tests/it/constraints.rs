//! Φ, Φ_q, ν and γ against joint coordinates of `pommel-tree`.
//!
//! States come from random joint coordinates, velocities and accelerations, so the joints are
//! satisfied, and rows of coordinates have values that follow from the joint coordinates.

use pommel_mechanism::Evaluation;
use pommel_mechanism::kinematics::VelocityProjector;
use pommel_testkit::Rng;

use crate::models::{Hinge, Motion, PLANAR, SPATIAL, Sample, hinge, sketch, times};
use crate::support::assert_near;

/// A dozen frames one after the other, each a product of rotations; places and rates are below 20.
const ROUNDING: f64 = 20.0 * 12.0 * 8.0 * f64::EPSILON;

/// The residuals of Φ, `Φ_q v − ν` and `Φ_q v̇ − γ`.
fn residuals(sample: &Sample, time: f64, motion: &Motion) -> [Vec<f64>; 3] {
    let evaluation = sample.evaluate(time, &motion.q, &motion.v);
    let of = |x: &[f64], demanded: &[f64]| -> Vec<f64> {
        let product = times(&sample.system, evaluation.jacobian(), x);
        product.iter().zip(demanded).map(|(x, y)| x - y).collect()
    };
    let rates = of(&motion.v, evaluation.nu());
    let accelerations = of(&motion.a, evaluation.gamma());
    [evaluation.phi().to_vec(), rates, accelerations]
}

#[test]
fn joints_of_every_type_agree_with_the_tree_that_they_span() {
    let mut rng = Rng::new(11);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        for seed in 0..8 {
            let mut sample = Sample::new(&sketch(seed, hinges, planar, false, ""));
            let rows = sample.system.rows();
            assert_eq!(sample.mechanism.nv() + rows, sample.system.nv());
            for _ in 0..10 {
                let motion = sample.motion(&mut rng, 2.0);
                for found in residuals(&sample, 0.0, &motion) {
                    assert_near(&found, &vec![0.0; rows], ROUNDING);
                }
            }
        }
    }
}

/// The same joints close loops between free bodies.
#[test]
fn joints_that_close_loops_demand_the_same_as_joints_of_a_tree() {
    let mut rng = Rng::new(12);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        let mut tree = Sample::new(&sketch(3, hinges, planar, false, ""));
        let closed = Sample::new(&sketch(3, hinges, planar, true, ""));
        assert!(!closed.mechanism.is_tree());
        assert_eq!(tree.system.rows(), closed.system.rows());
        for _ in 0..10 {
            let motion = tree.motion(&mut rng, 2.0);
            let first = tree.evaluate(0.0, &motion.q, &motion.v);
            let second = closed.evaluate(0.0, &motion.q, &motion.v);
            assert_eq!(first.phi(), second.phi());
            assert_eq!(first.jacobian(), second.jacobian());
            assert_eq!(first.gamma(), second.gamma());
        }
    }
}

const MOTIONS: &str = r#"
[[drivers]]
name = "sine"
joint = "turn"
motion = { type = "sine", offset = 0.3, amplitude = 0.7, angular_frequency = 2.0, phase = 0.4 }

[[drivers]]
name = "polynomial"
joint = "slide"
motion = { type = "polynomial", coefficients = [0.1, -0.4, 0.3, 0.2] }

[[drivers]]
name = "table"
joint = "plane"
coordinate = 1
motion = { type = "table", times = [0.0, 0.5, 1.0, 2.0], values = [0.0, 0.3, 0.2, 0.9], interpolation = "cubic" }

[[drivers]]
name = "angle"
joint = "plane"
coordinate = 2
motion = { type = "polynomial", coefficients = [0.2, 0.5] }
"#;

/// Value, rate and acceleration of a coordinate less those of a driver.
#[test]
fn drivers_compare_the_coordinate_of_the_tree_with_their_motion() {
    let mut rng = Rng::new(13);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        let mut sample = Sample::new(&sketch(5, hinges, planar, false, MOTIONS));
        for _ in 0..20 {
            let time = rng.uniform(0.0, 2.0);
            let motion = sample.motion(&mut rng, 1.0);
            let found = residuals(&sample, time, &motion);
            let drivers = &sample.mechanism.description().drivers;
            for driver in drivers {
                let name = driver.name.as_deref().unwrap();
                let (q, v) = sample.joint(&driver.joint);
                let (q, v) = (q + driver.coordinate, v + driver.coordinate);
                let [value, rate, acceleration] = driver.motion.derivatives(time);
                let row = sample.row(name);
                let residual = found.each_ref().map(|list| list[row]);
                let expected = [
                    motion.theta[q] - value,
                    motion.rates[v] - rate,
                    motion.accelerations[v] - acceleration,
                ];
                assert_near(&residual, &expected, ROUNDING);
            }
        }
    }
}

/// Both angles of universal joints, angle and slide of a cylindrical one, an angle of a screw.
const COORDINATES: &str = r#"
[[drivers]]
joint = "cross"
motion = 0.1
[[drivers]]
joint = "cross"
coordinate = 1
motion = 0.2
[[drivers]]
joint = "askew"
motion = 0.3
[[drivers]]
joint = "askew"
coordinate = 1
motion = 0.4
[[drivers]]
joint = "sleeve"
motion = 0.5
[[drivers]]
joint = "sleeve"
coordinate = 1
motion = 0.6
[[drivers]]
joint = "screw"
motion = 0.7
[[drivers]]
joint = "plane"
motion = 0.8
"#;

#[test]
fn every_coordinate_of_joints_in_space_is_that_of_the_tree() {
    let mut rng = Rng::new(14);
    for seed in 0..5 {
        let mut sample = Sample::new(&sketch(seed, SPATIAL, false, false, COORDINATES));
        for _ in 0..10 {
            let motion = sample.motion(&mut rng, 2.5);
            let found = residuals(&sample, 0.0, &motion);
            for (k, driver) in sample.mechanism.description().drivers.iter().enumerate() {
                let (q, v) = sample.joint(&driver.joint);
                let row = sample.row(&format!("drivers[{k}] of '{}'", driver.joint));
                let residual = found.each_ref().map(|list| list[row]);
                let at = driver.coordinate;
                let goal = driver.motion.value(0.0);
                // angles up to full turns: a driver means the nearest
                let off = motion.theta[q + at] - goal;
                let turn = std::f64::consts::TAU;
                let slides = matches!((driver.joint.as_str(), at), ("sleeve", 1) | ("plane", 0));
                let off = if slides { off } else { off - turn * (off / turn).round() };
                let expected = [off, motion.rates[v + at], motion.accelerations[v + at]];
                // angles of the askew joint: 1 / sin² of the angle of its axes
                assert_near(&residual, &expected, 4.0 * ROUNDING);
            }
        }
    }
}

const GEARS: &str = r#"
[[constraints]]
type = "gear"
name = "gear"
joint1 = "turn"
joint2 = "GEARED"
ratio = -1.7
offset = 0.2

[[constraints]]
type = "gear"
name = "rack"
joint1 = "turn"
joint2 = "slide"
ratio = 0.25
offset = -0.1

[[constraints]]
type = "gear"
name = "pinion"
joint1 = "slide"
joint2 = "GEARED"
ratio = 3.0

[[constraints]]
type = "cam"
name = "cam"
joint1 = "turn"
joint2 = "slide"
period = 1.5
profile = { type = "table", times = [0.0, 0.3, 0.8, 1.1, 1.5], values = [0.0, 0.2, 0.5, 0.1, 0.0], interpolation = "cubic" }

[[constraints]]
type = "cam"
name = "groove"
joint1 = "slide"
joint2 = "GEARED"
profile = { type = "sine", amplitude = 0.3, angular_frequency = 4.0 }
"#;

/// `g`, `g′`, `g″` of the leader.
fn gear_law(name: &str, x: f64, sample: &Sample) -> [f64; 3] {
    use pommel_model::Constraint;
    let description = sample.mechanism.description();
    let constraint = description.constraints.iter().find(|c| c.name() == Some(name)).unwrap();
    match constraint {
        Constraint::Gear(gear) => [gear.ratio * x + gear.offset, gear.ratio, 0.0],
        Constraint::Cam(cam) => {
            cam.profile.derivatives(cam.period.map_or(x, |period| x.rem_euclid(period)))
        }
        _ => unreachable!(),
    }
}

#[test]
fn gears_racks_and_cams_relate_the_coordinates_of_the_tree() {
    let mut rng = Rng::new(15);
    for (hinges, planar, geared) in [(PLANAR, true, "back"), (SPATIAL, false, "wheel")] {
        let text = GEARS.replace("GEARED", geared);
        let mut sample = Sample::new(&sketch(6, hinges, planar, false, &text));
        for _ in 0..20 {
            let motion = sample.motion(&mut rng, 1.4);
            let found = residuals(&sample, 0.0, &motion);
            for (name, leader, follower) in [
                ("gear", "turn", geared),
                ("rack", "turn", "slide"),
                ("pinion", "slide", geared),
                ("cam", "turn", "slide"),
                ("groove", "slide", geared),
            ] {
                let ((q1, v1), (q2, v2)) = (sample.joint(leader), sample.joint(follower));
                let [g, slope, curvature] = gear_law(name, motion.theta[q1], &sample);
                let rate = motion.rates[v1];
                let expected = [
                    motion.theta[q2] - g,
                    motion.rates[v2] - slope * rate,
                    motion.accelerations[v2]
                        - slope * motion.accelerations[v1]
                        - curvature * rate * rate,
                ];
                let row = sample.row(name);
                // slopes of the profiles are below 10
                assert_near(&found.each_ref().map(|list| list[row]), &expected, 10.0 * ROUNDING);
            }
        }
    }
}

const SHAFTS: &[Hinge] = &[
    hinge("turn", "revolute", "ground", "a", "axis = [0.3, 0.2, 0.9]"),
    hinge("wheel", "revolute", "ground", "b", "axis = [0.1, -0.8, 0.5]"),
    hinge("nut", "helical", "ground", "c", "axis = [0.0, 1.0, 0.3]\npitch = 0.05"),
];

/// Gears with a ratio that is no integer need to know in which turn they are; screws, too.
#[test]
fn angles_in_space_count_their_turns_when_they_are_tracked() {
    let gears = r#"
        [[constraints]]
        type = "gear"
        name = "gear"
        joint1 = "turn"
        joint2 = "wheel"
        ratio = 0.37
        offset = 0.5
        [[drivers]]
        name = "drive"
        joint = "turn"
        motion = { type = "polynomial", coefficients = [0.0, 1.0] }
    "#;
    let mut sample = Sample::new(&sketch(7, SHAFTS, false, false, gears));
    let mut evaluation = pommel_mechanism::Evaluation::new(&sample.system);
    let rows = sample.system.rows();
    for direction in [1.0, -1.0] {
        for step in 0..200 {
            // five turns and back, less than half a turn a step
            let angle =
                if direction > 0.0 { 0.16 * step as f64 } else { 32.0 - 0.16 * step as f64 };
            let theta = vec![angle, 0.37 * angle + 0.5, 1.3 * angle];
            let motion = sample.motion_at(theta, vec![1.0, 0.37, 0.0], vec![0.0; 3]);
            sample.system.evaluate(angle, &motion.q, &motion.v, &mut evaluation);
            sample.system.track(&mut evaluation);
            assert_near(evaluation.phi(), &vec![0.0; rows], 10.0 * ROUNDING);
        }
    }
    // without it, the gear is off by part of a turn
    let theta = vec![32.0, 0.37 * 32.0 + 0.5, 0.0];
    let motion = sample.motion_at(theta, vec![0.0; 3], vec![0.0; 3]);
    let untracked = sample.evaluate(32.0, &motion.q, &motion.v);
    assert!(untracked.phi()[sample.row("gear")].abs() > 0.1);
    assert!(untracked.phi()[sample.row("drive")].abs() < ROUNDING);
}

/// Rows of a cam depend on full turns: velocities that satisfy them are left alone.
#[test]
fn velocities_are_projected_with_the_turns_of_the_joints() {
    let hinges = [
        hinge("turn", "revolute", "ground", "a", "axis = [0.3, 0.2, 0.9]"),
        hinge("slide", "prismatic", "ground", "b", "axis = [0.1, -0.8, 0.5]"),
    ];
    let more = r#"
        [[constraints]]
        type = "cam"
        joint1 = "turn"
        joint2 = "slide"
        profile = { type = "polynomial", coefficients = [0.0, 0.0, 0.1] }
    "#;
    let mut sample = Sample::new(&sketch(90, &hinges, false, false, more));
    // 7 rad are more than a turn: 0.1 · 49 m, 0.2 · 7 m/s
    let state = sample.motion_at(vec![7.0, 4.9], vec![1.0, 1.4], vec![0.0; 2]);
    let system = &sample.system;
    let mut projector = VelocityProjector::new(system);
    let mut found = state.v.clone();
    let tracked = Evaluation::new(system).turns().len();
    projector.set_turns(&vec![7.0; tracked]);
    let missed = projector.project(system, 0.0, &state.q, &mut found, 1e-12).unwrap();
    assert!(missed < 1e-12, "{missed:e}");
    assert_near(&found, &state.v, 1e-13);
    let mut other = state.v.clone();
    projector.set_turns(&vec![0.0; tracked]);
    let missed = projector.project(system, 0.0, &state.q, &mut other, 1e-12).unwrap();
    assert!(missed > 0.1, "{missed:e}");
}
