//! Programs as a source file.

use pommel_math::{Function, Operand, OperationCount, Program};
use pommel_model::Mechanism;

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
        let OperationCount { mul, add, div, sqrt, trig, .. } = f.operations;
        let roots = if sqrt > 0 { format!(", {sqrt} square roots") } else { String::new() };
        lines.push(format!("{}: {}", f.name, purpose(f.function)));
        lines.push(format!(
            "    {} statements: {mul} multiplications, {add} additions, {div} divisions{roots}, \
             {trig} sines with cosines",
            f.statements
        ));
    }
    let mut add = |text: &str| lines.extend(text.lines().map(str::to_owned));
    add("\nSI units, angles in rad. Arrays must not overlap. The robot's numbers are constants.");
    add(&format!("Gravity in world axes: {gx:?}, {gy:?}, {gz:?} m/s²."));
    add(
        "\nOnly gravity and tau act, N m for a coordinate in rad and N for one in m. Springs, dampers,\n\
         motors and wrenches of the model are not in the code: add their joint forces to tau.",
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
            "fma() is one instruction where the compiler may use it (cc -O2 -march=native), and a slow\n\
             library call elsewhere."
        }
        Language::Rust => {
            "f64::mul_add is one instruction where the compiler may use it (-C target-cpu=native), and a\n\
             slow library call elsewhere."
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
    if mechanism.nq() != mechanism.nv() {
        let text = "\nQuaternions are (w, x, y, z), child to parent, of any norm but zero. Velocities and forces\n\
             of a free joint are in world axes, angular part first, about the origin of the body's frame;\n\
             those of a spherical joint in axes of its child.";
        lines.extend(text.lines().map(str::to_owned));
    }
    lines
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
