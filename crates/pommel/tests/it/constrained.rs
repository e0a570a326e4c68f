//! Mechanisms with loops in motion, and their drift off the constraints.

use std::path::PathBuf;

use pommel::constrained::{AbsoluteMechanics, ConstrainedRun};
use pommel::integrate::mechanics::{Level, MechanicsOptions, MechanicsStepper, Scheme};
use pommel::integrate::{
    Adaptive, Control, ImplicitMethod, ImplicitOptions, Options, Step, Tableau,
};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::{
    AbsoluteDynamics, Approach, Error, Stabilization, integrate_constrained, integrate_verified,
};
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/mechanisms"))
}

fn load(name: &str) -> AbsoluteDynamics {
    let mechanism = Mechanism::from_path(folder().join(name).join("model.toml")).expect(name);
    AbsoluteDynamics::new(&mechanism).expect(name)
}

/// Times and states of the reference: bodies in the order of the model.
fn truth(name: &str) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let text = std::fs::read_to_string(folder().join(name).join("truth.json")).expect(name);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
    };
    let states = document["states"].as_array().expect("states");
    states
        .iter()
        .map(|s| (s["t"].as_f64().expect("t"), numbers(&s["q"]), numbers(&s["v"])))
        .collect()
}

fn options(tolerance: f64) -> Options {
    Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(tolerance, tolerance))
        .max_steps(10_000_000)
}

/// 100 s of a four-bar at a tolerance of 1e-6: positions grow off the constraints where nothing is done,
/// stay bounded with Baumgarte's method, and on the constraints with projection.
#[test]
fn drift_grows_is_bounded_or_vanishes() {
    let dynamics = load("fourbar_ex32");
    let state = dynamics.initial_state().expect("assembled");
    let run = |stabilization: Stabilization| {
        // the largest violation until 10 s, and after 90 s
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        let system = dynamics.system();
        let mut evaluation = pommel::mechanism::Evaluation::new(system);
        let mut watch = |step: &Step<'_, f64>| {
            let (q, v) = step.y_new().split_at(system.nq());
            system.evaluate(step.t_new(), q, v, &mut evaluation);
            let open = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if step.t_new() <= 10.0 {
                early = early.max(open);
            } else if step.t_new() >= 90.0 {
                late = late.max(open);
            }
            Control::Continue
        };
        let found = integrate_constrained(
            &dynamics,
            &state,
            &Approach::Explicit {
                method: Method::SparseKkt,
                stabilization,
                options: options(1e-6),
            },
            100.0,
            &mut watch,
        );
        (found.expect("the end"), early, late)
    };
    let (_, early, late) = run(Stabilization::None);
    assert!(late > 10.0 * early && late > 1e-5, "{early:e} {late:e}");
    let (_, early, late) = run(Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 });
    assert!(late < 3.0 * early && late < 1e-5, "{early:e} {late:e}");
    for metric in [Metric::Mass, Metric::Length] {
        let (found, ..) = run(Stabilization::Projection(metric));
        assert!(found.position_residual <= 1e-9, "{:e}", found.position_residual);
        assert!(found.velocity_residual <= 1e-9, "{:e}", found.velocity_residual);
    }
}

/// The last state of the reference in the coordinates of the system, beside one that was found.
fn end_of(name: &str, dynamics: &AbsoluteDynamics, found: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let (end, mut q, mut v) = truth(name).pop().expect("a state");
    if !dynamics.system().is_planar() {
        // the reference has velocities of mass centres first, and may have the negative quaternion
        v.chunks_mut(6).for_each(|body| body.rotate_left(3));
        for (body, found) in q.chunks_mut(7).zip(found.chunks(7)) {
            let same: f64 = body[3..].iter().zip(&found[3..]).map(|(a, b)| a * b).sum();
            body[3..].iter_mut().for_each(|x| *x *= same.signum());
        }
    }
    (end, q, v)
}

/// The largest error of the end, relative to `1 + |value|`.
fn error(name: &str, dynamics: &AbsoluteDynamics, run: &ConstrainedRun) -> f64 {
    let (_, q, v) = end_of(name, dynamics, &run.q);
    let off = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())))
    };
    off(&run.q, &q).max(off(&run.v, &v))
}

