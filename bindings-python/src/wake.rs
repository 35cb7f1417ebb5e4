//! Telling an event loop that there is something to look at.

use std::cell::Cell;
use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::guard;
use crate::gate;

thread_local! {
    /// Whether this thread is an engine's that tells a loop something just now.
    static ANNOUNCING: Cell<bool> = const { Cell::new(false) };
}

/// Whether Python code that runs now was called from an engine thread, which must not wait for itself.
pub(crate) fn announcing() -> bool {
    ANNOUNCING.get()
}

/// What to call, and where: `loop.call_soon_threadsafe(wake)`.
#[derive(Debug)]
pub(crate) struct Wake {
    pub(crate) r#loop: Py<PyAny>,
    pub(crate) wake: Py<PyAny>,
}

impl Wake {
    /// Announces, usually on an engine thread: the only place where one attaches to the interpreter, and only for this
    /// one call. Nothing is done when the loop is closed or the interpreter goes down: nobody waits then.
    pub(crate) fn send(self: Arc<Self>) {
        let Some(_inside) = gate::enter() else {
            // The interpreter may be gone: its objects must not be touched any more, not even to drop them.
            std::mem::forget(self);
            return;
        };
        // The loop's code and whatever Python's garbage collector calls run on this thread now.
        let before = ANNOUNCING.replace(true);
        let _panicked = guard(|| {
            Python::try_attach(|py| {
                if let Err(error) = self.call(py) {
                    error.write_unraisable(py, Some(self.r#loop.bind(py)));
                }
                drop(self);
            });
            Ok(())
        });
        ANNOUNCING.set(before);
    }

    fn call(&self, py: Python<'_>) -> PyResult<()> {
        let r#loop = self.r#loop.bind(py);
        if r#loop.call_method0("is_closed")?.is_truthy()? {
            return Ok(());
        }
        match r#loop.call_method1("call_soon_threadsafe", (&self.wake,)) {
            // Closed since the question above.
            Err(error) if error.is_instance_of::<PyRuntimeError>(py) => Ok(()),
            other => other.map(drop),
        }
    }
}
