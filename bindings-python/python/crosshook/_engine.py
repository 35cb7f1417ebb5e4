"""The engine: checks types, converts, calls the native half, converts back."""

from __future__ import annotations

import sys

from . import _native
from ._errors import ClosedError, InvalidOptionsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Any, Literal, NoReturn, overload

    from typing_extensions import Self

    from .types import Diagnostic, Event, Explanation, HookInfo, Outcome, Source


class Engine:
    """A set of hooks, ready to run.

    May be used from any number of threads and event loops at once, and in the child of a fork. Usable as a context
    manager, which closes it. Holds no descriptor and no thread until the first dispatch.

    An option that is not given, or `None`, is left to the engine's defaults.

    Args:
        dialect: The agent whose settings and events these are: ``"codebuddy"``, ``"zcode"``, ``"qwen"``, ...
        settings: The hooks: one object in the form of that agent's settings file, or a list of sources, each
            ``{"scope": ..., "settings": {...}}`` or ``{"scope": ..., "path": ...}`` (`crosshook.types.Source`).
        project_dir: The project's root; if not given, the event's `cwd`.
        home: The user's home directory.
        trusted: Whether the project's own hooks may run.
        fail_mode: ``"open"`` (a broken hook counts as silent) or ``"closed"`` (it denies or blocks).
        env: The environment that hooks inherit; if not given, that of this process when the engine is made.

    Raises:
        InvalidOptionsError: An option has a wrong type or value.
        InvalidSettingsError: The settings cannot be parsed.
        IoError: A file that `settings` names cannot be read.

    A part of the settings that is merely wrong does not fail: see `diagnostics`.
    """

    __slots__ = ("__weakref__", "_core", "_dialect", "_runs")

    _core: _native.Engine | None
    _runs: set[_native.Run]
    _dialect: str

    def __init__(
        self,
        *,
        dialect: str,
        settings: Mapping[str, Any] | Sequence[Source] | None = None,
        project_dir: str | PathLike[str] | None = None,
        home: str | PathLike[str] | None = None,
        trusted: bool | None = None,
        fail_mode: Literal["open", "closed"] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        from ._json import encode

        given = {
            "dialect": dialect,
            "settings": settings,
            "project_dir": project_dir,
            "home": home,
            "trusted": trusted,
            "fail_mode": fail_mode,
            "env": env,
        }
        options = {name: value for name, value in given.items() if value is not None}
        text = encode(options, InvalidOptionsError, "an option")
        self._core = _native.Engine(text.decode())
        self._runs = set()
        self._dialect = dialect

    if TYPE_CHECKING:

        @overload
        def dispatch(self, event: Event | Mapping[str, Any]) -> Outcome: ...
        @overload
        def dispatch(self, event: str) -> str: ...
        @overload
        def dispatch(self, event: bytes) -> bytes: ...

    def dispatch(self, event: Mapping[str, Any] | str | bytes) -> Outcome | str | bytes:
        """Runs the hooks that match `event`, waits for them and returns the outcome.

        Blocks the calling thread, and only it; other Python threads go on. In a coroutine it would block the whole
        event loop: it warns there (`RuntimeWarning`), use `dispatch_async`. Ctrl-C ends the hooks.

        Args:
            event: A dict (see `crosshook.types.Event`) for a dict (`crosshook.types.Outcome`); or JSON text, as
                `str` or `bytes`, for JSON text of the same type. A lone surrogate in a string reaches the hooks as a
                JSON escape.

        Raises:
            InvalidEventError: It is no JSON object with an event name, or holds what JSON cannot say.
            ClosedError: The engine was closed, or the interpreter is exiting.
            ResourceError: The system refused what the engine needs.
            InternalError: A defect in Crosshook.

        A failing hook raises nothing: it stands in the outcome.
        """
        _warn_in_loop()
        run = self._engine().start(_to_json(event))
        try:
            self._add(run)
            text = run.wait()
        except BaseException:
            run.cancel()
            raise
        finally:
            self._runs.discard(run)
        outcome: Outcome | str | bytes = _like(event, text)
        return outcome

    if TYPE_CHECKING:

        @overload
        async def dispatch_async(self, event: Event | Mapping[str, Any]) -> Outcome: ...
        @overload
        async def dispatch_async(self, event: str) -> str: ...
        @overload
        async def dispatch_async(self, event: bytes) -> bytes: ...

    async def dispatch_async(self, event: Mapping[str, Any] | str | bytes) -> Outcome | str | bytes:
        """`dispatch` for asyncio (and uvloop): the event loop goes on while the hooks run.

        Cancelling the task kills the hooks, with all processes they have started. Takes, returns and raises what
        `dispatch` does; outside of an event loop, `RuntimeError`.
        """
        from asyncio import get_running_loop

        loop = get_running_loop()
        ended = loop.create_future()

        def wake() -> None:
            if not ended.done():
                ended.set_result(None)

        run = self._engine().start(_to_json(event), loop, wake)
        try:
            self._add(run)
            await ended
            text = run.result()
        except BaseException:  # the task was cancelled, or its coroutine closed
            run.cancel()
            raise
        finally:
            self._runs.discard(run)
        outcome: Outcome | str | bytes = _like(event, text)
        return outcome

    def explain(self, event: Event | Mapping[str, Any] | str | bytes) -> builtins.list[Explanation]:
        """Which hooks would run for `event`, which not, and why: one entry for every configured hook. Runs nothing.

        Raises what `dispatch` does.
        """
        found: builtins.list[Explanation] = _from_json(self._engine().explain(_to_json(event)))
        return found

    def diagnostics(self) -> builtins.list[Diagnostic]:
        """What was noticed while the settings were loaded: everything ignored, skipped or not understood."""
        found: builtins.list[Diagnostic] = _from_json(self._engine().diagnostics())
        return found

    def list(self) -> builtins.list[HookInfo]:
        """Every configured hook: its event, matcher, timeout, and where it comes from."""
        found: builtins.list[HookInfo] = _from_json(self._engine().list())
        return found

    def close(self) -> None:
        """Closes this engine: what it still runs is cancelled, later calls raise `ClosedError`. May be called again."""
        self._core = None
        for run in tuple(self._runs):
            run.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._core else " (closed)"
        return f"<crosshook.Engine dialect={self._dialect!r}{state}>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a crosshook.Engine cannot be pickled; make one from the same options in each process")

    def _engine(self) -> _native.Engine:
        if self._core is None:
            raise ClosedError("this engine was closed; make a new one")
        return self._core

    def _add(self, run: _native.Run) -> None:
        self._runs.add(run)
        if self._core is None:  # closed in another thread, which may not have seen this run
            run.cancel()


Engine.__module__ = "crosshook"  # where users find it


def _to_json(event: object) -> bytes:
    # The module `json` costs more than all the rest of the package: it is loaded with the first engine.
    from ._json import encode_event

    return encode_event(event)


def _from_json(text: str) -> Any:
    from ._json import decode

    return decode(text)


def _like(event: object, text: str) -> Any:
    """The outcome in the type of the event."""
    if isinstance(event, bytes):
        return text.encode()
    return text if isinstance(event, str) else _from_json(text)


def _warn_in_loop() -> None:
    """Warns when the caller's thread runs an event loop, once for each line that calls. Does not load asyncio."""
    asyncio = sys.modules.get("asyncio")
    running = getattr(asyncio, "_get_running_loop", None)
    if running is not None and running() is not None:
        import warnings

        message = "Engine.dispatch blocks the running event loop until the hooks have ended; await dispatch_async"
        warnings.warn(message, RuntimeWarning, stacklevel=3)
