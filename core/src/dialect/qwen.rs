//! Qwen Code. Sources: `qwen.md` of the specification. Where the vendor's documentation and a release differ, the
//! documentation counts (section 17).

mod names;
mod tools;

use std::time::Duration;

use super::sources::CLAUDE_MANIFEST;
use super::{
    Base, Cwd, Dedupe, Dialect, Effect, EnvRule, EnvValue, EventRule, Exit2, FieldChanges, FileRule, Forked,
    FrontmatterRule, Halt, HomeFolder, HttpRule, Message, Order, Plain, PluginRule, PrivateNetwork,
    PromptRule, Reasons, Rewrites, SettingsRule, Shell, StdinRule, StopCap, SwitchKeys, SystemFile, Target,
    Texts, TimeoutRule, TypeRule,
};
use crate::diagnostic::Code;
use crate::event::Event;
use crate::json::{self, Object, js_trim};
use crate::matcher::Style;
use crate::outcome::Decision;
use crate::render::Rendering;
use crate::reply::exit::{blocked, failed, failed_status, note_answer, plain, silent, trimmed, unreadable};
use crate::reply::{
    Answer, Answered, Exit, InputChange, Output, Reply, ReplyContext, Verdict, holds_answer, output,
};
use crate::settings::Scope;
use crate::terminal::printable;

pub(super) static DIALECT: Dialect = Dialect {
    name: "qwen",
    product: "Qwen Code",
    events: EVENTS,
    names: &names::NAMES,
    since: &[],
    settings: SETTINGS,
    hook_types: &[
        TypeRule {
            name: "command",
            timeout: TimeoutRule { millis_from: Some(1000.0), ..TimeoutRule::seconds(60) },
            keys: &["command", "async", "env", "shell"],
        },
        TypeRule {
            name: "http",
            timeout: TimeoutRule::seconds(600),
            keys: &["url", "headers", "allowedEnvVars", "once", "if"],
        },
        TypeRule { name: "prompt", timeout: TimeoutRule::seconds(30), keys: &["prompt", "model"] },
    ],
    matching: Style::TrimmedList,
    matching_before: &[],
    conditions: false,
    conditions_at_any_depth_before: None,
    // Section 4.
    empty_target_fires: true,
    aliases: tools::ALIASES,
    order: Order::ParallelUnlessAsked,
    dedupe: Dedupe::SameNameAndCommand,
    texts: Texts { reasons: Reasons::OfAll, ..Texts::USUAL },
    rewrites: Rewrites::LastConfigured,
    joins_permissions: true,
    stdin: StdinRule { newline: false, timestamp: true, aliases: &[], adjust: Some(drop_blank_submission) },
    shell: Shell::Named("bash"),
    cwd: Cwd::Event,
    // Section 8.
    env: &[
        EnvRule {
            names: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "QWEN_PROJECT_DIR", "QWEN_CODE_PROJECT_DIR"],
            value: EnvValue::Cwd,
        },
        EnvRule { names: &["QWEN_CODE_SESSION_ID"], value: EnvValue::Field("session_id") },
        EnvRule { names: &["QWEN_CODE_MODEL"], value: EnvValue::Field("model") },
        EnvRule { names: &["QWEN_CODE_MODEL_IDENTITY"], value: EnvValue::FieldOrEmpty("model") },
        EnvRule { names: &["QWEN_CODE_AGENT_ID"], value: EnvValue::FieldOrEmpty("agent_id") },
        EnvRule { names: &["QWEN_CODE_PROMPT_ID"], value: EnvValue::FieldOrEmpty("prompt_id") },
    ],
    line_variables: &[],
    refused_placeholders: &[],
    withheld_env: &[
        "QWEN_SERVER_TOKEN",
        "QWEN_DAEMON_TOKEN",
        "QWEN_CODE_EXTERNAL_TOOL_GUARD_TOKEN",
        "QWEN_CODE_PRIVATE_ACP_CAPABILITY",
    ],
    env_file: None,
    shell_prefix: None,
    longest_text: None,
    output_limit: Some(1024 * 1024),
    grace: Some(Duration::from_secs(2)),
    // Section 16: of 8 blocks in a row the eighth is not honoured.
    stop_cap: Some(StopCap {
        events: &["Stop", "SubagentStop"],
        continuations: 7,
        env: Some("QWEN_CODE_STOP_HOOK_BLOCK_CAP"),
        env_counts_honoured: false,
        since: None,
        highest: 100,
    }),
    delivers_late: false,
    late_message: Message::User,
    transcript: false,
    background_slots: Some(10),
    read,
    // Section 12.
    http: HttpRule {
        refused_hosts: &["localhost.localdomain", "ip6-localhost", "ip6-loopback"],
        private: PrivateNetwork::BySetting,
        empty_list_allows_all: true,
        url_variables: true,
    },
    respond,
    prompts: PromptRule { append: None, indent: true, escapes: false },
    judge,
    // Section 14.
    function_false: Some("Blocked by function hook"),
    function_timeout_blocks: &[],
    context: Some(escaped_context),
    render,
    combine: None,
    redaction: None,
    chain: Some(chain),
};

