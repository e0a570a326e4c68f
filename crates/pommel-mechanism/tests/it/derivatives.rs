//! Φ_q, ν and γ against dual numbers and jets.
//!
//! | rows                                        | where they are compared                       |
//! |---------------------------------------------|-----------------------------------------------|
//! | all in the plane; points, axes, distances, contact of wheels in space | everywhere, off the constraints, too |
//! | angles in space: drivers, gears, cams, screws | where the joints are satisfied: off them, the angle of a joint is a matter of definition |
//! | slip of wheels                              | `Φ_q v`, which has no integral, and its derivative |

use pommel_math::{Jet, Real};
use pommel_mechanism::{Evaluation, System};
use pommel_testkit::Rng;

use crate::models::{PLANAR, SPATIAL, Sample, mechanism, sketch, times};
use crate::support::assert_near;

/// As for a chain of a dozen frames; second derivatives have a few more terms, rates are below 5.
const ROUNDING: f64 = 40.0 * 12.0 * 8.0 * f64::EPSILON;

const FURTHER: &str = r#"
[[constraints]]
type = "distance"
name = "bar"
body1 = "a"
point1 = [0.3, -0.2]
body2 = "d"
point2 = [0.1, 0.4]
length = 0.7

[[constraints]]
type = "distance"
body1 = "ground"
point1 = [2.0, -1.0]
body2 = "b"
length = 0.3

[[constraints]]
type = "point_on_line"
name = "slot"
body1 = "b"
point1 = [0.1, 0.2]
axis = [0.3, -0.7]
body2 = "e"
point2 = [-0.4, 0.1]

[[constraints]]
type = "rolling"
name = "wheel on ground"
body1 = "ground"
plane = { point = [0.1, -0.3], normal = [0.2, 0.9] }
body2 = "c"
point2 = [0.1, 0.2]
radius = 0.35

[[constraints]]
type = "rolling"
name = "wheel on body"
body1 = "a"
plane = { point = [0.1, -0.3], normal = [0.2, -0.9] }
body2 = "d"
point2 = [0.1, 0.2]
radius = 0.35

[[constraints]]
type = "gear"
name = "gear"
joint1 = "turn"
joint2 = "slide"
ratio = -0.7

[[constraints]]
type = "cam"
name = "cam"
joint1 = "slide"
joint2 = "turn"
period = 1.5
profile = { type = "table", times = [0.0, 0.3, 0.8, 1.1, 1.5], values = [0.0, 0.2, 0.5, 0.1, 0.0], interpolation = "cubic" }

[[drivers]]
name = "drive"
joint = "turn"
motion = { type = "sine", amplitude = 0.7, angular_frequency = 2.0, phase = 0.4 }

[[drivers]]
name = "push"
joint = "plane"
coordinate = 1
motion = { type = "polynomial", coefficients = [0.1, -0.4, 0.3, 0.2] }
"#;

const DISC: &str = r#"
[[constraints]]
type = "rolling"
name = "disc on ground"
body1 = "ground"
plane = { point = [0.1, -0.3, 0.5], normal = [0.2, 0.9, 0.4] }
body2 = "d"
point2 = [0.1, 0.2, -0.3]
radius = 0.35
axis = [0.4, 0.3, 1.0]

[[constraints]]
type = "rolling"
name = "disc on body"
body1 = "b"
plane = { point = [0.1, -0.3, 0.2], normal = [0.2, -0.4, 0.8] }
body2 = "f"
point2 = [0.1, 0.2, 0.3]
radius = 0.35
axis = [0.4, -1.0, 0.2]
"#;

/// Vectors with two numbers become such with three.
fn in_space(text: &str) -> String {
    let three = |line: &str| -> String {
        let vector = ["point", "axis"].iter().any(|key| line.contains(key));
        if !vector { line.to_owned() } else { line.replace(']', ", 0.3]") }
    };
    text.lines().map(|line| three(line) + "\n").collect()
}

fn samples() -> [Sample; 2] {
    let planar = sketch(21, PLANAR, true, false, FURTHER);
    let spatial = sketch(22, SPATIAL, false, false, &(in_space(FURTHER) + DISC));
    [Sample::new(&planar), Sample::new(&spatial)]
}

/// Rows whose Φ is the angle of a joint in space, and those without Φ.
fn kinds(sample: &Sample) -> (Vec<usize>, Vec<usize>) {
    let (mut angles, mut slips) = (Vec::new(), Vec::new());
    for constraint in sample.system.constraints() {
        for (row, name) in constraint.rows.clone().zip(&constraint.row_names) {
            if !sample.system.is_planar() && ["coordinate", "screw"].contains(name) {
                angles.push(row);
            }
            if constraint.nonholonomic.contains(&row) {
                slips.push(row);
            }
        }
    }
    (angles, slips)
}

/// Near a position, off it in all coordinates.
fn beside(rng: &mut Rng, system: &System<f64>, q: &[f64]) -> Vec<f64> {
    let mut off = q.to_vec();
    system.displace(&mut off, &rng.list(system.nv(), 0.3));
    off
}

