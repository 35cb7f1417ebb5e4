//! JSON as the engine handles it: the text stays as it came, only the top level is looked at.
//!
//! The agents are JavaScript programs, so their hooks' answers are read as JavaScript reads them (design, rule 8):
//! BOM and Unicode blanks are trimmed, lone surrogates are tolerated, and nesting costs no stack, because a nested
//! value is skipped, not built.

mod scan;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::process::Lent;

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

/// The top level of a JSON object: its keys in order, each with the place of its value in the text.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    text: Text,
    /// There are no blanks between its tokens.
    dense: bool,
    entries: Entries,
    /// Where each key stands in `entries`; only for objects with many keys, so that looking up all of them stays
    /// linear. A hook's answer may hold as many keys as its output limit has room for.
    places: Option<Places>,
}

type Entries = Vec<Entry>;
type Places = Arc<HashMap<String, usize>>;

/// One member: its key, and where its value stands.
#[derive(Debug, Clone)]
struct Entry {
    key: Key,
    value: Range<usize>,
}

/// A key: where it stands in the text, or what it says when it has escapes.
#[derive(Debug, Clone)]
enum Key {
    Plain(Range<usize>),
    Escaped(Box<str>),
}

impl Entry {
    #[inline]
    fn key<'a>(&'a self, text: &'a str) -> &'a str {
        match &self.key {
            Key::Plain(place) => text.get(place.clone()).unwrap_or_default(),
            Key::Escaped(key) => key,
        }
    }

    /// Whether this is its key. Most are not, and of another length.
    #[inline]
    fn is(&self, key: &str, text: &str) -> bool {
        match &self.key {
            Key::Plain(place) => {
                place.len() == key.len() && text.as_bytes().get(place.clone()) == Some(key.as_bytes())
            }
            Key::Escaped(own) => **own == *key,
        }
    }
}

/// Objects with more keys than this get an index.
const FEW_KEYS: usize = 32;