/// Mechanisms that move as a reference does.
const MOTIONS: [&str; 19] = [
    "a01_pendulum",
    "a02_fourbar_n10",
    "a02_fourbar_n2",
    "a02_fourbar_n40",
    "a03_andrews",
    "a04_bricard",
    "a05_flyball",
    "chain2",
    "chain5",
    "chain50",
    "conservative_fm24",
    "flyball_soft",
    "fm24",
    "fourbar_ex32",
    "heavy_top",
    "peaucellier",
    "slidercrank",
    "spatial_chain3",
    "stewart_springs",
];

/// Ends of motions are as accurate as asked, to ten times of it, redundant ones (Bricard's) among them, without a
/// flag.
#[test]
fn verified_motions_end_at_their_references() {
    for name in MOTIONS {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let end = truth(name).pop().expect("a state").0;
        for accuracy in [1e-6, 1e-9] {
            let approach = |tolerance| {
                let settings = Adaptive::new(tolerance, tolerance);
                let options = Options::adaptive(Tableau::dormand_prince_853(), settings);
                Approach::projected(options.max_steps(10_000_000))
            };
            let found = integrate_verified(&dynamics, &state, approach, end, accuracy, &mut ());
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
            let error = error(name, &dynamics, &found.run);
            assert!(error < 10.0 * accuracy, "{name} to {accuracy:e}: {error:e}");
            assert!(found.difference <= accuracy && found.runs >= 2);
            assert!(found.run.position_residual < 1e-10, "{name}");
        }
    }
}

/// Andrews' squeezing mechanism at 0.03 s against the end values that the *Test Set for Initial Value Problem Solvers*
/// publishes (PSIDE at 1e-14, printed to 16 digits). Its angles are relative; those of bodies are absolute.
#[test]
fn the_squeezer_ends_at_published_angles() {
    const PUBLISHED: [f64; 7] = [
        15.810_771_196_299_04,
        -15.756_371_059_842_98,
        0.040_822_240_130_731_01,
        -0.534_730_116_322_649_9,
        0.524_409_965_880_530_4,
        0.534_730_116_322_649_9,
        1.048_080_741_042_263,
    ];
    const START: [f64; 7] = [
        -0.061_713_890_014_276_45,
        0.0,
        0.455_279_819_163_070_4,
        0.222_668_390_165_885_88,
        0.487_364_979_543_842_56,
        -0.222_668_390_165_885_88,
        1.230_547_444_549_821_2,
    ];
    let dynamics = load("a03_andrews");
    let state = dynamics.initial_state().expect("assembled");
    let approach = |tolerance| {
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::projected(Options::adaptive(Tableau::dormand_prince_853(), settings))
    };
    let found = integrate_verified(&dynamics, &state, approach, 0.03, 1e-9, &mut ());
    let found = found.expect("an end that is verified");
    let turned = |body: usize| found.run.q[3 * body + 2] - state.q[3 * body + 2];
    let [k1, k2, k3, k4, k5, k6, k7] = std::array::from_fn(turned);
    let change = [k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7];
    for ((published, start), change) in PUBLISHED.iter().zip(START).zip(change) {
        // the published values are right to 1.1e-9 rad, in the first two angles
        let error = (start + change - published).abs();
        assert!(error < 3e-9 && error < 1e-8 * published.abs(), "{published}: off by {error:e}");
    }
}

/// A mechanism passes singular positions, where all bars lie flat, without a flag: thirteen times in ten seconds. Tight
/// tolerances cost about what their order asks for, no pile of steps.
#[test]
fn singular_positions_are_passed() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let (five, eight) = (Tableau::dormand_prince_54(), Tableau::dormand_prince_853());
    for (tableau, tolerance, most) in [
        (&five, 1e-6, 300),
        (&five, 1e-9, 1000),
        (&five, 1e-10, 1500),
        (&five, 1e-11, 2500),
        (&eight, 1e-6, 150),
        (&eight, 1e-10, 400),
        (&eight, 1e-11, 600),
        (&eight, 1e-13, 1200),
    ] {
        let settings = Adaptive::new(tolerance, tolerance);
        let approach = Approach::projected(Options::adaptive(tableau.clone(), settings));
        let found = integrate_constrained(&dynamics, &state, &approach, 10.0, &mut ());
        let found = found.unwrap_or_else(|error| panic!("{tolerance:e}: {error}"));
        let error = error(name, &dynamics, &found);
        // errors of steps add up over ten seconds
        assert!(error < 500.0 * tolerance, "{tolerance:e}: {error:e}");
        assert!(found.position_residual < 1e-10, "{:e}", found.position_residual);
        assert!(found.statistics.steps < most, "{tolerance:e}: {:?}", found.statistics);
    }
}

