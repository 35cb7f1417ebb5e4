//! Exported: engines and the calls that answer at once or wait.

use super::callback;
use super::error::{Failure, crosshook_error};
use super::guard;
use super::handle::{self, Handle};
use super::outputs::Out;
use super::status::crosshook_status;
use super::text::{crosshook_buf, crosshook_str};
use crate::engine::Engine;

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
/// Keys (snake_case or camelCase): dialect; settings (one object in the form of that dialect's settings file, or a
/// list of {scope, settings} and {scope, path}); project_dir; home; discover (look up the dialect's own files; by
/// default only when no settings are given); trusted; plugins (folders); fail_mode ("open", "closed"); env (what
/// hooks inherit).
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

/// Every configured hook and where it comes from: `*out_list` is a JSON array, one object a hook. The caller frees it
/// with crosshook_buf_free().
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

/// What was noticed while the settings were loaded: `*out_list` is a JSON array of objects with level, code, message
/// and origin. The caller frees it with crosshook_buf_free().
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

/// Ends everything that runs in this process, of all engines, and waits for it, a few seconds at most: hooks are
/// killed with their process groups, `done` callbacks are called, engine threads end. Call it before the process
/// exits. Safe to call more than once, and without any engine; the next dispatch starts anew.
///
/// Fails with engine_thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_shutdown(out_error: *mut *mut crosshook_error) -> crosshook_status {
    // SAFETY: `out_error` is NULL or room for a pointer, as the header's conventions ask.
    unsafe {
        guard::call(out_error, || {
            callback::refuse_on_engine_thread("crosshook_shutdown")?;
            Engine::shutdown();
            Ok(())
        })
    }
}

/// A call that turns an engine into JSON text.
///
/// # Safety
/// `engine` is NULL or a live engine; `out` and `out_error` are NULL or room for their values.
unsafe fn answer(
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
