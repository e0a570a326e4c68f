//! One source, every scalar.

use pommel_math::{Dual, LaneJob, Lanes, Real, Vec3, with_lanes};
use pommel_testkit::{Rng, Robot, random_robot, relative_error};
use pommel_tree::{Model, TreeError, Workspace, forward_dynamics, inverse_dynamics};

use crate::common::{
    State, dh_chain, lift, model, model_towards_free_body, model_with, random_state, wrenches,
};

fn solve<T: Real>(model: &Model<T>, s: &[&State]) -> Vec<T> {
    let side = |pick: &dyn Fn(&State) -> &Vec<f64>| -> Vec<T> {
        (0..pick(s[0]).len()).map(|k| T::from_lanes(|i| pick(s[i])[k])).collect()
    };
    let mut qdd = vec![T::zero(); model.nv()];
    let (q, v, tau) = (side(&|s| &s.q), side(&|s| &s.v), side(&|s| &s.tau));
    let vector = |body: usize, at: usize| {
        let part = |k: usize| T::from_lanes(|i| s[i].wrenches[body][at + k]);
        Vec3::new(part(0), part(1), part(2))
    };
    let external: Vec<_> = (0..model.body_count())
        .map(|b| pommel_math::Wrench::new(vector(b, 0), vector(b, 3)))
        .collect();
    let mut ws = Workspace::new(model);
    forward_dynamics(model, &mut ws, &q, &v, &tau, Some(&external), &mut qdd).expect("regular");
    qdd
}

/// The robot with other masses and lengths, the same joints.
fn variant(robot: &Robot, rng: &mut Rng) -> Robot {
    let mut other = robot.clone();
    for body in &mut other.bodies {
        let f = rng.uniform(0.5, 2.0);
        body.mass *= f;
        body.inertia = body.inertia.map(|x| x * f);
        body.origin = body.origin.map(|x| x * f);
        body.centre = body.centre.map(|x| x * f);
    }
    other
}

fn assert_same_bits(ours: f64, truth: f64, place: &str) {
    assert_eq!(ours.to_bits(), truth.to_bits(), "{place}: {ours}, not {truth}");
}

/// Robots of one topology, each with its own parameters and state.
struct SingleRuns(u64);

impl LaneJob for SingleRuns {
    type Output = ();

    fn run<T: Real>(self) {
        let mut rng = Rng::new(self.0);
        for case in 0..60 {
            let robot = random_robot(&mut rng, 2 + case % 12, case % 2 == 0);
            let robots: Vec<Robot> = (0..T::LANES).map(|_| variant(&robot, &mut rng)).collect();
            let states: Vec<State> = robots.iter().map(|r| random_state(&mut rng, r)).collect();
            let models: Vec<Model<f64>> = robots.iter().map(model_towards_free_body).collect();
            let states: Vec<&State> = states.iter().collect();
            let packed =
                Model::pack::<T>(&models.iter().collect::<Vec<_>>()).expect("one topology");
            let (qdd, tau) = (solve(&packed, &states), inverse(&packed, &states));
            for lane in 0..T::LANES {
                let (model, state) = (&models[lane], &states[lane..=lane]);
                let single = solve(model, state).into_iter().chain(inverse(model, state));
                for (k, (x, truth)) in qdd.iter().chain(&tau).zip(single).enumerate() {
                    assert_same_bits(x.lane(lane), truth, &format!("case {case} {lane} {k}"));
                }
            }
        }
    }
}

/// Joint forces for accelerations that are the joint forces of the states.
fn inverse<T: Real>(model: &Model<T>, s: &[&State]) -> Vec<T> {
    let side = |pick: &dyn Fn(&State) -> &Vec<f64>| -> Vec<T> {
        (0..pick(s[0]).len()).map(|k| T::from_lanes(|i| pick(s[i])[k])).collect()
    };
    let mut tau = vec![T::zero(); model.nv()];
    let (q, v, qdd) = (side(&|s| &s.q), side(&|s| &s.v), side(&|s| &s.tau));
    inverse_dynamics(model, &mut Workspace::new(model), &q, &v, &qdd, None, &mut tau);
    tau
}

