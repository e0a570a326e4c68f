//! Paths to single numbers of a description: `bodies.link3.mass`, `joints[2].torque.amplitude`.

use crate::description::Description;
use crate::fault::suggestion;
use crate::leaves::{Leaves, Step, find, visit};
use crate::path::{push_index, push_key};
use std::fmt;
use std::str::FromStr;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A key, or the name of a list item.
    Key(String),
    /// A list index, from 0.
    Index(usize),
}

/// A path to a number of a description, as text.
///
/// Keys are joined by dots and indices stand in brackets; items of a list may be named instead of
/// counted. A name with dots or other signs is quoted: `bodies['left.arm'].mass`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ParameterPath {
    segments: Vec<Segment>,
}

/// Why a path leads to no number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The text is no path.
    #[error(
        "'{text}' is no parameter path: unexpected {found} at column {column}; \
        write bodies.link3.mass, bodies[2].com[0] or bodies['a.b'].mass"
    )]
    Syntax {
        /// The text.
        text: String,
        /// What was found.
        found: String,
        /// Where, from 1.
        column: usize,
    },
    /// There is nothing of that name.
    #[error("'{path}': {} has no '{segment}'; {}", shown(at), offer(suggestion.as_deref(), known))]
    Unknown {
        /// The whole path.
        path: String,
        /// The part that exists.
        at: String,
        /// The step that does not.
        segment: String,
        /// The most similar step that exists.
        suggestion: Option<String>,
        /// What exists there.
        known: Vec<String>,
    },
    /// The path ends at something that is not a number.
    #[error("'{path}' is not one number; {}", offer(None, known))]
    NotANumber {
        /// The path.
        path: String,
        /// What exists there.
        known: Vec<String>,
    },
}

/// A path that leads to a number of one description, and of every other of the same shape.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parameter {
    path: ParameterPath,
    segments: Vec<Segment>,
}

impl ParameterPath {
    /// Reads a path.
    ///
    /// # Errors
    /// [`ParameterError::Syntax`] with the column.
    pub fn parse(text: &str) -> Result<Self, ParameterError> {
        let mut segments = Vec::new();
        let mut rest = text;
        loop {
            let column = text[..text.len() - rest.len()].chars().count() + 1;
            let error = |at: &str, skip: usize| ParameterError::Syntax {
                text: text.to_owned(),
                found: at.chars().next().map_or("end".to_owned(), |c| format!("'{c}'")),
                column: column + skip,
            };
            if let Some(inside) = rest.strip_prefix('[') {
                let (segment, length) = bracket(inside).ok_or_else(|| error(inside, 1))?;
                segments.push(segment);
                rest = &inside[length..];
            } else {
                let key = match rest.strip_prefix('.') {
                    Some(after) if !segments.is_empty() => after,
                    None if segments.is_empty() => rest,
                    _ => return Err(error(rest, 0)),
                };
                let length = key.find(['.', '[']).unwrap_or(key.len());
                if length == 0 {
                    return Err(error(key, rest.len() - key.len()));
                }
                segments.push(Segment::Key(key[..length].to_owned()));
                rest = &key[length..];
            }
            if rest.is_empty() {
                return Ok(Self { segments });
            }
        }
    }

    /// The steps of the path.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Finds the number in a description, once; the handle then serves every description of the
    /// same shape.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] with what exists at that level, [`ParameterError::NotANumber`].
    pub fn resolve(&self, description: &Description) -> Result<Parameter, ParameterError> {
        let steps = steps(&self.segments);
        let mut below = Vec::new();
        let is_number = find(description, &steps, &mut |part| {
            below = keys(part);
            part.number().is_some()
        });
        match is_number {
            Ok(true) => Ok(Parameter { path: self.clone(), segments: self.indexed(description) }),
            Ok(false) => Err(ParameterError::NotANumber { path: self.to_string(), known: below }),
            Err(good) => Err(self.unknown(description, &steps, good)),
        }
    }

    /// The segments with the names of list items replaced by their indices.
    fn indexed(&self, description: &Description) -> Vec<Segment> {
        let mut segments = self.segments.clone();
        if let [Segment::Key(list), Segment::Key(name), ..] = &self.segments[..] {
            let found = find(description, &[Step::Key(list)], &mut |items| {
                let mut index = None;
                items.each(&mut |step, item| {
                    if let (None, Step::Index(i), Some(found)) = (index, step, item.name()) {
                        index = (found == name).then_some(i);
                    }
                });
                index
            });
            if let Ok(Some(index)) = found {
                segments[1] = Segment::Index(index);
            }
        }
        segments
    }

