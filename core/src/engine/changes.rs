//! What differs between the settings as they are and the set that runs: files by their content, hooks by what they do.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use super::live::State;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::error::Error;
use crate::hook::HookSet;
use crate::json::to_json;
use crate::report::{self, Listing};
use crate::settings::{self, Gathered};

/// What differs between the settings as they are and the set that runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Changes {
    /// Files that came, went or have another content.
    pub files: Vec<FileChange>,
    /// Hooks that are not in the set.
    pub added: Vec<Listing>,
    /// Hooks that are in the set in another form.
    pub changed: Vec<Change>,
    /// Hooks of the set that are not there any more.
    pub removed: Vec<Listing>,
    /// What cannot be taken over, and why.
    pub diagnostics: Vec<Diagnostic>,
}

impl Changes {
    /// Whether the settings are what the set was made from.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { files, added, changed, removed, diagnostics } = self;
        files.is_empty()
            && added.is_empty()
            && changed.is_empty()
            && removed.is_empty()
            && diagnostics.is_empty()
    }
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path.
    pub path: String,
    /// What became of it.
    pub change: FileFate,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFate {
    /// It was not there.
    Added,
    /// It has another content.
    Changed,
    /// It is gone.
    Removed,
    /// It cannot be read or parsed.
    Broken,
}

/// A hook in its old and its new form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// As it runs.
    pub before: Listing,
    /// As the settings have it now.
    pub after: Listing,
}

/// The changes when a named source cannot be read at all.
pub(crate) fn of_unreadable(error: &Error) -> Changes {
    Changes {
        files: error.place().path.iter().map(|path| broken_file(path)).collect(),
        diagnostics: vec![unreadable(error)],
        ..Changes::default()
    }
}

fn unreadable(error: &Error) -> Diagnostic {
    let place = error.place();
    Diagnostic::error(Code::SettingsUnreadable, error.message()).from_origin(&Origin {
        path: place.path.clone(),
        pointer: place.pointer.clone(),
        line: place.line,
        ..Origin::default()
    })
}

fn broken_file(path: &str) -> FileChange {
    FileChange { path: path.to_owned(), change: FileFate::Broken }
}

/// Compares what was taken over with what is there now; `set` is made from the latter.
pub(crate) fn compare(state: &State, fresh: &Gathered, set: &HookSet) -> Changes {
    let mut changes = Changes {
        files: compare_files(&state.gathered, fresh),
        diagnostics: fresh.broken.iter().map(settings::Broken::diagnostic).collect(),
        ..Changes::default()
    };
    compare_hooks(report::list(state.base()), report::list(set), &mut changes);
    changes
}

fn compare_files(old: &Gathered, new: &Gathered) -> Vec<FileChange> {
    let by_path = |gathered: &Gathered| -> BTreeMap<String, String> {
        gathered.files.iter().map(|file| (file.path.clone(), file.digest.clone())).collect()
    };
    let (before, after) = (by_path(old), by_path(new));
    let broken: BTreeSet<&str> = new.broken.iter().map(|broken| broken.path.as_str()).collect();
    let was_broken: BTreeSet<&str> = old.broken.iter().map(|broken| broken.path.as_str()).collect();
    let paths: BTreeSet<&str> =
        before.keys().chain(after.keys()).map(String::as_str).chain(broken.iter().copied()).collect();
    let fate = |path: &str| match (before.get(path), after.get(path)) {
        (known, fresh) if broken.contains(path) => {
            let same = was_broken.contains(path) && known == fresh;
            (!same).then_some(FileFate::Broken)
        }
        (None, Some(_)) if was_broken.contains(path) => Some(FileFate::Changed),
        (None, Some(_)) => Some(FileFate::Added),
        (Some(_), None) => Some(FileFate::Removed),
        (known, fresh) => (known != fresh).then_some(FileFate::Changed),
    };
    paths
        .into_iter()
        .filter_map(|path| Some(FileChange { path: path.to_owned(), change: fate(path)? }))
        .collect()
}

/// What a hook is, wherever in its file it stands.
fn content(hook: &Listing) -> String {
    let mut hook = hook.clone();
    hook.id = String::new();
    (hook.origin.pointer, hook.origin.line) = (None, None);
    to_json(&hook)
}

/// What a hook is called: enough to say that it is the same one in another form.
fn name(hook: &Listing) -> String {
    let Listing { event, dialect, kind, label, matcher, origin, .. } = hook;
    to_json(&(event, dialect, kind, label, matcher, &origin.scope, &origin.path))
}

/// Pairs the hooks of two sets: equal ones first, then those of the same name, then those at the same place.
fn compare_hooks(mut old: Vec<Listing>, mut new: Vec<Listing>, changes: &mut Changes) {
    pair(&mut old, &mut new, content, |_, _| {});
    let mut changed = Vec::new();
    pair(&mut old, &mut new, name, |before, after| changed.push(Change { before, after }));
    let place = |hook: &Listing| to_json(&(&hook.id, &hook.dialect, &hook.origin.path));
    pair(&mut old, &mut new, place, |before, after| changed.push(Change { before, after }));
    changes.added = new;
    changes.changed = changed;
    changes.removed = old;
}

/// Takes out of both lists those that have the same key, one for one, in order.
fn pair(
    old: &mut Vec<Listing>,
    new: &mut Vec<Listing>,
    key: impl Fn(&Listing) -> String,
    mut take: impl FnMut(Listing, Listing),
) {
    let mut waiting: BTreeMap<String, VecDeque<(usize, Listing)>> = BTreeMap::new();
    for (index, hook) in new.drain(..).enumerate() {
        waiting.entry(key(&hook)).or_default().push_back((index, hook));
    }
    let mut left = Vec::new();
    for before in old.drain(..) {
        match waiting.get_mut(&key(&before)).and_then(VecDeque::pop_front) {
            Some((_, after)) => take(before, after),
            None => left.push(before),
        }
    }
    *old = left;
    let mut rest: Vec<(usize, Listing)> = waiting.into_values().flatten().collect();
    rest.sort_by_key(|(index, _)| *index);
    *new = rest.into_iter().map(|(_, hook)| hook).collect();
}
