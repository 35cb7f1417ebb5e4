//! Exported: what becomes of an outcome's context, and messages that are streamed to hooks.

use std::time::Duration;

use super::callback;
use super::engine::{answer, crosshook_engine};
use super::error::crosshook_error;
use super::guard;
use super::handle::{self, Handle};
use super::outputs::Out;
use super::status::crosshook_status;
use super::text::{crosshook_buf, crosshook_str};
use crate::engine::MessageDisplay;

/// One message of the agent on its way to the MessageDisplay hooks (Qwen Code). May be used by several threads at once,
/// without a lock. It may outlive its engine.
#[derive(Debug)]
pub struct crosshook_display {
    _opaque: [u8; 0],
}

impl Handle for crosshook_display {
    type Value = MessageDisplay;
    type Owner = Box<MessageDisplay>;
}

// The header promises it, the compiler checks it.
const _: () = {
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<<crosshook_display as Handle>::Value>();
};

/// The text for the model: the contexts of an outcome (as crosshook_dispatch() gave it) joined, wrapped and cut as the
/// dialect does. `*out_context` is a JSON string, or null when there is nothing to hand over. The caller frees it with
/// crosshook_buf_free().
///
/// Fails with invalid_event: `outcome` is no outcome; invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_render_context(
    engine: *const crosshook_engine,
    outcome: crosshook_str,
    out_context: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        answer(engine, out_context, "out_context", out_error, |engine| {
            Ok(engine.render_context_json(outcome.read("outcome")?)?)
        })
    }
}

/// Begins a message for the MessageDisplay hooks. `event` is a JSON object with the event's common fields (and a
/// message_id; one is made up when it is missing); its name and text are filled in. On success the caller frees
/// `*out_display` with crosshook_display_free().
///
/// Each delivery carries the whole text so far. Of an unfinished message at most one is under way, 200 ms apart; what is
/// pushed meanwhile replaces what waits. The finished text is delivered at once and never lost.
///
/// Fails with invalid_event; invalid_options: the dialect has no such event; invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_message_display(
    engine: *const crosshook_engine,
    event: crosshook_str,
    out_display: *mut *mut crosshook_display,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        guard::call(out_error, || {
            let engine = handle::borrow(engine, "engine")?;
            let out = Out::at(out_display, "out_display")?;
            out.write(handle::give(Box::new(engine.message_display(event.read("event")?)?)));
            Ok(())
        })
    }
}

/// Appends text that was shown; after the end it does nothing. Returns at once.
///
/// Fails with invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_display_push(
    display: *const crosshook_display,
    text: crosshook_str,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        guard::call(out_error, || {
            handle::borrow(display, "display")?.push(text.read("text")?);
            Ok(())
        })
    }
}

/// Delivers the finished text and waits for the hooks, `timeout_ms` milliseconds at most (Qwen Code: 5000); 0 does not
/// wait, a negative number waits without a limit. The hooks go on after that. `*out_done` (`out_done` may be NULL) says
/// whether they are done; a message without text delivers nothing and is done. Refused on an engine thread.
///
/// Fails with engine_thread, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_display_finish(
    display: *const crosshook_display,
    timeout_ms: i64,
    out_done: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // A negative number does not fit and stands for "no limit".
    let limit = u64::try_from(timeout_ms).map_or(Duration::MAX, Duration::from_millis);
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe {
        guard::call(out_error, || {
            let display = handle::borrow(display, "display")?;
            callback::refuse_on_engine_thread("crosshook_display_finish")?;
            let done = display.finish(limit)?;
            if let Some(out) = Out::optional(out_done) {
                out.write(done);
            }
            Ok(())
        })
    }
}

/// Ends the message without delivering it: the agent's turn was cancelled. Does nothing when `display` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_display_abort(display: *const crosshook_display) {
    guard::or((), || {
        // SAFETY: NULL or a live message, as the header's conventions ask.
        if let Ok(display) = unsafe { handle::borrow(display, "display") } {
            display.abort();
        }
    });
}

/// Frees a message; one that is not finished is aborted. Does nothing when `display` is NULL. No other call on the same
/// pointer may be running or follow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_display_free(display: *mut crosshook_display) {
    // SAFETY: NULL or a message that the caller owns, as the header's conventions ask.
    guard::or((), || drop(unsafe { handle::take(display) }));
}
