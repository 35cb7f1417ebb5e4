//! `hookSpecificOutput`, event by event (section 10).

use super::events::PERMISSION_REQUEST;
use super::v;
use crate::diagnostic::Code;
use crate::json::{self, Kind, Object, Raw};
use crate::outcome::Decision;
use crate::reply::{Answer, InputChange, Reply, ReplyContext};

/// Events whose answers may hold context for the model.
const WITH_CONTEXT: [&str; 13] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "Setup",
    "SubagentStart",
    "Stop",
    "SubagentStop",
    "PreModelSwitch",
    "PostModelSwitch",
];

/// Fields that the outcome carries under their own names.
const EXTRA: [(&str, &[(&str, Kind)]); 9] = [
    ("PermissionDenied", &[("retry", Kind::Bool)]),
    ("UserPromptSubmit", &[("sessionTitle", Kind::String), ("suppressOriginalPrompt", Kind::Bool)]),
    (
        "SessionStart",
        &[
            ("initialUserMessage", Kind::String),
            ("sessionTitle", Kind::String),
            ("watchPaths", Kind::Array),
            ("reloadSkills", Kind::Bool),
        ],
    ),
    ("CwdChanged", &[("watchPaths", Kind::Array)]),
    ("FileChanged", &[("watchPaths", Kind::Array)]),
    ("Elicitation", ELICITATION),
    ("ElicitationResult", ELICITATION),
    ("WorktreeCreate", &[("worktreePath", Kind::String)]),
    ("MessageDisplay", &[("displayContent", Kind::String)]),
];

const ELICITATION: &[(&str, Kind)] = &[("action", Kind::String), ("content", Kind::Object)];

/// The most of a note for the permission classifier, in characters.
const CLASSIFIER_NOTE: usize = 2_000;

/// Reads the fields of this event into the reply. Gives objects inside, whose faults count too.
pub(super) fn read(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) -> Vec<Answer> {
    let mut inner = Vec::new();
    read_context(context, fields, reply);
    match context.rule.name {
        "PreToolUse" => permission(context, fields, reply),
        PERMISSION_REQUEST => inner.extend(permission_answer(context, fields, reply)),
        "PostToolUse" => {
            tool_output(context, fields, reply);
            classifier_note(context, fields, reply);
        }
        "Elicitation" | "ElicitationResult" => {
            fields.choice("action", &["accept", "decline", "cancel"]);
        }
        _ => {}
    }
    let extra = EXTRA.iter().find(|(event, _)| *event == context.rule.name).map_or(&[][..], |(_, keys)| keys);
    for (key, kind) in extra {
        if let Some(value) = fields.value(key, *kind) {
            reply.extra.push(((*key).to_owned(), value));
        }
    }
    inner
}

fn read_context(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    let Some(text) = fields.string("additionalContext").filter(|text| !text.is_empty()) else { return };
    let name = context.rule.name;
    let since = match name {
        "PreToolUse" => v(9),
        "Stop" | "SubagentStop" => v(163),
        _ => v(0),
    };
    if !WITH_CONTEXT.contains(&name) || context.hook.version < since {
        return reply.unused(context, "`additionalContext`");
    }
    reply.context = Some(text);
    if matches!(name, "Stop" | "SubagentStop") {
        // The agent goes on with it.
        reply.block(context, "`additionalContext`");
    }
}

fn permission(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    let known: &[&str] = if context.hook.version < v(89) {
        &["allow", "deny", "ask"]
    } else {
        &["allow", "deny", "ask", "defer"]
    };
    match fields.choice("permissionDecision", known) {
        Some("allow") => reply.decision = Decision::Allow,
        Some("ask") => reply.decision = Decision::Ask,
        Some("defer") => reply.decision = Decision::Defer,
        Some(_) => reply.block(context, "`permissionDecision: deny`"),
        None => {}
    }
    reply.reason = fields.string("permissionDecisionReason").filter(|text| !text.is_empty());
    reply.input = fields.raw_object("updatedInput").map(InputChange::Replace);
    if reply.decision == Decision::Defer {
        if reply.input.take().is_some() {
            reply.warn(context, Code::RewriteDropped, "`updatedInput` does not count beside `defer`");
        }
        if reply.context.take().is_some() {
            reply.warn(context, Code::DecisionUnused, "`additionalContext` does not count beside `defer`");
        }
    }
}

