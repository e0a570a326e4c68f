//! The rows of closures at a state: wrenches of their ends, violations, accelerations.
//!
//! Every row is a function `Φ` of the placements of the two frames with
//! `Φ̈ = n_A·α_A + f_A·ẍ_A + n_B·α_B + f_B·ẍ_B + s`, where `s` depends on velocities only. Three
//! kinds make up all closures: a difference of the origins, in a world direction (`f`) or in one
//! that is fixed to `A`; a product of a direction of `A` with one of `B`; and, for welds and
//! prismatic joints, the relative angular velocity itself.

use pommel_math::{Mat3, Real, Vec3};

use super::description::{Axis, Row};
use super::workspace::{ClosureWorkspace, End, NONE, RowSet, SIDE};
use super::{Attachment, Closure, LoopClosures};
use crate::kinematics::root_origin;
use crate::model::Model;
use crate::workspace::Workspace;

/// A frame in motion, world axes; accelerations are those of the reference motion.
struct Frame<T> {
    link: Option<usize>,
    /// of the link
    rotation: Mat3<T>,
    axes: Mat3<T>,
    /// from the origin of the link
    arm: Vec3<T>,
    position: Vec3<T>,
    omega: Vec3<T>,
    velocity: Vec3<T>,
    alpha: Vec3<T>,
    acceleration: Vec3<T>,
    /// of the acceleration, before anything in it cancelled
    acceleration_size: T,
}

/// How large the motion of a frame is.
struct FrameSizes<T> {
    position: T,
    omega: T,
    velocity: T,
    alpha: T,
    acceleration: T,
}

/// The sum of the sizes of the components.
#[inline(always)]
fn size<T: Real>(u: Vec3<T>) -> T {
    u.x.abs() + u.y.abs() + u.z.abs()
}

impl<T: Real> Frame<T> {
    /// `ω × (ω × u)`, the part of `ü` without `α`.
    #[inline(always)]
    fn turned(&self, u: Vec3<T>) -> Vec3<T> {
        self.omega.cross(self.omega.cross(u))
    }

    /// An axis of the frame.
    #[inline(always)]
    fn axis(&self, axis: Axis) -> Vec3<T> {
        let columns = self.axes.transpose();
        match axis {
            Axis::X => columns.x,
            Axis::Y => columns.y,
            Axis::Z => columns.z,
        }
    }

    #[inline(always)]
    fn rate(&self, u: Vec3<T>) -> Vec3<T> {
        self.omega.cross(u)
    }
}

/// A row in the making.
struct Terms<T> {
    n: [Vec3<T>; 2],
    f: [Vec3<T>; 2],
    /// how large `n` would be, were nothing parallel
    n_size: T,
    position: T,
    /// the part of `Φ̈` that depends on velocities only
    bias: T,
}

/// Both frames, and the difference of their origins.
struct Pair<T> {
    frames: [Frame<T>; 2],
    sizes: [FrameSizes<T>; 2],
    /// `x_B − x_A`, and its rate
    d: Vec3<T>,
    d_rate: Vec3<T>,
}

impl<T: Real> Pair<T> {
    /// `e · d` for a direction fixed in world.
    #[inline(always)]
    fn along_world(&self, e: Vec3<T>) -> Terms<T> {
        Terms {
            n: [Vec3::zero(); 2],
            f: [-e, e],
            n_size: T::zero(),
            position: e.dot(self.d),
            bias: T::zero(),
        }
    }

    /// `u · d` for a direction fixed to `A`.
    #[inline(always)]
    fn along(&self, u: Vec3<T>) -> Terms<T> {
        let a = &self.frames[0];
        let twice = a.rate(u) + a.rate(u);
        Terms {
            n: [u.cross(self.d), Vec3::zero()],
            f: [-u, u],
            n_size: size(self.d),
            position: u.dot(self.d),
            bias: a.turned(u).dot(self.d) + twice.dot(self.d_rate),
        }
    }

