//! The measured order of every method is the theoretical one.

use pommel_integrate::{Control, Options, Step, System, Tableau, integrate};

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

/// Order plus one of the interpolant, from the error inside one step from `t = 1/2`.
fn local_dense_order(tableau: &Tableau, sizes: [f64; 4]) -> f64 {
    let errors = sizes.map(|h| {
        let mut y = ExponentialOfCircle::exact(0.5);
        let options = Options::fixed(tableau.clone(), h);
        let mut worst = 0.0_f64;
        let mut observer = |step: &Step<'_, f64>| {
            for part in [0.2, 0.4, 0.7] {
                let mut inside = [0.0; 2];
                step.interpolate(0.5 + part * h, &mut inside);
                worst = worst.max(distance(&inside, &ExponentialOfCircle::exact(0.5 + part * h)));
            }
            Control::Continue
        };
        integrate(&mut ExponentialOfCircle, 0.5, 0.5 + h, &mut y, &options, &mut observer).unwrap();
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
        _ => [32, 64, 128, 256],
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
        let sizes = [0.04, 0.02, 0.01, 0.005];
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
    assert_order(local_dense_order(&tableau, [0.02, 0.01, 0.005, 0.0025]), 4.0);
}

#[test]
fn dense_output_of_dormand_prince_has_order_4() {
    let tableau = Tableau::dormand_prince_54();
    assert_eq!(tableau.dense_order(), 4);
    assert_order(local_dense_order(&tableau, [0.04, 0.02, 0.01, 0.005]), 5.0);
}
