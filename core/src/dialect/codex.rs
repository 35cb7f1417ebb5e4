//! OpenAI's Codex CLI. Sources: `zcode-codex-gemini.md` section 2 of the specification.

mod answer;
mod names;

use std::time::Duration;

use super::sources::CLAUDE_MANIFEST;
use super::{
    Aliases, Base, Cwd, Dedupe, Dialect, Effect, EventRule, Exit2, FieldChanges, FileRule, Halt, HomeFolder,
    HttpRule, LongReason, Longest, ManagedKeys, Message, Order, Pick, Plain, PluginRule, PromptRule, Reasons,
    Rewrites, SettingsRule, Shell, StdinRule, StopCap, SwitchKeys, SystemFile, Target, Texts, TimeUnit,
    TimeoutRule, TypeRule, Version,
};
use crate::event::Event;
use crate::matcher::Style;
use crate::reply::exit::no_http;
use crate::reply::verdict::objecting;
use crate::settings::Scope;

pub(super) static DIALECT: Dialect = Dialect {
    name: "codex",
    product: "Codex CLI",
    events: EVENTS,
    names: &names::NAMES,
    // Section 2.9.
    since: &[("async", Version::new(0, 148, 0))],
    settings: SETTINGS,
    hook_types: &[TypeRule {
        name: "command",
        timeout: TimeoutRule {
            default: Duration::from_secs(600),
            unit: TimeUnit::WholeSeconds,
            millis_key: false,
            millis_from: None,
            by_event: true,
            before: None,
        },
        keys: &["command", "commandWindows", "command_windows", "async", "additionalContextLimit"],
    }],
    matching: Style::ExactListOrRust,
    matching_before: &[],
    conditions: false,
    conditions_at_any_depth_before: None,
    empty_target_fires: false,
    // Section 2.4.
    aliases: Aliases {
        named: &[("apply_patch", &["Write", "Edit"]), ("spawn_agent", &["Agent"])],
        pascal: &[],
        pascal_after: None,
        bare_underscore: false,
        in_patterns: true,
    },
    order: Order::Parallel,
    dedupe: Dedupe::Never,
    texts: Texts { reasons: Reasons::FirstWinner, ..Texts::USUAL },
    // Section 2.8.
    rewrites: Rewrites::LastToFinish,
    joins_permissions: false,
    stdin: StdinRule { newline: false, timestamp: false, aliases: &[], adjust: Some(transcript_path) },
    // Section 2.5, but no login shell: a profile would bring back what the host keeps from its hooks (design, rule 11),
    // its output would count as the hook's, and a hook that is killed would leave it half done.
    shell: Shell::FromEnv(&["SHELL"]),
    cwd: Cwd::Event,
    env: &[],
    line_variables: &[],
    refused_placeholders: &[],
    withheld_env: &[],
    env_file: None,
    shell_prefix: None,
    output_limit: None,
    // Section 2.10.
    longest_text: Some(Longest::Tokens(2_500)),
    grace: None,
    // Section 2.13: without a cap, but the hooks are told.
    stop_cap: Some(StopCap {
        events: &[STOP, SUBAGENT_STOP],
        continuations: u32::MAX,
        env: None,
        env_counts_honoured: false,
        since: None,
        highest: u32::MAX,
    }),
    delivers_late: true,
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
    context: None,
    render: |rendering| rendering.joined("\n"),
    combine: None,
    redaction: None,
    chain: None,
};

/// Sections 2.1, 2.2, 2.11 and 2.12.
const SETTINGS: SettingsRule = SettingsRule {
    strict: true,
    json_keys: &["description", "hooks"],
    skipped_types: &["prompt", "agent"],
    skips_newer_keys: true,
    hook_states: Some("hooks.state"),
    one_form_a_layer: true,
    reserved: &["state", "managed_dir", "windows_managed_dir"],
    order: &[
        Scope::Managed,
        Scope::SystemDefaults,
        Scope::System,
        Scope::User,
        Scope::Project,
        Scope::Local,
        Scope::Session,
        Scope::Extension,
        Scope::Agent,
        Scope::Skill,
    ],
    keys: SwitchKeys {
        enabled: &["features.hooks", "features.codex_hooks"],
        managed: Some(ManagedKeys {
            only_managed: "allow_managed_hooks_only",
            only_plugins: None,
            outlast_disabling_since: None,
        }),
        ..SwitchKeys::NONE
    },
    files: &[
        FileRule { scope: Scope::Managed, base: Base::System(REQUIREMENTS), paths: &[] },
        FileRule { scope: Scope::System, base: Base::System(HOOKS), paths: &[] },
        FileRule { scope: Scope::System, base: Base::System(CONFIG), paths: &[] },
        FileRule { scope: Scope::User, base: Base::Home(HOME), paths: &["hooks.json", "config.toml"] },
        FileRule {
            scope: Scope::Project,
            base: Base::GitRootToProject,
            paths: &[".codex/hooks.json", ".codex/config.toml"],
        },
    ],
    plugins: PluginRule {
        manifests: &[".codex-plugin/plugin.json", CLAUDE_MANIFEST],
        root: &["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"],
        data: &["PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"],
        // The place is not documented; this is CodeBuddy's scheme.
        data_home: Some((HOME, "plugins/data")),
        manifest_replaces: true,
        ..PluginRule::USUAL
    },
    ..SettingsRule::USUAL
};

