//! Forces: energy, momentum, power, and the tree's dynamics.

use pommel_kkt::{Analysis, Options, Refinement, Workspace};
use pommel_math::{Jet, Quaternion, Vec3};
use pommel_mechanism::{Evaluation, System};
use pommel_model::JointType;
use pommel_testkit::Rng;
use pommel_tree::forward_dynamics;

use crate::dataset::{Dataset, deviation};
use crate::models::{Hinge, Motion, PLANAR, SPATIAL, Sample, hinge, sketch};
use crate::support::assert_near;

/// Forces below 200 N at arms below 10 m, added up over a dozen frames.
const ROUNDING: f64 = 2000.0 * 12.0 * 8.0 * f64::EPSILON;

const SPRINGS: &str = r#"
[[forces]]
type = "spring_damper"
body1 = "ground"
point1 = [1.0, 2.0, 0.0]
body2 = "c"
point2 = [0.3, 0.1, 0.0]
stiffness = 30.0
damping = 2.0
rest_length = 0.5
preload = 7.0

[[forces]]
type = "spring_damper"
body1 = "b"
point1 = [-0.4, 0.2, 0.0]
body2 = "d"
stiffness = 20.0
damping = 1.0
rest_length = 2.5

[[forces]]
type = "bushing"
body1 = "a"
frame1 = { position = [0.2, 0.3, 0.0], TURN1 }
body2 = "e"
frame2 = { position = [-0.1, 0.4, 0.0], TURN2 }
stiffness = [13.0, 20.0, 5.0]
damping = [1.0, 2.0, 3.0]
TORSION
"#;

fn springs(planar: bool) -> String {
    let (turn, torsion) = if planar {
        (
            ["angle = 0.4", "angle = -0.3"],
            "torsional_stiffness = [0.0, 0.0, 9.0]\ntorsional_damping = [0.0, 0.0, 2.0]",
        )
    } else {
        (["rpy = [0.3, 0.2, 0.5]", "rpy = [-0.3, 0.1, 0.2]"], "torsional_damping = [1.0, 0.5, 2.0]")
    };
    SPRINGS.replace("TURN1", turn[0]).replace("TURN2", turn[1]).replace("TORSION", torsion)
}

/// What to write into a joint: one item a coordinate.
fn with_joint_lines(hinges: &[Hinge], text: &str, lines: impl Fn(&Hinge) -> String) -> String {
    let mut text = text.to_owned();
    for hinge in hinges {
        let line = format!("[[joints]]\nname = \"{}\"\n", hinge.name);
        text = text.replace(&line, &(line.clone() + &lines(hinge)));
    }
    text
}

fn has_springs(hinge: &Hinge, planar: bool) -> bool {
    !(hinge.kind == "fixed" || hinge.kind == "spherical" || hinge.kind == "free" && !planar)
}

/// Forces of springs and gravity are minus the gradient of the potential energy.
#[test]
fn conservative_forces_are_the_gradient_of_the_energy() {
    let mut rng = Rng::new(71);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        let text = sketch(72, hinges, planar, false, &springs(planar));
        let text = with_joint_lines(hinges, &text, |hinge| {
            let springs = has_springs(hinge, planar);
            if springs { "stiffness = 11.0\nrest = 0.3\n".to_owned() } else { String::new() }
        });
        let mut sample = Sample::new(&text);
        let n = sample.system.nv();
        let jets: System<Jet<2>> = sample.system.cast();
        let mut along = Evaluation::new(&jets);
        for _ in 0..5 {
            let motion = sample.motion(&mut rng, 1.2);
            let q = &motion.q;
            let at_rest = sample.evaluate(0.0, q, &vec![0.0; n]);
            let mut rate = vec![0.0; q.len()];
            for k in 0..n {
                let mut unit = vec![0.0; n];
                unit[k] = 1.0;
                sample.system.position_rate(q, &unit, &mut rate);
                let moved: Vec<_> =
                    q.iter().zip(&rate).map(|(q, r)| Jet::new(*q, [*r, 0.0])).collect();
                let rest = vec![Jet::constant(0.0); n];
                jets.place(Jet::constant(0.0), &moved, &rest, &mut along);
                let slope = jets.energy(&rest, &along).potential.derivative(1);
                let force = at_rest.force()[k];
                assert!((force + slope).abs() < ROUNDING, "velocity {k}: {force}, not {}", -slope);
            }
        }
    }
}

