//! What sticks and slides, what is closed and open.

use pommel_mechanism::impact::{ActiveSet, Held, Interactions, Sliding, Target};
use pommel_model::TimeFunction;

/// What a joint with dry friction does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RubStatus {
    /// It slides; the sliding velocity (joint velocity less that of the surface) has this sign.
    Slides {
        /// 1 or −1.
        sense: f64,
    },
    /// It sticks: its coordinate moves with the surface from `anchor` at `since` on.
    Sticks {
        /// rad, m.
        anchor: f64,
        /// s.
        since: f64,
    },
    /// It is at rest because others that stick leave it no motion, and its own friction is at its
    /// limit. Where friction is not unique, as of two joints that stick in a mechanism with one degree
    /// of freedom, one takes all until its limit, then the next.
    Carried {
        /// Sign of the velocity that it would have.
        sense: f64,
    },
}

/// Statuses of all that may stick, stop or touch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statuses {
    pub(super) rubs: Vec<RubStatus>,
    /// which gaps are closed, by rows of their own
    pub(super) closed: Vec<bool>,
    /// which gaps others that are closed keep shut, so that they need not push: the fourth foot of a table
    pub(super) carried: Vec<bool>,
}

impl Statuses {
    /// All slide and are open.
    pub(super) fn free(interactions: &Interactions) -> Self {
        Statuses {
            rubs: vec![RubStatus::Slides { sense: 1.0 }; interactions.rubs().len()],
            closed: vec![false; interactions.gaps().len()],
            carried: vec![false; interactions.gaps().len()],
        }
    }

    /// Whether a gap is closed, by itself or by others.
    pub(super) fn is_shut(&self, gap: usize) -> bool {
        self.closed[gap] || self.carried[gap]
    }

    /// Whether some coordinate is held, so that there are forces to watch.
    pub(super) fn holds(&self) -> bool {
        self.closed.contains(&true)
            || self.rubs.iter().any(|status| matches!(status, RubStatus::Sticks { .. }))
    }

    /// The active set, and for each rub and gap which of its rows is its own.
    pub(super) fn active(&self, interactions: &Interactions) -> (ActiveSet, Vec<Option<usize>>) {
        let (mut active, mut rows) = (ActiveSet::default(), Vec::new());
        for (rub, status) in interactions.rubs().iter().zip(&self.rubs) {
            let (joint, coordinate) = (rub.joint, rub.coordinate);
            let mut slide = |force: f64| active.sliding.push(Sliding { joint, coordinate, force });
            match *status {
                RubStatus::Slides { sense } => slide(-sense * rub.friction.coulomb),
                RubStatus::Carried { sense } => slide(-sense * rub.friction.static_limit()),
                RubStatus::Sticks { anchor, since } => {
                    let speed = rub.friction.surface_velocity;
                    let motion = if speed == 0.0 {
                        TimeFunction::Constant { value: anchor }
                    } else {
                        let coefficients = vec![(-speed).mul_add(since, anchor), speed];
                        TimeFunction::Polynomial { coefficients }
                    };
                    rows.push(Some(active.held.len()));
                    let target = Target::Joint { joint, coordinate };
                    let name = format!("friction of '{}'", rub.name);
                    active.held.push(Held { target, motion, name });
                    continue;
                }
            }
            rows.push(None);
        }
        for (gap, closed) in interactions.gaps().iter().zip(&self.closed) {
            if *closed {
                rows.push(Some(active.held.len()));
                active.held.push(Held {
                    target: gap.target,
                    motion: TimeFunction::Constant { value: gap.bound },
                    name: gap.name.clone(),
                });
            } else {
                rows.push(None);
            }
        }
        (active, rows)
    }
}
