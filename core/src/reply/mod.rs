//! The fourth step: one hook's answer in the normal form. What every dialect shares stands here; how a finished
//! process is read is the dialect's own.

mod answer;
pub(crate) mod exit;
pub(crate) mod verdict;

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{Effect, EventRule};
use crate::event::Event;
use crate::hook::{Action, FailMode, Hook};
use crate::json::{Raw, quote};
use crate::outcome::{Decision, Status, Stop};
use crate::run::{End, RawResult};

pub(crate) use verdict::Verdict;

pub(crate) use answer::{Answer, Output, holds_answer, output};

/// What a reader needs to know beside the bytes.
pub(crate) struct ReplyContext<'a> {
    pub(crate) rule: &'static EventRule,
    pub(crate) event: &'a Event,
    pub(crate) hook: &'a Hook,
    /// The hook ran in a sequence that hands its input along.
    pub(crate) chained: bool,
}

/// What a finished process left behind.
pub(crate) struct Exit<'a> {
    pub(crate) code: i32,
    pub(crate) stdout: &'a str,
    pub(crate) stderr: &'a str,
}

/// What a server answered.
pub(crate) struct Answered<'a> {
    pub(crate) status: u16,
    pub(crate) content_type: Option<&'a str>,
    pub(crate) body: &'a str,
}

/// A change of the tool input.
#[derive(Debug, Clone)]
pub(crate) enum InputChange {
    /// The whole input is this object.
    Replace(Raw),
    /// These top-level keys are laid over the input.
    Patch(Raw),
    /// These top-level keys are laid over the event's input; what other hooks changed of it is lost.
    PatchOfOriginal(Raw),
}

impl InputChange {
    /// The change with another object.
    pub(crate) fn map(self, change: impl FnOnce(Raw) -> Raw) -> Self {
        match self {
            Self::Replace(raw) => Self::Replace(change(raw)),
            Self::Patch(raw) => Self::Patch(change(raw)),
            Self::PatchOfOriginal(raw) => Self::PatchOfOriginal(change(raw)),
        }
    }

    /// The object as the hook gave it.
    pub(crate) fn raw(&self) -> &Raw {
        match self {
            Self::Replace(raw) | Self::Patch(raw) | Self::PatchOfOriginal(raw) => raw,
        }
    }
}

/// One hook's answer in the normal form.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: Status,
    pub(crate) decision: Decision,
    /// The text that goes with this hook's own decision.
    pub(crate) reason: Option<String>,
    /// The pieces of which a dialect puts several hooks' reasons together.
    pub(crate) parts: ReasonParts,
    pub(crate) input: Option<InputChange>,
    pub(crate) output: Option<Raw>,
    pub(crate) context: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) stop: Option<Stop>,
    pub(crate) suppress_output: bool,
    pub(crate) permissions: Option<Raw>,
    pub(crate) interrupt: bool,
    pub(crate) extra: Vec<(String, Raw)>,
    /// What a model said of a goal.
    pub(crate) verdict: Option<Verdict>,
    /// The hook said something at all.
    pub(crate) answered: bool,
    /// What failed.
    pub(crate) error: Option<String>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// See [`Reasons::OfAll`](crate::dialect::Reasons::OfAll).
#[derive(Debug, Default)]
pub(crate) struct ReasonParts {
    /// The top-level reason, also of a hook that allows.
    pub(crate) top: Option<String>,
    /// The reason of the permission decision.
    pub(crate) permission: Option<String>,
    /// The stop reason of a hook that said `"continue": false`.
    pub(crate) stop: Option<String>,
}

impl ReplyContext<'_> {
    /// What a blocking answer means for this event, if anything.
    pub(crate) fn blocking(&self) -> Option<Decision> {
        self.rule.effect.blocking(self.event)
    }

    /// A diagnostic about this hook.
    pub(crate) fn note(&self, level: Level, code: Code, text: impl AsRef<str>) -> Diagnostic {
        let message = format!("{}: {}", self.hook.title(), text.as_ref());
        Diagnostic { level, code, message, origin: Some(self.hook.origin.clone()) }
    }
}

