//! Motion of named frames.

use pommel_mechanism::{Frames, System};
use pommel_model::Mechanism;

/// A body that turns about two axes, with its mass centre beside its frame, against central differences.
#[test]
fn points_in_space_move_as_their_differences_say() {
    let text = r#"
        name = "top"
        kind = "spatial"
        bodies = [
            { name = "fork", mass = 1.0, inertia = [0.1, 0.2, 0.3] },
            { name = "top", mass = 1.0, inertia = [0.1, 0.2, 0.3], com = [0.3, -0.2, 0.1] },
        ]
        joints = [
            { name = "free", type = "free", parent = "ground", child = "fork" },
            { name = "hub", type = "spherical", parent = "fork", child = "top" },
        ]
        frames = [
            { name = "post", body = "ground", position = [1.0, 2.0, 3.0] },
            { name = "tip", body = "top", position = [0.4, 0.5, -0.6] },
        ]
    "#;
    let mechanism = Mechanism::from_toml_str(text).unwrap();
    let system = System::new(&mechanism).unwrap();
    let frames = Frames::new(&mechanism, &system);
    assert_eq!(frames.names(), ["post", "tip"]);
    // R = Rz(ψ) Rx(φ) with ψ = t², φ = sin 2t; the body's own axes see Rxᵀ (0, 0, ψ') + (φ', 0, 0)
    let state = |t: f64| {
        let (psi, phi) = (t * t, (2.0 * t).sin());
        let (psi1, phi1) = (2.0 * t, 2.0 * (2.0 * t).cos());
        let (psi2, phi2) = (2.0, -4.0 * (2.0 * t).sin());
        let ((sz, cz), (sx, cx)) = ((0.5 * psi).sin_cos(), (0.5 * phi).sin_cos());
        let (sin, cos) = phi.sin_cos();
        let mut q = vec![0.0; 14];
        (q[3], q[7], q[8], q[9]) = (1.0, t.cos(), 0.3 * t, t * t * t);
        q[10..].copy_from_slice(&[cz * cx, cz * sx, sz * sx, sz * cx]);
        let omega = [phi1, psi1 * sin, psi1 * cos];
        let change = [phi2, psi2 * sin + psi1 * cos * phi1, psi2 * cos - psi1 * sin * phi1];
        let v = [&[0.0; 6][..], &omega, &[-t.sin(), 0.3, 3.0 * t * t]].concat();
        let a = [&[0.0; 6][..], &change, &[-t.cos(), 0.0, 6.0 * t]].concat();
        (q, v, a)
    };
    let at = |t: f64| {
        let (q, v, a) = state(t);
        frames.motion(1, &q, &v, &a)
    };
    let h = 1e-4;
    for t in [0.1, 0.7, 1.9] {
        let (before, here, after) = (at(t - h), at(t), at(t + h));
        for k in 0..3 {
            // h² of third derivatives, which are below 200, and rounding
            let rate = (after.position[k] - before.position[k]) / (2.0 * h);
            assert!((rate - here.velocity[k]).abs() < 1e-6, "{t} {k}: {rate} {here:?}");
            let rate = (after.velocity[k] - before.velocity[k]) / (2.0 * h);
            assert!((rate - here.acceleration[k]).abs() < 3e-6, "{t} {k}: {rate} {here:?}");
        }
    }
    let (q, v, a) = state(0.7);
    let post = frames.motion(0, &q, &v, &a);
    assert_eq!((post.position, post.velocity), ([1.0, 2.0, 3.0], [0.0; 3]));
    // the distance from the mass centre is that of the model
    let tip = frames.motion(1, &q, &v, &a).position;
    let arm = (0..3).map(|k| (tip[k] - q[7 + k]).powi(2)).sum::<f64>().sqrt();
    assert!((arm - (0.01_f64 + 0.49 + 0.49).sqrt()).abs() < 1e-14, "{arm}");
}
