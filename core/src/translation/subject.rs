//! What matchers look at, in the words of a hook's dialect.

use super::{called, value};
use crate::dialect::{Dialect, Target};
use crate::matcher::Subject;

/// What the matchers of `to` look at when a host that speaks `from` says `name`.
pub(crate) fn subject(name: String, target: Target, from: &'static Dialect, to: &'static Dialect) -> Subject {
    let foreign = to != from && !name.is_empty();
    let (name, also) = match target {
        Target::Tool if foreign => {
            let called = called(&name, from, to);
            (called.name, called.also)
        }
        Target::Field(field) if foreign => (value(field, &name, from, to).to_owned(), Vec::new()),
        _ => (name, Vec::new()),
    };
    let names = || std::iter::once(&name).chain(&also);
    let aliases = match target {
        Target::Tool => names().flat_map(|name| to.aliases.of(name)),
        _ => return Subject { name, also, ..Subject::default() },
    };
    let aliases = aliases.filter(|alias| !names().any(|name| name == alias)).collect();
    Subject { name, also, aliases, aliases_in_patterns: to.aliases.in_patterns }
}
