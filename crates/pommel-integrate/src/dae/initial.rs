//! Analysis of a system at a state, and consistent initial values.

use super::array::DerivativeArray;
use super::completion::{Completion, Derivatives};
use super::levels::{Chain, Levels};
use super::rank::{Scales, Svd};
use super::search::Search;
use super::structure::scatter;
use super::{Analysis, Dae, DaeError, DaeOptions, HiddenConstraint, Structure, check_input};

/// How far away, relatively, a second state is looked at, to see whether ranks are constant.
const NEARBY: f64 = 1e-4;

/// Entries below this do not make a component depend on a constraint.
const SHARE: f64 = 1e-8;

/// A component that initialization changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The component.
    pub component: usize,
    /// Its guess.
    pub from: f64,
    /// Its consistent value.
    pub to: f64,
}

/// A state that satisfies a system, its derivative, and what was found about the system there.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsistentState {
    /// Time.
    pub t: f64,
    /// The state, length n.
    pub y: Vec<f64>,
    /// Its derivative y', length n.
    pub derivative: Vec<f64>,
    /// Components that differ from their guesses by more than rounding.
    pub moved: Vec<Moved>,
    /// As many components as there are degrees of freedom, whose values may be chosen freely and then
    /// determine the others nearby; held ones are among them as far as they may be. Other choices may be
    /// possible.
    pub free: Vec<usize>,
    /// Components whose values follow from the time alone: no choice contains them.
    pub determined: Vec<usize>,
    /// Index and constraints.
    pub analysis: Analysis,
    /// Taylor coefficients of y, up to one more than the index.
    pub(super) coefficients: Vec<f64>,
    pub(super) chains: Vec<Chain>,
    pub(super) scales: Vec<f64>,
}

/// The analysis of a system at the consistent state next to a guess: its indices, its hidden constraints.
///
/// # Arguments
/// - `t`, `y` time, and a guess of the state, length n
///
/// # Errors
/// Those of [`consistent_state`], without contradictions.
pub fn analyze<D: Dae>(
    dae: &D,
    t: f64,
    y: &[f64],
    options: &DaeOptions,
) -> Result<Analysis, DaeError> {
    consistent_state(dae, t, y, &vec![false; y.len()], options).map(|state| state.analysis)
}

/// Consistent initial values near a guess, with the values of some components held.
///
/// The equations are differentiated until they determine y', the derivative array is solved by Gauss-Newton
/// steps for y and its derivatives, and the change of y is the shortest (in the Euclidean norm of its
/// components) to first order. Ranks are looked at again at a second consistent state close by.
///
/// # Arguments
/// - `t`    time
/// - `y`    guess of the state, length n; algebraic components may be anything finite, though a good guess
///   decides which of several solutions is found
/// - `held` length n: components that keep the value of the guess; the free choice of the caller
///
/// # Errors
/// * [`DaeError::Contradiction`] if held values cannot be kept, with their components;
/// * [`DaeError::StructurallySingular`], [`DaeError::Singular`] for systems that do not determine their
///   solutions, with equations and components; [`DaeError::IndexAbove`];
/// * [`DaeError::AmbiguousRank`], [`DaeError::RankChanges`] where ranks cannot be told or hold at that
///   state only;
/// * [`DaeError::NoConsistentState`] if the search does not converge; [`DaeError::NonFinite`] where the
///   residual does not exist;
/// * [`DaeError::Dimension`], [`DaeError::Empty`], [`DaeError::Time`], [`DaeError::State`],
///   [`DaeError::RankTolerance`], [`DaeError::MaxIndex`] for input that makes no sense.
///
/// # Source
/// What \[Zam19, section 3\] does with formulas; derivative arrays \[BCP96\].
///
/// ```
/// use pommel_integrate::{Dae, DaeOptions, consistent_state};
/// use pommel_math::Real;
///
/// /// A pendulum of 1 m in Cartesian coordinates: (x, y, u, v, λ).
/// struct Pendulum;
///
/// impl Dae for Pendulum {
///     fn dim(&self) -> usize {
///         5
///     }
///     fn residual<S: Real>(&self, _t: S, s: &[S], sp: &[S], r: &mut [S]) {
///         let [x, y, u, v, lambda] = [s[0], s[1], s[2], s[3], s[4]];
///         r[0] = sp[0] - u;
///         r[1] = sp[1] - v;
///         r[2] = sp[2] + x * lambda;
///         r[3] = sp[3] + y * lambda + S::from_f64(9.81);
///         r[4] = x * x + y * y - S::one();
///     }
/// }
///
/// // x and u are chosen; y, v and λ follow
/// let held = [true, false, true, false, false];
/// let guess = [0.6, -1.0, 0.8, 0.0, 0.0];
/// let state = consistent_state(&Pendulum, 0.0, &guess, &held, &DaeOptions::default())?;
/// assert_eq!(state.analysis.index, 3);
/// assert_eq!(state.free, [0, 2]);
/// let expected = [0.6, -0.8, 0.8, 0.6, 1.0 + 9.81 * 0.8];
/// assert!(state.y.iter().zip(expected).all(|(y, e)| (y - e).abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn consistent_state<D: Dae>(
    dae: &D,
    t: f64,
    y: &[f64],
    held: &[bool],
    options: &DaeOptions,
) -> Result<ConsistentState, DaeError> {
    options.check()?;
    check_input(dae, t, y)?;
    if held.len() != y.len() {
        return Err(DaeError::Dimension { expected: y.len(), found: held.len() });
    }
    let structure = super::structure(dae, t, y)?;
    let found = examine(dae, t, y, held, options);
    let here = match &found {
        Ok(found) => found.levels.verdict(),
        Err(DaeError::Singular { .. } | DaeError::IndexAbove { .. }) => None,
        Err(_) => return found.and_then(|found| found.state(dae, t, y, held, structure, options)),
    };
    let center = found.as_ref().map_or(y, |found| &found.c[..y.len()]);
    if let Some(nearby) = verdict_nearby(dae, t, center, options)
        && here != Some(nearby)
    {
        return Err(DaeError::RankChanges { t, here, nearby: Some(nearby) });
    }
    found?.state(dae, t, y, held, structure, options)
}

