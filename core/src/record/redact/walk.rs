//! Goes through a JSON text and writes it anew without its secrets. Nesting costs no stack.

use std::borrow::Cow;

use super::rules::Cover;
use super::{MARK, Redactor, text};
use crate::event::snake_case;
use crate::json::{decode_string, quote};

/// What a JSON text is, and so which rules count where.
#[derive(Clone, Copy)]
pub(crate) struct Document<'a> {
    /// Keys name secrets here. Not in what Crosshook itself has written: its keys are its own.
    pub(crate) keys: bool,
    /// The blanks between the tokens stay.
    pub(crate) blanks: bool,
    /// All strings and numbers are taken out.
    pub(crate) whole: bool,
    /// Where the text stands in a larger one, for pointers; each of these is tried.
    pub(crate) roots: &'a [&'a [&'a str]],
    /// Whether the value at a key of the top level stays as it is.
    pub(crate) stays: &'a dyn Fn(&str, &str) -> bool,
}

impl Document<'static> {
    /// What a hook answers, or any JSON text of somebody else's.
    pub(crate) const ANSWER: Self =
        Self { keys: true, blanks: false, whole: false, roots: &[&[]], stays: &|_, _| false };
    /// What Crosshook itself has written.
    pub(crate) const OWN: Self = Self { keys: false, ..Self::ANSWER };
}

/// Writes the valid JSON text `json` anew. `depth` counts the JSON texts in strings that it stands in.
pub(super) fn walk(redactor: &Redactor<'_>, json: &str, document: Document<'_>, depth: u8) -> String {
    let mut walk = Walk {
        redactor,
        json,
        document,
        depth,
        at: 0,
        out: String::with_capacity(json.len()),
        path: Vec::new(),
        announced: false,
        covered: document.whole.then_some((0, Cover::All)),
    };
    while walk.step().is_some() {}
    walk.out
}

/// So deep in an answer a changed input may stand: `hookSpecificOutput.decision.updatedInput`.
const INPUT_DEPTH: usize = 3;

/// Whether a tool's arguments stand below this key, in an event, an answer or an outcome.
fn is_input(key: &str) -> bool {
    matches!(snake_case(key).as_str(), "tool_input" | "updated_input" | "modified_input")
}

/// Where in its container a value stands.
enum Step {
    Key(String),
    Index(usize),
}

struct Walk<'a> {
    redactor: &'a Redactor<'a>,
    json: &'a str,
    document: Document<'a>,
    depth: u8,
    at: usize,
    out: String,
    /// A step for each open container.
    path: Vec<Step>,
    /// The last string announces the next one of the same list.
    announced: bool,
    /// All below this many open containers is taken out.
    covered: Option<(usize, Cover)>,
}

