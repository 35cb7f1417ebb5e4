//! One hooks engine that every coding agent can share.
//!
//! A host hands over settings and one event as JSON; [`Engine`] picks the hooks that match, runs them, reads their
//! answers as their dialect defines them and returns one [`Outcome`].
//!
//! ```
//! use crosshook::{Decision, Engine, Options};
//!
//! let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
//!     {"type": "command", "command": "echo 'ask me first' >&2; exit 2"}]}]}}"#;
//! let engine = Engine::new(Options::new("codebuddy").settings_text(None, settings))?;
//! let event = r#"{"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
//! let outcome = engine.dispatch_blocking(event)?;
//! assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("ask me first")));
//!
//! // Why would a hook run, or not?
//! let why = engine.explain(r#"{"hook_event_name": "PreToolUse", "tool_name": "Read"}"#)?;
//! assert_eq!((why[0].runs, why[0].why.as_str()), (false, "`Bash` does not match `Read`"));
//! # Ok::<(), crosshook::Error>(())
//! ```
//!
//! # Without blocking
//! [`Engine::dispatch`] is a future for any executor; dropping it ends the hooks, whole process groups. [`Engine::start`]
//! calls back instead.
//!
//! # Models and functions of the host
//! A [`Host`] answers prompt and agent hooks, and calls the functions that were registered with
//! [`Engine::register_function`]. It answers now or later, from any thread; what it does not answer decides nothing.
//!
//! ```
//! use crosshook::{Decision, Engine, FunctionSpec, Options, Request, RequestKind};
//! use std::sync::Arc;
//!
//! let host = |request: Request| match request.kind() {
//!     RequestKind::Prompt => request.reply(r#"{"ok": false, "reason": "the tests are red"}"#),
//!     RequestKind::Function => request.reply(r#"{"systemMessage": "a function was here"}"#),
//!     _ => request.fail("no agents here"),
//! };
//! let settings = r#"{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "Are all tests green? $ARGUMENTS"}]}]}}"#;
//! let engine = Engine::with_host(Options::new("qwen").settings_text(None, settings), Arc::new(host))?;
//! engine.register_function(FunctionSpec::new("Stop"))?;
//! let outcome = engine.dispatch_blocking(r#"{"hook_event_name": "Stop", "session_id": "s", "cwd": "/"}"#)?;
//! assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Block, Some("the tests are red")));
//! assert_eq!(outcome.system_messages, ["a function was here"]);
//! # Ok::<(), crosshook::Error>(())
//! ```
//!
//! # What outlives an event
//! Sessions are kept by the event's `session_id`: how often a stop was prevented, hooks that run once, and goals
//! ([`Engine::set_goal`]); end them with [`Engine::end_session`]. Background hooks can be listed, awaited and ended
//! ([`Engine::background`] and its neighbours). [`Engine::watch`] hears of every start and end.
//!
//! ```
//! use crosshook::{Engine, Options};
//! use std::time::Duration;
//!
//! let settings = r#"{"hooks": {"Stop": [{"hooks": [
//!     {"type": "command", "command": "printf '{\"systemMessage\": \"archived\"}'", "async": true}]}]}}"#;
//! let engine = Engine::new(Options::new("codebuddy").settings_text(None, settings))?;
//! let watching = engine.watch(|notice| println!("{}", notice.to_json()));
//! engine.dispatch_blocking(r#"{"hook_event_name": "Stop", "session_id": "s", "cwd": "/"}"#)?;
//! assert!(engine.wait_background(Duration::from_secs(10))?);
//! assert_eq!(engine.take_late_results()[0].system_message.as_deref(), Some("archived"));
//! engine.unwatch(watching);
//! engine.end_session("s");
//! # Ok::<(), crosshook::Error>(())
//! ```
//!
//! # Settings
//! Without [`Options::settings`] the dialect's own files are looked up below [`Options::home`] and
//! [`Options::project_dir`]. They are a snapshot: [`Engine::changes`] says what has changed since, [`Engine::reload`]
//! takes it over in one step. [`Engine::list`] has all that a panel shows.
//!
//! # Safety of the host
//! The engine installs no signal handler, prints nothing, starts no thread before it needs one and survives a fork. A
//! panic inside it is the error [`ErrorKind::Internal`]; treat that event as denied.
//!
//! # Features
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `http` | yes | HTTP hooks, and the model client of [`Options::llm`]. Without it they are read and listed, and fail when they run |
//! | `cli` | yes | what the program `crosshook` needs; a library does not |
//! | `tracing` | no | a span for each dispatch and each hook, for hosts that use the crate `tracing` |
//! | `capi` | no | the C interface of `include/crosshook.h` |
//! | `internals` | no | for this crate's own tests; no part of the interface |

#![cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "HTTP hooks are read and listed without it, not run")
)]

mod background;
mod budget;
#[cfg(feature = "capi")]
#[allow(unsafe_code)]
pub mod capi;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod condition;
mod diagnostic;
mod dialect;
mod dispatch;
mod engine;
mod error;
mod event;
mod fields;
mod goal;
mod hook;
mod host;
mod json;
mod lint;
mod matcher;
#[cfg(feature = "http")]
mod model;
mod options;
mod outcome;
mod plan;
#[cfg(not(feature = "internals"))]
#[allow(dead_code, unused_imports, reason = "its tests see all of it, through the feature `internals`")]
mod process;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod process;
mod record;
mod render;
mod replay;
mod reply;
mod report;
mod run;
#[cfg(not(feature = "internals"))]
#[allow(dead_code, unused_imports, reason = "its tests see all of it, through the feature `internals`")]
mod runtime;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod runtime;
mod session;
mod settings;
mod snapshot;
mod spill;
mod stepping;
mod terminal;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod testing;
mod trace;
mod translation;
mod watch;
mod wire;

pub use background::{BackgroundHook, LateResult};
pub use diagnostic::{Code, Diagnostic, Level, Origin};
pub use engine::{
    Change, Changes, Engine, FileChange, FileFate, FunctionSpec, MessageDisplay, Registered, Run, Steps,
    WantedGrant, replay,
};
pub use error::{Error, ErrorKind, Place};
pub use event::NAME_KEYS as EVENT_NAME_KEYS;
pub use fields::Field;
pub use goal::{Goal, GoalStatus};
pub use host::{CannedReplies, Host, Request, RequestKind};
pub use options::{LlmOptions, Options, PluginSource, SettingsContent, SettingsSource, ToolName};
pub use outcome::{Decision, HookReport, Outcome, Status, Stop};
pub use record::{RecordOptions, RedactRule};
pub use replay::{Difference, Replay};
pub use report::{Explanation, Listing};
pub use settings::{FrontmatterOwner, FrontmatterScope, FrontmatterSource, Grant, Scope};
pub use watch::{HookNote, Notice};

/// The version of this library, as in its package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The JSON Schema (draft 7) of a dialect's settings, for editors: what breaks it, `check` complains about too.
///
/// # Errors
/// `invalid_options`: there is no such dialect.
pub fn settings_schema(dialect: &str) -> Result<String, Error> {
    settings::known_dialect(dialect).map(settings::schema)
}

/// The names of all dialects, as [`Options::dialect`] takes them.
#[must_use]
pub fn dialect_names() -> Vec<&'static str> {
    dialect::names()
}
