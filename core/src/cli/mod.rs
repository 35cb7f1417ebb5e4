//! The command line, for the program `crosshook` and for the packages of other languages that bring it along. It is a host
//! like any other: everything it does goes through the public interface.
//!
//! Exit status: 0 an outcome was printed, whatever the decision; 1 bad settings or event (`check`: an error was
//! found; `replay`: something would be decided otherwise); 2 bad usage.

mod args;
mod commands;
mod events;
mod replay;
mod table;
mod trust;

use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

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
    end_hooks_on_signals();
    let status = commands::run(cli).unwrap_or_else(|error| {
        // With a closed standard error there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "crosshook: {error}");
        1
    });
    stay_if_interrupted();
    crate::Engine::end_foreground();
    status
}

/// A signal asked for the end: nothing may be printed any more, because what hooks answer that were killed for it is
/// no decision.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Does not return when a signal ends the process anyway.
fn stay_if_interrupted() {
    while INTERRUPTED.load(Ordering::Acquire) {
        std::thread::park();
    }
}

/// Hooks run in sessions of their own, so a Ctrl-C does not reach them; the command line passes it on.
#[cfg(unix)]
fn end_hooks_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
    let watch = move || {
        if let Some(signal) = signals.forever().next() {
            INTERRUPTED.store(true, Ordering::Release);
            crate::Engine::shutdown();
            std::process::exit(128_i32.saturating_add(signal));
        }
    };
    // Without the thread a signal ends the process at once, as it would have anyway.
    let _ = std::thread::Builder::new().name("signals".into()).spawn(watch);
}
