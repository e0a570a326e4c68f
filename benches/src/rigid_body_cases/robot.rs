//! Bodies and loops of a case.

use pommel::math::{Quaternion, Transform, Vec3};
use pommel::tree::{
    Attachment, BodyId, BodySpec, Closure, Joint, LoopClosures, Model, Stabilization, TreeBuilder,
};

use super::generator::Lcg;
use super::{Case, Kind};

/// A robot with its loops, as drawn.
#[derive(Clone, Debug)]
pub struct RobotCase {
    /// What was drawn.
    pub case: Case,
    /// The bodies, parents first; the free base is the first.
    pub bodies: Vec<RobotBody>,
    /// The loops; none of an open case.
    pub loops: Vec<Loop>,
}

/// A body on a revolute joint, or the free base.
#[derive(Clone, Debug)]
pub struct RobotBody {
    /// Index of the body that carries it; none for the ground.
    pub parent: Option<usize>,
    /// Axis in the joint frame; none for the free base.
    pub axis: Option<[f64; 3]>,
    /// Origin of the joint frame in the parent's frame, m.
    pub origin: [f64; 3],
    /// Orientation of the joint frame, `w x y z`, joint → parent.
    pub quaternion: [f64; 4],
    /// Mass, kg.
    pub mass: f64,
    /// Mass centre in the frame of this body, m.
    pub centre: [f64; 3],
    /// Inertia about the mass centre in body axes, `xx yy zz xy xz yz`, kg·m².
    pub inertia: [f64; 6],
}

/// A pair of points, or frames, that coincide.
#[derive(Clone, Debug)]
pub struct Loop {
    /// What coincides.
    pub shape: LoopShape,
    /// The first side.
    pub a: LoopBody,
    /// The second side.
    pub b: LoopBody,
}

/// What coincides in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopShape {
    /// Two points: three equations.
    Point,
    /// Two frames with the axes of their bodies: six equations.
    Weld,
}

/// A side of a loop.
#[derive(Clone, Debug)]
pub struct LoopBody {
    /// Index of the body; none for the ground.
    pub body: Option<usize>,
    /// The point in the frame of the body, m.
    pub point: [f64; 3],
}

/// Where the limbs of a free base begin, m.
const MOUNTS: [[f64; 3]; 5] =
    [[0.4, 0.0, 0.3], [-0.4, 0.0, 0.3], [0.0, 0.4, 0.3], [0.0, -0.4, 0.3], [0.0, 0.0, 0.5]];

impl RobotCase {
    /// Draws the robot of a case.
    pub fn new(case: Case) -> Self {
        let Case { kind, joints } = case;
        let mut lcg = Lcg::new(1_000_003 * kind.seed() + joints as u64);
        let mut bodies = Vec::new();
        if kind.is_floating() {
            bodies.push(base(&mut lcg));
        }
        let limbs = kind.limbs(joints);
        let mut tips = Vec::new();
        for limb in 0..limbs {
            let mut parent = kind.is_floating().then_some(0);
            for j in 0..joints / limbs {
                let mut body = link(&mut lcg, parent, j);
                match kind.tree() {
                    Kind::Dual | Kind::Tree if j == 0 => body.origin = MOUNTS[limb],
                    Kind::Comb if j == 0 => body.origin = [0.3 * limb as f64, 0.0, 0.0],
                    _ => {}
                }
                parent = Some(bodies.len());
                bodies.push(body);
            }
            tips.push(bodies.len() - 1);
        }
        RobotCase { case, bodies, loops: loops(case, &tips) }
    }

