//! Latin hypercubes and Sobol designs: evenly spread, and each instance by itself.

use crate::support::sweep_of;
use pommel_batch::Sweep;

const UNIT: &str = r#"
    [[parameters]]
    path = "bodies.L1.mass"
    uniform = [0.0, 1.0]
    [[parameters]]
    path = "bodies.L2.mass"
    uniform = [0.0, 1.0]
    [[parameters]]
    path = "bodies.L1.com[1]"
    uniform = [0.0, 1.0]
    [[parameters]]
    path = "bodies.L2.com[1]"
    uniform = [0.0, 1.0]
"#;

fn design(kind: &str, count: u64, seed: u64, parameters: &str) -> Sweep {
    sweep_of(&format!(
        "name = \"s\"\nmodel = \"m.toml\"\nend = 1.0\n\
         design = {{ kind = \"{kind}\", count = {count}, seed = {seed} }}\n{parameters}"
    ))
}

fn rows(sweep: &Sweep) -> Vec<Vec<f64>> {
    (0..sweep.len()).map(|index| sweep.parameters(index)).collect()
}

#[test]
fn a_latin_hypercube_has_one_instance_in_each_stratum_of_each_parameter() {
    for count in [1, 2, 3, 7, 100, 1000, 4099] {
        let rows = rows(&design("latin_hypercube", count, 5, UNIT));
        for p in 0..4 {
            let mut strata: Vec<_> =
                rows.iter().map(|row| (row[p] * count as f64) as u64).collect();
            strata.sort_unstable();
            assert_eq!(strata, (0..count).collect::<Vec<_>>(), "{count} in parameter {p}");
        }
    }
}

/// Orders of two parameters are independent, and so are places and strata: correlations have the
/// standard error 1/√n.
#[test]
fn parameters_of_a_latin_hypercube_are_not_correlated() {
    let n = 4000;
    let rows = rows(&design("latin_hypercube", n, 1, UNIT));
    let column = |p: usize| rows.iter().map(|row| row[p]).collect::<Vec<_>>();
    let place = |p: usize| rows.iter().map(|row| row[p] * n as f64 % 1.0).collect::<Vec<_>>();
    let index: Vec<_> = (0..n).map(|k| k as f64).collect();
    let pairs = [
        (column(0), column(1)),
        (column(0), column(3)),
        (column(2), place(2)),
        (place(0), place(1)),
        (column(1), index),
    ];
    for (case, (a, b)) in pairs.iter().enumerate() {
        let r = correlation(a, b);
        assert!(r.abs() < 5.0 / (n as f64).sqrt(), "case {case}: {r}");
    }
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |x: &[f64], mx: f64, y: &[f64], my: f64| {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
    };
    sum(a, ma, b, mb) / (sum(a, ma, a, ma) * sum(b, mb, b, mb)).sqrt()
}

