//! Collocation whose last stage is the end of the step, on the constraints [HW96, sections VII.4 and VII.5; GGL85].
//!
//! In the chart of the displacement d around the start, with stages i and `A = (a_ij)`:
//!
//! ```text
//! V_i = v + h Σ_j a_ij A_j               d_i = h Σ_j a_ij ḋ(d_j, V_j + W_j)
//! M A_i + Φ_qᵀ λ_i = Q(t_i, q ∘ d_i, V_i)     M W_i + Φ_qᵀ μ_i = 0
//! Φ_q V_i = ν at levels of velocities,        Φ(q ∘ d_i) = 0 at levels of positions
//! ```
//!
//! where `W = 0` but at the stabilized level. Simplified Newton iterations take Φ_q from the start. Then changes of
//! the stages part into systems with `[M Φ_qᵀ; Φ_q 0]`, whose right sides are mixed by `(h A)⁻¹`: one factor serves
//! all stages, and all step sizes.

use super::newton::{Course, Sizes, Trouble};
use super::start::Motion;
use super::{Level, Mechanics};
use crate::ImplicitTableau;

/// Memory for steps.
#[derive(Clone, Debug)]
pub(super) struct Radau {
    level: Level,
    s: usize,
    a: Vec<f64>,
    c: Vec<f64>,
    /// A⁻¹ and A⁻², row by row
    inverse: Vec<f64>,
    square: Vec<f64>,
    /// of every stage, one after the other
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    slip: Vec<f64>,
    mu: Vec<f64>,
    v: Vec<f64>,
    d: Vec<f64>,
    rate: Vec<f64>,
    /// what is left of forces, of rows of velocities and of positions
    forces: Vec<f64>,
    slips: Vec<f64>,
    velocities: Vec<f64>,
    positions: Vec<f64>,
    q: Vec<f64>,
    moved: Vec<f64>,
    x: Vec<f64>,
}

impl Radau {
    pub(super) fn new(tableau: &ImplicitTableau, level: Level, [nq, n, rows]: [usize; 3]) -> Self {
        let s = tableau.stages();
        let a = (0..s * s).map(|k| tableau.a(k / s, k % s)).collect();
        let inverse = tableau.inverse.clone();
        let entry =
            |k: usize| (0..s).map(|l| inverse[k / s * s + l] * inverse[l * s + k % s]).sum::<f64>();
        let square = (0..s * s).map(entry).collect();
        let of = |length: usize| vec![0.0; s * length];
        Radau {
            level,
            s,
            a,
            c: tableau.c().to_vec(),
            square,
            inverse,
            acceleration: of(n),
            lambda: of(rows),
            slip: of(n),
            mu: of(rows),
            v: of(n),
            d: of(n),
            rate: of(n),
            forces: of(n),
            slips: of(n),
            velocities: of(rows),
            positions: of(rows),
            q: vec![0.0; nq],
            moved: vec![0.0; n],
            x: vec![0.0; n + rows],
        }
    }

    /// A step from `from`, whose factor is at hand.
    pub(super) fn step<S: Mechanics>(
        &mut self,
        system: &mut S,
        from: &Motion,
        h: f64,
        to: &mut Motion,
        wanted: f64,
    ) -> Result<usize, Trouble<S::Error>> {
        let (n, s) = (from.v.len(), self.s);
        self.guess(from, h);
        let sizes = Sizes::new(&from.q, &from.v, h, super::scheme::noise(self.level));
        let mut course = Course::new(wanted, &sizes);
        let mut evaluations = 0;
        loop {
            let shift = self.place(system, from, h, &sizes);
            for i in 0..s {
                // the end is where it is said to be
                let t = if i + 1 == s { to.t } else { from.t + self.c[i] * h };
                self.measure(system, from, t, i)?;
            }
            evaluations += s;
            let change = self.change(system, from, h, &sizes)?;
            if course.ends(change.max(shift))? {
                break;
            }
        }
        self.place(system, from, h, &sizes);
        to.q.copy_from_slice(&from.q);
        system.displace(&mut to.q, &self.d[(s - 1) * n..]);
        to.v.copy_from_slice(&self.v[(s - 1) * n..]);
        Ok(evaluations)
    }

    /// Stages like the start.
    fn guess(&mut self, from: &Motion, h: f64) {
        let n = from.v.len();
        for i in 0..self.s {
            let at = i * n..(i + 1) * n;
            self.acceleration[at.clone()].copy_from_slice(&from.a);
            for (k, d) in self.d[at].iter_mut().enumerate() {
                let c = self.c[i] * h;
                *d = c * (from.v[k] + 0.5 * c * from.a[k]);
            }
        }
        let rows = from.lambda.len();
        if rows > 0 {
            self.lambda.chunks_exact_mut(rows).for_each(|l| l.copy_from_slice(&from.lambda));
        }
        self.slip.fill(0.0);
        self.mu.fill(0.0);
    }

