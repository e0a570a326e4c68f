//! A number that the compiler computes by itself.
//!
//! Sweeps over a tree compute a few numbers of every kind, and a compiler that packs neighbours of
//! a vector or a matrix into one register spends more on gathering than it saves. Forward dynamics
//! of one `f64` is a fifth to a third faster without (bench `tree` of the `benches` member).

#![allow(unsafe_code, reason = "an empty assembly block, which no safe function replaces")]

/// A float that [`alone`] can hold.
pub(super) trait Float: Copy {
    /// The number itself, opaque to the compiler: it is not packed with others. No instruction is
    /// emitted.
    fn alone(self) -> Self;
}

macro_rules! implement {
    ($($float:ty),*) => {$(
        impl Float for $float {
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn alone(self) -> Self {
                let mut x = self;
                // SAFETY: the block holds no instruction, only a comment that names a register; it
                // reads and writes nothing else.
                unsafe {
                    std::arch::asm!(
                        "/* {0} */",
                        inout(xmm_reg) x,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                x
            }

            #[cfg(not(target_arch = "x86_64"))]
            #[inline(always)]
            fn alone(self) -> Self {
                self
            }
        }
    )*};
}

implement!(f64, f32);
