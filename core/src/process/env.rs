//! The environment of a process, ready to be handed to the system.

use std::borrow::Cow;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::sync::Arc;

/// A set of environment variables.
///
/// The bulk is prepared once and shared; each clone may set or remove a few variables of its own. Cloning and
/// handing it to a process copies references, not text. Safe to share between threads.
#[derive(Clone, Default)]
pub struct Environment {
    base: Arc<[Entry]>,
    extra: Vec<Entry>,
    hidden: Vec<usize>,
    invalid: Option<OsString>,
}

#[derive(Clone)]
struct Entry {
    text: CString,
    name: usize,
}

impl Entry {
    fn new(name: &OsStr, value: &OsStr) -> Option<Self> {
        let name = bytes(name);
        if name.is_empty() || name.contains(&b'=') {
            return None;
        }
        let value = bytes(value);
        let mut text = Vec::with_capacity(name.len() + value.len() + 2);
        text.extend_from_slice(&name);
        text.push(b'=');
        text.extend_from_slice(&value);
        Some(Self { text: CString::new(text).ok()?, name: name.len() })
    }

    fn name(&self) -> &[u8] {
        self.text.as_bytes().get(..self.name).unwrap_or_default()
    }

    fn value(&self) -> &[u8] {
        self.text.as_bytes().get(self.name + 1..).unwrap_or_default()
    }
}

impl Environment {
    /// An environment of exactly these variables. Of two with the same name the later one counts.
    ///
    /// A name that is empty or holds `=`, and a NUL byte anywhere, cannot be handed to a process: the
    /// variable is left out, and [`invalid`](Self::invalid) tells its name.
    pub fn new<N: AsRef<OsStr>, V: AsRef<OsStr>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        let mut invalid = None;
        for (name, value) in variables {
            let Some(entry) = Entry::new(name.as_ref(), value.as_ref()) else {
                invalid = Some(name.as_ref().to_owned());
                continue;
            };
            match known.get(entry.name()).and_then(|&at: &usize| entries.get_mut(at)) {
                Some(earlier) => *earlier = entry,
                None => {
                    known.insert(entry.name().to_vec(), entries.len());
                    entries.push(entry);
                }
            }
        }
        Self { base: entries.into(), extra: Vec::new(), hidden: Vec::new(), invalid }
    }

    /// A copy of this process's environment as it is now. Variables that no program could read are left out.
    pub fn inherited() -> Self {
        let mut environment = Self::new(std::env::vars_os());
        environment.invalid = None;
        environment
    }

    /// Sets a variable, in this clone only. What cannot be set is kept out and named by
    /// [`invalid`](Self::invalid).
    pub fn set(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        let name = name.as_ref();
        match Entry::new(name, value.as_ref()) {
            Some(entry) => {
                self.remove(name);
                self.extra.push(entry);
            }
            None => self.invalid = Some(name.to_owned()),
        }
    }

    /// Removes a variable, in this clone only.
    pub fn remove(&mut self, name: impl AsRef<OsStr>) {
        let name = bytes(name.as_ref());
        self.extra.retain(|entry| entry.name() != &*name);
        if let Some(at) = self.base.iter().position(|entry| entry.name() == &*name)
            && !self.hidden.contains(&at)
        {
            self.hidden.push(at);
        }
    }

    /// Removes the variables whose names, `gone` picks, in this clone only.
    pub fn remove_where(&mut self, gone: impl Fn(&OsStr) -> bool) {
        let gone = |entry: &Entry| gone(&os_str(entry.name()));
        self.extra.retain(|entry| !gone(entry));
        for (at, entry) in self.base.iter().enumerate() {
            if gone(entry) && !self.hidden.contains(&at) {
                self.hidden.push(at);
            }
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<OsString> {
        let name = bytes(name.as_ref());
        self.entries().find(|entry| entry.name() == &*name).map(|entry| os_string(entry.value()))
    }

    /// All variables.
    pub fn iter(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        self.entries().map(|entry| (os_string(entry.name()), os_string(entry.value())))
    }

    /// The names and values of all variables, without copies.
    #[cfg(target_os = "linux")]
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> + '_ {
        self.entries().map(|entry| (entry.name(), entry.value()))
    }

    /// The name of a variable that could not be set. A command with such an environment is not started.
    pub fn invalid(&self) -> Option<&OsStr> {
        self.invalid.as_deref()
    }

    /// The variables as `NAME=value`.
    #[cfg_attr(not(unix), allow(dead_code))]
    pub(super) fn strings(&self) -> impl Iterator<Item = &CStr> {
        self.entries().map(|entry| entry.text.as_c_str())
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        let kept =
            self.base.iter().enumerate().filter(|(at, _)| !self.hidden.contains(at)).map(|(_, entry)| entry);
        kept.chain(&self.extra)
    }
}

/// Tells the names only: values may be secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.entries().map(|entry| os_string(entry.name()))).finish()
    }
}

#[cfg(unix)]
fn bytes(text: &OsStr) -> Cow<'_, [u8]> {
    Cow::Borrowed(std::os::unix::ffi::OsStrExt::as_bytes(text))
}

#[cfg(unix)]
fn os_str(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(std::os::unix::ffi::OsStrExt::from_bytes(bytes))
}

#[cfg(not(unix))]
fn os_str(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Owned(os_string(bytes))
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn bytes(text: &OsStr) -> Cow<'_, [u8]> {
    Cow::Owned(text.to_string_lossy().into_owned().into_bytes())
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    OsString::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_base_and_keep_their_own() {
        let base = Environment::new([("A", "1"), ("B", "2"), ("A", "3")]);
        let mut own = base.clone();
        own.set("B", "two");
        own.set("C", "");
        own.remove("A");
        let texts =
            |e: &Environment| e.strings().map(|s| s.to_string_lossy().into_owned()).collect::<Vec<_>>();
        assert_eq!(texts(&base), ["A=3", "B=2"]);
        assert_eq!(texts(&own), ["B=two", "C="]);
        assert_eq!(own.get("B"), Some("two".into()));
        assert_eq!(own.get("A"), None);
        own.remove_where(|name| name.eq_ignore_ascii_case("c") || name.eq_ignore_ascii_case("b"));
        assert_eq!(texts(&own), Vec::<String>::new());
        own.set("A=", "x");
        assert_eq!(own.invalid(), Some(OsStr::new("A=")));
        assert_eq!(Environment::new([("N", "a\0b")]).invalid(), Some(OsStr::new("N")));
    }
}
