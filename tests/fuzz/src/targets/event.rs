//! Event JSON. The first byte is the dialect, the rest the event.

use std::cell::RefCell;
use std::collections::HashMap;

use crosshook::{Engine, ErrorKind, Explanation, SettingsContent, SettingsSource};
use serde_json::{Value, json};

use super::{choose_dialect, contract, event_map, exited, group, options};

/// The largest event that is compared with a hook's input; larger ones only cost time.
const COMPARED: usize = 65_536;

/// Promises: an event is refused with a reason by all calls or by none; explain and dispatch name the same hooks; a hook
/// reads one JSON object, with the fields that the host sent when it is of the host's dialect; and silent hooks decide nothing.
pub fn run(mut bytes: &[u8]) {
    let Some(dialect) = choose_dialect(&mut bytes) else { return };
    let engine = shared(dialect);
    let read = RefCell::new(Vec::new());
    let silent = |command: &crosshook::process::Command| {
        let foreign = command.args.last().is_some_and(|line| line.to_string_lossy().contains(FOREIGN));
        read.borrow_mut().push((foreign, command.stdin.to_vec()));
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
            // What that parser cannot read, and JavaScript can, it cannot judge: lone surrogates, deep nesting.
            if let Ok(sent) = serde_json::from_slice::<Value>(bytes) {
                for (foreign, stdin) in read.borrow().iter() {
                    let told: Value = serde_json::from_slice(stdin).expect("a hook reads one JSON object");
                    assert!(told.is_object());
                    if !foreign && bytes.len() <= COMPARED {
                        same_fields(&sent, &told);
                    }
                }
            }
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

/// What stands in the commands of hooks that are not of the host's dialect.
const FOREIGN: &str = "foreign";

/// Engines with hooks for every event: for all, for some and for no name; and one of every other dialect for each of its
/// events.
fn shared(dialect: &'static str) -> Engine {
    thread_local! {
        static ENGINES: RefCell<HashMap<&'static str, Engine>> = RefCell::default();
    }
    let make = || {
        let own = |event: &str| {
            let matchers =
                [None, Some("Bash|Write"), Some("^mcp__.*"), Some("(a+)+\\1$"), Some("[^\\x00-\\uffff]")];
            let commands = matchers.iter().enumerate();
            commands.map(|(index, matcher)| group(*matcher, &format!("hook-{index} {event}"))).collect()
        };
        let mut options = options(dialect).settings_text(None, for_every_event(dialect, own));
        for other in crosshook::dialect_names().into_iter().filter(|other| *other != dialect) {
            let text =
                for_every_event(other, |event| json!([group(None, &format!("{FOREIGN}-{other} {event}"))]));
            let content = SettingsContent::Text(text);
            options.settings.push(SettingsSource { scope: None, dialect: Some(other.to_owned()), content });
        }
        Engine::new(options).expect("sound settings")
    };
    crosshook::testing::no_processes();
    ENGINES.with_borrow_mut(|engines| engines.entry(dialect).or_insert_with(make).clone())
}

/// Settings of a dialect with these groups of hooks for each of its events.
fn for_every_event(dialect: &str, groups: impl Fn(&str) -> Value) -> String {
    let mut settings = json!({});
    let map = event_map(&mut settings, dialect);
    for event in crosshook::testing::events(dialect) {
        map[event.name] = groups(event.name);
    }
    settings.to_string()
}

/// The name in the outcome is the one that another parser finds.
fn named(event: &[u8], name: &str) {
    if let Ok(value) = serde_json::from_slice::<Value>(event) {
        let sent = value.get("hook_event_name").or_else(|| value.get("hookEventName"));
        assert_eq!(sent.and_then(Value::as_str), Some(name));
    }
}

/// Fields that no dialect rewrites reach the hook as they were sent.
fn same_fields(sent: &Value, told: &Value) {
    for field in
        ["tool_name", "tool_input", "tool_response", "session_id", "prompt", "cwd", "hook_event_name", "x"]
    {
        if let Some(value) = sent.get(field) {
            assert_eq!(told.get(field), Some(value), "`{field}` in {told}");
        }
    }
}
