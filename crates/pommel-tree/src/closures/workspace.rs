//! Memory for closures.

use std::sync::Arc;

use pommel_math::{Real, Vec3, Wrench};

use super::LoopClosures;
use crate::block::{Row, Rows, zeros};
use crate::model::Topology;

/// Rows of a closure side by side: the loops over them become vector instructions. No closure has
/// more; what a closure has less is zero.
pub(super) const SIDE: usize = 8;

/// One number for each row of a closure.
pub(super) type Side<T> = Row<T, SIDE>;

/// All memory that [`constrained_dynamics`](super::constrained_dynamics) needs besides that of the
/// tree, allocated once for one set of closures.
#[derive(Debug)]
pub struct ClosureWorkspace<T> {
    pub(super) topology: Arc<Topology>,
    /// two for each closure, in the frame of the link that each has reached
    pub(super) ends: Vec<End<T>>,
    pub(super) sets: Vec<RowSet<T>>,
    /// `L = J M⁻¹ Jᵀ` as far as it is known: for each pair of closures, the one that comes later
    /// first, the entries of each row of the first with those of the second; the other half is not
    /// kept
    pub(super) mobility: Vec<[Side<T>; SIDE]>,
    /// for each pair the call in which its entries were first set
    pub(super) known: Vec<u64>,
    pub(super) call: u64,
    /// for each link, and last the ground, the first of the ends that have reached it
    pub(super) heads: Vec<u32>,
    /// the ends at the link in hand
    pub(super) active: Vec<u32>,
    /// `g` of the active ends at the joint in hand
    pub(super) felt: Vec<Side<T>>,
    /// what multipliers take from the acceleration of a joint: closure and rates
    pub(super) crossings: Vec<(u32, Side<T>)>,
    /// the same for balls and free bodies, twists
    pub(super) whole_crossings: Vec<(u32, Rows<T, SIDE>)>,
    /// for each link where its crossings begin, and where they end
    pub(super) crossing_ranges: Vec<[u32; 2]>,
    pub(super) solved: Vec<Solved<T>>,
    /// for each link, and last the ground, where the rows solved there begin and end
    pub(super) solved_ranges: Vec<[u32; 2]>,
    /// couplings of solved rows with rows still open then: closure and entries of `L`
    pub(super) couplings: Vec<(u32, Side<T>)>,
    /// for each closure
    pub(super) multipliers: Vec<Side<T>>,
    /// for each closure its number of rows
    pub(super) counts: Vec<usize>,
    /// crossings that there is room for
    crossing_limit: usize,
}

/// With the room that the other has, so that no call with a clone allocates.
impl<T: Real> Clone for ClosureWorkspace<T> {
    fn clone(&self) -> Self {
        fn with_room<E: Clone>(list: &Vec<E>) -> Vec<E> {
            let mut copy = Vec::with_capacity(list.capacity());
            copy.extend_from_slice(list);
            copy
        }
        ClosureWorkspace {
            topology: Arc::clone(&self.topology),
            ends: self.ends.clone(),
            sets: self.sets.clone(),
            mobility: self.mobility.clone(),
            known: self.known.clone(),
            call: self.call,
            heads: self.heads.clone(),
            active: with_room(&self.active),
            felt: with_room(&self.felt),
            crossings: with_room(&self.crossings),
            whole_crossings: with_room(&self.whole_crossings),
            crossing_ranges: self.crossing_ranges.clone(),
            solved: with_room(&self.solved),
            solved_ranges: self.solved_ranges.clone(),
            couplings: with_room(&self.couplings),
            multipliers: self.multipliers.clone(),
            counts: self.counts.clone(),
            crossing_limit: self.crossing_limit,
        }
    }
}

/// Marks the end of a list.
pub(super) const NONE: u32 = u32::MAX;

/// One end of a closure.
#[derive(Clone, Copy, Debug)]
pub(super) struct End<T> {
    /// wrenches per unit of the multipliers; the rows of the acceleration of the link
    pub(super) wrenches: Rows<T, SIDE>,
    /// the first row of the acceleration of the link's own joint (gears)
    pub(super) joint: T,
    /// next end at the same link
    pub(super) next: u32,
}

impl<T: Real> End<T> {
    pub(super) fn new() -> Self {
        End { wrenches: zeros(), joint: T::zero(), next: NONE }
    }

    /// The wrench of one row.
    #[inline(always)]
    pub(super) fn wrench(&self, row: usize) -> Wrench<T> {
        let [a, b, c, d, e, f] = &self.wrenches;
        Wrench::new(Vec3::new(a[row], b[row], c[row]), Vec3::new(d[row], e[row], f[row]))
    }
}

/// State of the rows of a closure.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSet<T> {
    /// violations and their rates
    pub(super) position: Side<T>,
    pub(super) velocity: Side<T>,
    /// accelerations of the reference motion, with stabilization
    pub(super) acceleration: Side<T>,
    /// sums of the sizes of the terms of the accelerations
    pub(super) size: Side<T>,
    /// sums of what the joints gave to the diagonal of `L`
    pub(super) mobility: Side<T>,
    /// the same, were the wrenches along each joint: where only rounding of a wrench was felt, this
    /// is far more
    pub(super) reach: Side<T>,
    /// how large moments and forces of the ends were, before anything in them cancelled
    pub(super) moment: Side<T>,
    pub(super) force: Side<T>,
    /// how large the terms of the accelerations were, before anything in them cancelled
    pub(super) terms: Side<T>,
    /// one for each row whose multiplier has not been eliminated, else zero
    pub(super) open: Side<T>,
    /// how many these are
    pub(super) open_count: usize,
    /// whether both ends have come together
    pub(super) complete: bool,
    pub(super) dependent: [bool; SIDE],
    /// of the accelerations, where it was asked for
    pub(super) rounding: [f64; SIDE],
}

