//! `pommel kkt`.

mod input;
mod report;
mod verdict;

use std::hint::black_box;
use std::io::IsTerminal;

use cpu_time::ThreadTime;
use pommel::kkt::{
    Analysis, Cost, Factor, Inertia, KktError, Options, Pattern, Refinement, Report, Workspace,
};

use self::input::Problem;
use self::verdict::{Name, in_words};
use crate::args::Kkt;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &Kkt) -> Result<(), Failure> {
    let options = Options { tolerance: args.tolerance, ..Options::default() };
    if let Some(value) = args.tolerance.filter(|t| !(0.0..1.0).contains(t)) {
        return Err(Failure::usage(format!("--tolerance {value}: a number from 0 to below 1")));
    }
    let problem = Problem::read(args)?;
    if let Some(file) = &args.out {
        output::check_writable(file)?;
    }
    let solved = Solved::new(&problem, &options, args.repeat as usize)
        .map_err(|error| Failure::Kkt { files: problem.names(), error })?;
    if let Some(file) = &args.out {
        output::write_file(file, report::matrix_market(&problem, &solved.solution).as_bytes())?;
    }
    if args.json {
        output::json(&report::document(&problem, &solved))?;
    } else {
        output::text(&report::text(&problem, &solved))?;
        if let Some(file) = &args.out {
            output::text(&format!("wrote {}\n", file.display()))?;
        }
    }
    if solved.name.is_good() {
        return Ok(());
    }
    // where people read the sentence above already, its name is enough
    let seen = !args.json && std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    let message = if seen { solved.name.words() } else { solved.message };
    Err(Failure::Verdict { files: problem.names(), message })
}

/// A solution and all that is told about it.
struct Solved {
    cost: Cost,
    /// Nothing is known where a number of the matrices is not finite or overflows.
    structure: Option<Structure>,
    report: Report<f64>,
    name: Name,
    message: String,
    analyse_seconds: f64,
    factor_seconds: f64,
    solve_seconds: f64,
    solution: Vec<f64>,
}

/// What a factorization tells of a matrix.
struct Structure {
    inertia: Inertia,
    rank: usize,
    dependent_rows: Vec<usize>,
    free_unknowns: Vec<usize>,
    /// Whether the unknowns are a minimum, by the inertia. Not known where pivots are misplaced.
    minimum: Option<bool>,
}

impl Structure {
    fn new(factor: &Factor<'_, f64>, pattern: &Pattern) -> Option<Self> {
        factor.check_finite(0).ok()?;
        let sorted = |mut list: Vec<usize>| {
            list.sort_unstable();
            list
        };
        let (inertia, rank) = (factor.inertia(0), factor.rank(0));
        Some(Structure {
            inertia,
            rank,
            dependent_rows: sorted(factor.dependent_rows(0).collect()),
            free_unknowns: sorted(factor.free_unknowns(0).collect()),
            minimum: (factor.misplaced(0) == 0)
                .then_some((inertia.positive, inertia.negative) == (pattern.unknowns(), rank)),
        })
    }
}

impl Solved {
    fn new(problem: &Problem, options: &Options, samples: usize) -> Result<Self, KktError> {
        let (pattern, values) = (&problem.system.pattern, problem.system.values());
        let start = ThreadTime::now();
        let analysis = Analysis::for_values(pattern, &values, options)?;
        let mut workspace = Workspace::new(&analysis);
        let analyse_seconds = start.elapsed().as_secs_f64();

        let factor_seconds = median(samples, || {
            black_box(workspace.factorize(&values).map(|factor| factor.len())).map(drop)
        })?;
        let mut factor = workspace.factorize(&values)?;
        let mut solution = vec![0.0; factor.len()];
        let quick = Refinement::quick();
        let solve_seconds = median(samples, || {
            factor.solve(&problem.rhs, black_box(&mut solution), &quick).map(drop)
        })?;
        let report = factor.solve(&problem.rhs, &mut solution, &Refinement::default())?;

        let verdict = report.verdict(0);
        let structure = Structure::new(&factor, pattern);
        let free_unknowns = structure.as_ref().map_or(&[][..], |s| &s.free_unknowns);
        let overflow = verdict::overflow(problem, &factor);
        let message = in_words(&verdict, &report, free_unknowns, overflow);
        Ok(Solved {
            cost: analysis.cost(),
            structure,
            report,
            name: Name::of(&verdict),
            message,
            analyse_seconds,
            factor_seconds,
            solve_seconds,
            solution,
        })
    }
}

/// Processor time that the clock tells well, s.
const SAMPLE: f64 = 50e-6;

/// The median processor time of a call, s, over samples of as many calls as fill [`SAMPLE`].
fn median(samples: usize, mut call: impl FnMut() -> Result<(), KktError>) -> Result<f64, KktError> {
    let mut time = |calls: usize| -> Result<f64, KktError> {
        let start = ThreadTime::now();
        for _ in 0..calls {
            call()?;
        }
        Ok(start.elapsed().as_secs_f64())
    };
    let mut calls = 1;
    while time(calls)? < SAMPLE && calls < 1 << 20 {
        calls *= 2;
    }
    let mut times = Vec::with_capacity(samples);
    for _ in 0..samples {
        times.push(time(calls)? / calls as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[(samples - 1) / 2] + times[samples / 2]) / 2.0)
}
