//! What Gemini CLI calls things (section 3.3), and what its tools and their arguments are called.

use crate::dialect::names::{FieldName, McpNames, Names, ToolName, tool};

pub(super) static NAMES: Names = Names {
    events: &[
        ("BeforeTool", "PreToolUse"),
        ("AfterTool", "PostToolUse"),
        ("BeforeAgent", "UserPromptSubmit"),
        ("AfterAgent", "Stop"),
        ("PreCompress", "PreCompact"),
    ],
    fields: &[FieldName { event: "AfterAgent", name: ("prompt_response", "last_assistant_message") }],
    values: &[
        ("notification_type", ("ToolPermission", "permission_prompt")),
        ("reason", ("other", "other")),
        ("reason", ("exit", "other")),
    ],
    modes: &[],
    tools: &[
        ToolName {
            name: "run_shell_command",
            means: "Bash",
            arguments: &[("is_background", "run_in_background"), ("dir_path", "directory")],
        },
        ToolName { name: "replace", means: "Edit", arguments: &[("allow_multiple", "replace_all")] },
        tool("write_file", "Write"),
        tool("read_file", "Read"),
        tool("read_many_files", "ReadMany"),
        ToolName {
            name: "grep_search",
            means: "Grep",
            arguments: &[("dir_path", "path"), ("include_pattern", "glob")],
        },
        ToolName {
            name: "search_file_content",
            means: "Grep",
            arguments: &[("dir_path", "path"), ("include", "glob")],
        },
        ToolName { name: "glob", means: "Glob", arguments: &[("dir_path", "path")] },
        ToolName { name: "list_directory", means: "LS", arguments: &[("dir_path", "path")] },
        tool("web_fetch", "WebFetch"),
        tool("google_web_search", "WebSearch"),
        tool("write_todos", "TodoWrite"),
        ToolName { name: "activate_skill", means: "Skill", arguments: &[("name", "skill")] },
        tool("ask_user", "AskUserQuestion"),
        tool("enter_plan_mode", "EnterPlanMode"),
        tool("exit_plan_mode", "ExitPlanMode"),
        tool("save_memory", "SaveMemory"),
        tool("get_internal_docs", "InternalDocs"),
        tool("update_topic", "UpdateTopic"),
    ],
    matched: &[
        ("SessionStart", &["startup", "resume", "clear"]),
        ("SessionEnd", &["exit", "clear", "logout", "prompt_input_exit", "other"]),
        ("PreCompress", &["manual", "auto"]),
    ],
    mcp: McpNames::Underscore,
};