impl Object {
    /// Reads the top level of `text`.
    pub(crate) fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        let text = Arc::new(Lent::new(text.into()));
        if let Some((entries, blanks)) = Self::scan(&text) {
            return Ok(Self::new(text, entries, !blanks));
        }
        // Whoever made the text is told what is wrong with it.
        match Self::read(&text) {
            Ok(entries) => Ok(Self::new(text, entries, false)),
            Err(error) => {
                // Only a key can hold a lone surrogate here that serde_json refuses and JavaScript accepts.
                let Cow::Owned(repaired) = repair_surrogates(&text) else { return Err(error) };
                let text = Arc::new(Lent::new(repaired));
                let entries = Self::read(&text)?;
                Ok(Self::new(text, entries, false))
            }
        }
    }

    /// The members of a valid text, and whether it has blanks between its tokens.
    fn scan(text: &str) -> Option<(Entries, bool)> {
        let mut entries = Entries::new();
        let mut readable = true;
        let blanks = scan::object(text, |scan::Member { key, escaped, value }| {
            let key = if escaped {
                let quoted =
                    text.get(key.start.saturating_sub(1)..key.end.saturating_add(1)).unwrap_or_default();
                let decoded = serde_json::from_str::<Box<str>>(quoted);
                readable &= decoded.is_ok();
                Key::Escaped(decoded.unwrap_or_default())
            } else {
                Key::Plain(key)
            };
            if entries.is_empty() {
                entries.reserve(16);
            }
            entries.push(Entry { key, value });
        });
        blanks.ok().filter(|_| readable).map(|blanks| (entries, blanks))
    }

    fn read(text: &str) -> Result<Entries, serde_json::Error> {
        let TopLevel(found) = serde_json::from_str(text)?;
        let base = text.as_ptr() as usize;
        let place = |raw: &RawValue| {
            let start = (raw.get().as_ptr() as usize).saturating_sub(base);
            start..start.saturating_add(raw.get().len())
        };
        Ok(found
            .into_iter()
            .map(|(key, raw)| Entry { key: Key::Escaped(key.into()), value: place(raw) })
            .collect())
    }

    fn new(text: Text, mut entries: Entries, dense: bool) -> Self {
        // JavaScript: the last of several equal keys counts, at the place of the first.
        let mut places = (entries.len() > FEW_KEYS).then(HashMap::<String, usize>::new);
        let mut kept = 0;
        for index in 0..entries.len() {
            let (before, rest) = entries.split_at_mut(index);
            let Some(entry) = rest.first() else { continue };
            let key = entry.key(&text);
            let known = match &mut places {
                Some(places) => places.get(key).copied(),
                None => before.iter().take(kept).position(|known| known.is(key, &text)),
            };
            if let Some(entry_before) = known.and_then(|place| before.get_mut(place)) {
                entry_before.value = entry.value.clone();
                continue;
            }
            if let Some(places) = &mut places {
                places.insert(key.to_owned(), kept);
            }
            entries.swap(kept, index);
            kept += 1;
        }
        entries.truncate(kept);
        Self { text, dense, entries, places: places.map(Arc::new) }
    }

    /// Reads `raw` as an object; `None` when it is none.
    pub(crate) fn from_raw(raw: &str) -> Option<Self> {
        if Kind::of(raw) == Kind::Object { Self::parse(raw).ok() } else { None }
    }

    /// The text it was read from.
    pub(crate) fn text(&self) -> &Text {
        &self.text
    }

    /// Whether it is known to have no blanks between its tokens.
    pub(crate) fn is_dense(&self) -> bool {
        self.dense
    }

    /// The JSON text of the value at `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.range(key).and_then(|range| self.text.get(range))
    }

    /// Where in the text the value at `key` stands.
    pub(crate) fn range(&self, key: &str) -> Option<Range<usize>> {
        let entry = match &self.places {
            Some(places) => self.entries.get(*places.get(key)?),
            None => self.entries.iter().find(|entry| entry.is(key, &self.text)),
        };
        entry.map(|entry| entry.value.clone())
    }

    /// Whether the key is there, whatever its value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.range(key).is_some()
    }

    /// The value at `key` when it is a string.
    #[cfg(test)]
    pub(crate) fn string(&self, key: &str) -> Option<String> {
        self.get(key).and_then(decode_string)
    }

    /// A copy of the value at `key`.
    pub(crate) fn raw(&self, key: &str) -> Option<Raw> {
        self.get(key).and_then(to_raw)
    }

    /// All keys with their JSON texts, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries
            .iter()
            .filter_map(|entry| self.text.get(entry.value.clone()).map(|raw| (entry.key(&self.text), raw)))
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

/// Replaces each `\uD800`..`\uDFFF` escape that has no partner by `\uFFFD`. JavaScript keeps such escapes, Rust's
/// strings cannot hold them; everything else of the text must not be lost for that.
pub(crate) fn repair_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = escape_at(bytes, at) else {
            at += 2;
            continue;
        };
        let paired = (0xD800..0xDC00).contains(&unit)
            && escape_at(bytes, at + 6).is_some_and(|next| (0xDC00..0xE000).contains(&next));
        if paired {
            at += 12;
            continue;
        }
        if (0xD800..0xE000).contains(&unit) {
            let out = out.get_or_insert_with(String::new);
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str("\\ufffd");
            copied = at + 6;
        }
        at += 6;
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn escape_at(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Trims what JavaScript's `String.prototype.trim` trims (ECMA-262, WhiteSpace and LineTerminator), BOM included.
pub(crate) fn js_trim(text: &str) -> &str {
    text.trim_matches(|c: char| {
        matches!(
            c,
            '\u{9}'..='\u{d}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
                | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
        )
    })
}

/// The valid JSON text without blanks between its tokens; borrowed when there are none.
pub(crate) fn compact(text: &str) -> Cow<'_, str> {
    let mut parts = dense_parts(text);
    match (parts.next(), parts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(text.get(only).unwrap_or_default()),
        (Some(first), Some(second)) => {
            let mut out = String::with_capacity(text.len());
            for part in [first, second].into_iter().chain(parts) {
                out.push_str(text.get(part).unwrap_or_default());
            }
            Cow::Owned(out)
        }
    }
}

/// The parts of a valid JSON text that are left without the blanks between its tokens, in order.
pub(crate) fn dense_parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    scan::dense_parts(text)
}

