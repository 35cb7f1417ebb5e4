//! The native half of the npm package `crosshook`: converts, calls the core, converts back.
//!
//! Only JSON text crosses. The public JavaScript face (argument checks, error classes, `AbortSignal`) is hand-written in
//! `index.cjs` and its neighbours; what is exported here is private to them (bridge.cjs is the other end of the queue). No rule of any dialect lives in this crate.

mod channel;
mod engine;
mod fields;
mod frame;
mod host;
mod life;
#[cfg(feature = "probe")]
mod probe;
mod reply;
mod requests;
mod runs;
mod session;
mod waits;

use napi_derive::napi;

/// An outcome that says nothing, as JSON text.
#[napi(catch_unwind)]
pub fn blank_outcome() -> String {
    crosshook::Outcome::default().to_json()
}

/// The names of all dialects.
#[napi(catch_unwind)]
pub fn dialect_names() -> Vec<&'static str> {
    crosshook::dialect_names()
}

/// The JSON Schema of a dialect's settings.
#[napi(catch_unwind)]
pub fn settings_schema(dialect: String) -> reply::Reply {
    crosshook::settings_schema(&dialect).into()
}

/// The keys under which an event's name may stand.
#[napi(catch_unwind)]
pub fn event_name_keys() -> Vec<&'static str> {
    crosshook::EVENT_NAME_KEYS.to_vec()
}

/// The version of the library.
#[napi(catch_unwind)]
pub fn version() -> &'static str {
    crosshook::VERSION
}

/// Runs the command line, which takes over the process's standard streams and signals; returns the exit status.
#[napi(catch_unwind)]
pub fn main(arguments: Vec<String>) -> u8 {
    crosshook::cli::main(arguments.into_iter().map(Into::into))
}
