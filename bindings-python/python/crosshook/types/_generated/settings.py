"""The settings of the agents, as far as they are about hooks.

Made by tests/schema/generate.py from core/schema; do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

_ClaudeCommandHookWords = TypedDict(
    "_ClaudeCommandHookWords",
    {"async": "bool | None", "if": "str | None"},
    total=False,
)


class _ClaudeCommandHookKeys(_ClaudeCommandHookWords):
    type: Literal["command"]
    command: str
    """The line for the shell."""


class ClaudeCommandHook(_ClaudeCommandHookKeys, total=False):
    """A hook of the type `command`. Its key `async`: the hook is started and not waited for. Its key `if`: a
    permission rule, as in `Bash(git *)`, that the tool call must match."""

    args: list[str]
    """The program's arguments."""
    asyncRewake: bool | None
    """In the background; exit code 2 wakes the model."""
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    name: str | None
    """What the hook is called."""
    shell: Literal[True] | str
    """The shell's program."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 600 when left out."""
    worker: bool | None | dict[str, Any]
    """Crosshook's own: the command is started once and answers each event, a line of JSON, with a line."""


_ClaudeHttpHookWords = TypedDict(
    "_ClaudeHttpHookWords",
    {"if": "str | None"},
    total=False,
)


class _ClaudeHttpHookKeys(_ClaudeHttpHookWords):
    type: Literal["http"]
    url: str
    """Where the event is sent."""


class ClaudeHttpHook(_ClaudeHttpHookKeys, total=False):
    """A hook of the type `http`. Its key `if`: a permission rule, as in `Bash(git *)`, that the tool call must
    match."""

    allowedEnvVars: Any
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    headers: Any
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 600 when left out."""


_ClaudeMcpToolHookWords = TypedDict(
    "_ClaudeMcpToolHookWords",
    {"if": "str | None"},
    total=False,
)


class _ClaudeMcpToolHookKeys(_ClaudeMcpToolHookWords):
    type: Literal["mcp_tool"]
    server: str
    """The MCP server, as the host knows it."""
    tool: str
    """The tool of that server."""


class ClaudeMcpToolHook(_ClaudeMcpToolHookKeys, total=False):
    """A hook of the type `mcp_tool`. Its key `if`: a permission rule, as in `Bash(git *)`, that the tool call must
    match."""

    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    input: dict[str, Any] | None
    """What the tool is called with; `${path.into.event}` stands for a value of the event."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 600 when left out."""


_ClaudePromptHookWords = TypedDict(
    "_ClaudePromptHookWords",
    {"if": "str | None"},
    total=False,
)


class _ClaudePromptHookKeys(_ClaudePromptHookWords):
    type: Literal["prompt"]
    prompt: str
    """What the model is asked; `$ARGUMENTS` stands for the event."""


class ClaudePromptHook(_ClaudePromptHookKeys, total=False):
    """A hook of the type `prompt`. Its key `if`: a permission rule, as in `Bash(git *)`, that the tool call must
    match."""

    continueOnBlock: bool | None
    """An objection keeps the agent working."""
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    model: str | None
    """The model that answers."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 30 when left out."""


_ClaudeAgentHookWords = TypedDict(
    "_ClaudeAgentHookWords",
    {"if": "str | None"},
    total=False,
)


class _ClaudeAgentHookKeys(_ClaudeAgentHookWords):
    type: Literal["agent"]
    prompt: str
    """What the model is asked; `$ARGUMENTS` stands for the event."""


class ClaudeAgentHook(_ClaudeAgentHookKeys, total=False):
    """A hook of the type `agent`. Its key `if`: a permission rule, as in `Bash(git *)`, that the tool call must
    match."""

    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    model: str | None
    """The model that answers."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 60 when left out."""


ClaudeHook: TypeAlias = ClaudeCommandHook | ClaudeHttpHook | ClaudeMcpToolHook | ClaudePromptHook | ClaudeAgentHook
"""A hook, told apart by `type`."""


class _ClaudeHookGroupKeys(TypedDict):
    hooks: list[ClaudeHook]


