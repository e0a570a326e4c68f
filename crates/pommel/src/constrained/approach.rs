//! Ways to integrate a mechanism with constraints.

use pommel_integrate::mechanics::MechanicsOptions;
use pommel_integrate::{ImplicitOptions, Options};
use pommel_mechanism::formulation::Method;
use pommel_mechanism::kinematics::Metric;

/// What is done about drift off the constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stabilization {
    /// Nothing.
    None,
    /// `Φ̈ + 2α Φ̇ + β² Φ = 0` in place of `Φ̈ = 0` (Baumgarte 1972).
    Baumgarte {
        /// 1/s.
        alpha: f64,
        /// 1/s; `α = β` is critical damping.
        beta: f64,
    },
    /// The nearest position and velocities on the constraints after every accepted step; with
    /// [`Metric::Independent`] simple coordinate partitioning, where only dependent coordinates move.
    Projection(Metric),
    /// Full coordinate partitioning \[WH82, see [`StateProjector`](pommel_mechanism::kinematics::StateProjector)\]:
    /// dependent coordinates and velocities follow from independent ones in every evaluation, so that these alone
    /// are integrated.
    Partitioning,
}

impl Stabilization {
    /// Baumgarte's with `α = β = 1/(10 h)`: violations are damped within some ten steps of size `h`, far from
    /// where explicit steps of that size would become unstable (2α h of 2 and more).
    pub fn baumgarte_for_step(h: f64) -> Self {
        let rate = 0.1 / h;
        Stabilization::Baumgarte { alpha: rate, beta: rate }
    }

    /// Which change is least where states are projected.
    pub(super) fn metric(self) -> Option<Metric> {
        match self {
            Stabilization::Projection(metric) => Some(metric),
            Stabilization::Partitioning => Some(Metric::Independent),
            Stabilization::None | Stabilization::Baumgarte { .. } => None,
        }
    }
}

/// How a mechanism with constraints is integrated.
#[derive(Clone, Debug, PartialEq)]
pub enum Approach {
    /// Accelerations of a formulation (index 1) by an explicit method.
    Explicit {
        /// The formulation.
        method: Method,
        /// What is done about drift.
        stabilization: Stabilization,
        /// Method and steps.
        options: Options,
    },
    /// The same by an implicit method with dense factors of derivatives that are found by differences: for stiff
    /// springs and dampers.
    Implicit {
        /// The formulation.
        method: Method,
        /// What is done about drift.
        stabilization: Stabilization,
        /// Method and steps.
        options: ImplicitOptions,
    },
    /// Constraints in every step (index 2 and 3), with factors of `pommel-kkt`.
    Constrained(MechanicsOptions),
}

impl Approach {
    /// Accelerations by the sparse saddle-point system, projected with the least change of kinetic energy.
    pub fn projected(options: Options) -> Self {
        Approach::Explicit {
            method: Method::SparseKkt,
            stabilization: Stabilization::Projection(Metric::Mass),
            options,
        }
    }
}