/// Torsional springs of a bushing act like `k θ` for small rotations; the energy agrees to θ².
#[test]
fn a_bushing_in_space_resists_small_rotations() {
    let more = r#"
        [[forces]]
        type = "bushing"
        body1 = "ground"
        body2 = "a"
        torsional_stiffness = [3.0, 5.0, 8.0]
    "#;
    let hinges = [hinge("loose", "free", "ground", "a", "")];
    let sample = Sample::new(&sketch(73, &hinges, false, false, more));
    for size in [1e-2_f64, 1e-3] {
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let turned = Quaternion::from_axis_angle(axis, size);
        let mut q = vec![0.0; 7];
        turned.write_to(&mut q[3..]);
        let evaluation = sample.evaluate(0.0, &q, &[0.0; 6]);
        let expected = [-3.0 * 0.6 * size, 0.0, -8.0 * 0.8 * size];
        // sine instead of angle, and body axes instead of those of the ground: second order
        assert_near(&evaluation.force()[..3], &expected, 8.0 * size * size);
        let energy = sample.system.energy(&[0.0; 6], &evaluation).potential;
        let quadratic = 0.5 * size * size * (3.0 * 0.36 + 8.0 * 0.64);
        assert!((energy - quadratic).abs() < size * size * quadratic);
    }
}

/// Force and moment about the origin of all entries of a list of generalized forces, world axes.
fn total(planar: bool, q: &[f64], force: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; if planar { 3 } else { 6 }];
    if planar {
        for (q, f) in q.chunks(3).zip(force.chunks(3)) {
            let parts = [f[0], f[1], f[2] + q[0] * f[1] - q[1] * f[0]];
            sum.iter_mut().zip(parts).for_each(|(sum, x)| *sum += x);
        }
        return sum;
    }
    for (q, f) in q.chunks(7).zip(force.chunks(6)) {
        let rotation = Quaternion::from_slice(&q[3..]).rotation();
        let (moment, linear) = (rotation * Vec3::from_slice(f), Vec3::from_slice(&f[3..]));
        let moment = moment + Vec3::from_slice(q).cross(linear);
        let parts = moment.to_array().into_iter().chain(linear.to_array());
        sum.iter_mut().zip(parts).for_each(|(sum, x)| *sum += x);
    }
    sum
}

const BETWEEN: &str = r#"
[[forces]]
type = "torque"
body1 = "b"
body2 = "d"
axis = [0.0, 0.0, -2.0]
torque = { type = "sine", amplitude = 12.0, angular_frequency = 2.0 }
"#;

/// What acts between bodies adds up to no force and no moment: springs, bushings, torques, and
/// everything in joints.
#[test]
fn forces_between_bodies_keep_momentum() {
    let mut rng = Rng::new(74);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        // without joints to the ground, and without the spring to it
        let own: Vec<Hinge> = hinges
            .iter()
            .map(|h| if h.parent == "ground" { Hinge { kind: "free", ..*h } } else { *h })
            .collect();
        let all = springs(planar);
        let (_, second) = all.split_at(all.rfind("[[forces]]\ntype = \"spring").unwrap());
        let plain = sketch(75, &own, planar, false, "");
        let text = sketch(75, &own, planar, false, &(second.to_owned() + BETWEEN));
        let text = with_joint_lines(&own, &text, |hinge| {
            let mut lines = String::new();
            if hinge.kind != "free" && hinge.kind != "fixed" {
                lines += "damping = 2.0\n";
            }
            if hinge.kind != "free" && has_springs(hinge, planar) {
                lines += "stiffness = 11.0\nrest = 0.3\n";
            }
            if hinge.kind == "spherical" {
                lines += "torque = [1.0, 2.0, 3.0]\n";
            }
            lines
        });
        let (mut sample, plain) = (Sample::new(&text), Sample::new(&plain));
        for _ in 0..10 {
            let motion = sample.motion(&mut rng, 1.2);
            let with = sample.evaluate(0.7, &motion.q, &motion.v);
            let without = plain.evaluate(0.7, &motion.q, &motion.v);
            let pairs = with.force().iter().zip(without.force());
            let forces: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
            assert!(forces.iter().any(|f| f.abs() > 1.0));
            let sum = total(planar, &motion.q, &forces);
            assert_near(&sum, &vec![0.0; sum.len()], ROUNDING);
        }
    }
}

const LOADS: &str = r#"
[[forces]]
type = "wrench"
body = "a"
point = [0.3, -0.2, 0.0]
force = [{ type = "sine", amplitude = 4.0, angular_frequency = 3.0 }, 2.0, 0.0]
moment = [0.0, 0.0, 5.0]

[[forces]]
type = "wrench"
body = "b"
point = [-0.3, 0.5, 0.0]
frame = "body"
force = [3.0, -6.0, 0.0]
moment = [0.0, 0.0, { type = "polynomial", coefficients = [1.0, 2.0] }]

[[forces]]
type = "torque"
body1 = "a"
body2 = "b"
axis = [0.0, 0.0, -2.0]
torque = 3.0
"#;

