//! Sweeps: instances a second on one thread and on all cores.
//!
//! Question: what does a variant of a free-floating arm cost from parameters to end state?
//! The sweep is that of the README, cut to 64 instances; nothing is written.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pommel::batch::{Plan, RunOptions, Sweep, run};
use pommel::model::Description;
use pommel::sweep::SimulationRunner;

const INSTANCES: u64 = 64;

fn throughput(c: &mut Criterion) {
    let datasets = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets");
    let mut plan =
        Plan::from_path(format!("{datasets}/sweeps/free_floating_arm.toml")).expect("a plan");
    plan.design.count = Some(INSTANCES);
    let model = Description::from_path(format!("{datasets}/robots/ets7_payload/model.toml"))
        .expect("a model");
    let sweep = Sweep::new(plan, model).expect("a sweep");
    let runner = SimulationRunner::new(&sweep).expect("a supported model");
    let mut group = c.benchmark_group("batch/throughput");
    group.throughput(Throughput::Elements(INSTANCES));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, cores];
    counts.dedup();
    for threads in counts {
        let options = RunOptions { threads, ..RunOptions::default() };
        group.bench_function(BenchmarkId::new("free_floating_arm/threads", threads), |b| {
            b.iter(|| {
                let summary = run(&sweep, &runner, &options, &mut ()).expect("runs");
                assert_eq!(summary.finished, INSTANCES);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
