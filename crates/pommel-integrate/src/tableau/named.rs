//! The methods that come with the crate, by name.

use super::Tableau;

/// An explicit method that comes with the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExplicitMethod {
    /// [`Tableau::euler`].
    Euler,
    /// [`Tableau::collatz`].
    Collatz,
    /// [`Tableau::heun`].
    Heun,
    /// [`Tableau::bogacki_shampine_32`].
    BogackiShampine32,
    /// [`Tableau::rk4`].
    Rk4,
    /// [`Tableau::three_eighths`].
    ThreeEighths,
    /// [`Tableau::fehlberg_45`].
    Fehlberg45,
    /// [`Tableau::dormand_prince_54`].
    DormandPrince54,
    /// [`Tableau::dormand_prince_853`].
    DormandPrince853,
}

impl ExplicitMethod {
    /// All methods, by order.
    pub const ALL: [ExplicitMethod; 9] = [
        ExplicitMethod::Euler,
        ExplicitMethod::Collatz,
        ExplicitMethod::Heun,
        ExplicitMethod::BogackiShampine32,
        ExplicitMethod::Rk4,
        ExplicitMethod::ThreeEighths,
        ExplicitMethod::Fehlberg45,
        ExplicitMethod::DormandPrince54,
        ExplicitMethod::DormandPrince853,
    ];

    /// The name by which a person chooses it.
    pub fn name(self) -> &'static str {
        match self {
            ExplicitMethod::Euler => "euler",
            ExplicitMethod::Collatz => "collatz",
            ExplicitMethod::Heun => "heun",
            ExplicitMethod::BogackiShampine32 => "bs32",
            ExplicitMethod::Rk4 => "rk4",
            ExplicitMethod::ThreeEighths => "rk38",
            ExplicitMethod::Fehlberg45 => "rkf45",
            ExplicitMethod::DormandPrince54 => "dopri5",
            ExplicitMethod::DormandPrince853 => "dop853",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            ExplicitMethod::Euler => "Euler, order 1",
            ExplicitMethod::Collatz => "the midpoint method, order 2",
            ExplicitMethod::Heun => "Heun 2(1)",
            ExplicitMethod::BogackiShampine32 => "Bogacki and Shampine 3(2)",
            ExplicitMethod::Rk4 => "classical Runge-Kutta of order 4",
            ExplicitMethod::ThreeEighths => "the 3/8 rule, order 4",
            ExplicitMethod::Fehlberg45 => "Fehlberg 4(5)",
            ExplicitMethod::DormandPrince54 => "Dormand and Prince 5(4)",
            ExplicitMethod::DormandPrince853 => "Dormand and Prince 8(5,3), for tight tolerances",
        }
    }

    /// Whether it estimates its error, so that steps can be adaptive.
    pub fn is_pair(self) -> bool {
        matches!(
            self,
            ExplicitMethod::Heun
                | ExplicitMethod::BogackiShampine32
                | ExplicitMethod::Fehlberg45
                | ExplicitMethod::DormandPrince54
                | ExplicitMethod::DormandPrince853
        )
    }

    /// Its coefficients.
    pub fn tableau(self) -> Tableau {
        match self {
            ExplicitMethod::Euler => Tableau::euler(),
            ExplicitMethod::Collatz => Tableau::collatz(),
            ExplicitMethod::Heun => Tableau::heun(),
            ExplicitMethod::BogackiShampine32 => Tableau::bogacki_shampine_32(),
            ExplicitMethod::Rk4 => Tableau::rk4(),
            ExplicitMethod::ThreeEighths => Tableau::three_eighths(),
            ExplicitMethod::Fehlberg45 => Tableau::fehlberg_45(),
            ExplicitMethod::DormandPrince54 => Tableau::dormand_prince_54(),
            ExplicitMethod::DormandPrince853 => Tableau::dormand_prince_853(),
        }
    }
}
