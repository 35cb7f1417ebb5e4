//! CodeBuddy Code. Sources: `codebuddy-claude.md` of the specification (K: rulings on contradictions in the vendor's
//! documentation; D: defaults where it is silent, mostly Claude Code's behaviour).

mod names;

use super::sources::CLAUDE_MANIFEST;
use super::{
    Aliases, Base, Cwd, Dedupe, Dialect, Effect, EnvRule, EnvValue, EventRule, Exit2, FileRule, Forked,
    FrontmatterRule, Halt, HomeFolder, HttpRule, Message, Order, Plain, PluginRule, PrivateNetwork,
    PromptRule, Rewrites, SettingsRule, Shell, StdinRule, Target, Texts, TimeoutRule, TypeRule,
};
use crate::diagnostic::Code;
use crate::hook::Action;
use crate::json::{self, Kind, Raw};
use crate::matcher::Style;
use crate::outcome::{Decision, Stop};
use crate::reply::exit::{
    SILENT_BLOCK, blocked, failed, failed_status, note_answer, plain, silent, trimmed, unreadable,
};
use crate::reply::{Answer, Answered, Exit, InputChange, Output, Reply, ReplyContext, Verdict, output};
use crate::settings::Scope;

pub(super) static DIALECT: Dialect = Dialect {
    name: "codebuddy",
    product: "CodeBuddy Code",
    events: EVENTS,
    names: &names::NAMES,
    since: &[],
    settings: SETTINGS,
    hook_types: &[
        TypeRule {
            name: "command",
            timeout: TimeoutRule::seconds(60),
            keys: &["command", "async", "shell", "if"],
        },
        TypeRule {
            name: "prompt",
            timeout: TimeoutRule::seconds(30),
            keys: &["prompt", "model", "continueOnBlock"],
        },
        TypeRule {
            name: "agent",
            timeout: TimeoutRule::seconds(60),
            keys: &["prompt", "model", "agentType"],
        },
        TypeRule {
            name: "http",
            timeout: TimeoutRule::seconds(60),
            keys: &["url", "method", "headers", "allowedEnvVars"],
        },
    ],
    matching: Style::Search,
    matching_before: &[],
    conditions: true,
    conditions_at_any_depth_before: None,
    empty_target_fires: false,
    // K12, tools-reference: hooks match the tool's real name only.
    aliases: Aliases {
        named: &[],
        pascal: &[],
        pascal_after: None,
        bare_underscore: false,
        in_patterns: false,
    },
    order: Order::Parallel,
    dedupe: Dedupe::SameCommand,
    texts: Texts::USUAL,
    rewrites: Rewrites::LastConfigured,
    joins_permissions: false,
    stdin: StdinRule { newline: false, timestamp: false, aliases: &[], adjust: None },
    shell: Shell::FromEnv(&["CODEBUDDY_CODE_SHELL", "SHELL"]),
    cwd: Cwd::EventOrProject,
    // D24: both names.
    env: &[EnvRule { names: &["CODEBUDDY_PROJECT_DIR", "CLAUDE_PROJECT_DIR"], value: EnvValue::ProjectDir }],
    line_variables: &[],
    refused_placeholders: &[],
    withheld_env: &[],
    env_file: None,
    shell_prefix: Some("CODEBUDDY_CODE_SHELL_PREFIX"),
    longest_text: None,
    output_limit: None,
    grace: None,
    // D26: none is documented.
    stop_cap: None,
    // D22.
    delivers_late: true,
    late_message: Message::User,
    transcript: false,
    background_slots: None,
    read,
    // Section 16: only the method is documented, the rest is Claude Code's.
    http: HttpRule {
        refused_hosts: &[],
        private: PrivateNetwork::Allowed,
        empty_list_allows_all: false,
        url_variables: false,
    },
    respond,
    prompts: PromptRule { append: Some("\n\nARGUMENTS:\n"), indent: false, escapes: false },
    judge,
    function_false: None,
    function_timeout_blocks: &[],
    context: None,
    render: |rendering| rendering.joined("\n"),
    combine: None,
    redaction: None,
    chain: None,
};

