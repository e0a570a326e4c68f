//! Mechanisms with loops in motion: their ends, drift, singular positions, errors.

mod continuations;
mod drift;
mod errors;
mod limits;
mod passages;
mod references;
mod schemes;

use std::path::PathBuf;

use pommel::constrained::ConstrainedRun;
use pommel::integrate::mechanics::{Level, MechanicsOptions, Scheme};
use pommel::integrate::{Adaptive, ImplicitMethod, ImplicitOptions, Options, Tableau};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::{AbsoluteDynamics, Approach, Stabilization};
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
