//! ZCode. Sources: `zcode-codex-gemini.md` section 1 of the specification.

mod names;

use std::time::Duration;

use super::sources::CLAUDE_MANIFEST;
use super::{
    Aliases, Base, Cwd, Dedupe, Dialect, Effect, EnvRule, EnvValue, EventRule, Exit2, FieldChanges, FileRule,
    Halt, HomeFolder, HttpRule, Message, Order, PluginRule, PromptRule, Rewrites, SettingsRule, Shell,
    StdinRule, StopCap, Target, Texts, TimeUnit, TimeoutRule, TypeRule,
};
use crate::diagnostic::Code;
use crate::event::Event;
use crate::json::{Kind, Object};
use crate::matcher::Style;
use crate::outcome::{Decision, Status};
use crate::render::Rendering;
use crate::reply::exit::{
    SILENT_BLOCK, blocked, failed, no_http, note_answer, plain, silent, trimmed, unreadable,
};
use crate::reply::verdict::objecting;
use crate::reply::{Answer, Exit, InputChange, Output, Reply, ReplyContext, output};
use crate::settings::Scope;

pub(super) static DIALECT: Dialect = Dialect {
    name: "zcode",
    product: "ZCode",
    events: EVENTS,
    names: &names::NAMES,
    since: &[],
    settings: SETTINGS,
    hook_types: &[
        TypeRule { name: "process", timeout: TIMEOUT, keys: &["command", "args", "enabled", "timeoutMs"] },
        TypeRule {
            name: "command",
            timeout: TimeoutRule { unit: TimeUnit::Seconds, ..TIMEOUT },
            keys: &["command", "shell", "async", "enabled", "timeoutMs"],
        },
    ],
    matching: Style::ExactListOrSearch,
    matching_before: &[],
    conditions: false,
    conditions_at_any_depth_before: None,
    empty_target_fires: false,
    // Section 1.4. Agent and Task name each other.
    aliases: Aliases {
        named: &[("Agent", &["Task"]), ("Task", &["Agent"]), ("ApplyPatch", &["Write", "Edit"])],
        pascal: &[],
        pascal_after: None,
        bare_underscore: false,
        in_patterns: true,
    },
    order: Order::Sequential,
    dedupe: Dedupe::Never,
    texts: Texts::USUAL,
    rewrites: Rewrites::LastConfigured,
    joins_permissions: false,
    stdin: StdinRule { newline: true, timestamp: true, aliases: STDIN_ALIASES, adjust: Some(error_fields) },
    shell: Shell::FromEnv(&[]),
    cwd: Cwd::Event,
    // Section 1.10.
    env: &[
        EnvRule { names: &["ZCODE_PROJECT_DIR", "CLAUDE_PROJECT_DIR"], value: EnvValue::Cwd },
        EnvRule {
            names: &["ZCODE_SESSION_ID", "CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID"],
            value: EnvValue::Field("session_id"),
        },
    ],
    line_variables: &[],
    refused_placeholders: &["CLAUDE_SKILL_DIR", "ZCODE_SKILL_DIR"],
    withheld_env: &[],
    env_file: None,
    shell_prefix: None,
    longest_text: None,
    output_limit: Some(32_768),
    grace: None,
    // Section 1.8.
    stop_cap: Some(StopCap {
        events: &[STOP],
        continuations: 3,
        env: None,
        env_counts_honoured: false,
        since: None,
        highest: 4,
    }),
    delivers_late: false,
    late_message: Message::User,
    transcript: true,
    background_slots: None,
    read,
    http: HttpRule::NONE,
    respond: no_http,
    prompts: PromptRule { append: None, indent: false, escapes: false },
    judge: objecting,
    function_false: None,
    function_timeout_blocks: &[],
    context: None,
    render,
    combine: None,
    redaction: None,
    chain: None,
};

/// Sections 1.1, 1.2, 1.11 and 1.12.
const SETTINGS: SettingsRule = SettingsRule {
    events_key: true,
    needs_enabled: true,
    warns_of_empty_matcher: true,
    grants: true,
    files: &[
        FileRule { scope: Scope::User, base: Base::Home(HOME), paths: &["cli/config.json"] },
        FileRule {
            scope: Scope::Project,
            base: Base::GitRootToProject,
            paths: &["zcode.json", ".zcode/config.json"],
        },
    ],
    plugins: PluginRule {
        manifests: &[".zcode-plugin/plugin.json", CLAUDE_MANIFEST],
        root: &["ZCODE_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"],
        data: &["ZCODE_PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"],
        id: &["ZCODE_PLUGIN_ID"],
        name: &["ZCODE_PLUGIN_NAME"],
        // The place is not documented; this is CodeBuddy's scheme.
        data_home: Some((HOME, "plugins/data")),
        unknown_event: Code::PluginHookUnsupportedEvent,
        ..PluginRule::USUAL
    },
    ..SettingsRule::USUAL
};

