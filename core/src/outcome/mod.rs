//! The normal form in which a dispatch ends, the same for every dialect and every language (contract, version 1).

pub(crate) mod merge;
#[cfg(test)]
mod schema;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::diagnostic::{Diagnostic, Origin};

pub(crate) use merge::{Answered, merge};

/// What hooks decided. PreToolUse, PermissionRequest and Gemini's BeforeTool: `none`, `allow`, `ask`, `defer`, `deny`; all
/// other events: `none` or `block`. `none` is no opinion, never consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// No opinion: the host goes on as if there were no hooks.
    #[default]
    None,
    /// The call may run without asking the user.
    Allow,
    /// The user is to be asked.
    Ask,
    /// The decision is put off.
    Defer,
    /// The call must not run.
    Deny,
    /// Prompt refused, stop prevented (the agent goes on working), feedback to the model after a tool, ...
    Block,
}

impl Decision {
    /// Precedence (design, rule 1): the strongest of all hooks' decisions wins, whatever the order they finish in.
    #[must_use]
    pub fn strength(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Allow => 1,
            Self::Ask => 2,
            Self::Defer => 3,
            Self::Deny | Self::Block => 4,
        }
    }

    /// Whether it keeps the event from going its way.
    #[must_use]
    pub fn blocks(self) -> bool {
        matches!(self, Self::Deny | Self::Block)
    }

    /// The text of this decision in the outcome.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Defer => "defer",
            Self::Deny => "deny",
            Self::Block => "block",
        }
    }
}

/// How one hook ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It ran and did not object.
    #[default]
    Ok,
    /// It ran and denied or blocked.
    Blocked,
    /// It failed: it could not start, ended with a failure code, or gave an unreadable answer.
    Error,
    /// It did not finish in time; its answer does not count.
    Timeout,
    /// The dispatch was cancelled before it finished.
    Cancelled,
    /// It was selected but not started.
    Skipped,
    /// It was started in the background and decides nothing.
    Background,
}

/// The agent must halt now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stop {
    /// The text that goes with it.
    pub reason: Option<String>,
}

/// What one selected hook did.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HookReport {
    /// Identifies the hook within its engine: scope, event, group and position.
    pub id: String,
    /// The dialect the hook is written in.
    pub dialect: &'static str,
    /// Where it is configured.
    pub origin: Origin,
    /// Its type: `command`, `process`, `http`, `prompt`, ...
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name, or command, or URL.
    pub label: String,
    /// The matcher of its group, as written.
    pub matcher: Option<String>,
    /// How it ended.
    pub status: Status,
    /// The exit code, when there was one.
    pub exit_code: Option<i32>,
    /// From start to end, in milliseconds.
    pub duration_ms: f64,
    /// Its own decision.
    pub decision: Decision,
    /// Its own reason.
    pub reason: Option<String>,
    /// What it wrote to standard output, in bytes, kept or not.
    pub stdout_bytes: u64,
    /// What it wrote to standard error, in bytes, kept or not.
    pub stderr_bytes: u64,
    /// Whether some of its output was dropped.
    pub truncated: bool,
    /// What failed, or why it was skipped.
    pub error: Option<String>,
}

/// The outcome of one dispatch. The form is the same for every dialect and every language; all keys are always there.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Outcome {
    /// The event's name.
    pub event: String,
    /// What the hooks decided together: `deny` and `block` beat `defer`, that beats `ask`, that `allow`, that `none`.
    pub decision: Decision,
    /// The text that goes with the decision.
    pub reason: Option<String>,
    /// The **complete** tool input after all modifications; nothing when no hook changed it.
    #[cfg_attr(test, schemars(with = "Option<schema::AnyObject>"))]
    pub updated_input: Option<Box<RawValue>>,
    /// Replaces the tool's result; nothing when no hook replaces it.
    #[cfg_attr(test, schemars(with = "schema::Any"))]
    pub updated_output: Option<Box<RawValue>>,
    /// For the model, one entry a hook, in hook order.
    pub additional_context: Vec<String>,
    /// For the user only, in hook order.
    pub system_messages: Vec<String>,
    /// Set when the agent must halt now.
    pub stop: Option<Stop>,
    /// Whether the hooks' output is to be hidden from the transcript.
    pub suppress_output: bool,
    /// Permission rules that a hook wants changed, in the agent's own form.
    #[cfg_attr(test, schemars(with = "schema::Any"))]
    pub updated_permissions: Option<Box<RawValue>>,
    /// Whether a denied permission also interrupts the agent.
    pub interrupt: bool,
    /// Event-specific fields that have no place above, under their own names.
    #[cfg_attr(test, schemars(with = "schema::AnyObject"))]
    pub extra: BTreeMap<String, Box<RawValue>>,
    /// One entry for each hook that was selected, in configured order.
    pub hooks: Vec<HookReport>,
    /// Everything that was ignored, cut, skipped or not understood. The first outcome of an engine also holds those of
    /// loading its settings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Whether it says nothing: all keys but `event` are as in [`Outcome::default`]. For bindings that keep such an
    /// outcome ready in their own language.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let Self {
            event: _,
            decision,
            reason,
            updated_input,
            updated_output,
            additional_context,
            system_messages,
            stop,
            suppress_output,
            updated_permissions,
            interrupt,
            extra,
            hooks,
            diagnostics,
        } = self;
        let nothing_changed =
            updated_input.is_none() && updated_output.is_none() && updated_permissions.is_none();
        let nothing_said = reason.is_none() && additional_context.is_empty() && system_messages.is_empty();
        *decision == Decision::None
            && nothing_changed
            && nothing_said
            && stop.is_none()
            && !suppress_output
            && !interrupt
            && extra.is_empty()
            && hooks.is_empty()
            && diagnostics.is_empty()
    }

    /// The outcome as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serialising plain data into memory cannot fail; if it ever did, the answer must not read as consent.
        serde_json::to_string(self).unwrap_or_else(|error| {
            let message = format!("the outcome could not be written: {error}");
            crate::error::Error::new(crate::error::ErrorKind::Internal, message).to_json()
        })
    }
}