/// Sections 3, 13 and 14. No path of a managed file is documented.
const SETTINGS: SettingsRule = SettingsRule {
    disable_key: Some("disableAllHooks"),
    files: &[
        FileRule { scope: Scope::User, base: Base::Home(HOME), paths: &["settings.json"] },
        FileRule { scope: Scope::Project, base: Base::Project, paths: &[".codebuddy/settings.json"] },
        FileRule { scope: Scope::Local, base: Base::Project, paths: &[".codebuddy/settings.local.json"] },
    ],
    plugins: PluginRule {
        manifests: &[".codebuddy-plugin/plugin.json", ".workbuddy-plugin/plugin.json", CLAUDE_MANIFEST],
        root: &["CODEBUDDY_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"],
        data: &["CODEBUDDY_PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"],
        option_prefix: Some("CODEBUDDY_PLUGIN_OPTION_"),
        data_home: Some((HOME, "plugins/data")),
        commands_only_env: Some("CODEBUDDY_DISABLE_EXTENDED_PLUGIN_HOOKS"),
        ..PluginRule::USUAL
    },
    frontmatter: Some(FrontmatterRule {
        skills: Forked::Only,
        once_in_agents: true,
        agents_of_plugins: true,
        stop_becomes: Some("SubagentStop"),
        gate: Some("allowUntrustedFrontmatterHooks"),
        skill_dir: &["CODEBUDDY_SKILL_DIR", "CLAUDE_SKILL_DIR"],
    }),
    ..SettingsRule::USUAL
};

const HOME: HomeFolder = HomeFolder { folder: ".codebuddy", moved_by: Some("CODEBUDDY_CONFIG_DIR") };

/// Sections 5 (targets), 7 (exit code 2), 9 (`continue: false`). Events that CodeBuddy names without describing
/// follow Claude Code (D20).
const EVENTS: &[EventRule] = &[
    event("PreToolUse", Target::Tool, Effect::Permission, Exit2::Decide, Halt::Decide),
    event("PostToolUse", Target::Tool, Effect::Block, Exit2::Decide, Halt::Stop),
    event("PostToolUseFailure", Target::Tool, Effect::Block, Exit2::Decide, Halt::Nothing),
    event("PermissionRequest", Target::Tool, Effect::Permission, Exit2::Nothing, Halt::Nothing),
    event("PermissionDenied", Target::Tool, Effect::Inform, Exit2::Nothing, Halt::Nothing),
    EventRule {
        plain: Plain::Context,
        ..event("UserPromptSubmit", Target::Nothing, Effect::Block, Exit2::Decide, Halt::Decide)
    },
    EventRule {
        plain: Plain::Context,
        ..event("SessionStart", Target::Field("source"), Effect::Inform, Exit2::TellUser, Halt::Nothing)
    },
    event("SessionEnd", Target::Field("reason"), Effect::Inform, Exit2::TellUser, Halt::Nothing),
    event("Setup", Target::Field("trigger"), Effect::Inform, Exit2::TellUser, Halt::Nothing),
    event("Stop", Target::Nothing, Effect::Block, Exit2::Decide, Halt::Decide),
    event("SubagentStart", Target::Field("agent_type"), Effect::Inform, Exit2::TellUser, Halt::Nothing),
    event("SubagentStop", Target::Nothing, Effect::Block, Exit2::Decide, Halt::Decide),
    event("StopFailure", Target::Field("error"), Effect::Ignore, Exit2::Nothing, Halt::Nothing),
    event("Notification", Target::Field("notification_type"), Effect::Inform, Exit2::TellUser, Halt::Nothing),
    event("PreCompact", Target::Field("trigger"), Effect::Block, Exit2::Decide, Halt::Nothing),
    event("PostCompact", Target::Field("trigger"), Effect::Inform, Exit2::TellUser, Halt::Nothing),
    event("InstructionsLoaded", Target::Field("load_reason"), Effect::Inform, Exit2::Nothing, Halt::Nothing),
    event(
        "ConfigChange",
        Target::Field("source"),
        Effect::BlockUnless("source", "policy_settings"),
        Exit2::Decide,
        Halt::Nothing,
    ),
    event("CwdChanged", Target::Nothing, Effect::Inform, Exit2::TellUser, Halt::Nothing),
    event("FileChanged", Target::FileName("file_path"), Effect::Inform, Exit2::TellUser, Halt::Nothing),
    event("TaskCreated", Target::Nothing, Effect::Block, Exit2::Decide, Halt::Nothing),
    event("TaskCompleted", Target::Nothing, Effect::Block, Exit2::Decide, Halt::Nothing),
    event("TeammateIdle", Target::Nothing, Effect::Block, Exit2::Decide, Halt::Nothing),
    event(WORKTREE_CREATE, Target::Nothing, Effect::Block, Exit2::Decide, Halt::Nothing),
    event("WorktreeRemove", Target::Nothing, Effect::Inform, Exit2::Nothing, Halt::Nothing),
    event("Elicitation", Target::Field("mcp_server_name"), Effect::Block, Exit2::Decide, Halt::Nothing),
    event("ElicitationResult", Target::Field("mcp_server_name"), Effect::Block, Exit2::Decide, Halt::Nothing),
];

