"""The shapes of what goes in and what comes out, key by key. For type checkers and readers; plain dicts at run time.

`Event` is any event, `Outcome` what comes back; both are the same for every dialect and in every language. For each
dialect there are the union of its events (`QwenEvent`, ...) and its settings (`QwenSettings`, ...).
"""

from . import _generated
from ._options import Llm, Plugin, Record, RedactRule, Source, ToolName
from ._generated import *  # noqa: F403
from ._life import (
    BackgroundFinished,
    BackgroundHook,
    Changes,
    Dropped,
    FileChange,
    Finished,
    Goal,
    Grant,
    HookChange,
    HookNote,
    LateResult,
    Notice,
    Noticed,
    Registered,
    Request,
    Started,
    ToolRequest,
    WantedGrant,
)
from ._reports import Details, Difference, Explanation, HookInfo, Replay

__all__ = [
    "BackgroundFinished",
    "BackgroundHook",
    "Changes",
    "Details",
    "Difference",
    "Dropped",
    "Explanation",
    "FileChange",
    "Finished",
    "Goal",
    "Grant",
    "HookChange",
    "HookInfo",
    "HookNote",
    "LateResult",
    "Llm",
    "Notice",
    "Noticed",
    "Plugin",
    "Record",
    "RedactRule",
    "Registered",
    "Replay",
    "Request",
    "Source",
    "Started",
    "ToolName",
    "ToolRequest",
    "WantedGrant",
]
__all__ += _generated.__all__
