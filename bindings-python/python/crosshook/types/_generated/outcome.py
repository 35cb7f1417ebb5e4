"""The outcome, as every language sees it.

Made by tests/schema/generate.py from core/schema; do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

Decision: TypeAlias = Literal["none", "allow", "ask", "defer", "deny", "block"]
"""What hooks decided. PreToolUse, PermissionRequest and Gemini's BeforeTool: `none`, `allow`, `ask`, `defer`,
`deny`; all other events: `none` or `block`. `none` is no opinion, never consent."""


Level: TypeAlias = Literal["warning", "error"]
"""How grave a `Diagnostic` is."""


class Origin(TypedDict):
    """Where a hook or a diagnostic comes from."""

    scope: str
    """The scope of the source: `system`, `user`, `project`, ..."""
    path: str | None
    """The settings file, when there is one."""
    plugin: str | None
    """The plugin or extension, when the source is one."""
    pointer: str | None
    """JSON pointer (RFC 6901) into the settings."""
    line: int | None
    """Line in the settings text, counted from 1."""


class Diagnostic(TypedDict):
    """One thing a user should know."""

    level: Level
    """How grave it is. `error`: it does not run, or did not count. `warning`: it runs, perhaps not as meant."""
    code: str
    """What happened, for programs. Stable."""
    message: str
    """What happened, where, and what to do, for people."""
    origin: Origin | None
    """The settings entry it is about, when there is one."""


Status: TypeAlias = Literal["ok", "blocked", "error", "timeout", "cancelled", "skipped", "background"]
"""How one hook ended."""


class HookReport(TypedDict):
    """What one selected hook did."""

    id: str
    """Identifies the hook within its engine: scope, event, group and position."""
    dialect: str
    """The dialect the hook is written in."""
    origin: Origin
    """Where it is configured."""
    type: str
    """Its type: `command`, `process`, `http`, `prompt`, ..."""
    label: str
    """Its name, or command, or URL."""
    matcher: str | None
    """The matcher of its group, as written."""
    status: Status
    """How it ended."""
    exit_code: int | None
    """The exit code, when there was one."""
    duration_ms: float
    """From start to end, in milliseconds."""
    decision: Decision
    """Its own decision."""
    reason: str | None
    """Its own reason."""
    stdout_bytes: int
    """What it wrote to standard output, in bytes, kept or not."""
    stderr_bytes: int
    """What it wrote to standard error, in bytes, kept or not."""
    truncated: bool
    """Whether some of its output was dropped."""
    error: str | None
    """What failed, or why it was skipped."""


class Stop(TypedDict):
    """The agent must halt now."""

    reason: str | None
    """The text that goes with it."""


class Outcome(TypedDict):
    """The outcome of one dispatch. The form is the same for every dialect and every language; all keys are always
    there."""

    event: str
    """The event's name."""
    decision: Decision
    """What the hooks decided together: `deny` and `block` beat `defer`, that beats `ask`, that `allow`, that `none`."""
    reason: str | None
    """The text that goes with the decision."""
    updated_input: dict[str, Any] | None
    """The **complete** tool input after all modifications; nothing when no hook changed it."""
    updated_output: Any
    """Replaces the tool's result; nothing when no hook replaces it."""
    additional_context: list[str]
    """For the model, one entry a hook, in hook order."""
    system_messages: list[str]
    """For the user only, in hook order."""
    stop: Stop | None
    """Set when the agent must halt now."""
    suppress_output: bool
    """Whether the hooks' output is to be hidden from the transcript."""
    updated_permissions: Any
    """Permission rules that a hook wants changed, in the agent's own form."""
    interrupt: bool
    """Whether a denied permission also interrupts the agent."""
    extra: dict[str, Any]
    """Event-specific fields that have no place above, under their own names."""
    hooks: list[HookReport]
    """One entry for each hook that was selected, in configured order."""
    diagnostics: list[Diagnostic]
    """Everything that was ignored, cut, skipped or not understood. The first outcome of an engine also holds those
    of loading its settings."""
