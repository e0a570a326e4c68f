//! Events against closed solutions.

use std::cell::Cell;
use std::f64::consts::PI;

use pommel_integrate::{
    Adaptive, Control, Direction, EventError, EventRun, Events, Grid, ImplicitMethod,
    ImplicitOptions, ImplicitStepper, Options, Reaction, Sampler, Step, Stepper, Tableau, from_fn,
    integrate_events,
};

fn options(tolerance: f64) -> Options {
    Options::adaptive(Tableau::dormand_prince_853(), Adaptive::new(tolerance, tolerance))
}

/// Functions and reactions by closures.
struct Table<G, R> {
    directions: Vec<Direction>,
    values: G,
    react: R,
}

impl<G, R> Events for Table<G, R>
where
    G: FnMut(f64, &[f64], &mut [f64]),
    R: FnMut(usize, f64, &mut [f64]) -> Reaction,
{
    fn count(&self) -> usize {
        self.directions.len()
    }
    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        (self.values)(t, y, g);
    }
    fn direction(&self, event: usize) -> Direction {
        self.directions[event]
    }
    fn react(&mut self, event: usize, t: f64, y: &mut [f64]) -> Reaction {
        (self.react)(event, t, y)
    }
    fn name(&self, event: usize) -> String {
        ["floor", "wall", "third"][event].to_owned()
    }
}

const G: f64 = 9.81;

/// A ball from 1 m that keeps 0.8 of its speed: bounces at `√(2/g) (1 + 2 Σ 0.8^k)`.
fn bounce(n: i32) -> f64 {
    let sum: f64 = (1..n).map(|k| 0.8_f64.powi(k)).sum();
    (2.0 / G).sqrt() * (1.0 + 2.0 * sum)
}

/// Keeps 0.8 of the speed of what falls on it.
fn floor() -> impl Events {
    Table {
        directions: vec![Direction::Falling],
        values: |_, y: &[f64], g: &mut [f64]| g[0] = y[0],
        react: |_, _, y: &mut [f64]| {
            (y[0], y[1]) = (0.0, -0.8 * y[1]);
            Reaction::Restart
        },
    }
}

fn drop_ball(end: f64) -> (Result<EventRun, EventError<std::convert::Infallible>>, [f64; 2]) {
    let mut ball = from_fn(2, |_, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -G]));
    let mut floor = floor();
    let mut stepper = Stepper::new(2, &options(1e-11)).unwrap();
    let mut y = [1.0, 0.0];
    let run = integrate_events(&mut stepper, &mut ball, 0.0, end, &mut y, &mut floor, &mut ());
    (run, y)
}

#[test]
fn a_ball_bounces_when_it_should() {
    let (run, y) = drop_ball(3.0);
    let run = run.unwrap();
    assert_eq!((run.t, run.log.len(), run.stopped_by), (3.0, 6, None));
    for (k, event) in run.log.iter().enumerate() {
        let exact = bounce(k as i32 + 1);
        assert!((event.t - exact).abs() < 1e-11, "{k}: {} {exact}", event.t);
    }
    let flight = 3.0 - bounce(6);
    let speed = (2.0 * G).sqrt() * 0.8_f64.powi(6);
    assert!((y[0] - (speed * flight - 0.5 * G * flight * flight)).abs() < 1e-10, "{y:?}");
    assert!((y[1] - (speed - G * flight)).abs() < 1e-9, "{y:?}");
}

/// All bounces together take `√(2/g) (1 + 2 · 0.8/0.2)`, 4.06 s.
#[test]
fn a_ball_that_comes_to_rest_says_so() {
    let (run, _) = drop_ball(10.0);
    let error = run.unwrap_err();
    let EventError::Zeno { name, t, limit, count } = &error else { panic!("{error}") };
    let exact = (2.0 / G).sqrt() * 9.0;
    assert!((limit - exact).abs() < 1e-8 && *t < exact, "{error} {exact}");
    assert!(*count > 20 && name == "floor");
    assert!(error.to_string().contains("pile up at t = 4.06"), "{error}");
}

