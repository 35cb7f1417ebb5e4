//! What is known of the shells whose place a direct start takes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::process::per_process::PerProcess;

/// A shell that is known well enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shell {
    /// Starts the command as its child and reports how it ended.
    Dash,
    /// Becomes the command.
    Bash,
}

/// Which shells the paths are that were asked for; a shell does not become another while a host runs.
static KNOWN: PerProcess<Mutex<BTreeMap<OsString, Option<Shell>>>> = PerProcess::new();

impl Shell {
    /// The shell at `path`, which must be absolute; `None` when it is none of those known.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let mut known = KNOWN.get().lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(path.as_os_str()) {
            Some(shell) => *shell,
            None => {
                let shell = Self::look(path);
                known.insert(path.as_os_str().to_owned(), shell);
                shell
            }
        }
    }

    fn look(path: &Path) -> Option<Self> {
        // Run with another's rights, shells do as they please.
        if !path.is_absolute() || !ids_agree() {
            return None;
        }
        let real = std::fs::canonicalize(path).ok()?;
        let mut magic = [0; 4];
        std::fs::File::open(&real).ok()?.read_exact(&mut magic).ok()?;
        // A script of that name may do anything first.
        if magic != *b"\x7fELF" || !is_called_like_a_shell(path) {
            return None;
        }
        match real.file_name()?.to_str()? {
            "dash" => Some(Self::Dash),
            "bash" => Some(Self::Bash),
            _ => None,
        }
    }

    /// Whether the shell takes this variable for its own business: it changes it, leaves it out or does something else
    /// because of it. With such a variable in the environment there is no direct start.
    pub(super) fn minds(self, name: &str, value: &str) -> bool {
        match name {
            "IFS" | "OPTIND" | "OPTERR" | "OPTARG" | "LINENO" | "PPID" | "PS0" | "PS1" | "PS2" | "PS3"
            | "PS4" | "UID" | "EUID" | "GROUPS" | "RANDOM" | "SRANDOM" | "SECONDS" | "EPOCHSECONDS"
            | "EPOCHREALTIME" | "SHELLOPTS" | "POSIXLY_CORRECT" | "FUNCNEST" | "FUNCNAME" | "DIRSTACK"
            | "PIPESTATUS" | "COMP_WORDBREAKS" | "HISTCMD" | "EXECIGNORE" | "GLOBIGNORE" | "CHILD_MAX" => {
                true
            }
            // An unknown locale is worth a warning to bash.
            "LC_ALL" => self == Self::Bash && !matches!(value, "" | "C" | "POSIX" | "C.UTF-8"),
            // Its functions, its start file, its options.
            _ => name.starts_with("BASH"),
        }
    }
}

/// bash is another as `rbash`; by other names it may be anything.
fn is_called_like_a_shell(path: &Path) -> bool {
    matches!(path.file_name().and_then(|name| name.to_str()), Some("sh" | "dash" | "bash"))
}

/// Whether this process acts with its user's own rights.
fn ids_agree() -> bool {
    rustix::process::getuid() == rustix::process::geteuid()
        && rustix::process::getgid() == rustix::process::getegid()
}

/// Variables that the shells fill themselves: what `$NAME` stands for is theirs to say.
pub(super) fn is_own(name: &str) -> bool {
    matches!(name, "PWD" | "OLDPWD" | "SHLVL" | "_" | "HOSTNAME" | "HOSTTYPE" | "OSTYPE" | "MACHTYPE")
}

/// The commands and words that dash or bash see to themselves, in whichever version.
pub(super) const OWN_COMMANDS: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "]]",
    "!",
    "{",
    "}",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "chdir",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "histcmd",
    "history",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "newgrp",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "setvar",
    "shift",
    "shopt",
    "source",
    "stop",
    "suspend",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
];
