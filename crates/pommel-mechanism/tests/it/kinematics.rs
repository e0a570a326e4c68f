//! Motion under drivers, degrees of freedom, Newton's method.

use std::f64::consts::{PI, TAU};

use pommel_mechanism::System;
use pommel_mechanism::kinematics::{
    DrivenMotion, KinematicsError, KnownCoordinate, MotionSample, PartitionedMotion, mobility,
    newton_raphson,
};
use pommel_model::TimeFunction;

use crate::dataset::Dataset;
use crate::models::{Sample, hinge, mechanism, sketch};
use crate::support::{assert_near, dataset, numbers};

/// Time and the row of the table: three angles, then rates and accelerations of the last two.
fn table() -> Vec<(f64, Vec<f64>)> {
    let document = dataset("mechanisms/fourbar_table/table.json");
    let rows = document["rows"].as_array().unwrap();
    rows.iter().enumerate().map(|(k, row)| (0.025 * k as f64, numbers(row))).collect()
}

/// Rounding, grown by the determinacy of 0.05: accelerations go up to 60 rad/s².
fn compare_with_table(sample: &MotionSample, row: &[f64]) {
    let [q, v, a] = [&sample.q, &sample.v, &sample.a];
    assert_near(&[q[2], q[5], q[8]], &row[..3], 1e-13);
    assert_near(&[v[2], v[5], v[8]], &[TAU, row[3], row[4]], 1e-12);
    assert_near(&[a[2], a[5], a[8]], &[0.0, row[5], row[6]], 1e-11);
}

/// `[Nik88, Example 3.2]`, algorithm K-II.
#[test]
fn a_driven_four_bar_reproduces_the_table_of_its_full_revolution() {
    let data = Dataset::load("fourbar_table");
    let rows = table();
    assert!(rows.len() >= 40);
    let times: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let mut motion = DrivenMotion::new(&data.system).unwrap();
    let mut done = 0;
    let mut samples = Vec::new();
    let singular = motion.motion(&times, &data.q, &mut samples, |k| done = k).unwrap();
    assert_eq!((samples.len(), done, singular.len()), (rows.len(), rows.len(), 0));
    for (sample, (_, row)) in samples.iter().zip(&rows) {
        compare_with_table(sample, row);
        assert!(sample.residuals.iter().all(|r| r.abs() < 1e-12), "{:?}", sample.residuals);
        assert!(sample.determinacy > 0.01 && sample.iterations < 8);
    }
}

/// The same with the crank's angle as a known coordinate, algorithm K-I.
#[test]
fn partitioned_coordinates_reproduce_the_table() {
    let data = Dataset::load("fourbar_table");
    let text = std::fs::read_to_string(data.path()).unwrap();
    let (undriven, _) = text.split_once("[[drivers]]").unwrap();
    let system = System::new(&mechanism(undriven)).unwrap();
    let motion = TimeFunction::Polynomial { coefficients: vec![2.36, TAU] };
    let known = vec![KnownCoordinate { index: 2, motion }];
    let mut partitioned = PartitionedMotion::new(&system, known.clone()).unwrap();
    let mut q = data.q.clone();
    for (time, row) in table() {
        let sample = partitioned.at(time, &q).unwrap();
        compare_with_table(&sample, &row);
        q.clone_from(&sample.q);
    }
    // one motion is free without it
    let mut none = PartitionedMotion::new(&system, vec![]).unwrap();
    let found = none.at(0.0, &data.q);
    assert!(matches!(found, Err(KinematicsError::NotDriven { degrees_of_freedom: 1, .. })));
    let twice = PartitionedMotion::new(&system, [known.clone(), known].concat());
    assert!(matches!(twice, Err(KinematicsError::BadCoordinate { index: 2, .. })));
    let missing = vec![KnownCoordinate { index: 9, motion: 0.0.into() }];
    let missing = PartitionedMotion::new(&system, missing);
    assert!(matches!(missing, Err(KinematicsError::BadCoordinate { index: 9, .. })));
}