/// A pendulum that a wall at its lowest point returns with 0.8 of its speed; times by elliptic integrals.
#[test]
fn a_pendulum_hits_a_wall() {
    let times = [0.550_770_646_903_126, 1.611_830_822_751_521, 2.650_258_445_440_130_6];
    let end = [0.515_930_879_946_357_3, 0.851_882_296_655_844_6];
    let mut pendulum =
        from_fn(2, |_, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -G * y[0].sin()]));
    let mut wall = Table {
        directions: vec![Direction::Falling],
        values: |_, y: &[f64], g: &mut [f64]| g[0] = y[0],
        react: |_, _, y: &mut [f64]| {
            y[1] *= -0.8;
            Reaction::Restart
        },
    };
    let check = |run: &EventRun, y: [f64; 2], limit: f64| {
        assert_eq!(run.log.len(), 3);
        for (event, exact) in run.log.iter().zip(times) {
            assert!((event.t - exact).abs() < limit, "{} {exact}", event.t);
        }
        assert!((y[0] - end[0]).abs().max((y[1] - end[1]).abs()) < 10.0 * limit, "{y:?}");
    };
    let mut y = [1.2, 0.0];
    let mut stepper = Stepper::new(2, &options(1e-12)).unwrap();
    let run = integrate_events(&mut stepper, &mut pendulum, 0.0, 3.0, &mut y, &mut wall, &mut ());
    check(&run.unwrap(), y, 1e-11);
    // an implicit method finds them as well
    let settings = Adaptive::new(1e-10, 1e-10);
    let options = ImplicitOptions::adaptive(ImplicitMethod::Radau5.tableau(), settings);
    let mut stepper = ImplicitStepper::new(2, &options).unwrap();
    let mut y = [1.2, 0.0];
    let run = integrate_events(&mut stepper, &mut pendulum, 0.0, 3.0, &mut y, &mut wall, &mut ());
    check(&run.unwrap(), y, 1e-8);
}

/// `x'' = −100 x` with a stop at −0.1 that returns 0.7 of the speed.
#[test]
fn an_oscillator_hits_a_stop() {
    let impacts = [
        (0.167_096_374_795_645_65, 6.964_912_059_746_339),
        (0.509_776_095_668_198_9, 4.875_438_441_822_438),
        (0.864_396_146_279_483_5, 3.412_806_909_275_706_5),
        (1.235_562_472_931_113_9, 2.388_964_836_492_994_5),
        (1.629_007_730_197_648_7, 1.672_275_385_545_096_2),
    ];
    let mut spring =
        from_fn(2, |_, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -100.0 * y[0]]));
    let speeds = Cell::new([0.0; 5]);
    let count = Cell::new(0);
    let mut stop = Table {
        directions: vec![Direction::Falling],
        values: |_, y: &[f64], g: &mut [f64]| g[0] = y[0] + 0.1,
        react: |_, _, y: &mut [f64]| {
            y[1] *= -0.7;
            let mut all = speeds.get();
            all[count.get()] = y[1];
            speeds.set(all);
            count.set(count.get() + 1);
            Reaction::Restart
        },
    };
    let mut y = [1.0, 0.0];
    let mut stepper = Stepper::new(2, &options(1e-12)).unwrap();
    let run = integrate_events(&mut stepper, &mut spring, 0.0, 2.0, &mut y, &mut stop, &mut ());
    let run = run.unwrap();
    assert_eq!(run.log.len(), 5);
    for (k, (t, speed)) in impacts.into_iter().enumerate() {
        assert!((run.log[k].t - t).abs() < 1e-11 && (speeds.get()[k] - speed).abs() < 1e-9);
    }
    let exact = [-0.005_726_005_857_172_145, -1.947_620_663_987_821_5];
    assert!((y[0] - exact[0]).abs().max((y[1] - exact[1]).abs()) < 1e-9, "{y:?}");
}

/// Dry friction: sliding one way or the other, or sticking while the spring pulls with no more than what
/// holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sliding {
    Along(f64),
    Sticking,
}

/// `m x'' + c x' + k x = −F_k sign(x')`; sticks where x' = 0 and `|k x| ≤ F_s`.
fn dry(
    [m, c, k, kinetic, hold]: [f64; 5],
    start: [f64; 2],
    end: f64,
) -> (EventRun, [f64; 2], Sliding) {
    let first = if start[1] != 0.0 { start[1].signum() } else { -start[0].signum() };
    let mode = Cell::new(Sliding::Along(first));
    let mut system = from_fn(2, |_, y: &[f64], dy: &mut [f64]| match mode.get() {
        Sliding::Along(sign) => {
            dy.copy_from_slice(&[y[1], (-c * y[1] - k * y[0] - kinetic * sign) / m]);
        }
        Sliding::Sticking => dy.fill(0.0),
    });
    let mut turn = Table {
        directions: vec![Direction::Any],
        values: |_, y: &[f64], g: &mut [f64]| {
            // what sticks does not turn
            g[0] = if mode.get() == Sliding::Sticking { 1.0 } else { y[1] };
        },
        react: |_, _, y: &mut [f64]| {
            y[1] = 0.0;
            mode.set(match mode.get() {
                Sliding::Along(_) if (k * y[0]).abs() <= hold => Sliding::Sticking,
                Sliding::Along(sign) => Sliding::Along(-sign),
                Sliding::Sticking => Sliding::Sticking,
            });
            Reaction::Restart
        },
    };
    let mut y = start;
    let mut stepper = Stepper::new(2, &options(1e-12)).unwrap();
    let run = integrate_events(&mut stepper, &mut system, 0.0, end, &mut y, &mut turn, &mut ());
    (run.unwrap(), y, mode.get())
}

