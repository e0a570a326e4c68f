//! The same solvers over other scalars.

use pommel_kkt::Values;
use pommel_math::{Dual, Lanes, Real};
use pommel_testkit::{
    DenseSaddle, Rng, SaddleShape, SaddleSystem, SaddleUnits, count_allocations, random_saddle,
    relative_error,
};

use crate::compare::solvers;
use crate::systems::{Case, case};

/// Each value times a factor that `factor` makes of its place.
fn changed(values: &[f64], factor: impl Fn(usize) -> f64) -> Vec<f64> {
    values.iter().enumerate().map(|(e, v)| v * factor(e)).collect()
}

fn packed(lanes: &[Vec<f64>; 4]) -> Vec<Lanes<4>> {
    (0..lanes[0].len()).map(|e| Lanes::from_lanes(|lane| lanes[lane][e])).collect()
}

/// Lanes with other masses, other units, and rows of J that vanish: other pivots, other ranks.
fn lanes_of(rng: &mut Rng, system: &SaddleSystem) -> ([Case; 4], [Vec<f64>; 4]) {
    let first = case(system);
    let rhs = system.right_hand_side();
    let mut cases = [(); 4].map(|()| first.clone());
    cases[1].mass = changed(&first.mass, |_| 7.0);
    cases[1].jacobian = rng.list(first.jacobian.len(), 1.0);
    let zeroed = rng.below(first.jacobian.len().max(1));
    cases[2].jacobian = changed(&first.jacobian, |e| if e < zeroed { 0.0 } else { 1.0 });
    cases[3].mass = changed(&first.mass, |_| 1e6);
    cases[3].compliance = changed(&first.compliance, |_| 3.0);
    let rhs = [rhs.clone(), changed(&rhs, |e| e as f64), rhs.clone(), changed(&rhs, |_| -2.0)];
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
        let mass = packed(&cases.each_ref().map(|c| c.mass.clone()));
        let jacobian = packed(&cases.each_ref().map(|c| c.jacobian.clone()));
        let compliance = packed(&cases.each_ref().map(|c| c.compliance.clone()));
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        let wide_rhs = packed(&rhs);
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

/// A shape whose numbers are all near 1.
fn plain_shape(rng: &mut Rng) -> SaddleShape {
    SaddleShape {
        units: SaddleUnits::Same,
        scaled_masses: false,
        scaled_rows: false,
        contradicted: false,
        ..SaddleShape::random(rng)
    }
}

#[test]
fn f32_finds_the_same_rank_and_the_solution_to_its_digits() {
    let mut rng = Rng::new(12);
    let mut compared = [0; 3];
    for _ in 0..600 {
        let shape = plain_shape(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        // the reference solves what f32 is given
        let mut rounded = system.clone();
        for list in [&mut rounded.mass, &mut rounded.jacobian, &mut rounded.compliance] {
            list.iter_mut().for_each(|entry| entry.2 = f64::from(entry.2 as f32));
        }
        let rhs = rounded.times(&[system.truth.x, system.truth.lambda].concat());
        rounded.f.copy_from_slice(&rhs[..system.f.len()]);
        rounded.g.copy_from_slice(&rhs[system.f.len()..]);
        let truth = DenseSaddle::new(&rounded);
        if truth.condition > 1e3 || truth.gap < 1e9 || !truth.unique {
            continue;
        }
        let case = case(&rounded);
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

/// The values and the right-hand side of a case at `t`: those of M, of J and of `f` change in
/// proportion, so that rows depend on each other, and agree, for all `t`.
fn moved(system: &SaddleSystem, case: &Case, rates: &[f64; 2], t: f64) -> (Case, Vec<f64>) {
    let (slow, fast) = (1.0 + rates[0] * t, 1.0 + rates[1] * t);
    let mut at = case.clone();
    at.mass = changed(&case.mass, |_| slow * slow);
    at.jacobian = changed(&case.jacobian, |_| fast);
    let n = system.f.len();
    let rhs = changed(&system.right_hand_side(), |i| if i < n { slow } else { 1.0 });
    (at, rhs)
}

fn with_derivative(at: &[f64], ahead: &[f64], behind: &[f64], step: f64) -> Vec<Dual<1>> {
    let lists = at.iter().zip(ahead).zip(behind);
    lists.map(|((x, a), b)| Dual::new(*x, [(a - b) / (2.0 * step)])).collect()
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
        let start = case(&system);
        let rates = [rng.uniform(0.5, 1.0), rng.uniform(-1.0, -0.5)];
        let step = 1e-5;
        let [at, ahead, behind] = [0.0, step, -step].map(|t| moved(&system, &start, &rates, t));
        let join = |part: fn(&(Case, Vec<f64>)) -> &Vec<f64>| {
            with_derivative(part(&at), part(&ahead), part(&behind), step)
        };
        let (mass, jacobian) = (join(|p| &p.0.mass), join(|p| &p.0.jacobian));
        let (compliance, rhs) = (join(|p| &p.0.compliance), join(|p| &p.1));
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        for (which, mut dual) in solvers::<Dual<1>>(&start).into_iter().enumerate() {
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
            let (now, ahead, behind) = (x(&at), x(&ahead), x(&behind));
            let found: Vec<f64> = solution[..now.len()].iter().map(|d| d.value()).collect();
            assert_eq!(found, now, "{}", dual.name());
            let found: Vec<f64> = solution[..now.len()].iter().map(|d| d.gradient()[0]).collect();
            let differences: Vec<f64> =
                ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * step)).collect();
            // differences of step 1e-5: 1e-10 from the step, 1e-11 · condition from rounding
            let error = relative_error(&found, &differences);
            let bound = 1e-6 + 1e-10 * truth.condition;
            assert!(error < bound, "{}: {error:e} {bound:e} {shape:?}", dual.name());
            compared[which] += 1;
        }
    }
    assert!(compared.iter().all(|c| *c > 100), "{compared:?}");
}