const HOME: HomeFolder = HomeFolder { folder: ".zcode", moved_by: None };

const TIMEOUT: TimeoutRule = TimeoutRule {
    default: Duration::from_secs(60),
    unit: TimeUnit::Nothing,
    millis_key: true,
    millis_from: None,
    by_event: false,
    before: None,
};

/// Section 1.3; what a block and `continue: false` do, sections 1.6 and 1.13.
const EVENTS: &[EventRule] = &[
    event("SessionStart", Target::Field("source"), Effect::Inform, Exit2::Nothing, Halt::Nothing),
    event("UserPromptSubmit", Target::Nothing, Effect::Block, Exit2::Decide, Halt::Decide),
    event("PreToolUse", Target::Tool, Effect::Permission, Exit2::Decide, Halt::Decide),
    event("PermissionRequest", Target::Tool, Effect::Permission, Exit2::Decide, Halt::Decide),
    event("PostToolUse", Target::Tool, Effect::Block, Exit2::Decide, Halt::Nothing),
    event("PostToolUseFailure", Target::Tool, Effect::Inform, Exit2::Nothing, Halt::Nothing),
    event(STOP, Target::Nothing, Effect::Block, Exit2::Decide, Halt::Nothing),
];

const STOP: &str = "Stop";

/// Plain text is diagnostics only (section 1.6).
const fn event(name: &'static str, target: Target, effect: Effect, exit2: Exit2, halt: Halt) -> EventRule {
    EventRule { name, target, effect, exit2, halt, ..EventRule::USUAL }
}

/// Section 1.5.
const STDIN_ALIASES: &[(&str, &str)] = &[
    ("hookEventName", "hook_event_name"),
    ("sessionId", "session_id"),
    ("mode", "permission_mode"),
    ("agentName", "agent_type"),
    ("transcriptPath", "transcript_path"),
    ("toolName", "tool_name"),
    ("toolInput", "tool_input"),
    ("toolCallId", "tool_use_id"),
    ("permissionSuggestions", "permission_suggestions"),
    ("toolResponse", "tool_response"),
    ("isInterrupt", "is_interrupt"),
    ("responseText", "last_assistant_message"),
    ("stopHookActive", "stop_hook_active"),
];

