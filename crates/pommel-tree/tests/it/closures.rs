//! Loop closures: the equations of motion with multipliers, by dense matrices and differences.

use nalgebra::{DMatrix, DVector};
use pommel_math::{Mat3, Transform, Vec3, Wrench};
use pommel_testkit::{Rng, Robot, RobotBody, RobotJoint, random_mechanism};
use pommel_tree::{
    Attachment, BodyId, Closure, ClosureError, ClosureWorkspace, LoopClosures, Model,
    Stabilization, Workspace, constrained_dynamics, position_rate,
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

    pub(crate) fn solve_into(
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

pub(crate) fn random_frame(rng: &mut Rng) -> Transform<f64> {
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
        6 => Closure::Distance(a, b, 0.7),
        kind => loop_joint(kind, a, b),
    }
}

/// A loop joint of one of seven kinds, the last for all higher numbers.
pub(crate) fn loop_joint(kind: usize, a: Attachment<f64>, b: Attachment<f64>) -> Closure<f64> {
    match kind {
        0 => Closure::Weld(a, b),
        1 => Closure::Revolute(a, b),
        2 => Closure::Prismatic(a, b),
        3 => Closure::Cylindrical(a, b),
        4 => Closure::Universal(a, b),
        5 => Closure::Planar(a, b),
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
