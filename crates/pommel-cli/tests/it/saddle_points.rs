//! `kkt`: the systems of the data sets against Lagrange's equation, its document, and what it
//! refuses.

use serde_json::{Value, json};

use crate::support::{Place, Run, assert_keys, dataset, numbers, pommel};

/// A file of a saddle-point system of the data sets.
fn file(case: &str, name: &str) -> String {
    dataset(&format!("saddle_points/{case}/{name}.mtx"))
}

fn solve(case: &str, more: &[&str]) -> Run {
    let [mass, jacobian] = ["M", "J"].map(|name| file(case, name));
    pommel(&[&["kkt", "--mass", &mass, "--jacobian", &jacobian, "--repeat", "1"], more].concat())
}

/// Angular acceleration of the cranks: one degree of freedom, by Lagrange's equation.
fn angular_acceleration(cranks: f64) -> f64 {
    -9.81 * 1.1f64.cos() * (cranks / 2.0 + 2.0) / (cranks / 3.0 + 2.0)
}

/// 64 roundings of numbers of this size: dozens of operations a pivot.
fn close(found: f64, truth: f64, size: f64) -> bool {
    (found - truth).abs() <= 64.0 * f64::EPSILON * size
}

#[test]
fn accelerations_are_those_of_lagranges_equation() {
    for (case, cranks, verdict, dependent) in
        [("four_bar", 2, "good", 0), ("parallel_crank", 3, "good_with_dependent_rows", 1)]
    {
        let found = solve(case, &["--rhs", &file(case, "B"), "--json"]).json();
        let (n, m) = (3 * (cranks + 1), 4 * cranks);
        assert_eq!((&found["n"], &found["m"]), (&json!(n), &json!(m)));
        assert_eq!(found["verdict"], verdict);
        assert_eq!(found["dependent_rows"].as_array().map(Vec::len), Some(dependent));
        assert_eq!(found["rank"], json!(m - dependent));
        assert_eq!(found["inertia"], json!([n, m - dependent, dependent]));
        assert!(found["backward_error"].as_f64() < Some(1e-15), "{found}");
        let solution = numbers(&found["solution"]);
        assert_eq!(solution.len(), n + m);
        let truth = angular_acceleration(cranks as f64);
        let (s, c) = 1.1f64.sin_cos();
        for crank in 0..cranks {
            assert!(close(solution[3 * crank + 2], truth, 10.0), "{case}: {solution:?}");
        }
        let coupler = &solution[3 * cranks..3 * cranks + 3];
        assert!(close(coupler[0], -s * truth - 4.0 * c, 10.0), "{coupler:?}");
        assert!(close(coupler[1], c * truth - 4.0 * s, 10.0), "{coupler:?}");
        assert!(close(coupler[2], 0.0, 10.0), "{coupler:?}");
    }
}

#[test]
fn the_document_holds_the_keys_of_the_contract() {
    let found = solve("four_bar", &["--json"]).json();
    let keys = [
        "n",
        "m",
        "nnz_factor",
        "inertia",
        "dependent_rows",
        "backward_error",
        "analyse_seconds",
        "factor_seconds",
        "solve_seconds",
        "solution",
        "verdict",
        "rank",
        "refinement_steps",
        "unknowns_error",
        "multipliers_error",
        "fronts",
        "largest_front",
        "right_hand_side",
        "matrices",
        "bodies",
        "constraints",
        "factor_entries",
        "minimum",
        "free_unknowns",
        "multiply_adds",
        "message",
    ];
    assert_keys(&found, &keys);
    assert_eq!(found["matrices"], json!([file("four_bar", "M"), file("four_bar", "J")]));
    assert_eq!((&found["bodies"], &found["factor_entries"]), (&json!(3), &found["nnz_factor"]));
    assert_eq!(found["minimum"], true);
    // and the help says what each of them is
    let help = pommel(&["kkt", "--help"]).succeeds().out;
    let listed = help.split_once("Keys of --json:").expect("a list").1;
    for key in found.as_object().expect("an object").keys() {
        assert!(listed.contains(key.as_str()), "{key}");
    }
    for key in ["analyse_seconds", "factor_seconds", "solve_seconds"] {
        let seconds = found[key].as_f64().expect("a number");
        assert!(seconds > 0.0 && seconds < 60.0, "{key}: {seconds}");
    }
    // the triangle of the whole matrix is an upper bound, its diagonal a lower one
    assert!((17..=17 * 18 / 2).contains(&found["nnz_factor"].as_u64().expect("a count")));
}

