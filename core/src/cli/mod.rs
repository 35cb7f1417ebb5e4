//! The command line, for the program `crosshook` and for the packages of other languages that bring it along. It is a host
//! like any other: everything it does goes through the public interface.
//!
//! Exit status: 0 an outcome was printed, whatever the decision; 1 bad settings or event (`check`: an error was
//! found; `replay`: something would be decided otherwise); 2 bad usage.

mod args;
mod commands;
mod engine;
mod events;
mod output;
mod replay;
mod signals;
mod table;
mod trust;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;

/// Runs the command line with `arguments`, the first of which is the program's name, on this process's standard streams,
/// and returns the exit status for the caller to end with.
///
/// From here on the process belongs to the command line: on SIGHUP, SIGINT and SIGTERM it kills the hooks and exits. Blocks;
/// not to be called in a process that goes on with other things.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match args::Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => {
            // The help and the version are such an answer too. Nobody is left to tell when the stream is closed.
            let _ = answer.print();
            return u8::try_from(answer.exit_code()).unwrap_or(2);
        }
    };
    #[cfg(unix)]
    signals::end_hooks();
    let status = commands::run(cli).unwrap_or_else(|error| {
        // With a closed standard error there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "crosshook: {error}");
        1
    });
    signals::stay_if_interrupted();
    crate::Engine::end_foreground();
    status
}
