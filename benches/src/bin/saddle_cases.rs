//! Times of saddle-point systems from files, in the form of a line a solver.
//!
//! ```sh
//! cargo run --release -p pommel-benches --bin saddle_cases -- MATRIX.mtx [THREADS]
//! ```
//!
//! The file holds `[M Jᵀ; J −C]` by its lower triangle, with a comment `%nv N …` that says how many
//! rows M has. A line is
//!
//! ```text
//! solver case size analyse_us factor_us solve_us residual | fill threads error status
//! ```
//!
//! | solver | solution |
//! |---|---|
//! | `pommel` | `Factor::substitute` |
//! | `pommel-checked` | `Factor::solve` with refinement, without an estimate of the error |
//! | `pommel-lanes4`, `pommel-lanes8` | `Factor::substitute` in 4 or 8 lanes, masses that differ from lane to lane; times of factor and solution **per instance**, of the analysis as a whole |
//! | `pommel-partitioned…` | the same with partitioned coordinates, where this takes at most as much work and is not done anyway |
//!
//! Times are medians in µs, by the processor time of the process with one thread, else by the clock
//! on the wall (its 20th percentile); short calls are taken in batches of 200 µs. The analysis is
//! `Analysis::new` and the memory of a workspace; `Analysis::for_values` where numbers decide. The
//! right-hand side belongs to the solution `sin(1 + 0.37 i) + 0.1`; the residual is relative to `‖K‖ ‖x‖ + ‖b‖`, the error is that of the
//! unknowns. The status holds verdict, inertia, steps of refinement and the estimated error.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the output of this program")]

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use pommel::kkt::pattern::{Partitions, System, read_matrix_market};
use pommel::kkt::{Analysis, Factor, KktError, Options, Refinement, Report, Values, Workspace};
use pommel::math::{LaneJob, Real, with_lanes};
use pommel_benches::saddle_cases::SaddleMatrix;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: saddle_cases MATRIX.mtx [THREADS]")?;
    let threads = arguments.next().map_or(Ok(1), |count| count.parse())?;
    let matrix = read_matrix_market(BufReader::new(File::open(&path)?))?;
    let system = System::from_kkt_matrix_market(&matrix, None, Partitions::found())?;
    let stem = Path::new(&path).file_stem().ok_or("the path names no file")?;
    let mut subject = Subject {
        matrix: SaddleMatrix::new(&matrix, system.pattern.unknowns()),
        name: stem.to_string_lossy().into_owned(),
        system,
        threads,
        solver: "pommel",
        options: Options::default(),
    };
    subject.all()?;
    let find = |partitioned| {
        let options = Options { partitioned, ..Options::default() };
        Analysis::for_values(&subject.system.pattern, &subject.system.values(), &options)
    };
    let (usual, partition) = (find(None)?, find(Some(true))?);
    let work = |analysis: &Analysis| analysis.cost().multiply_adds;
    if partition.is_partitioned() && !usual.is_partitioned() && work(&partition) <= work(&usual) {
        subject.solver = "pommel-partitioned";
        subject.options.partitioned = Some(true);
        subject.all()?;
    }
    Ok(())
}

/// A system that is timed.
struct Subject {
    name: String,
    system: System,
    matrix: SaddleMatrix,
    threads: usize,
    solver: &'static str,
    options: Options,
}

impl Subject {
    /// One system alone, and in lanes.
    fn all(&self) -> Result<(), Box<dyn Error>> {
        self.single()?;
        for lanes in [4, 8] {
            with_lanes(lanes, Lanes { subject: self })??;
        }
        Ok(())
    }

    fn single(&self) -> Result<(), KktError> {
        let values = self.system.values();
        let rhs = &self.matrix.rhs;
        let (analysis, mut workspace, analyze) = self.analyze(&values)?;
        let factorize = self.median(|| workspace.factorize(&values).map(use_up))?;
        let mut factor = workspace.factorize(&values)?;
        let mut x = vec![0.0; rhs.len()];
        let report = factor.solve(rhs, &mut x, &Refinement::default())?;
        let status = status(&factor, &report);
        let fill = analysis.cost().factor_entries;

        let solve = self.median(|| factor.substitute(rhs, black_box(&mut x)))?;
        self.print(self.solver, [analyze, factorize, solve], &x, fill, &status);
        let quick = Refinement::quick();
        let solve = self.median(|| factor.solve(rhs, black_box(&mut x), &quick).map(drop))?;
        self.print(
            &format!("{}-checked", self.solver),
            [analyze, factorize, solve],
            &x,
            fill,
            &status,
        );
        Ok(())
    }

