//! Scalars and spatial algebra of pommel.
//!
//! Every kernel of pommel is written once, over one bound, [`Real`], and runs for
//!
//! | scalar          | what it gives                                                         |
//! |-----------------|-----------------------------------------------------------------------|
//! | [`f64`], [`f32`]| one instance                                                          |
//! | [`Lanes<L>`]    | `L` instances of one topology per call, each with its own parameters  |
//! | of [`with_lanes`]| the same, in one vector register of the processor where it has them   |
//! | [`Dual<N>`]     | the value and its derivative along `N` directions, exact              |
//! | [`Jet<K>`]      | the value and its derivatives of order 1 to `K` by one variable       |
//! | [`Tangent<S, N>`] | the same as `Dual<N>`, over any of these scalars `S`                |
//! | [`Counted`]     | the value, and a tally of the operations that produced it             |
//! | [`Traced`]      | the operations themselves, as a program without branches              |
//!
//! # The same bits everywhere
//!
//! A lane of [`Lanes<L>`] performs exactly the operations of an `f64`, in the same order, so its
//! result is the same to the bit. Three decisions make that hold on every machine, too:
//!
//! * a fused multiply-add is fused wherever the source says [`Real::mul_add`] and nowhere else. On a
//!   processor without that instruction it is emulated: slower, never different;
//! * [`Real::sin_cos`] is our own branch-free code, the same for one number and for a lane, and
//!   the other transcendental functions come from the `libm` crate, never from the platform;
//! * no reduction crosses lanes.
//!
//! # Run-time dispatch
//!
//! Nobody passes `-C target-cpu`. A kernel is a type that implements [`Kernel`]; [`dispatch()`]
//! runs it inside a function compiled for the best instruction set of the processor that it finds
//! (AVX2 with FMA on x86-64; on AArch64 the baseline has both vectors and FMA). All that a kernel calls is
//! `#[inline(always)]`, so that it is compiled for that instruction set, too.
//!
//! # Spatial vectors
//!
//! Angular part first, as in Saha and Featherstone: [`Twist`] `(ω, v)`, [`Wrench`] `(n, f)`.
//! Module [`spatial`] states the frames.

mod dispatch;
mod mask;
mod real;
mod scalar;
pub mod spatial;

pub use dispatch::{InstructionSet, Kernel, dispatch, instruction_set, sin_cos};
pub use mask::Mask;
pub use real::Real;
pub use scalar::{
    Counted, Dual, Function, Jet, LaneJob, Lanes, Operand, Operation, OperationCount, Program,
    Tangent, Traced, UnsupportedLanes, count_operations, lane_scalar, trace, with_lanes,
};
pub use spatial::{
    ArticulatedInertia, Mat3, Quaternion, RigidInertia, Sym3, Transform, Twist, Vec3, Wrench,
};
