//! Why a call failed: the owned error object.

use super::guard;
use super::handle::{self, Handle};
use super::status::crosshook_status;
use super::text::crosshook_str;
use crate::error::Error;

/// Why a call failed: a stable code, a message for people, and details as JSON. Immutable; may be read by several
/// threads at once.
#[derive(Debug)]
pub struct crosshook_error {
    _opaque: [u8; 0],
}

impl Handle for crosshook_error {
    type Value = Failure;
    type Owner = Box<Failure>;
}

/// A failed call, on its way to C.
#[derive(Debug)]
pub(super) struct Failure {
    status: crosshook_status,
    message: String,
    details: String,
}

impl Failure {
    /// A failure of the boundary itself, which the core knows nothing of.
    pub(super) fn new(status: crosshook_status, message: impl Into<String>) -> Self {
        let message = message.into();
        // The same keys as in the core's errors, so that one reader fits all.
        let details = serde_json::json!({
            "code": status.code(), "message": message, "path": null, "pointer": null, "line": null,
        });
        Self { status, message, details: details.to_string() }
    }

    /// The pointer called `argument` is NULL.
    pub(super) fn null(argument: &str) -> Self {
        Self::new(crosshook_status::NullArgument, format!("`{argument}` is NULL; it must point to a value"))
    }

    pub(super) fn status(&self) -> crosshook_status {
        self.status
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { status: error.kind().into(), message: error.to_string(), details: error.to_json() }
    }
}

/// Lends a text of `error`; empty when `error` is NULL.
///
/// # Safety
/// `error` is NULL or a live error.
unsafe fn lend(error: *const crosshook_error, text: fn(&Failure) -> &str) -> crosshook_str {
    guard::or(crosshook_str::EMPTY, || {
        // SAFETY: passed on from the caller.
        match unsafe { handle::borrow(error, "error") } {
            Ok(failure) => crosshook_str::lend(text(failure)),
            Err(_) => crosshook_str::EMPTY,
        }
    })
}

/// The status that the failed call returned; CROSSHOOK_STATUS_OK when `error` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_error_status(error: *const crosshook_error) -> crosshook_status {
    guard::or(crosshook_status::Internal, || {
        // SAFETY: NULL or a live error, as the header's conventions ask.
        unsafe { handle::borrow(error, "error") }.map_or(crosshook_status::Ok, Failure::status)
    })
}

/// The stable text code, for example "invalid_event"; empty when `error` is NULL. Valid for the life of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_error_code(error: *const crosshook_error) -> crosshook_str {
    // SAFETY: NULL or a live error, as the header's conventions ask.
    unsafe { lend(error, |failure| failure.status.code()) }
}

/// What failed, where, and what to do about it, for people; empty when `error` is NULL. Valid until `error` is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_error_message(error: *const crosshook_error) -> crosshook_str {
    // SAFETY: NULL or a live error, as the header's conventions ask.
    unsafe { lend(error, |failure| &failure.message) }
}

/// The same for programs, as a JSON object with the keys code, message, path, pointer and line (null where unknown):
/// path is the file at fault, pointer the JSON pointer into it, line is counted from 1. Empty when `error` is NULL.
/// Valid until `error` is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_error_details(error: *const crosshook_error) -> crosshook_str {
    // SAFETY: NULL or a live error, as the header's conventions ask.
    unsafe { lend(error, |failure| &failure.details) }
}

/// Frees an error that a call filled in. Does nothing when `error` is NULL. An error that was passed to a `done`
/// callback belongs to the library and is not to be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_error_free(error: *mut crosshook_error) {
    // SAFETY: NULL or an error that the caller owns, as the header's conventions ask.
    guard::or((), || drop(unsafe { handle::take(error) }));
}
