//! Forward dynamics by way of another root.
//!
//! The elimination of a light free body that carries heavy ones cancels digits; towards the
//! heaviest body it does not. So the state is described with that body at the root, solved, and the
//! accelerations are brought back. Only orientations and angular velocities go there: no absolute
//! position or linear velocity.

use pommel_math::{Kernel, Mask, Mat3, Quaternion, Real, Vec3, Wrench, dispatch};

use crate::TreeError;
use crate::accelerate::accelerate_link;
use crate::forward_dynamics::{eliminate, refused};
use crate::kinematics::link_in_parent;
use crate::model::{BodyId, LinkKind, Model};
use crate::sweep::eliminate::PivotCheck;
use crate::workspace::{Flow, Workspace};

/// The same trees with other bodies at some of their roots; same coordinates but those of the free
/// joints and of spherical joints between.
#[derive(Clone, Debug)]
pub(crate) struct Rerooted<T> {
    pub(crate) model: Model<T>,
    paths: Vec<Path>,
}

/// What lies between a free body and the new root of its tree.
#[derive(Clone, Debug, PartialEq)]
struct Path {
    free: BodyId,
    root: BodyId,
    /// links of the model from the free body to the root
    there: Vec<u32>,
    /// links of the other model from the root to the free body
    back: Vec<u32>,
    /// first position and velocity of the free joint
    first: (usize, usize),
    /// first positions and velocities of the spherical joints between
    balls: Vec<(usize, usize)>,
}

impl<T: Real> Rerooted<T> {
    /// `inner` is `outer` with the bodies `roots` at the roots.
    pub(crate) fn new(outer: &Model<T>, inner: Model<T>, roots: &[usize]) -> Self {
        let chain = |model: &Model<T>, body: usize| {
            let mut list = Vec::new();
            let mut at = model.topology.bodies[body].link;
            while let Some(link) = at {
                list.push(link);
                at = model.topology.links[link as usize].parent;
            }
            list.reverse();
            list
        };
        let path = |&root: &usize| {
            let there = chain(outer, root);
            let shape = |&l: &u32| outer.topology.links[l as usize];
            let top = shape(&there[0]);
            let free = top.body as usize;
            let balls = there.iter().map(shape).filter(|s| s.kind == LinkKind::Ball);
            Path {
                free: BodyId(free as u32),
                root: BodyId(root as u32),
                back: chain(&inner, free),
                first: (top.q as usize, top.v as usize),
                balls: balls.map(|s| (s.q as usize, s.v as usize)).collect(),
                there,
            }
        };
        let paths = roots.iter().map(path).collect();
        Rerooted { paths, model: inner }
    }

    pub(crate) fn with_model<U>(&self, model: Model<U>) -> Rerooted<U> {
        Rerooted { model, paths: self.paths.clone() }
    }

    pub(crate) fn roots(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.paths.iter().map(|path| path.root)
    }
}

/// Memory for the way there and back.
#[derive(Clone, Debug)]
pub(crate) struct Memory<T> {
    pub(crate) workspace: Workspace<T>,
    q: Vec<T>,
    v: Vec<T>,
    tau: Vec<T>,
    qdd: Vec<T>,
    wrenches: Vec<Wrench<T>>,
}

impl<T: Real> Memory<T> {
    pub(crate) fn new(rerooted: &Rerooted<T>) -> Self {
        let model = &rerooted.model;
        let list = |n: usize| vec![T::zero(); n];
        Memory {
            workspace: Workspace::new(model),
            q: list(model.nq()),
            v: list(model.nv()),
            tau: list(model.nv()),
            qdd: list(model.nv()),
            wrenches: vec![Wrench::zero(); model.body_count()],
        }
    }
}

/// [`forward_dynamics`] of `outer` by way of `rerooted`.
pub(crate) fn solve<T: Real>(
    (outer, rerooted): (&Model<T>, &Rerooted<T>),
    memory: &mut Memory<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    external: Option<&[Wrench<T>]>,
    qdd: &mut [T],
) -> Result<(), TreeError> {
    dispatch(There { outer, rerooted, memory: &mut *memory, q, v, tau, external });
    let Memory { workspace, q: q2, v: v2, tau: tau2, qdd: qdd2, wrenches } = &mut *memory;
    let wrenches = Some(&wrenches[..]);
    let mut check = PivotCheck::default();
    eliminate(&rerooted.model, workspace, (q2, v2, tau2), wrenches, &mut check, qdd2);
    let finite = dispatch(Back { rerooted, memory, q, qdd });
    if check.failure.is_none() && finite.is_all(T::LANES) {
        return Ok(());
    }
    Err(refused((outer, &rerooted.model), &check, finite, q, qdd))
}

struct There<'a, T> {
    outer: &'a Model<T>,
    rerooted: &'a Rerooted<T>,
    memory: &'a mut Memory<T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    external: Option<&'a [Wrench<T>]>,
}