#[test]
fn without_a_right_hand_side_the_solution_is_a_vector_of_ones() {
    let found = solve("four_bar", &["--json"]).json();
    assert_eq!(found["right_hand_side"], "K times a vector of ones");
    assert!(numbers(&found["solution"]).iter().all(|&x| close(x, 1.0, 10.0)), "{found}");
    let out = solve("four_bar", &[]).succeeds().out;
    assert!(out.contains("K times a vector of ones"), "{out}");
}

/// Of the whole matrix in one file, and with its size stated, the bits are the same.
#[test]
fn one_file_gives_what_two_files_give() {
    let rhs = file("four_bar", "B");
    let two = solve("four_bar", &["--rhs", &rhs, "--json"]).json();
    let whole = file("four_bar", "K");
    let args = ["kkt", "--matrix", &whole, "--rhs", &rhs, "--repeat", "1", "--json"];
    let one = pommel(&args).json();
    let stated = pommel(&[&args[..], &["--unknowns", "9"]].concat()).json();
    assert_eq!(one["solution"], two["solution"]);
    assert_eq!(stated["solution"], two["solution"]);
}

#[test]
fn a_written_solution_is_that_of_the_document_to_the_bit() {
    let place = Place::new();
    let out = place.path("x.mtx");
    let found = solve("four_bar", &["--out", &out, "--json"]).json();
    let text = place.text("x.mtx");
    assert!(text.starts_with("%%MatrixMarket matrix array real general\n"), "{text}");
    let lines = text.lines().filter(|line| !line.starts_with('%')).skip(1);
    let written: Vec<f64> = lines.map(|line| line.parse().expect("a number")).collect();
    assert_eq!(written, numbers(&found["solution"]));
    // and it is read again, as a right-hand side
    solve("four_bar", &["--rhs", &out]).succeeds();
    assert_eq!(place.names("."), ["x.mtx"]);
    let below = place.path("x.mtx/y.mtx");
    solve("four_bar", &["--out", &below]).fails(1, &["cannot write", &below]);
}

#[test]
fn people_get_a_table_and_a_verdict_in_words() {
    let rhs = file("parallel_crank", "B");
    let out = solve("parallel_crank", &["--rhs", &rhs]).succeeds().out;
    for text in [
        "dependent rows (from 0)",
        "12+ 11− 1·0",
        "good with dependent rows: 1 row of J depends on others and agrees with them",
        "x[0]",
        "λ[6]",
    ] {
        assert!(out.contains(text), "'{text}' is not in: {out}");
    }
}

const MASS: &str = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 4\n";
const ROWS: &str = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1\n";

fn small(place: &Place, mass: &str, jacobian: &str, rhs: &str, json: bool) -> Run {
    let (mass, jacobian) = (place.file("M.mtx", mass), place.file("J.mtx", jacobian));
    let rhs = place.file("B.mtx", rhs);
    let args = ["kkt", "--mass", &mass, "--jacobian", &jacobian, "--rhs", &rhs];
    pommel(&[&args[..], if json { &["--json"] } else { &[] }].concat())
}

fn right_hand_side(values: &str) -> String {
    let count = values.split_whitespace().count();
    let lines = values.split_whitespace().collect::<Vec<_>>().join("\n");
    format!("%%MatrixMarket matrix array real general\n{count} 1\n{lines}\n")
}

#[track_caller]
fn reports_and_fails(run: &Run, verdict: &str, texts: &[&str]) -> Value {
    assert_eq!(run.status, Some(1), "{}", run.err);
    let found: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(found["verdict"], verdict);
    for text in texts {
        assert!(run.err.contains(text), "'{text}' is not in: {}", run.err);
    }
    found
}

#[test]
fn a_contradiction_is_reported_and_fails() {
    let place = Place::new();
    // x = 1 and x = 2
    let run = small(&place, MASS, ROWS, &right_hand_side("0 8 1 2"), true);
    let says = ["M.mtx", "there is no solution", "1 row of J depends", "most of all row"];
    let found = reports_and_fails(&run, "inconsistent", &says);
    assert_eq!(numbers(&found["solution"])[1], 2.0);
    let run = small(&place, MASS, ROWS, &right_hand_side("0 8 1 2"), false);
    assert!(run.out.contains("inconsistent: there is no solution"), "{}", run.out);
}

#[test]
fn a_motion_without_mass_is_reported_and_fails() {
    let place = Place::new();
    let mass = MASS.replace("2 2 4", "2 2 0");
    let run = small(&place, &mass, ROWS, &right_hand_side("0 8 1 1"), true);
    let says = ["the unknowns are not unique", "unknowns 1 (from 0)", "give them mass"];
    let found = reports_and_fails(&run, "singular", &says);
    assert_eq!(found["free_unknowns"], json!([1]));
}

