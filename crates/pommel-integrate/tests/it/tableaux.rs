//! Tableaux are checked when they are made.

use pommel_integrate::tableau::{Part, RootedTree};
use pommel_integrate::{DenseParts, Embedded, ExplicitMethod, Tableau, TableauError, TableauParts};

use crate::problems::methods;

/// The pair of Dormand and Prince, taken apart again.
fn parts() -> TableauParts {
    let tableau = Tableau::dormand_prince_54();
    let stages = tableau.stages();
    TableauParts {
        name: tableau.name().into(),
        a: (0..stages).map(|i| (0..i).map(|j| tableau.a(i, j)).collect()).collect(),
        b: tableau.b().to_vec(),
        c: tableau.c().to_vec(),
        order: tableau.order(),
        embedded: tableau.embedded().cloned(),
        dense: tableau.dense().cloned(),
    }
}

fn refusal(change: impl FnOnce(&mut TableauParts)) -> TableauError {
    let mut parts = parts();
    change(&mut parts);
    Tableau::new(parts).unwrap_err()
}

#[test]
fn rooted_trees_are_as_many_as_counted_by_cayley() {
    let trees = RootedTree::up_to(8);
    let of_order = |n| trees.iter().filter(|tree| tree.order() == n).count();
    let counts: Vec<usize> = (1..=8).map(of_order).collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115]);
    let names: Vec<String> = RootedTree::up_to(4).iter().map(ToString::to_string).collect();
    let expected = ["τ", "[τ]", "[τ,τ]", "[[τ]]", "[τ,τ,τ]", "[τ,[τ]]", "[[τ,τ]]", "[[[τ]]]"];
    assert_eq!(names, expected);
}

#[test]
fn provided_methods_are_what_they_say() {
    let rk4 = Tableau::rk4();
    assert_eq!((rk4.stages(), rk4.order(), rk4.first_same_as_last()), (4, 4, false));
    let pair = Tableau::dormand_prince_54();
    assert_eq!((pair.stages(), pair.order(), pair.first_same_as_last()), (7, 5, true));
    assert_eq!(pair.embedded().unwrap().order, 4);
    Tableau::new(parts()).unwrap();
    // stages, order, order of the estimate, whether the last stage is the first of the next step
    let expected = [
        (1, 1, None, false),
        (2, 2, None, false),
        (2, 2, Some(1), false),
        (4, 3, Some(2), true),
        (4, 4, None, false),
        (4, 4, None, false),
        (6, 4, Some(5), false),
        (7, 5, Some(4), true),
        (12, 8, Some(5), false),
    ];
    for (tableau, expected) in methods().iter().zip(expected) {
        let estimate = tableau.embedded().map(|pair| pair.order);
        let last = tableau.first_same_as_last();
        let found = (tableau.stages(), tableau.order(), estimate, last);
        assert_eq!(found, expected, "{}", tableau.name());
    }
    for method in ExplicitMethod::ALL {
        assert_eq!(ExplicitMethod::from_name(method.name()), Some(method));
        assert_eq!(method.tableau().embedded().is_some(), method.is_pair());
    }
    assert_eq!(ExplicitMethod::from_name("rk5"), None);
}

/// Every coefficient, changed in its tenth digit, is caught.
#[test]
fn a_wrong_digit_in_any_coefficient_is_refused() {
    let wrong = |x: &mut f64| *x += if *x == 0.0 { 1e-10 } else { *x * 1e-10 };
    for i in 0..7 {
        for j in 0..i {
            assert!(matches!(refusal(|p| wrong(&mut p.a[i][j])), TableauError::RowSum { .. }));
            // the same with a node that fits: only the order conditions can tell
            let error = refusal(|p| {
                wrong(&mut p.a[i][j]);
                p.c[i] = p.a[i].iter().sum();
            });
            assert!(matches!(error, TableauError::OrderCondition { .. }), "a[{i}][{j}]: {error}");
        }
        let error = refusal(|p| wrong(&mut p.b[i]));
        assert!(matches!(error, TableauError::OrderCondition { part: Part::B, .. }), "{error}");
        let error = refusal(|p| wrong(&mut p.embedded.as_mut().unwrap().weights[i]));
        let expected = Part::Embedded;
        assert!(matches!(error, TableauError::OrderCondition { part, .. } if part == expected));
        let error = refusal(|p| wrong(&mut p.dense.as_mut().unwrap().weights[i][2]));
        assert!(matches!(error, TableauError::DenseEnd { stage, .. } if stage == i), "{error}");
        // the same with another coefficient that keeps the end
        let error = refusal(|p| {
            let row = &mut p.dense.as_mut().unwrap().weights[i];
            row[2] += 1e-9;
            row[3] -= 1e-9;
        });
        let expected = Part::Dense;
        assert!(matches!(error, TableauError::OrderCondition { part, .. } if part == expected));
    }
}

