//! Gemini CLI. Sources: `zcode-codex-gemini.md` section 3 of the specification. Where the agent's documentation and its
//! code differ, section 3.11 says which counts.

mod answer;
mod names;
mod redaction;

use std::time::Duration;

use super::sources::CLAUDE_MANIFEST;
use super::{
    Aliases, Base, Cwd, Dedupe, Dialect, Effect, EnvRule, EnvValue, EventRule, Exit2, FieldChanges, FileRule,
    Halt, HomeFolder, HttpRule, Message, Order, Pick, Plain, PluginRule, PromptRule, Reasons, Rewrites,
    SettingsRule, Shell, StdinRule, StopCap, SwitchKeys, SystemFile, Target, Texts, TimeUnit, TimeoutRule,
    TypeRule,
};
use crate::event::Event;
use crate::json::{self, Object};
use crate::matcher::Style;
use crate::render::Rendering;
use crate::reply::exit::no_http;
use crate::reply::verdict::objecting;
use crate::reply::{Reply, ReplyContext};
use crate::settings::Scope;

pub(super) static DIALECT: Dialect = Dialect {
    name: "gemini",
    product: "Gemini CLI",
    events: EVENTS,
    names: &names::NAMES,
    since: &[],
    settings: SETTINGS,
    hook_types: &[TypeRule {
        name: "command",
        timeout: TimeoutRule {
            default: Duration::from_secs(60),
            unit: TimeUnit::Millis,
            millis_key: false,
            millis_from: None,
            by_event: false,
            before: None,
        },
        keys: &["command", "env"],
    }],
    matching: Style::SearchOrLiteral,
    matching_before: &[],
    conditions: false,
    conditions_at_any_depth_before: None,
    // Section 3.4: a group is left out only when its matcher was compared with something.
    empty_target_fires: true,
    aliases: Aliases {
        named: &[],
        pascal: &[],
        pascal_after: None,
        bare_underscore: false,
        in_patterns: false,
    },
    order: Order::ParallelUnlessAsked,
    dedupe: Dedupe::NameAndCommand,
    texts: Texts { reasons: Reasons::StopsElseAll, stops: Pick::All, messages: Pick::All },
    rewrites: Rewrites::LastConfigured,
    joins_permissions: false,
    stdin: StdinRule { newline: false, timestamp: true, aliases: &[], adjust: Some(transcript_path) },
    shell: Shell::Named("bash"),
    cwd: Cwd::Event,
    // Section 3.5. The folder of plans is known to the host alone: hooks inherit what it has set.
    env: &[
        EnvRule { names: &["GEMINI_PROJECT_DIR", "GEMINI_CWD", "CLAUDE_PROJECT_DIR"], value: EnvValue::Cwd },
        EnvRule { names: &["GEMINI_SESSION_ID"], value: EnvValue::Field("session_id") },
    ],
    line_variables: &[
        "GEMINI_PROJECT_DIR",
        "GEMINI_CWD",
        "GEMINI_PLANS_DIR",
        "GEMINI_SESSION_ID",
        "CLAUDE_PROJECT_DIR",
    ],
    refused_placeholders: &[],
    withheld_env: &[],
    env_file: None,
    shell_prefix: None,
    output_limit: None,
    longest_text: None,
    // The agent itself waits 5 seconds; the rule of the design for all dialects is 2.
    grace: Some(Duration::from_secs(2)),
    // Section 3.9: retries share the bound of a turn.
    stop_cap: Some(StopCap {
        events: &[AFTER_AGENT],
        continuations: 100,
        env: None,
        env_counts_honoured: false,
        since: None,
        highest: 101,
    }),
    delivers_late: false,
    late_message: Message::User,
    transcript: false,
    background_slots: None,
    read: answer::read,
    http: HttpRule::NONE,
    respond: no_http,
    prompts: PromptRule { append: None, indent: false, escapes: false },
    judge: objecting,
    function_false: None,
    function_timeout_blocks: &[],
    context: Some(|_, text, _| text.replace('<', "&lt;").replace('>', "&gt;")),
    render,
    combine: Some(answer::combine),
    redaction: Some(&redaction::RULE),
    chain: Some(chain),
};

