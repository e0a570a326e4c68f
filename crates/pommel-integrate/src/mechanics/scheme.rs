//! The methods, and what they need.

use core::fmt;

use crate::ImplicitTableau;

/// A method for motion under constraints.
#[derive(Clone, Debug, PartialEq)]
pub enum Scheme {
    /// Symplectic Euler: forces at the start of the step, velocities at its end, then projected. Order 1.
    SymplecticEuler,
    /// RATTLE \[HLW06, eqs. VII.1.25 and 1.26\], which is Störmer–Verlet where nothing is constrained: half of the
    /// forces at the start, half at the end. Bodies that turn have momenta by Cayley's transform, so that angular
    /// momentum is kept to rounding. Symmetric; symplectic where forces depend on positions only. Order 2.
    Rattle,
    /// The generalized-α method on positions \[AB07, BCA12\], of order 2.
    GeneralizedAlpha {
        /// What violations of velocities, and oscillations as fast as steps resolve, are multiplied by in a step, from
        /// 0 (most damping) to 1 (none).
        spectral_radius: f64,
    },
    /// The method of Hilber, Hughes and Taylor, the generalized-α method with `α_m = 0`, `α_f = −α`.
    Hht {
        /// Damping, from −1/3 (most) to 0 (none).
        alpha: f64,
    },
    /// A collocation method whose last stage is the end of the step: Radau IIA, or Euler backward.
    Radau {
        /// Its coefficients.
        tableau: Box<ImplicitTableau>,
        /// Which constraints its stages satisfy.
        level: Level,
    },
}

/// Which constraints stages satisfy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Those of velocities (index 2): positions drift, in proportion to the error of the steps.
    Velocity,
    /// Those of positions (index 3).
    Position,
    /// Both, `q̇ = S(q) (v − M⁻¹ Φ_qᵀ μ)` \[GGL85\] (stabilized, of index 2).
    #[default]
    Stabilized,
}

/// A method that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SchemeError {
    /// The spectral radius is not between 0 and 1.
    SpectralRadius {
        /// What was asked for.
        value: f64,
    },
    /// α of the HHT method is not between −1/3 and 0.
    Alpha {
        /// What was asked for.
        value: f64,
    },
    /// The last stage of the implicit method is not the end of its step.
    NotStifflyAccurate,
}

impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemeError::SpectralRadius { value } => {
                write!(
                    f,
                    "spectral radius {value} of the generalized-α method is not between 0 and 1"
                )
            }
            SchemeError::Alpha { value } => {
                write!(f, "α = {value} of the HHT method is not between −1/3 and 0")
            }
            SchemeError::NotStifflyAccurate => f.write_str(
                "the last stage of the implicit method is not the end of its step, so that the end would be off the \
                 constraints; take Radau IIA or Euler backward",
            ),
        }
    }
}

impl std::error::Error for SchemeError {}

/// Velocities that follow from positions have so many of their roundings, per step.
pub(super) const NOISE: f64 = 32.0;

/// The same at a level: A⁻² of three stages has entries of some tens.
pub(super) fn noise(level: Level) -> f64 {
    match level {
        Level::Position => 32.0 * NOISE,
        Level::Velocity | Level::Stabilized => 0.0,
    }
}

impl Scheme {
    /// A collocation method with its last stage at the end of the step, at a level of the constraints.
    pub fn radau(tableau: ImplicitTableau, level: Level) -> Self {
        Scheme::Radau { tableau: Box::new(tableau), level }
    }

    pub(super) fn noise(&self) -> f64 {
        match self {
            Scheme::Radau { level, .. } => noise(*level),
            _ => NOISE,
        }
    }

    /// Whether velocities at the ends of steps are off their constraints by the error of the steps.
    pub(super) fn leaves_velocities(&self) -> bool {
        matches!(
            self,
            Scheme::GeneralizedAlpha { .. }
                | Scheme::Hht { .. }
                | Scheme::Radau { level: Level::Position, .. }
        )
    }

    /// Whether positions at the ends of steps are on their constraints.
    pub(super) fn keeps_positions(&self) -> bool {
        !matches!(self, Scheme::Radau { level: Level::Velocity, .. })
    }

    /// What it is, in a word or two.
    pub fn name(&self) -> String {
        match self {
            Scheme::SymplecticEuler => "symplectic-euler".to_owned(),
            Scheme::Rattle => "rattle".to_owned(),
            Scheme::GeneralizedAlpha { spectral_radius } => {
                format!("generalized-alpha ({spectral_radius})")
            }
            Scheme::Hht { alpha } => format!("hht ({alpha})"),
            Scheme::Radau { tableau, level } => {
                let level = match level {
                    Level::Velocity => "index 2",
                    Level::Position => "index 3",
                    Level::Stabilized => "stabilized index 2",
                };
                format!("{}, {level}", tableau.name())
            }
        }
    }

    /// The order of positions and velocities together, where constraints hold at the start.
    pub fn order(&self) -> usize {
        match self {
            Scheme::SymplecticEuler => 1,
            Scheme::Rattle | Scheme::GeneralizedAlpha { .. } | Scheme::Hht { .. } => 2,
            Scheme::Radau { tableau, level: Level::Position } => tableau.stages(),
            Scheme::Radau { tableau, .. } => tableau.order(),
        }
    }

    /// Whether it makes sense.
    ///
    /// # Errors
    /// [`SchemeError`].
    pub fn check(&self) -> Result<(), SchemeError> {
        match self {
            Scheme::GeneralizedAlpha { spectral_radius }
                if !(0.0..=1.0).contains(spectral_radius) =>
            {
                Err(SchemeError::SpectralRadius { value: *spectral_radius })
            }
            Scheme::Hht { alpha } if !(-1.0 / 3.0..=0.0).contains(alpha) => {
                Err(SchemeError::Alpha { value: *alpha })
            }
            Scheme::Radau { tableau, .. } if !tableau.is_stiffly_accurate() => {
                Err(SchemeError::NotStifflyAccurate)
            }
            _ => Ok(()),
        }
    }
}