class ClaudeHookGroup(_ClaudeHookGroupKeys, total=False):
    """Hooks for what a matcher matches."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    matcher: str | None
    """What the hooks of this group are for; none is all."""


class ClaudeHookEvents(TypedDict, total=False):
    """The hooks, by event."""

    ConfigChange: list[ClaudeHookGroup]
    """A matcher looks at `source`."""
    CwdChanged: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    DirectoryAdded: list[ClaudeHookGroup]
    """A matcher looks at `source`."""
    Elicitation: list[ClaudeHookGroup]
    """A matcher looks at `mcp_server_name`."""
    ElicitationResult: list[ClaudeHookGroup]
    """A matcher looks at `mcp_server_name`."""
    FileChanged: list[ClaudeHookGroup]
    """A matcher looks at the file name in `file_path`."""
    InstructionsLoaded: list[ClaudeHookGroup]
    """A matcher looks at `load_reason`."""
    MessageDisplay: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    Notification: list[ClaudeHookGroup]
    """A matcher looks at `notification_type`."""
    PermissionDenied: list[ClaudeHookGroup]
    """A matcher looks at the tool's name."""
    PermissionRequest: list[ClaudeHookGroup]
    """A matcher looks at the tool's name."""
    PostCompact: list[ClaudeHookGroup]
    """A matcher looks at `trigger`."""
    PostModelSwitch: list[ClaudeHookGroup]
    """A matcher looks at `to_model`."""
    PostToolBatch: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    PostToolUse: list[ClaudeHookGroup]
    """A matcher looks at the tool's name."""
    PostToolUseFailure: list[ClaudeHookGroup]
    """A matcher looks at the tool's name."""
    PreCompact: list[ClaudeHookGroup]
    """A matcher looks at `trigger`."""
    PreModelSwitch: list[ClaudeHookGroup]
    """A matcher looks at `to_model`."""
    PreToolUse: list[ClaudeHookGroup]
    """A matcher looks at the tool's name."""
    SessionEnd: list[ClaudeHookGroup]
    """A matcher looks at `reason`."""
    SessionStart: list[ClaudeHookGroup]
    """A matcher looks at `source`."""
    Setup: list[ClaudeHookGroup]
    """A matcher looks at `trigger`."""
    Stop: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    StopFailure: list[ClaudeHookGroup]
    """A matcher looks at `error`."""
    SubagentStart: list[ClaudeHookGroup]
    """A matcher looks at `agent_type`."""
    SubagentStop: list[ClaudeHookGroup]
    """A matcher looks at `agent_type`."""
    TaskCompleted: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    TaskCreated: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    TeammateIdle: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    UserPromptExpansion: list[ClaudeHookGroup]
    """A matcher looks at `command_name`."""
    UserPromptSubmit: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    WorktreeCreate: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""
    WorktreeRemove: list[ClaudeHookGroup]
    """Always: a matcher is ignored."""


class ClaudeSettings(TypedDict, total=False):
    """Hooks in the settings of Claude Code."""

    allowManagedHooksOnly: bool
    """Only managed hooks run. Only from managed settings."""
    allowedHttpHookUrls: list[str]
    """Patterns of the URLs that HTTP hooks may reach."""
    disableAllHooks: bool
    """Switches all hooks off."""
    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    hooks: ClaudeHookEvents
    httpHookAllowedEnvVars: list[str]
    """The environment variables that HTTP hooks may use."""
    strictPluginOnlyCustomization: bool | list[Any]
    """Hooks of user, project and local settings do not run. Only from managed settings."""


_CodebuddyCommandHookWords = TypedDict(
    "_CodebuddyCommandHookWords",
    {"async": "bool | None", "if": "str | None"},
    total=False,
)


class _CodebuddyCommandHookKeys(_CodebuddyCommandHookWords):
    type: Literal["command"]
    command: str
    """The line for the shell."""


class CodebuddyCommandHook(_CodebuddyCommandHookKeys, total=False):
    """A hook of the type `command`. Its key `async`: the hook is started and not waited for. Its key `if`: a
    permission rule, as in `Bash(git *)`, that the tool call must match."""

    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    name: str | None
    """What the hook is called."""
    shell: Literal[True] | str
    """The shell's program."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 60 when left out."""
    worker: bool | None | dict[str, Any]
    """Crosshook's own: the command is started once and answers each event, a line of JSON, with a line."""


class _CodebuddyPromptHookKeys(TypedDict):
    type: Literal["prompt"]
    prompt: str
    """What the model is asked; `$ARGUMENTS` stands for the event."""


class CodebuddyPromptHook(_CodebuddyPromptHookKeys, total=False):
    """A hook of the type `prompt`."""

    continueOnBlock: bool | None
    """An objection keeps the agent working."""
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    model: str | None
    """The model that answers."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 30 when left out."""


class _CodebuddyAgentHookKeys(TypedDict):
    type: Literal["agent"]
    prompt: str
    """What the model is asked; `$ARGUMENTS` stands for the event."""


