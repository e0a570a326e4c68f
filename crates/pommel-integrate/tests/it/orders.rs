//! The measured order of every method is the theoretical one.

use pommel_integrate::{Control, Options, Step, Tableau, integrate};

use crate::problems::{ExponentialOfCircle, distance, heun_euler, slope};

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
fn heun_converges_with_order_2() {
    assert_order(global_order(&heun_euler(), [256, 512, 1024, 2048]), 2.0);
}

#[test]
fn classical_runge_kutta_converges_with_order_4() {
    assert_order(global_order(&Tableau::rk4(), [64, 128, 256, 512]), 4.0);
}

#[test]
fn dormand_prince_converges_with_order_5() {
    assert_order(global_order(&Tableau::dormand_prince_54(), [32, 64, 128, 256]), 5.0);
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
