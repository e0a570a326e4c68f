//! The same source in single precision.

use pommel_integrate::{Grid, Options, Sampler, Tableau, from_fn, integrate};

use crate::problems::{Pendulum, dormand_prince};

#[test]
fn single_precision_reaches_its_own_accuracy() {
    let mut double = [0.5_f64, 0.0];
    integrate(&mut Pendulum::new(9.81), 0.0, 2.0, &mut double, &dormand_prince(1e-12), &mut ())
        .unwrap();
    for options in [dormand_prince(1e-6), Options::fixed(Tableau::rk4(), 0.01)] {
        let mut single = [0.5_f32, 0.0];
        let mut pendulum = Pendulum::new(9.81_f32);
        let outcome = integrate(&mut pendulum, 0.0, 2.0, &mut single, &options, &mut ()).unwrap();
        assert_eq!(outcome.t, 2.0);
        for (single, double) in single.iter().zip(double) {
            // 200 steps, each with a few roundings of numbers of size 1
            let error = (f64::from(*single) - double).abs();
            assert!(error < 200.0 * f64::from(f32::EPSILON), "{error:e}");
        }
    }
}

/// 0.3 is another number in single precision: neither a sliver of a step nor a doubled sample.
#[test]
fn decimal_steps_and_grids_do_not_leave_slivers() {
    let mut times = Vec::new();
    let mut sampler =
        Sampler::new(Grid::Every(0.1), 0.0_f32, 0.3, 1, |s| times.push(s.t as f32)).unwrap();
    let mut decay = from_fn(1, |_t, y: &[f32], dy: &mut [f32]| dy[0] = -y[0]);
    let options = Options::fixed(Tableau::rk4(), 0.1);
    let outcome = integrate(&mut decay, 0.0, 0.3, &mut [1.0], &options, &mut sampler).unwrap();
    assert_eq!(outcome.statistics(0).steps, 3);
    assert_eq!(times, [0.0, 0.1, 0.2, 0.3]);
}

#[test]
fn a_tolerance_below_rounding_is_a_failure_and_not_an_endless_loop() {
    let mut y = [0.5_f32, 0.0];
    let options = dormand_prince(1e-14);
    integrate(&mut Pendulum::new(9.81_f32), 0.0, 2.0, &mut y, &options, &mut ()).unwrap_err();
}
