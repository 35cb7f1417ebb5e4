//! From a dispatch to the form in which it is recorded.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::form::{ActionForm, EndForm, HookForm, Output, ResultForm};
use super::redact::{Document, MARK, Redactor, Rules};
use crate::dialect::RedactionSettings;
use crate::hook::{Action, Hook, HookSet};
use crate::json::to_raw;
use crate::outcome::Answered;
use crate::run::{End, RawResult, millis};
use crate::spill::Cut;

/// A selected hook and what it gave. `settings` are those that it ran with.
pub(super) fn hook(redactor: &Redactor<'_>, answered: &Answered, settings: &HookSet) -> HookForm {
    let Answered { hook, raw, finished, spilled, .. } = answered;
    let action = action(&hook.action, Some(redactor));
    HookForm {
        id: hook.id.clone(),
        dialect: hook.dialect.name.to_owned(),
        version: hook.version.recorded(),
        scope: hook.scope.as_str().to_owned(),
        origin: hook.origin.clone(),
        event: hook.event.clone(),
        matcher: hook.matcher_text.as_deref().map(|matcher| redactor.text(matcher)),
        kind: hook.kind.to_owned(),
        name: hook.name.as_deref().map(|name| redactor.text(name)),
        digest: digest(hook.dialect.name, &action),
        action,
        env: env(hook, Some(redactor)),
        worker: hook.worker.is_some(),
        ground: ground(hook, settings),
        timeout_ms: u64::try_from(hook.time_limit().as_millis()).unwrap_or(u64::MAX),
        sequential: hook.sequential,
        background: hook.background,
        wakes: hook.wakes,
        once: hook.once,
        fail_mode: hook.fail_mode,
        context_limit: hook.context_limit,
        result: result(redactor, raw, *finished, spilled),
    }
}

/// Identifies what a hook does, as far as the recording says it: a digest of the secrets in it would tell short ones.
fn digest(dialect: &str, does: &ActionForm) -> String {
    let does = serde_json::to_string(does).unwrap_or_default();
    let text = format!("{dialect}\0{does}");
    format!("sha256:{}", crate::settings::hex(&Sha256::digest(text.as_bytes())))
}

/// Identifies the settings beside a hook that decide what it inherits or may reach. They are names and patterns of
/// addresses, no secrets. `None`: the usual ones.
pub(crate) fn ground(hook: &Hook, settings: &HookSet) -> Option<String> {
    let text = match &hook.action {
        Action::Command { .. } | Action::Process { .. } => {
            hook.dialect.redaction?;
            let redaction = settings.merged(hook.dialect).redaction;
            let usual = redaction == RedactionSettings::default();
            let lists = (redaction.enabled, redaction.allowed, redaction.blocked);
            (!usual).then(|| serde_json::to_string(&lists))?
        }
        Action::Http { .. } => {
            let merged = settings.merged(hook.dialect);
            let lists = (merged.allow_private_network, merged.allowed_http_urls, merged.allowed_http_env);
            (lists != (false, None, None)).then(|| serde_json::to_string(&lists))?
        }
        _ => return None,
    };
    Some(crate::settings::hex(&Sha256::digest(text.unwrap_or_default().as_bytes())))
}

/// What a process is given beside what it inherits; other hooks have no use for it.
fn env(hook: &Hook, redactor: Option<&Redactor<'_>>) -> Vec<(String, String)> {
    if !matches!(hook.action, Action::Command { .. } | Action::Process { .. }) {
        return Vec::new();
    }
    let mut env: Vec<_> = hook.env.iter().map(|variable| named(variable, redactor)).collect();
    env.sort();
    env
}

/// What a hook does, to find the recorded one that does the same.
pub(crate) struct Doing {
    dialect: &'static str,
    digest: String,
    worker: bool,
    action: Text,
    env: Text,
}

/// A part of what a hook does, as JSON.
struct Text {
    whole: String,
    /// Without what the usual rules take out.
    redacted: String,
}

