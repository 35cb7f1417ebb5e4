/*
 * Crosshook: one hooks engine that every coding agent can share.
 *
 * A host makes an engine from settings, hands it one event as JSON and gets one outcome as JSON: what all the hooks
 * that match this event decided together.
 *
 *     crosshook_engine *engine = NULL;
 *     crosshook_error *error = NULL;
 *     crosshook_buf outcome = {NULL, 0};
 *     if (crosshook_engine_new(options, &engine, &error) != CROSSHOOK_STATUS_OK) { ... crosshook_error_free(error); }
 *     if (crosshook_dispatch(engine, event, &outcome, &error) == CROSSHOOK_STATUS_OK) {
 *         fwrite(outcome.data, 1, outcome.len, stdout);
 *     }
 *     crosshook_buf_free(&outcome);
 *     crosshook_engine_free(engine);
 *     crosshook_shutdown(NULL);
 *
 * A policy of the host's own, a model for prompt hooks, progress lines, goals and more: crosshook_engine_new_with_host(),
 * crosshook_register_function(), crosshook_watch() ... The file tests/c/example.c of the sources is a whole host.
 *
 * C99 or later; C++ too (crosshook.hpp is a C++17 wrapper of this file). The conventions below hold for every function.
 *
 * Strings.  All text is UTF-8. Going in it is a crosshook_str: pointer and length, not terminated by NUL, read or
 *   copied before the call returns. Coming out it is a crosshook_buf that the caller owns or, where the function says
 *   so, a crosshook_str that the library owns. No output is terminated by NUL: use the length. Text that is not UTF-8
 *   is refused with CROSSHOOK_STATUS_INVALID_UTF8.
 *
 * Results.  A call that can fail returns a crosshook_status: 0 for success. Inputs come first, outputs next, the place
 *   for the error last. Outputs are written on success only; on failure they keep what they held.
 *
 * Errors.  Every call that can fail takes a crosshook_error ** as its last argument. It may be NULL. On failure it is
 *   filled in with an error that the caller frees with crosshook_error_free(); on success it is left alone. What it
 *   held before is overwritten, not freed. Codes (crosshook_error_code) are stable and the same in every language;
 *   messages are for people and may change. Each function names what it fails with; "internal" is possible everywhere.
 *   A hook that fails, blocks or denies is not an error of the call: it stands in the outcome.
 *   A failed dispatch has no decision: a host that must be safe treats it as "denied".
 *
 * Ownership.  Who gets a pointer from a function that ends in _new or _new_with_host, from crosshook_start() or
 *   crosshook_message_display() or as an error owns it and frees it exactly once, with the free function of its type.
 *   A request belongs to the host from the callback on; its answer frees it. What the library allocated, only the
 *   library frees: free() or delete on it corrupts the heap. The library never frees what the host allocated; it only
 *   calls the destructor that came with user_data. Handles are opaque and must not be copied or looked into.
 *
 * NULL.  Every pointer argument is checked. NULL where a value is needed gives CROSSHOOK_STATUS_NULL_ARGUMENT, and
 *   every free function does nothing for NULL. Any other pointer must be valid and aligned for its type; an output
 *   must have room for its value and must not be touched by another thread during the call.
 *
 * Threads.  All functions may be called on any thread, and an engine, a run, a request or an error by several threads
 *   at once, without a lock. Only what frees a handle must not overlap with another use of the same pointer. The library
 *   starts its own threads when it first needs one, not before, with all asynchronous signals blocked in them. A call
 *   that waits is refused there, and in every callback (CROSSHOOK_STATUS_ENGINE_THREAD); only a crosshook_host that is
 *   called on a thread of the host's own may wait.
 *
 * Callbacks.  Take user_data first and may come with a destructor for it, which is called exactly once, also when the
 *   call that was to take the callback over fails. They return nothing. What they get is borrowed, valid during the call;
 *   only a crosshook_host is given something: the request, which it answers now or later, on any thread. They must not
 *   let a C++ exception out, longjmp or end their thread.
 *
 * Signals and children.  The library installs no signal handler and changes no disposition or mask of the host's.
 *   Hooks are started with an empty signal mask and default dispositions, in process groups of their own. A host
 *   may have SIGPIPE at its default.
 *
 * Panics.  A panic in the library is a defect. It is caught at the boundary and reported as CROSSHOOK_STATUS_INTERNAL;
 *   a function that cannot report returns an empty text, 0 or nothing. The engine can be used afterwards.
 *
 * Fork.  After fork() the child may use the library at once: it starts threads of its own. Runs that were active stay
 *   with the parent: in the child their handles may be freed, but not waited for. Between fork() and exec() of a
 *   process with several threads nothing of this library is async-signal-safe.
 *
 * Versions.  CROSSHOOK_ABI_VERSION counts the breaking changes of this file. Who loads the library at run time
 *   compares it with crosshook_abi_version() first. New functions and status numbers may come without a new ABI
 *   version: treat a status number that you do not know as a failure.
 *
 * Unloading.  Never dlclose() the library: its threads may still run. It is linked with -z nodelete, so that on Linux
 *   dlclose() leaves it in place. Call crosshook_shutdown() before the process exits: it ends what still runs.
 *
 * Linking.  Shared: -lcrosshook, installed under its soname (libcrosshook.so.0.1). Static on Linux: libcrosshook.a -lgcc_s -lutil -lrt -lpthread -lm -ldl. Elsewhere
 *   `cargo rustc ... -- --print native-static-libs` says what the static library needs.
 */


