//! The program `crosshook`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(crosshook::cli::main(std::env::args_os()))
}
