//! JSON as the engine handles it: the text stays as it came, only the top level is looked at.
//!
//! The agents are JavaScript programs, so their hooks' answers are read as JavaScript reads them (design, rule 8):
//! BOM and Unicode blanks are trimmed, lone surrogates are tolerated, and nesting costs no stack, because a nested
//! value is skipped, not built.

mod object;
mod scan;
mod spelling;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::process::Lent;

pub(crate) use object::Object;
pub(crate) use spelling::{compact, dense_parts, indented, js_trim, repair_surrogates};

/// An owned JSON text of one value.
pub(crate) type Raw = Box<RawValue>;

/// Text that is shared, never copied: an event of many megabytes goes to every hook from one allocation.
pub(crate) type Text = Arc<Lent<String>>;

/// The kind of a JSON value, told by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// The kind of the value in `raw`, which must be valid JSON without blanks in front.
    pub(crate) fn of(raw: &str) -> Self {
        match raw.as_bytes().first() {
            Some(b'"') => Self::String,
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b't' | b'f') => Self::Bool,
            Some(b'n') => Self::Null,
            _ => Self::Number,
        }
    }

    /// The word for it in a message, with its article.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

struct TopLevel<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for TopLevel<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::with_capacity(12);
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Pairs).map(Self)
    }
}

/// All members of an object in their order, those with equal keys too. `None`: it is none.
pub(crate) fn members(text: &str) -> Option<Vec<(String, &str)>> {
    let TopLevel(found) = serde_json::from_str(text).ok()?;
    Some(found.into_iter().map(|(key, raw)| (key, raw.get())).collect())
}

/// Writes an object from keys and JSON texts.
pub(crate) fn write_object<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::from("{");
    for (index, (key, raw)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&quote(key));
        out.push(':');
        out.push_str(raw);
    }
    out.push('}');
    out
}

/// `base` with the top-level keys of `patch` laid over it.
pub(crate) fn shallow_merge(base: &Object, patch: &Object) -> Option<Raw> {
    let kept = base.iter().map(|(key, raw)| (key, patch.get(key).unwrap_or(raw)));
    let added = patch.iter().filter(|(key, _)| !base.has(key));
    to_raw(&write_object(kept.chain(added)))
}

/// A JSON text as an owned raw value; `None` when it is not valid JSON.
pub(crate) fn to_raw(text: &str) -> Option<Raw> {
    RawValue::from_string(text.to_owned()).ok()
}

/// What the engine reports, as JSON; all of it has a JSON form.
pub(crate) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "[]".to_owned())
}

/// `text` as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text of a JSON string. A lone surrogate becomes U+FFFD.
pub(crate) fn decode_string(raw: &str) -> Option<String> {
    if Kind::of(raw) != Kind::String {
        return None;
    }
    if let Some(plain) = scan::plain_string(raw) {
        return Some(plain.to_owned());
    }
    serde_json::from_str(raw).or_else(|_| serde_json::from_str(&repair_surrogates(raw))).ok()
}