/// Section 7: any code but 0 fails the creation, and the last line of standard output is the path.
const WORKTREE_CREATE: &str = "WorktreeCreate";

/// An event whose plain text goes to the transcript.
const fn event(name: &'static str, target: Target, effect: Effect, exit2: Exit2, halt: Halt) -> EventRule {
    EventRule { name, target, effect, exit2, halt, ..EventRule::USUAL }
}

/// Fields of `hookSpecificOutput` that the outcome carries under their own names (section 10).
const EXTRA: [&str; 10] = [
    "retry",
    "action",
    "content",
    "worktreePath",
    "watchPaths",
    "sessionTitle",
    "initialUserMessage",
    "reloadSkills",
    "suppressOriginalPrompt",
    "displayContent",
];

fn read(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    match exit.code {
        0 => success(context, exit),
        2 => exit2(context, exit),
        _ if context.rule.name == WORKTREE_CREATE => exit2(context, exit),
        _ => failed(context, exit),
    }
}

/// Section 8: the first character decides between JSON and plain text.
fn success(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    let mut reply = match output(exit.stdout) {
        Output::Empty => silent(context, exit),
        Output::Object(object) => json(context, Answer::new(object, "", false)),
        Output::Broken(why, text) => {
            let mut reply = plain(context, text);
            reply.warn(
                context,
                Code::InvalidJson,
                format!("its output looks like JSON but does not parse ({why})"),
            );
            reply
        }
        Output::Text(text) => plain(context, text),
    };
    if context.rule.name == WORKTREE_CREATE && reply.extra.is_empty() {
        let last = exit.stdout.lines().rev().find_map(trimmed);
        let path =
            last.filter(|line| line.starts_with('/')).and_then(|line| json::to_raw(&json::quote(&line)));
        reply.extra.extend(path.map(|path| ("worktreePath".to_owned(), path)));
    }
    reply
}

/// Section 7: the message is on standard output (the reason of an object, or the text), else on standard error.
fn exit2(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    let (text, more) = match output(exit.stdout) {
        Output::Empty => (None, None),
        Output::Text(text) | Output::Broken(_, text) => (Some(text.to_owned()), None),
        Output::Object(object) => {
            let mut answer = Answer::new(object, "", false);
            let top = top_reason(&mut answer);
            let specific = answer.object("hookSpecificOutput", "hookSpecificOutput.");
            // D5
            let text =
                top.or_else(|| specific.and_then(|mut specific| specific.string("permissionDecisionReason")));
            answer.skip(&["continue", "decision", "suppressOutput"]);
            (text, answer.unread(&[]).or_else(|| answer.has("hookSpecificOutput").then(String::new)))
        }
    };
    let mut reply = blocked(context, text.or_else(|| trimmed(exit.stderr)));
    if more.is_some() {
        let text = format!("with exit code {} only the reason of its JSON is read", exit.code);
        reply.warn(context, Code::JsonNotRead, text);
    }
    reply
}

