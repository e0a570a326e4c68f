//! Saddle-point systems by formula, and the sparse matrices that other solvers take.
//!
//! | kind      | bodies                    | constraints                                        |
//! |-----------|---------------------------|----------------------------------------------------|
//! | `chain`   | spatial, one after another | revolute joints of 5 rows                          |
//! | `tree`    | spatial, a binary tree     | the same                                           |
//! | `fourbar` | planar rods                | pins of 2 rows: cranks that stand side by side, each coupled to the next |
//! | `lattice` | spatial plates, g × g      | ball joints of 3 rows between neighbours           |
//!
//! All constraints are independent and all masses positive.

use nalgebra::{Matrix3, Matrix6, Rotation3, SMatrix, Vector3};
use pommel::kkt::pattern::{BodyId, MassBlock, MatrixMarket, System};
use pommel::kkt::{KktError, PatternBuilder};
use pommel_testkit::Rng;

/// A kind of system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaddleKind {
    /// A chain of spatial bodies.
    Chain,
    /// A binary tree of spatial bodies.
    Tree,
    /// Planar four-bar loops side by side.
    FourBar,
    /// A square lattice of spatial bodies.
    Lattice,
}

impl SaddleKind {
    /// All kinds.
    pub const ALL: [SaddleKind; 4] =
        [SaddleKind::Chain, SaddleKind::Tree, SaddleKind::FourBar, SaddleKind::Lattice];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            SaddleKind::Chain => "chain",
            SaddleKind::Tree => "tree",
            SaddleKind::FourBar => "fourbar",
            SaddleKind::Lattice => "lattice",
        }
    }

    /// A system with `size` bodies, loops, or bodies a side.
    ///
    /// # Errors
    /// Never for a positive size.
    pub fn system(self, size: usize) -> Result<System, KktError> {
        let mut maker = Maker::default();
        match self {
            SaddleKind::Chain => maker.joined(size, |i| i.checked_sub(1)),
            SaddleKind::Tree => maker.joined(size, |i| i.checked_sub(1).map(|k| k / 2)),
            SaddleKind::FourBar => maker.four_bars(size),
            SaddleKind::Lattice => maker.lattice(size),
        }
        let Maker { builder, mass, jacobian } = maker;
        let pattern = builder.build()?;
        assert_eq!((mass.len(), jacobian.len()), (pattern.mass_len(), pattern.jacobian_len()));
        Ok(System { pattern, mass, jacobian, compliance: Vec::new() })
    }
}

type Block<const ROWS: usize, const COLUMNS: usize> = SMatrix<f64, ROWS, COLUMNS>;

/// A pattern in the making, with its numbers.
#[derive(Debug, Default)]
struct Maker {
    builder: PatternBuilder,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Maker {
    fn spatial(&mut self, block: &Matrix6<f64>) -> BodyId {
        for i in 0..6 {
            self.mass.extend((0..=i).map(|j| block[(i, j)]));
        }
        self.builder.body(6, MassBlock::Lower)
    }

    fn constraint<const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        on: &[(BodyId, Block<ROWS, COLUMNS>)],
    ) {
        let bodies: Vec<BodyId> = on.iter().map(|b| b.0).collect();
        self.builder.constraint(ROWS, &bodies);
        for (_, block) in on {
            for i in 0..ROWS {
                self.jacobian.extend((0..COLUMNS).map(|j| block[(i, j)]));
            }
        }
    }

    /// Spatial bodies, each on a revolute joint of its parent or of the ground.
    fn joined(&mut self, size: usize, parent: impl Fn(usize) -> Option<usize>) {
        let mut rng = Rng::new(1);
        let end = Vector3::new(0.15, 0.0, 0.0);
        let mut bodies: Vec<(BodyId, Rotation3<f64>)> = Vec::new();
        for _ in 0..size {
            let turn = rotation(&mut rng, 1.5);
            let centre = turn * Vector3::new(0.02, 0.01, -0.015);
            let block = spatial_mass(1.0, &turn, [1e-3, 8e-3, 8.2e-3], centre);
            bodies.push((self.spatial(&block), turn));
        }
        for i in 0..size {
            let (body, turn) = bodies[i];
            let axis = turn * Vector3::z();
            let own = revolute(-1.0, turn * -end, axis);
            match parent(i) {
                None => self.constraint(&[(body, own)]),
                Some(p) => {
                    let (parent, turn) = bodies[p];
                    self.constraint(&[(parent, revolute(1.0, turn * end, axis)), (body, own)]);
                }
            }
        }
    }

