//! Joint forces as a linear function of inertial parameters.

use pommel_math::{Lanes, Real};
use pommel_testkit::{Rng, Robot, count_allocations, random_mechanism, relative_error};
use pommel_tree::{Model, PARAMETERS, Workspace, inertial_parameter_regressor, inverse_dynamics};

use crate::common::{State, dh_chain, lift, model, random_state};

fn regressor<T: Real>(model: &Model<T>, s: &State) -> Vec<T> {
    let mut y = vec![T::from_f64(f64::NAN); model.nv() * PARAMETERS * model.body_count()];
    let (q, v, qdd) = (lift(&s.q), lift(&s.v), lift(&s.tau));
    inertial_parameter_regressor(model, &mut Workspace::new(model), &q, &v, &qdd, &mut y);
    y
}

fn force(robot: &Robot, s: &State) -> Vec<f64> {
    let model = model(robot);
    let mut tau = vec![0.0; model.nv()];
    let mut ws = Workspace::new(&model);
    inverse_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, None, &mut tau);
    tau
}

/// The parameters of all bodies, with the tensor moved to the origin of the body frame.
fn parameters(robot: &Robot) -> Vec<f64> {
    let of = |body: &pommel_testkit::RobotBody| {
        let (m, [x, y, z]) = (body.mass, body.centre);
        let [xx, yy, zz, xy, xz, yz] = body.inertia;
        [
            m,
            m * x,
            m * y,
            m * z,
            xx + m * (y * y + z * z),
            yy + m * (x * x + z * z),
            zz + m * (x * x + y * y),
            xy - m * x * y,
            xz - m * x * z,
            yz - m * y * z,
        ]
    };
    robot.bodies.iter().flat_map(of).collect()
}

fn product(y: &[f64], pi: &[f64]) -> Vec<f64> {
    y.chunks(pi.len()).map(|row| row.iter().zip(pi).map(|(y, p)| y * p).sum()).collect()
}

/// A mechanism without armature and rotors.
fn plain(rng: &mut Rng, bodies: usize, free: bool) -> Robot {
    let mut robot = random_mechanism(rng, bodies, free);
    for body in &mut robot.bodies {
        body.armature = [0.0; 6];
        body.rotor = None;
    }
    robot
}

#[test]
fn the_regressor_times_the_parameters_is_the_joint_force() {
    let mut rng = Rng::new(321);
    for case in 0..200 {
        let mut robot = plain(&mut rng, 1 + case % 20, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let y = regressor(&model(&robot), &s);
        let check = |robot: &Robot, what: &str| {
            let error = relative_error(&product(&y, &parameters(robot)), &force(robot, &s));
            assert!(error < 1e-13, "case {case} {what}: {error:.1e}");
        };
        check(&robot, "own parameters");
        // the same matrix serves any other parameters
        for body in &mut robot.bodies {
            body.mass *= rng.uniform(0.5, 2.0);
            body.centre = rng.vector(0.3);
            body.inertia = body.inertia.map(|x| x * 1.7);
        }
        check(&robot, "other parameters");
    }
}

/// What is left of a geared mechanism is linear in the accelerations and does not know the masses.
#[test]
fn armature_and_rotors_are_left_out() {
    let mut rng = Rng::new(322);
    let geared = random_mechanism(&mut rng, 12, true);
    let s = random_state(&mut rng, &geared);
    let mut bare = geared.clone();
    for body in &mut bare.bodies {
        body.armature = [0.0; 6];
        body.rotor = None;
    }
    assert_ne!(force(&geared, &s), force(&bare, &s));
    assert_eq!(regressor(&model(&geared), &s), regressor(&model(&bare), &s));
}

#[test]
fn a_body_that_a_joint_does_not_carry_has_no_column() {
    let robot = dh_chain(6, false, 9);
    let s = random_state(&mut Rng::new(323), &robot);
    let y = regressor(&model(&robot), &s);
    for (k, row) in y.chunks(6 * PARAMETERS).enumerate() {
        for (b, entries) in row.chunks(PARAMETERS).enumerate() {
            assert_eq!(b < k, entries.iter().all(|&x| x == 0.0), "{k} {b}");
        }
    }
}

#[test]
fn the_regressor_knows_no_orbit() {
    let mut rng = Rng::new(324);
    let robot = plain(&mut rng, 10, true);
    let mut s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let here = regressor(&model, &s);
    s.q[1] += 7.0e6;
    s.v[3] += 7.7e3;
    assert!(relative_error(&regressor(&model, &s), &here) < 1e-13);
}

#[test]
fn the_regressor_has_the_bits_of_single_runs_in_lanes() {
    let mut rng = Rng::new(325);
    let robot = plain(&mut rng, 10, true);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let lanes = regressor(&model.cast::<Lanes<4>>(), &s);
    let alone = regressor(&model, &s);
    assert!(lanes.iter().zip(&alone).all(|(l, a)| (0..4).all(|i| l.lane(i) == *a)));
}

#[test]
fn the_regressor_does_not_allocate() {
    let mut rng = Rng::new(326);
    let robot = plain(&mut rng, 10, true);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let mut ws = Workspace::new(&model);
    let mut y = vec![0.0; model.nv() * PARAMETERS * model.body_count()];
    let ((), allocations) = count_allocations(|| {
        inertial_parameter_regressor(&model, &mut ws, &s.q, &s.v, &s.tau, &mut y);
    });
    assert_eq!(allocations, 0);
}

#[test]
#[should_panic(expected = "the regressor must have nv × 10 entries a body")]
fn a_regressor_of_another_size_is_refused() {
    let model = model(&dh_chain(2, false, 1));
    let (zero, mut y) = ([0.0; 2], [0.0; 20]);
    let mut ws = Workspace::new(&model);
    inertial_parameter_regressor(&model, &mut ws, &zero, &zero, &zero, &mut y);
}
