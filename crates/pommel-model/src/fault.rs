//! What can be wrong with a description, with the numbers.

use std::fmt;

/// Whether a fault forbids the use of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Suspicious, but the equations are well posed.
    Warning,
    /// The description cannot be used.
    Error,
}

/// A fault in a description or state, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Path of the faulty part, such as `bodies[3].inertia`.
    pub path: String,
    /// Name of the list item on the path, such as `L3`.
    pub name: Option<String>,
    /// Line in the file, from 1, where it is known (TOML).
    pub line: Option<usize>,
    /// What is wrong.
    pub kind: FaultKind,
}

impl Fault {
    /// Whether the fault is an error or a warning.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

impl fmt::Display for Fault {
    /// `bodies[3] 'L3'.inertia (line 12): not positive …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.path.split_once(']')) {
            (Some(name), Some((head, rest))) => write!(f, "{head}] '{name}'{rest}")?,
            _ if self.path.is_empty() => write!(f, "the file")?,
            _ => write!(f, "{}", self.path)?,
        }
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        write!(f, ": {}", self.kind)
    }
}

/// Kinds of things that are referred to by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A body.
    Body,
    /// A joint.
    Joint,
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Body => "body",
            Self::Joint => "joint",
        })
    }
}

/// What is wrong, with the numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// A key that the schema does not know.
    #[error("unknown key '{key}'{}", hint(suggestion.as_deref(), known))]
    UnknownKey {
        /// The key.
        key: String,
        /// The most similar known key.
        suggestion: Option<String>,
        /// All keys known here.
        known: Vec<String>,
    },
    /// A key that must be given.
    #[error("the key '{key}' is missing")]
    MissingKey {
        /// The key.
        key: String,
    },
    /// A value of the wrong type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What belongs here.
        expected: String,
        /// What is here.
        found: String,
    },
    /// A list of the wrong length.
    #[error("expected {}, found {found}", values(expected))]
    WrongLength {
        /// Allowed lengths.
        expected: String,
        /// Given length.
        found: usize,
    },
    /// A word that is none of the allowed ones.
    #[error("unknown value '{found}'{}", hint(suggestion.as_deref(), known))]
    UnknownValue {
        /// The word.
        found: String,
        /// The most similar allowed word.
        suggestion: Option<String>,
        /// All allowed words.
        known: Vec<String>,
    },
    /// A value that the reader rejected for a reason of its own.
    #[error("{message}")]
    Rejected {
        /// The reader's message.
        message: String,
    },
    /// NaN or infinite.
    #[error("{value} is not a finite number")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// A value that must not be negative.
    #[error("{value} must not be negative")]
    Negative {
        /// The value.
        value: f64,
    },
    /// A value that must be positive.
    #[error("{value} must be positive")]
    NotPositive {
        /// The value.
        value: f64,
    },
    /// A value outside its interval.
    #[error("{value} is not between {lower} and {upper}")]
    OutOfRange {
        /// The value.
        value: f64,
        /// Smallest allowed value.
        lower: f64,
        /// Largest allowed value.
        upper: f64,
    },
    /// A direction without length.
    #[error("the zero vector has no direction")]
    ZeroVector,
    /// A quaternion that is no rotation.
    #[error("the zero quaternion is no rotation; the identity is [1, 0, 0, 0]")]
    ZeroQuaternion,
    /// More than one of `rpy`, `quaternion`, `angle`.
    #[error("give only one of {}", given.join(", "))]
    AmbiguousOrientation {
        /// The keys given.
        given: Vec<&'static str>,
    },
    /// An empty name.
    #[error("the name is empty")]
    EmptyName,
    /// The name of the fixed world.
    #[error("'ground' is the reserved name of the fixed world")]
    ReservedName,
    /// A name that an earlier item of the list has.
    #[error("the name '{name}' is taken by item {first}")]
    DuplicateName {
        /// The name.
        name: String,
        /// Index of the first item with it.
        first: usize,
    },
    /// A name that refers to nothing.
    #[error("there is no {entity} '{name}'{}", hint(suggestion.as_deref(), &[]))]
    UnknownName {
        /// What was meant.
        entity: Entity,
        /// The name.
        name: String,
        /// The most similar existing name.
        suggestion: Option<String>,
    },
    /// Both ends are the same body.
    #[error("both ends are '{name}'")]
    SameEnds {
        /// The body or joint.
        name: String,
    },
    /// An inertia with a negative eigenvalue.
    #[error("not positive definite (eigenvalue {eigenvalue:e})")]
    IndefiniteInertia {
        /// Its smallest eigenvalue, kg·m².
        eigenvalue: f64,
    },
    /// An inertia matrix that is not symmetric.
    #[error("not symmetric: [{row}][{column}] and [{column}][{row}] differ by {difference:e}")]
    AsymmetricInertia {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Difference to the mirrored entry, kg·m².
        difference: f64,
    },
    /// Principal moments that no mass distribution has (a warning).
    #[error(
        "no rigid body has the principal moments {}, {}, {}: \
         the largest exceeds the sum of the others",
        moments[0], moments[1], moments[2]
    )]
    TriangleInequality {
        /// Principal moments, ascending, kg·m².
        moments: [f64; 3],
    },
    /// Something that only planar models have.
    #[error("{what} is for planar models; this one is spatial")]
    PlanarOnly {
        /// What it is.
        what: &'static str,
    },
    /// Something that only spatial models have.
    #[error("{what} is for spatial models; this one is planar")]
    SpatialOnly {
        /// What it is.
        what: &'static str,
    },
    /// A vector that leaves the plane of a planar model.
    #[error("leaves the x-y plane of a planar model ({value}), where vectors have two components")]
    OutOfPlane {
        /// The component that must vanish.
        value: f64,
    },
    /// An axis of rotation that is not z, in a planar model or of a planar joint.
    #[error(
        "rotation in a planar model, and of a planar joint, is about z of the joint's frames, not about {axis:?}"
    )]
    AxisNotZ {
        /// The axis.
        axis: [f64; 3],
    },
    /// No body at all.
    #[error("the model has no bodies")]
    EmptyModel,
    /// Parents that go round in a circle.
    #[error("the parents go round in a circle: {}; \
        one of these joints must start from a body that hangs on ground", bodies.join(" -> "))]
    Cycle {
        /// The bodies, the first one repeated at the end.
        bodies: Vec<String>,
    },
    /// A body that no chain of joints holds.
    #[error("body '{body}' is not connected to ground; {}", connect(as_parent.as_deref()))]
    NotConnected {
        /// The body.
        body: String,
        /// A joint that has it as its parent.
        as_parent: Option<String>,
    },
    /// Two joints with role `tree` carry the same body.
    #[error("joint '{first}' already carries '{body}'; only one joint with role \"tree\" may")]
    TwoTreeJoints {
        /// The body.
        body: String,
        /// The other joint.
        first: String,
    },
    /// A joint with role `tree` that cannot carry its child.
    #[error("a joint that ends at ground closes a loop; it cannot have role \"tree\"")]
    TreeToGround,
    /// A free joint with another parent than ground, or with offset frames.
    #[error(
        "a free joint connects ground with a body and has no frames of its own: \
        its coordinates are the placement of the body"
    )]
    FreeNotFromGround,
    /// Something that a joint of this type does not have.
    #[error("a {joint_type} joint has no {what}")]
    NotForThisJoint {
        /// Type of the joint.
        joint_type: &'static str,
        /// What it does not have.
        what: &'static str,
    },
    /// Something that a joint of this type needs.
    #[error("a {joint_type} joint needs {what}")]
    NeededForThisJoint {
        /// Type of the joint.
        joint_type: &'static str,
        /// What it needs.
        what: &'static str,
    },
    /// Parallel axes of a universal joint.
    #[error(
        "axis and axis2 of a universal joint must not be parallel (sine of their angle {sine:e})"
    )]
    ParallelAxes {
        /// Sine of the angle between them.
        sine: f64,
    },
    /// Limits in the wrong order.
    #[error("the lower limit {lower} exceeds the upper limit {upper}")]
    LimitOrder {
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// Static friction below sliding friction.
    #[error("static friction {stuck} is less than sliding friction {sliding}")]
    StaticFriction {
        /// Friction while sticking.
        stuck: f64,
        /// Friction while sliding.
        sliding: f64,
    },
    /// A coordinate that a joint does not have.
    #[error(
        "joint '{joint}' has {}, counted from 0; there is no {coordinate}",
        counted(*count, "coordinate")
    )]
    NoSuchCoordinate {
        /// The joint.
        joint: String,
        /// How many it has.
        count: usize,
        /// The one asked for.
        coordinate: usize,
    },
    /// A joint whose coordinates cannot be driven or geared one by one.
    #[error("joint '{joint}' of type {joint_type} cannot be used here: {needs}")]
    UnsuitableJoint {
        /// The joint.
        joint: String,
        /// Its type.
        joint_type: &'static str,
        /// What is needed.
        needs: &'static str,
    },
    /// A state given for a joint that closes a loop.
    #[error("joint '{joint}' closes a loop and has no coordinates")]
    LoopJoint {
        /// The joint.
        joint: String,
    },
    /// Table times that decrease, or the same time three times.
    #[error("times must not decrease, and none may come three times: {time} at entry {index}")]
    TimeOrder {
        /// Entry.
        index: usize,
        /// Its time, s.
        time: f64,
    },
    /// A table with lists of different lengths, or an empty one.
    #[error(
        "{} but {}; both lists need the same number, at least one",
        counted(*times, "time"), counted(*values, "value")
    )]
    TableLength {
        /// Number of times.
        times: usize,
        /// Number of values.
        values: usize,
    },
    /// A floating base was asked for, but nothing (or more than one body) is fixed to ground.
    #[error(
        "a floating base needs exactly one body fixed to ground by a fixed joint, \
        found {found}: fix one root body by a joint of type \"fixed\", or give it one of type \"free\""
    )]
    NoBaseToFree {
        /// How many bodies are fixed to ground.
        found: usize,
    },
}

