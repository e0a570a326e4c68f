//! The end time is reached exactly, in either direction.

use pommel_integrate::{Adaptive, Control, Controller, Options, Step, Tableau, from_fn, integrate};

use crate::problems::{ExponentialOfCircle, Pendulum, distance, dormand_prince, methods};

/// Ends that no multiple of the step hits, and ends that rounding makes it miss by a bit.
#[test]
fn end_time_is_reached_exactly_and_never_passed() {
    let mut all = Vec::new();
    for tableau in methods() {
        if tableau.embedded().is_some() {
            let settings = Adaptive::new(1e-6, 1e-6);
            all.push(Options::adaptive(tableau.clone(), settings.clone()));
            let settings = settings.controller(Controller::Ode45);
            all.push(Options::adaptive(tableau.clone(), settings));
        }
        all.push(Options::fixed(tableau.clone(), 0.1));
        all.push(Options::fixed(tableau, 10.0));
    }
    for end in [1.0, 0.3, 1e-3, 7.0 / 3.0, 2.0 + 1e-15] {
        for options in &all {
            let mut latest = 0.0_f64;
            let mut system = from_fn(1, |t: f64, y: &[f64], dy: &mut [f64]| {
                latest = latest.max(t);
                dy[0] = -y[0];
            });
            let mut last = f64::NAN;
            let mut observer = |step: &Step<'_, f64>| {
                last = step.t_new();
                Control::Continue
            };
            let outcome =
                integrate(&mut system, 0.0, end, &mut [1.0], options, &mut observer).unwrap();
            assert_eq!((outcome.t, last), (end, end));
            // methods without a stage at the end look at it no more
            let reach = options.tableau().c().iter().fold(0.0_f64, |m, c| m.max(*c));
            assert!(latest <= end && (latest == end || reach < 1.0), "{latest} of {end}");
        }
    }
}

#[test]
fn fixed_steps_that_divide_the_interval_are_not_followed_by_a_sliver() {
    for (h, steps) in [(0.1, 10), (1.0 / 3.0, 3), (0.7, 2), (1.0, 1), (1e-5, 100_000)] {
        let options = Options::fixed(Tableau::rk4(), h);
        let mut decay = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = -y[0]);
        let outcome = integrate(&mut decay, 0.0, 1.0, &mut [1.0], &options, &mut ()).unwrap();
        assert_eq!(outcome.statistics(0).steps, steps, "h = {h}");
    }
}

#[test]
fn an_empty_interval_gives_the_initial_state_and_evaluates_nothing() {
    let mut pendulum = Pendulum::new(1.0);
    let mut y = [0.5, -0.0];
    let outcome =
        integrate(&mut pendulum, 3.0, 3.0, &mut y, &dormand_prince(1e-6), &mut ()).unwrap();
    assert_eq!(y.map(f64::to_bits), [0.5, -0.0].map(f64::to_bits));
    assert_eq!((outcome.t, outcome.statistics(0).steps, pendulum.calls), (3.0, 0, 0));
}

#[test]
fn backward_integration_returns_to_the_start() {
    for options in [dormand_prince(1e-11), Options::fixed(Tableau::dormand_prince_54(), 1e-3)] {
        let mut y = ExponentialOfCircle::exact(2.0);
        let outcome =
            integrate(&mut ExponentialOfCircle, 2.0, 0.0, &mut y, &options, &mut ()).unwrap();
        assert_eq!(outcome.t, 0.0);
        let error = distance(&y, &ExponentialOfCircle::exact(0.0));
        assert!(error < 1e-8, "{error:e}");
    }
}