    /// The tree, without the loops.
    ///
    /// # Panics
    /// Never: the numbers make a valid tree.
    pub fn model(&self) -> Model<f64> {
        let mut builder = TreeBuilder::new();
        let floating = self.case.kind.is_floating();
        builder.gravity(Vec3::new(0.0, 0.0, if floating { 0.0 } else { -9.81 }));
        let mut ids = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let joint = body.axis.map_or(Joint::Free, |axis| Joint::Revolute { axis });
            let rotation = Quaternion::from_slice(&body.quaternion).rotation();
            let spec = BodySpec::new(format!("b{i}"), body.parent.map(|p| ids[p]), joint)
                .placed(Transform::new(rotation, Vec3::from_f64(body.origin)))
                .with_inertia(body.mass, Vec3::from_f64(body.centre), body.inertia);
            ids.push(builder.add(spec).expect("a valid body"));
        }
        builder.build().expect("a valid tree")
    }

    /// The loops, on the tree.
    ///
    /// # Panics
    /// If `model` is not [`RobotCase::model`].
    pub fn closures(&self, model: &Model<f64>) -> LoopClosures<f64> {
        let ids: Vec<BodyId> = model.topology().bodies().collect();
        let attachment = |side: &LoopBody| {
            let mut frame = Transform::identity();
            frame.translation = Vec3::from_f64(side.point);
            Attachment { body: side.body.map(|b| ids[b]), frame }
        };
        let closures = self.loops.iter().map(|l| {
            let (a, b) = (attachment(&l.a), attachment(&l.b));
            match l.shape {
                LoopShape::Point => Closure::Spherical(a, b),
                LoopShape::Weld => Closure::Weld(a, b),
            }
        });
        LoopClosures::new(model, closures.collect(), Stabilization::default())
            .expect("loops between bodies of the model")
    }
}

/// The free base.
fn base(lcg: &mut Lcg) -> RobotBody {
    let mass = lcg.uniform(20.0, 30.0);
    let centre = [0; 3].map(|_| lcg.uniform(-0.05, 0.05));
    let inertia = inertia(lcg, mass).map(|x| x * 10.0);
    let quaternion = [1.0, 0.0, 0.0, 0.0];
    RobotBody { parent: None, axis: None, origin: [0.0; 3], quaternion, mass, centre, inertia }
}

/// The body on joint `j` of a limb.
fn link(lcg: &mut Lcg, parent: Option<usize>, j: usize) -> RobotBody {
    let axis = if j.is_multiple_of(2) { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
    let origin = [lcg.uniform(-0.02, 0.02), lcg.uniform(-0.02, 0.02), lcg.uniform(0.15, 0.25)];
    let [x, y, z] = [0; 3].map(|_| lcg.uniform(-0.1, 0.1));
    let norm = (1.0 + x * x + y * y + z * z).sqrt();
    let quaternion = [1.0 / norm, x / norm, y / norm, z / norm];
    let mass = lcg.uniform(0.5, 2.0);
    let centre = [lcg.uniform(-0.05, 0.05), lcg.uniform(-0.05, 0.05), lcg.uniform(0.05, 0.15)];
    let inertia = inertia(lcg, mass);
    RobotBody { parent, axis: Some(axis), origin, quaternion, mass, centre, inertia }
}

/// Moments, then products of inertia.
fn inertia(lcg: &mut Lcg, mass: f64) -> [f64; 6] {
    let [xx, yy, zz] = [0; 3].map(|_| mass * lcg.uniform(0.004, 0.006));
    let [xy, xz, yz] = [0; 3].map(|_| mass * lcg.uniform(-0.0003, 0.0003));
    [xx, yy, zz, xy, xz, yz]
}

/// The loops of a case; `tips` are the last bodies of the limbs.
fn loops(case: Case, tips: &[usize]) -> Vec<Loop> {
    let side = |body| LoopBody { body, point: [0.0, 0.0, 0.2] };
    let pin = |a, b| Loop { shape: LoopShape::Point, a: side(a), b: side(Some(b)) };
    let weld = |_| Loop { shape: LoopShape::Weld, a: side(Some(tips[0])), b: side(Some(tips[1])) };
    match case.kind {
        Kind::Fixed | Kind::Float | Kind::Dual | Kind::Tree => Vec::new(),
        Kind::Comb => tips.windows(2).map(|t| pin(Some(t[0]), t[1])).collect(),
        Kind::LoopChain => (0..case.joints / 8).map(|k| pin(Some(8 * k), 8 * k + 7)).collect(),
        Kind::Pinned => vec![pin(None, tips[0])],
        Kind::DualGrasp => (0..1).map(weld).collect(),
        Kind::DualGraspTwice => (0..2).map(weld).collect(),
    }
}