/// `x² − 2 y²` along `x = 1`, and along `y = 1`.
#[test]
fn a_solution_that_is_no_minimum_is_noted() {
    let place = Place::new();
    let mass = MASS.replace("2 2 4", "2 2 -4");
    let row =
        |column| format!("%%MatrixMarket matrix coordinate real general\n1 2 1\n1 {column} 1\n");
    let rhs = right_hand_side("0 4 1");
    for (column, minimum) in [(1, false), (2, true)] {
        let found = small(&place, &mass, &row(column), &rhs, true).json();
        assert_eq!((&found["verdict"], &found["minimum"]), (&json!("good"), &json!(minimum)));
        let out = small(&place, &mass, &row(column), &rhs, false).succeeds().out;
        let note =
            out.contains("note: the unknowns are no minimum: the inertia is 1+ 2− 0·0, not 2+");
        assert_eq!(note, !minimum, "{out}");
    }
}

/// Masses whose inverse overflows: inertia and rank are not known, and are not told.
#[test]
fn what_is_not_known_of_numbers_that_overflow_is_not_told() {
    let place = Place::new();
    let mass = MASS.replace("2 2 4", "2 2 1e-320");
    let rhs = right_hand_side("0 8 1 1");
    let run = small(&place, &mass, ROWS, &rhs, true);
    let says = ["overflows", "row 1, column 1 (from 0) of M", "choose other units"];
    let found = reports_and_fails(&run, "not_finite", &says);
    for key in ["inertia", "rank", "dependent_rows", "free_unknowns", "minimum"] {
        assert_eq!(found[key], Value::Null, "{key}");
    }
    let out = small(&place, &mass, ROWS, &rhs, false).out;
    assert!(!out.contains("inertia") && !out.contains("rank"), "{out}");
}

/// Nothing is said of the error of unknowns that are not there.
#[test]
fn a_system_without_unknowns_is_solved() {
    let place = Place::new();
    let matrix = |kind| format!("%%MatrixMarket matrix coordinate real {kind}\n0 0 0\n");
    let [mass, jacobian] = [("M.mtx", "symmetric"), ("J.mtx", "general")]
        .map(|(name, kind)| place.file(name, matrix(kind)));
    let out = pommel(&["kkt", "--mass", &mass, "--jacobian", &jacobian]).succeeds().out;
    assert!(out.contains("good: the solution is unique; no error"), "{out}");
}

/// Rows of `K` whose numbers add up to more than there is.
#[test]
fn a_right_hand_side_that_overflows_is_named() {
    let place = Place::new();
    let rows = ROWS.replace("2 1 1", "2 2 1");
    let numbers = [MASS.replace("1 1 2", "1 1 1.5e308"), rows.replace("1 1 1", "1 1 1e308")];
    let [mass, jacobian] = [place.file("M.mtx", &numbers[0]), place.file("J.mtx", &numbers[1])];
    let run = pommel(&["kkt", "--mass", &mass, "--jacobian", &jacobian]);
    assert_eq!(run.status, Some(1), "{}", run.err);
    let says = "row 0 (from 0) of the right-hand side, K times a vector of ones, is not finite";
    assert!(run.err.contains(says), "{}", run.err);
}

#[test]
fn compliance_makes_dependent_rows_springs() {
    let place = Place::new();
    let (mass, jacobian) = (place.file("M.mtx", MASS), place.file("J.mtx", ROWS));
    let compliance = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 1\n";
    let compliance = place.file("C.mtx", compliance);
    let rhs = place.file("B.mtx", right_hand_side("4 8 0 0"));
    let args = ["kkt", "--mass", &mass, "--jacobian", &jacobian, "--compliance", &compliance];
    let found = pommel(&[&args[..], &["--rhs", &rhs, "--json"]].concat()).json();
    // 2 x + λ₁ + λ₂ = 4, x = λ₁ = λ₂
    for (x, truth) in numbers(&found["solution"]).into_iter().zip([1.0, 2.0, 1.0, 1.0]) {
        assert!(close(x, truth, 2.0), "{found}");
    }
    assert_eq!(found["verdict"], "good");
}

