//! What a hook printed or a server answered (sections 7 and 8).

use super::events::{PERMISSION_REQUEST, WORKTREE_CREATE};
use super::{fields, v};
use crate::diagnostic::Code;
use crate::dialect::{Exit2, Halt, Message};
use crate::hook::Action;
use crate::json::{self, Object};
use crate::outcome::{Decision, Status, Stop};
use crate::reply::exit::{
    SILENT_BLOCK, blocked, failed, failed_status, note_answer, plain, silent, trimmed, unreadable,
};
use crate::reply::{Answer, Answered, Exit, Output, Reply, ReplyContext, output};
use crate::terminal::{is_harmless_sequence, printable};

/// Why an object is no answer.
type Fault = (Code, String);

pub(super) fn read(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    let creates = context.rule.name == WORKTREE_CREATE;
    let reply = match (exit.code, output(exit.stdout)) {
        (2, printed) => exit2(context, exit, printed),
        (code, _) if creates && code != 0 => blocked(context, trimmed(exit.stderr)),
        (_, Output::Object(object)) => object_reply(context, object),
        (0, Output::Empty) => silent(context, exit),
        (0, Output::Text(text)) => plain(context, text),
        (0, Output::Broken(why, text)) => broken(context, &why, text),
        _ => failed(context, exit),
    };
    let reply = if creates { with_path(context, reply, exit.stdout) } else { reply };
    as_of_version(context, reply)
}

pub(super) fn respond(context: &ReplyContext<'_>, answered: &Answered<'_>) -> Reply {
    if let Some(reply) = failed_status(context, answered) {
        return reply;
    }
    let reply = match output(answered.body) {
        Output::Empty => Reply::default(),
        Output::Object(object) => object_reply(context, object),
        Output::Broken(why, _) => {
            unreadable(context, Code::InvalidJson, format!("the server's answer is not JSON ({why})"))
        }
        Output::Text(_) => {
            unreadable(context, Code::InvalidOutput, "the server's answer is not a JSON object")
        }
    };
    let reply = if context.rule.name == WORKTREE_CREATE { with_path(context, reply, "") } else { reply };
    as_of_version(context, reply)
}

/// An object decides with any exit code; one that breaks the rules is a failure of the hook, and nothing of it counts.
fn object_reply(context: &ReplyContext<'_>, object: Object) -> Reply {
    match json(context, object, true) {
        Ok(mut reply) => {
            if reply.decision.blocks() && reply.context.is_none() {
                reply.reason.get_or_insert_with(|| SILENT_BLOCK.to_owned());
            }
            reply
        }
        Err((code, why)) => unreadable(context, code, format!("{why}; nothing of its answer counts")),
    }
}

/// It starts like an object: a failure, but plain text in older versions.
fn broken(context: &ReplyContext<'_>, why: &str, text: &str) -> Reply {
    let why = format!("its output looks like a JSON object but does not parse ({why})");
    if context.hook.version >= v(245) {
        return unreadable(context, Code::InvalidJson, why);
    }
    let mut reply = plain(context, text);
    reply.warn(context, Code::InvalidJson, why);
    reply
}

