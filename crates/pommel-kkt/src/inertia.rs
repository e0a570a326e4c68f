//! Signs of a symmetric matrix.

use core::fmt;

/// Numbers of positive, negative and zero eigenvalues of a symmetric matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inertia {
    /// Number of positive eigenvalues.
    pub positive: usize,
    /// Number of negative eigenvalues.
    pub negative: usize,
    /// Number of eigenvalues that cannot be told from zero.
    pub zero: usize,
}

impl Inertia {
    /// Number of eigenvalues other than zero.
    pub fn rank(self) -> usize {
        self.positive + self.negative
    }
}

impl fmt::Display for Inertia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+ {}− {}·0", self.positive, self.negative, self.zero)
    }
}
