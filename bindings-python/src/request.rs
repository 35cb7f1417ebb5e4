//! One question of a hook to a Python function.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use crate::gate;
use crate::wake::Wake;

type Notice = Arc<Mutex<Option<Arc<Wake>>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A question. Counts as failed when it is dropped without an answer.
#[pyclass(frozen, module = "crosshook._native")]
#[derive(Debug)]
pub(crate) struct Request {
    /// Taken by the answer. Locked by detached threads only: whoever holds it may need the interpreter.
    request: Mutex<Option<crosshook::Request>>,
    notice: Notice,
}

impl Request {
    pub(crate) fn new(request: crosshook::Request) -> Self {
        Self { request: Mutex::new(Some(request)), notice: Notice::default() }
    }

    /// Answers, once; later answers do nothing, and those after the end of the interpreter neither.
    fn settle(&self, py: Python<'_>, answer: impl FnOnce(crosshook::Request) + Send) {
        let Some(_inside) = gate::enter() else { return };
        let notice = py.detach(|| {
            if let Some(request) = lock(&self.request).take() {
                answer(request);
            }
            lock(&self.notice).take()
        });
        // Dropped here, where Python's objects may be dropped.
        drop(notice);
    }
}

#[pymethods]
impl Request {
    /// The question as JSON text; empty when it was answered.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| {
            lock(&self.request).as_ref().map(|request| request.json().to_owned()).unwrap_or_default()
        })
    }

    /// Answers with UTF-8 text.
    fn reply(&self, py: Python<'_>, text: &[u8]) {
        self.settle(py, |request| request.reply(String::from_utf8_lossy(text)));
    }

    /// Says that there is no answer, and why, in UTF-8.
    fn fail(&self, py: Python<'_>, why: &[u8]) {
        self.settle(py, |request| request.fail(String::from_utf8_lossy(why)));
    }

    /// Has `loop.call_soon_threadsafe(notice)` called when the answer is no longer wanted, at once if that is so.
    fn on_cancel(&self, py: Python<'_>, r#loop: Py<PyAny>, notice: Py<PyAny>) {
        let wake = Arc::new(Wake { r#loop, wake: notice });
        let kept = self.notice.clone();
        py.detach(|| {
            let request = lock(&self.request);
            let Some(request) = request.as_ref() else { return };
            *lock(&kept) = Some(wake);
            request.on_cancel(move || {
                let wake = lock(&kept).take();
                if let Some(wake) = wake {
                    wake.send();
                }
            });
        });
    }

    /// Whether the answer is no longer wanted.
    fn is_cancelled(&self, py: Python<'_>) -> bool {
        py.detach(|| lock(&self.request).as_ref().is_none_or(crosshook::Request::is_cancelled))
    }
}
