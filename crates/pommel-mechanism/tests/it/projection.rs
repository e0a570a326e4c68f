//! States that are brought back to their constraints.

use pommel_mechanism::Evaluation;
use pommel_mechanism::kinematics::{KinematicsError, Metric, StateProjector, mobility};
use pommel_testkit::{Rng, count_allocations};

use crate::dataset::Dataset;
use crate::failures::start;

/// All mechanisms, redundant and massless ones, too: displaced states come back to rounding, by changes
/// that are about the displacement, and none along what the constraints leave free.
#[test]
fn displaced_states_come_back_with_the_least_change() {
    for data in Dataset::all() {
        let system = &data.system;
        let n = system.nv();
        if n + system.rows() > 260 {
            continue;
        }
        for metric in [Metric::Mass, Metric::Length] {
            let mut projector = StateProjector::new(system, metric);
            let mut rng = Rng::new(5);
            for state in data.states.iter().take(4) {
                for size in [1e-8, 1e-6, 1e-4] {
                    let about =
                        format!("{} {metric:?} off by {size:e} at {} s", data.name, state.t);
                    let shift = rng.list(n, size);
                    let (mut q, mut v) = (state.q.clone(), state.v.clone());
                    system.displace(&mut q, &shift);
                    v.iter_mut().zip(rng.list(n, size)).for_each(|(v, d)| *v += d);
                    let given = (q.clone(), v.clone());
                    let found = projector.project(system, state.t, &mut q, &mut v).expect(&about);
                    assert!(found.position > 0.0 || system.rows() == 0, "{about}");
                    let mut evaluation = Evaluation::new(system);
                    system.evaluate(state.t, &q, &v, &mut evaluation);
                    let open = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    assert!(open < 1e-11, "{about}: {open:e}");
                    let speed = v.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                    let open = system.velocity_residual(&v, &evaluation);
                    assert!(open < 1e-10 * speed, "{about}: {open:e}");
                    // W δv is a combination of rows: no motion that they leave free gets any of it
                    let change: Vec<f64> = v.iter().zip(&given.1).map(|(a, b)| a - b).collect();
                    let mut free = rng.list(n, 1.0);
                    let mut at = q.clone();
                    projector.project(system, state.t, &mut at, &mut free).expect(&about);
                    let mut zero = vec![0.0; n];
                    projector.project(system, state.t, &mut at, &mut zero).expect(&about);
                    free.iter_mut().zip(&zero).for_each(|(x, z)| *x -= z);
                    {
                        let (mut work, mut terms, mut sizes) = (0.0, 0.0_f64, 0.0_f64);
                        for (row, column, value) in system.pattern().mass_entries() {
                            let m = match metric {
                                Metric::Mass => system.mass()[value],
                                Metric::Length if row == column => system.scales()[row].powi(2),
                                Metric::Length | Metric::Independent => 0.0,
                            };
                            let mut add = |i: usize, j: usize| {
                                let term = free[i] * m * change[j];
                                work += term;
                                terms += term.abs();
                                sizes += (free[i] * m).abs();
                            };
                            add(row, column);
                            if row != column {
                                add(column, row);
                            }
                        }
                        // velocities are the nearest to 1e-10 of the largest
                        assert!(
                            work.abs() <= 1e-6 * terms + 1e-10 * speed * sizes,
                            "{about}: {work:e} of {terms:e} and {sizes:e}"
                        );
                    }
                }
            }
        }
    }
}

