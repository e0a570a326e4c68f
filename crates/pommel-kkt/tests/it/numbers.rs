//! Systems that are eliminated by single numbers: M diagonal, few entries in J.

use nalgebra::DMatrix;
use pommel_kkt::compare::{DenseKkt, NullSpace, RangeSpace, SaddleSolver};
use pommel_kkt::{
    Analysis, Inertia, KktError, Options, Pattern, Refinement, Values, Verdict, Workspace,
};
use pommel_math::{Lanes, Real};
use pommel_testkit::Rng;

struct Sparse {
    pattern: Pattern,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    compliance: Vec<f64>,
}

impl Sparse {
    /// `widths` of bodies; entries of J and of the diagonal of C.
    fn new(
        widths: &[usize],
        mass: &[f64],
        rows: &[usize],
        jacobian: &[(usize, usize, f64)],
        compliance: &[(usize, f64)],
    ) -> Self {
        let diagonal: Vec<_> = (0..mass.len()).map(|i| (i, i)).collect();
        let places: Vec<_> = jacobian.iter().map(|e| (e.0, e.1)).collect();
        let soft: Vec<_> = compliance.iter().map(|e| (e.0, e.0)).collect();
        Sparse {
            pattern: Pattern::from_places(widths, rows, &diagonal, &places, &soft).expect("places"),
            mass: mass.to_vec(),
            jacobian: jacobian.iter().map(|e| e.2).collect(),
            compliance: compliance.iter().map(|e| e.1).collect(),
        }
    }

    fn random(rng: &mut Rng) -> Self {
        let bodies = 1 + rng.below(6);
        let widths: Vec<usize> = (0..bodies).map(|_| 1 + rng.below(3)).collect();
        let n: usize = widths.iter().sum();
        let rows: Vec<usize> = (0..rng.below(5)).map(|_| 1 + rng.below(2)).collect();
        let m: usize = rows.iter().sum();
        let mut jacobian = Vec::new();
        for row in 0..m {
            let mut columns: Vec<usize> = (0..1 + rng.below(3)).map(|_| rng.below(n)).collect();
            columns.sort_unstable();
            columns.dedup();
            jacobian.extend(columns.into_iter().map(|c| (row, c, rng.symmetric(2.0))));
        }
        let mass: Vec<f64> = (0..n).map(|_| rng.uniform(0.5, 2.0)).collect();
        let end = if rng.below(3) == 0 { m } else { 0 };
        let soft: Vec<_> = (0..end).step_by(3).map(|row| (row, rng.uniform(0.5, 1.0))).collect();
        Sparse::new(&widths, &mass, &rows, &jacobian, &soft)
    }

    fn values(&self) -> Values<'_, f64> {
        Values { mass: &self.mass, jacobian: &self.jacobian, compliance: &self.compliance }
    }

    fn len(&self) -> usize {
        self.pattern.unknowns() + self.pattern.rows()
    }

    fn dense(&self) -> DMatrix<f64> {
        let n = self.pattern.unknowns();
        let mut k = DMatrix::zeros(self.len(), self.len());
        for (i, j, e) in self.pattern.mass_entries() {
            k[(i, j)] = self.mass[e];
        }
        for (i, j, e) in self.pattern.jacobian_entries() {
            (k[(n + i, j)], k[(j, n + i)]) = (self.jacobian[e], self.jacobian[e]);
        }
        for (i, j, e) in self.pattern.compliance_entries() {
            k[(n + i, n + j)] = -self.compliance[e];
        }
        k
    }

    /// The program of one pivot after the other.
    fn analysis(&self) -> Analysis {
        let analysis = Analysis::new(&self.pattern).expect("small");
        assert!(analysis.front_sizes().all(|(pivots, _)| pivots == 1));
        assert_eq!(analysis.front_sizes().count(), self.len());
        analysis
    }
}

/// Inertia, rank, verdict, and the bits of the solution without refinement.
type Outcome = (Inertia, usize, Verdict, Vec<u64>);

fn solve<T: Real>(workspace: &mut Workspace<T>, values: &Values<'_, T>) -> Vec<Outcome> {
    let mut factor = workspace.factorize(values).expect("lengths");
    let rhs: Vec<T> = (0..factor.len()).map(|i| T::from_f64((0.7 + i as f64).sin())).collect();
    let mut raw = vec![T::zero(); rhs.len()];
    factor.substitute(&rhs, &mut raw).expect("lengths");
    let mut solution = raw.clone();
    let report = factor.solve(&rhs, &mut solution, &Refinement::quick()).expect("lengths");
    let outcome = |lane| {
        let bits = raw.iter().map(|x| x.lane(lane).to_bits()).collect();
        (factor.inertia(lane), factor.rank(lane), report.verdict(lane), bits)
    };
    (0..T::LANES).map(outcome).collect()
}

