//! The engine as Python sees it.

use std::pin::pin;
use std::sync::Arc;

use crosshook::{Engine as Core, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::blocking;
use crate::display::MessageDisplay;
use crate::error::{guard, outside};
use crate::fields;
use crate::gate;
use crate::hub::Hub;
use crate::notices::Notices;
use crate::run::Run;
use crate::seat::Seat;
use crate::wake::{self, Wake};

/// A set of hooks, ready to run. Takes UTF-8 JSON as bytes or text and gives JSON text.
#[pyclass(frozen, module = "crosshook._native")]
#[derive(Debug)]
pub(crate) struct Engine {
    core: Core,
    hub: Arc<Hub>,
}

#[pymethods]
impl Engine {
    /// Makes an engine from the options object. `model`, `agent`, `mcp_tool`: whether the host answers such hooks.
    #[new]
    #[pyo3(signature = (options, model=false, agent=false, mcp_tool=false))]
    fn new(py: Python<'_>, options: &str, model: bool, agent: bool, mcp_tool: bool) -> PyResult<Self> {
        outside(py, || {
            let hub = Arc::new(Hub::new(model, agent, mcp_tool));
            let core = Core::with_host(Options::from_json(options)?, hub.clone())?;
            Ok(Self { core, hub })
        })
    }

    /// Starts one event; it is over already when no hook is selected. When functions alone are selected, the first questions
    /// are there, and nothing more happens until `Run.wait` or `Run.go_on`.
    fn start(&self, py: Python<'_>, event: &[u8]) -> PyResult<Run> {
        outside(py, || {
            let seat = Arc::new(Seat::new());
            let place = self.hub.enter(&seat);
            let sitting = seat.clone();
            let (run, steps) = self.core.start_in_steps(place.tag(), event, move |result| {
                drop(place);
                sitting.end(result);
            });
            Ok(Run::new(run, seat, steps))
        })
    }

    /// The outcome of an event that fires no hook: a dict, or JSON text when it says something. `None`: the event is to be
    /// started as JSON. Stays attached to the interpreter, for it neither waits nor calls anybody.
    fn dispatch_by_fields<'py>(
        &self,
        py: Python<'py>,
        event: &Bound<'py, PyDict>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if gate::closed() || wake::announcing() || !event.is_exact_instance_of::<PyDict>() {
            return Ok(None);
        }
        let work = || Ok(self.core.dispatch_by_fields(|key| fields::field(event, key)));
        match guard(work) {
            Ok(Some(outcome)) if outcome.is_blank() => {
                fields::blank(py, &outcome.event).map(|outcome| Some(outcome.into_any()))
            }
            Ok(Some(outcome)) => Ok(Some(outcome.to_json().into_pyobject(py)?.into_any())),
            // Whatever is wrong is said of the event as JSON.
            Ok(None) | Err(_) => Ok(None),
        }
    }

    /// Which hooks would run, and why, as a JSON array.
    fn explain(&self, py: Python<'_>, event: &[u8]) -> PyResult<String> {
        outside(py, || self.core.explain_json(event))
    }

    /// A line of a recording decided again, as a JSON object.
    fn replay(&self, py: Python<'_>, line: &[u8]) -> PyResult<String> {
        outside(py, || self.core.replay_json(line))
    }

    /// Every configured hook, as a JSON array.
    fn list(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.list_json()))
    }

    /// What was noticed while the settings were loaded, as a JSON array.
    fn diagnostics(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.diagnostics_json()))
    }

    /// What in the settings is probably not meant, as a JSON array.
    fn lint(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.lint_json()))
    }

    /// What differs from the files, as a JSON object.
    fn changes(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.changes_json()))
    }

    /// Takes the files over and says what changed, as a JSON object.
    fn reload(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || self.core.reload_json())
    }

    /// Adds settings of one session.
    fn register(&self, py: Python<'_>, session_id: &str, settings: &str) -> PyResult<String> {
        outside(py, || self.core.register_json(session_id, settings))
    }

    /// Adds a function of the host.
    fn register_function(&self, py: Python<'_>, spec: &str) -> PyResult<String> {
        outside(py, || self.core.register_function_json(spec))
    }

    /// Removes what was registered.
    fn unregister(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        outside(py, || Ok(self.core.unregister(id)))
    }

    /// Opens the scope of an agent or skill.
    fn open_scope(&self, py: Python<'_>, scope: &str) -> PyResult<String> {
        outside(py, || self.core.open_scope_json(scope))
    }

    /// Closes a scope.
    fn close_scope(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        outside(py, || Ok(self.core.close_scope(id)))
    }

    /// What has been granted, as a JSON array.
    fn grants(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.grants_json()))
    }

    /// What waits to be granted, as a JSON array.
    fn wanted_grants(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.wanted_grants_json()))
    }

    /// Grants a declaration.
    fn grant(&self, py: Python<'_>, digest: &str) -> PyResult<()> {
        outside(py, || self.core.grant(digest))
    }

    /// Takes a grant back.
    fn revoke(&self, py: Python<'_>, digest: &str) -> PyResult<()> {
        outside(py, || self.core.revoke(digest))
    }

    /// Forgets a session.
    fn end_session(&self, py: Python<'_>, session_id: &str) -> PyResult<bool> {
        outside(py, || Ok(self.core.end_session(session_id)))
    }

    /// The background hooks that run, as a JSON array.
    fn background(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.background_json()))
    }

    /// Ends one background hook, or all.
    #[pyo3(signature = (number=None))]
    fn cancel_background(&self, py: Python<'_>, number: Option<u64>) -> PyResult<usize> {
        outside(py, || Ok(self.core.cancel_background(number)))
    }

    /// Blocks until no background hook runs, at most `seconds`. Whether that is so.
    #[pyo3(signature = (seconds=None))]
    fn wait_background(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<bool> {
        let done = pin!(self.core.background_done(blocking::limit(seconds)));
        blocking::wait(py, done)
    }

    /// Takes what background hooks had to say, as a JSON array.
    fn take_late_results(&self, py: Python<'_>) -> PyResult<String> {
        outside(py, || Ok(self.core.take_late_results_json()))
    }

    /// Gives a session a goal.
    fn set_goal(&self, py: Python<'_>, session_id: &str, condition: &str) -> PyResult<()> {
        outside(py, || self.core.set_goal(session_id, condition))
    }

    /// Takes a session's goal away.
    fn clear_goal(&self, py: Python<'_>, session_id: &str) -> PyResult<bool> {
        outside(py, || Ok(self.core.clear_goal(session_id)))
    }

    /// A session's goal as a JSON object, or `null`.
    fn goal(&self, py: Python<'_>, session_id: &str) -> PyResult<String> {
        outside(py, || Ok(self.core.goal_json(session_id)))
    }

    /// Adds to what was spent on a goal.
    fn note_goal_usage(&self, py: Python<'_>, session_id: &str, turns: u64, tokens: u64) -> PyResult<bool> {
        outside(py, || Ok(self.core.note_goal_usage(session_id, turns, tokens)))
    }

    /// Gives a session a saved goal.
    fn restore_goal(&self, py: Python<'_>, session_id: &str, goal: &str) -> PyResult<()> {
        outside(py, || self.core.restore_goal(session_id, goal))
    }

    /// The text of an outcome for the model, as a JSON string or `null`.
    fn render_context(&self, py: Python<'_>, outcome: &str) -> PyResult<String> {
        outside(py, || self.core.render_context_json(outcome))
    }

    /// Begins a message. `loop.call_soon_threadsafe(wake)` is called for each question of its hooks.
    fn message_display(
        &self,
        py: Python<'_>,
        event: &str,
        r#loop: Py<PyAny>,
        wake: Py<PyAny>,
    ) -> PyResult<MessageDisplay> {
        let seat = Arc::new(Seat::new());
        seat.announce(Arc::new(Wake { r#loop, wake }));
        outside(py, || {
            let place = self.hub.enter(&seat);
            let display = self.core.message_display_tagged(place.tag(), event)?;
            Ok(MessageDisplay { display, seat, _place: place })
        })
    }

    /// Starts to listen.
    fn watch(&self, py: Python<'_>) -> PyResult<(u64, Notices)> {
        outside(py, || {
            let (inlet, notices) = Notices::new();
            Ok((self.core.watch(move |notice| inlet.put(notice)), notices))
        })
    }

    /// Stops to listen.
    fn unwatch(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        outside(py, || Ok(self.core.unwatch(number)))
    }
}