/// `[Nik88, Example 3.13]`, every iterate.
#[test]
fn newtons_method_goes_through_the_iterates_of_the_book() {
    let document = dataset("mechanisms/rolling_newton/table.json");
    let rows: Vec<Vec<f64>> = document["rows"].as_array().unwrap().iter().map(numbers).collect();
    let phi1 = PI / 6.0;
    let mut x = [rows[0][0], rows[0][1]];
    let equations = |x: &[f64], residual: &mut [f64], jacobian: &mut [f64]| {
        let (sin, cos) = x[0].sin_cos();
        residual[0] = 10.0 * phi1.cos() + 2.0 * cos - x[1];
        residual[1] = 1.0 + 2.0 * sin;
        jacobian.copy_from_slice(&[-2.0 * sin, -1.0, 2.0 * cos, 0.0]);
    };
    let history = newton_raphson(&mut x, equations, 1e-14, 10).unwrap();
    assert_eq!(history.len(), 5);
    for (iterate, row) in history.iter().zip(&rows) {
        // rounding of numbers around 10
        assert_near(&iterate.x, &row[..2], 8e-15);
        assert_near(&iterate.residual, &row[2..4], 8e-15);
    }
    assert_near(&x, &[11.0 * PI / 6.0, 6.0 * 3.0_f64.sqrt()], 4e-15);
}

#[test]
fn rank_and_degrees_of_freedom_are_those_of_all_mechanisms() {
    for data in Dataset::all() {
        for state in &data.states {
            let found = mobility(&data.system, state.t, &state.q).unwrap();
            let rank = data.rank.unwrap();
            let redundant = data.system.rows() - rank;
            assert_eq!((found.rank, found.redundant.len()), (rank, redundant), "{}", data.name);
            assert_eq!(found.degrees_of_freedom, data.system.nv() - rank);
        }
    }
}

#[test]
fn redundant_rows_are_named_with_the_joints_that_they_depend_on() {
    let parallel = Dataset::load("double_parallel_crank");
    let found = mobility(&parallel.system, 0.0, &parallel.states[0].q).unwrap();
    // counting rows would give none
    assert_eq!((found.velocities, found.rows, found.rank), (12, 12, 11));
    assert_eq!(found.degrees_of_freedom, 1);
    let redundancy = &found.redundant[0];
    let joints: Vec<&str> = parallel.system.constraints().iter().map(|c| c.name.as_str()).collect();
    let own = &parallel.system.constraints()[parallel.system.constraint_of_row(redundancy.row)];
    assert!(redundancy.name.starts_with(&own.name) && redundancy.name.ends_with(')'));
    // all cranks take part: any one of them could go
    for crank in ["crank0", "crank1", "crank2"] {
        let named = redundancy.depends_on.iter().any(|name| name.contains(crank));
        assert!(named || own.name.contains(crank), "{redundancy:?}");
    }
    assert!(redundancy.depends_on.iter().all(|name| joints.contains(&name.as_str())));

    let series = Dataset::load("fm24");
    let found = mobility(&series.system, 0.0, &series.states[0].q).unwrap();
    assert_eq!((found.rank, found.degrees_of_freedom, found.redundant.len()), (22, 2, 2));
    // one among the joints of each set of cranks
    for set in [["A0", "A1", "A2"], ["B0", "B1", "B2"]] {
        let of_set = |name: &String| set.iter().any(|crank| name.contains(crank));
        let redundancy = found.redundant.iter().find(|r| of_set(&r.name)).expect("one of each");
        assert!(redundancy.depends_on.iter().all(of_set), "{redundancy:?}");
    }

    let bricard = Dataset::load("a04_bricard");
    let found = mobility(&bricard.system, 0.0, &bricard.states[0].q).unwrap();
    assert_eq!((found.rows, found.rank, found.degrees_of_freedom), (30, 29, 1));
    // 1e-6 is how far singular values reach down before a row counts as dependent
    assert_eq!(found.redundant[0].depends_on.len(), 6, "{:?}", found.redundant);
}

