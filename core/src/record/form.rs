//! A line of a recording: what a dispatch was made of, in the form in which it is written and read.

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::hook::{FailMode, HttpMethod};
use crate::json::Raw;
use crate::plan::Judged;
use crate::spill::Cut;
use crate::translation::HostTools;

/// The form of the lines. It grows with every change that an older reader would misread.
pub(crate) const FORMAT: u32 = 2;

/// One dispatch.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) format: u32,
    /// When it ended (RFC 3339, UTC).
    pub(crate) time: String,
    /// The version of Crosshook that decided.
    pub(crate) crosshook: String,
    pub(crate) dialect: String,
    /// The version of the agent that was followed; `None` is the newest.
    pub(crate) version: Option<String>,
    /// What the engine does when a hook fails.
    pub(crate) fail_mode: FailMode,
    /// The event in the words of the host.
    pub(crate) event: Raw,
    /// The host's own names of the tools that the dispatch had to do with.
    #[serde(default, skip_serializing_if = "HostTools::is_empty")]
    pub(crate) tools: HostTools,
    pub(crate) session: SessionState,
    /// What planning noticed.
    pub(crate) plan: Vec<Diagnostic>,
    /// What matchers and `if` rules said of texts that were taken out of the event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) judged: Vec<Judged>,
    /// The hooks that were selected, in their order, with what they gave.
    pub(crate) hooks: Vec<HookForm>,
    /// The texts of several hooks that were too long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) spilled: Vec<Cut>,
    pub(crate) outcome: Raw,
    /// So many values were taken out.
    pub(crate) redacted: usize,
    /// Not only the usual rules took values out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) own_rules: bool,
}

/// What the session knew that had a say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionState {
    /// So many stops in a row had been prevented before.
    pub(crate) prevented: u32,
    /// How many may be, as the settings say.
    pub(crate) cap_setting: Option<f64>,
    /// The same, as the environment says.
    pub(crate) cap_env: Option<String>,
}

/// One hook that was selected.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HookForm {
    pub(crate) id: String,
    pub(crate) dialect: String,
    pub(crate) version: Option<String>,
    pub(crate) scope: String,
    pub(crate) origin: Origin,
    /// The event that it is for, in the words of its dialect.
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
    pub(crate) action: ActionForm,
    /// Identifies what it does, without its secrets.
    pub(crate) digest: String,
    /// What a process is given beside what it inherits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) env: Vec<(String, String)>,
    /// It is asked for each event, and not started for each.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) worker: bool,
    /// Identifies the settings beside the hook that decide what it inherits or may reach; none are the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ground: Option<String>,
    pub(crate) timeout_ms: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) sequential: bool,
    #[serde(default, skip_serializing_if = "is_false", rename = "async")]
    pub(crate) background: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) wakes: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) once: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fail_mode: Option<FailMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) context_limit: Option<u64>,
    pub(crate) result: ResultForm,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What a hook runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionForm {
    Command { line: String, shell: Option<String> },
    Process { program: String, args: Vec<String> },
    Http { url: String, method: HttpMethod, headers: Vec<(String, String)>, allowed_env: Vec<String> },
    Prompt { prompt: String, model: Option<String>, continue_on_block: bool },
    Agent { prompt: String, model: Option<String>, agent_type: Option<String> },
    Goal { condition: String, prompt: String },
    McpTool { server: String, tool: String, input: Raw },
    Function { id: String, error_message: Option<String> },
}

/// What a hook's run gave, before anybody read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ResultForm {
    pub(crate) end: EndForm,
    #[serde(default, skip_serializing_if = "Output::is_empty")]
    pub(crate) stdout: Output,
    #[serde(default, skip_serializing_if = "Output::is_empty")]
    pub(crate) stderr: Output,
    pub(crate) duration_ms: f64,
    /// So many hooks of the dispatch had ended before it.
    pub(crate) finished: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) env_file: Option<String>,
    /// What else was noticed when it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<(Code, String)>,
    /// Its texts that were too long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) spilled: Vec<Cut>,
}

/// How a hook's run ended; see [`End`](crate::run::End).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndForm {
    Exited(i32),
    Signaled(i32),
    TimedOut,
    Cancelled,
    NotStarted(String),
    StatusLost,
    Unavailable(String),
    Background,
    Answered(String),
    HostFailed(String),
    Responded { status: u16, content_type: Option<String> },
    Refused(String),
    NoResponse(String),
    WorkerFailed { why: String, code: Option<i32> },
    Skipped { code: Code, why: String },
    Off { code: Code, why: String },
}

/// What was kept of an output stream.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Output {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
    /// Instead of the text, where it is not UTF-8: its bytes as hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hex: Option<String>,
    /// Bytes that were written.
    pub(crate) total: u64,
    /// Bytes of them that were kept, secrets included.
    pub(crate) kept: u64,
}

impl Output {
    fn is_empty(&self) -> bool {
        self.total == 0 && self.kept == 0
    }
}
