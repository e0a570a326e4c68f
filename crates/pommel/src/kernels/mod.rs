//! Kernels as calls that can be timed and counted, over one instance or over lanes.
//!
//! A kernel is compiled anew for every scalar, so this is done once, here.

mod saddle;
mod tree;

pub use saddle::{assembled_states_around, count_saddle_operations, repeat_saddle};
pub use tree::{TreeKernel, count_operations, repeat};

use pommel_kkt::KktError;
use pommel_math::UnsupportedLanes;
use pommel_model::ResolvedState;
use pommel_tree::{Topology, TreeError};

use crate::TreeDynamics;

/// Why a kernel cannot be called again and again.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RepeatError {
    /// There is no scalar with so many lanes.
    #[error(transparent)]
    Lanes(#[from] UnsupportedLanes),
    /// The kernel fails at one of the states.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The saddle-point system has no factor.
    #[error(transparent)]
    Kkt(#[from] KktError),
    /// Pivots vanish at a state: one order of elimination does not suit all states.
    #[error(
        "one order of elimination does not suit all states: {misplaced} pivots vanish at state \
         {state}; pass states that are alike"
    )]
    Misplaced {
        /// The state, from 0.
        state: usize,
        /// Number of pivots that vanish.
        misplaced: usize,
    },
}

/// Calls a kernel as many times as it is told.
pub type Repeated<'a> = &'a mut dyn FnMut(usize);

/// Hands `job` a function that makes as many calls as it is told, of inputs 0 to `count − 1` again and
/// again.
fn cycle(count: usize, job: &mut dyn FnMut(Repeated<'_>), mut call: impl FnMut(usize)) {
    let mut k = 0;
    job(&mut |times| {
        for _ in 0..times {
            call(k);
            k = (k + 1) % count;
        }
    });
}

/// `count` states around one, the same for the same number: coordinates and velocities with other
/// values within 0.4 (rad, m; rad/s, m/s), joint forces within 1 (N·m, N), unit quaternions, no
/// wrenches.
pub fn states_around(
    dynamics: &TreeDynamics,
    centre: &ResolvedState,
    count: usize,
) -> Vec<ResolvedState> {
    let mut random = Random(0);
    let topology = dynamics.model().topology();
    (0..count).map(|_| state_around(topology, centre, &mut random, 0.4)).collect()
}

/// SplitMix64 [Steele, Lea, Flood 2014].
struct Random(u64);

impl Random {
    /// The next number, within ±1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / 2.0_f64.powi(63) - 1.0
    }
}

fn state_around(
    topology: &Topology,
    centre: &ResolvedState,
    random: &mut Random,
    size: f64,
) -> ResolvedState {
    let mut state = centre.clone();
    state.q.iter_mut().chain(&mut state.v).for_each(|x| *x += size * random.next());
    state.tau.iter_mut().for_each(|x| *x += random.next());
    state.wrenches.iter_mut().for_each(|w| *w = [0.0; 6]);
    for at in topology.quaternions() {
        // the change is shorter than 0.8, so the norm is not zero
        let quaternion = &mut state.q[at..at + 4];
        let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        quaternion.iter_mut().for_each(|x| *x /= norm);
    }
    state
}
