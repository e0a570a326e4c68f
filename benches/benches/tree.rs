//! Forward dynamics of serial chains: the O(n) recursion against a dense mass matrix with Cholesky.
//!
//! Question: from how many joints on does the recursion win, and is its time per joint flat?
//! Partner: mass matrix by inverse dynamics, `nalgebra` Cholesky, same model and states; checked
//! against the recursion before it is timed. Up to n = 96, since its time grows as n³.
//! Not measured: building models, the first touch of memory.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pommel::tree::{Workspace, forward_dynamics};
use pommel_benches::{Dense, STATES, revolute_chain, states};

fn revolute_chains(c: &mut Criterion) {
    let mut group = c.benchmark_group("tree/forward_dynamics/revolute_chain");
    for n in [2, 4, 7, 12, 24, 48, 96, 192, 384, 768] {
        let model = revolute_chain(n);
        let states = states(&model);
        let mut workspace = Workspace::new(&model);
        let mut qdd = vec![0.0; n];
        group.throughput(Throughput::Elements(n as u64));
        let mut k = 0;
        group.bench_function(BenchmarkId::new("udut", n), |b| {
            b.iter(|| {
                let s = &states[k % STATES];
                k += 1;
                let solved = forward_dynamics(
                    &model,
                    &mut workspace,
                    &s.q,
                    &s.v,
                    &s.tau,
                    None,
                    black_box(&mut qdd),
                );
                assert!(solved.is_ok());
            });
        });
        if n > 96 {
            continue;
        }
        let mut dense = Dense::new(&model);
        for s in &states[..4] {
            let truth = dense.accelerations(&model, s);
            forward_dynamics(&model, &mut workspace, &s.q, &s.v, &s.tau, None, &mut qdd)
                .expect("regular");
            let error = qdd.iter().zip(&truth).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            // a chain of n general joints: condition about 1e4 n²
            assert!(error < 1e-8 * truth.amax(), "n = {n}: the partners differ by {error:e}");
        }
        group.bench_function(BenchmarkId::new("dense_cholesky", n), |b| {
            b.iter(|| {
                let s = &states[k % STATES];
                k += 1;
                black_box(dense.accelerations(&model, s))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, revolute_chains);
criterion_main!(benches);