    /// `u · w` for directions fixed to `A` and `B`.
    #[inline(always)]
    fn product(&self, u: Vec3<T>, w: Vec3<T>) -> Terms<T> {
        let [a, b] = &self.frames;
        let n = w.cross(u);
        let twice = a.rate(u) + a.rate(u);
        Terms {
            n: [-n, n],
            f: [Vec3::zero(); 2],
            n_size: T::one(),
            position: u.dot(w),
            bias: a.turned(u).dot(w) + twice.dot(b.rate(w)) + u.dot(b.turned(w)),
        }
    }

    /// The world component `e` of the relative angular velocity; the violation is that of small
    /// relative rotations.
    #[inline(always)]
    fn spin(&self, e: Vec3<T>) -> Terms<T> {
        let (a, b) = (self.frames[0].axes.transpose(), self.frames[1].axes.transpose());
        // ½ Σ u_A × u_B: the axis of the rotation from A to B times its sine
        let twist = a.x.cross(b.x) + a.y.cross(b.y) + a.z.cross(b.z);
        Terms {
            n: [-e, e],
            f: [Vec3::zero(); 2],
            n_size: T::one(),
            position: e.dot(twist) * T::from_f64(0.5),
            bias: T::zero(),
        }
    }

    /// `|d| − length`; NaN if the ends coincide, so that there is no direction.
    #[inline(always)]
    fn distance(&self, length: T) -> Terms<T> {
        let norm = self.d.norm();
        let coincide = norm.lt(length * T::from_f64(COINCIDENT));
        let norm = T::select(coincide, T::from_f64(f64::NAN), norm);
        let u = self.d.scale(norm.recip());
        let along = u.dot(self.d_rate);
        let bias = (self.d_rate.norm_squared() - along * along) / norm;
        Terms { n: [Vec3::zero(); 2], f: [-u, u], n_size: T::zero(), position: norm - length, bias }
    }
}

/// Ends nearer than this part of the distance that they are to have coincide.
const COINCIDENT: f64 = 1e-9;

/// Fills ends and rows; links must have been placed and moved, and all flows kept.
#[inline(always)]
pub(super) fn find_rows<T: Real>(
    model: &Model<T>,
    closures: &LoopClosures<T>,
    ws: &Workspace<T>,
    (q, v): (&[T], &[T]),
    memory: &mut ClosureWorkspace<T>,
) {
    memory.heads.fill(NONE);
    memory.call += 1;
    memory.ends.fill(End::new());
    memory.sets.fill(RowSet::new());
    memory.multipliers.fill([T::zero(); SIDE]);
    for index in 0..closures.closures.len() {
        let closure = &closures.closures[index];
        let links = closures.links[index];
        for (k, link) in links.into_iter().enumerate() {
            if let Some(link) = link {
                give(memory, 2 * index + k, link as usize);
            }
        }
        memory.sets[index].open_count = closure.rows();
        if let Closure::Gear { a, b, ratio, offset } = *closure {
            gear_row(model, memory, closures, index, links, (a, b, ratio, offset), (q, v));
            continue;
        }
        // on the ground from the start
        memory.sets[index].complete = links.iter().any(Option::is_none);
        let Some(ends) = closure.ends() else { continue };
        let pair = pair(model, ws, q, ends, [links, closures.roots[index]]);
        let [a, b] = [&pair.frames[0], &pair.frames[1]];
        for k in 0..closure.rows() {
            let terms = match closure.row(k) {
                Row::Spin(e) => pair.spin(unit(e)),
                Row::Place(e) => pair.along_world(unit(e)),
                Row::Along(u) => pair.along(a.axis(u)),
                Row::Product(u, w) => pair.product(a.axis(u), b.axis(w)),
                Row::Distance(length) => pair.distance(length),
            };
            put(memory, closures, (index, k), &pair, &terms);
        }
    }
}