/// `J = [1 1; 1 1 + 10⁻⁷]`: by one row, or by both.
#[test]
fn a_tolerance_keeps_nearly_dependent_rows() {
    let place = Place::new();
    let rows = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n\
                2 2 1.0000001\n";
    let (mass, jacobian) = (place.file("M.mtx", MASS), place.file("J.mtx", rows));
    let rhs = place.file("B.mtx", right_hand_side("0 0 2 2"));
    let args = ["kkt", "--mass", &mass, "--jacobian", &jacobian, "--rhs", &rhs, "--json"];
    let found = reports_and_fails(&pommel(&args), "inconsistent", &["--tolerance"]);
    assert_eq!(found["rank"], 1);
    let found = pommel(&[&args[..], &["--tolerance", "1e-16"]].concat()).json();
    assert_eq!((&found["verdict"], &found["rank"]), (&json!("good"), &json!(2)));
    for (x, truth) in numbers(&found["solution"]).into_iter().zip([2.0, 0.0]) {
        assert!((x - truth).abs() < 1e-6, "{found}");
    }
    for wrong in ["1", "-1e-9", "NaN", "inf"] {
        pommel(&[&args[..], &["--tolerance", wrong]].concat())
            .fails(2, &["--tolerance", "from 0 to below 1"]);
    }
}

#[test]
fn unreadable_files_are_named_with_the_line() {
    let place = Place::new();
    let refused = |mass: &str, jacobian: &str, rhs: &str, says: &[&str]| {
        small(&place, mass, jacobian, rhs, false).fails(2, says);
    };
    let rhs = right_hand_side("0 8 1 1");
    refused("2 2 2", ROWS, &rhs, &["M.mtx: line 1", "%%MatrixMarket"]);
    let nan = MASS.replace("2 2 4", "2 2 NaN");
    refused(&nan, ROWS, &rhs, &["M.mtx: line 4", "`NaN` is not a finite number"]);
    refused(MASS, ROWS, &right_hand_side("0 8 1 inf"), &["B.mtx: line 6", "not a finite number"]);
    let short = right_hand_side("0 8 1");
    refused(MASS, ROWS, &short, &["B.mtx", "3 × 1, not 4 × 1", "2 numbers of f", "2 of g"]);
    let wide = ROWS.replace("2 2 2", "2 3 2");
    let run = small(&place, MASS, &wide, &rhs, false);
    assert!(!run.err.contains("M.mtx"), "{}", run.err);
    run.fails(2, &["J.mtx: J is 2 × 3, but M has 2 columns: J must be m × 2"]);
    let oblong = ROWS.replace("2 2 2", "3 2 2");
    refused(&oblong, ROWS, &rhs, &["M.mtx: M is 3 × 2, but it must be square"]);
    let crooked = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 2 4\n2 1 1\n";
    let at =
        "M.mtx: M is not symmetric: 1e0 at row 2, column 1, but 0e0 at row 1, column 2 (from 1)";
    refused(crooked, ROWS, &rhs, &[at]);
    let twice = ROWS.replace("2 2 2", "2 2 3") + "2 1 1e308\n";
    let twice = twice.replace("2 1 1\n", "2 1 1.7e308\n");
    refused(MASS, &twice, &rhs, &["J.mtx: the values of the entry at row 2, column 1 (from 1)"]);
    refused("", ROWS, &rhs, &["M.mtx: line 1: the file is empty"]);
    pommel(&["kkt", "--mass", "nowhere.mtx", "--jacobian", &file("four_bar", "J")])
        .fails(2, &["cannot read nowhere.mtx"]);
}

#[test]
fn one_way_to_name_the_system_is_asked_for() {
    let (mass, whole) = (file("four_bar", "M"), file("four_bar", "K"));
    pommel(&["kkt"]).fails(2, &["--mass <M.mtx>", "--matrix <K.mtx>"]);
    pommel(&["kkt", "--mass", &mass]).fails(2, &["--jacobian"]);
    pommel(&["kkt", "--matrix", &whole, "--mass", &mass])
        .fails(2, &["'--matrix <K.mtx>' cannot be used with"]);
    pommel(&["kkt", "--matrix", &mass]).fails(2, &["M.mtx", "how many rows M has", "--unknowns"]);
    let place = Place::new();
    let wrong = std::fs::read_to_string(&whole).expect("a file").replacen("nv 9", "nv 99", 1);
    pommel(&["kkt", "--matrix", &place.file("K.mtx", wrong)])
        .fails(2, &["K.mtx: the comment `nv 99` is wrong", "17 rows"]);
    pommel(&["kkt", "--matrix", &whole, "--unknowns", "18"])
        .fails(2, &["--unknowns 18", "17 rows"]);
    pommel(&["kkt", "--mass", &mass, "--jacobian", &mass, "--unknowns", "9"])
        .fails(2, &["cannot be used with"]);
    pommel(&["kkt", "--matrix", &whole, "--repeat", "0"]).fails(2, &["--repeat"]);
}