/// The power of a wrench is `f · ṗ + m · ω`, of a torque `τ a · (ω₂ − ω₁)`.
#[test]
fn wrenches_and_torques_do_the_work_that_they_should() {
    let mut rng = Rng::new(76);
    let hinges = [hinge("A", "free", "ground", "a", ""), hinge("B", "free", "ground", "b", "")];
    for planar in [true, false] {
        let loads = if planar {
            LOADS.to_owned()
        } else {
            LOADS
                .replace("axis = [0.0, 0.0, -2.0]", "axis = [1.0, 2.0, -2.0]")
                .replace("-6.0, 0.0]", "-6.0, 1.0]")
                .replace("moment = [0.0, 0.0, 5.0]", "moment = [2.0, -1.0, 5.0]")
        };
        let mut sample = Sample::new(&sketch(77, &hinges, planar, false, &loads));
        let plain = Sample::new(&sketch(77, &hinges, planar, false, ""));
        let time = 0.4;
        let f1 = Vec3::new(4.0 * (3.0_f64 * time).sin(), 2.0, 0.0);
        let f2 = Vec3::new(3.0, -6.0, if planar { 0.0 } else { 1.0 });
        let m1 = if planar { Vec3::new(0.0, 0.0, 5.0) } else { Vec3::new(2.0, -1.0, 5.0) };
        let m2 = Vec3::new(0.0, 0.0, 1.0 + 2.0 * time);
        let axis = if planar {
            Vec3::new(0.0, 0.0, -1.0)
        } else {
            Vec3::new(1.0, 2.0, -2.0).scale(1.0 / 3.0)
        };
        for _ in 0..10 {
            let motion = sample.motion(&mut rng, 1.5);
            let with = sample.evaluate(time, &motion.q, &motion.v);
            let without = plain.evaluate(time, &motion.q, &motion.v);
            let pairs = with.force().iter().zip(without.force());
            let found: f64 = pairs.zip(&motion.v).map(|((a, b), v)| (a - b) * v).sum();
            let body = |i: usize, point: [f64; 3]| {
                let com = sample.mechanism.description().bodies[i].com;
                let point = Vec3::<f64>::from_f64(point) - Vec3::from_f64(com);
                let (rotation, omega, centre) = if planar {
                    let [vx, vy, w] = motion.v[3 * i..3 * i + 3] else { unreachable!() };
                    let half = 0.5 * motion.q[3 * i + 2];
                    let turned = Quaternion::new(half.cos(), 0.0, 0.0, half.sin());
                    (turned.rotation(), Vec3::new(0.0, 0.0, w), Vec3::new(vx, vy, 0.0))
                } else {
                    let rotation = Quaternion::from_slice(&motion.q[7 * i + 3..]).rotation();
                    let v = &motion.v[6 * i..];
                    (rotation, rotation * Vec3::from_slice(v), Vec3::from_slice(&v[3..]))
                };
                (rotation, omega, centre + omega.cross(rotation * point))
            };
            let (r1, w1, p1) = body(0, [0.3, -0.2, 0.0]);
            let (r2, w2, p2) = body(1, [-0.3, 0.5, 0.0]);
            let expected = f1.dot(p1)
                + m1.dot(w1)
                + (r2 * f2).dot(p2)
                + (r2 * m2).dot(w2)
                + 3.0 * (r1 * axis).dot(w2 - w1);
            assert!((found - expected).abs() < ROUNDING, "{found}, not {expected}");
        }
    }
}

/// Accelerations by the saddle-point system.
fn solved(sample: &Sample, time: f64, motion: &Motion) -> Vec<f64> {
    let system = &sample.system;
    let evaluation = sample.evaluate(time, &motion.q, &motion.v);
    let equations = system.equations(&evaluation, (&motion.q, &motion.v));
    let values = equations.values();
    let analysis = Analysis::for_values(system.pattern(), &values, &Options::default()).unwrap();
    let mut workspace = Workspace::new(&analysis);
    let mut factor = workspace.factorize(&values).unwrap();
    let rhs: Vec<f64> = equations.force.iter().chain(equations.gamma).copied().collect();
    let mut x = vec![0.0; rhs.len()];
    factor.solve(&rhs, &mut x, &Refinement::default()).unwrap();
    x.truncate(system.nv());
    x
}