impl Reply {
    /// The hook failed: nothing of it counts, and a diagnostic says why.
    pub(crate) fn failed(context: &ReplyContext<'_>, status: Status, code: Code, why: String) -> Self {
        let diagnostics = vec![context.note(Level::Error, code, &why)];
        Self { status, error: Some(why), diagnostics, ..Self::default() }
    }

    /// Denies or blocks as the event allows. Where it cannot, a diagnostic says so.
    pub(crate) fn block(&mut self, context: &ReplyContext<'_>, what: &str) {
        match context.blocking() {
            Some(decision) => {
                self.decision = decision;
                self.status = Status::Blocked;
            }
            None => self.unused(context, what),
        }
    }

    /// Notes that the event cannot use `what`.
    pub(crate) fn unused(&mut self, context: &ReplyContext<'_>, what: &str) {
        let text = format!("{what} has no effect on {}", context.rule.name);
        self.diagnostics.push(context.note(Level::Warning, Code::DecisionUnused, text));
    }

    pub(crate) fn warn(&mut self, context: &ReplyContext<'_>, code: Code, text: impl AsRef<str>) {
        self.diagnostics.push(context.note(Level::Warning, code, text));
    }
}

/// Reads what a hook gave.
pub(crate) fn read(context: &ReplyContext<'_>, raw: &RawResult, fail_mode: FailMode) -> Reply {
    let mut reply = read_end(context, raw);
    if let Some(text) =
        raw.env_file.as_ref().and_then(|text| crate::json::to_raw(&format!("[{}]", quote(text))))
    {
        reply.extra.push(("envFile".to_owned(), text));
    }
    for (code, text) in &raw.notes {
        reply.warn(context, *code, text.clone());
    }
    note_cut_output(context, raw, &mut reply);
    note_encoding(context, raw, &mut reply);
    if context.rule.effect == Effect::Ignore {
        reply = ignored(context, reply);
    }
    close_if_failed(context, fail_mode, &mut reply);
    reply
}

fn read_end(context: &ReplyContext<'_>, raw: &RawResult) -> Reply {
    let exit = |code| {
        let (stdout, stderr) = (String::from_utf8_lossy(&raw.stdout), String::from_utf8_lossy(&raw.stderr));
        (context.hook.dialect.read)(context, &Exit { code, stdout: &stdout, stderr: &stderr })
    };
    match &raw.end {
        End::Exited(code) => exit(*code),
        End::StatusLost => {
            // A lost exit code may have been the 2 that blocks. What the hook printed can still deny, never allow.
            let reply = exit(0);
            if reply.decision.blocks() {
                return reply;
            }
            let why = "its exit status was taken by the host process (it reaps all children) and could not be recovered";
            Reply::failed(context, Status::Error, Code::ExitStatusLost, why.into())
        }
        End::Signaled(signal) => {
            let why = format!("it was killed by signal {signal}");
            Reply::failed(context, Status::Error, Code::HookFailed, why)
        }
        End::TimedOut => {
            let fate = match context.hook.action {
                Action::Command { .. } | Action::Process { .. } => "it was killed",
                _ => "its answer does not count",
            };
            let why = format!("it did not finish within {:?}; {fate}", context.hook.time_limit());
            timed_out(context, why)
        }
        End::Cancelled => {
            let why = "it was cancelled before it finished".to_owned();
            let mut reply = Reply::failed(context, Status::Cancelled, Code::HookCancelled, why);
            reply.diagnostics.iter_mut().for_each(|diagnostic| diagnostic.level = Level::Warning);
            reply
        }
        End::NotStarted(why) => Reply::failed(
            context,
            Status::Error,
            Code::SpawnFailed,
            format!("it could not be started: {why}"),
        ),
        End::Unavailable(why) => {
            Reply::failed(context, Status::Error, Code::HookTypeUnavailable, why.clone())
        }
        End::Answered(text) => match context.hook.action {
            Action::Function { .. } => read_function(context, text),
            Action::McpTool { .. } => read_tool(context, text),
            _ => verdict::read(context, text),
        },
        End::Responded { status, content_type } => {
            let body = String::from_utf8_lossy(&raw.stdout);
            let answered = Answered { status: *status, content_type: content_type.as_deref(), body: &body };
            (context.hook.dialect.respond)(context, &answered)
        }
        End::Refused(why) => Reply::failed(context, Status::Error, Code::HttpBlocked, why.clone()),
        End::NoResponse(why) => Reply::failed(context, Status::Error, Code::HttpFailed, why.clone()),
        End::HostFailed(why) => {
            let why = match function_message(context) {
                Some(message) => format!("{message}: {why}"),
                None => why.clone(),
            };
            Reply::failed(context, Status::Error, Code::HostFailed, why)
        }
        End::WorkerFailed { why, code } => {
            // What it said counts when it denies, by the way it ended or in a line; nothing of it is consent.
            let stdout = String::from_utf8_lossy(&raw.stdout);
            let line = |stdout| (context.hook.dialect.read)(context, &Exit { code: 0, stdout, stderr: "" });
            let mut ways = code.iter().copied().chain([0]).map(exit).chain(stdout.lines().map(line));
            match ways.find(|reply| reply.decision.blocks()) {
                Some(mut reply) => {
                    reply.warn(context, Code::WorkerFailed, why);
                    reply
                }
                None => Reply::failed(context, Status::Error, Code::WorkerFailed, why.clone()),
            }
        }
        End::Off(code, why) => Reply::failed(context, Status::Error, *code, why.clone()),
        End::Background => Reply { status: Status::Background, ..Reply::default() },
        End::Skipped(code, why) => {
            let diagnostics = vec![context.note(Level::Warning, *code, why)];
            Reply { status: Status::Skipped, error: Some(why.clone()), diagnostics, ..Reply::default() }
        }
    }
}

