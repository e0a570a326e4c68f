//! Planar mechanisms in the angles of their bodies, against absolute coordinates.

use pommel_mechanism::formulation::{Formulation, SparseKkt};
use pommel_mechanism::kinematics::{KinematicsError, Metric, StateProjector};
use pommel_mechanism::open_loop::{OpenLoop, OpenLoopEvaluation, OpenLoopSolver};
use pommel_mechanism::{Evaluation, System};
use pommel_model::Mechanism;
use pommel_testkit::{Rng, count_allocations};

use crate::dataset::{Dataset, deviation};
use crate::models::{PLANAR, SPATIAL, Sample, sketch};

fn open(mechanism: &Mechanism) -> OpenLoop {
    OpenLoop::new(mechanism).expect("a system").expect("in the plane")
}

/// Coordinates and velocities of an absolute state.
fn own(of: &OpenLoop, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut u, mut w) = (vec![0.0; of.coordinates()], vec![0.0; of.coordinates()]);
    of.select(q, &mut u);
    of.select(v, &mut w);
    (u, w)
}

/// The absolute state at these coordinates.
fn expand(of: &OpenLoop, t: f64, u: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut evaluation = OpenLoopEvaluation::new(of);
    of.evaluate(t, (u, w), &[], &mut evaluation);
    let nq = of.system().nq();
    let (mut q, mut v) = (vec![0.0; nq], vec![0.0; nq]);
    of.expand(&evaluation, &mut q, &mut v);
    (q, v)
}

/// Absolute accelerations by the angles.
fn accelerations(of: &OpenLoop, t: f64, u: &[f64], w: &[f64], applied: &[f64]) -> Vec<f64> {
    let mut solver = OpenLoopSolver::new(of, t, u, w).expect("a solver");
    let (mut a, mut absolute) = (vec![0.0; u.len()], vec![0.0; of.system().nv()]);
    solver.accelerations(of, t, u, w, applied, &mut a).expect("accelerations");
    of.accelerations(solver.evaluation(), &a, &mut absolute);
    absolute
}

