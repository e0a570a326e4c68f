//! Models that tests write themselves, with random frames.

use std::fmt::Write as _;

use pommel_mechanism::joint_space::JointSpace;
use pommel_mechanism::{Evaluation, System};
use pommel_model::Mechanism;
use pommel_testkit::Rng;
use pommel_tree::normalize;

/// A joint of a sketch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) parent: &'static str,
    pub(crate) child: &'static str,
    /// further lines, such as the axis
    pub(crate) extra: &'static str,
}

pub(crate) const fn hinge(
    name: &'static str,
    kind: &'static str,
    parent: &'static str,
    child: &'static str,
    extra: &'static str,
) -> Hinge {
    Hinge { name, kind, parent, child, extra }
}

/// Every type of joint in the plane, each frame turned and off the mass centre.
pub(crate) const PLANAR: &[Hinge] = &[
    hinge("turn", "revolute", "ground", "a", ""),
    hinge("slide", "prismatic", "a", "b", "axis = [0.6, -0.8]"),
    hinge("back", "revolute", "b", "c", "axis = [0.0, 0.0, -1.0]"),
    hinge("plane", "planar", "c", "d", ""),
    hinge("weld", "fixed", "d", "e", ""),
    hinge("tip", "revolute", "e", "f", ""),
    hinge("loose", "free", "ground", "g", ""),
    hinge("rod", "prismatic", "g", "h", "axis = [0.0, 2.0]"),
];

/// Every type of joint in space.
pub(crate) const SPATIAL: &[Hinge] = &[
    hinge("turn", "revolute", "ground", "a", "axis = [0.2, -0.6, 0.7]"),
    hinge("slide", "prismatic", "a", "b", "axis = [0.6, -0.8, 0.3]"),
    hinge("screw", "helical", "b", "c", "axis = [-0.3, 0.5, 0.1]\npitch = 0.17"),
    hinge("sleeve", "cylindrical", "c", "d", "axis = [0.9, 0.2, 0.4]"),
    hinge("cross", "universal", "d", "e", "axis = [1.0, 0.0, 0.0]\naxis2 = [0.0, 1.0, 0.0]"),
    hinge("askew", "universal", "e", "f", "axis = [0.3, 1.0, 0.2]\naxis2 = [0.9, 0.4, -0.5]"),
    hinge("ball", "spherical", "f", "g", ""),
    hinge("weld", "fixed", "g", "h", ""),
    hinge("plane", "planar", "h", "i", ""),
    hinge("loose", "free", "ground", "k", ""),
    hinge("knee", "revolute", "k", "l", "axis = [0.0, 1.0, 0.0]"),
    hinge("wheel", "revolute", "l", "m", "axis = [0.4, 0.1, -0.9]"),
];

fn frame(rng: &mut Rng, planar: bool) -> String {
    let [x, y, z] = rng.vector(0.8);
    if planar {
        format!("{{ position = [{x}, {y}], angle = {} }}", rng.symmetric(2.0))
    } else {
        format!("{{ position = [{x}, {y}, {z}], rpy = {:?} }}", rng.vector(1.3))
    }
}

fn body(rng: &mut Rng, name: &str, planar: bool) -> String {
    let [x, y, z] = rng.vector(0.5);
    let mass = rng.uniform(0.5, 3.0);
    let (com, inertia) = if planar {
        (format!("[{x}, {y}]"), format!("{}", rng.uniform(0.1, 0.4)))
    } else {
        let [a, b, c] = [(); 3].map(|()| rng.uniform(0.4, 0.6));
        let [d, e, f] = rng.vector(0.05);
        (format!("[{x}, {y}, {z}]"), format!("[{a}, {b}, {c}, {d}, {e}, {f}]"))
    };
    format!("[[bodies]]\nname = \"{name}\"\nmass = {mass}\ncom = {com}\ninertia = {inertia}\n\n")
}