/// A function of the host that takes too long blocks where the dialect says so.
fn timed_out(context: &ReplyContext<'_>, why: String) -> Reply {
    let blocks = context.hook.dialect.function_timeout_blocks.contains(&context.rule.name)
        && matches!(context.hook.action, Action::Function { .. });
    let reason = blocks.then(|| format!("{}: {why}", context.hook.title()));
    let mut reply = Reply::failed(context, Status::Timeout, Code::HookTimeout, why);
    if let (Some(reason), Some(decision)) = (reason, context.blocking()) {
        reply.decision = decision;
        reply.parts.top = Some(reason.clone());
        reply.reason = Some(reason);
    }
    reply
}

/// The text of an MCP tool's result is read as what a command prints. A host may hand over the whole result.
fn read_tool(context: &ReplyContext<'_>, text: &str) -> Reply {
    let printed = |stdout| (context.hook.dialect.read)(context, &Exit { code: 0, stdout, stderr: "" });
    let Output::Object(object) = output(text) else { return printed(text) };
    let mut result = Answer::new(object, "", false);
    let Some(content) = result.raw_array("content") else { return printed(text) };
    let blocks: Vec<Raw> = serde_json::from_str(content.get()).unwrap_or_default();
    let texts = blocks.iter().filter_map(|block| {
        crate::json::Object::from_raw(block.get())?.get("text").and_then(crate::json::decode_string)
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    if result.bool("isError") == Some(true) {
        let first: String = text.lines().next().unwrap_or_default().chars().take(200).collect();
        let why = format!("the tool answered with an error: {first}");
        return Reply::failed(context, Status::Error, Code::HostFailed, why);
    }
    printed(&text)
}

/// A function answers as a command prints, and with `true` or `false` where the dialect gives them a meaning.
fn read_function(context: &ReplyContext<'_>, text: &str) -> Reply {
    let dialect = context.hook.dialect;
    let printed = |stdout| (dialect.read)(context, &Exit { code: 0, stdout, stderr: "" });
    match (text.trim(), dialect.function_false) {
        ("true", Some(_)) => printed(""),
        ("false", Some(usual)) => {
            let reason = quote(function_message(context).unwrap_or(usual));
            printed(&format!(r#"{{"decision":"block","continue":false,"reason":{reason}}}"#))
        }
        (word @ ("true" | "false"), None) => {
            let why = format!(
                "it answered `{word}`, which means nothing to {}; answer with an object, or with nothing",
                dialect.product
            );
            Reply::failed(context, Status::Error, Code::HostFailed, why)
        }
        _ => printed(text),
    }
}

/// What the host wants to be read when its function objects or fails.
fn function_message<'a>(context: &ReplyContext<'a>) -> Option<&'a str> {
    match &context.hook.action {
        Action::Function { error_message, .. } => error_message.as_deref(),
        _ => None,
    }
}

fn note_cut_output(context: &ReplyContext<'_>, raw: &RawResult, reply: &mut Reply) {
    let streams = [
        ("standard output", raw.stdout_total, raw.stdout.len()),
        ("standard error", raw.stderr_total, raw.stderr.len()),
    ];
    for (name, total, kept) in streams {
        if total > kept as u64 {
            let text = format!("it wrote {total} bytes to {name}, of which the first {kept} were read");
            reply.warn(context, Code::OutputTruncated, text);
        }
    }
}

/// An answer in another encoding reads as text and decides nothing; its author has to be told.
fn note_encoding(context: &ReplyContext<'_>, raw: &RawResult, reply: &mut Reply) {
    let Err(error) = std::str::from_utf8(&raw.stdout) else { return };
    let cut = raw.stdout_total > raw.stdout.len() as u64 && error.error_len().is_none();
    if !cut && !matches!(raw.end, End::TimedOut | End::Cancelled) {
        let at = error.valid_up_to();
        let text = format!(
            "its output is not UTF-8 (invalid byte at offset {at}); what is invalid was read as U+FFFD; print UTF-8"
        );
        reply.warn(context, Code::InvalidOutput, text);
    }
}

/// The agent reads nothing on this event: the status stays, everything else goes.
fn ignored(context: &ReplyContext<'_>, reply: Reply) -> Reply {
    let mut kept = Reply {
        status: reply.status,
        error: reply.error.clone(),
        diagnostics: reply.diagnostics.clone(),
        ..Reply::default()
    };
    if reply.context.is_some() || reply.message.is_some() || !reply.extra.is_empty() {
        kept.unused(context, "its output");
    }
    kept
}

/// Answers that were not understood, though some dialects call the hook a success; whoever asks for `closed` wants to be
/// sure.
const NONSENSE: [Code; 5] = [
    Code::InvalidJson,
    Code::JsonNotRead,
    Code::InvalidOutput,
    Code::WrongEventName,
    Code::PromptReplyInvalid,
];

/// Rule 4 of the design: a broken hook fails open, unless its fail mode is `closed`.
fn close_if_failed(context: &ReplyContext<'_>, fail_mode: FailMode, reply: &mut Reply) {
    // A guard that could not be asked because it was busy is no guard either.
    let busy = reply.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::WorkerBusy);
    let failed = busy || matches!(reply.status, Status::Error | Status::Timeout);
    let nonsense = || reply.diagnostics.iter().find(|diagnostic| NONSENSE.contains(&diagnostic.code));
    let garbled = nonsense().filter(|_| reply.decision == Decision::None).map(|found| found.code);
    if fail_mode == FailMode::Open || reply.decision.blocks() || !failed && garbled.is_none() {
        return;
    }
    let Some(decision) = context.blocking() else { return };
    let garbled = garbled.map_or("failed", Code::as_str);
    let unread = format!("its answer was not understood ({garbled})");
    let why = reply.error.as_deref().unwrap_or(&unread);
    let reason = format!("{}; its fail mode is `closed`", context.hook.failure(why));
    reply.decision = decision;
    // Where the reasons of all hooks are joined, an allow's must not stand for it.
    reply.parts.top = Some(reason.clone());
    reply.reason = Some(reason);
    let verb = if decision == Decision::Deny { "denies" } else { "blocks" };
    let text = format!("its failure {verb}, as its fail mode says");
    reply.diagnostics.push(context.note(Level::Warning, Code::FailedClosed, text));
}