/// Each half swing takes `π √(m/k)` and loses `2 F_k/k`: after five of them the mass sticks at zero.
#[test]
fn dry_friction_ends_in_a_stick() {
    let (run, y, mode) = dry([1.0, 0.0, 40.0, 2.0, 2.5], [0.5, 0.0], 3.0);
    assert_eq!((run.log.len(), mode), (5, Sliding::Sticking));
    for (k, event) in run.log.iter().enumerate() {
        let exact = PI / 40_f64.sqrt() * (k + 1) as f64;
        assert!((event.t - exact).abs() < 1e-9, "{k}: {} {exact}", event.t);
    }
    assert!(y[0].abs() < 1e-9 && y[1] == 0.0, "{y:?}");
}

#[test]
fn dry_and_viscous_friction_reverse_as_published() {
    let times = [
        0.160_334_188_366_948_6,
        0.734_770_210_566_502_7,
        1.309_206_232_766_056_7,
        1.883_642_254_965_610_9,
        2.458_078_277_165_165,
        3.032_514_299_364_719,
    ];
    let (run, y, _) = dry([2.0, 1.2, 60.0, 1.5, 1.8], [0.4, 3.0], 4.0);
    for (event, exact) in run.log.iter().zip(times) {
        assert!((event.t - exact).abs() < 1e-9, "{} {exact}", event.t);
    }
    let exact = [0.016_194_586_233_094_378, -0.080_692_372_537_888_1];
    assert!((y[0] - exact[0]).abs().max((y[1] - exact[1]).abs()) < 1e-8, "{y:?}");
}

/// A mass on a belt: it sticks at the belt's speed until the spring pulls with 5 N, then slips against 3 N.
#[test]
fn a_mass_on_a_belt_sticks_and_slips() {
    let times = [1.0, 1.813_777_574_318_281_1, 2.613_777_574_318_281, 3.427_555_148_636_562];
    let sticks = Cell::new(true);
    let mut system = from_fn(2, |_, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = if sticks.get() { 0.0 } else { 3.0 - 25.0 * y[0] };
    });
    let mut belt = Table {
        directions: vec![Direction::Rising, Direction::Rising],
        values: |_, y: &[f64], g: &mut [f64]| {
            g[0] = if sticks.get() { 25.0 * y[0].abs() - 5.0 } else { -1.0 };
            g[1] = if sticks.get() { -1.0 } else { y[1] - 0.2 };
        },
        react: |event, _, y: &mut [f64]| {
            sticks.set(event == 1);
            y[1] = 0.2;
            Reaction::Restart
        },
    };
    let mut y = [0.0, 0.2];
    let mut stepper = Stepper::new(2, &options(1e-12)).unwrap();
    let run = integrate_events(&mut stepper, &mut system, 0.0, 4.0, &mut y, &mut belt, &mut ());
    let run = run.unwrap();
    let kinds: Vec<usize> = run.log.iter().map(|event| event.event).collect();
    assert_eq!(kinds, [0, 1, 0, 1]);
    for (event, exact) in run.log.iter().zip(times) {
        assert!((event.t - exact).abs() < 1e-9, "{} {exact}", event.t);
    }
    // it sticks again from x = 0.04 m on
    assert!((y[0] - (0.04 + 0.2 * (4.0 - times[3]))).abs() < 1e-8, "{y:?}");
}

