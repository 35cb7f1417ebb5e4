//! Pretending that the system lacks something, so that the other ways can be tested everywhere.

use std::sync::atomic::{AtomicU8, Ordering};

/// No `pidfd_open` (Linux before 5.3, some sandboxes, valgrind): a thread waits for each process.
pub const NO_PIDFD: u8 = 1;
/// No exit status from a pidfd after another thread has taken it (Linux before 6.15).
pub const NO_PIDFD_INFO: u8 = 2;
/// Every command goes through a relay shell.
pub const RELAY: u8 = 4;
/// No working directory in `posix_spawn` (glibc before 2.29).
pub const NO_CHDIR: u8 = 8;
/// No signal to a process group by pidfd (Linux before 6.9).
pub const NO_PIDFD_GROUP: u8 = 16;

/// No process can be started at all: for fuzzers, whose settings name programs that nobody has looked at.
pub const NO_PROCESS: u8 = 64;

/// No pages of ours in pipes (a sandbox without `vmsplice`).
pub const NO_LENDING: u8 = 128;

static MISSING: AtomicU8 = AtomicU8::new(0);

/// No relay shell, whatever the host does to exit statuses.
pub const NO_RELAY: u8 = 32;

/// From now on, in this process, the features in `features` are taken to be missing. For tests.
pub fn missing(features: u8) {
    MISSING.store(features, Ordering::Relaxed);
}

/// Whether any feature in `feature` is taken to be missing.
pub(super) fn is(feature: u8) -> bool {
    MISSING.load(Ordering::Relaxed) & feature != 0
}
