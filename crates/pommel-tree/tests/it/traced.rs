//! Kernels as programs without branches.

use std::convert::Infallible;

use pommel_math::{Counted, Program, Real, Traced, count_operations, trace};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, random_robot, relative_error};
use pommel_tree::{Model, TreeError, Workspace, forward_dynamics, inverse_dynamics, mass_matrix};

// the way by another root chooses by the state
use crate::common::{State, dh_chain, lift, model_towards_free_body as model, random_state};

fn forward<T: Real>(model: &Model<T>, x: &[T]) -> Result<Vec<T>, TreeError> {
    let (q, rest) = x.split_at(model.nq());
    let (v, tau) = rest.split_at(model.nv());
    let mut qdd = vec![T::zero(); model.nv()];
    forward_dynamics(model, &mut Workspace::new(model), q, v, tau, None, &mut qdd)?;
    Ok(qdd)
}

fn inverse<T: Real>(model: &Model<T>, x: &[T]) -> Vec<T> {
    let (q, rest) = x.split_at(model.nq());
    let (v, qdd) = rest.split_at(model.nv());
    let mut tau = vec![T::zero(); model.nv()];
    inverse_dynamics(model, &mut Workspace::new(model), q, v, qdd, None, &mut tau);
    tau
}

fn matrix<T: Real>(model: &Model<T>, x: &[T]) -> Vec<T> {
    let mut matrix = vec![T::zero(); model.nv() * model.nv()];
    mass_matrix(model, &mut Workspace::new(model), &x[..model.nq()], &mut matrix);
    matrix
}

fn inputs(state: &State) -> Vec<f64> {
    [&state.q[..], &state.v, &state.tau].concat()
}

/// Forward dynamics, inverse dynamics and inertia matrix.
fn programs(model: &Model<f64>, sample: &[f64]) -> [Program; 3] {
    let model = model.cast::<Traced>();
    [
        trace(sample, |x| forward(&model, x)).expect("regular"),
        trace(sample, |x| Ok::<_, Infallible>(inverse(&model, x))).expect("infallible"),
        trace(sample, |x| Ok::<_, Infallible>(matrix(&model, x))).expect("infallible"),
    ]
}

/// Robots with joints of every kind. The programs prune by exact rules only, so at other states
/// than the traced one they give the same numbers, the sign of zeros aside.
#[test]
fn a_program_gives_the_bits_of_its_kernel_at_other_states() {
    let mut rng = Rng::new(31);
    for case in 0..60 {
        let robot = random_robot(&mut rng, 2 + case % 9, case % 2 == 0);
        let model = model(&robot);
        let programs = programs(&model, &inputs(&random_state(&mut rng, &robot)));
        for _ in 0..3 {
            let x = inputs(&random_state(&mut rng, &robot));
            let truth =
                [forward(&model, &x).expect("regular"), inverse(&model, &x), matrix(&model, &x)];
            for (program, truth) in programs.iter().zip(&truth) {
                // 0 equals −0
                assert_eq!(&program.evaluate(&x), truth, "robot {case}");
            }
        }
    }
}

/// An arm as they are built: joint axes that meet, at right angles or parallel.
fn arm() -> Robot {
    let half = std::f64::consts::FRAC_PI_2;
    let mut robot = Robot { bodies: Vec::new(), gravity: [0.0, 0.0, -9.81] };
    let placements = [
        ([0.0; 3], [0.0, 0.0, 0.3]),
        ([-half, 0.0, 0.0], [0.0; 3]),
        ([0.0; 3], [0.45, 0.0, 0.1]),
        ([half, 0.0, 0.0], [0.0, -0.4, 0.0]),
        ([-half, 0.0, 0.0], [0.0; 3]),
        ([half, 0.0, 0.0], [0.0; 3]),
    ];
    for (i, (rpy, origin)) in placements.into_iter().enumerate() {
        let body = RobotBody::new(i.checked_sub(1), RobotJoint::Revolute([0.0, 0.0, 1.0]))
            .placed(rpy, origin)
            .with_inertia(3.0, [0.02, -0.1, 0.05], [0.1, 0.12, 0.09, 0.0, 0.0, 0.0]);
        robot.bodies.push(body);
    }
    robot
}

#[test]
fn right_angles_that_rounding_hid_change_accelerations_by_rounding_only() {
    let mut rng = Rng::new(32);
    let mut robots: Vec<Robot> =
        (0..40).map(|case| random_robot(&mut rng, 2 + case % 9, case % 2 == 0)).collect();
    robots.push(arm());
    for robot in &robots {
        let model = model(robot);
        let exact = model.with_exact_zeros();
        let x = inputs(&random_state(&mut rng, robot));
        let pairs = [
            (forward(&exact, &x).expect("regular"), forward(&model, &x).expect("regular")),
            (inverse(&exact, &x), inverse(&model, &x)),
            (matrix(&exact, &x), matrix(&model, &x)),
        ];
        for (ours, truth) in pairs {
            // 8 units of rounding in each number, times the condition of random inertia matrices
            assert!(relative_error(&ours, &truth) <= 1e-12, "{ours:?}, not {truth:?}");
        }
    }
}

/// Of 6-joint arms, in additions and multiplications: what is pruned, and that without right angles
/// little is.
#[test]
fn a_program_for_an_arm_with_right_angles_has_far_fewer_operations_than_the_kernel() {
    let mut rng = Rng::new(33);
    let mut flops = |robot: &Robot| {
        let x = inputs(&random_state(&mut rng, robot));
        let model = model(robot).with_exact_zeros();
        let counted = model.cast::<Counted>();
        let kernels: [&dyn Fn(); 3] = [
            &|| drop(forward(&counted, &lift(&x))),
            &|| drop(inverse(&counted, &lift(&x))),
            &|| drop(matrix(&counted, &lift(&x))),
        ];
        let counts = programs(&model, &x).map(|program| program.count());
        [0, 1, 2].map(|k| {
            let (ours, all) = (counts[k], count_operations(kernels[k]).1);
            assert!(ours.trig <= all.trig && ours.div <= all.div);
            (ours.mul + ours.add, all.mul + all.add)
        })
    };
    for (ours, all) in flops(&arm()) {
        assert!(3 * ours < 2 * all, "{ours} of {all}");
    }
    for (ours, all) in flops(&dh_chain(6, false, 34)) {
        assert!(ours < all, "{ours} of {all}");
    }
}

#[test]
fn a_massless_tip_is_an_error_of_the_trace() {
    let mut robot = arm();
    (robot.bodies[5].mass, robot.bodies[5].inertia) = (0.0, [0.0; 6]);
    let model = model(&robot);
    let traced = model.cast::<Traced>();
    let result = trace(&[0.1; 18], |x| forward(&traced, x));
    assert!(matches!(result, Err(TreeError::SingularPivot { .. })), "{result:?}");
}
