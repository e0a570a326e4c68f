//! Driven motion at and near positions where velocities are not determined.

use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write as _;

use pommel_mechanism::formulation::Method;
use pommel_mechanism::kinematics::{
    AssembleOptions, Assembler, DrivenMotion, KinematicsError, sensitivity,
};
use pommel_mechanism::{Evaluation, System};

use crate::dataset::Dataset;
use crate::failures::{Bar, Hinge, linkage, start};
use crate::support::assert_near;

/// `count` parallel cranks of a length, twice as far apart, the first driven from upright at 1 rad/s.
fn cranks(count: usize, length: f64) -> String {
    let names = ["one", "two", "three", "four"];
    let joints = [["A1", "B1"], ["A2", "B2"], ["A3", "B3"], ["A4", "B4"]];
    let gap = 2.0 * length;
    let middle = 0.5 * gap * (count - 1) as f64;
    let mut bars: Vec<Bar<'_>> =
        (0..count).map(|k| (names[k], [gap * k as f64, 0.5 * length], FRAC_PI_2)).collect();
    bars.push(("top", [middle, length], 0.0));
    let mut hinges: Vec<Hinge<'_>> = Vec::new();
    for k in 0..count {
        let x = gap * k as f64;
        hinges.push((joints[k][0], "ground", x, names[k], -0.5 * length));
        hinges.push((joints[k][1], names[k], 0.5 * length, "top", x - middle));
    }
    linkage(
        &bars,
        &hinges,
        "[[drivers]]\nname = \"turn\"\njoint = \"A1\"\n\
         motion = { type = \"polynomial\", coefficients = [1.5707963267948966, 1.0] }\n",
    )
}

/// The angle of the first crank is `π/2 + t`: flat at `t = π/2`.
#[test]
fn rates_that_are_rounding_are_refused() {
    for count in [2, 3] {
        for length in [1e-3, 1.0, 1e3] {
            let (sample, q) = start(&cranks(count, length));
            let mut motion = DrivenMotion::new(&sample.system).unwrap();
            let mut good = Vec::new();
            // from flat by so much on either side
            for off in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0] {
                for time in [FRAC_PI_2 - off, FRAC_PI_2 + off] {
                    let mut near = q.clone();
                    let angle = FRAC_PI_2 + time;
                    for k in 0..count {
                        let x = 2.0 * length * k as f64;
                        let half = 0.5 * length;
                        near[3 * k] = x + half * angle.cos();
                        near[3 * k + 1] = half * angle.sin();
                        near[3 * k + 2] = angle;
                    }
                    near[3 * count] = length * ((count - 1) as f64 + angle.cos());
                    near[3 * count + 1] = length * angle.sin();
                    let about = format!("{count} cranks of {length} m, {off:e} from flat");
                    match motion.at(time, &near) {
                        Ok(found) => {
                            // 1e-8 is the root of rounding
                            assert!(off > 1e-8, "{about}: {found:?}");
                            good.push(off);
                            // all cranks turn as the first one does
                            for k in 0..count {
                                assert!(
                                    (found.v[3 * k + 2] - 1.0).abs() < 1e-3,
                                    "{about}: {:?}",
                                    found
                                );
                                assert!(found.a[3 * k + 2].abs() < 1e-3, "{about}: {:?}", found.a);
                            }
                            assert!(found.v[3 * count + 2].abs() < 1e-3, "{about}: {found:?}");
                        }
                        // as many digits as rounding costs, twice as many for accelerations
                        Err(KinematicsError::Singular { names, .. }) => {
                            assert!(off < 2e-4, "{about}");
                            assert!(!names.is_empty() || off > 0.0, "{about}");
                        }
                        Err(other) => panic!("{about}: {other}"),
                    }
                }
            }
            assert!(good.len() >= 6, "{good:?}");
        }
    }
}

/// Wherever the samples are, both flat positions are found.
#[test]
fn singular_positions_of_redundant_linkages_are_found() {
    for count in [2, 3, 4] {
        for step in [0.05, 0.1, 0.13, 0.21, 0.37] {
            let (sample, q) = start(&cranks(count, 1.0));
            let mut motion = DrivenMotion::new(&sample.system).unwrap();
            let times: Vec<f64> =
                (0..).map(|k| step * f64::from(k)).take_while(|t| *t < 5.5).collect();
            let mut samples = Vec::new();
            let found = motion.motion(&times, &q, &mut samples, |_| ()).unwrap();
            let found: Vec<f64> = found.iter().map(|s| s.time).collect();
            assert_eq!(found.len(), 2, "{count} cranks every {step} s: {found:?}");
            assert_near(&found, &[FRAC_PI_2, 3.0 * FRAC_PI_2], 1e-5);
        }
    }
}

