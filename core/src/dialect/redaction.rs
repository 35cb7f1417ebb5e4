//! Secrets of the host that a hook does not inherit, where the settings or the surroundings ask for that.

use std::ffi::OsStr;
use std::sync::OnceLock;

use regex::{RegexSet, RegexSetBuilder};

use crate::process::Environment;

/// Which inherited variables are secrets. Names are compared in any case of letters.
#[derive(Debug)]
pub(crate) struct Redaction {
    /// A variable with this value, or any when there is none, lets only those pass that are named as passing.
    pub(crate) strict: &'static [(&'static str, Option<&'static str>)],
    pub(crate) passes: &'static [&'static str],
    pub(crate) passing_prefix: &'static str,
    pub(crate) secrets: &'static [&'static str],
    /// Parts of a name that make it a secret.
    pub(crate) secret_parts: &'static [&'static str],
    pub(crate) secret_values: Patterns,
}

/// What the settings say of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RedactionSettings {
    pub(crate) enabled: bool,
    pub(crate) allowed: Vec<String>,
    pub(crate) blocked: Vec<String>,
}

/// Regular expressions, in any case of letters, compiled when they are first needed.
#[derive(Debug)]
pub(crate) struct Patterns {
    texts: &'static [&'static str],
    compiled: OnceLock<RegexSet>,
}

impl Patterns {
    pub(crate) const fn new(texts: &'static [&'static str]) -> Self {
        Self { texts, compiled: OnceLock::new() }
    }

    fn match_any(&self, text: &str) -> bool {
        let compile = || RegexSetBuilder::new(self.texts).case_insensitive(true).build();
        // A test compiles those of every dialect; one that could not be compiled would take all values for secrets.
        self.compiled
            .get_or_init(|| compile().unwrap_or_else(|_| RegexSet::new([""]).unwrap_or_default()))
            .is_match(text)
    }
}

impl Redaction {
    /// Takes the secrets out of what a hook inherits.
    pub(crate) fn apply(&self, env: &mut Environment, settings: &RedactionSettings) {
        let value = |name: &str| env.get(name).filter(|value| !value.is_empty());
        let strict = self.strict.iter().any(|(name, wanted)| {
            value(name).is_some_and(|value| wanted.is_none_or(|wanted| value == OsStr::new(wanted)))
        });
        if !settings.enabled && !strict {
            return;
        }
        let secrets: Vec<_> = env
            .iter()
            .filter(|(name, value)| {
                self.is_secret(&name.to_string_lossy(), &value.to_string_lossy(), settings, strict)
            })
            .map(|(name, _)| name)
            .collect();
        secrets.iter().for_each(|name| env.remove(name));
    }

    fn is_secret(&self, name: &str, value: &str, settings: &RedactionSettings, strict: bool) -> bool {
        let name = name.to_ascii_uppercase();
        let listed = |names: &[String]| names.iter().any(|known| known.eq_ignore_ascii_case(&name));
        if listed(&settings.allowed) {
            return false;
        }
        if listed(&settings.blocked) {
            return true;
        }
        if self.passes.contains(&name.as_str()) || name.starts_with(self.passing_prefix) {
            return false;
        }
        strict
            || self.secrets.contains(&name.as_str())
            || self.secret_parts.iter().any(|part| name.contains(part))
            || self.secret_values.match_any(value)
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn the_patterns_of_every_dialect_compile() {
        for name in super::super::names() {
            let redaction = super::super::by_name(name).and_then(|dialect| dialect.redaction);
            for text in redaction.map_or(&[][..], |redaction| redaction.secret_values.texts) {
                assert!(regex::Regex::new(text).is_ok(), "{name}: {text}");
            }
        }
    }
}
