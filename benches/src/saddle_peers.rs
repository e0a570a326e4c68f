//! Other sparse solvers for symmetric indefinite systems, behind one interface.
//!
//! | name                | solver                                                            |
//! |---------------------|-------------------------------------------------------------------|
//! | `faer_ldlt`         | `faer`, LDLᵀ by columns (simplicial), regularized                 |
//! | `faer_ldlt_super`   | `faer`, LDLᵀ by supernodes, regularized                           |
//! | `faer_lu`           | `faer`, sparse LU with pivoting                                   |
//! | `qdldl`             | QDLDL in the crate `clarabel`, regularized                        |
//! | `feral`             | `feral`, LDLᵀ with pivoting                                       |
//!
//! Those without pivoting get 10⁻⁸ added to the diagonal of M, and −10⁻⁸ to that of `−C`, as their
//! users do; their solutions are then refined with the matrix itself.

use clarabel::algebra::CscMatrix as ClarabelMatrix;
use clarabel::qdldl::{QDLDLFactorisation, QDLDLSettings, QDLDLSettingsBuilder};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::lu::{LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use crate::saddle_cases::{Columns, SaddleMatrix};

/// What is added to the diagonal for solvers without pivoting.
const REGULARIZATION: f64 = 1e-8;

/// Replaces a right-hand side by what a factor makes of it.
pub type Solve<'a> = dyn FnMut(&mut [f64]) + 'a;

/// A solver with the analysis of one matrix.
pub trait Peer {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Factors the matrix again.
    ///
    /// # Panics
    /// If it cannot.
    fn refactor(&mut self);

    /// Factors the matrix and lends the factor.
    fn factored(&mut self, job: &mut dyn FnMut(&mut Solve<'_>));

    /// Whether the factor is that of a regularized matrix.
    fn is_regularized(&self) -> bool;
}

/// All solvers, each with its analysis made.
pub fn all(matrix: &SaddleMatrix) -> Vec<Box<dyn Peer>> {
    vec![
        Box::new(FaerLdlt::new(matrix, false)),
        Box::new(FaerLdlt::new(matrix, true)),
        Box::new(FaerLu::new(matrix)),
        Box::new(Qdldl::new(matrix)),
        Box::new(Feral::new(matrix)),
    ]
}

/// Something to time, and its name.
pub type Named<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// The analyses alone, of solvers that have one.
pub fn analyses(matrix: &SaddleMatrix) -> Vec<Named<'_>> {
    let mut qdldl = Qdldl::new(matrix);
    vec![
        ("faer_ldlt", Box::new(|| drop(symbolic_ldlt(matrix, false)))),
        ("faer_ldlt_super", Box::new(|| drop(symbolic_ldlt(matrix, true)))),
        ("faer_lu", Box::new(|| drop(symbolic_lu(matrix)))),
        ("qdldl", Box::new(move || qdldl.analyze())),
    ]
}

/// A solution with the factor of a regularized matrix, refined in up to eight steps.
pub fn refined(matrix: &SaddleMatrix, solve: &mut Solve<'_>, memory: &mut [Vec<f64>; 3]) {
    let [x, residual, direction] = memory;
    x.copy_from_slice(&matrix.rhs);
    solve(x);
    let mut error = matrix.residual(x, residual);
    for _ in 0..8 {
        if error <= 1e-15 {
            return;
        }
        direction.copy_from_slice(residual);
        solve(direction);
        x.iter_mut().zip(&*direction).for_each(|(x, d)| *x += d);
        let better = matrix.residual(x, residual);
        if better >= error {
            x.iter_mut().zip(&*direction).for_each(|(x, d)| *x -= d);
        }
        if better >= 0.5 * error {
            return;
        }
        error = better;
    }
}

fn regularized(matrix: &SaddleMatrix) -> Columns {
    let mut lower = matrix.lower.clone();
    for j in 0..matrix.size() {
        // the diagonal comes first in a column of the lower triangle
        let shift = if j < matrix.unknowns { REGULARIZATION } else { -REGULARIZATION };
        lower.values[lower.start[j]] += shift;
    }
    lower
}

fn signs(matrix: &SaddleMatrix) -> Vec<i8> {
    (0..matrix.size()).map(|i| if i < matrix.unknowns { 1 } else { -1 }).collect()
}

fn view(columns: &Columns) -> SparseColMatRef<'_, usize, f64> {
    let n = columns.start.len() - 1;
    let symbolic = SymbolicSparseColMatRef::new_checked(n, n, &columns.start, None, &columns.rows);
    SparseColMatRef::new(symbolic, &columns.values)
}

fn symbolic_ldlt(matrix: &SaddleMatrix, supernodal: bool) -> SymbolicCholesky<usize> {
    let supernodal_flop_ratio_threshold = if supernodal {
        SupernodalThreshold::FORCE_SUPERNODAL
    } else {
        SupernodalThreshold::FORCE_SIMPLICIAL
    };
    let parameters =
        CholeskySymbolicParams { supernodal_flop_ratio_threshold, ..Default::default() };
    let lower = view(&matrix.lower);
    factorize_symbolic_cholesky(lower.symbolic(), Side::Lower, SymmetricOrdering::Amd, parameters)
        .expect("memory")
}

struct FaerLdlt {
    supernodal: bool,
    lower: Columns,
    signs: Vec<i8>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
}

impl FaerLdlt {
    fn new(matrix: &SaddleMatrix, supernodal: bool) -> Self {
        let symbolic = symbolic_ldlt(matrix, supernodal);
        let scratch = symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        FaerLdlt {
            supernodal,
            lower: regularized(matrix),
            signs: signs(matrix),
            values: vec![0.0; symbolic.len_val()],
            memory: MemBuffer::new(scratch),
            symbolic,
        }
    }
}

impl Peer for FaerLdlt {
    fn name(&self) -> &'static str {
        if self.supernodal { "faer_ldlt_super" } else { "faer_ldlt" }
    }

    fn refactor(&mut self) {
        let regularization = LdltRegularization {
            dynamic_regularization_signs: Some(&self.signs),
            dynamic_regularization_delta: 1e-7,
            dynamic_regularization_epsilon: 1e-13,
        };
        self.symbolic
            .factorize_numeric_ldlt::<f64>(
                &mut self.values,
                view(&self.lower),
                Side::Lower,
                regularization,
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .expect("regularized");
    }

    fn factored(&mut self, job: &mut dyn FnMut(&mut Solve<'_>)) {
        self.refactor();
        let factor = LdltRef::<'_, usize, f64>::new(&self.symbolic, &self.values);
        let memory = &mut self.memory;
        job(&mut |x: &mut [f64]| {
            let n = x.len();
            let x = MatMut::from_column_major_slice_mut(x, n, 1);
            factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(memory));
        });
    }

    fn is_regularized(&self) -> bool {
        true
    }
}

fn symbolic_lu(matrix: &SaddleMatrix) -> SymbolicLu<usize> {
    let full = view(&matrix.full);
    factorize_symbolic_lu(full.symbolic(), LuSymbolicParams::default()).expect("memory")
}

struct FaerLu {
    full: Columns,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    memory: MemBuffer,
}

impl FaerLu {
    fn new(matrix: &SaddleMatrix) -> Self {
        let symbolic = symbolic_lu(matrix);
        let scratch = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        FaerLu {
            full: matrix.full.clone(),
            numeric: NumericLu::new(),
            memory: MemBuffer::new(scratch),
            symbolic,
        }
    }
}

impl Peer for FaerLu {
    fn name(&self) -> &'static str {
        "faer_lu"
    }

    fn refactor(&mut self) {
        self.factored(&mut |_| ());
    }

    fn factored(&mut self, job: &mut dyn FnMut(&mut Solve<'_>)) {
        let scratch = self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let stack = MemStack::new(&mut self.memory);
        let factor = self
            .symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                view(&self.full),
                Par::Seq,
                stack,
                Default::default(),
            )
            .expect("regular");
        let mut memory = MemBuffer::new(scratch);
        job(&mut |x: &mut [f64]| {
            let n = x.len();
            let x = MatMut::from_column_major_slice_mut(x, n, 1);
            factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut memory));
        });
    }

    fn is_regularized(&self) -> bool {
        false
    }
}

