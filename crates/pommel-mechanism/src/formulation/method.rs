//! Names of the formulations, and what they need.

use std::fmt;

/// A formulation by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The saddle-point system, sparse: `pommel-kkt`.
    SparseKkt,
    /// The saddle-point system as one dense matrix, `L B Lᵀ`.
    DenseKkt,
    /// Multipliers first: `(Φ_q M⁻¹ Φ_qᵀ) λ = Φ_q M⁻¹ Q − γ`.
    RangeSpace,
    /// Null space of Φ_q from the eigenvectors of `Φ_qᵀ Φ_q` to the eigenvalue zero.
    ZeroEigenvalue,
    /// Null space from the orthogonal factor of `Φ_qᵀ`.
    Qr,
    /// Null space from the singular value decomposition.
    Svd,
    /// Null space from Householder's transform (pseudo upper triangular decomposition).
    Putd,
    /// Null space from the complete orthogonal decomposition `Φ_q = Q T Zᵀ`.
    Qtz,
    /// Null space from the Schur vectors of `Φ_qᵀ Φ_q`.
    Schur,
    /// All accelerations from the saddle-point system of the independent rows found by full
    /// pivoting.
    SimplePartitioning,
    /// Equations of the independent coordinates alone.
    CoordinatePartitioning,
    /// Gauss' principle: the pseudoinverse of `Φ_q M^(−1/2)`.
    UdwadiaKalaba,
    /// The pseudoinverse of `[(I − Φ_q⁺ Φ_q) M; Φ_q]`; M may be singular.
    UdwadiaPhohomsiri,
    /// The pseudoinverse of the saddle-point matrix by way of `M⁻¹`.
    DeFalco1,
    /// The same by way of `Φ_q⁺`; M may be singular.
    DeFalco2,
    /// Constraints as stiff springs of the acceleration: approximate.
    Penalty,
    /// The same, iterated until the constraints hold.
    AugmentedLagrangian,
    /// Joint coordinates with loops closed, by `pommel-tree`: O(n) for trees and loops apart from each
    /// other; at least the cube of the number of loops that share bodies.
    Recursion,
    /// Velocities from those of the joints, `q̇ = B θ̇`.
    VelocityTransformation,
}

/// What a method needs of the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// M positive definite.
    PositiveMass,
    /// The coordinates of the state, and a model.
    State,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 19] = [
        Method::SparseKkt,
        Method::DenseKkt,
        Method::RangeSpace,
        Method::ZeroEigenvalue,
        Method::Qr,
        Method::Svd,
        Method::Putd,
        Method::Qtz,
        Method::Schur,
        Method::SimplePartitioning,
        Method::CoordinatePartitioning,
        Method::UdwadiaKalaba,
        Method::UdwadiaPhohomsiri,
        Method::DeFalco1,
        Method::DeFalco2,
        Method::Penalty,
        Method::AugmentedLagrangian,
        Method::Recursion,
        Method::VelocityTransformation,
    ];

    /// The name in lower case, as the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Method::SparseKkt => "sparse_kkt",
            Method::DenseKkt => "dense_kkt",
            Method::RangeSpace => "range_space",
            Method::ZeroEigenvalue => "zero_eigenvalue",
            Method::Qr => "qr",
            Method::Svd => "svd",
            Method::Putd => "putd",
            Method::Qtz => "qtz",
            Method::Schur => "schur",
            Method::SimplePartitioning => "simple_partitioning",
            Method::CoordinatePartitioning => "coordinate_partitioning",
            Method::UdwadiaKalaba => "udwadia_kalaba",
            Method::UdwadiaPhohomsiri => "udwadia_phohomsiri",
            Method::DeFalco1 => "defalco_1",
            Method::DeFalco2 => "defalco_2",
            Method::Penalty => "penalty",
            Method::AugmentedLagrangian => "augmented_lagrangian",
            Method::Recursion => "recursion",
            Method::VelocityTransformation => "velocity_transformation",
        }
    }

    /// A name of a few words, as tables write it.
    pub fn title(self) -> &'static str {
        match self {
            Method::SparseKkt => "saddle-point system, sparse",
            Method::DenseKkt => "saddle-point system, dense",
            Method::RangeSpace => "range space",
            Method::ZeroEigenvalue => "zero eigenvalue",
            Method::Qr => "QR",
            Method::Svd => "SVD",
            Method::Putd => "PUTD",
            Method::Qtz => "QTZ",
            Method::Schur => "Schur",
            Method::SimplePartitioning => "simple partitioning",
            Method::CoordinatePartitioning => "coordinate partitioning",
            Method::UdwadiaKalaba => "Udwadia-Kalaba",
            Method::UdwadiaPhohomsiri => "Udwadia-Phohomsiri",
            Method::DeFalco1 => "de Falco et al. (1)",
            Method::DeFalco2 => "de Falco et al. (2)",
            Method::Penalty => "penalty",
            Method::AugmentedLagrangian => "augmented Lagrangian",
            Method::Recursion => "recursion",
            Method::VelocityTransformation => "velocity transformation",
        }
    }

    /// What it needs besides accelerations that are unique.
    pub fn needs(self) -> &'static [Need] {
        match self {
            Method::RangeSpace | Method::UdwadiaKalaba | Method::DeFalco1 => &[Need::PositiveMass],
            Method::Recursion | Method::VelocityTransformation => &[Need::State],
            _ => &[],
        }
    }

    /// Whether it solves the equations to rounding; the others approximate.
    pub fn is_exact(self) -> bool {
        self != Method::Penalty
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
