//! What Codex CLI calls things (section 2.4).

use crate::dialect::names::{Names, ToolName, same, tool};

pub(super) static NAMES: Names = Names {
    tools: &[
        // All its shell tools have this name before hooks.
        same("Bash"),
        tool("apply_patch", "ApplyPatch"),
        ToolName {
            name: "spawn_agent",
            means: "Agent",
            arguments: &[("message", "prompt"), ("agent_type", "subagent_type")],
        },
    ],
    matched: &[
        ("SessionStart", &["startup", "resume", "clear", "compact"]),
        ("SessionEnd", &["other"]),
        ("PreCompact", &["manual", "auto"]),
        ("PostCompact", &["manual", "auto"]),
    ],
    ..Names::COMMON
};
