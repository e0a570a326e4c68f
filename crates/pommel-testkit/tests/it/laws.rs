//! Laws of mechanics, by finite differences.

use nalgebra::{DVector, Vector3};
use pommel_testkit::{Motion, Rng, Robot, RobotState, random_state, relative_error};

use crate::{mechanisms, wrenches};

/// Derivative at zero, by five points; the step balances truncation and rounding near 1e-11.
fn derivative<const N: usize>(f: impl Fn(f64) -> [f64; N]) -> [f64; N] {
    let step = 2e-4;
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| f(k * step));
    std::array::from_fn(|i| (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * step))
}

fn moved(x: &[f64], rates: &[f64], t: f64) -> Vec<f64> {
    x.iter().zip(rates).map(|(x, r)| x + r * t).collect()
}

fn close(got: &[f64], truth: &[f64], size: f64, what: &str) {
    let worst = got.iter().zip(truth).fold(0.0_f64, |m, (g, t)| m.max((g - t).abs()));
    assert!(worst < 1e-9 * size, "{what}: {worst:.1e} of {size:.1e}");
}

/// Slow enough for the finite differences.
fn slow_state(rng: &mut Rng, robot: &Robot) -> RobotState {
    let mut s = random_state(rng, robot);
    s.v.iter_mut().for_each(|v| *v *= 0.3);
    s
}

/// Motion with given accelerations: wrenches, joint forces and what they do to the robot.
struct Driven {
    external: Vec<[f64; 6]>,
    vdot: Vec<f64>,
    tau: DVector<f64>,
    motions: Vec<Motion>,
}

fn driven(rng: &mut Rng, robot: &Robot, s: &RobotState) -> Driven {
    let external = wrenches(rng, robot);
    let vdot = rng.list(s.v.len(), 2.0);
    let terms = robot.terms(&s.q, &s.v, Some(&external));
    let tau = &terms.mass_matrix * DVector::from_column_slice(&vdot) + &terms.bias;
    Driven { external, vdot, tau, motions: terms.motions }
}

fn moment_and_force(w: &[f64; 6]) -> (Vector3<f64>, Vector3<f64>) {
    (Vector3::from_column_slice(&w[..3]), Vector3::from_column_slice(&w[3..]))
}

#[test]
fn mass_matrices_are_symmetric_positive_and_give_the_kinetic_energy() {
    let mut rng = Rng::new(41);
    for robot in mechanisms(40, 200) {
        let s = random_state(&mut rng, &robot);
        let h = robot.terms(&s.q, &s.v, None).mass_matrix;
        assert!(relative_error(h.transpose().as_slice(), h.as_slice()) < 1e-15);
        let v = DVector::from_column_slice(&s.v);
        let energy = 0.5 * v.dot(&(&h * &v));
        let error = relative_error(&[robot.kinetic_energy(&s.q, &s.v)], &[energy]);
        assert!(error < 1e-13, "{error:.1e}");
        assert!(s.v.is_empty() || h.cholesky().is_some());
    }
}

#[test]
fn the_rate_of_the_energy_is_the_power_of_joint_forces_and_wrenches() {
    let mut rng = Rng::new(51);
    for (case, robot) in mechanisms(50, 200).iter().enumerate() {
        let s = slow_state(&mut rng, robot);
        let d = driven(&mut rng, robot, &s);
        let qdot = robot.position_rates(&s.q, &s.v);
        let rate = derivative(|t| {
            let (q, v) = (moved(&s.q, &qdot, t), moved(&s.v, &d.vdot, t));
            [robot.kinetic_energy(&q, &v) + robot.potential_energy(&q)]
        });
        let mut power = d.tau.dot(&DVector::from_column_slice(&s.v));
        for (w, m) in d.external.iter().zip(&d.motions) {
            let (moment, force) = moment_and_force(w);
            power += moment.dot(&m.angular_velocity) + force.dot(&m.velocity);
        }
        let energy = robot.kinetic_energy(&s.q, &s.v) + robot.potential_energy(&s.q).abs();
        close(&rate, &[power], energy.max(power.abs()).max(1.0), &format!("case {case}"));
    }
}

#[test]
fn the_rate_of_momentum_of_a_free_robot_is_the_sum_of_wrenches() {
    let mut rng = Rng::new(61);
    for (case, robot) in mechanisms(60, 200).iter().enumerate().filter(|(k, _)| k % 2 == 0) {
        let s = slow_state(&mut rng, robot);
        let d = driven(&mut rng, robot, &s);
        let qdot = robot.position_rates(&s.q, &s.v);
        let rate: [f64; 6] = derivative(|t| {
            let p = robot.momentum(&moved(&s.q, &qdot, t), &moved(&s.v, &d.vdot, t));
            let (l, p) = (p.angular_about_origin(), p.linear);
            [l.x, l.y, l.z, p.x, p.y, p.z]
        });
        let base = Vector3::from_column_slice(&s.q[..3]);
        let mut force = Vector3::from_column_slice(&d.tau.as_slice()[3..6]);
        let mut moment = Vector3::from_column_slice(&d.tau.as_slice()[..3]) + base.cross(&force);
        for ((w, m), body) in d.external.iter().zip(&d.motions).zip(&robot.bodies) {
            let (n, mut f) = moment_and_force(w);
            f += Vector3::from(robot.gravity) * body.mass;
            moment += n + m.centre.cross(&f);
            force += f;
        }
        let size = force.norm().max(moment.norm()).max(1.0);
        close(&rate[..3], moment.as_slice(), size, &format!("case {case}, angular"));
        close(&rate[3..], force.as_slice(), size, &format!("case {case}, linear"));
    }
}

#[test]
fn jacobians_and_bias_accelerations_are_derivatives() {
    let mut rng = Rng::new(71);
    for (case, robot) in mechanisms(70, 100).iter().enumerate() {
        let s = slow_state(&mut rng, robot);
        let qdot = robot.position_rates(&s.q, &s.v);
        let v = DVector::from_column_slice(&s.v);
        let at = |t: f64| robot.motions(&moved(&s.q, &qdot, t), &s.v);
        for (i, m) in robot.motions(&s.q, &s.v).iter().enumerate() {
            let what = |part: &str| format!("case {case}, body {i}: {part}");
            let twist = &m.jacobian * &v;
            close(&twist.as_slice()[..3], m.angular_velocity.as_slice(), 1e-4, &what("ω"));
            close(&twist.as_slice()[3..], m.velocity.as_slice(), 1e-4, &what("velocity"));
            let velocity: [f64; 3] = derivative(|t| at(t)[i].centre.into());
            close(&velocity, m.velocity.as_slice(), 10.0, &what("velocity"));
            let turning: [f64; 9] =
                derivative(|t| at(t)[i].rotation.as_slice().try_into().expect("nine"));
            let truth = m.angular_velocity.cross_matrix() * m.rotation;
            close(&turning, truth.as_slice(), 10.0, &what("rate of the rotation"));
            let rate: [f64; 6] = derivative(|t| {
                let twist = &at(t)[i].jacobian * &v;
                twist.as_slice().try_into().expect("six")
            });
            let truth = m.bias_angular_acceleration;
            close(&rate[..3], truth.as_slice(), 10.0, &what("angular acceleration"));
            close(&rate[3..], m.bias_acceleration.as_slice(), 10.0, &what("acceleration"));
        }
    }
}
