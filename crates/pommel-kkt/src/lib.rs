//! Sparse saddle-point systems: the linear algebra of constrained motion and constrained optimization.
//!
//! ```text
//! ⎡ M   Jᵀ ⎤ ⎡ x ⎤   ⎡ f ⎤
//! ⎣ J  −C  ⎦ ⎣ λ ⎦ = ⎣ g ⎦
//! ```
//!
//! | here | meaning                                              | shape | in mechanics                   | in optimization        |
//! |------|------------------------------------------------------|-------|--------------------------------|------------------------|
//! | `M`  | symmetric, positive definite on what J leaves free   | n × n | masses and inertias            | Hessian                |
//! | `J`  | of any rank                                          | m × n | Jacobian of the constraints    | the same               |
//! | `C`  | symmetric, positive semidefinite, often zero         | m × m | compliance of the constraints  | slacks, regularization |
//! | `x`  | unknowns                                             | n     | accelerations or velocities    | the step               |
//! | `λ`  | multipliers                                          | m     | forces, `−Jᵀ λ` on the bodies  | multipliers            |
//! | `f`  | right-hand side                                      | n     | forces                         | −gradient              |
//! | `g`  | right-hand side                                      | m     | terms of velocities            | −residual              |
//!
//! Unknowns come in *bodies*, rows of J in *constraints*: blocks of a few that belong together. A
//! simulator knows them and says so ([`PatternBuilder`]); in matrices from elsewhere they are found
//! ([`Pattern::from_csc`], [`pattern::System`] for files in Matrix Market format).
//!
//! # Quick start
//!
//! ```
//! use pommel_kkt::pattern::MassBlock;
//! use pommel_kkt::{Analysis, PatternBuilder, Refinement, Values, Verdict, Workspace};
//!
//! fn main() -> Result<(), pommel_kkt::KktError> {
//!     // two particles in a plane: one on a rod to the ground, one on a rod to the first
//!     let mut builder = PatternBuilder::new();
//!     let upper = builder.body(2, MassBlock::Diagonal);
//!     let lower = builder.body(2, MassBlock::Diagonal);
//!     let hook = builder.constraint(1, &[upper]);
//!     let rod = builder.constraint(1, &[upper, lower]);
//!     // where the numbers of each block of J go
//!     let blocks = [(hook, upper), (rod, upper), (rod, lower)]
//!         .map(|(constraint, body)| builder.jacobian(constraint, body).expect("acts on it"));
//!     let pattern = builder.build()?;
//!
//!     // once: order of elimination, memory
//!     let analysis = Analysis::new(&pattern)?;
//!     let mut workspace = Workspace::new(&analysis);
//!     let mass = [2.0, 2.0, 3.0, 3.0];
//!     let mut jacobian = vec![0.0; pattern.jacobian_len()];
//!     let (mut rhs, mut solution) = ([0.0; 6], [0.0; 6]);
//!
//!     // at every step, without allocation: new numbers, factor, solve
//!     for angle in [0.3_f64, 0.2, 0.1] {
//!         let (s, c) = angle.sin_cos();
//!         jacobian[blocks[0].clone()].copy_from_slice(&[s, -c]);
//!         jacobian[blocks[1].clone()].copy_from_slice(&[-s, c]);
//!         jacobian[blocks[2].clone()].copy_from_slice(&[s, -c]);
//!         rhs[1] = -9.81 * mass[1];
//!         rhs[3] = -9.81 * mass[3];
//!         let mut factor = workspace.factorize(&Values::new(&mass, &jacobian))?;
//!         let report = factor.solve(&rhs, &mut solution, &Refinement::default())?;
//!         assert_eq!(report.verdict(0), Verdict::Good);
//!         // at rest, both rods in line: the hook bears both particles
//!         assert!((solution[4] - 5.0 * 9.81 * c).abs() < 1e-13);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The examples `simulator` (a chain of bodies, stepped through time) and `quadratic_program` (an
//! interior-point method) are whole programs around this crate.
//!
//! # How it works
//!
//! * **One analysis.** [`Analysis`] orders bodies and constraints by minimum degree. A constraint waits
//!   until it meets an eliminated body that is still free to move, or no body that is left, and no
//!   pivot is searched for: with full row rank on that body its pivot is definite. Where numbers deny
//!   that rank, the pivot may vanish, which a solution says ([`Verdict::Misplaced`]) and
//!   [`Analysis::for_values`] mends.
//! * **Many factorizations.** [`Workspace::factorize`] eliminates front by front, or by single numbers
//!   where blocks would hold mostly zeros (planar mechanisms, point masses, programs with a diagonal
//!   Hessian), with the numbers in the caller's own arrays, and never allocates. It is generic over
//!   [`pommel_math::Real`]: `f64`, `f32`, lanes, dual and counting numbers.
//! * **The same bits.** Sums are formed in one order, whatever the width of vectors and the number of
//!   threads: a system has the same solution alone and in a lane beside others.
//! * **Threads are the caller's.** One workspace a thread serves many systems; with the feature `rayon`
//!   the threads of a pool share the subtrees of a large one ([`Cost::subtrees`]).
//! * **Coordinates are partitioned** where bodies lack mass or masses differ too much
//!   ([`Analysis::for_values`]), or where asked ([`Options::partitioned`]): each row of J determines one
//!   unknown, and no pivot of a row depends on a mass. For planar mechanisms with few freedoms this is often the
//!   fastest way, too, but it is made for the position whose numbers it was given.
//! * **Bodies without mass** for which that takes too much work stand in fronts with all constraints on
//!   them, where pivots are chosen by size.
//!
//! # What an answer says
//!
//! A [`Factor`] tells [`Inertia`], rank and the rows that depend on others. Those rows are left out, and
//! their multipliers are zero. [`Factor::solve`] refines its solution and returns a [`Report`]: backward
//! error, estimated errors of unknowns and multipliers, and a [`Verdict`] lane by lane. A verdict is good,
//! or good with multipliers that are one choice of many, or it says what is wrong: rows that contradict
//! others, motions without mass, digits that were lost, numbers that overflow. A singular system is no
//! error: a mechanism may pass through a singular position, and the simulation knows.
//!
//! [`Verdict::Good`] does not mean a minimum: an optimizer checks that [`Factor::inertia`] is `(n, m, 0)`;
//! without C, that M is positive definite on what J leaves free.
//!
//! [`Factor::substitute`] leaves all of this out; it is the fastest way.
//!
//! [`Factor::pull_back`] gives derivatives of a solution by all numbers of the system,
//! [`MinimumNorm`] the shortest multipliers where rows depend on others,
//! [`Factor::condition_estimate`] how much errors of the numbers grow.
//!
//! Rows depend on others to within a tolerance ([`Options::tolerance`]): one whose part outside of the
//! span of others is below about 5·10⁻⁷ of its size is left out. Rows that were left out do not count
//! in backward error, condition and estimated errors; that they hold is checked to
//! [`Refinement::consistency`]. Where a difference that small means something, a smaller tolerance keeps
//! the row:
//!
//! ```
//! use pommel_kkt::{Analysis, Options, Pattern, Refinement, Values, Verdict, Workspace};
//!
//! // M = I, J = [1 1 1; 1 1 1 + 10⁻⁹]
//! let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)];
//! let pattern = Pattern::from_places(&[3], &[2], &[(0, 0), (1, 1), (2, 2)], &places, &[])?;
//! let rows = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0 + 1e-9];
//! let values = Values::new(&[1.0; 3], &rows);
//! let solve = |tolerance| -> Result<_, pommel_kkt::KktError> {
//!     let options = Options { tolerance, ..Options::default() };
//!     let analysis = Analysis::for_values(&pattern, &values, &options)?;
//!     let mut workspace = Workspace::new(&analysis);
//!     let mut factor = workspace.factorize(&values)?;
//!     let mut solution = [0.0; 5];
//!     let report = factor.solve(&[3.0; 5], &mut solution, &Refinement::default())?;
//!     Ok((report.verdict(0), factor.rank(0), solution))
//! };
//! // the rows are taken for one: x = (1, 1, 1)
//! let (verdict, rank, x) = solve(None)?;
//! assert_eq!((verdict, rank), (Verdict::GoodWithDependentRows { count: 1 }, 1));
//! assert!(x[..3].iter().all(|x| (x - 1.0_f64).abs() < 1e-8));
//! // both are kept: x = (1.5, 1.5, 0), and half of its digits are lost
//! let (_, rank, x) = solve(Some(0.0))?;
//! assert_eq!(rank, 2);
//! assert!((x[0] - 1.5).abs() < 1e-4 && x[2].abs() < 1e-4);
//! # Ok::<(), pommel_kkt::KktError>(())
//! ```
//!
//! Estimated errors are estimates, which may be too small by a small factor.
//!
//! # Numbers at hand, other scalars, threads
//!
//! [`Analysis::for_values`] takes numbers like those to come. Here a body has no mass and two
//! constraints hold it; numbers that are not finite are no error of it, and a solution says so.
//!
//! ```
//! use pommel_kkt::{Analysis, Options, Pattern, Refinement, Values, Verdict, Workspace};
//!
//! // M = diag(0, 2), J = [1 1; 1 −1]: x = (2, 1)
//! let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
//! let pattern = Pattern::from_places(&[1, 1], &[1, 1], &[(0, 0), (1, 1)], &places, &[])?;
//! let values = Values::new(&[0.0, 2.0], &[1.0, 1.0, 1.0, -1.0]);
//! let analysis = Analysis::for_values(&pattern, &values, &Options::default())?;
//! assert!(analysis.is_partitioned());
//! let mut workspace = Workspace::new(&analysis);
//! let mut factor = workspace.factorize(&values)?;
//! let mut solution = [0.0; 4];
//! let report = factor.solve(&[0.0, 2.0, 3.0, 1.0], &mut solution, &Refinement::default())?;
//! assert_eq!((report.verdict(0), solution), (Verdict::Good, [2.0, 1.0, 0.0, 0.0]));
//! # Ok::<(), pommel_kkt::KktError>(())
//! ```
//!
//! The same calls solve in `f32`, and several systems of one pattern side by side in
//! [`Lanes`](pommel_math::Lanes). `factorize` and `solve` choose the processor's vector instructions by
//! themselves; the scalars of [`with_lanes`](pommel_math::with_lanes) are vector registers.
//!
//! ```
//! use pommel_kkt::pommel_math::Lanes;
//! use pommel_kkt::{Analysis, Pattern, Refinement, Values, Workspace};
//!
//! // M x + λ = 4, x = 1
//! let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[(0, 0)], &[])?;
//! let analysis = Analysis::new(&pattern)?;
//!
//! let mut workspace = Workspace::<f32>::new(&analysis);
//! let mut solution = [0.0; 2];
//! let mut factor = workspace.factorize(&Values::new(&[2.0], &[1.0]))?;
//! factor.solve(&[4.0, 1.0], &mut solution, &Refinement::default())?;
//! assert_eq!(solution, [1.0, 2.0]);
//!
//! // M = 2 and M = 4
//! let mut workspace = Workspace::new(&analysis);
//! let (mass, row) = ([Lanes([2.0, 4.0])], [Lanes([1.0, 1.0])]);
//! let mut solution = [Lanes([0.0; 2]); 2];
//! let mut factor = workspace.factorize(&Values::new(&mass, &row))?;
//! let rhs = [Lanes([4.0, 4.0]), Lanes([1.0, 1.0])];
//! let report = factor.solve(&rhs, &mut solution, &Refinement::default())?;
//! assert_eq!(solution[1].0, [2.0, 0.0]);
//! assert!(report.is_good() && report.verdict(1).is_good());
//! # Ok::<(), pommel_kkt::KktError>(())
//! ```
//!
//! With the feature `rayon`, the threads of a pool share one large factorization:
//!
//! ```
//! # #[cfg(feature = "rayon")] {
//! use pommel_kkt::{Analysis, Pattern, Values, Workspace};
//!
//! let pattern = Pattern::from_places(&[1], &[1], &[(0, 0)], &[(0, 0)], &[])?;
//! let mut workspace = Workspace::new(&Analysis::new(&pattern)?);
//! let values = Values::new(&[2.0], &[1.0]);
//! let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
//! let mut factor = pool.install(|| workspace.factorize_in_parallel(&values))?;
//! let mut solution = [0.0; 2];
//! factor.substitute(&[4.0, 1.0], &mut solution)?;
//! assert_eq!(solution, [1.0, 2.0]);
//! # }
//! # Ok::<(), pommel_kkt::KktError>(())
//! ```
//!
//! # Features
//!
//! None is on by default: `sprs` and `faer` make patterns from matrices of these crates, `serde` writes
//! and reads analyses, `rayon` has `Workspace::factorize_in_parallel`.
//!
//! # Left out on purpose
//!
//! Unsymmetric systems; complex numbers; several threads in one front or one solution; orders from
//! nested dissection, which would serve large meshes of two and three dimensions better. [`compare`] has
//! dense solvers of other kinds for checks, [`dense`] a factorization of small matrices.
//!
//! # Sources
//!
//! * `[ADD96]` P. R. Amestoy, T. A. Davis, I. S. Duff, *An approximate minimum degree ordering
//!   algorithm*, SIAM J. Matrix Anal. Appl. 17 (1996).
//! * `[DR83]` I. S. Duff, J. K. Reid, *The multifrontal solution of indefinite sparse symmetric linear
//!   equations*, ACM Trans. Math. Softw. 9 (1983).
//! * `[BP71]` J. R. Bunch, B. N. Parlett, *Direct methods for solving symmetric indefinite systems of
//!   linear equations*, SIAM J. Numer. Anal. 8 (1971).
//! * `[OP64]` W. Oettli, W. Prager, *Compatibility of approximate solution of linear equations with given
//!   error bounds for coefficients and right-hand sides*, Numer. Math. 6 (1964).
//! * `[WH82]` R. A. Wehage, E. J. Haug, *Generalized coordinate partitioning for dimension reduction in
//!   analysis of constrained dynamic systems*, J. Mech. Des. 104 (1982).
//! * `[Hig88]` N. J. Higham, *FORTRAN codes for estimating the one-norm of a real or complex matrix, with
//!   applications to condition estimation*, ACM Trans. Math. Softw. 14 (1988).

mod analysis;
pub mod compare;
pub mod dense;
mod error;
mod flat;
mod inertia;
mod minimum_norm;
mod numeric;
mod pairs;
pub mod pattern;

pub use analysis::{Analysis, Cost, Options};
pub use error::{KktError, Part};
pub use inertia::Inertia;
pub use minimum_norm::MinimumNorm;
pub use numeric::{Factor, Gradient, Refinement, Report, Verdict, Workspace};
pub use pattern::{Pattern, PatternBuilder, Values};
/// The scalars of this crate's interface.
pub use pommel_math;
