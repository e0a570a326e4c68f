//! What else a tree is asked for: loops, derivatives, the factor.
//!
//! Question: how do their costs grow with the number of joints, and what is each next to forward
//! dynamics of the same tree? Loops are local (every eighth body pinned to the seventh after it),
//! so their time per joint should be flat; derivatives grow with the pairs of joints on one path.
//! Not measured: building models, the first touch of memory.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use pommel::tree::{
    ClosureWorkspace, DerivativeWorkspace, ForwardDynamicsDerivatives, Workspace,
    constrained_dynamics, factorize, forward_dynamics_derivatives,
};
use pommel_benches::State;
use pommel_benches::rigid_body_cases::{Case, RobotCase};

const STATES: usize = 16;

fn robot(name: &str) -> RobotCase {
    RobotCase::new(Case::parse(name).expect("a case"))
}

/// Times a call, each with the next of the states.
fn cycle(
    group: &mut BenchmarkGroup<'_, WallTime>,
    (n, elements): (u64, u64),
    states: &[State<f64>],
    mut call: impl FnMut(&State<f64>),
) {
    group.throughput(Throughput::Elements(elements));
    let mut k = 0;
    group.bench_function(BenchmarkId::from_parameter(n), |b| {
        b.iter(|| {
            call(&states[k % STATES]);
            k += 1;
        });
    });
}

fn loops(c: &mut Criterion) {
    let mut group = c.benchmark_group("functions/constrained_dynamics/local_loops");
    for n in [24, 96, 384] {
        let robot = robot(&format!("loopchain-{n}"));
        let (model, states) = (robot.model(), robot.states(STATES));
        let closures = robot.closures(&model);
        let mut workspace = Workspace::new(&model);
        let mut memory = ClosureWorkspace::new(&closures);
        let (mut qdd, mut lambda) = (vec![0.0; model.nv()], vec![0.0; closures.rows()]);
        cycle(&mut group, (n, n), &states, |s| {
            let solved = constrained_dynamics(
                &model,
                &closures,
                &mut workspace,
                &mut memory,
                (&s.q, &s.v),
                &s.tau,
                None,
                black_box(&mut qdd),
                black_box(&mut lambda),
            );
            assert!(solved.is_ok());
        });
    }
    group.finish();
}

fn derivatives(c: &mut Criterion) {
    let mut group = c.benchmark_group("functions/forward_dynamics_derivatives/chain");
    for n in [6, 12, 24, 48, 96] {
        let robot = robot(&format!("fixed-{n}"));
        let (model, states) = (robot.model(), robot.states(STATES));
        let mut workspace = DerivativeWorkspace::new(&model);
        let nv = model.nv();
        let mut qdd = vec![0.0; nv];
        let mut matrices = [vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv]];
        cycle(&mut group, (n, n * n), &states, |s| {
            let [position, velocity, force] = &mut matrices;
            let out = ForwardDynamicsDerivatives { qdd: &mut qdd, position, velocity, force };
            let solved = forward_dynamics_derivatives(
                &model,
                &mut workspace,
                &s.q,
                &s.v,
                &s.tau,
                None,
                black_box(out),
            );
            assert!(solved.is_ok());
        });
    }
    group.finish();
}

fn factor(c: &mut Criterion) {
    let mut group = c.benchmark_group("functions/factorize_and_solve/chain");
    for n in [24, 96, 384] {
        let robot = robot(&format!("fixed-{n}"));
        let (model, states) = (robot.model(), robot.states(STATES));
        let mut workspace = Workspace::new(&model);
        let mut x = vec![0.0; model.nv()];
        cycle(&mut group, (n, n), &states, |s| {
            let mut factor = factorize(&model, &mut workspace, &s.q).expect("regular");
            factor.solve(&s.tau, black_box(&mut x));
        });
    }
    group.finish();
}

criterion_group!(benches, loops, derivatives, factor);
criterion_main!(benches);
