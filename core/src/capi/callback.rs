//! Calls into the host: its functions, the user data that belongs to them, and the `done` callback of a run.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::thread::LocalKey;

use super::error::{Failure, crosshook_error};
use super::guard;
use super::run::RunState;
use super::status::crosshook_status;
use super::text::crosshook_str;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::runtime;

/// Called once when a run has ended: on an engine thread or, when no hook is selected, the event is invalid or no thread
/// can be had, on the calling thread before crosshook_start() returns. So hold no lock that it takes while you start a
/// run. `status` is CROSSHOOK_STATUS_OK and `outcome` the JSON text, or `status` is what failed, `outcome` is empty and
/// `error` says why. `outcome` and `error` belong to the library and are valid during the call only: copy what is needed, free
/// nothing.
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

/// Called once with the `user_data` of a callback, when the library no longer needs it: on whatever thread that turns
/// out. It must be quick, and must not throw or wait.
pub type crosshook_user_data_free = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// `done` when it is not NULL.
type Done = unsafe extern "C" fn(*mut c_void, crosshook_status, crosshook_str, *const crosshook_error);

/// A pointer of the host, and how to be rid of it: its destructor runs exactly once, when this is dropped.
#[derive(Debug)]
pub(super) struct UserData {
    pointer: *mut c_void,
    free: crosshook_user_data_free,
}

// SAFETY: the header tells hosts that user data is used on other threads; the library itself never looks behind the
// pointer.
unsafe impl Send for UserData {}

// SAFETY: as above. Which callbacks may run several times at once is said where they are declared.
unsafe impl Sync for UserData {}

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
            let _mark = Mark::begin(&HOST_CALLS);
            // SAFETY: promised to `adopt`; `drop` runs once.
            unsafe { free(self.pointer) };
        }
    }
}

/// A function of the host's that may be called more than once, and its user data.
#[derive(Debug)]
pub(super) struct Callback<F> {
    function: F,
    user_data: UserData,
}

impl<F: Copy> Callback<F> {
    /// Fails, and is rid of the user data, when there is no function. `argument` names it.
    pub(super) fn new(function: Option<F>, argument: &str, user_data: UserData) -> Result<Self, Failure> {
        function.map(|function| Self { function, user_data }).ok_or_else(|| Failure::null(argument))
    }

    /// Lets `call` call the function, which may not wait meanwhile.
    pub(super) fn notify(&self, call: impl FnOnce(F, *mut c_void)) {
        let _mark = Mark::begin(&HOST_CALLS);
        call(self.function, self.user_data.pointer);
    }

    /// The same for a function that may wait where its thread is the host's own.
    pub(super) fn ask(&self, call: impl FnOnce(F, *mut c_void)) {
        let _mark = Mark::begin(&ASKED);
        call(self.function, self.user_data.pointer);
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
        let _mark = Mark::begin(&HOST_CALLS);
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

/// How many dispatches may wait for one another on one thread: each but the first was made by a host that was asked by
/// the one before. A host that asks itself without an end gets an error instead of a stack overflow.
const DEEPEST: u32 = 16;

thread_local! {
    /// How many calls into the host that must not wait are on this thread's stack.
    static HOST_CALLS: Cell<u32> = const { Cell::new(0) };
    /// How many requests the host is being asked on this thread's stack.
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

type Counter = LocalKey<Cell<u32>>;

/// Counts a call into the host for as long as it lives.
struct Mark(&'static Counter);

impl Mark {
    fn begin(counter: &'static Counter) -> Self {
        // A thread that is ending has no counter any more; then nothing can be asked of it either.
        let _ = counter.try_with(|calls| calls.set(calls.get().saturating_add(1)));
        Self(counter)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = self.0.try_with(|calls| calls.set(calls.get().saturating_sub(1)));
    }
}

fn count(counter: &'static Counter) -> u32 {
    counter.try_with(Cell::get).unwrap_or(0)
}

/// The failure of a call that waits, where it would wait for itself: on a thread of the engine's, or in a callback that
/// must not wait on another one. `function` names the call.
pub(super) fn refuse_on_engine_thread(function: &str) -> Result<(), Failure> {
    if runtime::is_engine_thread() || count(&HOST_CALLS) > 0 {
        let message = format!(
            "{function} waits and must not be called on an engine thread (inside a callback); hand the work to a \
             thread of your own, or use crosshook_start"
        );
        return Err(Failure::new(crosshook_status::EngineThread, message));
    }
    if count(&ASKED) >= DEEPEST {
        let message = format!(
            "{function} is called inside the host's callback, which it called itself, {DEEPEST} times over; the host \
             asks itself without an end"
        );
        return Err(Failure::new(crosshook_status::Resource, message));
    }
    Ok(())
}

/// The failure of a call that is not for callbacks at all. `function` names it.
pub(super) fn refuse_in_callbacks(function: &str) -> Result<(), Failure> {
    refuse_on_engine_thread(function)?;
    if count(&ASKED) == 0 {
        return Ok(());
    }
    let message = format!("{function} must not be called inside a callback");
    Err(Failure::new(crosshook_status::EngineThread, message))
}

#[cfg(test)]
mod tests;