impl<T: Real> Kernel for There<'_, T> {
    type Output = ();
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) {
        let There { outer, rerooted, memory, q, v, tau, external } = self;
        memory.q.copy_from_slice(q);
        memory.v.copy_from_slice(v);
        memory.tau.copy_from_slice(tau);
        match external {
            Some(wrenches) => memory.wrenches.copy_from_slice(wrenches),
            None => memory.wrenches.fill(Wrench::zero()),
        }
        for p in 0..rerooted.paths.len() {
            let path = &rerooted.paths[p];
            let (iq, iv) = path.first;
            let given = Quaternion::from_slice(&q[iq + 3..]).rotation();
            let (rotation, omega) = root_motion(outer, path, given, q, v);
            memory.q[iq..iq + 3].fill(T::zero());
            quaternion_of(rotation).write_to(&mut memory.q[iq + 3..]);
            omega.write_to(&mut memory.v[iv..]);
            memory.v[iv + 3..iv + 6].fill(T::zero());
            // what acted on the free joint acts on its body: about the mass centre instead of the
            // origin
            let (moment, force) = (Vec3::from_slice(&tau[iv..]), Vec3::from_slice(&tau[iv + 3..]));
            let free = path.free.index();
            let centre = given * outer.bodies[free].centre;
            memory.wrenches[free] += Wrench::new(moment - centre.cross(force), force);
            memory.tau[iv..iv + 6].fill(T::zero());
            for b in 0..path.balls.len() {
                let (iq, iv) = path.balls[b];
                let quaternion = Quaternion::from_slice(&q[iq..]);
                quaternion.conjugate().write_to(&mut memory.q[iq..]);
                let rotation = quaternion.rotation();
                let reverse = |u: Vec3<T>| -(rotation * u);
                reverse(Vec3::from_slice(&v[iv..])).write_to(&mut memory.v[iv..]);
                reverse(Vec3::from_slice(&tau[iv..])).write_to(&mut memory.tau[iv..]);
            }
        }
    }
}

/// Orientation and angular velocity of the new root, in world axes.
#[inline(always)]
fn root_motion<T: Real>(
    outer: &Model<T>,
    path: &Path,
    given: Mat3<T>,
    q: &[T],
    v: &[T],
) -> (Mat3<T>, Vec3<T>) {
    let (shapes, links) = outer.links();
    let mut rotation = given;
    let mut omega = given.transpose_mul(Vec3::from_slice(&v[path.first.1..]));
    for k in 1..path.there.len() {
        let i = path.there[k] as usize;
        let local = link_in_parent(outer, shapes[i], &links[i], q).rotation;
        rotation = rotation * local;
        omega = local.transpose_mul(omega);
        let own = &v[shapes[i].v as usize..];
        match shapes[i].kind {
            LinkKind::Revolute | LinkKind::Helical => omega.z += own[0],
            LinkKind::Ball => omega += Vec3::from_slice(own),
            LinkKind::Prismatic | LinkKind::Free => {}
        }
    }
    let body = outer.bodies[path.root.index()].placement.rotation;
    (rotation * body, rotation * omega)
}

/// A quaternion of a rotation, of any norm from one to two: of the four that its entries give, the
/// one with the largest leading part, lane by lane.
#[inline(always)]
fn quaternion_of<T: Real>(r: Mat3<T>) -> Quaternion<T> {
    let one = T::one();
    let (xx, yy, zz) = (r.x.x, r.y.y, r.z.z);
    let (a, b, c) = (r.z.y - r.y.z, r.x.z - r.z.x, r.y.x - r.x.y);
    let (xy, xz, yz) = (r.x.y + r.y.x, r.x.z + r.z.x, r.y.z + r.z.y);
    let mut best = Quaternion::new(one + (xx + yy + zz), a, b, c);
    let mut leading = best.w;
    let x = Quaternion::new(a, one + (xx - yy - zz), xy, xz);
    let y = Quaternion::new(b, xy, one + (yy - xx - zz), yz);
    let z = Quaternion::new(c, xz, yz, one + (zz - xx - yy));
    let mut take = |other: Quaternion<T>, part: T| {
        let more = leading.lt(part);
        let pick = |a: T, b: T| T::select(more, a, b);
        best = Quaternion::new(
            pick(other.w, best.w),
            pick(other.x, best.x),
            pick(other.y, best.y),
            pick(other.z, best.z),
        );
        leading = pick(part, leading);
    };
    take(x, x.x);
    take(y, y.y);
    take(z, z.z);
    best.scale(T::from_f64(0.5))
}

struct Back<'a, T> {
    rerooted: &'a Rerooted<T>,
    memory: &'a mut Memory<T>,
    q: &'a [T],
    qdd: &'a mut [T],
}

impl<T: Real> Kernel for Back<'_, T> {
    type Output = Mask;
    const SETS: [pommel_math::InstructionSet; 2] = T::SETS;

    #[inline(always)]
    fn run(self) -> Mask {
        let Back { rerooted, memory, q, qdd } = self;
        let inner = &rerooted.model;
        qdd.copy_from_slice(&memory.qdd);
        for p in 0..rerooted.paths.len() {
            let path = &rerooted.paths[p];
            let iv = path.first.1;
            let mut rotation = Mat3::identity();
            let mut flow = Flow::zero();
            for k in 0..path.back.len() {
                let i = path.back[k] as usize;
                let (v, a) = (Some(&memory.v[..]), Some(&memory.qdd[..]));
                let (local, next) = accelerate_link(inner, i, &flow, &memory.q, v, a);
                rotation = rotation * local.rotation;
                flow = next;
            }
            let origin = inner.bodies[path.free.index()].placement.translation;
            let linear = flow.acceleration + flow.gradient * origin;
            (rotation * flow.alpha).write_to(&mut qdd[iv..]);
            (rotation * linear).write_to(&mut qdd[iv + 3..]);
            for b in 0..path.balls.len() {
                let (iq, iv) = path.balls[b];
                let rotation = Quaternion::from_slice(&q[iq..]).rotation();
                let rate = Vec3::from_slice(&memory.qdd[iv..]);
                (-rotation.transpose_mul(rate)).write_to(&mut qdd[iv..]);
            }
        }
        let mut finite = Mask::all(T::LANES);
        for i in 0..qdd.len() {
            finite &= qdd[i].is_finite();
        }
        finite
    }
}