impl Walk<'_> {
    /// One token; `None` at the end.
    fn step(&mut self) -> Option<()> {
        match *self.json.as_bytes().get(self.at)? {
            b' ' | b'\n' | b'\r' | b'\t' if self.document.blanks => self.copy(1)?,
            b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
            open @ (b'{' | b'[') => {
                self.announced = false;
                if self.covered.is_none() {
                    self.covered = self.cover().map(|cover| (self.path.len(), cover));
                }
                self.copy(1)?;
                self.path.push(if open == b'{' { Step::Key(String::new()) } else { Step::Index(0) });
            }
            b'}' | b']' => {
                self.copy(1)?;
                self.path.pop();
                let whole = self.document.whole;
                self.covered = self.covered.filter(|(open, _)| whole || self.path.len() > *open);
            }
            b',' => {
                self.copy(1)?;
                if let Some(Step::Index(index)) = self.path.last_mut() {
                    *index += 1;
                }
            }
            b':' => self.copy(1)?,
            b'"' => self.string()?,
            first => self.scalar(first)?,
        }
        Some(())
    }

    fn copy(&mut self, bytes: usize) -> Option<()> {
        let token = self.json.get(self.at..self.at.saturating_add(bytes))?;
        self.out.push_str(token);
        self.at += bytes;
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let rest = self.json.get(self.at..)?;
        let (mut length, mut escaped) = (1, false);
        loop {
            match rest.as_bytes().get(length)? {
                b'\\' if !escaped => escaped = true,
                b'"' if !escaped => break,
                _ => escaped = false,
            }
            length += 1;
        }
        length += 1;
        let raw = rest.get(..length)?;
        self.at += length;
        // A colon behind it makes it a key.
        let next = self.json.get(self.at..)?.trim_start_matches([' ', '\n', '\r', '\t']).as_bytes().first();
        if next == Some(&b':') && matches!(self.path.last(), Some(Step::Key(_))) {
            let name = decode_string(raw).unwrap_or_default();
            let written = if self.document.keys { self.key(raw, &name) } else { Cow::Borrowed(raw) };
            self.out.push_str(&written);
            if let Some(Step::Key(key)) = self.path.last_mut() {
                *key = name;
            }
            return Some(());
        }
        let is_item = matches!(self.path.last(), Some(Step::Index(_)));
        let text = if is_item && self.document.keys { decode_string(raw) } else { None };
        let announced = std::mem::take(&mut self.announced);
        if announced && text.as_deref().is_some_and(Redactor::is_value) {
            self.redactor.took(1);
            self.out.push_str(&quote(MARK));
            return Some(());
        }
        self.announced = text.is_some_and(|text| self.redactor.announces(&text));
        let value = self.value(raw);
        self.out.push_str(&value);
        Some(())
    }

    /// A key may be a secret itself. The keys that answers are read by are shorter than any.
    fn key<'t>(&self, raw: &'t str, name: &str) -> Cow<'t, str> {
        const SHORTEST: usize = 8;
        if name.len() < SHORTEST {
            return Cow::Borrowed(raw);
        }
        let found = text::looks(self.redactor.rules, name);
        self.redactor.took(found.found);
        if found.found == 0 { Cow::Borrowed(raw) } else { Cow::Owned(quote(&found.text)) }
    }

    /// A string that is no key.
    fn value<'t>(&self, raw: &'t str) -> Cow<'t, str> {
        let redactor = self.redactor;
        if self.stays(raw) {
            return Cow::Borrowed(raw);
        }
        if self.cover().is_some() && raw != r#""""# {
            redactor.took(1);
            return Cow::Owned(quote(MARK));
        }
        let Some(text) = decode_string(raw) else {
            redactor.took(1);
            return Cow::Owned(quote(MARK));
        };
        let before = redactor.count();
        let redacted = redactor.nested(&text, self.depth.saturating_add(1));
        if redactor.count() == before { Cow::Borrowed(raw) } else { Cow::Owned(quote(&redacted)) }
    }

    fn scalar(&mut self, first: u8) -> Option<()> {
        let rest = self.json.get(self.at..)?;
        let length = rest.find(|c: char| matches!(c, ',' | '}' | ']') || c.is_ascii_whitespace());
        let length = length.unwrap_or(rest.len());
        let is_number = first == b'-' || first.is_ascii_digit();
        if is_number && self.cover() == Some(Cover::All) {
            self.redactor.took(1);
            self.out.push('0');
            self.at += length;
            return Some(());
        }
        self.copy(length)
    }

    /// Whether the value at hand is taken out.
    fn cover(&self) -> Option<Cover> {
        if let Some((_, cover)) = self.covered {
            return Some(cover);
        }
        let rules = self.redactor.rules;
        if self.depth == 0 && rules.has_pointers() && self.is_pointed_at() {
            return Some(Cover::All);
        }
        match self.path.last() {
            Some(Step::Key(key)) if self.document.keys => rules.covers(key).or_else(|| {
                let names =
                    if self.is_argument(self.path.len()) { self.redactor.names(key) } else { Vec::new() };
                names.into_iter().find_map(|name| rules.covers(name))
            }),
            _ => None,
        }
    }

    /// Whether the key at this depth, counted from 1, is the name of a tool's argument.
    fn is_argument(&self, depth: usize) -> bool {
        let parent = depth.checked_sub(2).and_then(|at| self.path.get(at));
        match (depth, parent) {
            (_, Some(Step::Key(key))) => is_input(key),
            // The outcome's changed input is a text of its own.
            (1, None) => self.document.roots.iter().any(|root| root.last().is_some_and(|key| is_input(key))),
            _ => false,
        }
    }

    fn is_pointed_at(&self) -> bool {
        let path: Vec<Cow<'_, str>> = self
            .path
            .iter()
            .map(|step| match step {
                Step::Key(key) => Cow::Borrowed(key.as_str()),
                Step::Index(index) => Cow::Owned(index.to_string()),
            })
            .collect();
        let roots = self.document.roots.iter().any(|root| self.leads_to(root, &path, 0));
        // What a pointer says of the tool's input holds for a changed one in an answer too.
        let mut inputs = path.iter().enumerate().filter(|(at, key)| *at < INPUT_DEPTH && is_input(key));
        roots
            || inputs
                .any(|(at, _)| self.leads_to(&["tool_input"], path.get(at + 1..).unwrap_or_default(), at + 1))
    }

    /// Whether a pointer leads to `path` below `root`; `cut` steps of the path were left out.
    fn leads_to(&self, root: &[&str], path: &[Cow<'_, str>], cut: usize) -> bool {
        let all: Vec<&str> = root.iter().copied().chain(path.iter().map(AsRef::as_ref)).collect();
        self.redactor.rules.points_at(&all, |at, step, key| {
            let is_own = || match at.checked_sub(root.len()) {
                Some(at) if self.is_argument(at + cut + 1) => self.redactor.names(key).contains(&step),
                _ => false,
            };
            step == key || (at == 0 && snake_case(step) == snake_case(key)) || is_own()
        })
    }

    fn stays(&self, raw: &str) -> bool {
        match self.path.as_slice() {
            [Step::Key(key)] => (self.document.stays)(key, raw),
            _ => false,
        }
    }
}
