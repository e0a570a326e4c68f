//! Damaged files and arrays: an answer or an error, never a panic.

use pommel_kkt::Pattern;
use pommel_kkt::pattern::{
    Compressed, MatrixMarket, Partitions, Symmetric, System, Triangle, Values, read_matrix_market,
};
use pommel_testkit::Rng;

use crate::matrices;

const TEXTS: [&str; 5] = [
    include_str!("../data/fourbar_1.mtx"),
    "%%MatrixMarket matrix coordinate real general\n%nv 2\n3 3 5\n1 1 2\n2 2 3\n3 1 -1\n1 3 -1\n3 3 -0.5\n",
    "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3.5\n-4e-3\n5\n6\n",
    "%%MatrixMarket matrix coordinate pattern general\r\n% nv 1\r\n2 3 3\r\n1 1\r\n2 3\r\n2 2\r\n",
    "%%MatrixMarket matrix coordinate integer symmetric\n\n4 4 4\n1 1 5\n2 2 6\n3 1 1\n4 2 -1\n",
];

const WORDS: [&str; 18] = [
    "0",
    "-1",
    "1",
    "2",
    "17",
    "4294967295",
    "4294967296",
    "1000000000000000000",
    "1e400",
    "nan",
    "inf",
    "18446744073709551616",
    "%",
    "%nv 3",
    "symmetric",
    "general",
    "\n",
    "\u{fffd}",
];

/// A text with one to four things changed.
fn damaged(rng: &mut Rng) -> Vec<u8> {
    let mut text = TEXTS[rng.below(TEXTS.len())].as_bytes().to_vec();
    for _ in 0..1 + rng.below(2) * rng.below(4) {
        if text.is_empty() {
            break;
        }
        let at = rng.below(text.len());
        match rng.below(12) {
            0 => text[at] ^= 1 << rng.below(8),
            1 => text[at] = rng.bits() as u8,
            2 => text.truncate(at),
            3 => text.insert(at, b" 0123456789.-e%\n\r\t"[rng.below(18)]),
            4 => drop(text.remove(at)),
            5 => drop(text.splice(at..at, WORDS[rng.below(WORDS.len())].bytes())),
            6 => {
                // another word in place of one
                let end = text[at..].iter().position(u8::is_ascii_whitespace);
                let end = end.map_or(text.len(), |length| at + length);
                text.splice(at..end, WORDS[rng.below(WORDS.len())].bytes());
            }
            7..=10 => {
                // another digit in place of one
                if let Some(digit) = text[at..].iter_mut().find(|byte| byte.is_ascii_digit()) {
                    *digit = b'0' + rng.below(10) as u8;
                }
            }
            _ => {
                // a line twice, elsewhere
                let lines: Vec<Vec<u8>> =
                    text.split_inclusive(|&b| b == b'\n').map(Vec::from).collect();
                let line = lines[rng.below(lines.len())].clone();
                let place: usize = lines[..rng.below(lines.len())].iter().map(Vec::len).sum();
                text.splice(place..place, line);
            }
        }
    }
    text
}