/// `reason` and `stopReason` are two names of one field (section 8).
fn top_reason(answer: &mut Answer) -> Option<String> {
    let reason = answer.string("reason");
    let stop_reason = answer.string("stopReason");
    reason.or(stop_reason).filter(|text| !text.is_empty())
}

fn json(context: &ReplyContext<'_>, mut answer: Answer) -> Reply {
    let mut reply = Reply { answered: true, ..Reply::default() };
    let reason = top_reason(&mut answer);
    reply.message = answer.string("systemMessage").filter(|text| !text.is_empty());
    reply.suppress_output = answer.bool("suppressOutput") == Some(true);
    let halts = answer.bool("continue") == Some(false);
    let legacy = answer.choice("decision", &["block", "approve"]);
    let mut specific = answer.object("hookSpecificOutput", "hookSpecificOutput.");
    if let Some(fields) = &mut specific
        && names_this_event(context, fields, &mut reply)
    {
        read_specific(context, fields, &mut reply);
    }
    match legacy {
        Some("block") => decide_block(context, &mut reply, reason.clone(), "`decision: block`"),
        // Deprecated, PreToolUse only (section 8).
        Some(_) if context.rule.name == "PreToolUse" && reply.decision == Decision::None => {
            reply.decision = Decision::Allow;
        }
        Some(_) => reply.unused(context, "`decision: approve`"),
        None => {}
    }
    if halts {
        halt(context, &mut reply, reason.clone());
    }
    if reply.decision != Decision::None {
        reply.reason = reply.reason.take().or(reason);
    }
    if reply.decision.blocks() {
        reply.reason.get_or_insert_with(|| SILENT_BLOCK.to_owned());
    }
    let answers: Vec<&Answer> = std::iter::once(&answer).chain(&specific).collect();
    note_answer(context, &mut reply, &answers, &[]);
    reply
}

/// Whether `hookSpecificOutput` is for the event that runs. CodeBuddy always shows the name; one that is missing is
/// taken as meant, another event's makes the object somebody else's answer (section 8).
fn names_this_event(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) -> bool {
    match fields.string("hookEventName") {
        Some(name) if name != context.rule.name => {
            let text = format!(
                "its `hookSpecificOutput` is for {name}, not {}, and was not read",
                context.rule.name
            );
            reply.warn(context, Code::WrongEventName, text);
            false
        }
        Some(_) => true,
        None => {
            let text = "its `hookSpecificOutput` has no `hookEventName`; it was read as meant for this event";
            reply.warn(context, Code::WrongEventName, text);
            true
        }
    }
}

/// Section 10.
fn read_specific(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    reply.context = fields.string("additionalContext").filter(|text| !text.is_empty());
    match context.rule.name {
        "PreToolUse" => read_permission(context, fields, reply),
        "PermissionRequest" => read_permission_answer(context, fields, reply),
        "PostToolUse" => {
            reply.output = fields.raw("updatedToolOutput").map(|value| mcp_content(context, value))
        }
        _ => {}
    }
    for key in EXTRA {
        if let Some(value) = fields.raw(key) {
            reply.extra.push((key.to_owned(), value));
        }
    }
}

fn read_permission(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    let reason = fields.string("permissionDecisionReason").filter(|text| !text.is_empty());
    match fields.choice("permissionDecision", &["allow", "deny", "ask"]) {
        Some("allow") => reply.decision = Decision::Allow,
        Some("ask") => reply.decision = Decision::Ask,
        Some(_) => reply.block(context, "`permissionDecision: deny`"),
        None => {}
    }
    reply.reason = reason;
    let whole = fields.raw_object("updatedInput");
    let patch = fields.raw_object("modifiedInput");
    // D11: the SDK's name for it is taken as a whole input, when the documented name is not there.
    if patch.is_none() && whole.is_some() {
        let text = "`updatedInput` was taken as the whole input; CodeBuddy documents `modifiedInput` (single fields)";
        reply.warn(context, Code::InvalidOutput, text);
    }
    reply.input = patch.map(InputChange::Patch).or_else(|| whole.map(InputChange::Replace));
}

