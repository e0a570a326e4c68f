//! Where the preparation of a model could go wrong: special axes, mixed lanes, extreme numbers.

use pommel_math::{Dual, Lanes, Mat3, Real, Transform, Vec3};
use pommel_testkit::{Rng, Robot, RobotJoint, relative_error};
use pommel_tree::{BodySpec, Joint, Model, TreeBuilder, TreeError, Workspace, forward_dynamics};

use crate::common::{dh_chain, lift, model, model_with, random_state};

fn solve<T: Real>(model: &Model<T>, x: &[T]) -> Result<Vec<T>, TreeError> {
    let mut qdd = vec![T::zero(); model.nv()];
    let (q, v) = (&x[..model.nq()], &x[..model.nv()]);
    forward_dynamics(model, &mut Workspace::new(model), q, v, v, None, &mut qdd)?;
    Ok(qdd)
}

/// Joints whose axes differ by tilts from 1 to 1e-16, around the thresholds at which the common
/// normal is given up: the residual of the dense equations, component by component.
#[test]
fn nearly_parallel_axes_are_as_good_as_others() {
    let mut rng = Rng::new(61);
    for exponent in 0..=32 {
        let tilt = 10f64.powf(-0.5 * f64::from(exponent));
        for half_turn in [0.0, std::f64::consts::PI] {
            for kinds in 0..4 {
                let mut robot = dh_chain(4, exponent % 2 == 0, 17);
                for (i, body) in robot.bodies.iter_mut().enumerate() {
                    body.rpy = [half_turn + tilt, 0.3 * tilt, rng.symmetric(3.0)];
                    body.origin = rng.vector(0.4);
                    if (kinds >> (i % 2)) & 1 == 1 && body.joint != RobotJoint::Free {
                        body.joint = RobotJoint::Prismatic([0.0, 0.0, 1.0]);
                    }
                }
                // a last joint across, so that not all axes are parallel
                robot.bodies.last_mut().expect("four bodies").joint =
                    RobotJoint::Revolute([1.0, 0.0, 0.0]);
                let s = random_state(&mut rng, &robot);
                let mut qdd = vec![0.0; s.v.len()];
                let model = model(&robot);
                let mut ws = Workspace::new(&model);
                if forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, None, &mut qdd).is_err() {
                    // two slides along one axis: no inertia tells them apart
                    assert_ne!(kinds, 0, "tilt {tilt:e}");
                    continue;
                }
                let terms = robot.terms(&s.q, &s.v, None);
                for i in 0..qdd.len() {
                    let mut residual = terms.bias[i] - s.tau[i];
                    let mut size = terms.bias[i].abs() + s.tau[i].abs();
                    for j in 0..qdd.len() {
                        residual += terms.mass_matrix[(i, j)] * qdd[j];
                        size += (terms.mass_matrix[(i, j)] * qdd[j]).abs();
                    }
                    let error = residual.abs() / size;
                    // 500 ε: five links, each with some ten roundings of terms of this size
                    assert!(error < 500.0 * f64::EPSILON, "tilt {tilt:e} row {i}: {error:.1e}");
                }
            }
        }
    }
}

