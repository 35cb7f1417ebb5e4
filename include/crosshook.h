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
 * Ownership.  Who gets a pointer from a function that ends in _new, from crosshook_start() or as an error owns it and
 *   frees it exactly once, with the free function of its type. What the library allocated, only the library frees:
 *   free() or delete on it corrupts the heap. The library never frees what the host allocated; it only calls the
 *   destructor that came with user_data. Handles are opaque and must not be copied or looked into.
 *
 * NULL.  Every pointer argument is checked. NULL where a value is needed gives CROSSHOOK_STATUS_NULL_ARGUMENT, and
 *   every free function does nothing for NULL. Any other pointer must be valid and aligned for its type; an output
 *   must have room for its value and must not be touched by another thread during the call.
 *
 * Threads.  All functions may be called on any thread, and an engine, a run or an error by several threads at once,
 *   without a lock. Only a free must not overlap with another use of the same pointer. The library starts its own
 *   threads when the first event is dispatched, not before, with all asynchronous signals blocked in them. A
 *   call that waits is refused there, and in every callback (CROSSHOOK_STATUS_ENGINE_THREAD).
 *
 * Callbacks.  Take user_data first and may come with a destructor for it, which is called exactly once. They get
 *   borrowed values only, valid during the call, and return nothing. They must not let a C++ exception out, longjmp
 *   or end their thread.
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
 * Linking.  Shared: -lcrosshook. Static on Linux: libcrosshook.a -lgcc_s -lutil -lrt -lpthread -lm -ldl. Elsewhere
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
     * "engine_thread": a call that waits was made on an engine thread (inside a `done` callback), where it would wait
     * for itself.
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
     * "resource": the system refused something the engine itself needs, a thread or a descriptor.
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
 * A set of hooks, ready to run. May be used by several threads at once, without a lock.
 */
typedef struct crosshook_engine crosshook_engine;

/**
 * Why a call failed: a stable code, a message for people, and details as JSON. Immutable; may be read by several
 * threads at once.
 */
typedef struct crosshook_error crosshook_error;

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
 * Called once when a run has ended: on an engine thread or, when the event is invalid or no thread can be had, on the
 * calling thread before crosshook_start() returns. So hold no lock that it takes while you start a run. `status` is CROSSHOOK_STATUS_OK and `outcome` the JSON
 * text, or `status` is what failed, `outcome` is empty and `error` says why. `outcome` and `error` belong to the
 * library and are valid during the call only: copy what is needed, free nothing.
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
 * Called once with the `user_data` of a run, when the library no longer needs it.
 */
typedef void (*crosshook_user_data_free)(void *user_data);

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
 * Keys (snake_case or camelCase): dialect; settings (one object in the form of that dialect's settings file, or a
 * list of {scope, settings} and {scope, path}); project_dir; home; discover (look up the dialect's own files; by
 * default only when no settings are given); trusted; plugins (folders); fail_mode ("open", "closed"); env (what
 * hooks inherit).
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
 * Every configured hook and where it comes from: `*out_list` is a JSON array, one object a hook. The caller frees it
 * with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_list(const struct crosshook_engine *engine,
                                struct crosshook_buf *out_list,
                                struct crosshook_error **out_error);

/**
 * What was noticed while the settings were loaded: `*out_list` is a JSON array of objects with level, code, message
 * and origin. The caller frees it with crosshook_buf_free().
 *
 * Fails with null_argument.
 */
crosshook_status crosshook_diagnostics(const struct crosshook_engine *engine,
                                       struct crosshook_buf *out_list,
                                       struct crosshook_error **out_error);

/**
 * Ends everything that runs in this process, of all engines, and waits for it, a few seconds at most: hooks are
 * killed with their process groups, `done` callbacks are called, engine threads end. Call it before the process
 * exits. Safe to call more than once, and without any engine; the next dispatch starts anew.
 *
 * Fails with engine_thread.
 */
crosshook_status crosshook_shutdown(struct crosshook_error **out_error);

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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CROSSHOOK_H */
