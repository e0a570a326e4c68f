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

/// Two bodies and a constraint on both: it is eliminated between them, unless it is late; where its
/// block on the first one vanishes it must be.
#[test]
fn late_constraints_wait_for_all_of_their_bodies() {
    let pattern = Pattern::from_places(&[1, 1], &[1], &[(0, 0), (1, 1)], &[(0, 0), (0, 1)], &[]);
    let pattern = pattern.expect("a pattern");
    let find = |late: Vec<usize>| {
        let options = Options { late, ..Options::default() };
        Analysis::with_options(&pattern, &options).expect("an analysis")
    };
    let place = |analysis: &Analysis| analysis.ordering().iter().position(|&i| i == 2);
    let (early, late) = (find(vec![]), find(vec![0]));
    assert_eq!((place(&early), place(&late)), (Some(1), Some(2)));
    let first = early.ordering()[0];
    let mut jacobian = [1.0, 1.0];
    jacobian[first] = 0.0;
    let values = Values::new(&[2.0, 2.0], &jacobian);
    let verdict = |analysis: &Analysis| {
        let mut workspace = Workspace::new(analysis);
        let mut factor = workspace.factorize(&values).expect("lengths");
        let mut solution = [0.0; 3];
        let refinement = Refinement::default();
        factor.solve(&[1.0, 2.0, 3.0], &mut solution, &refinement).expect("lengths").verdict(0)
    };
    assert_eq!(verdict(&early), Verdict::Misplaced { count: 1 });
    assert_eq!(verdict(&late), Verdict::Good);
    let found = Analysis::for_values(&pattern, &values, &Options::default()).expect("values");
    assert_eq!((found.rounds(), verdict(&found)), (2, Verdict::Good));
}
