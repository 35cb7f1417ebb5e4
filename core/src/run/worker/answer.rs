//! A worker's line as what the command would have left behind.
//!
//! The line is what it would have printed. When it is an object, its member `crosshook` says the rest, and is taken out
//! of it: `exit_code`, `stdout` and `stderr` as the command would have had them, and `id`, the number of the event that is
//! answered.

use serde::Deserialize;

use crate::json::{Object, write_object};

const KEY: &str = "crosshook";

/// What a command would have left behind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) code: i32,
    pub(super) stdout: Vec<u8>,
    /// `None`: what it wrote to its standard error.
    pub(super) stderr: Option<Vec<u8>>,
    /// It says which event it answers.
    pub(super) named: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    id: Option<u64>,
    exit_code: Option<u8>,
    stdout: Option<String>,
    stderr: Option<String>,
}

/// Reads a line. `id` is the event's number, `named` whether this worker has named numbers before. The error says what
/// makes the answer unusable.
pub(super) fn read(line: Vec<u8>, id: u64, named: bool) -> Result<Answer, String> {
    let Some((envelope, rest)) = split(&line)? else {
        return unnamed(named, id).map(|()| Answer {
            code: 0,
            stdout: ended(line),
            stderr: None,
            named: false,
        });
    };
    match envelope.id {
        Some(other) if other != id => {
            return Err(format!("its worker answered event {other}, not event {id}"));
        }
        Some(_) => {}
        None => unnamed(named, id)?,
    }
    let stdout = envelope.stdout.map_or_else(|| ended(rest), String::into_bytes);
    Ok(Answer {
        code: envelope.exit_code.unwrap_or_default().into(),
        stdout,
        stderr: envelope.stderr.map(String::into_bytes),
        named: envelope.id.is_some(),
    })
}

/// Whoever has named the events it answers does so always: a line without a number is none of its answers.
fn unnamed(named: bool, id: u64) -> Result<(), String> {
    if named {
        return Err(format!("its worker's line does not name event {id}, as its answers before did"));
    }
    Ok(())
}

/// The member `crosshook` of an object, and the object without it. `None`: there is no such member.
fn split(line: &[u8]) -> Result<Option<(Envelope, Vec<u8>)>, String> {
    let Some(text) = std::str::from_utf8(line).ok().filter(|text| text.contains(KEY)) else {
        return Ok(None);
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    let Some(object) = Object::from_raw(text) else { return Ok(None) };
    let Some(member) = object.get(KEY) else { return Ok(None) };
    let envelope = serde_json::from_str(member)
        .map_err(|error| format!("the member `{KEY}` of its worker's answer is not usable: {error}"))?;
    let rest: Vec<(&str, &str)> = object.iter().filter(|(key, _)| *key != KEY).collect();
    let rest = if rest.is_empty() { String::new() } else { write_object(rest) };
    Ok(Some((envelope, rest.into_bytes())))
}

/// A command ends what it prints with a newline; nothing stays nothing.
fn ended(mut line: Vec<u8>) -> Vec<u8> {
    if !line.is_empty() {
        line.push(b'\n');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &str) -> Result<(i32, String, Option<String>), String> {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        read(line.into(), 7, false).map(|it| (it.code, text(it.stdout), it.stderr.map(text)))
    }

    #[test]
    fn a_line_is_what_the_command_would_have_printed() {
        for line in
            ["remember this", r#"{"decision":"block","reason":"a \"b\""}"#, "[1]", "{broken", "crosshook"]
        {
            assert_eq!(answer(line).unwrap(), (0, format!("{line}\n"), None), "{line}");
        }
        assert_eq!(answer("").unwrap(), (0, String::new(), None));
        // Inside of others it is their text.
        let inner = r#"{"reason":"crosshook","x":{"crosshook":{"exit_code":2}}}"#;
        assert_eq!(answer(inner).unwrap(), (0, format!("{inner}\n"), None));
    }

    #[test]
    fn the_member_crosshook_says_how_the_command_would_have_ended() {
        let line = r#"{"crosshook":{"id":7,"exit_code":2,"stderr":"no\n"}}"#;
        assert_eq!(answer(line).unwrap(), (2, String::new(), Some("no\n".to_owned())));
        let line = r#"{"a": 1, "crosshook": {"id": 7}, "b": [2]}"#;
        assert_eq!(answer(line).unwrap(), (0, "{\"a\":1,\"b\":[2]}\n".to_owned(), None));
        let line = r#"{"crosshook":{"stdout":"two\nlines"}}"#;
        assert_eq!(answer(line).unwrap(), (0, "two\nlines".to_owned(), None));
    }

    #[test]
    fn what_is_not_understood_is_no_answer() {
        for line in [
            r#"{"crosshook":{"exit_code":"2"}}"#,
            r#"{"crosshook":{"exit_code":256}}"#,
            r#"{"crosshook":{"exitcode":2}}"#,
            r#"{"crosshook":null}"#,
            r#"{"crosshook":true}"#,
        ] {
            assert!(answer(line).unwrap_err().contains("not usable"), "{line}");
        }
        assert_eq!(
            answer(r#"{"crosshook":{"id":6}}"#).unwrap_err(),
            "its worker answered event 6, not event 7"
        );
    }

    #[test]
    fn a_worker_that_named_events_once_names_them_always() {
        assert!(read(br#"{"crosshook":{"id":7}}"#.to_vec(), 7, true).unwrap().named);
        for line in ["debug", r#"{"decision":"allow"}"#, r#"{"crosshook":{"exit_code":0}}"#] {
            assert!(read(line.into(), 7, true).unwrap_err().contains("does not name event 7"), "{line}");
        }
    }
}
