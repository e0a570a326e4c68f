//! What events are, and what happens at them.

/// Which zeros of an event function count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From below zero to above it, in the direction of the integration.
    Rising,
    /// From above zero to below it.
    Falling,
    /// Both.
    #[default]
    Any,
}

impl Direction {
    /// Whether a change between two values that are not zero counts.
    pub(super) fn takes(self, before: f64, after: f64) -> bool {
        match self {
            Direction::Rising => before < 0.0 && after > 0.0,
            Direction::Falling => before > 0.0 && after < 0.0,
            Direction::Any => before * after < 0.0,
        }
    }
}

/// What follows an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It is written down, and the integration goes on.
    Continue,
    /// The state or the system has changed: the integration starts anew from here.
    Restart,
    /// The integration ends here.
    Stop,
}

/// Functions `g(t, y)` whose zeros are events.
///
/// ```
/// use pommel_integrate::{
///     Adaptive, Direction, Events, Options, Reaction, Stepper, Tableau, from_fn, integrate_events,
/// };
///
/// /// A ball that falls on the floor and loses a fifth of its speed, three times.
/// struct Floor {
///     bounces: usize,
/// }
///
/// impl Events for Floor {
///     fn count(&self) -> usize {
///         1
///     }
///     fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) {
///         g[0] = y[0];
///     }
///     fn direction(&self, _event: usize) -> Direction {
///         Direction::Falling
///     }
///     fn react(&mut self, _event: usize, _t: f64, y: &mut [f64]) -> Reaction {
///         (y[0], y[1]) = (0.0, -0.8 * y[1]);
///         self.bounces += 1;
///         if self.bounces == 3 { Reaction::Stop } else { Reaction::Restart }
///     }
/// }
///
/// let mut ball = from_fn(2, |_t, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -9.81]));
/// let options = Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(1e-10, 1e-10));
/// let mut stepper = Stepper::new(2, &options)?;
/// let (mut y, mut floor) = ([1.0, 0.0], Floor { bounces: 0 });
/// let run = integrate_events(&mut stepper, &mut ball, 0.0, 10.0, &mut y, &mut floor, &mut ())?;
/// // √(2/g) (1 + 2 · 0.8 + 2 · 0.8²)
/// assert!((run.t - (2.0_f64 / 9.81).sqrt() * 3.88).abs() < 1e-9);
/// assert_eq!((run.log.len(), run.stopped_by), (3, Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Events {
    /// Number of functions.
    fn count(&self) -> usize;

    /// Writes their values at a time and state, which may lie between steps.
    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]);

    /// Which zeros of a function count; all, if nothing else is said.
    fn direction(&self, event: usize) -> Direction {
        let _ = event;
        Direction::Any
    }

    /// Called at every event, in order of time, of simultaneous ones in the order of their functions; it
    /// may change the state, and itself for what comes.
    fn react(&mut self, event: usize, t: f64, y: &mut [f64]) -> Reaction;

    /// What a function is called in errors.
    fn name(&self, event: usize) -> String {
        format!("event {event}")
    }
}
