//! An interior-point method around the crate: a cart is driven to a target with a bounded force.
//!
//! ```sh
//! cargo run --release -p pommel-kkt --example quadratic_program
//! ```
//!
//! The quadratic program has the variables position, velocity and force at every stage of a horizon:
//!
//! ```text
//! minimize   ½ xᵀ Q x + qᵀ x     subject to   A x = b,   |force| ≤ 1
//! ```
//!
//! Without the bounds it is one system. With them, every Newton step of the interior-point method is a
//! system with the same pattern, in which only numbers of the diagonal of M have changed: one analysis
//! serves all of them. The conditions of optimality are checked at the end.

#![allow(clippy::print_stdout, reason = "the output of an example")]

use pommel_kkt::pattern::MassBlock;
use pommel_kkt::{
    Analysis, KktError, Pattern, PatternBuilder, Refinement, Values, Verdict, Workspace,
};

const STAGES: usize = 60;
const STEP: f64 = 0.1;
const TARGET: f64 = 2.0;
const BOUND: f64 = 1.0;
/// Position, velocity, force.
const WIDTH: usize = 3;

/// The program: Q is diagonal, A is kept in the order of the pattern.
struct Program {
    pattern: Pattern,
    weights: Vec<f64>,
    linear: Vec<f64>,
    jacobian: Vec<f64>,
    right: Vec<f64>,
}

