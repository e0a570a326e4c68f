//! Four-bar linkages side by side in a plane.

use nalgebra::{DMatrix, DVector};

use super::SaddleMechanism;
use super::builder::Builder;

/// Angle of the cranks, rad.
const CRANK_ANGLE: f64 = 1.1;

/// The `N`-four-bar mechanism: `loops + 1` parallel cranks on the ground, neighbours joined by
/// couplers, all of them rods of 1 m.
///
/// `mass(k, coupler)` is the mass of the `k`-th rod in kg, counted crank, coupler, crank …; with
/// couplers without mass M is singular and K is not. J has full rank: the cranks stand at an angle.
pub fn planar_four_bars(loops: usize, mass: impl Fn(usize, bool) -> f64) -> SaddleMechanism {
    let mut builder = Builder::new();
    let rod = |m: f64| DMatrix::from_diagonal(&DVector::from_row_slice(&[m, m, m / 12.0]));
    let (mut cranks, mut couplers) = (Vec::new(), Vec::new());
    for i in 0..=loops {
        cranks.push(builder.body(&rod(mass(2 * i, false))));
        if i < loops {
            couplers.push(builder.body(&rod(mass(2 * i + 1, true))));
        }
    }
    // of the point at `s` along a rod at an angle
    let point = |angle: f64, s: f64, sign: f64| {
        DMatrix::from_row_slice(
            2,
            3,
            &[sign, 0.0, -sign * s * angle.sin(), 0.0, sign, sign * s * angle.cos()],
        )
    };
    for (i, &crank) in cranks.iter().enumerate() {
        builder.constraint(&[(crank, point(CRANK_ANGLE, -0.5, 1.0))]);
        if i < loops {
            let coupler = (couplers[i], point(0.0, -0.5, -1.0));
            builder.constraint(&[(crank, point(CRANK_ANGLE, 0.5, 1.0)), coupler]);
        }
        if i > 0 {
            let coupler = (couplers[i - 1], point(0.0, 0.5, -1.0));
            builder.constraint(&[(crank, point(CRANK_ANGLE, 0.5, 1.0)), coupler]);
        }
    }
    builder.finish(loops as u64, Some(0))
}
