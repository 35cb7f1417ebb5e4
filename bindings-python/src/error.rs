//! Failures: panics become errors, errors become the exception classes of `crosshook`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crosshook::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::gate;

/// Runs `work`; a panic in it is the error `internal`, never pyo3's `PanicException`, which `except Exception`
/// would not catch.
pub(crate) fn guard<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
}

fn panicked(payload: &(dyn Any + Send)) -> Error {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown cause");
    Error::new(ErrorKind::Internal, format!("a defect in Crosshook, please report it: {text}"))
}

/// Runs `work` detached from the interpreter, with panics caught.
///
/// # Errors
/// What `work` fails with, or `crosshook.ClosedError` when the interpreter is going down.
pub(crate) fn outside<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let _inside = gate::enter().ok_or_else(|| raise(py, &exiting()))?;
    py.detach(|| guard(work)).map_err(|error| raise(py, &error))
}

/// What a call meets after the gate was closed.
pub(crate) fn exiting() -> Error {
    Error::new(ErrorKind::Closed, "the Python interpreter is exiting; nothing can be dispatched any more")
}

/// `error` as an exception. The table from codes to classes is Python's (`crosshook._errors`), so that classes are
/// ordinary ones: they can be pickled, documented and subclassed.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    static FROM_CORE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let place = error.place();
    let made = FROM_CORE.import(py, "crosshook._errors", "from_core").and_then(|from_core| {
        from_core.call1((
            error.kind().code(),
            error.to_string(),
            error.message(),
            place.path.as_deref(),
            place.pointer.as_deref(),
            place.line,
        ))
    });
    made.map_or_else(|failure| failure, PyErr::from_value)
}