struct Qdldl {
    upper: ClarabelMatrix<f64>,
    signs: Vec<i8>,
    factor: QDLDLFactorisation<f64>,
}

impl Qdldl {
    fn new(matrix: &SaddleMatrix) -> Self {
        let (n, lower) = (matrix.size(), regularized(matrix));
        let upper = lower.transposed();
        let upper = ClarabelMatrix::new(n, n, upper.start, upper.rows, upper.values);
        let signs = signs(matrix);
        let factor = QDLDLFactorisation::new(&upper, Some(Self::settings(&signs, false)))
            .expect("regularized");
        Qdldl { upper, signs, factor }
    }

    fn settings(signs: &[i8], logical: bool) -> QDLDLSettings<f64> {
        QDLDLSettingsBuilder::<f64>::default()
            .Dsigns(signs.to_vec())
            .regularize_enable(true)
            .regularize_eps(1e-13)
            .regularize_delta(1e-7)
            .logical(logical)
            .build()
            .expect("settings")
    }

    fn analyze(&mut self) {
        let settings = Self::settings(&self.signs, true);
        drop(QDLDLFactorisation::new(&self.upper, Some(settings)));
    }
}

impl Peer for Qdldl {
    fn name(&self) -> &'static str {
        "qdldl"
    }

    fn refactor(&mut self) {
        self.factor.refactor().expect("regularized");
    }

    fn factored(&mut self, job: &mut dyn FnMut(&mut Solve<'_>)) {
        self.refactor();
        let factor = &mut self.factor;
        job(&mut |x: &mut [f64]| factor.solve(x));
    }

    fn is_regularized(&self) -> bool {
        true
    }
}

struct Feral {
    matrix: feral::CscMatrix,
    solver: feral::Solver,
}

impl Feral {
    fn new(matrix: &SaddleMatrix) -> Self {
        let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (row, column, value) in matrix.lower.iter() {
            rows.push(row);
            columns.push(column);
            values.push(value);
        }
        let matrix = feral::CscMatrix::from_triplets(matrix.size(), &rows, &columns, &values)
            .expect("a matrix");
        let mut peer = Feral { matrix, solver: feral::Solver::new().with_parallel(false) };
        // the first factorization makes the analysis
        peer.refactor();
        peer
    }
}

impl Peer for Feral {
    fn name(&self) -> &'static str {
        "feral"
    }

    fn refactor(&mut self) {
        self.solver.factor(&self.matrix, None);
    }

    fn factored(&mut self, job: &mut dyn FnMut(&mut Solve<'_>)) {
        self.refactor();
        let solver = &mut self.solver;
        let mut rhs = Vec::new();
        job(&mut |x: &mut [f64]| {
            rhs.clear();
            rhs.extend_from_slice(x);
            solver.solve_into(&rhs, x).expect("regular");
        });
    }

    fn is_regularized(&self) -> bool {
        false
    }
}
