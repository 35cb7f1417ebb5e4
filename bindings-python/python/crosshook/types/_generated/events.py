"""The events of the agents.

Made by tests/schema/generate.py from core/schema; do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict


class EventBase(TypedDict, total=False):
    """What all events have. What the engine knows and the host leaves out is filled in."""

    session_id: str
    """The session's identifier."""
    transcript_path: str | None
    """The file with the session's transcript; null when there is none."""
    cwd: str
    """The agent's working directory, absolute. Hooks run there."""
    permission_mode: str
    """The agent's permission mode, in its own words."""
    timestamp: str
    """When it happened, ISO 8601."""
    turn_id: str
    """Codex CLI: identifies the turn."""
    model: str
    """Codex CLI: the model in use."""
    prompt_id: str
    """Qwen Code, Claude Code: identifies the prompt that led here."""
    agent_id: str
    """The subagent in which it happened."""
    agent_type: str
    """The kind of that subagent."""


class __ToolCallKeys(TypedDict):
    tool_name: str
    """The tool's name as the agent knows it, for example `"Bash"`. Matchers of tool events look at it."""
    tool_input: Any
    """The tool's input, an object for nearly all tools."""


class _ToolCall(__ToolCallKeys, total=False):
    """A tool call: what it is and with what input."""

    tool_use_id: str
    """The agent's identifier of this call."""


class _PreToolUseEventKeys(EventBase, _ToolCall):
    hook_event_name: Literal["PreToolUse"]


class PreToolUseEvent(_PreToolUseEventKeys, total=False):
    """Before a tool runs. The hooks can allow, ask, defer or deny, and rewrite the input."""

    tool_call_id: str
    """Qwen Code: the model's identifier of the call."""
    riskLevel: str
    """ZCode: how risky the call is."""
    sideEffectScope: str
    """ZCode: what the call may change."""


class _PostToolUseEventKeys(EventBase, _ToolCall):
    hook_event_name: Literal["PostToolUse"]
    tool_response: Any
    """What the tool gave."""


class PostToolUseEvent(_PostToolUseEventKeys, total=False):
    """After a tool ran. The hooks can block with feedback and replace the output."""

    duration_ms: float
    """How long it took, in milliseconds."""


class _PostToolUseFailureEventKeys(EventBase, _ToolCall):
    hook_event_name: Literal["PostToolUseFailure"]
    error: Any
    """What went wrong."""


class PostToolUseFailureEvent(_PostToolUseFailureEventKeys, total=False):
    """After a tool failed."""

    is_interrupt: bool
    """Whether the user interrupted the tool."""
    error_details: Any
    """ZCode: the error as an object."""
    duration_ms: float
    """How long it took, in milliseconds."""


class PostToolBatchEvent(EventBase):
    """After a batch of tool calls (Qwen Code, Claude Code)."""

    hook_event_name: Literal["PostToolBatch"]
    tool_calls: list[Any]
    """The calls with their results."""


class _PermissionRequestEventKeys(EventBase, _ToolCall):
    hook_event_name: Literal["PermissionRequest"]


class PermissionRequestEvent(_PermissionRequestEventKeys, total=False):
    """The agent is about to ask the user for a permission. The hooks can answer in the user's place."""

    permission_suggestions: Any
    """Rules that the agent would offer the user."""


class _PermissionDeniedEventKeys(EventBase, _ToolCall):
    hook_event_name: Literal["PermissionDenied"]


class PermissionDeniedEvent(_PermissionDeniedEventKeys, total=False):
    """A permission was denied."""

    reason: str
    """Why."""


class _UserPromptSubmitEventKeys(EventBase):
    hook_event_name: Literal["UserPromptSubmit"]
    prompt: str
    """The prompt's text."""


class UserPromptSubmitEvent(_UserPromptSubmitEventKeys, total=False):
    """The user sent a prompt. The hooks can refuse it or add context."""

    submitted_prompt: str
    """Qwen Code: the prompt as typed, before it was changed."""
    session_title: str
    """Claude Code: the session's title."""


class _UserPromptExpansionEventKeys(EventBase):
    hook_event_name: Literal["UserPromptExpansion"]
    command_name: str
    """The command."""


class UserPromptExpansionEvent(_UserPromptExpansionEventKeys, total=False):
    """A command of the user was expanded to a prompt."""

    command_args: str
    """Its arguments."""
    prompt: str
    """What it was expanded to."""
    expansion_type: str
    """Claude Code: what was expanded."""
    command_source: str
    """Claude Code: where the command comes from."""


