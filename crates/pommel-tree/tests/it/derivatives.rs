//! Analytic derivatives against dual numbers and dense matrices.

use nalgebra::DMatrix;
use pommel_math::{Dual, Lanes, Real, Wrench};
use pommel_testkit::{
    Rng, Robot, RobotBody, RobotJoint, count_allocations, random_mechanism, random_robot,
    relative_error,
};
use pommel_tree::{
    DerivativeWorkspace, ForwardDynamicsDerivatives, InverseDynamicsDerivatives, Joint, Model,
    TreeError, Workspace, forward_dynamics, forward_dynamics_derivatives, inverse_dynamics,
    inverse_dynamics_derivatives, position_rate,
};

use crate::common::{State, dh_chain, lift, model, model_with, random_state, two_trees, wrenches};

/// `[∂τ/∂q, ∂τ/∂v, M]` by rows.
fn inverse<T: Real>(
    model: &Model<T>,
    q: &[T],
    v: &[T],
    qdd: &[T],
    external: Option<&[Wrench<T>]>,
) -> [Vec<T>; 3] {
    let n = model.nv();
    let mut out = [0; 3].map(|_| vec![T::from_f64(f64::NAN); n * n]);
    let [position, velocity, acceleration] = &mut out;
    inverse_dynamics_derivatives(
        model,
        &mut DerivativeWorkspace::new(model),
        q,
        v,
        qdd,
        external,
        InverseDynamicsDerivatives { position, velocity, acceleration },
    );
    out
}

/// `[q̈, ∂q̈/∂q, ∂q̈/∂v, ∂q̈/∂τ]`.
fn forward<T: Real>(
    model: &Model<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    external: Option<&[Wrench<T>]>,
) -> (Result<(), TreeError>, [Vec<T>; 4]) {
    let n = model.nv();
    let mut out = [n, n * n, n * n, n * n].map(|count| vec![T::zero(); count]);
    let [qdd, position, velocity, force] = &mut out;
    let result = forward_dynamics_derivatives(
        model,
        &mut DerivativeWorkspace::new(model),
        q,
        v,
        tau,
        external,
        ForwardDynamicsDerivatives { qdd, position, velocity, force },
    );
    (result, out)
}

/// `x` with the given derivatives.
fn vary(x: &[f64], rate: &[f64]) -> Vec<Dual<1>> {
    let list = x.iter().zip(rate);
    list.map(|(&x, &r)| Dual::variable(0.0, 0) * Dual::from_f64(r) + Dual::from_f64(x)).collect()
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(u8::from(i == k))).collect()
}

/// The positions as they move with the unit velocity `k`.
fn vary_position(model: &Model<f64>, q: &[f64], k: usize) -> Vec<Dual<1>> {
    let mut rate = vec![0.0; q.len()];
    position_rate(model, q, &unit(model.nv(), k), &mut rate);
    vary(q, &rate)
}

/// The matrices of `f(q, v, x)` by the three lists, column by column with dual numbers.
fn by_duals(
    model: &Model<f64>,
    s: &State,
    f: impl Fn(&[Dual<1>], &[Dual<1>], &[Dual<1>]) -> Vec<Dual<1>>,
) -> [Vec<f64>; 3] {
    let n = model.nv();
    let (q, v, x) = (lift(&s.q), lift(&s.v), lift(&s.tau));
    let mut out = [0; 3].map(|_| vec![0.0; n * n]);
    for j in 0..n {
        let e = unit(n, j);
        let columns = [
            f(&vary_position(model, &s.q, j), &v, &x),
            f(&q, &vary(&s.v, &e), &x),
            f(&q, &v, &vary(&s.tau, &e)),
        ];
        for (matrix, column) in out.iter_mut().zip(&columns) {
            for (i, x) in column.iter().enumerate() {
                matrix[i * n + j] = x.derivative(0);
            }
        }
    }
    out
}

fn check_inverse(robot: &Robot, s: &State, external: bool, case: &str) {
    let double = model(robot);
    let dual = model_with::<Dual<1>>(robot, |_, spec| spec);
    let (plain, lifted) = (wrenches(&s.wrenches), wrenches(&s.wrenches));
    let truth = by_duals(&double, s, |q, v, qdd| {
        let mut tau = vec![Dual::from_f64(0.0); double.nv()];
        let list = external.then_some(lifted.as_slice());
        inverse_dynamics(&dual, &mut Workspace::new(&dual), q, v, qdd, list, &mut tau);
        tau
    });
    let list = external.then_some(plain.as_slice());
    let got = inverse(&double, &s.q, &s.v, &s.tau, list);
    for ((got, truth), what) in got.iter().zip(&truth).zip(["∂q", "∂v", "∂q̈"]) {
        let error = relative_error(got, truth);
        // sums over up to 20 links, relative to the largest entry
        assert!(error < 1e-13, "{case} {what}: {error:.1e}");
    }
}