/// An axis of world.
#[inline(always)]
fn unit<T: Real>(axis: Axis) -> Vec3<T> {
    let one = |other: Axis| if axis == other { T::one() } else { T::zero() };
    Vec3::new(one(Axis::X), one(Axis::Y), one(Axis::Z))
}

#[inline(always)]
fn pair<T: Real>(
    model: &Model<T>,
    ws: &Workspace<T>,
    q: &[T],
    ends: [&Attachment<T>; 2],
    [links, roots]: [[Option<u32>; 2]; 2],
) -> Pair<T> {
    let mut frames = [frame(model, ws, ends[0], links[0]), frame(model, ws, ends[1], links[1])];
    for k in 0..2 {
        if let Some(root) = roots[k] {
            let shape = model.topology.links[root as usize];
            frames[k].position += root_origin(model, shape, q);
            frames[k].velocity += ws.root_velocities[root as usize];
        }
    }
    let d = frames[1].position - frames[0].position;
    let d_rate = frames[1].velocity - frames[0].velocity;
    let sizes = [frame_sizes(&frames[0]), frame_sizes(&frames[1])];
    Pair { frames, sizes, d, d_rate }
}

#[inline(always)]
fn frame_sizes<T: Real>(frame: &Frame<T>) -> FrameSizes<T> {
    FrameSizes {
        position: size(frame.position),
        omega: size(frame.omega),
        velocity: size(frame.velocity),
        alpha: size(frame.alpha),
        acceleration: frame.acceleration_size,
    }
}

#[inline(always)]
fn frame<T: Real>(
    model: &Model<T>,
    ws: &Workspace<T>,
    end: &Attachment<T>,
    link: Option<u32>,
) -> Frame<T> {
    let in_link = match end.body {
        Some(body) => model.bodies[body.index()].placement * end.frame,
        None => end.frame,
    };
    let Some(link) = link else {
        return Frame {
            link: None,
            rotation: Mat3::identity(),
            axes: in_link.rotation,
            arm: Vec3::zero(),
            position: in_link.translation,
            omega: Vec3::zero(),
            velocity: Vec3::zero(),
            alpha: Vec3::zero(),
            // accelerations are less gravity everywhere
            acceleration: -model.gravity,
            acceleration_size: size(model.gravity),
        };
    };
    let link = link as usize;
    let (at, flow, twist) = (ws.placements[link], &ws.flows[link], ws.rates[link]);
    let r = in_link.translation;
    let arm = at.rotation * r;
    let position = at.translation + arm;
    Frame {
        link: Some(link),
        rotation: at.rotation,
        axes: at.rotation * in_link.rotation,
        arm,
        position,
        omega: twist.angular,
        velocity: twist.angular.cross_add(position, twist.linear),
        alpha: at.rotation * flow.alpha,
        acceleration: at.rotation * (flow.acceleration + flow.gradient * r),
        acceleration_size: {
            let spin = size(twist.angular);
            spin.mul_add(spin, size(flow.alpha)).mul_add(size(r), size(flow.acceleration))
        },
    }
}