/// Section 1.5: a failure is an object in `error_details` and its message in `error`.
fn error_fields(event: &Event) -> FieldChanges {
    if event.name() != "PostToolUseFailure" {
        return Vec::new();
    }
    let (Some(error), None) = (event.get("error"), event.get("error_details")) else { return Vec::new() };
    match Kind::of(error) {
        Kind::Object => {
            let message = Object::from_raw(error).and_then(|error| error.raw("message"));
            let message = message.map_or_else(|| "\"\"".to_owned(), |message| message.get().to_owned());
            vec![("error_details", error.to_owned()), ("error", message)]
        }
        Kind::String => vec![("error_details", format!(r#"{{"message":{error}}}"#))],
        _ => Vec::new(),
    }
}

/// Reasons are cut to this many characters (section 1.6).
const REASON_LENGTH: usize = 4000;

fn shortened(text: &str) -> Option<String> {
    let text = trimmed(text)?;
    match text.char_indices().nth(REASON_LENGTH) {
        Some((end, _)) => Some(format!("{}...", text.get(..end).unwrap_or_default())),
        None => Some(text),
    }
}

fn read(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    match exit.code {
        0 => match output(exit.stdout) {
            Output::Empty => silent(context, exit),
            Output::Object(object) => json(context, Answer::new(object, "", true)),
            Output::Broken(why, _) => {
                let mut reply = Reply { answered: true, ..Reply::default() };
                let text = format!("its output looks like JSON but does not parse ({why}); ZCode ignores it");
                reply.warn(context, Code::InvalidJson, text);
                reply
            }
            Output::Text(text) => plain(context, text),
        },
        2 => {
            let mut reply = blocked(context, shortened(exit.stderr).or_else(|| shortened(exit.stdout)));
            if matches!(output(exit.stdout), Output::Object(_)) {
                reply.warn(context, Code::JsonNotRead, "ZCode does not read JSON with exit code 2");
            }
            reply
        }
        _ => failed(context, exit),
    }
}

/// Section 1.6: a known field with a wrong type or value fails the hook, and nothing of its output counts.
fn json(context: &ReplyContext<'_>, mut answer: Answer) -> Reply {
    let top = Top {
        continues: answer.bool("continue"),
        stop_reason: answer.string("stopReason"),
        reason: answer.string("reason"),
        message: answer.string("systemMessage"),
        contexts: [answer.string("additionalContext"), answer.string("additional_context")],
        suppress: answer.bool("suppressOutput") == Some(true),
        decision: answer.choice("decision", &["approve", "block"]),
    };
    let mut reply = Reply { answered: true, suppress_output: top.suppress, ..Reply::default() };
    let mut answers = Vec::new();
    let mut specific_context = None;
    if let Some(mut fields) = answer.object("hookSpecificOutput", "hookSpecificOutput.") {
        match fields.string("hookEventName") {
            Some(name) if name == context.rule.name => {}
            Some(name) => {
                let why = format!(
                    "its answer names the event {name}, but {} runs; nothing of it counts",
                    context.rule.name
                );
                return unreadable(context, Code::WrongEventName, why);
            }
            None => {
                let why = "its `hookSpecificOutput` has no `hookEventName`; nothing of it counts";
                return unreadable(context, Code::WrongEventName, why);
            }
        }
        specific_context = fields.string("additionalContext");
        read_specific(context, &mut fields, &mut reply, &mut answers);
        answers.push(fields);
    }
    answers.push(answer);
    if let Some(fault) = answers.iter().find_map(|answer| answer.faults.first()) {
        return unreadable(context, Code::InvalidOutput, format!("{fault}; nothing of its answer counts"));
    }
    let [camel, snake] = top.contexts.clone();
    let contexts: Vec<String> =
        [camel, snake, specific_context].into_iter().flatten().filter(|c| !c.is_empty()).collect();
    reply.context = (!contexts.is_empty()).then(|| contexts.join("\n"));
    decide(context, &top, &mut reply);
    note_answer(context, &mut reply, &answers.iter().collect::<Vec<_>>(), &[]);
    reply
}

/// The top-level fields of an answer.
struct Top {
    continues: Option<bool>,
    stop_reason: Option<String>,
    reason: Option<String>,
    message: Option<String>,
    contexts: [Option<String>; 2],
    suppress: bool,
    decision: Option<&'static str>,
}

impl Top {
    /// `stopReason`, else `reason`.
    fn block_reason(&self) -> Option<String> {
        [&self.stop_reason, &self.reason].into_iter().flatten().find_map(|text| shortened(text))
    }
}

fn read_specific(
    context: &ReplyContext<'_>,
    fields: &mut Answer,
    reply: &mut Reply,
    answers: &mut Vec<Answer>,
) {
    match context.rule.name {
        "PreToolUse" => {
            reply.reason = fields.string("permissionDecisionReason").and_then(|text| shortened(&text));
            match fields.choice("permissionDecision", &["allow", "ask", "deny"]) {
                Some("allow") => reply.decision = Decision::Allow,
                Some("ask") => reply.decision = Decision::Ask,
                Some(_) => reply.block(context, "`permissionDecision: deny`"),
                None => {}
            }
            reply.input = new_input(context, fields, reply);
        }
        "PermissionRequest" => {
            let Some(mut decision) = fields.object("decision", "hookSpecificOutput.decision.") else {
                return;
            };
            match decision.choice("behavior", &["allow", "deny"]) {
                Some("allow") => {
                    reply.decision = Decision::Allow;
                    reply.input = new_input(context, &mut decision, reply);
                    let older = decision.raw_array("updatedPermissions");
                    reply.permissions = decision.raw_array("permissionUpdates").or(older);
                }
                Some(_) => {
                    reply.reason = decision.string("message").and_then(|text| shortened(&text));
                    reply.block(context, "`behavior: deny`");
                    reply.interrupt = decision.bool("interrupt") == Some(true);
                }
                None if decision.has("behavior") => {}
                None => decision.faults.push("`hookSpecificOutput.decision.behavior` is missing".into()),
            }
            answers.push(decision);
        }
        _ => {}
    }
}

/// `updatedInput` may be any JSON, so another type is no fault of the hook; but a tool's input is an object.
fn new_input(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) -> Option<InputChange> {
    let input = fields.raw("updatedInput")?;
    if Kind::of(input.get()) == Kind::Object {
        return Some(InputChange::Replace(input));
    }
    let text = format!("`updatedInput` is {}, not an object; it is ignored", Kind::of(input.get()).words());
    reply.warn(context, Code::InvalidOutput, text);
    None
}

/// Section 1.6, "Meaning per event". Where a block or `continue: false` stops nothing, the run is recorded as blocked all
/// the same (section 1.3).
fn decide(context: &ReplyContext<'_>, top: &Top, reply: &mut Reply) {
    if context.rule.name == STOP {
        return decide_stop(context, top, reply);
    }
    reply.message = top.message.clone().filter(|text| !text.is_empty());
    let consented = matches!(reply.decision, Decision::Allow | Decision::Ask);
    let mut reason = None;
    if top.decision == Some("block") {
        reason = top.block_reason().or_else(|| top.message.as_deref().and_then(shortened));
        reply.block(context, "`decision: block`");
        reply.status = Status::Blocked;
    } else if top.decision == Some("approve") {
        match context.rule.effect {
            Effect::Permission if reply.decision == Decision::None => reply.decision = Decision::Allow,
            Effect::Permission => {}
            _ => reply.unused(context, "`decision: approve`"),
        }
    }
    if top.continues == Some(false) {
        reason = reason.or_else(|| top.block_reason());
        match context.rule.halt {
            Halt::Decide => reply.block(context, "`continue: false`"),
            Halt::Stop | Halt::Nothing => {
                reply.unused(context, "`continue: false`");
                reply.status = Status::Blocked;
            }
        }
    }
    if consented && reply.decision.blocks() {
        // That text says why the call was to go on.
        reply.reason = None;
    }
    if reply.decision != Decision::None {
        reply.reason = reply.reason.take().or(reason).or_else(|| top.block_reason());
    }
    if reply.decision.blocks() {
        reply.reason.get_or_insert_with(|| SILENT_BLOCK.to_owned());
    }
    // Section 1.7: a blocked prompt makes no request, so its contexts go nowhere.
    if reply.decision == Decision::Block && context.rule.name == "UserPromptSubmit" {
        reply.context = None;
    }
}

/// The run goes on only when there is some text to go on with.
fn decide_stop(context: &ReplyContext<'_>, top: &Top, reply: &mut Reply) {
    let blocks = top.decision == Some("block");
    let reason = top.block_reason().or_else(|| top.message.as_deref().filter(|_| blocks).and_then(shortened));
    if !blocks {
        reply.message = top.message.clone().filter(|text| !text.is_empty());
    }
    if !blocks && top.continues != Some(true) {
        if top.continues == Some(false) {
            reply.unused(context, "`continue: false`");
        }
        return;
    }
    if reason.is_none() && reply.context.is_none() {
        if blocks {
            reply.unused(context, "`decision: block` without a reason or a context");
        }
        return;
    }
    reply.reason = reason;
    reply.block(context, "`decision: block`");
}

/// Sections 1.6 (a block's reason comes first) and 1.8 (numbered, and cut).
fn render(rendering: &Rendering<'_>) -> String {
    const LENGTH: usize = 24_000;
    if !matches!(rendering.event, "SessionStart" | "UserPromptSubmit" | STOP) {
        return rendering.joined("\n");
    }
    let reason = rendering.reason.filter(|_| rendering.event == STOP);
    let parts = reason.into_iter().chain(rendering.contexts.iter().map(String::as_str));
    let lines: Vec<String> =
        parts.enumerate().map(|(index, text)| format!("#{} {text}", index + 1)).collect();
    let text = lines.join("\n");
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_both_forms_of_the_error() {
        let event = |error: &str| {
            Event::parse(format!(r#"{{"hook_event_name":"PostToolUseFailure","error":{error}}}"#)).unwrap()
        };
        let object = r#"{"message":"too large","type":"io"}"#;
        assert_eq!(
            error_fields(&event(object)),
            [("error_details", object.to_owned()), ("error", crate::json::quote("too large"))]
        );
        assert_eq!(error_fields(&event("\"x\"")), [("error_details", r#"{"message":"x"}"#.to_owned())]);
        assert_eq!(error_fields(&event("7")), []);
    }

    #[test]
    fn reasons_are_cut_at_characters() {
        let long = "é".repeat(4001);
        assert_eq!(shortened(&long).unwrap().chars().count(), 4003);
        assert_eq!(shortened(" ok ").as_deref(), Some("ok"));
        assert_eq!(shortened("  "), None);
    }
}