#[test]
fn inverse_dynamics_derivatives_are_those_of_dual_numbers() {
    let mut rng = Rng::new(301);
    for case in 0..200 {
        let robot = random_mechanism(&mut rng, 1 + case % 20, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        check_inverse(&robot, &s, case % 3 != 0, &format!("case {case}"));
    }
    for n in [1, 7, 8, 9, 24] {
        let robot = dh_chain(n, n % 2 == 1, n as u64);
        let s = random_state(&mut rng, &robot);
        check_inverse(&robot, &s, true, &format!("chain of {n}"));
    }
}

#[test]
fn forward_dynamics_derivatives_are_those_of_dual_numbers() {
    let mut rng = Rng::new(302);
    let mut rerooted = 0;
    for case in 0..180 {
        let robot = match case % 3 {
            0 | 1 => random_mechanism(&mut rng, 1 + case % 15, case % 2 == 0),
            _ => heavy_trees_with_wheels(&mut rng, 2 + case % 6),
        };
        let s = random_state(&mut rng, &robot);
        let double = model(&robot);
        rerooted += double.elimination_roots().count();
        let dual = model_with::<Dual<1>>(&robot, |_, spec| spec);
        let lifted = wrenches(&s.wrenches);
        let solve = |q: &[Dual<1>], v: &[Dual<1>], tau: &[Dual<1>]| {
            let mut qdd = vec![Dual::from_f64(0.0); double.nv()];
            forward_dynamics(&dual, &mut Workspace::new(&dual), q, v, tau, Some(&lifted), &mut qdd)
                .expect("regular");
            qdd
        };
        let truth = by_duals(&double, &s, solve);
        let (result, got) = forward(&double, &s.q, &s.v, &s.tau, Some(&wrenches(&s.wrenches)));
        result.expect("regular");
        let values: Vec<f64> =
            solve(&lift(&s.q), &lift(&s.v), &lift(&s.tau)).iter().map(|x| x.value()).collect();
        assert!(relative_error(&got[0], &values) < 1e-13, "case {case}");
        for ((got, truth), what) in got[1..].iter().zip(&truth).zip(["∂q", "∂v", "∂τ"]) {
            let error = relative_error(got, truth);
            // the condition of M enters
            assert!(error < 1e-11, "case {case} {what}: {error:.1e}");
        }
    }
    assert!(rerooted > 20, "{rerooted} trees were eliminated towards another body");
}

/// Two trees, each with a balanced wheel; the free one carries a body thirty times heavier.
fn heavy_trees_with_wheels(rng: &mut Rng, bodies: usize) -> Robot {
    let mut free = random_mechanism(rng, bodies, true);
    for body in &mut free.bodies {
        body.rotor = None;
        body.armature = [0.0; 6];
    }
    let last = free.bodies.last_mut().expect("not empty");
    last.mass *= 30.0;
    last.inertia = last.inertia.map(|x| x * 30.0);
    let fixed = random_mechanism(rng, bodies, false);
    let mut robot = two_trees(&free, &fixed);
    for carrier in [0, bodies] {
        let wheel = RobotBody::new(Some(carrier), RobotJoint::Revolute([0.0, 0.0, 1.0]))
            .placed(rng.vector(2.0), rng.vector(0.4))
            .with_inertia(1.0, [0.0, 0.0, 0.3], [0.2, 0.2, 0.3, 0.0, 0.0, 0.0]);
        robot.bodies.push(wheel);
    }
    robot
}

#[test]
fn the_derivative_by_accelerations_is_the_dense_inertia_matrix() {
    let mut rng = Rng::new(303);
    for case in 0..60 {
        let robot = random_mechanism(&mut rng, 1 + case % 20, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let n = robot.sizes().1;
        let dense = robot.terms(&s.q, &s.v, None).mass_matrix;
        let model = model(&robot);
        let [.., mass] = inverse(&model, &s.q, &s.v, &s.tau, None);
        let mass = DMatrix::from_row_slice(n, n, &mass);
        assert!((&mass - &dense).amax() < 1e-13 * dense.amax(), "case {case}");
        let (result, [.., force]) = forward(&model, &s.q, &s.v, &s.tau, None);
        result.expect("regular");
        let product = &dense * DMatrix::from_row_slice(n, n, &force);
        let size = (dense.abs() * DMatrix::from_row_slice(n, n, &force).abs()).amax();
        let error = (product - DMatrix::identity(n, n)).amax();
        assert!(error < 1e-13 * size, "case {case}: {error:.1e} of {size:.1e}");
    }
}

/// Entries outside of the relation of ancestors are zero, to the bit, and so are the columns of a
/// free body's position and linear velocity.
#[test]
fn what_does_not_carry_does_not_matter() {
    let mut rng = Rng::new(304);
    for case in 0..40 {
        let robot = random_mechanism(&mut rng, 12, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let n = robot.sizes().1;
        let carries = |mut i: usize, j: usize| loop {
            if i == j {
                return true;
            }
            match robot.bodies[i].parent {
                Some(p) => i = p,
                None => return false,
            }
        };
        let mut body = vec![0; n];
        let mut is_linear = vec![false; n];
        for i in 0..robot.bodies.len() {
            for (k, v) in robot.coordinates(i).1.enumerate() {
                body[v] = i;
                is_linear[v] = robot.bodies[i].joint == RobotJoint::Free && k >= 3;
            }
        }
        let all = inverse(&model(&robot), &s.q, &s.v, &s.tau, Some(&wrenches(&s.wrenches)));
        let mut zeros = 0;
        for i in 0..n {
            for j in 0..n {
                let related = carries(body[i], body[j]) || carries(body[j], body[i]);
                for (what, matrix) in all.iter().enumerate() {
                    if !related || (what < 2 && is_linear[j]) {
                        assert!(matrix[i * n + j] == 0.0, "case {case} {what}: {i} {j}");
                        zeros += 1;
                    }
                }
            }
        }
        assert!(zeros > 0 || case % 2 == 1, "case {case}");
    }
}

/// Derivatives of a robot in orbit: 7000 km away at 7.7 km/s.
#[test]
fn an_orbital_velocity_changes_nothing() {
    let mut rng = Rng::new(305);
    for _ in 0..20 {
        let robot = random_robot(&mut rng, 10, true);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let external = wrenches(&s.wrenches);
        let (mut q, mut v) = (s.q.clone(), s.v.clone());
        q[0] += 7.0e6;
        v[4] += 7.7e3;
        let (a, b) = (
            inverse(&model, &s.q, &s.v, &s.tau, Some(&external)),
            inverse(&model, &q, &v, &s.tau, Some(&external)),
        );
        for (a, b) in a.iter().zip(&b) {
            assert!(relative_error(b, a) < 1e-13);
        }
        let (a, b) = (
            forward(&model, &s.q, &s.v, &s.tau, Some(&external)),
            forward(&model, &q, &v, &s.tau, Some(&external)),
        );
        for (a, b) in a.1.iter().zip(&b.1) {
            assert!(relative_error(b, a) < 1e-13);
        }
    }
}

/// The model may number velocities otherwise than the tree is traversed.
#[test]
fn any_numbering_of_the_coordinates_will_do() {
    let robot = dh_chain(10, false, 5);
    let s = random_state(&mut Rng::new(306), &robot);
    let turned = model_with::<f64>(&robot, |i, mut spec| {
        spec.coordinates = Some((9 - i, 9 - i));
        spec
    });
    let back = |x: &[f64]| x.iter().rev().copied().collect::<Vec<_>>();
    let a = forward(&model(&robot), &s.q, &s.v, &s.tau, None).1;
    let b = forward(&turned, &back(&s.q), &back(&s.v), &back(&s.tau), None).1;
    for (a, b) in a.iter().zip(&b) {
        assert_eq!(*a, back(b));
    }
}

#[test]
fn lanes_have_the_bits_of_single_runs() {
    let mut rng = Rng::new(307);
    let robot = random_mechanism(&mut rng, 9, true);
    let model = model(&robot);
    let states: Vec<State> = (0..4).map(|_| random_state(&mut rng, &robot)).collect();
    let pack = |pick: fn(&State) -> &Vec<f64>| -> Vec<Lanes<4>> {
        (0..pick(&states[0]).len()).map(|k| Lanes::from_lanes(|i| pick(&states[i])[k])).collect()
    };
    let wide = model.cast::<Lanes<4>>();
    let (q, v, tau) = (pack(|s| &s.q), pack(|s| &s.v), pack(|s| &s.tau));
    let (result, together) = forward(&wide, &q, &v, &tau, None);
    result.expect("regular");
    let inverse_together = inverse(&wide, &q, &v, &tau, None);
    for (lane, s) in states.iter().enumerate() {
        let alone = forward(&model, &s.q, &s.v, &s.tau, None).1;
        let inverse_alone = inverse(&model, &s.q, &s.v, &s.tau, None);
        let pairs = together.iter().chain(&inverse_together);
        for (together, alone) in pairs.zip(alone.iter().chain(&inverse_alone)) {
            let lane: Vec<f64> = together.iter().map(|x| x.lane(lane)).collect();
            assert_eq!(lane, *alone);
        }
    }
}

#[test]
fn derivatives_do_not_allocate() {
    let mut rng = Rng::new(308);
    let robot = random_mechanism(&mut rng, 20, true);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let external = wrenches(&s.wrenches);
    let mut workspace = DerivativeWorkspace::new(&model);
    let n = model.nv();
    let mut qdd = vec![0.0; n];
    let mut matrices = [0; 3].map(|_| vec![0.0; n * n]);
    let ((), allocations) = count_allocations(|| {
        let [position, velocity, acceleration] = &mut matrices;
        let out = InverseDynamicsDerivatives { position, velocity, acceleration };
        let (q, v, tau) = (&s.q, &s.v, &s.tau);
        inverse_dynamics_derivatives(&model, &mut workspace, q, v, tau, Some(&external), out);
        let [position, velocity, force] = &mut matrices;
        let out = ForwardDynamicsDerivatives { qdd: &mut qdd, position, velocity, force };
        forward_dynamics_derivatives(&model, &mut workspace, q, v, tau, Some(&external), out)
            .expect("regular");
    });
    assert_eq!(allocations, 0);
}

/// One lane fails, the other is valid.
#[test]
fn a_massless_tip_is_named() {
    let tip = |mass: f64| {
        let mut robot = dh_chain(2, false, 3);
        robot.bodies[1] = RobotBody::new(Some(0), RobotJoint::Revolute([0.0, 0.0, 1.0]))
            .placed([0.3, 0.0, 0.0], [0.2, 0.0, 0.0])
            .with_inertia(mass, [0.3 * mass, 0.0, 0.0], [mass; 6].map(|m| m * 0.1));
        model(&robot)
    };
    let (regular, massless) = (tip(1.0), tip(0.0));
    let (result, out) = forward(&massless, &[0.1, 0.2], &[0.0; 2], &[1.0; 2], None);
    let Err(TreeError::SingularPivot { body, .. }) = result else { panic!("{result:?}") };
    assert_eq!(body, "body1");
    assert!(out.iter().flatten().all(|x| x.is_nan()));

    let both = Model::pack::<Lanes<2>>(&[&regular, &massless]).expect("one topology");
    let (q, zero, one) = (lift(&[0.1, 0.2]), lift(&[0.0; 2]), lift(&[1.0; 2]));
    let (result, together) = forward(&both, &q, &zero, &one, None);
    assert!(matches!(result, Err(TreeError::SingularPivot { .. })), "{result:?}");
    let alone = forward(&regular, &[0.1, 0.2], &[0.0; 2], &[1.0; 2], None).1;
    for (together, alone) in together.iter().zip(&alone) {
        for (t, a) in together.iter().zip(alone) {
            assert!(t.lane(0) == *a && t.lane(1).is_nan());
        }
    }
}

#[test]
fn nothing_without_joints() {
    let mut robot = dh_chain(1, false, 1);
    robot.bodies[0].joint = RobotJoint::Fixed;
    let model = model(&robot);
    assert_eq!(Joint::Fixed.nv(), 0);
    forward(&model, &[], &[], &[], None).0.expect("nothing to fail");
    assert!(inverse(&model, &[], &[], &[], None).iter().all(Vec::is_empty));
}

fn with_lengths(nv: usize, matrix: usize) {
    let model = model(&dh_chain(2, false, 1));
    let mut out = [0; 3].map(|_| vec![0.0; matrix]);
    let [position, velocity, acceleration] = &mut out;
    let list = vec![0.0; nv];
    inverse_dynamics_derivatives(
        &model,
        &mut DerivativeWorkspace::new(&model),
        &[0.0; 2],
        &list,
        &[0.0; 2],
        None,
        InverseDynamicsDerivatives { position, velocity, acceleration },
    );
}

#[test]
#[should_panic(expected = "v must have the model's nv entries")]
fn a_wrong_number_of_velocities_is_refused() {
    with_lengths(3, 4);
}

#[test]
#[should_panic(expected = "a derivative must have nv × nv entries")]
fn a_matrix_of_another_size_is_refused() {
    with_lengths(2, 3);
}

#[test]
#[should_panic(expected = "the workspace is that of another topology")]
fn the_workspace_of_another_tree_is_refused() {
    let (a, b) = (model(&dh_chain(2, false, 1)), model(&dh_chain(3, false, 1)));
    let [mut position, mut velocity, mut force] = [[0.0; 4]; 3];
    let out = ForwardDynamicsDerivatives {
        qdd: &mut [0.0; 2],
        position: &mut position,
        velocity: &mut velocity,
        force: &mut force,
    };
    let mut other = DerivativeWorkspace::new(&b);
    let zero = [0.0; 2];
    forward_dynamics_derivatives(&a, &mut other, &zero, &zero, &zero, None, out).expect("refused");
}
