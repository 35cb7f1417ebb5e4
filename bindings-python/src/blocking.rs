//! Waiting for a future of the core on the calling thread, without the interpreter.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crosshook::{Error, ErrorKind};
use pyo3::prelude::*;

use crate::error::{exiting, guard, raise};
use crate::gate;
use crate::run::SLICE;
use crate::wake;

/// Rings when the future is to be asked again.
#[derive(Debug)]
struct Bell {
    rang: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    /// Whether it rang, after waiting for it up to [`SLICE`].
    fn wait(&self) -> bool {
        let rang = self.rang.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut rang, _) = self
            .changed
            .wait_timeout_while(rang, SLICE, |rang| !*rang)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut rang)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *self.rang.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

/// Waits for `future`. Ends early when a signal handler raises or the interpreter is going down.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    mut future: Pin<&mut (dyn Future<Output = T> + Send)>,
) -> PyResult<T> {
    if wake::announcing() {
        let message = "a blocking call on an engine thread would wait for itself";
        return Err(raise(py, &Error::new(ErrorKind::EngineThread, message)));
    }
    let _inside = gate::enter().ok_or_else(|| raise(py, &exiting()))?;
    let bell = Arc::new(Bell { rang: Mutex::new(true), changed: Condvar::new() });
    let waker = Waker::from(bell.clone());
    loop {
        let turn = py.detach(|| {
            guard(|| {
                if !bell.wait() {
                    return Ok(Poll::Pending);
                }
                Ok(future.as_mut().poll(&mut Context::from_waker(&waker)))
            })
        });
        match turn {
            Ok(Poll::Ready(value)) => return Ok(value),
            Ok(Poll::Pending) => {}
            Err(error) => return Err(raise(py, &error)),
        }
        py.check_signals()?;
        if gate::closed() {
            return Err(raise(py, &exiting()));
        }
    }
}

/// Seconds as a duration; `None`, and what is no duration, is forever.
pub(crate) fn limit(seconds: Option<f64>) -> Duration {
    const FOREVER: Duration = Duration::from_secs(1 << 30);
    let asked = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
    asked.map_or(FOREVER, |asked| asked.min(FOREVER))
}