#[test]
fn registers_give_the_bits_of_single_runs() {
    for (lanes, seed) in [(4, 38), (8, 39)] {
        assert_eq!(with_lanes(lanes, SingleRuns(seed)), Ok(()));
    }
}

/// A robot whose last body has no mass in the middle lane only.
struct FailedLane;

impl LaneJob for FailedLane {
    type Output = ();

    fn run<T: Real>(self) {
        let bad = T::LANES / 2;
        let robot = dh_chain(3, false, 1);
        let state = random_state(&mut Rng::new(40), &robot);
        let models: Vec<Model<f64>> = (0..T::LANES)
            .map(|lane| {
                model_with(&robot, |i, mut spec| {
                    if i == 2 && lane == bad {
                        spec = spec.with_inertia(0.0, Vec3::zero(), [0.0; 6]);
                    }
                    spec
                })
            })
            .collect();
        let packed = Model::pack::<T>(&models.iter().collect::<Vec<_>>()).expect("one topology");
        let all = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
        let mut qdd = vec![T::zero(); packed.nv()];
        let error = forward_dynamics(
            &packed,
            &mut Workspace::new(&packed),
            &all(&state.q),
            &all(&state.v),
            &all(&state.tau),
            None,
            &mut qdd,
        )
        .expect_err("a massless tip");
        assert!(
            matches!(error, TreeError::SingularPivot { lanes, .. } if lanes.bits() == 1 << bad),
            "{error:?}"
        );
        for lane in 0..T::LANES {
            assert!(qdd.iter().all(|x| x.lane(lane).is_nan() == (lane == bad)), "{qdd:?}");
        }
    }
}

#[test]
fn a_failed_lane_of_a_register_is_named_and_the_others_are_valid() {
    for lanes in [4, 8] {
        assert_eq!(with_lanes(lanes, FailedLane), Ok(()));
    }
}

fn lanes_equal_single_runs<const L: usize>(seed: u64) {
    let mut rng = Rng::new(seed);
    for case in 0..60 {
        let robot = random_robot(&mut rng, 2 + case % 12, case % 2 == 0);
        let robots: Vec<Robot> = (0..L).map(|_| variant(&robot, &mut rng)).collect();
        let states: Vec<State> = robots.iter().map(|r| random_state(&mut rng, r)).collect();
        let models: Vec<Model<f64>> = robots.iter().map(model_towards_free_body).collect();
        let packed =
            Model::pack::<Lanes<L>>(&models.iter().collect::<Vec<_>>()).expect("one topology");
        let together = solve(&packed, &states.iter().collect::<Vec<_>>());
        for lane in 0..L {
            let alone = solve(&models[lane], &[&states[lane]]);
            for (k, (t, a)) in together.iter().zip(&alone).enumerate() {
                let (t, a) = (t.lane(lane), *a);
                assert_eq!(t.to_bits(), a.to_bits(), "case {case} lane {lane} entry {k}: {t} {a}");
            }
        }
    }
}

#[test]
fn two_lanes_give_the_bits_of_single_runs() {
    lanes_equal_single_runs::<2>(31);
}

#[test]
fn four_lanes_with_their_own_parameters_give_the_bits_of_single_runs() {
    lanes_equal_single_runs::<4>(32);
}

#[test]
fn eight_lanes_give_the_bits_of_single_runs() {
    lanes_equal_single_runs::<8>(33);
}

#[test]
fn single_precision_agrees_to_single_precision() {
    let mut rng = Rng::new(34);
    for n in 1..8 {
        let robot = dh_chain(n, n % 2 == 0, n as u64);
        let s = random_state(&mut rng, &robot);
        let double = model(&robot);
        let truth = solve(&double, &[&s]);
        let single: Vec<f64> =
            solve(&double.cast::<f32>(), &[&s]).into_iter().map(f64::from).collect();
        let error = relative_error(&single, &truth);
        assert!(error < 2000.0 * f64::from(f32::EPSILON), "n = {n}: {error:.1e}");
    }
}