class CodebuddyAgentHook(_CodebuddyAgentHookKeys, total=False):
    """A hook of the type `agent`."""

    agentType: str | None
    """The agent that answers."""
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    model: str | None
    """The model that answers."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 60 when left out."""


class _CodebuddyHttpHookKeys(TypedDict):
    type: Literal["http"]
    url: str
    """Where the event is sent."""


class CodebuddyHttpHook(_CodebuddyHttpHookKeys, total=False):
    """A hook of the type `http`."""

    allowedEnvVars: Any
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    headers: Any
    method: Any
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 60 when left out."""


CodebuddyHook: TypeAlias = CodebuddyCommandHook | CodebuddyPromptHook | CodebuddyAgentHook | CodebuddyHttpHook
"""A hook, told apart by `type`."""


class _CodebuddyHookGroupKeys(TypedDict):
    hooks: list[CodebuddyHook]


class CodebuddyHookGroup(_CodebuddyHookGroupKeys, total=False):
    """Hooks for what a matcher matches."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    matcher: str | None
    """What the hooks of this group are for; none is all."""


class CodebuddyHookEvents(TypedDict, total=False):
    """The hooks, by event."""

    ConfigChange: list[CodebuddyHookGroup]
    """A matcher looks at `source`."""
    CwdChanged: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    Elicitation: list[CodebuddyHookGroup]
    """A matcher looks at `mcp_server_name`."""
    ElicitationResult: list[CodebuddyHookGroup]
    """A matcher looks at `mcp_server_name`."""
    FileChanged: list[CodebuddyHookGroup]
    """A matcher looks at the file name in `file_path`."""
    InstructionsLoaded: list[CodebuddyHookGroup]
    """A matcher looks at `load_reason`."""
    Notification: list[CodebuddyHookGroup]
    """A matcher looks at `notification_type`."""
    PermissionDenied: list[CodebuddyHookGroup]
    """A matcher looks at the tool's name."""
    PermissionRequest: list[CodebuddyHookGroup]
    """A matcher looks at the tool's name."""
    PostCompact: list[CodebuddyHookGroup]
    """A matcher looks at `trigger`."""
    PostToolUse: list[CodebuddyHookGroup]
    """A matcher looks at the tool's name."""
    PostToolUseFailure: list[CodebuddyHookGroup]
    """A matcher looks at the tool's name."""
    PreCompact: list[CodebuddyHookGroup]
    """A matcher looks at `trigger`."""
    PreToolUse: list[CodebuddyHookGroup]
    """A matcher looks at the tool's name."""
    SessionEnd: list[CodebuddyHookGroup]
    """A matcher looks at `reason`."""
    SessionStart: list[CodebuddyHookGroup]
    """A matcher looks at `source`."""
    Setup: list[CodebuddyHookGroup]
    """A matcher looks at `trigger`."""
    Stop: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    StopFailure: list[CodebuddyHookGroup]
    """A matcher looks at `error`."""
    SubagentStart: list[CodebuddyHookGroup]
    """A matcher looks at `agent_type`."""
    SubagentStop: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    TaskCompleted: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    TaskCreated: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    TeammateIdle: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    UserPromptSubmit: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    WorktreeCreate: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""
    WorktreeRemove: list[CodebuddyHookGroup]
    """Always: a matcher is ignored."""


class CodebuddySettings(TypedDict, total=False):
    """Hooks in the settings of CodeBuddy Code."""

    allowUntrustedFrontmatterHooks: bool
    """Hooks in the frontmatter of agents and skills count. Only from the user's settings."""
    disableAllHooks: bool
    """Switches all hooks off."""
    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    hooks: CodebuddyHookEvents


_CodexCommandHookWords = TypedDict(
    "_CodexCommandHookWords",
    {"async": "bool | None"},
    total=False,
)


class _CodexCommandHookKeys(_CodexCommandHookWords):
    type: Literal["command"]
    command: str
    """The line for the shell."""


class CodexCommandHook(_CodexCommandHookKeys, total=False):
    """A hook of the type `command`. Its key `async`: the hook is started and not waited for."""

    additionalContextLimit: float | None
    """How many tokens of the hook's context the model gets; 0 is all."""
    commandWindows: Any
    command_windows: Any
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in whole seconds; 600 when left out."""
    worker: bool | None | dict[str, Any]
    """Crosshook's own: the command is started once and answers each event, a line of JSON, with a line."""


