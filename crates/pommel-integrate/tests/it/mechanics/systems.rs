//! Small mechanisms with constraints, with dense linear algebra of their own.

use std::convert::Infallible;

use pommel_integrate::mechanics::Mechanics;
use pommel_integrate::{Adaptive, Options, System, Tableau, integrate};

/// What changes with the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    pub(super) force: Vec<f64>,
    pub(super) phi: Vec<f64>,
    pub(super) nu: Vec<f64>,
    pub(super) gamma: Vec<f64>,
    /// row by row
    pub(super) jacobian: Vec<f64>,
}

/// A mechanism: its masses are diagonal.
pub(super) trait Body {
    fn sizes(&self) -> [usize; 3];
    fn mass(&self) -> Vec<f64>;
    fn terms(&self, t: f64, q: &[f64], v: &[f64]) -> Terms;
    fn is_holonomic(&self) -> bool {
        true
    }
    /// Where the angular velocity of a body in space stands, whose quaternion follows its position.
    fn turns(&self) -> bool {
        false
    }
}

/// A body with a dense solver.
pub(super) struct Dense<B> {
    pub(super) body: B,
    terms: Terms,
    matrix: Vec<f64>,
    pub(super) factorizations: usize,
}

impl<B: Body> Dense<B> {
    pub(super) fn new(body: B) -> Self {
        Dense { body, terms: Terms::default(), matrix: Vec::new(), factorizations: 0 }
    }

    /// Largest Φ and `Φ_q v − ν`.
    pub(super) fn residuals(&mut self, t: f64, y: &[f64]) -> [f64; 2] {
        let [nq, _, m] = self.body.sizes();
        let (q, v) = y.split_at(nq);
        self.evaluate(t, q, v).expect("evaluates");
        let mut slip = vec![0.0; m];
        self.multiply(v, &mut slip);
        let slips = slip.iter().zip(&self.terms.nu);
        [
            self.terms.phi.iter().fold(0.0, |most: f64, x| most.max(x.abs())),
            slips.fold(0.0, |most: f64, (x, nu)| most.max((x - nu).abs())),
        ]
    }
}

impl<B: Body> Mechanics for Dense<B> {
    type Error = Infallible;

    fn coordinates(&self) -> usize {
        self.body.sizes()[0]
    }
    fn velocities(&self) -> usize {
        self.body.sizes()[1]
    }
    fn rows(&self) -> usize {
        self.body.sizes()[2]
    }
    fn is_holonomic(&self, _row: usize) -> bool {
        self.body.is_holonomic()
    }
    fn evaluate(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), Infallible> {
        self.terms = self.body.terms(t, q, v);
        Ok(())
    }
    fn force(&self) -> &[f64] {
        &self.terms.force
    }
    fn positions(&self) -> &[f64] {
        &self.terms.phi
    }
    fn nu(&self) -> &[f64] {
        &self.terms.nu
    }
    fn gamma(&self) -> &[f64] {
        &self.terms.gamma
    }
    fn add_mass(&self, s: f64, x: &[f64], to: &mut [f64]) {
        for ((to, x), m) in to.iter_mut().zip(x).zip(self.body.mass()) {
            *to += s * m * x;
        }
    }
    fn multiply(&self, x: &[f64], to: &mut [f64]) {
        for (to, row) in to.iter_mut().zip(self.terms.jacobian.chunks(x.len())) {
            *to = row.iter().zip(x).map(|(a, b)| a * b).sum();
        }
    }
    fn add_transposed(&self, s: f64, x: &[f64], to: &mut [f64]) {
        for (x, row) in x.iter().zip(self.terms.jacobian.chunks(to.len())) {
            to.iter_mut().zip(row).for_each(|(to, a)| *to += s * a * x);
        }
    }
    fn factorize(&mut self) -> Result<(), Infallible> {
        let [_, n, m] = self.body.sizes();
        let size = n + m;
        self.matrix = vec![0.0; size * size];
        for (i, mass) in self.body.mass().into_iter().enumerate() {
            self.matrix[i * size + i] = mass;
        }
        for row in 0..m {
            for j in 0..n {
                self.matrix[(n + row) * size + j] = self.terms.jacobian[row * n + j];
                self.matrix[j * size + n + row] = self.terms.jacobian[row * n + j];
            }
        }
        self.factorizations += 1;
        Ok(())
    }
    /// Gauss, with pivots by size.
    fn solve(&mut self, x: &mut [f64]) -> Result<(), Infallible> {
        let n = x.len();
        let mut a = self.matrix.clone();
        for k in 0..n {
            let by_size =
                |&i: &usize, &j: &usize| a[i * n + k].abs().total_cmp(&a[j * n + k].abs());
            let pivot = (k..n).max_by(by_size).unwrap_or(k);
            x.swap(k, pivot);
            (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            for i in k + 1..n {
                let factor = a[i * n + k] / a[k * n + k];
                (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
                x[i] -= factor * x[k];
            }
        }
        for k in (0..n).rev() {
            let rest: f64 = (k + 1..n).map(|j| a[k * n + j] * x[j]).sum();
            x[k] = (x[k] - rest) / a[k * n + k];
        }
        Ok(())
    }
    fn position_rate(&self, q: &[f64], v: &[f64], rate: &mut [f64]) {
        if !self.body.turns() {
            return rate.copy_from_slice(v);
        }
        rate[..3].copy_from_slice(&v[3..]);
        rate[3..].copy_from_slice(&half_product(&q[3..], &v[..3]));
    }
    fn displace(&self, q: &mut [f64], d: &[f64]) {
        if !self.body.turns() {
            return q.iter_mut().zip(d).for_each(|(q, d)| *q += d);
        }
        (0..3).for_each(|k| q[k] += d[k + 3]);
        let by = half_product(&q[3..], &d[..3]);
        q[3..].iter_mut().zip(by).for_each(|(q, by)| *q += by);
        let norm = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[3..].iter_mut().for_each(|x| *x /= norm);
    }
    fn displacement_rate(&self, d: &[f64], v: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(v);
        if self.body.turns() {
            let cross = cross(d, v);
            let along = 0.25 * (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]);
            (0..3).for_each(|k| rate[k] += 0.5 * cross[k] + along * d[k]);
        }
    }
    fn momenta(&self, h: f64, u: &[f64], start: &mut [f64], end: &mut [f64]) {
        start.fill(0.0);
        self.add_mass(1.0, u, start);
        end.copy_from_slice(start);
        if self.body.turns() {
            let d = [h * u[0], h * u[1], h * u[2]];
            let p = [start[0], start[1], start[2]];
            let cross = cross(&d, &p);
            let along = 0.25 * (d[0] * p[0] + d[1] * p[1] + d[2] * p[2]);
            for k in 0..3 {
                start[k] += 0.5 * cross[k] + along * d[k];
                end[k] += along * d[k] - 0.5 * cross[k];
            }
        }
    }
    fn remove_gyroscopic(&self, v: &[f64], force: &mut [f64]) {
        if self.body.turns() {
            let mass = self.body.mass();
            let momentum = [mass[0] * v[0], mass[1] * v[1], mass[2] * v[2]];
            let moment = cross(&momentum, v);
            (0..3).for_each(|k| force[k] -= moment[k]);
        }
    }
}

pub(super) fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `½ q ∘ (0, w)`
fn half_product(q: &[f64], w: &[f64]) -> [f64; 4] {
    let turned = cross(&q[1..4], w);
    [
        -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]),
        0.5 * (q[0] * w[0] + turned[0]),
        0.5 * (q[0] * w[1] + turned[1]),
        0.5 * (q[0] * w[2] + turned[2]),
    ]
}

