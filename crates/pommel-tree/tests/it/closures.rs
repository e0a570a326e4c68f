//! Loop closures: the equations of motion with multipliers, by dense matrices and differences.

use nalgebra::{DMatrix, DVector};
use pommel_math::{Mat3, Transform, Vec3, Wrench};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, random_mechanism};
use pommel_tree::{
    Attachment, BodyId, Closure, ClosureError, ClosureQuantity, ClosureWorkspace, LoopClosures,
    Model, Stabilization, TreeError, Workspace, constrained_dynamics, position_rate,
};

use crate::common::{State, model, random_state, two_trees, wrenches};

/// Everything that one call needs.
pub(crate) struct Case<'a> {
    pub(crate) model: &'a Model<f64>,
    pub(crate) closures: LoopClosures<f64>,
    pub(crate) ws: Workspace<f64>,
    pub(crate) memory: ClosureWorkspace<f64>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(model: &'a Model<f64>, closures: Vec<Closure<f64>>) -> Self {
        Case::stabilized(model, closures, Stabilization { alpha: 2.0, beta: 3.0 })
    }

    pub(crate) fn stabilized(
        model: &'a Model<f64>,
        closures: Vec<Closure<f64>>,
        stabilization: Stabilization<f64>,
    ) -> Self {
        let closures = LoopClosures::new(model, closures, stabilization).expect("valid");
        let memory = ClosureWorkspace::new(&closures);
        Case { model, closures, ws: Workspace::new(model), memory }
    }

    pub(crate) fn solve(&mut self, s: &State) -> Result<(Vec<f64>, Vec<f64>), ClosureError> {
        let mut qdd = vec![0.0; self.model.nv()];
        let mut lambda = vec![0.0; self.closures.rows()];
        let external = wrenches(&s.wrenches);
        self.solve_into(s, Some(&external), &mut qdd, &mut lambda)?;
        Ok((qdd, lambda))
    }

    fn solve_into(
        &mut self,
        s: &State,
        external: Option<&[Wrench<f64>]>,
        qdd: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), ClosureError> {
        constrained_dynamics(
            self.model,
            &self.closures,
            &mut self.ws,
            &mut self.memory,
            (&s.q, &s.v),
            &s.tau,
            external,
            qdd,
            lambda,
        )
    }

    /// `Φ` and `Φ̇`; the rows are found even where they contradict one another.
    fn residuals(&mut self, s: &State) -> (DVector<f64>, DVector<f64>) {
        let _ = self.solve(s);
        let n = self.closures.rows();
        (
            DVector::from_iterator(n, self.memory.position_residuals()),
            DVector::from_iterator(n, self.memory.velocity_residuals()),
        )
    }

    /// `Φ_q`, column by column: `Φ̇` is linear in the velocities.
    pub(crate) fn jacobian(&mut self, s: &State) -> DMatrix<f64> {
        let (rows, n) = (self.closures.rows(), self.model.nv());
        let mut j = DMatrix::zeros(rows, n);
        for k in 0..n {
            let mut v = vec![0.0; n];
            v[k] = 1.0;
            let unit = State { v, ..s.clone() };
            j.set_column(k, &self.residuals(&unit).1);
        }
        j
    }
}

/// The state a little later.
fn moved(model: &Model<f64>, s: &State, qdd: &[f64], h: f64) -> State {
    let mut rate = vec![0.0; model.nq()];
    position_rate(model, &s.q, &s.v, &mut rate);
    let step =
        |x: &[f64], r: &[f64]| -> Vec<f64> { x.iter().zip(r).map(|(x, r)| x + h * r).collect() };
    State { q: step(&s.q, &rate), v: step(&s.v, qdd), ..s.clone() }
}

fn random_frame(rng: &mut Rng) -> Transform<f64> {
    let rotation = Mat3::from_rpy(rng.vector(3.0));
    Transform::new(rotation, Vec3::from_f64(rng.vector(0.4)))
}