/// Samples around a singular position lie on the motion: all bars are parallel and energy is kept within the passage,
/// also where the motion ends next to that position or right at it.
#[test]
fn passages_are_seen_and_may_end_inside() {
    let dynamics = load("a02_fourbar_n2");
    let state = dynamics.initial_state().expect("assembled");
    let approach = |_| {
        let settings = Adaptive::new(1e-11, 1e-11);
        Approach::projected(Options::adaptive(Tableau::dormand_prince_54(), settings))
    };
    for end in [0.7, 0.714, 0.7143, 0.71435, 0.714355, 0.71435547, 0.7143555, 0.7144, 0.715, 0.74] {
        let accuracy = pommel::constrained::Accuracy::Steps(1e-11);
        let times = (end, 1e-3);
        let found = pommel::constrained::simulate_constrained(
            &dynamics,
            &state,
            &approach,
            accuracy,
            times,
            &mut |_| {},
        );
        let found = found.unwrap_or_else(|error| panic!("{end}: {error}"));
        let last = found.samples.last().expect("samples");
        assert_eq!(last.t, end);
        assert!(found.energy_drift < 1e-8, "{end}: {:e}", found.energy_drift);
        for sample in &found.samples {
            let off = (sample.q[2] - sample.q[5]).abs().max((sample.q[2] - sample.q[8]).abs());
            assert!(off < 1e-9, "{end}, {}: {off:e}", sample.t);
            let energy = sample.kinetic + sample.potential;
            assert!((energy - 35.835).abs() < 1e-8, "{end}, {}: {energy}", sample.t);
        }
    }
}

/// The reference of a diagram of work and precision is found over thirteen singular positions, and all that take part
/// reach its end.
#[test]
fn precision_is_known_over_singular_positions() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let found = pommel::precision::reference_end(&dynamics, &state, 10.0).expect("a reference");
    assert!(found.difference <= 1e-10, "{:e}", found.difference);
    let off = error(name, &dynamics, &found.run);
    assert!(off < 1e-9, "{off:e}");
    let reference = [&found.run.q[..], &found.run.v].concat();
    for contender in pommel::precision::contenders() {
        let measure = (&reference[..], f64::INFINITY);
        let rows =
            pommel::precision::precision(&dynamics, &state, 10.0, &contender, &[1e-6], measure);
        let row = &rows[0];
        assert!(row.failure.is_none(), "{}: {:?}", row.name, row.failure);
        assert!(row.error < 0.1, "{}: {:e}", row.name, row.error);
    }
}

/// A position that a motion cannot pass is an error with its time, at once: a slider that is pushed to where crank and
/// rod are stretched, and on.
#[test]
fn what_does_not_continue_is_an_error() {
    let path = folder().join("slidercrank").join("model.toml");
    let text = std::fs::read_to_string(path).expect("a file");
    let mut driven = String::new();
    for line in text.lines() {
        // the slider moves outwards with 1 m/s
        let (key, value) = line.split_once(" = ").unwrap_or((line, ""));
        if key == "velocity" || key == "angular_velocity" {
            let numbers = value.trim_matches(['[', ']']).split(", ");
            let scaled: Vec<String> = numbers
                .map(|x| x.parse::<f64>().expect("a number") / -1.0015552940247414)
                .map(|x| format!("{x:?}"))
                .collect();
            let list = scaled.join(", ");
            let value = if key == "velocity" { format!("[{list}]") } else { list };
            driven += &format!("{key} = {value}\n");
        } else {
            driven += &format!("{line}\n");
        }
    }
    driven += "[[drivers]]\nname = \"push\"\njoint = \"ground_slider\"\nmotion = { type = \"polynomial\", \
               coefficients = [1.0057560561667655, 1.0] }\n";
    let mechanism = Mechanism::from_toml_str(&driven).expect("a model");
    let dynamics = AbsoluteDynamics::new(&mechanism).expect("a system");
    let state = dynamics.initial_state().expect("assembled");
    for tolerance in [1e-6, 1e-11] {
        let settings = Adaptive::new(tolerance, tolerance);
        let options = Options::adaptive(Tableau::dormand_prince_853(), settings);
        let approach = Approach::projected(options);
        let found = integrate_constrained(&dynamics, &state, &approach, 1.0, &mut ());
        let error = found.expect_err("the slider is out of reach");
        let time = match &error {
            Error::Constrained { failure, .. } => failure.t,
            Error::Projection { time, .. } => *time,
            other => panic!("{other}"),
        };
        assert!((time - 0.0942439438).abs() < 1e-3, "{error}");
    }
}

