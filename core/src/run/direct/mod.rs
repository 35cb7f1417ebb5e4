//! Starting a simple command without the shell that its dialect names, where nobody could tell the difference: that
//! halves a compiled hook's time (performance.md section 1, "When direct exec is the same").
//!
//! It stands in for the shell only as long as the shell would do nothing but start the program: [`words`] reads the line,
//! [`shells`] knows what a shell makes of its environment. In every doubt, and whenever the system refuses to start the
//! program, the shell gets the line after all and says what is wrong in its own words. A hook that asks for its parent
//! sees the host's process in the shell's place.

mod shells;
#[cfg(test)]
mod tests;
mod words;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::process::{self, Direct, Environment};
use shells::{OWN_COMMANDS, Shell};

/// How `shell -c line` can be started without the shell. `None`: it cannot.
pub(super) fn direct(shell: &OsStr, line: &str, env: &Environment, cwd: Option<&Path>) -> Option<Direct> {
    let words =
        words::split(
            line,
            |name| if shells::is_own(name) { None } else { env.get(name)?.into_string().ok() },
        )?;
    let path = if shell.as_bytes().contains(&b'/') {
        PathBuf::from(shell)
    } else {
        process::find_program(shell, env, cwd)?
    };
    let shell = Shell::at(&path)?;
    let understood =
        env.pairs().all(|(name, value)| match (std::str::from_utf8(name), std::str::from_utf8(value)) {
            (Ok(name), Ok(value)) => words::is_name(name) && !shell.minds(name, value),
            // Only the names that could matter have to be read.
            (Ok(name), Err(_)) => words::is_name(name) && !shell.minds(name, "?"),
            (Err(_), _) => false,
        });
    if !understood {
        return None;
    }
    let name = words.first()?;
    let program = if name.contains('/') { PathBuf::from(name) } else { on_path(name, env, cwd)? };
    let env = as_left_by(shell, env, cwd, &program)?;
    let forks = shell == Shell::Dash;
    Some(Direct { program, words: words.into_iter().map(OsString::from).collect(), env, forks })
}

/// Where the shell would find a command that it does not know itself.
fn on_path(name: &str, env: &Environment, cwd: Option<&Path>) -> Option<PathBuf> {
    if OWN_COMMANDS.contains(&name) {
        return None;
    }
    // dash gives `%` a meaning there; what is not absolute is each shell's own affair.
    let path = env.get("PATH")?;
    let plain = |entry: &[u8]| entry.starts_with(b"/") && !entry.contains(&b'%');
    if !path.as_bytes().split(|&byte| byte == b':').all(plain) {
        return None;
    }
    process::find_program(OsStr::new(name), env, cwd)
}

/// The environment as the command finds it behind the shell.
fn as_left_by(shell: Shell, env: &Environment, cwd: Option<&Path>, program: &Path) -> Option<Environment> {
    let here = cwd.unwrap_or(Path::new("."));
    let place = |path: &Path| {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
    };
    let mut own = env.clone();
    let known = env.get("PWD").filter(|dir| dir.as_bytes().starts_with(b"/"));
    let here_now = place(here)?;
    if known.is_none_or(|dir| place(Path::new(&dir)) != Some(here_now)) {
        own.set("PWD", std::fs::canonicalize(here).ok()?);
    }
    if shell == Shell::Bash {
        own.set("_", program);
        match env.get("SHLVL").map(OsString::into_string) {
            // One up at its start, one down before it becomes the command.
            None => own.set("SHLVL", "0"),
            Some(Ok(level)) if level.parse::<u16>().is_ok_and(|n| n < 999 && n.to_string() == level) => {}
            Some(_) => return None,
        }
        let before = env.get("OLDPWD");
        if before.is_some_and(|dir| !dir.as_bytes().starts_with(b"/") || !Path::new(&dir).is_dir()) {
            return None;
        }
    }
    Some(own)
}
