//! Random saddle-point systems.

use super::shape::{SaddleCompliance, SaddleGraph, SaddleRedundancy, SaddleShape, SaddleUnits};
use super::{SaddleSystem, SaddleTruth};
use crate::Rng;

/// A constraint while the system is built: bodies, rows of J over all of their unknowns, and
/// whether its rows depend on others on purpose.
struct Constraint {
    bodies: Vec<usize>,
    rows: Vec<Vec<f64>>,
    redundant: bool,
}

/// A random system of a shape.
///
/// The right-hand side is `[M Jᵀ; J −C] [x; λ]` of random `x` and `λ` as far as `f64` can tell, so
/// that it has a solution whatever depends on what; unless it is contradicted on purpose.
pub fn random_saddle(rng: &mut Rng, shape: &SaddleShape) -> SaddleSystem {
    let mut system = SaddleSystem { body_widths: widths(rng, shape), ..Default::default() };
    let offsets = offsets(&system.body_widths);
    let n = system.unknowns();
    masses(rng, shape, &offsets, &mut system);
    let mut constraints = Vec::new();
    let mut room = shape.size.saturating_sub(n);
    for bodies in graph(rng, shape.graph, system.body_widths.len()) {
        let count = 1 + rng.below(5);
        // more rows than unknowns now and then
        let width: usize = bodies.iter().map(|b| system.body_widths[*b]).sum();
        let count = if rng.below(8) == 0 { count } else { count.min(width.div_ceil(2)) };
        if count <= room {
            room -= count;
            let rows = (0..count).map(|_| random_row(rng, shape, &system, &bodies)).collect();
            constraints.push(Constraint { bodies, rows, redundant: false });
        }
    }
    add_redundancy(rng, shape, &system, &mut constraints, room);
    for constraint in &constraints {
        let first = system.rows();
        if constraint.redundant {
            system.truth.redundant_rows += constraint.rows.len();
        }
        for (r, row) in constraint.rows.iter().enumerate() {
            let columns = constraint.bodies.iter().flat_map(|b| offsets[*b]..offsets[b + 1]);
            system.jacobian.extend(columns.zip(row).map(|(c, v)| (first + r, c, *v)));
        }
        compliance(rng, shape, first, constraint.rows.len(), &mut system);
        system.constraint_rows.push(constraint.rows.len());
        system.constraint_bodies.push(constraint.bodies.clone());
    }
    scale_and_close(rng, shape, &mut system);
    system
}

fn offsets(widths: &[usize]) -> Vec<usize> {
    let mut offsets = vec![0];
    offsets.extend(widths.iter().scan(0, |sum, w| {
        *sum += w;
        Some(*sum)
    }));
    offsets
}

fn widths(rng: &mut Rng, shape: &SaddleShape) -> Vec<usize> {
    let one = [1, 2, 3, 6][rng.below(4)];
    let mut room = shape.size * 2 / 3 + 1;
    let mut widths = Vec::new();
    for _ in 0..shape.bodies {
        let width = if shape.one_width { one } else { [1, 2, 3, 6][rng.below(4)] };
        if width <= room {
            room -= width;
            widths.push(width);
        }
    }
    widths
}

/// `B Bᵀ` with `B` of `rank` columns, and a multiple of the unit matrix if the rank is full.
fn semidefinite(rng: &mut Rng, width: usize, rank: usize) -> Vec<Vec<f64>> {
    let b: Vec<Vec<f64>> = (0..width).map(|_| rng.list(rank, 1.0)).collect();
    let shift = if rank == width { rng.uniform(0.3, 1.0) } else { 0.0 };
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    (0..width)
        .map(|i| (0..=i).map(|j| dot(&b[i], &b[j]) + if i == j { shift } else { 0.0 }).collect())
        .collect()
}

