//! States of a case, and accelerations as others state them.
//!
//! The generator draws position and orientation of the base, and its velocity (linear, angular) in
//! **base** axes, as Pinocchio has it. [`Joint::Free`](pommel::tree::Joint::Free) has angular, then
//! linear velocity of the origin in **world** axes, and `w x y z`.

use std::f64::consts::PI;

use pommel::math::{Quaternion, Vec3};

use super::generator::Lcg;
use super::{Case, RobotCase};
use crate::State;

/// Number of states, from the first on, of which references are kept.
pub const REFERENCES: usize = 4;

impl RobotCase {
    /// The first `count` states of the case, in the coordinates of [`RobotCase::model`].
    ///
    /// The states of a closed case do not satisfy its loops.
    pub fn states(&self, count: usize) -> Vec<State<f64>> {
        let Case { kind, joints } = self.case;
        let mut lcg = Lcg::new(77 + 31 * joints as u64 + 1009 * kind.seed());
        (0..count).map(|_| state(&mut lcg, kind.is_floating(), joints)).collect()
    }
}

/// Angles in ±π, velocities in ±1, joint torques in ±5; no wrench on the base.
fn state(lcg: &mut Lcg, floating: bool, joints: usize) -> State<f64> {
    let (mut q, mut v, mut tau) = (Vec::new(), Vec::new(), Vec::new());
    if floating {
        q.extend([0; 3].map(|_| lcg.uniform(-1.0, 1.0)));
        q.extend(orientation(lcg));
    }
    q.extend((0..joints).map(|_| lcg.uniform(-PI, PI)));
    if floating {
        let [linear, angular] =
            [0; 2].map(|_| Vec3::from_f64([0; 3].map(|_| lcg.uniform(-1.0, 1.0))));
        let rotation = Quaternion::from_slice(&q[3..]).rotation();
        v.extend((rotation * angular).to_array());
        v.extend((rotation * linear).to_array());
        tau.extend([0.0; 6]);
    }
    v.extend((0..joints).map(|_| lcg.uniform(-1.0, 1.0)));
    tau.extend((0..joints).map(|_| lcg.uniform(-5.0, 5.0)));
    State { q, v, tau }
}

/// A unit quaternion `w x y z`, drawn `x y z w` from a ball.
fn orientation(lcg: &mut Lcg) -> [f64; 4] {
    loop {
        let [x, y, z, w] = [0; 4].map(|_| lcg.uniform(-1.0, 1.0));
        let square = x * x + y * y + z * z + w * w;
        if (0.05..=1.0).contains(&square) {
            let norm = square.sqrt();
            return [w / norm, x / norm, y / norm, z / norm];
        }
    }
}

/// Accelerations of a robot with a free base as Pinocchio states them: the base's part is its
/// spatial acceleration (linear, angular) in base axes.
///
/// The spatial acceleration lacks `ω × v` of the acceleration of the base's origin.
pub fn in_base_frame(state: &State<f64>, qdd: &[f64]) -> Vec<f64> {
    let rotation = Quaternion::from_slice(&state.q[3..]).rotation();
    let part = |x: &[f64], i: usize| Vec3::from_slice(&x[i..]);
    let (omega, velocity) = (part(&state.v, 0), part(&state.v, 3));
    let linear = rotation.transpose_mul(part(qdd, 3) - omega.cross(velocity));
    let angular = rotation.transpose_mul(part(qdd, 0));
    [&linear.to_array()[..], &angular.to_array(), &qdd[6..]].concat()
}

/// Reference accelerations: one state a line, numbers between spaces; the first [`REFERENCES`].
///
/// None if a line has not `nv` numbers or there are too few lines.
pub fn parse_reference(text: &str, nv: usize) -> Option<Vec<Vec<f64>>> {
    let numbers = |line: &str| line.split_whitespace().map(|x| x.parse().ok()).collect();
    let lines: Option<Vec<Vec<f64>>> = text.lines().take(REFERENCES).map(numbers).collect();
    lines.filter(|l| l.len() == REFERENCES && l.iter().all(|x| x.len() == nv))
}

#[cfg(test)]
mod tests {
    use pommel::tree::{Workspace, forward_dynamics};
    use pommel_testkit::relative_error;

    use super::in_base_frame;
    use crate::rigid_body_cases::{Case, RobotCase};

    fn robot(name: &str) -> RobotCase {
        RobotCase::new(Case::parse(name).expect("a case"))
    }

    #[test]
    fn the_last_numbers_drawn_are_those_of_other_languages() {
        let robot = robot("float-7");
        let body = robot.bodies.last().expect("bodies");
        assert_eq!(body.quaternion[1], 0.046_325_391_964_425_03);
        assert_eq!(body.inertia[5], -8.821_464_002_336_974e-6);
        let state = &robot.states(1)[0];
        assert_eq!(state.q[3..5], [0.313_569_710_094_281_75, 0.310_355_739_127_340_9]);
        assert_eq!(state.tau[12], -3.900_354_065_953_494_3);
    }

    /// Pinocchio 4.1.0, `aba`, first state.
    #[test]
    fn accelerations_of_a_floating_chain_are_those_of_pinocchio() {
        let truth = [
            -0.261_492_280_378_175_96,
            0.926_401_113_322_129_6,
            0.418_918_824_175_844_8,
            -1.851_115_825_966_568_8,
            1.747_441_068_429_128,
            0.568_518_762_402_984_3,
            -131.195_208_668_888_1,
            36.025_361_904_157_02,
            -217.648_578_550_477_28,
            -30.521_371_385_505_997,
            134.872_084_123_232_36,
            84.048_492_916_702_1,
            -1_070.498_733_376_047,
        ];
        let robot = robot("float-7");
        let (model, s) = (robot.model(), &robot.states(1)[0]);
        let mut qdd = [0.0; 13];
        forward_dynamics(&model, &mut Workspace::new(&model), &s.q, &s.v, &s.tau, None, &mut qdd)
            .expect("regular");
        let got = in_base_frame(s, &qdd);
        // some hundred roundings; the last joint turns a light body about its own axis
        assert!(relative_error(&got[..6], &truth[..6]) < 1e-12);
        assert!(relative_error(&got[6..], &truth[6..]) < 1e-12);
    }

    #[test]
    fn closed_cases_have_the_bodies_of_open_ones_and_their_loops() {
        let loops = [("dualgrasp2-14", 2), ("loopchain-24", 3), ("comb-24", 3), ("pinned-12", 1)];
        for (name, count) in loops {
            let closed = robot(name);
            assert_eq!(closed.loops.len(), count, "{name}");
            assert_eq!(closed.case.to_string(), name);
            let bodies = closed.case.joints + usize::from(closed.case.kind.is_floating());
            assert_eq!(closed.bodies.len(), bodies, "{name}");
        }
        assert_eq!(Case::parse("tree-7"), None, "seven joints do not make five limbs");
    }
}
