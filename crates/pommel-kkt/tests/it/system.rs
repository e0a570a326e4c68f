//! Systems from files.

use pommel_kkt::pattern::{
    MatrixMarket, Partitions, System, SystemError, read_matrix_market, write_matrix_market,
};
use pommel_kkt::{KktError, Part};
use pommel_testkit::Rng;

use crate::matrices::{self, Dense};

fn market(
    a: &Dense,
    columns: usize,
    symmetric: bool,
    keep: fn(usize, usize) -> bool,
) -> MatrixMarket {
    let mut out = MatrixMarket { rows: a.len(), columns, symmetric, ..MatrixMarket::default() };
    for (r, row) in a.iter().enumerate() {
        for (c, &value) in row.iter().enumerate() {
            if value != 0.0 && keep(r, c) {
                out.entries.push((r as u32, c as u32));
                out.values.push(value);
            }
        }
    }
    out
}

fn shuffled(rng: &mut Rng, mut matrix: MatrixMarket) -> MatrixMarket {
    let mut both: Vec<_> = matrix.entries.iter().copied().zip(matrix.values).collect();
    matrices::shuffle(rng, &mut both);
    (matrix.entries, matrix.values) = both.into_iter().unzip();
    matrix
}

fn again(matrix: &MatrixMarket) -> MatrixMarket {
    let mut text = Vec::new();
    write_matrix_market(&mut text, matrix).unwrap();
    read_matrix_market(&text[..]).unwrap()
}

#[test]
fn files_in_any_order_and_triangle_give_the_same_system_and_survive_writing() {
    let mut rng = Rng::new(5);
    for _ in 0..200 {
        let (n, m) = (rng.below(8), rng.below(6));
        let mass = matrices::random_symmetric(&mut rng, n, 0.5);
        let jacobian = matrices::random(&mut rng, m, n, 0.5);
        let compliance = matrices::random_symmetric(&mut rng, m, 0.4);
        let k = matrices::assemble(&mass, &jacobian, &compliance);
        let found = Partitions::found();
        let mut systems = Vec::new();
        for (symmetric, keep) in [
            (true, matrices::lower as fn(_, _) -> _),
            (true, matrices::upper),
            (false, matrices::all),
        ] {
            let mass = shuffled(&mut rng, market(&mass, n, symmetric, keep));
            let jacobian = shuffled(&mut rng, market(&jacobian, n, false, matrices::all));
            let compliance = shuffled(&mut rng, market(&compliance, m, symmetric, keep));
            let parts = System::from_matrix_market(&mass, &jacobian, Some(&compliance), found);
            systems.push(parts.unwrap());
            let whole = shuffled(&mut rng, market(&k, n + m, symmetric, keep));
            systems.push(System::from_kkt_matrix_market(&whole, Some(n), found).unwrap());
        }
        for system in &systems {
            assert_eq!(system, &systems[0]);
            matrices::check(&system.pattern);
            system.values().check(&system.pattern).unwrap();
            assert_eq!(matrices::kkt(&system.pattern, &system.values()), k);
            assert_eq!(matrices::matrix(&system.whole_matrix()), k);
            assert_eq!(matrices::matrix(&system.compliance_matrix()), compliance);
            let copy = System::from_matrix_market(
                &again(&system.mass_matrix()),
                &again(&system.jacobian_matrix()),
                Some(&again(&system.compliance_matrix())),
                found,
            );
            assert_eq!(copy.as_ref(), Ok(system));
            // the comment says how many unknowns there are
            let copy = System::from_kkt_matrix_market(&again(&system.whole_matrix()), None, found);
            assert_eq!(copy.as_ref(), Ok(system));
        }
    }
}

#[test]
fn values_of_one_entry_are_added() {
    let mass = "%%MatrixMarket matrix coordinate real symmetric\n1 1 2\n1 1 1\n1 1 2\n";
    let mut jacobian =
        "%%MatrixMarket matrix coordinate real general\n2 1 3\n2 1 1\n1 1 5\n2 1 1\n"
            .parse::<MatrixMarket>()
            .unwrap();
    let mass: MatrixMarket = mass.parse().unwrap();
    let found = Partitions::found();
    let system = System::from_matrix_market(&mass, &jacobian, None, found).unwrap();
    assert_eq!((&system.mass[..], &system.jacobian[..]), (&[3.0][..], &[5.0, 2.0][..]));
    jacobian.values = vec![f64::MAX, 1.0, f64::MAX];
    let error = System::from_matrix_market(&mass, &jacobian, None, found);
    assert_eq!(error, Err(SystemError::NotFinite { part: Part::Jacobian, row: 1, column: 0 }));
}

