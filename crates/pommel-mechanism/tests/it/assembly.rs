//! Assembly, singular positions, large mechanisms.

use std::fmt::Write as _;

use pommel_mechanism::kinematics::{
    AssembleOptions, Assembler, DrivenMotion, KinematicsError, mobility,
};
use pommel_testkit::Rng;

use crate::dataset::Dataset;
use crate::models::{Sample, times};

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}

/// From positions that are off by a tenth, a half and one of the typical size.
#[test]
fn all_mechanisms_are_assembled_from_positions_nearby_and_far() {
    let mut rng = Rng::new(31);
    for data in Dataset::all() {
        let system = &data.system;
        let mut assembler = Assembler::new(system).unwrap();
        for (size, tries) in [(1e-6, 2), (0.1, 4), (0.5, 4)] {
            for _ in 0..tries {
                let state = &data.states[rng.below(data.states.len())];
                let mut q = state.q.clone();
                system.displace(&mut q, &rng.list(system.nv(), size));
                let found =
                    assembler.assemble(system, state.t, &mut q, &AssembleOptions::default());
                let found = match found {
                    // from far away an axis may snap the wrong way round, which is told
                    Err(KinematicsError::Reversed { .. }) if size > 0.1 => continue,
                    found => found.unwrap_or_else(|e| panic!("{} from {size}: {e}", data.name)),
                };
                let mut evaluation = pommel_mechanism::Evaluation::new(system);
                system.evaluate(state.t, &q, &vec![0.0; system.nv()], &mut evaluation);
                let residual = largest(evaluation.phi());
                assert!(residual <= 1e-10 && residual == found.residual, "{}", data.name);
            }
        }
    }
}

/// The nearest position: what is assembled stays, and small changes are put back.
#[test]
fn assembly_makes_the_least_change() {
    let mut rng = Rng::new(32);
    for data in Dataset::all() {
        let system = &data.system;
        let mut assembler = Assembler::new(system).unwrap();
        let state = &data.states[3];
        let mut q = state.q.clone();
        let found = assembler.assemble(system, 0.0, &mut q, &AssembleOptions::default()).unwrap();
        assert!(found.iterations <= 2);
        let moved: Vec<f64> = q.iter().zip(&state.q).map(|(a, b)| a - b).collect();
        assert!(largest(&moved) < 1e-12, "{}", data.name);
        // across the constraints by ε, the way back is no longer than that, and ends within ε²
        let size = 1e-4;
        system.displace(&mut q, &rng.list(system.nv(), size));
        let off = q.clone();
        assembler.assemble(system, 0.0, &mut q, &AssembleOptions::default()).unwrap();
        let change: Vec<f64> = q.iter().zip(&off).map(|(a, b)| a - b).collect();
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let count = (system.nv() as f64).sqrt();
        assert!(norm(&change) < 20.0 * count * size, "{}: {}", data.name, norm(&change));
    }
}

/// A parallelogram of bars `crank`, 2 m apart.
fn parallelogram(driver: &str) -> String {
    let mut text = String::from("name = \"parallelogram\"\nkind = \"planar\"\n");
    for (name, x, y, angle) in
        [("left", 0.0, 0.5, 0.5), ("right", 2.0, 0.5, 0.5), ("top", 1.0, 1.0, 0.0)]
    {
        let angle = angle * std::f64::consts::PI;
        let _ = writeln!(
            text,
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = 0.1\nposition = [{x}, {y}]\n\
             angle = {angle}"
        );
    }
    for (name, parent, child, at, from) in [
        ("A", "ground", "left", 0.0, -0.5),
        ("D", "ground", "right", 2.0, -0.5),
        ("B", "left", "top", 0.5, -1.0),
        ("C", "right", "top", 0.5, 1.0),
    ] {
        let _ = writeln!(
            text,
            "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
             child = \"{child}\"\nin_parent = {{ position = [{at}, 0.0] }}\n\
             in_child = {{ position = [{from}, 0.0] }}"
        );
    }
    text + driver
}

/// Level, a parallelogram can go on as an antiparallelogram: found where the crank is at π, 2π.
#[test]
fn flat_positions_of_a_parallelogram_are_found() {
    let driver = r#"
        [[drivers]]
        joint = "A"
        motion = { type = "polynomial", coefficients = [1.5707963267948966, 1.0] }
    "#;
    let mut sample = Sample::new(&parallelogram(driver));
    let (q, _) = sample.space.initial_state(&sample.mechanism, &sample.system);
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    let instants: Vec<f64> = (0..=53).map(|k| 0.1 * k as f64).collect();
    let mut samples = Vec::new();
    let singular = motion.motion(&instants, &q, &mut samples, |_| ()).unwrap();
    assert_eq!(samples.len(), 54);
    let half = 0.5 * std::f64::consts::PI;
    let found: Vec<f64> = singular.iter().map(|s| s.time).collect();
    assert_eq!(found.len(), 2, "{singular:?}");
    assert!((found[0] - half).abs() < 1e-6, "{singular:?}");
    assert!((found[1] - 3.0 * half).abs() < 1e-6, "{singular:?}");
    // it stays a parallelogram
    for sample in samples {
        assert!((sample.q[2] - sample.q[5]).abs() < 1e-12 && sample.q[8].abs() < 1e-12);
    }
    // right there
    let mut flat = q.clone();
    for (k, (x, angle)) in [(-0.5, 2.0 * half), (1.5, 2.0 * half), (0.0, 0.0)].iter().enumerate() {
        flat[3 * k..3 * k + 3].copy_from_slice(&[*x, 0.0, *angle]);
    }
    let found = motion.at(half, &flat).unwrap_err();
    let KinematicsError::Singular { time, names } = found else { panic!("{found}") };
    assert!(time == half && !names.is_empty());
}

