//! The best instruction set of this processor, chosen when the program runs.
//!
//! An array `[f64; L]` with loops over lanes becomes vector instructions only when the whole kernel
//! is compiled for a wide instruction set. So the instruction set is fixed once, at the outermost
//! call, and everything below is inlined into it. The bench `lanes` of the `benches` member measures
//! what that gives.

/// The work of one kernel call, as a value that [`dispatch`] can run.
///
/// Implement [`run`](Kernel::run) as `#[inline(always)]` and call only functions that are
/// `#[inline(always)]`, too: what is not inlined is compiled for the baseline of the target, where
/// a fused multiply-add is a library call.
pub trait Kernel {
    /// What the kernel returns.
    type Output;

    /// The least instruction set that this kernel is ever run on, and the greatest that it makes use
    /// of: it is compiled for these and what lies between. A kernel over a scalar `T` sets
    /// [`T::SETS`](crate::Real::SETS): nothing but size and compile time of the program depend on it.
    const SETS: [InstructionSet; 2] = [InstructionSet::Baseline, InstructionSet::Avx512];

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstructionSet {
    /// The baseline of the compilation target.
    Baseline,
    /// x86-64 with 256-bit vectors and fused multiply-add.
    Avx2Fma,
    /// x86-64 with 32 vector registers and fused multiply-add (AVX-512 F, VL and DQ).
    Avx512,
}

impl InstructionSet {
    /// A range of sets ([`Kernel::SETS`]) without those beyond `greatest`, as far as some are left.
    pub const fn up_to(greatest: Self, sets: [Self; 2]) -> [Self; 2] {
        let [least, most] = sets;
        if greatest as u8 >= most as u8 {
            sets
        } else if greatest as u8 >= least as u8 {
            [least, greatest]
        } else {
            [least, least]
        }
    }
}

/// The instruction set that [`dispatch`] uses on this processor.
#[inline(always)]
pub fn instruction_set() -> InstructionSet {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as detected;
        if detected!("avx2") && detected!("fma") {
            if detected!("avx512f") && detected!("avx512vl") && detected!("avx512dq") {
                return InstructionSet::Avx512;
            }
            return InstructionSet::Avx2Fma;
        }
    }
    InstructionSet::Baseline
}

/// Runs `kernel`, compiled for the best instruction set of this processor.
///
/// The result does not depend on the instruction set. Cost: a few loads and a branch.
///
/// # Panics
/// If the processor lacks the instruction set that the kernel says it needs
/// ([`Kernel::SETS`]).
#[inline(always)]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    match instruction_set() {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 if const { includes::<K>(InstructionSet::Avx512) } => {
            #[allow(unsafe_code, reason = "calling a function with target features")]
            // SAFETY: the processor was found to have every feature that the function is compiled
            // for.
            unsafe {
                run_avx512(kernel)
            }
        }
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 | InstructionSet::Avx2Fma
            if const { includes::<K>(InstructionSet::Avx2Fma) } =>
        {
            #[allow(unsafe_code, reason = "calling a function with target features")]
            // SAFETY: the processor was found to have every feature that the function is compiled
            // for.
            unsafe {
                run_avx2_fma(kernel)
            }
        }
        _ if const { includes::<K>(InstructionSet::Baseline) } => run_baseline(kernel),
        set => panic!("a kernel for {:?} on a processor with {set:?}", K::SETS[0]),
    }
}

/// Whether a kernel is compiled for an instruction set.
const fn includes<K: Kernel>(set: InstructionSet) -> bool {
    K::SETS[0] as u8 <= set as u8 && set as u8 <= K::SETS[1] as u8
}

/// Once for each kernel, not once more wherever it is called.
#[inline(never)]
fn run_baseline<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2_fma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// Sine and cosine of an angle in radians, for code outside of kernels: the bits of
/// [`Real::sin_cos`](crate::Real::sin_cos), in the best instruction set.
pub fn sin_cos(x: f64) -> (f64, f64) {
    dispatch(SinCos(x))
}

struct SinCos(f64);

impl Kernel for SinCos {
    type Output = (f64, f64);

    #[inline(always)]
    fn run(self) -> (f64, f64) {
        crate::Real::sin_cos(self.0)
    }
}
