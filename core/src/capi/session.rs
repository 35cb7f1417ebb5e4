//! Exported: what an engine keeps from event to event.

use super::engine::{act, crosshook_engine};
use super::error::crosshook_error;
use super::status::crosshook_status;
use super::text::crosshook_str;

/// Forgets what the engine knows of a session: its count of prevented stops and its hooks that run once.
/// `*out_known` (`out_known` may be NULL) says whether there was anything. Sessions that are never ended cost bounded
/// memory.
///
/// Fails with invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_end_session(
    engine: *const crosshook_engine,
    session_id: crosshook_str,
    out_known: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        act(engine, out_known, out_error, |engine| Ok(engine.end_session(session_id.read("session_id")?)))
    }
}
