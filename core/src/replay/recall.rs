//! From the recorded form back to hooks and what they gave.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::dialect::{self, Dialect, KEPT, Version};
use crate::hook::{Action, Hook, HookSet, Merged, Off};
use crate::plan::Planner;
use crate::process::Environment;
use crate::record::form::{ActionForm, EndForm, HookForm, Line, Output, ResultForm};
use crate::run::worker::Workers;
use crate::run::{End, RawResult, Surroundings};
use crate::settings::Scope;
use crate::snapshot::Snapshot;

/// The snapshot that the dispatch worked with, as far as it decides.
pub(super) fn snapshot(line: &Line) -> Result<Snapshot, String> {
    let dialect = known(&line.dialect)?;
    let hooks: Result<Vec<_>, String> = line.hooks.iter().map(|form| Ok(Arc::new(hook(form)?))).collect();
    let merged = Merged { stop_hook_blocking_cap: line.session.cap_setting, ..Merged::default() };
    let cap_env = dialect.stop_cap.as_ref().and_then(|cap| cap.env).zip(line.session.cap_env.as_deref());
    let merged = BTreeMap::from([(dialect.name, merged)]);
    let set = HookSet { hooks: hooks?, diagnostics: Vec::new(), merged };
    Ok(Snapshot {
        dialect,
        version: version(line.version.as_deref())?,
        planner: Arc::new(Planner::new(&set, dialect, line.fail_mode)),
        hooks: Arc::new(set),
        tools: Arc::new(line.tools.clone()),
        surroundings: Surroundings {
            env: Environment::new(cap_env),
            project_dir: None,
            home: None,
            host: None,
            late_results: true,
            workers: Workers::default(),
        },
        fail_mode: line.fail_mode,
    })
}

fn known(name: &str) -> Result<&'static Dialect, String> {
    dialect::by_name(name).ok_or_else(|| format!("there is no dialect `{name}`"))
}

fn version(text: Option<&str>) -> Result<Version, String> {
    let Some(text) = text else { return Ok(Version::NEWEST) };
    Version::parse(text).ok_or_else(|| format!("`{text}` is no version"))
}

/// A hook that was selected for an event. Its matcher matched, so it has none.
pub(super) fn hook(form: &HookForm) -> Result<Hook, String> {
    let dialect = known(&form.dialect)?;
    let timeout = Duration::from_millis(form.timeout_ms);
    Ok(Hook {
        id: form.id.clone(),
        dialect,
        version: version(form.version.as_deref())?,
        scope: scope(&form.scope)?,
        event: form.event.clone(),
        rule: dialect.event(&form.event),
        matcher_text: form.matcher.clone(),
        matcher: None,
        condition: None,
        sequential: form.sequential,
        kind: kind(dialect, &form.kind),
        action: action(&form.action),
        name: form.name.clone(),
        timeout,
        own_timeout: true,
        budget: Some(timeout),
        background: form.background,
        wakes: form.wakes,
        once: form.once,
        worker: None,
        status_message: None,
        env: Vec::new(),
        fail_mode: form.fail_mode,
        output_limit: KEPT,
        origin: form.origin.clone(),
        dedupe_key: None,
        bound: None,
        data_dir: None,
        digest: None,
        context_limit: form.context_limit,
        off: match &form.result.end {
            EndForm::Off { code, why } => Some(Off { code: *code, why: why.clone(), missed: true }),
            _ => None,
        },
    })
}

fn scope(name: &str) -> Result<Scope, String> {
    // Scopes that no source is given.
    let own = [Scope::Agent, Scope::Skill].into_iter().find(|scope| scope.as_str() == name);
    Scope::by_name(name).or(own).ok_or_else(|| format!("there is no scope `{name}`"))
}

/// The type's name for good.
fn kind(dialect: &Dialect, name: &str) -> &'static str {
    let own = dialect.hook_type(name).map(|rule| rule.name);
    own.or_else(|| ["function", "prompt", "command"].into_iter().find(|known| *known == name))
        .unwrap_or("unknown")
}

fn action(form: &ActionForm) -> Action {
    match form.clone() {
        ActionForm::Command { line, shell } => Action::Command { line, shell },
        ActionForm::Process { program, args } => Action::Process { program, args },
        ActionForm::Http { url, method, headers, allowed_env } => {
            Action::Http { url, method, headers, allowed_env }
        }
        ActionForm::Prompt { prompt, model, continue_on_block } => {
            Action::Prompt { prompt, model, continue_on_block }
        }
        ActionForm::Agent { prompt, model, agent_type } => Action::Agent { prompt, model, agent_type },
        ActionForm::Goal { condition, prompt } => Action::Goal { condition, prompt },
        ActionForm::McpTool { server, tool, input } => Action::McpTool { server, tool, input },
        ActionForm::Function { id, error_message } => Action::Function { id, error_message },
    }
}

/// What a hook's run gave.
pub(super) fn result(form: &ResultForm) -> RawResult {
    let (stdout, stdout_total) = output(&form.stdout);
    let (stderr, stderr_total) = output(&form.stderr);
    RawResult {
        end: end(&form.end),
        stdout,
        stderr,
        stdout_total,
        stderr_total,
        duration: Duration::try_from_secs_f64(form.duration_ms / 1e3).unwrap_or_default(),
        env_file: form.env_file.clone(),
        notes: form.notes.clone(),
    }
}

/// The bytes that were kept, and how many there were. What was taken out of them makes no cut of its own.
fn output(form: &Output) -> (Vec<u8>, u64) {
    let bytes = match &form.hex {
        Some(hex) => bytes_of(hex),
        None => form.text.clone().into_bytes(),
    };
    let length = bytes.len() as u64;
    let total = if form.total > form.kept { form.total.max(length.saturating_add(1)) } else { length };
    (bytes, total)
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = hex.as_bytes().chunks_exact(2);
    pairs.filter_map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}

fn end(form: &EndForm) -> End {
    match form.clone() {
        EndForm::Exited(code) => End::Exited(code),
        EndForm::Signaled(signal) => End::Signaled(signal),
        EndForm::TimedOut => End::TimedOut,
        EndForm::Cancelled => End::Cancelled,
        EndForm::NotStarted(why) => End::NotStarted(why),
        EndForm::StatusLost => End::StatusLost,
        EndForm::Unavailable(why) => End::Unavailable(why),
        EndForm::Background => End::Background,
        EndForm::Answered(text) => End::Answered(text),
        EndForm::HostFailed(why) => End::HostFailed(why),
        EndForm::Responded { status, content_type } => End::Responded { status, content_type },
        EndForm::Refused(why) => End::Refused(why),
        EndForm::NoResponse(why) => End::NoResponse(why),
        EndForm::WorkerFailed { why, code } => End::WorkerFailed { why, code },
        EndForm::Skipped { code, why } => End::Skipped(code, why),
        EndForm::Off { code, why } => End::Off(code, why),
    }
}