/// Masses of both signs are outside of mechanics, not of programming: what is subtracted may cancel.
#[test]
fn lanes_and_used_workspaces_have_the_bits_of_a_fresh_one() {
    let mut rng = Rng::new(31);
    let mut turned = 0;
    for _ in 0..2000 {
        let one = Sparse::random(&mut rng);
        let analysis = one.analysis();
        let mut others = [(); 4].map(|()| one.mass.clone());
        for mass in &mut others[2..] {
            mass.iter_mut().filter(|_| rng.below(3) == 0).for_each(|m| *m = -*m);
        }
        turned += usize::from(others[3] != one.mass);
        let jacobian = [(); 4].map(|()| rng.list(one.jacobian.len(), 1.0));
        let pack = |lists: &[Vec<f64>; 4]| -> Vec<Lanes<4>> {
            (0..lists[0].len()).map(|e| Lanes::from_lanes(|lane| lists[lane][e])).collect()
        };
        let (mass, packed) = (pack(&others), pack(&jacobian));
        let compliance = pack(&[(); 4].map(|()| one.compliance.clone()));
        let values = Values { mass: &mass, jacobian: &packed, compliance: &compliance };
        let mut workspace = Workspace::new(&analysis);
        let lanes = solve(&mut workspace, &values);
        assert_eq!(lanes, solve(&mut workspace, &values), "again");
        let mut used = Workspace::new(&analysis);
        for lane in 0..4 {
            let values = Values {
                mass: &others[lane],
                jacobian: &jacobian[lane],
                compliance: &one.compliance,
            };
            assert_eq!(lanes[lane], solve(&mut used, &values)[0], "lane {lane}");
        }
    }
    assert!(turned > 1000, "{turned}");
}

/// Rank and inertia are those of eigenvalues, also with masses of both signs, or the order does not
/// suit the numbers.
#[test]
fn inertia_is_that_of_eigenvalues() {
    let mut rng = Rng::new(32);
    let (mut singular, mut misplaced, mut misjudged) = (0, 0, 0);
    for number in 0..3000 {
        let mut one = Sparse::random(&mut rng);
        if number % 2 == 0 {
            one.mass.iter_mut().filter(|_| rng.below(4) == 0).for_each(|m| *m = -*m);
        }
        let analysis = one.analysis();
        let mut workspace = Workspace::new(&analysis);
        let factor = workspace.factorize(&one.values()).expect("lengths");
        if factor.misplaced(0) > 0 {
            assert!(one.mass.iter().any(|m| *m < 0.0));
            misplaced += 1;
            continue;
        }
        let eigenvalues = one.dense().symmetric_eigenvalues();
        if eigenvalues.iter().any(|x| (1e-12..1e-9).contains(&x.abs())) {
            continue;
        }
        let expected = Inertia {
            positive: eigenvalues.iter().filter(|x| **x > 1e-10).count(),
            negative: eigenvalues.iter().filter(|x| **x < -1e-10).count(),
            zero: eigenvalues.iter().filter(|x| x.abs() < 1e-10).count(),
        };
        if factor.inertia(0) != expected {
            // small entries of J: rounding of the pivots before it is above the tolerance
            assert!(factor.cancellation(0) > 1e9, "{number}");
            misjudged += 1;
        }
        singular += usize::from(expected.zero > 0);
    }
    let counts = (singular, misplaced, misjudged);
    assert!(singular > 200 && misplaced < 10 && misjudged < 10, "{counts:?}");
}

/// What is subtracted counts, not what is left when it has cancelled.
#[test]
fn terms_that_cancel_are_no_pivot() {
    let jacobian = [(0, 0, 0.1), (0, 1, 0.2), (0, 2, 0.05f64.sqrt())];
    let singular = Sparse::new(&[1, 1, 1], &[1.0, 1.0, -1.0], &[1], &jacobian, &[]);
    let analysis = singular.analysis();
    let mut workspace = Workspace::new(&analysis);
    let factor = workspace.factorize(&singular.values()).expect("lengths");
    assert_eq!(factor.inertia(0), Inertia { positive: 2, negative: 1, zero: 1 });

    let root = 3f64.sqrt();
    let jacobian = [(0, 0, 0.7 * root), (0, 1, 0.7), (1, 0, 1.0), (1, 1, -0.4)];
    let regular = Sparse::new(&[1, 1], &[-0.3, 0.1], &[1, 1], &jacobian, &[]);
    let analysis = regular.analysis();
    let mut workspace = Workspace::new(&analysis);
    let factor = workspace.factorize(&regular.values()).expect("lengths");
    assert_eq!(factor.misplaced(0), 1);
}

