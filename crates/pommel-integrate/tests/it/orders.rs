//! The measured order of every method is the theoretical one.

use pommel_integrate::{
    Cause, Control, Grid, IntegrateError, Options, Sampler, Step, Stepper, System, Tableau,
    from_fn, integrate, try_from_fn,
};

use crate::problems::{ExponentialOfCircle, distance, methods, slope};

fn global_order(tableau: &Tableau, steps: [u32; 4]) -> f64 {
    let sizes = steps.map(|steps| 1.0 / f64::from(steps));
    let errors = sizes.map(|h| {
        let mut y = ExponentialOfCircle::exact(0.0);
        let options = Options::fixed(tableau.clone(), h);
        integrate(&mut ExponentialOfCircle, 0.0, 1.0, &mut y, &options, &mut ()).unwrap();
        distance(&y, &ExponentialOfCircle::exact(1.0))
    });
    slope(&sizes, &errors)
}

/// Order plus one of the interpolant, from the error inside one step from `start`.
fn local_dense_order(tableau: &Tableau, start: f64, sizes: [f64; 4]) -> f64 {
    let errors = sizes.map(|h| {
        let mut y = ExponentialOfCircle::exact(start);
        let options = Options::fixed(tableau.clone(), h);
        let mut worst = 0.0_f64;
        let mut observer = |step: &Step<'_, f64>| {
            for part in [0.2, 0.4, 0.7] {
                let mut inside = [0.0; 2];
                step.interpolate(start + part * h, &mut inside);
                worst = worst.max(distance(&inside, &ExponentialOfCircle::exact(start + part * h)));
            }
            Control::Continue
        };
        integrate(&mut ExponentialOfCircle, start, start + h, &mut y, &options, &mut observer)
            .unwrap();
        worst
    });
    slope(&sizes, &errors)
}

fn assert_order(measured: f64, expected: f64) {
    assert!((measured - expected).abs() < 0.1, "measured order {measured}, expected {expected}");
}

#[test]
fn every_method_converges_with_its_order() {
    let steps = |order| match order {
        1 => [1024, 2048, 4096, 8192],
        2 => [256, 512, 1024, 2048],
        3 => [128, 256, 512, 1024],
        4 => [64, 128, 256, 512],
        5 => [32, 64, 128, 256],
        _ => [12, 16, 20, 26],
    };
    for tableau in methods() {
        let order = tableau.order();
        let measured = global_order(&tableau, steps(order));
        assert!(
            (measured - order as f64).abs() < 0.1,
            "{}: measured order {measured}, expected {order}",
            tableau.name()
        );
    }
}

/// Fixed steps of one pair differ by the estimate, whose order is the lower of both.
#[test]
fn error_estimates_have_the_order_of_the_lower_method() {
    for tableau in methods() {
        let Some(pair) = tableau.embedded() else { continue };
        let order = tableau.order().min(pair.order);
        let sizes = if order < 5 { [0.04, 0.02, 0.01, 0.005] } else { [0.1, 0.08, 0.06, 0.05] };
        let errors = sizes.map(|h| {
            // the estimate of one step from t = 1/2, stage by stage
            let n = tableau.stages();
            let mut k = vec![[0.0; 2]; n];
            for i in 0..n {
                let mut y = ExponentialOfCircle::exact(0.5);
                for j in 0..i {
                    (0..2).for_each(|c| y[c] += h * tableau.a(i, j) * k[j][c]);
                }
                let t = 0.5 + tableau.c()[i] * h;
                System::<f64>::rhs(&mut ExponentialOfCircle, t, &y, &mut k[i]).unwrap();
            }
            let estimate = |c: usize| -> f64 {
                (0..n).map(|i| h * (tableau.b()[i] - pair.weights[i]) * k[i][c]).sum()
            };
            estimate(0).hypot(estimate(1))
        });
        let measured = slope(&sizes, &errors);
        let name = tableau.name();
        assert!((measured - (order + 1) as f64).abs() < 0.1, "{name}: {measured}, order {order}");
    }
}

#[test]
fn hermite_interpolation_has_order_3() {
    let tableau = Tableau::rk4();
    assert_eq!(tableau.dense_order(), 3);
    assert_order(local_dense_order(&tableau, 0.5, [0.02, 0.01, 0.005, 0.0025]), 4.0);
}

#[test]
fn dense_output_of_dormand_prince_has_order_4() {
    let tableau = Tableau::dormand_prince_54();
    assert_eq!(tableau.dense_order(), 4);
    assert_order(local_dense_order(&tableau, 0.5, [0.04, 0.02, 0.01, 0.005]), 5.0);
}

