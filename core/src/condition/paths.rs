//! Rules for files: patterns as in a `.gitignore`.
//!
//! `//x` is an absolute path, `~/x` one below the home directory, `/x` one below the project, and `x/y` one below the
//! working directory. A name without a slash stands for any file or folder of that name, wherever it is: a hook that
//! guards `*.env` is meant to.

use std::path::{Component, Path, PathBuf};

use super::{Roots, glob};

/// A pattern for paths.
#[derive(Debug)]
pub(super) struct PathPattern {
    base: Base,
    segments: Vec<String>,
}

#[derive(Debug)]
enum Base {
    Root,
    /// Below this folder.
    Folder(PathBuf),
    Cwd,
    /// Any folder.
    Anywhere,
    /// A folder that nobody knows: the rule cannot be tried.
    Unknown,
}

impl PathPattern {
    pub(super) fn new(pattern: &str, roots: &Roots) -> Self {
        let below = |folder: &Option<PathBuf>| folder.clone().map_or(Base::Unknown, Base::Folder);
        let (base, rest) = if let Some(rest) = pattern.strip_prefix("//") {
            (Base::Root, rest)
        } else if let Some(rest) = pattern.strip_prefix("~/") {
            (below(&roots.home), rest)
        } else if let Some(rest) = pattern.strip_prefix('/') {
            (below(&roots.project), rest)
        } else {
            let rest = pattern.strip_prefix("./").unwrap_or(pattern);
            let named = !rest.trim_end_matches('/').contains('/');
            (if named || roots.any_depth { Base::Anywhere } else { Base::Cwd }, rest)
        };
        let segments = rest.split('/').filter(|part| !part.is_empty() && *part != ".");
        Self { base, segments: segments.map(str::to_owned).collect() }
    }

    /// The folder of this machine that it is below.
    pub(super) fn folder(&self) -> Option<&Path> {
        match &self.base {
            Base::Folder(folder) => Some(folder),
            Base::Root | Base::Cwd | Base::Anywhere | Base::Unknown => None,
        }
    }

    /// Whether the file at `path` is meant.
    pub(super) fn matches(&self, path: &str, cwd: Option<&Path>) -> bool {
        // Whose home that is, if it is one, is the tool's affair.
        if path.starts_with('~') {
            return true;
        }
        let full = cwd.map_or_else(|| PathBuf::from(path), |cwd| cwd.join(path));
        let full = parts(&full);
        let folder = match &self.base {
            Base::Unknown => return true,
            Base::Anywhere => {
                return (0..full.len())
                    .any(|start| full.get(start..).is_some_and(|rest| like(&self.segments, rest)));
            }
            Base::Root => Vec::new(),
            Base::Folder(folder) => parts(folder),
            Base::Cwd => match cwd {
                Some(cwd) => parts(cwd),
                None => return true,
            },
        };
        full.strip_prefix(folder.as_slice()).is_some_and(|rest| like(&self.segments, rest))
    }
}

/// The names of a path, `.` and `..` resolved as text.
fn parts(path: &Path) -> Vec<String> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts
}

/// Whether a path starts as the pattern says: what lies in a folder that is meant, is meant too.
fn like(pattern: &[String], path: &[String]) -> bool {
    // Row by row: whether the pattern so far can take the path up to each place.
    let mut reached = vec![false; path.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for segment in pattern {
        let mut next = vec![false; reached.len()];
        let mut open = false;
        for (at, here) in reached.iter().enumerate() {
            open |= *here;
            if segment == "**" {
                if let Some(slot) = next.get_mut(at) {
                    *slot = open;
                }
            } else if *here
                && path.get(at).is_some_and(|name| glob::matches(segment, name))
                && let Some(slot) = next.get_mut(at + 1)
            {
                *slot = true;
            }
        }
        reached = next;
    }
    reached.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let roots = Roots { home: Some("/home/u".into()), project: Some("/repo".into()), any_depth: false };
        PathPattern::new(pattern, &roots).matches(path, Some(Path::new("/repo/sub")))
    }

    #[test]
    fn where_a_pattern_starts() {
        assert!(matches("src/**", "/repo/sub/src/a/b.ts"));
        assert!(!matches("src/**", "/repo/sub/x/src/a.ts"), "the working directory only");
        assert!(matches("**/src/**", "/repo/sub/x/src/a.ts"));
        assert!(!matches("**/src/**", "/elsewhere/src/a.ts"));
        assert!(matches("/src/*.ts", "/repo/src/a.ts"));
        assert!(matches("~/.ssh/**", "/home/u/.ssh/id"));
        assert!(matches("//etc/**", "/etc/passwd"));
        assert!(!matches("//etc/**", "/repo/etc/passwd"));
    }

    #[test]
    fn a_plain_name_is_meant_wherever_it_is() {
        assert!(matches("*.ts", "a.ts"));
        assert!(matches("*.ts", "/tmp/deep/a.ts"));
        assert!(!matches("*.ts", "/tmp/a.md"));
        assert!(matches(".env", "../.env"));
        assert!(matches("node_modules", "/repo/node_modules/x/y.js"));
    }

    #[test]
    fn older_versions_take_a_relative_path_at_any_depth() {
        let roots = Roots { any_depth: true, ..Roots::default() };
        assert!(PathPattern::new("src/**", &roots).matches("/repo/x/src/a.ts", Some(Path::new("/repo"))));
    }

    #[test]
    fn dots_do_not_lead_around_a_rule() {
        assert!(matches("//etc/**", "/repo/../etc/passwd"));
        assert!(!matches("src/**", "src/../secret"));
    }
}
