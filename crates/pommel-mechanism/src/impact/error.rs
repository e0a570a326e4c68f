//! Why there is no answer to an impact.

use std::fmt;

use pommel_kkt::KktError;

/// What of friction, stops and contacts is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsupportedInteraction {
    /// Friction in a joint whose coordinates are no angles or displacements.
    JointFriction,
    /// Limits of such a joint.
    JointLimits,
    /// Friction in a contact.
    ContactFriction,
}

impl fmt::Display for UnsupportedInteraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JointFriction => {
                "friction in a spherical or free joint has no coordinate to act on; set it to 0, or make \
                 the joint of several with one coordinate each"
            }
            Self::JointLimits => {
                "limits of a spherical or free joint have no coordinate to act on; leave them out, or \
                 make the joint of several with one coordinate each"
            }
            Self::ContactFriction => {
                "friction in contacts is not available; set it to 0, or guide the body by a joint with \
                 friction"
            }
        })
    }
}

/// Why there is no answer to an impact.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// Something that is not known.
    #[error("{path}: {feature}")]
    Unsupported {
        /// Where it stands in the model.
        path: String,
        /// What it is.
        feature: UnsupportedInteraction,
    },
    /// A number is NaN or infinite.
    #[error("{what}[{index}] is not a finite number")]
    NotFinite {
        /// `velocity`, `row` or `restitution`.
        what: &'static str,
        /// Where in it; the unilateral condition for rows.
        index: usize,
    },
    /// A coefficient of restitution below 0 or above 1.
    #[error("restitution {value} of condition {index} is not between 0 and 1")]
    Restitution {
        /// Which condition.
        index: usize,
        /// Its coefficient.
        value: f64,
    },
    /// No impulses that only push can keep the conditions: the constraints drive bodies into each other.
    #[error(
        "no impulse keeps condition {index}, which closes with {rate:e} m/s or rad/s: constraints or \
         drivers leave it no motion"
    )]
    NoImpulse {
        /// The condition that closes fastest among those that cannot be kept.
        index: usize,
        /// Its rate.
        rate: f64,
    },
    /// The complementarity problem was not solved.
    #[error("the impulses were not found in {pivots} pivots; {conditions} conditions close")]
    NotSolved {
        /// Pivots that were made.
        pivots: usize,
        /// How many conditions there are.
        conditions: usize,
    },
    /// The sparse solver refuses.
    #[error(transparent)]
    Kkt(#[from] KktError),
}
