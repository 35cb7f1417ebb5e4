//! Exported: runs that do not block.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::callback::{self, Answer, UserData, crosshook_done, crosshook_user_data_free};
use super::engine::crosshook_engine;
use super::error::{Failure, crosshook_error};
use super::guard;
use super::handle::{self, Handle};
use super::outputs::Out;
use super::status::crosshook_status;
use super::text::crosshook_str;
use crate::engine::Run;

/// One event that was started with crosshook_start(). May be used by several threads at once, without a lock.
#[derive(Debug)]
pub struct crosshook_run {
    _opaque: [u8; 0],
}

impl Handle for crosshook_run {
    type Value = RunState;
    // Shared with the answer, which marks the end whether or not C still holds its handle.
    type Owner = Arc<RunState>;
}

// Hosts share runs between threads: the header promises it, the compiler checks it.
const _: () = {
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<<crosshook_run as Handle>::Value>();
};

/// What is known of a run outside of the core.
#[derive(Debug, Default)]
pub(super) struct RunState {
    /// Set before C gets the handle; the answer may come earlier.
    run: OnceLock<Run>,
    finished: Mutex<bool>,
    changed: Condvar,
}

impl RunState {
    /// The callback has returned and the user data is freed.
    pub(super) fn finish(&self) {
        // The flag cannot be left half changed, so a poisoned lock is as good as any.
        *self.finished.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for the end, at most `limit` when there is one, and says whether it has come.
    pub(super) fn wait(&self, limit: Option<Duration>) -> bool {
        let guard = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        let running = |finished: &mut bool| !*finished;
        match limit {
            None => *self.changed.wait_while(guard, running).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                *self
                    .changed
                    .wait_timeout_while(guard, limit, running)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        }
    }
}

/// Starts one event and returns at once; `done` is called exactly once when it has ended, also when the event turns out
/// to be invalid or the run is cancelled.
///
/// `event` is copied. `user_data` (may be NULL) is passed to `done`; `user_data_free` (may be NULL) is called with it
/// exactly once: after `done` has returned or, when this call fails, before it returns. So the call takes `user_data`
/// over in every case. `*out_run` is a handle that the caller frees with crosshook_run_free(); pass NULL for
/// `out_run` when the run need not be cancelled or waited for. `done` is never called when this call fails.
///
/// Fails with invalid_utf8, null_argument, internal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_start(
    engine: *const crosshook_engine,
    event: crosshook_str,
    done: crosshook_done,
    user_data: *mut c_void,
    user_data_free: crosshook_user_data_free,
    out_run: *mut *mut crosshook_run,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        // First of all, so that the destructor runs whatever happens.
        let user_data = UserData::adopt(user_data, user_data_free);
        guard::call(out_error, move || {
            let engine = handle::borrow(engine, "engine")?;
            let event = event.read("event")?;
            let done = done.ok_or_else(|| Failure::null("done"))?;
            let out = Out::optional(out_run);
            let state = Arc::new(RunState::default());
            let answer = Answer::new(done, user_data, Arc::clone(&state));
            // From here on `done` is going to be called. Should the start itself panic, then the answer is dropped
            // and tells the host so: to fail here as well would report one event twice.
            if let Ok(run) = guard::contain(|| Ok(engine.start(event, move |result| answer.give(result)))) {
                // Just made, so it is empty and takes the value.
                let _ = state.run.set(run);
            }
            if let Some(out) = out {
                out.write(handle::give(state));
            }
            Ok(())
        })
    }
}

/// Ends the hooks of a run, whole process groups; they are reported with the status "cancelled", and `done` is called
/// as always. Returns at once. May be called on any thread, more than once, after the end, and inside a `done`
/// callback. Does nothing when `run` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_run_cancel(run: *const crosshook_run) {
    guard::or((), || {
        // SAFETY: NULL or a live run, as the header's conventions ask.
        let run = unsafe { handle::borrow(run, "run") };
        if let Some(run) = run.ok().and_then(|state| state.run.get()) {
            run.cancel();
        }
    });
}

/// Waits until a run has ended: `done` has returned and `user_data_free` has been called. Waits `timeout_ms`
/// milliseconds at most; 0 only looks, a negative number waits without a limit. `*out_finished` says whether the run
/// has ended. Refused on an engine thread.
///
/// Fails with engine_thread, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_run_wait(
    run: *const crosshook_run,
    timeout_ms: i64,
    out_finished: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe {
        guard::call(out_error, || {
            let run = handle::borrow(run, "run")?;
            let out = Out::at(out_finished, "out_finished")?;
            callback::refuse_on_engine_thread("crosshook_run_wait")?;
            // A negative number does not fit and stands for "no limit".
            out.write(run.wait(u64::try_from(timeout_ms).ok().map(Duration::from_millis)));
            Ok(())
        })
    }
}

/// Frees the handle of a run; the run itself goes on to its end. Does nothing when `run` is NULL. No other call on the
/// same pointer may be running or follow. May be called inside a `done` callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_run_free(run: *mut crosshook_run) {
    // SAFETY: NULL or a run that the caller owns, as the header's conventions ask.
    guard::or((), || drop(unsafe { handle::take(run) }));
}
