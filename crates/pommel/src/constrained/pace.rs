//! Steps over a passage, as the options of the integration ask for.

use pommel_integrate::Adaptive;

/// What the sizes of steps have to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// As they come.
    Free,
    /// No step is larger.
    Most(f64),
    /// All are as large, but for the last one of the motion.
    Each(f64),
}

impl Pace {
    /// From the settings of adaptive steps, or the size of fixed ones.
    pub(super) fn new(settings: Option<&Adaptive>, fixed: Option<f64>) -> Self {
        let most = settings.and_then(Adaptive::largest_step);
        match (fixed, most) {
            (Some(h), _) => Pace::Each(h),
            (None, Some(h)) => Pace::Most(h),
            (None, None) => Pace::Free,
        }
    }

    /// Ends of steps from a time on that end between `least` and `most`, or at the end of the motion if that is
    /// earlier; none if there are no such steps.
    pub(super) fn ends(self, now: f64, (least, most): (f64, f64), end: f64) -> Option<Vec<f64>> {
        let last = most.min(end);
        let span = last - now;
        match self {
            Pace::Free => Some(vec![last]),
            Pace::Most(h) => {
                let count = (span / h).ceil().max(1.0);
                let inner = (1..count as u64).map(|k| now + span * (k as f64 / count));
                Some(inner.chain([last]).collect())
            }
            Pace::Each(h) => {
                // what differs from a multiple by rounding only is one
                let count = (span / h * (1.0 + 1e-12)).floor();
                let mut ends: Vec<f64> = (1..=count as u64).map(|k| now + h * k as f64).collect();
                match ends.last_mut() {
                    Some(latest) if last - *latest < 1e-9 * h => *latest = last,
                    _ if end <= most => ends.push(last),
                    _ => {}
                }
                let far = ends.last().is_some_and(|t| *t >= least || *t == end);
                far.then_some(ends)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps end where the passage ends, or the motion, whatever they are.
    #[test]
    fn steps_end_where_they_should() {
        let ends = |pace: Pace, end: f64| pace.ends(1.0, (1.5, 2.0), end);
        assert_eq!(ends(Pace::Free, 9.0), Some(vec![2.0]));
        assert_eq!(ends(Pace::Free, 1.25), Some(vec![1.25]));
        assert_eq!(ends(Pace::Most(5.0), 9.0), Some(vec![2.0]));
        assert_eq!(ends(Pace::Most(0.3), 9.0), Some(vec![1.25, 1.5, 1.75, 2.0]));
        assert_eq!(ends(Pace::Each(0.375), 9.0), Some(vec![1.375, 1.75]));
        assert_eq!(ends(Pace::Each(0.25), 9.0), Some(vec![1.25, 1.5, 1.75, 2.0]));
        assert_eq!(ends(Pace::Each(0.25), 1.625), Some(vec![1.25, 1.5, 1.625]));
        assert_eq!(ends(Pace::Each(0.25), 1.125), Some(vec![1.125]));
        // the grid has no time beyond the singular position within reach
        assert_eq!(ends(Pace::Each(1.5), 9.0), None);
        assert_eq!(ends(Pace::Each(0.45), 9.0), Some(vec![1.45, 1.9]));
    }
}
