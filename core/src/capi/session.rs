//! Exported: what an engine keeps from event to event.

use std::ptr;

use super::engine::{act, answer, crosshook_engine};
use super::error::crosshook_error;
use super::status::crosshook_status;
use super::text::{crosshook_buf, crosshook_str};

/// Forgets what the engine knows of a session: its goal, its count of prevented stops and its hooks that
/// run once.
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

/// Gives a session a goal: from now on its Stop events ask the model of the host whether `condition` is met, and the
/// agent goes on until it is, or is impossible. Replaces an earlier goal.
///
/// Fails with invalid_options: the condition is empty or longer than 4,000 characters; invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_set_goal(
    engine: *const crosshook_engine,
    session_id: crosshook_str,
    condition: crosshook_str,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        act(engine, ptr::null_mut(), out_error, |engine| {
            Ok(engine.set_goal(session_id.read("session_id")?, condition.read("condition")?)?)
        })
    }
}

/// Takes a session's goal away. `*out_found` (`out_found` may be NULL) says whether it had one.
///
/// Fails with invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_clear_goal(
    engine: *const crosshook_engine,
    session_id: crosshook_str,
    out_found: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        act(engine, out_found, out_error, |engine| Ok(engine.clear_goal(session_id.read("session_id")?)))
    }
}

/// A session's goal, also when it is met or impossible: `*out_goal` is a JSON object of condition, status ("active",
/// "met", "impossible"), turns, tokens, checks, last_reason and set_at, or null. A host can save it for
/// crosshook_restore_goal(). The caller frees it with crosshook_buf_free().
///
/// Fails with invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_goal(
    engine: *const crosshook_engine,
    session_id: crosshook_str,
    out_goal: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        answer(engine, out_goal, "out_goal", out_error, |engine| {
            Ok(engine.goal_json(session_id.read("session_id")?))
        })
    }
}

/// Adds turns and tokens that were spent on a session's goal. `*out_found` (`out_found` may be NULL) says whether it has
/// one.
///
/// Fails with invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_note_goal_usage(
    engine: *const crosshook_engine,
    session_id: crosshook_str,
    turns: u64,
    tokens: u64,
    out_found: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        act(engine, out_found, out_error, |engine| {
            Ok(engine.note_goal_usage(session_id.read("session_id")?, turns, tokens))
        })
    }
}

/// Gives a session a goal that crosshook_goal() has shown, for example when the session is resumed.
///
/// Fails with invalid_options: `goal` is no such object; invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_restore_goal(
    engine: *const crosshook_engine,
    session_id: crosshook_str,
    goal: crosshook_str,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        act(engine, ptr::null_mut(), out_error, |engine| {
            Ok(engine.restore_goal(session_id.read("session_id")?, goal.read("goal")?)?)
        })
    }
}
