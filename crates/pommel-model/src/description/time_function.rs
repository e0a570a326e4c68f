//! Functions of time with their first two derivatives.

use pommel_math::sin_cos;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A scalar function of time. In a file, a plain number is a constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub enum TimeFunction {
    /// The same at all times.
    Constant {
        /// The value.
        value: f64,
    },
    /// `offset + amplitude · sin(angular_frequency · t + phase)`.
    Sine {
        /// Mean value.
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// rad/s.
        angular_frequency: f64,
        /// rad.
        phase: f64,
    },
    /// `c0 + c1 t + c2 t² + …`.
    Polynomial {
        /// Coefficients, lowest power first.
        coefficients: Vec<f64>,
    },
    /// Linear between two times, constant before and after.
    Ramp {
        /// Value until `start`.
        from: f64,
        /// Value from `end` on.
        to: f64,
        /// s.
        start: f64,
        /// s; after `start`.
        end: f64,
    },
    /// Interpolates a table; constant before its first and after its last time.
    Table {
        /// s, not decreasing. A time given twice is a jump; there the later value holds.
        times: Vec<f64>,
        /// One value a time.
        values: Vec<f64>,
        /// How to go from one entry to the next.
        interpolation: Interpolation,
    },
}

/// How a table is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// Cubic pieces with continuous rate; the slope at an entry is that of the parabola through it
    /// and its neighbours, so quadratics are reproduced. The acceleration jumps at the entries.
    Cubic,
}

impl Default for TimeFunction {
    fn default() -> Self {
        Self::Constant { value: 0.0 }
    }
}

impl From<f64> for TimeFunction {
    fn from(value: f64) -> Self {
        Self::Constant { value }
    }
}

impl TimeFunction {
    /// The value at time `t`.
    pub fn value(&self, t: f64) -> f64 {
        self.derivatives(t)[0]
    }

    /// The first derivative at time `t`; at a kink, the one to its right.
    pub fn rate(&self, t: f64) -> f64 {
        self.derivatives(t)[1]
    }

    /// The second derivative at time `t`; at a kink, the one to its right.
    pub fn acceleration(&self, t: f64) -> f64 {
        self.derivatives(t)[2]
    }

    /// Value, first and second derivative at time `t`.
    pub fn derivatives(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Constant { value } => [*value, 0.0, 0.0],
            Self::Sine { offset, amplitude, angular_frequency, phase } => {
                let w = *angular_frequency;
                let (sin, cos) = sin_cos(w * t + phase);
                [offset + amplitude * sin, amplitude * w * cos, -amplitude * w * w * sin]
            }
            Self::Polynomial { coefficients } => polynomial(coefficients, t),
            Self::Ramp { from, to, start, end } => {
                let slope = (to - from) / (end - start);
                if t < *start {
                    [*from, 0.0, 0.0]
                } else if t < *end {
                    [from + slope * (t - start), slope, 0.0]
                } else {
                    [*to, 0.0, 0.0]
                }
            }
            Self::Table { times, values, interpolation } => table(times, values, *interpolation, t),
        }
    }

    /// Times at which the value or one of its first two derivatives jumps, in order.
    pub fn breakpoints(&self) -> Vec<f64> {
        match self {
            Self::Ramp { start, end, .. } => vec![*start, *end],
            Self::Table { times, .. } => {
                let mut times = times.clone();
                times.dedup();
                times
            }
            _ => Vec::new(),
        }
    }

    /// Whether the function is zero at all times.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

/// Horner's rule for a polynomial and its first two derivatives.
fn polynomial(coefficients: &[f64], t: f64) -> [f64; 3] {
    let mut p = [0.0; 3];
    for c in coefficients.iter().rev() {
        p = [p[0] * t + c, p[1] * t + p[0], p[2] * t + 2.0 * p[1]];
    }
    p
}

/// A table with constant ends; `times` and `values` have the same length.
fn table(times: &[f64], values: &[f64], interpolation: Interpolation, t: f64) -> [f64; 3] {
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return [0.0; 3];
    };
    // the number of entries at or before t: a jump takes its later value
    let after = times.partition_point(|&time| time <= t);
    if after == 0 {
        return [*first, 0.0, 0.0];
    }
    if after >= times.len().min(values.len()) {
        return [*last, 0.0, 0.0];
    }
    let k = after - 1;
    let h = times[k + 1] - times[k];
    let secant = (values[k + 1] - values[k]) / h;
    let x = t - times[k];
    match interpolation {
        Interpolation::Linear => [values[k] + secant * x, secant, 0.0],
        Interpolation::Cubic => {
            let (m0, m1) = (slope(times, values, k, k), slope(times, values, k + 1, k));
            let c2 = (3.0 * secant - 2.0 * m0 - m1) / h;
            let c3 = (m0 + m1 - 2.0 * secant) / (h * h);
            polynomial(&[values[k], m0, c2, c3], x)
        }
    }
}