#ifndef CROSSHOOK_H
#define CROSSHOOK_H

/* Generated by cbindgen from core/src/capi, see core/cbindgen.toml. Do not edit. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of this header; the library's own is crosshook_version(). */
#define CROSSHOOK_VERSION "0.1.0"
#define CROSSHOOK_VERSION_MAJOR 0
#define CROSSHOOK_VERSION_MINOR 1
#define CROSSHOOK_VERSION_PATCH 0
/* One number that grows with every version, for #if. */
#define CROSSHOOK_VERSION_NUMBER \
    (CROSSHOOK_VERSION_MAJOR * 1000000 + CROSSHOOK_VERSION_MINOR * 1000 + CROSSHOOK_VERSION_PATCH)


/**
 * The version of this binary interface. It grows by one with every change that an already compiled host could
 * notice: a changed signature, struct, number or rule. New functions and new status numbers do not change it.
 */
#define CROSSHOOK_ABI_VERSION 1

/**
 * What a fallible call returns. CROSSHOOK_STATUS_OK is 0; every failure has a number of its own from 8600 on, far
 * from errno values, that is never given another meaning. A later version may return numbers that are not listed
 * here: treat each as a failure.
 */
enum crosshook_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The call did what it says; its outputs are written.
     */
    CROSSHOOK_STATUS_OK = 0,
    /**
     * "null_argument": a pointer that must not be NULL is NULL.
     */
    CROSSHOOK_STATUS_NULL_ARGUMENT = 8600,
    /**
     * "invalid_argument": a number or length is out of its range.
     */
    CROSSHOOK_STATUS_INVALID_ARGUMENT = 8601,
    /**
     * "invalid_utf8": a text argument is not UTF-8.
     */
    CROSSHOOK_STATUS_INVALID_UTF8 = 8602,
    /**
     * "engine_thread": a call that waits was made on an engine thread or inside a callback that must not wait, where it
     * would wait for itself.
     */
    CROSSHOOK_STATUS_ENGINE_THREAD = 8603,
    /**
     * "invalid_options": the engine options are not an object of the documented form.
     */
    CROSSHOOK_STATUS_INVALID_OPTIONS = 8610,
    /**
     * "invalid_settings": a settings file or object that was named explicitly cannot be read or parsed.
     */
    CROSSHOOK_STATUS_INVALID_SETTINGS = 8611,
    /**
     * "invalid_event": the event is not a JSON object with an event name.
     */
    CROSSHOOK_STATUS_INVALID_EVENT = 8612,
    /**
     * "io": a file that was named explicitly cannot be read.
     */
    CROSSHOOK_STATUS_IO = 8613,
    /**
     * "resource": the system refused something the engine itself needs, a thread or a descriptor; or the host's
     * callback dispatches within itself without an end.
     */
    CROSSHOOK_STATUS_RESOURCE = 8614,
    /**
     * "cancelled": the dispatch was cancelled before it had an outcome.
     */
    CROSSHOOK_STATUS_CANCELLED = 8615,
    /**
     * "closed": the engine has been shut down.
     */
    CROSSHOOK_STATUS_CLOSED = 8616,
    /**
     * "internal": a defect in Crosshook, for example a panic that was caught at the boundary. Treat the event as
     * denied.
     */
    CROSSHOOK_STATUS_INTERNAL = 8699,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum crosshook_status crosshook_status;
#else
typedef int32_t crosshook_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What a request asks for. A later version may ask for more: fail a request whose kind you do not know.
 */
enum crosshook_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing: the request is NULL.
     */
    CROSSHOOK_KIND_NONE = 0,
    /**
     * "prompt": a model's reply to a prompt, as it came.
     */
    CROSSHOOK_KIND_PROMPT = 1,
    /**
     * "agent": an agent's final text for a task.
     */
    CROSSHOOK_KIND_AGENT = 2,
    /**
     * "function": what a function of crosshook_register_function() has to say, in the form of what a command hook
     * prints: a JSON object, text, or nothing for "no opinion".
     */
    CROSSHOOK_KIND_FUNCTION = 3,
    /**
     * "mcp_tool": the result of a tool of an MCP server that the host is connected to, its text or the whole result as
     * JSON. The request's JSON has `server`, `tool` and `input`.
     */
    CROSSHOOK_KIND_MCP_TOOL = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum crosshook_kind crosshook_kind;
#else
typedef int32_t crosshook_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * One message of the agent on its way to the MessageDisplay hooks (Qwen Code). May be used by several threads at once,
 * without a lock. It may outlive its engine.
 */
typedef struct crosshook_display crosshook_display;

/**
 * A set of hooks, ready to run. May be used by several threads at once, without a lock.
 */
typedef struct crosshook_engine crosshook_engine;

/**
 * Why a call failed: a stable code, a message for people, and details as JSON. Immutable; may be read by several
 * threads at once.
 */