    /// Velocities and displacements of the stages from their rates; how far displacements move, relatively.
    fn place<S: Mechanics>(&mut self, system: &S, from: &Motion, h: f64, sizes: &Sizes) -> f64 {
        let (n, s) = (from.v.len(), self.s);
        for i in 0..s {
            let v = &mut self.v[i * n..(i + 1) * n];
            v.copy_from_slice(&from.v);
            for (j, a) in self.acceleration.chunks_exact(n).enumerate() {
                let weight = h * self.a[i * s + j];
                v.iter_mut().zip(a).for_each(|(v, a)| *v += weight * a);
            }
        }
        for j in 0..s {
            let at = j * n..(j + 1) * n;
            let parts = self.v[at.clone()].iter().zip(&self.slip[at.clone()]);
            self.moved.iter_mut().zip(parts).for_each(|(to, (v, w))| *to = v + w);
            system.displacement_rate(&self.d[at.clone()], &self.moved, &mut self.rate[at]);
        }
        let mut shift = 0.0_f64;
        for i in 0..s {
            self.moved.fill(0.0);
            for (j, rate) in self.rate.chunks_exact(n).enumerate() {
                let weight = h * self.a[i * s + j];
                self.moved.iter_mut().zip(rate).for_each(|(to, r)| *to += weight * r);
            }
            for (d, moved) in self.d[i * n..].iter_mut().zip(&mut self.moved) {
                let by = *moved - *d;
                *d = *moved;
                *moved = by;
            }
            let by = sizes.of_positions(&self.moved);
            // NaN stays
            shift = if by > shift || by.is_nan() { by } else { shift };
        }
        shift
    }

    /// What is left of the equations at a stage.
    fn measure<S: Mechanics>(
        &mut self,
        system: &mut S,
        from: &Motion,
        t: f64,
        i: usize,
    ) -> Result<(), Trouble<S::Error>> {
        let (n, m) = (from.v.len(), from.lambda.len());
        let (at, rows) = (i * n..(i + 1) * n, i * m..(i + 1) * m);
        self.q.copy_from_slice(&from.q);
        system.displace(&mut self.q, &self.d[at.clone()]);
        system.evaluate(t, &self.q, &self.v[at.clone()])?;
        let forces = &mut self.forces[at.clone()];
        forces.copy_from_slice(system.force());
        system.add_mass(-1.0, &self.acceleration[at.clone()], forces);
        system.add_transposed(-1.0, &self.lambda[rows.clone()], forces);
        let velocities = &mut self.velocities[rows.clone()];
        system.multiply(&self.v[at.clone()], velocities);
        velocities.iter_mut().zip(system.nu()).for_each(|(x, nu)| *x -= nu);
        self.positions[rows.clone()].copy_from_slice(system.positions());
        if self.level == Level::Stabilized {
            let slips = &mut self.slips[at.clone()];
            slips.fill(0.0);
            system.add_mass(-1.0, &self.slip[at], slips);
            system.add_transposed(-1.0, &self.mu[rows], slips);
        }
        Ok(())
    }

    /// Changes the stages; by how much, as displacements over the step, relatively.
    fn change<S: Mechanics>(
        &mut self,
        system: &mut S,
        from: &Motion,
        h: f64,
        sizes: &Sizes,
    ) -> Result<f64, Trouble<S::Error>> {
        let (n, m, s) = (from.v.len(), from.lambda.len(), self.s);
        let mut most = 0.0_f64;
        let mixed = |matrix: &[f64], of: &[f64], i: usize, row: usize| -> f64 {
            (0..s).map(|j| matrix[i * s + j] * of[j * m + row]).sum()
        };
        for i in 0..s {
            let at = i * n..(i + 1) * n;
            self.x[..n].copy_from_slice(&self.forces[at.clone()]);
            for row in 0..m {
                let by_positions = self.level == Level::Position && system.is_holonomic(row);
                self.x[n + row] = if by_positions {
                    -mixed(&self.square, &self.positions, i, row) / (h * h)
                } else {
                    -mixed(&self.inverse, &self.velocities, i, row) / h
                };
            }
            system.solve(&mut self.x)?;
            let by = h.abs() * sizes.of_velocities(&self.x[..n]);
            most = if by > most || by.is_nan() { by } else { most };
            add(&mut self.acceleration[at], &self.x[..n]);
            add(&mut self.lambda[i * m..(i + 1) * m], &self.x[n..]);
        }
        if self.level != Level::Stabilized {
            return Ok(most);
        }
        for i in 0..s {
            let at = i * n..(i + 1) * n;
            self.x[..n].copy_from_slice(&self.slips[at.clone()]);
            for row in 0..m {
                // velocities have just been changed by what closes their own rows
                self.x[n + row] = if system.is_holonomic(row) {
                    self.velocities[i * m + row] - mixed(&self.inverse, &self.positions, i, row) / h
                } else {
                    0.0
                };
            }
            system.solve(&mut self.x)?;
            let by = h.abs() * sizes.of_positions(&self.x[..n]);
            most = if by > most || by.is_nan() { by } else { most };
            add(&mut self.slip[at], &self.x[..n]);
            add(&mut self.mu[i * m..(i + 1) * m], &self.x[n..]);
        }
        Ok(most)
    }
}

fn add(to: &mut [f64], x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += x);
}
