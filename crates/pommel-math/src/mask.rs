//! One truth value per lane.

use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// One truth value per lane of a scalar: bit `i` belongs to lane `i`.
///
/// Comparisons of [`Real`](crate::Real) return a mask, and [`Real::select`](crate::Real::select)
/// takes one, so that a kernel never branches on the value of a single lane. A scalar with one lane
/// uses bit 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mask(u8);

impl Mask {
    /// No lane.
    pub const NONE: Mask = Mask(0);

    /// All lanes of a scalar with `lanes` lanes (at most 8).
    #[inline(always)]
    pub const fn all(lanes: usize) -> Mask {
        Mask(((1u16 << lanes) - 1) as u8)
    }

    /// The mask whose lane `i` is `f(i)`, for `i` below `lanes`.
    #[inline(always)]
    pub fn from_fn(lanes: usize, mut f: impl FnMut(usize) -> bool) -> Mask {
        let mut bits = 0u8;
        for i in 0..lanes {
            bits |= (f(i) as u8) << i;
        }
        Mask(bits)
    }

    /// The mask whose lane `i` is bit `i`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) const fn from_bits(bits: u8) -> Mask {
        Mask(bits)
    }

    /// The truth value of lane `i`.
    #[inline(always)]
    pub const fn lane(self, i: usize) -> bool {
        (self.0 >> i) & 1 == 1
    }

    /// Whether any lane is set.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether no lane is set.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether lanes `0..lanes` are all set.
    #[inline(always)]
    pub const fn is_all(self, lanes: usize) -> bool {
        self.0 == Mask::all(lanes).0
    }

    /// Number of lanes that are set.
    #[inline(always)]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The index of the first lane that is set.
    pub const fn first(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }

    /// The mask as bits: lane `i` is bit `i`.
    #[inline(always)]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

impl core::fmt::Debug for Mask {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Mask({:#010b})", self.0)
    }
}

impl BitAnd for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitand(self, other: Mask) -> Mask {
        Mask(self.0 & other.0)
    }
}

impl BitOr for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitor(self, other: Mask) -> Mask {
        Mask(self.0 | other.0)
    }
}

impl BitAndAssign for Mask {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Mask) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Mask {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Mask) {
        self.0 |= other.0;
    }
}

impl Not for Mask {
    type Output = Mask;
    /// Flips all eight bits; combine with [`Mask::all`] where the number of lanes matters.
    #[inline(always)]
    fn not(self) -> Mask {
        Mask(!self.0)
    }
}