typedef struct crosshook_error crosshook_error;

/**
 * A question to the host: what a model, an agent or a function of the host's says to a hook. The host owns it and
 * ends it exactly once, on any thread, now or later: with crosshook_request_reply(), crosshook_request_fail() or
 * crosshook_request_free(). Until then it may be read by several threads at once. It may outlive its engine.
 *
 * An answer that comes after the hook's timeout or after a cancellation has no effect. Whatever goes wrong, the hook
 * has failed ("error", "timeout"), with a diagnostic; that never reads as consent.
 */
typedef struct crosshook_request crosshook_request;

/**
 * One event that was started with crosshook_start(). May be used by several threads at once, without a lock.
 */
typedef struct crosshook_run crosshook_run;

/**
 * UTF-8 text that somebody else owns; not terminated by NUL.
 *
 * As an argument it belongs to the caller and is copied, or no longer read, when the call returns. As a result it
 * belongs to the library and is valid as long as the function that gave it says. `data` may be NULL when `len` is 0.
 */
typedef struct crosshook_str {
    /**
     * The first byte.
     */
    const char *data;
    /**
     * The number of bytes.
     */
    size_t len;
} crosshook_str;

/**
 * UTF-8 text that the library gave to the caller; not terminated by NUL. Release it with crosshook_buf_free(), never
 * with free().
 */
typedef struct crosshook_buf {
    /**
     * The first byte; NULL when the buffer has been freed.
     */
    char *data;
    /**
     * The number of bytes.
     */
    size_t len;
} crosshook_buf;

/**
 * Asks the host. `request` belongs to the host from now on, see crosshook_request.
 *
 * Called on the thread that runs the event: the one that waits in crosshook_dispatch(), or an engine thread, perhaps on
 * several at once. On an engine thread it must be quick, because all other runs wait for it, and a call that waits is
 * refused there; on a thread of the host's own it may take its time and may even dispatch. Either way the hook's
 * timeout cannot interrupt it: what takes long goes to a thread of the host's own, which answers later. It must not
 * throw, longjmp, end the thread or free the engine whose crosshook_dispatch() it is called by.
 */
typedef void (*crosshook_host)(void *user_data, struct crosshook_request *request);

/**
 * Called once with the `user_data` of a callback, when the library no longer needs it: on whatever thread that turns
 * out. It must be quick, and must not throw or wait.
 */
typedef void (*crosshook_user_data_free)(void *user_data);

/**
 * Called once when a run has ended: on an engine thread or, when no hook is selected, the event is invalid or no thread
 * can be had, on the calling thread before crosshook_start() returns. So hold no lock that it takes while you start a
 * run. `status` is CROSSHOOK_STATUS_OK and `outcome` the JSON text, or `status` is what failed, `outcome` is empty and
 * `error` says why. `outcome` and `error` belong to the library and are valid during the call only: copy what is needed, free
 * nothing.
 *
 * It must be quick, must not throw, longjmp or end the thread, and must not make a call that waits
 * (crosshook_dispatch, crosshook_run_wait, crosshook_shutdown are refused). crosshook_start() and the free functions
 * are fine. It may run before crosshook_start() has written `*out_run`.
 */
typedef void (*crosshook_done)(void *user_data,
                               crosshook_status status,
                               struct crosshook_str outcome,
                               const struct crosshook_error *error);

/**
 * Says that the answer to a request is no longer wanted: it has timed out, its run was cancelled, or the engine was
 * shut down. Called on an engine thread or the dispatching one. It must be quick, and must not throw or wait. It gets
 * no request, because the host may be answering it on another thread at the moment.
 */
typedef void (*crosshook_cancelled)(void *user_data);

/**
 * Hears what happens in an engine's dispatches. `notice` is a JSON object, valid during the call only; its "type" is
 * "started", "finished", "background_finished" or "diagnostic", and later versions may have more. Called on the thread
 * where it happens, perhaps on several at once. It must be quick, must not throw, longjmp or end the thread, and must
 * not make a call that waits.
 */
typedef void (*crosshook_listener)(void *user_data, struct crosshook_str notice);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library as text, for example "0.1.0". Static: valid for the life of the process.
 *
 * Compare with CROSSHOOK_VERSION, the version of the header. They may differ as long as the ABI versions agree.
 */
struct crosshook_str crosshook_version(void);

/**
 * The ABI version of the library. A host that loads the library at run time compares it with CROSSHOOK_ABI_VERSION,
 * and calls nothing else when they differ.
 */
uint32_t crosshook_abi_version(void);

/**
 * Frees the text and sets `buf` to {NULL, 0}, so that a second call does no harm. Does nothing when `buf` or its
 * `data` is NULL. The fields must be as the library wrote them.
 */
void crosshook_buf_free(struct crosshook_buf *buf);

/**
 * The stable text code of a status, for example "invalid_event", the same as in every other language; empty for a
 * number that is no status. Static: valid for the life of the process.
 */
struct crosshook_str crosshook_status_code(int32_t status);

/**
 * The status that the failed call returned; CROSSHOOK_STATUS_OK when `error` is NULL.
 */
