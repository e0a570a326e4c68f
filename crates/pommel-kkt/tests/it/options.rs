//! What options are for.

use pommel_kkt::{Analysis, Options, Pattern, Refinement, Values, Verdict, Workspace};

/// One body of two unknowns and unit mass, one constraint `[1 0; 1 10⁻⁴]`: what is left of the second
/// pivot is 10⁻⁸ of it.
#[test]
fn a_tolerance_decides_which_rows_depend_on_others() {
    let places = [(0, 0), (1, 0), (1, 1)];
    let pattern = Pattern::from_places(&[2], &[2], &[(0, 0), (1, 1)], &places, &[]);
    let pattern = pattern.expect("a pattern");
    let values = Values::new(&[1.0, 1.0], &[1.0, 1.0, 1e-4]);
    for (tolerance, rank) in [(None, 2), (Some(1e-9), 2), (Some(1e-7), 1)] {
        let options = Options { tolerance, ..Options::default() };
        for analysis in [
            Analysis::with_options(&pattern, &options),
            Analysis::for_values(&pattern, &values, &options),
        ] {
            let analysis = analysis.expect("an analysis");
            let mut workspace = Workspace::new(&analysis);
            let mut factor = workspace.factorize(&values).expect("lengths");
            assert_eq!(factor.rank(0), rank, "{tolerance:?}");
            let mut solution = [0.0; 4];
            let refinement = Refinement::default();
            // x = (1, 1) with λ = 0
            let rhs = [1.0, 1.0, 1.0, 1.0 + 1e-4];
            let report = factor.solve(&rhs, &mut solution, &refinement).expect("lengths");
            match report.verdict(0) {
                Verdict::Good => assert_eq!(rank, 2),
                Verdict::GoodWithDependentRows { count } => assert_eq!(count + rank, 2),
                verdict => panic!("{tolerance:?}: {verdict:?}"),
            }
        }
    }
}

/// `J = [1 1 1; 1 1 1 + e]` and unit masses: of the second pivot `2e²/3` is left, of the row, outside of
/// the other, `e √(2/9)`. All that is asked for is 3: `x = (1, 1, 1)` by one row, `(3/2, 3/2, 0)` by both.
#[test]
fn a_row_that_differs_by_less_than_the_root_of_the_tolerance_depends_on_the_other() {
    let places: Vec<_> = (0..6).map(|i| (i / 3, i % 3)).collect();
    let pattern = Pattern::from_places(&[3], &[2], &[(0, 0), (1, 1), (2, 2)], &places, &[]);
    let pattern = pattern.expect("a pattern");
    let solve = |e: f64, tolerance| {
        let rows = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0 + e];
        let values = Values::new(&[1.0; 3], &rows);
        let options = Options { tolerance, ..Options::default() };
        let analysis = Analysis::for_values(&pattern, &values, &options).expect("an analysis");
        let mut workspace = Workspace::new(&analysis);
        let mut factor = workspace.factorize(&values).expect("lengths");
        let mut solution = [0.0; 5];
        let refinement = Refinement::default();
        let report = factor.solve(&[3.0; 5], &mut solution, &refinement).expect("lengths");
        (report.verdict(0), factor.rank(0), solution)
    };
    let near = |x: &[f64; 5], truth: [f64; 3], by: f64| {
        x.iter().zip(truth).all(|(x, truth)| (x - truth).abs() < by)
    };
    // 5·10⁻⁷ of the row is a little more than 10⁻⁶ in its last number
    for (e, rank) in [(1e-9, 1), (5e-7, 1), (3e-6, 2)] {
        assert_eq!(solve(e, None).1, rank, "{e}");
    }
    let (verdict, _, x) = solve(1e-9, None);
    assert_eq!(verdict, Verdict::GoodWithDependentRows { count: 1 });
    assert!(near(&x, [1.0; 3], 1e-8), "{x:?}");
    // the row is kept: eight digits of nine are lost, and two are gained by refinement
    let (_, rank, x) = solve(1e-9, Some(0.0));
    assert_eq!(rank, 2);
    assert!(near(&x, [1.5, 1.5, 0.0], 1e-4), "{x:?}");
    assert_eq!(solve(1e-7, Some(0.0)).0, Verdict::Good);
    // left out, it contradicts the other by more than is accepted
    assert!(matches!(solve(1e-7, None).0, Verdict::Inconsistent { row: 1, count: 1, .. }));
}

/// Two bodies, a constraint on both, and a compliant one on the second: the first constraint is
/// eliminated between the bodies, unless it is late; where its block on the first one vanishes it must
/// be.
#[test]
fn late_constraints_wait_for_all_of_their_bodies() {
    // beside a full block, the system is not eliminated by single numbers, where all bodies come first
    let block = (2..10).flat_map(|i| (2..=i).map(move |j| (i, j)));
    let mass_places: Vec<_> = [(0, 0), (1, 1)].into_iter().chain(block).collect();
    let pattern = Pattern::from_places(
        &[1, 1, 8],
        &[1, 1],
        &mass_places,
        &[(0, 0), (0, 1), (1, 1)],
        &[(1, 1)],
    );
    let pattern = pattern.expect("a pattern");
    let find = |late: Vec<usize>| {
        let options = Options { late, ..Options::default() };
        Analysis::with_options(&pattern, &options).expect("an analysis")
    };
    let order = |analysis: &Analysis| -> Vec<usize> {
        analysis.ordering().into_iter().filter(|&i| i != 2).collect()
    };
    let (early, late) = (find(vec![]), find(vec![0]));
    assert_eq!(order(&early)[..2], [0, 3]);
    assert!(order(&late)[..2].iter().all(|&i| i != 3));
    let jacobian = [0.0, 1.0, 1.0];
    let mass: Vec<f64> = mass_places.iter().map(|&(i, j)| if i == j { 2.0 } else { 0.5 }).collect();
    let values = Values { mass: &mass, jacobian: &jacobian, compliance: &[1.0] };
    let verdict = |analysis: &Analysis| {
        let mut workspace = Workspace::new(analysis);
        let mut factor = workspace.factorize(&values).expect("lengths");
        let mut solution = [0.0; 12];
        let rhs: Vec<f64> = (1..13).map(f64::from).collect();
        let refinement = Refinement::default();
        factor.solve(&rhs, &mut solution, &refinement).expect("lengths").verdict(0)
    };
    assert_eq!(verdict(&early), Verdict::Misplaced { count: 1 });
    assert_eq!(verdict(&late), Verdict::Good);
    let found = Analysis::for_values(&pattern, &values, &Options::default()).expect("values");
    assert_eq!((found.rounds(), verdict(&found)), (2, Verdict::Good));
}