/// Index and constraints at a consistent state close to one, where they can be told.
fn verdict_nearby<D: Dae>(
    dae: &D,
    t: f64,
    y: &[f64],
    options: &DaeOptions,
) -> Option<(usize, usize)> {
    let away = |x: f64, seed: usize| x + NEARBY * (1.0 + x.abs()) * scatter(seed);
    let y: Vec<f64> = y.iter().enumerate().map(|(j, y)| away(*y, j + 1)).collect();
    let found = examine(dae, away(t, 0), &y, &vec![false; y.len()], options).ok()?;
    found.levels.verdict()
}

/// A derivative array that determines y', at consistent values.
struct Found {
    array: DerivativeArray,
    levels: Levels,
    c: Vec<f64>,
}

/// Differentiates until y' is determined.
fn examine<D: Dae>(
    dae: &D,
    t: f64,
    y: &[f64],
    held: &[bool],
    options: &DaeOptions,
) -> Result<Found, DaeError> {
    let n = y.len();
    let search = Search {
        dae,
        t,
        held,
        iterations: options.max_iterations,
        tolerance: options.rank_tolerance,
    };
    let mut c = y.to_vec();
    let mut open = Vec::new();
    for order in 0..=options.max_index {
        c[..n].copy_from_slice(y);
        c.resize(n * (order + 2), 0.0);
        let mut array = DerivativeArray::new(n, order);
        search.run(&mut array, &mut c)?;
        let mut levels = Levels::new(n, order);
        levels.find(&array, options.rank_tolerance).map_err(|error| error.at(t))?;
        if levels.index().is_some() {
            return Ok(Found { array, levels, c });
        }
        open = (0..n).filter(|&v| levels.is_open(order, v, options.rank_tolerance)).collect();
    }
    Err(DaeError::IndexAbove { limit: options.max_index, components: open })
}

