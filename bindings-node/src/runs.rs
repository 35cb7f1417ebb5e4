//! The dispatches of one JavaScript environment that have not ended yet.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crosshook::Run;

/// How long the end of an environment waits for its dispatches: the two seconds that a polite dialect leaves between
/// SIGTERM and SIGKILL, and some air.
const GRACE: Duration = Duration::from_secs(5);

/// Shared by the JavaScript thread, which opens and cancels, and the engine threads, which close.
#[derive(Default)]
pub(crate) struct Runs {
    open: Mutex<HashMap<i64, Option<Run>>>,
    closed_one: Condvar,
}

impl Runs {
    /// Takes note of dispatch `id` before it starts, so that its end cannot come first.
    pub(crate) fn open(&self, id: i64) {
        self.lock().insert(id, None);
    }

    /// Says how `id` is cancelled. Does nothing when it has ended already.
    pub(crate) fn started(&self, id: i64, run: Run) {
        if let Some(slot) = self.lock().get_mut(&id) {
            *slot = Some(run);
        }
    }

    /// Dispatch `id` has ended.
    pub(crate) fn close(&self, id: i64) {
        self.lock().remove(&id);
        self.closed_one.notify_all();
    }

    /// Cancels `id`; does nothing when it has ended.
    pub(crate) fn cancel(&self, id: i64) {
        let run = self.lock().get(&id).cloned().flatten();
        if let Some(run) = run {
            run.cancel();
        }
    }

    /// Cancels everything.
    pub(crate) fn cancel_all(&self) {
        let runs: Vec<Run> = self.lock().values().flatten().cloned().collect();
        // Not under the lock: a cancellation may end a dispatch at once, on this very thread.
        runs.iter().for_each(Run::cancel);
    }

    /// Waits until everything has ended, [`GRACE`] at most.
    pub(crate) fn wait(&self) {
        drop(self.closed_one.wait_timeout_while(self.lock(), GRACE, |open| !open.is_empty()));
    }

    // A panic elsewhere leaves the map whole: every change of it is one call.
    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Option<Run>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
