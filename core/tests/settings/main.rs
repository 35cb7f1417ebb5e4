//! Settings as the agents keep them: files, plugins, frontmatter, trust, drift.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod command_line;
mod frontmatter;
mod hostile;
mod places;
mod plugins;
mod reload;
mod schemas;
#[path = "../support/mod.rs"]
mod support;
mod switches;
mod trust;

use std::path::Path;

use crosshook::{Code, Diagnostic, Engine, Options};
use serde_json::{Value, json};
use support::TempDir;

/// A command hook.
fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

/// Settings with one command on one event, in the form of the dialect.
fn settings(dialect: &str, event: &str, line: &str) -> String {
    let events = json!({event: [{"hooks": [command(line)]}]});
    match dialect {
        "zcode" => json!({"hooks": {"enabled": true, "events": events}}),
        _ => json!({"hooks": events}),
    }
    .to_string()
}

/// Options of an agent that looks in `home` and `project` below a directory, and nowhere else on this machine.
fn options(dialect: &str, dir: &TempDir) -> Options {
    let mut options = Options::new(dialect);
    options.home = Some(dir.path().join("home"));
    options.project_dir = Some(dir.path().join("project"));
    std::fs::create_dir_all(dir.path().join("project")).unwrap();
    let nowhere = dir.path().join("system").display().to_string();
    let mut env: std::collections::BTreeMap<String, String> =
        std::env::vars().filter(|(name, _)| name == "PATH").collect();
    env.insert("GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), format!("{nowhere}/settings.json"));
    env.insert("QWEN_CODE_SYSTEM_SETTINGS_PATH".into(), format!("{nowhere}/settings.json"));
    options.env = Some(env);
    options
}

fn labels(engine: &Engine) -> Vec<String> {
    engine.list().into_iter().map(|hook| hook.label).collect()
}

/// What would run, by label.
fn running(engine: &Engine) -> Vec<String> {
    engine.list().into_iter().filter(|hook| hook.enabled).map(|hook| hook.label).collect()
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<Code> {
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn shown(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

fn event(name: &str, cwd: &Path) -> String {
    json!({"hook_event_name": name, "session_id": "s", "cwd": cwd, "prompt": "p", "tool_name": "Bash",
        "tool_input": {}})
    .to_string()
}
