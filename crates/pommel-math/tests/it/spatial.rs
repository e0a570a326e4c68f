//! Spatial algebra against full matrices.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use pommel_math::{
    ArticulatedInertia, Mat3, Quaternion, RigidInertia, Sym3, Transform, Twist, Vec3, Wrench,
};
use pommel_testkit::Rng;

fn vec3(rng: &mut Rng) -> Vec3<f64> {
    Vec3::from_f64(rng.vector(2.0))
}

fn transform(rng: &mut Rng) -> Transform<f64> {
    Transform::new(Mat3::from_rpy(rng.vector(3.0)), vec3(rng))
}

fn n3(v: Vec3<f64>) -> Vector3<f64> {
    Vector3::from(v.to_array())
}

fn n33(m: Mat3<f64>) -> Matrix3<f64> {
    let r = m.to_rows();
    Matrix3::from_fn(|i, j| r[i][j])
}

fn skew(v: Vec3<f64>) -> Matrix3<f64> {
    n3(v).cross_matrix()
}

fn stack(a: Vec3<f64>, b: Vec3<f64>) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

/// The 6 × 6 matrix that takes a twist from parent to child.
fn motion_matrix(x: Transform<f64>) -> Matrix6<f64> {
    let rt = n33(x.rotation).transpose();
    let mut m = Matrix6::zeros();
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(&rt);
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(&rt);
    m.fixed_view_mut::<3, 3>(3, 0).copy_from(&(-rt * skew(x.translation)));
    m
}

fn n66(m: ArticulatedInertia<f64>) -> Matrix6<f64> {
    let r = m.to_rows();
    Matrix6::from_fn(|i, j| r[i][j])
}

fn close(a: &Matrix6<f64>, b: &Matrix6<f64>) {
    assert!((a - b).amax() <= 1e-14 * (1.0 + b.amax()), "{a} {b}");
}

fn body(rng: &mut Rng) -> RigidInertia<f64> {
    let i = [3.0, 4.0, 5.0, 0.1, -0.2, 0.3];
    RigidInertia::from_centroidal(rng.uniform(0.5, 3.0), vec3(rng), Sym3::from_f64(i))
}

#[test]
fn twists_and_wrenches_transform_by_transposed_matrices() {
    let mut rng = Rng::new(1);
    for _ in 0..100 {
        let x = transform(&mut rng);
        let m = motion_matrix(x);
        let t = Twist::new(vec3(&mut rng), vec3(&mut rng));
        let w = Wrench::new(vec3(&mut rng), vec3(&mut rng));
        let child = x.twist_to_child(t);
        let error = stack(child.angular, child.linear) - m * stack(t.angular, t.linear);
        assert!(error.amax() < 1e-14);
        let back = x.twist_to_parent(child);
        assert!(stack(back.angular - t.angular, back.linear - t.linear).amax() < 1e-14);
        let parent = x.wrench_to_parent(w);
        let error = stack(parent.moment, parent.force) - m.transpose() * stack(w.moment, w.force);
        assert!(error.amax() < 1e-14);
        // the same power in both frames
        assert!((t.dot(parent) - child.dot(w)).abs() < 1e-13);
    }
}

#[test]
fn transforms_compose_and_invert() {
    let mut rng = Rng::new(2);
    for _ in 0..100 {
        let (a, b, p) = (transform(&mut rng), transform(&mut rng), vec3(&mut rng));
        let chained = a.point_to_parent(b.point_to_parent(p));
        assert!(((a * b).point_to_parent(p) - chained).norm() < 1e-14);
        assert!((a.inverse().point_to_parent(a.point_to_parent(p)) - p).norm() < 1e-14);
        assert!((a.point_to_child(a.point_to_parent(p)) - p).norm() < 1e-14);
    }
}

#[test]
fn inertias_transform_as_six_by_six_matrices() {
    let mut rng = Rng::new(3);
    for _ in 0..100 {
        let (x, rigid) = (transform(&mut rng), body(&mut rng));
        let full = n66(rigid.to_articulated());
        let m = motion_matrix(x);
        let truth = m.transpose() * full * m;
        close(&n66(rigid.to_articulated().to_parent(x)), &truth);
        close(&n66(rigid.to_parent(x).to_articulated()), &truth);
        let t = Twist::new(vec3(&mut rng), vec3(&mut rng));
        let w = rigid.apply(t);
        assert!((stack(w.moment, w.force) - full * stack(t.angular, t.linear)).amax() < 1e-13);
        let v = stack(t.angular, t.linear);
        assert!((rigid.kinetic_energy(t) - 0.5 * v.dot(&(full * v))).abs() < 1e-12);
        // a general symmetric matrix, not that of a body
        let psi = Wrench::new(vec3(&mut rng), vec3(&mut rng));
        let reduced = rigid.to_articulated().minus_outer(psi, psi.scale(0.3));
        let p = stack(psi.moment, psi.force);
        close(&n66(reduced), &(full - p * p.transpose() * 0.3));
        close(&n66(reduced.to_parent(x)), &(m.transpose() * n66(reduced) * m));
        let w = reduced.apply(t);
        assert!((stack(w.moment, w.force) - n66(reduced) * v).amax() < 1e-12);
        let sum = reduced + rigid.to_articulated();
        close(&n66(sum), &(n66(reduced) + full));
    }
}

