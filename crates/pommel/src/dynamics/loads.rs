//! Forces of a mechanism: in its joints, and on its bodies.

use pommel_math::{Vec3, Wrench};
use pommel_model::{Force, JointType, Mechanism, OneOrMany, TimeFunction, WrenchAxes};
use pommel_tree::{BodyId, BodyMotion, Model};

/// All forces but gravity.
#[derive(Clone, Debug, Default)]
pub(super) struct Loads {
    joints: Vec<JointLoad>,
    elements: Vec<Element>,
}

/// What acts on one velocity coordinate.
#[derive(Clone, Debug)]
struct JointLoad {
    /// position coordinate, for the spring; that of a free joint has none
    q: Option<usize>,
    v: usize,
    /// first velocity of a free joint: its forces come from outside
    external: bool,
    torque: Option<TimeFunction>,
    /// whether the torque is that of damping against a moving surface
    drag: bool,
    damping: f64,
    stiffness: f64,
    rest: f64,
}

/// A point of a body, or of the ground.
#[derive(Clone, Copy, Debug)]
struct Attachment {
    /// tree body; none for the ground
    body: Option<usize>,
    point: Vec3<f64>,
}

#[derive(Clone, Debug)]
enum Element {
    Spring {
        ends: [Attachment; 2],
        stiffness: f64,
        damping: f64,
        rest_length: f64,
        preload: f64,
    },
    Wrench {
        at: Attachment,
        in_body_axes: bool,
        /// force and moment
        functions: Box<[[TimeFunction; 3]; 2]>,
    },
    Torque {
        bodies: [Option<usize>; 2],
        axis: Vec3<f64>,
        torque: TimeFunction,
    },
}

impl Loads {
    pub(super) fn new(mechanism: &Mechanism, ids: &[BodyId]) -> Self {
        let description = mechanism.description();
        let mut loads = Loads::default();
        for (joint, data) in mechanism.joints().iter().zip(&description.joints) {
            // velocities of spherical and free joints are not rates of coordinates
            let whole = joint.q.len() != joint.v.len();
            let external = joint.joint_type == JointType::Free;
            for (k, v) in joint.v.clone().enumerate() {
                let pick = |list: &OneOrMany<f64>| list.get(k).copied().unwrap_or(0.0);
                // dry friction was refused; what is left is damping against a moving surface
                let friction = data.friction.as_ref().and_then(|f| f.get(k));
                let viscous = friction.map_or(0.0, |f| f.viscous);
                let drag = friction.map_or(0.0, |f| f.viscous * f.surface_velocity);
                let torque = data.torque.as_ref().and_then(|t| t.get(k)).cloned();
                let load = JointLoad {
                    q: (!whole).then_some(joint.q.start + k),
                    v,
                    external,
                    torque: torque.filter(|t| !t.is_zero()),
                    drag: false,
                    damping: pick(&data.damping) + viscous,
                    stiffness: pick(&data.stiffness),
                    rest: pick(&data.rest),
                };
                if drag != 0.0 {
                    loads.joints.push(JointLoad {
                        torque: Some(TimeFunction::from(drag)),
                        drag: true,
                        damping: 0.0,
                        stiffness: 0.0,
                        ..load.clone()
                    });
                }
                if load.torque.is_some() || load.damping != 0.0 || load.stiffness != 0.0 {
                    loads.joints.push(load);
                }
            }
        }
        let find = |name: &str| description.body_index(name).map(|b| ids[b].index());
        let attach = |name: &str, point| Attachment { body: find(name), point: vec(point) };
        for force in &description.forces {
            let element = match force {
                Force::SpringDamper(s) => Element::Spring {
                    ends: [attach(&s.body1, s.point1), attach(&s.body2, s.point2)],
                    stiffness: s.stiffness,
                    damping: s.damping,
                    rest_length: s.rest_length,
                    preload: s.preload,
                },
                Force::Wrench(w) => Element::Wrench {
                    at: attach(&w.body, w.point),
                    in_body_axes: w.frame == WrenchAxes::Body,
                    functions: Box::new([w.force.clone(), w.moment.clone()]),
                },
                Force::Torque(t) => {
                    let axis = vec(t.axis);
                    Element::Torque {
                        bodies: [find(&t.body1), find(&t.body2)],
                        axis: axis.scale(axis.norm().recip()),
                        torque: t.torque.clone(),
                    }
                }
                // refused before
                Force::Bushing(_) => continue,
            };
            loads.elements.push(element);
        }
        loads
    }

    /// Where in the mechanism the forces come from, and what they are.
    pub(super) fn places(&self, mechanism: &Mechanism) -> Vec<String> {
        let names = mechanism.velocity_names();
        let mut places = Vec::new();
        // the loads of one velocity stand together
        for loads in self.joints.chunk_by(|a, b| a.v == b.v) {
            let any = |is: &dyn Fn(&JointLoad) -> bool| loads.iter().any(is);
            let kinds = [
                ("damping", any(&|load| load.drag || load.damping != 0.0)),
                ("spring", any(&|load| load.stiffness != 0.0)),
                ("torque", any(&|load| load.torque.is_some() && !load.drag)),
            ];
            let kinds: Vec<&str> =
                kinds.into_iter().filter(|(_, has)| *has).map(|(k, _)| k).collect();
            places.push(format!("joint {} ({})", names[loads[0].v], kinds.join(", ")));
        }
        // every force of the description is an element: bushings were refused
        for (i, element) in self.elements.iter().enumerate() {
            let kind = match element {
                Element::Spring { .. } => "spring_damper",
                Element::Wrench { .. } => "wrench",
                Element::Torque { .. } => "torque",
            };
            places.push(format!("forces[{i}] ({kind})"));
        }
        places
    }

