//! The events: what a matcher looks at (section 5), what exit code 2 does (7), what `continue: false` does (9), and which
//! hooks an event takes (15).

use std::time::Duration;

use crate::dialect::{Budget, Effect, EventRule, Exit2, Halt, Message, Plain, Target};
use crate::matcher::Style;

/// Any code but 0 fails the creation, and the last line of standard output is the path.
pub(super) const WORKTREE_CREATE: &str = "WorktreeCreate";
/// Only the decision object of an answer counts.
pub(super) const PERMISSION_REQUEST: &str = "PermissionRequest";

const EXPANSION: &str = "UserPromptExpansion";

pub(super) const EVENTS: &[EventRule] = &[
    tool("PreToolUse", Effect::Permission, Exit2::Decide),
    tool("PostToolUse", Effect::Block, Exit2::Decide),
    tool("PostToolUseFailure", Effect::Block, Exit2::Decide),
    tool(PERMISSION_REQUEST, Effect::Permission, Exit2::Nothing),
    tool("PermissionDenied", Effect::Inform, Exit2::Nothing),
    event("PostToolBatch", Target::Nothing, Effect::Block, Exit2::Decide),
    EventRule {
        plain: Plain::Context,
        timeout: Some(Duration::from_secs(30)),
        ..event("UserPromptSubmit", Target::Nothing, Effect::Block, Exit2::Decide)
    },
    EventRule {
        plain: Plain::Context,
        ..event(EXPANSION, Target::Field("command_name"), Effect::Block, Exit2::Decide)
    },
    // Section 9: a halt stands even against a block.
    EventRule { halt_beats_block: true, ..event("Stop", Target::Nothing, Effect::Block, Exit2::Decide) },
    EventRule {
        halt_beats_block: true,
        ..event("SubagentStop", Target::Field("agent_type"), Effect::Block, Exit2::Decide)
    },
    event("TaskCompleted", Target::Nothing, Effect::Block, Exit2::Decide),
    event("TeammateIdle", Target::Nothing, Effect::Block, Exit2::Decide),
    EventRule { halt: Halt::Nothing, ..event("TaskCreated", Target::Nothing, Effect::Block, Exit2::Decide) },
    EventRule {
        plain: Plain::Context,
        types: STARTING,
        ..event("SessionStart", Target::Field("source"), Effect::Inform, Exit2::TellUser)
    },
    EventRule {
        types: STARTING,
        ..event("Setup", Target::Field("trigger"), Effect::Inform, Exit2::TellUser)
    },
    EventRule {
        types: WITHOUT_MODEL,
        ..event("SubagentStart", Target::Field("agent_type"), Effect::Inform, Exit2::TellUser)
    },
    EventRule {
        budget: Some(Budget {
            usual: Duration::from_millis(1_500),
            highest: Duration::from_secs(60),
            env: "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS",
        }),
        ..quiet("SessionEnd", Target::Field("reason"), Effect::Inform, Exit2::TellUser)
    },
    EventRule {
        matching: NARROW,
        ..quiet("StopFailure", Target::Field("error"), Effect::Ignore, Exit2::Nothing)
    },
    quiet("Notification", Target::Field("notification_type"), Effect::Inform, Exit2::Nothing),
    quiet("PreCompact", Target::Field("trigger"), Effect::Block, Exit2::Decide),
    quiet("PostCompact", Target::Field("trigger"), Effect::Inform, Exit2::TellUser),
    quiet("InstructionsLoaded", Target::Field("load_reason"), Effect::Inform, Exit2::Nothing),
    quiet(
        "ConfigChange",
        Target::Field("source"),
        Effect::BlockUnless("source", "policy_settings"),
        Exit2::Decide,
    ),
    EventRule {
        message: Message::User,
        ..quiet("CwdChanged", Target::Nothing, Effect::Inform, Exit2::TellUser)
    },
    EventRule {
        message: Message::User,
        matching: NARROW,
        ..quiet("FileChanged", Target::FileName("file_path"), Effect::Inform, Exit2::TellUser)
    },
    EventRule {
        message: Message::Model,
        ..quiet("DirectoryAdded", Target::Field("source"), Effect::Inform, Exit2::Nothing)
    },
    quiet(WORKTREE_CREATE, Target::Nothing, Effect::Block, Exit2::Decide),
    quiet("WorktreeRemove", Target::Nothing, Effect::Inform, Exit2::Nothing),
    quiet("Elicitation", Target::Field("mcp_server_name"), Effect::Block, Exit2::Decide),
    quiet("ElicitationResult", Target::Field("mcp_server_name"), Effect::Block, Exit2::Decide),
    EventRule {
        timeout: Some(Duration::from_secs(10)),
        ..quiet("MessageDisplay", Target::Nothing, Effect::Inform, Exit2::Nothing)
    },
    // Later than the documentation that the rest follows: a switch can be blocked, and an answer can say more to it.
    EventRule {
        types: WITHOUT_MODEL,
        ..event("PreModelSwitch", Target::Field("to_model"), Effect::Block, Exit2::Decide)
    },
    EventRule {
        types: WITHOUT_MODEL,
        ..event("PostModelSwitch", Target::Field("to_model"), Effect::Inform, Exit2::TellUser)
    },
];

/// The matchers of these events are names only when they hold no blank, comma or hyphen.
const NARROW: Option<Style> = Some(Style::ExactListOrSearch);

const STARTING: Option<&[&str]> = Some(&["command", "mcp_tool"]);
const WITHOUT_MODEL: Option<&[&str]> = Some(&["command", "http", "mcp_tool"]);

/// An event on which `continue: false` halts the agent.
const fn event(name: &'static str, target: Target, effect: Effect, exit2: Exit2) -> EventRule {
    EventRule { name, target, effect, exit2, halt: Halt::Stop, ..EventRule::USUAL }
}

const fn tool(name: &'static str, effect: Effect, exit2: Exit2) -> EventRule {
    event(name, Target::Tool, effect, exit2)
}

/// An event that discards `continue` and `systemMessage`, and takes no hooks of models.
const fn quiet(name: &'static str, target: Target, effect: Effect, exit2: Exit2) -> EventRule {
    EventRule {
        name,
        target,
        effect,
        exit2,
        message: Message::Nobody,
        types: WITHOUT_MODEL,
        ..EventRule::USUAL
    }
}