/// Instances that differ in what is zero: parallel axes beside tilted ones, coincident joints
/// beside spread ones, second children at the first and elsewhere.
#[test]
fn lanes_that_differ_in_special_positions_have_the_bits_of_single_runs() {
    let mut rng = Rng::new(62);
    for case in 0..200 {
        let mut base = dh_chain(5, case % 2 == 0, case as u64);
        // a second child of body 1, and a third
        base.bodies[3].parent = Some(1);
        base.bodies[4].parent = Some(1);
        let vary = |rng: &mut Rng| -> Robot {
            let mut robot = base.clone();
            for body in &mut robot.bodies {
                match rng.below(4) {
                    0 => body.rpy = [0.0; 3],
                    1 => body.rpy = [0.2, 0.0, 0.0],
                    _ => {}
                }
                match rng.below(4) {
                    0 => body.origin = [0.0; 3],
                    1 => body.origin = [0.0, 0.0, 0.1],
                    2 => body.origin = [0.4, 0.2, 0.3],
                    _ => {}
                }
            }
            robot
        };
        let robots: Vec<Robot> = (0..4).map(|_| vary(&mut rng)).collect();
        let models: Vec<Model<f64>> = robots.iter().map(model).collect();
        let packed =
            Model::pack::<Lanes<4>>(&models.iter().collect::<Vec<_>>()).expect("one topology");
        let s = random_state(&mut rng, &base);
        let check = |packed: &Model<Lanes<4>>, models: &[Model<f64>]| {
            let alone: Vec<_> = models.iter().map(|m| solve(m, &s.q)).collect();
            let Ok(together) = solve(packed, &lift(&s.q)) else {
                assert!(alone.iter().any(Result::is_err), "case {case}");
                return;
            };
            for (lane, alone) in alone.iter().enumerate() {
                let alone = alone.as_ref().expect("the lane was solved");
                for (t, a) in together.iter().zip(alone) {
                    assert_eq!(t.lane(lane).to_bits(), a.to_bits(), "case {case}, lane {lane}");
                }
            }
        };
        check(&packed, &models);
        // other instances take lanes one after the other
        let (mut packed, mut models) = (packed, models);
        for lane in [2, 0, 2, 3] {
            models[lane] = model(&vary(&mut rng));
            packed.set_lane(lane, &models[lane]).expect("one topology");
            check(&packed, &models);
        }
        let before = format!("{packed:?}");
        let longer = model(&dh_chain(base.bodies.len() + 1, false, 3));
        let error = packed.set_lane(1, &longer).expect_err("another topology");
        assert_eq!(error, TreeError::DifferentTopology { instance: 1 });
        let error = packed.set_lane(4, &models[0]).expect_err("no such lane");
        assert_eq!(error, TreeError::WrongNumberOfInstances { lanes: 4, instances: 5 });
        assert_eq!(format!("{packed:?}"), before, "a model that refuses is as it was");
    }
}

/// A model built in lanes decides lane by lane, as single models do.
#[test]
fn lanes_may_be_built_directly() {
    for tilts in [[0.0, 0.2], [0.2, 0.0]] {
        let robot = |tilt: f64| {
            let mut robot = dh_chain(3, false, 3);
            robot.bodies[1].rpy = [tilt, 0.0, 0.0];
            robot
        };
        let direct = model_with::<Lanes<2>>(&robot(0.0), |i, mut spec| {
            if i == 1 {
                spec.in_parent.rotation =
                    Mat3::from_rpy([Lanes(tilts), Lanes([0.0; 2]), Lanes([0.0; 2])]);
            }
            spec
        });
        let x = [0.3, -0.7, 1.1];
        let together = solve(&direct, &lift(&x)).expect("regular");
        for (lane, tilt) in tilts.into_iter().enumerate() {
            let alone = solve(&model(&robot(tilt)), &x).expect("regular");
            let got: Vec<f64> = together.iter().map(|t| t.lane(lane)).collect();
            assert!(relative_error(&got, &alone) < 1e-13, "{tilts:?}: {got:?} {alone:?}");
        }
    }
}

/// At parallel axes the recursion has no derivative with respect to the tilt: refused, not zero.
#[test]
fn a_derivative_that_does_not_exist_is_refused() {
    let mut robot = dh_chain(3, false, 3);
    robot.bodies[1].rpy = [0.0; 3];
    let build = |seed: bool| {
        let mut builder = TreeBuilder::<Dual<1>>::new();
        let mut parent = None;
        for i in 0..2 {
            let mut spec =
                BodySpec::new(format!("b{i}"), parent, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
                    .with_inertia(
                        Dual::constant(1.0),
                        Vec3::from_f64([0.2, 0.0, 0.1]),
                        [1.0; 6].map(Dual::constant),
                    );
            let roll = if seed && i == 1 { Dual::variable(0.0, 0) } else { Dual::constant(0.0) };
            let zero = Dual::constant(0.0);
            spec.in_parent =
                Transform::new(Mat3::from_rpy([roll, zero, zero]), Vec3::from_f64([0.5, 0.0, 0.0]));
            parent = Some(builder.add(spec).expect("valid"));
        }
        builder.build().map(|_| ())
    };
    assert_eq!(build(false), Ok(()));
    assert_eq!(build(true), Err(TreeError::NotDifferentiable { body: "b1".into() }));
}

/// Three gimbals in lock, in single precision: the limit is that of single precision.
#[test]
fn gimbal_lock_is_found_in_single_precision() {
    let mut builder = TreeBuilder::<f64>::new();
    let mut parent = None;
    for (i, axis) in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].into_iter().enumerate() {
        let mut spec = BodySpec::new(format!("ring{i}"), parent, Joint::Revolute { axis });
        if i == 2 {
            spec = spec.with_inertia(2.0, Vec3::zero(), [0.3, 0.2, 0.1, 0.01, 0.0, 0.02]);
        }
        parent = Some(builder.add(spec).expect("valid"));
    }
    let double = builder.build().expect("valid");
    let lock = [0.4, 0.0, 0.7];
    assert!(matches!(solve(&double, &lock), Err(TreeError::SingularPivot { .. })));
    // at any first and last angle: what is left of the pivot is rounding, of either sign
    let mut rng = Rng::new(64);
    for _ in 0..200 {
        let lock = [rng.symmetric(3.0), 0.0, rng.symmetric(3.0)];
        assert!(matches!(solve(&double, &lock), Err(TreeError::SingularPivot { .. })), "{lock:?}");
    }
    let single = double.cast::<f32>();
    let found = solve(&single, &lift::<f32>(&lock));
    assert!(matches!(found, Err(TreeError::SingularPivot { .. })), "{found:?}");
    assert!(solve(&single, &lift::<f32>(&[0.4, 0.5, 0.7])).is_ok());
}