/// Springs, dampers, dry friction and torques in joints, against forces on the joint coordinates of
/// `pommel-tree`.
#[test]
fn what_acts_in_joints_accelerates_as_in_joint_coordinates() {
    let mut rng = Rng::new(78);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        let text = with_joint_lines(hinges, &sketch(79, hinges, planar, false, ""), |hinge| {
            if hinge.kind == "fixed" {
                return String::new();
            }
            let nv = match (hinge.kind, planar) {
                ("spherical" | "planar", _) | ("free", true) => 3,
                ("free", false) => 6,
                ("universal" | "cylindrical", _) => 2,
                _ => 1,
            };
            let torque = "{ type = \"sine\", amplitude = 3.0, angular_frequency = 2.0 }";
            let list = |item: &str| vec![item; nv].join(", ");
            let mut lines = format!("damping = 0.7\ntorque = [{}]\n", list(torque));
            if has_springs(hinge, planar) {
                lines += "stiffness = 4.0\nrest = -0.3\n";
                let friction = "{ coulomb = 0.8, viscous = 0.2, surface_velocity = 0.1 }";
                lines += &format!("friction = [{}]\n", list(friction));
            }
            lines
        });
        let mut sample = Sample::new(&text);
        let time = 0.6;
        for _ in 0..5 {
            let mut motion = sample.motion(&mut rng, 1.3);
            let mut tau = vec![0.0; sample.mechanism.nv()];
            for joint in sample.mechanism.joints() {
                let springs = !(joint.joint_type == JointType::Spherical
                    || joint.joint_type == JointType::Free && !planar);
                for (k, v) in joint.v.clone().enumerate() {
                    let rate = motion.rates[v];
                    tau[v] = 3.0 * (2.0_f64 * time).sin() - 0.7 * rate;
                    if springs {
                        let sliding = rate - 0.1;
                        tau[v] += 4.0 * (-0.3 - motion.theta[joint.q.start + k])
                            - 0.2 * sliding
                            - 0.8 * sliding.signum();
                    }
                }
            }
            let model = sample.space.model().clone();
            let mut workspace = pommel_tree::Workspace::new(&model);
            let mut qdd = vec![0.0; tau.len()];
            let (theta, rates) = (&motion.theta, &motion.rates);
            forward_dynamics(&model, &mut workspace, theta, rates, &tau, None, &mut qdd).unwrap();
            sample.space.accelerations(&motion.theta, &motion.rates, &qdd, &mut motion.a);
            let found = solved(&sample, time, &motion);
            // the condition of mass matrices of a dozen bodies is below 1e4
            let off = deviation(&found, &motion.a);
            assert!(off < 1e4 * 12.0 * f64::EPSILON, "planar {planar}: {off:e}");
        }
    }
}

/// Joint springs in space count turns when they are tracked.
#[test]
fn a_spring_in_a_joint_in_space_winds_up() {
    let text = sketch(
        80,
        &[hinge("turn", "revolute", "ground", "a", "axis = [0.3, 0.2, 0.9]")],
        false,
        false,
        "",
    );
    let line = "name = \"turn\"\n";
    let mut sample =
        Sample::new(&text.replace(line, &format!("{line}stiffness = 2.0\nrest = 0.4\n")));
    let plain = Sample::new(&text);
    let mut evaluation = Evaluation::new(&sample.system);
    for step in 0..100 {
        let angle = 0.1 * step as f64;
        let motion = sample.motion_at(vec![angle], vec![1.0], vec![0.0]);
        sample.system.evaluate(0.0, &motion.q, &motion.v, &mut evaluation);
        sample.system.track(&mut evaluation);
        let without = plain.evaluate(0.0, &motion.q, &motion.v);
        let pairs = evaluation.force().iter().zip(without.force()).zip(&motion.v);
        let power: f64 = pairs.map(|((a, b), v)| (a - b) * v).sum();
        assert!((power - 2.0 * (0.4 - angle)).abs() < ROUNDING, "{angle}: {power}");
        let energy = |s: &Sample, e: &Evaluation<f64>| s.system.energy(&motion.v, e).potential;
        let stored = energy(&sample, &evaluation) - energy(&plain, &without);
        assert!((stored - (angle - 0.4).powi(2)).abs() < ROUNDING, "{angle}: {stored}");
    }
}

/// Energies of the data sets, to the digits that these trust.
#[test]
fn energies_are_those_of_the_references() {
    let mut compared = 0;
    for data in Dataset::all() {
        for state in &data.truth {
            let Some(expected) = state.energy else { continue };
            let mut evaluation = Evaluation::new(&data.system);
            data.system.evaluate(state.t, &state.q, &state.v, &mut evaluation);
            let energy = data.system.energy(&state.v, &evaluation);
            let scale = 1.0 + energy.kinetic.abs() + energy.potential.abs();
            let limit = 20.0 * 10.0_f64.powf(-state.digits) * scale;
            let off = energy.kinetic + energy.potential - expected;
            assert!(off.abs() < limit.max(1e-12 * scale), "{} at {}: {off:e}", data.name, state.t);
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}
