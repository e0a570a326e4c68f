//! Differential-algebraic systems of index 1 to 3.

use std::convert::Infallible;

use pommel_integrate::{
    Adaptive, ImplicitMethod, ImplicitOptions, StiffSystem, System, integrate_implicit,
};

use crate::problems::{distance, slope};

/// `M y' = f(t, y)` by closures and tables.
struct Dae<F> {
    f: F,
    mass: Vec<f64>,
    indices: Vec<u8>,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> System<f64> for Dae<F> {
    type Error = Infallible;

    fn dim(&self) -> usize {
        self.indices.len()
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        (self.f)(t, y, dy);
        Ok(())
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> StiffSystem for Dae<F> {
    fn mass(&self, mass: &mut [f64]) -> bool {
        mass.copy_from_slice(&self.mass);
        true
    }
    fn index(&self, component: usize) -> u8 {
        self.indices[component]
    }
}

fn diagonal(list: &[f64]) -> Vec<f64> {
    let n = list.len();
    (0..n * n).map(|k| if k / n == k % n { list[k / n] } else { 0.0 }).collect()
}

fn dae<F: FnMut(f64, &[f64], &mut [f64])>(ones: &[f64], indices: &[u8], f: F) -> Dae<F> {
    Dae { f, mass: diagonal(ones), indices: indices.to_vec() }
}

fn adaptive(method: ImplicitMethod, tolerance: f64) -> ImplicitOptions {
    ImplicitOptions::adaptive(method.tableau(), Adaptive::new(tolerance, tolerance))
}

/// A particle on a curve, `0 = Φ = x² + (x² − y)² − 1`, with positions, velocities, accelerations and a
/// multiplier as unknowns, and a second one for `0 = Φ_q q̇`; reference by extrapolation in 113-bit
/// numbers.
#[test]
fn a_particle_on_a_curve_ends_where_the_reference_does() {
    let g = 9.81;
    let ones = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let mut system = dae(&ones, &[1, 1, 1, 1, 2, 2, 2, 2], {
        move |_: f64, s: &[f64], f: &mut [f64]| {
            let [x, y, u, v, ax, ay, l, mu] = [s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]];
            let w = x * x - y;
            let (gx, gy) = (2.0 * x * (1.0 + 2.0 * w), -2.0 * w);
            f[..4].copy_from_slice(&[u - gx * mu, v - gy * mu, ax, ay]);
            f[4] = (1.0 + 4.0 * x * x) * ax + 2.0 * x * ay + 4.0 * x * u * u + x * g + gx * l;
            f[5] = 2.0 * x * ax + ay + 2.0 * u * u - 0.5 * g + gy * l;
            f[6] = gx * u + gy * v;
            f[7] = x * x + w * w - 1.0;
        }
    });
    let reference = [
        0.512_485_156_959_507_6,
        -0.596_055_047_441_577_3,
        1.136_870_809_850_316_4,
        1.843_763_632_024_616_5,
    ];
    let l0 = -2.061_894_884_412_909_2;
    // accelerations of the start: two of the equations are linear in them
    let (x, u, y) = (0.6_f64, 1.0, -0.44);
    let w = x * x - y;
    let (m11, m12) = (1.0 + 4.0 * x * x, 2.0 * x);
    let r1 = -(4.0 * x * u * u + x * g + 2.0 * x * (1.0 + 2.0 * w) * l0);
    let r2 = -(2.0 * u * u - 0.5 * g - 2.0 * w * l0);
    let determinant = m11 - m12 * m12;
    let (ax, ay) = ((r1 - m12 * r2) / determinant, (m11 * r2 - m12 * r1) / determinant);
    for tolerance in [1e-6, 1e-9] {
        let mut s = [x, y, u, 1.95, ax, ay, l0, 0.0];
        let options = adaptive(ImplicitMethod::Radau5, tolerance);
        integrate_implicit(&mut system, 0.0, 5.0, &mut s, &options, &mut ()).unwrap();
        let error = distance(&s[..4], &reference);
        assert!(error < 10.0 * tolerance, "{error:e} at {tolerance:e}");
        let w = s[0] * s[0] - s[1];
        assert!((s[0] * s[0] + w * w - 1.0).abs() < 1e-2 * tolerance, "{s:?}");
    }
}

/// A pendulum of 1 m: (x, y, u, v, λ) with the constraint on positions, velocities, or accelerations, or
/// with positions corrected by a second multiplier (Gear, Gupta and Leimkuhler).
fn pendulum(index: u8) -> Dae<impl FnMut(f64, &[f64], &mut [f64])> {
    let g = 9.81;
    let gear = index == 0;
    let f = move |_: f64, s: &[f64], f: &mut [f64]| {
        let [x, y, u, v, l] = [s[0], s[1], s[2], s[3], s[4]];
        let mu = if gear { s[5] } else { 0.0 };
        f[0] = u - x * mu;
        f[1] = v - y * mu;
        f[2] = -x * l;
        f[3] = -y * l - g;
        let position = x * x + y * y - 1.0;
        f[4] = match index {
            1 => u * u + v * v - l * (x * x + y * y) - g * y,
            0 | 2 => x * u + y * v,
            _ => position,
        };
        if gear {
            f[5] = position;
        }
    };
    let ones = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
    let indices: &[u8] = match index {
        1 => &[1, 1, 1, 1, 1],
        2 => &[1, 1, 1, 1, 2],
        0 => &[1, 1, 1, 1, 2, 2],
        _ => &[1, 1, 2, 2, 3],
    };
    dae(&ones[..indices.len()], indices, f)
}

/// Positions and velocities at a time, from the equation of the angle.
fn angle_reference(t: f64) -> [f64; 4] {
    let mut equation = pommel_integrate::from_fn(2, |_: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = -9.81 * y[0].sin();
    });
    let mut y = [1.0, 0.0];
    let options = pommel_integrate::Options::fixed(
        pommel_integrate::Tableau::dormand_prince_853(),
        1.0 / 256.0,
    );
    pommel_integrate::integrate(&mut equation, 0.0, t, &mut y, &options, &mut ()).unwrap();
    let (sin, cos) = y[0].sin_cos();
    [sin, -cos, y[1] * cos, y[1] * sin]
}

fn start(index: u8) -> Vec<f64> {
    let (sin, cos) = 1f64.sin_cos();
    // at rest: λ = g cos φ
    let s = [sin, -cos, 0.0, 0.0, 9.81 * cos, 0.0];
    s[..if index == 0 { 6 } else { 5 }].to_vec()
}

/// Positions converge with the full order of Radau IIA: of index 1 \[HW96, theorem VI.1.1\], of index 2 and
/// in Gear's form \[HW96, theorem VII.4.5\], and so they do of index 3.
#[test]
fn a_pendulum_is_integrated_with_the_order_of_its_index() {
    let reference = angle_reference(1.0);
    for (method, index, expected) in [
        (ImplicitMethod::Euler, 1, 1.0),
        (ImplicitMethod::Euler, 2, 1.0),
        (ImplicitMethod::Euler, 0, 1.0),
        (ImplicitMethod::Euler, 3, 1.0),
        (ImplicitMethod::Radau3, 1, 3.0),
        (ImplicitMethod::Radau3, 2, 3.0),
        (ImplicitMethod::Radau3, 0, 3.0),
        (ImplicitMethod::Radau3, 3, 3.0),
        (ImplicitMethod::Radau5, 1, 5.0),
        (ImplicitMethod::Radau5, 2, 5.0),
        (ImplicitMethod::Radau5, 0, 5.0),
        (ImplicitMethod::Radau5, 3, 5.0),
    ] {
        let steps = match method {
            ImplicitMethod::Euler => [800, 1600, 3200, 6400],
            ImplicitMethod::Radau3 => [80, 120, 160, 240],
            _ => [40, 56, 80, 112],
        };
        let sizes = steps.map(|steps| 1.0 / f64::from(steps));
        let errors = sizes.map(|h| {
            let mut s = start(index);
            let options = ImplicitOptions::fixed(method.tableau(), h);
            integrate_implicit(&mut pendulum(index), 0.0, 1.0, &mut s, &options, &mut ()).unwrap();
            distance(&s[..2], &reference[..2])
        });
        let measured = slope(&sizes, &errors);
        let name = method.name();
        assert!((measured - expected).abs() < 0.1, "{name}, index {index}: {measured}, {errors:?}");
    }
}

#[test]
fn a_pendulum_of_any_index_responds_to_its_tolerance() {
    let reference = angle_reference(3.0);
    for index in [0, 1, 2, 3] {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let mut s = start(index);
            let options = adaptive(ImplicitMethod::Radau5, tolerance);
            let outcome =
                integrate_implicit(&mut pendulum(index), 0.0, 3.0, &mut s, &options, &mut ())
                    .unwrap();
            let error = distance(&s[..4], &reference);
            // velocities of index 2 are weighed by the step
            let times = if index == 3 { 100.0 } else { 2.0 };
            assert!(error < times * tolerance, "index {index}: {error:e} at {tolerance:e}");
            assert_eq!(outcome.t, 3.0);
            let residual = (s[0].hypot(s[1]) - 1.0).abs();
            assert!(residual < tolerance, "index {index}: {residual:e} at {tolerance:e}");
        }
    }
}
