//! A lane is a run of its own, to the bit.

use pommel_integrate::{
    Adaptive, Controller, Grid, Options, Sampler, Statistics, Stepper, System, Tableau, from_fn,
    integrate, integrate_lanes,
};
use pommel_math::{Lanes, Mask, Real};

use crate::problems::{ExponentialOfCircle, Pendulum, dormand_prince};

const OMEGA_SQUARED: [f64; 4] = [9.81, 1.0, 123.0, 4.0];
const START: [[f64; 2]; 4] = [[0.5, 0.0], [3.1, 0.0], [0.1, -2.0], [0.0, 3.9]];
/// Four different intervals: one backward, one empty.
const T0: [f64; 4] = [0.0, 1.0, 2.0, 0.25];
const T1: [f64; 4] = [10.0, 25.0, -1.5, 0.25];

/// End time, end state, statistics and samples of a run.
type Record = (u64, [u64; 2], Statistics, Vec<[u64; 3]>);

fn alone(i: usize, options: &Options) -> Record {
    let mut samples = Vec::new();
    let mut sampler = Sampler::new(Grid::Every(0.3), T0[i], T1[i], 2, |s| {
        samples.push([s.t.to_bits(), s.y[0].to_bits(), s.y[1].to_bits()]);
    })
    .unwrap();
    let mut y = START[i];
    let mut pendulum = Pendulum::new(OMEGA_SQUARED[i]);
    let outcome = integrate(&mut pendulum, T0[i], T1[i], &mut y, options, &mut sampler).unwrap();
    assert_eq!(outcome.calls, pendulum.calls);
    (outcome.t.to_bits(), y.map(f64::to_bits), outcome.statistics(0), samples)
}

fn together(options: &Options) -> Vec<Record> {
    let (t0, t1) = (Lanes(T0), Lanes(T1));
    let mut samples = vec![Vec::new(); 4];
    let mut sampler = Sampler::new(Grid::Every(0.3), t0, t1, 2, |s| {
        let y = |c: usize| s.y[c].lane(s.lane).to_bits();
        samples[s.lane].push([s.t.to_bits(), y(0), y(1)]);
    })
    .unwrap();
    let mut y = [0, 1].map(|c| Lanes(START.map(|y| y[c])));
    let mut pendulums = Pendulum::new(Lanes(OMEGA_SQUARED));
    let outcome = integrate(&mut pendulums, t0, t1, &mut y, options, &mut sampler).unwrap();
    assert_eq!(outcome.calls, pendulums.calls);
    let lane = |(i, samples)| {
        let end = y.map(|y| y.lane(i).to_bits());
        (outcome.t.lane(i).to_bits(), end, outcome.statistics(i), samples)
    };
    samples.into_iter().enumerate().map(lane).collect()
}

fn assert_same_bits(options: &Options) {
    for (i, lane) in together(options).into_iter().enumerate() {
        assert_eq!(lane, alone(i, options), "lane {i}");
    }
}

#[test]
fn adaptive_steps_give_the_bits_of_single_runs() {
    assert_same_bits(&dormand_prince(1e-9));
    let settings = Adaptive::new(1e-5, 1e-7).first_step(1e-3).max_step(0.25);
    assert_same_bits(&Options::adaptive(Tableau::dormand_prince_54(), settings));
}

/// Its norm, its first step and its ends, too.
#[test]
fn the_steps_of_ode45_give_the_bits_of_single_runs() {
    for (rtol, atol) in [(1e-6, 1e-6), (1e-3, 1e-6), (1e-10, 1e-12)] {
        let settings = Adaptive::new(rtol, atol).controller(Controller::Ode45);
        assert_same_bits(&Options::adaptive(Tableau::dormand_prince_54(), settings.clone()));
        let settings = settings.first_step(1e-3).max_step(0.25);
        assert_same_bits(&Options::adaptive(Tableau::dormand_prince_54(), settings));
    }
    let settings = Adaptive::new(1e-4, 1e-4).controller(Controller::Ode45);
    assert_same_bits(&Options::adaptive(Tableau::heun(), settings));
}

