//! Hands groups of instances to threads in index order, and their rows on in the same order.
//!
//! A thread that is done takes the next group at once; rows that are ahead of a slow instance wait
//! in a window of bounded length, beyond which no group is started.

use crate::crew::Crew;
use crate::error::SweepError;
use crate::outcome::Row;
use crate::runner::Runner;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{available_parallelism, panicking, scope};
use std::time::{Duration, Instant};

/// About how long a group may take, s.
const GROUP_SECONDS: f64 = 1.0;
/// The smallest groups are this part of the largest: the lanes of registers, where groups are made for these.
const SMALLEST: u64 = 8;

/// How often the threads look whether to stop, and the sink what time it is.
const TICK: Duration = Duration::from_millis(100);

/// Takes what the threads give, on the caller's thread.
pub(crate) trait Sink {
    /// The rows of a group, as soon as it is done, in no order.
    fn arrived(&mut self, rows: &[Row]);
    /// The rows of the next group, in index order.
    fn rows(&mut self, rows: Vec<Row>) -> Result<(), SweepError>;
    /// Called between groups, and while there are none.
    fn tick(&mut self) -> Result<(), SweepError>;
}

/// How groups are handed out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule<'a> {
    pub(crate) threads: usize,
    /// Rows that may be ahead of those that the sink has got.
    pub(crate) window: u64,
    pub(crate) cancel: Option<&'a AtomicBool>,
}

/// Number of threads that are meant; 0 for one a core.
pub(crate) fn thread_count(threads: usize) -> usize {
    match threads {
        0 => available_parallelism().map_or(1, NonZero::get),
        some => some,
    }
}

/// Runs the instances of ranges in increasing order; whether all, or cancelled before.
pub(crate) fn drive<R: Runner>(
    crew: &Crew<'_, R>,
    schedule: Schedule<'_>,
    ranges: &[Range<u64>],
    sink: &mut dyn Sink,
) -> Result<bool, SweepError> {
    let group = crew.group();
    let threads = schedule.threads;
    // every thread has a group to run and one that waits
    let window = (schedule.window / group).max(2 * threads as u64);
    let queue = Queue {
        ranges,
        group,
        threads: threads as u64,
        window,
        cancel: schedule.cancel,
        stop: AtomicBool::new(false),
        place: Mutex::new(Place {
            range: 0,
            next: ranges.first().map_or(0, |r| r.start),
            given: 0,
            taken: 0,
            seconds: f64::INFINITY,
        }),
        moved: Condvar::new(),
    };
    let (sender, receiver) = channel();
    let result = scope(|scope| {
        let mut handles = Vec::with_capacity(threads);
        for _ in 0..threads {
            let (queue, sender) = (&queue, sender.clone());
            let work = move || {
                let _guard = StopOnPanic(queue);
                while let Some((number, indices)) = queue.take() {
                    let (count, start) = (indices.end - indices.start, Instant::now());
                    let rows = crew.run(indices);
                    queue.timed(start.elapsed().as_secs_f64() / count as f64);
                    if sender.send((number, rows)).is_err() {
                        return;
                    }
                }
            };
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Ok(handle) => handles.push(handle),
                Err(source) => {
                    queue.stop();
                    return Err(SweepError::Threads { threads, source });
                }
            }
        }
        drop(sender);
        let result = receive(receiver, &queue, sink);
        // also where the sink has failed: no more groups
        queue.stop();
        for handle in handles {
            if let Err(payload) = handle.join() {
                resume_unwind(payload);
            }
        }
        result
    });
    let place = queue.place.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.map(|()| place.range >= ranges.len())
}

/// Puts groups in order until no thread gives any more.
fn receive(
    receiver: Receiver<(u64, Vec<Row>)>,
    queue: &Queue<'_>,
    sink: &mut dyn Sink,
) -> Result<(), SweepError> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok((number, rows)) => {
                sink.arrived(&rows);
                waiting.insert(number, rows);
                while let Some(rows) = waiting.remove(&next) {
                    sink.rows(rows)?;
                    next += 1;
                }
                queue.taken(next);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        sink.tick()?;
    }
}

/// The groups that are still to run.
struct Queue<'a> {
    ranges: &'a [Range<u64>],
    /// Instances of the largest group.
    group: u64,
    threads: u64,
    /// Groups that may be ahead.
    window: u64,
    cancel: Option<&'a AtomicBool>,
    stop: AtomicBool,
    place: Mutex<Place>,
    moved: Condvar,
}

/// How far the groups have come.
struct Place {
    range: usize,
    /// Next index in the range.
    next: u64,
    /// Groups that threads have taken.
    given: u64,
    /// Groups that the sink has taken.
    taken: u64,
    /// What an instance took of late, s; infinite as long as that is not known.
    seconds: f64,
}

impl Queue<'_> {
    /// The next group and its number; none if there is none, or the sweep is to stop. Waits while
    /// the window is full.
    fn take(&self) -> Option<(u64, Range<u64>)> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let cancelled = self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
            if cancelled || self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let range = self.ranges.get(place.range)?;
            if place.given < place.taken.saturating_add(self.window) {
                let first = place.next;
                let last = first + self.size(range.end - first, place.seconds);
                place.next = last;
                if last == range.end {
                    place.range += 1;
                    place.next = self.ranges.get(place.range).map_or(0, |range| range.start);
                }
                place.given += 1;
                return Some((place.given - 1, first..last));
            }
            let wait = self.moved.wait_timeout(place, TICK);
            place = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Instances of the next group, of those that are left in its range.
    ///
    /// Groups become smaller towards the end, so that threads end together, and where instances are slow, so that an
    /// interruption need not wait long; results do not depend on them.
    fn size(&self, left: u64, seconds: f64) -> u64 {
        let fair = left / (2 * self.threads);
        // a cast ends at the largest number
        let quick = (GROUP_SECONDS / seconds) as u64;
        self.group.min(fair).min(quick).max(self.group.div_ceil(SMALLEST)).min(left)
    }

    /// An instance took so long.
    fn timed(&self, seconds: f64) {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).seconds = seconds;
    }

    fn taken(&self, groups: u64) {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).taken = groups;
        self.moved.notify_all();
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.moved.notify_all();
    }
}

/// A thread that panics would leave the others waiting for its group.
struct StopOnPanic<'a>(&'a Queue<'a>);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if panicking() {
            self.0.stop();
        }
    }
}