    fn lanes<T: Real>(&self) -> Result<(), KktError> {
        // lane 0 is the system itself
        let mass: Vec<T> = (self.system.mass.iter())
            .map(|&m| T::from_lanes(|lane| m * (1.0 + lane as f64 / 16.0)))
            .collect();
        let plain = |list: &[f64]| -> Vec<T> { list.iter().map(|&x| T::from_f64(x)).collect() };
        let (jacobian, compliance) = (plain(&self.system.jacobian), plain(&self.system.compliance));
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        let rhs = plain(&self.matrix.rhs);
        let (analysis, mut workspace, analyze) = self.analyze(&values)?;
        let factorize = self.median(|| workspace.factorize(&values).map(use_up))?;
        let mut factor = workspace.factorize(&values)?;
        let mut x = vec![T::zero(); rhs.len()];
        let report = factor.solve(&rhs, &mut x, &Refinement::default())?;
        let status = status(&factor, &report);
        let solve = self.median(|| factor.substitute(&rhs, black_box(&mut x)))?;
        let first: Vec<f64> = x.iter().map(|x| x.lane(0)).collect();
        let share = |time: f64| time / T::LANES as f64;
        let times = [analyze, share(factorize), share(solve)];
        let name = format!("{}-lanes{}", self.solver, T::LANES);
        self.print(&name, times, &first, analysis.cost().factor_entries, &status);
        Ok(())
    }

    fn analyze<T: Real>(
        &self,
        values: &Values<'_, T>,
    ) -> Result<(Analysis, Workspace<T>, f64), KktError> {
        let once = || -> Result<(Analysis, Workspace<T>), KktError> {
            let analysis = Analysis::for_values(&self.system.pattern, values, &self.options)?;
            let workspace = Workspace::new(&analysis);
            Ok((analysis, workspace))
        };
        let (analysis, workspace) = once()?;
        let by_pattern =
            analysis.rounds() == 1 && analysis.massless().is_empty() && !analysis.is_partitioned();
        let time = if by_pattern {
            // the numbers had no objection: the same follows from the pattern
            self.median(|| {
                let analysis = Analysis::new(&self.system.pattern)?;
                black_box(Workspace::<T>::new(&analysis));
                Ok(())
            })?
        } else {
            self.median(|| once().map(|found| drop(black_box(found))))?
        };
        Ok((analysis, workspace, time))
    }

    /// Processor time of this process, or with several threads the time of the clock on the wall, µs.
    fn median(&self, mut call: impl FnMut() -> Result<(), KktError>) -> Result<f64, KktError> {
        let mut chunk = |calls: usize| -> Result<f64, KktError> {
            let (processor, wall) = (ProcessTime::now(), Instant::now());
            for _ in 0..calls {
                call()?;
            }
            let time: Duration =
                if self.threads == 1 { processor.elapsed() } else { wall.elapsed() };
            Ok(1e6 * time.as_secs_f64())
        };
        let first = chunk(1)?;
        let calls =
            if first < 200.0 { (200.0 / first.max(0.1)).ceil().min(2000.0) as usize } else { 1 };
        let (mut times, mut total) = (Vec::new(), 0.0);
        if first > 1e6 {
            times.push(first);
            total = first;
        }
        while total <= 5e6 && (times.len() < 3 || (total < 2.5e5 && times.len() < 200)) {
            let time = chunk(calls)?;
            times.push(time / calls as f64);
            total += time;
        }
        times.sort_by(f64::total_cmp);
        Ok(times[if self.threads == 1 { times.len() / 2 } else { times.len() / 5 }])
    }

    fn print(&self, solver: &str, times: [f64; 3], x: &[f64], fill: u64, status: &str) {
        let [analyze, factorize, solve] = times;
        let mut memory = vec![0.0; x.len()];
        let residual = self.matrix.residual(x, &mut memory);
        let (name, size, threads) = (&self.name, x.len(), self.threads);
        let error = self.matrix.error(x);
        println!(
            "{solver} {name} {size} {analyze:.2} {factorize:.2} {solve:.2} {residual:.2e} | {fill} \
             {threads} {error:.1e} {status}"
        );
    }
}

fn use_up<T: Real>(factor: Factor<'_, T>) {
    black_box(factor.len());
}

/// Verdict, inertia, steps and estimated error of the first lane, in one word.
fn status<T: Real>(factor: &Factor<'_, T>, report: &Report<T>) -> String {
    let inertia = factor.inertia(0);
    let (verdict, steps) = (report.verdict(0), report.steps);
    let status = format!(
        "{verdict:?}_pos{}_neg{}_zero{}_steps{steps}_unknowns_error{:.0e}",
        inertia.positive,
        inertia.negative,
        inertia.zero,
        report.unknowns_error.lane(0)
    );
    status.replace(' ', "")
}

/// The same in lanes.
struct Lanes<'a> {
    subject: &'a Subject,
}

impl LaneJob for Lanes<'_> {
    type Output = Result<(), KktError>;

    fn run<T: Real>(self) -> Self::Output {
        self.subject.lanes::<T>()
    }
}
