//! Bases, which no interface shows.

use pommel_testkit::Rng;

use super::*;
use crate::formulation::Formulation;
use crate::formulation::driver::Driver;

/// Random rows, some of them sums of others.
fn equations(rng: &mut Rng, n: usize, m: usize, rank: usize) -> (Pattern, Vec<f64>, Vec<f64>) {
    let places: Vec<_> = (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).collect();
    let diagonal: Vec<_> = (0..n).map(|i| (i, i)).collect();
    let pattern = Pattern::from_places(&vec![1; n], &vec![1; m], &diagonal, &places, &[]).unwrap();
    let rows: Vec<Vec<f64>> = (0..rank).map(|_| rng.list(n, 1.0)).collect();
    let mut jacobian = Vec::new();
    for i in 0..m {
        let weights = rng.list(rank, 1.0);
        let sum = |j: usize| rows.iter().zip(&weights).map(|(row, w)| w * row[j]).sum::<f64>();
        jacobian.extend((0..n).map(|j| if i < rank { rows[i][j] } else { sum(j) }));
    }
    let mass = (0..n).map(|_| rng.uniform(0.5, 2.0)).collect();
    (pattern, mass, jacobian)
}

fn basis<B: Basis>(pattern: &Pattern, mass: &[f64], jacobian: &[f64]) -> (Vec<f64>, f64) {
    let (n, m) = (pattern.unknowns(), pattern.rows());
    let mut driver = Driver::<NullSpace<B>>::new(pattern);
    let (force, gamma) = (vec![1.0; n], vec![0.0; m]);
    let equations = Equations {
        pattern,
        mass,
        jacobian,
        force: &force,
        gamma: &gamma,
        phi: &[],
        scales: &[],
        state: None,
    };
    driver.solve(&equations, &mut vec![0.0; n], &mut vec![0.0; m]).unwrap();
    let mut system = System::new(pattern);
    system.fill(&equations);
    let v = driver.solver().basis.free().to_vec();
    let leak = leak(&system, &v);
    (v, leak)
}

#[test]
fn bases_are_orthonormal_and_belong_to_the_null_space() {
    let mut rng = Rng::new(11);
    for (n, m, rank) in [(5, 3, 3), (7, 9, 4), (24, 24, 22), (4, 6, 4), (3, 2, 1), (40, 30, 29)] {
        let (pattern, mass, jacobian) = equations(&mut rng, n, m, rank);
        for (way, (v, leak)) in [
            basis::<zero_eigenvalue::Eigenvectors>(&pattern, &mass, &jacobian),
            basis::<schur::SchurVectors>(&pattern, &mass, &jacobian),
            basis::<qr::Explicit>(&pattern, &mass, &jacobian),
            basis::<qr::Implicit>(&pattern, &mass, &jacobian),
            basis::<svd::Vectors>(&pattern, &mass, &jacobian),
            basis::<qtz::Complete>(&pattern, &mass, &jacobian),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(v.len(), n * (n - rank));
            // the first two square the condition of the rows, below 1e5
            let limit = if way < 2 { 1e-9 } else { 1e-13 };
            assert!(leak < limit, "way {way} of {n}, {m}, {rank}: {leak}");
            let columns: Vec<_> = v.chunks_exact(n).collect();
            for (i, x) in columns.iter().enumerate() {
                for (j, y) in columns.iter().enumerate() {
                    let unit = if i == j { 1.0 } else { 0.0 };
                    assert!((dot(x, y) - unit).abs() < 1e-13);
                }
            }
        }
    }
}

/// `[dFGP08]` lists both; as listed they are the same, and here so is every bit.
#[test]
fn qr_and_putd_have_the_same_basis_bit_by_bit() {
    let mut rng = Rng::new(12);
    for (n, m, rank) in [(5, 3, 3), (7, 9, 4), (24, 24, 22), (13, 5, 5), (50, 30, 28)] {
        let (pattern, mass, jacobian) = equations(&mut rng, n, m, rank);
        let (explicit, _) = basis::<qr::Explicit>(&pattern, &mass, &jacobian);
        let (implicit, _) = basis::<qr::Implicit>(&pattern, &mass, &jacobian);
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&explicit), bits(&implicit));
    }
}

#[test]
fn methods_know_their_names() {
    let (pattern, ..) = equations(&mut Rng::new(13), 3, 2, 2);
    assert_eq!(Qr::new(&pattern).method(), Method::Qr);
    assert_eq!(SvdNullSpace::new(&pattern).method(), Method::Svd);
}
