//! What every way into a motion refuses, and how it says so: states off the constraints, ends before the start, steps
//! that become too small, numbers that are none.

use pommel::absolute::AbsoluteState;
use pommel::constrained::{Accuracy, simulate_constrained};
use pommel::integrate::mechanics::{Level, MechanicsOptions, Scheme};
use pommel::integrate::{
    Adaptive, Cause, EventError, ExplicitMethod, ImplicitMethod, ImplicitOptions, IntegrateError,
    Options, Tableau,
};
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::nonsmooth::simulate_nonsmooth;
use pommel::nonsmooth::{NonsmoothDynamics, NonsmoothError, NonsmoothMotion, NonsmoothOptions};
use pommel::simulate::{Integrator, SimulateOptions, simulate};
use pommel::{
    AbsoluteDynamics, Approach, Error, Stabilization, TreeDynamics, integrate_constrained,
    integrate_verified,
};

/// A cart of 2 kg on a rail along x.
fn cart() -> Mechanism {
    Mechanism::from_toml_str(
        r#"
        name = "cart"
        kind = "planar"
        gravity = [1.0, 0.0]
        bodies = [{ name = "cart", mass = 2.0, inertia = 1.0 }]
        joints = [{ name = "rail", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "cart" }]
        "#,
    )
    .expect("sound")
}

fn approaches(steps: &Adaptive, fixed: Option<f64>) -> [Approach; 3] {
    let radau = ImplicitMethod::Radau5.tableau();
    let scheme = Scheme::radau(radau.clone(), Level::Stabilized);
    let explicit = Tableau::dormand_prince_54();
    let (options, implicit, mechanics) = match fixed {
        None => (
            Options::adaptive(explicit, steps.clone()),
            ImplicitOptions::adaptive(radau, steps.clone()),
            MechanicsOptions::adaptive(scheme, steps.clone()),
        ),
        Some(h) => (
            Options::fixed(explicit, h),
            ImplicitOptions::fixed(radau, h),
            MechanicsOptions::fixed(scheme, h),
        ),
    };
    let (method, stabilization) = (Method::SparseKkt, Stabilization::Projection(Metric::Mass));
    [
        Approach::Explicit { method, stabilization, options },
        Approach::Implicit { method, stabilization, options: implicit },
        Approach::Constrained(mechanics),
    ]
}

/// Errors of `integrate_constrained` and `simulate_constrained` with each approach.
fn errors(
    dynamics: &AbsoluteDynamics,
    state: &AbsoluteState,
    approaches: &[Approach],
    end: f64,
) -> Vec<Error> {
    let of = |approach: &Approach| {
        let run = integrate_constrained(dynamics, state, approach, end, &mut ());
        let first = run.expect_err("refused");
        let accuracy = Accuracy::Steps(1e-8);
        let again = |_| approach.clone();
        let run = simulate_constrained(dynamics, state, &again, accuracy, (end, 0.1), &mut |_| ());
        [first, run.expect_err("refused")]
    };
    approaches.iter().flat_map(of).collect()
}

fn steps() -> Adaptive {
    Adaptive::new(1e-8, 1e-8)
}

#[test]
fn states_off_the_constraints_are_refused_with_row_and_time() {
    let dynamics = AbsoluteDynamics::new(&cart()).expect("supported");
    let mut state = dynamics.initial_state().expect("assembled");
    state.q[1] = 0.25;
    let mut all = errors(&dynamics, &state, &approaches(&steps(), None), 1.0);
    let verified = integrate_verified(
        &dynamics,
        &state,
        |tolerance| approaches(&Adaptive::new(tolerance, tolerance), None)[0].clone(),
        1.0,
        1e-6,
        &mut (),
    );
    all.push(verified.expect_err("refused"));
    let nonsmooth = NonsmoothDynamics::new(&cart()).expect("supported");
    let options = NonsmoothOptions::new(Options::adaptive(Tableau::dormand_prince_54(), steps()));
    let run = simulate_nonsmooth(&nonsmooth, &state, &options, (1.0, 0.1), &mut |_| ());
    all.push(run.expect_err("refused"));
    for error in all {
        let Error::Inconsistent { time, rows } = &error else { panic!("{error}") };
        assert_eq!((*time, rows.len()), (0.0, 1));
        assert!(
            rows[0].0.starts_with("rail") && (rows[0].1.abs() - 0.25).abs() < 1e-15,
            "{rows:?}"
        );
        assert!(error.to_string().contains("at t = 0 ") && error.to_string().contains("rail"));
    }
}