class _SessionStartEventKeys(EventBase):
    hook_event_name: Literal["SessionStart"]
    source: str
    """Why: `startup`, `resume`, `clear`, `compact`, ..."""


class SessionStartEvent(_SessionStartEventKeys, total=False):
    """A session begins."""

    session_title: str
    """Claude Code: the session's title."""


class SessionEndEvent(EventBase):
    """A session ends."""

    hook_event_name: Literal["SessionEnd"]
    reason: str
    """Why it ends."""


class SessionDeleteEvent(EventBase):
    """A session is deleted (Qwen Code)."""

    hook_event_name: Literal["SessionDelete"]
    deleted_session_id: str
    """The session."""


class _StopEventKeys(EventBase):
    hook_event_name: Literal["Stop"]


class StopEvent(_StopEventKeys, total=False):
    """The agent is about to stop. The hooks can make it go on."""

    stop_hook_active: bool
    """Whether it goes on already because of a stop hook."""
    last_assistant_message: str
    """The agent's last words."""
    background_tasks: list[Any]
    """What still runs in the background."""
    crons: list[Any]
    """Qwen Code: what is planned."""
    session_crons: list[Any]
    """Claude Code: what is planned."""
    context_usage: float
    """Qwen Code: how full the context is."""
    context_limit: float
    """Qwen Code: the context's size, in tokens."""
    input_tokens: float
    """Qwen Code: the size of the last request, in tokens."""


class _StopFailureEventKeys(EventBase):
    hook_event_name: Literal["StopFailure"]
    error: Any
    """What failed."""


class StopFailureEvent(_StopFailureEventKeys, total=False):
    """A turn ended with an error."""

    error_details: Any
    """More about it."""
    last_assistant_message: str
    """The agent's last words."""


class SubagentStartEvent(EventBase):
    """A subagent begins."""

    hook_event_name: Literal["SubagentStart"]


class _SubagentStopEventKeys(EventBase):
    hook_event_name: Literal["SubagentStop"]


class SubagentStopEvent(_SubagentStopEventKeys, total=False):
    """A subagent is about to stop. The hooks can make it go on."""

    stop_hook_active: bool
    """Whether it goes on already because of a stop hook."""
    last_assistant_message: str
    """The subagent's last words."""
    agent_transcript_path: str | None
    """The file that holds the subagent's transcript; null when there is none."""
    background_tasks: list[Any]
    """What still runs in the background."""
    crons: list[Any]
    """Qwen Code: what is planned."""


class _PreCompactEventKeys(EventBase):
    hook_event_name: Literal["PreCompact"]
    trigger: str
    """`manual` or `auto`."""


class PreCompactEvent(_PreCompactEventKeys, total=False):
    """The conversation is about to be compacted."""

    custom_instructions: str
    """What the user wants kept."""


class _PostCompactEventKeys(EventBase):
    hook_event_name: Literal["PostCompact"]
    trigger: str
    """`manual` or `auto`."""


class PostCompactEvent(_PostCompactEventKeys, total=False):
    """The conversation was compacted."""

    compact_summary: str
    """What the conversation was compacted to."""


class _NotificationEventKeys(EventBase):
    hook_event_name: Literal["Notification"]
    message: str
    """Its text."""


class NotificationEvent(_NotificationEventKeys, total=False):
    """The agent tells the user something."""

    notification_type: str
    """Its kind."""
    title: str
    """Its heading."""


class _TodoCreatedEventKeys(EventBase):
    hook_event_name: Literal["TodoCreated"]
    todo_id: str
    """Identifies the todo."""
    todo_content: str
    """Its text."""


class TodoCreatedEvent(_TodoCreatedEventKeys, total=False):
    """A todo was made (Qwen Code). The hooks can refuse it."""

    todo_status: str
    """How it stands."""
    phase: str
    """`validation`: it can still be refused; `postWrite`: it is written."""
    all_todos: list[Any]
    """The whole list."""


class _TodoCompletedEventKeys(EventBase):
    hook_event_name: Literal["TodoCompleted"]
    todo_id: str
    """Identifies the todo."""
    todo_content: str
    """Its text."""


class TodoCompletedEvent(_TodoCompletedEventKeys, total=False):
    """A todo was completed (Qwen Code)."""

    previous_status: str
    """How it stood before."""
    phase: str
    """`validation`: it can still be refused; `postWrite`: it is written."""
    all_todos: list[Any]
    """The whole list."""


class _InstructionsLoadedEventKeys(EventBase):
    hook_event_name: Literal["InstructionsLoaded"]
    file_path: str
    """The file."""


