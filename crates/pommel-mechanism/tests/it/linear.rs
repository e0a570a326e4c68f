//! Worked examples of the sources.

use pommel_mechanism::linear::{Crout, GaussJordan, Gaussian, LinearError, Pivoting};
use serde_json::Value;

use crate::support::{assert_near, dataset, numbers};

/// A handful of roundings of numbers of the size of a few.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

const TOLERANCE: f64 = 1e-12;

fn example(name: &str) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let data = dataset("linear_examples/nikravesh.json");
    let case = data["cases"].as_array().unwrap().iter().find(|case| case["name"] == name).unwrap();
    (numbers(&case["A"]), numbers(&case["c"]), numbers(&case["x"]))
}

/// The eliminated matrix, row by row.
fn matrix(gaussian: &Gaussian, rows: usize, columns: usize) -> Vec<f64> {
    let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    places.map(|(i, j)| gaussian.entry(i, j)).collect()
}

fn side(gaussian: &Gaussian, rows: usize) -> Vec<f64> {
    (0..rows).map(|i| gaussian.side(i, 0)).collect()
}

/// `[Nik88, examples 3.6 to 3.11]`, each by all three routines.
#[test]
fn all_examples_have_their_exact_solutions() {
    for name in ["3.6", "3.7", "3.8", "3.9", "3.10", "3.11"] {
        let (a, c, x) = example(name);
        let n = c.len();
        for pivoting in [Pivoting::None, Pivoting::Row, Pivoting::Column, Pivoting::Full] {
            let mut found = vec![f64::NAN; n];
            let mut gaussian = Gaussian::new(n, n, 1);
            assert_eq!(gaussian.eliminate(&a, &c, pivoting, TOLERANCE), Ok(n));
            gaussian.back_substitute(0, &mut found);
            assert_near(&found, &x, ROUNDING);

            let mut crout = Crout::new(n);
            assert_eq!(crout.factorize(&a, pivoting, TOLERANCE), Ok(()));
            found.copy_from_slice(&c);
            crout.solve(&mut found);
            assert_near(&found, &x, ROUNDING);
        }
        for pivoting in [Pivoting::None, Pivoting::Row] {
            let beside: Vec<f64> =
                (0..n).flat_map(|i| [&a[i * n..(i + 1) * n], &c[i..=i]].concat()).collect();
            let mut reduced = GaussJordan::new(n, n + 1);
            let columns: Vec<usize> = (0..n).collect();
            assert_eq!(reduced.reduce(&beside, &columns, pivoting, TOLERANCE), Ok(n));
            for (i, x) in x.iter().enumerate() {
                let mut unit = vec![0.0; n + 1];
                unit[i] = 1.0;
                unit[n] = *x;
                assert_near(reduced.row(i), &unit, ROUNDING);
            }
        }
    }
}

/// `[Nik88, example 3.6]`: the matrix after every step of the elimination.
#[test]
fn elimination_without_pivoting_goes_through_the_printed_stages() {
    let (a, c, _) = example("3.6");
    let mut gaussian = Gaussian::new(3, 3, 1);
    gaussian.start(&a, &c, Pivoting::None, TOLERANCE).unwrap();
    let third = 1.0 / 3.0;
    let stages = [
        (
            [1.0, third, -third, 0.0, 7.0 / 3.0, 2.0 / 3.0, 0.0, -11.0 / 3.0, 5.0 / 3.0],
            [2.0 / 3.0, 20.0 / 3.0, -7.0 / 3.0],
        ),
        (
            [1.0, third, -third, 0.0, 1.0, 2.0 / 7.0, 0.0, 0.0, 19.0 / 7.0],
            [2.0 / 3.0, 20.0 / 7.0, 57.0 / 7.0],
        ),
        ([1.0, third, -third, 0.0, 1.0, 2.0 / 7.0, 0.0, 0.0, 1.0], [2.0 / 3.0, 20.0 / 7.0, 3.0]),
    ];
    for (a, b) in stages {
        assert_eq!(gaussian.step(), Ok(true));
        assert_near(&matrix(&gaussian, 3, 3), &a, ROUNDING);
        assert_near(&side(&gaussian, 3), &b, ROUNDING);
    }
    assert_eq!(gaussian.step(), Ok(false));
}

