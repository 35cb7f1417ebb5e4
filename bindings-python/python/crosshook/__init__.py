"""One hooks engine for every coding agent.

A host hands over settings and one event; the engine picks the hooks that match, runs them, reads their answers as
their dialect defines them and returns one outcome::

    import crosshook

    with crosshook.Engine(dialect="qwen", settings=settings) as engine:
        outcome = engine.dispatch({
            "hook_event_name": "PreToolUse",
            "session_id": "s-1",
            "cwd": "/work",
            "tool_name": "run_shell_command",
            "tool_input": {"command": "rm -rf /"},
        })
        if outcome["decision"] == "deny":
            print(outcome["reason"])

`Engine` is all there is to call; its methods also reload settings, make Python functions hooks, and tell what happens.
`crosshook.types` describes events and outcomes key by key; every failure is a
`crosshook.Error`. In asyncio programs, use ``await engine.dispatch_async(event)``.

Works in threads, in several event loops at once, and after a fork. One interpreter a process: sub-interpreters
cannot import it. When the interpreter exits, hooks that still run are killed.
"""

from __future__ import annotations

from ._engine import Engine
from ._errors import (
    CancelledError,
    ClosedError,
    EngineThreadError,
    Error,
    InternalError,
    InvalidEventError,
    InvalidOptionsError,
    InvalidSettingsError,
    IoError,
    ResourceError,
)
from ._native import VERSION as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import types as types
    from ._display import MessageDisplay as MessageDisplay
    from ._schema import dialect_names as dialect_names
    from ._schema import settings_schema as settings_schema
    from ._watch import log_diagnostics as log_diagnostics

__all__ = [
    "CancelledError",
    "ClosedError",
    "Engine",
    "EngineThreadError",
    "Error",
    "InternalError",
    "InvalidEventError",
    "InvalidOptionsError",
    "InvalidSettingsError",
    "IoError",
    "MessageDisplay",
    "ResourceError",
    "__version__",
    "dialect_names",
    "log_diagnostics",
    "settings_schema",
    "types",
]


def __getattr__(name: str) -> object:
    # `types` needs the module `typing`, which costs more than all the rest; nobody needs it at run time.
    if name == "types":
        from importlib import import_module

        return import_module(".types", __name__)
    if name == "MessageDisplay":
        from ._display import MessageDisplay

        return MessageDisplay
    if name == "log_diagnostics":  # needs `threading`
        from ._watch import log_diagnostics

        return log_diagnostics
    if name in ("dialect_names", "settings_schema"):
        from . import _schema

        return getattr(_schema, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