/// Sections 2, 3 and 5.
const SETTINGS: SettingsRule = SettingsRule {
    disable_key: Some("disableAllHooks"),
    disable_env: &["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"],
    reserved: &["enabled", "disabled", "notifications"],
    comments: true,
    default_scope: Scope::Project,
    // Project, user, system, extension; then what a subagent and the session brought.
    order: &[
        Scope::Local,
        Scope::Project,
        Scope::User,
        Scope::SystemDefaults,
        Scope::System,
        Scope::Managed,
        Scope::Extension,
        Scope::Agent,
        Scope::Session,
        Scope::Skill,
    ],
    keys: SwitchKeys {
        private_network: Some("security.allowPrivateNetworkHooks"),
        http_urls: Some("security.allowedHttpHookUrls"),
        stop_cap: Some("stopHookBlockingCap"),
        ..SwitchKeys::NONE
    },
    files: &[
        FileRule { scope: Scope::Project, base: Base::Project, paths: &[".qwen/settings.json"] },
        FileRule {
            scope: Scope::User,
            base: Base::Home(HomeFolder { folder: ".qwen", moved_by: None }),
            paths: &["settings.json"],
        },
        FileRule {
            scope: Scope::SystemDefaults,
            base: Base::BesideSystem { file: SYSTEM_FILE, moved_by: "QWEN_CODE_SYSTEM_DEFAULTS_PATH" },
            paths: &["system-defaults.json"],
        },
        FileRule { scope: Scope::System, base: Base::System(SYSTEM_FILE), paths: &[] },
    ],
    reload_keeps_system: true,
    reload_keeps_switches: true,
    plugins: PluginRule {
        manifests: &["qwen-extension.json", CLAUDE_MANIFEST],
        bare_map: true,
        ..PluginRule::USUAL
    },
    frontmatter: Some(FrontmatterRule {
        skills: Forked::OrNot,
        once_in_agents: true,
        agents_of_plugins: true,
        stop_becomes: None,
        gate: None,
        skill_dir: &["QWEN_SKILL_ROOT"],
    }),
    ..SettingsRule::USUAL
};

const SYSTEM_FILE: SystemFile = SystemFile {
    linux: "/etc/qwen-code/settings.json",
    macos: "/Library/Application Support/QwenCode/settings.json",
    windows: r"C:\ProgramData\qwen-code\settings.json",
    moved_by: Some("QWEN_CODE_SYSTEM_SETTINGS_PATH"),
};

