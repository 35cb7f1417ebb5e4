//! Command and process hooks: program, arguments, environment, working directory.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::env_file::EnvFile;
use super::transcript::Transcript;
use super::{Surroundings, stdin};
use crate::dialect::{Cwd, EnvValue, Shell};
use crate::event::Event;
use crate::hook::{Action, Hook, HookSet};
use crate::json::{Object, decode_string};
use crate::process::{Command, Environment};

/// After a hook's process has exited, its pipes are read this much longer (design, rule 5).
const DRAIN: Duration = Duration::from_millis(100);

/// Tells a worker that it is one.
const IS_WORKER: &str = "CROSSHOOK_WORKER";

/// A command that is ready to run, with what has to last as long as it runs.
pub(super) struct Prepared {
    pub(super) command: Command,
    pub(super) transcript: Option<Transcript>,
    pub(super) env_file: Option<EnvFile>,
}

/// The command of a `command` or `process` hook, or why there is none.
///
/// `discard_output`: nobody will read what it writes.
pub(super) fn prepare(
    hook: &Hook,
    event: &Event,
    surroundings: &Surroundings,
    settings: &HookSet,
    discard_output: bool,
) -> Result<Prepared, String> {
    let cwd = working_dir(hook, event, surroundings);
    if let Some(data) = &hook.data_dir {
        // A hook that needs it and does not find it says so itself.
        let _ = std::fs::create_dir_all(data);
    }
    let mut env = environment(hook, Some(event), surroundings, settings, cwd.as_deref());
    let env_file = add_env_file(hook, event, &mut env);
    // Of a host that is itself a worker.
    env.remove(OsStr::new(IS_WORKER));
    let started = started(hook, env, cwd)?;
    // A transcript of the host's own is kept.
    let wanted = hook.dialect.transcript && event.get("transcript_path").is_none();
    let transcript = if wanted { Transcript::write(event) } else { None };
    let transcript_path = transcript.as_ref().map(Transcript::path);
    let command = Command {
        stdin: stdin::payload(hook.dialect, event, surroundings, transcript_path),
        discard_output,
        timeout: hook.time_limit(),
        drain: DRAIN,
        ..started
    };
    Ok(Prepared { command, transcript, env_file })
}

/// The command of a hook's worker, or why there is none. `event`, whose folder it starts in, is only the first of many:
/// variables that stand for fields of an event are not set.
pub(super) fn lasting(
    hook: &Hook,
    event: &Event,
    surroundings: &Surroundings,
    settings: &HookSet,
) -> Result<Command, String> {
    let cwd = working_dir(hook, event, surroundings);
    if let Some(data) = &hook.data_dir {
        let _ = std::fs::create_dir_all(data);
    }
    let mut env = environment(hook, None, surroundings, settings, cwd.as_deref());
    if let Some(rule) = &hook.dialect.env_file {
        env.remove(OsStr::new(rule.variable));
    }
    env.set(IS_WORKER, "1");
    started(hook, env, cwd)
}

/// What of a hook's command does not depend on what it reads.
fn started(hook: &Hook, env: Environment, cwd: Option<PathBuf>) -> Result<Command, String> {
    let mut direct = None;
    let (program, args) = match &hook.action {
        Action::Command { line, shell } => {
            refuse_placeholders(hook, line)?;
            let line = prefixed(hook, line, &env);
            let shell = shell_program(hook, shell.as_deref(), &env);
            direct = line.to_str().and_then(|line| without_shell(&shell, line, &env, cwd.as_deref()));
            (shell, vec!["-c".into(), line])
        }
        Action::Process { program, args } => {
            let mut words = Vec::with_capacity(args.len());
            for arg in args {
                refuse_placeholders(hook, arg)?;
                words.push(filled(hook, arg, &env));
            }
            (filled(hook, program, &env), words)
        }
        _ => {
            return Err(format!("a hook of type {} is no command", hook.kind));
        }
    };
    Ok(Command {
        args,
        direct,
        env,
        cwd,
        stdout_limit: hook.output_limit,
        stderr_limit: hook.output_limit,
        grace: hook.dialect.grace,
        ..Command::new(program)
    })
}

#[cfg(target_os = "linux")]
use super::direct::direct as without_shell;

/// The shells of other systems are not known well enough.
#[cfg(not(target_os = "linux"))]
fn without_shell(_: &OsStr, _: &str, _: &Environment, _: Option<&Path>) -> Option<crate::process::Direct> {
    None
}

/// The event's `cwd`, else the project directory, else the host's own working directory.
pub(super) fn event_cwd(event: &Event, surroundings: &Surroundings) -> Option<String> {
    event
        .string("cwd")
        .filter(|cwd| !cwd.is_empty())
        .or_else(|| surroundings.project_dir.clone())
        .or_else(|| std::env::current_dir().ok().and_then(|dir| dir.into_os_string().into_string().ok()))
}

fn working_dir(hook: &Hook, event: &Event, surroundings: &Surroundings) -> Option<PathBuf> {
    let cwd = event_cwd(event, surroundings).map(PathBuf::from);
    match hook.dialect.cwd {
        Cwd::Event => cwd,
        Cwd::EventOrProject => {
            let others = [&surroundings.project_dir, &surroundings.home];
            let mut dirs = cwd.iter().cloned().chain(others.into_iter().flatten().map(PathBuf::from));
            dirs.find(|dir| dir.is_dir()).or(cwd)
        }
    }
}