/// A chain whose joints are all driven has small singular values, the smaller the longer it is, and is
/// determined everywhere.
#[test]
fn long_chains_are_determined() {
    let count = 1000;
    let mut text = String::from("name = \"chain\"\nkind = \"planar\"\n");
    for k in 0..count {
        let parent = if k == 0 { "ground".to_owned() } else { format!("b{}", k - 1) };
        let at = if k == 0 { 0.0 } else { 0.5 };
        let _ = writeln!(
            text,
            "[[bodies]]\nname = \"b{k}\"\nmass = 1.0\ninertia = 0.1\n\
             position = [{}, 0.0]\nangle = 0.0\n\
             [[joints]]\nname = \"j{k}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
             child = \"b{k}\"\nin_parent = {{ position = [{at}, 0.0] }}\n\
             in_child = {{ position = [-0.5, 0.0] }}\n\
             [[drivers]]\njoint = \"j{k}\"\n\
             motion = {{ type = \"sine\", amplitude = 0.01, angular_frequency = 1.0 }}",
            0.5 + f64::from(k)
        );
    }
    let (sample, q) = start(&text);
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    let found = motion.at(0.0, &q).unwrap();
    assert!(found.determinacy < 1e-4, "{}", found.determinacy);
    // every joint turns by 0.01 rad/s more than the one before
    for k in 0..count as usize {
        let spin = 0.01 * (k + 1) as f64;
        assert!((found.v[3 * k + 2] - spin).abs() < 1e-9 * (1.0 + spin), "{k}");
    }
}

/// Assembled flat, a parallelogram is flat to the root of rounding, and known as singular.
#[test]
fn a_start_at_a_change_point_is_assembled_to_rounding() {
    let (sample, q) = start(&cranks(2, 1.0));
    let mut assembler = Assembler::new(&sample.system).unwrap();
    let mut flat = q.clone();
    for (k, (x, angle)) in [(-0.5, PI), (1.5, PI), (0.0, 0.0)].into_iter().enumerate() {
        flat[3 * k..3 * k + 3].copy_from_slice(&[x, 1e-3, angle + 1e-3]);
    }
    let options = AssembleOptions::default();
    assembler.assemble(&sample.system, FRAC_PI_2, &mut flat, &options).unwrap();
    let angles = [flat[2] - PI, flat[5] - PI, flat[8]];
    assert!(angles.iter().all(|x| x.abs() < 1e-6), "{angles:?}");
    let found = DrivenMotion::new(&sample.system).unwrap().at(FRAC_PI_2, &flat).unwrap_err();
    assert!(matches!(found, KinematicsError::Singular { .. }), "{found}");
}

