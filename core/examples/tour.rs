//! A tour of what lives longer than a simple event, one function each: every kind of hook, background hooks, sessions and
//! goals, streamed messages, contexts, cancellation, listeners. The same tour stands in Python, Node and C, and all four
//! print the same lines. Copy from it.
//!
//! `cargo run --release --example tour`

#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "it prints, and looks into values of its own making"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use crosshook::{CannedReplies, Decision, Engine, FunctionSpec, Notice, Options, Outcome, Request, Status};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const BASH: &str =
    r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
const STOP: &str = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
const LONG: Duration = Duration::from_secs(20);

fn main() -> Result<()> {
    let tour = [http, prompt, agent, function, background, once, stop, goal, display, context, cancel, watch];
    tour.iter().try_for_each(|stop| stop())
}

/// Settings with one hook for one event, in the form of the dialect's own file.
fn options(dialect: &str, event: &str, hook: &Value) -> Options {
    let settings = json!({"hooks": {event: [{"hooks": [hook]}]}});
    Options::new(dialect).settings_text(None, settings.to_string())
}

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

/// Ends the tour with an error when a value is not the expected one.
fn expect<T: PartialEq + std::fmt::Debug>(what: &str, wanted: T, got: T) -> Result<()> {
    if wanted == got { Ok(()) } else { Err(format!("{what}: wanted {wanted:?}, got {got:?}").into()) }
}

fn print_decision(name: &str, outcome: &Outcome) {
    println!("{name}: {}, {}", outcome.decision.as_str(), outcome.reason.as_deref().unwrap_or("-"));
}

/// An HTTP hook gets the event as a POST and answers as a command hook would print.
fn http() -> Result<()> {
    let engine = Engine::new(options("qwen", "PreToolUse", &json!({"type": "http", "url": serve()?})))?;
    print_decision("http", &engine.dispatch_blocking(BASH)?);
    Ok(())
}