fn check_text(text: &[u8], other: &MatrixMarket) -> Option<[bool; 2]> {
    let matrix = match read_matrix_market(text) {
        Ok(matrix) => matrix,
        Err(error) => {
            let lines = text.split(|&b| b == b'\n').count();
            assert!((1..=lines + 1).contains(&error.line));
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    assert_eq!(matrix.entries.len(), matrix.values.len());
    assert!(matrix.values.iter().all(|x| x.is_finite()));
    for &(row, column) in &matrix.entries {
        assert!((row as usize) < matrix.rows && (column as usize) < matrix.columns);
    }
    let found = Partitions::found();
    let systems = [
        System::from_kkt_matrix_market(&matrix, None, found),
        System::from_matrix_market(&matrix, other, None, found),
        System::from_matrix_market(other, &matrix, None, found),
    ];
    for system in &systems {
        match system {
            Ok(system) => {
                system.values().check(&system.pattern).unwrap();
                matrices::check(&system.pattern);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    Some([systems[0].is_ok(), systems[1..].iter().any(Result::is_ok)])
}

#[test]
fn damaged_matrix_market_text_is_read_or_refused() {
    let mut rng = Rng::new(20_000);
    let other: MatrixMarket =
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 3 2\n".parse().unwrap();
    let (mut read, mut whole, mut parts) = (0, 0, 0);
    for _ in 0..30_000 {
        let text = damaged(&mut rng);
        if let Some([a, b]) = check_text(&text, &other) {
            read += 1;
            whole += usize::from(a);
            parts += usize::from(b);
        }
    }
    // the damage is neither always fatal nor always harmless
    assert!((3_000..27_000).contains(&read), "{read}");
    assert!(whole > 1_000 && parts > 100, "{whole} {parts}");
}

const HUGE: [usize; 6] = [
    u32::MAX as usize,
    u32::MAX as usize + 1,
    isize::MAX as usize,
    usize::MAX / 4,
    usize::MAX - 1,
    usize::MAX,
];

struct Arrays {
    rows: usize,
    columns: usize,
    by_rows: bool,
    triangle: Triangle,
    pointers: Vec<usize>,
    indices: Vec<usize>,
}

impl Arrays {
    /// A valid matrix whose entries `keep` wants, then up to `damage` things changed.
    fn new(rng: &mut Rng, [rows, columns]: [usize; 2], symmetric: bool, damage: usize) -> Self {
        let by_rows = rng.below(3) == 0;
        let triangle = [Triangle::Lower, Triangle::Upper, Triangle::Both][rng.below(3)];
        let (outer, inner) = if by_rows { (rows, columns) } else { (columns, rows) };
        let mut a = Arrays { rows, columns, by_rows, triangle, pointers: vec![0], indices: vec![] };
        for o in 0..outer {
            let mut used: Vec<usize> = (0..inner)
                .filter(|&i| {
                    let (row, column) = if by_rows { (o, i) } else { (i, o) };
                    let kept = match triangle {
                        Triangle::Lower => row >= column,
                        Triangle::Upper => row <= column,
                        Triangle::Both => true,
                    };
                    // the same answer for (row, column) and (column, row)
                    let chosen = (row + column + row * column) % 3 != 0 || row == column;
                    if symmetric { kept && chosen } else { rng.below(2) == 0 }
                })
                .collect();
            matrices::shuffle(rng, &mut used);
            a.indices.extend(used);
            a.pointers.push(a.indices.len());
        }
        for _ in 0..rng.below(damage + 1) {
            a.damage(rng);
        }
        a
    }

    fn damage(&mut self, rng: &mut Rng) {
        let number = match rng.below(3) {
            0 => HUGE[rng.below(HUGE.len())],
            _ => rng.below(9),
        };
        let list = if rng.below(2) == 0 { &mut self.pointers } else { &mut self.indices };
        let at = rng.below(list.len() + 1);
        match rng.below(6) {
            0 => list.insert(at, number),
            1 => list.truncate(at),
            2 if at < list.len() => drop(list.remove(at)),
            3 | 4 if at < list.len() => list[at] = number,
            5 if rng.below(2) == 0 => self.rows = number,
            _ if rng.below(4) == 0 => self.columns = number,
            _ => self.triangle = Triangle::Both,
        }
    }

    fn matrix(&self) -> Compressed<'_> {
        let storage = if self.by_rows { Compressed::csr } else { Compressed::csc };
        storage(self.rows, self.columns, &self.pointers, &self.indices)
    }

    fn symmetric(&self) -> Symmetric<'_> {
        Symmetric { matrix: self.matrix(), triangle: self.triangle }
    }
}

#[test]
fn damaged_arrays_make_a_pattern_or_an_error() {
    let mut rng = Rng::new(40_000);
    let mut good = [0; 3];
    let rounds = 20_000;
    for _ in 0..rounds {
        let damage = rng.below(4);
        let (n, m) = (rng.below(7), rng.below(6));
        let mass = Arrays::new(&mut rng, [n, n], true, damage);
        let jacobian = Arrays::new(&mut rng, [m, n], false, damage);
        let compliance = Arrays::new(&mut rng, [m, m], true, damage);
        let soft = (rng.below(2) == 0).then(|| compliance.symmetric());
        let sizes: Vec<usize> = (0..rng.below(4)).map(|_| rng.below(4)).collect();
        let stated = (rng.below(4) == 0).then_some(&sizes[..]);
        let blocks = Partitions { bodies: stated, constraints: None };
        let unknowns = if damage == 3 { HUGE[rng.below(6)] } else { rng.below(n + 1) };
        let patterns = [
            Pattern::from_csc(mass.symmetric(), jacobian.matrix(), soft, blocks),
            Pattern::from_diagonal(jacobian.columns, jacobian.matrix(), soft, blocks),
            Pattern::from_kkt_csc(unknowns, mass.symmetric(), blocks),
        ];
        for (pattern, good) in patterns.iter().zip(&mut good) {
            match pattern {
                Ok(pattern) => {
                    *good += 1;
                    matrices::check(pattern);
                    check_values(&mut rng, pattern);
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    for good in good {
        assert!((rounds / 10..rounds * 9 / 10).contains(&good), "{good}");
    }
}

/// Numbers are accepted if there are as many as there should be and those that are used are finite.
fn check_values(rng: &mut Rng, pattern: &Pattern) {
    let mut lists = [pattern.mass_len(), pattern.jacobian_len(), pattern.compliance_len()]
        .map(|length| rng.list(length, 1.0));
    let accepted = |lists: &[Vec<f64>; 3]| {
        let [mass, jacobian, compliance] = lists;
        Values { mass, jacobian, compliance }.check(pattern).is_ok()
    };
    assert!(accepted(&lists));
    let list = rng.below(3);
    let used: Vec<usize> = match list {
        0 => pattern.mass_entries().map(|entry| entry.2).collect(),
        1 => pattern.jacobian_entries().map(|entry| entry.2).collect(),
        _ => pattern.compliance_entries().map(|entry| entry.2).collect(),
    };
    if lists[list].is_empty() || rng.below(2) == 0 {
        lists[list].push(1.0);
        assert!(!accepted(&lists));
    } else {
        let place = rng.below(lists[list].len());
        lists[list][place] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][rng.below(3)];
        assert_eq!(accepted(&lists), !used.contains(&place));
    }
}
