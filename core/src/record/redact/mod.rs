//! What is not written down: secrets, told by the names of their keys, by what they look like, and by rules of the host.
//!
//! What is put in their place keeps the form of the text: JSON stays JSON with values of the same kind, so that a
//! recorded answer still reads as the hook meant it.

mod rules;
mod text;
mod value;
mod walk;

use std::borrow::Cow;
use std::cell::Cell;

pub(crate) use rules::Rules;
pub(crate) use walk::Document;

use crate::json::{Raw, decode_string, js_trim, quote};
use crate::translation::Arguments;
use value::After;

/// Stands for what was taken out.
pub(crate) const MARK: &str = "[redacted]";

/// JSON texts within strings of JSON texts, and so on, are looked into so deep.
const NESTED: u8 = 4;

/// So many texts that begin like JSON are read to their end and are none.
const FAILURES: usize = 16;

/// Rules at work on one dispatch; counts what they take out.
pub(crate) struct Redactor<'a> {
    rules: &'a Rules,
    count: Cell<usize>,
    /// Other names of a tool's arguments: what a rule says of one holds for the others.
    aliases: Vec<Arguments>,
}

impl<'a> Redactor<'a> {
    pub(crate) fn new(rules: &'a Rules) -> Self {
        Self { rules, count: Cell::new(0), aliases: Vec::new() }
    }

    /// The same for a call whose arguments have several names.
    pub(crate) fn with_aliases(self, aliases: Vec<Arguments>) -> Self {
        Self { aliases, ..self }
    }

    /// All names that an argument has, the given one first.
    fn names<'n>(&'n self, key: &'n str) -> Vec<&'n str> {
        let mut names = vec![key];
        let mut at = 0;
        while let Some(name) = names.get(at).copied() {
            for other in self.aliases.iter().flat_map(|arguments| arguments.others(name)) {
                if !names.contains(&other) {
                    names.push(other);
                }
            }
            at += 1;
        }
        names
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

    /// Whether a rule of the host tells secrets by where they stand.
    pub(crate) fn goes_by_place(&self) -> bool {
        self.rules.goes_by_place()
    }

    /// Whether what follows this argument of a program is taken out: `--token`.
    pub(crate) fn announces(&self, argument: &str) -> bool {
        argument.starts_with('-') && !argument.contains('=') && self.names_a_secret(argument)
    }

    /// Whether an argument that was announced is a value, and no flag as well.
    pub(crate) fn is_value(argument: &str) -> bool {
        !argument.is_empty() && !text::is_flag(argument)
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
        if depth >= NESTED {
            return self.plain(text).0.into_owned();
        }
        if let Some(inner) = packed(text) {
            let before = self.count();
            let redacted = self.nested(&inner, depth);
            return if self.count() == before { text.to_owned() } else { quote(&redacted) };
        }
        let before = self.count();
        let mut out = String::with_capacity(text.len());
        let mut after = After::Free;
        let mut at = 0;
        for (start, end) in values(text) {
            self.between(text.get(at..start).unwrap_or_default(), &mut after, &mut out);
            let whole = after != After::Free;
            let document = Document { blanks: true, whole, ..Document::ANSWER };
            out.push_str(&walk::walk(self, text.get(start..end).unwrap_or_default(), document, depth));
            at = end;
            if after == After::Next {
                after = After::Free;
            }
        }
        self.between(text.get(at..).unwrap_or_default(), &mut after, &mut out);
        if self.count() == before { out } else { kept_form(text, out) }
    }

    /// What stands before, between or behind values of JSON.
    fn between(&self, text: &str, after: &mut After, out: &mut String) {
        if *after != After::Goes {
            let (text, then) = self.plain(text);
            out.push_str(&text);
            *after = then;
        } else if text.trim().is_empty() {
            out.push_str(text);
        } else {
            self.took(1);
            out.push_str(MARK);
            // The next value begins a line where it did.
            out.push_str(if text.ends_with('\n') { "\n" } else { "" });
        }
    }

    fn plain<'t>(&self, text: &'t str) -> (Cow<'t, str>, After) {
        let plain = text::redact(self.rules, text);
        self.took(plain.found);
        (plain.text, plain.after)
    }

