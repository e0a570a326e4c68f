//! Code for one robot, as a list of operations; the program's tests compile it.

use pommel::TreeDynamics;
use pommel::codegen::{CodeFunction, CodegenError, Language, Programs, generate};
use pommel::kernels::{TreeKernel, count_operations, states_around};
use pommel::model::Mechanism;
use pommel::tree::{TreeError, Workspace, forward_dynamics, inverse_dynamics, mass_matrix};
use pommel_testkit::relative_error;

use crate::datasets::mechanism;

/// Free and fixed bases; revolute, prismatic, helical, cylindrical, universal, spherical and planar
/// joints; wheels with rotors.
const ROBOTS: [&str; 6] = [
    "puma560_fixed",
    "ets7_free",
    "dual_iiwa_free",
    "mixed_joints_free",
    "planar2_papadopoulos",
    "sc3dof_wheels",
];

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
    let mechanism = bar("type = \"revolute\"\naxis = [0.0, 1.0, 0.0]\ndamping = 0.1", 2.0);
    for language in [Language::C, Language::Rust] {
        let code = code(&mechanism, language).expect("code");
        let names: Vec<&str> = code.functions.iter().map(|f| &f.name[..]).collect();
        assert_eq!(
            names,
            ["a_bar_forward_dynamics", "a_bar_inverse_dynamics", "a_bar_mass_matrix"]
        );
        assert_eq!(code.left_out, ["joint pin"]);
        for part in ["a * / bar", "q[0]  pin  rad", "v[0]  pin  rad/s", "joint pin", "-9.81 m/s²"]
        {
            assert!(code.text.contains(part), "{part} in {}", code.text);
        }
        // the inertia of a pendulum is a constant: m l² + I
        assert!(code.text.contains("matrix[0] = 2.5;"), "{}", code.text);
        assert_eq!(code.functions[2].statements, 0);
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
