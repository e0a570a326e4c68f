//! What sticks and what slides, what stays closed and what opens, at one state.

use pommel_mechanism::impact::{Interactions, Rub};

use super::NonsmoothError;
use super::log::{EventKind, EventRecord};
use super::phase::{At, Phase};
use super::state::MotionState;
use super::status::{RubStatus, Statuses};
use super::strike::Struck;
use crate::Error;

/// Friction at rest is below its limit by this part.
const WITHIN: f64 = 1e-12;
/// Accelerations below this part of what single forces cause are none.
const NO_ACCELERATION: f64 = 1e-10;
/// Where a unit force moves a coordinate by less than this part of what it moves single bodies by, it has
/// no motion.
const NO_MOTION: f64 = 1e-10;

/// Which joints and gaps are at rest, so that they may stick or stay closed.
struct AtRest {
    rubs: Vec<bool>,
    gaps: Vec<bool>,
}

impl MotionState<'_> {
    /// Lets impacts happen, and finds the statuses from there on, at an event or at a start; moves the state
    /// onto what is held, and writes down what has changed.
    ///
    /// # Errors
    /// Those of impacts; [`NonsmoothError::Undecided`], [`NonsmoothError::Accelerations`],
    /// [`NonsmoothError::Projection`].
    pub(super) fn transition(&mut self, t: f64, q: &mut [f64], v: &mut [f64]) -> Result<(), Error> {
        self.track(At { t, q, v });
        if self.statuses.holds() {
            // loads may jump now: what has held so far is what held just before
            let before = At { t: t.next_down(), q, v };
            self.phase
                .solve(before, &self.applied, false)
                .map_err(|source| self.no_accelerations(&self.phase, t, source))?;
        }
        let friction = self.frictions();
        let v_before = v.to_vec();
        let pushes: Vec<f64> = (0..self.statuses.closed.len()).map(|gap| self.push(gap)).collect();
        let struck = self.collide(t, q, v)?;
        self.place(At { t, q, v });
        let rest = self.at_rest(&struck, &v_before, v);
        let closing: Vec<f64> = (0..rest.gaps.len()).map(|gap| self.gap(gap)[1]).collect();
        let (statuses, mut phase) = self.decide(At { t, q, v }, rest)?;
        let projected = phase.project(t, q, v);
        projected.map_err(|source| NonsmoothError::Projection { time: t, source })?;
        phase
            .solve(At { t, q, v }, &self.applied, false)
            .map_err(|source| self.no_accelerations(&phase, t, source))?;
        let before = std::mem::replace(&mut self.statuses, statuses);
        self.phase = phase;
        self.track(At { t, q, v });
        self.shift(v);
        self.write_down(t, &before, &struck, (&friction, &pushes, &closing));
        Ok(())
    }

    /// Friction on each coordinate that rubs.
    fn frictions(&self) -> Vec<f64> {
        let of = |(index, rub): (usize, &Rub)| match self.statuses.rubs[index] {
            RubStatus::Slides { sense } => {
                let viscous = rub.friction.viscous * self.sliding(index);
                -sense * rub.friction.coulomb - viscous
            }
            RubStatus::Carried { sense } => -sense * rub.friction.static_limit(),
            RubStatus::Sticks { .. } => self.phase.holding(index),
        };
        self.interactions().rubs().iter().enumerate().map(of).collect()
    }

    /// What is at rest at the state placed last.
    fn at_rest(&self, struck: &Struck, v_before: &[f64], v: &[f64]) -> AtRest {
        let rubs = self.interactions().rubs().iter().enumerate();
        let rubs = rubs.map(|(index, rub)| {
            let stuck = !matches!(self.statuses.rubs[index], RubStatus::Slides { .. });
            let shown = self.shown.at_rest.contains(&index);
            let limit = self.rest_rate(index, v_before, v);
            let surface = NO_ACCELERATION * rub.friction.surface_velocity.abs();
            (stuck || shown) && !struck.any || self.sliding(index).abs() <= limit + surface
        });
        let gaps = (0..self.interactions().gaps().len()).map(|gap| {
            let [value, rate] = self.gap(gap);
            let held = self.statuses.is_shut(gap) && !struck.any;
            let touches = self.statuses.is_shut(gap)
                || self.shown.touching.contains(&gap)
                || value <= self.touching_limit(gap);
            held || touches && rate.abs() <= self.rest_rate(self.of_gap(gap), v_before, v)
        });
        AtRest { rubs: rubs.collect(), gaps: gaps.collect() }
    }

    /// The first guess: all that is at rest is held, but for what the event has shown to go.
    fn guess(&self, t: f64, rest: &AtRest) -> Statuses {
        let rubs = (0..rest.rubs.len()).map(|index| {
            if rest.rubs[index] {
                return match self.statuses.rubs[index] {
                    sticks @ RubStatus::Sticks { .. } => sticks,
                    _ => RubStatus::Sticks { anchor: self.measure(index).value, since: t },
                };
            }
            RubStatus::Slides { sense: 1.0_f64.copysign(self.sliding(index)) }
        });
        let gaps = rest.gaps.iter().enumerate();
        let closed = gaps.map(|(gap, rest)| *rest && !self.shown.opening.contains(&gap));
        let carried = vec![false; rest.gaps.len()];
        Statuses { rubs: rubs.collect(), closed: closed.collect(), carried }
    }

    /// Statuses that agree with the accelerations and forces that they cause.
    ///
    /// # Errors
    /// [`NonsmoothError::Undecided`], [`NonsmoothError::Accelerations`].
    fn decide(&mut self, at: At<'_>, mut rest: AtRest) -> Result<(Statuses, Phase), Error> {
        let mut statuses = self.guess(at.t, &rest);
        self.leave_prescribed(at, &mut statuses, &mut rest)?;
        for (index, sense) in self.shown.released.clone() {
            if rest.rubs[index] {
                statuses.rubs[index] = self.let_go(at, &statuses, index, sense)?;
            }
        }
        let rounds = 20 + 10 * self.interactions().count();
        for _ in 0..rounds {
            let mut phase = self.build(&statuses, at)?;
            phase
                .solve(at, &self.applied, false)
                .map_err(|source| self.no_accelerations(&phase, at.t, source))?;
            if let Some((gap, closed)) = self.wrong_gap(&phase, &statuses, &rest) {
                statuses.closed[gap] = closed;
            } else if let Some((index, status)) = self.wrong_rub(at.t, &phase, &statuses, &rest) {
                statuses.rubs[index] = match status {
                    RubStatus::Carried { sense } => self.let_go(at, &statuses, index, sense)?,
                    status => status,
                };
            } else {
                self.carry(at.t, &mut phase, &mut statuses, &rest)?;
                return Ok((statuses, phase));
            }
        }
        let rubs = self.interactions().rubs().iter().zip(&rest.rubs);
        let rubs = rubs.filter(|(_, rest)| **rest).map(|(rub, _)| rub.name.clone());
        let gaps = self.interactions().gaps().iter().zip(&rest.gaps);
        let gaps = gaps.filter(|(_, rest)| **rest).map(|(gap, _)| gap.name.clone());
        let names = rubs.chain(gaps).collect();
        Err(NonsmoothError::Undecided { time: at.t, rounds, names }.into())
    }

    /// Finds the gaps that others keep shut: what is at rest, does not push, and has no motion.
    ///
    /// # Errors
    /// [`NonsmoothError::Accelerations`].
    fn carry(
        &self,
        t: f64,
        phase: &mut Phase,
        statuses: &mut Statuses,
        rest: &AtRest,
    ) -> Result<(), Error> {
        for gap in 0..rest.gaps.len() {
            if rest.gaps[gap] && !statuses.closed[gap] {
                statuses.carried[gap] = !self.has_motion(phase, t, self.of_gap(gap))?;
            }
        }
        Ok(())
    }

    /// Joints whose motion constraints and drivers prescribe do not stick: their friction only goes on, with
    /// the sense of where they go next.
    ///
    /// # Errors
    /// [`NonsmoothError::Accelerations`].
    fn leave_prescribed(
        &self,
        at: At<'_>,
        statuses: &mut Statuses,
        rest: &mut AtRest,
    ) -> Result<(), Error> {
        if !rest.rubs.contains(&true) || self.dynamics.system().rows() == 0 {
            return Ok(());
        }
        let mut free = self.build(&Statuses::free(self.interactions()), at)?;
        free.solve(at, &self.applied, false)
            .map_err(|source| self.no_accelerations(&free, at.t, source))?;
        for index in 0..rest.rubs.len() {
            if !rest.rubs[index] || self.has_motion(&mut free, at.t, index)? {
                continue;
            }
            let before = match self.statuses.rubs[index] {
                RubStatus::Slides { sense } | RubStatus::Carried { sense } => sense,
                RubStatus::Sticks { .. } => 1.0,
            };
            let [acceleration, limit] = self.acceleration(index, &free);
            let moves = acceleration.abs() > limit;
            let sense = if moves { acceleration.signum() } else { before };
            statuses.rubs[index] = RubStatus::Slides { sense };
            rest.rubs[index] = false;
        }
        Ok(())
    }

    /// Whether a force on a coordinate moves it in a phase.
    ///
    /// # Errors
    /// [`NonsmoothError::Accelerations`].
    fn has_motion(&self, phase: &mut Phase, time: f64, index: usize) -> Result<bool, Error> {
        let row = self.row(index);
        let found = phase.response(&row);
        let a = found.map_err(|source| self.no_accelerations(phase, time, source))?;
        let moved = row.iter().zip(&a).fold(0.0, |s, (r, a)| s + r * a);
        Ok(moved > NO_MOTION * self.by_masses(&row, |k| row[k].abs()))
    }

    /// The first gap that would have to be pulled, or that closes though it is open.
    fn wrong_gap(
        &self,
        phase: &Phase,
        statuses: &Statuses,
        rest: &AtRest,
    ) -> Option<(usize, bool)> {
        for (gap, info) in self.interactions().gaps().iter().enumerate() {
            if !rest.gaps[gap] {
                continue;
            }
            let index = self.of_gap(gap);
            if statuses.closed[gap] {
                let force = largest(phase.evaluation.force()).max(largest(&phase.lambda));
                if info.sign * phase.holding(index) < -WITHIN * force {
                    return Some((gap, false));
                }
            } else {
                let [acceleration, limit] = self.acceleration(index, phase);
                if info.sign * acceleration < -limit {
                    return Some((gap, true));
                }
            }
        }
        None
    }

    /// The first joint whose friction is beyond its limit, or that is pulled back by it; where it goes on
    /// as [`RubStatus::Carried`] it is still to be found whether it has a motion.
    fn wrong_rub(
        &self,
        t: f64,
        phase: &Phase,
        statuses: &Statuses,
        rest: &AtRest,
    ) -> Option<(usize, RubStatus)> {
        for (index, rub) in self.interactions().rubs().iter().enumerate() {
            if !rest.rubs[index] {
                continue;
            }
            let [acceleration, limit] = self.acceleration(index, phase);
            let sticks = RubStatus::Sticks { anchor: self.measure(index).value, since: t };
            match statuses.rubs[index] {
                RubStatus::Sticks { .. } => {
                    let friction = phase.holding(index);
                    let within = friction.abs() < rub.friction.static_limit() * (1.0 - WITHIN);
                    if !within {
                        let sense = -1.0_f64.copysign(friction);
                        return Some((index, RubStatus::Carried { sense }));
                    }
                }
                RubStatus::Slides { sense } | RubStatus::Carried { sense } => {
                    if sense * acceleration < -limit {
                        return Some((index, sticks));
                    }
                    let carried = matches!(statuses.rubs[index], RubStatus::Carried { .. });
                    if carried && sense * acceleration > limit {
                        return Some((index, RubStatus::Slides { sense }));
                    }
                }
            }
        }
        None
    }

    /// Acceleration of a coordinate by a solution, and what is none.
    fn acceleration(&self, index: usize, phase: &Phase) -> [f64; 2] {
        let row = self.row(index);
        let force = phase.evaluation.force();
        let acceleration =
            row.iter().zip(&phase.a).fold(self.measure(index).bias, |s, (r, a)| r.mul_add(*a, s));
        let friction = self.interactions().rubs().get(index);
        let own = friction.map_or(0.0, |rub| rub.friction.static_limit());
        // what single forces would do to single bodies
        let caused = self.by_masses(&row, |k| force[k].abs() + own * row[k].abs());
        let moved = row.iter().zip(&phase.a).fold(0.0, |s, (r, a)| s + (r * a).abs());
        [acceleration, NO_ACCELERATION * caused.max(moved)]
    }

    /// `Σ |row| f / m` over all unknowns with mass.
    fn by_masses(&self, row: &[f64], force: impl Fn(usize) -> f64) -> f64 {
        let system = self.dynamics.system();
        let mut sum = 0.0;
        for (i, j, value) in system.pattern().mass_entries() {
            let mass = system.mass()[value];
            if i == j && mass > 0.0 {
                sum += row[i].abs() * force(i) / mass;
            }
        }
        sum
    }

    /// Whether a joint that does not stick any more slides, or is carried by others.
    ///
    /// # Errors
    /// [`NonsmoothError::Accelerations`].
    fn let_go(
        &self,
        at: At<'_>,
        statuses: &Statuses,
        index: usize,
        sense: f64,
    ) -> Result<RubStatus, Error> {
        let mut freed = statuses.clone();
        freed.rubs[index] = RubStatus::Slides { sense };
        let mut phase = self.build(&freed, at)?;
        Ok(if self.has_motion(&mut phase, at.t, index)? {
            RubStatus::Slides { sense }
        } else {
            RubStatus::Carried { sense }
        })
    }

    /// Writes down what has changed: impacts, then joints, then gaps, each in their order.
    fn write_down(
        &mut self,
        t: f64,
        before: &Statuses,
        struck: &Struck,
        (friction, pushes, closing): (&[f64], &[f64], &[f64]),
    ) {
        let after = self.frictions();
        let mut found = Vec::new();
        let interactions: &Interactions = self.interactions();
        let mut add = |name: &String, kind, before, after| {
            found.push(EventRecord { t, name: name.clone(), kind, before, after });
        };
        for (gap, info) in interactions.gaps().iter().enumerate() {
            let closes = self.statuses.is_shut(gap) && !before.is_shut(gap);
            if let (Some([rate, end]), false) = (struck.rates[gap], closes) {
                add(&info.name, EventKind::Impact, rate, end);
            }
        }
        for (index, rub) in interactions.rubs().iter().enumerate() {
            let slides = |status: RubStatus| match status {
                RubStatus::Slides { sense } => Some(sense),
                _ => None,
            };
            let [was, is] = [before.rubs[index], self.statuses.rubs[index]].map(slides);
            let kind = match (was, is) {
                (Some(_), None) => EventKind::Stick,
                (None, Some(_)) => EventKind::Slip,
                (Some(a), Some(b)) if a != b => EventKind::Reversal,
                _ => continue,
            };
            add(&rub.name, kind, friction[index], after[index]);
        }
        for (gap, info) in interactions.gaps().iter().enumerate() {
            match (before.is_shut(gap), self.statuses.is_shut(gap)) {
                (false, true) => {
                    let rate = struck.rates[gap].map_or(closing[gap], |[rate, _]| rate);
                    add(&info.name, EventKind::Closed, rate, self.gap(gap)[1]);
                }
                (true, false) => add(&info.name, EventKind::Opened, pushes[gap], 0.0),
                _ => {}
            }
        }
        self.log.extend(found);
    }
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}
