//! Code for one robot, as a list of operations; the program's tests compile it.

use pommel::TreeDynamics;
use pommel::codegen::{CodeFunction, CodegenError, Language, Programs, generate};
use pommel::kernels::{TreeKernel, count_operations, states_around};
use pommel::model::Mechanism;
use pommel::tree::{TreeError, Workspace, forward_dynamics, inverse_dynamics, mass_matrix};
use pommel_testkit::{ROBOTS, relative_error};

use crate::datasets::mechanism;

fn robot(name: &str) -> (Mechanism, TreeDynamics) {
    let mechanism = mechanism(&format!("robots/{name}/model.toml"));
    let dynamics = TreeDynamics::new(&mechanism).expect("supported");
    (mechanism, dynamics)
}

#[test]
fn programs_agree_with_the_kernels_at_many_states() {
    for name in ROBOTS {
        let (mechanism, dynamics) = robot(name);
        let model = dynamics.model();
        let programs = Programs::trace(model).expect("regular");
        let mut workspace = Workspace::new(model);
        for state in states_around(&dynamics, mechanism.initial_state(), 20) {
            let (q, v, tau) = (&state.q, &state.v, &state.tau);
            let x = [&q[..], v, tau].concat();
            let mut out = vec![0.0; model.nv()];
            forward_dynamics(model, &mut workspace, q, v, tau, None, &mut out).expect("regular");
            // of the largest entry: roundings that the programs leave out, and the condition of M
            let close = |found: &[f64], truth: &[f64]| {
                let error = relative_error(found, truth);
                assert!(error <= 1e-12, "{name}: {error:.1e}");
            };
            close(&programs.forward_dynamics.evaluate(&x), &out);
            inverse_dynamics(model, &mut workspace, q, v, tau, None, &mut out);
            close(&programs.inverse_dynamics.evaluate(&x), &out);
            let mut matrix = vec![0.0; model.nv() * model.nv()];
            mass_matrix(model, &mut workspace, q, &mut matrix);
            close(&programs.mass_matrix.evaluate(q), &matrix);
        }
    }
}

#[test]
fn an_arm_with_right_angles_needs_less_than_two_thirds_of_the_kernels_operations() {
    let (mechanism, dynamics) = robot("puma560_fixed");
    let programs = Programs::trace(dynamics.model()).expect("regular");
    for (function, kernel) in [
        (CodeFunction::ForwardDynamics, TreeKernel::ForwardDynamics),
        (CodeFunction::InverseDynamics, TreeKernel::InverseDynamics),
        (CodeFunction::MassMatrix, TreeKernel::MassMatrix),
    ] {
        let ours = programs.program(function).count();
        let all = count_operations(&dynamics, kernel, mechanism.initial_state()).expect("regular");
        let sums = (ours.mul + ours.add + ours.div, all.mul + all.add + all.div);
        assert!(3 * sums.0 < 2 * sums.1 && ours.trig <= all.trig, "{function:?}: {sums:?}");
    }
}

/// One bar on a joint with forces of its own.
fn bar(joint: &str, mass: f64) -> Mechanism {
    Mechanism::from_toml_str(&format!(
        r#"
        name = "a */ bar"
        [[bodies]]
        name = "bar"
        mass = {mass:?}
        com = [0.5, 0.0, 0.0]
        inertia = [{mass:?}, {mass:?}, {mass:?}]
        [[joints]]
        name = "pin"
        parent = "ground"
        child = "bar"
        {joint}
        "#
    ))
    .expect("valid")
}

fn code(mechanism: &Mechanism, language: Language) -> Result<pommel::codegen::Code, CodegenError> {
    generate(mechanism, &TreeDynamics::new(mechanism).expect("supported"), language)
}

#[test]
fn code_names_coordinates_functions_and_what_is_left_out() {
    let laws = "damping = 0.1\nstiffness = 3.0\ntorque = 2.0";
    let mechanism = bar(&format!("type = \"revolute\"\naxis = [0.0, 1.0, 0.0]\n{laws}"), 2.0);
    for language in [Language::C, Language::Rust] {
        let code = code(&mechanism, language).expect("code");
        let names: Vec<&str> = code.functions.iter().map(|f| &f.name[..]).collect();
        assert_eq!(
            names,
            ["a_bar_forward_dynamics", "a_bar_inverse_dynamics", "a_bar_mass_matrix"]
        );
        assert_eq!(code.left_out, ["joint pin (damping, spring, torque)"]);
        for part in [
            "a * / bar",
            "q[0]  pin  rad",
            "v[0]  pin  rad/s",
            "joint pin (damping, spring, torque)",
            "-9.81 m/s²",
            "1 addition, ",
            "1 sine with its cosine",
            "armature and geared rotors is included",
        ] {
            assert!(code.text.contains(part), "{part} in {}", code.text);
        }
        // the inertia of a pendulum is a constant: m l² + I
        assert!(code.text.contains("matrix[0] = 2.5;"), "{}", code.text);
        assert_eq!(code.functions[2].statements, 0);
    }
}

#[test]
fn code_says_how_to_compile_it_and_what_the_axes_of_its_joints_are() {
    let (c, rust) = ("cc -O2 main.c model.c -lm", "mod model;");
    let free = ["Free joint: ", "in world axes", "(0, wx, wy, wz) Q / 2"];
    let ball = ["Spherical joint: ", "of the child's joint frame", "Q (0, wx, wy, wz) / 2"];
    for (name, parts, others) in [
        ("puma560_fixed", &[][..], &["Quaternions", free[0], ball[0]][..]),
        ("ets7_free", &free, &[ball[0]]),
        ("mixed_joints_free", &[free, ball].concat(), &[]),
    ] {
        let (mechanism, dynamics) = robot(name);
        for (language, how) in [(Language::C, c), (Language::Rust, rust)] {
            let code = generate(&mechanism, &dynamics, language).expect("code");
            for part in [&[how, "kg m²", "rad/s²"], parts].concat() {
                assert!(code.text.contains(part), "{name}: {part}");
            }
            for part in others {
                assert!(!code.text.contains(part), "{name}: {part}");
            }
        }
    }
}

#[test]
fn a_mechanism_without_motion_or_inertia_has_no_code() {
    let fixed = code(&bar("type = \"fixed\"", 1.0), Language::C);
    assert_eq!(fixed, Err(CodegenError::NothingMoves));
    let massless = code(&bar("type = \"revolute\"", 0.0), Language::C);
    let singular = |e: &TreeError| matches!(e, TreeError::SingularPivot { .. });
    assert!(matches!(&massless, Err(CodegenError::Tree(e)) if singular(e)), "{massless:?}");
}
