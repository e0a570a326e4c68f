//! Several threads in one factorization: the same bits for any number of them.

use pommel_kkt::{Analysis, Factor, Inertia, Options, Refinement, Values, Workspace};
use pommel_math::{Lanes, Real};
use pommel_testkit::{SaddleSystem, cloth, count_allocations, plate_lattice, revolute_tree};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::systems::case;
use crate::workspace::scaled;

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

/// What a factor says, with all bits.
type Answer = (Vec<Inertia>, Vec<Vec<usize>>, Vec<u64>);

fn answer<T: Real>(factor: &mut Factor<'_, T>, rhs: &[T]) -> Answer {
    let lanes = 0..T::LANES;
    let mut numbers = Vec::new();
    let mut x = vec![T::zero(); rhs.len()];
    factor.substitute(rhs, &mut x).expect("lengths that fit");
    numbers.extend_from_slice(&x);
    let refinement = Refinement::default();
    let report = factor.solve(rhs, &mut x, &refinement).expect("lengths that fit");
    numbers.extend_from_slice(&x);
    numbers.extend([report.backward_error, report.unknowns_error, report.multipliers_error]);
    (
        lanes.clone().map(|l| factor.inertia(l)).collect(),
        lanes.clone().map(|l| factor.dependent_rows(l).collect()).collect(),
        numbers.iter().flat_map(|x| lanes.clone().map(|l| x.lane(l).to_bits())).collect(),
    )
}

/// Factors one after the other in one workspace: by one thread, and in every pool.
fn same_in_pools<T: Real>(
    analysis: &Analysis,
    values: &Values<'_, T>,
    rhs: &[T],
    pools: &[ThreadPool],
) -> Answer {
    let mut workspace = Workspace::new(analysis);
    let expected = answer(&mut workspace.factorize(values).expect("lengths that fit"), rhs);
    for pool in pools {
        let factor = pool.install(|| workspace.factorize_in_parallel(values));
        let found = answer(&mut factor.expect("lengths that fit"), rhs);
        assert!(found == expected, "{} threads", pool.current_num_threads());
    }
    expected
}

/// The same system in `f64`, in `f32` and beside another one in lanes.
fn same_in_all_scalars(name: &str, system: &SaddleSystem, pools: &[ThreadPool]) -> Answer {
    let case = case(system);
    let analysis = Analysis::new(&case.pattern).expect("an analysis");
    assert!(analysis.cost().subtrees > 3, "{name}: {:?}", analysis.cost());
    let rhs = system.right_hand_side();
    let single = same_in_pools(&analysis, &case.values(), &rhs, pools);

    let narrow = |list: &[f64]| list.iter().map(|x| *x as f32).collect::<Vec<_>>();
    let [mass, jacobian, compliance] =
        [&case.mass, &case.jacobian, &case.compliance].map(|list| narrow(list));
    let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
    same_in_pools(&analysis, &values, &narrow(&rhs), pools);

    let lanes = |list: &[f64]| -> Vec<Lanes<2>> {
        let other = scaled(list, |e| [1.0, 1.5, 2.0][e % 3]);
        (0..list.len()).map(|e| Lanes::from_lanes(|l| [list[e], other[e]][l])).collect()
    };
    let [mass, jacobian, compliance] =
        [&case.mass, &case.jacobian, &case.compliance].map(|list| lanes(list));
    let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
    let both = same_in_pools(&analysis, &values, &lanes(&rhs), pools);
    // and as in a run of its own
    let first: Vec<u64> = both.2.iter().step_by(2).copied().collect();
    assert!(first == single.2 && both.0[0] == single.0[0], "{name}");
    single
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let pools = [1, 2, 3, 8].map(pool);
    let tree = revolute_tree(14_000, |i| (i - 1) / 2, |_| 1.0, 3);
    for (name, mechanism, dependent) in [
        ("lattice", plate_lattice(28, false, 2), false),
        ("lattice with dependent rows", plate_lattice(28, true, 2), true),
        ("cloth", cloth(80, 5), false),
        ("tree", tree, false),
    ] {
        let answer = same_in_all_scalars(name, &mechanism.system, &pools);
        assert_eq!(answer.1[0].is_empty(), !dependent, "{name}");
    }
}

#[test]
fn a_large_lattice_has_the_same_bits_in_every_pool() {
    let system = plate_lattice(40, false, 2).system;
    let case = case(&system);
    let analysis = Analysis::new(&case.pattern).expect("an analysis");
    same_in_pools(&analysis, &case.values(), &system.right_hand_side(), &[1, 2, 3, 8].map(pool));
}

/// Pivots chosen by size in the parts, numbers that are none.
#[test]
fn bodies_without_mass_and_infinite_numbers_give_the_same_bits() {
    let pools = [2, 3].map(pool);
    let system = plate_lattice(30, false, 4).system;
    let mut case = case(&system);
    let options = Options { massless: (0..400).step_by(40).collect(), ..Options::default() };
    let analysis = Analysis::with_options(&case.pattern, &options).expect("an analysis");
    assert!(analysis.cost().subtrees > 1);
    let rhs = system.right_hand_side();
    same_in_pools(&analysis, &case.values(), &rhs, &pools);
    let middle = case.mass.len() / 2;
    case.mass[middle] = f64::INFINITY;
    let mut workspace = Workspace::new(&analysis);
    let factor = pools[0].install(|| workspace.factorize_in_parallel(&case.values()));
    assert!(factor.expect("lengths that fit").check_finite(0).is_err());
    // nothing of it is left
    case.mass[middle] = 1.0;
    let expected = same_in_pools(&analysis, &case.values(), &rhs, &[]);
    let factor = pools[0].install(|| workspace.factorize_in_parallel(&case.values()));
    assert!(answer(&mut factor.expect("lengths that fit"), &rhs) == expected);
}

#[test]
fn a_small_system_starts_no_thread() {
    let system = plate_lattice(6, false, 2).system;
    let case = case(&system);
    let analysis = Analysis::new(&case.pattern).expect("an analysis");
    let cost = analysis.cost();
    assert!(cost.multiply_adds < Analysis::CUT_FROM && cost.subtrees == 0, "{cost:?}");
    let mut workspace = Workspace::new(&analysis);
    workspace.factorize_in_parallel(&case.values()).expect("lengths that fit");
    // outside of a pool a call of rayon would have started the global one, which no other test uses
    let global = ThreadPoolBuilder::new().num_threads(1).build_global();
    global.expect("not started before");
}

/// The second time on one thread, when `rayon` has all that it needs.
#[test]
fn parallel_factorizations_do_not_allocate() {
    let system = plate_lattice(28, false, 2).system;
    let case = case(&system);
    let analysis = Analysis::new(&case.pattern).expect("an analysis");
    assert!(analysis.cost().subtrees > 1);
    let mut workspace = Workspace::new(&analysis);
    let values = case.values();
    let allocations = pool(1).install(|| {
        let mut factorize = || {
            let (factor, allocations) = count_allocations(|| {
                workspace.factorize_in_parallel(&values).map(|factor| factor.inertia(0))
            });
            factor.expect("lengths that fit");
            allocations
        };
        factorize();
        factorize()
    });
    assert_eq!(allocations, 0);
}

#[test]
fn one_chain_is_not_cut() {
    let system = revolute_tree(14_000, |i| i - 1, |_| 1.0, 3).system;
    let cost = Analysis::new(&case(&system).pattern).expect("an analysis").cost();
    assert!(cost.multiply_adds > Analysis::CUT_FROM && cost.subtrees == 0, "{cost:?}");
}