/// ∂q̈ with respect to a position, a velocity, a joint force, and the mass and length of a body.
#[test]
fn dual_derivatives_agree_with_central_differences() {
    let mut rng = Rng::new(35);
    let robot = dh_chain(5, true, 41);
    let s = random_state(&mut rng, &robot);
    let (nq, nv) = robot.sizes();
    let external: Vec<_> = wrenches(&s.wrenches);
    let plain = |robot: &Robot, q: &[f64], v: &[f64], tau: &[f64]| {
        let model = model(robot);
        let mut qdd = vec![0.0; nv];
        forward_dynamics(&model, &mut Workspace::new(&model), q, v, tau, Some(&external), &mut qdd)
            .expect("regular");
        qdd
    };

    // directions: 0 position 9 (a joint angle), 1 velocity 2, 2 force 7, 3 mass of body 3, 4 its
    // offset along x
    type D = Dual<5>;
    let seed = |x: &[f64], at: usize, k: usize| {
        let mut list = lift::<D>(x);
        list[at] = D::variable(x[at], k);
        list
    };
    let dual_model = model_with::<D>(&robot, |i, mut spec| {
        if i == 3 {
            spec.mass = D::variable(spec.mass.value(), 3);
            spec.in_parent.translation.x = D::variable(spec.in_parent.translation.x.value(), 4);
        }
        spec
    });
    let mut qdd = vec![D::default(); nv];
    forward_dynamics(
        &dual_model,
        &mut Workspace::new(&dual_model),
        &seed(&s.q, 9, 0),
        &seed(&s.v, 2, 1),
        &seed(&s.tau, 7, 2),
        Some(&wrenches::<D>(&s.wrenches)),
        &mut qdd,
    )
    .expect("regular");
    assert!(nq > 9);

    let values: Vec<f64> = qdd.iter().map(|x| x.value()).collect();
    let truth = plain(&robot, &s.q, &s.v, &s.tau);
    assert!(relative_error(&values, &truth) < 1e-13);

    for k in 0..5 {
        let moved = |h: f64| {
            let (mut r, mut q, mut v, mut tau) =
                (robot.clone(), s.q.clone(), s.v.clone(), s.tau.clone());
            match k {
                0 => q[9] += h,
                1 => v[2] += h,
                2 => tau[7] += h,
                3 => r.bodies[3].mass += h,
                _ => r.bodies[3].origin[0] += h,
            }
            plain(&r, &q, &v, &tau)
        };
        let h = 1e-5;
        let difference: Vec<f64> =
            moved(h).iter().zip(moved(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let derivative: Vec<f64> = qdd.iter().map(|x| x.derivative(k)).collect();
        // rounding ε/h and truncation h² of central differences
        let error = relative_error(&difference, &derivative);
        assert!(error < 1e-7, "direction {k}: {error:.1e}");
    }
}

#[test]
fn lanes_of_one_topology_only() {
    let (a, b) = (model(&dh_chain(3, false, 1)), model(&dh_chain(4, false, 1)));
    let error = Model::pack::<Lanes<2>>(&[&a, &b]).expect_err("four joints beside three");
    assert_eq!(error, TreeError::DifferentTopology { instance: 1 });
    let error = Model::pack::<Lanes<4>>(&[&a, &a]).expect_err("two models in four lanes");
    assert_eq!(error, TreeError::WrongNumberOfInstances { lanes: 4, instances: 2 });
}

#[test]
fn inverse_dynamics_has_the_bits_of_single_runs_in_lanes() {
    let mut rng = Rng::new(36);
    let robot = random_robot(&mut rng, 9, true);
    let s = random_state(&mut rng, &robot);
    let single = model(&robot);
    let four = single.cast::<Lanes<4>>();
    let mut tau = vec![0.0; single.nv()];
    inverse_dynamics(&single, &mut Workspace::new(&single), &s.q, &s.v, &s.tau, None, &mut tau);
    let mut lanes = vec![Lanes::<4>::default(); single.nv()];
    inverse_dynamics(
        &four,
        &mut Workspace::new(&four),
        &lift(&s.q),
        &lift(&s.v),
        &lift(&s.tau),
        None,
        &mut lanes,
    );
    for (l, t) in lanes.iter().zip(&tau) {
        assert!(l.0.iter().all(|x| x.to_bits() == t.to_bits()), "{l:?} {t}");
    }
}
