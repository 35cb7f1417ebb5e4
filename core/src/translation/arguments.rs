//! The arguments of a tool under other names.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::dialect::{Pair, from_common};
use crate::json::{Object, Raw, to_raw, write_object};

/// Names of arguments as the one side has them and as the other does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Arguments {
    pairs: Vec<(String, String)>,
}

impl Arguments {
    /// Of pairs that the host gave: (its own name, the dialect's).
    pub(crate) fn new<'a>(pairs: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
        Self { pairs: pairs.into_iter().map(|(own, other)| (own.clone(), other.clone())).collect() }
    }

    /// From the names of one dialect's tool to those of another's, through the common ones.
    pub(crate) fn between(from: &[Pair], to: &[Pair]) -> Self {
        let told = from.iter().map(|(own, common)| (*own, from_common(to, common)));
        let others = to.iter().filter(|(_, common)| !from.iter().any(|(_, known)| known == common));
        let pairs = told.chain(others.map(|(own, common)| (*common, *own)));
        let differing = pairs.filter(|(own, other)| own != other);
        Self { pairs: differing.map(|(own, other)| (own.to_owned(), other.to_owned())).collect() }
    }

    /// Whether both sides have the same names.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn other<'a>(&'a self, own: &'a str) -> &'a str {
        self.pairs.iter().find(|(name, _)| name == own).map_or(own, |(_, other)| other)
    }

    /// The names that the other side has for this one, whichever side has it.
    pub(crate) fn others<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let other = move |(own, other): &'a (String, String)| match name {
            _ if own == name => Some(other.as_str()),
            _ if other == name => Some(own.as_str()),
            _ => None,
        };
        self.pairs.iter().filter_map(other)
    }

    /// The object `raw` with its keys renamed; how it was done, for the way back; and the keys that are left out. One
    /// that only happens to have the name of a renamed one would be taken for it, and is what the tool does not read.
    pub(crate) fn tell<'a>(&self, raw: &'a str) -> (Cow<'a, str>, Self, Vec<String>) {
        let object = Object::from_raw(raw).filter(|_| !self.pairs.is_empty());
        let Some(object) = object else { return (Cow::Borrowed(raw), self.clone(), Vec::new()) };
        let renamed: BTreeSet<&str> = object
            .iter()
            .filter(|(key, _)| self.other(key) != *key)
            .map(|(key, _)| self.other(key))
            .collect();
        let (mut entries, mut used, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
        for (key, value) in object.iter() {
            let other = self.other(key);
            let stray = other == key && renamed.contains(key);
            if stray || entries.iter().any(|(taken, _)| *taken == other) {
                hidden.push(key.to_owned());
                continue;
            }
            entries.push((other, value));
            if other != key || self.pairs.iter().any(|(_, other)| other == key) {
                used.push((key.to_owned(), other.to_owned()));
            }
        }
        let told = write_object(entries);
        // What this call has comes first, so that a change goes back under the name that it came from.
        let rest = self.pairs.iter().filter(|pair| !used.contains(pair)).cloned();
        let arguments = Self { pairs: used.iter().cloned().chain(rest).collect() };
        (Cow::Owned(told), arguments, hidden)
    }

    /// An object of the other side with its keys as this side names them.
    pub(crate) fn back(&self, raw: &Raw) -> Raw {
        let inverted =
            Self { pairs: self.pairs.iter().map(|(own, other)| (other.clone(), own.clone())).collect() };
        to_raw(&inverted.tell(raw.get()).0).unwrap_or_else(|| raw.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &[Pair] = &[("cmd", "command"), ("line", "command"), ("dir", "path")];
    const OTHER: &[Pair] = &[("folder", "path"), ("quiet", "silent")];

    fn told(raw: &str) -> (String, Arguments, Vec<String>) {
        let (told, arguments, hidden) = Arguments::between(OWN, OTHER).tell(raw);
        (told.into_owned(), arguments, hidden)
    }

    fn back(arguments: &Arguments, raw: &str) -> String {
        arguments.back(&to_raw(raw).unwrap()).get().to_owned()
    }

    #[test]
    fn there_and_back() {
        let (text, arguments, hidden) = told(r#"{"dir":"/","cmd":"ls","silent":true,"x":1}"#);
        assert_eq!(text, r#"{"folder":"/","command":"ls","quiet":true,"x":1}"#);
        assert!(hidden.is_empty());
        assert_eq!(
            back(&arguments, r#"{"command":"pwd","folder":"/t","quiet":false,"y":2}"#),
            r#"{"cmd":"pwd","dir":"/t","silent":false,"y":2}"#
        );
    }

    #[test]
    fn a_change_goes_back_under_the_name_it_came_from() {
        let (text, arguments, _) = told(r#"{"line":"ls"}"#);
        assert_eq!(text, r#"{"command":"ls"}"#);
        assert_eq!(back(&arguments, r#"{"command":"pwd"}"#), r#"{"line":"pwd"}"#);
        let (text, arguments, _) = told(r#"{"command":"ls"}"#);
        assert_eq!(text, r#"{"command":"ls"}"#);
        assert_eq!(back(&arguments, r#"{"command":"pwd"}"#), r#"{"command":"pwd"}"#);
    }

    #[test]
    fn a_stranger_with_the_name_of_an_argument_is_not_taken_for_it() {
        for raw in [r#"{"command":"ls","cmd":"rm -rf /"}"#, r#"{"cmd":"rm -rf /","command":"ls"}"#] {
            let (text, _, hidden) = told(raw);
            assert_eq!((text.as_str(), hidden), (r#"{"command":"rm -rf /"}"#, vec!["command".to_owned()]));
        }
        let (text, _, hidden) = told(r#"{"cmd":"a","line":"b"}"#);
        assert_eq!((text.as_str(), hidden), (r#"{"command":"a"}"#, vec!["line".to_owned()]));
    }

    #[test]
    fn what_is_no_object_stays() {
        assert_eq!(told("[1]").0, "[1]");
        assert_eq!(back(&Arguments::between(OWN, OTHER), "7"), "7");
    }
}