/// A random closure between two bodies, or a body and the ground.
fn random_closure(rng: &mut Rng, model: &Model<f64>) -> Closure<f64> {
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let end = |rng: &mut Rng, may_be_ground: bool| {
        let frame = random_frame(rng);
        if may_be_ground && rng.below(3) == 0 {
            Attachment::ground(frame)
        } else {
            Attachment::on(bodies[rng.below(bodies.len())], frame)
        }
    };
    let (a, b) = (end(rng, true), end(rng, false));
    match rng.below(8) {
        0 => Closure::Weld(a, b),
        1 => Closure::Revolute(a, b),
        2 => Closure::Prismatic(a, b),
        3 => Closure::Cylindrical(a, b),
        4 => Closure::Universal(a, b),
        5 => Closure::Planar(a, b),
        6 => Closure::Distance(a, b, 0.7),
        _ => Closure::Spherical(a, b),
    }
}

fn dense_check(case: &mut Case<'_>, robot: &Robot, s: &State, what: &str) {
    let (qdd, lambda) = case.solve(s).unwrap_or_else(|e| panic!("{what}: {e}"));
    let (phi, phi_rate) = case.residuals(s);
    let j = case.jacobian(s);
    let terms = robot.terms(&s.q, &s.v, Some(&s.wrenches));
    let a = DVector::from_row_slice(&qdd);
    let l = DVector::from_row_slice(&lambda);
    let tau = DVector::from_row_slice(&s.tau);
    // the equations of motion, relative to their terms
    let residual = (&terms.mass_matrix * &a + j.transpose() * &l + &terms.bias - &tau).amax();
    let size = (terms.mass_matrix.abs() * a.abs()).amax()
        + (j.transpose().abs() * l.abs()).amax()
        + terms.bias.amax()
        + tau.amax();
    // a stiff loop costs up to two digits (the limit at which it waits for more joints)
    assert!(residual < 1e-11 * size, "{what}: motion {:.1e}", residual / size);
    // Φ̈ by differences along the motion
    let h = 1e-5;
    let (before, after) = (moved(case.model, s, &qdd, -h), moved(case.model, s, &qdd, h));
    let rate = (case.residuals(&after).1 - case.residuals(&before).1) / (2.0 * h);
    let wanted = -(4.0 * &phi_rate) - 9.0 * &phi;
    let size = 1.0 + (j.abs() * a.abs()).amax() + rate.amax() + wanted.amax();
    let error = (rate - wanted).amax();
    // the error of the difference is about h² times the third derivative
    assert!(error < 1e-9 * size * (1.0 + size), "{what}: Φ̈ {error:.1e} of {size:.1e}");
}

/// The smallest eigenvalue of `J M⁻¹ Jᵀ`, scaled to a unit diagonal.
fn least_eigenvalue(j: &DMatrix<f64>, robot: &Robot, s: &State) -> f64 {
    let mass_matrix = robot.terms(&s.q, &s.v, None).mass_matrix;
    let inverse = mass_matrix.cholesky().expect("positive definite");
    let mut mobility = j * inverse.solve(&j.transpose());
    // a row that moves by rounding only makes it singular
    let rounding = 1e-24 * mobility.diagonal().max();
    let size = |d: &f64| if *d > rounding { d.sqrt() } else { f64::INFINITY };
    let sizes: Vec<f64> = mobility.diagonal().iter().map(size).collect();
    for (r, a) in sizes.iter().enumerate() {
        for (c, b) in sizes.iter().enumerate() {
            mobility[(r, c)] /= a * b;
        }
    }
    mobility.symmetric_eigenvalues().min()
}

