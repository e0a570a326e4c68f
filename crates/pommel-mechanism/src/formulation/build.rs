//! Formulations by name.

use pommel_model::Mechanism;

use super::{
    AugmentedLagrangian, CoordinatePartitioning, DeFalco1, DeFalco2, DenseKkt, Formulation,
    FormulationError, Method, Penalty, Putd, Qr, Qtz, RangeSpace, Recursion, Schur,
    SimplePartitioning, SparseKkt, SvdNullSpace, UdwadiaKalaba, UdwadiaPhohomsiri,
    VelocityTransformation, ZeroEigenvalue,
};
use crate::{Equations, System};

impl Method {
    /// The formulation of this name, with memory for these equations; [`SparseKkt`] also takes its
    /// order of elimination from their numbers.
    ///
    /// # Errors
    /// [`FormulationError::NeedsModel`] for methods in other coordinates
    /// ([`Recursion`](Method::Recursion),
    /// [`VelocityTransformation`](Method::VelocityTransformation)); those of
    /// [`SparseKkt::for_values`].
    pub fn build(
        self,
        equations: &Equations<'_>,
    ) -> Result<Box<dyn Formulation>, FormulationError> {
        let pattern = equations.pattern;
        Ok(match self {
            Method::SparseKkt => Box::new(SparseKkt::for_values(equations)?),
            Method::DenseKkt => Box::new(DenseKkt::new(pattern)),
            Method::RangeSpace => Box::new(RangeSpace::new(pattern)),
            Method::ZeroEigenvalue => Box::new(ZeroEigenvalue::new(pattern)),
            Method::Qr => Box::new(Qr::new(pattern)),
            Method::Svd => Box::new(SvdNullSpace::new(pattern)),
            Method::Putd => Box::new(Putd::new(pattern)),
            Method::Qtz => Box::new(Qtz::new(pattern)),
            Method::Schur => Box::new(Schur::new(pattern)),
            Method::SimplePartitioning => Box::new(SimplePartitioning::new(pattern)),
            Method::CoordinatePartitioning => Box::new(CoordinatePartitioning::new(pattern)),
            Method::UdwadiaKalaba => Box::new(UdwadiaKalaba::new(pattern)),
            Method::UdwadiaPhohomsiri => Box::new(UdwadiaPhohomsiri::new(pattern)),
            Method::DeFalco1 => Box::new(DeFalco1::new(pattern)),
            Method::DeFalco2 => Box::new(DeFalco2::new(pattern)),
            Method::Penalty => Box::new(Penalty::new(pattern)),
            Method::AugmentedLagrangian => Box::new(AugmentedLagrangian::new(pattern)),
            Method::Recursion | Method::VelocityTransformation => {
                return Err(FormulationError::NeedsModel { method: self });
            }
        })
    }

    /// As [`build`](Method::build), for all methods: those in joint coordinates take the model.
    ///
    /// # Errors
    /// Those of [`Recursion::new`], [`VelocityTransformation::new`] and [`SparseKkt::for_values`].
    pub fn build_for(
        self,
        mechanism: &Mechanism,
        system: &System<f64>,
        equations: &Equations<'_>,
    ) -> Result<Box<dyn Formulation>, FormulationError> {
        Ok(match self {
            Method::Recursion => Box::new(Recursion::new(mechanism, system)?),
            Method::VelocityTransformation => {
                Box::new(VelocityTransformation::new(mechanism, system)?)
            }
            _ => self.build(equations)?,
        })
    }
}