fn masses(rng: &mut Rng, shape: &SaddleShape, offsets: &[usize], system: &mut SaddleSystem) {
    for rows in offsets.windows(2) {
        let (first, width) = (rows[0], rows[1] - rows[0]);
        let massless = rng.uniform(0.0, 1.0) < shape.massless;
        system.truth.massless_bodies += massless as usize;
        let scale = if shape.scaled_masses { power_of_ten(rng, 8.0) } else { 1.0 };
        if rng.below(3) == 0 {
            for i in first..first + width {
                let light = massless && (i == first || rng.below(2) == 0);
                let mass = if light { 0.0 } else { rng.uniform(0.3, 2.0) };
                system.mass.push((i, i, mass * scale));
            }
        } else {
            let rank = if massless { rng.below(width) } else { width };
            for (i, row) in semidefinite(rng, width, rank).iter().enumerate() {
                system
                    .mass
                    .extend(row.iter().enumerate().map(|(j, v)| (first + i, first + j, v * scale)));
            }
        }
    }
}

/// The bodies of every constraint.
fn graph(rng: &mut Rng, graph: SaddleGraph, bodies: usize) -> Vec<Vec<usize>> {
    let mut list: Vec<Vec<usize>> = Vec::new();
    for i in 0..bodies {
        match graph {
            SaddleGraph::Tree | SaddleGraph::Loops | SaddleGraph::Many if i > 0 => {
                list.push(vec![rng.below(i), i]);
            }
            SaddleGraph::Star if i > 0 => list.push(vec![0, i]),
            SaddleGraph::Disconnected if i > 0 && rng.below(5) < 3 => list.push(vec![i - 1, i]),
            SaddleGraph::Grounded if rng.below(5) < 4 => list.push(vec![i]),
            _ if i == 0 && rng.below(2) == 0 => list.push(vec![0]),
            _ => {}
        }
    }
    let extra = match graph {
        SaddleGraph::Loops if bodies > 1 => 1 + rng.below(3),
        SaddleGraph::Many if bodies > 2 => 1 + rng.below(4),
        _ => 0,
    };
    for _ in 0..extra {
        let count = if graph == SaddleGraph::Loops { 2 } else { (3 + rng.below(3)).min(bodies) };
        let mut on = Vec::new();
        while on.len() < count {
            let body = rng.below(bodies);
            if !on.contains(&body) {
                on.push(body);
            }
        }
        // early enough to find room
        list.insert(rng.below(list.len() + 1), on);
    }
    list
}

fn random_row(
    rng: &mut Rng,
    shape: &SaddleShape,
    system: &SaddleSystem,
    bodies: &[usize],
) -> Vec<f64> {
    let count: usize = bodies.iter().map(|b| system.body_widths[*b]).sum();
    let entry = |rng: &mut Rng| match shape.integers {
        true => rng.below(7) as f64 - 3.0,
        // 20 bits after the point
        false => (rng.symmetric(1.0) * 1_048_576.0).round() / 1_048_576.0,
    };
    let sparse = rng.below(3) == 0;
    (0..count)
        .map(|_| {
            let value = entry(rng);
            if sparse && rng.below(2) == 0 { 0.0 } else { value }
        })
        .collect()
}

fn add_redundancy(
    rng: &mut Rng,
    shape: &SaddleShape,
    system: &SaddleSystem,
    constraints: &mut Vec<Constraint>,
    mut room: usize,
) {
    let made = constraints.len();
    if shape.redundancy == SaddleRedundancy::None || made == 0 {
        return;
    }
    for _ in 0..1 + rng.below(3) {
        let count = (1 + rng.below(3)).min(room);
        if count == 0 {
            return;
        }
        room -= count;
        let (first, second) = (&constraints[rng.below(made)], &constraints[rng.below(made)]);
        let mut bodies = first.bodies.clone();
        if shape.redundancy == SaddleRedundancy::Chains {
            bodies.extend(second.bodies.iter().filter(|b| !first.bodies.contains(b)));
        }
        let rows = (0..count).map(|_| match shape.redundancy {
            SaddleRedundancy::Copies => first.rows[rng.below(first.rows.len())].clone(),
            SaddleRedundancy::Zeros => vec![0.0; first.rows[0].len()],
            SaddleRedundancy::Combinations => combine(rng, system, &bodies, &[first]),
            _ => combine(rng, system, &bodies, &[first, second]),
        });
        let rows = rows.collect();
        constraints.push(Constraint { bodies, rows, redundant: true });
    }
}

