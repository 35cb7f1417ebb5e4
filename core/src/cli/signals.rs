//! Signals that ask for the end: the hooks are killed first.

use std::sync::atomic::{AtomicBool, Ordering};

/// A signal asked for the end: nothing may be printed any more, because what hooks answer that were killed for it is
/// no decision.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Does not return when a signal ends the process anyway.
pub(super) fn stay_if_interrupted() {
    while INTERRUPTED.load(Ordering::Acquire) {
        std::thread::park();
    }
}

/// Hooks run in sessions of their own, so a Ctrl-C does not reach them; the command line passes it on.
#[cfg(unix)]
pub(super) fn end_hooks() {
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
