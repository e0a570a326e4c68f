//! Trees that move in parallel planes: the sweeps in the plane against dense truth, the spatial
//! recursion and closed forms.

use pommel_math::{Counted, Lanes, Real, Vec3, count_operations};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, count_allocations, relative_error, scale};
use pommel_tree::{
    DerivativeWorkspace, ForwardDynamicsDerivatives, Model, TreeError, Workspace, forward_dynamics,
    forward_dynamics_derivatives,
};

use crate::accelerations::backward_error;
use crate::common::{State, lift, model, random_state, wrenches};

const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// A random tree whose axes are all parallel, in any direction and of either sense: bodies with
/// mass centres off the plane, some balanced wheels, sometimes a second tree in another plane.
fn planar_robot(rng: &mut Rng, bodies: usize, serial: bool) -> Robot {
    let mut robot = Robot { bodies: Vec::new(), gravity: rng.vector(10.0) };
    for i in 0..bodies {
        let parent = match i {
            0 => None,
            _ if serial => Some(i - 1),
            _ if rng.below(12) == 0 => None,
            _ => Some(rng.below(i)),
        };
        let rpy = match parent {
            None => rng.vector(3.0),
            Some(_) => {
                let roll = if rng.below(3) == 0 { std::f64::consts::PI } else { 0.0 };
                [roll, 0.0, rng.symmetric(3.0)]
            }
        };
        let sense = if rng.below(3) == 0 { -1.0 } else { 1.0 };
        robot.bodies.push(
            RobotBody::new(parent, RobotJoint::Revolute([0.0, 0.0, sense]))
                .placed(rpy, rng.vector(0.5))
                .with_inertia(
                    rng.uniform(0.5, 4.0),
                    rng.vector(0.4),
                    [0.3, 0.25, 0.2, 0.01, 0.02, 0.015],
                ),
        );
    }
    for i in 0..bodies {
        let is_tip = robot.bodies.iter().all(|b| b.parent != Some(i));
        if is_tip && !serial && rng.below(3) == 0 {
            let body = &mut robot.bodies[i];
            body.centre = [0.0, 0.0, rng.symmetric(0.4)];
            body.inertia = [0.2, 0.2, 0.3, 0.0, 0.0, 0.0];
        }
    }
    robot
}

/// The same robot with a slide beside it, which moves nothing of it, but not in a plane either.
fn beside_a_slide(robot: &Robot) -> Robot {
    let mut robot = robot.clone();
    let slide = RobotBody::new(None, RobotJoint::Prismatic(Z));
    robot.bodies.push(slide.with_inertia(1.0, [0.0; 3], [0.0; 6]));
    robot
}

fn solve<T: Real>(model: &Model<T>, s: &State, with_wrenches: bool) -> Result<Vec<T>, TreeError> {
    let external = wrenches::<T>(&s.wrenches);
    let external = with_wrenches.then_some(&external[..]);
    let mut qdd = vec![T::zero(); model.nv()];
    let (q, v, tau) = (lift(&s.q), lift(&s.v), lift(&s.tau));
    forward_dynamics(model, &mut Workspace::new(model), &q, &v, &tau, external, &mut qdd)?;
    Ok(qdd)
}

/// By the spatial recursion.
fn solve_in_space(robot: &Robot, s: &State, with_wrenches: bool) -> Result<Vec<f64>, TreeError> {
    let mut s = s.clone();
    for list in [&mut s.q, &mut s.v, &mut s.tau] {
        list.push(0.0);
    }
    s.wrenches.push([0.0; 6]);
    let mut qdd = solve(&model(&beside_a_slide(robot)), &s, with_wrenches)?;
    qdd.pop();
    Ok(qdd)
}

/// Multiplications and divisions a link.
fn products_a_link(model: &Model<f64>, s: &State) -> u64 {
    let counted = model.cast::<Counted>();
    let (_, count) = count_operations(|| solve(&counted, s, false));
    (count.mul + count.div) / model.nv() as u64
}

/// The sweeps in space take 189 products a link, those in the plane fewer than this.
const PRODUCTS: u64 = 60;

