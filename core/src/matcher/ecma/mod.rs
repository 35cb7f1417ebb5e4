//! ECMAScript regular expressions without flags, in bounded time.
//!
//! Hook matchers are JavaScript regular expressions, and a permission decision must not depend on which
//! engine reads them: [`Regex`] has the semantics of `new RegExp(pattern).test(subject)` (ECMA-262 2024
//! §22.2, with the Annex B grammar, over UTF-16 code units), and the work of a test is bounded whatever
//! the pattern:
//!
//! * Without back-references, a test takes at most program size x subject length: nothing backtracks.
//! * With back-references, which no engine handles in polynomial time, a test backtracks for about a million
//!   steps and then gives up with [`Verdict::LimitExceeded`].
//!
//! Patterns that nest more than 100 groups or expand to more than 250,000 instructions are refused.

mod ast;
mod backtrack;
mod backtrack_compile;
mod class;
mod compile;
#[cfg(test)]
mod differential;
mod escape;
mod exec;
mod literal;
mod outline;
mod parse;
mod scan;
#[cfg(test)]
mod tests;

pub(super) use outline::is_surely_valid;

use std::fmt;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Regex {
    classes: Vec<class::CharSet>,
    plan: Plan,
}

#[derive(Debug)]
enum Plan {
    Literals(Vec<literal::Literal>),
    Automaton(compile::Automaton),
    Backtrack(backtrack_compile::Program),
}

/// The result of [`Regex::test`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub(super) enum Verdict {
    /// `RegExp.prototype.test` would return `true`.
    Match,
    /// `RegExp.prototype.test` would return `false`.
    NoMatch,
    /// The pattern takes too much work on this subject to tell.
    LimitExceeded,
}

/// A pattern that JavaScript rejects, or that is too large to be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    message: String,
    offset: usize,
    limit: bool,
}

impl SyntaxError {
    fn new(message: &str, offset: usize) -> Self {
        Self { message: message.to_owned(), offset, limit: false }
    }

    /// A limit of this implementation.
    fn limit(message: &str, offset: usize) -> Self {
        Self { limit: true, ..Self::new(message, offset) }
    }

    fn too_large() -> Self {
        Self::limit("regular expression too large", 0)
    }

    /// Whether JavaScript might accept the pattern, which only exceeds a limit of this implementation.
    #[must_use]
    pub(super) fn is_limit(&self) -> bool {
        self.limit
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.message, self.offset)
    }
}

impl std::error::Error for SyntaxError {}

impl Regex {
    /// Whether [`new`](Self::new) accepts the pattern, at a fraction of its cost. A pattern that is accepted here may
    /// still turn out to be too large.
    ///
    /// # Errors
    /// When the pattern is not valid, or nested too deeply.
    pub(super) fn check(pattern: &str) -> Result<(), SyntaxError> {
        parse::parse(pattern).map(drop)
    }

    /// Compiles a pattern, as `new RegExp(pattern)` would.
    ///
    /// # Errors
    /// When the pattern is not valid, or too large.
    pub(super) fn new(pattern: &str) -> Result<Self, SyntaxError> {
        let parsed = parse::parse(pattern)?;
        let plan = if parsed.has_back_references {
            Plan::Backtrack(backtrack_compile::compile(&parsed.root, parsed.group_count)?)
        } else if let Some(literals) = literal::literals(&parsed.root) {
            Plan::Literals(literals)
        } else {
            Plan::Automaton(compile::compile(&parsed.root, parsed.look_count)?)
        };
        Ok(Self { classes: parsed.classes, plan })
    }

    /// Whether the pattern matches anywhere in `subject`.
    pub(super) fn test(&self, subject: &str) -> Verdict {
        match &self.plan {
            Plan::Literals(literals) if literal::test(literals, subject) => Verdict::Match,
            Plan::Literals(_) => Verdict::NoMatch,
            Plan::Automaton(automaton) => {
                with_units(subject, |units| exec::test(automaton, &self.classes, units))
            }
            Plan::Backtrack(program) => {
                with_units(subject, |units| backtrack::test(program, &self.classes, units))
            }
        }
    }
}

/// Hands the UTF-16 form of `subject` to `run`; short subjects such as tool names stay off the heap.
fn with_units<T>(subject: &str, run: impl FnOnce(&[u16]) -> T) -> T {
    let mut buffer = [0u16; 128];
    let mut length = 0usize;
    for unit in subject.encode_utf16() {
        match buffer.get_mut(length) {
            Some(slot) => *slot = unit,
            None => return run(&subject.encode_utf16().collect::<Vec<u16>>()),
        }
        length = length.saturating_add(1);
    }
    run(buffer.get(..length).unwrap_or_default())
}
