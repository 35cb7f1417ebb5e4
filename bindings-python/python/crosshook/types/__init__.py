"""The shapes of what goes in and what comes out, key by key. For type checkers and readers; plain dicts at run time.

They are the same for every dialect and in every language.
"""

from ._events import Event, Llm, Plugin, Source
from ._life import (
    BackgroundFinished,
    BackgroundHook,
    Changes,
    Dropped,
    FileChange,
    Finished,
    Goal,
    HookChange,
    HookNote,
    LateResult,
    Notice,
    Noticed,
    Registered,
    Request,
    Started,
    WantedGrant,
)
from ._outcome import (
    Decision,
    Details,
    Diagnostic,
    Explanation,
    HookInfo,
    HookReport,
    Origin,
    Outcome,
    Status,
    Stop,
)

__all__ = [
    "BackgroundFinished",
    "BackgroundHook",
    "Changes",
    "Decision",
    "Details",
    "Diagnostic",
    "Dropped",
    "Event",
    "Explanation",
    "FileChange",
    "Finished",
    "Goal",
    "HookChange",
    "HookInfo",
    "HookNote",
    "HookReport",
    "LateResult",
    "Llm",
    "Notice",
    "Noticed",
    "Origin",
    "Outcome",
    "Plugin",
    "Registered",
    "Request",
    "Source",
    "Started",
    "Status",
    "Stop",
    "WantedGrant",
]