impl FaultKind {
    /// Whether the fault is an error or a warning.
    pub fn severity(&self) -> Severity {
        match self {
            Self::TriangleInequality { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// The closest of `known` to `word`, if it is close enough to be a slip of the pen.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let lower = word.to_lowercase();
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known.to_owned())
}

/// A number of things in words: `1 body`, `2 bodies`, `0 rows`.
pub fn counted(count: impl fmt::Display, thing: &str) -> String {
    let count = count.to_string();
    match thing.strip_suffix('y') {
        _ if count == "1" => format!("1 {thing}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {thing}s"),
    }
}

/// A number of values, or a range of such numbers.
fn values(expected: &str) -> String {
    let singular = expected == "1" || expected.ends_with(" 1");
    format!("{expected} value{}", if singular { "" } else { "s" })
}

/// What to append to a message about an unknown word.
pub fn hint(suggestion: Option<&str>, known: &[String]) -> String {
    match suggestion {
        Some(suggestion) => format!("; did you mean '{suggestion}'?"),
        None if known.is_empty() => String::new(),
        None => format!("; known are {}", known.join(", ")),
    }
}

/// What to do about a body that nothing holds.
fn connect(as_parent: Option<&str>) -> String {
    match as_parent {
        Some(joint) => format!(
            "no joint has it as child: swap parent and child of joint '{joint}', or add a joint of \
             type \"free\""
        ),
        None => "add a joint of type \"free\"".to_owned(),
    }
}
