//! Indices, hidden constraints, degrees of freedom.

use pommel_integrate::{Analysis, Dae, DaeOptions, Quasilinear, analyze};

use super::systems::*;

fn analysis<D: Dae>(dae: &D, t: f64, y: &[f64]) -> Analysis {
    analyze(dae, t, y, &DaeOptions::default()).unwrap()
}

#[test]
fn indices_are_those_known() {
    let mut found = Vec::new();
    found.push(("linear", analysis(&Linear { constant: false }, 0.0, &[0.0; 3])));
    found.push(("linear const", analysis(&Linear { constant: true }, 0.7, &[0.0; 3])));
    found.push(("parabola", analysis(&Quasilinear(Parabola), 0.0, &[0.6, -0.44, 1.0, 1.95, 0.0])));
    for level in 0..3 {
        found.push(("pendulum", analysis(&Pendulum { level }, 0.0, &Pendulum::state(0.5, 1.0))));
    }
    found.push(("circuit", analysis(&Circuit, 0.3, &[0.0; 3])));
    found.push(("car", analysis(&CarAxis, 0.0, &[0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0])));
    for f in &found {
        println!("{} {} {:?}", f.0, f.1, f.1.constraints);
    }
    panic!();
}
