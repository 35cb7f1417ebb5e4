//! The normal form of a configured hook, and the set of all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::dialect::{Dialect, EventRule, RedactionSettings, Version};
use crate::fields::Fields;
use crate::json::Raw;
use crate::matcher::Matcher;
use crate::settings::Scope;

/// What a hook runs.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// A line for the dialect's shell, or for the one named.
    Command { line: String, shell: Option<String> },
    /// A program and its arguments, no shell.
    Process { program: String, args: Vec<String> },
    /// A request to a URL. The environment variables in `allowed_env` may stand in it.
    Http { url: String, method: HttpMethod, headers: Vec<(String, String)>, allowed_env: Vec<String> },
    /// A question to a model. `continue_on_block`: an objection to a stop keeps the agent working.
    Prompt { prompt: String, model: Option<String>, continue_on_block: bool },
    /// A task for an agent.
    Agent { prompt: String, model: Option<String>, agent_type: Option<String> },
    /// A session's goal, judged by a model.
    Goal { condition: String, prompt: String },
    /// A tool of an MCP server that the host is connected to. `${path.into.event}` may stand in the strings of `input`.
    McpTool { server: String, tool: String, input: Raw },
    /// A function of the host, by the id under which it was registered.
    Function {
        id: String,
        /// What is read when it objects or fails.
        error_message: Option<String>,
    },
}

impl Action {
    /// What a person knows the hook by when it has no name.
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Command { line, .. } => line,
            Self::Process { program, .. } => program,
            Self::Http { url, .. } => url,
            Self::Prompt { prompt, .. } | Self::Agent { prompt, .. } => prompt,
            Self::Goal { condition, .. } => condition,
            Self::McpTool { tool, .. } => tool,
            Self::Function { id, .. } => id,
        }
    }
}

/// The method of an HTTP hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum HttpMethod {
    #[default]
    Post,
    Put,
    Patch,
}

/// How a command's worker is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkerRule {
    /// Hooks with an equal key share their workers.
    pub(crate) key: String,
    /// So many events are asked about at the same time, each of another process.
    pub(crate) max_concurrent: usize,
    /// One that was not asked anything for so long ends.
    pub(crate) idle: Duration,
    /// So many more events may wait for their turn.
    pub(crate) queue: usize,
}

/// What happens when the hook itself fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailMode {
    /// The event goes on, with a diagnostic.
    #[default]
    Open,
    /// The event is denied or blocked.
    Closed,
}

/// Why a configured hook never runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Off {
    pub(crate) code: Code,
    pub(crate) why: String,
    /// Nobody switched it off on purpose: where its fail mode is `closed`, it denies or blocks instead of running.
    pub(crate) missed: bool,
}

impl Off {
    pub(crate) fn because(code: Code, why: String) -> Self {
        let missed = matches!(
            code,
            Code::Untrusted
                | Code::InvalidHook
                | Code::UnknownHookType
                | Code::HookTypeUnavailable
                | Code::InvalidMatcher
                | Code::InvalidCondition
        );
        Self { code, why, missed }
    }

    /// For want of trust, under another code.
    pub(crate) fn untrusted(code: Code, why: String) -> Self {
        Self { code, why, missed: true }
    }
}

/// The only session or agent that a hook is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) session_id: Option<String>,
    pub(crate) agent_id: Option<String>,
}

impl Bound {
    /// Why `event` is none of its own.
    pub(crate) fn refuses(&self, event: &dyn Fields) -> Option<String> {
        let other = |field: &str, own: &Option<String>, what: &str| {
            let own = own.as_ref()?;
            match event.string(field) {
                Some(id) if id == own.as_str() => None,
                Some(id) => Some(format!("it is for {what} `{own}`, and the event is of `{id}`")),
                None => Some(format!("it is for {what} `{own}`, and the event has no `{field}`")),
            }
        };
        other("session_id", &self.session_id, "session")
            .or_else(|| other("agent_id", &self.agent_id, "agent"))
    }
}