/// TOML of a mechanism: the same random bodies and frames for the same seed.
///
/// With `loops`, all bodies are free, and the joints close loops.
pub(crate) fn sketch(seed: u64, hinges: &[Hinge], planar: bool, loops: bool, more: &str) -> String {
    let rng = &mut Rng::new(seed);
    let kind = if planar { "planar" } else { "spatial" };
    let gravity = if planar { "[0.4, -9.81]" } else { "[0.4, 1.7, -9.81]" };
    let mut text = format!("name = \"sketch\"\nkind = \"{kind}\"\ngravity = {gravity}\n\n");
    for hinge in hinges {
        text += &body(rng, hinge.child, planar);
    }
    if loops {
        for hinge in hinges {
            let child = hinge.child;
            let _ = writeln!(
                text,
                "[[joints]]\nname = \"free {child}\"\ntype = \"free\"\nparent = \"ground\"\n\
                 child = \"{child}\"\n"
            );
        }
    }
    for hinge in hinges {
        let Hinge { name, kind, parent, child, extra } = hinge;
        let (first, second) = (frame(rng, planar), frame(rng, planar));
        if loops && *kind == "free" {
            continue;
        }
        let role = if loops { "role = \"loop\"" } else { "" };
        let _ = writeln!(
            text,
            "[[joints]]\nname = \"{name}\"\ntype = \"{kind}\"\nparent = \"{parent}\"\n\
             child = \"{child}\"\n{role}"
        );
        if *kind != "free" {
            let _ = writeln!(text, "in_parent = {first}\nin_child = {second}");
        }
        let _ = writeln!(text, "{extra}\n");
    }
    text + more
}

pub(crate) fn mechanism(text: &str) -> Mechanism {
    Mechanism::from_toml_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A mechanism, its equations, and its tree.
pub(crate) struct Sample {
    pub(crate) mechanism: Mechanism,
    pub(crate) system: System<f64>,
    pub(crate) space: JointSpace,
}

/// A state in joint coordinates with accelerations, and the same in absolute ones.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    pub(crate) theta: Vec<f64>,
    pub(crate) rates: Vec<f64>,
    pub(crate) accelerations: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
}

impl Sample {
    pub(crate) fn new(text: &str) -> Self {
        let mechanism = mechanism(text);
        let system = System::new(&mechanism).expect("a system");
        let space = JointSpace::new(&mechanism, &system).expect("a tree");
        Sample { mechanism, system, space }
    }

    /// What `pommel-tree` makes of random joint coordinates, velocities and accelerations.
    pub(crate) fn motion(&mut self, rng: &mut Rng, size: f64) -> Motion {
        let (nq, nv) = (self.mechanism.nq(), self.mechanism.nv());
        let mut theta = rng.list(nq, size);
        normalize(self.space.model(), &mut theta, &mut vec![0.0; nq]);
        self.motion_at(theta, rng.list(nv, 1.0), rng.list(nv, 1.0))
    }

    pub(crate) fn motion_at(
        &mut self,
        theta: Vec<f64>,
        rates: Vec<f64>,
        accelerations: Vec<f64>,
    ) -> Motion {
        let (mut q, mut v) = (vec![0.0; self.system.nq()], vec![0.0; self.system.nv()]);
        let mut a = v.clone();
        self.space.to_absolute((&theta, &rates), &mut q, &mut v);
        self.space.accelerations(&theta, &rates, &accelerations, &mut a);
        Motion { theta, rates, accelerations, q, v, a }
    }

    pub(crate) fn evaluate(&self, time: f64, q: &[f64], v: &[f64]) -> Evaluation<f64> {
        let mut evaluation = Evaluation::new(&self.system);
        self.system.evaluate(time, q, v, &mut evaluation);
        evaluation
    }

    /// Index of a joint's first coordinate and velocity.
    pub(crate) fn joint(&self, name: &str) -> (usize, usize) {
        let index = self.mechanism.description().joint_index(name).expect(name);
        let joint = &self.mechanism.joints()[index];
        (joint.q.start, joint.v.start)
    }

    /// The first row of a constraint.
    pub(crate) fn row(&self, name: &str) -> usize {
        let found = self.system.constraints().iter().find(|c| c.name == name);
        found.unwrap_or_else(|| panic!("no constraint '{name}'")).rows.start
    }
}

/// `Φ_q x`
pub(crate) fn times(system: &System<f64>, jacobian: &[f64], x: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; system.rows()];
    for (row, column, value) in system.pattern().jacobian_entries() {
        product[row] += jacobian[value] * x[column];
    }
    product
}
