//! Blocks that are found from the entries.

use pommel_kkt::Pattern;
use pommel_kkt::pattern::{Compressed, MassBlock, Partitions, PatternBuilder, Symmetric, System};

fn widths(pattern: &Pattern) -> (Vec<usize>, Vec<usize>) {
    (
        (0..pattern.body_count()).map(|i| pattern.body(i).len()).collect(),
        (0..pattern.constraint_count()).map(|i| pattern.constraint(i).len()).collect(),
    )
}

/// The blocks that are found where a builder knew others.
fn found(builder: PatternBuilder) -> (Vec<usize>, Vec<usize>) {
    let known = builder.build().unwrap();
    let columns = |entries: Vec<(usize, usize, usize)>, count: usize| {
        let (mut pointers, mut rows) = (vec![0], vec![]);
        for c in 0..count {
            rows.extend(entries.iter().filter(|e| e.1 == c).map(|e| e.0));
            pointers.push(rows.len());
        }
        (pointers, rows)
    };
    let (n, m) = (known.unknowns(), known.rows());
    let mass = columns(known.mass_entries().collect(), n);
    let jacobian = columns(known.jacobian_entries().collect(), n);
    let pattern = Pattern::from_csc(
        Symmetric::lower(Compressed::csc(n, n, &mass.0, &mass.1)),
        Compressed::csc(m, n, &jacobian.0, &jacobian.1),
        None,
        Partitions::found(),
    );
    widths(&pattern.unwrap())
}

fn chain(bodies: usize, width: usize, block: MassBlock, rows: usize) -> PatternBuilder {
    let mut builder = PatternBuilder::new();
    let ids: Vec<_> = (0..bodies).map(|_| builder.body(width, block)).collect();
    builder.constraint(rows, &ids[..1]);
    for pair in ids.windows(2) {
        builder.constraint(rows, pair);
    }
    builder
}

#[test]
fn bodies_of_a_spatial_chain_have_six_unknowns_and_joints_five_rows() {
    assert_eq!(found(chain(7, 6, MassBlock::Lower, 5)), (vec![6; 7], vec![5; 7]));
}

/// Three translations and a full 3 × 3 inertia; ball joints, whose rows have three entries a body.
#[test]
fn bodies_of_space_are_found_by_their_centres_of_mass() {
    let bodies = 5;
    let (n, m) = (6 * bodies, 3 * bodies);
    let (mut mass, mut jacobian) = ((vec![0usize], vec![]), (vec![0usize], vec![]));
    for c in 0..n {
        let (body, axis) = (c / 6, c % 6);
        let end = if axis < 3 { c + 1 } else { 6 * body + 6 };
        mass.1.extend(c..end);
        mass.0.push(mass.1.len());
        // a translation moves its own axis, a rotation the two others
        let moves = |a: &usize| (*a == axis % 3) == (axis < 3);
        for joint in [body, body + 1].into_iter().filter(|&joint| joint < bodies) {
            jacobian.1.extend((0..3).filter(moves).map(|a| 3 * joint + a));
        }
        jacobian.0.push(jacobian.1.len());
    }
    let pattern = Pattern::from_csc(
        Symmetric::lower(Compressed::csc(n, n, &mass.0, &mass.1)),
        Compressed::csc(m, n, &jacobian.0, &jacobian.1),
        None,
        Partitions::found(),
    );
    assert_eq!(widths(&pattern.unwrap()), (vec![6; bodies], vec![3; bodies]));
}

/// x and y of one end of a body depend on x or y and on the angle; M is diagonal.
#[test]
fn bodies_of_a_planar_four_bar_have_three_unknowns_and_joints_two_rows() {
    let matrix = include_str!("../data/fourbar_1.mtx").parse().unwrap();
    let system = System::from_kkt_matrix_market(&matrix, None, Partitions::found()).unwrap();
    assert_eq!(widths(&system.pattern), (vec![3; 3], vec![2; 4]));
}

#[test]
fn pairs_are_found_under_a_diagonal_mass_matrix() {
    assert_eq!(found(chain(5, 2, MassBlock::Diagonal, 1)), (vec![2; 5], vec![1; 5]));
    assert_eq!(found(chain(4, 3, MassBlock::Diagonal, 3)), (vec![3; 4], vec![3; 4]));
    // coupled triples are not taken for halves of bodies of space
    assert_eq!(found(chain(4, 3, MassBlock::Full, 2)), (vec![3; 4], vec![2; 4]));
}

/// Differences of neighbours: no width fits.
#[test]
fn a_chain_of_sliders_has_single_unknowns() {
    assert_eq!(found(chain(12, 1, MassBlock::Diagonal, 1)), (vec![1; 12], vec![1; 12]));
}

#[test]
fn more_than_six_rows_on_the_same_bodies_are_several_constraints() {
    assert_eq!(found(chain(1, 6, MassBlock::Full, 14)), (vec![6], vec![6, 6, 2]));
}

#[test]
fn a_widely_coupled_mass_matrix_has_single_unknowns() {
    // unknowns 0 and 12 coupled, 13 and 14 coupled, 15 alone
    let n = 16;
    let mut builder = (vec![0usize], vec![]);
    for c in 0..n {
        builder.1.push(c);
        builder.1.extend(match c {
            0 => Some(12),
            13 => Some(14),
            _ => None,
        });
        builder.0.push(builder.1.len());
    }
    let mass = Symmetric::lower(Compressed::csc(n, n, &builder.0, &builder.1));
    let none = Compressed::csc(0, n, &[0; 17], &[]);
    let pattern = Pattern::from_csc(mass, none, None, Partitions::found()).unwrap();
    let mut expected = vec![1; 13];
    expected.extend([2, 1]);
    assert_eq!(widths(&pattern).0, expected);
}

#[test]
fn unknowns_between_coupled_ones_belong_to_the_body() {
    // 0–2 coupled with 1 in between, 1–3 coupled
    let mass = Symmetric::lower(Compressed::csc(5, 5, &[0usize, 1, 2, 2, 2, 2], &[2, 3]));
    let none = Compressed::csc(0, 5, &[0; 6], &[]);
    let pattern = Pattern::from_csc(mass, none, None, Partitions::found()).unwrap();
    assert_eq!(widths(&pattern).0, [4, 1]);
}

#[test]
fn rows_without_entries_stand_alone() {
    // rows 0 and 1 are empty, 2 and 3 touch the only body
    let jacobian = Compressed::csc(4, 1, &[0usize, 2], &[3, 2]);
    let pattern = Pattern::from_diagonal(1, jacobian, None, Partitions::found()).unwrap();
    assert_eq!(widths(&pattern).1, [1, 1, 2]);
}