/// Slope at entry `i` of the cubic piece between entries `piece` and `piece + 1`: of the parabola
/// through three neighbours, which do not reach across a jump.
fn slope(times: &[f64], values: &[f64], i: usize, piece: usize) -> f64 {
    let secant = |k: usize| (values[k + 1] - values[k]) / (times[k + 1] - times[k]);
    let usable = |k: usize| k + 1 < times.len() && times[k + 1] > times[k];
    let neighbour = match (i == piece, piece.checked_sub(1).filter(|&k| usable(k))) {
        // at the left end: the piece before, else the one after
        (true, Some(before)) => Some(before),
        (true, None) => Some(piece + 1).filter(|&k| usable(k)),
        (false, before) => Some(piece + 1).filter(|&k| usable(k)).or(before),
    };
    let Some(other) = neighbour else {
        return secant(piece);
    };
    let (left, right) = (other.min(piece), other.max(piece));
    let (h0, h1) = (times[left + 1] - times[left], times[right + 1] - times[right]);
    let curvature = (secant(right) - secant(left)) / (h0 + h1);
    secant(left) + curvature * (2.0 * times[i] - times[left] - times[left + 1])
}

/// How a function is written: a number, or a table with a `type`.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number or a time function with a `type`")]
enum Form {
    Number(f64),
    Tagged(Tagged),
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Tagged {
    /// The same at all times.
    Constant {
        /// The value.
        value: f64,
    },
    /// `offset + amplitude · sin(angular_frequency · t + phase)`.
    Sine {
        /// Mean value; default zero.
        #[serde(default)]
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// rad/s.
        angular_frequency: f64,
        /// rad; default zero.
        #[serde(default)]
        phase: f64,
    },
    /// `c0 + c1 t + c2 t² + …`.
    Polynomial {
        /// Coefficients, lowest power first.
        coefficients: Vec<f64>,
    },
    /// Linear between two times, constant before and after.
    Ramp {
        /// Value until `start`.
        from: f64,
        /// Value from `end` on.
        to: f64,
        /// s.
        start: f64,
        /// s; after `start`.
        end: f64,
    },
    /// Interpolates a table; constant before its first and after its last time.
    Table {
        /// s, not decreasing. A time given twice is a jump; there the later value holds.
        times: Vec<f64>,
        /// One value a time.
        values: Vec<f64>,
        /// `linear` (default) or `cubic`.
        #[serde(default)]
        interpolation: Interpolation,
    },
}

impl From<Form> for TimeFunction {
    fn from(form: Form) -> Self {
        match form {
            Form::Number(value) | Form::Tagged(Tagged::Constant { value }) => {
                Self::Constant { value }
            }
            Form::Tagged(Tagged::Sine { offset, amplitude, angular_frequency, phase }) => {
                Self::Sine { offset, amplitude, angular_frequency, phase }
            }
            Form::Tagged(Tagged::Polynomial { coefficients }) => Self::Polynomial { coefficients },
            Form::Tagged(Tagged::Ramp { from, to, start, end }) => {
                Self::Ramp { from, to, start, end }
            }
            Form::Tagged(Tagged::Table { times, values, interpolation }) => {
                Self::Table { times, values, interpolation }
            }
        }
    }
}

impl From<TimeFunction> for Form {
    fn from(function: TimeFunction) -> Self {
        Self::Tagged(match function {
            TimeFunction::Constant { value } => return Self::Number(value),
            TimeFunction::Sine { offset, amplitude, angular_frequency, phase } => {
                Tagged::Sine { offset, amplitude, angular_frequency, phase }
            }
            TimeFunction::Polynomial { coefficients } => Tagged::Polynomial { coefficients },
            TimeFunction::Ramp { from, to, start, end } => Tagged::Ramp { from, to, start, end },
            TimeFunction::Table { times, values, interpolation } => {
                Tagged::Table { times, values, interpolation }
            }
        })
    }
}

impl JsonSchema for TimeFunction {
    fn schema_name() -> Cow<'static, str> {
        "TimeFunction".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Form::json_schema(generator);
        schema.insert(
            "description".into(),
            "A function of time t (s): a number is a constant.".into(),
        );
        schema.insert("x-expected".into(), "a number or a time function with a `type`".into());
        schema
    }
}
