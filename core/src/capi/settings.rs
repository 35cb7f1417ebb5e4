//! Exported: the life of settings. Drift and reload, what the host registers, scopes, grants.

use std::ptr;

use super::engine::{act, answer, crosshook_engine};
use super::error::crosshook_error;
use super::guard;
use super::outputs::Out;
use super::status::crosshook_status;
use super::text::{crosshook_buf, crosshook_str};

/// The names of all dialects: `*out_names` is a JSON list of strings, in the order in which messages name them. The
/// caller frees it with crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_dialect_names(
    out_names: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for both pointers.
    unsafe {
        guard::call(out_error, || {
            let out = Out::at(out_names, "out_names")?;
            out.write(crosshook_buf::give(serde_json::json!(crate::dialect_names()).to_string()));
            Ok(())
        })
    }
}

/// The JSON Schema (draft 7) of the settings files of `dialect`, for editors and checkers of the host: `*out_schema` is
/// its text. The caller frees it with crosshook_buf_free().
///
/// Fails with invalid_options: there is no such dialect; invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_settings_schema(
    dialect: crosshook_str,
    out_schema: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three arguments.
    unsafe {
        guard::call(out_error, || {
            let out = Out::at(out_schema, "out_schema")?;
            out.write(crosshook_buf::give(crate::settings_schema(dialect.read("dialect")?)?));
            Ok(())
        })
    }
}

/// Compares the settings files with the set of hooks that runs, and changes nothing. `*out_changes` is a JSON object:
/// files ({path, change}), added, changed ({before, after}), removed (hooks as in crosshook_list()) and diagnostics (what
/// cannot be taken over, and why). The caller frees it with crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_changes(
    engine: *const crosshook_engine,
    out_changes: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_changes, "out_changes", out_error, |engine| Ok(engine.changes_json())) }
}

/// Takes over the settings as they are now, in one step. Runs that are on their way keep the old set; what the host
/// registered stays. `*out_changes` is as in crosshook_changes(). The caller frees it with crosshook_buf_free().
///
/// Fails with io and invalid_settings, and then the old set holds unchanged; null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_reload(
    engine: *const crosshook_engine,
    out_changes: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_changes, "out_changes", out_error, |engine| Ok(engine.reload_json()?)) }
}

/// Adds hooks at run time, for the events of one session: `settings` is a JSON object in the form of the dialect's
/// settings file, of which only the hooks count, or an entry {"dialect": "claude", "settings": {...}} for hooks of another
/// dialect; an object is an entry when it has settings and no hooks. `*out_registered` is a JSON object: id (for
/// crosshook_unregister()), hooks (how many) and diagnostics. The caller frees it with crosshook_buf_free().
///
/// Fails with invalid_settings; invalid_options: an entry that is not usable; invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_register(
    engine: *const crosshook_engine,
    session_id: crosshook_str,
    settings: crosshook_str,
    out_registered: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        answer(engine, out_registered, "out_registered", out_error, |engine| {
            Ok(engine.register_json(session_id.read("session_id")?, settings.read("settings")?)?)
        })
    }
}

/// Makes a function of the host's a hook. The host is asked for it, with the kind CROSSHOOK_KIND_FUNCTION, and answers
/// what a command hook would print, or, in Qwen, true or false. `spec` is a JSON object: event (required), matcher, name,
/// timeout_ms (default 5000), session_id (default: every session), status_message, error_message (read when it answers
/// false, and before the reason when it fails), fail_mode, dialect. `*out_registered` is a JSON object: id (it stands in
/// the requests, and is for crosshook_unregister()), hooks and diagnostics. The caller frees it with
/// crosshook_buf_free().
///
/// Fails with invalid_options: `spec` is not usable, or the engine was made without a host; invalid_utf8,
/// null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_register_function(
    engine: *const crosshook_engine,
    spec: crosshook_str,
    out_registered: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        answer(engine, out_registered, "out_registered", out_error, |engine| {
            Ok(engine.register_function_json(spec.read("spec")?)?)
        })
    }
}

/// Removes what was registered or opened under `id`. Runs that are on their way finish with it. `*out_found`
/// (`out_found` may be NULL) says whether there was anything.
///
/// Fails with invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_unregister(
    engine: *const crosshook_engine,
    id: crosshook_str,
    out_found: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe { act(engine, out_found, out_error, |engine| Ok(engine.unregister(id.read("id")?))) }
}

/// Opens the scope of an agent or skill that starts: the hooks of its frontmatter run until crosshook_close_scope().
/// `scope` is a JSON object: owner ("agent", "skill"), source ("builtin", "user", "project", "plugin"), text (the whole
/// Markdown file), dialect (by which it is read), name, path, session_id, agent_id (only their events fire the hooks).
/// `*out_registered` is a JSON object: id, hooks and diagnostics, also about hooks that are held back. The caller frees it
/// with crosshook_buf_free().
///
/// Fails with invalid_options, invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_open_scope(
    engine: *const crosshook_engine,
    scope: crosshook_str,
    out_registered: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        answer(engine, out_registered, "out_registered", out_error, |engine| {
            Ok(engine.open_scope_json(scope.read("scope")?)?)
        })
    }
}

/// Closes a scope. Runs that are on their way finish with it. `*out_found` (`out_found` may be NULL) says whether there
/// was one.
///
/// Fails with invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_close_scope(
    engine: *const crosshook_engine,
    id: crosshook_str,
    out_found: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe { act(engine, out_found, out_error, |engine| Ok(engine.close_scope(id.read("id")?))) }
}

/// The grants that hold for this workspace: `*out_list` is a JSON array of {workspace, digest}. The caller frees it with
/// crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_grants(
    engine: *const crosshook_engine,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, |engine| Ok(engine.grants_json())) }
}

/// The declarations whose hooks are held back until they are granted: `*out_list` is a JSON array of {workspace, digest,
/// origin, hooks}. The caller frees it with crosshook_buf_free().
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_wanted_grants(
    engine: *const crosshook_engine,
    out_list: *mut crosshook_buf,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { answer(engine, out_list, "out_list", out_error, |engine| Ok(engine.wanted_grants_json())) }
}

/// Grants a declaration by its digest: its hooks run from now on. The grant is kept in the trust_store of the options,
/// where there is one, and ends with any change of the declaration.
///
/// Fails with invalid_options: nothing waits for this digest; io, invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_grant(
    engine: *const crosshook_engine,
    digest: crosshook_str,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe { act(engine, ptr::null_mut(), out_error, |engine| Ok(engine.grant(digest.read("digest")?)?)) }
}

/// Takes a grant back. Runs that are on their way finish.
///
/// Fails with io, invalid_utf8, null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_revoke(
    engine: *const crosshook_engine,
    digest: crosshook_str,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe { act(engine, ptr::null_mut(), out_error, |engine| Ok(engine.revoke(digest.read("digest")?)?)) }
}
