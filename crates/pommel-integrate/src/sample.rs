//! States at chosen times, by dense output.

use pommel_math::{Mask, Real};

use crate::lane::MAX_LANES;
use crate::precision::rounding_of_quotient;
use crate::{Control, InputError, Observer, Step};

/// The times at which states are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grid<'g> {
    /// These, in the direction of the integration; equal times are allowed.
    At(&'g [f64]),
    /// Start, every multiple of this spacing after it, and the end, exactly. A multiple that
    /// differs from the end only by rounding is the end.
    Every(f64),
}

/// A state at a wanted time.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a, T> {
    /// The lane that this is for.
    pub lane: usize,
    /// Index of the time in the lane's grid.
    pub index: usize,
    /// The time.
    pub t: f64,
    /// The state; only the entries of [`lane`](Sample::lane) are meant.
    pub y: &'a [T],
}

/// An observer that hands the states on a [`Grid`] to a closure, lane by lane, each in order.
///
/// A sample at the end of a step (so also the last one) is the state of that step, bit for bit;
/// none is extrapolated. A lane that fails or is stopped gives the samples up to there.
///
/// ```
/// use pommel_integrate::{Grid, Options, Sampler, Tableau, from_fn, integrate};
///
/// let mut decay = from_fn(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = -y[0]);
/// let mut times = Vec::new();
/// let mut sampler = Sampler::new(Grid::Every(0.4), 0.0, 1.0, 1, |s| times.push(s.t))?;
/// let options = Options::fixed(Tableau::rk4(), 0.1);
/// integrate(&mut decay, 0.0, 1.0, &mut [1.0], &options, &mut sampler)?;
/// assert_eq!(times, [0.0, 0.4, 0.8, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sampler<'g, T, F> {
    grid: Grid<'g>,
    t0: T,
    t1: T,
    /// Number of samples, and of those already handed out, per lane.
    count: [usize; MAX_LANES],
    done: [usize; MAX_LANES],
    y: Vec<T>,
    sink: F,
}

impl<'g, T: Real, F: FnMut(Sample<'_, T>)> Sampler<'g, T, F> {
    /// For an integration from `t0` to `t1` of a state with `dim` components.
    ///
    /// # Errors
    /// [`InputError::SampleTime`] if a time lies outside of a lane's interval or is out of order,
    /// [`InputError::SampleSpacing`] if the spacing is not positive, or so small that the grid
    /// cannot be resolved.
    pub fn new(grid: Grid<'g>, t0: T, t1: T, dim: usize, sink: F) -> Result<Self, InputError> {
        let mut count = [0; MAX_LANES];
        for (lane, count) in count[..T::LANES].iter_mut().enumerate() {
            let (start, end) = (t0.lane(lane), t1.lane(lane));
            *count = match grid {
                Grid::At(times) => {
                    check_times(times, lane, start, end)?;
                    times.len()
                }
                Grid::Every(spacing) => points::<T>(spacing, (end - start).abs())?,
            };
        }
        let y = vec![T::zero(); dim];
        Ok(Sampler { grid, t0, t1, count, done: [0; MAX_LANES], y, sink })
    }

    /// Number of samples of a lane, of those that the grid asks for.
    ///
    /// # Panics
    /// If `lane` is not below the number of lanes.
    pub fn len(&self, lane: usize) -> usize {
        self.count[..T::LANES][lane]
    }

    /// Whether the grid asks no sample of a lane.
    ///
    /// # Panics
    /// If `lane` is not below the number of lanes.
    pub fn is_empty(&self, lane: usize) -> bool {
        self.len(lane) == 0
    }

    fn time(&self, lane: usize, index: usize) -> f64 {
        match self.grid {
            Grid::At(times) => times[index],
            Grid::Every(_) if index + 1 == self.count[lane] => self.t1.lane(lane),
            Grid::Every(spacing) => {
                let (start, end) = (self.t0.lane(lane), self.t1.lane(lane));
                let offset = spacing * index as f64;
                // in the scalar's precision, as the time of the steps is
                T::from_f64(if end < start { start - offset } else { start + offset }).lane(0)
            }
        }
    }

    /// The next time of a lane, if it is not beyond `t` in the lane's direction.
    fn due(&self, lane: usize, t: f64) -> Option<f64> {
        let index = self.done[lane];
        if index == self.count[lane] {
            return None;
        }
        let next = self.time(lane, index);
        let backward = self.t1.lane(lane) < self.t0.lane(lane);
        (if backward { next >= t } else { next <= t }).then_some(next)
    }
}

impl<T: Real, F: FnMut(Sample<'_, T>)> Observer<T> for Sampler<'_, T, F> {
    fn start(&mut self, t: T, y: &[T]) {
        self.done = [0; MAX_LANES];
        for lane in 0..T::LANES {
            while let Some(due) = self.due(lane, t.lane(lane)) {
                (self.sink)(Sample { lane, index: self.done[lane], t: due, y });
                self.done[lane] += 1;
            }
        }
    }

    fn step(&mut self, step: &Step<'_, T>) -> Control {
        loop {
            let mut due = [None; MAX_LANES];
            for (lane, due) in due[..T::LANES].iter_mut().enumerate() {
                if step.advanced().lane(lane) {
                    *due = self.due(lane, step.t_new().lane(lane));
                }
            }
            if Mask::from_fn(T::LANES, |lane| due[lane].is_some()).is_none() {
                return Control::Continue;
            }
            let t_new = step.t_new();
            let t = T::from_lanes(|lane| due[lane].unwrap_or(t_new.lane(lane)));
            step.interpolate(t, &mut self.y);
            for (lane, due) in due.iter().enumerate() {
                if let Some(t) = *due {
                    (self.sink)(Sample { lane, index: self.done[lane], t, y: &self.y });
                    self.done[lane] += 1;
                }
            }
        }
    }

    fn interpolates(&self, t_new: T) -> bool {
        // at the end of a step its state is known
        (0..T::LANES).any(|lane| {
            let t = t_new.lane(lane);
            self.due(lane, t).is_some_and(|due| due != t)
        })
    }
}

fn check_times(times: &[f64], lane: usize, start: f64, end: f64) -> Result<(), InputError> {
    let mut previous = start;
    for (index, &t) in times.iter().enumerate() {
        let in_order =
            if end < start { end <= t && t <= previous } else { previous <= t && t <= end };
        if !in_order {
            return Err(InputError::SampleTime { lane, index, t });
        }
        previous = t;
    }
    Ok(())
}

/// Number of points of an even grid on an interval of length `span`.
fn points<T: Real>(spacing: f64, span: f64) -> Result<usize, InputError> {
    let intervals = span / spacing;
    // NaN fails this comparison, too; beyond this size neighbours could not be told apart
    if !(spacing > 0.0 && spacing.is_finite() && intervals < 1e15) {
        return Err(InputError::SampleSpacing { value: spacing });
    }
    // the last interval may be shorter, but not by rounding only
    let intervals = (intervals * (1.0 - rounding_of_quotient::<T>())).ceil();
    Ok(1 + intervals as usize)
}
