//! Forward dynamics of a chain in lanes: time per instance against one instance at a time.
//!
//! Question: how much does a lane save? The same source runs in all; lanes give the bits of single
//! runs, which is checked before they are timed.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pommel::math::{Lanes, Real};
use pommel::tree::{Model, Workspace, forward_dynamics};
use pommel_benches::{STATES, revolute_chain, states};

fn bench<T: Real>(c: &mut Criterion, name: &str, n: usize, model: &Model<T>) {
    let mut group = c.benchmark_group("tree/forward_dynamics/lanes");
    group.throughput(Throughput::Elements((n * T::LANES) as u64));
    let states = states(model);
    let mut workspace = Workspace::new(model);
    let mut qdd = vec![T::zero(); n];
    let single = revolute_chain(n);
    let mut memory = Workspace::new(&single);
    let s = &states[0];
    forward_dynamics(model, &mut workspace, &s.q, &s.v, &s.tau, None, &mut qdd).expect("regular");
    for lane in 0..T::LANES {
        let pick = |x: &[T]| x.iter().map(|x| x.lane(lane)).collect::<Vec<f64>>();
        let mut alone = vec![0.0; n];
        let (q, v, tau) = (pick(&s.q), pick(&s.v), pick(&s.tau));
        forward_dynamics(&single, &mut memory, &q, &v, &tau, None, &mut alone).expect("regular");
        assert_eq!(pick(&qdd), alone, "lane {lane} differs from its single run");
    }
    let mut k = 0;
    group.bench_function(BenchmarkId::new(name, n), |b| {
        b.iter(|| {
            let s = &states[k % STATES];
            k += 1;
            let solved = forward_dynamics(
                model,
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
    group.finish();
}

fn lanes(c: &mut Criterion) {
    for n in [7, 24, 96] {
        let model = revolute_chain(n);
        bench(c, "f64", n, &model);
        bench(c, "lanes_2", n, &model.cast::<Lanes<2>>());
        bench(c, "lanes_4", n, &model.cast::<Lanes<4>>());
        bench(c, "lanes_8", n, &model.cast::<Lanes<8>>());
    }
}

criterion_group!(benches, lanes);
criterion_main!(benches);