fn bricard(motion: &str) -> Sample {
    let text = std::fs::read_to_string(Dataset::load("a04_bricard").path()).unwrap();
    let driver = "[[drivers]]\nname = \"drive\"\njoint = \"ground_rod1\"\nmotion = ";
    Sample::new(&(text + driver + motion))
}

/// Bricard's mechanism, three-fold symmetric: every other angle is alike, and
/// `sin θ₁ sin θ₂ + sin θ₁ + sin θ₂ = 0`. The redundant row does no harm.
#[test]
fn a_loop_in_space_follows_its_driver() {
    let mut sample =
        bricard("{ type = \"sine\", offset = 1.2, amplitude = 1.5, angular_frequency = 2.0 }");
    let (q, _) = sample.space.initial_state(&sample.mechanism, &sample.system);
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    let times: Vec<f64> = (0..=120).map(|k| 0.025 * k as f64).collect();
    let mut samples = Vec::new();
    let singular = motion.motion(&times, &q, &mut samples, |_| ()).unwrap();
    assert!(singular.is_empty());
    let (mut theta, mut rates) =
        (vec![0.0; sample.mechanism.nq()], vec![0.0; sample.mechanism.nv()]);
    for at in &samples {
        sample.space.to_joint(&at.q, &at.v, &mut theta, &mut rates);
        let angle = 1.2 + 1.5 * (2.0 * at.time).sin();
        let other = (-angle.sin() / (1.0 + angle.sin())).asin();
        // positions are closed to 1e-10 or better, as determinacy says
        assert_near(&theta, &[angle, other, angle, other, angle], 1e-11);
        assert!((rates[0] - 3.0 * (2.0 * at.time).cos()).abs() < 1e-11);
        assert!(at.residuals.iter().all(|r| *r < 1e-10), "{:?}", at.residuals);
    }
    // accelerations are the derivatives of velocities, by differences of second order
    for three in samples.windows(3) {
        let h = three[2].time - three[0].time;
        for k in 0..sample.system.nv() {
            let slope = (three[2].v[k] - three[0].v[k]) / h;
            assert!((slope - three[1].a[k]).abs() < 0.05 * (1.0 + three[1].a[k].abs()));
        }
    }
}

/// `sin θ₂` would be above one.
#[test]
fn a_loop_in_space_driven_beyond_its_dead_centre_is_refused() {
    let mut sample = bricard("{ type = \"polynomial\", coefficients = [0.0, -1.0] }");
    let (q, _) = sample.space.initial_state(&sample.mechanism, &sample.system);
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    let times: Vec<f64> = (0..=12).map(|k| 0.05 * k as f64).collect();
    let (mut reached, mut samples) = (0, Vec::new());
    let found = motion.motion(&times, &q, &mut samples, |k| reached = k).unwrap_err();
    assert!(times[reached - 1] <= PI / 6.0 && times[reached] > PI / 6.0, "{found}");
    // what was found before is kept
    let kept: Vec<f64> = samples.iter().map(|sample| sample.time).collect();
    assert_eq!(kept, times[..reached]);
    let open =
        matches!(found, KinematicsError::CannotAssemble { .. } | KinematicsError::Reversed { .. });
    assert!(open, "{found}");
}

#[test]
fn what_no_driver_prescribes_is_counted() {
    for (name, free) in
        [("fm24", 2), ("double_parallel_crank", 1), ("a04_bricard", 1), ("chain5", 5)]
    {
        let data = Dataset::load(name);
        let mut motion = DrivenMotion::new(&data.system).unwrap();
        let found = motion.at(0.0, &data.states[0].q).unwrap_err();
        let KinematicsError::NotDriven { degrees_of_freedom, rank, velocities } = found else {
            panic!("{name}: {found}")
        };
        assert_eq!((degrees_of_freedom, velocities - rank), (free, free), "{name}");
        let text = found.to_string();
        assert!(text.starts_with(&format!("{free} motion")) && text.contains("drivers"), "{text}");
    }
}

