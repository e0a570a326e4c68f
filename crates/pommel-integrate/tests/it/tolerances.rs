//! The error follows the tolerance.

use pommel_integrate::{Adaptive, Options, Tableau, integrate};

use crate::problems::{ExponentialOfCircle, distance, dormand_prince, methods, slope};

/// Eight decades of tolerance: the error falls at each, and in proportion over all of them.
#[test]
fn error_falls_in_proportion_to_the_tolerance() {
    let tolerances: Vec<f64> = (4..=12).map(|digits| 10_f64.powi(-digits)).collect();
    let errors: Vec<f64> = tolerances
        .iter()
        .map(|&tolerance| {
            let mut y = ExponentialOfCircle::exact(0.0);
            let options = dormand_prince(tolerance);
            integrate(&mut ExponentialOfCircle, 0.0, 3.0, &mut y, &options, &mut ()).unwrap();
            distance(&y, &ExponentialOfCircle::exact(3.0))
        })
        .collect();
    for (error, tolerance) in errors.iter().zip(&tolerances) {
        assert!(*error < 100.0 * tolerance, "error {error:e} at tolerance {tolerance:e}");
    }
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "not falling: {errors:?}");
    let proportion = slope(&tolerances, &errors);
    assert!((proportion - 1.0).abs() < 0.1, "error goes as tolerance to the {proportion}");
}

/// The same for every pair, over the tolerances that suit its order: the error falls with each,
/// in proportion to what the order of the result makes of the order of the estimate.
#[test]
fn every_pair_responds_to_its_tolerance() {
    for tableau in methods() {
        let Some(pair) = tableau.embedded() else { continue };
        let estimate = tableau.order().min(pair.order);
        let digits: Vec<i32> = match estimate {
            1 => (2..=7).collect(),
            2 => (3..=9).collect(),
            5 => (5..=12).collect(),
            _ => (4..=11).collect(),
        };
        let tolerances: Vec<f64> = digits.iter().map(|&d| 10_f64.powi(-d)).collect();
        let name = tableau.name().to_owned();
        let errors: Vec<f64> = tolerances
            .iter()
            .map(|&tolerance| {
                let mut y = ExponentialOfCircle::exact(0.0);
                let settings = Adaptive::new(tolerance, tolerance);
                let options = Options::adaptive(tableau.clone(), settings).max_steps(10_000_000);
                integrate(&mut ExponentialOfCircle, 0.0, 3.0, &mut y, &options, &mut ()).unwrap();
                distance(&y, &ExponentialOfCircle::exact(3.0))
            })
            .collect();
        assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{name}: {errors:?}");
        for (error, tolerance) in errors.iter().zip(&tolerances) {
            assert!(*error < 300.0 * tolerance, "{name}: error {error:e} at {tolerance:e}");
        }
        // errors go as h^order, tolerances as h^(estimate + 1), or as h^order by two estimates
        let power = if pair.lower.is_some() { tableau.order() } else { estimate + 1 };
        let expected = tableau.order() as f64 / power as f64;
        let proportion = slope(&tolerances, &errors);
        assert!((proportion - expected).abs() < 0.1, "{name}: {proportion}, not {expected}");
    }
}

/// Two decoupled oscillators, of which only the second is worth its digits.
#[test]
fn tolerances_per_component_count_for_their_component() {
    let run = |atol: Vec<f64>| {
        let mut oscillators = pommel_integrate::from_fn(4, |_t, y: &[f64], dy: &mut [f64]| {
            dy.copy_from_slice(&[y[1], -y[0], y[3], -100.0 * y[2]]);
        });
        let mut y = [1.0, 0.0, 1.0, 0.0];
        let options = Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(0.0, atol));
        let outcome = integrate(&mut oscillators, 0.0, 5.0, &mut y, &options, &mut ()).unwrap();
        ((y[2] - 50_f64.cos()).abs(), outcome.statistics(0).steps)
    };
    let (tight_error, tight_steps) = run(vec![1e-3, 1e-3, 1e-9, 1e-8]);
    let (loose_error, loose_steps) = run(vec![1e-9, 1e-9, 1e-2, 1e-1]);
    assert!(tight_error < 1e-6);
    assert!(loose_error > 1e-6);
    assert!(loose_steps < tight_steps);
}

#[test]
fn no_step_exceeds_the_largest_allowed() {
    let options =
        Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(1e-3, 1e-3).max_step(0.125));
    let mut y = ExponentialOfCircle::exact(0.0);
    let outcome = integrate(&mut ExponentialOfCircle, 0.0, 1.0, &mut y, &options, &mut ()).unwrap();
    assert_eq!(outcome.statistics(0).largest_step, 0.125);
    assert!(outcome.statistics(0).steps >= 8);
}