const HOME: HomeFolder = HomeFolder { folder: ".codex", moved_by: Some("CODEX_HOME") };

const REQUIREMENTS: SystemFile = SystemFile {
    linux: "/etc/codex/requirements.toml",
    macos: "/etc/codex/requirements.toml",
    windows: r"C:\ProgramData\OpenAI\Codex\requirements.toml",
    moved_by: None,
};

const HOOKS: SystemFile = SystemFile {
    linux: "/etc/codex/hooks.json",
    macos: "/etc/codex/hooks.json",
    windows: r"C:\ProgramData\OpenAI\Codex\hooks.json",
    moved_by: None,
};

const CONFIG: SystemFile = SystemFile {
    linux: "/etc/codex/config.toml",
    macos: "/etc/codex/config.toml",
    windows: r"C:\ProgramData\OpenAI\Codex\config.toml",
    moved_by: None,
};

const STOP: &str = "Stop";
const SUBAGENT_STOP: &str = "SubagentStop";

/// Sections 2.3, 2.6, 2.7 and 2.10.
const EVENTS: &[EventRule] = &[
    EventRule { limits_context: true, ..deciding("PreToolUse", Target::Tool, Effect::Permission) },
    deciding("PermissionRequest", Target::Tool, Effect::Permission),
    EventRule {
        halt: Halt::Decide,
        limits_context: true,
        texts: Some(APART),
        long_reason: LongReason::Joined,
        ..deciding("PostToolUse", Target::Tool, Effect::Block)
    },
    EventRule {
        plain: Plain::Context,
        halt: Halt::Stop,
        limits_context: true,
        ..deciding("UserPromptSubmit", Target::Nothing, Effect::Block)
    },
    EventRule {
        plain: Plain::Context,
        halt: Halt::Stop,
        limits_context: true,
        ..told("SessionStart", Target::Field("source"))
    },
    EventRule {
        effect: Effect::Ignore,
        timeout: Some(Duration::from_secs(1)),
        time_limit: Some(Duration::from_secs(3)),
        never_background: true,
        ..told("SessionEnd", Target::Field("reason"))
    },
    EventRule {
        plain: Plain::Context,
        limits_context: true,
        ..told("SubagentStart", Target::Field("agent_type"))
    },
    EventRule {
        halt: Halt::Stop,
        halt_beats_block: true,
        texts: Some(APART),
        long_reason: LongReason::Each,
        ..deciding(SUBAGENT_STOP, Target::Field("agent_type"), Effect::Block)
    },
    EventRule {
        halt: Halt::Stop,
        halt_beats_block: true,
        texts: Some(APART),
        long_reason: LongReason::Each,
        ..deciding(STOP, Target::Nothing, Effect::Block)
    },
    EventRule { halt: Halt::Stop, ..told("PreCompact", Target::Field("trigger")) },
    EventRule { halt: Halt::Stop, ..told("PostCompact", Target::Field("trigger")) },
];

/// Feedback and continuation prompts are paragraphs (section 2.8).
const APART: Texts = Texts { reasons: Reasons::OfWinnersApart, stops: Pick::First, messages: Pick::All };

const fn deciding(name: &'static str, target: Target, effect: Effect) -> EventRule {
    EventRule { name, target, effect, exit2: Exit2::Decide, ..EventRule::USUAL }
}

const fn told(name: &'static str, target: Target) -> EventRule {
    EventRule { name, target, ..EventRule::USUAL }
}

/// Section 2.3: a host without a transcript says so.
fn transcript_path(event: &Event) -> FieldChanges {
    let missing = event.get("transcript_path").is_none();
    if missing { vec![("transcript_path", "null".to_owned())] } else { Vec::new() }
}