/// All approaches, at a tolerance that their order suits, with what their ends may be off in these motions: errors of
/// steps add up.
fn approaches() -> Vec<(&'static str, Approach, f64)> {
    let explicit = |stabilization| Approach::Explicit {
        method: Method::SparseKkt,
        stabilization,
        options: options(1e-7),
    };
    let scheme = |scheme, tolerance| {
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::Constrained(MechanicsOptions::adaptive(scheme, settings).max_steps(1_000_000))
    };
    let radau = |level| scheme(Scheme::radau(ImplicitMethod::Radau5.tableau(), level), 1e-7);
    let implicit = |stabilization| Approach::Implicit {
        method: Method::SparseKkt,
        stabilization,
        options: ImplicitOptions::adaptive(
            ImplicitMethod::Radau5.tableau(),
            Adaptive::new(1e-7, 1e-7),
        ),
    };
    let mass = Stabilization::Projection(Metric::Mass);
    vec![
        ("projection", explicit(mass), 1e-4),
        ("projection by length", explicit(Stabilization::Projection(Metric::Length)), 1e-4),
        ("simple partitioning", explicit(Stabilization::Projection(Metric::Independent)), 2e-4),
        ("partitioning", explicit(Stabilization::Partitioning), 2e-4),
        ("Baumgarte", explicit(Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 }), 1e-4),
        ("implicit", implicit(mass), 1e-6),
        ("implicit partitioning", implicit(Stabilization::Partitioning), 1e-5),
        ("stabilized index 2", radau(Level::Stabilized), 1e-4),
        ("index 2", radau(Level::Velocity), 1e-4),
        ("index 3", radau(Level::Position), 1e-4),
        ("RATTLE", scheme(Scheme::Rattle, 1e-5), 5e-2),
        ("alpha", scheme(Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, 1e-5), 5e-2),
        ("HHT", scheme(Scheme::Hht { alpha: -0.05 }, 1e-5), 5e-2),
    ]
}

/// Every approach moves mechanisms as their references move, in the plane and in space.
#[test]
fn all_approaches_end_at_the_references() {
    for name in ["chain2", "fourbar_ex32", "peaucellier", "slidercrank", "spatial_chain3", "fm24"] {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let end = truth(name).pop().expect("a state").0;
        for (label, approach, limit) in approaches() {
            let run = integrate_constrained(&dynamics, &state, &approach, end, &mut ());
            let run = run.unwrap_or_else(|error| panic!("{name}, {label}: {error}"));
            let error = error(name, &dynamics, &run);
            assert!(error < limit, "{name}, {label}: {error:e}");
        }
    }
}

/// A formulation that refuses says when, and which row.
#[test]
fn an_early_end_tells_time_and_reason() {
    let dynamics = load("massless_coupler");
    let state = dynamics.initial_state().expect("assembled");
    let found = integrate_constrained(
        &dynamics,
        &state,
        &Approach::Explicit {
            method: Method::RangeSpace,
            stabilization: Stabilization::None,
            options: options(1e-6),
        },
        1.0,
        &mut (),
    );
    let error = found.expect_err("a body without mass");
    assert!(matches!(error, Error::Constrained { .. }), "{error}");
    assert!(error.to_string().contains("range_space"), "{error}");
}

