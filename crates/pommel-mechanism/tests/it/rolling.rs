//! Driven motion of wheels: what they roll to is integrated.

use pommel_mechanism::kinematics::{DrivenMotion, MotionSample};

use crate::failures::start;

fn motion(model: &str, times: &[f64]) -> (Vec<MotionSample>, usize) {
    let (sample, q) = start(model);
    let mut motion = DrivenMotion::new(&sample.system).unwrap();
    let mut samples = Vec::new();
    motion.motion(times, &q, &mut samples, |_| ()).unwrap();
    (samples, sample.system.coordinates_per_body())
}

/// A wheel in the plane that is moved along `x = sin t` has turned by `−x / r`, however far the samples
/// are apart.
#[test]
fn a_wheel_turns_by_its_way_over_its_radius() {
    let model = r#"
name = "wheel"
kind = "planar"
[[bodies]]
name = "wheel"
mass = 2.0
inertia = 0.1
position = [0.0, 0.4]
angle = 0.0
[[joints]]
name = "plane"
type = "planar"
parent = "ground"
child = "wheel"
in_parent = { position = [0.0, 0.4] }
[[constraints]]
type = "rolling"
name = "floor"
body1 = "ground"
plane = { normal = [0.0, 1.0] }
body2 = "wheel"
radius = 0.4
[[drivers]]
name = "push"
joint = "plane"
coordinate = 0
motion = { type = "sine", amplitude = 1.0, angular_frequency = 1.0 }
"#;
    for (amplitude, frequency, step, end) in [
        (1.0, 1.0, 0.01, 8.0),
        (1.0, 1.0, 0.5, 8.0),
        (1.0, 1.0, 100.0, 100.0),
        (0.5, 400.0, 1.0, 1.0),
    ] {
        let model = model
            .replace("amplitude = 1.0", &format!("amplitude = {amplitude}"))
            .replace("frequency = 1.0", &format!("frequency = {frequency}"));
        let times: Vec<f64> = (0..=(end / step) as usize).map(|k| step * k as f64).collect();
        let (samples, _) = motion(&model, &times);
        for sample in samples {
            let way = amplitude * (frequency * sample.time).sin();
            // 1e-10 of 2.5 rad a radian of the sine, as the documentation says
            let limit = 1e-9 + 2.5e-10 * frequency * sample.time;
            assert!((sample.q[2] + way / 0.4).abs() < limit, "{frequency} {step}: {sample:?}");
            assert!((sample.q[0] - way).abs() < 1e-12);
        }
    }
}

/// A disc that is turned about its axle at ω and about the upright at Ω runs in a circle of radius
/// `r ω / Ω`.
#[test]
fn a_disc_runs_in_a_circle() {
    let (radius, spin, yaw) = (0.3, 2.0, 0.5);
    let model = format!(
        r#"
name = "disc"
kind = "spatial"
[[bodies]]
name = "fork"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0.0, 0.0, {radius}]
[[bodies]]
name = "disc"
mass = 2.0
inertia = [0.1, 0.2, 0.1]
position = [0.0, 0.0, {radius}]
[[joints]]
name = "floor"
type = "planar"
parent = "ground"
child = "fork"
in_parent = {{ position = [0.0, 0.0, {radius}] }}
[[joints]]
name = "axle"
type = "revolute"
parent = "fork"
child = "disc"
axis = [0.0, 1.0, 0.0]
[[constraints]]
type = "rolling"
name = "contact"
body1 = "ground"
plane = {{ normal = [0.0, 0.0, 1.0] }}
body2 = "disc"
radius = {radius}
axis = [0.0, 1.0, 0.0]
[[drivers]]
name = "spin"
joint = "axle"
motion = {{ type = "polynomial", coefficients = [0.0, {spin}] }}
[[drivers]]
name = "steer"
joint = "floor"
coordinate = 2
motion = {{ type = "polynomial", coefficients = [0.0, {yaw}] }}
"#
    );
    let circle = radius * spin / yaw;
    for step in [0.05, 4.0] {
        let times: Vec<f64> = (0..=(8.0 / step) as usize).map(|k| step * k as f64).collect();
        let (samples, width) = motion(&model, &times);
        assert_eq!(width, 7);
        for sample in samples {
            let (sin, cos) = (yaw * sample.time).sin_cos();
            for body in [0, 7] {
                let off = (sample.q[body] - circle * sin)
                    .abs()
                    .max((sample.q[body + 1] - circle * (1.0 - cos)).abs());
                assert!(off < 1e-8, "{step}: {off:e} at {sample:?}");
            }
        }
    }
}

