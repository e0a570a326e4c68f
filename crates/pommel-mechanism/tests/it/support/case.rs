//! Equations with their truth.

use nalgebra::{DMatrix, DVector};
use pommel_kkt::Pattern;
use pommel_mechanism::Equations;
use pommel_mechanism::formulation::{Formulation, FormulationError, Method, Outcome};
use pommel_testkit::Rng;

/// Equations that own their numbers; M and Φ_q are dense matrices besides.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) pattern: Pattern,
    pub(crate) mass: Vec<f64>,
    pub(crate) jacobian: Vec<f64>,
    pub(crate) force: Vec<f64>,
    pub(crate) gamma: Vec<f64>,
}

impl Case {
    /// From dense matrices: bodies of the given widths with blocks of M, all entries of J that are
    /// not zero.
    pub(crate) fn new(
        bodies: &[usize],
        mass: &DMatrix<f64>,
        rows: &DMatrix<f64>,
        force: &[f64],
        gamma: &[f64],
    ) -> Case {
        let (n, m) = (mass.nrows(), rows.nrows());
        let body: Vec<usize> = (bodies.iter().enumerate())
            .flat_map(|(i, &width)| std::iter::repeat_n(i, width))
            .collect();
        let lower = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let of_mass: Vec<_> = lower.filter(|&(i, j)| body[i] == body[j]).collect();
        let all = (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
        let of_rows: Vec<_> = all.filter(|&(i, j)| rows[(i, j)] != 0.0).collect();
        let pattern = Pattern::from_places(bodies, &vec![1; m], &of_mass, &of_rows, &[]).unwrap();
        Case {
            pattern,
            mass: of_mass.iter().map(|&at| mass[at]).collect(),
            jacobian: of_rows.iter().map(|&at| rows[at]).collect(),
            force: force.to_vec(),
            gamma: gamma.to_vec(),
        }
    }

    pub(crate) fn equations(&self) -> Equations<'_> {
        Equations {
            pattern: &self.pattern,
            mass: &self.mass,
            jacobian: &self.jacobian,
            force: &self.force,
            gamma: &self.gamma,
            phi: &[],
            scales: &[],
            state: None,
        }
    }

    pub(crate) fn size(&self) -> (usize, usize) {
        (self.pattern.unknowns(), self.pattern.rows())
    }

    pub(crate) fn dense(&self) -> (DMatrix<f64>, DMatrix<f64>) {
        let (n, m) = self.size();
        let (mut mass, mut rows) = (DMatrix::zeros(n, n), DMatrix::zeros(m, n));
        for (i, j, index) in self.pattern.mass_entries() {
            mass[(i, j)] = self.mass[index];
            mass[(j, i)] = self.mass[index];
        }
        for (i, j, index) in self.pattern.jacobian_entries() {
            rows[(i, j)] = self.jacobian[index];
        }
        (mass, rows)
    }

    /// `[M Jᵀ; J 0]`.
    pub(crate) fn saddle(&self) -> DMatrix<f64> {
        let (n, m) = self.size();
        let (mass, rows) = self.dense();
        let mut saddle = DMatrix::zeros(n + m, n + m);
        saddle.view_mut((0, 0), (n, n)).copy_from(&mass);
        saddle.view_mut((n, 0), (m, n)).copy_from(&rows);
        saddle.view_mut((0, n), (n, m)).copy_from(&rows.transpose());
        saddle
    }

    /// Accelerations and shortest multipliers by least squares of the saddle-point system.
    pub(crate) fn truth(&self) -> (DVector<f64>, DVector<f64>) {
        let (n, m) = self.size();
        if n + m == 0 {
            return (DVector::zeros(0), DVector::zeros(0));
        }
        let rhs = DVector::from_iterator(n + m, [&self.force[..], &self.gamma].concat());
        let svd = self.saddle().svd(true, true);
        let limit = 1e-10 * svd.singular_values.max();
        let solution = svd.solve(&rhs, limit).unwrap();
        (solution.rows(0, n).into_owned(), solution.rows(n, m).into_owned())
    }

    pub(crate) fn solve_with(
        &self,
        formulation: &mut dyn Formulation,
    ) -> Result<(Vec<f64>, Vec<f64>, Outcome), FormulationError> {
        let (n, m) = self.size();
        let (mut qdd, mut lambda) = (vec![f64::NAN; n], vec![f64::NAN; m]);
        let outcome = formulation.solve(&self.equations(), &mut qdd, &mut lambda)?;
        Ok((qdd, lambda, outcome))
    }

    pub(crate) fn solve(
        &self,
        method: Method,
    ) -> Result<(Vec<f64>, Vec<f64>, Outcome), FormulationError> {
        self.solve_with(&mut *method.build(&self.equations())?)
    }

    /// Largest entry of `Q − M q̈ − Jᵀ λ`, relative to the largest of Q and M q̈.
    pub(crate) fn force_defect(&self, qdd: &[f64], lambda: &[f64]) -> f64 {
        let (mass, rows) = self.dense();
        let inertial = mass * DVector::from_column_slice(qdd);
        let force = DVector::from_column_slice(&self.force);
        let scale = force.amax().max(inertial.amax()).max(f64::MIN_POSITIVE);
        let constraint = rows.transpose() * DVector::from_column_slice(lambda);
        (force - inertial - constraint).amax() / scale
    }
}

/// All that need nothing but matrices.
pub(crate) fn methods() -> impl Iterator<Item = Method> {
    Method::ALL
        .into_iter()
        .filter(|m| !matches!(m, Method::Recursion | Method::VelocityTransformation))
}

/// What a random system is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) bodies: usize,
    pub(crate) width: usize,
    pub(crate) rows: usize,
    pub(crate) rank: usize,
    /// Bodies whose blocks of M are singular, as long as rows hold what lacks inertia.
    pub(crate) massless: usize,
    /// Whether blocks of M are full.
    pub(crate) blocks: bool,
}

/// A random system with consistent γ.
pub(crate) fn random(rng: &mut Rng, shape: Shape) -> Case {
    let Shape { bodies, width, rows: m, rank, massless, blocks } = shape;
    let n = bodies * width;
    let independent = DMatrix::from_fn(rank, n, |_, _| rng.symmetric(1.0));
    let mix = DMatrix::from_fn(m, rank, |i, k| match i < rank {
        true => f64::from(u8::from(i == k)),
        false => rng.symmetric(1.0),
    });
    let rows = mix * independent;
    let mut mass = DMatrix::zeros(n, n);
    for body in 0..bodies {
        let first = body * width;
        let g = DMatrix::from_fn(width, width, |_, _| rng.symmetric(1.0));
        for i in 0..width {
            for j in 0..width {
                mass[(first + i, first + j)] = match (blocks, i == j) {
                    (true, _) => g.row(i).dot(&g.row(j)) + if i == j { 0.5 } else { 0.0 },
                    (false, true) => rng.uniform(0.5, 4.0),
                    (false, false) => 0.0,
                };
            }
        }
        if body < massless {
            // no inertia in its first direction
            for j in 0..width {
                mass[(first, first + j)] = 0.0;
                mass[(first + j, first)] = 0.0;
            }
        }
    }
    let some = DVector::from_fn(n, |_, _| rng.symmetric(3.0));
    let gamma = &rows * some;
    let force = rng.list(n, 10.0);
    Case::new(&vec![width; bodies], &mass, &rows, &force, gamma.as_slice())
}