    /// `size + 1` cranks of 1 m and 1 kg, 1 m apart, and as many couplers as there are gaps.
    fn four_bars(&mut self, size: usize) {
        let (s, c) = 1.1f64.sin_cos();
        let rod = |maker: &mut Maker| {
            maker.mass.extend([1.0, 1.0, 1.0 / 12.0]);
            maker.builder.body(3, MassBlock::Diagonal)
        };
        let pin = |sign: f64, [x, y]: [f64; 2]| {
            Block::<2, 3>::new(sign, 0.0, -sign * y, 0.0, sign, sign * x)
        };
        let (mut cranks, mut couplers) = (Vec::new(), Vec::new());
        for i in 0..=size {
            cranks.push(rod(self));
            if i < size {
                couplers.push(rod(self));
            }
        }
        let tip = [0.5 * c, 0.5 * s];
        for i in 0..=size {
            self.constraint(&[(cranks[i], pin(1.0, [-tip[0], -tip[1]]))]);
            if i < size {
                let other = pin(-1.0, [-0.5, 0.0]);
                self.constraint(&[(cranks[i], pin(1.0, tip)), (couplers[i], other)]);
            }
            if i > 0 {
                let other = pin(-1.0, [0.5, 0.0]);
                self.constraint(&[(cranks[i], pin(1.0, tip)), (couplers[i - 1], other)]);
            }
        }
    }

    /// Plates about 1 m apart; a corner of the first one is held.
    fn lattice(&mut self, size: usize) {
        let mut rng = Rng::new(2);
        let mut plates = Vec::new();
        for k in 0..size * size {
            let turn = rotation(&mut rng, 0.8);
            let block = spatial_mass(1.0, &turn, [0.1, 0.1, 0.18], Vector3::zeros());
            let shift = Vector3::from_fn(|_, _| rng.symmetric(0.25));
            let place = Vector3::new((k % size) as f64, (k / size) as f64, 0.0) + shift;
            plates.push((self.spatial(&block), place));
        }
        let corner = Vector3::new(-0.5, -0.5, 0.0);
        self.constraint(&[(plates[0].0, point(1.0, corner))]);
        for k in 0..size * size {
            let right = (k % size + 1 < size).then_some(k + 1);
            let above = (k / size + 1 < size).then_some(k + size);
            for other in [right, above].into_iter().flatten() {
                let ((a, here), (b, there)) = (plates[k], plates[other]);
                let lever = 0.5 * (there - here);
                self.constraint(&[(a, point(1.0, lever)), (b, point(-1.0, -lever))]);
            }
        }
    }
}

fn rotation(rng: &mut Rng, size: f64) -> Rotation3<f64> {
    Rotation3::new(Vector3::from_fn(|_, _| rng.symmetric(size)))
}

/// Inertia about a point from which the mass centre lies at `c`; unknowns are `[linear; angular]`.
fn spatial_mass(
    mass: f64,
    turn: &Rotation3<f64>,
    inertia: [f64; 3],
    c: Vector3<f64>,
) -> Matrix6<f64> {
    let about_centre =
        turn.matrix() * Matrix3::from_diagonal(&Vector3::from(inertia)) * turn.matrix().transpose();
    let s = c.cross_matrix();
    let mut block = Matrix6::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * mass));
    block.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-mass * s));
    block.fixed_view_mut::<3, 3>(3, 0).copy_from(&(mass * s));
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(about_centre - mass * s * s));
    block
}

/// Acceleration of the point at `u`.
fn point(sign: f64, u: Vector3<f64>) -> Block<3, 6> {
    let mut block = Block::<3, 6>::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * sign));
    block.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-sign * u.cross_matrix()));
    block
}

/// Acceleration of the point at `u`, angular acceleration across the axis.
fn revolute(sign: f64, u: Vector3<f64>, axis: Vector3<f64>) -> Block<5, 6> {
    let other = if axis.x.abs() < 0.8 { Vector3::x() } else { Vector3::y() };
    let across = axis.cross(&other).normalize();
    let mut block = Block::<5, 6>::zeros();
    block.fixed_view_mut::<3, 6>(0, 0).copy_from(&point(sign, u));
    block.fixed_view_mut::<1, 3>(3, 3).copy_from(&(-sign * across.transpose()));
    block.fixed_view_mut::<1, 3>(4, 3).copy_from(&(-sign * axis.cross(&across).transpose()));
    block
}

