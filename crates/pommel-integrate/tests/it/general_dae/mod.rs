//! General differential-algebraic systems, `F(t, y, y') = 0`.

mod analysis;
mod initial;
mod motion;
mod refusals;
pub(crate) mod systems;

/// Asserts that numbers agree, absolutely.
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(x, y)| (x - y).abs() <= tolerance);
    assert!(near, "{found:?} is not {expected:?} to {tolerance:e}");
}