/// Columns of the rotation of a unit quaternion.
pub(super) fn rotation(q: &[f64]) -> [[f64; 3]; 3] {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// A point of 2 kg on a rod of 1 m in the plane, whose pivot moves along `0.2 sin 3t`, with drag.
pub(super) struct Pendulum {
    pub(super) drag: f64,
    pub(super) shaking: f64,
}

impl Body for Pendulum {
    fn sizes(&self) -> [usize; 3] {
        [2, 2, 1]
    }
    fn mass(&self) -> Vec<f64> {
        vec![2.0; 2]
    }
    fn terms(&self, t: f64, q: &[f64], v: &[f64]) -> Terms {
        let (pivot, rate, acceleration) = (
            self.shaking * (3.0 * t).sin(),
            3.0 * self.shaking * (3.0 * t).cos(),
            -9.0 * self.shaking * (3.0 * t).sin(),
        );
        let [x, y] = [q[0] - pivot, q[1]];
        let u = v[0] - rate;
        Terms {
            force: vec![-self.drag * v[0], -2.0 * 9.81 - self.drag * v[1]],
            phi: vec![0.5 * (x * x + y * y - 1.0)],
            jacobian: vec![x, y],
            nu: vec![x * rate],
            gamma: vec![x * acceleration - u * u - v[1] * v[1]],
        }
    }
}

/// A heavy body of 1 kg, J = diag(0.4, 0.3, 0.5) kg m², on a fixed point 0.5 m below its mass centre.
pub(super) struct Top;

impl Top {
    /// On the constraints, turning.
    pub(super) fn start() -> Vec<f64> {
        let tilt: f64 = 0.4;
        let quaternion = [(0.5 * tilt).cos(), (0.5 * tilt).sin(), 0.0, 0.0];
        let [_, _, z] = rotation(&quaternion);
        let omega = [1.0, -0.5, 6.0];
        let [a, b, _] = rotation(&quaternion);
        // ω × (0, 0, 0.5) in the body
        let body = cross(&omega, &[0.0, 0.0, 0.5]);
        let velocity = |k: usize| a[k] * body[0] + b[k] * body[1] + z[k] * body[2];
        let mut y: Vec<f64> = z.iter().map(|z| 0.5 * z).collect();
        y.extend(quaternion);
        y.extend(omega);
        y.extend((0..3).map(velocity));
        y
    }
}

impl Body for Top {
    fn sizes(&self) -> [usize; 3] {
        [7, 6, 3]
    }
    fn mass(&self) -> Vec<f64> {
        vec![0.4, 0.3, 0.5, 1.0, 1.0, 1.0]
    }
    fn turns(&self) -> bool {
        true
    }
    fn terms(&self, _t: f64, q: &[f64], v: &[f64]) -> Terms {
        let norm = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit: Vec<f64> = q[3..].iter().map(|x| x / norm).collect();
        let columns = rotation(&unit);
        let arm = [0.0, 0.0, 0.5];
        let omega = &v[..3];
        let momentum = [0.4 * v[0], 0.3 * v[1], 0.5 * v[2]];
        let gyroscopic = cross(&momentum, omega);
        let centripetal = cross(omega, &cross(omega, &arm));
        let mut terms = Terms {
            force: vec![gyroscopic[0], gyroscopic[1], gyroscopic[2], 0.0, 0.0, -9.81],
            jacobian: vec![0.0; 18],
            nu: vec![0.0; 3],
            ..Terms::default()
        };
        for k in 0..3 {
            let row = [columns[0][k], columns[1][k], columns[2][k]];
            terms.phi.push(q[k] - row[2] * 0.5);
            // d/dt R r = R (ω × r)
            for j in 0..3 {
                let mut unit = [0.0; 3];
                unit[j] = 1.0;
                let moved = cross(&unit, &arm);
                terms.jacobian[6 * k + j] = -(0..3).map(|l| row[l] * moved[l]).sum::<f64>();
            }
            terms.jacobian[6 * k + 3 + k] = 1.0;
            terms.gamma.push((0..3).map(|l| row[l] * centripetal[l]).sum());
        }
        terms
    }
}

/// The same body without support or weight.
pub(super) struct Tumbling;

impl Body for Tumbling {
    fn sizes(&self) -> [usize; 3] {
        [7, 6, 0]
    }
    fn mass(&self) -> Vec<f64> {
        Top.mass()
    }
    fn turns(&self) -> bool {
        true
    }
    fn terms(&self, _t: f64, _q: &[f64], v: &[f64]) -> Terms {
        let mut force = vec![0.0; 6];
        let momentum = [0.4 * v[0], 0.3 * v[1], 0.5 * v[2]];
        force[..3].copy_from_slice(&cross(&momentum, &v[..3]));
        Terms { force, ..Terms::default() }
    }
}

/// A mass of 1 kg on a spring of 1 N/m.
pub(super) struct Spring;

impl Body for Spring {
    fn sizes(&self) -> [usize; 3] {
        [1, 1, 0]
    }
    fn mass(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn terms(&self, _t: f64, q: &[f64], _v: &[f64]) -> Terms {
        Terms { force: vec![-q[0]], ..Terms::default() }
    }
}

/// A blade on an incline: it slides along its edge only.
pub(super) struct Skate;

impl Body for Skate {
    fn sizes(&self) -> [usize; 3] {
        [3, 3, 1]
    }
    fn mass(&self) -> Vec<f64> {
        vec![1.5, 1.5, 0.2]
    }
    fn is_holonomic(&self) -> bool {
        false
    }
    fn terms(&self, _t: f64, q: &[f64], v: &[f64]) -> Terms {
        let (s, c) = q[2].sin_cos();
        Terms {
            force: vec![1.5 * 2.0, 0.0, 0.0],
            phi: vec![0.0],
            jacobian: vec![-s, c, 0.0],
            nu: vec![0.0],
            gamma: vec![v[2] * (c * v[0] + s * v[1])],
        }
    }
}

/// The equations of index 1.
pub(super) struct Accelerations<B>(pub(super) Dense<B>);

impl<B: Body> System<f64> for Accelerations<B> {
    type Error = Infallible;
    fn dim(&self) -> usize {
        self.0.coordinates() + self.0.velocities()
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        let [nq, n, _] = self.0.body.sizes();
        let (q, v) = y.split_at(nq);
        self.0.position_rate(q, v, &mut dy[..nq]);
        self.0.evaluate(t, q, v)?;
        self.0.factorize()?;
        let mut x = self.0.force().to_vec();
        x.extend(self.0.gamma());
        self.0.solve(&mut x)?;
        dy[nq..].copy_from_slice(&x[..n]);
        Ok(())
    }
}

/// The end of a motion to about 1e-13.
pub(super) fn reference<B: Body>(body: B, y0: &[f64], end: f64) -> Vec<f64> {
    let mut y = y0.to_vec();
    let options = Options::adaptive(Tableau::dormand_prince_853(), Adaptive::new(1e-14, 1e-14));
    let mut system = Accelerations(Dense::new(body));
    integrate(&mut system, 0.0, end, &mut y, &options, &mut ()).expect("the end");
    y
}
