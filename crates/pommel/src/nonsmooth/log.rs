//! What happened on the way.

use core::fmt;

/// What an event was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A stop or contact took an impulse and opened again. Values: rates of the gap; m/s, rad/s.
    Impact,
    /// A limit was reached, or a contact touched, and stays closed. Values: rates of the gap.
    Closed,
    /// A stop or contact that was closed opened. Values: forces that push it open; N, N·m.
    Opened,
    /// A joint that slid sticks. Values: friction on its coordinate; N, N·m.
    Stick,
    /// A joint that stuck slides. Values: friction on its coordinate.
    Slip,
    /// A joint that slid slides the other way. Values: friction on its coordinate.
    Reversal,
}

impl EventKind {
    /// One word for tables.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Impact => "impact",
            EventKind::Closed => "closed",
            EventKind::Opened => "opened",
            EventKind::Stick => "stick",
            EventKind::Slip => "slip",
            EventKind::Reversal => "reversal",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRecord {
    /// s.
    pub t: f64,
    /// Name of the joint coordinate, of its limit, such as `slide (lower limit)`, or of the contact.
    pub name: String,
    /// What it was.
    pub kind: EventKind,
    /// What [`EventKind`] says, just before.
    pub before: f64,
    /// The same just after.
    pub after: f64,
}
