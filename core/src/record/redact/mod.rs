//! What is not written down: secrets, told by the names of their keys, by what they look like, and by rules of the host.
//!
//! What is put in their place keeps the form of the text: JSON stays JSON with values of the same kind, so that a
//! recorded answer still reads as the hook meant it.

mod rules;
mod text;
mod walk;

use std::cell::Cell;

pub(crate) use rules::Rules;
pub(crate) use walk::Document;

use crate::json::js_trim;

/// Stands for what was taken out.
pub(crate) const MARK: &str = "[redacted]";

/// JSON texts within strings of JSON texts, and so on, are looked into so deep.
const NESTED: u8 = 4;

/// So many lines that begin like JSON are tried. Log lines like to begin with `[`.
const CANDIDATES: usize = 16;

/// Rules at work on one dispatch; counts what they take out.
pub(crate) struct Redactor<'a> {
    rules: &'a Rules,
    count: Cell<usize>,
}

impl<'a> Redactor<'a> {
    pub(crate) fn new(rules: &'a Rules) -> Self {
        Self { rules, count: Cell::new(0) }
    }

    /// How many values were taken out so far.
    pub(crate) fn count(&self) -> usize {
        self.count.get()
    }

    fn took(&self, values: usize) {
        self.count.set(self.count.get().saturating_add(values));
    }

    /// Whether what stands at this name is taken out.
    pub(crate) fn names_a_secret(&self, name: &str) -> bool {
        self.rules.covers(name).is_some()
    }

    /// A valid JSON text, on one line.
    pub(crate) fn json(&self, json: &str, document: Document<'_>) -> String {
        walk::walk(self, json, document, 0)
    }

    /// A text of any kind: JSON keeps its form.
    pub(crate) fn text(&self, text: &str) -> String {
        self.nested(text, 0)
    }

    fn nested(&self, text: &str, depth: u8) -> String {
        let Some((before, json)) = Self::split(text).filter(|_| depth < NESTED) else {
            return self.plain(text);
        };
        let document = Document { blanks: true, ..Document::ANSWER };
        format!("{}{}", self.plain(before), walk::walk(self, json, document, depth))
    }

    /// A text and the JSON object or list at its end, when a line begins with one: a hook may log before it answers.
    fn split(text: &str) -> Option<(&str, &str)> {
        let mut at = 0;
        let starts = text.split_inclusive('\n').filter_map(|line| {
            let (here, rest) = (at, js_trim(line));
            at += line.len();
            rest.starts_with(['{', '[']).then(|| here + (line.len() - line.trim_start().len()))
        });
        let valid = |json: &str| serde_json::from_str::<&serde_json::value::RawValue>(json).is_ok();
        starts.take(CANDIDATES).filter_map(|start| text.split_at_checked(start)).find(|(_, json)| valid(json))
    }

    fn plain(&self, text: &str) -> String {
        let (text, values) = text::redact(self.rules, text);
        self.took(values);
        text.into_owned()
    }

    /// Bytes that are text, at least in part.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            out.extend_from_slice(self.text(chunk.valid()).as_bytes());
            out.extend_from_slice(chunk.invalid());
        }
        out
    }
}

#[cfg(test)]
mod tests;