crosshook_status crosshook_error_status(const struct crosshook_error *error);

/**
 * The stable text code, for example "invalid_event"; empty when `error` is NULL. Valid for the life of the process.
 */
struct crosshook_str crosshook_error_code(const struct crosshook_error *error);

/**
 * What failed, where, and what to do about it, for people; empty when `error` is NULL. Valid until `error` is freed.
 */
struct crosshook_str crosshook_error_message(const struct crosshook_error *error);

/**
 * The same for programs, as a JSON object with the keys code, message, path, pointer and line (null where unknown):
 * path is the file at fault, pointer the JSON pointer into it, line is counted from 1. Empty when `error` is NULL.
 * Valid until `error` is freed.
 */
struct crosshook_str crosshook_error_details(const struct crosshook_error *error);

/**
 * Frees an error that a call filled in. Does nothing when `error` is NULL. An error that was passed to a `done`
 * callback belongs to the library and is not to be freed.
 */
void crosshook_error_free(struct crosshook_error *error);

/**
 * Makes an engine from `options`, a JSON object such as {"dialect": "qwen", "settings": {"hooks": {...}}}.
 *
 * Keys (snake_case or camelCase): dialect; version (of that agent; by default the newest that is documented); settings
 * (one object in the form of that dialect's settings file, or a list of {scope, settings} and {scope, path});
 * project_dir; home; discover (look up the dialect's own files; by default only when no settings are given); trusted;
 * trust_store (the file that keeps grants); plugins (folders, or {path, dialect, id, data_dir, enabled,
 * managed, options});
 * fail_mode ("open", "closed"); env (what hooks inherit); llm ({base_url, model,
 * key_env}: an endpoint that answers prompt hooks); late_results (whether background hooks' output is wanted; false lets
 * them outlive the host); dialects (others whose own files are looked up as well); tools (the host's tools that have
 * another name in its dialect: {"execute": "Bash"} or {"execute": {"name": "Bash", "arguments": {...}}}); record (a file
 * that every dispatch is recorded in, or {path, redact, usual_rules, max_bytes}). Such an engine has no host to ask: agent and function hooks, and
 * prompt hooks without llm, need crosshook_engine_new_with_host().
 *
 * On success `*out_engine` is an engine that the caller frees with crosshook_engine_free(). Reads files; starts no
 * thread and no process.
 *
 * Fails with invalid_options, invalid_settings, io, invalid_utf8, null_argument.
 */
crosshook_status crosshook_engine_new(struct crosshook_str options,
                                      struct crosshook_engine **out_engine,
                                      struct crosshook_error **out_error);

/**
 * Makes an engine whose prompt, agent and function hooks `host` answers. Everything else is as for
 * crosshook_engine_new().
 *
 * `user_data` (may be NULL) is passed to `host`; `user_data_free` (may be NULL) is called with it exactly once: when
 * the engine has been freed and the last of its runs has ended or, when this call fails, before it returns. So the
 * call takes `user_data` over in every case.
 *
 * Fails with invalid_options, invalid_settings, io, invalid_utf8, null_argument.
 */
crosshook_status crosshook_engine_new_with_host(struct crosshook_str options,
                                                crosshook_host host,
                                                void *user_data,
                                                crosshook_user_data_free user_data_free,
                                                struct crosshook_engine **out_engine,
                                                struct crosshook_error **out_error);

/**
 * Frees an engine. Does nothing when `engine` is NULL. No other call on the same pointer may be running or follow;
 * runs that were started with crosshook_start() go on to their end. May be called inside a `done` callback.
 */
void crosshook_engine_free(struct crosshook_engine *engine);

/**
 * Runs one event and waits for its outcome: the hooks that match run, and `*out_outcome` is what they decided
 * together, as a JSON object. A hook that blocks or denies is no error: look at "decision".
 *
 * `event` is one JSON object with "hook_event_name", as the dialect's agent would hand it to a hook. On success the
 * caller frees `*out_outcome` with crosshook_buf_free(). For several events call it several times. Blocks the
 * calling thread for as long as the hooks take, and is refused on an engine thread.
 * The host of crosshook_engine_new_with_host() is asked on the calling thread; it may dispatch again there, to a
 * depth of 16.
 *
 * Fails with invalid_event, resource, closed, internal, engine_thread, invalid_utf8, null_argument. A host that must
 * be safe treats every failure as "denied".
 */
crosshook_status crosshook_dispatch(const struct crosshook_engine *engine,
                                    struct crosshook_str event,
                                    struct crosshook_buf *out_outcome,
                                    struct crosshook_error **out_error);

/**
 * Says which hooks would run for `event`, which not, and why; runs nothing. `*out_list` is a JSON array with one
 * object for each configured hook: event, id, dialect, type, label, matcher, origin, runs, why. The caller frees it
 * with crosshook_buf_free().
 *
 * Fails with invalid_event, invalid_utf8, null_argument.
 */
crosshook_status crosshook_explain(const struct crosshook_engine *engine,
                                   struct crosshook_str event,
                                   struct crosshook_buf *out_list,
                                   struct crosshook_error **out_error);

