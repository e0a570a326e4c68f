//! Sparse saddle-point systems: analysis, factorization with new numbers, solution.
//!
//! Question: what do blocks, a fixed order of signs and fronts gain over sparse solvers that do not
//! know that the matrix is a saddle point, and from which size on is the advantage lost?
//! Partners: `faer` (LDLᵀ simplicial and supernodal with regularization, LU), QDLDL of `clarabel`,
//! `feral`; each is checked on the same matrix and right-hand side before it is timed. Solutions with
//! a regularized factor are refined, as they must be; ours is timed as it is (`pommel`) and with
//! refinement (`pommel_checked`). Lanes are timed per call: divide by the lanes for one instance.
//! Not measured: reading matrices, the first touch of memory; `feral` has no analysis of its own.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use pommel::kkt::pattern::System;
use pommel::kkt::{Analysis, Options, Refinement, Values, Workspace};
use pommel::math::{LaneJob, Real, with_lanes};
use pommel_benches::saddle_cases::{SaddleKind, SaddleMatrix};
use pommel_benches::saddle_peers::{all, analyses, refined};

/// Largest residual of a partner that counts as solved.
const SOLVED: f64 = 1e-12;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Systems of every kind, and what others take.
fn cases() -> impl Iterator<Item = (SaddleKind, usize, System, SaddleMatrix)> {
    let sizes = |kind| match kind {
        SaddleKind::Lattice => [3, 8, 16],
        SaddleKind::FourBar => [1, 10, 100],
        _ => [10, 100, 1000],
    };
    let all = SaddleKind::ALL.into_iter().flat_map(move |k| sizes(k).map(|size| (k, size)));
    all.map(|(kind, size)| {
        let system = kind.system(size).expect("a positive size");
        let matrix = SaddleMatrix::new(&system.whole_matrix(), system.pattern.unknowns());
        (kind, size, system, matrix)
    })
}

fn analyze(c: &mut Criterion) {
    for (kind, size, system, matrix) in cases() {
        let mut group = c.benchmark_group(format!("kkt/analyze/{}", kind.name()));
        let values = system.values();
        group.bench_function(BenchmarkId::new("pommel", size), |b| {
            b.iter(|| {
                let options = Options::default();
                let analysis = Analysis::for_values(&system.pattern, &values, &options);
                Workspace::<f64>::new(&analysis.expect("finite numbers"))
            });
        });
        for (name, mut once) in analyses(&matrix) {
            group.bench_function(BenchmarkId::new(name, size), |b| b.iter(&mut once));
        }
        group.finish();
    }
}

fn refactor(c: &mut Criterion) {
    for (kind, size, system, matrix) in cases() {
        let mut group = c.benchmark_group(format!("kkt/refactor/{}", kind.name()));
        let values = system.values();
        let analysis = Analysis::for_values(&system.pattern, &values, &Options::default());
        let analysis = analysis.expect("finite numbers");
        let mut workspace = Workspace::<f64>::new(&analysis);
        group.bench_function(BenchmarkId::new("pommel", size), |b| {
            b.iter(|| black_box(workspace.factorize(&values).expect("lengths").len()));
        });
        for lanes in [4, 8] {
            let (group, analysis, system) = (&mut group, &analysis, &system);
            with_lanes(lanes, Lanes { group, analysis, system, size }).expect("4 or 8 lanes");
        }
        for mut peer in all(&matrix) {
            check(&matrix, &mut *peer);
            group.bench_function(BenchmarkId::new(peer.name(), size), |b| {
                b.iter(|| peer.refactor());
            });
        }
        group.finish();
    }
}

/// Factorizations in lanes, with masses that differ.
struct Lanes<'a, 'c> {
    group: &'a mut Group<'c>,
    analysis: &'a Analysis,
    system: &'a System,
    size: usize,
}

impl LaneJob for Lanes<'_, '_> {
    type Output = ();

    fn run<T: Real>(self) {
        let Lanes { group, analysis, system, size } = self;
        let mass: Vec<T> = (system.mass.iter())
            .map(|&m| T::from_lanes(|lane| m * (1.0 + lane as f64 / 16.0)))
            .collect();
        let jacobian: Vec<T> = system.jacobian.iter().map(|&x| T::from_f64(x)).collect();
        let values = Values::new(&mass, &jacobian);
        let mut workspace = Workspace::<T>::new(analysis);
        let name = format!("pommel_lanes{}", T::LANES);
        group.bench_function(BenchmarkId::new(name, size), |b| {
            b.iter(|| black_box(workspace.factorize(&values).expect("lengths").len()));
        });
    }
}

fn solve(c: &mut Criterion) {
    for (kind, size, system, matrix) in cases() {
        let mut group = c.benchmark_group(format!("kkt/solve/{}", kind.name()));
        let values = system.values();
        let analysis = Analysis::for_values(&system.pattern, &values, &Options::default());
        let mut workspace = Workspace::<f64>::new(&analysis.expect("finite numbers"));
        let mut factor = workspace.factorize(&values).expect("lengths");
        let mut x = vec![0.0; matrix.size()];
        let quick = Refinement::quick();
        let report = factor.solve(&matrix.rhs, &mut x, &quick).expect("lengths");
        let residual = matrix.residual(&x, &mut vec![0.0; matrix.size()]);
        assert!(report.is_good() && residual < SOLVED, "{kind:?} {size}: {residual:e}");
        group.bench_function(BenchmarkId::new("pommel", size), |b| {
            b.iter(|| factor.substitute(&matrix.rhs, black_box(&mut x)));
        });
        group.bench_function(BenchmarkId::new("pommel_checked", size), |b| {
            b.iter(|| factor.solve(&matrix.rhs, black_box(&mut x), &quick).is_ok());
        });
        for mut peer in all(&matrix) {
            check(&matrix, &mut *peer);
            let (name, regularized) = (peer.name(), peer.is_regularized());
            let mut memory = [(); 3].map(|()| vec![0.0; matrix.size()]);
            peer.factored(&mut |solve| {
                group.bench_function(BenchmarkId::new(name, size), |b| {
                    b.iter(|| {
                        if regularized {
                            refined(&matrix, solve, &mut memory);
                        } else {
                            memory[0].copy_from_slice(&matrix.rhs);
                            solve(&mut memory[0]);
                        }
                        black_box(memory[0][0])
                    });
                });
            });
        }
        group.finish();
    }
}

/// The partner solves the same system.
fn check(matrix: &SaddleMatrix, peer: &mut dyn pommel_benches::saddle_peers::Peer) {
    let (name, regularized) = (peer.name(), peer.is_regularized());
    let mut memory = [(); 3].map(|()| vec![0.0; matrix.size()]);
    peer.factored(&mut |solve| {
        if regularized {
            refined(matrix, solve, &mut memory);
        } else {
            memory[0].copy_from_slice(&matrix.rhs);
            solve(&mut memory[0]);
        }
    });
    let [x, residual, _] = &mut memory;
    let residual = matrix.residual(x, residual);
    assert!(residual < SOLVED, "{name}: residual {residual:e}");
}

criterion_group!(benches, analyze, refactor, solve);
criterion_main!(benches);
