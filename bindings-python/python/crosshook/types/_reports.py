"""What comes out beside outcomes: explanations, lists, errors."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from ._generated import Origin, Outcome


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


class Difference(TypedDict):
    """One thing that a replay decides otherwise than was recorded."""

    what: str
    """A key of the outcome; or ``"hook"``: a hook that ran then and would run now ends otherwise; ``"not_recorded"``: a
    hook would run now and its answer is not known; ``"not_run"``: a hook ran then and would not run now; ``"not_known"``:
    what would be decided depends on a text that was taken out of the recording."""
    hook: str | None
    """The id of the hook, when it is about one."""
    recorded: Any
    """What was recorded."""
    now: Any
    """What it would be now."""
    message: str
    """The same for people."""


class Replay(TypedDict):
    """A recorded dispatch and what would be decided now."""

    time: str
    """When it was recorded (RFC 3339, UTC)."""
    crosshook: str
    """The version of Crosshook that recorded it."""
    dialect: str
    """The dialect of the engine that recorded it."""
    event: str
    """The event's name."""
    same: bool
    """Whether all is decided as it was."""
    differences: list[Difference]
    """What is not as it was."""
    outcome: Outcome
    """What is decided now."""