#[test]
fn a_full_matrix_is_symmetric() {
    let mass = |lower: &str, upper: &str| -> MatrixMarket {
        let head = "%%MatrixMarket matrix coordinate real general\n2 2";
        let lines: Vec<String> = [("2 1", lower), ("1 2", upper)]
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(place, value)| format!("{place} {value}\n"))
            .collect();
        format!("{head} {}\n{}", lines.len(), lines.concat()).parse().unwrap()
    };
    let none: MatrixMarket =
        "%%MatrixMarket matrix coordinate real general\n0 2 0\n".parse().unwrap();
    let system = |mass| System::from_matrix_market(&mass, &none, None, Partitions::found());
    assert_eq!(system(mass("3", "3.0000000000001")).unwrap().mass, [3.0]);
    assert_eq!(system(mass("0", "")).unwrap().mass, [0.0]);
    let error = |lower, upper| {
        Err(SystemError::NotSymmetric { part: Part::Mass, row: 1, column: 0, lower, upper })
    };
    assert_eq!(system(mass("3", "3.1")), error(3.0, 3.1));
    assert_eq!(system(mass("3", "")), error(3.0, 0.0));
    assert_eq!(system(mass("", "3")), error(0.0, 3.0));
    assert_eq!(system(mass("1.7e308", "-1.7e308")), error(1.7e308, -1.7e308));
    assert_eq!(
        system(mass("3", "")).unwrap_err().to_string(),
        "M is not symmetric: 3e0 at row 1, column 0 (from 0), but 0e0 on the other side of the \
         diagonal; if only one triangle is given, call the matrix `symmetric`"
    );
}

#[test]
fn the_number_of_unknowns_is_stated_or_in_a_comment() {
    let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 1\n";
    let mut matrix: MatrixMarket = text.parse().unwrap();
    let system = |matrix: &MatrixMarket, unknowns| {
        System::from_kkt_matrix_market(matrix, unknowns, Partitions::found())
    };
    assert_eq!(system(&matrix, None), Err(SystemError::UnknownsMissing));
    assert_eq!(system(&matrix, Some(1)).unwrap().pattern.rows(), 1);
    matrix.comments = vec!["nv".into(), " made for nv 1 nc 1".into()];
    assert_eq!(system(&matrix, None).unwrap().pattern.rows(), 1);
    matrix.comments = vec!["nv 18446744073709551615".into()];
    let error =
        |unknowns, in_comment| SystemError::TooManyUnknowns { unknowns, rows: 2, in_comment };
    assert_eq!(system(&matrix, None), Err(error(usize::MAX, true)));
    assert!(error(99, true).to_string().contains("the comment `nv 99` is wrong"));
    assert_eq!(system(&matrix, Some(3)), Err(error(3, false)));
}

#[test]
fn sizes_without_entries_are_not_believed() {
    let matrix = |rows: usize, columns, symmetric| MatrixMarket {
        rows,
        columns,
        symmetric,
        ..MatrixMarket::default()
    };
    let (n, m) = (4_000_000_000, 1_000);
    let error = Err(SystemError::MostlyEmpty { size: n + m, entries: 0 });
    let parts = System::from_matrix_market(
        &matrix(n, n, true),
        &matrix(m, n, false),
        None,
        Partitions::found(),
    );
    assert_eq!(parts, error);
    let whole = matrix(n + m, n + m, false);
    assert_eq!(System::from_kkt_matrix_market(&whole, Some(n), Partitions::found()), error);
    let uncountable = matrix(usize::MAX, usize::MAX, true);
    let error = System::from_kkt_matrix_market(&uncountable, Some(1), Partitions::found());
    assert_eq!(error, Err(SystemError::Pattern(KktError::TooLarge { size: usize::MAX })));
}

#[test]
fn a_matrix_made_by_hand_is_checked() {
    let good: MatrixMarket =
        "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n".parse().unwrap();
    let none: MatrixMarket =
        "%%MatrixMarket matrix coordinate real general\n0 1 0\n".parse().unwrap();
    let system = |mass: &MatrixMarket| {
        System::from_matrix_market(mass, &none, None, Partitions::found()).map(|_| ())
    };
    assert_eq!(system(&good), Ok(()));
    let pattern = |error| Err(SystemError::Pattern(error));
    let short = MatrixMarket { values: vec![], ..good.clone() };
    let array = "mass.values";
    assert_eq!(system(&short), pattern(KktError::Length { array, expected: 1, found: 0 }));
    let not_finite = SystemError::NotFinite { part: Part::Mass, row: 0, column: 0 };
    let infinite = MatrixMarket { values: vec![f64::INFINITY], ..good.clone() };
    assert_eq!(system(&infinite), Err(not_finite));
    let outside = MatrixMarket { entries: vec![(0, u32::MAX)], ..good.clone() };
    assert!(matches!(
        system(&outside),
        Err(SystemError::Pattern(KktError::IndexOutOfRange { .. }))
    ));
    let oblong = MatrixMarket { rows: 2, ..good };
    assert!(matches!(system(&oblong), Err(SystemError::Pattern(KktError::Shape { .. }))));
}

#[test]
fn a_ready_made_system_is_read() {
    let matrix: MatrixMarket = include_str!("../data/fourbar_1.mtx").parse().unwrap();
    let system = System::from_kkt_matrix_market(&matrix, None, Partitions::found()).unwrap();
    assert_eq!((system.pattern.unknowns(), system.pattern.rows()), (9, 8));
    assert_eq!(matrices::kkt(&system.pattern, &system.values()), matrices::matrix(&matrix));
}
