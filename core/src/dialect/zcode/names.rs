//! What ZCode calls things.

use crate::dialect::names::{Names, same, tool};

/// Section 1.4 names Write, Edit, Agent, Task and ApplyPatch. No list of all tools is public; the others have their
/// common names.
pub(super) static NAMES: Names = Names {
    tools: &[
        same("Bash"),
        same("Edit"),
        same("Glob"),
        same("Grep"),
        same("Read"),
        same("WebFetch"),
        same("WebSearch"),
        same("Write"),
        same("Agent"),
        tool("Task", "Agent"),
        same("ApplyPatch"),
    ],
    matched: &[("SessionStart", &["startup", "resume", "clear", "compact"])],
    ..Names::COMMON
};
