//! What the selection reads of an event, wherever the event is: JSON text, or an object of the host's that nobody has
//! written as JSON yet.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use crate::event::{Event, NAME_KEYS, camel_case};
use crate::json::{self, Kind};

/// What a host says of one field of an event, for [`Engine::dispatch_by_fields`](crate::Engine::dispatch_by_fields).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// The event has no field of exactly that name.
    Missing,
    /// A string.
    Text(String),
    /// A boolean.
    Bool(bool),
    /// JSON's `null`.
    Null,
    /// Anything else, or the host cannot say what it would be in JSON.
    Unclear,
}

/// One field of an event.
#[derive(Debug)]
pub(crate) enum Value<'a> {
    Missing,
    Text(Cow<'a, str>),
    Bool(bool),
    Other(Kind),
}

/// The top level of an event. `key` is the snake_case name; a host may have sent the camelCase one (design, ruling 7).
pub(crate) trait Fields {
    fn name(&self) -> &str;

    fn value(&self, key: &str) -> Value<'_>;

    /// All of it, as JSON text.
    fn whole(&self) -> Option<&Event>;

    /// The text of a field, when the field is a string.
    fn string(&self, key: &str) -> Option<Cow<'_, str>> {
        match self.value(key) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Fields for Event {
    fn name(&self) -> &str {
        Event::name(self)
    }

    fn value(&self, key: &str) -> Value<'_> {
        let Some(raw) = self.get(key) else { return Value::Missing };
        match Kind::of(raw) {
            Kind::String => Value::Text(text(raw)),
            Kind::Bool => Value::Bool(raw == "true"),
            kind => Value::Other(kind),
        }
    }

    fn whole(&self) -> Option<&Event> {
        Some(self)
    }
}

/// The text of the JSON string `raw`; borrowed when nothing in it is escaped.
fn text(raw: &str) -> Cow<'_, str> {
    match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        _ => Cow::Owned(json::decode_string(raw).unwrap_or_default()),
    }
}

/// An object of the host's, asked field by field.
pub(crate) struct HostObject<'a> {
    name: String,
    ask: RefCell<&'a mut dyn FnMut(&str) -> Field>,
    unclear: Cell<bool>,
}

impl<'a> HostObject<'a> {
    /// `None` when the object has no name that could be an event's, which the reader of its JSON text explains.
    pub(crate) fn new(ask: &'a mut dyn FnMut(&str) -> Field) -> Option<Self> {
        let named = NAME_KEYS.iter().map(|key| ask(key)).find(|field| *field != Field::Missing)?;
        match named {
            Field::Text(name) if !name.is_empty() => {
                Some(Self { name, ask: RefCell::new(ask), unclear: Cell::new(false) })
            }
            _ => None,
        }
    }

    /// Whether something that was asked for could not be told: what was concluded does not count.
    pub(crate) fn is_unclear(&self) -> bool {
        self.unclear.get()
    }

    fn ask(&self, key: &str) -> Field {
        // A host that comes back here from within its own answer is not asked a second time.
        self.ask.try_borrow_mut().map_or(Field::Unclear, |mut ask| ask(key))
    }
}

impl Fields for HostObject<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, key: &str) -> Value<'_> {
        let mut found = self.ask(key);
        if found == Field::Missing && key.contains('_') {
            found = self.ask(&camel_case(key));
        }
        match found {
            Field::Missing => Value::Missing,
            Field::Text(text) => Value::Text(Cow::Owned(text)),
            Field::Bool(value) => Value::Bool(value),
            Field::Null => Value::Other(Kind::Null),
            Field::Unclear => {
                self.unclear.set(true);
                Value::Missing
            }
        }
    }

    fn whole(&self) -> Option<&Event> {
        self.unclear.set(true);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_event_read_alike() {
        let event = Event::parse(
            r#"{"hookEventName":"Stop","sessionId":"s","tool_name":"a\u0042\"","b":true,"n":null,"x":7}"#,
        )
        .unwrap();
        let mut ask = |key: &str| match key {
            "hookEventName" => Field::Text("Stop".into()),
            "sessionId" => Field::Text("s".into()),
            "tool_name" => Field::Text("aB\"".into()),
            "b" => Field::Bool(true),
            "n" => Field::Null,
            "x" => Field::Unclear,
            _ => Field::Missing,
        };
        let object = HostObject::new(&mut ask).unwrap();
        assert_eq!((Fields::name(&event), object.name()), ("Stop", "Stop"));
        for key in ["session_id", "tool_name", "b", "n", "none_such"] {
            assert_eq!(
                format!("{:?}", Fields::value(&event, key)),
                format!("{:?}", object.value(key)),
                "{key}"
            );
        }
        assert!(!object.is_unclear());
        assert!(matches!(object.value("x"), Value::Missing));
        assert!(object.is_unclear());
    }

    #[test]
    fn what_has_no_name_is_no_event() {
        for field in
            [Field::Missing, Field::Null, Field::Bool(true), Field::Text(String::new()), Field::Unclear]
        {
            assert!(HostObject::new(&mut |_| field.clone()).is_none(), "{field:?}");
        }
    }

    #[test]
    fn the_first_name_counts() {
        let mut ask = |key: &str| match key {
            "hook_event_name" => Field::Unclear,
            _ => Field::Text("Stop".into()),
        };
        assert!(HostObject::new(&mut ask).is_none());
    }
}
