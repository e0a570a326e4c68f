//! Compressed matrices that are wrong are refused, with the reason.

use pommel_kkt::pattern::{Compressed, Partitions, Symmetric, Values};
use pommel_kkt::{Analysis, Gradient, KktError, MinimumNorm, Part, Pattern, Workspace};

/// M of size 2 with these arrays, no J.
fn mass(pointers: &[usize], indices: &[usize]) -> Result<Pattern, KktError> {
    mass_as(Symmetric::lower(Compressed::csc(2, 2, pointers, indices)))
}

fn mass_as(mass: Symmetric<'_>) -> Result<Pattern, KktError> {
    let none = Compressed::csc(0, 2, &[0, 0, 0], &[]);
    Pattern::from_csc(mass, none, None, Partitions::found())
}

#[test]
fn pointers_start_at_zero_rise_and_end_at_the_number_of_entries() {
    let wrong = |column| Err(KktError::ColumnPointers { part: Part::Mass, column });
    assert_eq!(mass(&[1, 1, 2], &[0, 1]), wrong(0));
    assert_eq!(mass(&[0, 2, 1], &[0]), wrong(1));
    assert_eq!(mass(&[0, usize::MAX, 2], &[0, 1]), wrong(1));
    let length = |expected, found| Err(KktError::Length { array: "mass.indices", expected, found });
    assert_eq!(mass(&[0, 1, 3], &[0, 1]), length(3, 2));
    assert_eq!(mass(&[0, 1, usize::MAX], &[0, 1]), length(usize::MAX, 2));
    assert_eq!(mass(&[0, 1, 1], &[0, 1]), length(1, 2));
    let array = "mass.pointers";
    assert_eq!(mass(&[0, 1], &[0]), Err(KktError::Length { array, expected: 3, found: 2 }));
    assert_eq!(mass(&[], &[]), Err(KktError::Length { array, expected: 3, found: 0 }));
}

#[test]
fn entries_lie_in_the_matrix_once_and_in_their_triangle() {
    let part = Part::Mass;
    let outside =
        KktError::IndexOutOfRange { part, entry: 1, row: 2, column: 1, rows: 2, columns: 2 };
    assert_eq!(mass(&[0, 1, 2], &[0, 2]), Err(outside));
    let twice = Err(KktError::Duplicate { part, row: 1, column: 0 });
    assert_eq!(mass(&[0, 2, 2], &[1, 1]), twice);
    assert_eq!(
        mass(&[0, 1, 3], &[0, 1, 0]),
        Err(KktError::WrongTriangle { part, row: 0, column: 1 })
    );
    let upper = Symmetric::upper(Compressed::csc(2, 2, &[0, 2, 3], &[0, 1, 1]));
    assert_eq!(mass_as(upper), Err(KktError::WrongTriangle { part, row: 1, column: 0 }));
    let upper = Symmetric::upper(Compressed::csc(2, 2, &[0, 0, 2], &[0, 0]));
    assert_eq!(mass_as(upper), twice);
    // the triangle whose values are not read is checked too
    let both =
        |pointers, indices| mass_as(Symmetric::both(Compressed::csc(2, 2, pointers, indices)));
    assert_eq!(both(&[0, 2, 4], &[0, 1, 0, 0]), twice);
    let alone = Err(KktError::NotSymmetric { part, row: 1, column: 0 });
    assert_eq!(both(&[0, 1, 2], &[0, 0]), alone);
    assert_eq!(both(&[0, 1, 2], &[1, 1]), alone);
    let negative = Compressed::csc(1, 2, &[0, 1, 1], &[-1i32]);
    let error = Pattern::from_diagonal(2, negative, None, Partitions::found());
    assert!(matches!(error, Err(KktError::IndexOutOfRange { part: Part::Jacobian, entry: 0, .. })));
}

