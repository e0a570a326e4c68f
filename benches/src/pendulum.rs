//! A planar pendulum of point masses on massless rods, and its accelerations written by hand.

use pommel::math::{Mat3, Transform, Vec3};
use pommel::tree::{BodySpec, Joint, Model, TreeBuilder};

use crate::State;

/// `n` equal point masses on rods of length `1 / n`, under gravity.
#[derive(Clone, Debug)]
pub struct Pendulum {
    length: f64,
    gravity: f64,
    sin: Vec<f64>,
    cos: Vec<f64>,
    tension: Vec<f64>,
    upper: Vec<f64>,
}

impl Pendulum {
    /// A pendulum of `n` rods, with the memory of its accelerations.
    pub fn new(n: usize) -> Self {
        let list = || vec![0.0; n];
        Pendulum {
            length: 1.0 / n as f64,
            gravity: 9.81,
            sin: list(),
            cos: list(),
            tension: list(),
            upper: list(),
        }
    }

    /// Number of rods.
    pub fn count(&self) -> usize {
        self.sin.len()
    }

    /// The same as a tree, whose coordinates are the angles between rods.
    ///
    /// # Panics
    /// Never: the numbers make a valid tree.
    pub fn model(&self) -> Model<f64> {
        let mut builder = TreeBuilder::new();
        builder.gravity(Vec3::from_f64([0.0, -self.gravity, 0.0]));
        let down = Vec3::from_f64([0.0, -self.length, 0.0]);
        let mut parent = None;
        for i in 0..self.count() {
            let joint = Joint::Revolute { axis: [0.0, 0.0, 1.0] };
            let at = if i == 0 { Vec3::zero() } else { down };
            let spec = BodySpec::new(format!("rod{i}"), parent, joint)
                .placed(Transform::new(Mat3::identity(), at))
                .with_inertia(1.0, down, [0.0; 6]);
            parent = Some(builder.add(spec).expect("a valid body"));
        }
        builder.build().expect("a valid tree")
    }

    /// Angular accelerations of the rods at angles `θ` from the vertical and rates `ω`, from the
    /// tensions `T`, in O(n).
    ///
    /// A rod keeps its length: the accelerations of its ends differ along it by `−l ω²`. With unit
    /// vectors `e_i` along the rods and masses of 1 that is
    ///
    /// ```text
    /// −(e_i·e_{i−1}) T_{i−1} + 2 T_i − (e_i·e_{i+1}) T_{i+1} = l ω_i²
    /// ```
    ///
    /// and for the first rod, whose upper end rests, `T_0 − (e_0·e_1) T_1 = l ω_0² + g cos θ_0`:
    /// tridiagonal, solved without pivoting. Across the rods then follow the angular accelerations.
    pub fn accelerations(&mut self, angles: &[f64], rates: &[f64], out: &mut [f64]) {
        let n = self.count();
        let (l, g) = (self.length, self.gravity);
        let (sin, cos, tension, upper) =
            (&mut self.sin[..n], &mut self.cos[..n], &mut self.tension[..n], &mut self.upper[..n]);
        for i in 0..n {
            (sin[i], cos[i]) = angles[i].sin_cos();
        }
        // elimination downward
        let (mut lower, mut above) = (0.0, (0.0, 0.0));
        for i in 0..n {
            let next = if i + 1 < n { -(sin[i] * sin[i + 1] + cos[i] * cos[i + 1]) } else { 0.0 };
            let (diagonal, weight) = if i == 0 { (1.0, g * cos[0]) } else { (2.0, 0.0) };
            let (above_tension, above_upper) = above;
            let inverse = 1.0 / (diagonal - lower * above_upper);
            let flung = l * rates[i] * rates[i] + weight;
            upper[i] = next * inverse;
            tension[i] = (flung - lower * above_tension) * inverse;
            (lower, above) = (next, (tension[i], upper[i]));
        }
        for i in (0..n - 1).rev() {
            tension[i] -= upper[i] * tension[i + 1];
        }
        // accelerations of the masses, downward
        let mut before = (0.0, 0.0);
        for i in 0..n {
            let mut a = (-tension[i] * sin[i], tension[i] * cos[i] - g);
            if i + 1 < n {
                a.0 += tension[i + 1] * sin[i + 1];
                a.1 -= tension[i + 1] * cos[i + 1];
            }
            out[i] = (cos[i] * (a.0 - before.0) + sin[i] * (a.1 - before.1)) / l;
            before = a;
        }
    }

    /// Angles from the vertical and rates of the rods in a state of the tree.
    pub fn absolute(&self, state: &State<f64>) -> (Vec<f64>, Vec<f64>) {
        let sums = |list: &[f64]| {
            let add = |sum: &mut f64, x: &f64| {
                *sum += x;
                Some(*sum)
            };
            list.iter().scan(0.0, add).collect()
        };
        (sums(&state.q), sums(&state.v))
    }
}
