//! Medians of short functions in processor time.

use std::time::Duration;

use cpu_time::ThreadTime;

/// Times of a call, ns.
#[derive(Clone, Copy, Debug)]
pub struct CallTime {
    /// The median over chunks of calls.
    pub median: f64,
    /// The fastest chunk.
    pub fastest: f64,
}

impl CallTime {
    /// The times of one of `count` instances that a call serves.
    pub fn per_instance(self, count: usize) -> Self {
        let share = |t: f64| t / count as f64;
        CallTime { median: share(self.median), fastest: share(self.fastest) }
    }
}

/// Times `call(k)`, where `k` cycles through `0..states`, by the processor time of this thread,
/// which other work on the machine does not enter.
///
/// A chunk lasts about a millisecond, four cycles at most, so that reading the clock costs nothing;
/// chunks are taken for `budget`, nine at least.
///
/// # Panics
/// If `call` does.
pub fn time_calls(states: usize, budget: Duration, mut call: impl FnMut(usize)) -> CallTime {
    let mut k = 0;
    let mut chunk = |calls: usize| {
        let start = ThreadTime::now();
        for _ in 0..calls {
            call(k);
            k = (k + 1) % states;
        }
        start.elapsed().as_secs_f64() / calls as f64
    };
    chunk(1);
    let mut estimate = f64::INFINITY;
    for round in 0..3 {
        estimate = estimate.min(chunk(if round > 0 && estimate > 0.002 { 1 } else { 16 }));
    }
    let calls = ((0.001 / estimate) as usize).clamp(1, 4 * states);
    let mut times = Vec::new();
    let start = ThreadTime::now();
    while (start.elapsed() < budget || times.len() < 9) && times.len() < 20_000 {
        times.push(chunk(calls) * 1e9);
    }
    times.sort_by(f64::total_cmp);
    CallTime { median: times[times.len() / 2], fastest: times[0] }
}
