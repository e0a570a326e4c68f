//! One link of the tree as the sweeps see it.
//!
//! A link's frame has its origin on the axis of the link's own joint and `z` along it. Between the
//! frame of the parent `P` and the frame of the link `C` lie
//!
//! ```text
//! P → [ Rz(φ) Tz(s) ] → Tx(a) [ Ty(b) ] Rx(α) → Rz(θ) Tz(d) → C
//! ```
//!
//! with θ = θ₀ + q for a revolute and d = d₀ + q for a prismatic joint: Denavit and Hartenberg's
//! four parameters, so that a change of frame is two screws instead of a general congruence. What
//! stands in brackets is needed only for the second and further children of a link, for children
//! of a free body, and for axes that are nearly but not quite parallel (their common normal would
//! lie far away).

use pommel_math::{Real, RigidInertia, Sym3, Transform, Vec3};

/// How a link moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    /// about its own z
    Revolute,
    /// along its own z
    Prismatic,
    /// about and along its own z
    Helical,
    /// about its origin, three velocities
    Ball,
    /// six velocities, on the ground
    Free,
}

impl LinkKind {
    /// Numbers of positions and velocities.
    pub(crate) const fn coordinates(self) -> (usize, usize) {
        match self {
            LinkKind::Revolute | LinkKind::Prismatic | LinkKind::Helical => (1, 1),
            LinkKind::Ball => (4, 3),
            LinkKind::Free => (7, 6),
        }
    }

    /// Whether the velocities are not rates of coordinates.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, LinkKind::Ball | LinkKind::Free)
    }

    /// Whether the joint can take away the angular acceleration about z.
    pub(crate) const fn turns(self) -> bool {
        !matches!(self, LinkKind::Prismatic)
    }
}

/// Which of the sweeps' cases treats a link: what is known to be zero or constant at the ends of
/// the tree is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// revolute, on the ground: only the inertia about its own axis matters
    Ground,
    /// revolute, the only child of a [`Ground`](Role::Ground) link
    Second,
    /// revolute, with links before and beyond
    Turn,
    /// revolute, nothing beyond: its column of `U` and its pivot are constant
    Tip,
    /// revolute, nothing beyond, balanced: turning it moves no mass
    Wheel,
    /// any other joint with one velocity, with armature and rotor
    Single,
    Ball,
    Free,
}

/// The part of a link that all instances share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkShape {
    pub(crate) kind: LinkKind,
    pub(crate) role: Role,
    /// index of the parent link; none for the ground
    pub(crate) parent: Option<u32>,
    /// index into the root placements, where the parent is the ground
    pub(crate) root: Option<u32>,
    /// first position coordinate
    pub(crate) q: u32,
    /// first velocity
    pub(crate) v: u32,
    /// the body whose joint moves the link
    pub(crate) body: u32,
    /// index among the links with sine and cosine (revolute, helical), tips, balls or free links
    pub(crate) turn: u32,
    pub(crate) slot: u32,
    /// index of the rotor
    pub(crate) rotor: Option<u32>,
    /// whether there is armature or a rotor
    pub(crate) geared: bool,
    /// whether the parent slides, so that its angular acceleration about its z is not zero
    pub(crate) after_slide: bool,
    /// whether the parent is the link before
    pub(crate) follows: bool,
    /// whether some child of this link does not follow it, and must find its motion in memory
    pub(crate) keeps: bool,
    /// whether this is the only child of its parent, and follows it
    pub(crate) sole: bool,
    /// whether the only child follows
    pub(crate) has_sole: bool,
    /// whether no child of the parent is eliminated before this one
    pub(crate) arrives_first: bool,
    /// whether the screw `Rz(φ) Tz(s)` is there: decided by structure, not by numbers
    pub(crate) has_branch: bool,
    /// whether `b` may be other than zero; zero costs no bit
    pub(crate) has_offset: bool,
}

/// The constant part of the placement of a link in its parent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Screw<T> {
    /// common normal, m
    pub(crate) a: T,
    /// offset along y, m
    pub(crate) b: T,
    /// sine and cosine of the twist α
    pub(crate) sin_alpha: T,
    pub(crate) cos_alpha: T,
    /// angle at q = 0, rad (revolute)
    pub(crate) theta: T,
    /// sine and cosine of the constant angle (prismatic)
    pub(crate) sin_theta: T,
    pub(crate) cos_theta: T,
    /// slide along z at q = 0, m
    pub(crate) d: T,
    /// sine and cosine of φ, and s
    pub(crate) sin_phi: T,
    pub(crate) cos_phi: T,
    pub(crate) s: T,
}

