//! What single dialects do that no vector and no table says.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod claude;
mod codex;
mod elsewhere;
mod gemini;
mod several;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use crosshook::{Code, Engine, Options, Outcome};
use serde_json::{Value, json};

/// An engine with these settings and nothing else.
fn engine(dialect: &str, settings: &Value) -> Engine {
    Engine::new(options(dialect, settings)).unwrap()
}

fn options(dialect: &str, settings: &Value) -> Options {
    let mut options = Options::new(dialect).settings_text(None, settings.to_string());
    options.env = Some(std::env::vars().filter(|(name, _)| name == "PATH").collect::<BTreeMap<_, _>>());
    options
}

/// What comes of command hooks with these lines.
fn run(dialect: &str, event: &Value, lines: &[&str]) -> Outcome {
    let hooks: Vec<Value> = lines.iter().map(|line| json!({"type": "command", "command": line})).collect();
    let settings = json!({"hooks": {event["hook_event_name"].as_str().unwrap(): [{"hooks": hooks}]}});
    engine(dialect, &settings).dispatch_blocking(event.to_string()).unwrap()
}

/// A line that prints an answer.
fn printing(answer: &Value) -> String {
    format!("cat >/dev/null; cat <<'END'\n{answer}\nEND")
}

fn codes(outcome: &Outcome) -> Vec<Code> {
    outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn extra(outcome: &Outcome, key: &str) -> Value {
    outcome.extra.get(key).map_or(Value::Null, |raw| serde_json::from_str(raw.get()).unwrap())
}