/// A sparse matrix by columns.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Where every column starts, and the number of entries.
    pub start: Vec<usize>,
    /// Rows of the entries, ascending in a column.
    pub rows: Vec<usize>,
    /// Values of the entries.
    pub values: Vec<f64>,
}

impl Columns {
    fn new(size: usize, mut triples: Vec<(usize, usize, f64)>) -> Self {
        triples.sort_by_key(|&(row, column, _)| (column, row));
        let mut start = vec![0; size + 1];
        for &(_, column, _) in &triples {
            start[column + 1] += 1;
        }
        for j in 0..size {
            start[j + 1] += start[j];
        }
        let rows = triples.iter().map(|t| t.0).collect();
        Columns { start, rows, values: triples.iter().map(|t| t.2).collect() }
    }

    /// The transposed matrix, which must be square.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let triples = self.iter().map(|(row, column, value)| (column, row, value));
        Columns::new(self.start.len() - 1, triples.collect())
    }

    /// Row, column and value of all entries.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.start.len() - 1).flat_map(move |j| {
            (self.start[j]..self.start[j + 1]).map(move |e| (self.rows[e], j, self.values[e]))
        })
    }
}

/// `[M Jᵀ; J −C]` as other solvers take it, with a right-hand side of known solution.
#[derive(Clone, Debug)]
pub struct SaddleMatrix {
    /// Number of rows of M.
    pub unknowns: usize,
    /// The lower triangle with all of the diagonal, zeros too.
    pub lower: Columns,
    /// Both triangles, without zeros that are not given.
    pub full: Columns,
    /// The solution from which `rhs` was computed.
    pub truth: Vec<f64>,
    /// The right-hand side.
    pub rhs: Vec<f64>,
    /// Largest sum of absolute values of a row.
    norm: f64,
}

impl SaddleMatrix {
    /// From a matrix by its lower triangle.
    pub fn new(matrix: &MatrixMarket, unknowns: usize) -> Self {
        let size = matrix.rows;
        let (mut lower, mut full) = (Vec::new(), Vec::new());
        let mut has_diagonal = vec![false; size];
        for (&(row, column), &value) in matrix.entries.iter().zip(&matrix.values) {
            let (i, j) = (row as usize, column as usize);
            lower.push((i.max(j), i.min(j), value));
            full.push((i, j, value));
            if i == j {
                has_diagonal[i] = true;
            } else {
                full.push((j, i, value));
            }
        }
        lower.extend((0..size).filter(|&i| !has_diagonal[i]).map(|i| (i, i, 0.0)));
        let (lower, full) = (Columns::new(size, lower), Columns::new(size, full));
        let truth: Vec<f64> = (0..size).map(|i| (1.0 + 0.37 * i as f64).sin() + 0.1).collect();
        let (mut rhs, mut sums) = (vec![0.0; size], vec![0.0; size]);
        for (row, column, value) in full.iter() {
            rhs[row] += value * truth[column];
            sums[row] += value.abs();
        }
        let norm = largest(&sums);
        SaddleMatrix { unknowns, lower, full, truth, rhs, norm }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.rhs.len()
    }

    /// `rhs − K x` into `residual`; its largest entry relative to `‖K‖ ‖x‖ + ‖rhs‖`.
    pub fn residual(&self, x: &[f64], residual: &mut [f64]) -> f64 {
        residual.copy_from_slice(&self.rhs);
        for j in 0..self.size() {
            for e in self.full.start[j]..self.full.start[j + 1] {
                residual[self.full.rows[e]] -= self.full.values[e] * x[j];
            }
        }
        largest(residual) / (self.norm * largest(x) + largest(&self.rhs))
    }

    /// Largest error of the unknowns relative to the largest of them.
    pub fn error(&self, x: &[f64]) -> f64 {
        let n = self.unknowns;
        let errors: Vec<f64> = (0..n).map(|i| x[i] - self.truth[i]).collect();
        largest(&errors) / largest(&self.truth[..n])
    }
}

/// The largest magnitude; infinite if a number is not finite.
fn largest(list: &[f64]) -> f64 {
    list.iter()
        .fold(0.0, |most: f64, x| if x.is_finite() { most.max(x.abs()) } else { f64::INFINITY })
}
