//! Programs as a source file.

use pommel_math::{Function, Operand, OperationCount, Program};
use pommel_model::document::counted;
use pommel_model::{JointType, Mechanism};

use super::{Code, CodeFunction, CodegenError, FunctionSummary, Language, Programs};
use crate::{coordinate_units, velocity_units};

/// The file. C gets declarations before definitions, to be copied into a header.
pub(super) fn write(
    mechanism: &Mechanism,
    programs: &Programs,
    language: Language,
    left_out: Vec<String>,
) -> Result<Code, CodegenError> {
    let prefix = identifier(mechanism.name());
    let sizes = (mechanism.nq(), mechanism.nv());
    let functions: Vec<FunctionSummary> = CodeFunction::ALL
        .into_iter()
        .map(|function| {
            let program = programs.program(function);
            FunctionSummary {
                name: format!("{prefix}_{}", function.name()),
                function,
                statements: statements(program).count(),
                operations: program.count(),
            }
        })
        .collect();
    let mut text = language.comment(&head(mechanism, language, &functions, &left_out));
    let signatures: Vec<String> = functions
        .iter()
        .map(|f| language.signature(&f.name, &parameters(f.function, sizes)))
        .collect();
    if language == Language::C {
        text.push('\n');
        signatures.iter().for_each(|signature| text.push_str(&format!("{signature};\n")));
    }
    for (f, signature) in functions.iter().zip(&signatures) {
        let program = programs.program(f.function);
        text.push('\n');
        text.push_str(&language.doc(purpose(f.function)));
        text.push_str(signature);
        text.push_str(if language == Language::C { "\n{\n" } else { " {\n" });
        text.push_str(&body(program, language, &parameters(f.function, sizes)));
        text.push_str("}\n");
    }
    Ok(Code { text, functions, left_out })
}

/// Names and lengths of parameters, the last one to be written.
fn parameters(function: CodeFunction, (nq, nv): (usize, usize)) -> Vec<(&'static str, usize)> {
    match function {
        CodeFunction::ForwardDynamics => vec![("q", nq), ("v", nv), ("tau", nv), ("qdd", nv)],
        CodeFunction::InverseDynamics => vec![("q", nq), ("v", nv), ("qdd", nv), ("tau", nv)],
        CodeFunction::MassMatrix => vec![("q", nq), ("matrix", nv * nv)],
    }
}

fn purpose(function: CodeFunction) -> &'static str {
    match function {
        CodeFunction::ForwardDynamics => "Accelerations qdd from joint forces tau.",
        CodeFunction::InverseDynamics => "Joint forces tau that produce accelerations qdd.",
        CodeFunction::MassMatrix => "The joint-space inertia matrix, row by row.",
    }
}

/// Places of the operations that get a statement: a negation is written where it is used.
fn statements(program: &Program) -> impl Iterator<Item = usize> + '_ {
    let operations = program.operations();
    (0..operations.len()).filter(|&k| operations[k].function != Function::Neg)
}

fn body(program: &Program, language: Language, parameters: &[(&str, usize)]) -> String {
    let (output, inputs) = parameters.split_last().expect("a function writes something");
    let mut places: Vec<usize> = vec![0; program.operations().len()];
    statements(program).enumerate().for_each(|(n, k)| places[k] = n);
    let input = |k: usize| {
        let mut first = 0;
        for &(name, length) in inputs {
            if k < first + length {
                return (name, k - first);
            }
            first += length;
        }
        unreachable!("input {k} of {first}")
    };
    // no number begins with two signs: the operand of a negation is neither negative nor a negation
    let plain = |operand: Operand| match operand {
        // the shortest decimal that reads back as the same number, in both languages
        Operand::Constant(x) => format!("{x:?}"),
        Operand::Input(k) => {
            let (name, at) = input(k);
            format!("{name}[{at}]")
        }
        Operand::Node(k) => format!("t{}", places[k]),
    };
    let value = |operand: Operand| match operand {
        Operand::Node(k) if program.operations()[k].function == Function::Neg => {
            format!("-{}", plain(program.operations()[k].operands()[0]))
        }
        other => plain(other),
    };
    let mut used = vec![false; inputs.len()];
    let operands = program.operations().iter().flat_map(|operation| operation.operands());
    for operand in operands.chain(program.outputs()) {
        if let Operand::Input(k) = *operand {
            let name = input(k).0;
            let at = inputs.iter().position(|&(other, _)| other == name);
            used[at.expect("the name of an input")] = true;
        }
    }
    let mut text = String::new();
    for (&(name, _), _) in inputs.iter().zip(&used).filter(|(_, used)| !**used) {
        text.push_str(&language.unused(name));
    }
    for k in statements(program) {
        let expression = language.expression(&program.operations()[k], &value);
        text.push_str(&language.temporary(places[k], &expression));
    }
    for (k, &operand) in program.outputs().iter().enumerate() {
        text.push_str(&format!("    {}[{k}] = {};\n", output.0, value(operand)));
    }
    text
}

