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
                                true => 30.0 * size,
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

/// Parallel cranks of one unit of length under gravity, upright, with redundant rows from three on.
fn cranks(count: usize, unit: f64) -> String {
    let mut text =
        format!("name = \"cranks\"\nkind = \"planar\"\ngravity = [0.0, {}]\n", -9.81 * unit);
    let middle = (count - 1) as f64;
    let mut body = |name: &str, x: f64, y: f64, angle: f64| {
        text += &format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = {}\nposition = [{}, {}]\n\
             angle = {angle}\n",
            0.1 * unit * unit,
            x * unit,
            y * unit
        );
    };
    let (sin, cos) = 1f64.sin_cos();
    for k in 0..count {
        body(&format!("crank{k}"), 2.0 * k as f64 + 0.5 * cos, 0.5 * sin, 1.0);
    }
    body("top", middle + cos, sin, 0.0);
    for k in 0..count {
        let crank = format!("crank{k}");
        for (name, parent, at, child, from) in [
            ("A", "ground", 2.0 * k as f64, &*crank, -0.5),
            ("B", &*crank, 0.5, "top", 2.0 * k as f64 - middle),
        ] {
            text += &format!(
                "[[joints]]\nname = \"{name}{k}\"\ntype = \"revolute\"\nparent = \"{parent}\"\n\
                 child = \"{child}\"\nin_parent = {{ position = [{}, 0.0] }}\n\
                 in_child = {{ position = [{}, 0.0] }}\n",
                at * unit,
                from * unit
            );
        }
    }
    text
}

/// The same mechanisms from millimetres in metres to metres in millimetres, with and without redundant
/// rows, off by some part of their size: ranks and accelerations are those of one crank.
#[test]
fn units_of_length_change_no_rank() {
    for count in [2, 3, 4] {
        for unit in [1e-3, 1.0, 1e3, 1e4] {
            let (sample, q) = start(&cranks(count, unit));
            let system = &sample.system;
            let v = vec![0.0; system.nv()];
            let rank = system.nv() - 1;
            // masses lifted by cos 1 of their way, a unit for the top, half of it for cranks
            let inertia = count as f64 * 0.35 + 1.0;
            let exact = -9.81 * (0.5 * count as f64 + 1.0) * 1f64.cos() / inertia;
            for size in [0.0, 1e-9, 1e-7, 1e-6, 3e-6, 1e-5] {
                let mut shift = Rng::new(3).list(system.nv(), size);
                // displacements in the unit, turns in rad
                let is_turn = |k: usize| k % 3 == 2;
                let parts = shift.iter_mut().enumerate();
                parts.for_each(|(k, x)| *x *= if is_turn(k) { 1.0 } else { unit });
                let mut near = q.clone();
                system.displace(&mut near, &shift);
                let mut evaluation = Evaluation::new(system);
                system.evaluate(0.0, &near, &v, &mut evaluation);
                let equations = system.equations(&evaluation, (&near, &v));
                for method in Method::ALL {
                    let about = format!("{count} cranks, {method}, unit {unit:e}, off by {size:e}");
                    let (mut qdd, mut lambda) = (v.clone(), vec![0.0; system.rows()]);
                    let mut built =
                        method.build_for(&sample.mechanism, system, &equations).expect(&about);
                    let found = match built.solve(&equations, &mut qdd, &mut lambda) {
                        Ok(found) => found,
                        // steps add what dependent rows contradict each other by
                        Err(FormulationError::NotConverged { .. }) if size > 1e-6 => continue,
                        Err(error) => panic!("{about}: {error}"),
                    };
                    assert!(found.rank.is_none_or(|found| found == rank), "{about}: {found:?}");
                    let limit =
                        if method.is_exact() { 1e-12 + 30.0 * size } else { 1e-5 + 2e3 * size };
                    for k in 0..count {
                        let error = (qdd[3 * k + 2] / exact - 1.0).abs();
                        assert!(error < limit, "{about}: {error:e}");
                    }
                }
            }
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