/// An inverse that overflows is told by the factor, with the number to blame.
#[test]
fn a_mass_without_an_inverse_is_told() {
    let tiny = Sparse::new(&[1, 1], &[2.0, 1e-310], &[], &[], &[]);
    let analysis = tiny.analysis();
    let mut workspace = Workspace::new(&analysis);
    let factor = workspace.factorize(&tiny.values()).expect("lengths");
    assert!(matches!(factor.check_finite(0), Err(KktError::Overflow { entry: 1, .. })));
}

/// A constraint of many rows with two entries each: the order of blocks suits single numbers, although
/// a bound by blocks does not; what is written in a file is decided as before.
#[test]
fn wide_constraints_of_few_entries_are_no_blocks() {
    let count = 40;
    let jacobian: Vec<_> = (0..count - 1).flat_map(|i| [(i, i, 1.0), (i, i + 1, -0.5)]).collect();
    let wide = Sparse::new(&vec![1; count], &vec![1.0; count], &[count - 1], &jacobian, &[]);
    let analysis = wide.analysis();
    assert!(analysis.cost().multiply_adds < 10 * count as u64, "{:?}", analysis.cost());
}

#[test]
fn tolerances_are_shares() {
    let one = Sparse::new(&[1], &[1.0], &[1], &[(0, 0, 1.0)], &[]);
    for tolerance in [f64::NAN, -1.0, 1.0, f64::INFINITY] {
        let options = Options { tolerance: Some(tolerance), ..Options::default() };
        let error = Analysis::with_options(&one.pattern, &options).expect_err("refused");
        assert!(matches!(error, KktError::Tolerance { .. }), "{error}");
        assert!(error.to_string().contains("share"));
    }
}

/// Rows that say the same but for 1e-5: two by themselves, one where rows are known to be inexact.
#[test]
fn rows_that_are_inexact_depend_on_each_other_on_request() {
    let entries = [(0, 0, 1.0), (0, 1, -1.0), (1, 0, 2.0), (1, 1, -2.0 + 2e-5)];
    let rows = Sparse::new(&[1, 1], &[1.0, 3.0], &[1, 1], &entries, &[]);
    for partitioned in [Some(false), Some(true)] {
        let options = Options { partitioned, ..Options::default() };
        for (share, rank) in [(0.0, 2), (1e-6, 2), (1e-4, 1)] {
            // pairs are chosen for a tolerance; fronts and single numbers follow the workspace
            let tolerance = (partitioned == Some(true)).then_some(share * share);
            let options = Options { tolerance, ..options.clone() };
            let analysis = Analysis::for_values(&rows.pattern, &rows.values(), &options).unwrap();
            let mut workspace = Workspace::new(&analysis);
            for tolerance in [f64::NAN, -1.0, 1.0] {
                let error = workspace.set_tolerance(tolerance).expect_err("refused");
                assert!(matches!(error, KktError::Tolerance { .. }), "{error}");
            }
            workspace.set_tolerance(share * share).unwrap();
            let mut factor = workspace.factorize(&rows.values()).unwrap();
            assert_eq!((factor.rank(0), factor.misplaced(0)), (rank, 0), "{partitioned:?} {share}");
            let mut solution = [0.0; 4];
            factor.substitute(&[8.0, 0.0, 0.0, 0.0], &mut solution).unwrap();
            // as one, or not at all
            let expected = if rank == 1 { 2.0 } else { 0.0 };
            assert!((solution[0] - expected).abs() < 1e-4, "{partitioned:?} {share}: {solution:?}");
        }
    }
    let mut dense: [Box<dyn SaddleSolver<f64>>; 3] = [
        Box::new(DenseKkt::new(&rows.pattern)),
        Box::new(RangeSpace::new(&rows.pattern)),
        Box::new(NullSpace::new(&rows.pattern)),
    ];
    for solver in &mut dense {
        for (share, dependent) in [(0.0, 0), (1e-6, 0), (1e-4, 1), (0.0, 0)] {
            solver.set_row_tolerance(share).unwrap();
            let found = solver.factorize(&rows.values()).unwrap();
            assert_eq!(found.dependent_rows, dependent, "{} {share}", solver.name());
        }
        let error = solver.set_row_tolerance(1.0).expect_err("refused");
        assert!(matches!(error, KktError::Tolerance { .. }), "{error}");
    }
}
