//! Claude Code. Sources: `codebuddy-claude.md` of the specification, the documentation of version 2.1.240 and what is
//! known of later ones.

mod events;
mod fields;
mod judge;
mod names;
mod read;

use std::time::Duration;

use super::sources::CLAUDE_MANIFEST;
use super::{
    Aliases, Base, Cwd, Dedupe, Dialect, EnvFileRule, EnvRule, EnvValue, FileRule, Forked, FrontmatterRule,
    HomeFolder, HttpRule, Longest, ManagedKeys, Message, Order, PluginRule, PrivateNetwork, PromptRule,
    Rewrites, SettingsRule, Shell, StdinRule, StopCap, SwitchKeys, SystemFile, Texts, TimeoutRule, TypeRule,
    Untrusted, Version,
};
use crate::matcher::Style;
use crate::settings::Scope;

pub(super) static DIALECT: Dialect = Dialect {
    name: "claude",
    product: "Claude Code",
    events: events::EVENTS,
    names: &names::NAMES,
    // Section 19.
    since: &[
        ("Setup", v(10)),
        ("http", v(63)),
        ("StopFailure", v(78)),
        ("CwdChanged", v(83)),
        ("FileChanged", v(83)),
        ("if", v(85)),
        ("PermissionDenied", v(89)),
        ("mcp_tool", v(118)),
        ("args", v(139)),
        ("continueOnBlock", v(139)),
        ("PreModelSwitch", v(251)),
        ("PostModelSwitch", v(251)),
    ],
    settings: SETTINGS,
    // Sections 4 and 12.
    hook_types: &[
        TypeRule {
            name: "command",
            timeout: COMMAND_TIMEOUT,
            keys: &["command", "args", "async", "asyncRewake", "shell", "if"],
        },
        TypeRule {
            name: "http",
            timeout: COMMAND_TIMEOUT,
            keys: &["url", "headers", "allowedEnvVars", "if"],
        },
        TypeRule { name: "mcp_tool", timeout: COMMAND_TIMEOUT, keys: &["server", "tool", "input", "if"] },
        TypeRule {
            name: "prompt",
            timeout: TimeoutRule::seconds(30),
            keys: &["prompt", "model", "continueOnBlock", "if"],
        },
        TypeRule { name: "agent", timeout: TimeoutRule::seconds(60), keys: &["prompt", "model", "if"] },
    ],
    // Section 5.
    matching: Style::NameList { hyphens: true },
    matching_before: &[(v(191), Style::ExactListOrSearch), (v(195), Style::NameList { hyphens: false })],
    conditions: true,
    conditions_at_any_depth_before: Some(v(214)),
    empty_target_fires: false,
    aliases: Aliases {
        named: &[],
        pascal: &[],
        pascal_after: None,
        bare_underscore: false,
        in_patterns: false,
    },
    order: Order::Parallel,
    dedupe: Dedupe::SameHandler,
    texts: Texts::USUAL,
    rewrites: Rewrites::LastConfigured,
    joins_permissions: false,
    stdin: StdinRule { newline: true, timestamp: false, aliases: &[], adjust: None },
    shell: Shell::Named("sh"),
    cwd: Cwd::EventOrProject,
    // Section 13.
    env: &[
        EnvRule { names: &["CLAUDE_PROJECT_DIR"], value: EnvValue::ProjectDir },
        EnvRule { names: &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"], value: EnvValue::Text("1") },
        EnvRule { names: &["CLAUDE_CODE_SESSION_ID"], value: EnvValue::Field("session_id") },
        EnvRule { names: &["CLAUDE_PID"], value: EnvValue::HostProcess },
        EnvRule { names: &["CLAUDE_EFFORT"], value: EnvValue::FieldOf("effort", "level") },
    ],
    line_variables: &[],
    refused_placeholders: &[],
    withheld_env: &["OTEL_*"],
    env_file: Some(EnvFileRule {
        variable: "CLAUDE_ENV_FILE",
        events: &["SessionStart", "Setup", "CwdChanged", "FileChanged"],
    }),
    shell_prefix: Some("CLAUDE_CODE_SHELL_PREFIX"),
    output_limit: None,
    // Section 16.
    longest_text: Some(Longest::Characters(10_000)),
    grace: None,
    // Section 15.
    stop_cap: Some(StopCap {
        events: &["Stop"],
        continuations: 8,
        env: Some("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"),
        env_counts_honoured: true,
        since: Some(v(143)),
        highest: u32::MAX,
    }),
    delivers_late: true,
    // Section 8.
    late_message: Message::Model,
    transcript: false,
    background_slots: None,
    read: read::read,
    // Section 16.
    http: HttpRule {
        refused_hosts: &[],
        private: PrivateNetwork::Allowed,
        empty_list_allows_all: false,
        url_variables: false,
    },
    respond: read::respond,
    prompts: PromptRule { append: Some("\n\nARGUMENTS:\n"), indent: false, escapes: true },
    judge: judge::judge,
    function_false: None,
    // Section 12.
    function_timeout_blocks: &["PreToolUse", "UserPromptSubmit", "UserPromptExpansion"],
    context: None,
    render: |rendering| rendering.joined("\n"),
    combine: None,
    redaction: None,
    chain: None,
};

/// A version 2.1 of Claude Code.
const fn v(patch: u32) -> Version {
    Version::new(2, 1, patch)
}

const COMMAND_TIMEOUT: TimeoutRule = TimeoutRule {
    by_event: true,
    before: Some((v(3), Duration::from_secs(60))),
    ..TimeoutRule::seconds(600)
};

/// Sections 3, 13 and 14.
const SETTINGS: SettingsRule = SettingsRule {
    disable_key: Some("disableAllHooks"),
    keys: SwitchKeys {
        http_urls: Some("allowedHttpHookUrls"),
        http_env: Some("httpHookAllowedEnvVars"),
        lists_add_up: true,
        managed: Some(ManagedKeys {
            only_managed: "allowManagedHooksOnly",
            only_plugins: Some("strictPluginOnlyCustomization"),
            outlast_disabling_since: Some(v(49)),
        }),
        ..SwitchKeys::NONE
    },
    files: &[
        FileRule { scope: Scope::Managed, base: Base::System(MANAGED_FILE), paths: &[] },
        FileRule {
            scope: Scope::Managed,
            base: Base::FolderBesideSystem(MANAGED_FILE),
            paths: &["managed-settings.d"],
        },
        FileRule { scope: Scope::User, base: Base::Home(HOME), paths: &["settings.json"] },
        FileRule { scope: Scope::Project, base: Base::Project, paths: &[".claude/settings.json"] },
        FileRule { scope: Scope::Local, base: Base::GitRoot, paths: &[".claude/settings.local.json"] },
    ],
    untrusted: Untrusted::AllButManaged,
    plugins: PluginRule {
        manifests: &[CLAUDE_MANIFEST],
        root: &["CLAUDE_PLUGIN_ROOT"],
        data: &["CLAUDE_PLUGIN_DATA"],
        option_prefix: Some("CLAUDE_PLUGIN_OPTION_"),
        options_not_in_shell_since: Some(v(207)),
        data_home: Some((HOME, "plugins/data")),
        ..PluginRule::USUAL
    },
    frontmatter: Some(FrontmatterRule {
        skills: Forked::OrNot,
        once_in_agents: false,
        agents_of_plugins: false,
        stop_becomes: Some("SubagentStop"),
        gate: None,
        skill_dir: &["CLAUDE_SKILL_DIR"],
    }),
    ..SettingsRule::USUAL
};

const HOME: HomeFolder = HomeFolder { folder: ".claude", moved_by: Some("CLAUDE_CONFIG_DIR") };

/// Nothing moves it: an organisation's rules must not depend on the environment of whoever they are for.
const MANAGED_FILE: SystemFile = SystemFile {
    linux: "/etc/claude-code/managed-settings.json",
    macos: "/Library/Application Support/ClaudeCode/managed-settings.json",
    windows: r"C:\Program Files\ClaudeCode\managed-settings.json",
    moved_by: None,
};