#[test]
fn distributions_of_a_latin_hypercube_have_their_quantiles() {
    let n = 1000;
    let sweep = design(
        "latin_hypercube",
        n,
        2,
        r#"
        parameters = [
            { path = "bodies.L1.mass", log_uniform = [1e-2, 1e2] },
            { path = "bodies.L1.com[1]", normal = { mean = 2.0, standard_deviation = 0.5 } },
            { path = "bodies.L2.com[1]", values = [1.0, 2.0, 5.0, 7.0] },
            { path = "gravity[0]", linspace = { from = 0.0, to = 1.0, count = 10 } },
        ]"#,
    );
    let rows = rows(&sweep);
    let sorted = |p: usize| {
        let mut values: Vec<_> = rows.iter().map(|row| row[p]).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    // the logarithm of value k is in stratum k
    for (k, value) in sorted(0).into_iter().enumerate() {
        let stratum = (value.log10() + 2.0) / 4.0 * n as f64;
        assert!((k as f64 - 1e-9..k as f64 + 1.0 + 1e-9).contains(&stratum), "{k}: {stratum}");
    }
    // published quantiles of the normal distribution: 2.5 %, 16 %, 50 %, 84.1 %, 97.5 %
    let normal = sorted(1);
    for (share, quantile) in
        [(0.025, -1.959_963_985), (0.1, -1.281_551_566), (0.5, 0.0), (0.975, 1.959_963_985)]
    {
        let k = (share * n as f64) as usize;
        let expected = 2.0 + 0.5 * quantile;
        assert!(normal[k - 1] <= expected && expected <= normal[k], "{share}");
    }
    for value in [1.0, 2.0, 5.0, 7.0] {
        assert_eq!(rows.iter().filter(|row| row[2] == value).count(), 250);
    }
    assert_eq!(rows.iter().filter(|row| row[3] == 0.0).count(), 100);
    assert_eq!(rows.iter().filter(|row| row[3] == 1.0).count(), 100);
}

#[test]
fn instances_follow_from_seed_and_index() {
    let all = |kind, count, seed| rows(&design(kind, count, seed, UNIT));
    assert_eq!(all("sobol", 64, 3)[..20], all("sobol", 20, 3)[..]);
    assert_ne!(all("latin_hypercube", 64, 3)[..20], all("latin_hypercube", 20, 3)[..]);
    for kind in ["sobol", "latin_hypercube"] {
        assert_eq!(all(kind, 9, 3), all(kind, 9, 3));
        assert_ne!(all(kind, 9, 3), all(kind, 9, 4));
        // appended parameters leave the others as they are
        let fewer = UNIT.rsplit_once("[[parameters]]").expect("four").0;
        let before = rows(&design(kind, 9, 3, fewer));
        let after: Vec<_> = all(kind, 9, 3).into_iter().map(|row| row[..3].to_vec()).collect();
        assert_eq!(before, after);
    }
}

#[test]
fn the_largest_designs_have_their_last_instance() {
    for (kind, count) in [("latin_hypercube", 1 << 40), ("sobol", 1 << 52)] {
        let sweep = design(kind, count, 1, UNIT);
        let last = sweep.parameters(count - 1);
        assert!(last.iter().all(|value| 0.0 < *value && *value < 1.0), "{last:?}");
    }
}

/// Any 2ᵏ instances of a Sobol design that start at a multiple of 2ᵏ fill, in the first two
/// parameters, every cell of every division of the square into 2ᵏ equal boxes: (0, k, 2) nets.
#[test]
fn sobol_designs_are_nets() {
    let rows = rows(&design("sobol", 256, 8, UNIT));
    for block in rows.chunks(64) {
        for bits in 0..=6 {
            let (wide, high) = (f64::from(1 << bits), f64::from(64 >> bits));
            let mut cells = [0; 64];
            for row in block {
                cells[((row[0] * wide) as usize) * (64 >> bits) + (row[1] * high) as usize] += 1;
            }
            assert_eq!(cells, [1; 64], "{bits}");
        }
    }
}

/// The root mean square error of the integral of a smooth function over the unit cube, over 32
/// seeds: that of random designs falls as n^(-1/2), of a Latin hypercube for sums of functions of
/// one parameter as n^(-3/2), that of scrambled Sobol points for all smooth ones nearly so.
#[test]
fn integrals_converge_as_theory_says() {
    let product = |row: &[f64]| row.iter().map(|x| 1.0 + 0.5 * (x - 0.5)).product::<f64>() - 1.0;
    let sum = |row: &[f64]| row.iter().map(|x| x * x - 1.0 / 3.0).sum::<f64>();
    let error = |kind, n, f: &dyn Fn(&[f64]) -> f64| {
        let seeds = 32;
        let squares = (0..seeds).map(|seed| {
            let rows = rows(&design(kind, n, seed, UNIT));
            (rows.iter().map(|row| f(row)).sum::<f64>() / n as f64).powi(2)
        });
        (squares.sum::<f64>() / seeds as f64).sqrt()
    };
    // the variance of the product is (1 + 1/48)⁴ − 1
    let deviation = ((1.0_f64 + 1.0 / 48.0).powi(4) - 1.0).sqrt();
    let random = error("random", 1024, &product);
    let expected = deviation / 32.0;
    assert!((0.5 * expected..2.0 * expected).contains(&random), "{random}");
    let (coarse, fine) = (error("sobol", 64, &product), error("sobol", 1024, &product));
    let order = (coarse / fine).log2() / 4.0;
    assert!(order > 1.2, "order {order} of {coarse:e}, {fine:e}");
    assert!(fine < random / 50.0, "{fine:e} against {random:e}");
    let (coarse, fine) = (error("latin_hypercube", 64, &sum), error("latin_hypercube", 1024, &sum));
    let order = (coarse / fine).log2() / 4.0;
    assert!((1.3..1.7).contains(&order), "order {order} of {coarse:e}, {fine:e}");
}

/// The numbers of a seed are a promise: a change here is a change of every published sweep.
#[test]
fn first_values_of_a_seed_are_pinned() {
    let sobol = design("sobol", 1 << 20, 11, UNIT);
    let latin = design("latin_hypercube", 1000, 11, UNIT);
    // computed by another implementation of ChaCha, the sequence, scrambling and permutation
    for (sweep, index, expected) in [
        (
            &sobol,
            0,
            [0.427016016915719, 0.32753621409953737, 0.12035185713045016, 0.209484527882296],
        ),
        (
            &sobol,
            1_000_000,
            [0.41874539248475806, 0.025022155183761385, 0.581440976962191, 0.8067191333661202],
        ),
        (
            &latin,
            0,
            [0.011303862399685385, 0.6975069772063234, 0.8204562102868022, 0.199337523729233],
        ),
        (
            &latin,
            999,
            [0.4285847889451161, 0.32545929175216404, 0.7382279359438526, 0.07117029496031864],
        ),
    ] {
        assert_eq!(sweep.parameters(index), expected, "{index}");
    }
}

#[test]
fn designs_have_limits() {
    let fault = |kind: &str, count: u64, parameters: &str| {
        let text = format!(
            "name = \"s\"\nmodel = \"m.toml\"\nend = 1.0\n\
             design = {{ kind = \"{kind}\", count = {count} }}\n{parameters}"
        );
        let error = pommel_batch::Plan::from_toml_str(&text).expect_err("faulty");
        assert_eq!(error.faults().len(), 1, "{error}");
        error.faults()[0].to_string()
    };
    assert_eq!(
        fault("latin_hypercube", (1 << 40) + 1, UNIT),
        "design.count (line 4): a Latin hypercube has at most 1099511627776 instances, found \
         1099511627777"
    );
    assert_eq!(
        fault("sobol", (1 << 52) + 1, UNIT),
        "design.count (line 4): a Sobol design has at most 4503599627370496 instances, found \
         4503599627370497"
    );
    let many = (0..1001).map(|k| {
        format!("[[parameters]]\npath = \"gravity[0]\"\nname = \"p{k}\"\nuniform = [0.0, 1.0]\n")
    });
    assert_eq!(
        fault("sobol", 8, &many.collect::<String>()),
        "parameters (line 5): a Sobol design has at most 1000 parameters, found 1001"
    );
    let centre = UNIT.replacen("uniform", "centre = 1.0\nuniform", 1);
    assert_eq!(
        fault("sobol", 8, &centre),
        "parameters[0].centre (line 8): a Sobol design has no centre; its instances come from \
         `count` and `seed`"
    );
}