    /// Bytes that are text, at least in part.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes);
        let redacted = self.text(&text);
        let Cow::Owned(text) = text else { return redacted.into_bytes() };
        // What is no text is put back, when all of it is left.
        let lost = char::REPLACEMENT_CHARACTER;
        if redacted.matches(lost).count() != text.matches(lost).count() {
            return still_no_text(redacted, bytes);
        }
        let own = lost.to_string();
        let mut pieces = redacted.split(lost);
        let mut out = pieces.next().unwrap_or_default().as_bytes().to_vec();
        let originals = bytes.utf8_chunks().flat_map(|chunk| {
            let own = chunk.valid().matches(lost).map(|_| own.as_bytes());
            own.chain((!chunk.invalid().is_empty()).then(|| chunk.invalid()))
        });
        for (original, piece) in originals.zip(pieces) {
            out.extend_from_slice(original);
            out.extend_from_slice(piece.as_bytes());
        }
        out
    }
}

/// Where what is no text was taken out with a secret, a byte of its kind stays: that it was there is noticed. What begins
/// a character and was cut off stays at the end.
fn still_no_text(redacted: String, bytes: &[u8]) -> Vec<u8> {
    let error = std::str::from_utf8(bytes).err();
    let cut = error.filter(|error| error.error_len().is_none());
    if let Some(begun) = cut.and_then(|error| bytes.get(error.valid_up_to()..)) {
        return [redacted.as_bytes(), begun].concat();
    }
    match redacted.split_once(MARK) {
        Some((before, after)) => [before.as_bytes(), MARK.as_bytes(), b"\xff", after.as_bytes()].concat(),
        None => redacted.into_bytes(),
    }
}

/// The text in a JSON string that is all there is.
fn packed(text: &str) -> Option<String> {
    let trimmed = js_trim(text);
    decode_string(trimmed).filter(|_| trimmed.starts_with('"'))
}

/// Where objects and lists of JSON stand in a text: at the start of a line, or behind other text on it. They are found as
/// the readers of answers find them, so that these see them in the redacted text too.
fn values(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut at, mut line, mut failures) = (Vec::new(), 0, 0, 0);
    while at < text.len() && failures < FAILURES {
        if at >= line {
            let rest = text.get(at..).unwrap_or_default();
            line = rest.find('\n').map_or(text.len(), |end| at + end + 1);
        }
        let head = text.get(at..line).unwrap_or_default();
        let list =
            Some(head.len() - head.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len());
        let list = list.filter(|start| head.get(*start..).is_some_and(|head| head.starts_with('[')));
        let mut next = line;
        for start in list.into_iter().chain(head.find('{')) {
            let candidate = text.get(at + start..).unwrap_or_default();
            let mut values = serde_json::Deserializer::from_str(candidate).into_iter::<Raw>();
            match values.next() {
                Some(Ok(_)) => {
                    next = at + start + values.byte_offset().max(1);
                    found.push((at + start, next));
                    break;
                }
                Some(Err(error)) => failures += usize::from(error.is_eof() || error.line() > 1),
                None => {}
            }
        }
        at = next;
    }
    found
}

/// A text that was no JSON must not become JSON by what was taken out.
fn kept_form(before: &str, after: String) -> String {
    let is_json = |text: &str| {
        let text = js_trim(text);
        text.starts_with(['{', '[', '"'])
            && serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok()
    };
    if !is_json(&after) || is_json(before) {
        return after;
    }
    match after.split_once(MARK) {
        Some((kept, _)) => format!("{kept}{MARK}"),
        None => after,
    }
}

#[cfg(test)]
mod tests;
