//! Every solution of the sparse formulation on mechanisms of very different masses and lengths, not only those whose
//! residuals it looks at by itself.

use std::fmt::Write as _;

use nalgebra::DMatrix;
use pommel_mechanism::formulation::{Formulation, FormulationError, SparseKkt};
use pommel_mechanism::{Equations, Evaluation, System};
use pommel_model::Mechanism;
use pommel_testkit::Rng;

/// Residuals below this part of the terms of their rows are backward stable: some hundred roundings for rows of
/// about ten terms. A solution that is refined has 2e-14.
const STABLE: f64 = 1e-13;
/// Rows with a least singular value below this may pass for dependent: some times the threshold for ranks, about
/// 5e-7, since pivots are larger than singular values.
const DEPENDENT: f64 = 1e-5;
const MECHANISMS: u64 = 64;
const STEPS: usize = 40;

/// A chain of bars with bars across, so that it has loops; bodies are as long and as heavy as chance says.
struct Chain {
    model: String,
    planar: bool,
    lengths: Vec<f64>,
}

/// A power of ten between minus and plus so many decades.
fn power(rng: &mut Rng, decades: f64) -> f64 {
    10.0_f64.powf(rng.symmetric(decades))
}

impl Chain {
    fn new(rng: &mut Rng, planar: bool, decades: f64) -> Self {
        let bodies = 4 + rng.below(6);
        let lengths: Vec<f64> = (0..bodies).map(|_| power(rng, 0.75 * decades)).collect();
        let mut text = String::from("name = \"chain\"\n");
        let kind = if planar { "planar" } else { "spatial" };
        writeln!(text, "kind = \"{kind}\"").expect("text");
        for (i, length) in lengths.iter().enumerate() {
            let mass = power(rng, decades);
            let mut inertia = || mass * length * length * rng.uniform(0.05, 0.5);
            let inertia = match planar {
                true => format!("{:e}", inertia()),
                // of a body that can be: none is more than the sum of the others
                false => {
                    let [a, b, c] = [inertia(), inertia(), inertia()];
                    format!("[{:e}, {:e}, {:e}]", a + b, b + c, c + a)
                }
            };
            writeln!(text, "[[bodies]]\nname = \"b{i}\"\nmass = {mass:e}\ninertia = {inertia}")
                .expect("text");
        }
        let joint = if planar { "revolute" } else { "spherical" };
        for (i, length) in lengths.iter().enumerate() {
            let (parent, end) = match i {
                0 => ("ground".to_owned(), 0.0),
                _ => (format!("b{}", i - 1), 0.5 * lengths[i - 1]),
            };
            writeln!(
                text,
                "[[joints]]\nname = \"j{i}\"\ntype = \"{joint}\"\nparent = \"{parent}\"\nchild = \"b{i}\"\n\
                 in_parent = {{ position = [{end:e}, 0.0, 0.0] }}\n\
                 in_child = {{ position = [{:e}, 0.0, 0.0] }}",
                -0.5 * length
            )
            .expect("text");
        }
        for k in 0..3 {
            let (i, j) = (rng.below(bodies), rng.below(bodies));
            if i == j {
                continue;
            }
            let mut point = |length: f64| {
                let z = if planar { 0.0 } else { length * rng.uniform(-0.5, 0.5) };
                let (x, y) = (length * rng.uniform(-0.5, 0.5), length * rng.uniform(-0.5, 0.5));
                format!("[{x:e}, {y:e}, {z:e}]")
            };
            let points = [point(lengths[i]), point(lengths[j])];
            writeln!(
                text,
                "[[constraints]]\ntype = \"distance\"\nname = \"bar{k}\"\nbody1 = \"b{i}\"\npoint1 = {}\n\
                 body2 = \"b{j}\"\npoint2 = {}\nlength = 1.0",
                points[0], points[1]
            )
            .expect("text");
        }
        Chain { model: text, planar, lengths }
    }

    /// Coordinates of the bodies where bars have these directions; joints are closed.
    fn place(&self, angles: &[f64]) -> Vec<f64> {
        let mut end = [0.0; 3];
        let mut q = Vec::new();
        for (i, length) in self.lengths.iter().enumerate() {
            let (sin, cos) = angles[i].sin_cos();
            // in space bars turn about y, too
            let (tilt_sin, tilt_cos) =
                if self.planar { (0.0, 1.0) } else { (0.7 * angles[i]).sin_cos() };
            let along = [cos * tilt_cos, sin * tilt_cos, -tilt_sin];
            let centre: Vec<f64> = (0..3).map(|k| end[k] + 0.5 * length * along[k]).collect();
            (0..3).for_each(|k| end[k] += length * along[k]);
            if self.planar {
                q.extend([centre[0], centre[1], angles[i]]);
            } else {
                let (s, c) = (0.5 * angles[i]).sin_cos();
                let (ts, tc) = (0.35 * angles[i]).sin_cos();
                // about z after about y
                q.extend(centre);
                q.extend([c * tc, -s * ts, c * ts, s * tc]);
            }
        }
        q
    }
}