/// As `random_trees_satisfy_the_dense_equations_of_motion`, with its tolerance.
#[test]
fn random_planar_trees_satisfy_the_dense_equations_of_motion() {
    let mut rng = Rng::new(101);
    for case in 0..400 {
        let robot = planar_robot(&mut rng, 1 + case % 25, case % 3 == 0);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        assert!(products_a_link(&model, &s) < PRODUCTS, "case {case} was not solved in the plane");
        let qdd = solve(&model, &s, true).unwrap_or_else(|e| panic!("case {case}: {e}"));
        let error = backward_error(&robot, &s, &qdd);
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: backward error {error:.1e}");
        // without wrenches two links have a way of their own
        let mut free = s.clone();
        free.wrenches.fill([0.0; 6]);
        let qdd = solve(&model, &free, false).expect("regular");
        let error = backward_error(&robot, &free, &qdd);
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: backward error {error:.1e}");
    }
}

/// A common axis that is no coordinate axis, in the bodies' own frames.
#[test]
fn a_common_axis_of_any_direction_is_one_plane() {
    let mut rng = Rng::new(102);
    for case in 0..60 {
        let axis = rng.vector(1.0);
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let axis = axis.map(|x| x / length);
        let mut robot = planar_robot(&mut rng, 1 + case % 8, false);
        for body in &mut robot.bodies {
            let sense = if rng.below(2) == 0 { -1.0 } else { 1.0 };
            body.joint = RobotJoint::Revolute(axis.map(|x| sense * x));
            body.rpy = [0.0; 3];
        }
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        assert!(products_a_link(&model, &s) < PRODUCTS, "case {case} was not solved in the plane");
        let error = backward_error(&robot, &s, &solve(&model, &s, true).expect("regular"));
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: backward error {error:.1e}");
    }
}

/// Both recursions on long chains: their accelerations differ by what rounding makes of the
/// condition, which for these chains grows about as n².
#[test]
fn long_chains_move_as_in_space() {
    let mut rng = Rng::new(103);
    for n in (1..=12).chain([30, 60, 100]) {
        let robot = planar_robot(&mut rng, n, true);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        assert!(products_a_link(&model, &s) < PRODUCTS, "n = {n} was not solved in the plane");
        let qdd = solve(&model, &s, true).expect("regular");
        let truth = solve_in_space(&robot, &s, true).expect("regular");
        let error = relative_error(&qdd, &truth);
        assert!(error < 100.0 * f64::EPSILON * (n * n) as f64, "n = {n}: {error:.1e}");
        let error = backward_error(&robot, &s, &qdd);
        assert!(error < 2000.0 * f64::EPSILON, "n = {n}: backward error {error:.1e}");
    }
}

/// Point masses on massless rods, hanging from the origin.
fn pendulum(masses: &[f64], lengths: &[f64], gravity: f64) -> Robot {
    let mut robot = Robot { bodies: Vec::new(), gravity: [0.0, -gravity, 0.0] };
    for i in 0..masses.len() {
        let parent = i.checked_sub(1);
        let at = parent.map_or(0.0, |p| -lengths[p]);
        robot.bodies.push(
            RobotBody::new(parent, RobotJoint::Revolute(Z))
                .placed([0.0; 3], [0.0, at, 0.0])
                .with_inertia(masses[i], [0.0, -lengths[i], 0.0], [0.0; 6]),
        );
    }
    robot
}

/// Angular accelerations of the rods of a pendulum by the equations of Lagrange in angles `θ` from
/// the vertical, with `m_ij` the mass beyond both rods:
/// `Σ_j m_ij l_j (cos(θ_i − θ_j) θ̈_j + sin(θ_i − θ_j) θ̇_j²) = −m_ii g sin θ_i`.
fn by_lagrange(masses: &[f64], lengths: &[f64], g: f64, angles: &[f64], rates: &[f64]) -> Vec<f64> {
    let n = masses.len();
    let beyond = |i: usize| masses[i..].iter().sum::<f64>();
    let matrix = nalgebra::DMatrix::from_fn(n, n, |i, j| {
        beyond(i.max(j)) * lengths[j] * (angles[i] - angles[j]).cos()
    });
    let right = nalgebra::DVector::from_fn(n, |i, _| {
        let flung = |j: usize| {
            beyond(i.max(j)) * lengths[j] * (angles[i] - angles[j]).sin() * rates[j] * rates[j]
        };
        -beyond(i) * g * angles[i].sin() - (0..n).map(flung).sum::<f64>()
    });
    matrix.lu().solve(&right).expect("regular").iter().copied().collect()
}

