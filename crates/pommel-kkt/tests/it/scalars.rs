//! The same solvers over other scalars.

use pommel_kkt::Values;
use pommel_math::{Dual, Lanes, Real};
use pommel_testkit::{
    DenseSaddle, Rng, SaddleShape, SaddleSystem, count_allocations, random_saddle, relative_error,
};

use crate::compare::solvers;
use crate::systems::{Case, Motion, case, differences, plain_shape, rounded};
use crate::workspace::{packed, scaled};

/// Lanes with other masses, other units, and rows of J that vanish: other pivots, other ranks.
fn lanes_of(rng: &mut Rng, system: &SaddleSystem) -> ([Case; 4], [Vec<f64>; 4]) {
    let first = case(system);
    let rhs = system.right_hand_side();
    let mut cases = [(); 4].map(|()| first.clone());
    cases[1].mass = scaled(&first.mass, |_| 7.0);
    cases[1].jacobian = rng.list(first.jacobian.len(), 1.0);
    let zeroed = rng.below(first.jacobian.len().max(1));
    cases[2].jacobian = scaled(&first.jacobian, |e| if e < zeroed { 0.0 } else { 1.0 });
    cases[3].mass = scaled(&first.mass, |_| 1e6);
    cases[3].compliance = scaled(&first.compliance, |_| 3.0);
    let rhs = [rhs.clone(), scaled(&rhs, |e| e as f64), rhs.clone(), scaled(&rhs, |_| -2.0)];
    (cases, rhs)
}

#[test]
fn every_lane_has_the_bits_of_f64() {
    let mut rng = Rng::new(11);
    let mut compared = [0; 3];
    for _ in 0..400 {
        let shape = SaddleShape::random(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let (cases, rhs) = lanes_of(&mut rng, &system);
        let lists = |part: fn(&Case) -> &Vec<f64>| -> Vec<Lanes<4>> {
            packed(cases.each_ref().map(|c| &part(c)[..]))
        };
        let (mass, jacobian) = (lists(|c| &c.mass), lists(|c| &c.jacobian));
        let compliance = lists(|c| &c.compliance);
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        let wide_rhs = packed(rhs.each_ref().map(|b| &b[..]));
        let mut wide_solution = vec![Lanes::zero(); wide_rhs.len()];
        for (which, mut wide) in solvers::<Lanes<4>>(&cases[0]).into_iter().enumerate() {
            let (found, allocations) = count_allocations(|| {
                let found = wide.factorize(&values);
                if found.is_ok() {
                    wide.solve(&wide_rhs, &mut wide_solution);
                }
                found
            });
            assert_eq!(allocations, 0);
            let narrow = cases.each_ref().map(|case| {
                let mut solver = solvers::<f64>(case).into_iter().nth(which).expect("a solver");
                (solver.factorize(&case.values()), solver)
            });
            let Ok(summary) = found else {
                let error = narrow.into_iter().find_map(|(found, _)| found.err());
                assert_eq!(error, found.err());
                continue;
            };
            let summaries = narrow.each_ref().map(|(found, _)| found.clone().expect("a factor"));
            assert_eq!(summary.rank, summaries.iter().map(|s| s.rank).min().expect("a lane"));
            compared[which] += 1;
            for (lane, (_, mut solver)) in narrow.into_iter().enumerate() {
                let mut solution = vec![0.0; rhs[lane].len()];
                solver.solve(&rhs[lane], &mut solution);
                for (wide, narrow) in wide_solution.iter().zip(&solution) {
                    assert_eq!(wide.lane(lane).to_bits(), narrow.to_bits());
                }
            }
        }
    }
    assert!(compared[0] == 400 && compared[1] > 100 && compared[2] > 100, "{compared:?}");
}

#[test]
fn f32_finds_the_same_rank_and_the_solution_to_its_digits() {
    let mut rng = Rng::new(12);
    let mut compared = [0; 3];
    for _ in 0..600 {
        let shape = plain_shape(&mut rng);
        // the reference solves what f32 is given
        let system = rounded(&random_saddle(&mut rng, &shape));
        let rhs = system.right_hand_side();
        let truth = DenseSaddle::new(&system);
        if truth.condition > 1e3 || truth.gap < 1e9 || !truth.unique {
            continue;
        }
        let case = case(&system);
        let single = |values: &[f64]| values.iter().map(|v| *v as f32).collect::<Vec<f32>>();
        let (mass, jacobian) = (single(&case.mass), single(&case.jacobian));
        let compliance = single(&case.compliance);
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        let mut solution = vec![0.0f32; rhs.len()];
        for (which, mut solver) in solvers::<f32>(&case).into_iter().enumerate() {
            let Ok(summary) = solver.factorize(&values) else { continue };
            assert_eq!(
                summary.rank,
                truth.rank,
                "{} {:e} {shape:?}",
                solver.name(),
                truth.condition
            );
            solver.solve(&single(&rhs), &mut solution);
            let solution: Vec<f64> = solution.iter().map(|x| f64::from(*x)).collect();
            let bound = 200.0 * f64::from(f32::EPSILON) * truth.condition;
            let error = truth.error(&solution);
            assert!(error.x < bound, "{} {error:?} {bound:e} {shape:?}", solver.name());
            compared[which] += 1;
        }
    }
    assert!(compared.iter().all(|c| *c > 100), "{compared:?}");
}

#[test]
fn dual_numbers_carry_the_derivative_of_the_solution() {
    let mut rng = Rng::new(13);
    let mut compared = [0; 3];
    for _ in 0..500 {
        let shape = plain_shape(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let truth = DenseSaddle::new(&system);
        if truth.condition > 1e4 || truth.gap < 1e6 || !truth.unique || system.f.is_empty() {
            continue;
        }
        let motion = Motion::random(&mut rng, &system);
        let (mass, jacobian) = (motion.dual(|p| &p.0.mass), motion.dual(|p| &p.0.jacobian));
        let (compliance, rhs) = (motion.dual(|p| &p.0.compliance), motion.dual(|p| &p.1));
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        for (which, mut dual) in solvers::<Dual<1>>(&motion.0[0].0).into_iter().enumerate() {
            if dual.factorize(&values).is_err() {
                continue;
            }
            let mut solution = vec![Dual::zero(); rhs.len()];
            dual.solve(&rhs, &mut solution);
            let x = |(case, rhs): &(Case, Vec<f64>)| {
                let mut solver = solvers::<f64>(case).into_iter().nth(which).expect("a solver");
                solver.factorize(&case.values()).expect("a factor");
                let mut solution = vec![0.0; rhs.len()];
                solver.solve(rhs, &mut solution);
                solution.truncate(system.f.len());
                solution
            };
            let [now, ahead, behind] = motion.0.each_ref().map(x);
            let found: Vec<f64> = solution[..now.len()].iter().map(|d| d.value()).collect();
            assert_eq!(found, now, "{}", dual.name());
            let found: Vec<f64> = solution[..now.len()].iter().map(|d| d.gradient()[0]).collect();
            // differences of step 1e-5: 1e-10 from the step, 1e-11 · condition from rounding
            let error = relative_error(&found, &differences(&ahead, &behind));
            let bound = 1e-6 + 1e-10 * truth.condition;
            assert!(error < bound, "{}: {error:e} {bound:e} {shape:?}", dual.name());
            compared[which] += 1;
        }
    }
    assert!(compared.iter().all(|c| *c > 100), "{compared:?}");
}
