//! One dispatch on its way: waited for by a thread, or announced to an event loop.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crosshook::{Error, ErrorKind, Steps};
use pyo3::prelude::*;

use crate::error::{exiting, guard, outside, raise};
use crate::gate;
use crate::request::Request;
use crate::seat::{Seat, Turn};
use crate::wake::{self, Wake};

/// How long a waiting thread looks at nothing but what it waits for, which wakes it at once. After each slice it lets
/// Python's signal handlers run (Ctrl-C) and looks whether the interpreter is going down.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// A dispatch that was started. Goes on when this object is dropped.
#[pyclass(frozen, module = "crosshook._native")]
#[derive(Debug)]
pub(crate) struct Run {
    run: crosshook::Run,
    seat: Arc<Seat>,
    /// What the thread that waits does itself: all of it, when only functions are to be called.
    steps: Mutex<Option<Steps>>,
}

impl Run {
    pub(crate) fn new(run: crosshook::Run, seat: Arc<Seat>, steps: Option<Steps>) -> Self {
        Self { run, seat, steps: Mutex::new(steps) }
    }

    fn take_steps(&self) -> Option<Steps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep_steps(&self, steps: Option<Steps>) {
        *self.steps.lock().unwrap_or_else(PoisonError::into_inner) = steps;
    }

    /// What whoever waits has to look at, after waiting for it up to [`SLICE`].
    fn turn(&self) -> Result<Option<Turn>, Error> {
        if let Some(steps) = self.take_steps() {
            // A step is made when everything that was asked is answered.
            if let Some(request) = self.seat.request() {
                self.keep_steps(Some(steps));
                return Ok(Some(Turn::Asked(request)));
            }
            let rest = steps.step();
            if let Some(request) = self.seat.request() {
                self.keep_steps(rest);
                return Ok(Some(Turn::Asked(request)));
            }
        }
        self.seat.take(SLICE).transpose()
    }
}

/// What [`Run::wait`] gives.
#[derive(IntoPyObject)]
pub(crate) enum Waited {
    Outcome(String),
    Request(Request),
}

#[pymethods]
impl Run {
    /// Blocks until the outcome is there, or a question that this thread is to answer before it waits again. Ends
    /// early, and leaves the run alone, when a signal handler raises or the interpreter is going down.
    fn wait(&self, py: Python<'_>) -> PyResult<Waited> {
        if wake::announcing() {
            let message = "a blocking dispatch on an engine thread would wait for itself; use dispatch_async";
            return Err(raise(py, &Error::new(ErrorKind::EngineThread, message)));
        }
        let _inside = gate::enter().ok_or_else(|| raise(py, &exiting()))?;
        let owner = process::id();
        loop {
            match py.detach(|| guard(|| self.turn())) {
                Ok(Some(Turn::Ended(text))) => return Ok(Waited::Outcome(text)),
                Ok(Some(Turn::Asked(request))) => return Ok(Waited::Request(Request::new(request))),
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

    /// From now on has `loop.call_soon_threadsafe(wake)` called for each question and when the run has ended. True if there
    /// is something already: the caller looks itself. Nothing of Python's is called from here, where a thread that the exit
    /// of the interpreter ends would take the process along.
    fn announce(&self, r#loop: Py<PyAny>, wake: Py<PyAny>) -> bool {
        self.seat.announce(Arc::new(Wake { r#loop, wake }))
    }

    /// This thread will not answer at once, or not wait: what is left goes on elsewhere, with its time limits. Harmless when
    /// nothing is left.
    fn go_on(&self, py: Python<'_>) {
        py.detach(|| drop(self.take_steps()));
    }

    /// Takes a question that is to be answered, if there is one. Does not block.
    fn request(&self, py: Python<'_>) -> Option<Request> {
        py.detach(|| self.seat.request()).map(Request::new)
    }

    /// Whether the outcome is there, or was taken.
    fn is_over(&self, py: Python<'_>) -> bool {
        py.detach(|| self.seat.is_over())
    }

    /// Takes the outcome of a run that has ended.
    fn result(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || {
            let lost = || Error::new(ErrorKind::Internal, "the outcome is not there, or was taken");
            self.seat.result().unwrap_or_else(|| Err(lost()))
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
                drop(self.take_steps());
                Ok(())
            })
        });
    }
}
