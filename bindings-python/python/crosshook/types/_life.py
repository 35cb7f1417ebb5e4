"""What happens between and during dispatches: changed settings, background hooks, notices, questions to callbacks."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from ._generated import Decision, Diagnostic, Origin, Status
from ._reports import HookInfo


class FileChange(TypedDict):
    """A settings file that is not what it was."""

    path: str
    """Its path."""
    change: Literal["added", "changed", "removed", "broken"]
    """What became of it; `broken`: it cannot be read or parsed."""


class HookChange(TypedDict):
    """A hook in its old and its new form."""

    before: HookInfo
    """As it runs, or ran."""
    after: HookInfo
    """As the settings have it now."""


class Changes(TypedDict):
    """What differs between the settings files and the hooks that run, or ran before a reload."""

    files: list[FileChange]
    """Files that came, went or have another content."""
    added: list[HookInfo]
    """Hooks that are new."""
    changed: list[HookChange]
    """Hooks that have another form."""
    removed: list[HookInfo]
    """Hooks that are gone."""
    diagnostics: list[Diagnostic]
    """What cannot be taken over, and why; after a reload, everything that was noticed."""


class Registered(TypedDict):
    """What became of hooks that were added at run time."""

    id: str
    """Removes them again."""
    hooks: int
    """How many they are, those that cannot run included."""
    diagnostics: list[Diagnostic]
    """What was noticed."""


class Grant(TypedDict):
    """What lets the hooks of a declaration run."""

    workspace: str
    """The folder that it was granted for."""
    digest: str
    """The declaration; any change of it ends the grant."""


class WantedGrant(TypedDict):
    """Hooks that would run if what declares them were granted."""

    workspace: str
    """The folder that it would be granted for."""
    digest: str
    """What is to be granted; any change of the declaration changes it."""
    origin: Origin
    """Where it is declared."""
    hooks: list[HookInfo]
    """What it declares, for the person who decides."""


class HookNote(TypedDict):
    """A hook as a progress line needs it."""

    id: str
    """Identifies it in its engine."""
    dialect: str
    """The dialect it is written in."""
    type: str
    """``"command"``, ``"process"``, ``"http"``, ..."""
    label: str
    """Its name, or else its command or URL."""
    status_message: str | None
    """What to show while it runs."""


class BackgroundHook(TypedDict):
    """A background hook that runs."""

    number: int
    """Unique in its engine."""
    hook: HookNote
    """The hook."""
    event: str
    """The event that started it."""
    running_ms: float
    """How long it has been running, in milliseconds."""


class LateResult(TypedDict):
    """What a background hook had to say when its event was over."""

    number: int
    """The same as in `BackgroundHook`."""
    hook: HookNote
    """The hook."""
    event: str
    """The event that started it."""
    session_id: str | None
    """The event's session."""
    status: Status
    """How it ended."""
    additional_context: str | None
    """For the model."""
    system_message: str | None
    """For the user."""
    wake: str | None
    """What wakes the model, also when it waits for the user (Claude Code's `asyncRewake`)."""
    error: str | None
    """What failed."""


class Goal(TypedDict):
    """A session's goal."""

    condition: str
    """What is to be reached."""
    status: Literal["active", "met", "impossible"]
    """How it stands."""
    turns: int
    """Turns spent on it, as the host counted them."""
    tokens: int
    """Tokens spent on it, as the host counted them."""
    checks: int
    """How often it was judged."""
    last_reason: str | None
    """What the last verdict said."""
    set_at: str
    """When it was set, ISO 8601."""


class _Notice(TypedDict):
    dispatch: int
    """Which dispatch; counted from 1 in each process."""
    event: str
    """The event's name."""


class Started(_Notice):
    """A hook starts."""

    type: Literal["started"]
    hook: HookNote
    """The hook."""


class Finished(_Notice):
    """A hook has ended, or was started in the background."""

    type: Literal["finished"]
    hook: HookNote
    """The hook."""
    status: Status
    """How it ended."""
    decision: Decision
    """Its own decision."""
    duration_ms: float
    """From start to end, in milliseconds."""


class BackgroundFinished(_Notice):
    """A background hook has ended. `dispatch` is the one that started it."""

    type: Literal["background_finished"]
    hook: HookNote
    """The hook."""
    status: Status
    """How it ended."""
    exit_code: int | None
    """Its exit code, when it had one."""
    duration_ms: float
    """From start to end, in milliseconds."""


class Noticed(_Notice):
    """A diagnostic of a dispatch."""

    type: Literal["diagnostic"]
    diagnostic: Diagnostic
    """What it is."""


class Dropped(TypedDict):
    """The listener was too slow: notices were lost."""

    type: Literal["dropped"]
    count: int
    """How many."""


Notice: TypeAlias = Started | Finished | BackgroundFinished | Noticed | Dropped
"""What a listener is told; `type` says which it is. Nothing of a prompt or a tool's input is in it."""


class ToolRequest(TypedDict):
    """What `mcp_tool` is asked."""

    id: int
    """Unique in this process."""
    kind: Literal["mcp_tool"]
    """Always this."""
    hook: str
    """The hook's id."""
    function: None
    """Of no use here."""
    model: None
    """Of no use here."""
    agent_type: None
    """Of no use here."""
    system: None
    """Of no use here."""
    prompt: None
    """Of no use here."""
    server: str
    """The MCP server."""
    tool: str
    """The tool's name, as the server knows it."""
    input: dict[str, Any]
    """What it is called with, the event's values in it."""
    timeout_ms: int
    """How long the answer is waited for, in milliseconds."""
    event: dict[str, Any]
    """The event as the hook's dialect writes it."""


class Request(TypedDict):
    """What `model` and `agent` are asked."""

    id: int
    """Unique in this process."""
    kind: Literal["prompt", "agent"]
    """The kind of hook: a model's reply to a prompt is wanted, or an agent's final text."""
    hook: str
    """The hook's id."""
    function: None
    """Of no use here."""
    model: str | None
    """The model that the hook names, or `None` for the host's default."""
    agent_type: str | None
    """The kind of agent that the hook names."""
    system: str | None
    """What the model is to be told about the form of its answer."""
    prompt: str
    """The prompt, the event in it."""
    timeout_ms: int
    """How long the answer is waited for, in milliseconds."""
    event: dict[str, Any]
    """The event as the hook's dialect writes it."""
