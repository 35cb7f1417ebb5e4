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
    match Object::parse(text) {
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

/// Whether `text` holds a JSON object that looks like a hook's answer: at the start of a line or behind a log prefix on
/// it, in a list, or packed into a JSON string.
pub(crate) fn holds_answer(text: &str) -> bool {
    // What fails behind its own line may have been read to the very end each time; that must not add up.
    const FAILURES: usize = 4;
    if decode_string(js_trim(text)).is_some_and(|inner| is_answer(js_trim(&inner))) {
        return true;
    }
    let (mut at, mut failures) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|_| failures < FAILURES) {
        let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let Some(start) = rest.get(..line).and_then(|line| line.find('{')) else {
            if line == rest.len() {
                break;
            }
            at += line;
            continue;
        };
        let candidate = rest.get(start..).unwrap_or_default();
        let mut values =
            serde_json::Deserializer::from_str(candidate).into_iter::<Box<serde_json::value::RawValue>>();
        match values.next() {
            Some(Ok(raw)) if is_answer(raw.get()) => return true,
            Some(Ok(_)) => at += start + values.byte_offset().max(1),
            Some(Err(error)) => {
                failures += usize::from(error.is_eof() || error.line() > 1);
                at += line;
            }
            None => at += line,
        }
    }
    false
}

fn is_answer(text: &str) -> bool {
    Object::from_raw(text).is_some_and(|object| ANSWER_KEYS.iter().any(|key| object.has(key)))
}

/// How much of a hook's own words a message repeats, in characters.
const QUOTED: usize = 100;

/// How many unknown keys a message names.
const NAMED: usize = 10;

fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
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

    /// A boolean that must not be `null` either.
    pub(crate) fn flag(&mut self, key: &'static str) -> Option<bool> {
        if self.fields.get(key) == Some("null") {
            self.read.push(key);
            self.faults.push(format!("`{}{key}` is null, not a boolean", self.path));
            return None;
        }
        self.bool(key)
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

    /// A value of this type, as text.
    pub(crate) fn value(&mut self, key: &'static str, kind: Kind) -> Option<Raw> {
        self.typed(key, kind).and_then(json::to_raw)
    }

    /// A string that must be one of `values`.
    pub(crate) fn choice(&mut self, key: &'static str, values: &[&'static str]) -> Option<&'static str> {
        let text = self.string(key)?;
        let chosen = values.iter().copied().find(|value| *value == text);
        if chosen.is_none() {
            let text = quoted(&text);
            self.faults.push(format!("`{}{key}` is \"{text}\", not one of {}", self.path, values.join(", ")));
        }
        chosen
    }

    /// The keys nobody read, besides `known` ones, for a message.
    pub(crate) fn unread(&self, known: &[&str]) -> Option<String> {
        let mut unread = self
            .fields
            .iter()
            .map(|(key, _)| key)
            .filter(|key| !self.read.contains(key) && !known.contains(key));
        let names: Vec<String> =
            unread.by_ref().take(NAMED).map(|key| format!("`{}{}`", self.path, quoted(key))).collect();
        if names.is_empty() {
            return None;
        }
        let more = match unread.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(names.join(", ") + &more)
    }

    /// Marks keys as read without looking at them.
    pub(crate) fn skip(&mut self, keys: &[&'static str]) {
        self.read.extend_from_slice(keys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_behind_log_lines() {
        assert!(holds_answer("log\n  {\"decision\":\"block\"}\nmore"));
        assert!(holds_answer("INFO: {\"decision\":\"block\"}"));
        assert!(holds_answer("\0{\"decision\":\"block\"}"));
        assert!(holds_answer("[{\"decision\":\"block\"}]"));
        assert!(holds_answer(r#" "{\"decision\":\"block\"}" "#));
        assert!(holds_answer(&format!("{}{{\"decision\":\"block\"}}", "line\n".repeat(5_000))));
        assert!(holds_answer("{\"name\":1} {\"decision\":\"block\"}"));
        assert!(holds_answer(&format!("{}{{\"decision\":\"block\"}}", "{ no JSON }\n".repeat(5_000))));
        assert!(!holds_answer("{\"name\":1}\n{broken"));
        assert!(!holds_answer("use {braces} or [\"decision\"]"));
        assert!(!holds_answer("\"decision\""));
    }

    #[test]
    fn looking_for_an_answer_ends_soon_whatever_the_text() {
        let started = std::time::Instant::now();
        let open = format!("x\n{}{}", "{\"a\":\n".repeat(1_000), "[".repeat(1_000_000));
        assert!(!holds_answer(&open));
        assert!(!holds_answer(&format!("x{}", "{}\n".repeat(1_000_000))));
        assert!(!holds_answer(&"{".repeat(2_000_000)));
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn messages_repeat_a_hook_only_in_part() {
        let members: String = (0..5_000).map(|n| format!(r#""k{n}":1,"#)).collect();
        let text = format!(r#"{{{members}"decision":"{}"}}"#, "x".repeat(5_000));
        let mut answer = Answer::new(Object::parse(text).unwrap(), "", false);
        assert_eq!(answer.choice("decision", &["block"]), None);
        assert_eq!(answer.faults, [format!("`decision` is \"{}...\", not one of block", "x".repeat(100))]);
        let names = answer.unread(&[]).unwrap();
        assert!(names.starts_with("`k0`, `k1`") && names.ends_with("`k9` and 4990 more"), "{names}");
    }

    #[test]
    fn wrong_types_are_faults_and_null_is_one_only_when_strict() {
        let text = r#"{"continue":"no","reason":null,"decision":"maybe"}"#;
        for (strict, faults) in [(false, 2), (true, 3)] {
            let mut answer = Answer::new(Object::parse(text).unwrap(), "", strict);
            assert_eq!(answer.bool("continue"), None);
            assert_eq!(answer.string("reason"), None);
            assert_eq!(answer.choice("decision", &["block"]), None);
            assert_eq!(answer.faults.len(), faults);
            assert_eq!(answer.faults[0], "`continue` is a string, not a boolean");
            assert_eq!(answer.unread(&[]), None);
        }
    }
}
