//! The native half of the Python package `crosshook`. Thin: JSON text in, JSON text out, and the rules of living
//! inside a Python process. What users see is `python/crosshook/`.

mod blocking;
mod display;
mod engine;
mod error;
mod fields;
mod gate;
mod hub;
mod notices;
mod request;
mod run;
mod seat;
mod wake;

use std::ffi::OsString;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crosshook::ErrorKind;

/// Ends what the engine threads do and keeps them away from an interpreter that is going down. Registered with
/// `atexit`.
#[pyfunction]
fn _at_exit(py: Python<'_>) {
    py.detach(gate::close);
}

/// Forgets the calls of the parent process. Registered with `os.register_at_fork`.
#[pyfunction]
fn _after_fork() {
    gate::reset();
}

/// Runs the command line, which takes over the process's standard streams and signals; returns the exit status.
#[pyfunction]
fn _main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| crosshook::cli::main(arguments))
}

/// The JSON Schema of a dialect's settings, as text.
#[pyfunction]
fn settings_schema(py: Python<'_>, dialect: String) -> PyResult<String> {
    error::guard(|| crosshook::settings_schema(&dialect)).map_err(|error| error::raise(py, &error))
}

/// Panics on purpose, so that the tests can see what a defect of the engine looks like from Python.
#[pyfunction]
fn _panic(py: Python<'_>, message: String) -> PyResult<()> {
    // Not `panic!`: this one prints nothing.
    error::guard(|| std::panic::resume_unwind(Box::new(message))).map_err(|error| error::raise(py, &error))
}

/// Reports an exception that nobody can catch, as Python does: through `sys.unraisablehook`.
#[pyfunction]
fn _unraisable(py: Python<'_>, error: Bound<'_, PyAny>, place: Bound<'_, PyAny>) {
    PyErr::from_value(error).write_unraisable(py, Some(&place));
}

/// The native half of the package `crosshook`. Private: use `crosshook`.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<engine::Engine>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<request::Request>()?;
    module.add_class::<display::MessageDisplay>()?;
    module.add_class::<notices::Notices>()?;
    module.add("VERSION", crosshook::VERSION)?;
    module.add("DIALECT_NAMES", PyTuple::new(py, crosshook::dialect_names())?)?;
    module.add("ERROR_CODES", PyTuple::new(py, ErrorKind::ALL.map(ErrorKind::code))?)?;
    for function in [
        wrap_pyfunction!(_at_exit, module)?,
        wrap_pyfunction!(_after_fork, module)?,
        wrap_pyfunction!(_main, module)?,
        wrap_pyfunction!(_panic, module)?,
        wrap_pyfunction!(_unraisable, module)?,
        wrap_pyfunction!(settings_schema, module)?,
    ] {
        module.add_function(function)?;
    }
    py.import("atexit")?.call_method1("register", (module.getattr("_at_exit")?,))?;
    // Not on Windows, which has no fork.
    if let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? {
        let after = PyDict::new(py);
        after.set_item("after_in_child", module.getattr("_after_fork")?)?;
        register.call((), Some(&after))?;
    }
    Ok(())
}
