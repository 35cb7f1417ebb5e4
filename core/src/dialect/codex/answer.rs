//! What Codex CLI reads of a hook's output: strictly, or not at all (sections 2.6 and 2.7).

use super::EVENTS;
use crate::diagnostic::Code;
use crate::dialect::{Exit2, Halt, Plain};
use crate::json::{Kind, Object, Raw, js_trim};
use crate::outcome::{Decision, Stop};
use crate::reply::exit::{SILENT_BLOCK, blocked, failed, plain, silent, trimmed, unreadable};
use crate::reply::{Answer, Exit, InputChange, Output, Reply, ReplyContext, output};

pub(super) fn read(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    match exit.code {
        0 => success(context, exit),
        2 => exit2(context, exit),
        _ => failed(context, exit),
    }
}

fn success(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    match output(exit.stdout) {
        Output::Empty => silent(context, exit),
        Output::Object(object) => json(context, object),
        Output::Broken(why, _) => {
            let why = format!("its output looks like a JSON object but does not parse ({why})");
            unreadable(context, Code::InvalidJson, why)
        }
        Output::Text(text) if text.starts_with('[') => {
            let why = "its output looks like a JSON array, not like an object; nothing of it counts";
            unreadable(context, Code::InvalidOutput, why)
        }
        Output::Text(_) if context.rule.halt_beats_block => {
            let why = format!("its output is text; {} takes a JSON object only", context.rule.name);
            unreadable(context, Code::InvalidOutput, why)
        }
        Output::Text(text) => {
            let mut reply = plain(context, text);
            if context.rule.plain == Plain::Nothing && reply.diagnostics.is_empty() {
                let text = format!("its output is text, which Codex CLI ignores on {}", context.rule.name);
                reply.warn(context, Code::OutputUnused, text);
            }
            reply
        }
    }
}

/// Section 2.7: without a text on standard error the code 2 is a failure like any other.
fn exit2(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    let reason = trimmed(exit.stderr).filter(|_| context.rule.exit2 == Exit2::Decide);
    if let Some(reason) = reason {
        return blocked(context, Some(reason));
    }
    let mut reply = failed(context, exit);
    let text = match context.rule.exit2 {
        Exit2::Decide => "exit code 2 blocks only with the reason on standard error".to_owned(),
        Exit2::TellUser | Exit2::Nothing => format!("exit code 2 blocks nothing on {}", context.rule.name),
    };
    reply.warn(context, Code::DecisionUnused, text);
    reply
}

/// The fields of an answer, as they are allowed on the event.
#[derive(Default)]
struct Said {
    halts: bool,
    stop_reason: Option<String>,
    suppresses: bool,
    message: Option<String>,
    decision: Option<&'static str>,
    reason: Option<String>,
    context: Option<String>,
    permission: Option<&'static str>,
    permission_reason: Option<String>,
    input: Option<Raw>,
    /// A field that Codex knows and does not support, whatever its value.
    reserved: Option<&'static str>,
}

fn json(context: &ReplyContext<'_>, object: Object) -> Reply {
    let mut answers = vec![Answer::new(object, "", false)];
    let said = fields(context.rule.name, &mut answers);
    let unread = answers.iter().find_map(|answer| answer.unread(&[]));
    let fault = answers.iter().find_map(|answer| answer.faults.first().cloned());
    let fault = fault.or_else(|| unread.map(|names| format!("{names} is unknown on {}", context.rule.name)));
    if let Some(fault) = fault {
        let why = format!("{fault}; nothing of its answer counts");
        return unreadable(context, Code::InvalidOutput, why);
    }
    let mut reply = Reply { answered: true, ..Reply::default() };
    let invalid = match context.rule.name {
        "PreToolUse" => decide_tool(context, &said, &mut reply),
        "PermissionRequest" => decide_permission(context, &said, &mut reply),
        "PostToolUse" => feed_back(context, &said, &mut reply),
        _ => decide_other(context, &said, &mut reply),
    };
    if let Some(why) = invalid {
        let why = format!("{why}; nothing of its answer counts");
        reply = unreadable(context, Code::InvalidOutput, why);
    } else if context.rule.name != "PermissionRequest" {
        reply.context = said.context.filter(|text| !text.is_empty());
        reply.suppress_output = said.suppresses;
    }
    // An answer that only asks for what is not supported keeps its message.
    reply.message = said.message.filter(|text| !text.is_empty());
    reply
}

