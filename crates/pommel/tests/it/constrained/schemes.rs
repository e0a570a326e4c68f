//! Schemes with constraints in every step.

use pommel::constrained::AbsoluteMechanics;
use pommel::integrate::mechanics::{Level, MechanicsOptions, MechanicsStepper, Scheme};
use pommel::integrate::{Adaptive, ImplicitMethod};
use pommel::{Approach, integrate_constrained, integrate_verified};

use super::{load, options};

/// Steps allocate nothing, whatever the scheme.
#[test]
fn steps_of_schemes_do_not_allocate() {
    for name in ["fourbar_ex32", "spatial_chain3"] {
        let dynamics = load(name);
        let state = dynamics.initial_state().expect(name);
        let radau = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
        let schemes = [Scheme::Rattle, Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, radau];
        for scheme in schemes {
            let label = scheme.name();
            let system = dynamics.system();
            let options = MechanicsOptions::fixed(scheme, 1e-3);
            let mut stepper =
                MechanicsStepper::new(system.nq(), system.nv(), system.rows(), &options)
                    .expect("options");
            let mut mechanics = AbsoluteMechanics::new(&dynamics, &state);
            let mut y = [&state.q[..], &state.v].concat();
            // the first run chooses the order of elimination
            stepper.run(&mut mechanics, 0.0, 0.05, &mut y, &mut ()).expect("the end");
            let (_, count) = pommel_testkit::count_allocations(|| {
                stepper.run(&mut mechanics, 0.05, 0.1, &mut y, &mut ()).expect("the end");
            });
            assert_eq!(count, 0, "{name}, {label}");
        }
    }
}

/// Redundant rows are nothing to schemes with constraints in every step.
#[test]
fn schemes_take_redundant_rows() {
    let schemes = || {
        let radau = Scheme::radau(ImplicitMethod::Radau5.tableau(), Level::Stabilized);
        [Scheme::Rattle, Scheme::GeneralizedAlpha { spectral_radius: 0.8 }, radau]
    };
    let approach = |scheme: Scheme| {
        let tolerance = if scheme.order() > 2 { 1e-7 } else { 1e-5 };
        let settings = Adaptive::new(tolerance, tolerance);
        Approach::Constrained(MechanicsOptions::adaptive(scheme, settings))
    };
    let (name, end) = ("a04_bricard", 1.0);
    let dynamics = load(name);
    let state = dynamics.initial_state().expect(name);
    let truth = integrate_verified(
        &dynamics,
        &state,
        |tolerance| Approach::projected(options(tolerance)),
        end,
        1e-9,
        &mut (),
    );
    let truth = truth.expect("the end").run;
    for scheme in schemes() {
        let label = scheme.name();
        let run = integrate_constrained(&dynamics, &state, &approach(scheme), end, &mut ());
        let run = run.unwrap_or_else(|error| panic!("{label}: {error}"));
        let off = run.q.iter().zip(&truth.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-3, "{label}: {off:e}");
        assert!(run.position_residual < 1e-7, "{label}: {:e}", run.position_residual);
    }
}
