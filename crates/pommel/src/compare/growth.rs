//! How the cost of each formulation grows with the size of a mechanism.

use std::time::Instant;

use pommel_mechanism::Evaluation;
use pommel_mechanism::formulation::Method;
use pommel_model::{Body, Description, Frame, Inertia, Joint, JointType, Kind, Mechanism};

use crate::Error;
use crate::absolute::AbsoluteDynamics;

/// N four-bar linkages side by side, of equal bars of 1 m and 1 kg: the benchmark A02 of the IFToMM
/// library, with `2 N + 1` bodies and one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourBars(pub usize);

impl FourBars {
    /// The mechanism; its cranks stand at 60° and turn with 1 rad/s.
    ///
    /// # Errors
    /// [`Error::Model`] for no linkage at all.
    pub fn mechanism(self) -> Result<Mechanism, Error> {
        let angle = std::f64::consts::FRAC_PI_3;
        let (sin, cos) = angle.sin_cos();
        let rate = 1.0;
        let bar =
            |name: String, centre: [f64; 2], angle: f64, velocity: [f64; 2], rate: f64| Body {
                name,
                mass: 1.0,
                inertia: Inertia::Scalar(1.0 / 12.0),
                position: Some([centre[0], centre[1], 0.0]),
                angle: Some(angle),
                velocity: Some([velocity[0], velocity[1], 0.0]),
                angular_velocity: Some(pommel_model::AngularVelocity::Scalar(rate)),
                ..Body::default()
            };
        let frame = |x: f64| Frame { position: [x, 0.0, 0.0], ..Frame::default() };
        let hinge = |name: String, parent: &str, from: f64, child: &str, to: f64| Joint {
            name,
            joint_type: JointType::Revolute,
            parent: parent.to_owned(),
            child: child.to_owned(),
            in_parent: frame(from),
            in_child: frame(to),
            ..Joint::default()
        };
        let mut description = Description {
            name: format!("fourbars{}", self.0),
            kind: Kind::Planar,
            gravity: Some([0.0, -9.81, 0.0]),
            ..Description::default()
        };
        for i in 0..=self.0 {
            let x = i as f64;
            let crank = format!("crank{i}");
            let speed = [-rate * sin / 2.0, rate * cos / 2.0];
            let centre = [x + cos / 2.0, sin / 2.0];
            description.bodies.push(bar(crank.clone(), centre, angle, speed, rate));
            description.joints.push(hinge(format!("pin{i}"), "ground", x, &crank, -0.5));
            if i > 0 {
                let (coupler, before) = (format!("coupler{i}"), format!("crank{}", i - 1));
                let centre = [x - 0.5 + cos, sin];
                let speed = [-rate * sin, rate * cos];
                description.bodies.push(bar(coupler.clone(), centre, 0.0, speed, 0.0));
                description.joints.push(hinge(format!("left{i}"), &before, 0.5, &coupler, -0.5));
                description.joints.push(hinge(format!("right{i}"), &coupler, 0.5, &crank, 0.5));
            }
        }
        Ok(Mechanism::new(description)?)
    }
}

/// What one size costs one formulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthPoint {
    /// Number of linkages.
    pub linkages: usize,
    /// Which formulation.
    pub method: Method,
    /// Seconds a call: terms of the equations and accelerations, the least over repetitions.
    pub seconds: f64,
    /// Of these, those of the terms, which all formulations share.
    pub terms: f64,
}

/// Times every formulation on linkages of growing size.
///
/// A formulation is left out from the size on at which a call is expected to take more than
/// `limit` seconds, going by the cube of the size for dense ones.
///
/// # Errors
/// [`Error`] if a mechanism cannot be made. A formulation that refuses is left out.
pub fn growth(
    sizes: &[usize],
    methods: &[Method],
    limit: f64,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<GrowthPoint>, Error> {
    let mut points: Vec<GrowthPoint> = Vec::new();
    for (done, &linkages) in sizes.iter().enumerate() {
        let dynamics = AbsoluteDynamics::new(&FourBars(linkages).mechanism()?)?;
        let state = dynamics.initial_state()?;
        let system = dynamics.system();
        let mut evaluation = Evaluation::new(system);
        let mut evaluate = || system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
        let terms = least(&mut evaluate);
        system.evaluate(0.0, &state.q, &state.v, &mut evaluation);
        let equations = system.equations(&evaluation, (&state.q, &state.v));
        for &method in methods {
            let before = points.iter().rev().find(|point| point.method == method);
            let expected = before.map_or(0.0, |point| {
                let factor = linkages as f64 / point.linkages as f64;
                let power = if is_linear(method) { 1 } else { 3 };
                point.seconds * factor.powi(power)
            });
            let missing = points.iter().any(|point| point.linkages < linkages) && before.is_none();
            if expected > limit || missing {
                continue;
            }
            let Ok(mut formulation) = dynamics.formulation(method, &equations) else { continue };
            let (mut a, mut lambda) = (vec![0.0; system.nv()], vec![0.0; system.rows()]);
            if formulation.solve(&equations, &mut a, &mut lambda).is_err() {
                continue;
            }
            let mut call = || {
                // it was solved once, and is solved again
                let _ = formulation.solve(&equations, &mut a, &mut lambda);
            };
            let seconds = least(&mut call) + terms;
            points.push(GrowthPoint { linkages, method, seconds, terms });
        }
        progress(done + 1);
    }
    Ok(points)
}

/// Whether a formulation is expected to cost in proportion to the size: the recursion is not where
/// loops overlap.
fn is_linear(method: Method) -> bool {
    method == Method::SparseKkt
}

/// The least time of a call, over about 20 ms.
fn least(call: &mut dyn FnMut()) -> f64 {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    let mut calls = 0;
    while calls < 3 || start.elapsed().as_secs_f64() < 0.02 {
        let clock = Instant::now();
        call();
        best = best.min(clock.elapsed().as_secs_f64());
        calls += 1;
    }
    best
}
