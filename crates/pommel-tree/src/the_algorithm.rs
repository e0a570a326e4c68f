//! How the accelerations of a tree are found in one sweep out, one in and one out again.
//!
//! This page has no code. It states the algorithm behind [`forward_dynamics`](crate::forward_dynamics),
//! [`factorize`](crate::factorize) and [`constrained_dynamics`](crate::constrained_dynamics), in
//! the symbols that the source files use, and says where each idea comes from.
//!
//! # The problem
//!
//! A tree of rigid bodies has the equations of motion `M(q) q̈ + h(q, v) = τ`. The generalized
//! inertia matrix `M` has as many rows as there are velocities; forming and factoring it costs time
//! that grows with the square and the cube of their number. Gaussian elimination *from the last
//! row upwards* needs no matrix: the elimination of the velocity of joint `i` changes only what the
//! body that carries the joint feels, and that is a 6 × 6 matrix. The result is a factorization
//!
//! ```text
//! M = U D Uᵀ      U unit upper triangular, D block diagonal
//! ```
//!
//! whose columns are found one joint at a time, from the tips to the root. On a tree `U_ji` is other
//! than zero only if joint `j` carries joint `i`: there is no fill.
//!
//! # Symbols
//!
//! | here, in code | meaning | Saha | Featherstone | Rodriguez, Jain |
//! |---|---|---|---|---|
//! | `t = [ω; v]` | twist of a link, about the origin of its frame | `t_i` (about the mass centre) | `v_i` | `V(k)` |
//! | `[n; f]` | wrench: moment and force | `w_i` | `f_i` | `f(k)` |
//! | `B` | change of frame of twists from parent to child | `B_ij` | `ⁱX_p` | `φ*(k+1, k)` |
//! | `p` | joint column: unit vector along z, angular or linear | `p_i` | `S_i` | `H*(k)` |
//! | `M̂` | inertia of a link with all beyond it, the joints beyond free | `M̂_i,i+1` | `I^A_i` | `P(k)` |
//! | `M̂ − ψ ψ̂ᵀ` | the same with its own joint free | `M̂_ii` | `I^a_i` | `P⁺(k)` |
//! | `ψ = M̂ p` | wrench per acceleration of the joint | `ψ_i` | `U_i` | `P(k) H*(k)` |
//! | `m̂ = pᵀ ψ` | pivot: the inertia that the motor feels | `m̂_i` | `D_i` | `D(k)` |
//! | `ψ̂ = ψ / m̂` | column of `U`, before it is projected on `p_j` | `ψ̂_i` | `U_i D_i⁻¹` | `G(k)` |
//! | `τ̂ = τ − pᵀ z` | joint force that is left for the joint | `φ̂_i` | `u_i` | `ε(k)` |
//! | `z` | wrench of the reference motion, with what comes from beyond | `η̃_i` | `p^A_i` | `z(k)` |
//! | `μ` | rate of the twist, relative to the reference motion | `μ_i` | `a_i − c_i` | `α(k)` |
//!
//! # The three sweeps
//!
//! **Bias**, root to tips. Choose any joint accelerations `q̈*`, the *reference motion*, and find
//! the wrench that every link alone needs to follow it: `b = [I α* + ω × I ω; m a*]` about the mass
//! centre, less gravity and external wrenches. What is left is linear: `M (q̈ − q̈*) = τ − h*`.
//!
//! **Elimination**, tips to root. With `z = b` and `M̂` the inertia of the link alone at first,
//!
//! ```text
//! ψ = M̂ p        m̂ = pᵀ ψ        ψ̂ = ψ / m̂        τ̂ = τ − pᵀ z
//! M̂_p += Bᵀ (M̂ − ψ ψ̂ᵀ) B         z_p += Bᵀ (z + ψ̂ τ̂)
//! ```
//!
//! **Substitution**, root to tips. From `μ = 0` on the ground, or the solution of
//! `M̂ μ = [n; f] − z` for a free body (6 × 6, by `L D Lᵀ`),
//!
//! ```text
//! μ' = B μ_p        q̈ = q̈* + τ̂ / m̂ − ψ̂ᵀ μ'        μ = μ' + p (τ̂ / m̂ − ψ̂ᵀ μ')
//! ```
//!
//! These are Saha's equations (16) to (18) with the recursion (24) to (28), for trees. The printed
//! text has misprints that matter: `D` holds the pivots `m̂` and not their inverses in (15); the rank
//! one term of (26) is `ψ̂_k ψ_kᵀ` and not `ψ̂_k ψ̂_kᵀ`; the recursion (28) must reach the last body.
//! The pivots are those of Featherstone's articulated-body algorithm (`[Fea08, Table 7.1]`), which
//! adds velocity terms in the middle sweep instead of subtracting a reference motion first, and the
//! innovation covariances of the Kalman filter of Rodriguez and Jain.
//!
//! # What makes it fast
//!
//! * **The frame of a link has z along its own joint axis.** So `p` is a unit vector, `ψ` a column
//!   of `M̂`, `m̂` an element of it, and in `M̂ − ψ ψ̂ᵀ` a row and a column vanish: 15 numbers are left
//!   of 21, and nothing is computed with the zeros.
//! * **Two screws for a change of frame.** Between two axes lie Denavit and Hartenberg's four numbers:
//!   `Tx(a) Rx(α) Rz(θ) Tz(d)`; a rotated symmetric block costs four multiplications.
//! * **Base inertial parameters.** What moves like the parent is counted with the parent: mass,
//!   first and second moment along a revolute axis (`[KD02, ch. 9]`). Seven numbers of a link are
//!   left. The pivots do not change.
//! * **The reference motion leaves no angular acceleration about z.** It is free, and this choice
//!   saves products in every link beyond.
//! * **Ends.** A joint on the ground feels one number of its inertia; the second joint of a chain
//!   passes on what is about the first axis; the column of a tip is constant. A balanced wheel is
//!   closed in closed form: it keeps its spin, and all else counts with the body that carries it.
//!
//! | revolute joints, general Denavit–Hartenberg parameters, fixed base | multiplications and divisions | additions |
//! |---|---|---|
//! | here (test `counts`) | `189 n − 288` | `175 n − 288` |
//! | Saha's text | `201 n − 335` | `193 n − 361` |
//! | Featherstone 1983 (recalled) | `199 n − 198` | `174 n − 173` |
//! | Brandl, Johanni, Otter 1986 (recalled) | `250 n − 222` | `220 n − 198` |
//! | Stejskal, Valášek 1996 (recalled) | `226 n − 343` | `206 n − 345` |
//! | Mohan, Saha 2007 (recalled) | `191 n − 284` | `187 n − 325` |
//!
//! A division counts as a multiplication (there is one a joint), sine and cosine of a joint angle are
//! not counted, combinations of constants are formed beforehand. A product that is added in one place
//! and subtracted in another counts once; processors with fused operations form it twice, because
//! that is free. Rows marked *recalled* are from memory of later comparisons and were not checked
//! against a copy. Other authors count ends differently: compare slopes.
//!
//! # In the plane
//!
//! Where all joints are revolute and their axes exactly parallel, on the ground and without armature,
//! forward dynamics takes the same steps with vectors of two entries, in axes that do not turn: no
//! inertia is ever rotated, angles and angular velocities are sums along the tree, and the reference
//! motion without any angular acceleration makes the accelerations of the joints sums, too. A link
//! that is not at an end then costs 52 multiplications and divisions and 50 additions (test
//! `planar`), and a step of the elimination waits for little more than the division of the one
//! before. Two links, one on the other, are solved without any sweep.
//!
//! Angles of links are sums of joint angles, and what rounding takes from a sum is kept
//! (`[Knu97, §4.2.2]`): a first link that has turned a million times costs the others no digit.
//! Whether axes are parallel is decided by numbers, for each lane as for its instance alone; lanes
//! of both kinds are solved both ways. The factor, the closures and the derivatives do not make the
//! distinction.
//!
//! # Joints, rotors, wheels
//!
//! A joint of several coordinates is a chain of simple ones with massless frames between them;
//! their pivots are positive because `M̂` holds what is beyond. A spherical joint is eliminated
//! three velocities at once, with its 3 × 3 block of `D`; a free body with its 6 × 6 block.
//!
//! A geared rotor of axial inertia `J` and ratio `N`, carried by the parent, adds `N² J` to the pivot
//! and `N J e` to `ψ` in the parent's frame, where its axis `e` is fixed; its gyroscopic moment
//! `ω_p × N J q̇ e` acts on the parent. Armature adds to the pivot alone, which is the usual
//! approximation.
//!
//! # Which root
//!
//! Any body of a free-floating robot can be the root. Saha takes the end effector, so that the first
//! six equations are those of the tool; the usual choice is the spacecraft. The accelerations
//! agree but for rounding, and rounding differs: the step `M̂ − ψ ψ̂ᵀ` subtracts, and a heavy body
//! that is carried through light joints cancels. In single precision, a chaser of a few kilograms
//! that holds a target of a ton by an arm of seven joints loses two digits (test
//! `the_heaviest_body_is_the_root_by_default_and_keeps_the_digits`). So the root should be the body
//! of the largest mass, after the capture of a heavy target that is the target.
//!
//! * **Elimination.** [`forward_dynamics`](crate::forward_dynamics) goes by way of the heaviest body
//!   where that one is heavier than the body with the free joint by a factor of ten: it describes the
//!   state with that body at the root, solves, and brings the accelerations back. Coordinates and
//!   results are those of the free joint as ever. [`Elimination`](crate::Elimination) is the knob. The
//!   factor as a value, the derivatives and the closures eliminate towards the free joint.
//! * **Generalized speeds.** [`build_with_root`](crate::TreeBuilder::build_with_root) makes a model
//!   whose free joint is that of another body: Saha's form with the twist of the end effector. All of
//!   this crate works on it.
//!
//! # What does not enter
//!
//! No absolute position and no linear velocity enters the bias, only angular velocities and relative
//! positions: a robot in orbit keeps its digits.
//!
//! # Closed loops
//!
//! [`constrained_dynamics`](crate::constrained_dynamics) carries the wrenches of multipliers along:
//! a link then satisfies `f = M̂ μ + z + K λ`, `0 = Kᵀ μ − L λ + c`, and the elimination of a joint
//! leaves `K − ψ̂ pᵀ K` and `L + Kᵀ p pᵀ K / m̂`. Where the joints of a loop move its ends enough, `λ`
//! is eliminated in turn and the loop becomes an inertia, `M̂ + K L⁻¹ Kᵀ`.
