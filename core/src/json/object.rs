//! The top level of an object.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Kind, Raw, Text, TopLevel, repair_surrogates, scan, to_raw};
use crate::process::Lent;

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
        self.get(key).and_then(super::decode_string)
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

#[cfg(test)]
mod tests {
    use super::super::shallow_merge;
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
    fn a_patch_replaces_top_level_keys_and_adds_the_rest() {
        let merged =
            shallow_merge(&object(r#"{"a":{"x":1},"b":2}"#), &object(r#"{"a":{"y":1},"c":3}"#)).unwrap();
        assert_eq!(merged.get(), r#"{"a":{"y":1},"b":2,"c":3}"#);
    }
}
