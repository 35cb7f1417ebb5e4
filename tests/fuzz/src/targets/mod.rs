//! One function a target: any bytes in, a panic when a promise is broken. Nothing here starts a process, whatever the
//! bytes say. Every dialect that the crate has is covered.

pub mod capi;
pub mod contract;
pub mod event;
pub mod frontmatter;
pub mod matcher;
pub mod recording;
pub mod settings;
pub mod stdout;

use std::collections::BTreeMap;
use std::time::Duration;

use crosshook::process::{Captured, End, Finished};
use crosshook::{Engine, Error, Options};
use serde_json::{Value, json};

/// What a target is.
pub type Target = fn(&[u8]);

/// Every target with its name, in the order in which they are run.
pub const TARGETS: [(&str, Target); 7] = [
    ("settings", settings::run),
    ("stdout", stdout::run),
    ("matcher", matcher::run),
    ("frontmatter", frontmatter::run),
    ("event", event::run),
    ("recording", recording::run),
    ("capi", capi::run),
];

/// Takes the first byte as a choice among `options`.
fn choose<'a, T>(bytes: &mut &[u8], options: &'a [T]) -> Option<&'a T> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    options.get(usize::from(*first) % options.len())
}

/// Takes the first byte as a choice of a dialect.
fn choose_dialect(bytes: &mut &[u8]) -> Option<&'static str> {
    choose(bytes, &crosshook::dialect_names()).copied()
}

/// Options that look at nothing of this machine.
fn options(dialect: &str) -> Options {
    let mut options = Options::new(dialect);
    options.discover = Some(false);
    options.env = Some(BTreeMap::new());
    options.project_dir = Some("/".into());
    options.home = Some("/nowhere".into());
    options
}

/// An engine with one text as its only settings.
fn engine(dialect: &str, settings: &str) -> Result<Engine, Error> {
    Engine::new(options(dialect).settings_text(None, settings))
}

/// Settings in the form of a dialect with these groups of hooks for an event.
fn settings_with(dialect: &str, event: &str, groups: &Value) -> String {
    let mut settings = json!({});
    event_map(&mut settings, dialect)[event] = groups.clone();
    settings.to_string()
}

/// The event map of `settings`, made where it is missing; what switches hooks on is on.
fn event_map<'a>(settings: &'a mut Value, dialect: &str) -> &'a mut Value {
    let mut map = settings;
    for key in crosshook::testing::events_path(dialect) {
        if !map.is_object() {
            *map = json!({});
        }
        if *key == "events" {
            map["enabled"] = json!(true);
        }
        map = &mut map[*key];
    }
    if !map.is_object() {
        *map = json!({});
    }
    map
}

/// A group of hooks in the way of every dialect: one command.
fn group(matcher: Option<&str>, command: &str) -> Value {
    let mut group = json!({"hooks": [{"type": "command", "command": command}]});
    if let Some(matcher) = matcher {
        group["matcher"] = json!(matcher);
    }
    group
}

/// An event with a value in every field that a table looks at.
fn sample_event(name: &str) -> Value {
    json!({
        "hook_event_name": name, "session_id": "s", "cwd": "/", "transcript_path": "/t", "tool_name": "T",
        "tool_input": {"a": 1}, "tool_response": {"a": 1}, "prompt": "p", "stop_hook_active": false,
        "phase": "validation", "source": "startup", "reason": "r", "trigger": "manual", "error": "e",
        "agent_type": "a", "notification_type": "n", "load_reason": "l", "file_path": "/f", "command_name": "c",
        "mcp_server_name": "m",
    })
}

/// A process that exited.
fn exited(code: i32, stdout: &[u8], stderr: &[u8]) -> Finished {
    ended(End::Exited(code), stdout, stderr)
}

fn ended(end: End, stdout: &[u8], stderr: &[u8]) -> Finished {
    let captured = |bytes: &[u8]| Captured { bytes: bytes.to_vec(), total: bytes.len() as u64 };
    Finished { end, stdout: captured(stdout), stderr: captured(stderr), duration: Duration::from_millis(1) }
}

/// `text` cut at each byte 0x1E, which no JSON holds outside of an error.
fn parts(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0x1e)
}
