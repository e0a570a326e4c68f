//! The program `pommel`.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod failure;
mod output;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    match commands::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::note(&format!("error: {failure}"));
            ExitCode::from(failure.status())
        }
    }
}
