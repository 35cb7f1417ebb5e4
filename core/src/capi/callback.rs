//! Calls into the host: the `done` callback of a run and the user data that belongs to it.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use super::error::{Failure, crosshook_error};
use super::guard;
use super::run::RunState;
use super::status::crosshook_status;
use super::text::crosshook_str;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::runtime;

/// Called once when a run has ended: on an engine thread or, when the event is invalid or no thread can be had, on the
/// calling thread before crosshook_start() returns. So hold no lock that it takes while you start a run. `status` is CROSSHOOK_STATUS_OK and `outcome` the JSON
/// text, or `status` is what failed, `outcome` is empty and `error` says why. `outcome` and `error` belong to the
/// library and are valid during the call only: copy what is needed, free nothing.
///
/// It must be quick, must not throw, longjmp or end the thread, and must not make a call that waits
/// (crosshook_dispatch, crosshook_run_wait, crosshook_shutdown are refused). crosshook_start() and the free functions
/// are fine. It may run before crosshook_start() has written `*out_run`.
pub type crosshook_done = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        status: crosshook_status,
        outcome: crosshook_str,
        error: *const crosshook_error,
    ),
>;

/// Called once with the `user_data` of a run, when the library no longer needs it.
pub type crosshook_user_data_free = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// `done` when it is not NULL.
type Done = unsafe extern "C" fn(*mut c_void, crosshook_status, crosshook_str, *const crosshook_error);

/// A pointer of the host, and how to be rid of it: its destructor runs exactly once, when this is dropped.
#[derive(Debug)]
pub(super) struct UserData {
    pointer: *mut c_void,
    free: crosshook_user_data_free,
}

// SAFETY: the header tells hosts that user data is used on other threads, one at a time; the library itself never
// looks behind the pointer.
unsafe impl Send for UserData {}

impl UserData {
    /// Takes `pointer` over from the host.
    ///
    /// # Safety
    /// `free` may be called with `pointer`, once, on any thread.
    pub(super) unsafe fn adopt(pointer: *mut c_void, free: crosshook_user_data_free) -> Self {
        Self { pointer, free }
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            let _mark = HostCall::begin();
            // SAFETY: promised to `adopt`; `drop` runs once.
            unsafe { free(self.pointer) };
        }
    }
}

/// The host's `done` callback, owed exactly one call: by [`Answer::give`], or, should the engine ever lose it, by its
/// drop, with the status `internal`. After the call the user data is freed, and then the run counts as finished.
#[derive(Debug)]
pub(super) struct Answer {
    done: Option<Done>,
    // In this order: whoever waits for the run may rely on the destructor having run.
    user_data: UserData,
    _finish: Finish,
}

impl Answer {
    pub(super) fn new(done: Done, user_data: UserData, run: Arc<RunState>) -> Self {
        Self { done: Some(done), user_data, _finish: Finish(run) }
    }

    /// Calls `done` with the end of the run.
    pub(super) fn give(mut self, result: Result<Outcome, Error>) {
        self.call(guard::contain(|| Ok(result?.to_json())));
    }

    fn call(&mut self, result: Result<String, Failure>) {
        let Some(done) = self.done.take() else { return };
        let _mark = HostCall::begin();
        let (status, outcome, error) = match &result {
            Ok(json) => (crosshook_status::Ok, crosshook_str::lend(json), ptr::null()),
            // What C sees as an opaque error is the failure itself, lent for the time of the call.
            Err(failure) => (failure.status(), crosshook_str::EMPTY, ptr::from_ref(failure).cast()),
        };
        // SAFETY: a function of this type, not NULL; the outcome and the error outlive the call.
        unsafe { done(self.user_data.pointer, status, outcome, error) };
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if self.done.is_some() {
            let message = "the run ended without an outcome; treat the event as denied";
            self.call(Err(Failure::new(crosshook_status::Internal, message)));
        }
    }
}

/// Marks the run as finished when it is dropped.
#[derive(Debug)]
struct Finish(Arc<RunState>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish();
    }
}

thread_local! {
    /// How many calls into the host are on this thread's stack.
    static HOST_CALLS: Cell<u32> = const { Cell::new(0) };
}

/// A call into the host is on this thread's stack as long as this lives.
struct HostCall;

impl HostCall {
    fn begin() -> Self {
        // A thread that is ending has no counter any more; then nothing can be asked of it either.
        let _ = HOST_CALLS.try_with(|calls| calls.set(calls.get() + 1));
        Self
    }
}

impl Drop for HostCall {
    fn drop(&mut self) {
        let _ = HOST_CALLS.try_with(|calls| calls.set(calls.get().saturating_sub(1)));
    }
}

/// Whether a call that waits would wait for itself here: on a thread of the engine's, or in a callback on another one.
fn on_engine_thread() -> bool {
    runtime::is_engine_thread() || HOST_CALLS.try_with(Cell::get).unwrap_or(0) > 0
}

/// The failure of a call that waits, when it is made on an engine thread. `function` names the call.
pub(super) fn refuse_on_engine_thread(function: &str) -> Result<(), Failure> {
    if !on_engine_thread() {
        return Ok(());
    }
    let message = format!(
        "{function} waits and must not be called on an engine thread (inside a callback); hand the work to a thread \
         of your own, or use crosshook_start"
    );
    Err(Failure::new(crosshook_status::EngineThread, message))
}

#[cfg(test)]
mod tests;