#[test]
fn sizes_fit_each_other() {
    let two = || Symmetric::lower(Compressed::csc(2, 2, &[0usize, 1, 2], &[0, 1]));
    let found = Partitions::found();
    let shape =
        |part, [rows, columns]: [usize; 2], [expected_rows, expected_columns]: [usize; 2]| {
            Err(KktError::Shape { part, rows, columns, expected_rows, expected_columns })
        };
    let wide = Compressed::csc(1, 3, &[0usize, 0, 0, 0], &[]);
    assert_eq!(Pattern::from_csc(two(), wide, None, found), shape(Part::Jacobian, [1, 3], [1, 2]));
    assert_eq!(Pattern::from_diagonal(2, wide, None, found), shape(Part::Jacobian, [1, 3], [1, 2]));
    let one_row = Compressed::csc(1, 2, &[0usize, 0, 0], &[]);
    let soft = Pattern::from_csc(two(), one_row, Some(two()), found);
    assert_eq!(soft, shape(Part::Compliance, [2, 2], [1, 1]));
    let oblong = Symmetric::lower(one_row);
    assert_eq!(Pattern::from_csc(oblong, one_row, None, found), shape(Part::Mass, [1, 2], [2, 2]));
    assert_eq!(Pattern::from_kkt_csc(3, two(), found), shape(Part::Whole, [2, 2], [3, 3]));
    assert_eq!(Pattern::from_kkt_csc(1, oblong, found), shape(Part::Whole, [1, 2], [2, 2]));
}

#[test]
fn blocks_are_not_empty_and_add_up() {
    let jacobian = Compressed::csc(2, 3, &[0usize, 0, 0, 0], &[]);
    let with = |bodies, constraints| {
        let partitions = Partitions { bodies: Some(bodies), constraints: Some(constraints) };
        Pattern::from_diagonal(3, jacobian, None, partitions).map(|_| ())
    };
    let error = |array, sum, expected| Err(KktError::Partition { array, sum, expected });
    assert_eq!(with(&[1, 2], &[2]), Ok(()));
    assert_eq!(with(&[1, 1], &[2]), error("bodies", 2, 3));
    let empty = |what, index| Err(KktError::EmptyBlock { what, index });
    assert_eq!(with(&[1, 0, 2], &[2]), empty("body", 1));
    assert_eq!(with(&[3], &[1, 1, 0]), empty("constraint", 2));
    let places = |bodies: &[usize], constraints: &[usize]| {
        Pattern::from_places(bodies, constraints, &[], &[], &[]).map(|_| ())
    };
    assert_eq!(places(&[2, 0], &[]), empty("body", 1));
    assert_eq!(places(&[2], &[0]), empty("constraint", 0));
    assert_eq!(with(&[2, usize::MAX], &[2]), error("bodies", usize::MAX, 3));
    assert_eq!(with(&[3], &[1, 2]), error("constraints", 3, 2));
    assert_eq!(with(&[3], &[]), error("constraints", 0, 2));
}

/// Nothing is allocated for sizes that cannot be counted.
#[test]
fn huge_sizes_are_refused() {
    for size in [u32::MAX as usize, usize::MAX / 8, usize::MAX - 1, usize::MAX] {
        let too_large = Err(KktError::TooLarge { size });
        let found = Partitions::found();
        let square = Symmetric::lower(Compressed::csc(size, size, &[0usize], &[]));
        let wide = Compressed::csc(1, size, &[0usize], &[]);
        assert_eq!(Pattern::from_csc(square, wide, None, found), too_large);
        assert_eq!(Pattern::from_kkt_csc(5, square, found), too_large);
        assert_eq!(Pattern::from_diagonal(size, wide, None, found), too_large);
        let tall = Compressed::csc(size, 1, &[0usize, 0], &[]);
        assert_eq!(Pattern::from_diagonal(1, tall, None, found), too_large);
        let tall = Compressed::csr(size, 1, &[0usize, 0], &[]);
        assert_eq!(Pattern::from_diagonal(1, tall, None, found), too_large);
    }
    let size = 3_000_000_000;
    let large = Compressed::csc(size, size, &[0usize], &[]);
    let together = Err(KktError::TooLarge { size: 2 * size });
    assert_eq!(Pattern::from_diagonal(size, large, None, Partitions::found()), together);
}

/// A body of so many unknowns that its own block cannot be indexed, although there are few entries.
#[test]
fn factors_too_large_to_be_indexed_are_refused() {
    let width = 70_000usize;
    let band: Vec<_> =
        (0..width).flat_map(|i| (i.saturating_sub(3)..=i).map(move |j| (i, j))).collect();
    let body = Pattern::from_places(&[width], &[], &band, &[], &[]).expect("a pattern");
    let error = Analysis::new(&body).expect_err("too large");
    assert!(matches!(error, KktError::TooLarge { size } if size >= width * width), "{error}");
    // 70 000 multipliers of one constraint are one body of the mirrored system
    let constraint = Pattern::from_places(&[], &[width], &[], &[], &band).expect("a pattern");
    let error = MinimumNorm::<f64>::new(&constraint).expect_err("too large");
    assert!(matches!(error, KktError::TooLarge { .. }), "{error}");
}