/// What the hook inherits, then what its dialect sets, then its own `env`. Without an event nothing of one is set.
fn environment(
    hook: &Hook,
    event: Option<&Event>,
    surroundings: &Surroundings,
    settings: &HookSet,
    cwd: Option<&Path>,
) -> Environment {
    let mut env = surroundings.env.clone();
    if let Some(redaction) = hook.dialect.redaction {
        redaction.apply(&mut env, &settings.merged(hook.dialect).redaction);
    }
    let withheld = hook.dialect.withheld_env;
    if !withheld.is_empty() {
        env.remove_where(|name| withheld.iter().any(|secret| is_withheld(name, secret)));
    }
    let cwd = cwd.map(|cwd| cwd.as_os_str().to_owned());
    for rule in hook.dialect.env {
        let value = match rule.value {
            EnvValue::Cwd => cwd.clone(),
            EnvValue::ProjectDir => {
                let project = surroundings.project_dir.as_ref().map(OsString::from).or_else(|| cwd.clone());
                project.map(|dir| std::path::absolute(&dir).map_or(dir, PathBuf::into_os_string))
            }
            EnvValue::Text(text) => Some(text.into()),
            EnvValue::HostProcess => Some(std::process::id().to_string().into()),
            EnvValue::FieldOf(object, field) => event
                .and_then(|event| event.get(object))
                .and_then(Object::from_raw)
                .and_then(|object| object.get(field).and_then(decode_string))
                .map(|text| text.replace('\0', "").into()),
            EnvValue::Field(field) => event.and_then(|event| field_text(event, field)),
            EnvValue::FieldOrEmpty(field) => event.map(|event| field_text(event, field).unwrap_or_default()),
        };
        if let Some(value) = value {
            rule.names.iter().for_each(|name| env.set(name, &value));
        }
    }
    hook.env.iter().for_each(|(name, value)| env.set(name, value));
    env
}

/// Whether a variable is one that must not be inherited.
fn is_withheld(name: &OsStr, secret: &str) -> bool {
    match secret.strip_suffix('*') {
        Some(start) => {
            let name = name.to_string_lossy();
            name.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
        }
        None => name.eq_ignore_ascii_case(secret),
    }
}

/// The file for variables, of the events that have one: the host's own, or one for this run.
fn add_env_file(hook: &Hook, event: &Event, env: &mut Environment) -> Option<EnvFile> {
    let rule = hook.dialect.env_file.as_ref()?;
    if !rule.events.contains(&event.name()) {
        env.remove(OsStr::new(rule.variable));
        return None;
    }
    if env.get(rule.variable).is_some_and(|path| !path.is_empty()) {
        return None;
    }
    let file = EnvFile::create()?;
    env.set(rule.variable, file.path().as_os_str());
    Some(file)
}

/// A line for the shell, behind the command that is put before all of them.
fn prefixed(hook: &Hook, line: &str, env: &Environment) -> OsString {
    let prefix = hook.dialect.shell_prefix.and_then(|name| env.get(name)).filter(|prefix| !prefix.is_empty());
    let Some(mut whole) = prefix else { return line.into() };
    whole.push(" '");
    whole.push(line.replace('\'', "'\\''"));
    whole.push("'");
    whole
}

/// A field as the value of a variable. No variable can hold a NUL; text of an event must not keep a hook from starting.
fn field_text(event: &Event, field: &str) -> Option<OsString> {
    event.string(field).map(|text| text.replace('\0', "").into())
}

fn shell_program(hook: &Hook, named: Option<&str>, env: &Environment) -> OsString {
    if let Some(shell) = named {
        return shell.into();
    }
    match &hook.dialect.shell {
        Shell::Named(name) => (*name).into(),
        Shell::FromEnv(variables) => variables
            .iter()
            .filter_map(|variable| env.get(variable))
            .find(|shell| !shell.is_empty())
            .unwrap_or_else(|| "/bin/sh".into()),
    }
}

/// `${NAME}` of the variables that the dialect sets, as plain text. Only where no shell reads the words: a shell
/// expands them itself, and text of an event must never become part of a command line (design, rule 11).
fn filled(hook: &Hook, word: &str, env: &Environment) -> OsString {
    if !word.contains("${") {
        return word.into();
    }
    let mut text = word.to_owned();
    for name in hook.dialect.env.iter().flat_map(|rule| rule.names) {
        let placeholder = format!("${{{name}}}");
        if text.contains(&placeholder)
            && let Some(value) = env.get(name)
        {
            text = text.replace(&placeholder, &value.to_string_lossy());
        }
    }
    text.into()
}

fn refuse_placeholders(hook: &Hook, text: &str) -> Result<(), String> {
    match hook.dialect.refused_placeholders.iter().find(|name| text.contains(&format!("${{{name}}}"))) {
        Some(name) => Err(format!("`${{{name}}}` has no value in a hook; use another path")),
        None => Ok(()),
    }
}
