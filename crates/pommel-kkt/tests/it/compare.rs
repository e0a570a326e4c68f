//! probe
use pommel_kkt::compare::{DenseKkt, NullSpace, RangeSpace, SaddleSolver};
use pommel_testkit::{DenseSaddle, Rng, SaddleShape, random_saddle};

use crate::systems::case;

#[test]
fn probe() {
    for which in 0..3 {
        let mut rng = Rng::new(1);
        let (mut ok, mut skipped, mut wrong, mut refused) = (0, 0, 0, 0);
        let (mut wx, mut wf, mut wr, mut wa) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for number in 0..4000 {
            let shape = SaddleShape::random(&mut rng);
            let system = random_saddle(&mut rng, &shape);
            let truth = DenseSaddle::new(&system);
            if truth.gap < 1e5 || (which == 1 && shape.scaled_masses) {
                skipped += 1;
                continue;
            }
            let case = case(&system);
            let mut solver: Box<dyn SaddleSolver<f64>> = match which {
                0 => Box::new(DenseKkt::new(&case.pattern)),
                1 => Box::new(RangeSpace::new(&case.pattern)),
                _ => Box::new(NullSpace::new(&case.pattern)),
            };
            let summary = match solver.factorize(&case.values()) {
                Ok(s) => s,
                Err(e) => {
                    refused += 1;
                    let expected = match e {
                        pommel_kkt::KktError::MassNotPositive { .. } => {
                            system.truth.massless_bodies > 0
                        }
                        pommel_kkt::KktError::ComplianceNotSupported { .. } => {
                            !system.compliance.is_empty()
                        }
                        _ => !truth.unique,
                    };
                    if !expected {
                        println!(
                            "{which} {number} {e} cond {:e} gap {:e} {shape:?}",
                            truth.condition, truth.gap
                        );
                    }
                    continue;
                }
            };
            let i = summary.inertia;
            if (i.positive, i.negative, i.zero) != truth.inertia {
                wrong += 1;
                println!(
                    "{which} {number} inertia {i:?} {:?} cond {:e} gap {:e} rank {} {shape:?}",
                    truth.inertia, truth.condition, truth.gap, summary.rank
                );
                continue;
            }
            let rhs = system.right_hand_side();
            let mut z = vec![0.0; rhs.len()];
            solver.solve(&rhs, &mut z);
            let e = truth.error(&z);
            let c = truth.condition * f64::EPSILON;
            if truth.contradiction < 1e-12 {
                if truth.unique {
                    wx = wx.max(e.x / c);
                    wf = wf.max(e.force / c);
                    wa = wa.max(e.all / c);
                    if e.x / c > 3e2 {
                        println!(
                            "{which} {number} x {:e} cond {:e} {:e}",
                            e.x, truth.condition, e.residual
                        );
                    }
                }
                if e.residual > 1e-13 {
                    println!(
                        "{which} {number} RES {:e} cond {:e} gap {:e} contra {:e} unique {} {:?}",
                        e.residual,
                        truth.condition,
                        truth.gap,
                        truth.contradiction,
                        truth.unique,
                        shape
                    );
                }
                wr = wr.max(e.residual);
            }
            ok += 1;
        }
        println!(
            "{which}: ok {ok} skipped {skipped} wrong {wrong} refused {refused} x {wx:e} force {wf:e} all {wa:e} residual {wr:e}"
        );
    }
}
