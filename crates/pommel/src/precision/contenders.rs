//! Who takes part.

use pommel_integrate::mechanics::{Level, MechanicsOptions, Scheme};
use pommel_integrate::{Adaptive, ExplicitMethod, ImplicitMethod, ImplicitOptions, Options};
use pommel_mechanism::formulation::Method;
use pommel_mechanism::kinematics::Metric;

use crate::Stabilization;
use crate::constrained::Approach;

/// The most steps of a run.
pub(super) const MOST_STEPS: u64 = 10_000_000;

/// An integrator for mechanisms with constraints, at any tolerance.
#[derive(Clone, Debug)]
pub struct Contender {
    name: &'static str,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Explicit(ExplicitMethod, Stabilization),
    Implicit(ImplicitMethod),
    Scheme(Scheme),
}

impl Contender {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How it integrates at a tolerance, relative and absolute.
    pub fn approach(&self, tolerance: f64) -> Approach {
        let steps = Adaptive::new(tolerance, tolerance);
        let method = Method::SparseKkt;
        match &self.kind {
            Kind::Explicit(explicit, stabilization) => Approach::Explicit {
                method,
                stabilization: *stabilization,
                options: Options::adaptive(explicit.tableau(), steps).max_steps(MOST_STEPS),
            },
            Kind::Implicit(implicit) => Approach::Implicit {
                method,
                stabilization: Stabilization::Projection(Metric::Mass),
                options: ImplicitOptions::adaptive(implicit.tableau(), steps).max_steps(MOST_STEPS),
            },
            Kind::Scheme(scheme) => Approach::Constrained(
                MechanicsOptions::adaptive(scheme.clone(), steps).max_steps(MOST_STEPS),
            ),
        }
    }
}

/// All contenders, those of accelerations first.
pub fn contenders() -> Vec<Contender> {
    use ExplicitMethod::{BogackiShampine32, DormandPrince54, DormandPrince853};
    let projection = Stabilization::Projection(Metric::Mass);
    let baumgarte = Stabilization::Baumgarte { alpha: 10.0, beta: 10.0 };
    let radau = |level| Kind::Scheme(Scheme::radau(ImplicitMethod::Radau5.tableau(), level));
    let of = |name, kind| Contender { name, kind };
    vec![
        of("bs32", Kind::Explicit(BogackiShampine32, projection)),
        of("dopri5", Kind::Explicit(DormandPrince54, projection)),
        of("dopri5-partitioning", Kind::Explicit(DormandPrince54, Stabilization::Partitioning)),
        of("dopri5-baumgarte", Kind::Explicit(DormandPrince54, baumgarte)),
        of("dop853", Kind::Explicit(DormandPrince853, projection)),
        of("radau5-index1", Kind::Implicit(ImplicitMethod::Radau5)),
        of("radau5-stabilized", radau(Level::Stabilized)),
        of("radau5-index2", radau(Level::Velocity)),
        of("radau5-index3", radau(Level::Position)),
        of("rattle", Kind::Scheme(Scheme::Rattle)),
        of("generalized-alpha", Kind::Scheme(Scheme::GeneralizedAlpha { spectral_radius: 0.8 })),
    ]
}
