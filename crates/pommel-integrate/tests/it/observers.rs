//! Observers see every accepted step and may end the run.

use pommel_integrate::{Control, Step, integrate};
use pommel_math::{Lanes, Mask};

use crate::problems::{Pendulum, dormand_prince};

#[test]
fn observer_sees_every_accepted_step_without_gap() {
    let mut steps = 0;
    let mut t = 0.0;
    let mut y = vec![0.5, 0.0];
    let mut observer = |step: &Step<'_, f64>| {
        assert_eq!((step.t_old(), step.y_old()), (t, &y[..]));
        t = step.t_new();
        y.copy_from_slice(step.y_new());
        steps += 1;
        Control::Continue
    };
    let mut end = [0.5, 0.0];
    let mut pendulum = Pendulum::new(9.81);
    let outcome =
        integrate(&mut pendulum, 0.0, 20.0, &mut end, &dormand_prince(1e-8), &mut observer)
            .unwrap();
    assert_eq!((steps, t), (outcome.statistics(0).steps, 20.0));
    assert_eq!(y, end);
    assert!(outcome.stopped.is_none());
}

#[test]
fn a_stop_ends_the_run_at_the_step_that_asked_for_it() {
    let mut observer = |step: &Step<'_, f64>| {
        if step.y_new()[0] < 0.0 { Control::Stop } else { Control::Continue }
    };
    let mut y = [0.5, 0.0];
    let mut pendulum = Pendulum::new(9.81);
    let outcome =
        integrate(&mut pendulum, 0.0, 20.0, &mut y, &dormand_prince(1e-8), &mut observer).unwrap();
    assert!(outcome.stopped.lane(0));
    assert!(y[0] < 0.0 && outcome.t > 0.5 && outcome.t < 1.0);
}

#[test]
fn lanes_are_stopped_one_by_one() {
    let mut observer = |step: &Step<'_, Lanes<2>>| {
        Control::StopLanes(Mask::from_fn(2, |i| i == 1 && step.t_new().0[i] > 3.0))
    };
    let mut y = [Lanes([0.5, 0.5]), Lanes([0.0, 0.0])];
    let (start, end) = (Lanes([0.0; 2]), Lanes([10.0; 2]));
    let mut pendulums = Pendulum::new(Lanes([9.81, 9.81]));
    let outcome =
        integrate(&mut pendulums, start, end, &mut y, &dormand_prince(1e-8), &mut observer)
            .unwrap();
    assert_eq!(outcome.stopped.bits(), 0b10);
    assert_eq!(outcome.t.0[0], 10.0);
    assert!(outcome.t.0[1] > 3.0 && outcome.t.0[1] < 4.0);
}
