//! Sparse saddle-point systems: analysis, factorization with new numbers, solution.
//!
//! Question: what do blocks, a fixed order of signs and fronts gain over sparse solvers that do not
//! know that the matrix is a saddle point, and from which size on is the advantage lost?
//! Partners: `faer` (LDLᵀ simplicial and supernodal with regularization, LU), QDLDL of `clarabel`,
//! `feral`; each is checked on the same matrix and right-hand side before it is timed. Solutions with
//! a regularized factor are refined, as they must be; ours is timed as it is (`pommel`) and with
//! refinement (`pommel_checked`); in planar mechanisms also with partitioned coordinates
//! (`pommel_partitioned`). An analysis is that of the pattern (`pommel`), or one that was tried on the
//! numbers (`pommel_for_values`, `pommel_partitioned`), as no partner does; with the memory of a
//! workspace. Lanes have other masses each and are timed per instance.
//! Not measured: reading matrices, the first touch of memory; `feral` has no analysis of its own.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use pommel::kkt::pattern::System;
use pommel::kkt::{Analysis, Options, Refinement, Values, Workspace};
use pommel::math::{LaneJob, Real, with_lanes};
use pommel_benches::saddle_cases::{SaddleMatrix, system};
use pommel_benches::saddle_peers::{Peer, all, analyses, refined};
use pommel_testkit::{planar_four_bars, plate_lattice, revolute_chain};

/// Largest residual, and largest error of the unknowns, of a partner that counts as solved.
const SOLVED: [f64; 2] = [1e-11, 1e-6];

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// A system, and what others take.
struct Case {
    kind: &'static str,
    size: usize,
    system: System,
    matrix: SaddleMatrix,
}

impl Case {
    fn all() -> impl Iterator<Item = Case> {
        let bars = [1, 10, 100, 1000, 10_000].map(|size| ("fourbar", size));
        let chains = [10, 100, 1000, 10_000].map(|size| ("chain", size));
        let lattices = [20, 60].map(|size| ("lattice", size));
        bars.into_iter().chain(chains).chain(lattices).map(|(kind, size)| {
            let system = system(&match kind {
                "fourbar" => planar_four_bars(size, |_, _| 1.0).system,
                "chain" => revolute_chain(size, |_| 1.0, 1).system,
                _ => plate_lattice(size, false, 2).system,
            });
            Case { kind, size, matrix: matrix(&system), system }
        })
    }

    fn group<'c>(&self, c: &'c mut Criterion, what: &str) -> Group<'c> {
        c.benchmark_group(format!("kkt/{what}/{}", self.kind))
    }

    fn analysis(&self) -> Analysis {
        let values = self.system.values();
        Analysis::for_values(&self.system.pattern, &values, &Options::default()).expect("finite")
    }

    /// The same with partitioned coordinates, where the mechanism is planar and so small that the residual
    /// of a solution without refinement is too.
    fn partition(&self) -> Option<Analysis> {
        let options = Options { partitioned: Some(true), ..Options::default() };
        (self.kind == "fourbar" && self.size <= 1000).then(|| {
            Analysis::for_values(&self.system.pattern, &self.system.values(), &options)
                .expect("finite")
        })
    }

    /// The analyses that are timed.
    fn analyses(&self) -> impl Iterator<Item = (&'static str, Analysis)> {
        let partition = self.partition().map(|analysis| ("pommel_partitioned", analysis));
        [("pommel", self.analysis())].into_iter().chain(partition)
    }

    /// Times 4 and 8 instances at once: factorizations, or solutions.
    fn lanes(&self, group: &mut Group<'_>, solve: bool) {
        for lanes in [4, 8] {
            with_lanes(lanes, Lanes { group, case: self, solve }).expect("4 or 8 lanes");
        }
    }
}

fn matrix(system: &System) -> SaddleMatrix {
    SaddleMatrix::new(&system.whole_matrix(), system.pattern.unknowns())
}

/// It is a solution.
fn check(name: &str, matrix: &SaddleMatrix, x: &[f64]) {
    let residual = matrix.residual(x, &mut vec![0.0; x.len()]);
    let error = matrix.error(x);
    let solved = residual < SOLVED[0] && error < SOLVED[1];
    assert!(solved, "{name}, {} rows: residual {residual:e}, error {error:e}", x.len());
}

/// The partner solves the system.
fn check_peer(matrix: &SaddleMatrix, peer: &mut dyn Peer) {
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
    check(name, matrix, &memory[0]);
}

fn analyze(c: &mut Criterion) {
    for case in Case::all() {
        let mut group = case.group(c, "analyze");
        group.bench_function(BenchmarkId::new("pommel", case.size), |b| {
            b.iter(|| {
                let analysis = Analysis::new(&case.system.pattern).expect("small");
                Workspace::<f64>::new(&analysis)
            });
        });
        group.bench_function(BenchmarkId::new("pommel_for_values", case.size), |b| {
            b.iter(|| Workspace::<f64>::new(&case.analysis()));
        });
        if case.partition().is_some_and(|analysis| analysis.is_partitioned()) {
            group.bench_function(BenchmarkId::new("pommel_partitioned", case.size), |b| {
                b.iter(|| case.partition().map(|analysis| Workspace::<f64>::new(&analysis)));
            });
        }
        for (name, mut once) in analyses(&case.matrix) {
            group.bench_function(BenchmarkId::new(name, case.size), |b| b.iter(&mut once));
        }
        group.finish();
    }
}

