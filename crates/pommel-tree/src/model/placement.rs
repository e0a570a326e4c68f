//! Denavit and Hartenberg's parameters of two joint axes.

use pommel_math::{Mat3, Real, Transform, Vec3};

/// `X = Rz(φ) Tz(s) · T(a, b, 0) Rx(α) · Rz(θ) Tz(d)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decomposition<T> {
    pub(super) phi: T,
    pub(super) s: T,
    pub(super) a: T,
    pub(super) b: T,
    pub(super) sin_alpha: T,
    pub(super) cos_alpha: T,
    pub(super) theta: T,
    pub(super) d: T,
}

/// The common normal is used if its feet are at most this many times farther from the joint
/// origins than these are from each other: beyond, the detour would cost digits.
const FARTHEST_FOOT: f64 = 4.0;

/// Axes whose sine is below this many units of rounding are parallel.
const PARALLEL: f64 = 8.0;

/// Decomposes the placement `x` of a joint frame (z along the joint axis) in the frame of the
/// parent's joint (z along its axis).
///
/// Each lane is decided by itself, as its single run would be. None if the orientation carries a
/// derivative where the axes are parallel: twist and turn are polar coordinates of the axis, which
/// have no derivative there.
pub(super) fn decompose<T: Real>(x: Transform<T>) -> Option<Decomposition<T>> {
    if T::LANES == 1 {
        return decompose_one(x);
    }
    let lanes: Option<Vec<Decomposition<f64>>> =
        (0..T::LANES).map(|i| decompose_one(x.cast(|c| c.lane(i)))).collect();
    let lanes = lanes?;
    let pack = |pick: fn(&Decomposition<f64>) -> f64| T::from_lanes(|i| pick(&lanes[i]));
    Some(Decomposition {
        phi: pack(|d| d.phi),
        s: pack(|d| d.s),
        a: pack(|d| d.a),
        b: pack(|d| d.b),
        sin_alpha: pack(|d| d.sin_alpha),
        cos_alpha: pack(|d| d.cos_alpha),
        theta: pack(|d| d.theta),
        d: pack(|d| d.d),
    })
}

fn decompose_one<T: Real>(x: Transform<T>) -> Option<Decomposition<T>> {
    let (r, t) = (x.rotation, x.translation);
    let zero = T::zero();
    // R ẑ = (sin φ sin α, −cos φ sin α, cos α)
    let sine = (r.x.z * r.x.z + r.y.z * r.y.z).sqrt();
    let parallel = sine.lane(0) <= PARALLEL * T::EPSILON;
    if parallel && !(r.x.z.is_constant() && r.y.z.is_constant()) {
        return None;
    }
    let reach = (t.x * t.x + t.y * t.y).sqrt();
    let phi = if !parallel {
        r.x.z.atan2(-r.y.z)
    } else if reach.lane(0) > 0.0 {
        t.y.atan2(t.x)
    } else {
        zero
    };
    let (sin_phi, cos_phi) = phi.sin_cos();
    let turned = rotation_z(sin_phi, cos_phi).transpose() * r;
    let (sin_alpha, cos_alpha) = if parallel {
        (zero, if r.z.z.lane(0) > 0.0 { T::one() } else { -T::one() })
    } else {
        let angle = (-turned.y.z).atan2(turned.z.z);
        angle.sin_cos()
    };
    // Rz(θ) = Rx(−α) Rz(−φ) R: its first row is that of Rz(−φ) R
    let theta = (-turned.x.y).atan2(turned.x.x);
    // Rz(−φ) r = (a, b − d sin α, s + d cos α)
    let t = rotation_z(sin_phi, cos_phi).transpose_mul(t);
    let (b, d) = if parallel {
        (if reach.lane(0) > 0.0 { zero } else { t.y }, zero)
    } else {
        let d = -t.y / sin_alpha;
        if d.lane(0).abs() <= FARTHEST_FOOT * t.norm().lane(0) { (zero, d) } else { (t.y, zero) }
    };
    Some(Decomposition { phi, s: t.z - d * cos_alpha, a: t.x, b, sin_alpha, cos_alpha, theta, d })
}

/// The rotation about z.
pub(super) fn rotation_z<T: Real>(sin: T, cos: T) -> Mat3<T> {
    let (o, l) = (T::zero(), T::one());
    Mat3::from_rows(Vec3::new(cos, -sin, o), Vec3::new(sin, cos, o), Vec3::new(o, o, l))
}

/// A rotation that takes z to the direction of `axis`, exact for the coordinate axes; none if the
/// axis has no direction. Any length that a number can have is as good as another.
pub(super) fn z_to(axis: [f64; 3]) -> Option<Mat3<f64>> {
    let largest = axis.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    // also refuses NaN, which `max` above may have passed over
    if !(largest > 0.0 && axis.iter().all(|c| c.is_finite())) {
        return None;
    }
    let axis = Vec3::<f64>::from_f64(axis.map(|c| c / largest));
    let z = axis.scale(axis.norm().recip());
    // the coordinate axis farthest from z completes the frame
    let size = z.cast(f64::abs);
    let seed = if size.x <= size.y && size.x <= size.z {
        [1.0, 0.0, 0.0]
    } else if size.y <= size.z {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let seed = Vec3::<f64>::from_f64(seed);
    let x = seed - z.scale(seed.dot(z));
    let x = x.scale(x.norm().recip());
    let y = z.cross(x);
    Some(Mat3::from_rows(x, y, z).transpose())
}
