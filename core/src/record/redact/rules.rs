//! The rules: which keys hold secrets, which places do, and what secrets look like.

use regex::{Regex, RegexBuilder};

use crate::condition::glob;
use crate::error::{Error, ErrorKind, Place};
use crate::record::RedactRule;

/// Keys that hold secrets, in lower case and without `_` and `-`; `*` is any text.
const KEYS: [(&str, Cover); 12] = [
    // Numbers stay: `max_tokens` and its like count something.
    ("*token*", Cover::Strings),
    ("*secret*", Cover::All),
    ("*password*", Cover::All),
    ("*passwd*", Cover::All),
    ("*passphrase*", Cover::All),
    ("*apikey*", Cover::All),
    ("*accesskey*", Cover::All),
    ("*privatekey*", Cover::All),
    ("*credential*", Cover::All),
    ("*authorization", Cover::All),
    ("*cookie*", Cover::Strings),
    ("xauth*", Cover::Strings),
];

/// A compiled pattern of the host takes no more memory than this, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

/// What of a key's value is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cover {
    Strings,
    /// Strings and numbers.
    All,
}

/// A name with stars. An event may have millions of keys, so what most rules are is told apart.
#[derive(Debug)]
enum Name {
    Holds(String),
    Ends(String),
    Other(String),
}

impl Name {
    fn new(pattern: &str) -> Self {
        let name = folded(pattern);
        let plain = |text: &str| !text.contains(['*', '\\']);
        match name.strip_prefix('*').map(|rest| (rest, rest.strip_suffix('*'))) {
            Some((_, Some(inner))) if plain(inner) => Self::Holds(inner.to_owned()),
            Some((end, None)) if plain(end) => Self::Ends(end.to_owned()),
            _ => Self::Other(name),
        }
    }

    /// `key` is folded.
    fn is(&self, key: &str) -> bool {
        match self {
            Self::Holds(inner) => key.contains(inner.as_str()),
            Self::Ends(end) => key.ends_with(end.as_str()),
            Self::Other(pattern) => glob::matches(pattern, key),
        }
    }
}

/// The rules of one recorder.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    keys: Vec<(Name, Cover)>,
    pointers: Vec<Vec<String>>,
    pub(super) patterns: Vec<Regex>,
    /// What is known of how secrets look counts too.
    pub(super) usual: bool,
    /// The host has rules.
    own: bool,
    /// One of them tells secrets by where they stand, and not by what they look like.
    by_place: bool,
}

impl Rules {
    /// The usual rules, unless they are not wanted, and those of the host.
    ///
    /// # Errors
    /// `invalid_options`: a pointer or pattern is none.
    pub(crate) fn new(usual: bool, own: &[RedactRule]) -> Result<Self, Error> {
        let by_place = own.iter().any(|rule| !matches!(rule, RedactRule::Pattern(_)));
        let mut rules = Self { usual, own: !own.is_empty(), by_place, ..Self::default() };
        if usual {
            rules.keys.extend(KEYS.map(|(name, cover)| (Name::new(name), cover)));
        }
        for (index, rule) in own.iter().enumerate() {
            let invalid = |message: String| {
                let pointer = Some(format!("/record/redact/{index}"));
                Error::new(ErrorKind::InvalidOptions, message).at(Place { pointer, ..Place::default() })
            };
            let nothing =
                |what| format!("an empty {what} takes nothing out; write one, or leave the rule out");
            match rule {
                RedactRule::Key(name) if folded(name).is_empty() => return Err(invalid(nothing("key"))),
                RedactRule::Pattern(pattern) if pattern.is_empty() => {
                    return Err(invalid(nothing("pattern")));
                }
                RedactRule::Key(name) => rules.keys.push((Name::new(name), Cover::All)),
                RedactRule::Pointer(pointer) => rules.pointers.push(steps(pointer).map_err(invalid)?),
                RedactRule::Pattern(pattern) => {
                    let built = RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build();
                    let refused =
                        |error| invalid(format!("the pattern `{pattern}` cannot be used to redact: {error}"));
                    rules.patterns.push(built.map_err(refused)?);
                }
            }
        }
        Ok(rules)
    }

    /// What of the value at `key` is taken out, wherever the key stands.
    pub(super) fn covers(&self, key: &str) -> Option<Cover> {
        let key = folded(key);
        self.keys.iter().find(|(name, _)| name.is(&key)).map(|(_, cover)| *cover)
    }

    /// Whether one of the pointers leads there. `path` has the keys and indices from the root on; `is` tells whether a
    /// step of a pointer means the key or index at that depth.
    pub(super) fn points_at(&self, path: &[&str], is: impl Fn(usize, &str, &str) -> bool) -> bool {
        let leads = |steps: &Vec<String>| {
            let mut pairs = steps.iter().zip(path).enumerate();
            steps.len() == path.len() && pairs.all(|(at, (step, key))| step == "*" || is(at, step, key))
        };
        self.pointers.iter().any(leads)
    }

    /// Whether there are others than the usual ones.
    pub(crate) fn has_own(&self) -> bool {
        self.own
    }

    /// Whether one of the host's tells secrets by where they stand.
    pub(super) fn goes_by_place(&self) -> bool {
        self.by_place
    }

    /// Whether any name of a key tells a secret.
    pub(super) fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    pub(super) fn has_pointers(&self) -> bool {
        !self.pointers.is_empty()
    }
}

/// `X-Api_Key` as `xapikey`: writers of names do not agree.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// The steps of a JSON pointer (RFC 6901); `*` is any one key or index.
fn steps(pointer: &str) -> Result<Vec<String>, String> {
    let rest = pointer.strip_prefix('/').ok_or_else(|| {
        format!("`{pointer}` is no JSON pointer to redact; write one like /tool_input/content")
    })?;
    Ok(rest.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect())
}