/// A sum of small integer multiples of rows.
fn combine(rng: &mut Rng, system: &SaddleSystem, bodies: &[usize], of: &[&Constraint]) -> Vec<f64> {
    let widths: Vec<usize> = bodies.iter().map(|b| system.body_widths[*b]).collect();
    let starts = offsets(&widths);
    let mut sum = vec![0.0; starts[bodies.len()]];
    for row_bodies in of.iter().flat_map(|c| c.rows.iter().map(|row| (row, &c.bodies))) {
        let factor = rng.below(7) as f64 - 3.0;
        let mut values = row_bodies.0.iter();
        for body in row_bodies.1 {
            let place = bodies.iter().position(|b| b == body).expect("a body of both");
            for c in starts[place]..starts[place + 1] {
                sum[c] += factor * values.next().expect("a row as wide as its bodies");
            }
        }
    }
    sum
}

fn compliance(
    rng: &mut Rng,
    shape: &SaddleShape,
    first: usize,
    count: usize,
    system: &mut SaddleSystem,
) {
    if shape.compliance == SaddleCompliance::None || rng.below(2) == 0 {
        return;
    }
    if shape.compliance == SaddleCompliance::Diagonal {
        for i in first..first + count {
            let value = if rng.below(3) == 0 { 0.0 } else { rng.uniform(0.1, 1.0) };
            system.compliance.push((i, i, value));
        }
        return;
    }
    let rank = rng.below(count + 1);
    for (i, row) in semidefinite(rng, count, rank).iter().enumerate() {
        let entries = row.iter().enumerate().map(|(j, v)| (first + i, first + j, *v));
        system.compliance.extend(entries);
    }
}

/// Right-hand sides, and then units.
fn scale_and_close(rng: &mut Rng, shape: &SaddleShape, system: &mut SaddleSystem) {
    let (n, m) = (system.unknowns(), system.rows());
    let unit = |rng: &mut Rng, reach: f64| match shape.units {
        SaddleUnits::Same => 1.0,
        SaddleUnits::PowersOfTwo => 2.0_f64.powi(rng.below(53) as i32 - 26),
        SaddleUnits::Any => power_of_ten(rng, reach),
    };
    let columns: Vec<f64> = (0..n).map(|_| unit(rng, 8.0)).collect();
    let mut rows: Vec<f64> = (0..m).map(|_| unit(rng, 8.0)).collect();
    if shape.scaled_rows {
        rows.iter_mut().for_each(|r| *r *= power_of_ten(rng, 8.0));
    }
    let solution = rng.list(n + m, 1.0);
    let mut rhs = system.times(&solution);
    system.truth.contradicted = shape.contradicted;
    if shape.contradicted {
        rhs[n..].iter_mut().for_each(|g| *g += rng.symmetric(1.0));
    }
    let scaled = |values: &[f64], by: &[f64]| values.iter().zip(by).map(|(v, s)| v * s).collect();
    let divided = |values: &[f64], by: &[f64]| values.iter().zip(by).map(|(v, s)| v / s).collect();
    system.f = scaled(&rhs[..n], &columns);
    system.g = scaled(&rhs[n..], &rows);
    system.truth = SaddleTruth {
        x: divided(&solution[..n], &columns),
        lambda: divided(&solution[n..], &rows),
        ..system.truth
    };
    system.mass.iter_mut().for_each(|(i, j, v)| *v *= columns[*i] * columns[*j]);
    system.jacobian.iter_mut().for_each(|(i, j, v)| *v *= rows[*i] * columns[*j]);
    system.compliance.iter_mut().for_each(|(i, j, v)| *v *= rows[*i] * rows[*j]);
}

fn power_of_ten(rng: &mut Rng, reach: f64) -> f64 {
    10.0_f64.powf(rng.symmetric(reach))
}
