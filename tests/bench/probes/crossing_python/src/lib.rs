//! What crossing the boundary between Python and Rust costs by itself.

use pyo3::prelude::*;

/// Does nothing.
#[pyfunction]
fn nothing() {}

/// Calls a Python function.
#[pyfunction]
fn call<'py>(function: &Bound<'py, PyAny>, argument: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    function.call1((argument,))
}

#[pymodule]
fn crossing_python(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(nothing, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)
}