impl Found {
    fn state<D: Dae>(
        self,
        dae: &D,
        t: f64,
        guess: &[f64],
        held: &[bool],
        structure: Structure,
        options: &DaeOptions,
    ) -> Result<ConsistentState, DaeError> {
        let n = guess.len();
        let Found { array, levels, mut c } = self;
        let index = levels.index().unwrap_or(array.order());
        c.truncate(n * (index + 2));
        let chains = levels.chains().to_vec();
        let structure_holds =
            structure_holds(&array, &structure, options).map_err(|error| error.at(t))?;
        let mut completion = Completion::new(n, index, &chains, levels.equation_scales());
        let mut of = Derivatives::new(c, n, completion.count());
        completion.solve(dae, t, &mut of)?;
        completion.linearize(dae, t, &of)?;
        let rows = constraint_jacobian(&mut completion, n);
        let free = free_components(rows.clone(), n, held);
        let determined = determined_components(&rows, n, options).map_err(|error| error.at(t))?;
        let constraints = chains.iter().flat_map(|chain| {
            (0..chain.length)
                .map(|differentiated| HiddenConstraint { equation: chain.equation, differentiated })
        });
        let analysis = Analysis {
            index,
            structure,
            structure_holds,
            levels: (0..index).map(|k| levels.count(k)).collect(),
            constraints: constraints.collect(),
        };
        let y = of.c[..n].to_vec();
        let moves = y.iter().zip(guess).enumerate();
        let moved = moves
            .filter(|(_, (y, guess))| (*y - *guess).abs() > 1e-12 * (1.0 + guess.abs()))
            .map(|(component, (&to, &from))| Moved { component, from, to });
        Ok(ConsistentState {
            t,
            derivative: of.c[n..2 * n].to_vec(),
            moved: moved.collect(),
            y,
            free,
            determined,
            analysis,
            coefficients: of.c,
            chains,
            scales: levels.equation_scales().to_vec(),
        })
    }
}

/// Whether the system Jacobian of the Σ-method has an inverse at the state \[Pry01\].
fn structure_holds(
    array: &DerivativeArray,
    structure: &Structure,
    options: &DaeOptions,
) -> Result<bool, super::error::RankError> {
    let n = array.n();
    let entry = |i: usize, j: usize| match structure.signature[i * n + j] {
        Some(sigma) if structure.is_tight(i, j) => array.jacobian(i, j + n * usize::from(sigma)),
        _ => 0.0,
    };
    let mut scales = Scales::new(n, n);
    scales.fit(entry);
    let mut svd = Svd::new(n, n);
    svd.decompose(|i, j| scales.rows[i] * entry(i, j) * scales.columns[j])?;
    Ok(svd.rank(options.rank_tolerance, 0)? == n)
}

/// Derivatives of the hidden constraints by y, row by row, each scaled to a largest entry of 1.
fn constraint_jacobian(completion: &mut Completion, n: usize) -> Vec<f64> {
    let count = completion.count();
    let mut rows = vec![0.0; count * n];
    for v in 0..n {
        completion.sensitivity(v, |_, kappa| {
            kappa.iter().enumerate().for_each(|(k, x)| rows[k * n + v] = *x);
        });
    }
    for row in rows.chunks_exact_mut(n) {
        let largest = row.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        if largest > 0.0 {
            row.iter_mut().for_each(|x| *x /= largest);
        }
    }
    rows
}

/// Components without a pivot in an elimination with full pivoting that prefers components not held.
fn free_components(mut rows: Vec<f64>, n: usize, held: &[bool]) -> Vec<usize> {
    let count = rows.len() / n;
    let mut dependent = vec![false; n];
    for k in 0..count {
        let mut pivot = (0.0, k, 0);
        for only_held in [false, true] {
            for i in k..count {
                for j in (0..n).filter(|&j| held[j] == only_held && !dependent[j]) {
                    if rows[i * n + j].abs() > pivot.0 {
                        pivot = (rows[i * n + j].abs(), i, j);
                    }
                }
            }
            if pivot.0 > SHARE {
                break;
            }
        }
        let (size, i, j) = pivot;
        if size == 0.0 {
            break;
        }
        dependent[j] = true;
        for v in 0..n {
            rows.swap(k * n + v, i * n + v);
        }
        let (above, below) = rows.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n..];
        for row in below.chunks_exact_mut(n) {
            let factor = row[j] / pivot_row[j];
            row.iter_mut().zip(pivot_row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    (0..n).filter(|&j| !dependent[j]).collect()
}

/// Components that no vector of the null space changes.
fn determined_components(
    rows: &[f64],
    n: usize,
    options: &DaeOptions,
) -> Result<Vec<usize>, super::error::RankError> {
    let count = rows.len() / n;
    let mut svd = Svd::new(count, n);
    svd.decompose(|i, j| rows[i * n + j])?;
    let rank = if count == 0 { 0 } else { svd.rank(options.rank_tolerance, 0)? };
    let moves = |v: usize| (rank..n).any(|j| svd.v(v, j).abs() > SHARE);
    Ok((0..n).filter(|&v| !moves(v)).collect())
}
