//! Bodies and named frames.

use super::Validator;
use crate::description::{Body, Inertia};
use crate::eigen::eigenvalues;
use crate::fault::FaultKind;

/// Eigenvalues are right to a few roundings of the largest entry, and published tensors are
/// rounded sums of larger numbers.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A thin rod whose moments were rounded to nine digits still passes.
const TRIANGLE: f64 = 1e-9;

impl Validator<'_> {
    pub(super) fn bodies(&mut self) {
        let bodies = &self.description.bodies;
        if bodies.is_empty() {
            self.push("bodies", FaultKind::EmptyModel);
        }
        self.unique("bodies", bodies.iter().map(|body| body.name.as_str()));
        for (index, body) in bodies.iter().enumerate() {
            self.body(&format!("bodies[{index}]"), body);
        }
    }

    fn body(&mut self, path: &str, body: &Body) {
        self.not_negative(format!("{path}.mass"), body.mass);
        self.in_plane(format!("{path}.com"), body.com);
        self.inertia(format!("{path}.inertia"), &body.inertia);
        self.orientation(path, body.rpy, body.quaternion, body.angle);
        self.in_plane(format!("{path}.position"), body.position.unwrap_or_default());
        self.in_plane(format!("{path}.velocity"), body.velocity.unwrap_or_default());
        if let Some(rate) = body.angular_velocity {
            let path = format!("{path}.angular_velocity");
            let [x, y, _] = rate.vector();
            let tilt = x.abs().max(y.abs());
            match rate {
                crate::AngularVelocity::Scalar(_) if !self.planar() => {
                    let what = "an angular velocity of one number";
                    self.push(path, FaultKind::PlanarOnly { what });
                }
                _ if self.planar() && tilt != 0.0 => {
                    self.push(path, FaultKind::OutOfPlane { value: tilt });
                }
                _ => {}
            }
        }
    }

    fn inertia(&mut self, path: String, inertia: &Inertia) {
        let tensor = inertia.tensor();
        if tensor.as_flattened().iter().any(|entry| !entry.is_finite()) {
            return;
        }
        match inertia {
            Inertia::Scalar(value) => {
                if !self.planar() && *value != 0.0 {
                    let what = "an inertia of one number";
                    self.push(path, FaultKind::PlanarOnly { what });
                } else {
                    self.not_negative(path, *value);
                }
                return;
            }
            _ if self.planar() => {
                self.push(path, FaultKind::SpatialOnly { what: "an inertia tensor" });
                return;
            }
            _ => {}
        }
        let largest = tensor.as_flattened().iter().fold(0.0_f64, |m, entry| m.max(entry.abs()));
        for (row, column) in [(0, 1), (0, 2), (1, 2)] {
            let difference = tensor[row][column] - tensor[column][row];
            if difference.abs() > ROUNDING * largest {
                let kind = FaultKind::AsymmetricInertia { row, column, difference };
                return self.push(path, kind);
            }
        }
        let moments = eigenvalues(&tensor);
        if moments[0] < -ROUNDING * largest {
            self.push(path, FaultKind::IndefiniteInertia { eigenvalue: moments[0] });
        } else if moments[0] + moments[1] < moments[2] * (1.0 - TRIANGLE) {
            self.push(path, FaultKind::TriangleInequality { moments });
        }
    }

    pub(super) fn frames(&mut self) {
        let frames = &self.description.frames;
        self.unique("frames", frames.iter().map(|frame| frame.name.as_str()));
        for (index, frame) in frames.iter().enumerate() {
            let path = format!("frames[{index}]");
            self.body_or_ground(format!("{path}.body"), &frame.body);
            self.in_plane(format!("{path}.position"), frame.position);
            self.orientation(&path, frame.rpy, frame.quaternion, frame.angle);
        }
    }
}