    /// The error for a path of which only the first `good` steps exist.
    fn unknown(
        &self,
        description: &Description,
        steps: &[Step<'_>],
        good: usize,
    ) -> ParameterError {
        let known = find(description, &steps[..good], &mut |part| keys(part)).unwrap_or_default();
        let segment = match &self.segments[good] {
            Segment::Key(key) => key.clone(),
            Segment::Index(index) => index.to_string(),
        };
        ParameterError::Unknown {
            path: self.to_string(),
            at: text(&self.segments[..good]),
            // entries of a list are counted in brackets, not after a dot
            suggestion: if known.first().is_some_and(|first| first == "0") {
                Some(format!("{}[0]", text(&self.segments[..good])))
            } else {
                suggestion(&segment, known.iter().map(String::as_str))
            },
            segment,
            known,
        }
    }
}

/// Reads what stands in brackets: an index or a quoted key; and its length with the bracket.
fn bracket(inside: &str) -> Option<(Segment, usize)> {
    let quote = inside.chars().next().filter(|c| *c == '\'' || *c == '"');
    let Some(quote) = quote else {
        let end = inside.find(']')?;
        let digits = &inside[..end];
        let index = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        return Some((Segment::Index(index), end + 1));
    };
    let mut key = String::new();
    let mut chars = inside.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => key.push(chars.next()?.1),
            c if c == quote => {
                return inside[at + 1..].starts_with(']').then_some((Segment::Key(key), at + 2));
            }
            c => key.push(c),
        }
    }
    None
}

impl FromStr for ParameterPath {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        Self::parse(text)
    }
}

impl fmt::Display for ParameterPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.segments))
    }
}

impl Parameter {
    /// The path as it was written.
    pub fn path(&self) -> &ParameterPath {
        &self.path
    }

    /// The number; none if the description has another shape than the one resolved against.
    pub fn get(&self, description: &Description) -> Option<f64> {
        find(description, &steps(&self.segments), &mut |part| part.number()).ok().flatten()
    }

    /// Sets the number and returns the former one; none (and nothing changes) if the description
    /// has another shape than the one resolved against. The number is not checked: build the
    /// mechanism afterwards.
    pub fn set(&self, description: &mut Description, value: f64) -> Option<f64> {
        let mut part: &mut dyn Leaves = description;
        for segment in &self.segments {
            part = part.part_mut(segment.step())?;
        }
        Some(std::mem::replace(part.number_mut()?, value))
    }
}

impl Description {
    /// The paths of all numbers, in the order of the file, with their values.
    pub fn parameters(&self) -> Vec<(String, f64)> {
        let mut all = Vec::new();
        visit(self, None, &mut |trail, value| all.push((trail.text(), value)));
        all
    }
}

impl Segment {
    fn step(&self) -> Step<'_> {
        match self {
            Self::Key(key) => Step::Key(key),
            Self::Index(index) => Step::Index(*index),
        }
    }
}

fn steps(segments: &[Segment]) -> Vec<Step<'_>> {
    segments.iter().map(Segment::step).collect()
}

/// The path as text.
fn text(segments: &[Segment]) -> String {
    let mut path = String::new();
    for segment in segments {
        match segment {
            Segment::Key(key) => push_key(&mut path, key),
            Segment::Index(index) => push_index(&mut path, *index),
        }
    }
    path
}

/// What exists below a part: keys, names of items, or indices.
fn keys(part: &dyn Leaves) -> Vec<String> {
    let mut keys = Vec::new();
    part.each(&mut |step, below| {
        let empty = {
            let mut any = below.number().is_some();
            below.each(&mut |_, _| any = true);
            !any
        };
        if !empty {
            keys.push(match (below.name(), step) {
                (Some(name), _) => name.to_owned(),
                (None, Step::Key(key)) => key.to_owned(),
                (None, Step::Index(index)) => index.to_string(),
            });
        }
    });
    keys
}

fn shown(at: &str) -> &str {
    if at.is_empty() { "the model" } else { at }
}

fn offer(suggestion: Option<&str>, known: &[String]) -> String {
    match suggestion {
        Some(suggestion) => format!("did you mean '{suggestion}'?"),
        None if known.is_empty() => "the file gives nothing here".to_owned(),
        None => format!("there are {}", known.join(", ")),
    }
}
