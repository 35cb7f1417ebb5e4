"""What comes out: outcomes, explanations, errors."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

Decision: TypeAlias = Literal["none", "allow", "ask", "defer", "deny", "block"]
"""What hooks decided. Permission events (PreToolUse, PermissionRequest, Gemini's BeforeTool): `none`, `allow`, `ask`, `defer`, `deny`;
all other events: `none` or `block`. `none` is no opinion, never consent."""

Status: TypeAlias = Literal["ok", "blocked", "error", "timeout", "cancelled", "skipped", "background"]
"""How a hook ended. `skipped`: selected, but not started; `background`: started and not waited for."""


class Origin(TypedDict):
    """Where a hook or a diagnostic comes from."""

    scope: str
    """The kind of source: ``"system"``, ``"user"``, ``"project"``, ..."""
    path: str | None
    """The settings file, when there is one."""
    plugin: str | None
    """The plugin or extension, when it comes from one."""
    pointer: str | None
    """The place in the settings, as a JSON pointer (RFC 6901)."""
    line: int | None
    """The line in the settings file, from 1."""


class Diagnostic(TypedDict):
    """Something that was ignored, cut, skipped or not understood."""

    level: Literal["warning", "error"]
    """`error`: it does not run, or did not count. `warning`: it runs, perhaps not as meant."""
    code: str
    """What happened, for programs. Stable."""
    message: str
    """What happened, where, and what to do about it, for people."""
    origin: Origin | None
    """The settings entry it is about, when there is one."""


class Stop(TypedDict):
    """The agent must halt now."""

    reason: str | None
    """The text that goes with it."""


class HookReport(TypedDict):
    """What one hook did."""

    id: str
    """Identifies the hook in its engine."""
    dialect: str
    """The dialect it is written in."""
    origin: Origin
    """Where it is configured."""
    type: str
    """``"command"``, ``"process"``, ``"http"``, ..."""
    label: str
    """Its name, or else its command or URL."""
    matcher: str | None
    """The matcher of its group, as written."""
    status: Status
    """How it ended."""
    exit_code: int | None
    """Its exit code, when it had one."""
    duration_ms: float
    """From start to end, in milliseconds."""
    decision: Decision
    """Its own decision."""
    reason: str | None
    """Its own reason."""
    stdout_bytes: int
    """How much it wrote to standard output, kept or not."""
    stderr_bytes: int
    """How much it wrote to standard error, kept or not."""
    truncated: bool
    """Whether some of its output was dropped because it was too much."""
    error: str | None
    """What failed, or why it was skipped."""


class Outcome(TypedDict):
    """What the hooks decided together. All keys are always there."""

    event: str
    """The event's name."""
    decision: Decision
    """The strongest decision of all hooks: `deny` and `block` beat `defer`, that `ask`, that `allow`, that `none`."""
    reason: str | None
    """The text that goes with the decision."""
    updated_input: dict[str, Any] | None
    """The complete input to call the tool with, when a hook changed it."""
    updated_output: Any
    """What replaces the tool's result; `None` when no hook replaces it."""
    additional_context: list[str]
    """Texts for the model, in the order of the hooks."""
    system_messages: list[str]
    """Texts for the user only."""
    stop: Stop | None
    """Set when the agent must halt now, whatever the decision."""
    suppress_output: bool
    """Whether the hooks' output is to be kept out of the transcript."""
    updated_permissions: Any
    """Permission rules that a hook wants changed, in the agent's own form."""
    interrupt: bool
    """Whether a denied permission also interrupts the agent."""
    extra: dict[str, Any]
    """What only this event has, under its own names."""
    hooks: list[HookReport]
    """One entry for each hook that was selected, in configured order."""
    diagnostics: list[Diagnostic]
    """Everything that was ignored, cut, skipped or not understood. The first outcome of an engine also holds those
    of loading its settings."""


class _Hook(TypedDict):
    """What identifies a configured hook."""

    event: str
    """The event it is configured for."""
    id: str
    """Identifies it in its engine; the same as in `HookReport`."""
    dialect: str
    """The dialect it is written in."""
    type: str
    """``"command"``, ``"process"``, ``"http"``, ..."""
    label: str
    """Its name, or else its command or URL."""
    matcher: str | None
    """The matcher of its group, as written."""
    origin: Origin
    """Where it is configured."""


class Explanation(_Hook):
    """Whether a hook would run for an event, and why."""

    runs: bool
    """Whether it would run."""
    why: str
    """The reason, in words."""


# Written as a call, because `async` cannot be an attribute's name.
_Settings = TypedDict("_Settings", {"async": bool})


class HookInfo(_Hook, _Settings):
    """A configured hook. Its key `async` tells whether it runs in the background."""

    timeout: float
    """How long it may run, in seconds."""
    once: bool
    """Whether it runs only once a session."""
    worker: bool
    """Whether its command is started once and asked for each event."""
    status_message: str | None
    """What to show while it runs."""
    sequential: bool
    """Whether its group runs one hook after the other."""
    fail_mode: Literal["open", "closed"] | None
    """What a failure of it means, when its settings say so."""
    enabled: bool
    """Whether it can run at all."""
    why_not: str | None
    """Why it cannot."""


class Details(TypedDict):
    """Where the fault of an `Error` is; `None` is unknown."""

    path: str | None
    """The file, as it was named."""
    pointer: str | None
    """The place in it, as a JSON pointer (RFC 6901)."""
    line: int | None
    """The line, from 1."""
