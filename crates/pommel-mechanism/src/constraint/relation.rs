//! Relations of joint coordinates: drivers, gears, racks, cams.

use pommel_math::Real;

use super::{At, Coordinate, End, Rows, Support};
use crate::function::Function;
use crate::gather::{field, numbers};
use crate::space::Space;

/// `c − g(c_leader) − f(t) = 0`
#[derive(Clone, Debug)]
pub(crate) struct Relation<T: Real, S: Space> {
    pub(crate) follower: Coordinate<T, S>,
    pub(crate) leader: Option<Leader<T, S>>,
    pub(crate) motion: Option<Function>,
    /// the bodies that it acts on, each once, with the place of its row
    pub(crate) ends: Vec<End>,
    /// its place in the list of tracked angles
    pub(crate) turns: u32,
}

/// What a follower follows.
#[derive(Clone, Debug)]
pub(crate) enum Leader<T: Real, S: Space> {
    /// `ratio · c + offset`
    Gear { coordinate: Coordinate<T, S>, ratio: T, offset: T },
    /// a profile over the coordinate
    Cam { coordinate: Coordinate<T, S>, profile: Function },
}

impl<T: Real, S: Space> Relation<T, S> {
    #[inline(always)]
    pub(super) fn write(&self, row: usize, at: &At<'_, T, S>, rows: &mut Rows<'_, T>) {
        let spin = self.support() == Support::Spin;
        let (first, count) = if spin { (S::SPIN, S::SPINS) } else { (0, S::WIDTH) };
        for end in &self.ends {
            if let Some(block) = end.block {
                rows.jacobian[block as usize..block as usize + count].fill(T::zero());
            }
        }
        let follower = self.follower.at(at.poses);
        let (mut goal, mut nu, mut gamma) = (T::zero(), T::zero(), -follower.bias);
        if let Some(motion) = &self.motion {
            let [value, rate, acceleration] = motion.at(at.time);
            goal += value;
            nu += rate;
            gamma += acceleration;
        }
        let turns = self.turns as usize;
        if let Some(leader) = &self.leader {
            let (found, g) = leader.at(at.poses, at.turns[turns + 1]);
            goal += g[0];
            gamma += g[1].mul_add(found.bias, g[2] * found.rate * found.rate);
            self.add(rows, first, count, leader.coordinate(), &found.rows, -g[1]);
        }
        self.add(rows, first, count, &self.follower, &follower.rows, T::one());
        // a driver means the nearest turn, a gear the one that it is in
        let nearest = if self.leader.is_some() { at.turns[turns] } else { goal };
        let value = self.follower.unwrap(follower.value, nearest);
        rows.demand(row, value - goal, nu, gamma);
    }

    /// Only angles turn bodies without moving them.
    #[inline(always)]
    pub(crate) fn support(&self) -> Support {
        let turns = |leader: &Leader<T, S>| leader.coordinate().is_angle();
        if self.follower.is_angle() && self.leader.as_ref().is_none_or(turns) {
            Support::Spin
        } else {
            Support::Whole
        }
    }

    /// Adds the rows of a coordinate times a factor: `count` entries from `first` on.
    #[inline(always)]
    fn add(
        &self,
        rows: &mut Rows<'_, T>,
        first: usize,
        count: usize,
        coordinate: &Coordinate<T, S>,
        found: &[S::Row<T>; 2],
        factor: T,
    ) {
        for (body, row) in coordinate.bodies.iter().zip(found) {
            for end in &self.ends {
                if let (true, Some(block)) = (end.body == *body, end.block) {
                    let block = &mut rows.jacobian[block as usize..block as usize + count];
                    for (to, from) in block.iter_mut().zip(&row.as_ref()[first..first + count]) {
                        *to = factor.mul_add(*from, *to);
                    }
                }
            }
        }
    }

    /// Takes the angles of a state as those that the next ones are near to.
    pub(crate) fn track(&self, poses: &[S::Pose<T>], turns: &mut [T]) {
        let start = self.turns as usize;
        self.follower.track(poses, &mut turns[start]);
        if let Some(leader) = &self.leader {
            leader.coordinate().track(poses, &mut turns[start + 1]);
        }
    }
}

impl<T: Real, S: Space> Leader<T, S> {
    pub(crate) fn coordinate(&self) -> &Coordinate<T, S> {
        match self {
            Leader::Gear { coordinate, .. } | Leader::Cam { coordinate, .. } => coordinate,
        }
    }

    /// The leading coordinate, and `g` with its first two derivatives there.
    #[inline(always)]
    fn at(&self, poses: &[S::Pose<T>], turn: T) -> (super::CoordinateAt<T, S>, [T; 3]) {
        let coordinate = self.coordinate();
        let mut found = coordinate.at(poses);
        found.value = coordinate.unwrap(found.value, turn);
        let g = match self {
            Leader::Gear { ratio, offset, .. } => {
                [ratio.mul_add(found.value, *offset), *ratio, T::zero()]
            }
            Leader::Cam { profile, .. } => profile.at(found.value),
        };
        (found, g)
    }
}

impl<S: Space> Relation<f64, S> {
    /// Whether two relations differ in numbers only.
    pub(crate) fn alike(&self, other: &Self) -> bool {
        let leaders = match (&self.leader, &other.leader) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                std::mem::discriminant(a) == std::mem::discriminant(b)
                    && a.coordinate().alike(b.coordinate())
            }
            _ => false,
        };
        leaders
            && self.follower.alike(&other.follower)
            && self.motion.is_some() == other.motion.is_some()
    }

    pub(crate) fn gather<T: Real>(list: &[&Self]) -> Relation<T, S> {
        let motions: Vec<&Function> = list.iter().filter_map(|r| r.motion.as_ref()).collect();
        let leaders: Vec<&Leader<f64, S>> = list.iter().filter_map(|r| r.leader.as_ref()).collect();
        Relation {
            follower: Coordinate::gather(&field(list, |r| &r.follower)),
            leader: (!leaders.is_empty()).then(|| Leader::gather(&leaders)),
            motion: (!motions.is_empty()).then(|| Function::pack(&motions)),
            ends: list[0].ends.clone(),
            turns: list[0].turns,
        }
    }
}

impl<S: Space> Leader<f64, S> {
    fn gather<T: Real>(list: &[&Self]) -> Leader<T, S> {
        let coordinate = Coordinate::gather(&field(list, |l| l.coordinate()));
        match list[0] {
            Leader::Gear { .. } => {
                let of = |l: &Self| match l {
                    Leader::Gear { ratio, offset, .. } => [*ratio, *offset],
                    Leader::Cam { .. } => [0.0; 2],
                };
                let [ratio, offset] = numbers(list, of);
                Leader::Gear { coordinate, ratio, offset }
            }
            Leader::Cam { profile, .. } => {
                let profiles: Vec<&Function> = (list.iter())
                    .map(|l| match l {
                        Leader::Cam { profile, .. } => profile,
                        Leader::Gear { .. } => profile,
                    })
                    .collect();
                Leader::Cam { coordinate, profile: Function::pack(&profiles) }
            }
        }
    }
}
