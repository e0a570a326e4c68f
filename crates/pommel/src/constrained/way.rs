//! The way so far, and guesses by it.

/// So many states are remembered.
const HISTORY: usize = 24;
/// Guesses are polynomials through so many states.
const GUESSED_BY: usize = 3;

/// A state of the way so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    pub(super) t: f64,
    pub(super) y: Vec<f64>,
    pub(super) dy: Vec<f64>,
    /// of joints in space
    pub(super) turns: Vec<f64>,
    /// the rank of Φ_q and its least pivot there, once they have been asked for
    pub(super) distance: Option<(usize, f64)>,
}

impl Past {
    /// Takes over a state.
    pub(super) fn set(&mut self, t: f64, (y, dy): (&[f64], &[f64]), turns: &[f64]) {
        self.t = t;
        for (to, from) in [(&mut self.y, y), (&mut self.dy, dy), (&mut self.turns, turns)] {
            to.clear();
            to.extend_from_slice(from);
        }
        self.distance = None;
    }
}

/// States on the way, in order of time, the denser the later.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) past: Vec<Past>,
}

impl Way {
    /// Remembers a state; of many, that one goes whose neighbours are nearest for its age.
    pub(super) fn remember(&mut self, t: f64, state: (&[f64], &[f64]), turns: &[f64]) {
        let past = &mut self.past;
        if past.len() < HISTORY {
            past.push(Past::default());
        } else {
            let gap = |i: usize| (past[i + 1].t - past[i - 1].t) / (t - past[i].t);
            let mut least = (1, gap(1));
            for i in 2..HISTORY - 1 {
                if gap(i) < least.1 {
                    least = (i, gap(i));
                }
            }
            past[least.0..].rotate_left(1);
        }
        if let Some(last) = past.last_mut() {
            last.set(t, state, turns);
        }
    }

    /// States to guess by, the latest first, so far apart at least; none if there is only one of them.
    pub(super) fn places(&self, apart: f64) -> Option<Vec<&Past>> {
        let mut places: Vec<&Past> = Vec::with_capacity(GUESSED_BY);
        for state in self.past.iter().rev() {
            let is_apart = places.last().is_none_or(|last| state.t <= last.t - apart);
            if is_apart && places.len() < GUESSED_BY {
                places.push(state);
            }
        }
        (places.len() > 1).then_some(places)
    }
}

/// Hermite's polynomial through states and derivatives at several times.
pub(super) fn extrapolate(places: &[&Past], t: f64, y: &mut [f64]) {
    y.fill(0.0);
    for (a, place) in places.iter().enumerate() {
        let (mut basis, mut slope) = (1.0, 0.0);
        for (_, other) in places.iter().enumerate().filter(|(b, _)| *b != a) {
            basis *= (t - other.t) / (place.t - other.t);
            slope += 1.0 / (place.t - other.t);
        }
        let (square, s) = (basis * basis, t - place.t);
        let (of_value, of_rate) = (square * (1.0 - 2.0 * s * slope), square * s);
        for (to, (value, rate)) in y.iter_mut().zip(place.y.iter().zip(&place.dy)) {
            *to += of_value * value + of_rate * rate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(times: &[f64]) -> Way {
        let value = |t: f64| 1.0 + t * (2.0 - t * t * (3.0 - t * t));
        let rate = |t: f64| 2.0 - t * t * (9.0 - 5.0 * t * t);
        let mut way = Way::default();
        times.iter().for_each(|&t| way.remember(t, (&[value(t)], &[rate(t)]), &[]));
        way
    }

    /// A polynomial of degree 5 is guessed as it is, from three states that are apart; one state is no guess.
    #[test]
    fn guesses_are_polynomials() {
        let way = way(&[-1.25, -0.6, -0.5, -0.1, 0.0]);
        let places = way.places(0.5).expect("three states");
        assert_eq!(places.iter().map(|p| p.t).collect::<Vec<_>>(), [0.0, -0.5, -1.25]);
        let mut y = [0.0];
        extrapolate(&places, 0.75, &mut y);
        let exact = 1.0 + 0.75 * (2.0 - 0.5625 * (3.0 - 0.5625));
        assert!((y[0] - exact).abs() < 1e-13, "{}", y[0]);
        assert!(way.places(2.0).is_none());
    }

    /// Of many states the first and the latest stay, in order, and those far back are few.
    #[test]
    fn states_far_back_are_few() {
        let times: Vec<f64> = (0..500).map(f64::from).collect();
        let past = way(&times).past;
        assert_eq!((past.len(), past[0].t, past[HISTORY - 1].t), (HISTORY, 0.0, 499.0));
        assert!(past.windows(2).all(|pair| pair[0].t < pair[1].t), "{past:?}");
        let late = past.iter().filter(|p| p.t >= 490.0).count();
        let early = past.iter().filter(|p| p.t < 250.0).count();
        assert!(late >= 4 && (1..6).contains(&early), "{late} {early}");
    }
}
