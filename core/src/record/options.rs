//! The option `record`.

use std::path::PathBuf;

use serde::Deserialize;

#[cfg(feature = "cli")]
use super::redact::Rules;
use crate::error::{Error, ErrorKind, Place};
use crate::json::{Kind, decode_string};
use crate::wire::{self, attempt};

/// A recording may have so many bytes, unless the host says otherwise.
const LARGEST: u64 = 1 << 30;

/// Where dispatches are recorded, and what is left out.
///
/// As JSON: a path, or `{path, redact, usual_rules, max_bytes}`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordOptions {
    /// The file that lines are appended to. Made when it is not there, for its owner only. One that others may read or write,
    /// one of another user and a symbolic link are refused.
    pub path: PathBuf,
    /// What is not written down, beside what the usual rules say.
    pub redact: Vec<RedactRule>,
    /// Whether the usual rules count: keys whose names say that they hold a secret, and texts that look like one.
    /// Default: true.
    pub usual_rules: bool,
    /// Bytes that the file may have; what would make it larger is not recorded, with a diagnostic. Default: 1 GiB.
    pub max_bytes: u64,
}

/// What is not written down. As JSON one of `{"key": ...}`, `{"pointer": ...}`, `{"pattern": ...}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RedactRule {
    /// The values of all keys of this name in events, in hooks' answers and in outcomes; `*` is any text. Neither case nor
    /// `_` and `-` make a difference.
    Key(String),
    /// The value that this JSON pointer (RFC 6901) leads to, in the event, a hook's answer or the outcome; `*` stands for
    /// any one key or index.
    Pointer(String),
    /// Whatever this regular expression (of the crate `regex`) finds in a string.
    Pattern(String),
}

#[cfg(feature = "cli")]
impl RedactRule {
    /// Whether it can be used.
    pub(crate) fn check(&self) -> Result<(), Error> {
        Rules::new(false, std::slice::from_ref(self)).map(|_| ())
    }
}

impl RecordOptions {
    /// A recording in this file, everything else as by default.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), redact: Vec::new(), usual_rules: true, max_bytes: LARGEST }
    }

    /// Reads the option from its JSON text.
    pub(crate) fn from_raw(raw: &str) -> Result<Self, Error> {
        let invalid = |message: String| {
            let pointer = Some("/record".to_owned());
            Error::new(ErrorKind::InvalidOptions, message).at(Place { pointer, ..Place::default() })
        };
        match Kind::of(raw) {
            Kind::String => Ok(Self::new(decode_string(raw).unwrap_or_default())),
            _ => {
                let wire: Wire = wire::read(raw, attempt!(Wire)).map_err(|(why, place)| {
                    let text =
                        format!("`record` is a path or {{path, redact, usual_rules, max_bytes}}: {why}");
                    let pointer = Some(format!("/record{}", place.pointer.unwrap_or_default()));
                    invalid(text).at(Place { pointer, ..Place::default() })
                })?;
                let usual = Self::new(wire.path);
                Ok(Self {
                    redact: wire.redact,
                    usual_rules: wire.usual_rules.unwrap_or(usual.usual_rules),
                    max_bytes: wire.max_bytes.unwrap_or(usual.max_bytes),
                    ..usual
                })
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    path: PathBuf,
    #[serde(default)]
    redact: Vec<RedactRule>,
    #[serde(default, alias = "usualRules")]
    usual_rules: Option<bool>,
    #[serde(default, alias = "maxBytes")]
    max_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_alone_and_all_of_it() {
        assert_eq!(RecordOptions::from_raw(r#""a.jsonl""#).unwrap(), RecordOptions::new("a.jsonl"));
        let all = r#"{"path":"b","redact":[{"key":"*pin*"},{"pointer":"/a"},{"pattern":"x+"}],"usualRules":false,"max_bytes":9}"#;
        let all = RecordOptions::from_raw(all).unwrap();
        assert_eq!((all.usual_rules, all.max_bytes, all.redact.len()), (false, 9, 3));
        assert_eq!(all.redact.first(), Some(&RedactRule::Key("*pin*".into())));
    }

    #[test]
    fn mistakes_are_named() {
        for (given, wanted) in [
            ("7", "`record` is a path or"),
            (r#"{"redact":[]}"#, "`path` is missing"),
            (r#"{"path":"x","redact":[{"keys":"y"}]}"#, "`redact[0]` has the key `keys`, it must be"),
            (r#"{"path":"x","max_bytes":-1}"#, "`max_bytes` is a number, it must be a whole number"),
        ] {
            let error = RecordOptions::from_raw(given).unwrap_err().to_string();
            assert!(error.contains(wanted) && error.contains("/record"), "{error}");
        }
    }
}
