//! Settings of each dialect. The first byte is the dialect, the rest the text of a settings file.

use crosshook::{Engine, ErrorKind, Listing};
use serde_json::Value;

use super::{choose_dialect, contract, engine, event_map, group};

const NEIGHBOUR: &str = "crosshook-neighbour";

/// Promises: a text is read, or refused with a reason; what was read is told in valid JSON, and reads the same twice;
/// what cannot run says why; and a sound hook runs, whatever stands beside it.
pub fn run(mut bytes: &[u8]) {
    let Some(dialect) = choose_dialect(&mut bytes) else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match engine(dialect, text) {
        Ok(read) => {
            told(&read);
            let again = engine(dialect, text).expect("what was read once is read again");
            assert_eq!(read.list(), again.list());
            assert_eq!(read.diagnostics_json(), again.diagnostics_json());
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidSettings, "{error}");
            assert!(!error.message().is_empty());
            let object = serde_json::from_str::<serde_json::Map<String, Value>>(text);
            assert!(object.is_err(), "a JSON object was refused: {error}");
        }
    }
    if let Ok(settings @ Value::Object(_)) = serde_json::from_str(text) {
        keeps_its_neighbour(dialect, settings);
    }
}

fn told(engine: &Engine) {
    let (list, diagnostics) = (engine.list(), engine.diagnostics());
    contract::list(&engine.list_json(), list.len());
    contract::list(&engine.diagnostics_json(), diagnostics.len());
    diagnostics.iter().for_each(contract::diagnostic);
    for hook in &list {
        // A hook that is enabled may lack a host that answers it, which is said too.
        assert!(hook.enabled || hook.why_not.is_some(), "{hook:?}");
        assert!(hook.timeout.is_finite() && (hook.timeout > 0.0 || !hook.enabled), "{hook:?}");
    }
    let mut ids: Vec<&str> = list.iter().map(|hook| hook.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), list.len(), "ids are unique: {list:?}");
}

/// A sound hook of PreToolUse (or of what the dialect has instead) stands or falls with the switches alone.
fn keeps_its_neighbour(dialect: &str, mut settings: Value) {
    let events = crosshook::testing::events(dialect);
    let Some(event) = events.first().map(|event| event.name) else { return };
    let sound = group(None, NEIGHBOUR);
    let mut alone = settings.clone();
    *event_map(&mut alone, dialect) = serde_json::json!({event: [sound.clone()]});
    let groups = &mut event_map(&mut settings, dialect)[event];
    match groups {
        Value::Array(groups) => groups.push(sound),
        groups => *groups = Value::Array(vec![sound]),
    }
    let find = |settings: &Value| -> Option<Listing> {
        let engine = engine(dialect, &settings.to_string()).expect("an object is read");
        told(&engine);
        engine.list().into_iter().rfind(|hook| hook.label == NEIGHBOUR)
    };
    let (alone, beside) = (find(&alone), find(&settings));
    let (Some(alone), Some(beside)) = (alone, beside) else { panic!("the sound hook was lost: {settings}") };
    assert_eq!(alone.enabled, beside.enabled, "{alone:?} and {beside:?} in {settings}");
}
