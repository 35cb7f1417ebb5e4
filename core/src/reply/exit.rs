//! Readings that dialects share: plain text, failure codes, and the fields common to all answers.

use super::{Answer, Answered, Exit, Reply, ReplyContext, holds_answer};
use crate::diagnostic::{Code, Level};
use crate::dialect::{Exit2, Plain};
use crate::json::js_trim;
use crate::outcome::Status;

/// The text of a block or deny for which the hook gave none. Hosts can rely on a reason.
pub(crate) const SILENT_BLOCK: &str = "Blocked by a hook that gave no reason";

/// Plain text on standard output, exit code 0.
pub(crate) fn plain(context: &ReplyContext<'_>, text: &str) -> Reply {
    let mut reply = Reply { answered: true, ..Reply::default() };
    match context.rule.plain {
        Plain::Context => reply.context = Some(text.to_owned()),
        Plain::Message => reply.message = Some(text.to_owned()),
        Plain::Nothing => {}
    }
    if let Some(word) = lone_word(text) {
        let text = format!(
            "it printed the word `{word}` alone, which decides nothing; to deny or block, end with exit code 2 and the \
             reason on standard error, or print a JSON answer"
        );
        reply.warn(context, Code::OutputUnused, text);
    }
    if holds_answer(text) {
        let text = "its output holds a JSON answer behind other text, and was read as plain text; print the JSON \
                    alone, and logs to standard error";
        reply.warn(context, Code::JsonNotRead, text);
    }
    reply
}

/// The word of a decision, when that is all that a hook printed.
fn lone_word(text: &str) -> Option<&str> {
    const WORDS: [&str; 12] = [
        "deny", "denied", "block", "blocked", "reject", "rejected", "refuse", "no", "allow", "allowed",
        "approve", "approved",
    ];
    let word = js_trim(text).trim_matches(['"', '\'', '.', '!']);
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)).then_some(word)
}

/// Nothing on standard output, exit code 0.
pub(crate) fn silent(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    let mut reply = Reply::default();
    if holds_answer(exit.stderr) {
        let text =
            "it printed a JSON answer to standard error, where nobody reads it; print it to standard output";
        reply.warn(context, Code::JsonNotRead, text);
    }
    reply
}

/// An exit code that means: this hook failed, the event goes on.
pub(crate) fn failed(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    let mut why = format!("exit code {}", exit.code);
    match exit.code {
        126 => why.push_str(" (found, but not executable)"),
        127 => why.push_str(" (command not found)"),
        _ => {}
    }
    if let Some(line) = js_trim(exit.stderr).lines().next() {
        let line: String = line.chars().take(200).collect();
        why = format!("{why}: {line}");
    }
    let mut reply = Reply::failed(context, Status::Error, Code::HookFailed, why);
    if holds_answer(exit.stdout) {
        let text =
            format!("it printed a JSON answer, which is not read with exit code {}; exit with 0", exit.code);
        reply.warn(context, Code::JsonNotRead, text);
    }
    reply
}

/// With a status that is no success the hook has failed, whatever the body says.
pub(crate) fn failed_status(context: &ReplyContext<'_>, answered: &Answered<'_>) -> Option<Reply> {
    if (200..300).contains(&answered.status) {
        return None;
    }
    let mut why = format!("the server answered with status {}", answered.status);
    if (300..400).contains(&answered.status) {
        why.push_str("; redirects are never followed");
    }
    let mut reply = Reply::failed(context, Status::Error, Code::HttpFailed, why);
    if holds_answer(answered.body) {
        let text = format!("the body holds a JSON answer, which is not read with status {}", answered.status);
        reply.warn(context, Code::JsonNotRead, text);
    }
    Some(reply)
}

/// A server's answer in a dialect that has no HTTP hooks.
pub(crate) fn no_http(context: &ReplyContext<'_>, _: &Answered<'_>) -> Reply {
    let why = format!("{} has no HTTP hooks", context.hook.dialect.product);
    unreadable(context, Code::HookTypeUnavailable, why)
}

/// An answer that breaks the dialect's rules so that nothing of it counts.
pub(crate) fn unreadable(context: &ReplyContext<'_>, code: Code, why: impl Into<String>) -> Reply {
    Reply::failed(context, Status::Error, code, why.into())
}

/// Exit code 2 with its message.
pub(crate) fn blocked(context: &ReplyContext<'_>, text: Option<String>) -> Reply {
    let mut reply = Reply { status: Status::Blocked, answered: true, ..Reply::default() };
    match context.rule.exit2 {
        Exit2::Decide => {
            reply.parts.top.clone_from(&text);
            reply.reason = Some(text.unwrap_or_else(|| SILENT_BLOCK.to_owned()));
            reply.block(context, "exit code 2");
        }
        Exit2::TellUser => reply.message = text,
        Exit2::Nothing => reply.unused(context, "exit code 2"),
    }
    reply
}

/// Notes the faults and the unknown keys of an answer.
pub(crate) fn note_answer(
    context: &ReplyContext<'_>,
    reply: &mut Reply,
    answers: &[&Answer],
    known: &[&str],
) {
    for answer in answers {
        for fault in &answer.faults {
            reply.diagnostics.push(context.note(
                Level::Warning,
                Code::InvalidOutput,
                format!("{fault}; ignored"),
            ));
        }
        if let Some(names) = answer.unread(known) {
            let product = context.hook.dialect.product;
            let text = format!("{product} does not read {names} on {}", context.rule.name);
            reply.warn(context, Code::JsonNotRead, text);
        }
    }
}

/// Trimmed text, `None` when nothing is left.
pub(crate) fn trimmed(text: &str) -> Option<String> {
    let text = js_trim(text);
    (!text.is_empty()).then(|| text.to_owned())
}
