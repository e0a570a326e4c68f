//! Matrix Market text: what is understood, and what is said of the rest.

use std::io::{self, BufReader, Read};

use pommel_kkt::pattern::{
    MatrixMarket, MatrixMarketError, MatrixMarketProblem as Problem, read_matrix_market,
    write_matrix_market,
};
use pommel_testkit::Rng;

fn parse(text: &str) -> Result<MatrixMarket, MatrixMarketError> {
    text.parse()
}

/// The line and what is wrong with it.
fn problem(text: &str) -> (usize, Problem) {
    let error = parse(text).unwrap_err();
    (error.line, error.problem)
}

fn real(rest: &str) -> String {
    format!("%%MatrixMarket matrix coordinate real general\n{rest}")
}

#[test]
fn comments_blank_lines_carriage_returns_and_capitals_are_understood() {
    let text = "%%matrixmarket MATRIX Coordinate REAL General\r\n% one\r\n\r\n%two\r\n 2\t3 2\r\n\r\n\
                % three\r\n1 3 1.5e0\r\n  2 1 -2D-1  \r\n\r\n";
    let matrix = parse(text).unwrap();
    assert_eq!((matrix.rows, matrix.columns, matrix.symmetric), (2, 3, false));
    assert_eq!(matrix.entries, [(0, 2), (1, 0)]);
    assert_eq!(matrix.values, [1.5, -0.2]);
    assert_eq!(matrix.comments, [" one", "two"]);
}

#[test]
fn comments_may_have_any_bytes() {
    let text = b"%%MatrixMarket matrix coordinate real general\n% \xe9\xff\n1 1 1\n1 1 2\n";
    assert_eq!(read_matrix_market(&text[..]).unwrap().values, [2.0]);
}

#[test]
fn integers_patterns_and_arrays_are_understood() {
    let text = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 7\n1 2 -3";
    let matrix = parse(text).unwrap();
    assert!(matrix.symmetric);
    assert_eq!(matrix.values, [7.0, -3.0]);
    let text = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n";
    let matrix = parse(text).unwrap();
    assert_eq!((matrix.entries, matrix.values), (vec![(1, 0)], vec![1.0]));
    let text = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
    let matrix = parse(text).unwrap();
    assert_eq!(matrix.entries, [(0, 0), (1, 0), (0, 1), (1, 1)]);
    assert_eq!(matrix.values, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(
        parse("%%MatrixMarket matrix array real general\n0 7\n").unwrap().values,
        [] as [f64; 0]
    );
}

#[test]
fn what_was_written_is_read_to_the_last_bit() {
    let mut rng = Rng::new(4);
    for _ in 0..300 {
        let (rows, columns) = (1 + rng.below(5), 1 + rng.below(5));
        let count = rng.below(20);
        let entry = |rng: &mut Rng| (rng.below(rows) as u32, rng.below(columns) as u32);
        let value = |rng: &mut Rng| loop {
            let value = f64::from_bits(rng.bits());
            if value.is_finite() {
                return value;
            }
        };
        let matrix = MatrixMarket {
            rows,
            columns,
            entries: (0..count).map(|_| entry(&mut rng)).collect(),
            values: (0..count).map(|_| value(&mut rng)).collect(),
            symmetric: false,
            comments: vec![" a comment".into()],
        };
        let mut text = Vec::new();
        write_matrix_market(&mut text, &matrix).unwrap();
        let read = read_matrix_market(&text[..]).unwrap();
        let bits = |m: &MatrixMarket| m.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read), bits(&matrix));
        assert_eq!(read, matrix);
    }
}

#[test]
fn a_wrong_banner_is_named() {
    assert_eq!(problem(""), (1, Problem::Empty));
    assert_eq!(problem("\n"), (1, Problem::Banner { found: "".into() }));
    assert_eq!(problem("1 1 1"), (1, Problem::Banner { found: "1 1 1".into() }));
    let found = "%%MatrixMarket matrix coordinate";
    assert_eq!(problem(found), (1, Problem::Banner { found: found.into() }));
    let word = |banner: &str| match problem(&format!("%%MatrixMarket {banner}\n1 1 0\n")) {
        (1, Problem::Unsupported { found, .. }) => found,
        other => panic!("{other:?}"),
    };
    assert_eq!(word("vector coordinate real general"), "vector");
    assert_eq!(word("matrix elemental real general"), "elemental");
    assert_eq!(word("matrix coordinate complex general"), "complex");
    assert_eq!(word("matrix coordinate real skew-symmetric"), "skew-symmetric");
    assert_eq!(word("matrix coordinate real hermitian"), "hermitian");
    assert_eq!(word("matrix array pattern general"), "pattern");
    assert_eq!(word("matrix array real symmetric"), "symmetric");
}

