//! Orientations of frames.

use pommel_model::{Frame, multiply, quaternion_of, rotation_of_quaternion, rotation_of_rpy};

fn close(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> bool {
    // 16: three products of sines and cosines
    a.as_flattened().iter().zip(b.as_flattened()).all(|(a, b)| (a - b).abs() < 16.0 * f64::EPSILON)
}

#[test]
fn roll_pitch_yaw_are_rotations_about_fixed_axes() {
    let (r, p, y) = (0.3, -0.7, 1.9);
    let product = multiply(
        &rotation_of_rpy([0.0, 0.0, y]),
        &multiply(&rotation_of_rpy([0.0, p, 0.0]), &rotation_of_rpy([r, 0.0, 0.0])),
    );
    assert!(close(&rotation_of_rpy([r, p, y]), &product));
    // a quarter turn about z takes x to y
    let quarter = rotation_of_rpy([0.0, 0.0, std::f64::consts::FRAC_PI_2]);
    assert!((quarter[1][0] - 1.0).abs() < f64::EPSILON);
}

#[test]
fn quaternions_and_matrices_agree_in_all_four_branches() {
    for q in [
        [0.9, 0.1, -0.2, 0.3],
        [0.1, 0.9, 0.3, -0.2],
        [0.1, -0.3, 0.9, 0.2],
        [0.0, 0.2, -0.3, 0.9],
        [-0.5, 0.5, 0.5, -0.5],
    ] {
        let matrix = rotation_of_quaternion(q);
        assert!(close(&rotation_of_quaternion(quaternion_of(&matrix)), &matrix), "{q:?}");
        assert!(quaternion_of(&matrix)[0] >= 0.0);
    }
}

#[test]
fn the_three_ways_to_write_an_orientation_agree() {
    let angle = 0.6_f64;
    let rpy = Frame { rpy: Some([0.0, 0.0, angle]), ..Frame::default() };
    let turned = Frame { angle: Some(angle), ..Frame::default() };
    // twice the unit quaternion: it is normalised on use
    let q = [2.0 * (0.5 * angle).cos(), 0.0, 0.0, 2.0 * (0.5 * angle).sin()];
    let quaternion = Frame { quaternion: Some(q), ..Frame::default() };
    assert!(close(&rpy.rotation(), &turned.rotation()));
    assert!(close(&rpy.rotation(), &quaternion.rotation()));
    assert!(!rpy.is_identity() && !turned.is_identity() && !quaternion.is_identity());
    assert!(Frame { quaternion: Some([2.0, 0.0, 0.0, 0.0]), ..Frame::default() }.is_identity());
}