#[test]
fn fixed_steps_give_the_bits_of_single_runs() {
    assert_same_bits(&Options::fixed(Tableau::rk4(), 0.007));
    assert_same_bits(&Options::fixed(Tableau::dormand_prince_54(), 0.03));
}

#[test]
fn a_method_with_an_extra_evaluation_gives_the_bits_of_single_runs() {
    assert_same_bits(&Options::adaptive(Tableau::heun(), Adaptive::new(1e-4, 1e-4)));
}

/// Seven components: blocks and the rest of the component loops.
#[test]
fn sums_over_components_have_one_order() {
    let chain = |y0: f64| {
        let mut y = [0.0; 7];
        y.iter_mut().enumerate().for_each(|(i, y)| *y = y0 + i as f64);
        y
    };
    fn rhs<T: Real>(_t: T, y: &[T], dy: &mut [T]) {
        for i in 0..7 {
            dy[i] = y[(i + 1) % 7].sin_cos().0 - y[i] * T::from_f64(0.1 * i as f64);
        }
    }
    let ode45 = Adaptive::new(1e-8, 1e-8).controller(Controller::Ode45);
    let ode45 = Options::adaptive(Tableau::dormand_prince_54(), ode45);
    for options in [dormand_prince(1e-8), ode45] {
        let mut y = std::array::from_fn::<_, 7, _>(|i| Lanes([0.1, -2.0].map(|y0| chain(y0)[i])));
        let (start, end) = (Lanes([0.0; 2]), Lanes([3.0, 4.0]));
        let mut both = from_fn(7, rhs::<Lanes<2>>);
        integrate(&mut both, start, end, &mut y, &options, &mut ()).unwrap();
        for (lane, y0) in [0.1, -2.0].into_iter().enumerate() {
            let mut single = chain(y0);
            let (mut alone, end) = (from_fn(7, rhs::<f64>), end.lane(lane));
            integrate(&mut alone, 0.0, end, &mut single, &options, &mut ()).unwrap();
            assert_eq!(single.map(f64::to_bits), y.map(|y| y.lane(lane).to_bits()));
        }
    }
}

/// `y' = y²` from 1 explodes at t = 1; from 0.1 at t = 10, beyond the end.
#[test]
fn a_failed_lane_is_reported_and_the_others_reach_their_end() {
    let mut square = from_fn(1, |_t, y: &[Lanes<4>], dy: &mut [Lanes<4>]| dy[0] = y[0] * y[0]);
    let start = [0.1, 1.0, f64::NAN, -1.0];
    let mut y = [Lanes(start)];
    let end = Lanes([2.0; 4]);
    let options = dormand_prince(1e-9);
    let run =
        integrate_lanes(&mut square, Lanes([0.0; 4]), end, &mut y, &options, &mut ()).unwrap();
    assert_eq!(run.failed(), Mask::from_fn(4, |i| i == 1 || i == 2));
    assert_eq!(run.outcome.t.lane(0), 2.0);
    assert_eq!(run.outcome.t.lane(3), 2.0);
    assert!((run.outcome.t.lane(1) - 1.0).abs() < 1e-6);
    for lane in [0, 1, 3] {
        let mut square = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0]);
        let mut single = [start[lane]];
        let alone = integrate_lanes(&mut square, 0.0, 2.0, &mut single, &options, &mut ()).unwrap();
        assert_eq!(single[0].to_bits(), y[0].lane(lane).to_bits());
        assert_eq!(alone.outcome.statistics(0), run.outcome.statistics(lane));
        let cause = |failure: &pommel_integrate::Failure<_>| format!("{:?}", failure.cause);
        assert_eq!(alone.failure(0).map(cause), run.failure(lane).map(cause));
    }
}

/// The trait is usable for all scalars at once.
#[test]
fn one_source_serves_numbers_and_lanes() {
    fn end<T: Real>(system: &mut impl System<T>) -> T {
        let mut y = [T::one(), T::one().exp()];
        let (start, end) = (T::zero(), T::one());
        let run = integrate_lanes(system, start, end, &mut y, &dormand_prince(1e-6), &mut ());
        assert!(run.unwrap().failures.is_empty());
        y[0]
    }
    let number: f64 = end(&mut ExponentialOfCircle);
    let lanes: Lanes<8> = end(&mut ExponentialOfCircle);
    assert_eq!(lanes, Lanes([number; 8]));
}