/// Sections 3.1, 3.2 and 3.10.
const SETTINGS: SettingsRule = SettingsRule {
    reserved: &["enabled", "disabled", "notifications"],
    reserved_moved_to: Some("hooksConfig"),
    comments: true,
    // Hooks that the host registers run first; the rest is the order of the design (ruling 5).
    order: &[
        Scope::Session,
        Scope::SystemDefaults,
        Scope::System,
        Scope::Managed,
        Scope::User,
        Scope::Project,
        Scope::Local,
        Scope::Extension,
        Scope::Agent,
        Scope::Skill,
    ],
    keys: SwitchKeys {
        enabled: &["hooksConfig.enabled"],
        disabled_hooks: Some("hooksConfig.disabled"),
        redaction: Some("security.environmentVariableRedaction"),
        ..SwitchKeys::NONE
    },
    files: &[
        FileRule {
            scope: Scope::SystemDefaults,
            base: Base::BesideSystem { file: SYSTEM_FILE, moved_by: "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" },
            paths: &["system-defaults.json"],
        },
        FileRule { scope: Scope::System, base: Base::System(SYSTEM_FILE), paths: &[] },
        FileRule {
            scope: Scope::User,
            base: Base::Home(HomeFolder { folder: ".gemini", moved_by: None }),
            paths: &["settings.json"],
        },
        FileRule { scope: Scope::Project, base: Base::Project, paths: &[".gemini/settings.json"] },
    ],
    plugins: PluginRule {
        manifests: &["gemini-extension.json", CLAUDE_MANIFEST],
        root: &["extensionPath"],
        workspace: Some("workspacePath"),
        separators: &["/", "pathSeparator"],
        ..PluginRule::USUAL
    },
    // What people write who come from Claude Code (section 3.3).
    foreign_events: &[
        ("PreToolUse", "BeforeTool"),
        ("PostToolUse", "AfterTool"),
        ("UserPromptSubmit", "BeforeAgent"),
        ("Stop", AFTER_AGENT),
        ("PreCompact", "PreCompress"),
    ],
    ..SettingsRule::USUAL
};

const SYSTEM_FILE: SystemFile = SystemFile {
    linux: "/etc/gemini-cli/settings.json",
    macos: "/Library/Application Support/GeminiCli/settings.json",
    windows: r"C:\ProgramData\gemini-cli\settings.json",
    moved_by: Some("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
};

const AFTER_AGENT: &str = "AfterAgent";
const SELECTION: &str = "BeforeToolSelection";

/// Sections 3.3 and 3.8.
const EVENTS: &[EventRule] = &[
    deciding("BeforeTool", Target::Tool, Effect::Permission),
    deciding("AfterTool", Target::Tool, Effect::Block),
    deciding("BeforeAgent", Target::Nothing, Effect::Block),
    deciding(AFTER_AGENT, Target::Nothing, Effect::Block),
    EventRule { texts: Some(LATER), ..deciding("BeforeModel", Target::Nothing, Effect::Block) },
    EventRule { texts: Some(LATER), ..deciding("AfterModel", Target::Nothing, Effect::Block) },
    EventRule { plain: Plain::Nothing, ..advisory(SELECTION, Target::Nothing) },
    EventRule { texts: None, ..advisory("SessionStart", Target::Field("source")) },
    advisory("SessionEnd", Target::Field("reason")),
    advisory("PreCompress", Target::Field("trigger")),
    advisory("Notification", Target::Nothing),
];

/// The fields of a later hook's answer take the place of those of an earlier one; but a deny is not undone (design, rule 1).
const LATER: Texts = Texts { reasons: Reasons::LastWinner, stops: Pick::Last, messages: Pick::Last };

const fn deciding(name: &'static str, target: Target, effect: Effect) -> EventRule {
    EventRule {
        name,
        target,
        effect,
        plain: Plain::Message,
        exit2: Exit2::Decide,
        halt: Halt::Stop,
        ..EventRule::USUAL
    }
}

/// Hooks of these decide nothing, and their matchers are no patterns (section 3.4).
const fn advisory(name: &'static str, target: Target) -> EventRule {
    let (plain, matching) = (Plain::Message, Some(Style::Literal));
    EventRule { name, target, plain, matching, texts: Some(LATER), ..EventRule::USUAL }
}

/// Section 3.3: a host without a transcript says so with an empty path.
fn transcript_path(event: &Event) -> FieldChanges {
    let missing = event.get("transcript_path").is_none();
    if missing { vec![("transcript_path", "\"\"".to_owned())] } else { Vec::new() }
}

/// Section 3.7: how contexts go to the model.
fn render(rendering: &Rendering<'_>) -> String {
    let text = rendering.joined("\n");
    if text.is_empty() { text } else { format!("<hook_context>{text}</hook_context>") }
}

/// Section 3.2: what the next hook of a sequence sees changed.
fn chain(context: &ReplyContext<'_>, reply: &Reply) -> FieldChanges {
    let event = context.event;
    match (context.rule.name, &reply.context, &reply.input) {
        ("BeforeAgent", Some(text), _) => {
            let prompt = event.string("prompt").unwrap_or_default();
            vec![("prompt", json::quote(&format!("{prompt}\n\n{text}")))]
        }
        ("BeforeModel", ..) => {
            let request = reply.extra.iter().find(|(key, _)| key == "llm_request");
            request.map(|(_, raw)| ("llm_request", raw.get().to_owned())).into_iter().collect()
        }
        ("BeforeTool", _, Some(change)) => {
            let base = event.get("tool_input").and_then(Object::from_raw);
            let merged = base
                .zip(Object::from_raw(change.raw().get()))
                .and_then(|(base, patch)| json::shallow_merge(&base, &patch));
            merged.map(|merged| ("tool_input", merged.get().to_owned())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
