//! From a dispatch to the form in which it is recorded.

use sha2::{Digest, Sha256};

use super::form::{ActionForm, EndForm, HookForm, Output, ResultForm};
use super::redact::{Document, MARK, Redactor, Rules};
use crate::dialect::Version;
use crate::hook::{Action, Hook};
use crate::json::to_raw;
use crate::outcome::Answered;
use crate::run::{End, RawResult, millis};

/// The form of a version; `None` is the newest.
pub(super) fn version(version: Version) -> Option<String> {
    (version != Version::NEWEST).then(|| version.to_string())
}

/// A selected hook and what it gave.
pub(super) fn hook(redactor: &Redactor<'_>, answered: &Answered) -> HookForm {
    let Answered { hook, raw, finished, spilled, .. } = answered;
    let action = action(&hook.action, Some(redactor));
    HookForm {
        id: hook.id.clone(),
        dialect: hook.dialect.name.to_owned(),
        version: version(hook.version),
        scope: hook.scope.as_str().to_owned(),
        origin: hook.origin.clone(),
        event: hook.event.clone(),
        matcher: hook.matcher_text.as_deref().map(|matcher| redactor.text(matcher)),
        kind: hook.kind.to_owned(),
        name: hook.name.as_deref().map(|name| redactor.text(name)),
        digest: digest(hook.dialect.name, &action),
        action,
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

/// What a hook does, to find the recorded one that does the same.
pub(crate) struct Doing {
    dialect: &'static str,
    digest: String,
    text: String,
    /// The same without what the usual rules take out.
    redacted: String,
}

impl Doing {
    pub(crate) fn of(hook: &Hook) -> Self {
        let does = action(&hook.action, None);
        let text = |action: &ActionForm| serde_json::to_string(action).unwrap_or_default();
        let redacted = Rules::new(true, &[]).map_or_else(
            |_| String::new(),
            |rules| text(&action(&hook.action, Some(&Redactor::new(&rules)))),
        );
        let dialect = hook.dialect.name;
        Self { dialect, digest: digest(dialect, &does), text: text(&does), redacted }
    }

    /// Whether the recorded hook did the same; what was taken out of it may be anything.
    pub(crate) fn is(&self, form: &HookForm) -> bool {
        if self.digest == form.digest {
            return true;
        }
        let recorded = serde_json::to_string(&form.action).unwrap_or_default();
        self.dialect == form.dialect
            && recorded.contains(MARK)
            && [&self.text, &self.redacted].into_iter().any(|text| alike(&recorded, text))
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
            headers: headers.iter().map(|header| self::header(header, redactor)).collect(),
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

/// A header of a request: its name may say that it holds a secret.
fn header((name, value): &(String, String), redactor: Option<&Redactor<'_>>) -> (String, String) {
    let value = match redactor {
        None => value.clone(),
        Some(redactor) if redactor.names_a_secret(name) => MARK.to_owned(),
        Some(redactor) => redactor.text(value),
    };
    (name.clone(), value)
}

fn result(redactor: &Redactor<'_>, raw: &RawResult, finished: usize, spilled: &[String]) -> ResultForm {
    ResultForm {
        end: end(redactor, &raw.end),
        stdout: output(redactor, &raw.stdout, raw.stdout_total),
        stderr: output(redactor, &raw.stderr, raw.stderr_total),
        duration_ms: millis(raw.duration),
        finished,
        env_file: raw.env_file.as_deref().map(|text| redactor.text(text)),
        notes: raw.notes.iter().map(|(code, text)| (*code, redactor.text(text))).collect(),
        spilled: spilled.to_vec(),
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