/// The largest residual relative to the terms of its row; terms count for `N ε` of the largest of their kind at least,
/// as what cancels leaves that much.
fn backward_error(equations: &Equations<'_>, a: &[f64], lambda: &[f64]) -> f64 {
    let (n, m) = (a.len(), lambda.len());
    let mut rest: Vec<f64> = [equations.force, equations.gamma].concat();
    let mut size: Vec<f64> = rest.iter().map(|x| x.abs()).collect();
    let mut take = |row: usize, term: f64| {
        rest[row] -= term;
        size[row] += term.abs();
    };
    for (row, column, value) in equations.pattern.mass_entries() {
        take(row, equations.mass[value] * a[column]);
        if row != column {
            take(column, equations.mass[value] * a[row]);
        }
    }
    for (row, column, value) in equations.pattern.jacobian_entries() {
        take(n + row, equations.jacobian[value] * a[column]);
        take(column, equations.jacobian[value] * lambda[row]);
    }
    let mut worst = 0.0_f64;
    for part in [0..n, n..n + m] {
        let largest = size[part.clone()].iter().fold(0.0_f64, |most, x| most.max(*x));
        let floor = (f64::EPSILON * (n + m) as f64 * largest).max(f64::MIN_POSITIVE);
        for (rest, size) in rest[part.clone()].iter().zip(&size[part]) {
            let error = rest.abs() / size.max(floor);
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
    }
    worst
}

/// The least singular value of Φ_q with rows of unit length, displacements as turns.
fn least_share(system: &System<f64>, equations: &Equations<'_>) -> f64 {
    let mut dense = DMatrix::<f64>::zeros(system.rows(), system.nv());
    for (row, column, value) in equations.pattern.jacobian_entries() {
        dense[(row, column)] += equations.jacobian[value] / system.scales()[column];
    }
    for mut row in dense.row_iter_mut() {
        let length = row.norm();
        row /= length;
    }
    dense.singular_values().min()
}

/// What came of a motion.
#[derive(Default)]
struct Found {
    /// solutions that satisfy all rows
    solutions: usize,
    /// solutions without rows that depend on others, or refusals of these
    dependent: usize,
    worst: f64,
    /// of those above the limit the step, backward error, rank and least singular value
    poor: Vec<String>,
}

/// A mechanism in motion, with the backward error of each solution.
fn move_about(seed: u64, decades: f64, limit: f64) -> Found {
    let mut rng = Rng::new(1000 + seed);
    let chain = Chain::new(&mut rng, seed.is_multiple_of(2), decades);
    let mechanism = Mechanism::from_toml_str(&chain.model)
        .unwrap_or_else(|error| panic!("{error}\n{}", chain.model));
    let system = System::new(&mechanism).expect("a system");
    let mut angles: Vec<f64> = chain.lengths.iter().map(|_| rng.uniform(-1.4, 1.4)).collect();
    let rates: Vec<f64> = angles.iter().map(|_| rng.uniform(-0.08, 0.08)).collect();
    let v: Vec<f64> = (0..system.nv()).map(|_| rng.uniform(-1.0, 1.0)).collect();
    let mut evaluation = Evaluation::new(&system);
    let mut solver: Option<SparseKkt> = None;
    let (mut a, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
    let mut found = Found::default();
    for step in 0..STEPS {
        angles.iter_mut().zip(&rates).for_each(|(angle, rate)| *angle += rate);
        let q = chain.place(&angles);
        system.evaluate(0.0, &q, &v, &mut evaluation);
        let push = power(&mut rng, 2.0);
        for (force, mass) in evaluation.force_mut().iter_mut().zip(system.mass()) {
            *force += push * mass * rng.uniform(-1.0, 1.0);
        }
        // bars are as long as they happen to be
        let equations = Equations { phi: &[], ..system.equations(&evaluation, (&q, &v)) };
        let solver = match &mut solver {
            Some(solver) => solver,
            empty => empty.insert(SparseKkt::for_values(&equations).expect("an order")),
        };
        let rank = match solver.solve(&equations, &mut a, &mut lambda) {
            Ok(outcome) => outcome.rank.expect("the solver finds it"),
            Err(FormulationError::Inconsistent { .. }) => 0,
            Err(error) => panic!("mechanism {seed}, step {step}: {error}"),
        };
        if rank < system.rows() {
            let share = least_share(&system, &equations);
            assert!(share < DEPENDENT, "mechanism {seed}, step {step}: {share:e}");
            found.dependent += 1;
            continue;
        }
        found.solutions += 1;
        let error = backward_error(&equations, &a, &lambda);
        found.worst = found.worst.max(error);
        if error > limit {
            let share = least_share(&system, &equations);
            found.poor.push(format!("mechanism {seed}, step {step}: {error:e}, {share:e}"));
        }
    }
    found
}

fn check(decades: f64, limit: f64) {
    let motions: Vec<Found> =
        (0..MECHANISMS).map(|seed| move_about(seed, decades, limit)).collect();
    let sum = |of: fn(&Found) -> usize| motions.iter().map(of).sum::<usize>();
    let (solutions, dependent) = (sum(|found| found.solutions), sum(|found| found.dependent));
    assert!(solutions > 9 * dependent, "{solutions} solutions, {dependent} of dependent rows");
    let worst = motions.iter().fold(0.0_f64, |worst, found| worst.max(found.worst));
    let poor: Vec<&String> = motions.iter().flat_map(|found| &found.poor).collect();
    assert!(poor.is_empty(), "{} of {solutions}, up to {worst:e}: {poor:#?}", poor.len());
}

/// Masses over eight decades, lengths over six.
#[test]
fn every_solution_of_badly_scaled_mechanisms_is_backward_stable() {
    check(4.0, STABLE);
}

/// Masses over two decades, lengths over one and a half: residuals are not looked at in most solutions, whose backward
/// errors may be a hundred times those of the others.
#[test]
fn every_solution_of_common_mechanisms_is_backward_stable() {
    check(1.0, 100.0 * STABLE);
}
