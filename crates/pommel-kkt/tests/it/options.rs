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