/// A state off the constraints is refused, with the rows.
#[test]
fn a_state_off_the_constraints_is_refused() {
    let dynamics = load("fourbar_ex32");
    let start = dynamics.initial_state().expect("assembled");
    let run = |state: &pommel::absolute::AbsoluteState| {
        integrate_constrained(&dynamics, state, &Approach::projected(options(1e-6)), 1.0, &mut ())
    };
    let mut state = start.clone();
    state.q[0] += 1e-3;
    let error = run(&state).expect_err("a joint is open");
    let Error::Inconsistent { rows, .. } = &error else { panic!("{error}") };
    assert!(rows.iter().all(|(_, _, of_velocities)| !of_velocities), "{rows:?}");
    assert!((rows[0].1.abs() - 1e-3).abs() < 1e-9, "{rows:?}");
    assert!(error.to_string().contains(&rows[0].0), "{error}");
    let mut state = start;
    state.v[1] += 0.5;
    let error = run(&state).expect_err("a joint comes apart");
    let Error::Inconsistent { rows, .. } = &error else { panic!("{error}") };
    assert!(rows.iter().all(|(_, _, of_velocities)| *of_velocities), "{rows:?}");
    assert!(error.to_string().contains("velocity of"), "{error}");
}

/// The end of a chaotic motion is not known after some time, which is told.
#[test]
fn an_end_that_is_not_known_is_an_error() {
    let dynamics = load("chain5");
    let state = dynamics.initial_state().expect("assembled");
    let approach = |tolerance| {
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::projected(Options::adaptive(Tableau::dormand_prince_853(), settings))
    };
    let found = integrate_verified(&dynamics, &state, approach, 40.0, 1e-9, &mut ());
    let error = found.expect_err("five bars that tumble for 40 s");
    assert!(matches!(error, Error::Accuracy { .. }), "{error}");
    assert!(error.to_string().contains("is not known to 1e-9"), "{error}");
}

/// What steps have made of momentum after a million of them: two bodies on a spherical joint that tumble freely,
/// and a chain in the plane.
#[test]
fn momentum_is_kept_to_rounding_over_a_million_steps() {
    let spatial = r#"
        name = "tumbling pair"
        gravity = [0.0, 0.0, 0.0]
        [[bodies]]
        name = "a"
        mass = 2.0
        inertia = [0.3, 0.2, 0.4]
        position = [-0.5, 0.0, 0.0]
        velocity = [0.0, 0.0, 0.0]
        angular_velocity = [0.3, 0.0, 1.2]
        [[bodies]]
        name = "b"
        mass = 1.0
        inertia = [0.1, 0.25, 0.2]
        position = [0.5, 0.0, 0.0]
        velocity = [0.0, 1.2, 0.0]
        angular_velocity = [-0.4, 0.0, 1.2]
        [[joints]]
        name = "base"
        type = "free"
        parent = "ground"
        child = "a"
        [[joints]]
        name = "ball"
        type = "spherical"
        parent = "a"
        child = "b"
        in_parent = { position = [0.5, 0.0, 0.0] }
        in_child = { position = [-0.5, 0.0, 0.0] }
    "#;
    let mechanism = Mechanism::from_toml_str(spatial).expect("a model");
    let dynamics = AbsoluteDynamics::new(&mechanism).expect("dynamics");
    let state = dynamics.initial_state().expect("assembled");
    let masses = [2.0, 1.0];
    let inertias = [[0.3, 0.2, 0.4], [0.1, 0.25, 0.2]];
    // linear momentum, and angular momentum about the origin
    let momentum = |y: &[f64]| {
        let (q, v) = y.split_at(14);
        let mut sum = [0.0; 6];
        for b in 0..2 {
            let (q, v) = (&q[7 * b..], &v[6 * b..]);
            let rotation = pommel::math::Quaternion::from_slice(&q[3..]).rotation();
            let spin = [0, 1, 2].map(|k| inertias[b][k] * v[k]);
            let spin = (rotation * pommel::math::Vec3::from_slice(&spin)).to_array();
            let p = [0, 1, 2].map(|k| masses[b] * v[3 + k]);
            let arm =
                [q[1] * p[2] - q[2] * p[1], q[2] * p[0] - q[0] * p[2], q[0] * p[1] - q[1] * p[0]];
            (0..3).for_each(|k| sum[k] += p[k]);
            (0..3).for_each(|k| sum[3 + k] += spin[k] + arm[k]);
        }
        sum
    };
    let start = momentum(&[&state.q[..], &state.v].concat());
    let mut largest = 0.0_f64;
    let mut watch = |step: &Step<'_, f64>| {
        let now = momentum(step.y_new());
        // positions drift away: angular momentum about the origin is a difference of large numbers then
        let size = step.y_new().iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for k in 0..6 {
            let of = if k < 3 { 1.0 } else { size };
            largest = largest.max((now[k] - start[k]).abs() / of);
        }
        Control::Continue
    };
    let options = MechanicsOptions::fixed(Scheme::Rattle, 1e-3);
    let approach = Approach::Constrained(options);
    let run = integrate_constrained(&dynamics, &state, &approach, 1000.0, &mut watch);
    let run = run.expect("the end");
    assert_eq!(run.statistics.steps, 1_000_000);
    // a million roundings of 1e-16 at random: some 1e-13
    assert!(largest < 1e-11, "{largest:e}");
    assert!(run.position_residual < 1e-12, "{:e}", run.position_residual);
}

