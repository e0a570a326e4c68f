//! Dormand and Prince's pair written out for one size of system: the least that such a code costs.

/// The tableau of Dormand and Prince, *J. Comput. Appl. Math.* 6 (1980), below its diagonal.
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// The difference of the two solutions.
const DIFFERENCE: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Integrates `y' = f(y)` from 0 to `end` with steps of which the first is 0.01; the state at the end and the number of calls.
pub fn dormand_prince<const N: usize>(
    f: impl Fn(&[f64; N]) -> [f64; N],
    start: [f64; N],
    end: f64,
    tolerance: f64,
) -> ([f64; N], u64) {
    let (mut t, mut y, mut h) = (0.0, start, 1e-2);
    let mut k = [[0.0; N]; 7];
    k[0] = f(&y);
    let mut calls = 1;
    while t < end {
        h = f64::min(h, end - t);
        let mut new = y;
        for stage in 1..7 {
            new = y;
            for (a, k) in A[stage].iter().zip(&k[..stage]) {
                for i in 0..N {
                    new[i] += h * a * k[i];
                }
            }
            k[stage] = f(&new);
        }
        calls += 6;
        let mut sum = 0.0;
        for i in 0..N {
            let error: f64 = DIFFERENCE.iter().zip(&k).map(|(e, k)| e * k[i]).sum();
            let scale = tolerance * (1.0 + y[i].abs().max(new[i].abs()));
            sum += (h * error / scale).powi(2);
        }
        let error = (sum / N as f64).sqrt();
        let factor = (0.9 * error.max(1e-10).powf(-0.2)).clamp(0.2, 5.0);
        if error <= 1.0 {
            t += h;
            y = new;
            k[0] = k[6];
            h *= factor;
        } else {
            h *= factor.min(1.0);
        }
    }
    (y, calls)
}
