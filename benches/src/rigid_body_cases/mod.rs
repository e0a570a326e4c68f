//! Robots and states that programs in any language recreate bit by bit.
//!
//! One linear congruential generator draws masses, frames and states; nothing in it rounds
//! differently elsewhere. So the same cases can be given to Pinocchio, MuJoCo and others, and
//! accelerations compared to the last digits.
//!
//! | kind | robot |
//! |---|---|
//! | `fixed-N` | serial chain of N revolute joints, axes z, y, z, y …, on the ground, gravity |
//! | `float-N` | the same on a free base of 20 to 30 kg, without gravity, as all free bases |
//! | `dual-N` | two arms of N/2 joints on a free base |
//! | `tree-N` | five limbs of N/5 joints on a free base |
//! | `comb-N` | N/6 arms of 6 joints on the ground, the tips of neighbours pinned together |
//! | `loopchain-N` | `fixed-N` with bodies 8k and 8k + 7 pinned together |
//! | `pinned-N` | `fixed-N` with its tip pinned to the ground |
//! | `dualgrasp-N` | `dual-N` with its tips welded together |
//! | `dualgrasp2-N` | the same with the weld stated twice: redundant |

mod generator;
mod robot;
mod state;

pub use robot::{Loop, LoopBody, LoopShape, RobotBody, RobotCase};
pub use state::{REFERENCES, in_base_frame, parse_reference};

use std::fmt;

/// A family of robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Serial chain on the ground.
    Fixed,
    /// Serial chain on a free base.
    Float,
    /// Two arms on a free base.
    Dual,
    /// Five limbs on a free base.
    Tree,
    /// Arms of six joints on the ground, tips of neighbours pinned together.
    Comb,
    /// Chain on the ground with local loops.
    LoopChain,
    /// Chain on the ground with its tip pinned to the ground.
    Pinned,
    /// Two arms on a free base, tips welded together.
    DualGrasp,
    /// The same with the weld stated twice.
    DualGraspTwice,
}

/// All kinds and their names.
const KINDS: [(Kind, &str); 9] = [
    (Kind::Fixed, "fixed"),
    (Kind::Float, "float"),
    (Kind::Dual, "dual"),
    (Kind::Tree, "tree"),
    (Kind::Comb, "comb"),
    (Kind::LoopChain, "loopchain"),
    (Kind::Pinned, "pinned"),
    (Kind::DualGrasp, "dualgrasp"),
    (Kind::DualGraspTwice, "dualgrasp2"),
];

impl Kind {
    /// The kind without loops that has the same bodies.
    pub fn tree(self) -> Kind {
        match self {
            Kind::LoopChain | Kind::Pinned => Kind::Fixed,
            Kind::DualGrasp | Kind::DualGraspTwice => Kind::Dual,
            open => open,
        }
    }

    /// Whether the robot has a free base.
    pub fn is_floating(self) -> bool {
        matches!(self.tree(), Kind::Float | Kind::Dual | Kind::Tree)
    }

    /// Whether the robot has loops.
    pub fn is_closed(self) -> bool {
        self.tree() != self || self == Kind::Comb
    }

    /// Number of the generator of its bodies, which enters the seeds.
    fn seed(self) -> u64 {
        match self.tree() {
            Kind::Float => 1,
            Kind::Dual => 2,
            Kind::Tree => 3,
            Kind::Comb => 4,
            _ => 0,
        }
    }

    /// Number of limbs of a robot of `joints` joints.
    fn limbs(self, joints: usize) -> usize {
        match self.tree() {
            Kind::Dual => 2,
            Kind::Tree => 5,
            Kind::Comb => (joints / 6).max(1),
            _ => 1,
        }
    }
}

/// A case: a kind and a number of revolute joints, written `fixed-7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The family.
    pub kind: Kind,
    /// Number of revolute joints.
    pub joints: usize,
}

impl Case {
    /// The case of a name such as `float-30`; none if the name is not one, or the joints do not
    /// divide into the limbs.
    pub fn parse(name: &str) -> Option<Case> {
        let (kind, joints) = name.trim().rsplit_once('-')?;
        let &(kind, _) = KINDS.iter().find(|(_, known)| *known == kind)?;
        let joints = joints.parse().ok().filter(|&n| n > 0 && n % kind.limbs(n) == 0)?;
        Some(Case { kind, joints })
    }

    /// The cases without loops that are measured unless others are asked for.
    pub fn open() -> Vec<Case> {
        let sizes: [(Kind, &[usize]); 4] = [
            (Kind::Fixed, &[3, 6, 7, 12, 24, 48, 96, 192, 384, 768]),
            (Kind::Float, &[6, 7, 30, 96, 384]),
            (Kind::Dual, &[14, 30]),
            (Kind::Tree, &[30]),
        ];
        let cases = |(kind, sizes): (Kind, &'static [usize])| {
            sizes.iter().map(move |&joints| Case { kind, joints })
        };
        sizes.into_iter().flat_map(cases).collect()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, name)| name);
        write!(f, "{name}-{}", self.joints)
    }
}
