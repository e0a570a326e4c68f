//! A simulator of its own around the crate: a chain of rods falls from rest.
//!
//! ```sh
//! cargo run --release -p pommel-kkt --example simulator
//! ```
//!
//! Each rod of a vertical plane has three unknowns, the accelerations of its centre and of its angle;
//! each pin has two rows. The pattern is described once; at every stage of a Runge–Kutta step the
//! numbers of J are written to their places and the system is factored again, without allocation.
//! Energy and closed pins are checked at the end.

#![allow(clippy::print_stdout, reason = "the output of an example")]

use std::ops::Range;
use std::time::Instant;

use pommel_kkt::pattern::MassBlock;
use pommel_kkt::{
    Analysis, KktError, Pattern, PatternBuilder, Refinement, Values, Verdict, Workspace,
};

const RODS: usize = 24;
const LENGTH: f64 = 0.5;
const MASS: f64 = 1.0;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 5e-4;
const END: f64 = 1.0;

/// Where the numbers of a pin stand in J: those of the rod that it hangs on, and of the one below.
struct Pin {
    above: Option<Range<usize>>,
    below: Range<usize>,
}

struct Chain {
    pattern: Pattern,
    pins: Vec<Pin>,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
    worst_backward_error: f64,
}

impl Chain {
    fn new() -> Result<Self, KktError> {
        let mut builder = PatternBuilder::new();
        let rods: Vec<_> = (0..RODS).map(|_| builder.body(3, MassBlock::Diagonal)).collect();
        let mut pins = Vec::new();
        for i in 0..RODS {
            let range = |builder: &PatternBuilder, pin, rod| {
                builder.jacobian(pin, rod).expect("the pin holds this rod")
            };
            if i == 0 {
                let pin = builder.constraint(2, &[rods[0]]);
                pins.push(Pin { above: None, below: range(&builder, pin, rods[0]) });
            } else {
                let pin = builder.constraint(2, &[rods[i - 1], rods[i]]);
                let above = Some(range(&builder, pin, rods[i - 1]));
                pins.push(Pin { above, below: range(&builder, pin, rods[i]) });
            }
        }
        let pattern = builder.build()?;
        let total = pattern.unknowns() + pattern.rows();
        let inertia = MASS * LENGTH * LENGTH / 12.0;
        Ok(Chain {
            pins,
            mass: [MASS, MASS, inertia].repeat(RODS),
            jacobian: vec![0.0; pattern.jacobian_len()],
            rhs: vec![0.0; total],
            solution: vec![0.0; total],
            worst_backward_error: 0.0,
            pattern,
        })
    }

    /// Accelerations at a state `[q; v]`, into the second half of its derivative.
    fn derivative(
        &mut self,
        workspace: &mut Workspace<f64>,
        state: &[f64],
        derivative: &mut [f64],
    ) -> Result<(), KktError> {
        let n = 3 * RODS;
        let (q, v) = state.split_at(n);
        // from the centre of a rod to its end: u = A(angle) (0, ±l / 2)
        let lever = |rod: usize, sign: f64| {
            let (s, c) = q[3 * rod + 2].sin_cos();
            [-sign * s * LENGTH / 2.0, sign * c * LENGTH / 2.0]
        };
        for (i, pin) in self.pins.iter().enumerate() {
            // rows of r + u: [1 0 −u_y; 0 1 u_x]; their rate leaves ω² u on the right
            let [x, y] = lever(i, 1.0);
            self.jacobian[pin.below.clone()].copy_from_slice(&[1.0, 0.0, -y, 0.0, 1.0, x]);
            let rate = v[3 * i + 2] * v[3 * i + 2];
            let mut right = [rate * x, rate * y];
            if let Some(above) = &pin.above {
                let [x, y] = lever(i - 1, -1.0);
                self.jacobian[above.clone()].copy_from_slice(&[-1.0, 0.0, y, 0.0, -1.0, -x]);
                let rate = v[3 * i - 1] * v[3 * i - 1];
                right[0] -= rate * x;
                right[1] -= rate * y;
            }
            self.rhs[n + 2 * i..n + 2 * i + 2].copy_from_slice(&right);
            self.rhs[3 * i + 1] = -MASS * GRAVITY;
        }
        let values = Values::new(&self.mass, &self.jacobian);
        let mut factor = workspace.factorize(&values)?;
        let report = factor.solve(&self.rhs, &mut self.solution, &Refinement::quick())?;
        assert_eq!(report.verdict(0), Verdict::Good, "every pin is independent of the others");
        self.worst_backward_error = self.worst_backward_error.max(report.backward_error);
        derivative[..n].copy_from_slice(v);
        derivative[n..].copy_from_slice(&self.solution[..n]);
        Ok(())
    }
}