#[test]
fn values_have_the_right_number_and_are_finite() {
    let jacobian = Compressed::csc(1, 2, &[0usize, 1, 1], &[0]);
    let pattern = Pattern::from_diagonal(2, jacobian, None, Partitions::found()).unwrap();
    let check = |mass: &[f64], jacobian: &[f64]| Values::new(mass, jacobian).check(&pattern);
    assert_eq!(check(&[1.0, 2.0], &[3.0]), Ok(()));
    let length = |array, expected, found| Err(KktError::Length { array, expected, found });
    assert_eq!(check(&[1.0], &[3.0]), length("mass", 2, 1));
    assert_eq!(check(&[1.0, 2.0], &[]), length("jacobian", 1, 0));
    let not_finite = |part, entry| Err(KktError::NotFinite { part, entry });
    assert_eq!(check(&[1.0, f64::NAN], &[3.0]), not_finite(Part::Mass, 1));
    assert_eq!(check(&[1.0, 2.0], &[f64::INFINITY]), not_finite(Part::Jacobian, 0));
}

#[test]
fn messages_say_what_and_where() {
    let text = |result: Result<Pattern, KktError>| result.unwrap_err().to_string();
    assert_eq!(
        text(mass(&[0, 1, 2], &[0, 2])),
        "entry 1 of M is at row 2, column 1, but M has 2 rows and 2 columns (indices count from 0)"
    );
    assert_eq!(text(mass(&[0, 1], &[0])), "`mass.pointers` has 2 entries, not 3");
    assert_eq!(
        text(mass(&[0, 2, 1], &[0])),
        "the pointers of M must start at 0 and never decrease; at place 1 they do not"
    );
}

/// The message names the argument, and its field.
#[test]
fn gradients_of_other_lengths_are_refused() {
    let pattern = Pattern::from_places(&[2], &[1], &[(0, 0), (1, 1)], &[(0, 0)], &[]).unwrap();
    let mut workspace = Workspace::new(&Analysis::new(&pattern).unwrap());
    let values = Values::new(&[1.0, 2.0], &[3.0]);
    let mut factor = workspace.factorize(&values).unwrap();
    // of mass, J, right-hand side, solution and cotangent
    let mut refused = |lengths: [usize; 5]| {
        let [mut mass, mut jacobian, mut rhs, solution, cotangent] =
            lengths.map(|length| vec![0.0; length]);
        let (mass, jacobian, rhs) = (&mut mass[..], &mut jacobian[..], &mut rhs[..]);
        let mut gradient = Gradient { mass, jacobian, compliance: &mut [], rhs };
        factor.pull_back(&solution, &cotangent, &mut gradient).map(|_| ())
    };
    let length = |array, expected, found| Err(KktError::Length { array, expected, found });
    assert_eq!(refused([2, 1, 3, 3, 3]), Ok(()));
    assert_eq!(refused([3, 1, 3, 3, 3]), length("gradient.mass", 2, 3));
    assert_eq!(refused([2, 0, 3, 3, 3]), length("gradient.jacobian", 1, 0));
    assert_eq!(refused([2, 1, 2, 3, 3]), length("gradient.rhs", 3, 2));
    assert_eq!(refused([2, 1, 3, 4, 3]), length("solution", 3, 4));
    assert_eq!(refused([2, 1, 3, 3, 0]), length("cotangent", 3, 0));
}

#[test]
fn several_right_hand_sides_come_whole() {
    let pattern = Pattern::from_places(&[], &[], &[], &[], &[]).unwrap();
    let mut workspace = Workspace::<f64>::new(&Analysis::new(&pattern).unwrap());
    let values = Values::new(&[], &[]);
    let mut factor = workspace.factorize(&values).unwrap();
    assert_eq!(factor.substitute_all(&[], &mut []), Ok(()));
    let length = Err(KktError::Length { array: "rhs", expected: 0, found: 1 });
    assert_eq!(factor.substitute_all(&[1.0], &mut [0.0]), length);
}