#[test]
fn a_pendulum_of_point_masses_obeys_lagrange() {
    let mut rng = Rng::new(104);
    for n in 1..=20 {
        let mut list = |low, high| (0..n).map(|_| rng.uniform(low, high)).collect::<Vec<f64>>();
        let (masses, lengths) = (list(0.5, 2.0), list(0.5, 1.5));
        let (angles, rates) = (list(-3.0, 3.0), list(-2.0, 2.0));
        let relative = |x: &[f64]| -> Vec<f64> {
            (0..n).map(|i| if i == 0 { x[0] } else { x[i] - x[i - 1] }).collect()
        };
        let robot = pendulum(&masses, &lengths, 9.81);
        let (q, v) = (relative(&angles), relative(&rates));
        let s = State { q, v, tau: vec![0.0; n], wrenches: vec![[0.0; 6]; n] };
        let qdd = solve(&model(&robot), &s, false).expect("regular");
        let truth = relative(&by_lagrange(&masses, &lengths, 9.81, &angles, &rates));
        let error = relative_error(&qdd, &truth);
        // the condition of the dense matrix grows about as n²
        assert!(error < 1e3 * f64::EPSILON * (n * n) as f64, "n = {n}: {error:.1e}");
    }
}

/// Without gravity nothing depends on where the first link points. It may have turned any number of
/// times: the angles between links keep their digits.
#[test]
fn many_turns_of_the_first_link_cost_no_digit_of_the_others() {
    let mut rng = Rng::new(105);
    for case in 0..40 {
        let mut robot = planar_robot(&mut rng, 2 + case % 6, true);
        robot.gravity = [0.0; 3];
        let mut s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let truth = solve(&model, &s, false).expect("regular");
        s.q[0] += 1e6;
        let qdd = solve(&model, &s, false).expect("regular");
        // 1e6 rad have a rounding of 1e-10; here is the condition of up to seven links
        let error = relative_error(&qdd, &truth);
        assert!(error < 1e3 * f64::EPSILON, "case {case}: {error:.1e}");
    }
}

fn lanes_equal_single_runs<const L: usize>(seed: u64) {
    let mut rng = Rng::new(seed);
    for case in 0..120 {
        let base = planar_robot(&mut rng, 1 + case % 9, case % 2 == 0);
        let vary = |rng: &mut Rng, lane: usize| {
            let mut robot = base.clone();
            for body in &mut robot.bodies {
                body.mass *= rng.uniform(0.5, 2.0);
                body.origin[0] += rng.symmetric(0.1);
                // some instances leave the plane
                if case % 3 == 0 && lane == L - 1 && body.parent.is_some() {
                    body.rpy[1] += 0.3;
                }
            }
            robot
        };
        let robots: Vec<Robot> = (0..L).map(|lane| vary(&mut rng, lane)).collect();
        let models: Vec<Model<f64>> = robots.iter().map(model).collect();
        let states: Vec<State> = robots.iter().map(|r| random_state(&mut rng, r)).collect();
        let packed =
            Model::pack::<Lanes<L>>(&models.iter().collect::<Vec<_>>()).expect("one topology");
        let side = |pick: fn(&State) -> &Vec<f64>| -> Vec<Lanes<L>> {
            let count = pick(&states[0]).len();
            (0..count).map(|k| Lanes::from_lanes(|i| pick(&states[i])[k])).collect()
        };
        let (q, v, tau) = (side(|s| &s.q), side(|s| &s.v), side(|s| &s.tau));
        let external = wrenches::<Lanes<L>>(&states[0].wrenches);
        for with_wrenches in [false, true] {
            let mut ws = Workspace::new(&packed);
            let mut qdd = vec![Lanes::default(); packed.nv()];
            let external = with_wrenches.then_some(&external[..]);
            forward_dynamics(&packed, &mut ws, &q, &v, &tau, external, &mut qdd).expect("regular");
            for lane in 0..L {
                let s = State { wrenches: states[0].wrenches.clone(), ..states[lane].clone() };
                let alone = solve(&models[lane], &s, with_wrenches).expect("regular");
                for (k, (t, a)) in qdd.iter().zip(&alone).enumerate() {
                    assert_eq!(t.lane(lane).to_bits(), a.to_bits(), "case {case}, {lane}, {k}");
                }
            }
        }
    }
}