/// A gear in space with a ratio that is no integer, over three turns.
#[test]
fn gears_in_space_are_driven_over_several_turns() {
    let hinges = [
        hinge("turn", "revolute", "ground", "a", "axis = [0.3, 0.2, 0.9]"),
        hinge("wheel", "revolute", "ground", "b", "axis = [0.1, -0.8, 0.5]"),
    ];
    let more = r#"
        [[constraints]]
        type = "gear"
        joint1 = "turn"
        joint2 = "wheel"
        ratio = 0.37
        [[drivers]]
        joint = "turn"
        motion = { type = "polynomial", coefficients = [0.0, 1.0] }
    "#;
    let mut sample = Sample::new(&sketch(90, &hinges, false, false, more));
    let start = sample.motion_at(vec![0.0; 2], vec![0.0; 2], vec![0.0; 2]);
    // also where a step is more than half a turn
    for step in [0.1, 0.5, 4.0, 5.5] {
        let mut motion = DrivenMotion::new(&sample.system).unwrap();
        let times: Vec<f64> = (0..=(19.0 / step) as usize).map(|k| step * k as f64).collect();
        let mut samples = Vec::new();
        let singular = motion.motion(&times, &start.q, &mut samples, |_| ()).unwrap();
        assert!(singular.is_empty());
        for at in samples {
            let theta = vec![at.time, 0.37 * at.time];
            let expected = sample.motion_at(theta, vec![1.0, 0.37], vec![0.0; 2]);
            assert_near(&at.v, &expected.v, 1e-11);
            assert_near(&at.a, &expected.a, 1e-11);
            for body in 0..2 {
                let positions = 7 * body..7 * body + 3;
                assert_near(&at.q[positions.clone()], &expected.q[positions], 1e-11);
            }
        }
    }
}

#[test]
fn times_that_are_no_numbers_are_told() {
    let data = Dataset::load("fourbar_table");
    for time in [f64::NAN, f64::INFINITY] {
        let expected = KinematicsError::NotFinite { what: "time", index: 0 };
        let mut motion = DrivenMotion::new(&data.system).unwrap();
        let mut samples = Vec::new();
        let found = motion.motion(&[0.0, time], &data.q, &mut samples, |_| ());
        assert_eq!((found.unwrap_err(), samples.len()), (expected.clone(), 1));
        assert_eq!(motion.at(time, &data.q).unwrap_err(), expected);
        let mut partitioned = PartitionedMotion::new(&data.system, vec![]).unwrap();
        assert_eq!(partitioned.at(time, &data.q).unwrap_err(), expected);
    }
    let mut near = data.q.clone();
    near[2] = f64::NAN;
    let mut partitioned = PartitionedMotion::new(&data.system, vec![]).unwrap();
    let expected = KinematicsError::NotFinite { what: "q", index: 2 };
    assert_eq!(partitioned.at(0.0, &near).unwrap_err(), expected);
}

/// A crank-rocker stays in its assembly however far apart the samples are.
#[test]
fn coarse_samples_do_not_change_the_assembly() {
    let data = Dataset::load("fourbar_table");
    let fine: Vec<f64> = (0..=100).map(|k| 0.1 * k as f64).collect();
    let mut expected = Vec::new();
    let mut motion = DrivenMotion::new(&data.system).unwrap();
    motion.motion(&fine, &data.q, &mut expected, |_| ()).unwrap();
    for every in [2, 4, 7, 10, 23] {
        let times: Vec<f64> = fine.iter().step_by(every).copied().collect();
        let mut samples = Vec::new();
        let mut motion = DrivenMotion::new(&data.system).unwrap();
        motion.motion(&times, &data.q, &mut samples, |_| ()).unwrap();
        for (sample, expected) in samples.iter().zip(expected.iter().step_by(every)) {
            assert_near(&sample.q, &expected.q, 1e-12);
        }
    }
}