class InstructionsLoadedEvent(_InstructionsLoadedEventKeys, total=False):
    """A file of instructions was loaded."""

    memory_type: str
    """Whose instructions they are."""
    load_reason: str
    """Why it was loaded."""
    globs: Any
    """Claude Code: the patterns that named it."""
    trigger_file_path: str
    """The file that made it load."""
    parent_file_path: str
    """The file that includes it."""


class SetupEvent(EventBase):
    """A session is set up (Claude Code, CodeBuddy)."""

    hook_event_name: Literal["Setup"]
    trigger: str
    """`init` or `maintenance`."""


class _TaskCreatedEventKeys(EventBase):
    hook_event_name: Literal["TaskCreated"]
    task_id: str
    """Identifies the task."""
    task_subject: str
    """What it is about."""


class TaskCreatedEvent(_TaskCreatedEventKeys, total=False):
    """A task is made (Claude Code, CodeBuddy). The hooks can refuse it."""

    task_description: str
    """More about it."""
    teammate_name: str
    """The teammate."""
    team_name: str
    """The team."""


class _TaskCompletedEventKeys(EventBase):
    hook_event_name: Literal["TaskCompleted"]
    task_id: str
    """Identifies the task."""
    task_subject: str
    """What it is about."""


class TaskCompletedEvent(_TaskCompletedEventKeys, total=False):
    """A task is completed (Claude Code, CodeBuddy). The hooks can refuse that."""

    task_description: str
    """More about it."""
    teammate_name: str
    """The teammate."""
    team_name: str
    """The team."""


class _TeammateIdleEventKeys(EventBase):
    hook_event_name: Literal["TeammateIdle"]
    teammate_name: str
    """The teammate."""


class TeammateIdleEvent(_TeammateIdleEventKeys, total=False):
    """A teammate has nothing to do (Claude Code, CodeBuddy). The hooks can make it go on."""

    team_name: str
    """The team."""


class _ConfigChangeEventKeys(EventBase):
    hook_event_name: Literal["ConfigChange"]
    source: str
    """Which settings."""


class ConfigChangeEvent(_ConfigChangeEventKeys, total=False):
    """The settings changed (Claude Code, CodeBuddy). The hooks can refuse that."""

    file_path: str
    """Their file."""


class _CwdChangedEventKeys(EventBase):
    hook_event_name: Literal["CwdChanged"]


class CwdChangedEvent(_CwdChangedEventKeys, total=False):
    """The working directory changed (Claude Code, CodeBuddy)."""

    old_cwd: str
    """Where it was."""
    new_cwd: str
    """Where it is now."""


class _FileChangedEventKeys(EventBase):
    hook_event_name: Literal["FileChanged"]
    file_path: str
    """The file."""


class FileChangedEvent(_FileChangedEventKeys, total=False):
    """A watched file changed (Claude Code, CodeBuddy)."""

    event: str
    """What became of it."""


class _DirectoryAddedEventKeys(EventBase):
    hook_event_name: Literal["DirectoryAdded"]
    directory: str
    """The directory."""


class DirectoryAddedEvent(_DirectoryAddedEventKeys, total=False):
    """A directory was added to the session (Claude Code)."""

    source: str
    """How it was added."""


class WorktreeCreateEvent(EventBase):
    """A worktree is wanted (Claude Code, CodeBuddy). A hook makes it and gives its path."""

    hook_event_name: Literal["WorktreeCreate"]
    name: str
    """What it is to be called."""


class WorktreeRemoveEvent(EventBase):
    """A worktree is removed (Claude Code, CodeBuddy)."""

    hook_event_name: Literal["WorktreeRemove"]
    worktree_path: str
    """Its path."""


class _ElicitationEventKeys(EventBase):
    hook_event_name: Literal["Elicitation"]
    mcp_server_name: str
    """The server."""


class ElicitationEvent(_ElicitationEventKeys, total=False):
    """An MCP server asks the user something (Claude Code, CodeBuddy). The hooks can answer in the user's place."""

    message: str
    """What it asks."""
    requested_schema: Any
    """The form of the answer, as JSON Schema."""
    mode: str
    """`form` or `url`."""
    url: str
    """What the user is to visit."""
    elicitation_id: str
    """Identifies the question."""


class _ElicitationResultEventKeys(EventBase):
    hook_event_name: Literal["ElicitationResult"]
    mcp_server_name: str
    """The server."""


