use pommel::integrate::mechanics::*;
use pommel::integrate::*;
use pommel::mechanism::formulation::Method;
use pommel::mechanism::kinematics::Metric;
use pommel::model::Mechanism;
use pommel::*;
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let folder = std::path::Path::new("/work/main/datasets/mechanisms");
    for name in names {
        let mechanism = Mechanism::from_path(folder.join(&name).join("model.toml")).unwrap();
        let dynamics = AbsoluteDynamics::new(&mechanism).unwrap();
        let state = dynamics.initial_state().unwrap();
        let text = std::fs::read_to_string(folder.join(&name).join("truth.json")).unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let numbers = |v: &serde_json::Value| -> Vec<f64> {
            v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        };
        let last = document["states"].as_array().unwrap().last().unwrap().clone();
        let (end, q, v) = (last["t"].as_f64().unwrap(), numbers(&last["q"]), numbers(&last["v"]));
        for tol in [1e-6, 1e-9] {
            let dp = || {
                Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(tol, tol))
                    .max_steps(10_000_000)
            };
            let d8 = || {
                Options::adaptive(Tableau::dormand_prince_853(), Adaptive::new(tol, tol))
                    .max_steps(10_000_000)
            };
            let radau = |level| {
                MechanicsOptions::adaptive(
                    Scheme::Radau { tableau: ImplicitMethod::Radau5.tableau(), level },
                    Adaptive::new(tol, tol),
                )
                .unwrap()
            };
            let ex = |stabilization, options| Approach::Explicit {
                method: Method::SparseKkt,
                stabilization,
                options,
            };
            let mut list: Vec<(&str, Approach)> = vec![
                ("dp54", Approach::projected(dp())),
                ("dop853", Approach::projected(d8())),
                ("part", ex(Stabilization::Partitioning, dp())),
                ("spart", ex(Stabilization::Projection(Metric::Independent), dp())),
                ("ggl", Approach::Constrained(radau(Level::Stabilized))),
                ("ind2", Approach::Constrained(radau(Level::Velocity))),
                ("ind3", Approach::Constrained(radau(Level::Position))),
                (
                    "stiff",
                    Approach::Implicit {
                        method: Method::SparseKkt,
                        stabilization: Stabilization::Projection(Metric::Mass),
                        options: ImplicitOptions::adaptive(
                            ImplicitMethod::Radau5.tableau(),
                            Adaptive::new(tol, tol),
                        ),
                    },
                ),
            ];
            if tol > 1e-7 {
                list.push((
                    "rattle",
                    Approach::Constrained(
                        MechanicsOptions::adaptive(Scheme::Rattle, Adaptive::new(tol, tol))
                            .unwrap(),
                    ),
                ));
                list.push((
                    "galpha",
                    Approach::Constrained(
                        MechanicsOptions::adaptive(
                            Scheme::GeneralizedAlpha { spectral_radius: 0.8 },
                            Adaptive::new(tol, tol),
                        )
                        .unwrap(),
                    ),
                ));
            }
            if dynamics.system().nv() > 60 {
                list.truncate(3);
            }
            for (label, approach) in list {
                let start = std::time::Instant::now();
                let found = integrate_constrained(&dynamics, &state, &approach, end, &mut ());
                let time = start.elapsed().as_secs_f64();
                match found {
                    Err(e) => println!("{name:18} {tol:.0e} {label:7} {e} ({time:.3} s)"),
                    Ok(found) => {
                        let (mut q, mut v) = (q.clone(), v.clone());
                        if !dynamics.system().is_planar() {
                            v.chunks_mut(6).for_each(|b| b.rotate_left(3));
                            for (b, f) in q.chunks_mut(7).zip(found.q.chunks(7)) {
                                let same: f64 =
                                    b[3..].iter().zip(&f[3..]).map(|(a, b)| a * b).sum();
                                b[3..].iter_mut().for_each(|x| *x *= same.signum());
                            }
                        }
                        let off = |a: &[f64], b: &[f64]| {
                            a.iter()
                                .zip(b)
                                .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())))
                        };
                        let e = off(&found.q, &q).max(off(&found.v, &v));
                        let s = found.statistics;
                        println!(
                            "{name:18} {tol:.0e} {label:7} err/tol {:9.2} steps {:6} rej {:4} eval {:7} pos {:.1e} vel {:.1e} {:.4} s",
                            e / tol,
                            s.steps,
                            s.rejected,
                            s.evaluations,
                            found.position_residual,
                            found.velocity_residual,
                            time
                        );
                    }
                }
            }
        }
    }
}
