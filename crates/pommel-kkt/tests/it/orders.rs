//! The order of elimination: no pivot of a constraint vanishes unless it depends on others.

use pommel_kkt::{Analysis, Options, Pattern, Values, Workspace};
use pommel_testkit::Rng;

/// Bodies with full blocks of M, and J full on the bodies of every constraint.
struct Network {
    widths: Vec<usize>,
    /// Rows, bodies.
    constraints: Vec<(usize, Vec<usize>)>,
}

impl Network {
    fn pattern(&self) -> Pattern {
        let mut first = vec![0];
        self.widths.iter().for_each(|w| first.push(first[first.len() - 1] + w));
        let (mut mass, mut jacobian) = (Vec::new(), Vec::new());
        for range in first.windows(2) {
            mass.extend((range[0]..range[1]).flat_map(|i| (range[0]..=i).map(move |j| (i, j))));
        }
        let mut row = 0;
        for (rows, bodies) in &self.constraints {
            for i in row..row + rows {
                for &b in bodies {
                    jacobian.extend((first[b]..first[b + 1]).map(|j| (i, j)));
                }
            }
            row += rows;
        }
        let rows: Vec<usize> = self.constraints.iter().map(|c| c.0).collect();
        Pattern::from_places(&self.widths, &rows, &mass, &jacobian, &[]).expect("a pattern")
    }
}

fn is_well_ordered(pattern: &Pattern, mass: &[f64], jacobian: &[f64]) -> bool {
    let analysis = Analysis::new(pattern).expect("small");
    let mut workspace = Workspace::new(&analysis);
    let factor = workspace.factorize(&Values::new(mass, jacobian)).expect("lengths");
    factor.misplaced(0) == 0
}

/// Masses near the identity for the lower triangles of full blocks.
fn masses(pattern: &Pattern, rng: &mut Rng) -> Vec<f64> {
    let mut mass = vec![0.0; pattern.mass_len()];
    for (i, j, index) in pattern.mass_entries() {
        mass[index] = if i == j { 2.0 } else { rng.symmetric(0.2) };
    }
    mass
}

/// Whatever the graph, with any numbers in J that give no block of a constraint less than full rank.
#[test]
fn constraints_on_random_graphs_are_never_misplaced() {
    let mut rng = Rng::new(7);
    let (mut dropped, mut ill_conditioned) = (0, 0);
    for _ in 0..4000 {
        let bodies = 2 + rng.below(9);
        let widths: Vec<usize> = (0..bodies).map(|_| 1 + rng.below(6)).collect();
        let constraint = |rng: &mut Rng| {
            let mut on: Vec<usize> = (0..1 + rng.below(3)).map(|_| rng.below(bodies)).collect();
            on.sort_unstable();
            on.dedup();
            let least = on.iter().map(|&b| widths[b]).min().expect("a body");
            (1 + rng.below(least), on)
        };
        let count = 1 + rng.below(2 * bodies);
        let constraints = (0..count).map(|_| constraint(&mut rng)).collect();
        let pattern = Network { widths, constraints }.pattern();
        let mass = masses(&pattern, &mut rng);
        let jacobian = rng.list(pattern.jacobian_len(), 1.0);
        let analysis = Analysis::new(&pattern).expect("small");
        let mut workspace = Workspace::new(&analysis);
        let values = Values::new(&mass, &jacobian);
        let factor = workspace.factorize(&values).expect("lengths");
        if factor.misplaced(0) > 0 {
            // what rounding leaves of a dependent row grows with the condition of those before it
            assert!(factor.cancellation(0) > 1e8, "{pattern:?}");
            ill_conditioned += 1;
        }
        dropped += usize::from(factor.dependent_rows(0).count() > 0);
    }
    // many of these have more rows than unknowns somewhere
    assert!(dropped > 400 && ill_conditioned < 4, "{dropped} {ill_conditioned}");
}

/// Bodies that an eliminated constraint ties to each other do not move apart, though nothing acts on
/// the one that was eliminated last since then.
#[test]
fn a_tied_body_is_not_free() {
    // a wide body beside them, so that blocks are used
    let with_block = |widths: &[usize], constraints: Vec<(usize, Vec<usize>)>| {
        let widths = [widths, &[12]].concat();
        Network { widths, constraints }.pattern()
    };
    let mut rng = Rng::new(3);

    // u − a = 0; u − a + w₁ = 0; w = 0
    let pattern = with_block(
        &[1, 1, 3],
        vec![(1, vec![0, 1]), (1, vec![0, 1, 2]), (1, vec![2]), (1, vec![2]), (1, vec![2])],
    );
    let jacobian = [
        &[1.0, -1.0][..],
        &[1.0, -1.0, 1.0, 0.0, 0.0],
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    ];
    let mass = masses(&pattern, &mut rng);
    assert!(is_well_ordered(&pattern, &mass, &jacobian.concat()));

    // u is welded to the ground and b to u; then a joint of b and w is no joint of a free body
    let full = |rows: usize, columns: usize, rng: &mut Rng| rng.list(rows * columns, 1.0);
    for _ in 0..50 {
        let pattern = with_block(
            &[3, 3, 6],
            vec![(3, vec![0]), (3, vec![0, 1]), (2, vec![1, 2]), (3, vec![2]), (2, vec![2])],
        );
        let mass = masses(&pattern, &mut rng);
        let jacobian = full(1, pattern.jacobian_len(), &mut rng);
        assert!(is_well_ordered(&pattern, &mass, &jacobian));
    }
}

/// Clusters of bodies without mass and of the constraints on them: they wait for all other bodies.
#[test]
fn clusters_are_never_misplaced() {
    let mut rng = Rng::new(8);
    let mut between = 0;
    for _ in 0..2000 {
        let bodies = 3 + rng.below(5);
        let mut widths: Vec<usize> = (0..bodies).map(|_| 1 + rng.below(6)).collect();
        widths[0] = 1;
        // the first body has no mass, and enough constraints that hold it
        let mut constraints = vec![(1, vec![0]), (1, vec![0, 1]), (1, vec![0, 1 + rng.below(2)])];
        for _ in 0..rng.below(bodies) {
            let (a, b) = (1 + rng.below(bodies - 1), 1 + rng.below(bodies - 1));
            constraints.push((1, if a == b { vec![a] } else { vec![a.min(b), a.max(b)] }));
        }
        let pattern = Network { widths, constraints }.pattern();
        let mut mass = masses(&pattern, &mut rng);
        mass[0] = 0.0;
        let jacobian = rng.list(pattern.jacobian_len(), 1.0);
        let options = Options { massless: vec![0], ..Options::default() };
        let analysis = Analysis::with_options(&pattern, &options).expect("small");
        let mut workspace = Workspace::new(&analysis);
        let values = Values::new(&mass, &jacobian);
        let factor = workspace.factorize(&values).expect("lengths");
        assert!(factor.misplaced(0) == 0 || factor.cancellation(0) > 1e8, "{pattern:?}");
        between += usize::from(analysis.front_sizes().any(|(_, boundary)| boundary > 0));
    }
    assert!(between > 1500, "{between}");
}