impl Program {
    fn new() -> Result<Self, KktError> {
        let mut builder = PatternBuilder::new();
        let stages: Vec<_> =
            (0..STAGES).map(|_| builder.body(WIDTH, MassBlock::Diagonal)).collect();
        // the cart starts at rest at 0: two rows on the first stage
        builder.constraint(2, &[stages[0]]);
        let mut jacobian = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        for pair in stages.windows(2) {
            builder.constraint(2, pair);
            // p + h v, v + h force of one stage are p, v of the next
            jacobian.extend([1.0, STEP, 0.0, 0.0, 1.0, STEP]);
            jacobian.extend([-1.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
        }
        let pattern = builder.build()?;
        assert_eq!(jacobian.len(), pattern.jacobian_len());
        Ok(Program {
            weights: [1.0, 0.1, 0.01].repeat(STAGES),
            linear: [-TARGET, 0.0, 0.0].repeat(STAGES),
            right: vec![0.0; pattern.rows()],
            pattern,
            jacobian,
        })
    }

    /// `Q x + q + Aᵀ y` and `A x − b`.
    fn residuals(&self, x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut dual: Vec<f64> =
            (0..x.len()).map(|i| self.weights[i] * x[i] + self.linear[i]).collect();
        let mut primal: Vec<f64> = self.right.iter().map(|b| -b).collect();
        for (row, column, entry) in self.pattern.jacobian_entries() {
            dual[column] += self.jacobian[entry] * y[row];
            primal[row] += self.jacobian[entry] * x[column];
        }
        (dual, primal)
    }
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn main() -> Result<(), KktError> {
    let program = Program::new()?;
    let (n, m) = (program.pattern.unknowns(), program.pattern.rows());
    let analysis = Analysis::new(&program.pattern)?;
    let mut workspace = Workspace::new(&analysis);
    let mut solution = vec![0.0; n + m];

    // without the bounds: [Q Aᵀ; A 0] [x; y] = [−q; b]
    let minus: Vec<f64> = program.linear.iter().map(|q| -q).collect();
    let rhs = [minus, program.right.clone()].concat();
    let mut factor = workspace.factorize(&Values::new(&program.weights, &program.jacobian))?;
    let report = factor.solve(&rhs, &mut solution, &Refinement::default())?;
    assert_eq!(report.verdict(0), Verdict::Good);
    let (x, y) = solution.split_at(n);
    let (dual, primal) = program.residuals(x, y);
    let force = x.chunks(WIDTH).fold(0.0f64, |most, stage| most.max(stage[2].abs()));
    println!("{n} variables, {m} equations");
    println!(
        "without bounds: stationarity {:.1e}, feasibility {:.1e}, largest force {force:.2}",
        largest(&dual),
        largest(&primal)
    );

    let (x, y, [lower, upper], iterations) = interior_point(&program, &mut workspace)?;

    // the conditions of Karush, Kuhn and Tucker
    let (mut dual, primal) = program.residuals(&x, &y);
    let mut product = 0.0f64;
    for k in 0..STAGES {
        let i = WIDTH * k + 2;
        dual[i] += upper[k] - lower[k];
        product = product.max((x[i] + BOUND) * lower[k]).max((BOUND - x[i]) * upper[k]);
        assert!(x[i].abs() < BOUND && lower[k] > 0.0 && upper[k] > 0.0);
    }
    let active = (0..STAGES).filter(|&k| lower[k].max(upper[k]) > 1e-4).count();
    println!(
        "with bounds, {iterations} iterations: stationarity {:.1e}, feasibility {:.1e}, \
         complementarity {product:.1e}, {active} forces at a bound",
        largest(&dual),
        largest(&primal)
    );
    println!("the cart ends at {:.4}", x[n - WIDTH]);
    assert!(largest(&dual) < 1e-9 && largest(&primal) < 1e-9 && product < 1e-9);
    Ok(())
}

type Multipliers = [Vec<f64>; 2];

/// Primal-dual steps towards the central path; the multipliers of the lower and the upper bounds.
fn interior_point(
    program: &Program,
    workspace: &mut Workspace<f64>,
) -> Result<(Vec<f64>, Vec<f64>, Multipliers, usize), KktError> {
    let (n, m) = (program.pattern.unknowns(), program.pattern.rows());
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; m]);
    let [mut lower, mut upper] = [(); 2].map(|()| vec![1.0; STAGES]);
    let (mut rhs, mut step) = (vec![0.0; n + m], vec![0.0; n + m]);
    let mut mass = program.weights.clone();
    println!("iteration  barrier  dual     primal   step");
    for iteration in 1..=50 {
        let gap: f64 = (0..STAGES)
            .map(|k| {
                let force = x[WIDTH * k + 2];
                (force + BOUND) * lower[k] + (BOUND - force) * upper[k]
            })
            .sum::<f64>()
            / (2 * STAGES) as f64;
        let barrier = 0.1 * gap;
        let (dual, primal) = program.residuals(&x, &y);
        for i in 0..n {
            rhs[i] = -dual[i];
        }
        for i in 0..m {
            rhs[n + i] = -primal[i];
        }
        // the bounds, eliminated: they add to the diagonal of M
        for k in 0..STAGES {
            let i = WIDTH * k + 2;
            let (below, above) = (x[i] + BOUND, BOUND - x[i]);
            mass[i] = program.weights[i] + lower[k] / below + upper[k] / above;
            rhs[i] += barrier / below - barrier / above;
        }
        let mut factor = workspace.factorize(&Values::new(&mass, &program.jacobian))?;
        let report = factor.solve(&rhs, &mut step, &Refinement::quick())?;
        assert_eq!(report.verdict(0), Verdict::Good);

        // steps of the multipliers, and how far all stay positive
        let (mut longest, mut moves) = (1.0f64, Vec::with_capacity(STAGES));
        for k in 0..STAGES {
            let i = WIDTH * k + 2;
            let (below, above) = (x[i] + BOUND, BOUND - x[i]);
            let down = barrier / below - lower[k] - lower[k] / below * step[i];
            let up = barrier / above - upper[k] + upper[k] / above * step[i];
            for (value, change) in
                [(below, step[i]), (above, -step[i]), (lower[k], down), (upper[k], up)]
            {
                if change < 0.0 {
                    longest = longest.min(-0.995 * value / change);
                }
            }
            moves.push((down, up));
        }
        for i in 0..n {
            x[i] += longest * step[i];
        }
        for i in 0..m {
            y[i] += longest * step[n + i];
        }
        for (k, (down, up)) in moves.into_iter().enumerate() {
            lower[k] += longest * down;
            upper[k] += longest * up;
        }
        let (mut dual, primal) = program.residuals(&x, &y);
        for k in 0..STAGES {
            dual[WIDTH * k + 2] += upper[k] - lower[k];
        }
        let (dual, primal) = (largest(&dual), largest(&primal));
        println!("{iteration:9}  {barrier:.1e}  {dual:.1e}  {primal:.1e}  {longest:.3}");
        if gap < 1e-11 && dual < 1e-10 && primal < 1e-10 {
            return Ok((x, y, [lower, upper], iteration));
        }
    }
    panic!("50 iterations are many more than a convex program needs")
}
