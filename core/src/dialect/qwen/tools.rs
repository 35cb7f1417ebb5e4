//! What Qwen Code's tools are also called in matchers (section 4).

use crate::dialect::Aliases;

pub(super) const ALIASES: Aliases = Aliases {
    named: NAMED,
    pascal: PASCAL,
    pascal_after: Some("omni_"),
    bare_underscore: true,
    in_patterns: false,
};

const NAMED: &[(&str, &[&str])] = &[
    ("run_shell_command", &["Shell", "ShellTool", "Bash"]),
    ("edit", &["Edit", "EditTool", "replace"]),
    ("write_file", &["WriteFile", "WriteFileTool", "Write"]),
    ("read_file", &["ReadFile", "ReadFileTool", "Read"]),
    ("grep_search", &["Grep", "GrepTool", "search_file_content", "SearchFiles"]),
    ("glob", &["Glob", "GlobTool", "FindFiles"]),
    ("list_directory", &["ListFiles", "ListFilesTool", "ReadFolder"]),
    ("todo_write", &["TodoList", "TodoListTool", "TodoWrite", "TodoWriteTool"]),
    ("agent", &["Agent", "AgentTool", "task", "Task", "TaskTool"]),
    ("get_goal", &["Goal", "GoalTool", "GetGoal"]),
];

/// Tools whose aliases are their own name in PascalCase, and that with `Tool`.
const PASCAL: &[&str] = &[
    "web_fetch",
    "web_search",
    "notebook_edit",
    "skill",
    "exit_plan_mode",
    "enter_plan_mode",
    "ask_user_question",
    "save_memory",
    "lsp",
    "monitor",
    "tool_search",
    "task_stop",
    "task_create",
    "task_update",
    "task_list",
    "send_message",
    "cron_create",
    "cron_list",
    "cron_delete",
    "loop_wakeup",
    "read_mcp_resource",
    "image_gen",
    "enter_worktree",
    "exit_worktree",
    "workflow",
    "artifact",
    "structured_output",
    "update_goal",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pascal_case_names_are_aliases() {
        assert_eq!(ALIASES.of("web_fetch"), ["WebFetchTool", "WebFetch"]);
        assert_eq!(ALIASES.of("omni_ocr_image"), ["OcrImageTool", "OcrImage"]);
        assert_eq!(ALIASES.of("mcp__a__b"), [""; 0]);
        assert_eq!(ALIASES.of("_mine"), ["mine"]);
    }
}
