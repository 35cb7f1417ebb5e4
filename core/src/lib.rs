//! One hooks engine that every coding agent can share.
//!
//! A host hands over settings and one event as JSON; [`Engine`] picks the hooks that match, runs them, reads their
//! answers as their dialect defines them and returns one [`Outcome`].

#[cfg(feature = "capi")]
#[allow(unsafe_code)]
pub mod capi;
mod diagnostic;
mod engine;
mod error;
mod event;
mod json;
mod outcome;

pub use diagnostic::{Code, Diagnostic, Level, Origin};
pub use engine::{Engine, Run};
pub use error::{Error, ErrorKind, Place};
pub use event::Event;
pub use outcome::{Decision, HookReport, Outcome, Status, Stop};

/// The version of this library, as in its package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
