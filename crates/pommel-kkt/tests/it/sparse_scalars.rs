//! The sparse factor over other scalars.

use pommel_kkt::{Analysis, Options, Refinement, Values, Workspace};
use pommel_math::{Dual, Lanes, Real};
use pommel_testkit::{DenseSaddle, Rng, random_saddle, relative_error};

use crate::systems::{Case, Motion, case, differences, plain_shape, rounded};
use crate::workspace::{for_numbers, four, packed};

/// Of 421 systems the rank of 10 was misjudged.
#[test]
fn f32_finds_the_same_rank_and_the_solution_to_its_digits() {
    let mut rng = Rng::new(23);
    let (mut compared, mut misjudged) = ([0; 2], 0);
    for _ in 0..600 {
        let shape = plain_shape(&mut rng);
        let system = rounded(&random_saddle(&mut rng, &shape));
        let rhs = system.right_hand_side();
        let truth = DenseSaddle::new(&system);
        if truth.condition > 1e3 || truth.gap < 1e9 || !truth.unique {
            continue;
        }
        let case = case(&system);
        let single = |list: &[f64]| list.iter().map(|v| *v as f32).collect::<Vec<f32>>();
        let (mass, jacobian) = (single(&case.mass), single(&case.jacobian));
        let compliance = single(&case.compliance);
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        let options = Options::default();
        let analysis = Analysis::for_values(&case.pattern, &values, &options).expect("an order");
        let mut workspace = Workspace::new(&analysis);
        let mut factor = workspace.factorize(&values).expect("a factor");
        let inertia = factor.inertia(0);
        if (inertia.positive, inertia.negative, inertia.zero) != truth.inertia {
            // seven digits are few to tell a small pivot from rounding
            misjudged += 1;
            continue;
        }
        let mut solution = vec![0.0f32; rhs.len()];
        // digits of f32: rounding of the right-hand side is a contradiction of 1e-7
        let refinement = Refinement { consistency: 1e-4, accuracy: 1e-2, ..Refinement::default() };
        let report = factor.solve(&single(&rhs), &mut solution, &refinement).expect("lengths");
        assert!(report.is_good(), "{report:?} {:e} {shape:?}", truth.condition);
        let solution: Vec<f64> = solution.iter().map(|x| f64::from(*x)).collect();
        let bound = 200.0 * f64::from(f32::EPSILON) * truth.condition;
        assert!(truth.error(&solution).x < bound, "{report:?} {shape:?}");
        compared[usize::from(truth.inertia.2 > 0)] += 1;
        let zeros = vec![0.0f32; rhs.len()];
        let mut none = vec![1.0f32; rhs.len()];
        let report = factor.solve(&zeros, &mut none, &refinement).expect("lengths");
        assert!(report.is_good() && none == zeros, "{report:?} {none:?}");
    }
    assert!(compared[0] > 100 && compared[1] > 50 && misjudged < 15, "{compared:?} {misjudged}");
}

#[test]
fn dual_numbers_carry_the_derivative_of_the_solution() {
    let mut rng = Rng::new(24);
    let mut compared = [0; 2];
    for _ in 0..600 {
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
        let analysis = for_numbers(&motion.0[0].0);
        let mut workspace = Workspace::<Dual<1>>::new(&analysis);
        let mut factor = workspace.factorize(&values).expect("a factor");
        let mut found = vec![Dual::zero(); rhs.len()];
        let report = factor.solve(&rhs, &mut found, &Refinement::default()).expect("lengths");
        assert!(report.is_good(), "{report:?}");
        let n = system.f.len();
        let x = |(case, rhs): &(Case, Vec<f64>)| {
            let mut workspace = Workspace::new(&analysis);
            let values = case.values();
            let mut solution = vec![0.0; rhs.len()];
            let mut factor = workspace.factorize(&values).expect("a factor");
            factor.solve(rhs, &mut solution, &Refinement::default()).expect("lengths");
            solution.truncate(n);
            solution
        };
        let [now, ahead, behind] = motion.0.each_ref().map(x);
        let values: Vec<f64> = found[..n].iter().map(|d| d.value()).collect();
        assert_eq!(values, now);
        let rates: Vec<f64> = found[..n].iter().map(|d| d.gradient()[0]).collect();
        // differences of step 1e-5: 1e-10 from the step, 1e-11 times the condition from rounding
        let bound = 1e-6 + 1e-10 * truth.condition;
        let error = relative_error(&rates, &differences(&ahead, &behind));
        assert!(error < bound, "{error:e} {bound:e} {shape:?}");
        compared[usize::from(truth.inertia.2 > 0)] += 1;
    }
    assert!(compared[0] > 100 && compared[1] > 50, "{compared:?}");
}

/// An order for the numbers of four systems at once suits each of them.
#[test]
fn an_order_for_four_systems_suits_each() {
    let mut rng = Rng::new(25);
    for number in 0..400 {
        let shape = plain_shape(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let (cases, _) = four(&mut rng, &system, false);
        let lists = |part: fn(&Case) -> &Vec<f64>| -> Vec<Lanes<4>> {
            packed(cases.each_ref().map(|c| &part(c)[..]))
        };
        let (mass, jacobian) = (lists(|c| &c.mass), lists(|c| &c.jacobian));
        let compliance = lists(|c| &c.compliance);
        let values = Values { mass: &mass, jacobian: &jacobian, compliance: &compliance };
        let analysis = Analysis::for_values(&cases[0].pattern, &values, &Options::default());
        let mut workspace = Workspace::new(&analysis.expect("an analysis"));
        let factor = workspace.factorize(&values).expect("a factor");
        for (lane, case) in cases.iter().enumerate() {
            assert_eq!(factor.misplaced(lane), 0, "{number}, lane {lane}: {shape:?}");
            let analysis = for_numbers(case);
            let mut workspace = Workspace::new(&analysis);
            let values = case.values();
            let alone = workspace.factorize(&values).expect("a factor");
            assert_eq!(factor.inertia(lane), alone.inertia(0), "{number}, lane {lane}: {shape:?}");
        }
    }
}
