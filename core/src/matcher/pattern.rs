//! Regular expressions that are checked when the settings are read, and compiled when an event first needs them.

use std::sync::OnceLock;

use super::{InvalidPattern, ecma};

/// Whose regular expressions they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    JavaScript,
    /// Of the crate `regex`.
    Rust,
}

/// A valid pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    syntax: Syntax,
    text: Box<str>,
    compiled: OnceLock<Compiled>,
}

#[derive(Debug)]
enum Compiled {
    JavaScript(Box<ecma::Regex>),
    Rust(Box<regex::Regex>),
    /// The agent may accept the pattern, but it is too large to be tried here.
    TooLarge,
}

/// Bytes that a compiled Rust pattern may take; such a pattern is matched in time linear in the subject.
const RUST_PATTERN: usize = 1 << 20;

impl Pattern {
    /// Checks that `text` is a pattern.
    pub(super) fn new(syntax: Syntax, text: &str) -> Result<Self, InvalidPattern> {
        let compiled = match syntax {
            // What the outline takes for valid is so for both.
            _ if ecma::is_surely_valid(text) => OnceLock::new(),
            Syntax::JavaScript => match ecma::Regex::check(text) {
                Ok(()) => OnceLock::new(),
                Err(error) if error.is_limit() => OnceLock::from(Compiled::TooLarge),
                Err(error) => return Err(InvalidPattern(error.to_string())),
            },
            Syntax::Rust => OnceLock::from(Compiled::new(syntax, text)?),
        };
        Ok(Self { syntax, text: text.into(), compiled })
    }

    /// Whether it matches anywhere in `name`.
    pub(super) fn test(&self, name: &str) -> ecma::Verdict {
        // What was found valid cannot turn out to be invalid now.
        let compile = || Compiled::new(self.syntax, &self.text).unwrap_or(Compiled::TooLarge);
        match self.compiled.get_or_init(compile) {
            Compiled::JavaScript(regex) => regex.test(name),
            Compiled::Rust(regex) if regex.is_match(name) => ecma::Verdict::Match,
            Compiled::Rust(_) => ecma::Verdict::NoMatch,
            Compiled::TooLarge => ecma::Verdict::LimitExceeded,
        }
    }
}

impl Compiled {
    fn new(syntax: Syntax, text: &str) -> Result<Self, InvalidPattern> {
        match syntax {
            Syntax::JavaScript => match ecma::Regex::new(text) {
                Ok(regex) => Ok(Self::JavaScript(Box::new(regex))),
                Err(error) if error.is_limit() => Ok(Self::TooLarge),
                Err(error) => Err(InvalidPattern(error.to_string())),
            },
            Syntax::Rust => match regex::RegexBuilder::new(text).size_limit(RUST_PATTERN).build() {
                Ok(regex) => Ok(Self::Rust(Box::new(regex))),
                Err(regex::Error::CompiledTooBig(_)) => Ok(Self::TooLarge),
                Err(error) => {
                    // The first lines of such an error repeat the pattern and point into it.
                    let text = error.to_string();
                    let what = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    Err(InvalidPattern(what.to_owned()))
                }
            },
        }
    }
}