/// Writes a row.
#[inline(always)]
fn put<T: Real>(
    memory: &mut ClosureWorkspace<T>,
    closures: &LoopClosures<T>,
    (closure, row): (usize, usize),
    pair: &Pair<T>,
    terms: &Terms<T>,
) {
    let [mut velocity, mut acceleration] = [T::zero(), terms.bias];
    let mut sizes = Sizes { sum: terms.bias.abs(), ..Sizes::zero() };
    let (mut moment_size, mut force_size) = (T::zero(), T::zero());
    for k in 0..2 {
        let frame = &pair.frames[k];
        let (n, f) = (terms.n[k], terms.f[k]);
        velocity += n.dot(frame.omega) + f.dot(frame.velocity);
        let parts = [n.dot(frame.alpha), f.dot(frame.acceleration)];
        acceleration += parts[0] + parts[1];
        sizes.sum += parts[0].abs() + parts[1].abs();
        let (n_size, f_size, of) = (terms.n_size, size(f), &pair.sizes[k]);
        sizes.acceleration += n_size.mul_add(of.alpha, f_size * of.acceleration);
        sizes.velocity += n_size.mul_add(of.omega, f_size * of.velocity);
        sizes.position += f_size.mul_add(of.position, n_size);
        if frame.link.is_some() {
            let moment = frame.arm.cross_add(f, n);
            moment_size = moment_size.max(size(frame.arm).mul_add(f_size, n_size));
            force_size = force_size.max(f_size);
            let (n, f) = (frame.rotation.transpose_mul(moment), frame.rotation.transpose_mul(f));
            let w = &mut memory.ends[2 * closure + k].wrenches;
            (w[0][row], w[1][row], w[2][row]) = (n.x, n.y, n.z);
            (w[3][row], w[4][row], w[5][row]) = (f.x, f.y, f.z);
        }
    }
    // what turns changes by ω × ω ×, and by 2 ω × with what moves
    let spin = pair.sizes[0].omega + pair.sizes[1].omega;
    sizes.acceleration += spin * (sizes.velocity + sizes.velocity);
    let set = &mut memory.sets[closure];
    set.moment[row] = moment_size;
    set.force[row] = force_size;
    finish(set, closures, row, [terms.position, velocity, acceleration], sizes);
}

/// How large the terms of a row are: those of its acceleration as they are added, and those of all
/// three before anything in them cancelled.
#[derive(Clone, Copy)]
struct Sizes<T> {
    sum: T,
    position: T,
    velocity: T,
    acceleration: T,
}

impl<T: Real> Sizes<T> {
    #[inline(always)]
    fn zero() -> Self {
        let zero = T::zero();
        Sizes { sum: zero, position: zero, velocity: zero, acceleration: zero }
    }
}

/// The row of a gear: the accelerations of the reference motion are added at the joints.
#[inline(always)]
fn gear_row<T: Real>(
    model: &Model<T>,
    memory: &mut ClosureWorkspace<T>,
    closures: &LoopClosures<T>,
    closure: usize,
    links: [Option<u32>; 2],
    (a, b, ratio, offset): (usize, usize, T, T),
    (q, v): (&[T], &[T]),
) {
    let place = |link: Option<u32>| match link {
        Some(link) => q[model.topology.links[link as usize].q as usize],
        None => T::zero(),
    };
    let places = [place(links[1]), ratio * place(links[0])];
    let rates = [v[b], ratio * v[a]];
    let position = places[0] - places[1] - offset;
    let sizes = Sizes {
        position: places[0].abs() + places[1].abs() + offset.abs(),
        velocity: rates[0].abs() + rates[1].abs(),
        ..Sizes::zero()
    };
    memory.ends[2 * closure].joint = -ratio;
    memory.ends[2 * closure + 1].joint = T::one();
    let values = [position, rates[0] - rates[1], T::zero()];
    finish(&mut memory.sets[closure], closures, 0, values, sizes);
}

/// Puts an end at a link.
#[inline(always)]
fn give<T: Real>(memory: &mut ClosureWorkspace<T>, end: usize, link: usize) {
    memory.ends[end].next = memory.heads[link];
    memory.heads[link] = end as u32;
}

#[inline(always)]
fn finish<T: Real>(
    set: &mut RowSet<T>,
    closures: &LoopClosures<T>,
    row: usize,
    [position, velocity, acceleration]: [T; 3],
    sizes: Sizes<T>,
) {
    let s = &closures.stabilization;
    let (by_velocity, by_position) = (s.alpha + s.alpha, s.beta * s.beta);
    let (damping, stiffness) = (by_velocity * velocity, by_position * position);
    set.position[row] = position;
    set.velocity[row] = velocity;
    set.acceleration[row] = acceleration + damping + stiffness;
    set.size[row] = sizes.sum + (damping.abs() + stiffness.abs());
    set.terms[row] = by_velocity
        .mul_add(sizes.velocity, by_position.mul_add(sizes.position, sizes.acceleration));
    set.open[row] = T::one();
}