/// Sections 1 (decisions), 4 (targets) and 10 (what the host does with it).
const EVENTS: &[EventRule] = &[
    event("PreToolUse", Target::Tool, Effect::Permission, Halt::Decide),
    event("PostToolUse", Target::Tool, Effect::Block, Halt::Decide),
    event("PostToolUseFailure", Target::Tool, Effect::Inform, Halt::Nothing),
    EventRule {
        time_limit: Some(Duration::from_secs(15)),
        ..event("PostToolBatch", Target::Nothing, Effect::Block, Halt::Decide)
    },
    event("Notification", Target::Field("notification_type"), Effect::Inform, Halt::Nothing),
    EventRule {
        plain: Plain::Context,
        ..event("UserPromptSubmit", Target::Nothing, Effect::Block, Halt::Decide)
    },
    EventRule {
        plain: Plain::Context,
        ..event(EXPANSION, Target::Field("command_name"), Effect::Block, Halt::Decide)
    },
    EventRule {
        plain: Plain::Context,
        ..event("SessionStart", Target::Field("source"), Effect::Inform, Halt::Nothing)
    },
    event("Stop", Target::Nothing, Effect::Block, Halt::Decide),
    EventRule { detached: true, ..event("MessageDisplay", Target::Nothing, Effect::Ignore, Halt::Nothing) },
    event("SubagentStart", Target::Field("agent_type"), Effect::Inform, Halt::Nothing),
    event("SubagentStop", Target::Field("agent_type"), Effect::Block, Halt::Decide),
    event("PreCompact", Target::Field("trigger"), Effect::Inform, Halt::Nothing),
    event("PostCompact", Target::Field("trigger"), Effect::Ignore, Halt::Nothing),
    event("SessionEnd", Target::Field("reason"), Effect::Inform, Halt::Nothing),
    EventRule { detached: true, ..event("SessionDelete", Target::Nothing, Effect::Ignore, Halt::Nothing) },
    event("PermissionRequest", Target::Tool, Effect::Permission, Halt::Nothing),
    event("PermissionDenied", Target::Tool, Effect::Ignore, Halt::Nothing),
    EventRule {
        detached: true,
        ..event("StopFailure", Target::Field("error"), Effect::Ignore, Halt::Nothing)
    },
    event("TodoCreated", Target::Nothing, VALIDATION, Halt::Nothing),
    event("TodoCompleted", Target::Nothing, VALIDATION, Halt::Nothing),
    event("InstructionsLoaded", Target::Field("file_path"), Effect::Ignore, Halt::Nothing),
];

const EXPANSION: &str = "UserPromptExpansion";
const VALIDATION: Effect = Effect::BlockWhile("phase", "validation");

/// Plain text is a message for the user; exit code 2 always blocks where the event can be blocked (section 9.1).
const fn event(name: &'static str, target: Target, effect: Effect, halt: Halt) -> EventRule {
    EventRule { name, target, effect, plain: Plain::Message, exit2: Exit2::Decide, halt, ..EventRule::USUAL }
}

/// Section 7: `submitted_prompt` is left out unless it has a character that is no blank.
fn drop_blank_submission(event: &Event) -> FieldChanges {
    let key = "submitted_prompt";
    let blank = event.string(key).is_none_or(|text| js_trim(&text).is_empty());
    if event.get(key).is_some() && blank { vec![(key, String::new())] } else { Vec::new() }
}

fn read(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    match exit.code {
        0 => success(context, exit),
        2 => {
            let mut reply = blocked(context, trimmed(exit.stderr));
            if matches!(output(exit.stdout), Output::Object(_)) {
                let text =
                    "Qwen Code ignores standard output with exit code 2; print the reason to standard error";
                reply.warn(context, Code::JsonNotRead, text);
            }
            reply
        }
        _ => failed(context, exit),
    }
}