/// Legal robots with extreme numbers are no false alarms.
#[test]
fn extreme_but_legal_bodies_are_accepted() {
    for scale in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
        for size in [1e-3, 1.0, 1e3] {
            let mut robot = dh_chain(4, true, 5);
            for body in &mut robot.bodies {
                body.mass *= scale;
                body.inertia = body.inertia.map(|i| i * scale * size * size);
                body.origin = body.origin.map(|x| x * size);
                body.centre = body.centre.map(|x| x * size);
            }
            let single = model(&robot).cast::<f32>();
            let x = [0.1; 11];
            assert!(solve(&model(&robot), &x).is_ok(), "mass {scale:e}, size {size:e}");
            assert!(solve(&single, &lift(&x)).is_ok(), "mass {scale:e}, size {size:e}, f32");
        }
    }
    // a payload of 1e6 times a link behind a leaf with little mass and much inertia; in single
    // precision, with seven digits, 1e3 times
    for (ratio, single) in [(1e6, false), (1e3, true)] {
        let mut robot = dh_chain(4, true, 5);
        robot.bodies[4].mass *= ratio;
        robot.bodies[3].mass /= ratio;
        assert!(solve(&model(&robot), &[0.1; 11]).is_ok());
        if single {
            assert!(solve(&model(&robot).cast::<f32>(), &lift(&[0.1; 11])).is_ok());
        }
    }
}

/// The length of an axis does not matter, whatever the scalar.
#[test]
fn axes_of_any_length_point_the_same_way() {
    let turn = |length: f64| {
        let mut builder = TreeBuilder::<f32>::new();
        let spec = BodySpec::new("wheel", None, Joint::Revolute { axis: [length, 0.0, 0.0] })
            .with_inertia(1.0, Vec3::zero(), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        builder.add(spec).expect("valid");
        solve(&builder.build().expect("valid"), &[6.0]).expect("regular")
    };
    for length in [1e-300, 1e-30, 1.0, 1e30, 1e300] {
        assert_eq!(turn(length), [6.0], "length {length:e}");
    }
}

/// Free fall costs no digit: joint accelerations are those without gravity, to the bit, and the
/// base falls.
#[test]
fn gravity_does_not_enter_the_joints_of_a_falling_robot() {
    let mut rng = Rng::new(63);
    let mut robot = dh_chain(5, true, 8);
    robot.gravity = [1.0, -2.0, -9.81];
    let falling = model(&robot);
    robot.gravity = [0.0; 3];
    let floating = model(&robot);
    let s = random_state(&mut rng, &robot);
    let (a, b) =
        (solve(&falling, &s.q).expect("regular"), solve(&floating, &s.q).expect("regular"));
    assert_eq!(a[6..], b[6..]);
    assert_eq!(a[..3], b[..3]);
    for k in 0..3 {
        let g = [1.0, -2.0, -9.81][k];
        assert!((a[3 + k] - b[3 + k] - g).abs() < 1e-13 * (1.0 + a[3 + k].abs()));
    }
}