/// Coordinate partitioning: as many coordinates as there are degrees of freedom stay as they are, and others close
/// the constraints.
#[test]
fn independent_coordinates_stay() {
    for name in ["chain2", "fourbar_ex32", "fm24", "spatial_chain3", "a04_bricard"] {
        let data = Dataset::load(name);
        let system = &data.system;
        let state = &data.states[0];
        let freedoms = mobility(system, state.t, &state.q).expect(name).degrees_of_freedom;
        let mut projector = StateProjector::new(system, Metric::Independent);
        assert_eq!(projector.partitions(), 0);
        let mut rng = Rng::new(11);
        for _ in 0..3 {
            let (mut q, mut v) = (state.q.clone(), state.v.clone());
            system.displace(&mut q, &rng.list(system.nv(), 1e-4));
            v.iter_mut().zip(rng.list(system.nv(), 1e-4)).for_each(|(v, d)| *v += d);
            let given = v.clone();
            projector.project(system, state.t, &mut q, &mut v).expect(name);
            let mut evaluation = Evaluation::new(system);
            system.evaluate(state.t, &q, &v, &mut evaluation);
            let open = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(open < 1e-11, "{name}: {open:e}");
            assert!(system.velocity_residual(&v, &evaluation) < 1e-10, "{name}");
            let kept = v.iter().zip(&given).filter(|(a, b)| (**a - **b).abs() < 1e-15).count();
            assert!(kept >= freedoms && kept < system.nv(), "{name}: {kept} of {freedoms}");
        }
        assert_eq!(projector.partitions(), 1, "{name}");
        projector.repartition(system, state.t, &state.q, &state.v).expect(name);
        assert_eq!(projector.partitions(), 1, "{name}: nothing has become poor");
    }
}

#[test]
fn states_far_off_or_without_numbers_are_refused() {
    let data = Dataset::load("fourbar_ex32");
    let system = &data.system;
    let mut projector = StateProjector::new(system, Metric::Mass);
    let (mut q, mut v) = (data.states[0].q.clone(), data.states[0].v.clone());
    q[1] = f64::NAN;
    let found = projector.project(system, 0.0, &mut q, &mut v).unwrap_err();
    assert_eq!(found, KinematicsError::NotFinite { what: "q", index: 1 });
    // 1 + 1 + 0.5 m do not reach over 3 m
    let text = "name = \"short\"\nkind = \"planar\"\n\
        bodies = [{ name = \"a\", mass = 1.0, inertia = 0.1, position = [0.5, 0.0] },\n\
                  { name = \"b\", mass = 1.0, inertia = 0.1, position = [2.5, 0.0] }]\n\
        joints = [\n\
        { name = \"A\", type = \"revolute\", parent = \"ground\", child = \"a\", in_child = { position = [-0.5, 0.0] } },\n\
        { name = \"B\", type = \"revolute\", parent = \"a\", child = \"b\", in_parent = { position = [0.5, 0.0] }, in_child = { position = [-0.5, 0.0] } },\n\
        { name = \"C\", type = \"revolute\", parent = \"ground\", child = \"b\", in_parent = { position = [3.0, 0.0] }, in_child = { position = [0.5, 0.0] } }]\n";
    let (sample, q) = start(text);
    let mut projector = StateProjector::new(&sample.system, Metric::Length);
    let (mut q, mut v) = (q, vec![0.0; sample.system.nv()]);
    let found = projector.project(&sample.system, 0.0, &mut q, &mut v).unwrap_err();
    assert!(matches!(found, KinematicsError::CannotAssemble { .. }), "{found}");
}

/// Once the order of elimination is chosen, projections take no memory.
#[test]
fn projections_do_not_allocate() {
    for name in ["fourbar_ex32", "fm24", "a04_bricard"] {
        let data = Dataset::load(name);
        let (system, state) = (&data.system, &data.states[0]);
        let mut projector = StateProjector::new(system, Metric::Mass);
        let shift = Rng::new(9).list(system.nv(), 1e-6);
        let moved = |q: &mut Vec<f64>| {
            q.copy_from_slice(&state.q);
            system.displace(q, &shift);
        };
        let (mut q, mut v) = (state.q.clone(), state.v.clone());
        moved(&mut q);
        projector.project(system, state.t, &mut q, &mut v).unwrap();
        moved(&mut q);
        let (found, allocations) =
            count_allocations(|| projector.project(system, state.t, &mut q, &mut v).unwrap());
        assert!(found.steps > 0);
        assert_eq!(allocations, 0, "{name}");
    }
}