/// Newton and Euler about the mass centre, moved to the origin by hand.
#[test]
fn newton_euler_about_any_point() {
    let mut rng = Rng::new(4);
    for _ in 0..100 {
        let (mass, c) = (rng.uniform(0.5, 3.0), vec3(&mut rng));
        let tensor = Sym3::from_f64([3.0, 4.0, 5.0, 0.1, -0.2, 0.3]);
        let (omega, alpha, a) = (vec3(&mut rng), vec3(&mut rng), vec3(&mut rng));
        let i = n33(tensor.to_mat3());
        let (w, al, r) = (n3(omega), n3(alpha), n3(c));
        let ac = n3(a) + al.cross(&r) + w.cross(&w.cross(&r));
        let force = ac * mass;
        let moment = i * al + w.cross(&(i * w)) + r.cross(&force);
        let got = RigidInertia::from_centroidal(mass, c, tensor)
            .newton_euler(omega, Twist::new(alpha, a));
        assert!((n3(got.force) - force).amax() < 1e-12 && (n3(got.moment) - moment).amax() < 1e-12);
    }
}

#[test]
fn quaternions_rotate_and_turn_as_matrices_do() {
    let mut rng = Rng::new(5);
    for case in 0..400 {
        let mut q = Quaternion::from_slice(&rng.list(4, 1.0)).normalized();
        if case % 4 == 0 {
            // half turns: the scalar part vanishes
            q = Quaternion::new(0.0, q.x, q.y, q.z).normalized();
        }
        let r = q.rotation();
        assert!((n33(r).transpose() * n33(r) - Matrix3::identity()).amax() < 1e-14);
        let back = Quaternion::from_rotation(r);
        let dot = back.w * q.w + back.x * q.x + back.y * q.y + back.z * q.z;
        assert!((dot.abs() - 1.0).abs() < 1e-14, "{q:?} {back:?}");
        assert!((n33(q.scale(3.0).rotation()) - n33(r)).amax() < 1e-14);
        let p = Quaternion::from_slice(&rng.list(4, 1.0)).normalized();
        assert!((n33((q * p).rotation()) - n33(r) * n33(p.rotation())).amax() < 1e-14);
        // Ṙ = ω̃ R, by central differences
        let omega = vec3(&mut rng);
        let rate = q.rate(omega);
        let h = 1e-6;
        let moved = |h: f64| {
            let d = rate.scale(h);
            n33(Quaternion::new(q.w + d.w, q.x + d.x, q.y + d.y, q.z + d.z).rotation())
        };
        let difference = (moved(h) - moved(-h)) / (2.0 * h);
        assert!((difference - skew(omega) * n33(r)).amax() < 1e-8);
        let in_body = q.rate_in_body(r.transpose_mul(omega));
        assert!((in_body.w - rate.w).abs() < 1e-15 && (in_body.x - rate.x).abs() < 1e-14);
        let axis = omega.scale(1.0 / omega.norm());
        let (s, c) = pommel_math::Real::sin_cos(0.7);
        let turned = Quaternion::from_axis_angle(axis, 0.7).rotation();
        assert!((n33(turned) - n33(Mat3::rotation(axis, s, c))).amax() < 1e-14);
        assert!((n33((q * q.conjugate()).rotation()) - Matrix3::identity()).amax() < 1e-14);
    }
}

#[test]
fn roll_pitch_yaw_is_rz_ry_rx() {
    let mut rng = Rng::new(6);
    for _ in 0..50 {
        let rpy = rng.vector(3.0);
        let turn = |k: usize, angle: f64| {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            let (s, c) = pommel_math::Real::sin_cos(angle);
            n33(Mat3::rotation(Vec3::from_f64(axis), s, c))
        };
        let truth = turn(2, rpy[2]) * turn(1, rpy[1]) * turn(0, rpy[0]);
        assert!((n33(Mat3::from_rpy(rpy)) - truth).amax() < 1e-15);
    }
}
