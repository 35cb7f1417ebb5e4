//! Exported: engines and the calls that answer at once or wait.

use std::ffi::c_void;
use std::sync::Arc;

use super::callback::{self, Callback, UserData, crosshook_user_data_free};
use super::error::{Failure, crosshook_error};
use super::guard;
use super::handle::{self, Handle};
use super::outputs::Out;
use super::request::{Asking, crosshook_host};
use super::status::crosshook_status;
use super::text::{crosshook_buf, crosshook_str};
use crate::engine::Engine;
use crate::options::Options;

/// A set of hooks, ready to run. May be used by several threads at once, without a lock.
#[derive(Debug)]
pub struct crosshook_engine {
    _opaque: [u8; 0],
}

impl Handle for crosshook_engine {
    type Value = Engine;
    type Owner = Box<Engine>;
}

// Hosts share engines between threads: the header promises it, the compiler checks it.
const _: () = {
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<<crosshook_engine as Handle>::Value>();
};

/// Makes an engine from `options`, a JSON object such as {"dialect": "qwen", "settings": {"hooks": {...}}}.
///
/// Keys (snake_case or camelCase): dialect; version (of that agent; by default the newest that is documented); settings
/// (one object in the form of that dialect's settings file, or a list of {scope, settings} and {scope, path});
/// project_dir; home; discover (look up the dialect's own files; by default only when no settings are given); trusted;
/// trust_store (the file that keeps grants); plugins (folders, or {path, dialect, id, data_dir, enabled,
/// managed, options});
/// fail_mode ("open", "closed"); env (what hooks inherit); llm ({base_url, model,
/// key_env}: an endpoint that answers prompt hooks); late_results (whether background hooks' output is wanted; false lets
/// them outlive the host); dialects (others whose own files are looked up as well); tools (the host's tools that have
/// another name in its dialect: {"execute": "Bash"} or {"execute": {"name": "Bash", "arguments": {...}}}); record (a file
/// that every dispatch is recorded in, or {path, redact, usual_rules, max_bytes}). Such an engine has no host to ask: agent and function hooks, and
/// prompt hooks without llm, need crosshook_engine_new_with_host().
///
/// On success `*out_engine` is an engine that the caller frees with crosshook_engine_free(). Reads files; starts no
/// thread and no process.
///
/// Fails with invalid_options, invalid_settings, io, invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_engine_new(
    options: crosshook_str,
    out_engine: *mut *mut crosshook_engine,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three arguments.
    unsafe {
        guard::call(out_error, || {
            let out = Out::at(out_engine, "out_engine")?;
            let engine = Engine::from_json(options.read("options")?)?;
            out.write(handle::give(Box::new(engine)));
            Ok(())
        })
    }
}

/// Makes an engine whose prompt, agent and function hooks `host` answers. Everything else is as for
/// crosshook_engine_new().
///
/// `user_data` (may be NULL) is passed to `host`; `user_data_free` (may be NULL) is called with it exactly once: when
/// the engine has been freed and the last of its runs has ended or, when this call fails, before it returns. So the
/// call takes `user_data` over in every case.
///
/// Fails with invalid_options, invalid_settings, io, invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_engine_new_with_host(
    options: crosshook_str,
    host: crosshook_host,
    user_data: *mut c_void,
    user_data_free: crosshook_user_data_free,
    out_engine: *mut *mut crosshook_engine,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        // First of all, so that the destructor runs whatever happens.
        let user_data = UserData::adopt(user_data, user_data_free);
        guard::call(out_error, move || {
            let host = Asking(Callback::new(host, "host", user_data)?);
            let out = Out::at(out_engine, "out_engine")?;
            let options = Options::from_json(options.read("options")?)?;
            out.write(handle::give(Box::new(Engine::with_host(options, Arc::new(host))?)));
            Ok(())
        })
    }
}

/// Frees an engine. Does nothing when `engine` is NULL. No other call on the same pointer may be running or follow;
/// runs that were started with crosshook_start() go on to their end. May be called inside a `done` callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_engine_free(engine: *mut crosshook_engine) {
    // SAFETY: NULL or an engine that the caller owns, as the header's conventions ask.
    guard::or((), || drop(unsafe { handle::take(engine) }));
}

/// Runs one event and waits for its outcome: the hooks that match run, and `*out_outcome` is what they decided
/// together, as a JSON object. A hook that blocks or denies is no error: look at "decision".
///
/// `event` is one JSON object with "hook_event_name", as the dialect's agent would hand it to a hook. On success the
/// caller frees `*out_outcome` with crosshook_buf_free(). For several events call it several times. Blocks the
/// calling thread for as long as the hooks take, and is refused on an engine thread.
/// The host of crosshook_engine_new_with_host() is asked on the calling thread; it may dispatch again there, to a
/// depth of 16.
///
/// Fails with invalid_event, resource, closed, internal, engine_thread, invalid_utf8, null_argument. A host that must
/// be safe treats every failure as "denied".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_dispatch(
    engine: *const crosshook_engine,
    event: crosshook_str,
    out_outcome: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    let body = |engine: &Engine| {
        callback::refuse_on_engine_thread("crosshook_dispatch")?;
        // SAFETY: readable for the time of this call, as the header's conventions ask.
        let event = unsafe { event.read("event") }?;
        Ok(engine.dispatch_blocking(event)?.to_json())
    };
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_outcome, "out_outcome", out_error, body) }
}