fn refactor(c: &mut Criterion) {
    for case in Case::all() {
        let mut group = case.group(c, "refactor");
        let values = case.system.values();
        for (name, analysis) in case.analyses() {
            let mut workspace = Workspace::<f64>::new(&analysis);
            let mut x = vec![0.0; case.matrix.size()];
            let mut factor = workspace.factorize(&values).expect("lengths");
            factor.substitute(&case.matrix.rhs, &mut x).expect("lengths");
            check(name, &case.matrix, &x);
            group.bench_function(BenchmarkId::new(name, case.size), |b| {
                b.iter(|| black_box(workspace.factorize(&values).expect("lengths").len()));
            });
        }
        case.lanes(&mut group, false);
        for mut peer in all(&case.matrix) {
            check_peer(&case.matrix, &mut *peer);
            group.bench_function(BenchmarkId::new(peer.name(), case.size), |b| {
                b.iter(|| peer.refactor());
            });
        }
        group.finish();
    }
}

fn solve(c: &mut Criterion) {
    for case in Case::all() {
        let mut group = case.group(c, "solve");
        let (matrix, size) = (&case.matrix, case.size);
        let values = case.system.values();
        let mut x = vec![0.0; matrix.size()];
        for (name, analysis) in case.analyses() {
            let mut workspace = Workspace::<f64>::new(&analysis);
            let mut factor = workspace.factorize(&values).expect("lengths");
            group.bench_function(BenchmarkId::new(name, size), |b| {
                b.iter(|| factor.substitute(&matrix.rhs, black_box(&mut x)));
            });
            check(name, matrix, &x);
        }
        let mut workspace = Workspace::<f64>::new(&case.analysis());
        let mut factor = workspace.factorize(&values).expect("lengths");
        let quick = Refinement::quick();
        group.bench_function(BenchmarkId::new("pommel_checked", size), |b| {
            b.iter(|| factor.solve(&matrix.rhs, black_box(&mut x), &quick).is_ok());
        });
        check("pommel_checked", matrix, &x);
        case.lanes(&mut group, true);
        for mut peer in all(matrix) {
            check_peer(matrix, &mut *peer);
            let (name, regularized) = (peer.name(), peer.is_regularized());
            let mut memory = [(); 3].map(|()| vec![0.0; matrix.size()]);
            peer.factored(&mut |solve| {
                group.bench_function(BenchmarkId::new(name, size), |b| {
                    b.iter(|| {
                        if regularized {
                            refined(matrix, solve, &mut memory);
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

/// Instances whose masses differ.
struct Lanes<'a, 'c> {
    group: &'a mut Group<'c>,
    case: &'a Case,
    solve: bool,
}

impl LaneJob for Lanes<'_, '_> {
    type Output = ();

    fn run<T: Real>(self) {
        let Lanes { group, case, solve } = self;
        let mass = |lane: usize, m: f64| m * (1.0 + lane as f64 / 16.0);
        let instances: Vec<SaddleMatrix> = (0..T::LANES)
            .map(|lane| {
                let mass = case.system.mass.iter().map(|&m| mass(lane, m)).collect();
                matrix(&System { mass, ..case.system.clone() })
            })
            .collect();
        let masses: Vec<T> =
            case.system.mass.iter().map(|&m| T::from_lanes(|lane| mass(lane, m))).collect();
        let jacobian: Vec<T> = case.system.jacobian.iter().map(|&x| T::from_f64(x)).collect();
        let rhs: Vec<T> =
            (0..case.matrix.size()).map(|i| T::from_lanes(|lane| instances[lane].rhs[i])).collect();
        let mut x = vec![T::zero(); rhs.len()];
        let values = Values::new(&masses, &jacobian);
        let name = format!("pommel_lanes{}", T::LANES);
        let mut workspace = Workspace::<T>::new(&case.analysis());
        let mut factor = workspace.factorize(&values).expect("lengths");
        factor.substitute(&rhs, &mut x).expect("lengths");
        for (lane, instance) in instances.iter().enumerate() {
            let x: Vec<f64> = x.iter().map(|x| x.lane(lane)).collect();
            check(&name, instance, &x);
        }
        let id = BenchmarkId::new(name, case.size);
        if solve {
            let mut call = || factor.substitute(&rhs, black_box(&mut x)).expect("lengths");
            group.bench_function(id, |b| b.iter_custom(|n| share::<T>(n, &mut call)));
        } else {
            let mut call = || {
                black_box(workspace.factorize(&values).expect("lengths").len());
            };
            group.bench_function(id, |b| b.iter_custom(|n| share::<T>(n, &mut call)));
        }
    }
}

/// The time of `count` instances, in calls that serve one a lane.
fn share<T: Real>(count: u64, call: &mut impl FnMut()) -> Duration {
    let calls = count.div_ceil(T::LANES as u64);
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().mul_f64(count as f64 / (calls * T::LANES as u64) as f64)
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .without_plots();
    targets = analyze, refactor, solve
}
criterion_main!(benches);