/// A prompt hook asks a model. The host answers now or later, from any thread; a host may be a closure.
fn prompt() -> Result<()> {
    let hook = json!({"type": "prompt", "prompt": "May it run? $ARGUMENTS"});
    let host = |request: Request| {
        // What to ask: `prompt`, `system`, `model`, `timeout_ms` and the event stand in `request.json()`.
        std::thread::spawn(move || request.reply(r#"{"ok": false, "reason": "too risky"}"#));
    };
    let engine = Engine::with_host(options("codebuddy", "PreToolUse", &hook), Arc::new(host))?;
    print_decision("prompt", &engine.dispatch_blocking(BASH)?);
    Ok(())
}

/// An agent hook is asked in the same way; the host runs the agent and answers with its last words.
fn agent() -> Result<()> {
    let hook = json!({"type": "agent", "prompt": "Review it"});
    let host = CannedReplies::new(vec![r#"{"ok": false, "reason": "not reviewed"}"#.to_owned()]);
    let engine = Engine::with_host(options("codebuddy", "PreToolUse", &hook), Arc::new(host))?;
    print_decision("agent", &engine.dispatch_blocking(BASH)?);
    Ok(())
}

/// A function of the host as a hook: it answers what a command hook would print.
fn function() -> Result<()> {
    let answer = json!({"decision": "deny", "reason": "not on Fridays"}).to_string();
    let host = move |request: Request| request.reply(answer.clone());
    let engine =
        Engine::with_host(Options::new("qwen").settings_text(None, r#"{"hooks":{}}"#), Arc::new(host))?;
    engine.register_function(FunctionSpec::new("PreToolUse"))?;
    print_decision("function", &engine.dispatch_blocking(BASH)?);
    Ok(())
}

/// A background hook decides nothing; what it says comes later, where its dialect delivers that.
fn background() -> Result<()> {
    let says = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "late context from the background"}});
    let hook = json!({"type": "command", "command": format!("sleep 0.3; echo '{says}'"), "async": true});
    let engine = Engine::new(options("codebuddy", "PostToolUse", &hook))?;
    engine.dispatch_blocking(BASH.replace("PreToolUse", "PostToolUse"))?;
    let running = engine.background().len();
    expect("all done", true, engine.wait_background(LONG)?)?;
    let late = engine.take_late_results();
    let context = late.first().and_then(|result| result.additional_context.clone());
    println!("background: {running} running, done, {}", context.unwrap_or_default());
    Ok(())
}

/// A hook that runs `once` a session runs again only after the session has ended.
fn once() -> Result<()> {
    let hook = json!({"type": "http", "url": serve()?, "once": true});
    let engine = Engine::new(options("qwen", "PreToolUse", &hook))?;
    let ran = || -> Result<usize> {
        let outcome = engine.dispatch_blocking(BASH)?;
        Ok(outcome.hooks.iter().filter(|hook| hook.status != Status::Skipped).count())
    };
    println!("once: {}, then {} of 1 hooks ran", ran()?, ran()?);
    engine.end_session("s");
    expect("runs after the end of the session", 1, ran()?)
}

/// Hooks may keep an agent from stopping only so often in a row; the engine counts by session.
fn stop() -> Result<()> {
    let engine = Engine::new(options("qwen", "Stop", &command("echo 'not yet' >&2; exit 2")))?;
    let mut blocks = 0;
    for _ in 0..9 {
        blocks += usize::from(engine.dispatch_blocking(STOP)?.decision == Decision::Block);
    }
    println!("stop: block {blocks} of 9 times");
    Ok(())
}

/// A goal keeps the session going until the model says that it is met. It can be saved and restored.
fn goal() -> Result<()> {
    let engine = |reply: &str| {
        let settings = Options::new("codebuddy").settings_text(None, r#"{"hooks":{}}"#);
        Engine::with_host(settings, Arc::new(CannedReplies::new(vec![reply.to_owned()])))
    };
    let before = engine(r#"{"ok": false, "reason": "tests fail"}"#)?;
    before.set_goal("s", "all tests pass")?;
    expect("not met", Decision::Block, before.dispatch_blocking(STOP)?.decision)?;
    let saved = before.goal_json("s");
    let after = engine(r#"{"ok": true}"#)?;
    after.restore_goal("s", &saved)?;
    expect("met", Decision::None, after.dispatch_blocking(STOP)?.decision)?;
    let status = serde_json::to_value(after.goal("s"))?["status"].clone();
    expect("the goal is over", json!("met"), status)?;
    println!("goal: block until met, restored");
    Ok(())
}

/// Qwen's MessageDisplay: push text as it is shown; hooks get the newest state, and the end for certain.
fn display() -> Result<()> {
    let file = std::env::temp_dir().join(format!("crosshook-tour-{}", std::process::id()));
    let hook = command(&format!("cat >> '{}'; sleep 1", file.display()));
    let engine = Engine::new(options("qwen", "MessageDisplay", &hook))?;
    let message = engine.message_display(r#"{"session_id": "s"}"#)?;
    message.push("Hello");
    let first = values_of(&file, 1)?;
    message.push(", world");
    expect("delivered", true, message.finish(LONG)?)?;
    let all = values_of(&file, 2)?;
    std::fs::remove_file(&file)?;
    expect("the first", json!("Hello"), first[0]["displayed_text"].clone())?;
    expect("the last", json!("Hello, world"), all[all.len() - 1]["displayed_text"].clone())?;
    println!("display: {} deliveries, the last with all of the text", all.len());
    Ok(())
}

/// What hooks add to a prompt, as the dialect hands it to its model.
fn context() -> Result<()> {
    let says = json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "mind the <gap>"}});
    let engine = Engine::new(options("qwen", "UserPromptSubmit", &command(&format!("echo '{says}'"))))?;
    let outcome = engine.dispatch_blocking(r#"{"hook_event_name": "UserPromptSubmit", "prompt": "hi"}"#)?;
    let text = engine.render_context(&outcome).ok_or("no context")?;
    expect("escaped", true, text.contains("mind the &lt;gap&gt;"))?;
    println!("context: the model's text holds the hook's words");
    Ok(())
}

/// Cancelling a dispatch ends its hooks with everything that they have started. (Dropping the future of
/// [`Engine::dispatch`] does the same.)
fn cancel() -> Result<()> {
    let engine = Engine::new(options("qwen", "PreToolUse", &command("sleep 30")))?;
    let (sender, ended) = mpsc::channel();
    let run = engine.start(BASH, move |result| drop(sender.send(result)));
    run.cancel();
    let outcome = ended.recv()??;
    expect("the hook", vec![Status::Cancelled], outcome.hooks.iter().map(|hook| hook.status).collect())?;
    println!("cancel: cancelled");
    Ok(())
}

/// A listener hears of everything while it happens, for progress lines.
fn watch() -> Result<()> {
    let engine = Engine::new(options("qwen", "PreToolUse", &command("exit 0")))?;
    let (sender, notices) = mpsc::channel();
    engine.watch(move |notice| {
        let name = match notice {
            Notice::Started { .. } => "started",
            Notice::Finished { .. } => "finished",
            _ => return,
        };
        let _ = sender.send(name);
    });
    engine.dispatch_blocking(BASH)?;
    let heard: Vec<&str> = notices.try_iter().collect();
    println!("watch: {}", heard.join(", "));
    Ok(())
}

/// A small server that denies everything. Returns its URL.
fn serve() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    std::thread::spawn(move || listener.incoming().flatten().try_for_each(deny));
    Ok(url)
}

fn deny(stream: std::net::TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    reader.by_ref().take(length).read_to_end(&mut Vec::new())?;
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no network today",
    }})
    .to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    write!(reader.get_mut(), "{head}\r\nContent-Length: {}\r\n\r\n{answer}", answer.len())
}

/// The JSON values in a file, once there are so many.
fn values_of(file: &PathBuf, count: usize) -> Result<Vec<Value>> {
    for _ in 0..2_000 {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let values: Vec<Value> = serde_json::Deserializer::from_str(&text).into_iter().flatten().collect();
        if values.len() >= count {
            return Ok(values);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!("{} did not get {count} values", file.display()).into())
}
