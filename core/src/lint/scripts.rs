//! The scripts that hooks name: whether they are there and can be started, whether a guard of stops ever gives way, and
//! whether a worker can answer.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Lint, is_project_variable, line};
use crate::diagnostic::Code;
use crate::dialect::to_common;
use crate::hook::{Action, Hook};

/// A longer script is not read, in bytes.
const LONGEST: u64 = 256 * 1024;

/// Programs whose first argument is the file of a script.
const INTERPRETERS: [&str; 17] = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3", "node", "bun", "ruby",
    "perl", "php", "pwsh", "tsx", "Rscript",
];

/// Interpreters to which a carriage return is a letter.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/// Shells that do not split the value of a variable at blanks.
const NEVER_SPLITTING: [&str; 2] = ["zsh", "fish"];

/// A script that a hook starts.
struct Script {
    path: PathBuf,
    /// By what it is read; `None` when the system starts it.
    interpreter: Option<String>,
    /// Its place does not depend on the directory in which the hook runs.
    certain: bool,
}

impl Lint<'_> {
    pub(super) fn scripts(&mut self) {
        for hook in self.hooks.clone() {
            self.unquoted_path(hook);
            let script = self.script(hook);
            let startable = script.filter(|script| self.is_startable(hook, script));
            let read = startable.and_then(|script| text_of(&script.path).map(|text| (script, text)));
            self.worker_input(hook, read.as_ref().map_or("", |(_, text)| text));
            if let Some((script, text)) = &read {
                self.line_ends(hook, script, text);
                self.stop_loop(hook, script, text);
            }
        }
    }

    /// The script that the hook's first command starts, when its path is known.
    fn script(&self, hook: &Hook) -> Option<Script> {
        let words: Vec<Option<String>> = match &hook.action {
            Action::Command { line, .. } => line::first_command(line, |name| self.variable(hook, name)),
            Action::Process { program, args } => {
                std::iter::once(program).chain(args).map(|word| self.filled(hook, word)).collect()
            }
            _ => return None,
        };
        let mut words = words.into_iter();
        let first = words.next()??;
        if first.contains('/') && !is_interpreter(&first) {
            return self.at(first, None);
        }
        if !is_interpreter(&first) {
            return None;
        }
        // What an option takes as its argument only the interpreter knows.
        let script = words.next()??;
        let looks_like_a_file = script.contains('/') || Path::new(&script).extension().is_some();
        if script.starts_with('-') || !looks_like_a_file || script.contains("://") {
            return None;
        }
        self.at(script, Some(base_name(&first).to_owned()))
    }

    fn at(&self, written: String, interpreter: Option<String>) -> Option<Script> {
        let path = PathBuf::from(written);
        if path.is_absolute() {
            return Some(Script { path, interpreter, certain: true });
        }
        let path = self.surroundings.project_dir.as_ref()?.join(path);
        Some(Script { path, interpreter, certain: false })
    }

    /// A word that no shell reads, with the variables of the dialect in it.
    fn filled(&self, hook: &Hook, word: &str) -> Option<String> {
        let mut text = word.to_owned();
        for name in hook.dialect.env.iter().flat_map(|rule| rule.names) {
            let placeholder = format!("${{{name}}}");
            if text.contains(&placeholder) {
                text = text.replace(&placeholder, &self.variable(hook, name)?);
            }
        }
        Some(text)
    }

    /// Says why the script cannot be started; `false` also when there is nothing to read.
    fn is_startable(&mut self, hook: &Hook, script: &Script) -> bool {
        let path = script.path.display();
        let found = match std::fs::metadata(&script.path) {
            Ok(found) => found,
            Err(error) => {
                let gone =
                    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory);
                if gone && script.certain {
                    let text = format!(
                        "there is no file {path}; correct the path in the command, or create the file"
                    );
                    self.warn(hook, Code::LintScriptMissing, &text);
                }
                return false;
            }
        };
        if found.is_dir() {
            if script.certain {
                let text = format!("{path} is a folder, not a program; correct the path in the command");
                self.warn(hook, Code::LintScriptMissing, &text);
            }
            return false;
        }
        if script.interpreter.is_none() && !is_executable(&found) {
            let text = format!("{path} is not executable; run `chmod +x` on it, or name its interpreter");
            self.warn(hook, Code::LintScriptNotExecutable, &text);
        }
        found.is_file()
    }

    fn line_ends(&mut self, hook: &Hook, script: &Script, text: &str) {
        let matters = script.interpreter.as_deref().is_none_or(|name| SHELLS.contains(&name));
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        if matters && first.starts_with("#!") && first.ends_with("\r\n") {
            let text = format!(
                "the lines of {} end with CR LF, and the CR becomes part of the interpreter's name and of commands; \
                 save the file with LF",
                script.path.display()
            );
            self.warn(hook, Code::LintLineEnds, &text);
        }
    }

    /// A worker that waits for the end of its input, which comes when nothing is asked of it any more. Whatever names no
    /// event can answer none.
    fn worker_input(&mut self, hook: &Hook, script: &str) {
        const READ_ALL: [&str; 12] = [
            "sys.stdin.read()",
            "sys.stdin.buffer.read()",
            "json.load(sys.stdin)",
            "$(cat)",
            "$(cat -)",
            "$(</dev/stdin)",
            "$(jq ",
            "readFileSync(0",
            "readFileSync('/dev/stdin'",
            "readFileSync(\"/dev/stdin\"",
            "STDIN.read",
            "Bun.stdin.text()",
        ];
        let text = match &hook.action {
            Action::Command { line, .. } if script.is_empty() => line,
            _ => script,
        };
        if hook.worker.is_none() || text.contains("crosshook") {
            return;
        }
        let holds = |word: &str| code_lines(text).any(|line| line.contains(word));
        if let Some(found) = READ_ALL.into_iter().find(|word| holds(word)) {
            let text = format!(
                "as a worker it is asked again and again, and `{found}` waits for the end of its input, so it is killed when its \
                 time is over; let it answer each line with a line (`serve` of Crosshook's packages does), or take out `worker`"
            );
            self.warn(hook, Code::LintWorkerInput, &text);
        }
    }

    /// A hook that prevents stops for ever: nothing in it asks whether it has prevented this one before.
    fn stop_loop(&mut self, hook: &Hook, script: &Script, text: &str) {
        const ASKS: [&str; 2] = ["stop_hook_active", "stopHookActive"];
        const PREVENTS: [&str; 6] =
            ["exit 2", "exit(2", "\"block\"", "'block'", "\\\"block\\\"", "exitCode = 2"];
        let event = to_common(hook.dialect.names.events, &hook.event);
        let asks = ASKS.iter().any(|word| text.contains(word));
        // What another file says is not read.
        let elsewhere = || code_lines(text).any(|line| line.starts_with(". ") || line.starts_with("source "));
        let prevents = || code_lines(text).any(|line| PREVENTS.iter().any(|word| line.contains(word)));
        if !matches!(event, "Stop" | "SubagentStop") || hook.background || asks || elsewhere() || !prevents()
        {
            return;
        }
        let text = format!(
            "{} can prevent a stop and never looks at `stop_hook_active`, so it may keep the agent working for ever; \
             let it end with 0 when the event has `\"stop_hook_active\": true`",
            script.path.display()
        );
        self.warn(hook, Code::LintStopLoop, &text);
    }

    /// A path that a shell splits at the blanks in it.
    fn unquoted_path(&mut self, hook: &Hook) {
        let Action::Command { line, shell } = &hook.action else { return };
        let shell = self.shell(hook, shell.as_deref());
        if shell.is_some_and(|shell| NEVER_SPLITTING.contains(&base_name(&shell))) {
            return;
        }
        let of_plugin =
            |name: &str| hook.env.iter().any(|(own, value)| own == name && value.starts_with('/'));
        let exact = hook.dialect.line_variables;
        let asked =
            |name: &str| !exact.contains(&name) && (is_project_variable(hook, name) || of_plugin(name));
        if let Some(name) = line::unquoted(line, asked) {
            let text = format!(
                "`${name}` stands outside quotes, so a path with a blank in it falls apart; write `\"${name}\"/...`"
            );
            self.warn(hook, Code::LintUnquotedPath, &text);
        }
    }

    /// The program that reads the line, when it is not the usual `sh`.
    fn shell(&self, hook: &Hook, named: Option<&str>) -> Option<String> {
        if let Some(named) = named {
            return Some(named.to_owned());
        }
        match &hook.dialect.shell {
            crate::dialect::Shell::Named(name) => Some((*name).to_owned()),
            crate::dialect::Shell::FromEnv(variables) => variables
                .iter()
                .filter_map(|variable| self.surroundings.env.get(variable)?.into_string().ok())
                .find(|shell| !shell.is_empty()),
        }
    }
}

/// The lines of a script that are more than a comment, without blanks around them.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';']) && !line.starts_with("//"))
}

fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&base_name(program))
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or_default()
}

#[cfg(unix)]
fn is_executable(file: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}

/// The text of a script, when it is a text of usual length. What the system only pretends to be a file has no length, and
/// reading it may never end.
fn text_of(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.len() == 0 || found.len() > LONGEST {
        return None;
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}