class CodexSkippedHook(TypedDict):
    """The agent knows this type and does not run it."""

    type: Literal["prompt", "agent"]


CodexHook: TypeAlias = CodexCommandHook | CodexSkippedHook
"""A hook, told apart by `type`."""


class _CodexHookGroupKeys(TypedDict):
    hooks: list[CodexHook]


class CodexHookGroup(_CodexHookGroupKeys, total=False):
    """Hooks for what a matcher matches."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    matcher: str | None
    """What the hooks of this group are for; none is all."""


class CodexHookEvents(TypedDict, total=False):
    """The hooks, by event."""

    PermissionRequest: list[CodexHookGroup]
    """A matcher looks at the tool's name."""
    PostCompact: list[CodexHookGroup]
    """A matcher looks at `trigger`."""
    PostToolUse: list[CodexHookGroup]
    """A matcher looks at the tool's name."""
    PreCompact: list[CodexHookGroup]
    """A matcher looks at `trigger`."""
    PreToolUse: list[CodexHookGroup]
    """A matcher looks at the tool's name."""
    SessionEnd: list[CodexHookGroup]
    """A matcher looks at `reason`."""
    SessionStart: list[CodexHookGroup]
    """A matcher looks at `source`."""
    Stop: list[CodexHookGroup]
    """Always: a matcher is ignored."""
    SubagentStart: list[CodexHookGroup]
    """A matcher looks at `agent_type`."""
    SubagentStop: list[CodexHookGroup]
    """A matcher looks at `agent_type`."""
    UserPromptSubmit: list[CodexHookGroup]
    """Always: a matcher is ignored."""
    managed_dir: Any
    state: Any
    windows_managed_dir: Any


class CodexSettings(TypedDict, total=False):
    """Hooks in the settings of Codex CLI."""

    description: Any
    hooks: CodexHookEvents


class _GeminiCommandHookKeys(TypedDict):
    type: Literal["command"]
    command: str
    """The line for the shell."""


class GeminiCommandHook(_GeminiCommandHookKeys, total=False):
    """A hook of the type `command`."""

    description: Any
    """What the hook is for."""
    env: dict[str, str | float | bool]
    """Variables for the hook."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in milliseconds; 60000 when left out."""
    worker: bool | None | dict[str, Any]
    """Crosshook's own: the command is started once and answers each event, a line of JSON, with a line."""


GeminiHook: TypeAlias = GeminiCommandHook
"""A hook, told apart by `type`."""


class _GeminiHookGroupKeys(TypedDict):
    hooks: list[GeminiHook]


class GeminiHookGroup(_GeminiHookGroupKeys, total=False):
    """Hooks for what a matcher matches."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    matcher: str | None
    """What the hooks of this group are for; none is all."""


class GeminiHookEvents(TypedDict, total=False):
    """The hooks, by event."""

    AfterAgent: list[GeminiHookGroup]
    """Always: a matcher is ignored."""
    AfterModel: list[GeminiHookGroup]
    """Always: a matcher is ignored."""
    AfterTool: list[GeminiHookGroup]
    """A matcher looks at the tool's name."""
    BeforeAgent: list[GeminiHookGroup]
    """Always: a matcher is ignored."""
    BeforeModel: list[GeminiHookGroup]
    """Always: a matcher is ignored."""
    BeforeTool: list[GeminiHookGroup]
    """A matcher looks at the tool's name."""
    BeforeToolSelection: list[GeminiHookGroup]
    """Always: a matcher is ignored."""
    Notification: list[GeminiHookGroup]
    """Always: a matcher is ignored."""
    PreCompress: list[GeminiHookGroup]
    """A matcher looks at `trigger`."""
    SessionEnd: list[GeminiHookGroup]
    """A matcher looks at `reason`."""
    SessionStart: list[GeminiHookGroup]
    """A matcher looks at `source`."""


class GeminiSettingsHooksConfig(TypedDict, total=False):
    """Further keys may stand beside these."""

    disabled: list[str]
    """Hooks that are switched off, by name, or by command when they have none."""
    enabled: bool
    """false switches all hooks off."""


class GeminiSettingsSecurityEnvironmentVariableRedaction(TypedDict, total=False):
    """Further keys may stand beside these."""

    allowed: list[str]
    blocked: list[str]
    enabled: bool
    """Hooks do not inherit variables that look like secrets."""


class GeminiSettingsSecurity(TypedDict, total=False):
    """Further keys may stand beside these."""

    environmentVariableRedaction: GeminiSettingsSecurityEnvironmentVariableRedaction


