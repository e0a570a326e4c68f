//! The state that a model starts from.

use pommel_mechanism::System;
use pommel_mechanism::joint_space::{JointSpace, places_bodies};
use pommel_model::{Mechanism, ResolvedState, State};

use crate::Error;

/// The initial state of a model in joint coordinates, also where the model places bodies.
///
/// A joint with coordinates in the model's initial state has these. Others follow from where the
/// model places the bodies, and are zero where it does not. Loops are not closed by that.
///
/// # Errors
/// [`Error::System`] or [`Error::Tree`] if the model places bodies and has no kinematics.
pub fn initial_state(mechanism: &Mechanism) -> Result<ResolvedState, Error> {
    let mut state = mechanism.initial_state().clone();
    if places_bodies(mechanism) {
        let system = System::new(mechanism)?;
        let mut space = JointSpace::new(mechanism, &system)?;
        let (q, v) = space.initial_state(mechanism, &system);
        space.to_joint(&q, &v, &mut state.q, &mut state.v);
    }
    Ok(state)
}

/// A state in joint coordinates; what it leaves out is as in the initial state of the model.
///
/// # Errors
/// [`Error::Model`] with every unknown name, wrong length and number that is not finite, or as
/// [`initial_state`].
pub fn resolve(state: &State, mechanism: &Mechanism) -> Result<ResolvedState, Error> {
    Ok(state.resolve_from(mechanism, &initial_state(mechanism)?)?)
}
