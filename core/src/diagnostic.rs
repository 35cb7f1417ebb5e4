//! Diagnostics: everything that was ignored, cut, skipped or not understood, in words a user can act on.

use serde::{Deserialize, Serialize};

/// How grave a [`Diagnostic`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It runs, perhaps not as meant.
    Warning,
    /// It does not run, or did not count.
    Error,
}

/// Declares [`Code`], its stable text and the list of all codes from one table.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The stable code of a [`Diagnostic`]: what happened, for programs. The message says it for people.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// The stable text of this code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Every code there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
}

codes! {
    /// A settings file or object is not JSON, or its root is not an object. Nothing of it runs.
    InvalidSettings = "invalid_settings",
    /// The settings hold comments, trailing commas or a BOM that the agent itself would not accept.
    LenientJson = "lenient_json",
    /// The same key stands twice in one object; the last one counts, as in JavaScript.
    DuplicateKey = "duplicate_key",
    /// An event name the dialect does not have: in settings its hooks never run, in a dispatched event nothing matches.
    UnknownEvent = "unknown_event",
    /// A hook of another dialect is for an event that the host's agent does not have.
    NoCounterpart = "no_counterpart",
    /// A tool of the host was given the name of a tool that its dialect is not known to have.
    UnknownTool = "unknown_tool",
    /// A hook group is not an object with a list `hooks`. Its neighbours stay.
    InvalidDefinition = "invalid_definition",
    /// A hook is not usable: no object, no known type, or a required field is missing. Its neighbours stay.
    InvalidHook = "invalid_hook",
    /// The hook type is not one this dialect has.
    UnknownHookType = "unknown_hook_type",
    /// The hook type is known, but nothing here can run it.
    HookTypeUnavailable = "hook_type_unavailable",
    /// A key has a value of the wrong type and is ignored.
    WrongType = "wrong_type",
    /// A key is known from another dialect or has no meaning at this place.
    IgnoredKey = "ignored_key",
    /// A matcher is not a valid pattern; its group does not run.
    InvalidMatcher = "invalid_matcher",
    /// A matcher names what is never matched by that alone, such as an MCP server without its tools.
    MatcherNeverMatches = "matcher_never_matches",
    /// The `if` of a hook is no permission rule, or stands where there is no tool; the hook does not run.
    InvalidCondition = "invalid_condition",
    /// A matcher took more steps than allowed and was taken as a match.
    MatcherLimit = "matcher_limit",
    /// A matcher stands on an event that has nothing to match.
    IgnoredMatcher = "ignored_matcher",
    /// A matcher looks like a pattern or a list, but is compared as text here.
    LiteralMatcher = "literal_matcher",
    /// A timeout is not usable; the default applies.
    TimeoutIgnored = "timeout_ignored",
    /// A timeout is longer than the agent waits for the event.
    TimeoutClamped = "timeout_clamped",
    /// A timeout in seconds is so large that the dialect reads it as milliseconds.
    TimeoutLegacyMs = "timeout_legacy_ms",
    /// The event lacks a field the dialect's matcher looks at, or it has the wrong type.
    EventField = "event_field",
    /// The same hook stands in the settings more than once and runs once.
    DuplicateHook = "duplicate_hook",
    /// Hooks are switched off in the settings.
    HooksDisabled = "hooks_disabled",
    /// A hook is held back because its source is not trusted.
    Untrusted = "untrusted",
    /// A settings file cannot be read: no permission, a directory, too large, not UTF-8. Nothing of it runs.
    SettingsUnreadable = "settings_unreadable",
    /// A folder holds two files with hooks where the agent wants one; both run.
    TwoForms = "two_forms",
    /// A project's settings file is a link that leads out of the project.
    SettingsOutsideProject = "settings_outside_project",
    /// A setting that a project cannot give itself stands in a project's settings and is ignored.
    WorkspaceSettingIgnored = "workspace_setting_ignored",
    /// The store of grants cannot be read; it grants nothing.
    TrustStoreUnreadable = "trust_store_unreadable",
    /// A matcher is empty where the agent wants one; it matches everything.
    EmptyMatcher = "empty_matcher",
    /// A plugin folder has neither a manifest nor hooks, or its manifest is not usable.
    PluginInvalid = "plugin_invalid",
    /// A path in a plugin's manifest leaves the plugin's folder, or is no relative path. It is not read.
    PluginComponentPathInvalid = "plugin_component_path_invalid",
    /// A plugin's hooks file is missing, cannot be read or is not JSON.
    PluginHookReadFailed = "plugin_hook_read_failed",
    /// A plugin's hooks have a bad form, or the same file is named twice.
    PluginHookInvalid = "plugin_hook_invalid",
    /// A plugin's hooks name an event that the dialect does not have.
    PluginHookUnsupportedEvent = "plugin_hook_unsupported_event",
    /// The frontmatter of an agent or skill is not YAML that can be read. Nothing of it runs.
    FrontmatterMalformed = "frontmatter_malformed",
    /// The hooks in the frontmatter of an agent or skill are not registered.
    FrontmatterSkipped = "frontmatter_skipped",
    /// What a reload could not take over; the old state stays.
    ReloadKept = "reload_kept",
    /// The hook's process could not be started.
    SpawnFailed = "spawn_failed",
    /// The hook ended with an exit code that means a failure of the hook.
    HookFailed = "hook_failed",
    /// The hook did not finish within its timeout; a process was killed, and its output does not count.
    HookTimeout = "hook_timeout",
    /// The hook was cancelled before it finished.
    HookCancelled = "hook_cancelled",
    /// The host took the hook's exit status, and it could not be recovered.
    ExitStatusLost = "exit_status_lost",
    /// The hook printed more than is kept; the rest is gone.
    OutputTruncated = "output_truncated",
    /// The hook's output looks like a JSON object but does not parse.
    InvalidJson = "invalid_json",
    /// The hook's output held a JSON answer which its dialect does not read.
    JsonNotRead = "json_not_read",
    /// A rule forbids an HTTP hook's URL or address; nothing was sent.
    HttpBlocked = "http_blocked",
    /// An HTTP hook's server was not reached, or did not answer with a success.
    HttpFailed = "http_failed",
    /// The model's reply to a prompt hook is not usable.
    PromptReplyInvalid = "prompt_reply_invalid",
    /// The host gave no answer to a prompt, agent or function hook.
    HostFailed = "host_failed",
    /// A field of the hook's answer has the wrong type or value.
    InvalidOutput = "invalid_output",
    /// The answer names another event than the one that runs.
    WrongEventName = "wrong_event_name",
    /// The answer holds a decision or field that this event cannot use.
    DecisionUnused = "decision_unused",
    /// Several hooks rewrote the same thing; the later one in configured order won.
    RewriteLost = "rewrite_lost",
    /// A rewrite was dropped because the call was denied.
    RewriteDropped = "rewrite_dropped",
    /// Hooks have kept the agent from stopping as often as the dialect allows; it stops now.
    StopCapReached = "stop_cap_reached",
    /// A hook that runs only once a session has had its run.
    OnceUsed = "once_used",
    /// A background hook was not started because all slots were taken.
    AsyncSlotsFull = "async_slots_full",
    /// The worker of a hook broke the rules, ended before it had answered, or had ended since its last answer.
    WorkerFailed = "worker_failed",
    /// The workers of a hook are busy and no more events may wait for them.
    WorkerBusy = "worker_busy",
    /// A failed hook was turned into a deny or block, because its fail mode is `closed`.
    FailedClosed = "failed_closed",
    /// The hook wrote to its standard error although it succeeded, or printed text that nobody reads.
    OutputUnused = "output_unused",
    /// Dispatches cannot be recorded: the file is full, or cannot be written.
    RecordFailed = "record_failed",
    /// A replay has no recorded result for the hook.
    NotRecorded = "not_recorded",
    /// Lint: a matcher, or one of its alternatives, matches nothing that the agent has.
    LintMatcherNeverMatches = "lint_matcher_never_matches",
    /// Lint: a tool's name that is searched in the names of others matches these too.
    LintMatcherMatchesMore = "lint_matcher_matches_more",
    /// Lint: the script that a hook starts is not there.
    LintScriptMissing = "lint_script_missing",
    /// Lint: the script that a hook starts is not executable.
    LintScriptNotExecutable = "lint_script_not_executable",
    /// Lint: a script's lines end with CR LF.
    LintLineEnds = "lint_line_ends",
    /// Lint: a variable with a path stands outside quotes in a line for a shell.
    LintUnquotedPath = "lint_unquoted_path",
    /// Lint: a script that prevents stops never looks whether it has done so before.
    LintStopLoop = "lint_stop_loop",
    /// Lint: a worker waits for the end of its input before it answers.
    LintWorkerInput = "lint_worker_input",
    /// Lint: a time limit is probably meant in another unit.
    LintTimeoutUnit = "lint_timeout_unit",
    /// Lint: a request leads into a private network, or will be refused.
    LintPrivateAddress = "lint_private_address",
    /// Lint: two hooks do the same for the same events.
    LintRunsTwice = "lint_runs_twice",
}

