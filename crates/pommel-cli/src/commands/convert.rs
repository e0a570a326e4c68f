//! `pommel convert`.

use std::path::Path;

use pommel::codegen::{FunctionSummary, Language, generate};
use pommel::model::{LoadOptions, Mechanism};

use super::dynamics;
use crate::args::Convert;
use crate::failure::Failure;
use crate::output::{self, counted};

pub(crate) fn run(args: &Convert) -> Result<(), Failure> {
    let target = target(args)?;
    let gravity = args.gravity.as_deref().and_then(|g| <[f64; 3]>::try_from(g).ok());
    let options = LoadOptions { gravity, floating_base: args.floating_base };
    let mechanism = Mechanism::from_path_with(&args.input, &options)?;
    for warning in mechanism.warnings() {
        output::note(&format!("warning: {warning}"));
    }
    let (text, notes) = match target {
        Target::Json => (mechanism.into_description().to_json_string(), Vec::new()),
        Target::Toml => (mechanism.into_description().to_toml_string(), Vec::new()),
        Target::Code(language) => code(&mechanism, &args.input, language)?,
    };
    output::write_file(&args.output, text.as_bytes())?;
    notes.iter().for_each(|note| output::note(note));
    output::note(&format!("wrote {}", args.output.display()));
    Ok(())
}

/// What is written.
enum Target {
    Json,
    Toml,
    Code(Language),
}

fn target(args: &Convert) -> Result<Target, Failure> {
    let extension = args.output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let refuse =
        |reason: &str| Failure::usage(format!("cannot write {}: {reason}", args.output.display()));
    match (extension, Language::of_extension(extension)) {
        (_, Some(language)) if args.codegen => Ok(Target::Code(language)),
        _ if args.codegen => Err(refuse("code is written as .c or .rs")),
        ("json", _) => Ok(Target::Json),
        ("toml", _) => Ok(Target::Toml),
        (_, Some(_)) => {
            Err(refuse("models are written as .toml or .json; with --codegen, code as .c or .rs"))
        }
        _ => Err(refuse("models are written as .toml or .json")),
    }
}

/// The code, and notes on its size and on what is not in it.
fn code(
    mechanism: &Mechanism,
    file: &Path,
    language: Language,
) -> Result<(String, Vec<String>), Failure> {
    let dynamics = dynamics(mechanism, file)?;
    let code = generate(mechanism, &dynamics, language)
        .map_err(|error| Failure::Codegen { path: file.to_owned(), error })?;
    let size = |f: &FunctionSummary| format!("{}: {}", f.name, counted(f.statements, "statement"));
    let mut notes: Vec<String> = code.functions.iter().map(size).collect();
    if !code.left_out.is_empty() {
        notes.push(format!(
            "note: the code has gravity and the joint forces passed to it only; not in it: {}",
            code.left_out.join(", ")
        ));
    }
    Ok((code.text, notes))
}