/**
 * Decides a line of a recording (the option "record") again by the hooks that this engine has now, and says what would
 * be decided otherwise; runs nothing and changes nothing. `*out_replay` is a JSON object: time, crosshook, dialect, event,
 * same, differences (each with what, hook, recorded, now, message), outcome. The caller frees it with
 * crosshook_buf_free().
 *
 * Fails with invalid_event, internal, invalid_utf8, null_argument.
 */
crosshook_status crosshook_replay(const struct crosshook_engine *engine,
                                  struct crosshook_str line,
                                  struct crosshook_buf *out_replay,
                                  struct crosshook_error **out_error);

/**
 * Every configured hook, where it comes from, whether it can run and why not: `*out_list` is a JSON array, one object
 * a hook: event, id, dialect, type, label, matcher, origin, timeout, async, once, worker, status_message,
 * sequential, fail_mode, enabled, why_not. The caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_list(const struct crosshook_engine *engine,
                                struct crosshook_buf *out_list,
                                struct crosshook_error **out_error);

/**
 * What was noticed while the settings were loaded or last changed: `*out_list` is a JSON array of objects with level,
 * code, message and origin. The caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_diagnostics(const struct crosshook_engine *engine,
                                       struct crosshook_buf *out_list,
                                       struct crosshook_error **out_error);

/**
 * What in working settings is probably not meant (matchers that match nothing, scripts that are not there, limits in the
 * wrong unit, ...): `*out_list` is a JSON array of warnings as from crosshook_diagnostics(), with codes that begin with
 * lint_. Runs nothing; reads the scripts that hooks name. The caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_lint(const struct crosshook_engine *engine,
                                struct crosshook_buf *out_list,
                                struct crosshook_error **out_error);

/**
 * Ends everything that runs in this process, of all engines, and waits for it, a few seconds at most: hooks are
 * killed with their process groups, `done` callbacks are called, engine threads end. Call it before the process
 * exits. Safe to call more than once, and without any engine; the next dispatch starts anew. Refused in callbacks.
 *
 * Fails with engine_thread.
 */
crosshook_status crosshook_shutdown(struct crosshook_error **out_error);

/**
 * Kills, without mercy, what is left of hooks whose dispatch is over (those that timed out and ignore a polite signal);
 * background hooks go on. For a host that is about to exit and wants them to: it calls this in the place of
 * crosshook_shutdown().
 */
void crosshook_end_foreground(void);

/**
 * Starts one event and returns at once; `done` is called exactly once when it has ended, also when the event turns out
 * to be invalid or the run is cancelled.
 *
 * `event` is copied. `user_data` (may be NULL) is passed to `done`; `user_data_free` (may be NULL) is called with it
 * exactly once: after `done` has returned or, when this call fails, before it returns. So the call takes `user_data`
 * over in every case. `*out_run` is a handle that the caller frees with crosshook_run_free(); pass NULL for
 * `out_run` when the run need not be cancelled or waited for. `done` is never called when this call fails.
 *
 * Fails with invalid_utf8, null_argument, internal.
 */
crosshook_status crosshook_start(const struct crosshook_engine *engine,
                                 struct crosshook_str event,
                                 crosshook_done done,
                                 void *user_data,
                                 crosshook_user_data_free user_data_free,
                                 struct crosshook_run **out_run,
                                 struct crosshook_error **out_error);

/**
 * Ends the hooks of a run, whole process groups; they are reported with the status "cancelled", and `done` is called
 * as always. Returns at once. May be called on any thread, more than once, after the end, and inside a `done`
 * callback. Does nothing when `run` is NULL.
 */
void crosshook_run_cancel(const struct crosshook_run *run);

/**
 * Waits until a run has ended: `done` has returned and `user_data_free` has been called. Waits `timeout_ms`
 * milliseconds at most; 0 only looks, a negative number waits without a limit. `*out_finished` says whether the run
 * has ended. Refused on an engine thread.
 *
 * Fails with engine_thread, null_argument.
 */
crosshook_status crosshook_run_wait(const struct crosshook_run *run,
                                    int64_t timeout_ms,
                                    bool *out_finished,
                                    struct crosshook_error **out_error);

/**
 * Frees the handle of a run; the run itself goes on to its end. Does nothing when `run` is NULL. No other call on the
 * same pointer may be running or follow. May be called inside a `done` callback.
 */
void crosshook_run_free(struct crosshook_run *run);

/**
 * What is asked for; CROSSHOOK_KIND_NONE when `request` is NULL.
 */
crosshook_kind crosshook_request_kind(const struct crosshook_request *request);

/**
 * The same as text: "prompt", "agent", "function"; empty when `request` is NULL. Static: valid for the life of the
 * process.
 */
struct crosshook_str crosshook_request_kind_name(const struct crosshook_request *request);

/**
 * A number that no other request of this process has; 0 when `request` is NULL.
 */
uint64_t crosshook_request_id(const struct crosshook_request *request);

/**
 * The whole request as a JSON object: id; kind; hook (its id); function (the id that crosshook_register_function()
 * gave, or null); model (as configured, or null for the host's own choice); agent_type; system and prompt (texts or
 * null); timeout_ms; event (as the hook's dialect writes it). Empty when `request` is NULL. Valid until the request is
 * answered or freed.
 */
