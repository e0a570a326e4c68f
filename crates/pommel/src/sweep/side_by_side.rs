//! A queue of instances through the lanes of vector registers.

use std::time::{Duration, Instant};

use pommel_integrate::{Statistics, Stepper};
use pommel_math::{LaneJob, Mask, Real};

use super::lanes::{LaneSystem, read, write};
use super::prepared::Prepared;
use crate::simulate::pieces;

/// Instances to be simulated with the same method; whenever one ends, the next takes its lane.
pub(super) struct SideBySide<'a> {
    pub(super) list: &'a [&'a Prepared],
    /// Wall time that an instance may take.
    pub(super) limit: Option<Duration>,
}

/// What became of an instance.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// State and counts at its end.
    Reached(Vec<f64>, Statistics),
    /// It did not get there.
    Failed,
    /// It took too long, and got to this time.
    TooSlow(f64),
    /// It is not like the others, and has not been simulated.
    Apart,
}

impl LaneJob for SideBySide<'_> {
    type Output = Vec<End>;

    fn run<T: Real>(self) -> Vec<End> {
        let mut ends = vec![End::Apart; self.list.len()];
        if run::<T>(self.list, self.limit, &mut ends).is_err() {
            // settings that make no sense are refused alone, too, with the reason
            ends.fill(End::Failed);
        }
        ends
    }
}

/// Every so many steps, instances that take too long are stopped.
const LOOK: u64 = 64;

/// An instance on its way in a lane.
struct Seat {
    instance: usize,
    /// ends of the pieces between breakpoints of its loads, and how many of these have begun
    times: Vec<f64>,
    begun: usize,
    total: Statistics,
    failed: bool,
    /// it was stopped, since it took too long
    slow: bool,
    /// when it took its lane
    start: Instant,
}

impl Seat {
    fn new(list: &[&Prepared], instance: usize) -> Self {
        let Prepared { dynamics, options, .. } = list[instance];
        let times = pieces(dynamics, options.end);
        let (total, start) = (Statistics::default(), Instant::now());
        Seat { instance, times, begun: 0, total, failed: false, slow: false, start }
    }

    /// Start and end of the next piece.
    fn next(&mut self) -> Option<(f64, f64)> {
        let end = *self.times.get(self.begun)?;
        let start = if self.begun == 0 { 0.0 } else { self.times[self.begun - 1] };
        self.begun += 1;
        Some((start, end))
    }

    /// Until when loads are looked at in the piece that has begun.
    fn until(&self) -> f64 {
        let is_last = self.begun == self.times.len();
        if is_last { f64::INFINITY } else { self.times[self.begun - 1].next_down() }
    }
}

fn run<T: Real>(
    list: &[&Prepared],
    limit: Option<Duration>,
    ends: &mut [End],
) -> Result<(), pommel_integrate::InputError> {
    let Some(first) = list.first() else { return Ok(()) };
    let dim = first.dim();
    let mut stepper = Stepper::<T>::new(dim, &first.options.method())?;
    let mut system = LaneSystem::<T>::new(first);
    let (mut t0, mut t1, mut y) = ([T::zero()], [T::zero()], vec![T::zero(); dim]);
    // nothing runs yet
    let _ = stepper.start(&mut system, t0[0], t1[0], &y)?;
    let mut seats: Vec<Option<Seat>> = (0..T::LANES).map(|_| None).collect();
    let mut waiting = 0..list.len();
    for attempt in 0_u64.. {
        if let Some(limit) = limit
            && attempt % LOOK == 0
        {
            let running = stepper.running();
            for (lane, seat) in seats.iter_mut().enumerate().filter(|(i, _)| running.lane(*i)) {
                if let Some(seat) = seat.as_mut().filter(|seat| seat.start.elapsed() > limit) {
                    seat.slow = true;
                    stepper.stop(Mask::from_fn(T::LANES, |i| i == lane));
                }
            }
        }
        let running = stepper.running();
        let mut begun = Mask::NONE;
        for (lane, seat) in seats.iter_mut().enumerate() {
            if running.lane(lane) {
                continue;
            }
            let mut next = None;
            if let Some(ended) = seat {
                ended.total.add(&stepper.statistics(lane));
                next = if ended.failed || ended.slow { None } else { ended.next() };
                if next.is_some() {
                    let mut reached = vec![0.0; dim];
                    read(lane, stepper.y(), &mut reached);
                    write(lane, &reached, &mut y);
                } else {
                    ends[ended.instance] = if ended.failed {
                        End::Failed
                    } else if ended.slow {
                        End::TooSlow(stepper.t().lane(lane))
                    } else {
                        let mut reached = vec![0.0; dim];
                        read(lane, stepper.y(), &mut reached);
                        End::Reached(reached, ended.total)
                    };
                    *seat = None;
                }
            }
            while seat.is_none()
                && let Some(instance) = waiting.next()
            {
                // one that does not fit is left apart
                if list[instance].dim() == dim && system.seat(lane, list[instance]).is_ok() {
                    let mut new = Seat::new(list, instance);
                    next = new.next();
                    *seat = Some(new);
                    let state = &list[instance].state;
                    let start: Vec<f64> = state.q.iter().chain(&state.v).copied().collect();
                    write(lane, &start, &mut y);
                    write(lane, &[0.0], &mut y[dim - 1..]);
                }
            }
            if let (Some((start, end)), Some(seat)) = (next, seat) {
                write(lane, &[start], &mut t0);
                write(lane, &[end], &mut t1);
                system.set_until(lane, seat.until());
                begun |= Mask::from_fn(T::LANES, |i| i == lane);
            }
        }
        if begun.any() {
            for failure in stepper.restart(&mut system, begun, t0[0], t1[0], &y)? {
                fail(&mut seats, failure.lane);
            }
        } else if running.is_none() {
            return Ok(());
        }
        for failure in stepper.step(&mut system).failures {
            fail(&mut seats, failure.lane);
        }
    }
    Ok(())
}

fn fail(seats: &mut [Option<Seat>], lane: usize) {
    if let Some(seat) = &mut seats[lane] {
        seat.failed = true;
    }
}