/// A block that no JSON can lift. The reason of a blocking answer counts, else standard error; the other fields of an
/// answer are read all the same.
fn exit2(context: &ReplyContext<'_>, exit: &Exit<'_>, printed: Output<'_>) -> Reply {
    // What an elicitation is to be answered with does not count then.
    let specific = !matches!(context.rule.name, "Elicitation" | "ElicitationResult");
    let (mut reply, fault) = match printed {
        Output::Empty => (Reply::default(), None),
        Output::Object(object) => match json(context, object, specific) {
            Ok(reply) => (reply, None),
            Err(fault) => (Reply::default(), Some(fault)),
        },
        Output::Text(_) | Output::Broken(..) => {
            let text = "with exit code 2 the reason is read from standard error, not from the text on standard output";
            (Reply::default(), Some((Code::JsonNotRead, text.to_owned())))
        }
    };
    let stderr = trimmed(exit.stderr);
    reply.answered = true;
    match context.rule.exit2 {
        Exit2::Decide => {
            let own = reply.reason.take().filter(|_| reply.decision.blocks());
            reply.decision = Decision::None;
            reply.block(context, "exit code 2");
            if reply.decision.blocks() {
                reply.reason = own.or_else(|| stderr.clone()).or_else(|| Some(SILENT_BLOCK.to_owned()));
            }
        }
        Exit2::TellUser => reply.message = reply.message.take().or_else(|| stderr.clone()),
        Exit2::Nothing => reply.unused(context, "exit code 2"),
    }
    reply.status = Status::Blocked;
    if let Some((code, text)) = fault {
        reply.warn(context, code, text);
    }
    if stderr.is_some_and(|text| is_of_interpreter(&text)) {
        let text = "its message looks like an interpreter that did not find its script; such a hook blocks everything";
        reply.warn(context, Code::HookFailed, text);
    }
    reply
}

/// Python and others end with 2 when they do not find what they are to run.
fn is_of_interpreter(stderr: &str) -> bool {
    ["can't open file", "cannot open file", "Cannot find module", "No such file or directory"]
        .iter()
        .any(|words| stderr.contains(words))
}

/// `specific`: whether `hookSpecificOutput` counts.
fn json(context: &ReplyContext<'_>, object: Object, specific: bool) -> Result<Reply, Fault> {
    let mut answer = Answer::new(object, "", false);
    let mut reply = Reply { answered: true, ..Reply::default() };
    if matches!(context.hook.action, Action::Function { .. }) && answer.bool("async") == Some(true) {
        return Ok(Reply { status: Status::Background, ..reply });
    }
    let top = Top::read(&mut answer);
    let mut fields = answer.object("hookSpecificOutput", "hookSpecificOutput.");
    let mut inner = Vec::new();
    if let Some(fields) = &mut fields {
        names_this_event(context, fields)?;
        if specific {
            inner = fields::read(context, fields, &mut reply);
        } else {
            reply.unused(context, "`hookSpecificOutput` with exit code 2");
        }
    }
    let mut answers = vec![&answer];
    answers.extend(fields.as_ref().filter(|_| specific));
    answers.extend(&inner);
    if let Some(fault) = answers.iter().find_map(|answer| answer.faults.first()) {
        return Err((Code::InvalidOutput, fault.clone()));
    }
    decide(context, &top, &mut reply);
    tell(context, top.message, &mut reply);
    if let Some(sequence) = top.sequence {
        add_sequence(context, &sequence, &mut reply);
    }
    note_answer(context, &mut reply, &answers, &[]);
    Ok(reply)
}

/// The fields of every answer.
struct Top {
    continues: Option<bool>,
    stop_reason: Option<String>,
    reason: Option<String>,
    message: Option<String>,
    decision: Option<&'static str>,
    sequence: Option<String>,
}

impl Top {
    fn read(answer: &mut Answer) -> Self {
        // It has no effect any more.
        answer.bool("suppressOutput");
        let mut text = |key| answer.string(key).filter(|text| !text.is_empty());
        Self {
            stop_reason: text("stopReason"),
            reason: text("reason"),
            message: text("systemMessage"),
            sequence: text("terminalSequence"),
            continues: answer.bool("continue"),
            decision: answer.choice("decision", &["approve", "block"]),
        }
    }
}

fn names_this_event(context: &ReplyContext<'_>, fields: &mut Answer) -> Result<(), Fault> {
    match fields.string("hookEventName") {
        Some(name) if name == context.rule.name => Ok(()),
        Some(name) => {
            let why = format!("its `hookSpecificOutput` is for {name}, but {} runs", context.rule.name);
            Err((Code::WrongEventName, why))
        }
        None => Err((Code::WrongEventName, "its `hookSpecificOutput` has no `hookEventName`".to_owned())),
    }
}