/// Says which hooks would run for `event`, which not, and why; runs nothing. `*out_list` is a JSON array with one
/// object for each configured hook: event, id, dialect, type, label, matcher, origin, runs, why. The caller frees it
/// with crosshook_buf_free().
///
/// Fails with invalid_event, invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_explain(
    engine: *const crosshook_engine,
    event: crosshook_str,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    let body = |engine: &Engine| {
        // SAFETY: readable for the time of this call, as the header's conventions ask.
        let event = unsafe { event.read("event") }?;
        Ok(engine.explain_json(event)?)
    };
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, body) }
}

/// Decides a line of a recording (the option "record") again by the hooks that this engine has now, and says what would
/// be decided otherwise; runs nothing and changes nothing. `*out_replay` is a JSON object: time, crosshook, dialect, event,
/// same, differences (each with what, hook, recorded, now, message), outcome. The caller frees it with
/// crosshook_buf_free().
///
/// Fails with invalid_event, internal, invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_replay(
    engine: *const crosshook_engine,
    line: crosshook_str,
    out_replay: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    let body = |engine: &Engine| {
        // SAFETY: readable for the time of this call, as the header's conventions ask.
        let line = unsafe { line.read("line") }?;
        Ok(engine.replay_json(line)?)
    };
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_replay, "out_replay", out_error, body) }
}

/// Every configured hook, where it comes from, whether it can run and why not: `*out_list` is a JSON array, one object
/// a hook: event, id, dialect, type, label, matcher, origin, timeout, async, once, worker, status_message,
/// sequential, fail_mode, enabled, why_not. The caller frees it with crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_list(
    engine: *const crosshook_engine,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, |engine| Ok(engine.list_json())) }
}

/// What was noticed while the settings were loaded or last changed: `*out_list` is a JSON array of objects with level,
/// code, message and origin. The caller frees it with crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_diagnostics(
    engine: *const crosshook_engine,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, |engine| Ok(engine.diagnostics_json())) }
}

/// What in working settings is probably not meant (matchers that match nothing, scripts that are not there, limits in the
/// wrong unit, ...): `*out_list` is a JSON array of warnings as from crosshook_diagnostics(), with codes that begin with
/// lint_. Runs nothing; reads the scripts that hooks name. The caller frees it with crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_lint(
    engine: *const crosshook_engine,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, |engine| Ok(engine.lint_json())) }
}

/// Ends everything that runs in this process, of all engines, and waits for it, a few seconds at most: hooks are
/// killed with their process groups, `done` callbacks are called, engine threads end. Call it before the process
/// exits. Safe to call more than once, and without any engine; the next dispatch starts anew. Refused in callbacks.
///
/// Fails with engine_thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_shutdown(out_error: *mut *mut crosshook_error) -> crosshook_status {
    // SAFETY: `out_error` is NULL or room for a pointer, as the header's conventions ask.
    unsafe {
        guard::call(out_error, || {
            callback::refuse_in_callbacks("crosshook_shutdown")?;
            Engine::shutdown();
            Ok(())
        })
    }
}

/// Kills, without mercy, what is left of hooks whose dispatch is over (those that timed out and ignore a polite signal);
/// background hooks go on. For a host that is about to exit and wants them to: it calls this in the place of
/// crosshook_shutdown().
#[unsafe(no_mangle)]
pub extern "C" fn crosshook_end_foreground() {
    guard::or((), Engine::end_foreground);
}

/// A call that turns an engine into JSON text.
///
/// # Safety
/// `engine` is NULL or a live engine; `out` and `out_error` are NULL or room for their values.
pub(super) unsafe fn answer(
    engine: *const crosshook_engine,
    out: *mut crosshook_buf,
    out_name: &str,
    out_error: *mut *mut crosshook_error,
    body: impl FnOnce(&Engine) -> Result<String, Failure>,
) -> crosshook_status {
    // SAFETY: passed on from the caller.
    unsafe {
        guard::call(out_error, || {
            let engine = handle::borrow(engine, "engine")?;
            let out = Out::at(out, out_name)?;
            out.write(crosshook_buf::give(body(engine)?));
            Ok(())
        })
    }
}

/// A call that does something to an engine and may write a value, where the host wants it.
///
/// # Safety
/// As for [`answer`].
pub(super) unsafe fn act<T>(
    engine: *const crosshook_engine,
    out: *mut T,
    out_error: *mut *mut crosshook_error,
    body: impl FnOnce(&Engine) -> Result<T, Failure>,
) -> crosshook_status {
    // SAFETY: passed on from the caller.
    unsafe {
        guard::call(out_error, || {
            let engine = handle::borrow(engine, "engine")?;
            let value = body(engine)?;
            if let Some(out) = Out::optional(out) {
                out.write(value);
            }
            Ok(())
        })
    }
}
