//! What in working settings is probably not meant: matchers that match nothing or more, scripts that are not there, limits
//! in the wrong unit. Only warnings, and none in doubt: what nobody asked for must be worth reading. Runs nothing, but
//! looks at the scripts that hooks name.

mod limits;
mod line;
mod matchers;
mod scripts;
mod twice;

use std::path::PathBuf;

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::EnvValue;
use crate::hook::{Hook, HookSet};
use crate::process::Environment;

/// Where hooks will run, as far as that is known beforehand.
pub(crate) struct Surroundings<'a> {
    pub(crate) env: &'a Environment,
    /// The project's folder, when the host has named one or its settings were looked up there.
    pub(crate) project_dir: Option<PathBuf>,
}

/// Looks at all hooks that can run.
pub(crate) fn lint(set: &HookSet, surroundings: &Surroundings<'_>) -> Vec<Diagnostic> {
    let hooks = set.hooks.iter().map(|hook| &**hook).filter(|hook| hook.off.is_none()).collect();
    let mut lint = Lint { set, hooks, surroundings, found: Vec::new() };
    lint.matchers();
    lint.scripts();
    lint.limits();
    lint.twice();
    // By hook, as the settings have them.
    lint.found.sort_by_key(|(hook, _)| set.hooks.iter().position(|known| known.id == *hook));
    lint.found.into_iter().map(|(_, found)| found).collect()
}

struct Lint<'a> {
    set: &'a HookSet,
    /// Those that can run, in configured order.
    hooks: Vec<&'a Hook>,
    surroundings: &'a Surroundings<'a>,
    /// With the id of the hook.
    found: Vec<(String, Diagnostic)>,
}

impl Lint<'_> {
    fn warn(&mut self, hook: &Hook, code: Code, text: &str) {
        // A file may be read as that of several agents.
        let several = self.set.hooks.iter().any(|other| other.dialect != hook.dialect);
        let of = if several { format!(" of {}", hook.dialect.product) } else { String::new() };
        let message = format!("{}{of}: {text}", hook.title());
        let found = Diagnostic { level: Level::Warning, code, message, origin: Some(hook.origin.clone()) };
        self.found.push((hook.id.clone(), found));
    }

    /// The value that a variable will have for the hook, when that is known beforehand.
    fn variable(&self, hook: &Hook, name: &str) -> Option<String> {
        if let Some((_, value)) = hook.env.iter().rev().find(|(own, _)| own == name) {
            return Some(value.clone());
        }
        if is_project_variable(hook, name) {
            let project = self.surroundings.project_dir.as_ref()?;
            return std::path::absolute(project).ok()?.into_os_string().into_string().ok();
        }
        let known = name == "HOME" && !hook.dialect.env.iter().any(|rule| rule.names.contains(&name));
        if known { self.surroundings.env.get(name)?.into_string().ok() } else { None }
    }
}

/// Whether the dialect sets the variable to the project's folder, or to the event's, which is usually the same.
fn is_project_variable(hook: &Hook, name: &str) -> bool {
    let folder = |value| matches!(value, EnvValue::ProjectDir | EnvValue::Cwd);
    hook.dialect.env.iter().any(|rule| folder(rule.value) && rule.names.contains(&name))
}
