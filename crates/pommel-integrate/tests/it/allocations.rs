//! No step allocates.

use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::any::TypeId;
use std::cell::Cell;

use pommel_integrate::{
    Adaptive, Control, Controller, Dae, DaeOptions, Grid, ImplicitMethod, ImplicitOptions,
    ImplicitStepper, Options, ReducedDae, Sampler, Step, Stepper, Tableau, consistent_state,
};
use pommel_math::{Lanes, Real};

use crate::general_dae::systems::{Mixed, Pendulum as Cartesian};
use crate::problems::{Pendulum, dormand_prince};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[allow(unsafe_code, reason = "an allocator that counts what it passes on to the system's")]
// SAFETY: every call is passed on unchanged to the system's allocator
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on
        unsafe { SystemAllocator.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on
        unsafe { SystemAllocator.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    f();
    ALLOCATIONS.with(Cell::get) - before
}

fn run<T: Real>(options: &Options) {
    let mut stepper = Stepper::<T>::new(2, options).unwrap();
    let mut pendulum = Pendulum::new(T::from_lanes(|i| 9.81 + i as f64));
    let mut y = [T::from_f64(2.0), T::zero()];
    let (start, end) = (T::zero(), T::from_f64(10.0));
    let mut steps = 0;
    let mut inside = [T::zero(); 2];
    let mut observer = |step: &Step<'_, T>| {
        step.interpolate(step.t_old(), &mut inside);
        steps += 1;
        Control::Continue
    };
    let count = allocations(|| {
        let run = stepper.run(&mut pendulum, start, end, &mut y, &mut observer).unwrap();
        assert!(run.failures.is_empty());
    });
    assert!(steps > 10);
    assert_eq!(count, 0);

    let mut sum = 0.0;
    let mut sampler =
        Sampler::new(Grid::Every(0.1), start, end, 2, |s| sum += s.y[0].lane(s.lane)).unwrap();
    let count = allocations(|| {
        stepper
            .run(&mut pendulum, start, end, &mut y, &mut sampler)
            .unwrap()
            .into_result()
            .unwrap();
    });
    assert_eq!(count, 0);
    assert!(sum.is_finite());
}

#[test]
fn runs_do_not_allocate_once_the_stepper_is_made() {
    let ode45 = Adaptive::new(1e-6, 1e-6).controller(Controller::Ode45);
    let ode45 = Options::adaptive(Tableau::dormand_prince_54(), ode45);
    for options in [dormand_prince(1e-6), ode45, Options::fixed(Tableau::rk4(), 0.01)] {
        run::<f64>(&options);
        run::<Lanes<4>>(&options);
    }
}

/// Implicit runs do not, either: M is kept where it was.
#[test]
fn implicit_runs_do_not_allocate_once_the_stepper_is_made() {
    for method in ImplicitMethod::ALL {
        let settings = Adaptive::new(1e-4, 1e-4);
        let adaptive = ImplicitOptions::adaptive(method.tableau(), settings);
        for options in [adaptive, ImplicitOptions::fixed(method.tableau(), 0.05)] {
            let mut stepper = ImplicitStepper::new(2, &options).unwrap();
            let mut pendulum = Pendulum::new(9.81);
            let mut y = [2.0, 0.0];
            let mut inside = [0.0; 2];
            let mut steps = 0;
            let mut observer = |step: &Step<'_, f64>| {
                step.interpolate(step.t_old(), &mut inside);
                steps += 1;
                Control::Continue
            };
            let count = allocations(|| {
                stepper.run(&mut pendulum, 0.0, 3.0, &mut y, &mut observer).unwrap();
            });
            assert!(steps > 10);
            assert_eq!(count, 0, "{}", method.name());
        }
    }
}

fn run_reduced<D: Dae + 'static>(dae: D) {
    let settings = DaeOptions::default();
    let guess = Cartesian::state(1.0, 0.5);
    let start = consistent_state(&dae, 0.0, &guess, &[false; 5], &settings).unwrap();
    let mut system = ReducedDae::new(dae, &start, &settings).unwrap();
    let options = Options::fixed(Tableau::rk4(), 0.01);
    let mut stepper = Stepper::<f64>::new(5, &options).unwrap();
    let chain = system.constraints().next();
    for (rate, projection) in [(0.0, false), (4.0, false), (0.0, true)] {
        system = system.baumgarte(rate).unwrap().projection(projection);
        system.restart();
        let mut y = start.y.clone();
        let mut changes = 0;
        let count = allocations(|| {
            for k in 0..8 {
                let t = 0.25 * f64::from(k);
                let run = stepper.run(&mut system, t, t + 0.25, &mut y, &mut ()).unwrap();
                assert!(run.failures.is_empty(), "{:?}", system.failure());
                changes += u32::from(system.constraints().next() != chain);
            }
        });
        assert_eq!(count, 0, "rate {rate}, projection {projection}");
        assert_eq!(changes > 0, TypeId::of::<D>() == TypeId::of::<Mixed<Cartesian>>());
    }
}

/// Neither evaluations nor projections of reduced systems do, nor the choice of other equations on the way.
#[test]
fn reduced_systems_do_not_allocate() {
    run_reduced(Cartesian { level: 0 });
    run_reduced(Mixed(Cartesian { level: 0 }));
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8; 64]))), 1);
}