struct crosshook_str crosshook_request_json(const struct crosshook_request *request);

/**
 * Whether the answer is no longer wanted; false when `request` is NULL. The request is to be answered or freed all the
 * same.
 */
bool crosshook_request_is_cancelled(const struct crosshook_request *request);

/**
 * Calls `cancelled` once when the answer is no longer wanted; at once, on the calling thread, when that is so already;
 * never when the request is answered in time. Replaces an earlier notice. `user_data_free` (may be NULL) is called
 * with `user_data` exactly once: after the notice, or when it has become pointless. Frees `user_data` and does nothing
 * else when `request` or `cancelled` is NULL.
 */
void crosshook_request_on_cancel(const struct crosshook_request *request,
                                 crosshook_cancelled cancelled,
                                 void *user_data,
                                 crosshook_user_data_free user_data_free);

/**
 * Answers a request with text, which is copied, and frees the request. Text that is not UTF-8 counts as
 * crosshook_request_fail(). Does nothing when `request` is NULL.
 */
void crosshook_request_reply(struct crosshook_request *request, struct crosshook_str text);

/**
 * Says that there is no answer, and why, and frees the request. The hook has failed then. Does nothing when `request`
 * is NULL.
 */
void crosshook_request_fail(struct crosshook_request *request,
                            struct crosshook_str why);

/**
 * Frees a request without an answer: the hook has failed. Does nothing when `request` is NULL.
 */
void crosshook_request_free(struct crosshook_request *request);

/**
 * The names of all dialects: `*out_names` is a JSON list of strings, in the order in which messages name them. The
 * caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_dialect_names(struct crosshook_buf *out_names,
                                         struct crosshook_error **out_error);

/**
 * The JSON Schema (draft 7) of the settings files of `dialect`, for editors and checkers of the host: `*out_schema` is
 * its text. The caller frees it with crosshook_buf_free().
 *
 * Fails with invalid_options: there is no such dialect; invalid_utf8, null_argument.
 */
crosshook_status crosshook_settings_schema(struct crosshook_str dialect,
                                           struct crosshook_buf *out_schema,
                                           struct crosshook_error **out_error);

/**
 * Compares the settings files with the set of hooks that runs, and changes nothing. `*out_changes` is a JSON object:
 * files ({path, change}), added, changed ({before, after}), removed (hooks as in crosshook_list()) and diagnostics (what
 * cannot be taken over, and why). The caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_changes(const struct crosshook_engine *engine,
                                   struct crosshook_buf *out_changes,
                                   struct crosshook_error **out_error);

/**
 * Takes over the settings as they are now, in one step. Runs that are on their way keep the old set; what the host
 * registered stays. `*out_changes` is as in crosshook_changes(). The caller frees it with crosshook_buf_free().
 *
 * Fails with io and invalid_settings, and then the old set holds unchanged; null_argument.
 */
crosshook_status crosshook_reload(const struct crosshook_engine *engine,
                                  struct crosshook_buf *out_changes,
                                  struct crosshook_error **out_error);

/**
 * Adds hooks at run time, for the events of one session: `settings` is a JSON object in the form of the dialect's
 * settings file, of which only the hooks count, or an entry {"dialect": "claude", "settings": {...}} for hooks of another
 * dialect; an object is an entry when it has settings and no hooks. `*out_registered` is a JSON object: id (for
 * crosshook_unregister()), hooks (how many) and diagnostics. The caller frees it with crosshook_buf_free().
 *
 * Fails with invalid_settings; invalid_options: an entry that is not usable; invalid_utf8, null_argument.
 */
crosshook_status crosshook_register(const struct crosshook_engine *engine,
                                    struct crosshook_str session_id,
                                    struct crosshook_str settings,
                                    struct crosshook_buf *out_registered,
                                    struct crosshook_error **out_error);

/**
 * Makes a function of the host's a hook. The host is asked for it, with the kind CROSSHOOK_KIND_FUNCTION, and answers
 * what a command hook would print, or, in Qwen, true or false. `spec` is a JSON object: event (required), matcher, name,
 * timeout_ms (default 5000), session_id (default: every session), status_message, error_message (read when it answers
 * false, and before the reason when it fails), fail_mode, dialect. `*out_registered` is a JSON object: id (it stands in
 * the requests, and is for crosshook_unregister()), hooks and diagnostics. The caller frees it with
 * crosshook_buf_free().
 *
 * Fails with invalid_options: `spec` is not usable, or the engine was made without a host; invalid_utf8,
 * null_argument.
 */
crosshook_status crosshook_register_function(const struct crosshook_engine *engine,
                                             struct crosshook_str spec,
                                             struct crosshook_buf *out_registered,
                                             struct crosshook_error **out_error);

/**
 * Removes what was registered or opened under `id`. Runs that are on their way finish with it. `*out_found`
 * (`out_found` may be NULL) says whether there was anything.
 *
 * Fails with invalid_utf8, null_argument.
 */
crosshook_status crosshook_unregister(const struct crosshook_engine *engine,
                                      struct crosshook_str id,
                                      bool *out_found,
                                      struct crosshook_error **out_error);