#[test]
fn wrong_sizes_are_named() {
    let sizes = |text: &str| match problem(&real(text)) {
        (line, Problem::Sizes { found, expected }) => {
            assert_eq!(expected, "`rows columns entries`");
            (line, found)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(sizes("% end"), (3, "".into()));
    assert_eq!(sizes("2 2\n"), (2, "2 2".into()));
    assert_eq!(sizes("2 2 1 1\n"), (2, "2 2 1 1".into()));
    assert_eq!(sizes("2 -2 1\n"), (2, "2 -2 1".into()));
    let huge = "99999999999999999999 1 1";
    assert_eq!(sizes(huge), (2, huge.into()));
    let large = |text: &str, size| assert_eq!(problem(text), (2, Problem::TooLarge { size }));
    large(&real("4294967295 1 0"), 4_294_967_295);
    large(&real("1 1 1000000000000000000"), 1_000_000_000_000_000_000);
    large(
        "%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n",
        16 * 10u64.pow(18),
    );
    let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n";
    assert_eq!(problem(symmetric), (2, Problem::NotSquare { rows: 2, columns: 3 }));
}

/// Sizes may promise anything; space is taken for what is there.
#[test]
fn sizes_that_promise_too_much_cost_nothing() {
    let few = Problem::TooFewEntries { expected: 4_000_000_000, found: 1 };
    assert_eq!(problem(&real("3000000000 3000000000 4000000000\n1 1 1\n")), (4, few.clone()));
    let array = "%%MatrixMarket matrix array real general\n4000000000 1\n1\n";
    assert_eq!(problem(array), (4, few));
}

#[test]
fn wrong_entries_are_named() {
    let entry = |text: &str| match problem(&real(text)) {
        (3, Problem::Entry { found, expected: "`row column value`" }) => found,
        other => panic!("{other:?}"),
    };
    assert_eq!(entry("2 2 1\n1 1\n"), "1 1");
    assert_eq!(entry("2 2 1\n1 1 1 1\n"), "1 1 1 1");
    assert_eq!(entry("2 2 1\n1 x 1\n"), "1 x 1");
    assert_eq!(entry("2 2 1\n1 -1 1\n"), "1 -1 1");
    assert_eq!(entry("2 2 1\n1 1 one\n"), "1 1 one");
    let outside = |row, column| Problem::IndexOutOfRange { row, column, rows: 2, columns: 3 };
    assert_eq!(problem(&real("2 3 1\n0 1 1\n")), (3, outside(0, 1)));
    assert_eq!(problem(&real("2 3 1\n3 1 1\n")), (3, outside(3, 1)));
    assert_eq!(problem(&real("2 3 1\n1 4 1\n")), (3, outside(1, 4)));
    let huge = 18_446_744_073_709_551_615;
    assert_eq!(problem(&real(&format!("2 3 1\n1 {huge} 1\n"))), (3, outside(1, huge)));
    for word in ["nan", "-inf", "Infinity", "1e999"] {
        let expected = (4, Problem::NotFinite { found: word.into() });
        assert_eq!(problem(&real(&format!("2 3 2\n1 1 1\n1 1 {word}\n"))), expected);
    }
    let integer = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n";
    assert!(matches!(problem(integer), (3, Problem::Entry { .. })));
    let array = "%%MatrixMarket matrix array real general\n2 1\n1 2\n";
    let one = Problem::Entry { found: "1 2".into(), expected: "one number" };
    assert_eq!(problem(array), (3, one));
}

#[test]
fn a_symmetric_matrix_has_one_triangle() {
    let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 1\n1 2 1\n";
    assert_eq!(problem(text), (5, Problem::BothTriangles { row: 1, column: 2 }));
}

#[test]
fn the_number_of_entries_is_what_the_sizes_promise() {
    let few = Problem::TooFewEntries { expected: 3, found: 1 };
    assert_eq!(problem(&real("2 2 3\n1 1 1\n\n")), (5, few));
    let many = Problem::TooManyEntries { expected: 1 };
    assert_eq!(problem(&real("2 2 1\n1 1 1\n% end\n2 2 1\n")), (5, many));
}

#[test]
fn a_reader_that_fails_is_named_with_its_line() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let start = real("2 2 2\n1 1 1\n");
    let error = read_matrix_market(BufReader::new(start.as_bytes().chain(Broken))).unwrap_err();
    let problem = Problem::Io(io::ErrorKind::ConnectionReset);
    assert_eq!(error, MatrixMarketError { line: 4, problem });
}

#[test]
fn messages_say_where_what_and_how_to_go_on() {
    let text = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(
        text("%%MatrixMarket matrix coordinate real skew-symmetric\n"),
        "line 1: `skew-symmetric` is not supported: convert the matrix to `general` or `symmetric`"
    );
    assert_eq!(
        text(&real("2 2 1\n1 3 1\n")),
        "line 3: an entry at row 1, column 3, but the matrix is 2 × 2 (indices count from 1)"
    );
    // a long line is shown in part
    assert!(text(&"é".repeat(10_000)).len() < 300);
}