/// One hook as configured.
#[derive(Debug, Clone)]
pub(crate) struct Hook {
    /// Unique within the engine: scope, event, group and position.
    pub(crate) id: String,
    pub(crate) dialect: &'static Dialect,
    /// The version of the agent whose rules count.
    pub(crate) version: Version,
    pub(crate) scope: Scope,
    /// The event it is configured for, as written.
    pub(crate) event: String,
    /// The dialect's rule for that event; `None` when it does not have it.
    pub(crate) rule: Option<&'static EventRule>,
    /// The matcher as written.
    pub(crate) matcher_text: Option<String>,
    /// `None` matches everything.
    pub(crate) matcher: Option<Arc<Matcher>>,
    /// The permission rule that a tool call must match.
    pub(crate) condition: Option<Arc<Condition>>,
    /// The group's `sequential`.
    pub(crate) sequential: bool,
    /// The type as written.
    pub(crate) kind: &'static str,
    pub(crate) action: Action,
    pub(crate) name: Option<String>,
    pub(crate) timeout: Duration,
    /// The timeout is its own, not a default.
    pub(crate) own_timeout: bool,
    /// The time that all hooks of the event share, where the environment says so.
    pub(crate) budget: Option<Duration>,
    /// Started and not waited for.
    pub(crate) background: bool,
    /// In the background, exit code 2 wakes the model.
    pub(crate) wakes: bool,
    pub(crate) once: bool,
    /// Its command is started once and asked for each event.
    pub(crate) worker: Option<Arc<WorkerRule>>,
    pub(crate) status_message: Option<String>,
    /// Laid over every other variable.
    pub(crate) env: Vec<(String, String)>,
    pub(crate) fail_mode: Option<FailMode>,
    /// Bytes kept of each output stream.
    pub(crate) output_limit: usize,
    pub(crate) origin: Origin,
    /// Hooks with an equal key are one; `None` is never a duplicate.
    pub(crate) dedupe_key: Option<String>,
    /// `None`: for every event.
    pub(crate) bound: Option<Bound>,
    /// A folder that is to be there when it runs: its plugin's data.
    pub(crate) data_dir: Option<PathBuf>,
    /// Identifies what it declares, where the agent trusts hooks one by one.
    pub(crate) digest: Option<String>,
    /// Tokens of a context; what is longer goes to a file. `None` is the usual limit, 0 none.
    pub(crate) context_limit: Option<u64>,
    /// Set when it can never run.
    pub(crate) off: Option<Off>,
}

impl Hook {
    /// Its name, or command, or URL.
    pub(crate) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.action.label())
    }

    /// Why it denies or blocks the events that it is for, without running: it cannot run, and its fail mode (`usual` when it
    /// has none of its own) is `closed`. Never where nothing waits for it or nothing can be blocked.
    pub(crate) fn closed_off(&self, usual: FailMode) -> Option<&Off> {
        let off = self.off.as_ref().filter(|off| off.missed)?;
        let rule = self.rule.filter(|rule| rule.effect.can_block() && !rule.detached)?;
        (self.is_closed(usual) && !self.background && self.event == rule.name).then_some(off)
    }

    /// Whether its failure denies or blocks; `usual` counts when it says nothing itself.
    pub(crate) fn is_closed(&self, usual: FailMode) -> bool {
        self.fail_mode.unwrap_or(usual) == FailMode::Closed
    }

    /// How long it may take: its own timeout, and no longer than the agent waits for the event.
    pub(crate) fn time_limit(&self) -> Duration {
        let limit = self.rule.and_then(|rule| rule.time_limit);
        limit.map_or(self.timeout, |limit| self.timeout.min(limit))
    }

    /// What a model may read of its failure. What an untrusted source wrote must not stand there.
    pub(crate) fn failure(&self, why: &str) -> String {
        let untrusted = |off: &Off| matches!(off.code, Code::Untrusted | Code::FrontmatterSkipped);
        if !self.off.as_ref().is_some_and(untrusted) {
            return format!("{}: {why}", self.title());
        }
        let of_file = self.origin.path.as_ref().map_or_else(String::new, |path| format!(" of {path}"));
        format!("the hook {}{of_file} is held back, because its source is not trusted", self.id)
    }

    /// How a message refers to it.
    pub(crate) fn title(&self) -> String {
        let label = self.label();
        let mut short: String = label.chars().take(60).collect();
        if short.len() < label.len() {
            short.push_str("...");
        }
        format!("{} hook `{short}` ({})", self.event, self.id)
    }
}

/// All hooks of an engine: an immutable snapshot.
#[derive(Debug, Default)]
pub(crate) struct HookSet {
    /// In configured order, those that can never run included.
    pub(crate) hooks: Vec<Arc<Hook>>,
    /// What was noticed while loading.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The merged settings beside the hooks, by the name of the dialect.
    pub(crate) merged: BTreeMap<&'static str, Merged>,
}

impl HookSet {
    /// The merged settings of a dialect.
    #[allow(dead_code)] // For the HTTP and stop steps.
    pub(crate) fn merged(&self, dialect: &Dialect) -> Merged {
        self.merged.get(dialect.name).cloned().unwrap_or_default()
    }
}

/// Settings beside the hooks that decide how they run, merged over all sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Merged {
    /// HTTP hooks may reach private networks.
    pub(crate) allow_private_network: bool,
    /// The URL patterns that HTTP hooks may reach; `None` when no settings have a list.
    pub(crate) allowed_http_urls: Option<Vec<String>>,
    /// The environment variables that HTTP hooks may use; `None` when no settings have a list.
    pub(crate) allowed_http_env: Option<Vec<String>>,
    /// How often in a row a stop may be prevented, when some settings say so.
    pub(crate) stop_hook_blocking_cap: Option<f64>,
    /// Which variables of the host hooks do not inherit.
    pub(crate) redaction: RedactionSettings,
}