/// The columns of Φ_q, by first derivatives.
fn compare_jacobian(sample: &Sample, time: f64, q: &[f64], left_out: &[usize]) {
    let system = &sample.system;
    let jets: System<Jet<2>> = system.cast();
    let mut along = Evaluation::new(&jets);
    let n = system.nv();
    let evaluation = sample.evaluate(time, q, &vec![0.0; n]);
    let rest = vec![Jet::constant(0.0); n];
    let mut rate = vec![0.0; system.nq()];
    for k in 0..n {
        let mut unit = vec![0.0; n];
        unit[k] = 1.0;
        system.position_rate(q, &unit, &mut rate);
        let moved: Vec<_> = q.iter().zip(&rate).map(|(q, r)| Jet::new(*q, [*r, 0.0])).collect();
        jets.evaluate(Jet::constant(time), &moved, &rest, &mut along);
        let column = times(system, evaluation.jacobian(), &unit);
        for row in (0..system.rows()).filter(|row| !left_out.contains(row)) {
            let (found, expected) = (column[row], along.phi()[row].derivative(1));
            let (name, what) = (system.row_name(row), &system.velocity_names()[k]);
            assert!((found - expected).abs() < ROUNDING, "{name}, {what}: {found}, not {expected}");
        }
    }
}

#[test]
fn the_jacobian_is_the_derivative_of_the_constraints() {
    let mut rng = Rng::new(23);
    for mut sample in samples() {
        let (angles, slips) = kinds(&sample);
        assert!(!slips.is_empty() && (sample.system.is_planar() || !angles.is_empty()));
        for _ in 0..4 {
            let motion = sample.motion(&mut rng, 1.2);
            let time = rng.uniform(0.0, 2.0);
            compare_jacobian(&sample, time, &motion.q, &slips);
            let off = beside(&mut rng, &sample.system, &motion.q);
            let left_out: Vec<usize> = angles.iter().chain(&slips).copied().collect();
            compare_jacobian(&sample, time, &off, &left_out);
        }
    }
}

/// `q` as a function of time while the velocities are constant: `q̈ = ½ q̇ ∘ (0, ω)` for quaternions.
fn path(system: &System<f64>, q: &[f64], v: &[f64]) -> Vec<Jet<2>> {
    let (mut rate, mut curvature) = (vec![0.0; q.len()], vec![0.0; q.len()]);
    system.position_rate(q, v, &mut rate);
    system.position_rate(&rate, v, &mut curvature);
    if system.is_planar() {
        curvature.fill(0.0);
    } else {
        // positions have no acceleration
        curvature.chunks_mut(7).for_each(|body| body[..3].fill(0.0));
    }
    let jet = |k: usize| Jet::from_derivatives(q[k], [rate[k], curvature[k]]);
    (0..q.len()).map(jet).collect()
}

fn compare_rates(sample: &Sample, time: f64, (q, v): (&[f64], &[f64]), left_out: &[usize]) {
    let system = &sample.system;
    let jets: System<Jet<2>> = system.cast();
    let mut along = Evaluation::new(&jets);
    let constant: Vec<Jet<2>> = v.iter().map(|&v| Jet::constant(v)).collect();
    jets.evaluate(Jet::variable(time), &path(system, q, v), &constant, &mut along);
    let evaluation = sample.evaluate(time, q, v);
    let product = times(system, evaluation.jacobian(), v);
    for row in (0..system.rows()).filter(|row| !left_out.contains(row)) {
        let phi = along.phi()[row];
        let name = system.row_name(row);
        let rate = product[row] - evaluation.nu()[row];
        let (first, second) = (phi.derivative(1), phi.derivative(2));
        assert!((rate - first).abs() < ROUNDING, "{name}: rate {rate}, not {first}");
        let gamma = -evaluation.gamma()[row];
        // products of two rates
        assert!((gamma - second).abs() < 5.0 * ROUNDING, "{name}: −γ {gamma}, not {second}");
    }
}

#[test]
fn what_rates_and_accelerations_should_be_follows_from_jets() {
    let mut rng = Rng::new(24);
    for mut sample in samples() {
        let (angles, slips) = kinds(&sample);
        for _ in 0..6 {
            let motion = sample.motion(&mut rng, 1.2);
            let time = rng.uniform(0.0, 2.0);
            compare_rates(&sample, time, (&motion.q, &motion.v), &slips);
            // off the joints, with any velocities
            let off = beside(&mut rng, &sample.system, &motion.q);
            let v = rng.list(sample.system.nv(), 1.5);
            let left_out: Vec<usize> = angles.iter().chain(&slips).copied().collect();
            compare_rates(&sample, time, (&off, &v), &left_out);
        }
    }
}