class GeminiSettings(TypedDict, total=False):
    """Hooks in the settings of Gemini CLI."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    hooks: GeminiHookEvents
    hooksConfig: GeminiSettingsHooksConfig
    security: GeminiSettingsSecurity


_QwenCommandHookWords = TypedDict(
    "_QwenCommandHookWords",
    {"async": "bool | None"},
    total=False,
)


class _QwenCommandHookKeys(_QwenCommandHookWords):
    type: Literal["command"]
    command: str
    """The line for the shell."""


class QwenCommandHook(_QwenCommandHookKeys, total=False):
    """A hook of the type `command`. Its key `async`: the hook is started and not waited for."""

    description: Any
    """What the hook is for."""
    env: dict[str, str | float | bool]
    """Variables for the hook."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    name: str | None
    """What the hook is called."""
    shell: Literal[True] | str
    """The shell's program."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 60 when left out."""
    worker: bool | None | dict[str, Any]
    """Crosshook's own: the command is started once and answers each event, a line of JSON, with a line."""


_QwenHttpHookWords = TypedDict(
    "_QwenHttpHookWords",
    {"if": "str | None"},
    total=False,
)


class _QwenHttpHookKeys(_QwenHttpHookWords):
    type: Literal["http"]
    url: str
    """Where the event is sent."""


class QwenHttpHook(_QwenHttpHookKeys, total=False):
    """A hook of the type `http`. Its key `if`: a permission rule, as in `Bash(git *)`, that the tool call must
    match."""

    allowedEnvVars: Any
    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    headers: Any
    name: str | None
    """What the hook is called."""
    once: bool | None
    """The hook runs once a session."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 600 when left out."""


class _QwenPromptHookKeys(TypedDict):
    type: Literal["prompt"]
    prompt: str
    """What the model is asked; `$ARGUMENTS` stands for the event."""


class QwenPromptHook(_QwenPromptHookKeys, total=False):
    """A hook of the type `prompt`."""

    description: Any
    """What the hook is for."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    model: str | None
    """The model that answers."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 30 when left out."""


QwenHook: TypeAlias = QwenCommandHook | QwenHttpHook | QwenPromptHook
"""A hook, told apart by `type`."""


class _QwenHookGroupKeys(TypedDict):
    hooks: list[QwenHook]


class QwenHookGroup(_QwenHookGroupKeys, total=False):
    """Hooks for what a matcher matches."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    matcher: str | None
    """What the hooks of this group are for; none is all."""


class QwenHookEvents(TypedDict, total=False):
    """The hooks, by event."""

    InstructionsLoaded: list[QwenHookGroup]
    """A matcher looks at `file_path`."""
    MessageDisplay: list[QwenHookGroup]
    """Always: a matcher is ignored."""
    Notification: list[QwenHookGroup]
    """A matcher looks at `notification_type`."""
    PermissionDenied: list[QwenHookGroup]
    """A matcher looks at the tool's name."""
    PermissionRequest: list[QwenHookGroup]
    """A matcher looks at the tool's name."""
    PostCompact: list[QwenHookGroup]
    """A matcher looks at `trigger`."""
    PostToolBatch: list[QwenHookGroup]
    """Always: a matcher is ignored."""
    PostToolUse: list[QwenHookGroup]
    """A matcher looks at the tool's name."""
    PostToolUseFailure: list[QwenHookGroup]
    """A matcher looks at the tool's name."""
    PreCompact: list[QwenHookGroup]
    """A matcher looks at `trigger`."""
    PreToolUse: list[QwenHookGroup]
    """A matcher looks at the tool's name."""
    SessionDelete: list[QwenHookGroup]
    """Always: a matcher is ignored."""
    SessionEnd: list[QwenHookGroup]
    """A matcher looks at `reason`."""
    SessionStart: list[QwenHookGroup]
    """A matcher looks at `source`."""
    Stop: list[QwenHookGroup]
    """Always: a matcher is ignored."""
    StopFailure: list[QwenHookGroup]
    """A matcher looks at `error`."""
    SubagentStart: list[QwenHookGroup]
    """A matcher looks at `agent_type`."""
    SubagentStop: list[QwenHookGroup]
    """A matcher looks at `agent_type`."""
    TodoCompleted: list[QwenHookGroup]
    """Always: a matcher is ignored."""
    TodoCreated: list[QwenHookGroup]
    """Always: a matcher is ignored."""
    UserPromptExpansion: list[QwenHookGroup]
    """A matcher looks at `command_name`."""
    UserPromptSubmit: list[QwenHookGroup]
    """Always: a matcher is ignored."""
    disabled: Any
    enabled: Any
    notifications: Any


