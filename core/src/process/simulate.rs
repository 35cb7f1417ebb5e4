//! Pretending that the system lacks something, so that the other ways can be tested everywhere.

use std::sync::atomic::{AtomicU16, Ordering};

/// No `pidfd_open` (Linux before 5.3, some sandboxes, valgrind): a thread waits for each process.
pub const NO_PIDFD: u16 = 1;
/// No exit status from a pidfd after another thread has taken it (Linux before 6.15).
pub const NO_PIDFD_INFO: u16 = 2;
/// Every command goes through a relay shell.
pub const RELAY: u16 = 4;
/// No working directory in `posix_spawn` (glibc before 2.29).
pub const NO_CHDIR: u16 = 8;
/// No signal to a process group by pidfd (Linux before 6.9).
pub const NO_PIDFD_GROUP: u16 = 16;

/// No process can be started at all: for fuzzers, whose settings name programs that nobody has looked at.
pub const NO_PROCESS: u16 = 64;

/// No pages of ours in pipes (a sandbox without `vmsplice`).
pub const NO_LENDING: u16 = 128;

/// No `clone` of our own: processes are started by the C library (all but Linux on x86-64).
pub const NO_VFORK: u16 = 256;

static MISSING: AtomicU16 = AtomicU16::new(0);

/// No relay shell, whatever the host does to exit statuses.
pub const NO_RELAY: u16 = 32;

/// From now on, in this process, the features in `features` are taken to be missing. For tests.
pub fn missing(features: u16) {
    MISSING.store(features, Ordering::Relaxed);
}

/// Whether any feature in `feature` is taken to be missing.
pub(super) fn is(feature: u16) -> bool {
    MISSING.load(Ordering::Relaxed) & feature != 0
}
