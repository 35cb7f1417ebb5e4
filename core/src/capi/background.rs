//! Exported: hooks that go on after their event.

use std::time::Duration;

use super::callback;
use super::engine::{act, answer, crosshook_engine};
use super::error::crosshook_error;
use super::status::crosshook_status;
use super::text::crosshook_buf;

/// The background hooks that run now: `*out_list` is a JSON array of {number, hook, event, running_ms}. The caller frees
/// it with crosshook_buf_free(). Their end is told to listeners, see crosshook_watch().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_background(
    engine: *const crosshook_engine,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, |engine| Ok(engine.background_json())) }
}

/// Ends a background hook, whole process group, or all of them when `number` is 0. Returns at once. `*out_count`
/// (`out_count` may be NULL) is how many it was.
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_cancel_background(
    engine: *const crosshook_engine,
    number: u64,
    out_count: *mut usize,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    let number = (number != 0).then_some(number);
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { act(engine, out_count, out_error, |engine| Ok(engine.cancel_background(number))) }
}

/// Waits until no background hook of this engine runs any more, `timeout_ms` milliseconds at most; 0 only looks, a
/// negative number waits without a limit. `*out_idle` (`out_idle` may be NULL) says whether that is so. Refused on an
/// engine thread.
///
/// Fails with engine_thread, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_wait_background(
    engine: *const crosshook_engine,
    timeout_ms: i64,
    out_idle: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // A negative number does not fit and stands for "no limit".
    let limit = u64::try_from(timeout_ms).map_or(Duration::MAX, Duration::from_millis);
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe {
        act(engine, out_idle, out_error, |engine| {
            callback::refuse_on_engine_thread("crosshook_wait_background")?;
            Ok(engine.wait_background(limit)?)
        })
    }
}

/// Takes what background hooks had to say since the last call, where their dialect delivers it: `*out_list` is a JSON
/// array of {number, hook, event, session_id, status, additional_context, system_message, error}. At most the latest 256
/// are kept. The caller frees it with crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_take_late_results(
    engine: *const crosshook_engine,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, |engine| Ok(engine.take_late_results_json())) }
}
