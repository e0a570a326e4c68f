//! Derivatives of the end state by dual numbers.

use pommel_integrate::{Options, Tableau, integrate};
use pommel_math::Dual;

use crate::problems::{Pendulum, dormand_prince};

fn end(omega_squared: f64, q0: f64, options: &Options) -> [f64; 2] {
    let mut y = [q0, 0.0];
    integrate(&mut Pendulum::new(omega_squared), 0.0, 3.0, &mut y, options, &mut ()).unwrap();
    y
}

/// With fixed steps the run is a smooth function of its data, and dual numbers differentiate exactly
/// that function.
#[test]
fn fixed_steps_differentiate_by_parameter_and_initial_state() {
    for tableau in [Tableau::rk4(), Tableau::dormand_prince_54()] {
        let options = Options::fixed(tableau, 0.01);
        let mut y = [Dual::<2>::variable(0.5, 1), Dual::constant(0.0)];
        let mut pendulum = Pendulum::new(Dual::variable(9.81, 0));
        let (start, stop) = (Dual::constant(0.0), Dual::constant(3.0));
        integrate(&mut pendulum, start, stop, &mut y, &options, &mut ()).unwrap();
        let d = 1e-5;
        for c in 0..2 {
            assert_eq!(y[c].value().to_bits(), end(9.81, 0.5, &options)[c].to_bits());
            let difference = |plus: [f64; 2], minus: [f64; 2]| (plus[c] - minus[c]) / (2.0 * d);
            let by_parameter =
                difference(end(9.81 + d, 0.5, &options), end(9.81 - d, 0.5, &options));
            let by_state = difference(end(9.81, 0.5 + d, &options), end(9.81, 0.5 - d, &options));
            // central differences err by d² times third derivatives of size 10
            assert!((y[c].derivative(0) - by_parameter).abs() < 1e-8);
            assert!((y[c].derivative(1) - by_state).abs() < 1e-8);
        }
    }
}

/// By the end time, the derivative of the end state is the right-hand side there.
#[test]
fn derivative_by_the_end_time_is_the_right_hand_side() {
    for options in [dormand_prince(1e-10), Options::fixed(Tableau::dormand_prince_54(), 0.01)] {
        let mut y = [Dual::<1>::constant(0.5), Dual::constant(0.0)];
        let mut pendulum = Pendulum::new(Dual::constant(9.81));
        let stop = Dual::variable(3.0, 0);
        integrate(&mut pendulum, Dual::constant(0.0), stop, &mut y, &options, &mut ()).unwrap();
        assert!((y[0].derivative(0) - y[1].value()).abs() < 1e-6);
        assert!((y[1].derivative(0) + 9.81 * y[0].value().sin()).abs() < 1e-6);
    }
}