/// The text with two blanks a level, as `JSON.stringify(value, null, 2)` writes it. Deeper than [`MAX_INDENT`] it goes no
/// further to the right: a tool input that a model nested 100,000 levels deep would else become gigabytes of blanks.
pub(crate) fn indented(text: &str) -> String {
    let compacted = compact(text);
    let mut out = String::with_capacity(compacted.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    };
    let mut chars = compacted.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// Levels of indentation.
const MAX_INDENT: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        Object::parse(text).unwrap()
    }

    #[test]
    fn the_top_level_keeps_order_and_texts() {
        let read = object(r#" {"b": [1, {"x": 2}], "a": "s", "n": 1e999} "#);
        let pairs: Vec<_> = read.iter().collect();
        assert_eq!(pairs, [("b", r#"[1, {"x": 2}]"#), ("a", r#""s""#), ("n", "1e999")]);
    }

    #[test]
    fn the_last_of_equal_keys_counts_at_the_first_place() {
        let read = object(r#"{"a":1,"b":2,"a":3}"#);
        assert_eq!(read.iter().collect::<Vec<_>>(), [("a", "3"), ("b", "2")]);
    }

    #[test]
    fn many_keys_read_like_few_and_in_linear_time() {
        let keys = 100_000;
        let members: String = (0..keys).map(|n| format!(r#""k{n}":{n},"#)).collect();
        let started = std::time::Instant::now();
        let base = object(&format!(r#"{{{members}"k7":"last"}}"#));
        assert_eq!(base.iter().count(), keys);
        assert_eq!((base.get("k7"), base.get("k99999")), (Some("\"last\""), Some("99999")));
        assert_eq!(base.iter().nth(7), Some(("k7", "\"last\"")));
        assert!(!base.has("k100000"));
        let merged = shallow_merge(&base, &object(&format!(r#"{{{members}"new":1}}"#))).unwrap();
        assert_eq!(object(merged.get()).get("k7"), Some("7"));
        assert_eq!(object(merged.get()).iter().last(), Some(("new", "1")));
        // Quadratic work takes minutes here.
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn nesting_costs_no_stack() {
        let deep =
            format!(r#"{{"x":{}{},"decision":"block"}}"#, "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(object(&deep).string("decision").as_deref(), Some("block"));
    }

    #[test]
    fn lone_surrogates_lose_nothing_else() {
        let read = object(r#"{"\ud800k":1,"reason":"a\ud83d\ude00b\udc00","decision":"block"}"#);
        assert_eq!(read.string("reason").as_deref(), Some("a😀b\u{fffd}"));
        assert_eq!(read.string("decision").as_deref(), Some("block"));
        assert_eq!(repair_surrogates(r"\\ud800"), r"\\ud800");
    }

    #[test]
    fn trimming_is_javascripts() {
        assert_eq!(js_trim("\u{feff}\u{a0} x\u{2028}\n"), "x");
        assert_eq!(js_trim("\u{85}x"), "\u{85}x", "NEL is no blank in JavaScript");
    }

    #[test]
    fn compacting_leaves_strings_alone() {
        assert_eq!(compact("{ \"a b\" : \"c \\\" d\",\n\t\"e\": [ 1 ] }"), r#"{"a b":"c \" d","e":[1]}"#);
        assert!(matches!(compact(r#"{"a b":1}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn indenting_is_javascripts() {
        let wanted = "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b:c\": \"x,\\\"{\"\n}";
        assert_eq!(indented(r#"{"a":[1,{}],"b:c":"x,\"{"}"#), wanted);
    }

    #[test]
    fn indenting_deep_nesting_stays_small() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let text = indented(&deep);
        assert!(text.len() < 20_000 * 210, "{}", text.len());
        assert_eq!(compact(&text), deep);
    }

    #[test]
    fn a_patch_replaces_top_level_keys_and_adds_the_rest() {
        let merged =
            shallow_merge(&object(r#"{"a":{"x":1},"b":2}"#), &object(r#"{"a":{"y":1},"c":3}"#)).unwrap();
        assert_eq!(merged.get(), r#"{"a":{"y":1},"b":2,"c":3}"#);
    }
}
