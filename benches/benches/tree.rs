//! Forward dynamics of serial chains: the O(n) recursion against a dense mass matrix with Cholesky.
//!
//! Question: from how many joints on does the recursion win, and is its time per joint flat?
//! Partner: mass matrix by inverse dynamics, `nalgebra` Cholesky, same model and states; checked
//! against the recursion before it is timed. Up to n = 96, since its time grows as n³.
//!
//! Planar pendula of point masses: how far is the general recursion, which finds out that a tree is
//! planar, from equations written by hand for this pendulum alone? Partners: rod tensions from a
//! tridiagonal system in O(n), in absolute angles, and the dense one up to n = 30; both are checked
//! on the same states before they are timed.
//!
//! Not measured: building models, the first touch of memory.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pommel::tree::{Workspace, forward_dynamics};
use pommel_benches::pendulum::Pendulum;
use pommel_benches::{Dense, STATES, State, revolute_chain, states};

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

fn planar_pendula(c: &mut Criterion) {
    let mut group = c.benchmark_group("tree/forward_dynamics/planar_pendulum");
    for n in [2, 3, 10, 30, 100] {
        let mut by_hand = Pendulum::new(n);
        let model = by_hand.model();
        let still = |s: State<f64>| State { tau: vec![0.0; n], ..s };
        let states: Vec<State<f64>> = states(&model).into_iter().map(still).collect();
        let absolute: Vec<_> = states.iter().map(|s| by_hand.absolute(s)).collect();
        let mut workspace = Workspace::new(&model);
        let mut dense = (n <= 30).then(|| Dense::new(&model));
        let (mut qdd, mut rods) = (vec![0.0; n], vec![0.0; n]);
        for (s, (angles, rates)) in states.iter().zip(&absolute).take(16) {
            forward_dynamics(&model, &mut workspace, &s.q, &s.v, &s.tau, None, &mut qdd)
                .expect("regular");
            by_hand.accelerations(angles, rates, &mut rods);
            let relative = |i: usize| if i == 0 { rods[0] } else { rods[i] - rods[i - 1] };
            let size = qdd.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
            let error = (0..n).fold(0.0_f64, |m, i| m.max((qdd[i] - relative(i)).abs()));
            // the tensions of n rods: condition about n², and angles that are sums of n numbers
            assert!(error < 1e-10 * size, "n = {n}: by hand it is another by {error:e}");
            if let Some(dense) = &mut dense {
                let truth = dense.accelerations(&model, s);
                let error = (0..n).fold(0.0_f64, |m, i| m.max((qdd[i] - truth[i]).abs()));
                assert!(error < 1e-10 * size, "n = {n}: the dense one is another by {error:e}");
            }
        }
        group.throughput(Throughput::Elements(n as u64));
        let mut k = 0;
        group.bench_function(BenchmarkId::new("udut", n), |b| {
            b.iter(|| {
                let s = &states[k % STATES];
                k += 1;
                let (ws, qdd) = (&mut workspace, black_box(&mut qdd));
                let solved = forward_dynamics(&model, ws, &s.q, &s.v, &s.tau, None, qdd);
                assert!(solved.is_ok());
            });
        });
        group.bench_function(BenchmarkId::new("tridiagonal_by_hand", n), |b| {
            b.iter(|| {
                let (angles, rates) = &absolute[k % STATES];
                k += 1;
                by_hand.accelerations(angles, rates, black_box(&mut rods));
            });
        });
        if let Some(dense) = &mut dense {
            group.bench_function(BenchmarkId::new("dense_cholesky", n), |b| {
                b.iter(|| {
                    let s = &states[k % STATES];
                    k += 1;
                    black_box(dense.accelerations(&model, s))
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, revolute_chains, planar_pendula);
criterion_main!(benches);
