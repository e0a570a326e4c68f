//! The scheme that takes the steps.

use super::generalized_alpha::{GeneralizedAlpha, Parameters};
use super::newton::Trouble;
use super::radau::Radau;
use super::start::Motion;
use super::variational::Variational;
use super::{Mechanics, Scheme};

/// The steps of a scheme.
#[derive(Clone, Debug)]
pub(super) enum Engine {
    Variational(Variational),
    Alpha(GeneralizedAlpha),
    Radau(Box<Radau>),
}

impl Engine {
    pub(super) fn new(scheme: &Scheme, [nq, n, rows]: [usize; 3]) -> Self {
        match scheme {
            Scheme::SymplecticEuler => Engine::Variational(Variational::symplectic_euler(n, rows)),
            Scheme::Rattle => Engine::Variational(Variational::rattle(n, rows)),
            Scheme::GeneralizedAlpha { spectral_radius } => Engine::Alpha(GeneralizedAlpha::new(
                Parameters::of_radius(*spectral_radius),
                n,
                rows,
            )),
            Scheme::Hht { alpha } => {
                Engine::Alpha(GeneralizedAlpha::new(Parameters::of_hht(*alpha), n, rows))
            }
            Scheme::Radau { tableau, level } => {
                Engine::Radau(Box::new(Radau::new(tableau, *level, [nq, n, rows])))
            }
        }
    }

    /// A step from `from` to time `to.t`; the number of evaluations.
    pub(super) fn step<S: Mechanics>(
        &mut self,
        system: &mut S,
        from: &Motion,
        to: &mut Motion,
        wanted: f64,
    ) -> Result<usize, Trouble<S::Error>> {
        let h = to.t - from.t;
        match self {
            Engine::Variational(engine) => engine.step(system, from, h, to, wanted),
            Engine::Alpha(engine) => engine.step(system, from, h, to, wanted),
            Engine::Radau(engine) => engine.step(system, from, h, to, wanted),
        }
    }
}