class QwenSettingsSecurity(TypedDict, total=False):
    """Further keys may stand beside these."""

    allowPrivateNetworkHooks: bool
    """HTTP hooks may reach private networks. Not from a project's settings."""
    allowedHttpHookUrls: list[str]
    """Patterns of the URLs that HTTP hooks may reach."""


class QwenSettings(TypedDict, total=False):
    """Hooks in the settings of Qwen Code."""

    disableAllHooks: bool
    """Switches all hooks off."""
    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    hooks: QwenHookEvents
    security: QwenSettingsSecurity
    stopHookBlockingCap: float
    """How often in a row hooks may keep the agent from stopping."""


class _ZcodeProcessHookKeys(TypedDict):
    type: Literal["process"]
    command: str
    """The program to run, without a shell."""


class ZcodeProcessHook(_ZcodeProcessHookKeys, total=False):
    """A hook of the type `process`."""

    args: list[str]
    """The program's arguments."""
    description: Any
    """What the hook is for."""
    enabled: bool | None
    """false: the hook does not run."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    name: str | None
    """What the hook is called."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: Any
    """Has no effect here; write `timeoutMs`."""
    timeoutMs: float
    """The time limit in milliseconds."""
    worker: bool | None | dict[str, Any]
    """Crosshook's own: the command is started once and answers each event, a line of JSON, with a line."""


_ZcodeCommandHookWords = TypedDict(
    "_ZcodeCommandHookWords",
    {"async": "bool | None"},
    total=False,
)


class _ZcodeCommandHookKeys(_ZcodeCommandHookWords):
    type: Literal["command"]
    command: str
    """The line for the shell."""


class ZcodeCommandHook(_ZcodeCommandHookKeys, total=False):
    """A hook of the type `command`. Its key `async`: the hook is started and not waited for."""

    description: Any
    """What the hook is for."""
    enabled: bool | None
    """false: the hook does not run."""
    failMode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    fail_mode: Literal["open", "closed"] | None
    """Whether the event goes on when the hook itself fails."""
    name: str | None
    """What the hook is called."""
    shell: Literal[True] | str
    """The shell's program."""
    statusMessage: str | None
    """What is shown while the hook runs."""
    timeout: float | None
    """The time limit in seconds; 60 when left out."""
    timeoutMs: float
    """The time limit in milliseconds."""
    worker: bool | None | dict[str, Any]
    """Crosshook's own: the command is started once and answers each event, a line of JSON, with a line."""


ZcodeHook: TypeAlias = ZcodeProcessHook | ZcodeCommandHook
"""A hook, told apart by `type`."""


class _ZcodeHookGroupKeys(TypedDict):
    hooks: list[ZcodeHook]


class ZcodeHookGroup(_ZcodeHookGroupKeys, total=False):
    """Hooks for what a matcher matches."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself."""
    matcher: str | None
    """What the hooks of this group are for; none is all."""


class ZcodeHookEvents(TypedDict, total=False):
    """The hooks, by event."""

    PermissionRequest: list[ZcodeHookGroup]
    """A matcher looks at the tool's name."""
    PostToolUse: list[ZcodeHookGroup]
    """A matcher looks at the tool's name."""
    PostToolUseFailure: list[ZcodeHookGroup]
    """A matcher looks at the tool's name."""
    PreToolUse: list[ZcodeHookGroup]
    """A matcher looks at the tool's name."""
    SessionStart: list[ZcodeHookGroup]
    """A matcher looks at `source`."""
    Stop: list[ZcodeHookGroup]
    """Always: a matcher is ignored."""
    UserPromptSubmit: list[ZcodeHookGroup]
    """Always: a matcher is ignored."""


class ZcodeSettingsHooks(TypedDict, total=False):
    """Further keys may stand beside these."""

    enabled: bool
    """Hooks of settings run only when some trusted file says true."""
    events: ZcodeHookEvents
    maxOutputBytes: float
    """How much of a hook's output is kept, in bytes."""
    timeoutMs: float
    """The time limit of a hook that has none of its own, in milliseconds."""


class ZcodeSettings(TypedDict, total=False):
    """Hooks in the settings of ZCode."""

    failMode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    fail_mode: Literal["open", "closed"] | None
    """Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself."""
    hooks: ZcodeSettingsHooks
