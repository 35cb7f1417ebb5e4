//! Recordings. The first bytes are the dialect, the event, the end of the first hook, the fail mode and where the recorded
//! line is damaged; then, cut at 0x1E: what stands in its place there, and the standard output of up to three hooks.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use crosshook::process::Command;
use crosshook::testing::EventFacts;
use crosshook::{Engine, ErrorKind, RecordOptions};
use serde_json::{Value, json};

use super::{choose, choose_dialect, contract, exited, options, parts, sample_event, settings_with};

/// Promises: a recorded dispatch is decided again as it was, by its own hooks and by the engine's; a damaged line is
/// refused with a reason, or decided.
pub fn run(mut bytes: &[u8]) {
    let Some(dialect) = choose_dialect(&mut bytes) else { return };
    let events = crosshook::testing::events(dialect);
    let Some(event) = choose(&mut bytes, &events) else { return };
    let Some(code) = choose(&mut bytes, &[0, 2, 1, 0, 2, 3]) else { return };
    let Some(closed) = choose(&mut bytes, &[false, true]) else { return };
    let [place, length, rest @ ..] = bytes else { return };
    let all: Vec<&[u8]> = parts(rest).collect();
    let (damage, outputs) = all.split_first().expect("even nothing has one part");
    let (engine, file) = shared(dialect, event, *closed);
    let line = recorded(&engine, &file, event, *code, outputs);
    same(&line, crosshook::replay(&line));
    same(&line, engine.replay(&line));
    let damaged = damaged(line.as_bytes(), *place, *length, damage);
    bounded(crosshook::replay(&damaged));
    bounded(engine.replay(&damaged));
}

/// The line that a dispatch leaves in the recording.
fn recorded(engine: &Engine, file: &PathBuf, event: &EventFacts, code: i32, outputs: &[&[u8]]) -> String {
    let run = |command: &Command| {
        let line = command.args.last().map(|line| line.to_string_lossy().into_owned()).unwrap_or_default();
        let index: usize = line.rsplit_once('-').and_then(|(_, index)| index.parse().ok()).unwrap_or(0);
        let stdout = outputs.get(index).copied().unwrap_or_default();
        if index == 0 { exited(code, stdout, b"why") } else { exited(0, stdout, b"") }
    };
    let event = sample_event(event.name).to_string();
    let outcome = crosshook::testing::dispatch(engine, event, run).expect("a sound event");
    let text = std::fs::read_to_string(file).expect("the dispatch was recorded");
    std::fs::remove_file(file).expect("it can be removed");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1, "one line for one dispatch: {text}");
    assert!(text.ends_with('\n'), "{text}");
    let line: Value = serde_json::from_str(lines[0]).expect("a recorded line is JSON");
    assert_eq!(line["outcome"]["decision"], json!(outcome.decision), "{text}");
    text
}

fn same(line: &str, replay: Result<crosshook::Replay, crosshook::Error>) {
    let replay = replay.expect("what was recorded can be decided again");
    assert!(replay.same && replay.differences.is_empty(), "{line}{:?}", replay.differences);
    contract::outcome(&replay.outcome, None);
}

fn damaged(line: &[u8], place: u8, length: u8, damage: &[u8]) -> Vec<u8> {
    let at = line.len() * usize::from(place) / 256;
    let until = (at + usize::from(length)).min(line.len());
    [&line[..at], damage, &line[until..]].concat()
}

fn bounded(replay: Result<crosshook::Replay, crosshook::Error>) {
    match replay {
        Ok(replay) => {
            serde_json::from_str::<Value>(&replay.to_json()).expect("a replay is JSON");
            assert_eq!(replay.same, replay.differences.is_empty());
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidEvent, "{error}");
            assert!(!error.message().is_empty());
        }
    }
}

/// An engine with three hooks for the event, and the file that it records in.
fn shared(dialect: &'static str, event: &EventFacts, closed: bool) -> (Engine, PathBuf) {
    type Known = HashMap<(&'static str, &'static str, bool), (Engine, PathBuf)>;
    thread_local! {
        static ENGINES: RefCell<Known> = RefCell::default();
    }
    let make = || {
        let name = format!("crosshook-fuzz-{}-{dialect}-{}-{closed}.jsonl", std::process::id(), event.name);
        let file = std::env::temp_dir().join(name);
        let hooks: Vec<Value> =
            (0..3).map(|index| json!({"type": "command", "command": format!("hook-{index}")})).collect();
        let settings = settings_with(dialect, event.name, &json!([{"hooks": hooks}]));
        let mut options = options(dialect).settings_text(None, settings);
        options.fail_closed = closed;
        options.record = Some(RecordOptions::new(&file));
        (Engine::new(options).expect("sound settings"), file)
    };
    ENGINES
        .with_borrow_mut(|engines| engines.entry((dialect, event.name, closed)).or_insert_with(make).clone())
}