#[test]
fn lanes_in_the_plane_and_out_of_it_have_the_bits_of_single_runs() {
    lanes_equal_single_runs::<2>(106);
    lanes_equal_single_runs::<4>(107);
    lanes_equal_single_runs::<8>(108);
}

/// What is wrong is told as it is in space: kind of error, body, coordinate, lanes. Only a pivot's
/// last digits may differ.
#[test]
fn errors_are_those_of_the_recursion_in_space() {
    let mut rng = Rng::new(109);
    for case in 0..200 {
        let mut robot = planar_robot(&mut rng, 2 + case % 6, case % 2 == 0);
        let mut s = random_state(&mut rng, &robot);
        let i = rng.below(robot.bodies.len());
        let odd = if rng.below(2) == 0 { f64::NAN } else { f64::INFINITY };
        match case % 4 {
            0 => s.q[i] = odd,
            1 => s.v[i] = odd,
            2 => s.tau[i] = odd,
            _ => {
                let tip = robot.bodies.last_mut().expect("two bodies or more");
                (tip.mass, tip.inertia) = (0.0, [0.0; 6]);
            }
        }
        let ours = solve(&model(&robot), &s, false);
        let truth = solve_in_space(&robot, &s, false);
        match (&ours, &truth) {
            (
                Err(TreeError::SingularPivot { body, joint, velocity, lanes, .. }),
                Err(TreeError::SingularPivot { body: b, joint: j, velocity: v, lanes: l, .. }),
            ) => assert_eq!((body, joint, velocity, lanes), (b, j, v, l), "case {case}"),
            (Err(ours), Err(truth)) => assert_eq!(ours, truth, "case {case}"),
            (Ok(ours), Ok(truth)) => assert!(relative_error(ours, truth) < 1e-10, "case {case}"),
            _ => panic!("case {case}: {ours:?}, not {truth:?}"),
        }
    }
}

/// A balanced wheel may stand anywhere, even nowhere; the others do not notice.
#[test]
fn the_angle_of_a_wheel_does_not_matter() {
    let mut robot = pendulum(&[1.0, 2.0], &[1.0, 0.5], 9.81);
    let wheel = RobotBody::new(Some(0), RobotJoint::Revolute(Z));
    robot.bodies.push(wheel.with_inertia(0.3, [0.0; 3], [0.1, 0.1, 0.2, 0.0, 0.0, 0.0]));
    let mut s = random_state(&mut Rng::new(110), &robot);
    let model = model(&robot);
    let truth = solve(&model, &s, false).expect("regular");
    s.q[2] = f64::NAN;
    assert_eq!(solve(&model, &s, false), Ok(truth));
}

#[test]
fn a_failed_lane_is_named_and_the_others_are_valid() {
    for n in [2, 3] {
        let robot = |mass| {
            let mut masses = vec![1.0; n];
            masses[n - 1] = mass;
            pendulum(&masses, &vec![1.0; n], 9.81)
        };
        let models = [1.0, 0.0, 2.0, 3.0].map(|mass| model(&robot(mass)));
        let packed =
            Model::pack::<Lanes<4>>(&models.iter().collect::<Vec<_>>()).expect("one topology");
        let s = random_state(&mut Rng::new(111), &robot(1.0));
        let mut qdd = vec![Lanes::default(); n];
        let (q, v, tau) = (lift(&s.q), lift(&s.v), lift(&s.tau));
        let mut ws = Workspace::new(&packed);
        let error = forward_dynamics(&packed, &mut ws, &q, &v, &tau, None, &mut qdd)
            .expect_err("lane 1 has a massless tip");
        let TreeError::SingularPivot { lanes, .. } = error else { panic!("{error}") };
        assert_eq!(lanes.bits(), 0b0010);
        for lane in 0..4 {
            let got: Vec<f64> = qdd.iter().map(|x| x.lane(lane)).collect();
            match solve(&models[lane], &s, false) {
                Ok(alone) => assert_eq!(got, alone),
                Err(_) => assert!(got.iter().all(|x| x.is_nan())),
            }
        }
    }
}

