//! One hooks engine that every coding agent can share.
//!
//! A host hands over settings and one event as JSON; [`Engine`] picks the hooks that match, runs them, reads their
//! answers as their dialect defines them and returns one [`Outcome`].

#[cfg(feature = "capi")]
#[allow(unsafe_code)]
pub mod capi;
mod changes;
mod diagnostic;
mod dialect;
mod dispatch;
mod display;
mod engine;
mod error;
mod event;
mod function;
mod goal;
mod hook;
mod host;
mod json;
mod live;
mod manage;
mod matcher;
#[cfg(feature = "http")]
mod model;
mod options;
mod outcome;
mod plan;
#[cfg(not(feature = "internals"))]
mod process;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod process;
mod render;
mod reply;
mod report;
mod run;
#[cfg(not(feature = "internals"))]
mod runtime;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod runtime;
mod session;
mod settings;
mod watch;

pub use changes::{Change, Changes, FileChange, FileFate};
pub use diagnostic::{Code, Diagnostic, Level, Origin};
pub use display::MessageDisplay;
pub use engine::{Engine, Run};
pub use error::{Error, ErrorKind, Place};
pub use event::Event;
pub use function::FunctionSpec;
pub use goal::{Goal, GoalStatus};
pub use host::{CannedReplies, Host, Request, RequestKind};
pub use manage::{Registered, WantedGrant};
pub use options::{LlmOptions, Options, PluginSource, SettingsContent, SettingsSource};
pub use outcome::{Decision, HookReport, Outcome, Status, Stop};
pub use report::{Explanation, Listing};
pub use run::{BackgroundHook, LateResult};
pub use settings::{FrontmatterOwner, FrontmatterScope, FrontmatterSource, Grant, Scope};
pub use watch::{HookNote, Notice};

/// The version of this library, as in its package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The JSON Schema (draft 7) of a dialect's settings, for editors; `None` when there is no such dialect.
#[must_use]
pub fn settings_schema(dialect: &str) -> Option<String> {
    dialect::by_name(dialect).map(settings::schema)
}

/// The names of all dialects.
#[must_use]
pub fn dialect_names() -> Vec<&'static str> {
    dialect::names()
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
