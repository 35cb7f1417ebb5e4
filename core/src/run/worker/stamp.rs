//! Whether the files that a worker was started from are still the same.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::hook::{Action, Hook};
use crate::process::{Command, Environment};

/// So many files of one command are looked at before each event.
const MOST: usize = 4;
/// An interpreter changes rarely; it is looked at so often at most.
const NOW_AND_THEN: Duration = Duration::from_secs(1);

/// A file as it was.
#[derive(Debug)]
pub(super) struct Stamped {
    path: PathBuf,
    stamp: Option<Stamp>,
    /// When it is to be looked at again; `None`: each time.
    due: Option<Instant>,
}

#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    changed: Option<SystemTime>,
    len: u64,
    /// Device and number, where there are such.
    place: (u64, u64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        #[cfg(unix)]
        let place = {
            use std::os::unix::fs::MetadataExt;
            (found.dev(), found.ino())
        };
        #[cfg(not(unix))]
        let place = (0, 0);
        Some(Self { changed: found.modified().ok(), len: found.len(), place })
    }
}

impl Stamped {
    fn new(path: PathBuf) -> Option<Self> {
        Some(Self { stamp: Some(Stamp::of(&path)?), path, due: None })
    }

    /// Whether it still is as it was.
    pub(super) fn is_current(&mut self) -> bool {
        if let Some(due) = &mut self.due {
            let now = Instant::now();
            if now < *due {
                return true;
            }
            *due = now.checked_add(NOW_AND_THEN).unwrap_or(now);
        }
        Stamp::of(&self.path) == self.stamp
    }
}

/// The files that a command names: its program, where it has a path, and its script. What is looked up is its file when
/// it names none.
pub(super) fn files(hook: &Hook, command: &Command) -> Vec<Stamped> {
    let words = match &hook.action {
        Action::Command { line, .. } => words(line, &command.env),
        _ => {
            let all = std::iter::once(&command.program).chain(&command.args);
            all.map(|word| word.to_string_lossy().into_owned()).collect()
        }
    };
    let here = command.cwd.clone().unwrap_or_default();
    let named = |word: &String| Stamped::new(here.join(word));
    let mut files: Vec<Stamped> = words.iter().skip(1).filter_map(named).take(MOST - 1).collect();
    let program = words.first().filter(|word| files.is_empty() || word.contains('/'));
    let program = program.and_then(|word| named(word).or_else(|| Stamped::new(program_file(word, command)?)));
    if let Some(mut program) = program {
        program.due = if files.is_empty() { None } else { Some(Instant::now()) };
        files.push(program);
    }
    files
}

#[cfg(target_os = "linux")]
fn program_file(name: &str, command: &Command) -> Option<PathBuf> {
    crate::process::find_program(name.as_ref(), &command.env, command.cwd.as_deref())
}

#[cfg(not(target_os = "linux"))]
fn program_file(_: &str, _: &Command) -> Option<PathBuf> {
    None
}

/// What may be words of a command line, with plain variables filled in. A guess is enough: only those that are files
/// count.
fn words(line: &str, env: &Environment) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.extend(chars.next()),
            ('$', None | Some('"')) => {
                let braced = chars.next_if_eq(&'{').is_some();
                let mut name = String::new();
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                if braced {
                    chars.next_if_eq(&'}');
                }
                let value = if name.is_empty() { None } else { env.get(&name) };
                word.push_str(&value.unwrap_or_default().to_string_lossy());
            }
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() || ";|&<>()`".contains(c) => words.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_line() {
        let env = Environment::new([("DIR", "/a b"), ("X", "1")]);
        for (line, wanted) in [
            (r#"python3 "$DIR"/hook.py --x=$X"#, vec!["python3", "/a b/hook.py", "--x=1"]),
            (r#"cd "${DIR}/c" && exec ./w '$X' a\ b"#, vec!["cd", "/a b/c", "exec", "./w", "$X", "a b"]),
            ("a;b|c>(d) ${", vec!["a", "b", "c", "d"]),
            ("", vec![]),
        ] {
            assert_eq!(words(line, &env), wanted, "{line}");
        }
    }

    #[test]
    fn a_file_that_was_written_moved_or_removed_is_another_one() {
        let dir = std::env::temp_dir().join(format!("crosshook-stamp-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("w.py");
        std::fs::write(&path, "one").unwrap();
        let stamped = |path: &Path| Stamped::new(path.to_owned()).unwrap();
        let mut before = stamped(&path);
        assert!(before.is_current());
        std::fs::write(&path, "three").unwrap();
        assert!(!before.is_current());
        let mut before = stamped(&path);
        std::fs::write(dir.join("other"), "three").unwrap();
        std::fs::rename(dir.join("other"), &path).unwrap();
        assert!(!before.is_current());
        let mut before = stamped(&path);
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(!before.is_current());
    }
}