#[test]
fn a_claim_of_a_higher_order_is_refused_with_condition_and_residual() {
    let error = refusal(|p| p.order = 6);
    let TableauError::OrderCondition { part: Part::B, tree, residual, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(tree.order(), 6);
    assert!(residual.abs() > 1e-6);
    let error = refusal(|p| p.embedded.as_mut().unwrap().order = 5);
    assert!(error.to_string().starts_with("embedded weights: the condition of order 5"), "{error}");
    let error = refusal(|p| p.dense.as_mut().unwrap().order = 5);
    assert!(matches!(error, TableauError::OrderCondition { part: Part::Dense, .. }));
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let length = |part, found| TableauError::Length { part, expected: 7, found };
    assert_eq!(refusal(|p| p.b.clear()), TableauError::Empty);
    assert_eq!(refusal(|p| p.c.truncate(6)), length(Part::C, 6));
    assert_eq!(refusal(|p| p.a.truncate(6)), length(Part::A, 6));
    assert_eq!(refusal(|p| p.a[6] = vec![0.0; 8]), length(Part::A, 8));
    let short = Embedded { weights: vec![1.0], order: 1, lower: None };
    assert_eq!(refusal(|p| p.embedded = Some(short)), length(Part::Embedded, 1));
    let short = DenseParts { order: 1, ..DenseParts::default() };
    assert_eq!(refusal(|p| p.dense = Some(short)), length(Part::Dense, 0));
    let implicit = TableauError::NotExplicit { row: 1, column: 1, value: 0.5 };
    assert_eq!(refusal(|p| p.a[1] = vec![0.2, 0.5]), implicit);
    let nan = TableauError::NotFinite { part: Part::A, row: 3 };
    assert_eq!(refusal(|p| p.a[3][1] = f64::NAN), nan);
    assert_eq!(refusal(|p| p.order = 0), TableauError::NoOrder { part: Part::B });
}

/// DOP853, a coefficient of each part changed in its tenth digit.
#[test]
fn extra_stages_and_weights_of_lower_order_are_checked() {
    let tableau = Tableau::dormand_prince_853();
    let whole = || TableauParts {
        name: tableau.name().into(),
        a: (0..12).map(|i| (0..i).map(|j| tableau.a(i, j)).collect()).collect(),
        b: tableau.b().to_vec(),
        c: tableau.c().to_vec(),
        order: 8,
        embedded: tableau.embedded().cloned(),
        dense: tableau.dense().cloned(),
    };
    Tableau::new(whole()).unwrap();
    let refusal = |change: &dyn Fn(&mut TableauParts)| {
        let mut parts = whole();
        change(&mut parts);
        Tableau::new(parts).unwrap_err()
    };
    let part = |error: &TableauError| match error {
        TableauError::OrderCondition { part, .. }
        | TableauError::Length { part, .. }
        | TableauError::NotFinite { part, .. }
        | TableauError::NoOrder { part } => Some(*part),
        _ => None,
    };
    for i in [0, 8, 11] {
        let error = refusal(&|p| {
            p.embedded.as_mut().unwrap().lower.as_mut().unwrap().weights[i] += 1e-10;
        });
        assert_eq!(part(&error), Some(Part::Lower), "{error}");
    }
    let error = refusal(&|p| p.embedded.as_mut().unwrap().lower.as_mut().unwrap().order = 4);
    assert_eq!(part(&error), Some(Part::Lower), "{error}");
    for stage in 0..3 {
        // with a node that fits, only the order conditions can tell
        let error = refusal(&|p| {
            let extra = &mut p.dense.as_mut().unwrap().extra[stage];
            extra.a[0] += 1e-9;
            extra.c += 1e-9;
        });
        assert_eq!(part(&error), Some(Part::Dense), "{error}");
        let error = refusal(&|p| p.dense.as_mut().unwrap().extra[stage].c += 1e-9);
        assert!(matches!(error, TableauError::RowSum { row, .. } if row == 13 + stage), "{error}");
        let error = refusal(&|p| p.dense.as_mut().unwrap().extra[stage].a[0] = f64::NAN);
        assert_eq!(part(&error), Some(Part::Extra), "{error}");
    }
    let error = refusal(&|p| {
        p.dense.as_mut().unwrap().extra.pop();
    });
    assert_eq!(part(&error), Some(Part::Dense), "{error}");
    let error = refusal(&|p| p.dense.as_mut().unwrap().order = 8);
    assert_eq!(part(&error), Some(Part::Dense), "{error}");
}
