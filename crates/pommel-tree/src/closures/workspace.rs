//! Memory for closures.

use pommel_math::{Real, Vec3, Wrench};

use super::LoopClosures;
use crate::block::{Row, Rows, zeros};

/// Rows of a closure side by side: the loops over them become vector instructions. No closure has
/// more; what a closure has less is zero.
pub(super) const SIDE: usize = 8;

/// One number for each row of a closure.
pub(super) type Side<T> = Row<T, SIDE>;

/// All memory that [`constrained_dynamics`](super::constrained_dynamics) needs besides that of the
/// tree, allocated once for one set of closures.
#[derive(Clone, Debug)]
pub struct ClosureWorkspace<T> {
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
    /// largest squares of moments and forces of the ends so far
    pub(super) moment_squared: Side<T>,
    pub(super) force_squared: Side<T>,
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
            moment_squared: zero,
            force_squared: zero,
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
            let moment = w[0][k] * w[0][k] + w[1][k] * w[1][k] + w[2][k] * w[2][k];
            let force = w[3][k] * w[3][k] + w[4][k] * w[4][k] + w[5][k] * w[5][k];
            self.moment_squared[k] = self.moment_squared[k].max(moment);
            self.force_squared[k] = self.force_squared[k].max(force);
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
        let (count, rows, links) = (closures.closures.len(), closures.rows, closures.link_count);
        let zero = [T::zero(); SIDE];
        ClosureWorkspace {
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
        }
    }

    /// Whether the memory is for these closures.
    pub(super) fn fits(&self, closures: &LoopClosures<T>) -> bool {
        let same = |(count, closure): (&usize, &super::Closure<T>)| *count == closure.rows();
        self.heads.len() == closures.link_count + 1
            && self.counts.len() == closures.closures.len()
            && self.counts.iter().zip(&closures.closures).all(same)
            && self.crossings.capacity() >= closures.crossings
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

    /// Violations of the rows in the last call, m or rad.
    pub fn position_residuals(&self) -> impl Iterator<Item = T> + '_ {
        self.each(|set, row| set.position[row])
    }

    /// Rates of the violations in the last call, m/s or rad/s.
    pub fn velocity_residuals(&self) -> impl Iterator<Item = T> + '_ {
        self.each(|set, row| set.velocity[row])
    }
}
