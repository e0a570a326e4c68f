//! The numbers of a description as leaves of a tree: to find one by its path and to visit all.

use crate::description::{
    AngularVelocity, Body, Bushing, Cam, Constraint, Contact, Description, Distance, Driver, Force,
    Frame, Friction, Gear, Inertia, Initial, Joint, Limits, NamedFrame, OneOrMany, Plane,
    PointOnLine, Rolling, Rotor, SpringDamper, TimeFunction, Torque, Wrench,
};
use crate::path::{push_index, push_key};
use std::collections::BTreeMap;

/// One step from a part to a smaller part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step<'a> {
    /// A field, a map key or the name of a list item.
    Key(&'a str),
    /// A list index.
    Index(usize),
}

/// Where a visit has come to, as a list on the stack.
pub(crate) struct Trail<'a> {
    before: Option<&'a Trail<'a>>,
    step: Step<'a>,
}

impl Trail<'_> {
    /// The path as text.
    pub(crate) fn text(&self) -> String {
        let mut path = self.before.map(Trail::text).unwrap_or_default();
        match self.step {
            Step::Key(key) => push_key(&mut path, key),
            Step::Index(index) => push_index(&mut path, index),
        }
        path
    }
}

/// A part of a description: a number, or something with parts.
pub(crate) trait Leaves {
    /// The number, if this is one.
    fn number(&self) -> Option<f64> {
        None
    }

    /// The number, if this is one.
    fn number_mut(&mut self) -> Option<&mut f64> {
        None
    }

    /// The name, if this is a named item of a list.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Calls `f` with every part that may hold numbers.
    fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves));

    /// The part that a step leads to.
    fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves>;
}

/// Calls `f` with every number below `part`.
pub(crate) fn visit(part: &dyn Leaves, at: Option<&Trail<'_>>, f: &mut dyn FnMut(&Trail<'_>, f64)) {
    if let (Some(number), Some(at)) = (part.number(), at) {
        f(at, number);
    }
    part.each(&mut |step, below| visit(below, Some(&Trail { before: at, step }), f));
}

/// Calls `f` with the part at the end of the path; otherwise says how many steps were good.
pub(crate) fn find<R>(
    part: &dyn Leaves,
    steps: &[Step<'_>],
    f: &mut dyn FnMut(&dyn Leaves) -> R,
) -> Result<R, usize> {
    let Some((first, rest)) = steps.split_first() else {
        return Ok(f(part));
    };
    let mut result = Err(0);
    let mut found = false;
    part.each(&mut |step, below| {
        let named = matches!(first, Step::Key(key) if below.name() == Some(key));
        if !found && (step == *first || named) {
            found = true;
            result = find(below, rest, f).map_err(|good| good + 1);
        }
    });
    result
}

impl Leaves for f64 {
    fn number(&self) -> Option<f64> {
        Some(*self)
    }

    fn number_mut(&mut self) -> Option<&mut f64> {
        Some(self)
    }

    fn each(&self, _: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {}

    fn part_mut(&mut self, _: Step<'_>) -> Option<&mut dyn Leaves> {
        None
    }
}

fn each_item<T: Leaves>(items: &[T], f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
    for (index, item) in items.iter().enumerate() {
        f(Step::Index(index), item);
    }
}

fn item_mut<'a, T: Leaves>(items: &'a mut [T], step: Step<'_>) -> Option<&'a mut dyn Leaves> {
    let found = match step {
        Step::Index(index) => items.get_mut(index),
        Step::Key(key) => items.iter_mut().find(|item| item.name() == Some(key)),
    };
    found.map(|item| item as &mut dyn Leaves)
}

impl<T: Leaves> Leaves for Vec<T> {
    fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
        each_item(self, f);
    }

    fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves> {
        item_mut(self, step)
    }
}

impl<T: Leaves, const N: usize> Leaves for [T; N] {
    fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
        each_item(self, f);
    }

    fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves> {
        item_mut(self, step)
    }
}