/// The same by all constraints.
fn by_absolute(system: &System<f64>, t: f64, q: &[f64], v: &[f64], applied: &[f64]) -> Vec<f64> {
    let mut evaluation = Evaluation::new(system);
    system.evaluate(t, q, v, &mut evaluation);
    evaluation.force_mut().iter_mut().zip(applied).for_each(|(to, f)| *to += f);
    let equations = system.equations(&evaluation, (q, v));
    let (mut a, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
    let mut kkt = SparseKkt::for_values(&equations).expect("a pattern");
    kkt.solve(&equations, &mut a, &mut lambda).expect("accelerations");
    a
}

/// All planar mechanisms with reference states: states come back from their angles, and accelerations are the
/// references.
#[test]
fn reference_accelerations_are_found_in_angles() {
    let (mut mechanisms, mut embedded) = (0, 0);
    for data in Dataset::all().into_iter().filter(|data| data.system.is_planar()) {
        let of = open(&data.mechanism);
        let left = of.coordinates() - of.rows();
        assert_eq!(left + data.system.rows(), data.system.nv(), "{}", data.name);
        for state in data.truth.iter().chain(&data.states) {
            let about = format!("{} at {} s", data.name, state.t);
            let (u, w) = own(&of, &state.q, &state.v);
            let (q, v) = expand(&of, state.t, &u, &w);
            assert!(deviation(&q, &state.q) < 1e-9, "{about}: {:e}", deviation(&q, &state.q));
            let scale = state.v.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let worst = v.iter().zip(&state.v).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(worst < 1e-8 * scale, "{about}: {worst:e}");
            let a = accelerations(&of, state.t, &u, &w, &[]);
            let known = 10f64.powf(-state.digits).max(1e-9);
            let off = deviation(&a, &state.a);
            assert!(off < 10.0 * known, "{about}: {off:e}, known to {known:e}");
        }
        mechanisms += 1;
        embedded += of.embedded_joints().len();
    }
    assert!(mechanisms >= 10 && embedded > 100, "{mechanisms} with {embedded} joints");
}

/// Trees of every type of planar joint, with and without loops, with bodies that hang on nothing: accelerations are
/// those of all constraints, with forces of all kinds and with applied ones.
#[test]
fn random_mechanisms_accelerate_alike() {
    const FORCES: &str = r#"
[[forces]]
type = "spring_damper"
body1 = "ground"
point1 = [0.3, 0.2]
body2 = "c"
point2 = [0.1, -0.4]
stiffness = 30.0
damping = 2.0
[[forces]]
type = "spring_damper"
body1 = "a"
body2 = "h"
stiffness = 12.0
[[drivers]]
joint = "tip"
motion = { type = "sine", amplitude = 0.3, angular_frequency = 2.0 }
"#;
    let mut rng = Rng::new(17);
    for seed in 0..24 {
        // with loops, all bodies are free and joints are rows
        let mut tree = Sample::new(&sketch(seed, PLANAR, true, false, FORCES));
        let motion = tree.motion(&mut rng, 1.0);
        let loops = seed % 2 == 1;
        let sample =
            if loops { Sample::new(&sketch(seed, PLANAR, true, true, FORCES)) } else { tree };
        let of = open(&sample.mechanism);
        // two of the bodies and what a joint slides on have places of their own
        assert_eq!(of.embedded_joints().len(), 3, "turn, back, tip");
        let applied = rng.list(sample.system.nv(), 5.0);
        let (u, w) = own(&of, &motion.q, &motion.v);
        let (q, v) = expand(&of, 0.4, &u, &w);
        assert!(deviation(&q, &motion.q) < 1e-13, "{seed}");
        assert!(deviation(&v, &motion.v) < 1e-13, "{seed}");
        let found = accelerations(&of, 0.4, &u, &w, &applied);
        let expected = by_absolute(&sample.system, 0.4, &q, &v, &applied);
        let off = deviation(&found, &expected);
        assert!(off < 1e-11, "{seed}: {off:e}");
    }
}

/// v is the derivative of q, and a that of v, along motions of the coordinates.
#[test]
fn velocities_and_accelerations_are_derivatives() {
    let mut rng = Rng::new(3);
    for seed in 0..6 {
        let sample = Sample::new(&sketch(seed, PLANAR, true, seed % 2 == 0, ""));
        let of = open(&sample.mechanism);
        let n = of.coordinates();
        let [u, w, a] = [1.0, 1.0, 1.0].map(|size| rng.list(n, size));
        let at = |h: f64| {
            let moved = |k: usize| (0.5 * h * a[k]).mul_add(h, w[k].mul_add(h, u[k]));
            let u: Vec<f64> = (0..n).map(moved).collect();
            let w: Vec<f64> = (0..n).map(|k| a[k].mul_add(h, w[k])).collect();
            expand(&of, 0.0, &u, &w)
        };
        let mut evaluation = OpenLoopEvaluation::new(&of);
        of.evaluate(0.0, (&u, &w), &[], &mut evaluation);
        let mut absolute = vec![0.0; of.system().nv()];
        of.accelerations(&evaluation, &a, &mut absolute);
        // central differences, off by about h² and rounding over h
        let h = 1e-5;
        let (after, before) = (at(h), at(-h));
        let slope = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        let (_, v) = at(0.0);
        assert!(deviation(&slope(&after.0, &before.0), &v) < 1e-8, "{seed}");
        assert!(deviation(&slope(&after.1, &before.1), &absolute) < 1e-8, "{seed}");
    }
}

/// Displaced states close again; velocities become those of the projection in absolute coordinates, and nothing is
/// allocated on the way.
#[test]
fn loops_close_with_the_least_change() {
    for name in
        ["a03_andrews", "fourbar_ex32", "fm24", "slidercrank", "peaucellier", "a02_fourbar_n10"]
    {
        let data = Dataset::load(name);
        let of = open(&data.mechanism);
        let state = &data.states[0];
        let mut rng = Rng::new(8);
        for size in [1e-9, 1e-6, 1e-4] {
            let (mut u, mut w) = own(&of, &state.q, &state.v);
            let reach = data.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut solver = OpenLoopSolver::new(&of, state.t, &u, &w).expect(name);
            let mut a = vec![0.0; of.coordinates()];
            solver.accelerations(&of, state.t, &u, &w, &[], &mut a).expect(name);
            u.iter_mut().zip(rng.list(of.coordinates(), size)).for_each(|(u, d)| *u += d);
            w.iter_mut().zip(rng.list(of.coordinates(), 1.0)).for_each(|(w, d)| *w += d);
            let given = w.clone();
            let (found, allocations) =
                count_allocations(|| solver.project(&of, state.t, &mut u, &mut w));
            assert_eq!(allocations, 0, "{name} {size:e}");
            let found = found.expect(name);
            assert!(found.position > 0.0 && found.velocity > 0.0, "{name}: {found:?}");
            let (q, v) = expand(&of, state.t, &u, &w);
            let mut evaluation = Evaluation::new(&data.system);
            data.system.evaluate(state.t, &q, &v, &mut evaluation);
            let gap = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(gap < 1e-12 * reach.max(1.0), "{name} {size:e}: {gap:e}");
            // the metric of kinetic energy is the same in both coordinates
            let (_, mut nearest) = expand(&of, state.t, &u, &given);
            let mut at = q.clone();
            let mut projector = StateProjector::new(&data.system, Metric::Mass);
            projector.project(&data.system, state.t, &mut at, &mut nearest).expect(name);
            let off = deviation(&v, &nearest);
            // the factor is that of a position `size` away
            assert!(off < 1e-9 + 10.0 * size, "{name} {size:e}: {off:e}");
        }
    }
}

/// At every step: nothing is allocated.
#[test]
fn accelerations_do_not_allocate() {
    let data = Dataset::load("a03_andrews");
    let of = open(&data.mechanism);
    assert_eq!((of.coordinates(), of.rows()), (7, 6));
    assert_eq!((data.system.nv(), data.system.rows()), (21, 20));
    let (u, w) = own(&of, &data.states[0].q, &data.states[0].v);
    let mut solver = OpenLoopSolver::new(&of, 0.0, &u, &w).expect("a solver");
    let mut a = vec![0.0; of.coordinates()];
    let (solved, allocations) = count_allocations(|| {
        (0..20).try_for_each(|_| solver.accelerations(&of, 0.0, &u, &w, &[], &mut a))
    });
    solved.expect("accelerations");
    assert_eq!(allocations, 0);
}

#[test]
fn what_is_not_in_the_plane_or_does_not_close_is_told() {
    let sample = Sample::new(&sketch(1, SPATIAL, false, false, ""));
    assert!(OpenLoop::new(&sample.mechanism).expect("a system").is_none());
    let data = Dataset::load("fourbar_ex32");
    let of = open(&data.mechanism);
    let (mut u, mut w) = own(&of, &data.states[0].q, &data.states[0].v);
    let mut solver = OpenLoopSolver::new(&of, 0.0, &u, &w).expect("a solver");
    u[0] = f64::NAN;
    let error = solver.project(&of, 0.0, &mut u, &mut w);
    assert_eq!(error, Err(KinematicsError::NotFinite { what: "u", index: 0 }));
    let mut a = vec![0.0; of.coordinates()];
    assert!(solver.accelerations(&of, 0.0, &u, &w, &[], &mut a).is_err());
}

/// A second hinge where one is already, between bars that move: its rows cancel to rounding in angles, which is no
/// constraint. Points that are not alike on both sides, so that they do not cancel exactly.
#[test]
fn rows_that_embedded_joints_imply_do_nothing() {
    const MODEL: &str = r#"
name = "bars"
kind = "planar"
gravity = [0.3, -9.81]
bodies = [
    { name = "a", mass = 1.0, inertia = 0.1 },
    { name = "b", mass = 2.0, inertia = 0.2 },
    { name = "c", mass = 0.5, inertia = 0.05 },
]
joints = [
    { name = "base", type = "revolute", parent = "ground", child = "a", in_child = { position = [-0.3, 0.0] } },
    { name = "ab", type = "revolute", parent = "a", in_parent = { position = [0.4, 0.07] }, child = "b", in_child = { position = [-0.25, 0.1] } },
    { name = "bc", type = "revolute", parent = "b", in_parent = { position = [0.35, 0.0] }, child = "c", in_child = { position = [0.0, 0.21] } },
    { name = "again", type = "revolute", role = "loop", parent = "a", in_parent = { position = [0.4, 0.07] }, child = "b", in_child = { position = [-0.25, 0.1] } },
]
"#;
    let mut rng = Rng::new(29);
    let mut sample = Sample::new(MODEL);
    let of = open(&sample.mechanism);
    assert_eq!((of.coordinates(), of.rows()), (3, 2));
    for k in 0..60 {
        let motion = sample.motion(&mut rng, 3.0);
        let (u, w) = own(&of, &motion.q, &motion.v);
        let found = accelerations(&of, 0.0, &u, &w, &[]);
        let expected = by_absolute(&sample.system, 0.0, &motion.q, &motion.v, &[]);
        let off = deviation(&found, &expected);
        assert!(off < 1e-11, "{k}: {off:e}");
    }
}

/// Light links that carry a heavy one: no motion is lost, though little inertia of its own is left to the last.
#[test]
fn light_links_move_what_they_carry() {
    let link = |name: &str, mass: f64, inertia: f64| {
        format!("{{ name = \"{name}\", mass = {mass:e}, inertia = {inertia:e} }}, ")
    };
    let hinge = |name: &str, parent: &str, at: f64, child: &str| {
        format!(
            "{{ name = \"{name}\", type = \"revolute\", parent = \"{parent}\", in_parent = {{ position = [{at}, 0.0] }}, \
             child = \"{child}\", in_child = {{ position = [-0.5, 0.0] }} }}, "
        )
    };
    for light in [1e-2, 1e-5, 1e-8] {
        let text = format!(
            "name = \"light\"\nkind = \"planar\"\ngravity = [0.0, -9.81]\nbodies = [{}{}{}]\njoints = [{}{}{}]\n",
            link("a", light, 0.1 * light),
            link("b", light, 0.1 * light),
            link("c", 1.0, light),
            hinge("j0", "ground", 0.0, "a"),
            hinge("j1", "a", 0.5, "b"),
            hinge("j2", "b", 0.5, "c"),
        );
        let mut rng = Rng::new(31);
        let mut sample = Sample::new(&text);
        let of = open(&sample.mechanism);
        for k in 0..10 {
            let motion = sample.motion(&mut rng, 2.0);
            let (u, w) = own(&of, &motion.q, &motion.v);
            let found = accelerations(&of, 0.0, &u, &w, &[]);
            let expected = by_absolute(&sample.system, 0.0, &motion.q, &motion.v, &[]);
            let off = deviation(&found, &expected);
            // M is known to rounding over what is left of it
            assert!(off < 1e-13 / light, "{light:e}, {k}: {off:e}");
        }
    }
}

/// A cam whose profile is flat but on a short rise: entries that are zero at most positions are not zero at all of them.
#[test]
fn cams_act_where_their_profiles_rise() {
    const MODEL: &str = r#"
name = "cam and follower"
kind = "planar"
gravity = [0.0, -9.81]
bodies = [
    { name = "cam", mass = 1.0, inertia = 0.1 },
    { name = "follower", mass = 2.0, inertia = 0.2 },
]
joints = [
    { name = "turn", type = "revolute", parent = "ground", child = "cam", in_child = { position = [0.05, 0.02] } },
    { name = "slide", type = "prismatic", parent = "ground", child = "follower", axis = [0.0, 1.0] },
]
[[constraints]]
type = "cam"
joint1 = "turn"
joint2 = "slide"
profile = { type = "table", times = [0.0, 0.3, 0.6], values = [0.0, 0.2, 0.5], interpolation = "cubic" }
"#;
    let mut sample = Sample::new(MODEL);
    let of = open(&sample.mechanism);
    for (turn, rises) in [(0.3, true), (0.45, true), (1.5, false), (-0.4, false)] {
        let slide = if turn > 0.6 { 0.5 } else { 0.0 };
        let state = sample.motion_at(vec![turn, slide], vec![1.3, 0.0], vec![0.0; 2]);
        let (u, w) = own(&of, &state.q, &state.v);
        let found = accelerations(&of, 0.0, &u, &w, &[]);
        let expected = by_absolute(&sample.system, 0.0, &state.q, &state.v, &[]);
        assert!(deviation(&found, &expected) < 1e-11, "{turn}: {found:?} {expected:?}");
        // the follower's acceleration is that of the profile
        assert_eq!(found[4].abs() > 1e-3, rises, "{turn}: {found:?}");
    }
}
