//! The dense solution of saddle-point systems against closed forms and against how they were made.

use std::collections::HashSet;

use pommel_testkit::{
    DenseSaddle, Rng, SaddleCompliance, SaddleGraph, SaddleRedundancy, SaddleShape, SaddleSystem,
    SaddleUnits, random_saddle, relative_error,
};

type Triplets<'a> = &'a [(usize, usize, f64)];

/// A system of bodies with one unknown each and constraints of one row each.
fn small(mass: Triplets<'_>, jacobian: Triplets<'_>, f: &[f64], g: &[f64]) -> SaddleSystem {
    SaddleSystem {
        body_widths: vec![1; f.len()],
        constraint_rows: vec![1; g.len()],
        constraint_bodies: vec![(0..f.len()).collect(); g.len()],
        mass: mass.to_vec(),
        jacobian: jacobian.to_vec(),
        f: f.to_vec(),
        g: g.to_vec(),
        ..Default::default()
    }
}

/// Maggi and Lagrange agree: `m ẍ + λ d = m g`, `d·ẍ = −v²/l` along the unit rod `d`.
#[test]
fn a_pendulum_pulls_its_rod_with_gravity_and_speed() {
    let (mass, gravity, speed_squared_by_length) = (2.0, 10.0, 3.0);
    let (s, c) = (0.6, -0.8);
    let system = small(
        &[(0, 0, mass), (1, 1, mass)],
        &[(0, 0, s), (0, 1, c)],
        &[0.0, -mass * gravity],
        &[-speed_squared_by_length],
    );
    let solved = DenseSaddle::new(&system);
    assert_eq!((solved.rank, solved.jacobian_rank, solved.inertia), (3, 1, (2, 1, 0)));
    let lambda = mass * (-gravity * c + speed_squared_by_length);
    let x = [-lambda * s / mass, -gravity - lambda * c / mass];
    assert!(relative_error(&solved.lambda, &[lambda]) < 1e-15, "{:?}", solved.lambda);
    assert!(relative_error(&solved.x, &x) < 1e-15, "{:?}", solved.x);
}

#[test]
fn two_equal_rods_share_the_load() {
    let jacobian = [(0, 0, 1.0), (1, 0, 1.0)];
    let system = small(&[(0, 0, 3.0)], &jacobian, &[6.0], &[0.5, 0.5]);
    let solved = DenseSaddle::new(&system);
    assert_eq!((solved.jacobian_rank, solved.inertia, solved.dependent_rows()), (1, (1, 1, 1), 1));
    assert!(solved.unique && solved.contradiction < 1e-15 && solved.gap > 1e14);
    assert!(relative_error(&solved.x, &[0.5]) < 1e-15);
    assert!(relative_error(&solved.lambda, &[2.25, 2.25]) < 1e-15);
    let against = DenseSaddle::new(&SaddleSystem { g: vec![0.5, -0.5], ..system });
    assert!(against.contradiction > 0.1);
}

/// x₀ is held by the ground, x₁ has no mass and hangs between x₀ and x₂ = 2 kg: x₁ = (x₀ + x₂)/2.
#[test]
fn a_massless_body_between_constraints_is_determined() {
    let system = small(
        &[(0, 0, 1.0), (1, 1, 0.0), (2, 2, 2.0)],
        &[(0, 0, 1.0), (1, 0, 1.0), (1, 1, -2.0), (1, 2, 1.0)],
        &[0.0, 0.0, 4.0],
        &[3.0, 0.0],
    );
    let solved = DenseSaddle::new(&system);
    assert_eq!((solved.rank, solved.inertia), (5, (3, 2, 0)));
    assert!(relative_error(&solved.x, &[3.0, 2.5, 2.0]) < 1e-15, "{:?}", solved.x);
    assert!(relative_error(&solved.lambda, &[-3.0, 0.0]) < 1e-15, "{:?}", solved.lambda);
}

#[test]
fn a_free_massless_body_is_not_determined() {
    let system = small(&[(0, 0, 1.0), (1, 1, 0.0)], &[(0, 0, 1.0)], &[1.0, 0.0], &[2.0]);
    let solved = DenseSaddle::new(&system);
    assert!(!solved.unique);
    assert_eq!((solved.rank, solved.inertia), (2, (1, 1, 1)));
}