impl<T: Leaves> Leaves for BTreeMap<String, T> {
    fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
        for (key, item) in self {
            f(Step::Key(key), item);
        }
    }

    fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves> {
        match step {
            Step::Key(key) => self.get_mut(key).map(|item| item as &mut dyn Leaves),
            Step::Index(_) => None,
        }
    }
}

/// A type that stands for another part, or for nothing.
trait Wrapper {
    fn inner(&self) -> Option<&dyn Leaves>;
    fn inner_mut(&mut self) -> Option<&mut dyn Leaves>;
}

impl<W: Wrapper> Leaves for W {
    fn number(&self) -> Option<f64> {
        self.inner()?.number()
    }

    fn number_mut(&mut self) -> Option<&mut f64> {
        self.inner_mut()?.number_mut()
    }

    fn name(&self) -> Option<&str> {
        self.inner()?.name()
    }

    fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
        if let Some(inner) = self.inner() {
            inner.each(f);
        }
    }

    fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves> {
        self.inner_mut()?.part_mut(step)
    }
}

impl<T: Leaves> Wrapper for Option<T> {
    fn inner(&self) -> Option<&dyn Leaves> {
        self.as_ref().map(|inner| inner as &dyn Leaves)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Leaves> {
        self.as_mut().map(|inner| inner as &mut dyn Leaves)
    }
}

/// Makes an enum stand for the content of its variants.
macro_rules! wrapper {
    ($type:ty, $($variant:pat => $content:expr),+) => {
        impl Wrapper for $type {
            fn inner(&self) -> Option<&dyn Leaves> {
                match self { $($variant => Some($content)),+ }
            }

            fn inner_mut(&mut self) -> Option<&mut dyn Leaves> {
                match self { $($variant => Some($content)),+ }
            }
        }
    };
}

/// Makes the listed fields of a struct its parts.
macro_rules! fields {
    ($type:ty, $name:expr, [$($field:ident),+]) => {
        impl Leaves for $type {
            fn name(&self) -> Option<&str> {
                let name: fn(&Self) -> Option<&str> = $name;
                name(self)
            }

            fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
                $(f(Step::Key(key(stringify!($field))), &self.$field);)+
            }

            fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves> {
                let Step::Key(name) = step else { return None };
                $(if name == key(stringify!($field)) { return Some(&mut self.$field); })+
                None
            }
        }
    };
}

/// The key in a file of a field that is a Rust keyword.
fn key(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}

impl<T: Leaves> Leaves for OneOrMany<T> {
    fn number(&self) -> Option<f64> {
        match self {
            Self::One(item) => item.number(),
            Self::Many(_) => None,
        }
    }

    fn number_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::One(item) => item.number_mut(),
            Self::Many(_) => None,
        }
    }

    fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
        match self {
            Self::One(item) => item.each(f),
            Self::Many(items) => items.each(f),
        }
    }

    fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves> {
        match self {
            Self::One(item) => item.part_mut(step),
            Self::Many(items) => items.part_mut(step),
        }
    }
}

impl Leaves for TimeFunction {
    fn number(&self) -> Option<f64> {
        match self {
            Self::Constant { value } => Some(*value),
            _ => None,
        }
    }