/// A ball on the floor and against a wall that follows it, whose centre runs in a circle: it turns about
/// an axis that turns itself, as an integration of its quaternion says.
#[test]
fn a_ball_turns_about_changing_axes() {
    let joint = |child: &str, at: &str, turn: &str| {
        format!(
            "[[joints]]\nname = \"{child}\"\ntype = \"planar\"\nparent = \"ground\"\nchild = \"{child}\"\n\
             in_parent = {{ position = {at}, rpy = {turn} }}\nin_child = {{ rpy = {turn} }}\n"
        )
    };
    let body = |name: &str, at: &str| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\nposition = {at}\n"
        )
    };
    let rolling = |name: &str, on: &str, plane: &str| {
        format!(
            "[[constraints]]\ntype = \"rolling\"\nname = \"{name}\"\nbody1 = \"{on}\"\nplane = {{ {plane} }}\n\
             body2 = \"ball\"\nradius = 0.3\n"
        )
    };
    let driver = |joint: &str, coordinate: usize, motion: &str| {
        format!(
            "[[drivers]]\njoint = \"{joint}\"\ncoordinate = {coordinate}\nmotion = {{ {motion} }}\n"
        )
    };
    let sine = |phase: f64, offset: f64| {
        format!(
            "type = \"sine\", amplitude = 0.3, angular_frequency = 1.0, phase = {phase}, offset = {offset}"
        )
    };
    let still = "type = \"constant\", value = 0.0";
    let model = [
        "name = \"ball\"\nkind = \"spatial\"\n".to_owned(),
        body("frame", "[0.0, 0.0, 0.3]"),
        body("ball", "[0.0, 0.0, 0.3]"),
        body("wall", "[0.0, 0.3, 0.3]"),
        joint("frame", "[0.0, 0.0, 0.3]", "[0.0, 0.0, 0.0]"),
        joint("wall", "[0.0, 0.3, 0.3]", "[0.0, 1.5707963267948966, 0.0]"),
        "[[joints]]\nname = \"centre\"\ntype = \"spherical\"\nparent = \"frame\"\nchild = \"ball\"\n".into(),
        rolling("on floor", "ground", "normal = [0.0, 0.0, 1.0]"),
        rolling("on wall", "wall", "normal = [0.0, -1.0, 0.0]"),
        driver("frame", 0, &sine(0.0, 0.0)),
        driver("frame", 1, &sine(std::f64::consts::FRAC_PI_2, -0.3)),
        driver("frame", 2, still),
        driver("wall", 2, still),
    ]
    .concat();
    // ω in world axes, of x = 0.3 sin t, y = 0.3 cos t − 0.3
    let rate = |t: f64, q: [f64; 4]| {
        let [x, y, z] = [t.sin(), t.cos(), t.cos()];
        let [w, a, b, c] = q.map(|q| 0.5 * q);
        [
            -x * a - y * b - z * c,
            x * w + y * c - z * b,
            y * w + z * a - x * c,
            z * w + x * b - y * a,
        ]
    };
    let along = |q: [f64; 4], h: f64, d: [f64; 4]| std::array::from_fn(|k| q[k] + h * d[k]);
    for step in [0.1, 0.5] {
        let times: Vec<f64> = (0..=(5.0 / step) as usize).map(|k| step * k as f64).collect();
        let (samples, _) = motion(&model, &times);
        let (mut q, mut t, h) = ([1.0, 0.0, 0.0, 0.0], 0.0, 1e-3);
        for sample in samples {
            while t < sample.time - 0.5 * h {
                let k1 = rate(t, q);
                let k2 = rate(t + 0.5 * h, along(q, 0.5 * h, k1));
                let k3 = rate(t + 0.5 * h, along(q, 0.5 * h, k2));
                let k4 = rate(t + h, along(q, h, k3));
                let mean = std::array::from_fn(|k| (k1[k] + 2.0 * (k2[k] + k3[k]) + k4[k]) / 6.0);
                q = along(q, h, mean);
                t += h;
            }
            let found = &sample.q[10..14];
            let same = (0..4).map(|k| q[k] * found[k]).sum::<f64>();
            let off = (0..4).map(|k| (q[k] - same.signum() * found[k]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-8, "{step}: {off:e} at {}", sample.time);
        }
    }
}
