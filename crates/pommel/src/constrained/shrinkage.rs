//! Steps that shrink, and when it is worth to look why.

/// Steps that have shrunk to this part tell of a place that is hard to pass.
const SHRUNK: f64 = 0.25;
/// The size that they have shrunk from is forgotten by this factor a step.
const FORGOTTEN: f64 = 0.9;
/// Where nothing was passed, nothing is looked at again for so many steps at first, unless they shrink further, and for
/// twice as many each time that follows, up to a most: looking takes longer than a step.
const PAUSE: u64 = 16;
const LONGEST_PAUSE: u64 = 4096;

/// What steps have been like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shrinkage {
    largest: f64,
    /// steps below are looked at in a pause
    quiet: f64,
    /// steps since nothing was passed, and how long the pause is
    waited: u64,
    pause: u64,
}

impl Shrinkage {
    pub(super) fn new() -> Self {
        Shrinkage { largest: 0.0, quiet: f64::INFINITY, waited: 0, pause: PAUSE }
    }

    /// Whether it is worth to look, after a step of this size.
    pub(super) fn asks(&mut self, h: f64) -> bool {
        self.largest = h.max(FORGOTTEN * self.largest);
        self.waited += 1;
        if h > 2.0 * SHRUNK * self.largest && self.waited > self.pause {
            self.quiet = f64::INFINITY;
        }
        h < SHRUNK * self.largest && h < self.quiet
    }

    /// Nothing was passed, after a step of this size.
    pub(super) fn refused(&mut self, h: f64) {
        (self.quiet, self.waited) = (SHRUNK * h, 0);
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that grow and shrink for other reasons ask less and less often; steps that pile up ask a few times more.
    #[test]
    fn refusals_are_remembered() {
        let mut shrinkage = Shrinkage::new();
        let mut asked = 0;
        for k in 0..10_000 {
            let h = if k % 20 < 10 { 1.0 } else { 0.1 };
            if shrinkage.asks(h) {
                asked += 1;
                shrinkage.refused(h);
            }
        }
        // pauses of 32, 64, …, 4096 steps
        assert!((4..15).contains(&asked), "{asked}");
        let mut piled = 0;
        for k in 0..100 {
            let h = 0.5_f64.powi(k);
            if shrinkage.asks(h) {
                piled += 1;
                shrinkage.refused(h);
            }
        }
        assert!((20..60).contains(&piled), "{piled}");
    }

    /// Steps of about one size, or that shrink slowly, are none to look at.
    #[test]
    fn slow_changes_ask_nothing() {
        let mut shrinkage = Shrinkage::new();
        assert!((0..500).all(|k| !shrinkage.asks(0.95_f64.powi(k))));
        assert!((0..500).all(|k| !shrinkage.asks(if k % 2 == 0 { 1.0 } else { 0.3 })));
    }
}
