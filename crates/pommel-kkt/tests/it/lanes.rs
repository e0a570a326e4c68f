//! What is asked of a lane, and of one that a scalar does not have.

use pommel_kkt::pommel_math::Lanes;
use pommel_kkt::{
    Analysis, Factor, KktError, Part, Pattern, Refinement, Report, Values, Verdict, Workspace,
};

/// `2 x + λ = 4`, `x = 1`: in the second lane the right-hand side is infinite.
fn with_factor<R>(
    look: impl FnOnce(&Factor<'_, Lanes<2>>, Report<Lanes<2>>, &[Lanes<2>]) -> R,
) -> R {
    let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[(0, 0)], &[]).expect("a pattern");
    let mut workspace = Workspace::new(&Analysis::new(&pattern).expect("an analysis"));
    let (mass, row) = ([Lanes([2.0; 2])], [Lanes([1.0; 2])]);
    let rhs = [Lanes([4.0; 2]), Lanes([1.0, f64::INFINITY])];
    let mut factor = workspace.factorize(&Values::new(&mass, &row)).expect("lengths");
    let mut solution = [Lanes([0.0; 2]); 2];
    let report = factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
    look(&factor, report, &rhs)
}

#[test]
fn a_number_of_the_right_hand_side_is_named() {
    with_factor(|factor, report, rhs| {
        assert_eq!([0, 1].map(|lane| report.verdict(lane)), [Verdict::Good, Verdict::NotFinite]);
        assert_eq!([0, 1].map(|lane| factor.check_finite(lane)), [Ok(()), Ok(())]);
        assert_eq!(factor.check_rhs(rhs, 0), Ok(()));
        let error = KktError::NotFinite { part: Part::RightHandSide, entry: 1 };
        assert_eq!(factor.check_rhs(rhs, 1), Err(error));
        let error = KktError::Length { array: "rhs", expected: 2, found: 1 };
        assert_eq!(factor.check_rhs(&rhs[..1], 0), Err(error));
    });
}

#[test]
fn a_report_shows_the_verdicts_of_its_lanes_only() {
    let text = with_factor(|_, report, _| format!("{report:?}"));
    assert!(text.ends_with("verdicts: [Good, NotFinite] }"), "{text}");
}

/// Every question about a lane that the scalar does not have panics, and says how many there are.
#[test]
fn a_lane_that_is_not_there_is_refused() {
    type Question = fn(&Factor<'_, Lanes<2>>, Report<Lanes<2>>, &[Lanes<2>]);
    let questions: [Question; 9] = [
        |_, report, _| _ = report.verdict(2),
        |factor, _, _| _ = factor.inertia(2),
        |factor, _, _| _ = factor.rank(2),
        |factor, _, _| _ = factor.dependent_rows(2),
        |factor, _, _| _ = factor.free_unknowns(2),
        |factor, _, _| _ = factor.misplaced(2),
        |factor, _, _| _ = factor.check_finite(2),
        |factor, _, rhs| _ = factor.check_rhs(rhs, 2),
        |factor, _, _| _ = factor.cancellation(2),
    ];
    for (i, question) in questions.into_iter().enumerate() {
        let caught = std::panic::catch_unwind(|| with_factor(question)).expect_err("a panic");
        let text = caught.downcast_ref::<String>().expect("a text");
        assert_eq!(text, "there is no lane 2: the scalar has 2, counted from 0", "{i}");
    }
}
