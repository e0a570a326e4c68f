//! States at wanted times.

use pommel_integrate::{
    Control, Grid, InputError, Options, Sampler, Step, Tableau, from_fn, integrate,
};

use crate::problems::{ExponentialOfCircle, distance, dormand_prince};

fn samples(grid: Grid<'_>, t0: f64, t1: f64) -> (Vec<(f64, [f64; 2])>, [f64; 2]) {
    let mut got = Vec::new();
    let mut sampler = Sampler::new(grid, t0, t1, 2, |s| got.push((s.t, [s.y[0], s.y[1]]))).unwrap();
    let count = sampler.len(0);
    let mut y = ExponentialOfCircle::exact(t0);
    integrate(&mut ExponentialOfCircle, t0, t1, &mut y, &dormand_prince(1e-10), &mut sampler)
        .unwrap();
    assert_eq!(got.len(), count);
    (got, y)
}

/// Libraries are known to lose the last point, or to extrapolate it from an early step.
#[test]
fn even_grids_have_first_and_last_point_exactly() {
    for (spacing, count) in [(0.1, 11), (0.3, 5), (1.0 / 3.0, 4), (1.0, 2), (5.0, 2), (1e-3, 1001)]
    {
        for (t0, t1) in [(0.5, 1.5), (1.5, 0.5)] {
            let (got, end) = samples(Grid::Every(spacing), t0, t1);
            assert_eq!(got.len(), count, "spacing {spacing}");
            assert_eq!(got[0], (t0, ExponentialOfCircle::exact(t0)));
            assert_eq!(got[count - 1], (t1, end));
            for (t, y) in got {
                assert!(distance(&y, &ExponentialOfCircle::exact(t)) < 1e-8);
            }
        }
    }
}

#[test]
fn given_times_are_met_whether_dense_or_sparse() {
    let times = [0.0, 0.0, 1e-9, 0.5, 0.5, 1.999_999_999, 2.0];
    let (got, end) = samples(Grid::At(&times), 0.0, 2.0);
    assert_eq!(got.iter().map(|(t, _)| *t).collect::<Vec<_>>(), times);
    assert_eq!(got[6].1, end);
    for (t, y) in got {
        assert!(distance(&y, &ExponentialOfCircle::exact(t)) < 1e-8);
    }
}

#[test]
fn an_empty_interval_has_one_sample() {
    let (got, _) = samples(Grid::Every(0.1), 0.7, 0.7);
    assert_eq!(got, [(0.7, ExponentialOfCircle::exact(0.7))]);
}

/// A step that ends at a sample time gives its own state.
#[test]
fn samples_at_step_ends_are_the_states_of_the_steps() {
    let mut ends = vec![1.0];
    let options = Options::fixed(Tableau::dormand_prince_54(), 0.1);
    let decay = || from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = -y[0]);
    let mut observer = |step: &Step<'_, f64>| {
        ends.push(step.y_new()[0]);
        Control::Continue
    };
    integrate(&mut decay(), 0.0, 1.0, &mut [1.0], &options, &mut observer).unwrap();
    let mut got = Vec::new();
    let mut sampler = Sampler::new(Grid::Every(0.1), 0.0, 1.0, 1, |s| got.push(s.y[0])).unwrap();
    integrate(&mut decay(), 0.0, 1.0, &mut [1.0], &options, &mut sampler).unwrap();
    assert_eq!(got, ends);
}

#[test]
fn grids_that_make_no_sense_are_refused() {
    let new = |grid, t0, t1| Sampler::new(grid, t0, t1, 1, |_| {}).map(|s| s.len(0));
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
        let error = new(Grid::Every(value), 0.0, 1.0).unwrap_err();
        assert!(matches!(error, InputError::SampleSpacing { .. }), "{value}");
    }
    let outside = |index, t| Err(InputError::SampleTime { lane: 0, index, t });
    assert_eq!(new(Grid::At(&[0.5, 1.5]), 0.0, 1.0), outside(1, 1.5));
    assert_eq!(new(Grid::At(&[0.5, 0.4]), 0.0, 1.0), outside(1, 0.4));
    assert_eq!(new(Grid::At(&[-0.1]), 0.0, 1.0), outside(0, -0.1));
    assert_eq!(new(Grid::At(&[0.4, 0.5]), 1.0, 0.0), outside(1, 0.5));
    assert_eq!(new(Grid::At(&[]), 0.0, 1.0), Ok(0));
}