/// Events of several functions at one time come in the order of these, before later ones, and may end the
/// run; those that count one way only are not seen the other way.
#[test]
fn simultaneous_events_happen_in_the_order_of_their_functions() {
    for end in [7.0, -7.0] {
        let mut still = from_fn(1, |_, _: &[f64], dy: &mut [f64]| dy[0] = 1.0);
        let said = Cell::new(0);
        let mut all = Table {
            directions: vec![Direction::Any, Direction::Rising, Direction::Falling],
            values: |t: f64, y: &[f64], g: &mut [f64]| {
                g[0] = y[0].abs() - 2.0;
                g[1] = (t.abs() - 2.0) * (5.0 - t.abs());
                g[2] = g[1];
            },
            react: |event, _, _: &mut [f64]| {
                said.set(said.get() + 1);
                if event == 2 { Reaction::Stop } else { Reaction::Continue }
            },
        };
        let mut stepper = Stepper::new(1, &options(1e-10)).unwrap();
        let mut y = [0.0];
        let run = integrate_events(&mut stepper, &mut still, 0.0, end, &mut y, &mut all, &mut ())
            .unwrap();
        let found: Vec<(usize, f64)> = run.log.iter().map(|e| (e.event, e.t.abs())).collect();
        assert_eq!(found.iter().map(|e| e.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert!((found[0].1 - 2.0).abs() < 1e-11 && (found[2].1 - 5.0).abs() < 1e-11, "{found:?}");
        assert_eq!(found[0].1, found[1].1);
        assert_eq!((run.stopped_by, run.t.abs(), said.get()), (Some(2), found[2].1, 3));
    }
}

/// Observers see one start and steps that follow each other, of which one ends at every event.
#[test]
fn observers_see_steps_up_to_events_and_from_there_on() {
    let mut ball = from_fn(2, |_, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -G]));
    let mut stepper = Stepper::new(2, &options(1e-11)).unwrap();
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut watch = |step: &Step<'_, f64>| {
        steps.push((step.t_old(), step.t_new()));
        assert!(step.y_new()[0] > -1e-12, "below the floor");
        Control::Continue
    };
    let mut y = [1.0, 0.0];
    let run = integrate_events(&mut stepper, &mut ball, 0.0, 2.0, &mut y, &mut floor(), &mut watch);
    let run = run.unwrap();
    assert_eq!(steps[0].0, 0.0);
    assert!(steps.windows(2).all(|pair| pair[0].1 == pair[1].0), "{steps:?}");
    for event in &run.log {
        assert!(steps.iter().any(|step| step.1 == event.t));
    }
    let mut times = Vec::new();
    let mut sampler = Sampler::new(Grid::Every(0.1), 0.0, 2.0, 2, |s| times.push((s.t, s.y[0])));
    let mut y = [1.0, 0.0];
    let sampler = sampler.as_mut().unwrap();
    integrate_events(&mut stepper, &mut ball, 0.0, 2.0, &mut y, &mut floor(), sampler).unwrap();
    assert_eq!(times.len(), 21);
    for (t, height) in times {
        let n = (1..).take_while(|n| bounce(*n) < t).count() as i32;
        let exact = if n == 0 {
            1.0 - 0.5 * G * t * t
        } else {
            let flight = t - bounce(n);
            (2.0 * G).sqrt() * 0.8_f64.powi(n) * flight - 0.5 * G * flight * flight
        };
        assert!((height - exact).abs() < 1e-9, "{t}: {height} {exact}");
    }
}

#[test]
fn functions_that_tell_nothing_are_named() {
    let mut system = from_fn(1, |_, _: &[f64], dy: &mut [f64]| dy[0] = 1.0);
    let options = Options::fixed(Tableau::rk4(), 0.1);
    let mut stepper = Stepper::new(1, &options).unwrap();
    let mut run = |values: fn(f64, &[f64], &mut [f64])| {
        let mut events = Table {
            directions: vec![Direction::Any; 2],
            values,
            react: |_, _, _: &mut [f64]| Reaction::Continue,
        };
        let mut y = [-1.0];
        integrate_events(&mut stepper, &mut system, 0.0, 3.0, &mut y, &mut events, &mut ())
    };
    let error = run(|_, y, g| (g[0], g[1]) = (y[0], 0.0)).unwrap_err();
    assert!(matches!(&error, EventError::ConstantZero { name, .. } if name == "wall"), "{error}");
    let error = run(|t, y, g| (g[0], g[1]) = (y[0], if t > 0.55 { f64::NAN } else { 1.0 }));
    let error = error.unwrap_err();
    let EventError::NotFinite { name, t } = &error else { panic!("{error}") };
    assert!(name == "wall" && (0.55..0.6).contains(t), "{error}");
    let error = run(|_, _, g| g.fill(f64::INFINITY)).unwrap_err();
    assert!(matches!(error, EventError::NotFinite { t: 0.0, .. }), "{error}");
    // zero at the start is no event, and one that stays away from zero none either
    let found = run(|t, y, g| (g[0], g[1]) = (t, y[0] - 5.0)).unwrap();
    assert!(found.log.is_empty());
    let found = run(|_, y, g| (g[0], g[1]) = (y[0], 1.0)).unwrap();
    assert!(found.log.len() == 1 && (found.log[0].t - 1.0).abs() < 1e-12, "{found:?}");
}
