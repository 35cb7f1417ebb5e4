//! A message of the agent on its way to the hooks, as Python sees it.

use std::pin::pin;
use std::sync::Arc;

use pyo3::prelude::*;

use crate::blocking;
use crate::error::outside;
use crate::hub::Place;
use crate::request::Request;
use crate::seat::Seat;

/// A message. Its dispatches have nobody who waits for them, so it takes their questions itself.
#[pyclass(frozen, module = "crosshook._native")]
pub(crate) struct MessageDisplay {
    pub(crate) display: crosshook::MessageDisplay,
    pub(crate) seat: Arc<Seat>,
    pub(crate) _place: Place,
}

#[pymethods]
impl MessageDisplay {
    /// Appends text.
    fn push(&self, py: Python<'_>, text: &[u8]) -> PyResult<()> {
        outside(py, || {
            self.display.push(&String::from_utf8_lossy(text));
            Ok(())
        })
    }

    /// Delivers the finished text and waits for the hooks, at most `seconds`.
    fn finish(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<bool> {
        let finished = pin!(self.display.finish_async(blocking::limit(seconds)));
        blocking::wait(py, finished)
    }

    /// Ends the message without delivering it.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        outside(py, || {
            self.display.abort();
            Ok(())
        })
    }

    /// Takes a question that is to be answered, if there is one.
    fn request(&self, py: Python<'_>) -> Option<Request> {
        py.detach(|| self.seat.request()).map(Request::new)
    }
}
