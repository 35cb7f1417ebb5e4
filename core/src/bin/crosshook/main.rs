//! The command line. It is a host like any other: everything it does goes through the public interface.
//!
//! Exit status: 0 an outcome was printed, whatever the decision; 1 bad settings or event (`check`: an error was
//! found); 2 bad usage.

mod args;
mod commands;
mod events;
mod table;

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    #[cfg(unix)]
    end_hooks_on_signals();
    let code = match commands::run(cli) {
        Ok(code) => code,
        Err(error) => {
            // With a closed standard error there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "crosshook: {error}");
            ExitCode::from(1)
        }
    };
    stay_if_interrupted();
    crosshook::Engine::end_foreground();
    code
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
            crosshook::Engine::shutdown();
            std::process::exit(128_i32.saturating_add(signal));
        }
    };
    // Without the thread a signal ends the process at once, as it would have anyway.
    let _ = std::thread::Builder::new().name("signals".into()).spawn(watch);
}
