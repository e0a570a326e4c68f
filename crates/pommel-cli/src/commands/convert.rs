//! `pommel convert`.

use std::path::Path;

use pommel::codegen::{Language, generate};
use pommel::model::{LoadOptions, Mechanism};

use super::dynamics;
use crate::args::Convert;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &Convert) -> Result<(), Failure> {
    let target = target(args)?;
    let gravity = args.gravity.as_deref().and_then(|g| <[f64; 3]>::try_from(g).ok());
    let options = LoadOptions { gravity, floating_base: args.floating_base };
    let mechanism = Mechanism::from_path_with(&args.input, &options)?;
    for warning in mechanism.warnings() {
        output::note(&format!("warning: {warning}"));
    }
    let text = match target {
        Target::Json => mechanism.into_description().to_json_string(),
        Target::Toml => mechanism.into_description().to_toml_string(),
        Target::Code(language) => code(&mechanism, &args.input, language)?,
    };
    output::write_file(&args.output, text.as_bytes())?;
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
    let refuse = |reason: &str| {
        Failure::usage(format!("cannot write '{}': {reason}", args.output.display()))
    };
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

/// The code, with notes on its size and on what is not in it.
fn code(mechanism: &Mechanism, file: &Path, language: Language) -> Result<String, Failure> {
    let dynamics = dynamics(mechanism, file)?;
    let code = generate(mechanism, &dynamics, language)
        .map_err(|error| Failure::Codegen { path: file.to_owned(), error })?;
    for function in &code.functions {
        output::note(&format!("{}: {} statements", function.name, function.statements));
    }
    if !code.left_out.is_empty() {
        output::note(&format!(
            "note: the code has gravity and the joint forces passed to it only; not in it: {}",
            code.left_out.join(", ")
        ));
    }
    Ok(code.text)
}