/// Reads what the event allows; everything else stays unread.
fn fields(event: &str, answers: &mut Vec<Answer>) -> Said {
    let mut said = Said::default();
    let Some(top) = answers.first_mut() else { return said };
    said.halts = top.flag("continue") == Some(false);
    said.stop_reason = top.string("stopReason");
    said.suppresses = top.flag("suppressOutput") == Some(true);
    said.message = top.string("systemMessage");
    let decisions: &[&'static str] = match event {
        "PreToolUse" => &["approve", "block"],
        "PostToolUse" | "UserPromptSubmit" | super::STOP | super::SUBAGENT_STOP => &["block"],
        _ => &[],
    };
    if !decisions.is_empty() {
        said.decision = top.choice("decision", decisions);
        said.reason = top.string("reason");
    }
    let has_specific = [
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "SessionStart",
        "SubagentStart",
        "UserPromptSubmit",
    ];
    if !has_specific.contains(&event) {
        return said;
    }
    let Some(mut specific) = top.object("hookSpecificOutput", "hookSpecificOutput.") else { return said };
    let names: Vec<&'static str> = EVENTS.iter().map(|rule| rule.name).collect();
    if specific.choice("hookEventName", &names).is_none() && specific.faults.is_empty() {
        specific.faults.push("`hookSpecificOutput.hookEventName` is missing".to_owned());
    }
    match event {
        "PermissionRequest" => {
            if let Some(decision) = specific.object("decision", "hookSpecificOutput.decision.") {
                answers.push(read_ruling(decision, &mut said));
            }
        }
        "PreToolUse" => {
            said.permission = specific.choice("permissionDecision", &["allow", "deny", "ask"]);
            said.permission_reason = specific.string("permissionDecisionReason");
            said.input = specific.raw("updatedInput");
        }
        "PostToolUse" => {
            let replaced = specific.raw("updatedMCPToolOutput");
            said.reserved = replaced.map(|_| "`updatedMCPToolOutput`");
        }
        _ => {}
    }
    if event != "PermissionRequest" {
        said.context = specific.string("additionalContext");
    }
    answers.push(specific);
    said
}

/// The answer to a permission request.
fn read_ruling(mut decision: Answer, said: &mut Said) -> Answer {
    said.permission = decision.choice("behavior", &["allow", "deny"]);
    if said.permission.is_none() && decision.faults.is_empty() {
        decision.faults.push("`hookSpecificOutput.decision.behavior` is missing".to_owned());
    }
    said.permission_reason = decision.string("message");
    let reserved = [
        decision.raw("updatedInput").map(|_| "`updatedInput`"),
        decision.raw("updatedPermissions").map(|_| "`updatedPermissions`"),
        decision.flag("interrupt").filter(|interrupt| *interrupt).map(|_| "`interrupt: true`"),
    ];
    said.reserved = reserved.into_iter().flatten().next();
    decision
}

fn filled(text: Option<&String>) -> Option<String> {
    let text = js_trim(text?);
    (!text.is_empty()).then(|| text.to_owned())
}

/// What the events that ask for a permission do not support.
fn unsupported(said: &Said) -> Option<String> {
    let what = if said.halts {
        "`continue: false`"
    } else if said.stop_reason.is_some() {
        "`stopReason`"
    } else if said.suppresses {
        "`suppressOutput`"
    } else {
        said.reserved?
    };
    Some(format!("{what} is not supported here"))
}

