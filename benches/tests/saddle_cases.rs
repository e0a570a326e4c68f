//! The systems that benches and drivers share.

use pommel::kkt::{Analysis, Inertia, Options, Refinement, Verdict, Workspace};
use pommel_benches::saddle_cases::{SaddleMatrix, system};
use pommel_testkit::{planar_four_bars, plate_lattice, revolute_chain};

#[test]
fn systems_of_every_kind_are_regular_and_solved() {
    for size in [1, 2, 5] {
        let chain = revolute_chain(size, |_| 1.0, 1);
        for kind in [chain, planar_four_bars(size, |_, _| 1.0), plate_lattice(size, false, 2)] {
            let system = system(&kind.system);
            let matrix = SaddleMatrix::new(&system.whole_matrix(), system.pattern.unknowns());
            let values = system.values();
            let analysis = Analysis::for_values(&system.pattern, &values, &Options::default());
            let mut workspace = Workspace::<f64>::new(&analysis.expect("finite numbers"));
            let mut factor = workspace.factorize(&values).expect("lengths");
            let (positive, negative) = (system.pattern.unknowns(), system.pattern.rows());
            assert_eq!(factor.inertia(0), Inertia { positive, negative, zero: 0 });
            let mut x = vec![0.0; matrix.size()];
            let report = factor.solve(&matrix.rhs, &mut x, &Refinement::default());
            assert_eq!(report.expect("lengths").verdict(0), Verdict::Good);
            // condition numbers below 10⁶
            let error = matrix.error(&x);
            assert!(error < 1e-10, "{size}: {error:e}");
            let residual = matrix.residual(&x, &mut vec![0.0; matrix.size()]);
            assert!(residual < 1e-15, "{size}: {residual:e}");
        }
    }
}

/// Of both triangles and of one, the same matrix.
#[test]
fn the_lower_triangle_has_all_of_the_diagonal() {
    let system = system(&planar_four_bars(2, |_, _| 1.0).system);
    let matrix = SaddleMatrix::new(&system.whole_matrix(), system.pattern.unknowns());
    for j in 0..matrix.size() {
        assert_eq!(matrix.lower.rows[matrix.lower.start[j]], j);
    }
    let both = matrix.lower.iter().filter(|e| e.2 != 0.0).map(|e| 2 - usize::from(e.0 == e.1));
    assert_eq!(both.sum::<usize>(), matrix.full.iter().filter(|e| e.2 != 0.0).count());
    assert_eq!(matrix.lower.transposed().transposed().values, matrix.lower.values);
}
