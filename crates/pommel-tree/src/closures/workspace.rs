//! Memory for closures.

use pommel_math::{Real, Twist, Wrench};

use super::LoopClosures;

/// All memory that [`constrained_dynamics`](super::constrained_dynamics) needs besides that of the
/// tree, allocated once for one set of closures.
#[derive(Clone, Debug)]
pub struct ClosureWorkspace<T> {
    /// two for each row: its ends, in the frame of the link that each has reached
    pub(super) ends: Vec<End<T>>,
    pub(super) rows: Vec<Row<T>>,
    /// the lower half of `L = J M⁻¹ Jᵀ` as far as it is known, rows × rows
    pub(super) mobility: Vec<T>,
    /// for each link, and last the ground, the first of the ends that have reached it
    pub(super) heads: Vec<u32>,
    /// the ends at the link in hand
    pub(super) active: Vec<u32>,
    /// what a multiplier takes from the acceleration of a joint: row and rate
    pub(super) crossings: Vec<(u32, T)>,
    /// the same for balls and free bodies
    pub(super) whole_crossings: Vec<(u32, Twist<T>)>,
    /// for each link where its crossings begin, and where they end
    pub(super) crossing_ranges: Vec<[u32; 2]>,
    pub(super) solved: Vec<Solved<T>>,
    /// for each link, and last the ground, where the rows solved there begin and end
    pub(super) solved_ranges: Vec<[u32; 2]>,
    /// couplings of solved rows with rows still open then: row and entry of `L`
    pub(super) couplings: Vec<(u32, T)>,
    pub(super) multipliers: Vec<T>,
}

/// Marks the end of a list.
pub(super) const NONE: u32 = u32::MAX;

/// One end of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct End<T> {
    /// wrench per unit of the multiplier; the row of the acceleration of the link
    pub(super) wrench: Wrench<T>,
    /// the row of the acceleration of the link's own joint (gears)
    pub(super) joint: T,
    /// next end at the same link
    pub(super) next: u32,
}

impl<T: Real> End<T> {
    /// The wrench and `g` of the joint that was just eliminated, which is then forgotten.
    #[inline(always)]
    pub(super) fn met(&mut self) -> (&mut Wrench<T>, T) {
        let g = core::mem::replace(&mut self.joint, T::zero());
        (&mut self.wrench, g)
    }
}

/// State of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<T> {
    /// violation and its rate
    pub(super) position: T,
    pub(super) velocity: T,
    /// acceleration of the reference motion, with stabilization
    pub(super) acceleration: T,
    /// sum of the sizes of the terms of the acceleration
    pub(super) size: T,
    /// sum of what the joints gave to the diagonal of `L`
    pub(super) mobility: T,
    /// the same, were the wrench along each joint: where only rounding of the wrench was felt, this
    /// is far more
    pub(super) reach: T,
    /// largest squares of moment and force of the ends so far
    pub(super) moment_squared: T,
    pub(super) force_squared: T,
    /// of the acceleration, where it was asked for
    pub(super) rounding: f64,
    /// whether all ends have come together
    pub(super) complete: bool,
    pub(super) dependent: bool,
}

/// A row whose multiplier was eliminated at a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved<T> {
    pub(super) row: u32,
    pub(super) wrench: Wrench<T>,
    /// `1 / L_kk`
    pub(super) inverse: T,
    pub(super) acceleration: T,
    pub(super) couplings: [u32; 2],
}

impl<T: Real> Default for Row<T> {
    fn default() -> Self {
        let zero = T::zero();
        Row {
            position: zero,
            velocity: zero,
            acceleration: zero,
            size: zero,
            mobility: zero,
            reach: zero,
            moment_squared: zero,
            force_squared: zero,
            rounding: 0.0,
            complete: false,
            dependent: false,
        }
    }
}

impl<T: Real> ClosureWorkspace<T> {
    /// Memory for `closures`.
    pub fn new(closures: &LoopClosures<T>) -> Self {
        let (rows, links) = (closures.rows, closures.link_count);
        let end = End { wrench: Wrench::zero(), joint: T::zero(), next: NONE };
        ClosureWorkspace {
            ends: vec![end; 2 * rows],
            rows: vec![Row::default(); rows],
            mobility: vec![T::zero(); rows * rows],
            heads: vec![NONE; links + 1],
            active: Vec::with_capacity(2 * rows),
            crossings: Vec::with_capacity(closures.crossings),
            whole_crossings: Vec::with_capacity(closures.crossings),
            crossing_ranges: vec![[0; 2]; links],
            solved: Vec::with_capacity(rows),
            solved_ranges: vec![[0; 2]; links + 1],
            couplings: Vec::with_capacity(rows * rows),
            multipliers: vec![T::zero(); rows],
        }
    }

    /// The rows that depend on others and were dropped in the last call: their multipliers are zero.
    pub fn dependent_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().enumerate().filter(|(_, row)| row.dependent).map(|(i, _)| i)
    }

    /// What the accelerations of the last call leave of the rows, m/s² or rad/s²: zero but for dependent
    /// rows, which others satisfy up to rounding and up to what the state violates them.
    pub fn acceleration_residuals(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        let left = |row: &Row<T>| if row.dependent { row.acceleration } else { T::zero() };
        self.rows.iter().map(left)
    }

    /// Violations of the rows in the last call, m or rad.
    pub fn position_residuals(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.rows.iter().map(|row| row.position)
    }

    /// Rates of the violations in the last call, m/s or rad/s.
    pub fn velocity_residuals(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.rows.iter().map(|row| row.velocity)
    }
}