impl Text {
    fn of<T: Serialize>(part: impl Fn(Option<&Redactor<'_>>) -> T) -> Self {
        let text = |part: T| serde_json::to_string(&part).unwrap_or_default();
        let rules = Rules::new(true, &[]).unwrap_or_default();
        let redacted = text(part(Some(&Redactor::new(&rules))));
        Self { whole: text(part(None)), redacted }
    }

    /// Whether the recorded part is this one; what was taken out of it may be anything. `own_rules`: it was not taken out
    /// by the usual rules alone, so that nobody knows how far it went.
    fn is<T: Serialize>(&self, recorded: &T, own_rules: bool) -> bool {
        let recorded = serde_json::to_string(recorded).unwrap_or_default();
        recorded == self.whole
            || (recorded.contains(MARK) && recorded == self.redacted)
            || (own_rules && [&self.whole, &self.redacted].into_iter().any(|text| alike(&recorded, text)))
    }
}

impl Doing {
    pub(crate) fn of(hook: &Hook) -> Self {
        let dialect = hook.dialect.name;
        Self {
            dialect,
            digest: digest(dialect, &action(&hook.action, None)),
            worker: hook.worker.is_some(),
            action: Text::of(|redactor| action(&hook.action, redactor)),
            env: Text::of(|redactor| env(hook, redactor)),
        }
    }

    /// Whether the recorded hook did the same; what was taken out of it may be anything.
    pub(crate) fn is(&self, form: &HookForm, own_rules: bool) -> bool {
        self.other_setting(form, own_rules) == Some(None)
    }

    /// Of a recorded hook that ran the same, the key of the settings that makes it another one all the same.
    pub(crate) fn other_setting(&self, form: &HookForm, own_rules: bool) -> Option<Option<&'static str>> {
        let runs = self.dialect == form.dialect
            && (self.digest == form.digest || self.action.is(&form.action, own_rules));
        let other = if !self.env.is(&form.env, own_rules) {
            Some("env")
        } else {
            (self.worker != form.worker).then_some("worker")
        };
        runs.then_some(other)
    }
}