/**
 * Opens the scope of an agent or skill that starts: the hooks of its frontmatter run until crosshook_close_scope().
 * `scope` is a JSON object: owner ("agent", "skill"), source ("builtin", "user", "project", "plugin"), text (the whole
 * Markdown file), dialect (by which it is read), name, path, session_id, agent_id (only their events fire the hooks).
 * `*out_registered` is a JSON object: id, hooks and diagnostics, also about hooks that are held back. The caller frees it
 * with crosshook_buf_free().
 *
 * Fails with invalid_options, invalid_utf8, null_argument.
 */
crosshook_status crosshook_open_scope(const struct crosshook_engine *engine,
                                      struct crosshook_str scope,
                                      struct crosshook_buf *out_registered,
                                      struct crosshook_error **out_error);

/**
 * Closes a scope. Runs that are on their way finish with it. `*out_found` (`out_found` may be NULL) says whether there
 * was one.
 *
 * Fails with invalid_utf8, null_argument.
 */
crosshook_status crosshook_close_scope(const struct crosshook_engine *engine,
                                       struct crosshook_str id,
                                       bool *out_found,
                                       struct crosshook_error **out_error);

/**
 * The grants that hold for this workspace: `*out_list` is a JSON array of {workspace, digest}. The caller frees it with
 * crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_grants(const struct crosshook_engine *engine,
                                  struct crosshook_buf *out_list,
                                  struct crosshook_error **out_error);

/**
 * The declarations whose hooks are held back until they are granted: `*out_list` is a JSON array of {workspace, digest,
 * origin, hooks}. The caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_wanted_grants(const struct crosshook_engine *engine,
                                         struct crosshook_buf *out_list,
                                         struct crosshook_error **out_error);

/**
 * Grants a declaration by its digest: its hooks run from now on. The grant is kept in the trust_store of the options,
 * where there is one, and ends with any change of the declaration.
 *
 * Fails with invalid_options: nothing waits for this digest; io, invalid_utf8, null_argument.
 */
crosshook_status crosshook_grant(const struct crosshook_engine *engine,
                                 struct crosshook_str digest,
                                 struct crosshook_error **out_error);

/**
 * Takes a grant back. Runs that are on their way finish.
 *
 * Fails with io, invalid_utf8, null_argument.
 */
crosshook_status crosshook_revoke(const struct crosshook_engine *engine,
                                  struct crosshook_str digest,
                                  struct crosshook_error **out_error);

/**
 * The background hooks that run now: `*out_list` is a JSON array of {number, hook, event, running_ms}. The caller frees
 * it with crosshook_buf_free(). Their end is told to listeners, see crosshook_watch().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_background(const struct crosshook_engine *engine,
                                      struct crosshook_buf *out_list,
                                      struct crosshook_error **out_error);

/**
 * Ends a background hook, whole process group, or all of them when `number` is 0. Returns at once. `*out_count`
 * (`out_count` may be NULL) is how many it was.
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_cancel_background(const struct crosshook_engine *engine,
                                             uint64_t number,
                                             size_t *out_count,
                                             struct crosshook_error **out_error);

/**
 * Waits until no background hook of this engine runs any more, `timeout_ms` milliseconds at most; 0 only looks, a
 * negative number waits without a limit. `*out_idle` (`out_idle` may be NULL) says whether that is so. Refused on an
 * engine thread.
 *
 * Fails with engine_thread, null_argument.
 */
crosshook_status crosshook_wait_background(const struct crosshook_engine *engine,
                                           int64_t timeout_ms,
                                           bool *out_idle,
                                           struct crosshook_error **out_error);

/**
 * Takes what background hooks had to say since the last call, where their dialect delivers it: `*out_list` is a JSON
 * array of {number, hook, event, session_id, status, additional_context, system_message, error}. At most the latest 256
 * are kept. The caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_take_late_results(const struct crosshook_engine *engine,
                                             struct crosshook_buf *out_list,
                                             struct crosshook_error **out_error);

/**
 * Forgets what the engine knows of a session: its goal, its count of prevented stops and its hooks that
 * run once.
 * `*out_known` (`out_known` may be NULL) says whether there was anything. Sessions that are never ended cost bounded
 * memory.
 *
 * Fails with invalid_utf8, null_argument.
 */
crosshook_status crosshook_end_session(const struct crosshook_engine *engine,
                                       struct crosshook_str session_id,
                                       bool *out_known,
                                       struct crosshook_error **out_error);

/**
 * Gives a session a goal: from now on its Stop events ask the model of the host whether `condition` is met, and the
 * agent goes on until it is, or is impossible. Replaces an earlier goal.
 *
 * Fails with invalid_options: the condition is empty or longer than 4,000 characters; invalid_utf8, null_argument.
 */
crosshook_status crosshook_set_goal(const struct crosshook_engine *engine,
                                    struct crosshook_str session_id,
                                    struct crosshook_str condition,
                                    struct crosshook_error **out_error);

/**
 * Takes a session's goal away. `*out_found` (`out_found` may be NULL) says whether it had one.
 *
 * Fails with invalid_utf8, null_argument.
 */