/// Where a hook or a diagnostic comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Origin {
    /// The scope of the source: `system`, `user`, `project`, ...
    pub scope: String,
    /// The settings file, when there is one.
    pub path: Option<String>,
    /// The plugin or extension, when the source is one.
    pub plugin: Option<String>,
    /// JSON pointer (RFC 6901) into the settings.
    pub pointer: Option<String>,
    /// Line in the settings text, counted from 1.
    pub line: Option<usize>,
}

/// One thing a user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// How grave it is. `error`: it does not run, or did not count. `warning`: it runs, perhaps not as meant.
    pub level: Level,
    /// What happened, for programs. Stable.
    #[cfg_attr(test, schemars(with = "String"))]
    pub code: Code,
    /// What happened, where, and what to do, for people.
    pub message: String,
    /// The settings entry it is about, when there is one.
    pub origin: Option<Origin>,
}

impl Diagnostic {
    /// A warning without an origin.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, code, message: message.into(), origin: None }
    }

    /// An error without an origin.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self { level: Level::Error, code, message: message.into(), origin: None }
    }

    /// The same diagnostic, about the entry at `origin`.
    #[must_use]
    pub fn from_origin(mut self, origin: &Origin) -> Self {
        self.origin = Some(origin.clone());
        self
    }
}
