//! The gate between this library and the interpreter.
//!
//! CPython before 3.14 ends any thread that asks for the interpreter once it is going down, by unwinding its stack;
//! through Rust frames that is an abort. So every stretch in which a thread may come back to the interpreter is
//! counted here, and `atexit` closes the gate and waits until nobody is inside. Atomics only: a lock could be held
//! by a thread that a fork leaves behind.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crosshook::Engine;

/// How long the end of the interpreter waits for threads that are inside.
const DRAIN: Duration = Duration::from_secs(2);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(1);

static CLOSED: AtomicBool = AtomicBool::new(false);
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Being inside the gate; ends when dropped.
#[derive(Debug)]
pub(crate) struct Entry(());

impl Drop for Entry {
    fn drop(&mut self) {
        // Never below zero: a fork in a signal handler resets the count while its own thread is inside. An error
        // says just that, and there is nothing to do then.
        let _zero = INSIDE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |inside| inside.checked_sub(1));
    }
}

/// Goes inside, or `None` when the interpreter is going down.
pub(crate) fn enter() -> Option<Entry> {
    // Counted first, asked second: `close` does it the other way round, so one of the two sees the other.
    INSIDE.fetch_add(1, Ordering::SeqCst);
    let entry = Entry(());
    (!CLOSED.load(Ordering::SeqCst)).then_some(entry)
}

/// Whether the interpreter is going down; whoever waits inside is to leave.
pub(crate) fn closed() -> bool {
    CLOSED.load(Ordering::SeqCst)
}

/// Lets nobody in any more, waits until all are out (two seconds at most) and shuts the engine down. Call it
/// detached from the interpreter: those inside may need it to get out.
pub(crate) fn close() {
    CLOSED.store(true, Ordering::SeqCst);
    let end = Instant::now() + DRAIN;
    while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        std::thread::sleep(LOOK);
    }
    // A failure here has nobody left to be told to.
    let _panicked = std::panic::catch_unwind(Engine::shutdown);
}

/// In the child of a fork: the threads that were inside stayed in the parent.
pub(crate) fn reset() {
    INSIDE.store(0, Ordering::SeqCst);
}