impl<T: Real> RowSet<T> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let zero = [T::zero(); SIDE];
        RowSet {
            position: zero,
            velocity: zero,
            acceleration: zero,
            size: zero,
            mobility: zero,
            reach: zero,
            moment: zero,
            force: zero,
            terms: zero,
            open: zero,
            open_count: 0,
            complete: false,
            dependent: [false; SIDE],
            rounding: [0.0; SIDE],
        }
    }

    /// Notes how large moments and forces are.
    #[inline(always)]
    pub(super) fn note_sizes(&mut self, w: &Rows<T, SIDE>) {
        for k in 0..SIDE {
            let moment = w[0][k].abs() + w[1][k].abs() + w[2][k].abs();
            let force = w[3][k].abs() + w[4][k].abs() + w[5][k].abs();
            self.moment[k] = self.moment[k].max(moment);
            self.force[k] = self.force[k].max(force);
        }
    }
}

/// A row whose multiplier was eliminated at a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved<T> {
    pub(super) closure: u32,
    pub(super) row: u32,
    pub(super) wrench: Wrench<T>,
    /// `1 / L_kk`
    pub(super) inverse: T,
    /// of what the joints gave to the row, what was left to it
    pub(super) share: f64,
    pub(super) acceleration: T,
    pub(super) couplings: [u32; 2],
}

/// Where the entries of a pair of closures stand, `a` not before `b`.
#[inline(always)]
pub(super) fn pair(a: usize, b: usize) -> usize {
    a * (a + 1) / 2 + b
}

impl<T: Real> ClosureWorkspace<T> {
    /// Memory for `closures`: linear in what they and the links are, and 64 numbers for each pair of
    /// closures, of which those are touched that are open at one link.
    pub fn new(closures: &LoopClosures<T>) -> Self {
        let (count, rows, links) =
            (closures.closures.len(), closures.rows, closures.topology.links.len());
        let zero = [T::zero(); SIDE];
        ClosureWorkspace {
            topology: Arc::clone(&closures.topology),
            ends: vec![End::new(); 2 * count],
            sets: vec![RowSet::new(); count],
            mobility: vec![[zero; SIDE]; pair(count, 0)],
            known: vec![0; pair(count, 0)],
            call: 0,
            heads: vec![NONE; links + 1],
            active: Vec::with_capacity(2 * count),
            felt: Vec::with_capacity(2 * count),
            crossings: Vec::with_capacity(closures.crossings),
            whole_crossings: Vec::with_capacity(closures.crossings),
            crossing_ranges: vec![[0; 2]; links],
            solved: Vec::with_capacity(rows),
            solved_ranges: vec![[0; 2]; links + 1],
            couplings: Vec::with_capacity(rows * count),
            multipliers: vec![zero; count],
            counts: closures.closures.iter().map(|c| c.rows()).collect(),
            crossing_limit: closures.crossings,
        }
    }

    /// Whether the memory is for these closures, or for ones like them on a tree like theirs.
    pub(super) fn fits(&self, closures: &LoopClosures<T>) -> bool {
        let same = |(count, closure): (&usize, &super::Closure<T>)| *count == closure.rows();
        self.topology.has_the_links_of(&closures.topology)
            && self.counts.len() == closures.closures.len()
            && self.counts.iter().zip(&closures.closures).all(same)
            && self.crossing_limit >= closures.crossings
    }

    /// One number of each row, in order.
    pub(super) fn each<'a, U: 'a>(
        &'a self,
        pick: impl Fn(&'a RowSet<T>, usize) -> U + 'a,
    ) -> impl Iterator<Item = U> + 'a {
        let rows = self.sets.iter().zip(&self.counts);
        let rows = rows.flat_map(|(set, &count)| (0..count).map(move |row| (set, row)));
        rows.map(move |(set, row)| pick(set, row))
    }

    /// The rows that depend on others and were dropped in the last call: their multipliers are zero.
    pub fn dependent_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.each(|set, row| set.dependent[row]).enumerate();
        rows.filter(|(_, dependent)| *dependent).map(|(i, _)| i)
    }

    /// What the accelerations of the last call leave of the rows, m/s² or rad/s²: zero but for dependent
    /// rows, which others satisfy up to rounding and up to what the state violates them.
    pub fn acceleration_residuals(&self) -> impl Iterator<Item = T> + '_ {
        self.each(|set, row| if set.dependent[row] { set.acceleration[row] } else { T::zero() })
    }

    /// How near the posture of the last call is to a singular one: of the mobility that the joints
    /// give to a row, the least share that other rows leave to it; 1 if there are no independent
    /// rows. Rows below `1.8e-12` (`ε^¾` of the scalar) count as dependent. Multipliers and
    /// accelerations lose as many digits as the inverse has.
    pub fn least_share(&self) -> f64 {
        self.solved.iter().fold(1.0, |least, solved| solved.share.min(least))
    }

    /// Violations of the rows in the last call, m or rad.
    pub fn position_residuals(&self) -> impl Iterator<Item = T> + '_ {
        self.each(|set, row| set.position[row])
    }

    /// Rates of the violations in the last call, m/s or rad/s.
    pub fn velocity_residuals(&self) -> impl Iterator<Item = T> + '_ {
        self.each(|set, row| set.velocity[row])
    }
}