fn permission_answer(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) -> Option<Answer> {
    let mut decision = fields.object("decision", "hookSpecificOutput.decision.")?;
    match decision.choice("behavior", &["allow", "deny"]) {
        Some("allow") => {
            reply.decision = Decision::Allow;
            reply.input = decision.raw_object("updatedInput").map(InputChange::Replace);
            reply.permissions = decision.raw_array("updatedPermissions");
            decision.skip(&["message", "interrupt"]);
        }
        Some(_) => {
            reply.block(context, "`behavior: deny`");
            reply.reason = decision.string("message").filter(|text| !text.is_empty());
            reply.interrupt = decision.bool("interrupt") == Some(true);
            decision.skip(&["updatedInput", "updatedPermissions"]);
        }
        None if decision.has("behavior") => {}
        None => decision.faults.push("`hookSpecificOutput.decision.behavior` is missing".to_owned()),
    }
    Some(decision)
}

/// `updatedToolOutput`, and the older `updatedMCPToolOutput` for MCP tools alone.
fn tool_output(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    let mcp = context.event.string("tool_name").is_some_and(|name| name.starts_with("mcp__"));
    let older = fields.raw("updatedMCPToolOutput");
    let newer = fields.raw("updatedToolOutput");
    if mcp {
        reply.output = newer.or(older);
        return;
    }
    if older.is_some() {
        reply.unused(context, "`updatedMCPToolOutput` of a tool that is no MCP tool");
    }
    let Some(output) = newer else { return };
    if context.hook.version < v(121) {
        return reply
            .unused(context, "`updatedToolOutput` of a tool that is no MCP tool before version 2.1.121");
    }
    match context.event.get("tool_response").and_then(|before| misfit(before, output.get())) {
        None => reply.output = Some(output),
        Some(why) => {
            let text = format!("`updatedToolOutput` does not fit the tool's result ({why}); it is ignored");
            reply.warn(context, Code::InvalidOutput, text);
        }
    }
}

/// Why a new result has not the shape of the old one.
fn misfit(before: &str, after: &str) -> Option<String> {
    let (was, is) = (Kind::of(before), Kind::of(after));
    if was == Kind::Null {
        return None;
    }
    if was != is {
        return Some(format!("that is {}, this {}", was.words(), is.words()));
    }
    let (old, new) = (Object::from_raw(before)?, Object::from_raw(after)?);
    let shared = || old.iter().filter_map(|(key, value)| Some((key, value, new.get(key)?)));
    let differs = |(_, old, new): &(&str, &str, &str)| {
        let (old, new) = (Kind::of(old), Kind::of(new));
        old != new && old != Kind::Null && new != Kind::Null
    };
    if let Some((key, old, new)) = shared().find(differs) {
        return Some(format!("`{key}` is {}, not {}", Kind::of(new).words(), Kind::of(old).words()));
    }
    let foreign = old.iter().next().is_some() && shared().next().is_none();
    foreign.then(|| "it has none of its keys".to_owned())
}

fn classifier_note(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    let Some(text) = fields.string("classifierContext").filter(|text| !text.is_empty()) else { return };
    let cut = text.char_indices().nth(CLASSIFIER_NOTE).map(|(end, _)| end);
    let kept = cut.and_then(|end| text.get(..end)).unwrap_or(&text);
    if cut.is_some() {
        let text = format!("its `classifierContext` was cut to {CLASSIFIER_NOTE} characters");
        reply.warn(context, Code::OutputTruncated, text);
    }
    let raw: Option<Raw> = json::to_raw(&json::quote(kept));
    reply.extra.extend(raw.map(|raw| ("classifierContext".to_owned(), raw)));
}