crosshook_status crosshook_clear_goal(const struct crosshook_engine *engine,
                                      struct crosshook_str session_id,
                                      bool *out_found,
                                      struct crosshook_error **out_error);

/**
 * A session's goal, also when it is met or impossible: `*out_goal` is a JSON object of condition, status ("active",
 * "met", "impossible"), turns, tokens, checks, last_reason and set_at, or null. A host can save it for
 * crosshook_restore_goal(). The caller frees it with crosshook_buf_free().
 *
 * Fails with invalid_utf8, null_argument.
 */
crosshook_status crosshook_goal(const struct crosshook_engine *engine,
                                struct crosshook_str session_id,
                                struct crosshook_buf *out_goal,
                                struct crosshook_error **out_error);

/**
 * Adds turns and tokens that were spent on a session's goal. `*out_found` (`out_found` may be NULL) says whether it has
 * one.
 *
 * Fails with invalid_utf8, null_argument.
 */
crosshook_status crosshook_note_goal_usage(const struct crosshook_engine *engine,
                                           struct crosshook_str session_id,
                                           uint64_t turns,
                                           uint64_t tokens,
                                           bool *out_found,
                                           struct crosshook_error **out_error);

/**
 * Gives a session a goal that crosshook_goal() has shown, for example when the session is resumed.
 *
 * Fails with invalid_options: `goal` is no such object; invalid_utf8, null_argument.
 */
crosshook_status crosshook_restore_goal(const struct crosshook_engine *engine,
                                        struct crosshook_str session_id,
                                        struct crosshook_str goal,
                                        struct crosshook_error **out_error);

/**
 * The text for the model: the contexts of an outcome (as crosshook_dispatch() gave it) joined, wrapped and cut as the
 * dialect does. `*out_context` is a JSON string, or null when there is nothing to hand over. The caller frees it with
 * crosshook_buf_free().
 *
 * Fails with invalid_event: `outcome` is no outcome; invalid_utf8, null_argument.
 */
crosshook_status crosshook_render_context(const struct crosshook_engine *engine,
                                          struct crosshook_str outcome,
                                          struct crosshook_buf *out_context,
                                          struct crosshook_error **out_error);

/**
 * Begins a message for the MessageDisplay hooks. `event` is a JSON object with the event's common fields (and a
 * message_id; one is made up when it is missing); its name and text are filled in. On success the caller frees
 * `*out_display` with crosshook_display_free().
 *
 * Each delivery carries the whole text so far. Of an unfinished message at most one is under way, 200 ms apart; what is
 * pushed meanwhile replaces what waits. The finished text is delivered at once and never lost.
 *
 * Fails with invalid_event; invalid_options: the dialect has no such event; invalid_utf8, null_argument.
 */
crosshook_status crosshook_message_display(const struct crosshook_engine *engine,
                                           struct crosshook_str event,
                                           struct crosshook_display **out_display,
                                           struct crosshook_error **out_error);

/**
 * Appends text that was shown; after the end it does nothing. Returns at once.
 *
 * Fails with invalid_utf8, null_argument.
 */
crosshook_status crosshook_display_push(const struct crosshook_display *display,
                                        struct crosshook_str text,
                                        struct crosshook_error **out_error);

/**
 * Delivers the finished text and waits for the hooks, `timeout_ms` milliseconds at most (Qwen Code: 5000); 0 does not
 * wait, a negative number waits without a limit. The hooks go on after that. `*out_done` (`out_done` may be NULL) says
 * whether they are done; a message without text delivers nothing and is done. Refused on an engine thread.
 *
 * Fails with engine_thread, null_argument.
 */
crosshook_status crosshook_display_finish(const struct crosshook_display *display,
                                          int64_t timeout_ms,
                                          bool *out_done,
                                          struct crosshook_error **out_error);

/**
 * Ends the message without delivering it: the agent's turn was cancelled. Does nothing when `display` is NULL.
 */
void crosshook_display_abort(const struct crosshook_display *display);

/**
 * Frees a message; one that is not finished is aborted. Does nothing when `display` is NULL. No other call on the same
 * pointer may be running or follow.
 */
void crosshook_display_free(struct crosshook_display *display);

/**
 * Calls `listener` for everything that happens in this engine from now on: for progress lines with the hooks' status
 * messages, and for logs. Nothing of a prompt or of a tool's input is in a notice. `*out_number` is for
 * crosshook_unwatch().
 *
 * `user_data` (may be NULL) is passed to `listener`; `user_data_free` (may be NULL) is called with it exactly once:
 * after the last call of `listener`, when it was taken away or the engine and its runs have ended or, when this call
 * fails, before it returns.
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_watch(const struct crosshook_engine *engine,
                                 crosshook_listener listener,
                                 void *user_data,
                                 crosshook_user_data_free user_data_free,
                                 uint64_t *out_number,
                                 struct crosshook_error **out_error);

/**
 * Takes a listener away; one that is being called at the moment may still finish. May be called inside the listener.
 * `*out_found` (`out_found` may be NULL) says whether there was one with this number.
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_unwatch(const struct crosshook_engine *engine,
                                   uint64_t number,
                                   bool *out_found,
                                   struct crosshook_error **out_error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CROSSHOOK_H */