/// Crank of 0.3 m, rod of 0.8 m: the slider comes out as far as 1.1 m.
#[test]
fn a_slider_driven_beyond_its_dead_centre_names_what_stays_open() {
    let text = std::fs::read_to_string(Dataset::load("slidercrank").path()).unwrap();
    let driver = r#"
        [[drivers]]
        name = "push"
        joint = "ground_slider"
        motion = { type = "polynomial", coefficients = [1.0057570561667655, 0.1] }
    "#;
    let mut sample = Sample::new(&(text + driver));
    let (q, _) = sample.space.initial_state(&sample.mechanism, &sample.system);
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    let instants: Vec<f64> = (0..=20).map(|k| 0.1 * k as f64).collect();
    let dead = (1.1 - 1.005_757_056_166_765_5) / 0.1;
    let mut samples = Vec::new();
    let found = motion.motion(&instants, &q, &mut samples, |_| ()).unwrap_err();
    let KinematicsError::CannotAssemble { time, open, .. } = &found else { panic!("{found}") };
    // told where it is, between the samples
    assert!(*time > dead && *time < dead + 5e-4, "{found}, not {dead}");
    assert_eq!(samples.len(), 10);
    // the gap is spread over driver and joints on the line
    assert!(open.iter().any(|row| row.name.starts_with("push")), "{found}");
    assert!(found.to_string().contains("'push (coordinate)'"));
    let total: f64 = open.iter().map(|row| row.residual.abs()).sum();
    assert!(total > 0.9 * (0.1 * time - 0.1 * dead), "{found}");
}

/// A ladder: a row of cranks, neighbours joined by couplers, each loop a four-bar.
fn ladder(cranks: usize) -> String {
    let mut text = String::from("name = \"ladder\"\nkind = \"planar\"\n");
    let (angle, length) = (1.2_f64, 1.0_f64);
    let (sin, cos) = angle.sin_cos();
    let body = |text: &mut String, name: &str, x: f64, y: f64, angle: f64| {
        let _ = writeln!(
            text,
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = 0.1\nposition = [{x}, {y}]\n\
             angle = {angle}"
        );
    };
    for k in 0..cranks {
        let x = 1.5 * k as f64;
        body(&mut text, &format!("k{k}"), x + 0.5 * cos, 0.5 * sin, angle);
        if k + 1 < cranks {
            body(&mut text, &format!("c{k}"), x + 0.75 + length * cos, length * sin, 0.0);
        }
    }
    let joint = |text: &mut String, parent: &str, child: &str, at: f64, from: f64| {
        let _ = writeln!(
            text,
            "[[joints]]\nname = \"{parent}_{child}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
             child = \"{child}\"\nin_parent = {{ position = [{at}, 0.0] }}\n\
             in_child = {{ position = [{from}, 0.0] }}"
        );
    };
    for k in 0..cranks {
        joint(&mut text, "ground", &format!("k{k}"), 1.5 * k as f64, -0.5);
    }
    for k in 0..cranks - 1 {
        joint(&mut text, &format!("k{k}"), &format!("c{k}"), 0.5, -0.75);
        joint(&mut text, &format!("c{k}"), &format!("k{}", k + 1), 0.75, 0.5);
    }
    text
}

#[test]
fn ten_thousand_bodies_are_assembled_and_analysed() {
    let mut sample = Sample::new(&ladder(5000));
    let system = &sample.system;
    assert_eq!((system.body_count(), system.rows()), (9999, 29996));
    let (mut q, _) = sample.space.initial_state(&sample.mechanism, system);
    let mut rng = Rng::new(33);
    system.displace(&mut q, &rng.list(system.nv(), 0.02));
    let mut assembler = Assembler::new(system).unwrap();
    let found = assembler.assemble(system, 0.0, &mut q, &AssembleOptions::default()).unwrap();
    assert!(found.residual < 1e-10 * 7500.0 && found.iterations < 30, "{found:?}");
    let found = mobility(system, 0.0, &q).unwrap();
    assert_eq!((found.rank, found.degrees_of_freedom), (29996, 1));
    // the motion that is left: all cranks turn alike
    let mut v = vec![0.0; system.nv()];
    for body in 0..9999 {
        let (crank, angle) = (body % 2 == 0, 1.2_f64);
        let _ = angle;
        let phi = if crank { q[3 * body + 2] } else { q[3 * (body - 1) + 2] };
        let arm = if crank { 0.5 } else { 1.0 };
        let rate = [-arm * phi.sin(), arm * phi.cos(), if crank { 1.0 } else { 0.0 }];
        v[3 * body..3 * body + 3].copy_from_slice(&rate);
    }
    let mut evaluation = pommel_mechanism::Evaluation::new(system);
    system.evaluate(0.0, &q, &v, &mut evaluation);
    let rates = times(system, evaluation.jacobian(), &v);
    assert!(largest(&rates) < 1e-6, "{}", largest(&rates));
}