#[test]
fn ends_before_the_start_are_refused() {
    let (model, dynamics) = (cart(), AbsoluteDynamics::new(&cart()).expect("supported"));
    let state = dynamics.initial_state().expect("assembled");
    let tree = TreeDynamics::new(&model).expect("a tree");
    let nonsmooth = NonsmoothDynamics::new(&model).expect("supported");
    let options = NonsmoothOptions::new(Options::adaptive(Tableau::dormand_prince_54(), steps()));
    for end in [-0.5, f64::NAN] {
        let mut all = errors(&dynamics, &state, &approaches(&steps(), None), end);
        let run = simulate(&tree, model.initial_state(), &SimulateOptions::new(end), &mut |_| ());
        all.push(run.expect_err("refused"));
        for error in all {
            let Error::End { end: found } = error else { panic!("{error}") };
            assert_eq!(found.to_bits(), end.to_bits());
            assert!(error.to_string().contains("cannot end at t = "), "{error}");
        }
        let run = simulate_nonsmooth(&nonsmooth, &state, &options, (end, 0.1), &mut |_| ());
        let Err(Error::Nonsmooth(error)) = run else { panic!("refused") };
        let NonsmoothError::Backwards { time, .. } = *error else { panic!("{error}") };
        assert_eq!(time, 0.0);
    }
    // from a time on the way back
    let mut motion = NonsmoothMotion::new(&nonsmooth, &state, &options).expect("a start");
    motion.integrate_to(1.0, &mut ()).expect("the end");
    let Err(Error::Nonsmooth(error)) = motion.integrate_to(0.5, &mut ()) else { panic!("refused") };
    let NonsmoothError::Backwards { time, end } = *error else { panic!("{error}") };
    assert_eq!((time, end), (1.0, 0.5));
}

/// A force that jumps at 0.5 s, which no step above 1e-3 s can hide.
#[test]
fn steps_that_would_be_too_small_end_a_motion_with_time_and_component() {
    let jump = |now: &mut pommel::forces::Acting<'_>| {
        now.generalized()[0] += if now.time() < 0.5 { 0.0 } else { 1e6 };
    };
    let (model, mut dynamics) = (cart(), AbsoluteDynamics::new(&cart()).expect("supported"));
    dynamics.add_force("jump", jump);
    let state = dynamics.initial_state().expect("assembled");
    let coarse = steps().min_step(1e-3);
    for error in errors(&dynamics, &state, &approaches(&coarse, None), 1.0) {
        let Error::Constrained { failure, place } = &error else { panic!("{error}") };
        let tolerance = matches!(failure.cause, Cause::Tolerance { .. });
        assert!(tolerance && (failure.t - 0.5).abs() < 0.01, "{error}");
        let place = place.as_deref().expect("a name");
        assert!(place.ends_with("cart.x") || place.ends_with("cart.vx"), "{place}");
        assert!(error.to_string().contains(place), "{error}");
    }
    let mut nonsmooth = NonsmoothDynamics::new(&model).expect("supported");
    nonsmooth.add_force("jump", jump);
    let options = NonsmoothOptions::new(Options::adaptive(Tableau::dormand_prince_54(), coarse));
    let mut motion = NonsmoothMotion::new(&nonsmooth, &state, &options).expect("a start");
    let Err(Error::Nonsmooth(error)) = motion.integrate_to(1.0, &mut ()) else { panic!("refused") };
    let NonsmoothError::Events { source: EventError::Integrate(source), .. } = &*error else {
        panic!("{error}")
    };
    let IntegrateError::Failed(failure) = source else { panic!("{error}") };
    assert!(matches!(failure.cause, Cause::Tolerance { .. }), "{error}");
    assert!((failure.t - 0.5).abs() < 0.01, "{error}");

    // steps of one size that no time can tell from the one before
    let tiny = 1e-18;
    for error in errors(&dynamics, &state, &approaches(&steps(), Some(tiny)), 1.0) {
        let Error::Constrained { failure, .. } = &error else { panic!("{error}") };
        assert!(matches!(failure.cause, Cause::StepBelowResolution), "{error}");
        assert_eq!(failure.t, 0.0);
    }
    let tree = TreeDynamics::new(&model).expect("a tree");
    let mut options = SimulateOptions::new(1.0);
    options.integrator = Integrator::fixed(ExplicitMethod::Rk4, tiny);
    let run = simulate(&tree, model.initial_state(), &options, &mut |_| ());
    let Err(Error::Integration(IntegrateError::Failed(failure))) = run else { panic!("refused") };
    assert!(matches!(failure.cause, Cause::StepBelowResolution), "{failure}");
}

#[test]
fn a_state_that_is_no_number_is_named() {
    let (model, dynamics) = (cart(), AbsoluteDynamics::new(&cart()).expect("supported"));
    let mut state = dynamics.initial_state().expect("assembled");
    state.v[0] = f64::NAN;
    let [explicit, implicit, scheme] = approaches(&steps(), None);
    for error in errors(&dynamics, &state, &[explicit, implicit, scheme], 1.0) {
        let Error::Constrained { failure, place } = &error else { panic!("{error}") };
        let Cause::InitialState { component } = failure.cause else { panic!("{error}") };
        assert_eq!((failure.t, component), (0.0, 3));
        assert_eq!(place.as_deref(), Some("component 3 is cart.vx"));
    }
    let tree = TreeDynamics::new(&model).expect("a tree");
    let mut joint = model.initial_state().clone();
    joint.v[0] = f64::NAN;
    let run = simulate(&tree, &joint, &SimulateOptions::new(1.0), &mut |_| ());
    let Err(Error::Integration(IntegrateError::Failed(failure))) = run else { panic!("refused") };
    assert!(matches!(failure.cause, Cause::InitialState { component: 1 }), "{failure}");
}
