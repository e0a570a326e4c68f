//! The implicit methods that come with the crate, by name.

use super::{ImplicitParts, ImplicitTableau, TableauError};

/// An implicit method that comes with the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImplicitMethod {
    /// Euler backward: order 1, L-stable.
    Euler,
    /// The implicit midpoint rule, Gauss with one stage: order 2, symplectic, A-stable.
    Midpoint,
    /// Two diagonally implicit stages with `γ = 1/2 + √3/6` \[HNW93, table II.7.2\]: order 3, A-stable.
    Sdirk2,
    /// Radau IIA with two stages: order 3, L-stable.
    Radau3,
    /// Radau IIA with three stages \[HW96, table IV.5.6\]: order 5, L-stable.
    Radau5,
    /// Gauss with two stages \[HNW93, table II.7.3\]: order 4, symplectic, A-stable.
    Gauss4,
    /// Gauss with three stages \[HNW93, table II.7.4\]: order 6, symplectic, A-stable.
    Gauss6,
}

impl ImplicitMethod {
    /// All methods, by order.
    pub const ALL: [ImplicitMethod; 7] = [
        ImplicitMethod::Euler,
        ImplicitMethod::Midpoint,
        ImplicitMethod::Sdirk2,
        ImplicitMethod::Radau3,
        ImplicitMethod::Gauss4,
        ImplicitMethod::Radau5,
        ImplicitMethod::Gauss6,
    ];

    /// The name by which a person chooses it.
    pub fn name(self) -> &'static str {
        match self {
            ImplicitMethod::Euler => "implicit-euler",
            ImplicitMethod::Midpoint => "midpoint",
            ImplicitMethod::Sdirk2 => "sdirk2",
            ImplicitMethod::Radau3 => "radau3",
            ImplicitMethod::Radau5 => "radau5",
            ImplicitMethod::Gauss4 => "gauss4",
            ImplicitMethod::Gauss6 => "gauss6",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            ImplicitMethod::Euler => "Euler backward, order 1",
            ImplicitMethod::Midpoint => "the implicit midpoint rule, order 2, symplectic",
            ImplicitMethod::Sdirk2 => "two diagonally implicit stages, order 3",
            ImplicitMethod::Radau3 => "Radau IIA of order 3, for stiff systems",
            ImplicitMethod::Radau5 => "Radau IIA of order 5, for stiff systems and constraints",
            ImplicitMethod::Gauss4 => "Gauss of order 4, symplectic",
            ImplicitMethod::Gauss6 => "Gauss of order 6, symplectic",
        }
    }

    /// Its coefficients.
    ///
    /// # Panics
    /// Never: all of them pass the checks of [`ImplicitTableau::new`], as a test shows.
    pub fn tableau(self) -> ImplicitTableau {
        self.checked().expect("a method of the crate")
    }

    fn checked(self) -> Result<ImplicitTableau, TableauError> {
        let (order, a, b, c): (usize, Vec<Vec<f64>>, Vec<f64>, Vec<f64>) = match self {
            ImplicitMethod::Euler => (1, vec![vec![1.0]], vec![1.0], vec![1.0]),
            ImplicitMethod::Midpoint => (2, vec![vec![0.5]], vec![1.0], vec![0.5]),
            ImplicitMethod::Sdirk2 => {
                let gamma = 0.5 + 3f64.sqrt() / 6.0;
                let a = vec![vec![gamma, 0.0], vec![1.0 - 2.0 * gamma, gamma]];
                (3, a, vec![0.5, 0.5], vec![gamma, 1.0 - gamma])
            }
            ImplicitMethod::Radau3 => {
                let a = vec![vec![5.0 / 12.0, -1.0 / 12.0], vec![0.75, 0.25]];
                (3, a, vec![0.75, 0.25], vec![1.0 / 3.0, 1.0])
            }
            ImplicitMethod::Radau5 => {
                let s = 6f64.sqrt();
                let last = vec![(16.0 - s) / 36.0, (16.0 + s) / 36.0, 1.0 / 9.0];
                let a = vec![
                    vec![
                        (88.0 - 7.0 * s) / 360.0,
                        (296.0 - 169.0 * s) / 1800.0,
                        (-2.0 + 3.0 * s) / 225.0,
                    ],
                    vec![
                        (296.0 + 169.0 * s) / 1800.0,
                        (88.0 + 7.0 * s) / 360.0,
                        (-2.0 - 3.0 * s) / 225.0,
                    ],
                    last.clone(),
                ];
                (5, a, last, vec![(4.0 - s) / 10.0, (4.0 + s) / 10.0, 1.0])
            }
            ImplicitMethod::Gauss4 => {
                let s = 3f64.sqrt() / 6.0;
                let a = vec![vec![0.25, 0.25 - s], vec![0.25 + s, 0.25]];
                (4, a, vec![0.5, 0.5], vec![0.5 - s, 0.5 + s])
            }
            ImplicitMethod::Gauss6 => {
                let s = 15f64.sqrt();
                let a = vec![
                    vec![5.0 / 36.0, 2.0 / 9.0 - s / 15.0, 5.0 / 36.0 - s / 30.0],
                    vec![5.0 / 36.0 + s / 24.0, 2.0 / 9.0, 5.0 / 36.0 - s / 24.0],
                    vec![5.0 / 36.0 + s / 30.0, 2.0 / 9.0 + s / 15.0, 5.0 / 36.0],
                ];
                let b = vec![5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0];
                (6, a, b, vec![0.5 - s / 10.0, 0.5, 0.5 + s / 10.0])
            }
        };
        ImplicitTableau::new(ImplicitParts { name: self.about().to_owned(), a, b, c, order })
    }
}