/// Whether two JSON texts without blanks between their tokens say the same; what was taken out of the first may be anything.
pub(crate) fn alike(was: &str, is: &str) -> bool {
    if was == is {
        return true;
    }
    let mut pieces = was.split(MARK);
    let Some(mut rest) = pieces.next().and_then(|first| is.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return false;
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    false
}

fn action(action: &Action, redactor: Option<&Redactor<'_>>) -> ActionForm {
    let text = |text: &String| redactor.map_or_else(|| text.clone(), |redactor| redactor.text(text));
    let optional = |value: &Option<String>| value.as_ref().map(text);
    match action {
        Action::Command { line, shell } => ActionForm::Command { line: text(line), shell: shell.clone() },
        Action::Process { program, args } => {
            ActionForm::Process { program: text(program), args: arguments(args, redactor) }
        }
        Action::Http { url, method, headers, allowed_env } => ActionForm::Http {
            url: text(url),
            method: *method,
            headers: headers.iter().map(|header| named(header, redactor)).collect(),
            allowed_env: allowed_env.clone(),
        },
        Action::Prompt { prompt, model, continue_on_block } => ActionForm::Prompt {
            prompt: text(prompt),
            model: optional(model),
            continue_on_block: *continue_on_block,
        },
        Action::Agent { prompt, model, agent_type } => {
            let (model, agent_type) = (optional(model), optional(agent_type));
            ActionForm::Agent { prompt: text(prompt), model, agent_type }
        }
        Action::Goal { condition, prompt } => {
            ActionForm::Goal { condition: text(condition), prompt: text(prompt) }
        }
        Action::McpTool { server, tool, input } => {
            let redacted =
                redactor.and_then(|redactor| to_raw(&redactor.json(input.get(), Document::ANSWER)));
            let input = redacted.unwrap_or_else(|| input.clone());
            ActionForm::McpTool { server: text(server), tool: text(tool), input }
        }
        Action::Function { id, error_message } => {
            ActionForm::Function { id: id.clone(), error_message: optional(error_message) }
        }
    }
}

/// The arguments of a program; what one of them announces may be the next.
fn arguments(args: &[String], redactor: Option<&Redactor<'_>>) -> Vec<String> {
    let Some(redactor) = redactor else { return args.to_vec() };
    let mut announced = false;
    let mut out = Vec::with_capacity(args.len());
    for arg in args {
        let secret = announced && Redactor::is_value(arg);
        out.push(if secret { MARK.to_owned() } else { redactor.text(arg) });
        announced = !secret && redactor.announces(arg);
    }
    out
}

/// A header of a request, or a variable: its name may say that it holds a secret.
fn named((name, value): &(String, String), redactor: Option<&Redactor<'_>>) -> (String, String) {
    let value = match redactor {
        Some(redactor) if redactor.names_a_secret(name) && !value.is_empty() => MARK.to_owned(),
        Some(redactor) => redactor.text(value),
        None => value.clone(),
    };
    (name.clone(), value)
}

/// What became of texts that were cut. Where nothing was taken out they are cut again. Where something was, they are not
/// written down: what a secret is told by may be what was cut away, and a rule may have told it by its place.
pub(super) fn cuts(cuts: &[Cut], redacted: bool) -> Vec<Cut> {
    let text = |cut: &Cut| cut.text.as_ref().filter(|_| redacted).map(|_| MARK.to_owned());
    cuts.iter().map(|cut| Cut { text: text(cut), ..cut.clone() }).collect()
}

fn result(redactor: &Redactor<'_>, raw: &RawResult, finished: usize, spilled: &[Cut]) -> ResultForm {
    let before = redactor.count();
    let end = end(redactor, &raw.end);
    let stdout = output(redactor, &raw.stdout, raw.stdout_total);
    let stderr = output(redactor, &raw.stderr, raw.stderr_total);
    ResultForm {
        end,
        stdout,
        stderr,
        spilled: cuts(spilled, redactor.count() > before),
        duration_ms: millis(raw.duration),
        finished,
        env_file: raw.env_file.as_deref().map(|text| redactor.text(text)),
        notes: raw.notes.iter().map(|(code, text)| (*code, redactor.text(text))).collect(),
    }
}

fn end(redactor: &Redactor<'_>, end: &End) -> EndForm {
    let text = |text: &String| redactor.text(text);
    match end {
        End::Exited(code) => EndForm::Exited(*code),
        End::Signaled(signal) => EndForm::Signaled(*signal),
        End::TimedOut => EndForm::TimedOut,
        End::Cancelled => EndForm::Cancelled,
        End::NotStarted(why) => EndForm::NotStarted(text(why)),
        End::StatusLost => EndForm::StatusLost,
        End::Unavailable(why) => EndForm::Unavailable(text(why)),
        End::Background => EndForm::Background,
        End::Answered(answer) => EndForm::Answered(text(answer)),
        End::HostFailed(why) => EndForm::HostFailed(text(why)),
        End::Responded { status, content_type } => {
            EndForm::Responded { status: *status, content_type: content_type.clone() }
        }
        End::Refused(why) => EndForm::Refused(text(why)),
        End::NoResponse(why) => EndForm::NoResponse(text(why)),
        End::WorkerFailed { why, code } => EndForm::WorkerFailed { why: text(why), code: *code },
        End::Skipped(code, why) => EndForm::Skipped { code: *code, why: text(why) },
        End::Off(code, why) => EndForm::Off { code: *code, why: text(why) },
    }
}

fn output(redactor: &Redactor<'_>, bytes: &[u8], total: u64) -> Output {
    let kept = bytes.len() as u64;
    let bytes = redactor.bytes(bytes);
    match String::from_utf8(bytes) {
        Ok(text) => Output { text, hex: None, total, kept },
        Err(error) => {
            let hex = Some(crate::settings::hex(error.as_bytes()));
            Output { text: String::new(), hex, total, kept }
        }
    }
}