/// A queue of pendulums of very different lengths of motion through four lanes: whenever one ends, the next takes its
/// lane. Some fail or cannot begin.
#[test]
fn lanes_that_are_begun_anew_give_the_bits_of_single_runs() {
    const COUNT: usize = 40;
    let omega = |k: usize| 1.0 + 7.0 * (k as f64).sin().abs();
    let span = |k: usize| (0.1 * k as f64, 0.1 * k as f64 + [3.0, -0.5, 12.0, 0.0, 0.7][k % 5]);
    let from = |k: usize| [if k == 17 { f64::NAN } else { 0.2 * k as f64 }, 0.5];
    let adaptive = dormand_prince(1e-8);
    let settings = Adaptive::new(1e-4, 1e-4).controller(Controller::Ode45);
    let ode45 = Options::adaptive(Tableau::dormand_prince_54(), settings);
    let settings = Adaptive::new(1e-6, 1e-6);
    let eighth = Options::adaptive(Tableau::dormand_prince_853(), settings.clone());
    let first = Options::adaptive(Tableau::heun(), settings.first_step(1e-3)).max_steps(300);
    for options in [adaptive, ode45, eighth, first, Options::fixed(Tableau::euler(), 0.01)] {
        let mut stepper = Stepper::<Lanes<4>>::new(2, &options).unwrap();
        let mut system = Pendulum::new(Lanes([1.0; 4]));
        let (mut in_lane, mut next, mut ends) = ([usize::MAX; 4], 0, vec![None; COUNT]);
        let rest = Lanes([0.0; 4]);
        let begun = stepper.start(&mut system, rest, rest, &[rest; 2]).unwrap();
        assert!(begun.is_empty() && stepper.running().is_none());
        let mut failures = Vec::new();
        loop {
            for lane in 0..4 {
                if stepper.running().lane(lane) {
                    continue;
                }
                let k = in_lane[lane];
                if k < COUNT && ends[k].is_none() {
                    let cause = failures.iter().find(|(failed, _)| *failed == lane);
                    let y = [0, 1].map(|c| stepper.y()[c].lane(lane).to_bits());
                    let cause = cause.map(|(_, cause): &(usize, String)| cause.clone());
                    ends[k] = Some((y, stepper.statistics(lane), cause));
                    failures.retain(|(failed, _)| *failed != lane);
                }
                if next < COUNT {
                    (in_lane[lane], next) = (next, next + 1);
                    let k = in_lane[lane];
                    let only = Mask::from_fn(4, |i| i == lane);
                    let set = |x: f64, of: Lanes<4>| Lanes::select(only, Lanes([x; 4]), of);
                    system.omega_squared = set(omega(k).powi(2), system.omega_squared);
                    let (t0, t1) = span(k);
                    let y0 = from(k).map(|y| set(y, rest));
                    let begun =
                        stepper.restart(&mut system, only, set(t0, rest), set(t1, rest), &y0);
                    let begun = begun.unwrap();
                    failures.extend(begun.iter().map(|f| (f.lane, format!("{:?}", f.cause))));
                }
            }
            if stepper.running().is_none() && next == COUNT && failures.is_empty() {
                break;
            }
            let attempt = stepper.step(&mut system);
            failures.extend(attempt.failures.iter().map(|f| (f.lane, format!("{:?}", f.cause))));
        }
        let mut failed = 0;
        for (k, end) in ends.into_iter().enumerate() {
            let mut y = from(k);
            let mut single = Pendulum::new(omega(k).powi(2));
            let (t0, t1) = span(k);
            let run = integrate_lanes(&mut single, t0, t1, &mut y, &options, &mut ()).unwrap();
            let cause = run.failure(0).map(|failure| format!("{:?}", failure.cause));
            failed += usize::from(cause.is_some());
            let alone = Some((y.map(f64::to_bits), run.outcome.statistics(0), cause));
            assert_eq!(end, alone, "instance {k}");
        }
        assert!(failed >= 1, "one starts at no number");
    }
}
