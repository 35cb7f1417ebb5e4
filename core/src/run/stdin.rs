//! What a hook reads on standard input: the event in its dialect's own form.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use super::Surroundings;
use crate::dialect::{Dialect, FieldChanges};
use crate::event::Event;
use crate::json::{compact, dense_parts, quote, write_object};
use crate::process::Payload;

/// From this length on a value of the event is referred to and not copied.
const LARGE: usize = 16 << 10;
/// A text with more than one blank in so many bytes is copied without its blanks, not cut at each.
const LEAST_PIECE: usize = 4 << 10;

/// A field that is added to the event.
enum Added {
    /// Its JSON text.
    Made(String),
    /// It has the value that stands here in the event, under another name.
    Same(Range<usize>),
}

/// The input of a hook of `dialect`. The event's own text is shared, not copied, unless fields have to change.
pub(super) fn payload(
    dialect: &Dialect,
    event: &Event,
    surroundings: &Surroundings,
    transcript: Option<&Path>,
) -> Payload {
    let end = if dialect.stdin.newline { "}\n" } else { "}" };
    object(dialect, event, surroundings, transcript, None, end)
}

/// The same as one line for a worker, with the number of the event.
pub(super) fn line(
    dialect: &Dialect,
    event: &Event,
    surroundings: &Surroundings,
    transcript: Option<&Path>,
    id: u64,
) -> Payload {
    object(dialect, event, surroundings, transcript, Some(id), "}\n")
}

fn object(
    dialect: &Dialect,
    event: &Event,
    surroundings: &Surroundings,
    transcript: Option<&Path>,
    id: Option<u64>,
    end: &str,
) -> Payload {
    let changes = dialect.stdin.adjust.map(|adjust| adjust(event)).unwrap_or_default();
    let mut added = filled_in(dialect, event, surroundings, transcript, &changes);
    added.extend(id.map(|id| ("crosshook", Added::Made(format!("{{\"id\":{id}}}")))));
    let mut payload = Payload::new();
    let mut first = event.fields().iter().next().is_none();
    if changes.iter().any(|(key, _)| event.fields().has(key)) {
        let mut whole = rewritten(event, &changes);
        whole.pop();
        first = whole == "{";
        payload.push_owned(whole);
    } else {
        let end = event.json().trim_end().len().saturating_sub(1);
        push_part(&mut payload, event, 0..end);
    }
    let mut text = String::new();
    for (key, value) in added {
        if !std::mem::take(&mut first) {
            text.push(',');
        }
        text.push_str(&quote(key));
        text.push(':');
        match value {
            Added::Made(raw) => text.push_str(&raw),
            Added::Same(range) if range.len() < LARGE => {
                text.push_str(&compact(event.json().get(range).unwrap_or_default()));
            }
            Added::Same(range) => {
                payload.push_owned(std::mem::take(&mut text));
                push_part(&mut payload, event, range);
            }
        }
    }
    text.push_str(end);
    payload.push_owned(text);
    payload
}

/// Appends a part of the event, without blanks between its tokens.
fn push_part(payload: &mut Payload, event: &Event, range: Range<usize>) {
    if event.fields().is_dense() {
        return payload.push_text(event.text().clone(), range);
    }
    let text = event.json().get(range.clone()).unwrap_or_default();
    let most = text.len() / LEAST_PIECE;
    let parts: Vec<Range<usize>> = dense_parts(text).take(most.saturating_add(1)).collect();
    if parts.len() > most {
        return payload.push_owned(compact(text).into_owned());
    }
    for part in parts {
        let place = range.start.saturating_add(part.start)..range.start.saturating_add(part.end);
        payload.push_text(event.text().clone(), place);
    }
}

/// Fields that the engine knows and the host left out.
fn filled_in(
    dialect: &Dialect,
    event: &Event,
    surroundings: &Surroundings,
    transcript: Option<&Path>,
    changes: &FieldChanges,
) -> Vec<(&'static str, Added)> {
    let fields = event.fields();
    let mut added: Vec<(&'static str, Added)> = Vec::new();
    if !fields.has("hook_event_name") {
        added.push(("hook_event_name", Added::Made(quote(event.name()))));
    }
    if !fields.has("cwd")
        && let Some(cwd) = super::command::event_cwd(event, surroundings)
    {
        added.push(("cwd", Added::Made(quote(&cwd))));
    }
    if let Some(path) = transcript {
        added.push(("transcript_path", Added::Made(quote(&path.to_string_lossy()))));
    }
    if dialect.stdin.timestamp && !fields.has("timestamp") {
        let now = humantime::format_rfc3339_millis(SystemTime::now());
        added.push(("timestamp", Added::Made(quote(&now.to_string()))));
    }
    for (key, raw) in changes {
        if !fields.has(key) && !raw.is_empty() {
            added.push((key, Added::Made(raw.clone())));
        }
    }
    for (own, alias) in dialect.stdin.aliases {
        for (missing, known) in [(own, alias), (alias, own)] {
            if fields.has(missing) || added.iter().any(|(key, _)| key == missing) {
                continue;
            }
            let made = added.iter().find(|(key, _)| key == known).map(|(_, value)| match value {
                Added::Made(raw) => Added::Made(raw.clone()),
                Added::Same(range) => Added::Same(range.clone()),
            });
            if let Some(value) = fields.range(known).map(Added::Same).or(made) {
                added.push((missing, value));
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
    fn a_large_event_is_shared_whatever_blanks_it_has() {
        let large = "x y".repeat(LARGE);
        let blanks = format!(
            "{{\n  \"hook_event_name\": \"PreToolUse\", \"cwd\": \"/\", \"toolName\": \"W\", \"toolInput\": {{ \"a\": \"{large}\" }} }}\n"
        );
        let event = Event::parse(blanks).unwrap();
        let given = payload(by_name("zcode").unwrap(), &event, &Surroundings::for_tests(), None);
        let text = String::from_utf8(given.to_vec()).unwrap();
        let input = format!(r#""toolInput":{{"a":"{large}"}}"#);
        assert!(
            text.starts_with(
                r#"{"hook_event_name":"PreToolUse","cwd":"/","toolName":"W","toolInput":{"a":"x y"#
            ),
            "{text:.99}"
        );
        assert!(text.contains(&input) && text.contains(&input.replace("toolInput", "tool_input")));
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        let own = event.text().as_ptr() as usize;
        let copied: usize = given
            .chunks()
            .filter(|chunk| !(own..own + event.json().len()).contains(&(chunk.as_ptr() as usize)))
            .map(<[u8]>::len)
            .sum();
        assert!(copied < 1000, "{copied} bytes were copied");
        // With blanks everywhere, one copy is cheaper.
        let many = format!(r#"{{"hook_event_name":"Stop","cwd":"/","x":[{}1]}}"#, "1, ".repeat(50_000));
        assert_eq!(stdin("codebuddy", &many), many.replace(' ', ""));
    }

    #[test]
    fn qwen_leaves_out_a_blank_submission() {
        let text =
            stdin("qwen", r#"{"hook_event_name":"UserPromptSubmit","cwd":"/","submitted_prompt":" "}"#);
        assert!(!text.contains("submitted_prompt"), "{text}");
        assert!(text.ends_with('}'));
    }
}
