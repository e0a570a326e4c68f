//! States that have drifted off the constraints: ranks stay, and methods agree to the drift.

use pommel_mechanism::formulation::{FormulationError, Method};
use pommel_mechanism::{Equations, Evaluation};
use pommel_testkit::Rng;

use crate::dataset::{Dataset, Reference, deviation};
use crate::failures::start;

/// A state off its constraints by about `size`: m, rad.
fn displaced(data: &Dataset, state: &Reference, size: f64, rng: &mut Rng) -> Vec<f64> {
    let mut q = state.q.clone();
    data.system.displace(&mut q, &rng.list(data.system.nv(), size));
    q
}

#[test]
fn drift_changes_no_rank() {
    let (mut failures, mut solved) = (Vec::new(), 0);
    for data in Dataset::all() {
        let system = &data.system;
        if system.nv() + system.rows() > 260 {
            continue;
        }
        let mut evaluation = Evaluation::new(system);
        for size in [1e-9, 1e-8, 1e-7, 1e-6, 1e-5] {
            let mut rng = Rng::new(7);
            for state in data.states.iter().take(4).chain(data.truth.iter().take(2)) {
                let q = displaced(&data, state, size, &mut rng);
                system.evaluate(state.t, &q, &state.v, &mut evaluation);
                let equations = system.equations(&evaluation, (&q, &state.v));
                let solve = |method: Method| {
                    let (mut qdd, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
                    let mut built = method.build_for(&data.mechanism, system, &equations)?;
                    let found = built.solve(&equations, &mut qdd, &mut lambda)?;
                    Ok::<_, FormulationError>((found.rank, qdd))
                };
                let (_, expected) = solve(Method::Svd).expect("singular values take everything");
                for method in Method::ALL {
                    let about =
                        || format!("{} {method} off by {size:e} at {} s", data.name, state.t);
                    match solve(method) {
                        Err(FormulationError::MassNotPositive { .. })
                        | Err(FormulationError::Closure(_))
                        | Err(FormulationError::MotionWithoutInertia { .. })
                            if data.name == "massless_coupler" => {}
                        // steps add what dependent rows contradict each other by
                        Err(FormulationError::NotConverged { .. }) if size > 1e-6 => {}
                        Err(error) => failures.push(format!("{}: {error}", about())),
                        Ok((rank, qdd)) => {
                            solved += 1;
                            let wrong = rank.is_some() && data.rank.is_some() && rank != data.rank;
                            let far = deviation(&qdd, &expected);
                            // which rows are left out makes a difference of the drift; a penalty lets
                            // dependent rows bear force
                            let limit = match method.is_exact() {
                                true => 100.0 * size,
                                false => 2000.0 * size + 1e-5,
                            };
                            if wrong || far > limit {
                                failures.push(format!("{}: {far:e}, rank {rank:?}", about()));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(solved > 9_000, "{solved}");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The same mechanism in metres and in millimetres, where turns make rows long.
#[test]
fn units_of_length_change_no_rank() {
    let four_bar = |unit: f64| {
        let bars = [("left", [0.0, 0.5]), ("right", [2.0, 0.5]), ("top", [1.0, 1.0])];
        let mut text =
            format!("name = \"four_bar\"\nkind = \"planar\"\ngravity = [0.0, {}]\n", -9.81 * unit);
        for (name, [x, y]) in bars {
            let angle = if name == "top" { 0.0 } else { std::f64::consts::FRAC_PI_2 };
            text += &format!(
                "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = {}\nposition = [{}, {}]\n\
                 angle = {angle}\n",
                0.1 * unit * unit,
                x * unit,
                y * unit
            );
        }
        for (name, parent, at, child, from) in [
            ("A", "ground", 0.0, "left", -0.5),
            ("D", "ground", 2.0, "right", -0.5),
            ("B", "left", 0.5, "top", -1.0),
            ("C", "right", 0.5, "top", 1.0),
        ] {
            text += &format!(
                "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
                 child = \"{child}\"\nin_parent = {{ position = [{}, 0.0] }}\n\
                 in_child = {{ position = [{}, 0.0] }}\n",
                at * unit,
                from * unit
            );
        }
        text
    };
    for unit in [1e-3, 1.0, 1e3, 1e4] {
        let (sample, q) = start(&four_bar(unit));
        let system = &sample.system;
        let mut rng = Rng::new(3);
        let mut shift = rng.list(system.nv(), 1e-5);
        // displacements in the unit, turns in rad
        shift.iter_mut().enumerate().for_each(|(k, x)| *x *= if k % 3 == 2 { 1.0 } else { unit });
        let mut near = q.clone();
        system.displace(&mut near, &shift);
        let v = vec![0.0; system.nv()];
        let mut evaluation = Evaluation::new(system);
        system.evaluate(0.0, &near, &v, &mut evaluation);
        let equations = system.equations(&evaluation, (&near, &v));
        for method in crate::support::methods() {
            let (mut qdd, mut lambda) = (v.clone(), vec![0.0; system.rows()]);
            let mut built = method.build(&equations).unwrap();
            let found = built.solve(&equations, &mut qdd, &mut lambda).unwrap();
            assert!(found.rank.is_none_or(|rank| rank == 8), "{method} {unit:e}: {found:?}");
        }
    }
}

#[test]
fn without_its_violation_a_drifted_state_has_spurious_ranks() {
    let data = Dataset::load("a04_bricard");
    let (system, state) = (&data.system, &data.states[0]);
    let q = displaced(&data, state, 1e-4, &mut Rng::new(7));
    let mut evaluation = Evaluation::new(system);
    system.evaluate(state.t, &q, &state.v, &mut evaluation);
    let told = system.equations(&evaluation, (&q, &state.v));
    let untold = Equations { phi: &[], ..told };
    let rank = |equations: &Equations<'_>| {
        let (mut qdd, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
        let mut method = Method::Qr.build(equations).unwrap();
        method.solve(equations, &mut qdd, &mut lambda).unwrap().rank
    };
    assert_eq!(rank(&told), Some(29));
    assert_eq!(rank(&untold), Some(30));
}

/// Violations that are no numbers are told by every method that takes matrices alone.
#[test]
fn violations_that_are_not_finite_are_told() {
    let data = Dataset::load("a04_bricard");
    let (system, state) = (&data.system, &data.states[0]);
    let mut evaluation = Evaluation::new(system);
    system.evaluate(state.t, &state.q, &state.v, &mut evaluation);
    let equations = system.equations(&evaluation, (&state.q, &state.v));
    let (mut qdd, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut phi = equations.phi.to_vec();
        phi[3] = bad;
        let broken = Equations { phi: &phi, ..equations };
        for method in crate::support::methods() {
            let mut built = method.build(&equations).unwrap();
            let error = built.solve(&broken, &mut qdd, &mut lambda).unwrap_err();
            let expected = FormulationError::NotFinite { array: "phi", index: 3 };
            assert_eq!(error.to_string(), expected.to_string(), "{method}");
        }
    }
}