/// What rounding of the position makes of accelerations by singular values.
fn changes(system: &System<f64>, (q, v): (&[f64], &[f64]), time: f64) -> f64 {
    let mut evaluation = Evaluation::new(system);
    let turns = evaluation.turns().to_vec();
    let solve = |evaluation: &mut Evaluation<f64>, q: &[f64], v: &[f64]| {
        let equations = system.equations(evaluation, (q, v));
        let mut formulation = Method::Svd.build(&equations).unwrap();
        let (mut a, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
        formulation.solve(&equations, &mut a, &mut lambda).ok().map(|_| a)
    };
    system.evaluate(time, q, v, &mut evaluation);
    let a = solve(&mut evaluation, q, v).unwrap();
    sensitivity(system, time, (q, v), &turns, &a, solve).unwrap()
}

/// Away from singular positions, accelerations change little with rounding; of a parallelogram at `off` from
/// flat they lose all digits as it gets small.
#[test]
fn rounding_decides_about_accelerations_near_singular_positions_only() {
    for data in Dataset::all() {
        // states to ten digits and more
        for state in &data.states {
            let found = changes(&data.system, (&state.q, &state.v), state.t);
            assert!(found < 1e-6, "{} at {}: {found:e}", data.name, state.t);
        }
    }
    let free = cranks(2, 1.0);
    let (free, _) = free.split_once("[[drivers]]").unwrap();
    let (sample, _) = start(free);
    let mut least = f64::INFINITY;
    for off in [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
        let angle = PI + off;
        let (sin, cos) = angle.sin_cos();
        let mut q = vec![0.5 * cos, 0.5 * sin, angle, 2.0 + 0.5 * cos, 0.5 * sin, angle];
        q.extend([1.0 + cos, sin, 0.0]);
        let crank = [-0.5 * sin, 0.5 * cos, 1.0];
        let v = [&crank[..], &crank, &[-sin, cos, 0.0]].concat();
        let found = changes(&sample.system, (&q, &v), 0.0);
        if off >= 1e-2 {
            assert!(found < 1e-6, "{off:e}: {found:e}");
        }
        if off <= 1e-5 {
            assert!(found > 1e-4, "{off:e}: {found:e}");
        }
        least = least.min(found);
    }
    assert!(least < 1e-12, "{least:e}");
}

/// Nothing moves and nothing is accelerated in equilibrium, but for rounding; and off its constraints a
/// redundant mechanism is known to about the drift.
#[test]
fn equilibria_and_drift_do_not_pass_for_singular_positions() {
    for count in [2, 3] {
        let model = cranks(count, 1.0);
        let (free, _) = model.split_once("[[drivers]]").unwrap();
        for gravity in ["gravity = [0.0, 0.0]", "gravity = [0.0, -9.81]"] {
            let free = free.replacen("kind", &format!("{gravity}\nkind"), 1);
            let (sample, _) = start(&free);
            // hanging, and turned by 1 rad at 1 rad/s
            for (angle, speed) in [(-FRAC_PI_2, 0.0), (1.0, 1.0)] {
                let (sin, cos) = f64::sin_cos(angle);
                let (mut q, mut v) = (Vec::new(), Vec::new());
                for k in 0..count {
                    q.extend([2.0 * k as f64 + 0.5 * cos, 0.5 * sin, angle]);
                    v.extend([-0.5 * speed * sin, 0.5 * speed * cos, speed]);
                }
                q.extend([(count - 1) as f64 + cos, sin, 0.0]);
                v.extend([-speed * sin, speed * cos, 0.0]);
                for off in [0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6] {
                    let shift: Vec<f64> = (0..v.len())
                        .map(|k| off * (((k * 7 + 3) % 11) as f64 / 5.0 - 1.0))
                        .collect();
                    let mut near = q.clone();
                    sample.system.displace(&mut near, &shift);
                    let found = changes(&sample.system, (&near, &v), 0.0);
                    let about = format!("{count} cranks at {angle}, {gravity}, off by {off:e}");
                    assert!(found < 1e-12 + 100.0 * off, "{about}: {found:e}");
                }
            }
        }
    }
}

/// A spatial double crank whose first crank is flat twice a turn, with gears that know turns.
#[test]
fn singular_positions_are_sought_with_the_turns_of_their_samples() {
    let mut text = String::from("name = \"geared\"\nkind = \"spatial\"\n");
    let (sin, cos) = 1f64.sin_cos();
    let mut body = |name: &str, at: [f64; 3], angle: f64| {
        let (sin, cos) = (0.5 * angle).sin_cos();
        let _ = writeln!(
            text,
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\nposition = {at:?}\n\
             quaternion = [{cos}, 0.0, 0.0, {sin}]"
        );
    };
    body("left", [0.5 * cos, 0.5 * sin, 0.0], 1.0);
    body("right", [2.0 + 0.5 * cos, 0.5 * sin, 0.0], 1.0);
    body("top", [1.0 + cos, sin, 0.0], 0.0);
    body("wheel", [0.0, -3.0, 0.0], 0.37);
    body("slow", [0.0, -6.0, 0.0], 0.1);
    for (name, parent, at, child, from) in [
        ("A", "ground", [0.0, 0.0], "left", -0.5),
        ("D", "ground", [2.0, 0.0], "right", -0.5),
        ("B", "left", [0.5, 0.0], "top", -1.0),
        ("C", "right", [0.5, 0.0], "top", 1.0),
        ("W", "ground", [0.0, -3.0], "wheel", 0.0),
        ("S", "ground", [0.0, -6.0], "slow", 0.0),
    ] {
        let _ = writeln!(
            text,
            "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\nchild = \"{child}\"\n\
             axis = [0.0, 0.0, 1.0]\nin_parent = {{ position = [{}, {}, 0.0] }}\n\
             in_child = {{ position = [{from}, 0.0, 0.0] }}",
            at[0], at[1]
        );
    }
    for (second, ratio) in [("W", 0.37), ("S", 0.1)] {
        let _ = writeln!(
            text,
            "[[constraints]]\ntype = \"gear\"\nname = \"gear {second}\"\njoint1 = \"A\"\n\
             joint2 = \"{second}\"\nratio = {ratio}"
        );
    }
    text += "[[drivers]]\nname = \"turn\"\njoint = \"A\"\n\
             motion = { type = \"polynomial\", coefficients = [1.0, 10.0] }\n";
    for step in [0.1, 0.5, 1.0, 1.3] {
        let (sample, q) = start(&text);
        let mut motion = DrivenMotion::new(&sample.system).unwrap();
        let times: Vec<f64> = (0..=(4.0 / step) as usize).map(|k| step * k as f64).collect();
        let mut samples = Vec::new();
        let found = motion.motion(&times, &q, &mut samples, |_| ());
        let found = found.unwrap_or_else(|error| panic!("every {step} s: {error}"));
        assert_eq!(samples.len(), times.len());
        if step == 0.1 {
            // angles from 1 to 41 rad pass 13 multiples of π
            assert_eq!(found.len(), 13, "{found:?}");
        }
        // flat at a multiple of π, of which coarse samples see some
        for position in &found {
            let turns = (1.0 + 10.0 * position.time) / PI;
            assert!((turns - turns.round()).abs() < 1e-4, "every {step} s: {position:?}");
        }
        for at in &samples {
            for (body, ratio) in [(3, 0.37), (4, 0.1)] {
                let half = 0.5 * ratio * (1.0 + 10.0 * at.time);
                let same = at.q[7 * body + 3] * half.cos() + at.q[7 * body + 6] * half.sin();
                assert!((same.abs() - 1.0).abs() < 1e-12, "every {step} s: {at:?}");
            }
        }
    }
}
