//! Whether a command could reach the user's terminal.

#![allow(unsafe_code, reason = "a system call whose safe wrapper takes too much for granted")]

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::sync::atomic::{AtomicI32, Ordering};

/// Whether this process has a controlling terminal, in which case commands get a session of their own, so
/// that no prompt of theirs (`/dev/tty`) disturbs the host's screen or stops them.
///
/// Without one, a process group of their own is all that is needed, and better: where Linux schedules by
/// session (`sched_autogroup_enabled`), a new session starts at the end of the queue; on a busy machine that
/// doubles a short command's time.
pub(super) fn is_controlled() -> bool {
    /// What no session is called.
    const NO_SESSION: i32 = -1;
    /// The session that was found to be without a terminal. Only its leader could still give it one.
    static WITHOUT: AtomicI32 = AtomicI32::new(NO_SESSION);
    // Not rustix's `getsid`: it takes the answer for a process id above 0, but a session that was made outside
    // of this PID namespace (`docker run --init`, `unshare --pid`) has the number 0 here.
    // SAFETY: takes and returns plain numbers.
    let session = unsafe { libc::getsid(0) };
    if session == WITHOUT.load(Ordering::Relaxed) {
        return false;
    }
    match rustix::fs::open("/dev/tty", OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()) {
        Err(Errno::NXIO | Errno::NODEV | Errno::NOENT) => {
            WITHOUT.store(session, Ordering::Relaxed);
            false
        }
        // Also when it cannot be told.
        _ => true,
    }
}