/// `[Nik88, examples 3.8, 3.9]`: what is left in the end, in fractions instead of truncated
/// decimals.
#[test]
fn elimination_with_partial_and_full_pivoting_ends_as_printed() {
    let (a, c, _) = example("3.8");
    let mut gaussian = Gaussian::new(4, 4, 1);
    gaussian.eliminate(&a, &c, Pivoting::Row, TOLERANCE).unwrap();
    let expected = [
        [1.0, -1.0, 2.0, 0.0],
        [0.0, 1.0, -3.5, 3.0],
        [0.0, 0.0, 1.0, -8.0 / 3.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    assert_near(&matrix(&gaussian, 4, 4), expected.as_flattened(), ROUNDING);
    assert_near(&side(&gaussian, 4), &[0.5, -5.25, 29.0 / 6.0, -2.0], ROUNDING);
    assert_eq!(gaussian.row_order(), [2, 1, 3, 0]);

    let (a, c, _) = example("3.9");
    let mut gaussian = Gaussian::new(3, 3, 1);
    gaussian.eliminate(&a, &c, Pivoting::Full, TOLERANCE).unwrap();
    let expected = [[1.0, 0.25, -0.5], [0.0, 1.0, 2.0 / 9.0], [0.0, 0.0, 1.0]];
    assert_near(&matrix(&gaussian, 3, 3), expected.as_flattened(), ROUNDING);
    assert_near(&side(&gaussian, 3), &[-1.25, -5.0 / 9.0, 2.0], ROUNDING);
    assert_eq!(gaussian.column_order(), [1, 0, 2]);
}

/// `[Nik88, example 3.10]`: both factors.
#[test]
fn crout_without_pivoting_has_the_printed_factors() {
    let (a, c, _) = example("3.10");
    let mut crout = Crout::new(4);
    crout.factorize(&a, Pivoting::None, TOLERANCE).unwrap();
    let expected = [
        [2.0, 1.0, 3.0, -2.0],
        [-0.5, 0.5, -0.5, -2.0],
        [0.0, 2.0, 3.0, 7.0],
        [2.0, 0.0, -2.0, 17.0],
    ];
    for (i, row) in expected.iter().enumerate() {
        let found: Vec<f64> = (0..4).map(|j| crout.entry(i, j)).collect();
        assert_eq!(found, row);
    }
    let mut y = c.clone();
    for i in 0..4 {
        (0..i).for_each(|j| y[i] -= crout.entry(i, j) * y[j]);
    }
    assert_eq!(y, [1.0, 3.5, -7.0, -17.0]);
}

/// `[Nik88, example 3.11]`: factors and both index lists.
#[test]
fn crout_with_full_pivoting_has_the_printed_factors_and_lists() {
    let (a, c, _) = example("3.11");
    let mut crout = Crout::new(4);
    crout.factorize(&a, Pivoting::Full, TOLERANCE).unwrap();
    assert_eq!(crout.row_order(), [3, 1, 2, 0]);
    assert_eq!(crout.column_order(), [2, 0, 1, 3]);
    let expected = [
        [5.0, -1.0, 0.0, 2.0],
        [-0.2, 19.0 / 5.0, 1.0, 7.0 / 5.0],
        [0.0, 10.0 / 19.0, -67.0 / 19.0, -33.0 / 19.0],
        [-0.2, 4.0 / 19.0, -34.0 / 67.0, -253.0 / 67.0],
    ];
    for (i, row) in expected.iter().enumerate() {
        let found: Vec<f64> = (0..4).map(|j| crout.entry(i, j)).collect();
        assert_near(&found, row, ROUNDING);
    }
    let mut y: Vec<f64> = crout.row_order().iter().map(|&row| c[row]).collect();
    for i in 0..4 {
        (0..i).for_each(|j| y[i] -= crout.entry(i, j) * y[j]);
    }
    assert_near(&y, &[1.0, 21.0 / 5.0, 167.0 / 19.0, 253.0 / 67.0], ROUNDING);
}

/// `[Som12]`, the 3 × 3 example: the matrix after each of its steps (the second exchange of rows is
/// printed as one of rows 1 and 3, and is one of rows 2 and 3).
#[test]
fn full_pivoting_goes_through_the_stages_of_the_lecture() {
    let a = [4.0, 2.0, -2.0, 1.0, 3.0, 4.0, 2.0, 1.0, 5.0];
    let mut gaussian = Gaussian::new(3, 3, 1);
    gaussian.start(&a, &[6.0, -1.0, 2.0], Pivoting::Full, TOLERANCE).unwrap();
    let stages = [
        ([1.0, 0.2, 0.4, 0.0, 2.2, -0.6, 0.0, 2.4, 4.8], [0.4, -2.6, 6.8], [2, 1, 0]),
        ([1.0, 0.4, 0.2, 0.0, 1.0, 0.5, 0.0, 0.0, 2.5], [0.4, 17.0 / 12.0, -1.75], [2, 0, 1]),
        ([1.0, 0.4, 0.2, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0], [0.4, 17.0 / 12.0, -0.7], [2, 0, 1]),
    ];
    for (a, b, order) in stages {
        assert_eq!(gaussian.step(), Ok(true));
        assert_near(&matrix(&gaussian, 3, 3), &a, ROUNDING);
        assert_near(&side(&gaussian, 3), &b, ROUNDING);
        assert_eq!(gaussian.column_order(), order);
    }
    let mut x = [0.0; 3];
    gaussian.back_substitute(0, &mut x);
    assert_near(&x, &[53.0 / 30.0, -0.7, -1.0 / 6.0], ROUNDING);
}

fn compare_web_cutter(rows: usize, expected: &Value) -> Gaussian {
    let data = dataset("linear_examples/web_cutter.json");
    let (jacobian, gamma) = (numbers(&data["J"]), numbers(&data["gamma"]));
    let mut gaussian = Gaussian::new(rows, 9, 1);
    let rank = gaussian.eliminate(&jacobian[..rows * 9], &gamma[..rows], Pivoting::Full, TOLERANCE);
    assert_eq!(rank, Ok(rows));
    // results go up to 150, through eight steps
    assert_near(&matrix(&gaussian, rows, 9), &numbers(&expected["a"]), 1e-13);
    assert_near(&side(&gaussian, rows), &numbers(&expected["b"]), 1e-11);
    let order: Vec<f64> = gaussian.column_order().iter().map(|&j| j as f64 + 1.0).collect();
    assert_eq!(order, numbers(&expected["xlist"]));
    gaussian
}

/// `[Som12]`, the driven web cutter.
#[test]
fn web_cutter_with_its_driver() {
    let data = dataset("linear_examples/web_cutter.json");
    let gaussian = compare_web_cutter(9, &data["full"]);
    let mut qdd = [0.0; 9];
    gaussian.back_substitute(0, &mut qdd);
    assert_near(&qdd, &numbers(&data["qdd"]), 1e-11);
    // as printed
    let printed =
        [-6.1949, -78.7134, 0.0, -147.8370, -72.4115, 14.8187, -126.2931, -4.3123, 11.2577];
    assert_near(&qdd, &printed, 2e-4);
}

/// `[Som12]`, the web cutter without its driver: the last row needs a column pivot, too, and then
/// coordinate 4 is independent; the printed routine takes coordinate 2.
#[test]
fn web_cutter_without_its_driver_has_the_best_independent_coordinate() {
    let data = dataset("linear_examples/web_cutter.json");
    let gaussian = compare_web_cutter(8, &data["reduced_full_pivoting"]);
    assert_eq!(gaussian.independent(), [3]);
    assert!((gaussian.side(7, 0) - -87.9252).abs() < 2e-4);
    let printed = numbers(&data["reduced_as_printed"]["xlist"]);
    assert_eq!(printed[8], 2.0);
    // the condition of what is to be inverted, for every choice of the independent coordinate
    let jacobian = numbers(&data["J"]);
    let condition = |without: usize| {
        let columns: Vec<usize> = (0..9).filter(|&j| j != without).collect();
        let square = nalgebra::DMatrix::from_fn(8, 8, |i, j| jacobian[i * 9 + columns[j]]);
        let sizes = square.singular_values();
        sizes.max() / sizes.min()
    };
    assert!((condition(1) - 379.7).abs() < 0.1 && (condition(3) - 34.2).abs() < 0.1);
    assert!((0..9).all(|j| condition(j) >= condition(3)));
}

#[test]
fn what_cannot_be_reduced_is_told_with_row_column_and_pivot() {
    let mut gaussian = Gaussian::new(2, 2, 0);
    let exchanged = [0.0, 1.0, 1.0, 0.0];
    let found = gaussian.eliminate(&exchanged, &[], Pivoting::None, TOLERANCE);
    let expected =
        LinearError::Pivot { row: 0, column: 0, pivot: 0.0, limit: TOLERANCE, left: 1.0 };
    assert_eq!(found, Err(expected));
    assert!(expected.to_string().contains("row 0 and column 0"));
    assert_eq!(gaussian.eliminate(&exchanged, &[], Pivoting::Row, TOLERANCE), Ok(2));

    // only the last pivot vanishes: at this size the printed EPS = 1e-4 would refuse even the first
    let singular = [1e-6, 2e-6, 2e-6, 4e-6];
    for pivoting in [Pivoting::None, Pivoting::Row, Pivoting::Column, Pivoting::Full] {
        let found = Crout::new(2).factorize(&singular, pivoting, TOLERANCE);
        assert!(matches!(found, Err(LinearError::Singular { rank: 1, .. })), "{found:?}");
        assert_eq!(gaussian.eliminate(&singular, &[], pivoting, TOLERANCE), Ok(1));
    }
    assert_eq!(Crout::new(2).factorize(&[1e-6, 2e-6, 3e-6, 4e-6], Pivoting::None, 1e-12), Ok(()));

    let nan = LinearError::NotFinite { row: 1, column: 0 };
    let broken = [1.0, 2.0, f64::NAN, 4.0];
    assert_eq!(gaussian.eliminate(&broken, &[], Pivoting::Full, TOLERANCE), Err(nan));
    assert_eq!(Crout::new(2).factorize(&broken, Pivoting::Full, TOLERANCE), Err(nan));
    let found = GaussJordan::new(2, 2).reduce(&broken, &[0, 1], Pivoting::Row, TOLERANCE);
    assert_eq!(found, Err(nan));

    let found = GaussJordan::new(2, 2).reduce(&exchanged, &[0, 1], Pivoting::None, TOLERANCE);
    assert_eq!(found, Err(expected));

    // rows that contradict each other
    let mut gaussian = Gaussian::new(3, 2, 1);
    let rows = [1.0, 0.0, 2.0, 0.0, 0.0, 1.0];
    assert_eq!(gaussian.eliminate(&rows, &[1.0, 2.0, 3.0], Pivoting::Full, TOLERANCE), Ok(2));
    assert_eq!(gaussian.check_consistent(0, TOLERANCE), Ok(()));
    gaussian.eliminate(&rows, &[1.0, 5.0, 3.0], Pivoting::Full, TOLERANCE).unwrap();
    let contradiction = LinearError::Contradiction { row: 0, defect: -1.5 };
    assert_eq!(gaussian.check_consistent(0, TOLERANCE), Err(contradiction));
}

#[test]
fn matrices_without_rows_or_columns() {
    for (rows, columns) in [(0, 3), (3, 0), (0, 0)] {
        let mut gaussian = Gaussian::new(rows, columns, 1);
        let b = vec![0.0; rows];
        assert_eq!(gaussian.eliminate(&[], &b, Pivoting::Full, TOLERANCE), Ok(0));
        assert_eq!(gaussian.independent().len(), columns);
        assert_eq!(GaussJordan::new(rows, columns).reduce(&[], &[], Pivoting::Row, 0.0), Ok(0));
    }
    assert_eq!(Crout::new(0).factorize(&[], Pivoting::Full, TOLERANCE), Ok(()));
}