/// Random mechanisms with one random closure each, wrenches and all.
#[test]
fn random_closures_satisfy_the_equations_with_multipliers() {
    let mut rng = Rng::new(91);
    let (mut solved, mut refused) = (0, 0);
    for case in 0..600 {
        let robot = random_mechanism(&mut rng, 2 + case % 14, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let closure = random_closure(&mut rng, &model);
        let Ok(closures) = LoopClosures::new(&model, vec![closure], Stabilization::default())
        else {
            continue;
        };
        let mut case_of = Case::new(&model, closures.closures().to_vec());
        match case_of.solve(&s) {
            // a random closure may ask for more than the joints can do
            Err(error @ ClosureError::Inconsistent { .. }) => {
                let least = least_eigenvalue(&case_of.jacobian(&s), &robot, &s);
                assert!(least < 1e-9, "case {case}: {least:.1e} {error}");
                refused += 1;
                continue;
            }
            Err(e) => panic!("case {case}: {e}"),
            Ok(_) => {}
        }
        dense_check(&mut case_of, &robot, &s, &format!("case {case} {closure:?}"));
        solved += 1;
    }
    assert!(solved > 350 && refused > 50, "{solved} solved, {refused} refused");
}

/// Several closures at once, nested and crossing, on trees with enough freedom.
#[test]
fn several_closures_satisfy_the_equations_with_multipliers() {
    let mut rng = Rng::new(92);
    let (mut solved, mut refused) = (0, 0);
    for case in 0..200 {
        let robot = random_mechanism(&mut rng, 14, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let closures: Vec<_> = (0..3).map(|_| random_closure(&mut rng, &model)).collect();
        if LoopClosures::new(&model, closures.clone(), Stabilization::default()).is_err() {
            continue;
        }
        let mut case_of = Case::new(&model, closures);
        match case_of.solve(&s) {
            Err(error @ ClosureError::Inconsistent { .. }) => {
                let least = least_eigenvalue(&case_of.jacobian(&s), &robot, &s);
                assert!(least < 1e-9, "case {case}: {least:.1e} {error}");
                refused += 1;
                continue;
            }
            Err(e) => panic!("case {case}: {e}"),
            Ok(_) => {}
        }
        dense_check(&mut case_of, &robot, &s, &format!("case {case}"));
        solved += 1;
    }
    assert!(solved > 60 && refused > 20, "{solved} solved, {refused} refused");
}

/// `Φ̇` is the rate of `Φ` (for rows of welds only near closure, where their angles are defined).
#[test]
fn violations_have_the_rates_that_are_reported() {
    let mut rng = Rng::new(93);
    for case in 0..200 {
        let robot = random_mechanism(&mut rng, 6, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let closure = random_closure(&mut rng, &model);
        if matches!(closure, Closure::Weld(..) | Closure::Prismatic(..))
            || LoopClosures::new(&model, vec![closure], Stabilization::default()).is_err()
        {
            continue;
        }
        let mut case_of = Case::new(&model, vec![closure]);
        let rate = case_of.residuals(&s).1;
        let h = 1e-6;
        let zero = vec![0.0; model.nv()];
        let (before, after) = (moved(&model, &s, &zero, -h), moved(&model, &s, &zero, h));
        let found = (case_of.residuals(&after).0 - case_of.residuals(&before).0) / (2.0 * h);
        let error = (found - &rate).amax();
        assert!(error < 1e-7 * (1.0 + rate.amax()), "case {case} {closure:?}: {error:.1e}");
    }
}

/// A gear between two joints of a chain, of a tree, or of two trees, with rotors and armatures.
#[test]
fn gears_tie_joints_together() {
    let mut rng = Rng::new(94);
    let mut tied = 0;
    for case in 0..300 {
        let mechanism = |rng: &mut Rng, n| random_mechanism(rng, n, case % 2 == 0);
        let robot = match case % 3 {
            0 => crate::common::dh_chain(8, case % 2 == 0, case as u64),
            1 => mechanism(&mut rng, 10),
            _ => two_trees(&mechanism(&mut rng, 6), &mechanism(&mut rng, 5)),
        };
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let one = |i: &usize| robot.coordinates(*i).1.len() == 1;
        let joints: Vec<usize> = (0..robot.bodies.len()).filter(one).collect();
        if joints.len() < 2 {
            continue;
        }
        let velocity = |rng: &mut Rng| robot.coordinates(joints[rng.below(joints.len())]).1.start;
        let (a, b) = (velocity(&mut rng), velocity(&mut rng));
        if a == b {
            continue;
        }
        let gear = Closure::Gear { a, b, ratio: -2.5, offset: 0.3 };
        let mut case_of = Case::new(&model, vec![gear]);
        dense_check(&mut case_of, &robot, &s, &format!("case {case}"));
        tied += 1;
    }
    assert!(tied > 220, "{tied}");
}

/// A parallelogram of four bars in a plane: a revolute closure has five rows, of which three depend
/// on the plane that the joints keep anyway.
pub(crate) fn parallelogram() -> (Robot, State, [Attachment<f64>; 2], Model<f64>) {
    let z = RobotJoint::Revolute([0.0, 0.0, 1.0]);
    let bar = |parent, origin: [f64; 3]| {
        RobotBody::new(parent, z).placed([0.0; 3], origin).with_inertia(
            1.5,
            [0.5, 0.0, 0.0],
            [0.01, 0.2, 0.2, 0.0, 0.0, 0.0],
        )
    };
    // crank and coupler from the left, rocker from the right
    let robot = Robot {
        bodies: vec![
            bar(None, [0.0; 3]),
            bar(Some(0), [1.0, 0.0, 0.0]),
            bar(None, [2.0, 0.0, 0.0]),
        ],
        gravity: [0.0, -9.81, 0.0],
    };
    let (angle, rate) = (1.1, 0.7);
    let s = State {
        q: vec![angle, -angle, angle],
        v: vec![rate, -rate, rate],
        tau: vec![2.0, 0.0, -1.0],
        wrenches: vec![[0.0; 6]; 3],
    };
    let model = model(&robot);
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let at = |x| Transform::new(Mat3::identity(), Vec3::from_f64([x, 0.0, 0.0]));
    let ends = [Attachment::on(bodies[1], at(2.0)), Attachment::on(bodies[2], at(1.0))];
    (robot, s, ends, model)
}

/// By hand: all bars but the coupler turn alike, the coupler does not turn: `(2 I + m l²) α = τ − …`.
#[test]
fn a_parallelogram_has_three_dependent_rows_and_the_acceleration_computed_by_hand() {
    let (_, s, [a, b], model) = parallelogram();
    let mut case = Case::new(&model, vec![Closure::Revolute(a, b)]);
    let (qdd, _) = case.solve(&s).expect("consistent");
    assert_eq!(case.memory.dependent_rows().count(), 3);
    // cranks: 0.2 + 1.5 · 0.25 about their ends; the coupler moves as a point on a circle of 1 m
    let inertia = 2.0 * (0.2 + 1.5 * 0.25) + 1.5;
    let gravity = -9.81 * 1.1_f64.cos() * (1.5 * 0.5 + 1.5 + 1.5 * 0.5);
    let alpha = (2.0 - 1.0 + gravity) / inertia;
    for (found, truth) in qdd.iter().zip([alpha, -alpha, alpha]) {
        assert!((found - truth).abs() < 1e-12 * alpha.abs(), "{qdd:?} {alpha}");
    }
}

/// Closing a loop twice changes no acceleration, and the multipliers of both add up.
#[test]
fn redundant_closures_change_no_acceleration() {
    let mut rng = Rng::new(95);
    for free in [false, true] {
        let robot = crate::common::dh_chain(9, free, 7);
        let s = random_state(&mut rng, &robot);
        let model = model(&robot);
        let bodies: Vec<BodyId> = model.topology().bodies().collect();
        let ends = (
            Attachment::on(bodies[1], random_frame(&mut rng)),
            Attachment::on(bodies[8], random_frame(&mut rng)),
        );
        let weld = Closure::Weld(ends.0, ends.1);
        let (one, one_lambda) = Case::new(&model, vec![weld]).solve(&s).expect("regular");
        let mut twice = Case::new(&model, vec![weld, weld]);
        let (two, two_lambda) = twice.solve(&s).expect("consistent");
        assert_eq!(twice.memory.dependent_rows().count(), 6);
        let close = |a: &[f64], b: &[f64]| {
            let size = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let worst = a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(worst < 1e-9 * size, "{worst:.1e} of {size:.1e}");
        };
        close(&one, &two);
        let sum: Vec<f64> = (0..6).map(|k| two_lambda[k] + two_lambda[k + 6]).collect();
        close(&one_lambda, &sum);
    }
}

/// A second closure that asks for another distance contradicts the first.
#[test]
fn contradicting_closures_are_an_error_that_names_them() {
    let (_, s, [a, b], model) = parallelogram();
    let elsewhere = Attachment {
        frame: Transform::new(Mat3::identity(), Vec3::from_f64([1.0, 0.3, 0.0])),
        ..b
    };
    let pins = vec![Closure::Spherical(a, b), Closure::Spherical(a, elsewhere)];
    let error = Case::new(&model, pins).solve(&s).expect_err("a contradiction");
    let ClosureError::Inconsistent { closure, residual, limit, .. } = &error else {
        panic!("{error}");
    };
    assert!(*closure < 2 && residual > limit, "{error}");
    assert!(error.to_string().contains("contradicts"), "{error}");
}

/// A clone has the bits and the room of its original.
#[test]
fn a_clone_of_the_memory_serves_as_well() {
    let mut rng = Rng::new(98);
    let robot = crate::common::dh_chain(12, true, 4);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let frame = |rng: &mut Rng| random_frame(rng);
    let closures = vec![
        Closure::Weld(
            Attachment::on(bodies[2], frame(&mut rng)),
            Attachment::on(bodies[11], frame(&mut rng)),
        ),
        Closure::Spherical(
            Attachment::on(bodies[5], frame(&mut rng)),
            Attachment::ground(frame(&mut rng)),
        ),
    ];
    let mut case = Case::new(&model, closures);
    let fresh = case.memory.clone();
    let truth = case.solve(&s).expect("regular");
    let used = case.memory.clone();
    for memory in [fresh, used] {
        case.memory = memory;
        let (mut qdd, mut lambda) = (vec![0.0; model.nv()], vec![0.0; 9]);
        let external = wrenches(&s.wrenches);
        let (result, allocations) = pommel_testkit::count_allocations(|| {
            case.solve_into(&s, Some(&external), &mut qdd, &mut lambda)
        });
        result.expect("regular");
        assert_eq!((allocations, (qdd, lambda)), (0, truth.clone()));
    }
}

/// Closures of a chain on a tree with as many links.
#[test]
#[should_panic(expected = "the closures were made for another model")]
fn closures_of_another_tree_are_refused() {
    let z = RobotJoint::Revolute([0.0, 0.0, 1.0]);
    let bar = |parent| {
        RobotBody::new(parent, z).placed([0.1, 0.2, 0.3], [1.0, 0.0, 0.0]).with_inertia(
            1.5,
            [0.5, 0.0, 0.0],
            [0.01, 0.2, 0.2, 0.0, 0.0, 0.0],
        )
    };
    let robot = |parents: [Option<usize>; 3]| Robot {
        bodies: parents.into_iter().map(bar).collect(),
        gravity: [0.0; 3],
    };
    let (chain, tree) =
        (model(&robot([None, Some(0), Some(1)])), model(&robot([None, Some(0), Some(0)])));
    let bodies: Vec<BodyId> = chain.topology().bodies().collect();
    let identity = Transform::identity();
    let closure = Closure::Spherical(
        Attachment::on(bodies[0], identity),
        Attachment::on(bodies[2], identity),
    );
    let mut case = Case::new(&chain, vec![closure]);
    case.model = &tree;
    case.ws = Workspace::new(&tree);
    let s = random_state(&mut Rng::new(1), &robot([None, Some(0), Some(0)]));
    let _ = case.solve(&s);
}

#[test]
fn closures_that_cannot_be_are_refused() {
    let (_, _, [a, b], model) = parallelogram();
    let made = |closure, alpha, beta| {
        let stabilization = Stabilization { alpha, beta };
        LoopClosures::new(&model, vec![closure], stabilization).expect_err("refused")
    };
    let pin = Closure::Spherical(a, b);
    for (alpha, beta) in [(-1.0, 0.0), (0.0, f64::NAN), (f64::INFINITY, 0.0)] {
        assert_eq!(made(pin, alpha, beta), ClosureError::InvalidStabilization);
    }
    let invalid = |closure, quantity| {
        assert_eq!(made(closure, 0.0, 0.0), ClosureError::Invalid { closure: 0, quantity });
    };
    for length in [0.0, -2.0, f64::NAN] {
        invalid(Closure::Distance(a, b, length), ClosureQuantity::Distance);
    }
    let mut wrong = a;
    wrong.frame.translation.x = f64::NAN;
    invalid(Closure::Spherical(wrong, b), ClosureQuantity::Frame);
    let mut mirrored = a;
    mirrored.frame.rotation.z = -mirrored.frame.rotation.z;
    invalid(Closure::Weld(mirrored, b), ClosureQuantity::Rotation);
    let gear = Closure::Gear { a: 0, b: 1, ratio: f64::NAN, offset: 0.0 };
    invalid(gear, ClosureQuantity::Gear);
    let gear = Closure::Gear { a: 1, b: 1, ratio: 1.0, offset: 0.0 };
    assert_eq!(made(gear, 0.0, 0.0), ClosureError::SameVelocity { closure: 0, velocity: 1 });
}

#[test]
fn closures_that_close_nothing_are_refused() {
    let (_, _, [a, _], model) = parallelogram();
    let none = Stabilization::default();
    let same = LoopClosures::new(&model, vec![Closure::Spherical(a, a)], none);
    assert_eq!(same.expect_err("same link"), ClosureError::SameLink { closure: 0 });
    let gear = Closure::Gear { a: 0, b: 9, ratio: 1.0, offset: 0.0 };
    let wrong = LoopClosures::new(&model, vec![gear], none).expect_err("no such velocity");
    assert_eq!(wrong, ClosureError::NotOneCoordinate { closure: 0, velocity: 9 });
}

/// A robot in orbit with a loop accelerates in its joints as one at rest.
#[test]
fn orbital_motion_changes_no_acceleration_of_a_loop() {
    let mut rng = Rng::new(96);
    let robot = crate::common::dh_chain(9, true, 4);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let closure = Closure::Cylindrical(
        Attachment::on(bodies[1], random_frame(&mut rng)),
        Attachment::on(bodies[7], random_frame(&mut rng)),
    );
    let mut case = Case::new(&model, vec![closure]);
    let (here, _) = case.solve(&s).expect("regular");
    let mut far = s.clone();
    far.q[0] += 7.0e6;
    far.v[4] += 7700.0;
    let (there, _) = case.solve(&far).expect("regular");
    assert_eq!(here, there);
}

#[test]
fn nothing_is_allocated() {
    let mut rng = Rng::new(97);
    let robot = crate::common::dh_chain(12, true, 4);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let closure = Closure::Weld(
        Attachment::on(bodies[2], random_frame(&mut rng)),
        Attachment::on(bodies[11], random_frame(&mut rng)),
    );
    let mut case = Case::new(&model, vec![closure]);
    let (mut qdd, mut lambda) = (vec![0.0; model.nv()], vec![0.0; 6]);
    let (result, allocations) =
        pommel_testkit::count_allocations(|| case.solve_into(&s, None, &mut qdd, &mut lambda));
    result.expect("regular");
    assert_eq!(allocations, 0);
}

/// Numbers that are none, and a distance between coincident points: an error that says where, and no
/// number in the outputs.
#[test]
fn what_is_no_number_is_an_error_and_leaves_none() {
    let (_, s, [a, b], model) = parallelogram();
    let attempt = |closure: Closure<f64>, s: &State| {
        let mut case = Case::new(&model, vec![closure]);
        let (mut qdd, mut lambda) = (vec![0.0; 3], vec![0.0; case.closures.rows()]);
        let error = case.solve_into(s, None, &mut qdd, &mut lambda).expect_err("no number");
        assert!(qdd.iter().chain(&lambda).all(|x| x.is_nan()), "{error}");
        error
    };
    for bad in [f64::NAN, f64::INFINITY] {
        for k in 0..3 {
            let mut wrong = s.clone();
            wrong.q[k] = bad;
            let error = attempt(Closure::Revolute(a, b), &wrong);
            let ClosureError::Tree(TreeError::PositionNotFinite { position, body, .. }) = &error
            else {
                panic!("{error}")
            };
            assert_eq!((*position, body.as_str()), (k, &*format!("body{k}")));
            let mut wrong = s.clone();
            wrong.v[k] = bad;
            let error = attempt(Closure::Revolute(a, b), &wrong);
            assert!(matches!(error, ClosureError::NotFinite { closure: 0, .. }), "{error}");
            let mut wrong = s.clone();
            wrong.tau[k] = bad;
            let error = attempt(Closure::Revolute(a, b), &wrong);
            let known = matches!(
                error,
                ClosureError::NotFinite { closure: 0, .. }
                    | ClosureError::Tree(TreeError::AccelerationNotFinite { .. })
            );
            assert!(known, "{error}");
        }
    }
    let error = attempt(Closure::Distance(a, b, 1.0), &s);
    assert_eq!(error, ClosureError::NotFinite { closure: 0, row: 0 });
}
