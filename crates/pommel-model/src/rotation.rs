//! Rotation matrices and quaternions in plain arrays.

use pommel_math::sin_cos;

/// Three rows of three.
pub(crate) type Matrix3 = [[f64; 3]; 3];

/// Rotation matrix of roll, pitch, yaw: `Rz(yaw) Ry(pitch) Rx(roll)`.
pub fn rotation_of_rpy([roll, pitch, yaw]: [f64; 3]) -> [[f64; 3]; 3] {
    let (sr, cr) = sin_cos(roll);
    let (sp, cp) = sin_cos(pitch);
    let (sy, cy) = sin_cos(yaw);
    [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
}

/// Rotation matrix of a quaternion (w, x, y, z), normalised first; the identity if it is zero.
pub fn rotation_of_quaternion(quaternion: [f64; 4]) -> [[f64; 3]; 3] {
    let [w, x, y, z] = normalised_quaternion(quaternion).unwrap_or([1.0, 0.0, 0.0, 0.0]);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Unit quaternion (w, x, y, z) of a rotation matrix, with w ≥ 0.
pub fn quaternion_of(r: &[[f64; 3]; 3]) -> [f64; 4] {
    // four times the squared components; the largest one is safe to divide by
    let squares = [
        1.0 + r[0][0] + r[1][1] + r[2][2],
        1.0 + r[0][0] - r[1][1] - r[2][2],
        1.0 - r[0][0] + r[1][1] - r[2][2],
        1.0 - r[0][0] - r[1][1] + r[2][2],
    ];
    let k = (1..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let root = squares[k].sqrt();
    let f = 0.5 / root;
    let (wx, wy, wz) = (r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
    let (xy, xz, yz) = (r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]);
    let half = 0.5 * root;
    let q = match k {
        0 => [half, f * wx, f * wy, f * wz],
        1 => [f * wx, half, f * xy, f * xz],
        2 => [f * wy, f * xy, half, f * yz],
        _ => [f * wz, f * xz, f * yz, half],
    };
    if q[0] < 0.0 { q.map(|c| -c) } else { q }
}

/// Product of two rotation matrices.
pub fn multiply(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut c = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            c[i][j] = (0..3).map(|k| a[i][k] * b[k][j]).sum();
        }
    }
    c
}

/// Transpose, the inverse of a rotation.
pub(crate) fn transpose(a: &Matrix3) -> Matrix3 {
    let mut t = *a;
    for i in 0..3 {
        for j in 0..3 {
            t[i][j] = a[j][i];
        }
    }
    t
}

/// Matrix times vector.
pub(crate) fn apply(a: &Matrix3, x: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2])
}

/// Rotation about z.
pub(crate) fn rotation_about_z(angle: f64) -> Matrix3 {
    let (s, c) = sin_cos(angle);
    [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
}

/// The shortest rotation that takes z to the unit vector `n`.
pub(crate) fn rotation_from_z_to(n: [f64; 3]) -> Matrix3 {
    // half-way quaternion (1 + z·n, z × n); opposite vectors turn about x
    let w = 1.0 + n[2];
    let q = if w > 0.0 && norm(&[w, n[0], n[1]]) > 0.0 {
        [w, -n[1], n[0], 0.0]
    } else {
        [0.0, 1.0, 0.0, 0.0]
    };
    rotation_of_quaternion(q)
}

/// Euclidean norm that neither overflows nor underflows.
pub(crate) fn norm(x: &[f64]) -> f64 {
    let scale = x.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    // unscaled when that is safe, so that exact unit vectors stay exact
    if (1e-140..1e140).contains(&scale) {
        return x.iter().map(|c| c * c).sum::<f64>().sqrt();
    }
    scale * x.iter().map(|c| (c / scale) * (c / scale)).sum::<f64>().sqrt()
}

/// The vector divided by its norm; none if that is zero.
pub(crate) fn normalised<const N: usize>(x: [f64; N]) -> Option<[f64; N]> {
    let length = norm(&x);
    (length > 0.0 && length.is_finite()).then(|| x.map(|c| c / length))
}

/// The quaternion divided by its norm, untouched if that is one to rounding; none if it is zero.
pub(crate) fn normalised_quaternion(q: [f64; 4]) -> Option<[f64; 4]> {
    // the square of a normalised double quaternion is off by at most four roundings
    let square: f64 = q.iter().map(|c| c * c).sum();
    if (square - 1.0).abs() <= 4.0 * f64::EPSILON { Some(q) } else { normalised(q) }
}
