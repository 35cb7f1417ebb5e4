//! What a hook printed, read as JSON with types checked.

use crate::json::{self, Kind, Object, Raw, decode_string, js_trim};

/// What standard output holds.
pub(crate) enum Output<'a> {
    /// Nothing but blanks.
    Empty,
    /// A JSON object.
    Object(Object),
    /// It starts like an object but does not parse; why, and the trimmed text.
    Broken(String, &'a str),
    /// Anything else, trimmed.
    Text(&'a str),
}

/// Classifies standard output by its first character that is no blank.
pub(crate) fn output(stdout: &str) -> Output<'_> {
    let text = js_trim(stdout);
    if text.is_empty() {
        return Output::Empty;
    }
    if !text.starts_with('{') {
        return Output::Text(text);
    }
    match Object::parse(std::sync::Arc::new(text.to_owned())) {
        Ok(object) => Output::Object(object),
        Err(error) => Output::Broken(error.to_string(), text),
    }
}

/// Keys by which an answer of some dialect is recognised in text that is not read as JSON.
const ANSWER_KEYS: [&str; 10] = [
    "continue",
    "decision",
    "hookSpecificOutput",
    "permissionDecision",
    "additionalContext",
    "systemMessage",
    "stopReason",
    "reason",
    "suppressOutput",
    "updatedInput",
];

/// Whether `text` holds, at the start of some line, a JSON object that looks like a hook's answer.
pub(crate) fn holds_answer(text: &str) -> bool {
    const LINES: usize = 200;
    let mut at = 0;
    for line in text.split_inclusive('\n').take(LINES) {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let Some(candidate) = text.get(start..).filter(|rest| rest.starts_with('{')) else { continue };
        let mut values =
            serde_json::Deserializer::from_str(candidate).into_iter::<Box<serde_json::value::RawValue>>();
        if let Some(Ok(raw)) = values.next()
            && let Some(object) = Object::from_raw(raw.get())
            && ANSWER_KEYS.iter().any(|key| object.has(key))
        {
            return true;
        }
    }
    false
}

/// A JSON object of a hook's answer. Reading a field of the wrong type notes a fault and gives nothing.
pub(crate) struct Answer {
    fields: Object,
    /// Stands before the key in messages: empty, or `hookSpecificOutput.`.
    path: &'static str,
    /// `null` is a wrong type too.
    strict: bool,
    read: Vec<&'static str>,
    pub(crate) faults: Vec<String>,
}

impl Answer {
    pub(crate) fn new(fields: Object, path: &'static str, strict: bool) -> Self {
        Self { fields, path, strict, read: Vec::new(), faults: Vec::new() }
    }

    fn typed(&mut self, key: &'static str, wanted: Kind) -> Option<&str> {
        self.read.push(key);
        let raw = self.fields.get(key)?;
        let kind = Kind::of(raw);
        if kind == wanted {
            return Some(raw);
        }
        if self.strict || kind != Kind::Null {
            self.faults.push(format!("`{}{key}` is {}, not {}", self.path, kind.words(), wanted.words()));
        }
        None
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.fields.has(key)
    }

    pub(crate) fn string(&mut self, key: &'static str) -> Option<String> {
        self.typed(key, Kind::String).and_then(decode_string)
    }

    pub(crate) fn bool(&mut self, key: &'static str) -> Option<bool> {
        self.typed(key, Kind::Bool).map(|raw| raw == "true")
    }

    pub(crate) fn object(&mut self, key: &'static str, path: &'static str) -> Option<Self> {
        let strict = self.strict;
        self.typed(key, Kind::Object).and_then(Object::from_raw).map(|fields| Self::new(fields, path, strict))
    }

    /// An object, as text.
    pub(crate) fn raw_object(&mut self, key: &'static str) -> Option<Raw> {
        self.typed(key, Kind::Object).and_then(json::to_raw)
    }

    /// An array, as text.
    pub(crate) fn raw_array(&mut self, key: &'static str) -> Option<Raw> {
        self.typed(key, Kind::Array).and_then(json::to_raw)
    }

    /// Any value but null, as text.
    pub(crate) fn raw(&mut self, key: &'static str) -> Option<Raw> {
        self.read.push(key);
        self.fields.raw(key).filter(|raw| raw.get() != "null")
    }

    /// A string that must be one of `values`.
    pub(crate) fn choice(&mut self, key: &'static str, values: &[&'static str]) -> Option<&'static str> {
        let text = self.string(key)?;
        let chosen = values.iter().copied().find(|value| *value == text);
        if chosen.is_none() {
            self.faults.push(format!("`{}{key}` is \"{text}\", not one of {}", self.path, values.join(", ")));
        }
        chosen
    }

    /// The keys nobody read, besides `known` ones, for a message.
    pub(crate) fn unread(&self, known: &[&str]) -> Option<String> {
        let names: Vec<String> = self
            .fields
            .iter()
            .filter(|(key, _)| !self.read.contains(key) && !known.contains(key))
            .map(|(key, _)| format!("`{}{key}`", self.path))
            .collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// Marks keys as read without looking at them.
    pub(crate) fn skip(&mut self, keys: &[&'static str]) {
        self.read.extend_from_slice(keys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn an_answer_is_found_behind_log_lines() {
        assert!(holds_answer("log\n  {\"decision\":\"block\"}\nmore"));
        assert!(!holds_answer("log {\"decision\":\"block\"}"));
        assert!(!holds_answer("{\"name\":1}\n{broken"));
    }

    #[test]
    fn wrong_types_are_faults_and_null_is_one_only_when_strict() {
        let text = r#"{"continue":"no","reason":null,"decision":"maybe"}"#;
        for (strict, faults) in [(false, 2), (true, 3)] {
            let mut answer = Answer::new(Object::parse(Arc::new(text.into())).unwrap(), "", strict);
            assert_eq!(answer.bool("continue"), None);
            assert_eq!(answer.string("reason"), None);
            assert_eq!(answer.choice("decision", &["block"]), None);
            assert_eq!(answer.faults.len(), faults);
            assert_eq!(answer.faults[0], "`continue` is a string, not a boolean");
            assert_eq!(answer.unread(&[]), None);
        }
    }
}
