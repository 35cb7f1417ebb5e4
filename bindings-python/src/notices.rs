//! What a listener is told: queued on whatever thread it happens, taken by a Python thread of the listener's own.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::{exiting, raise};
use crate::gate;

/// So many notices wait for a listener that is slow or stuck; what comes then is counted and dropped.
const KEPT: usize = 10_000;
/// How long a listener's thread waits until it looks whether the interpreter is going down. Only a reserve: the end
/// wakes it.
const SLICE: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    closed: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<String>,
    dropped: usize,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets what waits be taken, and then ends it. Takes no lock: one could be held by a thread that a fork left behind.
    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.changed.notify_all();
    }

    fn push(&self, notice: String) {
        let mut state = self.state();
        if state.waiting.len() < KEPT {
            state.waiting.push_back(notice);
            self.changed.notify_one();
        } else {
            state.dropped = state.dropped.saturating_add(1);
        }
    }

    /// Takes the next one, after waiting for it up to [`SLICE`].
    fn next(&self) -> Option<String> {
        let nothing = |state: &mut State| state.waiting.is_empty() && !self.closed.load(Ordering::SeqCst);
        let (mut state, _) = self
            .changed
            .wait_timeout_while(self.state(), SLICE, nothing)
            .unwrap_or_else(PoisonError::into_inner);
        let next = state.waiting.pop_front();
        if next.is_none() && state.dropped > 0 {
            return Some(format!(r#"{{"type":"dropped","count":{}}}"#, std::mem::take(&mut state.dropped)));
        }
        next
    }
}

/// The end where notices come in: closes the queue when the engine lets go of the listener.
#[derive(Debug)]
pub(crate) struct Inlet(Arc<Queue>);

impl Inlet {
    pub(crate) fn put(&self, notice: &crosshook::Notice) {
        self.0.push(notice.to_json());
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The end where a Python thread takes them out.
#[pyclass(frozen, module = "crosshook._native")]
#[derive(Debug)]
pub(crate) struct Notices(Arc<Queue>);

impl Notices {
    pub(crate) fn new() -> (Inlet, Self) {
        let queue = Arc::new(Queue::default());
        (Inlet(queue.clone()), Self(queue))
    }
}

#[pymethods]
impl Notices {
    /// Blocks until there is a notice, and takes it: JSON text. `None` when there will be none any more.
    fn next(&self, py: Python<'_>) -> PyResult<Option<String>> {
        loop {
            let _inside = gate::enter().ok_or_else(|| raise(py, &exiting()))?;
            if let Some(notice) = py.detach(|| self.0.next()) {
                return Ok(Some(notice));
            }
            if self.0.closed.load(Ordering::SeqCst) || gate::closed() {
                return Ok(None);
            }
        }
    }

    /// Lets what waits be taken and then ends it.
    fn close(&self) {
        self.0.close();
    }

    /// Forgets what waits.
    fn clear(&self, py: Python<'_>) {
        py.detach(|| self.0.state().waiting.clear());
    }
}
