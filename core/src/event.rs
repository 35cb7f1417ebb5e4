//! The first step: the event a host hands over.

use crate::error::{Error, ErrorKind, Place};
use crate::json::{self, Kind, Object, Text};

/// One event of an agent's life. The JSON text is kept as it came; only its top level has been looked at.
#[derive(Debug, Clone)]
pub struct Event {
    name: String,
    fields: Object,
}

impl Event {
    /// Reads one event from UTF-8 JSON. Takes the bytes over without copying them.
    ///
    /// The event's name is `hook_event_name`, or `hookEventName` as ZCode writes it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidEvent`] when the text is not UTF-8, not a JSON object, or has no event name.
    pub fn parse(text: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let invalid = |message: String| Error::new(ErrorKind::InvalidEvent, message);
        let mut text = String::from_utf8(text.into()).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            invalid(format!("the event is not UTF-8: invalid byte at offset {at}; send it as UTF-8 JSON"))
        })?;
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        let fields = Object::parse(text).map_err(|error| {
            let place = Place { line: Some(error.line()), ..Place::default() };
            invalid(format!("the event is not a JSON object: {error}")).at(place)
        })?;
        let name = Self::read_name(&fields).map_err(invalid)?;
        Ok(Self { name, fields })
    }

    fn read_name(fields: &Object) -> Result<String, String> {
        let Some((key, raw)) = NAME_KEYS.iter().find_map(|key| fields.get(key).map(|raw| (key, raw))) else {
            return Err("the event has no `hook_event_name`; add it, for example \"PreToolUse\"".into());
        };
        match json::decode_string(raw) {
            Some(name) if !name.is_empty() => Ok(name),
            Some(_) => Err(format!("the event's `{key}` is empty; it must name the event")),
            None => Err(format!("the event's `{key}` is {}, not a string", Kind::of(raw).words())),
        }
    }

    /// The event's name as the host gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JSON text as the host gave it.
    #[must_use]
    pub fn json(&self) -> &str {
        self.fields.text()
    }

    /// The text of a field, when the field is a string. `key` is the snake_case name; a host may have sent the
    /// camelCase one (design, ruling 7).
    #[must_use]
    pub fn string(&self, key: &str) -> Option<String> {
        self.get(key).and_then(json::decode_string)
    }

    /// The JSON text of a field, under its snake_case or its camelCase name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.get(key).or_else(|| self.fields.get(&camel_case(key)))
    }

    pub(crate) fn fields(&self) -> &Object {
        &self.fields
    }

    pub(crate) fn text(&self) -> &Text {
        self.fields.text()
    }
}

/// The keys under which an event's name may stand; the first one counts.
pub const NAME_KEYS: [&str; 2] = ["hook_event_name", "hookEventName"];

/// `tool_name` as `toolName`.
pub(crate) fn camel_case(snake: &str) -> String {
    let mut upper = false;
    snake
        .chars()
        .filter_map(|c| {
            if c == '_' {
                upper = true;
                return None;
            }
            Some(if std::mem::take(&mut upper) { c.to_ascii_uppercase() } else { c })
        })
        .collect()
}

/// `toolName` as `tool_name`.
pub(crate) fn snake_case(camel: &str) -> String {
    let mut snake = String::with_capacity(camel.len());
    for c in camel.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &[u8]) -> String {
        let error = Event::parse(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidEvent);
        error.to_string()
    }

    #[test]
    fn names_and_fields_in_both_styles() {
        let event = Event::parse(r#"{"hookEventName":"Stop","sessionId":"s","tool_name":"T"}"#).unwrap();
        assert_eq!(event.name(), "Stop");
        assert_eq!(event.string("session_id").as_deref(), Some("s"));
        assert_eq!(event.string("tool_name").as_deref(), Some("T"));
        assert_eq!(event.string("cwd"), None);
    }

    #[test]
    fn bad_events_say_what_is_wrong() {
        assert!(refused(b"[]").contains("not a JSON object"));
        assert!(refused(b"{\"hook_event_name\":").contains("not a JSON object"));
        assert!(refused(b"{}").contains("no `hook_event_name`"));
        assert!(refused(br#"{"hook_event_name":7}"#).contains("is a number, not a string"));
        assert!(refused(br#"{"hook_event_name":""}"#).contains("is empty"));
        assert!(refused(b"{\"hook_event_name\":\"\xff\"}").contains("not UTF-8: invalid byte at offset 20"));
        assert!(refused(br#"{"hook_event_name":"Stop"} x"#).contains("trailing characters"));
    }

    #[test]
    fn a_large_or_deep_event_is_only_skimmed() {
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        let event = Event::parse(format!(r#"{{"hook_event_name":"Stop","x":{deep}}}"#)).unwrap();
        assert_eq!(event.get("x"), Some(deep.as_str()));
    }
}
