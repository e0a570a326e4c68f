//! Blocks of a `PatternBuilder` stand where they should.

use pommel_kkt::KktError;
use pommel_kkt::pattern::{MassBlock, PatternBuilder, Values};
use pommel_testkit::Rng;

use crate::matrices;

const BLOCKS: [MassBlock; 3] = [MassBlock::Diagonal, MassBlock::Lower, MassBlock::Full];

/// Row, column of every value of a block, as `MassBlock` promises them.
fn places(block: MassBlock, width: usize) -> Vec<(usize, usize)> {
    match block {
        MassBlock::Diagonal => (0..width).map(|i| (i, i)).collect(),
        MassBlock::Lower => (0..width).flat_map(|i| (0..=i).map(move |j| (i, j))).collect(),
        MassBlock::Full => (0..width).flat_map(|i| (0..width).map(move |j| (i, j))).collect(),
    }
}

#[test]
fn values_written_block_by_block_make_the_matrix() {
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let widths: Vec<usize> = (0..1 + rng.below(5)).map(|_| 1 + rng.below(6)).collect();
        let first: Vec<usize> = (0..widths.len()).map(|i| widths[..i].iter().sum()).collect();
        let n: usize = widths.iter().sum();
        let mut builder = PatternBuilder::new();
        let kinds: Vec<MassBlock> = widths.iter().map(|_| BLOCKS[rng.below(3)]).collect();
        let bodies: Vec<_> = (0..widths.len()).map(|i| builder.body(widths[i], kinds[i])).collect();
        let mut constraints = Vec::new();
        let mut m = 0;
        for _ in 0..rng.below(5) {
            let rows = 1 + rng.below(4);
            let mut on: Vec<usize> = (0..widths.len()).collect();
            matrices::shuffle(&mut rng, &mut on);
            on.truncate(rng.below(3));
            let id = builder.constraint(rows, &on.iter().map(|&i| bodies[i]).collect::<Vec<_>>());
            let soft = (rng.below(2) == 0).then(|| BLOCKS[rng.below(3)]);
            if let Some(block) = soft {
                assert_eq!(builder.soften(id, block), builder.compliance(id));
            }
            constraints.push((id, m, rows, on, soft));
            m += rows;
        }
        let map = builder.clone();
        let pattern = builder.build().unwrap();
        matrices::check(&pattern);
        assert_eq!((pattern.unknowns(), pattern.rows()), (n, m));
        assert_eq!(pattern.body_count(), widths.len());
        assert_eq!(pattern.constraint_count(), constraints.len());

        let mut k = vec![vec![0.0; n + m]; n + m];
        let mut mass = vec![f64::NAN; pattern.mass_len()];
        let mut jacobian = vec![f64::NAN; pattern.jacobian_len()];
        let mut compliance = vec![f64::NAN; pattern.compliance_len()];
        for i in 0..widths.len() {
            for (e, (r, c)) in map.mass(bodies[i]).zip(places(kinds[i], widths[i])) {
                mass[e] = (n + 1) as f64 * (first[i] + r.max(c)) as f64
                    + (first[i] + r.min(c)) as f64
                    + 1.0;
                k[first[i] + r][first[i] + c] = mass[e];
                k[first[i] + c][first[i] + r] = mass[e];
            }
        }
        for (id, row, rows, on, soft) in &constraints {
            for &i in on {
                let mut range = map.jacobian(*id, bodies[i]).unwrap();
                assert_eq!(range.len(), rows * widths[i]);
                for r in 0..*rows {
                    for c in 0..widths[i] {
                        let value = rng.uniform(1.0, 2.0);
                        jacobian[range.next().unwrap()] = value;
                        k[n + row + r][first[i] + c] = value;
                        k[first[i] + c][n + row + r] = value;
                    }
                }
            }
            let used = places(soft.unwrap_or(MassBlock::Diagonal), *rows);
            for (e, (r, c)) in map.compliance(*id).zip(used) {
                compliance[e] = 1.0 + (r + c) as f64;
                k[n + row + r][n + row + c] = -compliance[e];
                k[n + row + c][n + row + r] = -compliance[e];
            }
        }
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        values.check(&pattern).unwrap();
        assert_eq!(matrices::kkt(&pattern, &values), k);
    }
}

#[test]
fn a_body_that_a_constraint_does_not_touch_has_no_block() {
    let mut builder = PatternBuilder::new();
    let [a, b] = [3, 6].map(|width| builder.body(width, MassBlock::Full));
    let joint = builder.constraint(2, &[b]);
    assert_eq!(builder.jacobian(joint, a), None);
    assert_eq!(builder.jacobian(joint, b), Some(0..12));
    assert!(builder.compliance(joint).is_empty());
}

/// Widths that indices of 32 bits cannot count are an error of `build`, and allocate nothing.
#[test]
fn a_builder_refuses_what_it_cannot_count() {
    for (width, rows) in [(usize::MAX, 1), (1 << 20, 1), (3, usize::MAX), (3, 1 << 31)] {
        let mut builder = PatternBuilder::new();
        let body = builder.body(width, MassBlock::Full);
        builder.constraint(rows, &[body]);
        assert!(matches!(builder.build(), Err(KktError::TooLarge { .. })), "{width} {rows}");
    }
    let empty = PatternBuilder::default().build().expect("an empty system");
    assert_eq!((empty.unknowns(), empty.rows()), (0, 0));
}

#[test]
fn a_builder_names_what_makes_no_pattern() {
    let two = || {
        let mut builder = PatternBuilder::new();
        let bodies = [1, 2].map(|width| builder.body(width, MassBlock::Diagonal));
        (builder, bodies)
    };
    let (mut builder, [a, b]) = two();
    builder.constraint(1, &[a]);
    builder.constraint(1, &[b, a, b]);
    assert_eq!(builder.build(), Err(KktError::BodyTwice { constraint: 1, body: 1 }));
    let (mut builder, [a, b]) = two();
    builder.constraint(1, &[a]);
    let joint = builder.constraint(1, &[b]);
    builder.soften(joint, MassBlock::Diagonal);
    builder.soften(joint, MassBlock::Full);
    assert_eq!(builder.build(), Err(KktError::SoftenedTwice { constraint: 1 }));
    let (mut builder, [a, _]) = two();
    builder.constraint(0, &[a]);
    let error = builder.build().expect_err("an empty constraint");
    assert_eq!(error, KktError::EmptyBlock { what: "constraint", index: 0 });
    assert_eq!(error.to_string(), "constraint 0 (from 0) has no rows: leave it out");
    let (mut builder, _) = two();
    builder.body(0, MassBlock::Lower);
    assert_eq!(builder.build(), Err(KktError::EmptyBlock { what: "body", index: 2 }));
}

#[test]
#[should_panic(expected = "body 1 is of another builder: this one has 1, counted from 0")]
fn a_body_of_another_builder_is_refused_if_it_can_be_told() {
    let mut builder = PatternBuilder::new();
    let [_, second] = [1, 1].map(|width| builder.body(width, MassBlock::Diagonal));
    let mut other = PatternBuilder::new();
    other.body(1, MassBlock::Diagonal);
    other.constraint(1, &[second]);
}

#[test]
#[should_panic(expected = "constraint 0 is of another builder: this one has 0, counted from 0")]
fn a_constraint_of_another_builder_is_refused_if_it_can_be_told() {
    let mut builder = PatternBuilder::new();
    let body = builder.body(1, MassBlock::Diagonal);
    let joint = builder.constraint(1, &[body]);
    PatternBuilder::new().soften(joint, MassBlock::Diagonal);
}
