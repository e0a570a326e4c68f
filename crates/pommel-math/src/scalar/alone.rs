//! A number that the compiler computes by itself.
//!
//! Sweeps over a tree compute a few numbers of every kind, and a compiler that packs neighbours of
//! a vector or a matrix into one register spends more on gathering than it saves. What that is worth
//! shows in two runs of
//!
//! ```sh
//! cargo bench -p pommel-benches --bench tree
//! RUSTFLAGS="--cfg pommel_packed" cargo bench -p pommel-benches --bench tree
//! ```
//!
//! the second of which lets the compiler pack. The numbers are the same.

#![allow(unsafe_code, reason = "an empty assembly block, which no safe function replaces")]

/// A float that can be computed by itself.
pub(super) trait Float: Copy {
    /// The number itself, opaque to the compiler: it is not packed with others. No instruction is
    /// emitted.
    fn alone(self) -> Self;
}

macro_rules! implement {
    ($($float:ty),*) => {$(
        impl Float for $float {
            #[cfg(all(target_arch = "x86_64", not(any(pommel_packed, miri))))]
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

            #[cfg(not(all(target_arch = "x86_64", not(any(pommel_packed, miri)))))]
            #[inline(always)]
            fn alone(self) -> Self {
                self
            }
        }
    )*};
}

implement!(f64, f32);