/// Steps allocate nothing, whatever the scheme.
#[test]
fn steps_of_schemes_do_not_allocate() {
    for name in ["fourbar_ex32", "spatial_chain3"] {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let radau = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
        let schemes = [Scheme::Rattle, Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, radau];
        for scheme in schemes {
            let label = scheme.name();
            let system = dynamics.system();
            let options = MechanicsOptions::fixed(scheme, 1e-3);
            let mut stepper =
                MechanicsStepper::new(system.nq(), system.nv(), system.rows(), &options)
                    .expect("options");
            let mut mechanics = AbsoluteMechanics::new(&dynamics, &state);
            let mut y = [&state.q[..], &state.v].concat();
            // the first run chooses the order of elimination
            stepper.run(&mut mechanics, 0.0, 0.05, &mut y, &mut ()).expect("the end");
            let (_, count) = pommel_testkit::count_allocations(|| {
                stepper.run(&mut mechanics, 0.05, 0.1, &mut y, &mut ()).expect("the end");
            });
            assert_eq!(count, 0, "{name}, {label}");
        }
    }
}

/// An accuracy next to rounding, or steps that follow no tolerance, verify nothing.
#[test]
fn what_cannot_be_verified_is_an_error() {
    let dynamics = load("chain2");
    let state = dynamics.initial_state().expect("assembled");
    let adaptive = |tolerance| Approach::projected(options(tolerance));
    for accuracy in [5e-14, 0.0] {
        let found = integrate_verified(&dynamics, &state, adaptive, 0.1, accuracy, &mut ());
        assert!(matches!(found, Err(Error::Accuracy { .. })), "{found:?}");
    }
    let fixed = |_| Approach::projected(Options::fixed(Tableau::rk4(), 0.01));
    let found = integrate_verified(&dynamics, &state, fixed, 0.1, 1e-6, &mut ());
    assert!(matches!(found, Err(Error::NotAdaptive)), "{found:?}");
}

/// Redundant rows are nothing to schemes with constraints in every step.
#[test]
fn schemes_take_redundant_rows() {
    let schemes = || {
        let radau = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
        [Scheme::Rattle, Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, radau]
    };
    let approach = |scheme: Scheme| {
        let tolerance = if scheme.order() > 2 { 1e-7 } else { 1e-5 };
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::Constrained(MechanicsOptions::adaptive(scheme, settings))
    };
    let (name, end) = ("a04_bricard", 1.0);
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let truth = integrate_verified(
        &dynamics,
        &state,
        |tolerance| Approach::projected(options(tolerance)),
        end,
        1e-9,
        &mut (),
    );
    let truth = truth.expect("the end").run;
    for scheme in schemes() {
        let label = scheme.name();
        let run = integrate_constrained(&dynamics, &state, &approach(scheme), end, &mut ());
        let run = run.unwrap_or_else(|error| panic!("{label}: {error}"));
        let off = run.q.iter().zip(&truth.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-3, "{label}: {off:e}");
        assert!(run.position_residual < 1e-7, "{label}: {:e}", run.position_residual);
    }
}

/// Schemes with constraints in every step, implicit methods, and all ways against drift pass singular positions.
#[test]
fn all_approaches_pass_singular_positions() {
    let name = "a02_fourbar_n2";
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let (end, q, v) = truth(name).swap_remove(1);
    for (label, approach, _) in approaches() {
        let run = integrate_constrained(&dynamics, &state, &approach, end, &mut ());
        let run = run.unwrap_or_else(|error| panic!("{label}: {error}"));
        let pairs = run.q.iter().chain(&run.v).zip(q.iter().chain(&v));
        let off = pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())));
        assert!(off < 1e-2, "{label}: {off:e}");
    }
}