#[test]
fn dense_output_of_dop853_has_order_7_with_its_extra_stages() {
    let tableau = Tableau::dormand_prince_853();
    assert_eq!((tableau.dense_order(), tableau.dense().unwrap().extra.len()), (7, 3));
    assert_order(local_dense_order(&tableau, 1.3, [0.09, 0.075, 0.065, 0.055]), 8.0);
}

/// Who does not look into steps does not pay for it, and whoever steps by hand gets a cubic until he
/// asks for more.
#[test]
fn extra_stages_are_evaluated_where_somebody_looks() {
    let tableau = Tableau::dormand_prince_853();
    let options = Options::fixed(tableau, 0.25);
    let calls = |observer: &mut dyn FnMut(&Step<'_, f64>) -> Control, watch: bool| {
        let mut y = ExponentialOfCircle::exact(0.0);
        let system = &mut ExponentialOfCircle;
        let outcome = if watch {
            let mut observer = |step: &Step<'_, f64>| observer(step);
            integrate(system, 0.0, 1.0, &mut y, &options, &mut observer)
        } else {
            integrate(system, 0.0, 1.0, &mut y, &options, &mut ())
        };
        outcome.unwrap().statistics(0).evaluations
    };
    let mut nothing = |_: &Step<'_, f64>| Control::Continue;
    // 12 a step, of which the first is the last of the step before, and one more at its end
    assert_eq!(calls(&mut nothing, false), 1 + 4 * 12);
    assert_eq!(calls(&mut nothing, true), 1 + 4 * 15);
    // grid points at the ends of steps take none, one inside of a step takes three
    for (times, extra) in [(vec![0.25, 0.5, 1.0], 0), (vec![0.25, 0.6, 0.7, 1.0], 3)] {
        let mut found = Vec::new();
        let grid = Grid::At(&times);
        let sink = |sample: pommel_integrate::Sample<'_, f64>| {
            found.push((sample.t, distance(sample.y, &ExponentialOfCircle::exact(sample.t))));
        };
        let mut sampler = Sampler::new(grid, 0.0, 1.0, 2, sink).unwrap();
        let mut y = ExponentialOfCircle::exact(0.0);
        let outcome =
            integrate(&mut ExponentialOfCircle, 0.0, 1.0, &mut y, &options, &mut sampler).unwrap();
        assert_eq!(outcome.statistics(0).evaluations, 1 + 4 * 12 + extra);
        assert_eq!(found.len(), times.len());
        // a cubic over a quarter would be off by 1e-3
        assert!(found.iter().all(|(_, error)| *error < 1e-6), "{found:?}");
    }
    let mut stepper = Stepper::new(2, &options).unwrap();
    let mut system = ExponentialOfCircle;
    let start = ExponentialOfCircle::exact(0.0);
    assert!(stepper.start(&mut system, 0.0, 1.0, &start).unwrap().is_empty());
    let _ = stepper.step(&mut system);
    let _ = stepper.step(&mut system);
    let error = |stepper: &Stepper<f64>| {
        let mut inside = [0.0; 2];
        stepper.last_step().interpolate(0.4, &mut inside);
        distance(&inside, &ExponentialOfCircle::exact(0.4))
    };
    let cubic = error(&stepper);
    stepper.extend(&mut system).unwrap();
    let full = error(&stepper);
    assert!(cubic > 1e-6 && full < 1e-2 * cubic, "{cubic:e} {full:e}");
}

/// A system that fails between the ends of a step only.
#[test]
fn a_step_that_cannot_be_looked_into_is_a_failure() {
    // only the extra stages ask at a tenth and a fifth of a step
    let forbidden = |t: f64| (t - 0.1).abs() < 1e-3;
    let mut system = try_from_fn(1, |t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = -y[0];
        if forbidden(t) { Err("no value here") } else { Ok(()) }
    });
    let options = Options::fixed(Tableau::dormand_prince_853(), 1.0);
    let mut look = |_: &Step<'_, f64>| Control::Continue;
    let error = integrate(&mut system, 0.0, 1.0, &mut [1.0], &options, &mut look).unwrap_err();
    assert!(error.to_string().contains("t = 1"), "{error}");
    integrate(&mut system, 0.0, 1.0, &mut [1.0], &options, &mut ()).unwrap();
    let mut system = from_fn(1, |t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = if forbidden(t) { f64::NAN } else { -y[0] };
    });
    let error = integrate(&mut system, 0.0, 1.0, &mut [1.0], &options, &mut look).unwrap_err();
    let IntegrateError::Failed(failure) = error else { panic!("{error}") };
    assert!(matches!(failure.cause, Cause::NonFinite { stage: 13, component: 0 }), "{failure}");
}
