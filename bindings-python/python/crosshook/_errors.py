"""What a call can fail with: one class for each kind of failure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .types import Details


class Error(Exception):
    """A call failed. Base of all exceptions of this package; `str()` of it says what, where and what to do.

    A failure is never consent: a host that was about to run a tool should treat it as a denied event.
    """

    code: str = "error"
    """Stable text for programs, the same in every language, for example ``"invalid_event"``."""

    message: str
    """The text for people, without the place."""

    details: Details
    """Where the fault is: `path` (file as it was named), `pointer` (JSON pointer into it) and `line` (from 1), each
    `None` when it is not known."""

    def __init__(self, text: str = "", *, message: str | None = None, details: Details | None = None) -> None:
        super().__init__(text)
        self.message = text if message is None else message
        self.details = {"path": None, "pointer": None, "line": None} if details is None else details


class InvalidOptionsError(Error):
    """The options of `Engine` have an unknown name, a wrong type or a value that does not exist."""

    code = "invalid_options"


class InvalidSettingsError(Error):
    """Settings that were named explicitly cannot be read or parsed."""

    code = "invalid_settings"


class InvalidEventError(Error):
    """The event is not a JSON object with an event name, not UTF-8, or holds what JSON cannot say."""

    code = "invalid_event"


class IoError(Error):
    """A file that was named explicitly cannot be read."""

    code = "io"


class ResourceError(Error):
    """The system refused what the engine itself needs: a thread, a descriptor."""

    code = "resource"


class CancelledError(Error):
    """The dispatch was cancelled before it had an outcome.

    Not `asyncio.CancelledError`: a cancelled task raises that one.
    """

    code = "cancelled"


class ClosedError(Error):
    """The engine was closed, or the interpreter is exiting."""

    code = "closed"


class EngineThreadError(Error):
    """A blocking call on a thread of the engine, where it would wait for itself.

    Only a loop that runs more than it should in `call_soon_threadsafe`, or a `__del__`, can get there.
    """

    code = "engine_thread"


class InternalError(Error):
    """A defect in Crosshook, caught before it could do harm. Treat it as a denied event, and report it."""

    code = "internal"


BY_CODE: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (
        InvalidOptionsError,
        InvalidSettingsError,
        InvalidEventError,
        IoError,
        ResourceError,
        CancelledError,
        ClosedError,
        EngineThreadError,
        InternalError,
    )
}
"""The class of each code of the core."""

for _class in (Error, *BY_CODE.values()):
    _class.__module__ = "crosshook"  # where users find them


def from_core(code: str, text: str, message: str, path: str | None, pointer: str | None, line: int | None) -> Error:
    """The exception for a failure of the core; called by the native half."""
    error = BY_CODE.get(code, Error)(text, message=message, details={"path": path, "pointer": pointer, "line": line})
    error.code = code
    return error
