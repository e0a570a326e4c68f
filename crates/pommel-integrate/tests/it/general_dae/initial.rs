//! Consistent initial values.

use pommel_integrate::{ConsistentState, Dae, DaeError, DaeOptions, Quasilinear, consistent_state};

use super::assert_near;
use super::systems::*;

fn consistent<D: Dae>(
    dae: &D,
    t: f64,
    y: &[f64],
    held: &[usize],
) -> Result<ConsistentState, DaeError> {
    let mut marks = vec![false; y.len()];
    held.iter().for_each(|&v| marks[v] = true);
    consistent_state(dae, t, y, &marks, &DaeOptions::default())
}

/// Any two components of the pendulum that are not bound to each other may be held, and the others follow.
#[test]
fn held_components_stay_and_the_others_follow() {
    let dae = Pendulum { level: 0 };
    let exact = Pendulum::state(0.6, 0.7);
    for held in [[0, 2], [0, 3], [1, 2], [1, 3]] {
        let mut guess = exact;
        for (v, guess) in guess.iter_mut().enumerate() {
            if !held.contains(&v) {
                *guess += 0.1;
            }
        }
        let found = consistent(&dae, 0.0, &guess, &held).unwrap();
        // Gauss-Newton ends with rounding, times the condition
        assert_near(&found.y, &exact, 1e-13);
        assert_eq!(found.free, held);
        assert_eq!(found.determined, []);
        let moved: Vec<usize> = found.moved.iter().map(|moved| moved.component).collect();
        let others: Vec<usize> = (0..5).filter(|v| !held.contains(v)).collect();
        assert_eq!(moved, others);
        for moved in &found.moved {
            assert_eq!(moved.from, guess[moved.component]);
            assert_eq!(moved.to, found.y[moved.component]);
        }
        let mut residual = [0.0; 5];
        dae.residual(0.0, &found.y, &found.derivative, &mut residual);
        assert_near(&residual, &[0.0; 5], 1e-13);
    }
}

/// Without anything held, the change is the shortest: of a point, along the line to the centre.
#[test]
fn a_guess_moves_by_the_shortest_way() {
    let guess = [0.6 * 1.01, -0.8 * 1.01, 0.0, 0.0, 0.8 * G];
    let found = consistent(&Pendulum { level: 0 }, 0.0, &guess, &[]).unwrap();
    // λ = g cos φ ties it to the position, which is of second order in the change
    assert_near(&found.y[..4], &[0.6, -0.8, 0.0, 0.0], 1e-3);
    let along = |y: &[f64]| -0.8 * y[0] - 0.6 * y[1];
    assert!(along(&found.y).abs() < 1e-3, "{:?}", found.y);
    assert!(found.moved.len() >= 2);
}

#[test]
fn a_consistent_guess_does_not_move() {
    let guess = Pendulum::state(-0.4, 2.0);
    let found = consistent(&Pendulum { level: 0 }, 0.0, &guess, &[]).unwrap();
    assert_near(&found.y, &guess, 1e-14);
    assert_eq!(found.moved, []);
    assert_eq!(found.free.len(), 2);
}

#[test]
fn the_particle_starts_with_the_multiplier_of_the_reference() {
    let guess = [0.6, -0.44, 1.0, 1.95, 0.0];
    let found = consistent(&Quasilinear(Parabola), 0.0, &guess, &[0, 2]).unwrap();
    // reference in 113-bit numbers
    assert_near(&found.y, &[0.6, -0.44, 1.0, 1.95, -2.061_894_884_412_909_2], 1e-13);
    let rate = Parabola::printed_rate_of_lambda(&found.y);
    assert!((found.derivative[4] - rate).abs() < 1e-11, "{} {rate}", found.derivative[4]);
}

#[test]
fn what_time_determines_cannot_be_chosen() {
    let dae = Linear { constant: false };
    let found = consistent(&dae, 0.5, &[9.0, 9.0, 9.0], &[]).unwrap();
    assert_near(&found.y, &dae.exact(0.5), 1e-14);
    assert_eq!((found.free.len(), &found.determined[..]), (0, &[0, 1, 2][..]));
    let circuit = consistent(&Circuit, 0.5, &[0.0, 0.25, 0.0], &[1]).unwrap();
    assert_eq!((&circuit.free[..], &circuit.determined[..]), (&[1][..], &[0][..]));
    let source = 0.5_f64.sin();
    assert_near(&circuit.y, &[source, 0.25, (0.25 - source) / Circuit::R], 1e-14);
}

#[test]
fn contradictions_name_the_components() {
    let dae = Pendulum { level: 0 };
    let contradiction = |guess: &[f64], held: &[usize]| {
        let error = consistent(&dae, 0.0, guess, held).unwrap_err();
        let DaeError::Contradiction { components, equations, .. } = error else {
            panic!("{error:?}")
        };
        (components, equations)
    };
    // a position off the circle; u is held, too, but has no part in it
    let (components, equations) = contradiction(&[0.6, 0.6, 0.1, 0.0, 0.0], &[0, 1, 2]);
    assert_eq!((components, equations), (vec![0, 1], vec![4]));
    // a velocity across the circle
    let (components, _) = contradiction(&[0.6, -0.8, 1.0, 0.0, 0.0], &[0, 1, 2, 3]);
    assert!(components.contains(&2) && components.contains(&3), "{components:?}");
    let error = consistent(&Linear { constant: true }, 0.0, &[0.5, 1.0, 0.0], &[0]).unwrap_err();
    assert!(
        matches!(&error, DaeError::Contradiction { components, .. } if *components == [0]),
        "{error:?}"
    );
    assert!(error.to_string().contains("[0]"), "{error}");
}

/// Held values that depend on each other are fine if they agree.
#[test]
fn held_values_may_be_redundant() {
    let found = consistent(&Pendulum { level: 0 }, 0.0, &[0.6, -0.8, 0.8, 0.6, 0.0], &[0, 1, 2, 3]);
    let found = found.unwrap();
    assert_near(&found.y, &[0.6, -0.8, 0.8, 0.6, 1.0 + 0.8 * G], 1e-13);
    assert_eq!(found.free.len(), 2);
}
