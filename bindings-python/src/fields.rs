//! An event that is a dict: what the engine asks of it before it is written as JSON, and the outcome as a dict when
//! nothing else is needed.

use crosshook::{Field, Outcome};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

/// The value that `json.dumps` would write for `key`. Calls no Python code: the dict and its keys are of the plain types.
pub(crate) fn field(event: &Bound<'_, PyDict>, key: &str) -> Field {
    match event.get_item(key) {
        Ok(Some(value)) => read(&value),
        // A key of another type may be hidden from this look and still be written under this name, as an enum's is.
        Ok(None) if event.iter().all(|(key, _)| key.is_exact_instance_of::<PyString>()) => Field::Missing,
        Ok(None) | Err(_) => Field::Unclear,
    }
}

fn read(value: &Bound<'_, PyAny>) -> Field {
    if let Ok(text) = value.cast_exact::<PyString>() {
        // Lone surrogates are written as escapes, which is for JSON.
        text.to_str().map_or(Field::Unclear, |text| Field::Text(text.to_owned()))
    } else if let Ok(value) = value.cast_exact::<PyBool>() {
        Field::Bool(value.is_true())
    } else if value.is_none() {
        Field::Null
    } else {
        Field::Unclear
    }
}

/// The keys of an outcome that says nothing, ready to be copied.
#[derive(Debug)]
struct Blank {
    outcome: Py<PyDict>,
    lists: Vec<Py<PyString>>,
    dicts: Vec<Py<PyString>>,
}

impl Blank {
    /// From the core's own text.
    fn new(py: Python<'_>) -> PyResult<Self> {
        let read = py.import("json")?.call_method1("loads", (Outcome::default().to_json(),))?;
        let outcome = read.cast_into::<PyDict>()?;
        let mut blank = Self { outcome: outcome.clone().unbind(), lists: Vec::new(), dicts: Vec::new() };
        for (key, value) in &outcome {
            let key = key.cast_into::<PyString>()?.unbind();
            if value.is_instance_of::<PyList>() {
                blank.lists.push(key);
            } else if value.is_instance_of::<PyDict>() {
                blank.dicts.push(key);
            }
        }
        Ok(blank)
    }
}

/// An outcome that says nothing, as a dict of the caller's own.
pub(crate) fn blank<'py>(py: Python<'py>, event: &str) -> PyResult<Bound<'py, PyDict>> {
    static BLANK: PyOnceLock<Blank> = PyOnceLock::new();
    let blank = BLANK.get_or_try_init(py, || Blank::new(py))?;
    let outcome = blank.outcome.bind(py).copy()?;
    outcome.set_item(pyo3::intern!(py, "event"), event)?;
    for key in &blank.lists {
        outcome.set_item(key, PyList::empty(py))?;
    }
    for key in &blank.dicts {
        outcome.set_item(key, PyDict::new(py))?;
    }
    Ok(outcome)
}