/// The top-level `decision` and `continue`; what `hookSpecificOutput` decided stands in the reply already.
fn decide(context: &ReplyContext<'_>, top: &Top, reply: &mut Reply) {
    match top.decision {
        Some("block") if context.rule.name == PERMISSION_REQUEST => {
            reply.unused(context, "`decision: block`");
        }
        Some("block") if !reply.decision.blocks() => {
            reply.block(context, "`decision: block`");
            if reply.decision.blocks() {
                reply.reason.clone_from(&top.reason);
            }
        }
        Some("block") => reply.reason = reply.reason.take().or_else(|| top.reason.clone()),
        // Deprecated.
        Some(_) if context.rule.name == "PreToolUse" && reply.decision == Decision::None => {
            reply.decision = Decision::Allow;
            reply.reason.clone_from(&top.reason);
        }
        Some(_) if context.rule.name == "PreToolUse" => {}
        Some(_) => reply.unused(context, "`decision: approve`"),
        None => {}
    }
    if top.continues == Some(false) {
        match context.rule.halt {
            Halt::Stop => reply.stop = Some(Stop { reason: top.stop_reason.clone() }),
            Halt::Decide | Halt::Nothing => reply.unused(context, "`continue: false`"),
        }
    }
}

/// `systemMessage`, for whom the event says.
fn tell(context: &ReplyContext<'_>, message: Option<String>, reply: &mut Reply) {
    let Some(message) = message else { return };
    match context.rule.message {
        Message::User => reply.message = Some(message),
        Message::Model => {
            let texts = [reply.context.take(), Some(message)];
            reply.context = Some(texts.into_iter().flatten().collect::<Vec<_>>().join("\n"));
        }
        Message::Nobody => reply.unused(context, "`systemMessage`"),
    }
}

/// A sequence for the terminal: titles, notifications and the bell, nothing else.
fn add_sequence(context: &ReplyContext<'_>, sequence: &str, reply: &mut Reply) {
    if is_harmless_sequence(sequence) {
        reply
            .extra
            .extend(json::to_raw(&json::quote(sequence)).map(|raw| ("terminalSequence".to_owned(), raw)));
    } else {
        let text =
            "its `terminalSequence` holds more than OSC 0, 1, 2, 9, 99 and 777 and the bell; it is dropped";
        reply.warn(context, Code::InvalidOutput, text);
    }
}

/// The path of a new worktree: of the answer, or the last line that is not empty. Without one, nothing was created.
fn with_path(context: &ReplyContext<'_>, mut reply: Reply, stdout: &str) -> Reply {
    if reply.decision.blocks() || matches!(reply.status, Status::Error | Status::Background) {
        return reply;
    }
    let known = reply.extra.iter().position(|(key, _)| key == "worktreePath");
    let answered = known.and_then(|at| json::decode_string(reply.extra.remove(at).1.get()));
    let printed = || stdout.lines().rev().map(printable).find_map(|line| trimmed(&line));
    let from_text = || printed().filter(|_| matches!(output(stdout), Output::Text(_)));
    let why = match answered.or_else(from_text) {
        None => "it gave no path".to_owned(),
        Some(path) => {
            let cwd = context.event.string("cwd").unwrap_or_default();
            let path = std::path::Path::new(&cwd).join(path);
            match path.symlink_metadata() {
                Ok(found) if found.is_symlink() => format!("{} is a symbolic link", path.display()),
                _ => {
                    let raw = json::to_raw(&json::quote(&path.to_string_lossy()));
                    reply.extra.extend(raw.map(|raw| ("worktreePath".to_owned(), raw)));
                    return reply;
                }
            }
        }
    };
    reply.block(context, "no path");
    reply.reason = Some(format!("{}: {why}", context.hook.title()));
    reply
}

/// What older versions do otherwise.
fn as_of_version(context: &ReplyContext<'_>, mut reply: Reply) -> Reply {
    if context.rule.name == "PreCompact" && context.hook.version < v(105) && reply.decision.blocks() {
        (reply.decision, reply.reason) = (Decision::None, None);
        reply.unused(context, "a block before version 2.1.105");
    }
    reply
}
