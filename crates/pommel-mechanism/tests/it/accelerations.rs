//! Accelerations of mechanisms against references.

use pommel_kkt::{Analysis, Options, Refinement, Workspace};
use pommel_mechanism::Evaluation;

use crate::dataset::{Dataset, deviation};

#[test]
fn accelerations_are_those_of_the_references() {
    for data in Dataset::all() {
        let system = &data.system;
        let mut evaluation = Evaluation::new(system);
        let mut worst = (0.0_f64, 0.0_f64, 0.0_f64);
        for state in data.states.iter().chain(&data.truth) {
            system.evaluate(state.t, &state.q, &state.v, &mut evaluation);
            let equations = system.equations(&evaluation, (&state.q, &state.v));
            let analysis =
                Analysis::for_values(system.pattern(), &equations.values(), &Options::default())
                    .expect("an analysis");
            let mut workspace = Workspace::new(&analysis);
            let values = equations.values();
            let mut factor = workspace.factorize(&values).expect("a factor");
            let rhs: Vec<f64> = equations.force.iter().chain(equations.gamma).copied().collect();
            let mut x = vec![0.0; rhs.len()];
            let report = factor.solve(&rhs, &mut x, &Refinement::default()).expect("a solution");
            let rank = factor.rank(0);
            if let Some(expected) = data.rank {
                assert_eq!(rank, expected, "{} at {}", data.name, state.t);
            }
            let phi = evaluation.phi().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let (a, lambda) = x.split_at(system.nv());
            let off = deviation(a, &state.a);
            let multipliers = state.lambda.as_ref().map_or(0.0, |l| deviation(lambda, l));
            if off > 1e-10 { println!("{} t={} off {off:e} {:?}", data.name, state.t, report.verdict(0)); }
            worst = (worst.0.max(off), worst.1.max(multipliers), worst.2.max(phi));
        }
        println!("{:20} {:e} {:e} {:e}", data.name, worst.0, worst.1, worst.2);
    }
}
