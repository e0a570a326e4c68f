//! The interpolant of a step.

use pommel_integrate::{Control, Options, Step, Tableau, integrate};

use crate::problems::{ExponentialOfCircle, distance, dormand_prince};

#[test]
fn interpolant_meets_both_ends_to_the_bit_and_refuses_to_extrapolate() {
    let mut steps = 0;
    let mut observer = |step: &Step<'_, f64>| {
        steps += 1;
        let at = |t: f64| {
            let mut y = [0.0; 2];
            step.interpolate(t, &mut y);
            y
        };
        assert_eq!(at(step.t_old()), step.y_old());
        assert_eq!(at(step.t_new()), step.y_new());
        assert!(at(step.t_new() + 1e-12).iter().all(|y| y.is_nan()));
        assert!(at(step.t_old() - 1e-12).iter().all(|y| y.is_nan()));
        Control::Continue
    };
    let mut y = ExponentialOfCircle::exact(0.1);
    integrate(&mut ExponentialOfCircle, 0.1, 2.0, &mut y, &dormand_prince(1e-8), &mut observer)
        .unwrap();
    assert!(steps > 10);
}

/// Slopes at the ends are the derivatives, so the pieces join smoothly: seen by small differences.
#[test]
fn interpolant_is_continuously_differentiable() {
    for tableau in [Tableau::rk4(), Tableau::dormand_prince_54()] {
        let options = Options::fixed(tableau, 0.05);
        let mut observer = |step: &Step<'_, f64>| {
            let small = 1e-6;
            let mut before = [0.0; 2];
            step.interpolate(step.t_new() - small, &mut before);
            for c in 0..2 {
                let slope = (step.y_new()[c] - before[c]) / small;
                // second derivatives are below 100
                assert!((slope - step.dy_new()[c]).abs() < 100.0 * small);
            }
            Control::Continue
        };
        let mut y = ExponentialOfCircle::exact(0.0);
        integrate(&mut ExponentialOfCircle, 0.0, 2.0, &mut y, &options, &mut observer).unwrap();
    }
}

#[test]
fn dense_output_is_about_as_accurate_as_the_steps() {
    let mut worst = 0.0_f64;
    let mut observer = |step: &Step<'_, f64>| {
        for part in 0..10 {
            let t = step.t_old() + 0.1 * f64::from(part) * (step.t_new() - step.t_old());
            let mut y = [0.0; 2];
            step.interpolate(t, &mut y);
            worst = worst.max(distance(&y, &ExponentialOfCircle::exact(t)));
        }
        Control::Continue
    };
    let mut y = ExponentialOfCircle::exact(0.0);
    integrate(&mut ExponentialOfCircle, 0.0, 2.0, &mut y, &dormand_prince(1e-9), &mut observer)
        .unwrap();
    assert!(worst < 1e-7, "{worst:e}");
}
