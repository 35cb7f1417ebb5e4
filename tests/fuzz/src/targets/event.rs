//! Event JSON. The first byte is the dialect, the rest the event.

use std::cell::RefCell;
use std::collections::HashMap;

use crosshook::{Engine, ErrorKind, Explanation};
use serde_json::{Value, json};

use super::{choose_dialect, contract, engine, event_map, exited, group};

/// The largest event whose stamp in a hook's input is compared; larger ones only cost time.
const COMPARED: usize = 65_536;

/// Promises: an event is refused with a reason by all calls or by none; explain and dispatch name the same hooks; a hook
/// reads the fields that the host sent, as one JSON object; and silent hooks decide nothing.
pub fn run(mut bytes: &[u8]) {
    let Some(dialect) = choose_dialect(&mut bytes) else { return };
    let engine = shared(dialect);
    let read = RefCell::new(Vec::new());
    let silent = |command: &crosshook::process::Command| {
        read.borrow_mut().push(command.stdin.to_vec());
        exited(0, b"", b"")
    };
    let dispatched = crosshook::testing::dispatch(&engine, bytes, silent);
    match (dispatched, engine.explain(bytes)) {
        (Ok(outcome), Ok(explained)) => {
            let facts = crosshook::testing::events(dialect);
            let known = facts.iter().find(|event| event.name == outcome.event);
            contract::outcome(&outcome, known.map(|event| event.permission));
            assert_eq!(outcome.decision, crosshook::Decision::None, "{}", outcome.to_json());
            let runs = explained.iter().filter(|one| one.runs).map(|one: &Explanation| &one.id);
            assert!(
                runs.eq(outcome.hooks.iter().map(|hook| &hook.id)),
                "{explained:?}: {}",
                outcome.to_json()
            );
            assert_eq!(explained.len(), engine.list().len());
            contract::list(&engine.explain_json(bytes).expect("as before"), explained.len());
            named(bytes, &outcome.event);
            read.borrow().iter().for_each(|stdin| same_fields(bytes, stdin));
        }
        (Err(one), Err(other)) => {
            assert_eq!((one.kind(), one.message()), (ErrorKind::InvalidEvent, other.message()));
            assert!(!one.message().is_empty());
            let sound = serde_json::from_slice::<Value>(bytes);
            let named = sound
                .is_ok_and(|event| event["hook_event_name"].as_str().is_some_and(|name| !name.is_empty()));
            assert!(!named, "a sound event was refused: {one}");
        }
        (dispatched, explained) => panic!("dispatch says {dispatched:?}, explain {explained:?}"),
    }
    // The calls that hosts make; nothing runs, because no process can be started.
    match engine.dispatch_blocking(bytes) {
        Ok(outcome) => contract::outcome(&outcome, None),
        Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidEvent, "{error}"),
    }
}

/// Engines with hooks for every event: for all, for some and for no name.
fn shared(dialect: &'static str) -> Engine {
    thread_local! {
        static ENGINES: RefCell<HashMap<&'static str, Engine>> = RefCell::default();
    }
    let make = || {
        let mut settings = json!({});
        let map = event_map(&mut settings, dialect);
        for event in crosshook::testing::events(dialect) {
            let matchers =
                [None, Some("Bash|Write"), Some("^mcp__.*"), Some("(a+)+\\1$"), Some("[^\\x00-\\uffff]")];
            let commands = matchers.iter().enumerate();
            map[event.name] =
                commands.map(|(index, matcher)| group(*matcher, &format!("hook-{index}"))).collect();
        }
        engine(dialect, &settings.to_string()).expect("sound settings")
    };
    crosshook::testing::no_processes();
    ENGINES.with_borrow_mut(|engines| engines.entry(dialect).or_insert_with(make).clone())
}

/// The name in the outcome is the one that another parser finds.
fn named(event: &[u8], name: &str) {
    if let Ok(value) = serde_json::from_slice::<Value>(event) {
        let sent = value.get("hook_event_name").or_else(|| value.get("hookEventName"));
        assert_eq!(sent.and_then(Value::as_str), Some(name));
    }
}

/// Fields that no dialect rewrites reach the hook as they were sent.
fn same_fields(event: &[u8], stdin: &[u8]) {
    if event.len() > COMPARED {
        return;
    }
    let Ok(sent) = serde_json::from_slice::<Value>(event) else { return };
    let got: Value = serde_json::from_slice(stdin).expect("a hook reads one JSON object");
    for field in
        ["tool_name", "tool_input", "tool_response", "session_id", "prompt", "cwd", "hook_event_name", "x"]
    {
        if let Some(value) = sent.get(field) {
            assert_eq!(got.get(field), Some(value), "`{field}` in {}", String::from_utf8_lossy(stdin));
        }
    }
}