fn read_permission_answer(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    let Some(mut decision) = fields.object("decision", "hookSpecificOutput.decision.") else { return };
    reply.reason = decision.string("message").filter(|text| !text.is_empty());
    match decision.choice("behavior", &["allow", "deny"]) {
        Some("allow") => {
            reply.decision = Decision::Allow;
            reply.input = decision.raw_object("updatedInput").map(InputChange::Replace);
            reply.permissions = decision.raw("updatedPermissions");
        }
        Some(_) => {
            reply.block(context, "`behavior: deny`");
            reply.interrupt = decision.bool("interrupt") == Some(true);
        }
        None => {}
    }
    note_answer(context, reply, &[&decision], &["interrupt", "updatedInput", "updatedPermissions"]);
}

/// An MCP tool's result is a list of content blocks: a list is taken as it is, anything else becomes one text block.
fn mcp_content(context: &ReplyContext<'_>, value: Raw) -> Raw {
    let is_mcp = context.event.string("tool_name").is_some_and(|name| name.starts_with("mcp__"));
    if !is_mcp || Kind::of(value.get()) == Kind::Array {
        return value;
    }
    let text = json::decode_string(value.get()).unwrap_or_else(|| value.get().to_owned());
    json::to_raw(&format!(r#"[{{"type":"text","text":{}}}]"#, json::quote(&text))).unwrap_or(value)
}

fn decide_block(context: &ReplyContext<'_>, reply: &mut Reply, reason: Option<String>, what: &str) {
    if reply.decision.blocks() {
        return;
    }
    reply.block(context, what);
    if reply.decision.blocks() {
        reply.reason = reason;
    }
}

/// Section 9, D1 to D3.
fn halt(context: &ReplyContext<'_>, reply: &mut Reply, reason: Option<String>) {
    match context.rule.halt {
        Halt::Decide => decide_block(context, reply, reason, "`continue: false`"),
        Halt::Stop => {
            reply.stop = Some(Stop { reason });
            let text =
                "`continue: false` on PostToolUse was taken as: halt the agent; CodeBuddy does not say";
            reply.warn(context, Code::InvalidOutput, text);
        }
        Halt::Nothing => reply.unused(context, "`continue: false`"),
    }
}

/// Section 16: a success with an empty body or an answer object; a status alone never blocks.
fn respond(context: &ReplyContext<'_>, answered: &Answered<'_>) -> Reply {
    if let Some(reply) = failed_status(context, answered) {
        return reply;
    }
    match output(answered.body) {
        Output::Empty => Reply::default(),
        Output::Object(object) => json(context, Answer::new(object, "", false)),
        Output::Broken(why, _) => {
            unreadable(context, Code::InvalidJson, format!("the server's answer is not JSON ({why})"))
        }
        Output::Text(_) => {
            unreadable(context, Code::InvalidOutput, "the server's answer is not a JSON object")
        }
    }
}

/// Section 15. `ok: true` lets the normal flow go on (design, ruling 11).
fn judge(context: &ReplyContext<'_>, verdict: &Verdict) -> Reply {
    let mut reply = Reply { answered: true, context: verdict.context.clone(), ..Reply::default() };
    if verdict.ok {
        return reply;
    }
    let reason = verdict.reason.clone().unwrap_or_else(|| SILENT_BLOCK.to_owned());
    let continues =
        matches!(context.hook.action, Action::Prompt { continue_on_block: true, .. } | Action::Agent { .. });
    match context.rule.name {
        "Stop" | "SubagentStop" if verdict.impossible => {
            reply.message = Some(format!("The goal cannot be achieved: {reason}"));
        }
        // K1: without `continueOnBlock` the agent stops all the same.
        "Stop" | "SubagentStop" if !continues => {
            reply.unused(context, "an objection without `continueOnBlock: true`");
        }
        // Claude Code's meaning (K3): the turn ends, unless the reason is to be fed back.
        "PostToolUse" if !continues => reply.stop = Some(Stop { reason: Some(reason) }),
        _ => {
            reply.block(context, "`ok: false`");
            reply.reason = reply.decision.blocks().then_some(reason);
        }
    }
    reply
}