/// The plane has the numbers of the model after these have changed.
#[test]
fn gravity_precision_and_exact_zeros_reach_the_plane() {
    let mut rng = Rng::new(112);
    for n in [2, 5] {
        let mut robot = planar_robot(&mut rng, n, true);
        let mut turned = model(&robot);
        robot.gravity = rng.vector(10.0);
        turned.set_gravity(Vec3::from_f64(robot.gravity));
        let s = random_state(&mut rng, &robot);
        let truth = solve(&model(&robot), &s, true).expect("regular");
        assert_eq!(solve(&turned, &s, true), Ok(truth.clone()), "n = {n}");
        let exact = solve(&turned.with_exact_zeros(), &s, true).expect("regular");
        assert!(relative_error(&exact, &truth) < 1e-12, "n = {n}");
        let single: Vec<f64> = solve(&turned.cast::<f32>(), &s, true)
            .expect("regular")
            .into_iter()
            .map(f64::from)
            .collect();
        let error = relative_error(&single, &truth);
        assert!(error < 2000.0 * f64::from(f32::EPSILON), "n = {n}: {error:.1e}");
    }
}

/// Derivatives find the columns of the factor by themselves: those of forward dynamics lie in the
/// plane.
#[test]
fn derivatives_by_forces_are_the_inverse_of_the_inertia_matrix() {
    let mut rng = Rng::new(116);
    for n in 1..8 {
        let robot = planar_robot(&mut rng, n, n % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let mut memory = DerivativeWorkspace::new(&model);
        let mut qdd = vec![0.0; n];
        let [mut position, mut velocity, mut force] = [0, 1, 2].map(|_| vec![0.0; n * n]);
        let out = ForwardDynamicsDerivatives {
            qdd: &mut qdd,
            position: &mut position,
            velocity: &mut velocity,
            force: &mut force,
        };
        forward_dynamics_derivatives(&model, &mut memory, &s.q, &s.v, &s.tau, None, out)
            .expect("regular");
        let got = nalgebra::DMatrix::from_row_slice(n, n, &force);
        let product = robot.terms(&s.q, &s.v, None).mass_matrix * got;
        let error = (product - nalgebra::DMatrix::identity(n, n)).amax();
        // the condition of up to seven links
        assert!(error < 1e-11, "n = {n}: {error:.1e}");
    }
}

/// Armature and rotors are left to the recursion in space.
#[test]
fn armature_is_felt() {
    let mut rng = Rng::new(113);
    for case in 0..20 {
        let mut robot = planar_robot(&mut rng, 2 + case % 5, case % 2 == 0);
        robot.bodies[case % 2].armature[0] = 0.7;
        let s = random_state(&mut rng, &robot);
        let qdd = solve(&model(&robot), &s, true).expect("regular");
        let error = backward_error(&robot, &s, &qdd);
        assert!(error < 2000.0 * f64::EPSILON, "case {case}: backward error {error:.1e}");
    }
}

#[test]
fn sweeps_in_the_plane_do_not_allocate() {
    let mut rng = Rng::new(114);
    for n in [2, 3, 20] {
        let robot = planar_robot(&mut rng, n, n < 20);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let external = wrenches(&s.wrenches);
        let mut ws = Workspace::new(&model);
        let mut qdd = vec![0.0; n];
        for external in [None, Some(&external[..])] {
            let (result, allocations) = count_allocations(|| {
                forward_dynamics(&model, &mut ws, &s.q, &s.v, &s.tau, external, &mut qdd)
            });
            assert_eq!((result, allocations), (Ok(()), 0));
        }
        assert!(scale(&qdd) > 0.0);
    }
}

/// Each further link of a chain costs the same; the table stands at `the_algorithm`.
#[test]
fn operation_count_of_a_planar_chain_is_affine_in_n() {
    let count = |n: usize| {
        let robot = pendulum(&vec![1.0; n], &vec![1.0; n], 9.81);
        let s = random_state(&mut Rng::new(115), &robot);
        let counted = model(&robot).cast::<Counted>();
        let (_, count) = count_operations(|| solve(&counted, &s, false));
        [count.mul, count.div, count.add, count.trig, count.sqrt]
    };
    let step = |n: usize| {
        let (a, b) = (count(n), count(n + 1));
        [0, 1, 2, 3, 4].map(|k| b[k] - a[k])
    };
    for n in [3, 4, 10, 50] {
        assert_eq!(step(n), [51, 1, 50, 1, 0], "n = {n}");
    }
}
