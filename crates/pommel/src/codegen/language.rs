//! What differs between the languages.

use pommel_math::{Function, Operand, Operation};

/// A language of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// C99 with `math.h`.
    C,
    /// Rust 1.81 or later, edition 2021 or later.
    Rust,
}

/// Lints of Rust that do not apply to generated code.
const ALLOW: &str = "#[allow(clippy::all, clippy::pedantic, reason = \"generated code\")]\n\
                     #[allow(dead_code, reason = \"a program need not call all functions\")]";

impl Language {
    /// The language of files with this extension: `c` or `rs`.
    pub fn of_extension(extension: &str) -> Option<Language> {
        match extension {
            "c" => Some(Language::C),
            "rs" => Some(Language::Rust),
            _ => None,
        }
    }

    /// A comment of some lines, at the head of a file.
    pub(super) fn comment(self, lines: &[String]) -> String {
        let mut text = String::new();
        for (k, line) in lines.iter().enumerate() {
            let start = match self {
                Language::C if k == 0 => "/*",
                Language::C => " *",
                Language::Rust => "//",
            };
            let line = format!("{start} {line}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        match self {
            Language::C => text.push_str(" */\n#include <math.h>\n"),
            Language::Rust => {}
        }
        text
    }

    /// What stands before a function: what it does.
    pub(super) fn doc(self, line: &str) -> String {
        match self {
            Language::C => format!("/* {line} */\n"),
            Language::Rust => {
                format!("/// {line}\n#[rustfmt::skip]\n{ALLOW}\n")
            }
        }
    }

    /// The name of a function with its parameters: names and lengths, the last one to be written.
    pub(super) fn signature(self, name: &str, parameters: &[(&str, usize)]) -> String {
        let last = parameters.len() - 1;
        let list = parameters.iter().enumerate().map(|(k, (name, length))| match self {
            Language::C if k < last => format!("const double {name}[{length}]"),
            Language::C => format!("double {name}[{length}]"),
            Language::Rust if k < last => format!("{name}: &[f64; {length}]"),
            Language::Rust => format!("{name}: &mut [f64; {length}]"),
        });
        let list = list.collect::<Vec<_>>().join(", ");
        match self {
            Language::C => format!("void {name}({list})"),
            Language::Rust => format!("pub fn {name}({list})"),
        }
    }

    /// A statement that keeps a compiler from warning of a parameter that is not used.
    pub(super) fn unused(self, parameter: &str) -> String {
        match self {
            Language::C => format!("    (void){parameter};\n"),
            Language::Rust => format!("    let _ = {parameter};\n"),
        }
    }

    pub(super) fn temporary(self, place: usize, expression: &str) -> String {
        match self {
            Language::C => format!("    const double t{place} = {expression};\n"),
            Language::Rust => format!("    let t{place} = {expression};\n"),
        }
    }

    /// An operation other than a negation.
    pub(super) fn expression(
        self,
        operation: &Operation,
        text: &dyn Fn(Operand) -> String,
    ) -> String {
        let operands: Vec<String> = operation.operands().iter().map(|&x| text(x)).collect();
        if let Some(sign) = match operation.function {
            Function::Add => Some('+'),
            Function::Sub => Some('-'),
            Function::Mul => Some('*'),
            Function::Div => Some('/'),
            _ => None,
        } {
            return format!("{} {sign} {}", operands[0], operands[1]);
        }
        let (c, rust) = match operation.function {
            Function::Abs => ("fabs", "abs"),
            Function::Sqrt => ("sqrt", "sqrt"),
            Function::Sin => ("sin", "sin"),
            Function::Cos => ("cos", "cos"),
            Function::Exp => ("exp", "exp"),
            Function::Ln => ("log", "ln"),
            Function::Atan2 => ("atan2", "atan2"),
            Function::MulAdd => ("fma", "mul_add"),
            other => unreachable!("{other:?} is an operator"),
        };
        match self {
            Language::C => format!("{c}({})", operands.join(", ")),
            // a method of a literal would bind tighter than its sign
            Language::Rust => format!("f64::{rust}({})", operands.join(", ")),
        }
    }
}