/// PreToolUse. The event's own fields, when any is there, go before the older `decision`.
fn decide_tool(context: &ReplyContext<'_>, said: &Said, reply: &mut Reply) -> Option<String> {
    if let Some(why) = unsupported(said) {
        return Some(why);
    }
    let own = said.permission.is_some() || said.permission_reason.is_some() || said.input.is_some();
    let (denies, reason) = if own {
        (said.permission == Some("deny"), &said.permission_reason)
    } else {
        (said.decision == Some("block"), &said.reason)
    };
    let why = match (own, said.permission, said.decision) {
        (true, permission, _) if said.input.is_some() && permission != Some("allow") => {
            "`updatedInput` counts only with `permissionDecision: allow`"
        }
        (true, Some("allow"), _) if said.input.is_none() => {
            "`permissionDecision: allow` is supported only to carry an `updatedInput`"
        }
        (true, Some("ask"), _) => "`permissionDecision: ask` is not supported",
        (true, None, _) => "`permissionDecisionReason` has no `permissionDecision`",
        (false, _, Some("approve")) => "`decision: approve` is not supported",
        (false, _, None) if said.reason.is_some() => "`reason` has no `decision`",
        _ if denies && filled(reason.as_ref()).is_none() => "a deny needs a reason",
        _ => "",
    };
    if !why.is_empty() {
        return Some(why.to_owned());
    }
    if denies {
        reply.block(context, "a deny");
        reply.reason = filled(reason.as_ref());
    } else if let Some(input) = &said.input {
        if Kind::of(input.get()) == Kind::Object {
            reply.input = Some(InputChange::Replace(input.clone()));
        } else {
            let kind = Kind::of(input.get()).words();
            reply.warn(
                context,
                Code::InvalidOutput,
                format!("`updatedInput` is {kind}, not an object; it is ignored"),
            );
        }
    }
    None
}

fn decide_permission(context: &ReplyContext<'_>, said: &Said, reply: &mut Reply) -> Option<String> {
    if let Some(why) = unsupported(said) {
        return Some(why);
    }
    match said.permission {
        Some("allow") => reply.decision = Decision::Allow,
        Some(_) => {
            reply.block(context, "a deny");
            let message = filled(said.permission_reason.as_ref());
            reply.reason = Some(message.unwrap_or_else(|| SILENT_BLOCK.to_owned()));
        }
        None => {}
    }
    None
}

/// PostToolUse: what the model reads instead of the result, or beside it.
fn feed_back(context: &ReplyContext<'_>, said: &Said, reply: &mut Reply) -> Option<String> {
    let blocks = said.decision == Some("block");
    let reason = filled(said.reason.as_ref());
    if said.halts {
        reply.block(context, "`continue: false`");
        let stop_reason = || filled(said.stop_reason.as_ref());
        reply.reason = Some(reason.or_else(stop_reason).unwrap_or_else(|| SILENT_BLOCK.to_owned()));
        return None;
    }
    if said.suppresses {
        return Some("`suppressOutput` is not supported here".to_owned());
    }
    if let Some(reserved) = said.reserved {
        return Some(format!("{reserved} is not supported"));
    }
    match (blocks, &said.reason) {
        (true, _) if reason.is_none() => Some("a block needs a reason".to_owned()),
        (false, Some(_)) => Some("`reason` has no `decision`".to_owned()),
        (true, text) => {
            reply.block(context, "a block");
            reply.reason.clone_from(text);
            None
        }
        (false, None) => None,
    }
}

/// The other events: prompts, stops, and those that only know the fields of every answer.
fn decide_other(context: &ReplyContext<'_>, said: &Said, reply: &mut Reply) -> Option<String> {
    let blocks = said.decision == Some("block");
    let reason = filled(said.reason.as_ref());
    if said.halts {
        match context.rule.halt {
            Halt::Stop => reply.stop = Some(Stop { reason: said.stop_reason.clone() }),
            Halt::Decide | Halt::Nothing => reply.unused(context, "`continue: false`"),
        }
    }
    if !blocks {
        return None;
    }
    if reason.is_none() {
        // A halt counts all the same.
        return (reply.stop.is_none()).then(|| "a block needs a reason".to_owned());
    }
    // Where a halt takes the place of a block, the block is not looked at.
    if reply.stop.is_none() || !context.rule.halt_beats_block {
        reply.block(context, "a block");
        reply.reason = if context.rule.halt_beats_block { reason } else { said.reason.clone() };
    }
    None
}
