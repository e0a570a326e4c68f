//! Indices, hidden constraints, degrees of freedom.

use pommel_integrate::{
    Analysis, Dae, DaeError, DaeOptions, HiddenConstraint, Quasilinear, ReducedDae, analyze,
    consistent_state, structure,
};
use pommel_math::Real;

use super::assert_near;
use super::systems::*;

fn analysis<D: Dae>(dae: &D, t: f64, y: &[f64]) -> Analysis {
    analyze(dae, t, y, &DaeOptions::default()).unwrap()
}

/// Index, degrees of freedom, and constraints by level.
fn verdict(of: &Analysis) -> (usize, usize, &[usize]) {
    (of.index, of.degrees_of_freedom(), &of.levels)
}

#[test]
fn index_and_constraints_of_known_systems_are_found() {
    let parabola = analysis(&Quasilinear(Parabola), 0.0, &[0.6, -0.44, 1.0, 1.95, 0.0]);
    assert_eq!(verdict(&parabola), (3, 2, &[1, 1, 1][..]));
    let expected: &[(usize, &[usize])] = &[(2, &[1, 1, 1]), (3, &[1, 1]), (4, &[1])];
    for (level, (free, levels)) in expected.iter().enumerate() {
        let pendulum = analysis(&Pendulum { level }, 0.0, &Pendulum::state(0.5, 1.0));
        assert_eq!(verdict(&pendulum), (3 - level, *free, *levels));
        // here the pattern tells the same
        assert_eq!(pendulum.structure.index(), 3 - level);
        assert_eq!(pendulum.structure.degrees_of_freedom(), *free);
        assert!(pendulum.structure_holds);
    }
    let car = analysis(&CarAxis, 0.0, &[0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0]);
    assert_eq!(verdict(&car), (3, 4, &[2, 2, 2][..]));
    let circuit = analysis(&Circuit, 0.3, &[0.0; 3]);
    assert_eq!(verdict(&circuit), (1, 1, &[2][..]));
}

#[test]
fn an_ordinary_differential_equation_has_index_zero() {
    // implicit, but with a regular matrix [2 1; 1 1]
    let ode = Constant { n: 2, e: vec![2.0, 1.0, 1.0, 1.0], a: vec![0.0, 1.0, -1.0, 0.0] };
    let found = analysis(&ode, 0.0, &[1.0, 2.0]);
    assert_eq!(verdict(&found), (0, 2, &[][..]));
    assert_eq!((found.structure.index(), found.constraints.len()), (0, 0));
}

/// The pendulum is the example of \[Pry01\]; its offsets in first-order form follow by hand: the constraint
/// twice, the kinematic equations once.
#[test]
fn offsets_of_the_pendulum_are_those_by_hand() {
    let found = structure(&Pendulum { level: 0 }, 0.0, &[0.3, -0.9, 0.1, 0.2, 5.0]).unwrap();
    assert_eq!(found.equation_offsets, [1, 1, 0, 0, 2]);
    assert_eq!(found.component_offsets, [2, 2, 1, 1, 0]);
    let row = |i: usize| found.signature[5 * i..5 * (i + 1)].to_vec();
    assert_eq!(row(0), [Some(1), None, Some(0), None, None]);
    assert_eq!(row(3), [None, Some(0), None, Some(1), Some(0)]);
    assert_eq!(row(4), [Some(0), Some(0), None, None, None]);
}

/// The pattern says index 2 and one degree of freedom; differentiating by hand \[Zam19, eqs. 3.3 to 3.6\] says
/// 3 and none.
#[test]
fn numbers_find_an_index_above_that_of_the_pattern() {
    for constant in [false, true] {
        // at t = 0 an entry vanishes, which must not change the index
        for t in [0.0, 0.7] {
            let found = analysis(&Linear { constant }, t, &[0.0; 3]);
            assert_eq!(verdict(&found), (3, 0, &[1, 1, 1][..]));
            assert_eq!(found.structure.index(), 2);
            assert_eq!(found.structure.degrees_of_freedom(), 1);
            assert!(!found.structure_holds);
        }
    }
}

