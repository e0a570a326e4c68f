//! `pommel convert`.

use pommel::model::{LoadOptions, Mechanism};

use crate::args::Convert;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &Convert) -> Result<(), Failure> {
    let extension = args.output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !["toml", "json"].contains(&extension) {
        return Err(Failure::usage(format!(
            "cannot write '{}': models are written as .toml or .json",
            args.output.display()
        )));
    }
    let gravity = args.gravity.as_deref().and_then(|g| <[f64; 3]>::try_from(g).ok());
    let options = LoadOptions { gravity, floating_base: args.floating_base };
    let mechanism = Mechanism::from_path_with(&args.input, &options)?;
    for warning in mechanism.warnings() {
        output::note(&format!("warning: {warning}"));
    }
    let description = mechanism.into_description();
    let text = match extension {
        "json" => description.to_json_string(),
        _ => description.to_toml_string(),
    };
    output::write_file(&args.output, text.as_bytes())?;
    output::note(&format!("wrote {}", args.output.display()));
    Ok(())
}