/// The numbers of one link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Link<T> {
    pub(crate) screw: Screw<T>,
    pub(crate) inertia: LumpedInertia<T>,
    /// what the pivot must exceed
    pub(crate) pivot_limit: T,
    /// translation per angle of a helical joint, m/rad
    pub(crate) pitch: T,
    pub(crate) derived: Derived<T>,
}

/// Combinations of the numbers of a link that the sweeps would compute again and again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Derived<T> {
    /// sin² α, sin α cos α, 2 cos α
    pub(crate) sin_squared: T,
    pub(crate) sin_cos: T,
    pub(crate) twice_cos: T,
    /// P_xx + P_yy, P_xx − P_yy
    pub(crate) p_sum: T,
    pub(crate) p_difference: T,
    /// a cos α, −a sin α
    pub(crate) a_cos: T,
    pub(crate) minus_a_sin: T,
}

impl<T: Real> Link<T> {
    /// Fills [`Derived`] from the other numbers.
    pub(crate) fn derive(&mut self) {
        let (x, p) = (self.screw, self.inertia.second_moment);
        self.derived = Derived {
            sin_squared: x.sin_alpha * x.sin_alpha,
            sin_cos: x.sin_alpha * x.cos_alpha,
            twice_cos: x.cos_alpha + x.cos_alpha,
            p_sum: p.xx + p.yy,
            p_difference: p.xx - p.yy,
            a_cos: x.a * x.cos_alpha,
            minus_a_sin: -(x.a * x.sin_alpha),
        };
    }
}

/// The spin of a geared rotor that a link's joint turns on the link's parent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spin<T> {
    /// `N J`, kg·m²
    pub(crate) coupling: T,
    /// unit vector of the rotor's axis, in the frame before the joint's own motion (after `Rx(α)`)
    pub(crate) axis: Vec3<T>,
}

/// Base inertial parameters of a link: what is left after all that moves like the parent has been
/// handed to the parent. Not those of a body (the mass of a revolute link is zero); pivots and
/// accelerations are those of the original.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LumpedInertia<T> {
    /// kg
    pub(crate) mass: T,
    /// kg·m
    pub(crate) first_moment: Vec3<T>,
    /// second moments ∫ r rᵀ dm about the origin, kg·m²
    pub(crate) second_moment: Sym3<T>,
}

impl<T: Real> LumpedInertia<T> {
    pub(crate) fn from_rigid(inertia: RigidInertia<T>) -> Self {
        let i = inertia.inertia;
        // P = ½ tr(I) 1 − I
        let half_trace = (i.xx + i.yy + i.zz) * T::from_f64(0.5);
        let second_moment = Sym3 {
            xx: half_trace - i.xx,
            yy: half_trace - i.yy,
            zz: half_trace - i.zz,
            xy: -i.xy,
            xz: -i.xz,
            yz: -i.yz,
        };
        LumpedInertia { mass: inertia.mass, first_moment: inertia.first_moment, second_moment }
    }

    /// As a rigid inertia, which need not be that of a body.
    #[inline(always)]
    pub(crate) fn to_rigid(self) -> RigidInertia<T> {
        let p = self.second_moment;
        let inertia = Sym3 {
            xx: p.yy + p.zz,
            yy: p.xx + p.zz,
            zz: p.xx + p.yy,
            xy: -p.xy,
            xz: -p.xz,
            yz: -p.yz,
        };
        RigidInertia { mass: self.mass, first_moment: self.first_moment, inertia }
    }
}

/// Where a link that hangs on the ground is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RootPlacement<T> {
    /// the frame in which the link's joint moves, in world
    pub(crate) world: Transform<T>,
    /// gravity in the axes of that frame, m/s²
    pub(crate) gravity: Vec3<T>,
}

impl<T: Real> Default for RootPlacement<T> {
    fn default() -> Self {
        RootPlacement { world: Transform::identity(), gravity: Vec3::zero() }
    }
}
