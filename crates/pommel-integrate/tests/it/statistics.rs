//! Counts are true.

use pommel_integrate::{Adaptive, Options, Stepper, Tableau, integrate};

use crate::problems::{Pendulum, dormand_prince};

fn assert_counts(options: &Options, per_attempt: u64, per_step: u64, at_start: u64) {
    let mut pendulum = Pendulum::new(9.81);
    let outcome = integrate(&mut pendulum, 0.0, 7.0, &mut [2.0, 0.0], options, &mut ()).unwrap();
    let counts = outcome.statistics(0);
    assert_eq!(counts.evaluations, pendulum.calls);
    assert_eq!(outcome.calls, pendulum.calls);
    let attempts = counts.steps + counts.rejected;
    assert_eq!(counts.evaluations, at_start + per_attempt * attempts + per_step * counts.steps);
    assert!(counts.smallest_step > 0.0 && counts.smallest_step <= counts.largest_step);
}

#[test]
fn evaluations_counted_are_evaluations_made() {
    // six new stages an attempt; one evaluation at the start, one to find the first step
    assert_counts(&dormand_prince(1e-3), 6, 0, 2);
    let given = Adaptive::new(1e-9, 1e-9).first_step(0.5);
    assert_counts(&Options::adaptive(Tableau::dormand_prince_54(), given), 6, 0, 1);
    assert_counts(&Options::fixed(Tableau::dormand_prince_54(), 0.01), 6, 0, 1);
    // three new stages, and the derivative at the end of each accepted step
    assert_counts(&Options::fixed(Tableau::rk4(), 0.01), 3, 1, 1);
    assert_counts(&Options::adaptive(Tableau::heun(), Adaptive::new(1e-4, 1e-4)), 1, 1, 2);
}

#[test]
fn a_stepper_starts_afresh_every_time() {
    let mut stepper = Stepper::new(2, &dormand_prince(1e-8)).unwrap();
    let mut run = || {
        let mut y = [2.0, 0.0];
        let run = stepper.run(&mut Pendulum::new(9.81), 0.0, 7.0, &mut y, &mut ()).unwrap();
        (y, run.outcome)
    };
    assert_eq!(run(), run());
}