    fn number_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::Constant { value } => Some(value),
            _ => None,
        }
    }

    fn each(&self, f: &mut dyn FnMut(Step<'_>, &dyn Leaves)) {
        let mut part = |key, part: &dyn Leaves| f(Step::Key(key), part);
        match self {
            Self::Constant { .. } => {}
            Self::Sine { offset, amplitude, angular_frequency, phase } => {
                part("offset", offset);
                part("amplitude", amplitude);
                part("angular_frequency", angular_frequency);
                part("phase", phase);
            }
            Self::Polynomial { coefficients } => part("coefficients", coefficients),
            Self::Ramp { from, to, start, end } => {
                part("from", from);
                part("to", to);
                part("start", start);
                part("end", end);
            }
            Self::Table { times, values, .. } => {
                part("times", times);
                part("values", values);
            }
        }
    }

    fn part_mut(&mut self, step: Step<'_>) -> Option<&mut dyn Leaves> {
        let Step::Key(key) = step else { return None };
        Some(match (self, key) {
            (Self::Sine { offset, .. }, "offset") => offset,
            (Self::Sine { amplitude, .. }, "amplitude") => amplitude,
            (Self::Sine { angular_frequency, .. }, "angular_frequency") => angular_frequency,
            (Self::Sine { phase, .. }, "phase") => phase,
            (Self::Polynomial { coefficients }, "coefficients") => coefficients,
            (Self::Ramp { from, .. }, "from") => from,
            (Self::Ramp { to, .. }, "to") => to,
            (Self::Ramp { start, .. }, "start") => start,
            (Self::Ramp { end, .. }, "end") => end,
            (Self::Table { times, .. }, "times") => times,
            (Self::Table { values, .. }, "values") => values,
            _ => return None,
        })
    }
}

wrapper!(Inertia, Self::Scalar(x) => x, Self::Diagonal(x) => x, Self::Symmetric(x) => x,
    Self::Matrix(x) => x);
wrapper!(AngularVelocity, Self::Scalar(x) => x, Self::Vector(x) => x);
wrapper!(Force, Self::SpringDamper(x) => x, Self::Bushing(x) => x, Self::Wrench(x) => x,
    Self::Torque(x) => x);
wrapper!(Constraint, Self::Distance(x) => x, Self::Gear(x) => x, Self::PointOnLine(x) => x, Self::Cam(x) => x, Self::Rolling(x) => x);

fields!(
    Description,
    |_| None,
    [gravity, bodies, joints, frames, forces, constraints, drivers, contacts, initial]
);
fields!(Initial, |_| None, [q, v]);
fields!(
    Body,
    |x| Some(&x.name),
    [mass, com, inertia, position, rpy, quaternion, angle, velocity, angular_velocity]
);
fields!(
    Joint,
    |x| Some(&x.name),
    [
        in_parent, in_child, axis, axis2, pitch, limits, damping, stiffness, rest, friction,
        torque, armature, rotor
    ]
);
fields!(Frame, |_| None, [position, rpy, quaternion, angle]);
fields!(NamedFrame, |x| Some(&x.name), [position, rpy, quaternion, angle]);
fields!(Limits, |_| None, [lower, upper, restitution, effort, velocity]);
fields!(Friction, |_| None, [coulomb, r#static, viscous, surface_velocity]);
fields!(Rotor, |_| None, [inertia, ratio, axis]);
fields!(
    SpringDamper,
    |x| x.name.as_deref(),
    [point1, point2, stiffness, damping, rest_length, preload]
);
fields!(
    Bushing,
    |x| x.name.as_deref(),
    [frame1, frame2, stiffness, damping, torsional_stiffness, torsional_damping]
);
fields!(Wrench, |x| x.name.as_deref(), [point, force, moment]);
fields!(Torque, |x| x.name.as_deref(), [axis, torque]);
fields!(Distance, |x| x.name.as_deref(), [point1, point2, length]);
fields!(Gear, |x| x.name.as_deref(), [ratio, offset]);
fields!(PointOnLine, |x| x.name.as_deref(), [point1, axis, point2]);
fields!(Cam, |x| x.name.as_deref(), [profile, period]);
fields!(Rolling, |x| x.name.as_deref(), [plane, point2, radius, axis]);
fields!(Driver, |x| x.name.as_deref(), [motion]);
fields!(Contact, |x| x.name.as_deref(), [point, radius, plane, restitution, friction]);
fields!(Plane, |_| None, [point, normal]);
