//! Hooks that do harm, on purpose or not, each run through the engine: what the event comes to, and what is left.
//!
//! Everything runs in all six dialects and in both ways to dispatch: on the caller's thread and on the engine's.
//! Most hooks have a quiet neighbour that exits with 2: whatever a hook does, it must not undo a deny beside it.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod ending;
mod files;
mod output;

#[path = "../support/mod.rs"]
mod support;

use crosshook::{Code, Decision, Engine, HookReport, Options, Outcome, Status};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};

const DIALECTS: [&str; 6] = ["codebuddy", "zcode", "qwen", "claude", "codex", "gemini"];

/// The neighbour.
const OBJECTS: &str = "echo objects >&2; exit 2";

fn command(line: impl Into<String>) -> Value {
    json!({"type": "command", "command": line.into()})
}

/// A command with a time limit in seconds.
fn limited(line: impl Into<String>, seconds: f64) -> Value {
    json!({"type": "command", "command": line.into(), "timeout": seconds})
}

/// The same hook, with fail mode `closed`.
fn closed(mut hook: Value) -> Value {
    hook["failMode"] = json!("closed");
    hook
}

/// What the dialect calls the event before a tool.
fn before_tool(dialect: &str) -> &'static str {
    if dialect == "gemini" { "BeforeTool" } else { "PreToolUse" }
}

fn settings(dialect: &str, hooks: &[Value]) -> Value {
    let mut hooks = hooks.to_vec();
    for timeout in hooks.iter_mut().filter_map(|hook| hook.get_mut("timeout")) {
        let seconds = timeout.as_f64().unwrap();
        match dialect {
            // It counts milliseconds.
            "gemini" => *timeout = json!(seconds * 1000.0),
            // Whole seconds only.
            "codex" => *timeout = json!(seconds.ceil() as u64),
            _ => {}
        }
    }
    let groups = json!({before_tool(dialect): [{"hooks": hooks}]});
    if dialect == "zcode" {
        json!({"hooks": {"enabled": true, "events": groups}})
    } else {
        json!({"hooks": groups})
    }
}

fn engine(dialect: &str, hooks: &[Value]) -> Engine {
    Engine::new(Options::new(dialect).settings_text(None, settings(dialect, hooks).to_string())).unwrap()
}

fn event_in(dialect: &str, cwd: &str) -> Value {
    json!({"hook_event_name": before_tool(dialect), "session_id": "s", "cwd": cwd, "tool_name": "Bash",
        "tool_input": {"command": "ls"}})
}

/// The outcomes of both ways to dispatch.
fn both(engine: &Engine, event: &Value) -> [Outcome; 2] {
    [
        engine.dispatch_blocking(event.to_string()).unwrap(),
        support::block_on(engine.dispatch(event.to_string())).unwrap(),
    ]
}

/// Checks the only hook, in every dialect and in both ways.
fn every(hook: &Value, check: impl Fn(&str, &Outcome, &HookReport)) {
    every_but("", hook, check);
}

/// The same, without a dialect of which something else holds.
fn every_but(other: &str, hook: &Value, check: impl Fn(&str, &Outcome, &HookReport)) {
    for dialect in DIALECTS.into_iter().filter(|dialect| *dialect != other) {
        for outcome in both(&engine(dialect, std::slice::from_ref(hook)), &event_in(dialect, "/")) {
            assert_eq!(outcome.hooks.len(), 1, "{dialect}: {}", outcome.to_json());
            check(dialect, &outcome, &outcome.hooks[0]);
        }
    }
}

/// The hook denies, with a reason that holds `reason`.
fn denies(hook: &Value, reason: &str) {
    denies_but("", hook, reason);
}

/// The hook exits with 2 and without a word: it denies, but for Codex it has failed (zcode-codex-gemini.md 2.7).
fn denies_in_silence(hook: &Value) {
    denies_but("codex", hook, "");
    every(hook, |dialect, outcome, report| {
        if dialect == "codex" {
            assert_eq!((outcome.decision, report.status), (Decision::None, Status::Error), "{hook}");
        }
    });
}

fn denies_but(other: &str, hook: &Value, reason: &str) {
    every_but(other, hook, |dialect, outcome, report| {
        assert_eq!((outcome.decision, report.status), (Decision::Deny, Status::Blocked), "{dialect} {hook}");
        let given = outcome.reason.as_deref().unwrap();
        let start: String = given.chars().take(200).collect();
        assert!(given.contains(reason), "{dialect} {hook}: {} bytes: {start:?}", given.len());
    });
}

/// The hook fails: alone it decides nothing and is named, with fail mode `closed` it denies, and a neighbour's deny
/// counts all the same, before it and behind it.
fn fails(hook: &Value, status: Status, code: Code) {
    fails_but("", hook, status, code);
}

/// The shell fails and says why: for Gemini CLI, words beside an exit code above 2 deny (zcode-codex-gemini.md 3.6).
fn fails_with_words(hook: &Value) {
    fails_but("gemini", hook, Status::Error, Code::HookFailed);
    every(hook, |dialect, outcome, report| {
        if dialect == "gemini" && report.exit_code != Some(1) {
            assert_eq!((outcome.decision, report.status), (Decision::Deny, Status::Blocked), "{hook}");
        }
    });
}

fn fails_but(other: &str, hook: &Value, status: Status, code: Code) {
    every_but(other, hook, |dialect, outcome, report| {
        assert_eq!((outcome.decision, report.status), (Decision::None, status), "{dialect} {hook}");
        let codes: Vec<Code> = outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert!(codes.contains(&code), "{dialect} {hook}: {codes:?}");
        assert!(report.error.is_some(), "{dialect} {hook}");
    });
    every_but(other, &closed(hook.clone()), |dialect, outcome, report| {
        assert_eq!((outcome.decision, report.status), (Decision::Deny, status), "{dialect} {hook}");
    });
    for dialect in DIALECTS.into_iter().filter(|dialect| *dialect != other) {
        for hooks in [[hook.clone(), command(OBJECTS)], [command(OBJECTS), hook.clone()]] {
            for outcome in both(&engine(dialect, &hooks), &event_in(dialect, "/")) {
                let reason = outcome.reason.as_deref();
                assert_eq!((outcome.decision, reason), (Decision::Deny, Some("objects")), "{dialect} {hook}");
            }
        }
    }
}

/// A sleep time that no other process uses: it marks the processes of one hook.
fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("2000.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes whose command line holds the marker.
fn marked(marker: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.windows(marker.len()).any(|part| part == marker.as_bytes())
    })
    .collect()
}

/// Waits until nothing of the hook is left.
fn is_gone(marker: &str) {
    support::wait_until(|| marked(marker).is_empty());
}

fn kill(marker: &str) {
    use rustix::process::{Pid, Signal, kill_process};
    for id in marked(marker) {
        let _ = kill_process(Pid::from_raw(id).unwrap(), Signal::KILL);
    }
}