fn energy(state: &[f64]) -> f64 {
    let (q, v) = state.split_at(3 * RODS);
    let inertia = MASS * LENGTH * LENGTH / 12.0;
    let rod = |(q, v): (&[f64], &[f64])| {
        let kinetic = MASS * (v[0] * v[0] + v[1] * v[1]) + inertia * v[2] * v[2];
        0.5 * kinetic + MASS * GRAVITY * q[1]
    };
    q.chunks(3).zip(v.chunks(3)).map(rod).sum()
}

/// Largest distance of points that a pin holds together.
fn gap(q: &[f64]) -> f64 {
    let end = |rod: &[f64], sign: f64| {
        let (s, c) = rod[2].sin_cos();
        [rod[0] - sign * s * LENGTH / 2.0, rod[1] + sign * c * LENGTH / 2.0]
    };
    let mut held = [0.0, 0.0];
    let mut worst = 0.0f64;
    for rod in q.chunks(3) {
        let top = end(rod, 1.0);
        worst = worst.max((top[0] - held[0]).hypot(top[1] - held[1]));
        held = end(rod, -1.0);
    }
    worst
}

fn main() -> Result<(), KktError> {
    let mut chain = Chain::new()?;
    let analysis = Analysis::new(&chain.pattern)?;
    let mut workspace = Workspace::new(&analysis);
    let cost = analysis.cost();
    println!(
        "{RODS} rods: {} unknowns, {} rows, {} entries of the factor in {} fronts",
        chain.pattern.unknowns(),
        chain.pattern.rows(),
        cost.factor_entries,
        cost.fronts
    );

    // a straight chain, 1 rad from the vertical, at rest
    let n = 3 * RODS;
    let mut state = vec![0.0; 2 * n];
    for i in 0..RODS {
        let (s, c) = 1f64.sin_cos();
        let along = (i as f64 + 0.5) * LENGTH;
        state[3 * i..3 * i + 3].copy_from_slice(&[along * s, -along * c, 1.0]);
    }
    let start = energy(&state);
    let clock = Instant::now();
    let steps = (END / STEP).round() as usize;
    let mut stages = [(); 4].map(|()| vec![0.0; 2 * n]);
    let mut trial = state.clone();
    for _ in 0..steps {
        // the classical method of Runge and Kutta
        for (s, share) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
            for k in 0..2 * n {
                let slope = if s == 0 { 0.0 } else { stages[s - 1][k] };
                trial[k] = state[k] + share * STEP * slope;
            }
            chain.derivative(&mut workspace, &trial, &mut stages[s])?;
        }
        for k in 0..2 * n {
            let [a, b, c, d] = stages.each_ref().map(|stage| stage[k]);
            state[k] += STEP / 6.0 * (a + 2.0 * (b + c) + d);
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    let per_system = 1e6 * seconds / (4 * steps) as f64;
    println!("{steps} steps of {STEP} s, {per_system:.1} µs a system");
    println!("worst backward error  {:.1e}", chain.worst_backward_error);
    let drift = energy(&state) - start;
    println!("drift of energy       {drift:.1e} J of {:.1} J", start.abs());
    println!("largest gap of a pin  {:.1e} m", gap(&state[..n]));
    assert!(drift.abs() < 1e-6 * start.abs() && gap(&state[..n]) < 1e-6);
    Ok(())
}