/// Sections 9.1 and 9.2.
fn success(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    match output(exit.stdout) {
        Output::Empty => silent(context, exit),
        Output::Object(object) => json(context, Answer::new(object, "", false)),
        Output::Broken(why, _) => {
            let why = format!("its output looks like a JSON object but does not parse ({why})");
            unreadable(context, Code::InvalidJson, why)
        }
        Output::Text(text) => {
            // A JSON string that holds an object is read as that object.
            if let Some(inner) = json::decode_string(text)
                && let Output::Object(object) = output(&inner)
            {
                return json(context, Answer::new(object, "", false));
            }
            let mut reply = plain(context, text);
            reply.context = reply.context.take().map(|text| printable(&text)).filter(|text| !text.is_empty());
            reply
        }
    }
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn json(context: &ReplyContext<'_>, mut answer: Answer) -> Reply {
    let mut reply = Reply { answered: true, ..Reply::default() };
    let halts = answer.bool("continue") == Some(false);
    let stop_reason = non_empty(answer.string("stopReason"));
    reply.parts.top = non_empty(answer.string("reason"));
    reply.suppress_output = answer.bool("suppressOutput") == Some(true);
    reply.message = non_empty(answer.string("systemMessage"));
    let top = answer.choice("decision", &["allow", "approve", "ask", "block", "deny"]);
    let mut specific = answer.object("hookSpecificOutput", "hookSpecificOutput.");
    if let Some(fields) = &mut specific {
        fields.skip(&["hookEventName"]);
        reply.context = non_empty(fields.string("additionalContext"));
        if let Some(artifacts) = fields.raw_array("artifacts") {
            reply.extra.push(("artifacts".to_owned(), artifacts));
        }
    }
    if let Some(sequence) = answer.raw("terminalSequence") {
        reply.extra.push(("terminalSequence".to_owned(), sequence));
    }
    match context.rule.name {
        "PreToolUse" => decide_tool(context, &mut reply, specific.as_mut(), top, halts, stop_reason),
        "PermissionRequest" => {
            if let Some(fields) = &mut specific {
                decide_permission(context, &mut reply, fields);
            }
            note_unused(context, &mut reply, top, halts);
        }
        _ => decide_other(context, &mut reply, top, halts, stop_reason),
    }
    let answers: Vec<&Answer> = std::iter::once(&answer).chain(&specific).collect();
    note_answer(context, &mut reply, &answers, &[]);
    reply
}

/// Section 1, PreToolUse: `permissionDecision`, or a stronger top-level decision; `continue: false` denies.
fn decide_tool(
    context: &ReplyContext<'_>,
    reply: &mut Reply,
    specific: Option<&mut Answer>,
    top: Option<&'static str>,
    halts: bool,
    stop_reason: Option<String>,
) {
    let mut permission = None;
    if let Some(fields) = specific {
        permission = fields.choice("permissionDecision", &["allow", "deny", "ask"]);
        reply.parts.permission = non_empty(fields.string("permissionDecisionReason"));
        reply.input = fields.raw_object("updatedInput").map(InputChange::Replace);
        // Section 6: an undocumented name, read along a sequence only.
        if context.chained
            && reply.input.is_none()
            && let Some(patch) = fields.raw_object("tool_input")
        {
            reply.input = Some(InputChange::Patch(patch));
        }
    }
    let meaning = |word| match word {
        Some("allow" | "approve") => Decision::Allow,
        Some("ask") => Decision::Ask,
        Some(_) => Decision::Deny,
        None => Decision::None,
    };
    // Rule 1 of the design holds within one answer too: a block is not undone by an allow beside it.
    let (permission, top) = (meaning(permission), meaning(top));
    reply.decision = if top.strength() > permission.strength() { top } else { permission };
    if permission != Decision::None && reply.decision != permission {
        let text = format!(
            "its `decision` ({}) is stronger than its `permissionDecision` ({}), and counts; Qwen Code itself would \
             read the latter only",
            top.as_str(),
            permission.as_str()
        );
        reply.warn(context, Code::InvalidOutput, text);
        // The text of the weaker one says why it was allowed.
        reply.parts.permission = None;
    }
    if reply.decision.blocks() {
        reply.block(context, "a deny");
    }
    if halts && reply.decision == Decision::Allow {
        reply.parts.permission = None;
    }
    let text = reply.parts.permission.clone().or_else(|| reply.parts.top.clone());
    match reply.decision {
        Decision::None | Decision::Allow if halts => {
            reply.block(context, "`continue: false`");
            reply.parts.stop.clone_from(&stop_reason);
            reply.reason = Some(stop_reason.or(text).unwrap_or_else(|| NO_REASON.to_owned()));
        }
        Decision::None => {}
        Decision::Ask => reply.reason = Some(text.unwrap_or_else(|| "User confirmation required".to_owned())),
        Decision::Allow => reply.reason = text,
        _ => reply.reason = Some(text.unwrap_or_else(|| NO_REASON.to_owned())),
    }
}

/// The upstream text where a hook gave none (section 1).
const NO_REASON: &str = "No reason provided";

/// Section 1, PermissionRequest. A decision object that does not say allow is a deny (section 10).
fn decide_permission(context: &ReplyContext<'_>, reply: &mut Reply, fields: &mut Answer) {
    let Some(mut decision) = fields.object("decision", "hookSpecificOutput.decision.") else { return };
    let message = non_empty(decision.string("message"));
    reply.parts.top.clone_from(&message);
    reply.reason = message;
    reply.interrupt = decision.bool("interrupt") == Some(true);
    if decision.choice("behavior", &["allow", "deny"]) == Some("allow") {
        reply.decision = Decision::Allow;
        reply.input = decision.raw_object("updatedInput").map(InputChange::Replace);
        reply.permissions = decision.raw("updatedPermissions");
    } else {
        reply.block(context, "a deny");
        reply.reason.get_or_insert_with(|| NO_REASON.to_owned());
    }
    note_answer(context, reply, &[&decision], &["updatedInput", "updatedPermissions"]);
}

/// Section 1: block or deny, or `continue: false`, where the event can be blocked.
fn decide_other(
    context: &ReplyContext<'_>,
    reply: &mut Reply,
    top: Option<&'static str>,
    halts: bool,
    stop_reason: Option<String>,
) {
    let halts_here = halts && context.rule.halt == Halt::Decide;
    let blocks = matches!(top, Some("block" | "deny"));
    if !blocks && !halts_here {
        return note_unused(context, reply, top.filter(|top| *top == "ask"), halts);
    }
    reply.block(context, "a block");
    if !reply.decision.blocks() {
        return;
    }
    // A todo's text is `reason` alone (section 1).
    let own_stop = stop_reason.filter(|_| context.rule.halt == Halt::Decide);
    if halts_here {
        reply.parts.stop.clone_from(&own_stop);
    }
    reply.reason = Some(own_stop.or_else(|| reply.parts.top.clone()).unwrap_or_else(|| NO_REASON.to_owned()));
}

fn note_unused(context: &ReplyContext<'_>, reply: &mut Reply, top: Option<&'static str>, halts: bool) {
    if let Some(top) = top {
        reply.unused(context, &format!("`decision: {top}`"));
    }
    if halts {
        reply.unused(context, "`continue: false`");
    }
}

/// Section 12, rules 6 to 9.
fn respond(context: &ReplyContext<'_>, answered: &Answered<'_>) -> Reply {
    if let Some(reply) = failed_status(context, answered) {
        return reply;
    }
    let Some(body) = trimmed(answered.body) else { return Reply::default() };
    if !answered.content_type.is_some_and(|kind| kind.contains("application/json")) {
        let mut reply = Reply { answered: true, message: Some(body), ..Reply::default() };
        if holds_answer(answered.body) {
            let text =
                "its body is JSON, but not its content type; Qwen Code reads JSON as application/json only";
            reply.warn(context, Code::JsonNotRead, text);
        }
        return reply;
    }
    match output(&body) {
        Output::Object(object) => {
            let mut reply = json(context, Answer::new(object, "", false));
            let parts = [&mut reply.parts.top, &mut reply.parts.permission, &mut reply.parts.stop];
            let texts = [&mut reply.reason, &mut reply.context, &mut reply.message].into_iter().chain(parts);
            texts.flatten().for_each(shorten);
            reply.extra.retain(|(key, _)| key != "terminalSequence");
            reply
        }
        Output::Broken(why, _) => {
            let mut reply = Reply { answered: true, ..Reply::default() };
            reply.warn(
                context,
                Code::InvalidJson,
                format!("the server's answer is not JSON ({why}); it is ignored"),
            );
            reply
        }
        _ => {
            let mut reply = Reply { answered: true, ..Reply::default() };
            reply.warn(
                context,
                Code::InvalidOutput,
                "the server's answer is not a JSON object; it is ignored",
            );
            reply
        }
    }
}

/// A server's texts are cut to 10,000 characters, with a line that says so (section 12, rule 9).
fn shorten(text: &mut String) {
    const LENGTH: usize = 10_000;
    if let Some((end, _)) = text.char_indices().nth(LENGTH) {
        let dropped = text.get(end..).map_or(0, |rest| rest.chars().count());
        text.truncate(end);
        text.push_str(&format!("\n[{dropped} more characters were dropped]"));
    }
}

/// Section 13. On PreToolUse `ok: true` is the documented allow; elsewhere the event just goes on (design, ruling 11).
fn judge(context: &ReplyContext<'_>, verdict: &Verdict) -> Reply {
    let mut reply = Reply { answered: true, context: verdict.context.clone(), ..Reply::default() };
    if verdict.ok {
        if context.rule.name == "PreToolUse" {
            reply.decision = Decision::Allow;
            reply.parts.top.clone_from(&verdict.reason);
            reply.reason.clone_from(&verdict.reason);
        }
        return reply;
    }
    let reason = verdict.reason.clone().unwrap_or_else(|| "Blocked by prompt hook".to_owned());
    reply.block(context, "`ok: false`");
    if reply.decision.blocks() {
        reply.parts.top = Some(reason.clone());
        reply.reason = Some(reason);
    }
    reply
}

/// Section 9.4. `room` is what the contexts of this event may still take, in UTF-16 units.
fn escaped_context(rule: &EventRule, text: &str, room: &mut usize) -> String {
    let brackets = text.replace('<', "&lt;").replace('>', "&gt;");
    if rule.name != EXPANSION {
        return brackets;
    }
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut left = (*room).min(EXPANSION_LENGTH);
    let mut end = escaped.len();
    for (at, c) in escaped.char_indices() {
        if c.len_utf16() > left {
            end = at;
            break;
        }
        left -= c.len_utf16();
    }
    // The next hook's context comes behind a line break.
    *room = left.saturating_sub(1);
    let kept = escaped.get(..end).unwrap_or_default();
    let partial =
        kept.rfind('&').filter(|at| end < escaped.len() && !kept.get(*at..).unwrap_or("").contains(';'));
    kept.get(..partial.unwrap_or(kept.len())).unwrap_or_default().to_owned()
}

/// The joined contexts of UserPromptExpansion are cut to this many UTF-16 units (section 9.4).
const EXPANSION_LENGTH: usize = 10_000;

/// Section 10: what the host makes of the contexts, which are escaped already.
fn render(rendering: &Rendering<'_>) -> String {
    let text = rendering.joined("\n");
    match rendering.event {
        "UserPromptSubmit" if !text.is_empty() => {
            format!("<qwen:user-prompt-submit-context>\n{text}\n</qwen:user-prompt-submit-context>")
        }
        "SessionStart" => js_trim(&text).to_owned(),
        "PreCompact" => js_trim(&text).chars().take(4_000).collect(),
        _ => text,
    }
}

/// Section 6: what the next hook of a sequence sees changed.
fn chain(context: &ReplyContext<'_>, reply: &Reply) -> FieldChanges {
    let event = context.event;
    let appended = |text: &str| {
        let prompt = event.string("prompt").unwrap_or_default();
        vec![("prompt", json::quote(&format!("{prompt}\n\n{text}")))]
    };
    match (context.rule.name, &reply.context, &reply.input) {
        ("UserPromptSubmit", Some(text), _) => appended(text),
        (EXPANSION, Some(text), _) => {
            appended(&escaped_context(context.rule, text, &mut EXPANSION_LENGTH.clone()))
        }
        ("PreToolUse", _, Some(InputChange::Replace(input))) => vec![("tool_input", input.get().to_owned())],
        ("PreToolUse", _, Some(InputChange::Patch(patch) | InputChange::PatchOfOriginal(patch))) => {
            let base = event.get("tool_input").and_then(Object::from_raw);
            let merged = base
                .zip(Object::from_raw(patch.get()))
                .and_then(|(base, patch)| json::shallow_merge(&base, &patch));
            merged.map_or_else(Vec::new, |merged| vec![("tool_input", merged.get().to_owned())])
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansion_contexts_share_ten_thousand_units_and_cut_no_entity() {
        let rule = DIALECT.event(EXPANSION).unwrap();
        let mut room = EXPANSION_LENGTH;
        assert_eq!(escaped_context(rule, &"a".repeat(9_997), &mut room).len(), 9_997);
        assert_eq!(
            escaped_context(rule, "<b", &mut room),
            "",
            "the entity is cut in the middle, so all of it goes"
        );
        let mut room = EXPANSION_LENGTH;
        assert_eq!(escaped_context(rule, "a & <b>", &mut room), "a &amp; &lt;b&gt;");
    }
}
