//! Why there is no system of a mechanism.

use std::fmt;

use pommel_kkt::KktError;

/// Why a mechanism has no equations in absolute coordinates.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// No body moves.
    #[error("no body of '{name}' moves: all are fixed to the ground")]
    NothingMoves {
        /// Name of the mechanism.
        name: String,
    },
    /// A constraint between bodies that do not move.
    #[error("{constraint} acts on no body that moves: both ends are fixed to the ground")]
    ActsOnGround {
        /// The constraint.
        constraint: String,
    },
    /// Two joints at the same point are all that holds a body.
    #[error(
        "body '{body}' is a link of length zero: its joints '{}' and '{}' are at the same point, \
        so nothing decides how it turns; give them distance, or leave the body out", joints[0], joints[1]
    )]
    ZeroLengthLink {
        /// The body.
        body: String,
        /// Its joints.
        joints: [String; 2],
    },
    /// Something that absolute coordinates do not know.
    #[error("{path}: {feature}")]
    Unsupported {
        /// Where it stands in the model.
        path: String,
        /// What it is.
        feature: UnsupportedFeature,
    },
    /// The pattern is too large, or otherwise impossible.
    #[error(transparent)]
    Pattern(#[from] KktError),
}

/// What absolute coordinates do not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsupportedFeature {
    /// Inertia of a joint.
    Armature,
    /// A geared rotor.
    Rotor,
    /// A contact.
    Contact,
}

impl fmt::Display for UnsupportedFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Armature => {
                "inertia of a joint (armature) is known in joint coordinates only; add it to the \
                 inertia of a body, or use the formulation 'recursion'"
            }
            Self::Rotor => {
                "geared rotors are known in joint coordinates only; make it a body with a gear, or \
                 use the formulation 'recursion'"
            }
            Self::Contact => {
                "contacts make events: motions with these know them (pommel::nonsmooth), a smooth system does \
                 not; leave them out here"
            }
        })
    }
}

/// Why systems cannot stand side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// No instance.
    #[error("there is no instance to pack")]
    Empty,
    /// More instances than lanes.
    #[error("{instances} instances do not fit in {lanes} lanes")]
    TooMany {
        /// How many there are.
        instances: usize,
        /// Lanes of the scalar.
        lanes: usize,
    },
    /// Not the same mechanism.
    #[error("instance {instance} differs from instance 0 in more than numbers")]
    Different {
        /// Which one.
        instance: usize,
    },
}
