//! Analyses in files.

use pommel_kkt::{Analysis, Options, Pattern, Refinement, Workspace};
use pommel_testkit::{
    Rng, SaddleShape, planar_four_bars, random_saddle, revolute_chain, spatial_four_bars,
};

use crate::systems::case;

/// An analysis that was written and read gives the same bits.
#[test]
fn an_analysis_survives_a_file() {
    let mut rng = Rng::new(23);
    // by single numbers, by fronts, and of any kind
    let known = [planar_four_bars(7, |_, _| 1.0).system, revolute_chain(9, |_| 1.0, 1).system];
    let random = (0..100).map(|_| {
        let shape = SaddleShape::random(&mut rng);
        random_saddle(&mut rng, &shape)
    });
    for system in known.into_iter().chain(random) {
        let case = case(&system);
        let values = case.values();
        let analysis =
            Analysis::for_values(&case.pattern, &values, &Options::default()).expect("values");
        let text = serde_json::to_string(&analysis).expect("written");
        let read: Analysis = serde_json::from_str(&text).expect("read");
        assert_eq!(read.pattern(), analysis.pattern());
        assert_eq!(read.cost(), analysis.cost());
        assert_eq!(read.massless(), analysis.massless());
        let rhs = system.right_hand_side();
        let solve = |analysis: &Analysis| {
            let mut workspace = Workspace::new(analysis);
            let mut factor = workspace.factorize(&values).expect("lengths");
            let mut solution = vec![0.0; rhs.len()];
            factor.solve(&rhs, &mut solution, &Refinement::quick()).expect("lengths");
            solution.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(solve(&analysis), solve(&read));
    }
}

/// Damaged files are refused with a reason, whatever is wrong.
#[test]
fn damaged_analyses_are_refused() {
    let pattern =
        Pattern::from_places(&[1, 2], &[1], &[(0, 0), (1, 1), (2, 2)], &[(0, 0), (0, 2)], &[])
            .expect("a pattern");
    let text =
        serde_json::to_string(&Analysis::new(&pattern).expect("an analysis")).expect("written");
    let damages = [
        ("\"format\":2", "\"format\":1"),
        ("\"ordering\":[", "\"ordering\":[7,"),
        ("\"massless\":[]", "\"massless\":[9]"),
        ("\"bodies\":[0,1,3]", "\"bodies\":[0,3,1]"),
        ("\"bodies\":[0,1,3]", "\"bodies\":[0,1,2]"),
        ("\"constraints\":[0,1]", "\"constraints\":[1]"),
        ("[[0,1,2],[0,1,2],[0,1,2],3]", "[[0,1,2],[0,1,2],[0,1,2],2]"),
        ("[[0,1,2],[0,1,2],[0,1,2],3]", "[[0,1,2],[0,1],[0,1,2],3]"),
        ("[[0,1,2],[0,1,2],[0,1,2],3]", "[[0,1,1],[0,1,2],[0,1,2],3]"),
        ("[[0,1,2],[0,1,2],[0,1,2],3]", "[[0,1,1],[0,1,1],[0,1,2],3]"),
    ];
    for (old, new) in damages {
        assert!(text.contains(old), "{old} in {text}");
        let damaged = text.replacen(old, new, 1);
        let error = serde_json::from_str::<Analysis>(&damaged).expect_err(new);
        assert!(error.to_string().len() > 20, "{error}");
    }
    assert!(serde_json::from_str::<Analysis>(&text[..text.len() / 2]).is_err());
}

/// A partition from a file does what the first did; steps that are none of its system are refused.
#[test]
fn a_partition_survives_a_file() {
    for mechanism in [planar_four_bars(30, |_, _| 1.0), spatial_four_bars(6)] {
        let case = case(&mechanism.system);
        let rhs = mechanism.system.right_hand_side();
        let options = Options { partitioned: Some(true), ..Options::default() };
        let analysis = Analysis::for_values(&case.pattern, &case.values(), &options);
        let analysis = analysis.expect("an analysis");
        assert!(analysis.is_partitioned());
        let solve = |analysis: &Analysis| {
            let mut workspace = Workspace::new(analysis);
            let mut solution = vec![0.0; rhs.len()];
            let values = case.values();
            let mut factor = workspace.factorize(&values).expect("lengths");
            factor.solve(&rhs, &mut solution, &Refinement::default()).expect("lengths");
            solution
        };
        let alone = solve(&analysis);
        let text = serde_json::to_string(&analysis).expect("written");
        let again: Analysis = serde_json::from_str(&text).expect("read");
        assert!(again.is_partitioned());
        assert_eq!((again.cost(), again.ordering()), (analysis.cost(), analysis.ordering()));
        assert_eq!(solve(&again), alone);
        // steps that are none of this system
        for steps in ["[]", "[[0,0]]", "[[7777777,0]]", "[[4294967295,4294967295]]"] {
            let (start, end) = text.split_once("\"steps\":").expect("steps");
            let rest = end.split_once("]]").expect("an end").1;
            let damaged = format!("{start}\"steps\":{steps}{rest}");
            let error = serde_json::from_str::<Analysis>(&damaged).expect_err(steps).to_string();
            assert!(error.contains("analyse again"), "{error}");
        }
    }
}
