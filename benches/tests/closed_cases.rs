//! Closed cases against Pinocchio's accelerations and forces.

use std::fs;
use std::path::Path;

use pommel::math::{Mat3, Transform, Vec3};
use pommel::tree::{
    Attachment, BodyId, Closure, ClosureWorkspace, LoopClosures, Model, Stabilization, Workspace,
    constrained_dynamics,
};
use pommel_benches::rigid_body_cases::{Case, REFERENCES, RobotCase, parse_reference};
use pommel_testkit::relative_error;

fn robot(name: &str) -> RobotCase {
    RobotCase::new(Case::parse(name).expect("a case"))
}

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/closed_chains").join(name);
    fs::read_to_string(path).expect("a data set")
}

/// Accelerations and multipliers.
fn solve(
    model: &Model<f64>,
    closures: &LoopClosures<f64>,
    state: (&[f64], &[f64]),
    tau: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let mut memory = ClosureWorkspace::new(closures);
    let (mut qdd, mut lambda) = (vec![0.0; model.nv()], vec![0.0; closures.rows()]);
    let mut ws = Workspace::new(model);
    constrained_dynamics(
        model,
        closures,
        &mut ws,
        &mut memory,
        state,
        tau,
        None,
        &mut qdd,
        &mut lambda,
    )
    .expect("regular");
    (qdd, lambda)
}

#[test]
fn a_chain_with_local_loops_accelerates_as_in_pinocchio() {
    let robot = robot("loopchain-24");
    let model = robot.model();
    let truth = parse_reference(&data("loopchain-24.qdd"), model.nv()).expect("a reference");
    for (s, truth) in robot.states(REFERENCES).iter().zip(&truth) {
        let (qdd, _) = solve(&model, &robot.closures(&model), (&s.q, &s.v), &s.tau);
        let error = relative_error(&qdd, truth);
        // the digits of the reference
        assert!(error < 1e-10, "{error:.1e}");
    }
}

#[test]
fn two_arms_that_hold_one_body_accelerate_and_pull_as_in_pinocchio() {
    let robot = robot("dualgrasp-14");
    let model = robot.model();
    let ids: Vec<BodyId> = model.topology().bodies().collect();
    let text = data("dualgrasp-14.txt");
    let numbers = |line: &str| -> Vec<f64> {
        line.split_whitespace().map(|x| x.parse().expect("a number")).collect()
    };
    let lines: Vec<Vec<f64>> = text.lines().map(numbers).collect();
    let side = &robot.loops[0];
    let (a, b) = (side.a.body.expect("a body"), side.b.body.expect("a body"));
    assert_eq!(lines.len(), 18);
    for state in lines.chunks(6) {
        let [q, v, tau, frame, accelerations, wrench] = state else { panic!("six lines a state") };
        let rows = [0, 3, 6].map(|k| Vec3::from_slice(&frame[k..]));
        let meeting = Transform::new(
            Mat3::from_rows(rows[0], rows[1], rows[2]),
            Vec3::from_slice(&frame[9..]),
        );
        let first = Transform::new(Mat3::identity(), Vec3::from_f64(side.a.point));
        let weld = Closure::Weld(Attachment::on(ids[a], first), Attachment::on(ids[b], meeting));
        let closures = LoopClosures::new(&model, vec![weld], Stabilization::default())
            .expect("two bodies of one tree");
        let (qdd, lambda) = solve(&model, &closures, (q, v), tau);
        let error = relative_error(&qdd, accelerations);
        assert!(error < 1e-10, "accelerations: {error:.1e}");
        let error = relative_error(&lambda, wrench);
        assert!(error < 1e-10, "multipliers: {error:.1e}");
    }
}