    pub(super) fn has_joint_forces(&self) -> bool {
        !self.joints.is_empty()
    }

    pub(super) fn has_wrenches(&self) -> bool {
        !self.elements.is_empty()
    }

    /// Whether some load acts on the mechanism from outside.
    pub(super) fn acts_from_outside(&self, model: &Model<f64>) -> bool {
        let outside = |body: Option<usize>| {
            body.is_none_or(|b| {
                let id = model.topology().bodies().nth(b);
                id.is_none_or(|id| model.topology().is_fixed_to_ground(id))
            })
        };
        self.joints.iter().any(|load| load.external)
            || self.elements.iter().any(|element| match element {
                Element::Spring { ends, .. } => ends.iter().any(|end| outside(end.body)),
                Element::Torque { bodies, .. } => bodies.iter().any(|&b| outside(b)),
                Element::Wrench { .. } => true,
            })
    }

    /// Times at which a force has a corner or a jump, in order.
    pub(super) fn breakpoints(&self) -> Vec<f64> {
        let in_joints = self.joints.iter().filter_map(|load| load.torque.as_ref());
        let on_bodies = self.elements.iter().flat_map(|element| match element {
            Element::Spring { .. } => Vec::new(),
            Element::Wrench { functions, .. } => functions.iter().flatten().collect(),
            Element::Torque { torque, .. } => vec![torque],
        });
        let mut times: Vec<f64> =
            in_joints.chain(on_bodies).flat_map(TimeFunction::breakpoints).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    pub(super) fn add_joint_forces(&self, t: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        for load in &self.joints {
            let mut force = load.torque.as_ref().map_or(0.0, |f| f.value(t));
            force -= load.damping * v[load.v];
            if let Some(at) = load.q {
                force -= load.stiffness * (q[at] - load.rest);
            }
            tau[load.v] += force;
        }
    }

    pub(super) fn add_wrenches(
        &self,
        t: f64,
        motions: &[BodyMotion<f64>],
        wrenches: &mut [Wrench<f64>],
    ) {
        for element in &self.elements {
            match element {
                Element::Spring { ends, stiffness, damping, rest_length, preload } => {
                    let [(x1, v1), (x2, v2)] = ends.map(|end| end.motion(motions));
                    let (line, rate) = (x2 - x1, v2 - v1);
                    let length = line.norm();
                    // at length zero the line has no direction, and the spring pulls nowhere
                    if length > 0.0 {
                        let direction = line.scale(length.recip());
                        let tension = stiffness * (length - rest_length)
                            + damping * rate.dot(direction)
                            + preload;
                        let pull = direction.scale(tension);
                        ends[0].push(pull, x1, motions, wrenches);
                        ends[1].push(-pull, x2, motions, wrenches);
                    }
                }
                Element::Wrench { at, in_body_axes, functions } => {
                    let Some(body) = at.body else { continue };
                    let rotation = motions[body].placement.rotation;
                    let value = |f: &[TimeFunction; 3]| {
                        let local = vec([f[0].value(t), f[1].value(t), f[2].value(t)]);
                        if *in_body_axes { rotation * local } else { local }
                    };
                    let (x, _) = at.motion(motions);
                    let [force, moment] = &**functions;
                    at.push(value(force), x, motions, wrenches);
                    wrenches[body].moment += value(moment);
                }
                Element::Torque { bodies, axis, torque } => {
                    let axis = match bodies[0] {
                        Some(body) => motions[body].placement.rotation * *axis,
                        None => *axis,
                    };
                    let moment = axis.scale(torque.value(t));
                    if let Some(body) = bodies[0] {
                        wrenches[body].moment -= moment;
                    }
                    if let Some(body) = bodies[1] {
                        wrenches[body].moment += moment;
                    }
                }
            }
        }
    }
}

impl Attachment {
    /// Position and velocity of the point in world axes.
    fn motion(&self, motions: &[BodyMotion<f64>]) -> (Vec3<f64>, Vec3<f64>) {
        let Some(body) = self.body else { return (self.point, Vec3::zero()) };
        let motion = &motions[body];
        let x = motion.placement.point_to_parent(self.point);
        (x, motion.angular_velocity.cross_add(x - motion.centre, motion.velocity))
    }

    /// Adds a force that acts at the world point `x`.
    fn push(
        &self,
        force: Vec3<f64>,
        x: Vec3<f64>,
        motions: &[BodyMotion<f64>],
        wrenches: &mut [Wrench<f64>],
    ) {
        let Some(body) = self.body else { return };
        let arm = x - motions[body].centre;
        wrenches[body] += Wrench::new(arm.cross(force), force);
    }
}

fn vec(x: [f64; 3]) -> Vec3<f64> {
    Vec3::from_f64(x)
}