#[test]
fn an_empty_system_has_an_empty_solution() {
    let solved = DenseSaddle::new(&SaddleSystem::default());
    assert_eq!((solved.rank, solved.condition, solved.x.len()), (0, 1.0, 0));
}

/// Integers throughout: what the solution was made from is the solution to the last digit.
#[test]
fn integer_systems_are_solved_to_the_last_digit() {
    let mut rng = Rng::new(5);
    let mut solved = 0;
    while solved < 100 {
        let (n, m) = (1 + rng.below(6), rng.below(4));
        let integer = |rng: &mut Rng| rng.below(9) as f64 - 4.0;
        let mut system = small(&[], &[], &vec![0.0; n], &vec![0.0; m]);
        for i in 0..n {
            for j in 0..=i {
                let value = if i == j { 30.0 + integer(&mut rng) } else { integer(&mut rng) };
                system.mass.push((i, j, value));
            }
            system.jacobian.extend((0..m).map(|row| (row, i, integer(&mut rng))));
        }
        let truth: Vec<f64> = (0..n + m).map(|_| integer(&mut rng)).collect();
        let rhs = system.times(&truth);
        (system.f, system.g) = (rhs[..n].to_vec(), rhs[n..].to_vec());
        let reference = DenseSaddle::new(&system);
        let inertia = (n, reference.jacobian_rank, m - reference.jacobian_rank);
        assert_eq!(reference.inertia, inertia);
        if reference.inertia.2 == 0 {
            solved += 1;
            let found = [reference.x.as_slice(), &reference.lambda].concat();
            // a zero is found to 1e-16 twice
            assert!(found.iter().zip(&truth).all(|(x, t)| (x - t).abs() < 1e-30), "{found:?}");
        }
    }
}

/// How often everything occurs in 10 000 random systems.
#[test]
fn random_systems_are_of_every_kind() {
    let mut rng = Rng::new(1);
    let mut kinds = HashSet::new();
    let (mut largest, mut empty, mut redundant, mut massless, mut many) = (0, 0, 0, 0, 0);
    for _ in 0..10_000 {
        let shape = SaddleShape::random(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let size = system.unknowns() + system.rows();
        largest = largest.max(size);
        empty += usize::from(size == 0);
        redundant += usize::from(system.truth.redundant_rows > 0);
        massless += usize::from(system.truth.massless_bodies > 0);
        many += usize::from(system.constraint_bodies.iter().any(|b| b.len() > 2));
        assert!(system.right_hand_side().iter().all(|x| x.is_finite()));
        kinds.insert((shape.graph, shape.redundancy, shape.compliance, shape.units));
    }
    assert!((55..=62).contains(&largest), "{largest}");
    for count in [empty, redundant, massless, many] {
        assert!(count > 200, "{:?}", [empty, redundant, massless, many]);
    }
    let all = 6 * 5 * 3 * 3;
    assert_eq!(kinds.len(), all);
    let has = |kind| kinds.contains(&kind);
    assert!(has((
        SaddleGraph::Many,
        SaddleRedundancy::Chains,
        SaddleCompliance::Blocks,
        SaddleUnits::Any
    )));
}

/// Laws of inertia, and the numbers that the right-hand side was made from.
#[test]
fn random_systems_are_solved_as_they_were_made() {
    let mut rng = Rng::new(2);
    let (mut clear, mut compared) = (0, 0);
    for number in 0..600 {
        let shape = SaddleShape::random(&mut rng);
        let system = random_saddle(&mut rng, &shape);
        let solved = DenseSaddle::new(&system);
        if solved.gap < 1e5 {
            continue;
        }
        clear += 1;
        let (n, m) = (system.unknowns(), system.rows());
        if system.truth.massless_bodies == 0 && system.compliance.is_empty() {
            let rank = solved.jacobian_rank;
            assert_eq!(solved.inertia, (n, rank, m - rank), "system {number}");
        }
        if system.truth.contradicted {
            continue;
        }
        assert!(solved.contradiction < 1e-10, "system {number}: {:e}", solved.contradiction);
        if solved.unique {
            compared += 1;
            let error = solved.error(&[system.truth.x, system.truth.lambda].concat());
            // the right-hand side was rounded: n + m roundings, seen through the condition number
            let bound = f64::EPSILON * solved.condition * (n + m) as f64;
            assert!(error.x <= bound && error.all <= bound, "system {number}: {error:?} {bound:e}");
        }
    }
    assert!(clear > 590 && compared > 300, "{clear} {compared}");
}