/// `d/dt (Φ_q v) = −γ` at constant velocities, also for rows that constrain velocities only.
#[test]
fn the_derivative_of_slip_is_what_accelerations_make_up_for() {
    let mut rng = Rng::new(25);
    for mut sample in samples() {
        let system = sample.system.clone();
        let jets: System<Jet<2>> = system.cast();
        let mut along = Evaluation::new(&jets);
        for _ in 0..6 {
            let motion = sample.motion(&mut rng, 1.2);
            let q = beside(&mut rng, &system, &motion.q);
            let v = rng.list(system.nv(), 1.5);
            let constant: Vec<Jet<2>> = v.iter().map(|&v| Jet::constant(v)).collect();
            jets.evaluate(Jet::variable(0.3), &path(&system, &q, &v), &constant, &mut along);
            let evaluation = sample.evaluate(0.3, &q, &v);
            let mut slip = vec![Jet::<2>::constant(0.0); system.rows()];
            for (row, column, value) in system.pattern().jacobian_entries() {
                slip[row] = along.jacobian()[value].mul_add(constant[column], slip[row]);
            }
            let (angles, _) = kinds(&sample);
            for row in (0..system.rows()).filter(|row| !angles.contains(row)) {
                let drive = along.nu()[row].derivative(1);
                let (found, expected) = (-evaluation.gamma()[row], slip[row].derivative(1) - drive);
                let name = system.row_name(row);
                assert!((found - expected).abs() < 5.0 * ROUNDING, "{name}: {found}, {expected}");
            }
        }
    }
}

/// `γ ← γ − 2 α (Φ_q v − ν) − β² Φ`, nothing else.
#[test]
fn stabilization_is_that_of_baumgarte() {
    let mut rng = Rng::new(26);
    let (alpha, beta) = (3.0, 7.0);
    for mut sample in samples() {
        let motion = sample.motion(&mut rng, 1.2);
        let system = &sample.system;
        let q = beside(&mut rng, system, &motion.q);
        let v = rng.list(system.nv(), 1.5);
        let before = sample.evaluate(0.3, &q, &v);
        let mut after = before.clone();
        system.stabilize(alpha, beta, &v, &mut after);
        let rates = times(system, before.jacobian(), &v);
        for row in 0..system.rows() {
            let missed = rates[row] - before.nu()[row];
            let asked = -2.0 * alpha * missed - beta * beta * before.phi()[row];
            let found = after.gamma()[row] - before.gamma()[row];
            // rounding of sums of terms up to some hundred
            assert!((found - asked).abs() < 1e-11, "{}: {found}, {asked}", system.row_name(row));
        }
        assert_eq!(after.force(), before.force());
        assert_eq!(after.jacobian(), before.jacobian());
    }
}

const WHEELS: &str = r#"
name = "rollers"
[[bodies]]
name = "ball"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[[bodies]]
name = "coin"
mass = 1.0
inertia = [0.1, 0.1, 0.2]
[[joints]]
name = "ball"
type = "free"
parent = "ground"
child = "ball"
[[joints]]
name = "coin"
type = "free"
parent = "ground"
child = "coin"
[[constraints]]
type = "rolling"
name = "sphere"
body1 = "ground"
plane = { normal = [0.0, 0.0, 2.0] }
body2 = "ball"
radius = 0.5
[[constraints]]
type = "rolling"
name = "disc"
body1 = "ground"
plane = { normal = [0.0, 0.0, 1.0] }
body2 = "coin"
radius = 0.4
axis = [0.0, 0.0, 3.0]
"#;

/// The ball rolls with `ω = ẑ × v / r` and any spin. The centre of a coin that leans by `β` stands
/// at `r cos β`, and with its centre at rest it turns steadily about a line through its point of
/// contact and its centre.
#[test]
fn a_ball_and_a_coin_roll_without_slip() {
    let system = System::new(&mechanism(WHEELS)).unwrap();
    let (lean, r) = (0.3_f64, 0.4);
    let half = 0.25 * std::f64::consts::PI + 0.5 * lean;
    // the coin's axis, its z, turned by −(90° + lean) about x: along y, leaning
    let quaternion = [half.cos(), -half.sin(), 0.0, 0.0];
    let mut q = vec![0.3, 0.7, 0.5, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0, r * lean.cos()];
    q.extend(quaternion);
    let (vx, vy, spin) = (0.6, -0.9, 1.3);
    let mut v = vec![-vy / 0.5, vx / 0.5, spin, vx, vy, 0.0];
    // about the line through contact and centre, in the coin: perpendicular to its axis
    v.extend([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let mut evaluation = Evaluation::new(&system);
    system.evaluate(0.0, &q, &v, &mut evaluation);
    assert_near(evaluation.phi(), &[0.0; 6], 1e-15);
    let slip = times(&system, evaluation.jacobian(), &v);
    assert_near(&slip, &[0.0; 6], 1e-15);
    // spinning about its axis at rest, it slips with ω r, and the ball with v
    v[0..3].fill(0.0);
    v[6..9].copy_from_slice(&[0.0, 0.0, 2.0]);
    system.evaluate(0.0, &q, &v, &mut evaluation);
    let slip = times(&system, evaluation.jacobian(), &v);
    let size = |rows: &[f64]| rows.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert_near(&[size(&slip[..3]), size(&slip[3..])], &[vx.hypot(vy), 2.0 * r], 1e-15);
}
