//! Every formulation of the accelerations on the same mechanisms.
//!
//! Questions: what does each formulation cost on `fm24`, the mechanism of the comparison that
//! `pommel compare` makes, and how does it grow with the number of loops? How do the terms of the
//! equations, the factor of the saddle-point system, and rank and assembly grow up to 10 000 bodies,
//! where time per body should be flat as long as caches hold it? Every formulation is checked
//! against `sparse_kkt` before it is timed. Not measured: the integrator around them.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pommel::AbsoluteDynamics;
use pommel::absolute::AbsoluteState;
use pommel::compare::FourBars;
use pommel::kkt::{Analysis, Values, Workspace};
use pommel::mechanism::Evaluation;
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::{AssembleOptions, Assembler, mobility};
use pommel::model::Mechanism;

/// The penalty formulation approximates.
fn tolerance(method: Method) -> f64 {
    if method == Method::Penalty { 1e-4 } else { 1e-9 }
}

fn linkages(n: usize) -> (AbsoluteDynamics, AbsoluteState) {
    let mechanism = FourBars(n).mechanism().expect("a model");
    let dynamics = AbsoluteDynamics::new(&mechanism).expect("a system");
    let state = dynamics.initial_state().expect("an assembled state");
    (dynamics, state)
}

/// Times accelerations from the terms of the equations, with all formulations that `wanted` takes.
fn accelerations(
    c: &mut Criterion,
    (group, parameter): (&str, &str),
    (dynamics, state): &(AbsoluteDynamics, AbsoluteState),
    wanted: impl Fn(Method) -> bool,
) {
    let mut group = c.benchmark_group(group);
    let system = dynamics.system();
    let mut evaluation = Evaluation::new(system);
    system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
    let equations = system.equations(&evaluation, (&state.q, &state.v));
    let (mut a, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
    let truth = dynamics.accelerations(Method::SparseKkt, 0.0, state).expect("accelerations").a;
    let scale = truth.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for method in Method::ALL.into_iter().filter(|&method| wanted(method)) {
        let mut formulation = dynamics.formulation(method, &equations).expect("a formulation");
        formulation.solve(&equations, &mut a, &mut lambda).expect("accelerations");
        let off = a.iter().zip(&truth).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off <= tolerance(method) * scale, "{method} is off by {off}");
        group.bench_function(BenchmarkId::new(method.name(), parameter), |b| {
            b.iter(|| formulation.solve(black_box(&equations), &mut a, &mut lambda));
        });
    }
}

fn fm24(c: &mut Criterion) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/mechanisms/fm24/model.toml");
    let mechanism = Mechanism::from_path(file).expect("the model");
    let dynamics = AbsoluteDynamics::new(&mechanism).expect("a system");
    let state = dynamics.initial_state().expect("an assembled state");
    accelerations(c, ("formulations/fm24", "24"), &(dynamics, state), |_| true);
}

/// Formulations are left out where a call takes more than about a tenth of a second.
fn four_bars(c: &mut Criterion) {
    for n in [1, 3, 10, 30, 100, 300, 1000] {
        accelerations(c, ("formulations/four_bars", &n.to_string()), &linkages(n), |method| {
            match method {
                Method::SparseKkt => true,
                Method::Recursion => n <= 300,
                _ => n <= 30,
            }
        });
    }
}

/// What one size costs, per body: terms, factor, analysis, rank.
fn sizes(c: &mut Criterion) {
    for n in [5, 50, 500, 4999] {
        let (dynamics, state) = linkages(n);
        let system = dynamics.system();
        let bodies = system.body_count();
        let mut evaluation = Evaluation::new(system);
        let mut group = c.benchmark_group("formulations/sizes");
        group.throughput(Throughput::Elements(bodies as u64));
        group.bench_function(BenchmarkId::new("terms", bodies), |b| {
            b.iter(|| system.evaluate(0.0, black_box(&state.q), &state.v, &mut evaluation));
        });
        system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
        let values = Values::new(system.mass(), evaluation.jacobian());
        let analysis = Analysis::new(system.pattern()).expect("a pattern");
        let mut workspace = Workspace::new(&analysis);
        group.bench_function(BenchmarkId::new("factor", bodies), |b| {
            b.iter(|| workspace.factorize(black_box(&values)).expect("a factor").rank(0));
        });
        group.bench_function(BenchmarkId::new("analysis", bodies), |b| {
            b.iter(|| Analysis::new(black_box(system.pattern())));
        });
        group.bench_function(BenchmarkId::new("rank", bodies), |b| {
            b.iter(|| mobility(system, 0.0, black_box(&state.q)));
        });
        group.bench_function(BenchmarkId::new("assembly", bodies), |b| {
            // off by a little everywhere
            let moved: Vec<f64> = (0..system.nq())
                .map(|k| state.q[k] + 1e-3 * ((k * 7) % 11) as f64 - 5e-3)
                .collect();
            let options = AssembleOptions::default();
            let mut assembler = Assembler::new(system).expect("memory");
            let mut q = moved.clone();
            b.iter(|| {
                q.copy_from_slice(&moved);
                assembler.assemble(system, 0.0, &mut q, &options).expect("assembled").iterations
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20);
    targets = fm24, four_bars, sizes
}
criterion_main!(benches);
