//! One dispatch on its way: waited for by a thread, or announced to an event loop.

use std::cell::Cell;
use std::process;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crosshook::{Error, ErrorKind, Outcome};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::{exiting, guard, outside, raise};
use crate::gate;

/// How long a waiting thread looks at nothing but its outcome. After each slice it lets Python's signal handlers
/// run (Ctrl-C) and looks whether the interpreter is going down.
const SLICE: Duration = Duration::from_millis(50);

thread_local! {
    /// Whether this thread is an engine's that announces an end just now.
    static ANNOUNCING: Cell<bool> = const { Cell::new(false) };
}

/// What an engine thread leaves for whoever wants the outcome.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    result: Mutex<Option<Result<Outcome, Error>>>,
    ready: Condvar,
}

impl Ending {
    /// Leaves the result; called once, on an engine thread.
    pub(crate) fn set(&self, result: Result<Outcome, Error>) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.ready.notify_all();
    }

    /// Takes the outcome as JSON text, after waiting for it up to `limit`. `None` when it is not there.
    fn take(&self, limit: Duration) -> Option<Result<String, Error>> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut result, _) = self
            .ready
            .wait_timeout_while(result, limit, |result| result.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        let result = result.take()?;
        Some(result.map(|outcome| outcome.to_json()))
    }
}

/// What to call when a run has ended: `loop.call_soon_threadsafe(wake)`.
#[derive(Debug)]
pub(crate) struct Wake {
    pub(crate) r#loop: Py<PyAny>,
    pub(crate) wake: Py<PyAny>,
}

impl Wake {
    /// Announces the end, on an engine thread. The only place where one attaches to the interpreter, and only for
    /// this one call. Nothing is done when the loop is closed or the interpreter goes down: nobody waits then.
    pub(crate) fn send(self) {
        let Some(_inside) = gate::enter() else {
            // The interpreter may be gone: its objects must not be touched any more, not even to drop them.
            std::mem::forget(self);
            return;
        };
        // The loop's code and whatever Python's garbage collector calls run on this thread now.
        ANNOUNCING.set(true);
        let _panicked = guard(|| {
            Python::try_attach(|py| {
                if let Err(error) = self.call(py) {
                    error.write_unraisable(py, Some(self.r#loop.bind(py)));
                }
                drop(self);
            });
            Ok(())
        });
        ANNOUNCING.set(false);
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

/// A dispatch that was started. Goes on when this object is dropped.
#[pyclass(frozen, module = "crosshook._native")]
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) run: crosshook::Run,
    pub(crate) ending: Arc<Ending>,
}

#[pymethods]
impl Run {
    /// Blocks until the outcome is there and takes it. Ends early, and leaves the run alone, when a signal handler
    /// raises or the interpreter is going down.
    fn wait(&self, py: Python<'_>) -> PyResult<String> {
        if ANNOUNCING.get() {
            let message = "a blocking dispatch on an engine thread would wait for itself; use dispatch_async";
            return Err(raise(py, &Error::new(ErrorKind::EngineThread, message)));
        }
        let _inside = gate::enter().ok_or_else(|| raise(py, &exiting()))?;
        let owner = process::id();
        loop {
            let result = py.detach(|| guard(|| self.ending.take(SLICE).transpose()));
            match result {
                Ok(Some(text)) => return Ok(text),
                Ok(None) => {}
                Err(error) => return Err(raise(py, &error)),
            }
            py.check_signals()?;
            if process::id() != owner {
                let message = "the process was forked by a signal handler while it waited for a hook";
                return Err(raise(py, &Error::new(ErrorKind::Cancelled, message)));
            }
            if gate::closed() {
                return Err(raise(py, &exiting()));
            }
        }
    }

    /// Takes the outcome of a run that has ended.
    fn result(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || {
            let missing = || Err(Error::new(ErrorKind::Internal, "the outcome is not there, or was taken"));
            self.ending.take(Duration::ZERO).unwrap_or_else(missing)
        })
    }

    /// Ends the hooks of this run, whole process groups. Harmless after the end and more than once.
    fn cancel(&self, py: Python<'_>) {
        // When the interpreter is going down, the engine's shutdown cancels it. Detached, because an engine thread
        // may be waiting for the interpreter.
        let Some(_inside) = gate::enter() else { return };
        let _panicked = py.detach(|| {
            guard(|| {
                self.run.cancel();
                Ok(())
            })
        });
    }
}