/// A linear system with constant coefficients of index 1 by its matrix pencil: the differences of equations
/// 0 and 1, and of 2 and 3, are algebraic, and with equation 4 they determine what `E y'` leaves open. Its
/// pattern has index 3, as patterns of index 1 may have any \[RMB00\].
#[test]
fn numbers_find_an_index_below_that_of_the_pattern() {
    let mut e = vec![0.0; 25];
    for (row, columns) in [(0, [1, 2]), (1, [1, 2]), (2, [3, 4]), (3, [3, 4])] {
        columns.iter().for_each(|j| e[5 * row + j] = 1.0);
    }
    let a = (0..25).map(|k| if k / 5 == k % 5 { -1.0 } else { 0.0 }).collect();
    let found = analysis(&Constant { n: 5, e, a }, 0.2, &[0.0; 5]);
    assert_eq!(found.structure.index(), 3);
    assert_eq!(verdict(&found), (1, 2, &[3][..]));
    // the Σ-method succeeds: its index is a bound
    assert!(found.structure_holds);
    assert_eq!(found.structure.degrees_of_freedom(), 2);
}

/// `y_{i+1}' = y_i − f_i`, `0 = y_0 …`: a nilpotent block of n equations has index n.
#[test]
fn a_nilpotent_block_has_the_index_of_its_size() {
    for n in 1..=8 {
        let mut e = vec![0.0; n * n];
        (0..n - 1).for_each(|i| e[i * n + i + 1] = 1.0);
        let a = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
        let block = Constant { n, e, a };
        let enough = DaeOptions::default().max_index(n);
        let found = analyze(&block, 0.4, &vec![0.0; n], &enough).unwrap();
        assert_eq!(verdict(&found), (n, 0, &vec![1; n][..]));
        let few = DaeOptions::default().max_index(n - 1);
        let error = analyze(&block, 0.4, &vec![0.0; n], &few).unwrap_err();
        // component n − 1 is known from its equation alone, component 0 needs all derivatives
        let DaeError::IndexAbove { limit, components } = error else { panic!("{error:?}") };
        assert_eq!((limit, components), (n - 1, vec![0]));
    }
}

#[test]
fn mixing_equations_in_time_changes_no_index() {
    for t in [0.0, 0.3, 0.785] {
        let mixed = analysis(&Mixed(Pendulum { level: 0 }), t, &Pendulum::state(0.5, 1.0));
        assert_eq!(verdict(&mixed), (3, 2, &[1, 1, 1][..]));
        // the pattern is full now and tells nothing
        assert!(!mixed.structure_holds || t == 0.0);
    }
}

/// Another system in other units: equation i and component i times powers of ten.
struct InUnits<D> {
    dae: D,
    equations: [i32; 5],
    components: [i32; 5],
}

impl<D: Dae> Dae for InUnits<D> {
    fn dim(&self) -> usize {
        5
    }
    fn residual<S: Real>(&self, t: S, y: &[S], yp: &[S], r: &mut [S]) {
        let unit = |k: i32| S::from_f64(10_f64.powi(k));
        let y: [S; 5] = std::array::from_fn(|j| unit(-self.components[j]) * y[j]);
        let yp: [S; 5] = std::array::from_fn(|j| unit(-self.components[j]) * yp[j]);
        self.dae.residual(t, &y, &yp, r);
        r.iter_mut().zip(self.equations).for_each(|(r, k)| *r *= unit(k));
    }
}

/// Ranks are those of scaled matrices.
#[test]
fn units_change_no_index() {
    for (equations, components) in [
        ([6, -6, 4, -4, 8], [0; 5]),
        ([0; 5], [3, 3, 3, 3, 6]),
        ([-3, 2, 0, 5, 1], [-3, -3, -4, -4, 5]),
    ] {
        let state = Pendulum::state(0.5, 1.0);
        let y: Vec<f64> = state.iter().zip(components).map(|(y, k)| 10_f64.powi(k) * y).collect();
        let dae = InUnits { dae: Pendulum { level: 0 }, equations, components };
        let found = analysis(&dae, 0.0, &y);
        assert_eq!(verdict(&found), (3, 2, &[1, 1, 1][..]), "{equations:?} {components:?}");
    }
}