/// What a reader of the file must know.
fn head(
    mechanism: &Mechanism,
    language: Language,
    functions: &[FunctionSummary],
    left_out: &[String],
) -> Vec<String> {
    let [gx, gy, gz] = mechanism.gravity();
    let mut lines = vec![
        format!(
            "Equations of motion of \"{}\", written by pommel {}.",
            printable(mechanism.name()),
            env!("CARGO_PKG_VERSION")
        ),
        String::new(),
    ];
    for f in functions {
        lines.push(format!("{}: {}", f.name, purpose(f.function)));
        lines.push(format!("    {}", size(f)));
    }
    let mut add = |text: &str| lines.extend(text.lines().map(str::to_owned));
    add("\nSI units, angles in rad. Arrays must not overlap. The robot's numbers are constants;\n\
         inertia of armature and geared rotors is included in all functions.");
    add(&format!("Gravity in world axes: {gx:?}, {gy:?}, {gz:?} m/s²."));
    add(
        "\nqdd is the time derivative of v: rad/s² for a velocity in rad/s, m/s² for one in m/s. tau\n\
         is in N m and N for these. An entry of the matrix is in kg m² if the velocities of its row\n\
         and its column are in rad/s, in kg if both are in m/s, in kg m if one is.",
    );
    add(
        "\nOnly gravity and tau act. Springs, dampers, torques and wrenches of the model are not in\n\
         the code: add their joint forces to tau.",
    );
    if !left_out.is_empty() {
        add("This model has such forces:");
        left_out.iter().for_each(|place| add(&format!("    {}", printable(place))));
    }
    add(
        "\nNothing is checked, neither the inputs nor the pivots: where a joint feels no inertia, results\n\
         are infinite or NaN.",
    );
    add(match language {
        Language::C => {
            "\nCompile: cc -O2 main.c model.c -lm, with the name of this file for model.c and that of your\n\
             program for main.c.\n\
             fma() is one instruction where the compiler may use it (cc -O2 -march=native), and\n\
             a slow library call elsewhere."
        }
        Language::Rust => {
            "\nUse: mod model; in your program, where model.rs is this file. Compile with -O.\n\
             f64::mul_add is one instruction where the compiler may use it\n\
             (-C target-cpu=native), and a slow library call elsewhere."
        }
    });
    let table = |title: &str, symbol: &str, names: Vec<String>, units: Vec<&str>| {
        let mut list = vec![String::new(), title.to_owned()];
        let rows = names.iter().zip(units).enumerate();
        list.extend(
            rows.map(|(k, (name, unit))| format!("    {symbol}[{k}]  {}  {unit}", printable(name))),
        );
        list
    };
    let names = mechanism.coordinate_names();
    lines.extend(table("Positions:", "q", names, coordinate_units(mechanism)));
    lines.extend(table(
        "Velocities; tau, qdd, rows and columns of the matrix have the same order:",
        "v",
        mechanism.velocity_names(),
        velocity_units(mechanism),
    ));
    let mut add = |text: &str| lines.extend(text.lines().map(str::to_owned));
    let has = |kind| mechanism.tree_joints().any(|j| mechanism.joints()[j].joint_type == kind);
    let free = has(JointType::Free) && !mechanism.is_planar();
    let spherical = has(JointType::Spherical);
    if free || spherical {
        add(
            "\nQuaternions are (w, x, y, z), of any norm but zero. They take components in the axes of\n\
             the child to those in the axes of the parent, for a free joint to those in world axes.",
        );
    }
    if free {
        add(
            "\nFree joint: x, y, z is the origin of the body's frame in world axes. v is the angular\n\
             velocity (wx, wy, wz) and the velocity of that origin (vx, vy, vz), qdd their time\n\
             derivatives, tau the moment about that origin and the force, all in world axes. The\n\
             rate of the position is (vx, vy, vz), that of the quaternion Q is\n\
             (0, wx, wy, wz) Q / 2.",
        );
    }
    if spherical {
        add("\nSpherical joint: v is the angular velocity relative to the parent, qdd its time\n\
             derivative, tau the moment, all in the axes of the child's joint frame. The rate of\n\
             the quaternion Q is Q (0, wx, wy, wz) / 2.");
    }
    lines
}

/// How long a function is.
fn size(f: &FunctionSummary) -> String {
    let OperationCount { mul, add, div, sqrt, trig, .. } = f.operations;
    let roots =
        if sqrt > 0 { format!(", {}", counted(sqrt, "square root")) } else { String::new() };
    let sines = if trig == 1 {
        "1 sine with its cosine".to_owned()
    } else {
        format!("{trig} sines with cosines")
    };
    format!(
        "{}: {}, {}, {}{roots}, {sines}",
        counted(f.statements, "statement"),
        counted(mul, "multiplication"),
        counted(add, "addition"),
        counted(div, "division"),
    )
}

/// A name as the beginning of an identifier of C and Rust.
fn identifier(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => text.push(c.to_ascii_lowercase()),
            _ if text.ends_with('_') || text.is_empty() => {}
            _ => text.push('_'),
        }
    }
    let text = text.trim_end_matches('_');
    match text.chars().next() {
        None => "robot".to_owned(),
        Some('0'..='9') => format!("robot_{text}"),
        Some(_) => text.to_owned(),
    }
}

/// A name that neither ends a comment nor disturbs its lines.
fn printable(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || (' '..='~').contains(&c) { c } else { '?' };
    let text: String = name.chars().map(plain).collect();
    text.replace("*/", "* /").replace("/*", "/ *").replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::{identifier, printable};

    #[test]
    fn any_name_becomes_an_identifier() {
        for (name, expected) in [
            ("puma560", "puma560"),
            ("ETS-VII  arm", "ets_vii_arm"),
            ("_x_", "x"),
            ("7dof", "robot_7dof"),
            ("Ärmel", "rmel"),
            ("", "robot"),
            ("--", "robot"),
        ] {
            assert_eq!(identifier(name), expected);
        }
    }

    #[test]
    fn a_name_stays_within_its_comment() {
        assert_eq!(printable("a*/b/*c\nd\u{202e}é"), "a* /b/ *c?d?é");
        assert!(!printable("*/*/").contains("*/"));
    }
}