class ElicitationResultEvent(_ElicitationResultEventKeys, total=False):
    """The user has answered an MCP server (Claude Code, CodeBuddy). The hooks can change the answer."""

    action: str
    """`accept`, `decline` or `cancel`."""
    content: Any
    """What was answered."""


class _PreModelSwitchEventKeys(EventBase):
    hook_event_name: Literal["PreModelSwitch"]
    to_model: str
    """The model from now on."""


class PreModelSwitchEvent(_PreModelSwitchEventKeys, total=False):
    """The model is about to be switched (Claude Code). The hooks can refuse that."""

    from_model: str
    """The model until now."""
    source: str
    """What switched it."""


class _PostModelSwitchEventKeys(EventBase):
    hook_event_name: Literal["PostModelSwitch"]
    to_model: str
    """The model from now on."""


class PostModelSwitchEvent(_PostModelSwitchEventKeys, total=False):
    """The model was switched (Claude Code)."""

    from_model: str
    """The model until now."""
    source: str
    """What switched it."""


class BeforeToolEvent(EventBase, _ToolCall):
    """Before a tool runs (Gemini CLI). The hooks can deny, ask and change the input."""

    hook_event_name: Literal["BeforeTool"]


class AfterToolEvent(EventBase, _ToolCall):
    """After a tool ran (Gemini CLI). The hooks can hide the result and add context."""

    hook_event_name: Literal["AfterTool"]
    tool_response: Any
    """What the tool gave."""


class BeforeAgentEvent(EventBase):
    """The user sent a prompt (Gemini CLI). The hooks can refuse it or add context."""

    hook_event_name: Literal["BeforeAgent"]
    prompt: str
    """The prompt's text."""


class _AfterAgentEventKeys(EventBase):
    hook_event_name: Literal["AfterAgent"]
    prompt: str
    """The prompt's text."""
    prompt_response: str
    """What the agent answered."""


class AfterAgentEvent(_AfterAgentEventKeys, total=False):
    """The agent has answered (Gemini CLI). The hooks can make it try again."""

    stop_hook_active: bool
    """Whether it tries again already because of a hook."""


class BeforeModelEvent(EventBase):
    """The model is about to be asked (Gemini CLI). The hooks can refuse, change the request or answer in its place."""

    hook_event_name: Literal["BeforeModel"]
    llm_request: Any
    """What the model is asked."""


class AfterModelEvent(EventBase):
    """The model has answered (Gemini CLI). The hooks can refuse or replace the answer."""

    hook_event_name: Literal["AfterModel"]
    llm_request: Any
    """What the model was asked."""
    llm_response: Any
    """What it answered."""


class BeforeToolSelectionEvent(EventBase):
    """The model's tools are about to be chosen (Gemini CLI). The hooks can restrict them."""

    hook_event_name: Literal["BeforeToolSelection"]
    llm_request: Any
    """What the model is asked."""


class PreCompressEvent(EventBase):
    """The conversation is about to be compressed (Gemini CLI)."""

    hook_event_name: Literal["PreCompress"]
    trigger: str
    """`manual` or `auto`."""


class _MessageDisplayEventKeys(EventBase):
    hook_event_name: Literal["MessageDisplay"]
    message_id: str
    """Identifies the message."""


class MessageDisplayEvent(_MessageDisplayEventKeys, total=False):
    """A message is shown (Qwen Code, Claude Code)."""

    displayed_text: str
    """Qwen Code: all that was shown so far."""
    is_final: bool
    """Qwen Code: whether it is finished."""
    delta: str
    """Claude Code: what was shown since."""
    final: bool
    """Claude Code: whether it is finished."""
    index: float
    """Claude Code: which part of the message."""


Event: TypeAlias = (
    PreToolUseEvent
    | PostToolUseEvent
    | PostToolUseFailureEvent
    | PostToolBatchEvent
    | PermissionRequestEvent
    | PermissionDeniedEvent
    | UserPromptSubmitEvent
    | UserPromptExpansionEvent
    | SessionStartEvent
    | SessionEndEvent
    | SessionDeleteEvent
    | StopEvent
    | StopFailureEvent
    | SubagentStartEvent
    | SubagentStopEvent
    | PreCompactEvent
    | PostCompactEvent
    | NotificationEvent
    | TodoCreatedEvent
    | TodoCompletedEvent
    | InstructionsLoadedEvent
    | SetupEvent
    | TaskCreatedEvent
    | TaskCompletedEvent
    | TeammateIdleEvent
    | ConfigChangeEvent
    | CwdChangedEvent
    | FileChangedEvent
    | DirectoryAddedEvent
    | WorktreeCreateEvent
    | WorktreeRemoveEvent
    | ElicitationEvent
    | ElicitationResultEvent
    | PreModelSwitchEvent
    | PostModelSwitchEvent
    | BeforeToolEvent
    | AfterToolEvent
    | BeforeAgentEvent
    | AfterAgentEvent
    | BeforeModelEvent
    | AfterModelEvent
    | BeforeToolSelectionEvent
    | PreCompressEvent
    | MessageDisplayEvent
)
"""Any event that is described here, told apart by `hook_event_name`."""


