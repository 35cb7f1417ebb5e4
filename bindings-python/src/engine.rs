//! The engine as Python sees it.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::error::outside;
use crate::run::{Ending, Run, Wake};

/// A set of hooks, ready to run. Takes UTF-8 JSON as bytes and gives JSON text.
#[pyclass(frozen, module = "crosshook._native")]
#[derive(Debug)]
pub(crate) struct Engine(crosshook::Engine);

#[pymethods]
impl Engine {
    /// Makes an engine from the options object.
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Self> {
        outside(py, || crosshook::Engine::from_json(options)).map(Self)
    }

    /// Starts one event. With `loop` and `wake`, `loop.call_soon_threadsafe(wake)` is called when it has ended.
    #[pyo3(signature = (event, r#loop=None, wake=None))]
    fn start(
        &self,
        py: Python<'_>,
        event: &[u8],
        r#loop: Option<Py<PyAny>>,
        wake: Option<Py<PyAny>>,
    ) -> PyResult<Run> {
        let ending = Arc::new(Ending::default());
        let wake = r#loop.zip(wake).map(|(r#loop, wake)| Wake { r#loop, wake });
        let done = {
            let ending = Arc::clone(&ending);
            move |result| {
                ending.set(result);
                if let Some(wake) = wake {
                    wake.send();
                }
            }
        };
        let run = outside(py, || Ok(self.0.start(event, done)))?;
        Ok(Run { run, ending })
    }

    /// Which hooks would run, and why, as a JSON array.
    fn explain(&self, py: Python<'_>, event: &[u8]) -> PyResult<String> {
        outside(py, || self.0.explain_json(event))
    }

    /// Every configured hook, as a JSON array.
    fn list(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.0.list_json()))
    }

    /// What was noticed while the settings were loaded, as a JSON array.
    fn diagnostics(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.0.diagnostics_json()))
    }
}
