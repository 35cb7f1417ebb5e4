//! The panic boundary: every exported function runs inside [`call`] or [`or`], and every answer to the host inside
//! [`contain`]. A panic that left an `extern "C"` function would abort the host.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::error::{Failure, crosshook_error};
use super::handle;
use super::outputs::Out;
use super::status::crosshook_status;

/// Runs `body`; a panic in it becomes a failure with the status `internal`.
pub(super) fn contain<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Unwind safety: what a panic leaves half done is either local to `body` or behind a lock of the core, which
    // recovers from poisoning by itself.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(describe(payload)))
}

/// Runs a fallible call: returns its status and, where the host asked for it, fills in the error.
///
/// # Safety
/// `out_error` is NULL or points to room for a pointer.
pub(super) unsafe fn call(
    out_error: *mut *mut crosshook_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> crosshook_status {
    let Err(failure) = contain(body) else { return crosshook_status::Ok };
    let status = failure.status();
    // SAFETY: passed on from the caller.
    if let Some(out) = unsafe { Out::optional(out_error) } {
        out.write(handle::give(Box::new(failure)));
    }
    status
}

/// Runs a call that cannot report: a panic in it gives `default`.
pub(super) fn or<T>(default: T, body: impl FnOnce() -> T) -> T {
    contain(|| Ok(body())).unwrap_or(default)
}

/// The panic as a failure.
fn describe(payload: Box<dyn Any + Send>) -> Failure {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    // A payload may panic when it is dropped, outside of any guard. Losing its few bytes is the lesser evil.
    std::mem::forget(payload);
    Failure::new(
        crosshook_status::Internal,
        format!("a defect in Crosshook, please report it: panic: {text}; treat the event as denied"),
    )
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::super::error::{crosshook_error_free, crosshook_error_message};
    use super::*;

    /// Panics when dropped, as a hostile payload may.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("bomb");
        }
    }

    #[test]
    fn a_panic_becomes_an_internal_error_with_its_text() {
        let mut error = ptr::null_mut();
        // SAFETY: `error` is room for a pointer.
        let status = unsafe { call(&raw mut error, || panic!("number {}", 7)) };
        assert_eq!(status, crosshook_status::Internal);
        // SAFETY: `call` has filled in an error, which lives until the free below.
        let message = unsafe { crosshook_error_message(error).read("message") }.unwrap();
        assert!(message.contains("panic: number 7"), "{message}");
        // SAFETY: owned, and not used again.
        unsafe { crosshook_error_free(error) };
    }

    #[test]
    fn a_panic_without_a_report_gives_the_default() {
        assert_eq!(or(3, || panic!("lost")), 3);
        assert_eq!(or(3, || std::panic::panic_any(Bomb)), 3);
        assert_eq!(or(3, || 4), 4);
    }

    #[test]
    fn the_error_pointer_is_left_alone_on_success_and_may_be_missing() {
        let mut error = ptr::dangling_mut();
        let before = error;
        // SAFETY: `error` is room for a pointer.
        assert_eq!(unsafe { call(&raw mut error, || Ok(())) }, crosshook_status::Ok);
        assert_eq!(error, before);
        // SAFETY: NULL is allowed.
        let status = unsafe { call(ptr::null_mut(), || Err(Failure::null("x"))) };
        assert_eq!(status, crosshook_status::NullArgument);
    }
}