ClaudeEvent: TypeAlias = (
    ConfigChangeEvent
    | CwdChangedEvent
    | DirectoryAddedEvent
    | ElicitationEvent
    | ElicitationResultEvent
    | FileChangedEvent
    | InstructionsLoadedEvent
    | MessageDisplayEvent
    | NotificationEvent
    | PermissionDeniedEvent
    | PermissionRequestEvent
    | PostCompactEvent
    | PostModelSwitchEvent
    | PostToolBatchEvent
    | PostToolUseEvent
    | PostToolUseFailureEvent
    | PreCompactEvent
    | PreModelSwitchEvent
    | PreToolUseEvent
    | SessionEndEvent
    | SessionStartEvent
    | SetupEvent
    | StopEvent
    | StopFailureEvent
    | SubagentStartEvent
    | SubagentStopEvent
    | TaskCompletedEvent
    | TaskCreatedEvent
    | TeammateIdleEvent
    | UserPromptExpansionEvent
    | UserPromptSubmitEvent
    | WorktreeCreateEvent
    | WorktreeRemoveEvent
)
"""The events of the dialect `claude`."""


CodebuddyEvent: TypeAlias = (
    ConfigChangeEvent
    | CwdChangedEvent
    | ElicitationEvent
    | ElicitationResultEvent
    | FileChangedEvent
    | InstructionsLoadedEvent
    | NotificationEvent
    | PermissionDeniedEvent
    | PermissionRequestEvent
    | PostCompactEvent
    | PostToolUseEvent
    | PostToolUseFailureEvent
    | PreCompactEvent
    | PreToolUseEvent
    | SessionEndEvent
    | SessionStartEvent
    | SetupEvent
    | StopEvent
    | StopFailureEvent
    | SubagentStartEvent
    | SubagentStopEvent
    | TaskCompletedEvent
    | TaskCreatedEvent
    | TeammateIdleEvent
    | UserPromptSubmitEvent
    | WorktreeCreateEvent
    | WorktreeRemoveEvent
)
"""The events of the dialect `codebuddy`."""


CodexEvent: TypeAlias = (
    PermissionRequestEvent
    | PostCompactEvent
    | PostToolUseEvent
    | PreCompactEvent
    | PreToolUseEvent
    | SessionEndEvent
    | SessionStartEvent
    | StopEvent
    | SubagentStartEvent
    | SubagentStopEvent
    | UserPromptSubmitEvent
)
"""The events of the dialect `codex`."""


GeminiEvent: TypeAlias = (
    AfterAgentEvent
    | AfterModelEvent
    | AfterToolEvent
    | BeforeAgentEvent
    | BeforeModelEvent
    | BeforeToolEvent
    | BeforeToolSelectionEvent
    | NotificationEvent
    | PreCompressEvent
    | SessionEndEvent
    | SessionStartEvent
)
"""The events of the dialect `gemini`."""


QwenEvent: TypeAlias = (
    InstructionsLoadedEvent
    | MessageDisplayEvent
    | NotificationEvent
    | PermissionDeniedEvent
    | PermissionRequestEvent
    | PostCompactEvent
    | PostToolBatchEvent
    | PostToolUseEvent
    | PostToolUseFailureEvent
    | PreCompactEvent
    | PreToolUseEvent
    | SessionDeleteEvent
    | SessionEndEvent
    | SessionStartEvent
    | StopEvent
    | StopFailureEvent
    | SubagentStartEvent
    | SubagentStopEvent
    | TodoCompletedEvent
    | TodoCreatedEvent
    | UserPromptExpansionEvent
    | UserPromptSubmitEvent
)
"""The events of the dialect `qwen`."""


ZcodeEvent: TypeAlias = (
    PermissionRequestEvent
    | PostToolUseEvent
    | PostToolUseFailureEvent
    | PreToolUseEvent
    | SessionStartEvent
    | StopEvent
    | UserPromptSubmitEvent
)
"""The events of the dialect `zcode`."""
