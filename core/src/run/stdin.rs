//! What a hook reads on standard input: the event in its dialect's own form.

use std::borrow::Cow;
use std::path::Path;
use std::time::SystemTime;

use super::Surroundings;
use crate::dialect::{Dialect, FieldChanges};
use crate::event::Event;
use crate::json::{compact, quote, write_object};
use crate::process::Payload;

/// The input of a hook of `dialect`. The event's own text is shared, not copied, unless fields have to change.
pub(super) fn payload(
    dialect: &Dialect,
    event: &Event,
    surroundings: &Surroundings,
    transcript: Option<&Path>,
) -> Payload {
    let changes = dialect.stdin.adjust.map(|adjust| adjust(event)).unwrap_or_default();
    let added = filled_in(dialect, event, surroundings, transcript, &changes);
    let replaces = changes.iter().any(|(key, _)| event.fields().has(key));
    let mut payload = Payload::new();
    let tail = |first: bool| {
        let mut tail = String::new();
        for (index, (key, raw)) in added.iter().enumerate() {
            if !first || index > 0 {
                tail.push(',');
            }
            tail.push_str(&quote(key));
            tail.push(':');
            tail.push_str(raw);
        }
        tail.push('}');
        if dialect.stdin.newline {
            tail.push('\n');
        }
        tail
    };
    let trimmed_end = event.json().trim_end();
    match compact(event.json()) {
        Cow::Borrowed(text) if !replaces => {
            let end = trimmed_end.len().saturating_sub(1);
            payload.push_text(event.text().clone(), 0..end);
            payload.push_owned(tail(text.len() <= 2));
        }
        text => {
            let mut whole = if replaces { rewritten(event, &changes) } else { text.into_owned() };
            whole.pop();
            let tail = tail(whole == "{");
            whole.push_str(&tail);
            payload.push_owned(whole);
        }
    }
    payload
}

/// Fields that the engine knows and the host left out.
fn filled_in(
    dialect: &Dialect,
    event: &Event,
    surroundings: &Surroundings,
    transcript: Option<&Path>,
    changes: &FieldChanges,
) -> FieldChanges {
    let fields = event.fields();
    let mut added: Vec<(&'static str, String)> = Vec::new();
    if !fields.has("hook_event_name") {
        added.push(("hook_event_name", quote(event.name())));
    }
    if !fields.has("cwd")
        && let Some(cwd) = super::command::event_cwd(event, surroundings)
    {
        added.push(("cwd", quote(&cwd)));
    }
    if let Some(path) = transcript {
        added.push(("transcript_path", quote(&path.to_string_lossy())));
    }
    if dialect.stdin.timestamp && !fields.has("timestamp") {
        let now = humantime::format_rfc3339_millis(SystemTime::now());
        added.push(("timestamp", quote(&now.to_string())));
    }
    for (key, raw) in changes {
        if !fields.has(key) && !raw.is_empty() {
            added.push((key, raw.clone()));
        }
    }
    for (own, alias) in dialect.stdin.aliases {
        for (missing, known) in [(own, alias), (alias, own)] {
            if fields.has(missing) || added.iter().any(|(key, _)| key == missing) {
                continue;
            }
            let filled = added.iter().find(|(key, _)| key == known).map(|(_, raw)| raw.as_str());
            if let Some(raw) = fields.get(known).or(filled).map(|raw| compact(raw).into_owned()) {
                added.push((missing, raw));
            }
        }
    }
    added
}

/// The event's object with some values changed; an empty text removes the key.
fn rewritten(event: &Event, changes: &[(&'static str, String)]) -> String {
    let changed =
        |key: &str| changes.iter().find(|(changed, _)| *changed == key).map(|(_, raw)| raw.as_str());
    let entries: Vec<(&str, Cow<'_, str>)> = event
        .fields()
        .iter()
        .map(|(key, raw)| (key, changed(key).map_or_else(|| compact(raw), Cow::Borrowed)))
        .filter(|(_, raw)| !raw.is_empty())
        .collect();
    write_object(entries.iter().map(|(key, raw)| (*key, raw.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;
    use serde_json::Value;

    fn stdin(dialect: &str, event: &str) -> String {
        let event = Event::parse(event).unwrap();
        let payload = payload(by_name(dialect).unwrap(), &event, &Surroundings::for_tests(), None);
        String::from_utf8(payload.to_vec()).unwrap()
    }

    #[test]
    fn codebuddy_gets_the_event_as_it_came_and_compact() {
        let text = stdin("codebuddy", "{ \"hook_event_name\": \"Stop\",\n \"cwd\": \"/a b\" } ");
        assert_eq!(text, r#"{"hook_event_name":"Stop","cwd":"/a b"}"#);
        let text = stdin("codebuddy", r#"{"hookEventName":"Stop","cwd":"/"}"#);
        assert_eq!(text, r#"{"hookEventName":"Stop","cwd":"/","hook_event_name":"Stop"}"#);
    }

    #[test]
    fn zcode_gets_one_line_with_both_names_of_every_field() {
        let text =
            stdin("zcode", r#"{"hook_event_name":"PreToolUse","cwd":"/","toolName":"W","tool_use_id":"t"}"#);
        assert!(text.ends_with("}\n"));
        let value: Value = serde_json::from_str(&text).unwrap();
        for (key, wanted) in [
            ("hookEventName", "PreToolUse"),
            ("tool_name", "W"),
            ("toolName", "W"),
            ("toolCallId", "t"),
            ("tool_use_id", "t"),
        ] {
            assert_eq!(value[key], wanted, "{key}");
        }
        assert!(value["timestamp"].as_str().unwrap().ends_with('Z'));
        assert!(value.get("sessionId").is_none(), "what nobody knows stays out");
    }

    #[test]
    fn zcode_errors_have_both_forms() {
        let text = stdin(
            "zcode",
            r#"{"hook_event_name":"PostToolUseFailure","cwd":"/","error":{"message":"m","type":"t"}}"#,
        );
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["error"], "m");
        assert_eq!(value["error_details"]["type"], "t");
    }

    #[test]
    fn qwen_leaves_out_a_blank_submission() {
        let text =
            stdin("qwen", r#"{"hook_event_name":"UserPromptSubmit","cwd":"/","submitted_prompt":" "}"#);
        assert!(!text.contains("submitted_prompt"), "{text}");
        assert!(text.ends_with('}'));
    }
}