/// At states off the constraints, too: residuals are those printed, up to the sign of `E y' − G`.
#[test]
fn hidden_constraints_are_the_printed_ones() {
    let dae = Quasilinear(Parabola);
    let options = DaeOptions::default();
    let start =
        consistent_state(&dae, 0.0, &[0.6, -0.44, 1.0, 1.95, 0.0], &[false; 5], &options).unwrap();
    let mut reduced = ReducedDae::new(dae, &start, &options).unwrap();
    let constraint = |differentiated| HiddenConstraint { equation: 4, differentiated };
    let constraints: Vec<HiddenConstraint> = reduced.constraints().collect();
    assert_eq!(constraints, [constraint(0), constraint(1), constraint(2)]);
    for state in
        [[0.6, -0.44, 1.0, 1.95, 0.3], [0.5, -0.3, -0.7, 1.2, 2.0], [0.9, 0.4, 0.2, 3.0, -4.0]]
    {
        let mut found = [0.0; 3];
        reduced.residuals(0.0, &state, &mut found).unwrap();
        let printed = Parabola::printed(&state);
        // terms reach 60
        assert_near(&found, &printed, 64.0 * 8.0 * f64::EPSILON);
    }
}

/// `alg1`, `alg2`, `alg3` of \[Zam19, eq. 3.8\].
#[test]
fn hidden_constraints_of_the_linear_system_are_the_printed_ones() {
    let dae = Linear { constant: false };
    let options = DaeOptions::default();
    let start = consistent_state(&dae, 0.0, &[0.0; 3], &[false; 3], &options).unwrap();
    assert_near(&start.y, &dae.exact(0.0), 1e-14);
    let mut reduced = ReducedDae::new(dae, &start, &options).unwrap();
    let (t, x) = (1.3_f64, [0.2, 0.7, -0.4]);
    let mut found = [0.0; 3];
    reduced.residuals(t, &x, &mut found).unwrap();
    // with q' = (cos t, 0, 0): the derivatives of `q3 − t x2 − x3`
    let printed = [2.0 - t * x[1] - x[2], x[1] - 1.0, t.sin() - x[0]];
    assert_near(&found, &printed, 1e-14);
}

/// A rank that is not clear is an error, unless the caller says where the border is.
#[test]
fn an_ambiguous_rank_is_refused() {
    let nearly =
        Constant { n: 2, e: vec![1.0, 1.0, 1.0, 1.0 + 2e-9], a: vec![-1.0, 0.0, 0.0, -1.0] };
    let with = |tolerance| {
        let options = DaeOptions::default().rank_tolerance(tolerance);
        analyze(&nearly, 0.0, &[1.0, 1.0], &options).map(|found| found.index)
    };
    // singular values 2 and 1e-9
    let Err(DaeError::AmbiguousRank { order: 0, value, .. }) = with(1e-9) else {
        panic!("{:?}", with(1e-9))
    };
    assert!((value / 1e-9 - 1.0).abs() < 0.01, "{value:e}");
    assert_eq!(with(1e-12), Ok(0));
    assert_eq!(with(1e-6), Ok(1));
}

/// `y0' = y1`, `0 = y1² − y0`: index 1 but where y1 = 0, an impasse.
struct Impasse;

impl Dae for Impasse {
    fn dim(&self) -> usize {
        2
    }
    fn residual<S: Real>(&self, _t: S, y: &[S], yp: &[S], r: &mut [S]) {
        r[0] = yp[0] - y[1];
        r[1] = y[1] * y[1] - y[0];
    }
}

/// `t y = sin t`: the equation vanishes at t = 0.
struct Vanishing;

impl Dae for Vanishing {
    fn dim(&self) -> usize {
        1
    }
    fn residual<S: Real>(&self, t: S, y: &[S], _yp: &[S], r: &mut [S]) {
        r[0] = t * y[0] - t.sin_cos().0;
    }
}

#[test]
fn states_where_ranks_change_are_told() {
    assert_eq!(verdict(&analysis(&Impasse, 0.0, &[0.25, 0.5])), (1, 1, &[1][..]));
    let options = DaeOptions::default();
    let error = analyze(&Impasse, 0.0, &[0.0, 0.0], &options).unwrap_err();
    assert!(matches!(error, DaeError::RankChanges { nearby: Some((1, 1)), .. }), "{error:?}");
    assert_eq!(verdict(&analysis(&Vanishing, 1.0, &[0.0])), (1, 0, &[1][..]));
    let error = analyze(&Vanishing, 0.0, &[0.0], &options).unwrap_err();
    let expected = DaeError::RankChanges { t: 0.0, here: None, nearby: Some((1, 1)) };
    assert_eq!(error, expected);
}

#[test]
fn an_analysis_is_told_in_words() {
    let found = analysis(&Linear { constant: false }, 0.0, &[0.0; 3]).to_string();
    for part in ["differentiation index 3", "structural index 2", "not valid", "[1, 1, 1]"] {
        assert!(found.contains(part), "{found}");
    }
}
