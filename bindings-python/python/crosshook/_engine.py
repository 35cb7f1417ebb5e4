"""The engine: checks types, converts, calls the native half, converts back."""

from __future__ import annotations

import sys
from time import perf_counter

from . import _native
from ._errors import InvalidOptionsError
from ._life import Life, from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from asyncio import AbstractEventLoop, Task
    from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Any, Literal, NoReturn, overload

    from typing_extensions import Self

    from ._callbacks import Callbacks
    from .types import (
        Event,
        Explanation,
        HookInfo,
        Llm,
        Outcome,
        Plugin,
        Record,
        Replay,
        Request,
        Source,
        ToolName,
        ToolRequest,
    )

    Answer = str | dict[str, Any]


class Engine(Life):
    """A set of hooks, ready to run.

    May be used from any number of threads and event loops at once, and in the child of a fork. Usable as a context
    manager, which closes it. Holds no descriptor and no thread until the first dispatch.

    An option that is not given, or `None`, is left to the engine's defaults.

    Args:
        dialect: The agent whose settings and events these are: ``"claude"``, ``"codebuddy"``, ``"qwen"``, ...
        version: The version of that agent to follow, as in ``"2.1.240"``; if not given, the newest that is documented.
        settings: The hooks: one object in the form of that agent's settings file, or a list of sources, each
            ``{"scope": ..., "settings": {...}}`` or ``{"scope": ..., "path": ...}`` (`crosshook.types.Source`).
        project_dir: The project's root; if not given, the event's `cwd`.
        home: The user's home directory.
        trusted: Whether the project's own hooks may run.
        fail_mode: ``"open"`` (a broken hook counts as silent) or ``"closed"`` (it denies or blocks).
        env: The environment that hooks inherit; if not given, that of this process when the engine is made.
        discover: Whether the dialect's own files are looked up; if not given, only without `settings`.
        plugins: Plugins or extensions: folders, or ``{"path": ..., ...}`` (`crosshook.types.Plugin`).
        trust_store: The file in which grants are kept; if not given, they last as long as the engine.
        llm: An endpoint that answers prompt hooks (`crosshook.types.Llm`); `model` is not asked then.
        late_results: Whether you take what background hooks have to say later (CodeBuddy, Claude Code). If False, their
            output goes nowhere, so they outlive a host that exits before them.
        record: The file that each dispatch is recorded in, for `replay` and as an audit trail, or more about it
            (`crosshook.types.Record`). What looks like a secret is left out.
        dialects: Other dialects whose own files are looked up as well, each by its own rules of places, trust and switches.
        tools: Your tools that have another name in the dialect, by your names: ``{"execute": "Bash"}``, or
            ``{"execute": {"name": "Bash", "arguments": {"cmd": "command"}}}`` (`crosshook.types.ToolName`).
        model: Answers prompt hooks: a function or an ``async def``, called with a dict (`crosshook.types.Request`),
            that returns the model's reply as text, or as a dict. Where it runs, and what happens when it fails: as
            with `register_function`. If not given, prompt hooks fail.
        agent: Answers agent hooks in the same way, with the agent's final text.
        mcp_tool: Calls a tool of an MCP server for hooks of that type (Claude Code), in the same way: it is given a dict
            (`crosshook.types.ToolRequest`) and returns the tool's text, or the whole result as a dict.
        log: Whether diagnostics go to the logger ``"crosshook"``; see `crosshook.log_diagnostics`.

    Raises:
        InvalidOptionsError: An option has a wrong type or value.
        InvalidSettingsError: The settings cannot be parsed.
        IoError: A file that `settings` names cannot be read, or the one of `record` not be written.

    A part of the settings that is merely wrong does not fail: see `diagnostics`.
    """

    __slots__ = ("__weakref__", "_dialect", "_runs")

    _runs: set[_native.Run]
    _dialect: str

    def __init__(
        self,
        *,
        dialect: str,
        version: str | None = None,
        settings: Mapping[str, Any] | Sequence[Source] | None = None,
        project_dir: str | PathLike[str] | None = None,
        home: str | PathLike[str] | None = None,
        trusted: bool | None = None,
        fail_mode: Literal["open", "closed"] | None = None,
        env: Mapping[str, str] | None = None,
        discover: bool | None = None,
        plugins: Sequence[str | PathLike[str] | Plugin] | None = None,
        trust_store: str | PathLike[str] | None = None,
        llm: Llm | None = None,
        late_results: bool | None = None,
        record: str | PathLike[str] | Record | None = None,
        dialects: Sequence[str] | None = None,
        tools: Mapping[str, str | ToolName] | None = None,
        model: Callable[[Request], Answer | Awaitable[Answer]] | None = None,
        agent: Callable[[Request], Answer | Awaitable[Answer]] | None = None,
        mcp_tool: Callable[[ToolRequest], Answer | Awaitable[Answer]] | None = None,
        log: bool = False,
    ) -> None:
        from ._json import encode

        given = {
            "dialect": dialect,
            "version": version,
            "settings": settings,
            "project_dir": project_dir,
            "home": home,
            "trusted": trusted,
            "fail_mode": fail_mode,
            "env": env,
            "discover": discover,
            "plugins": plugins,
            "trust_store": trust_store,
            "llm": llm,
            "late_results": late_results,
            "record": record,
            "dialects": dialects,
            "tools": tools,
        }
        for name, function in (("model", model), ("agent", agent), ("mcp_tool", mcp_tool)):
            if function is not None and not callable(function):
                raise TypeError(f"`{name}` is a function, not {type(function).__name__}")
        options = {name: value for name, value in given.items() if value is not None}
        text = encode(options, InvalidOptionsError, "an option")
        self._core = _native.Engine(text.decode(), model is not None, agent is not None, mcp_tool is not None)
        self._runs = set()
        self._watchers = {}
        self._logged = None
        self._callbacks = None
        self._dialect = dialect
        if model is not None or agent is not None or mcp_tool is not None:
            from ._callbacks import Callbacks

            self._callbacks = Callbacks(model, agent, mcp_tool)
        if log:
            from ._watch import log_diagnostics

            log_diagnostics(self)

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
            InvalidEventError: It is no JSON object with an event name, or holds what JSON cannot say (a value that no
                hook is to read is not looked at).
            ClosedError: The engine was closed, or the interpreter is exiting.
            ResourceError: The system refused what the engine needs.
            InternalError: A defect in Crosshook.

        A failing hook raises nothing: it stands in the outcome.
        """
        _warn_in_loop()
        if type(event) is dict and (core := self._core) is not None and not self._watchers:
            idle = core.dispatch_by_fields(event)
            if idle is not None:
                return from_json(idle) if isinstance(idle, str) else idle
        callbacks = self._begin()
        try:
            run = self._engine().start(_to_json(event))
            try:
                self._add(run)
                while not isinstance(text := run.wait(), str):
                    self._asked().answer_here(text, run.go_on)
            except BaseException:
                run.cancel()
                raise
            finally:
                self._runs.discard(run)
        finally:
            if callbacks is not None:
                callbacks.leave()
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
        loop = _loop_here()
        if type(event) is dict and (core := self._core) is not None and not self._watchers and loop is not None:
            idle = core.dispatch_by_fields(event)
            if idle is not None:
                return from_json(idle) if isinstance(idle, str) else idle
        if loop is None:
            from asyncio import get_running_loop

            loop = get_running_loop()  # raises, in the words that users know
        while _is_crowded(loop):
            await _NextTurn()
        from contextvars import copy_context

        ended = loop.create_future()
        tasks: set[Task[None]] = set()
        context = copy_context()

        def wake() -> None:
            while (request := run.request()) is not None:
                # As if the caller had called it: the loop's own context here is that of an engine thread.
                context.run(self._asked().answer_on, loop, tasks, request)
            if run.is_over() and not ended.done():
                ended.set_result(None)

        callbacks = self._begin()
        try:
            run = self._engine().start(_to_json(event))
            try:
                self._add(run)
                if not run.is_over():
                    if run.announce(loop, wake):
                        wake()
                    run.go_on()
                    await ended
                text = run.result()
            except BaseException:  # the task was cancelled, or its coroutine closed
                run.cancel()
                raise
            finally:
                self._runs.discard(run)
        finally:
            if callbacks is not None:
                callbacks.leave()
            for task in tuple(tasks):  # nobody wants their answers any more
                task.cancel()
        outcome: Outcome | str | bytes = _like(event, text)
        return outcome

    def explain(self, event: Event | Mapping[str, Any] | str | bytes) -> builtins.list[Explanation]:
        """Which hooks would run for `event`, which not, and why: one entry for every configured hook. Runs nothing.

        Raises what `dispatch` does.
        """
        found: builtins.list[Explanation] = from_json(self._engine().explain(_to_json(event)))
        return found

    def replay(self, line: str | bytes) -> Replay:
        """Decides a line of a recording (the option `record`) again by the hooks that this engine has now, and says what
        would be decided otherwise. Runs nothing and changes nothing.

        Raises:
            InvalidEventError: It is no line of a recording, or an engine of another dialect recorded it.
        """
        if not isinstance(line, (str, bytes)):
            raise TypeError(f"a recorded line is str or bytes, not {type(line).__name__}")
        found: Replay = from_json(self._engine().replay(_to_json(line)))
        return found

    def list(self) -> builtins.list[HookInfo]:
        """Every configured hook: its event, matcher, timeout, and where it comes from."""
        found: builtins.list[HookInfo] = from_json(self._engine().list())
        return found

    def close(self) -> None:
        """Closes this engine: what it still runs is cancelled, background hooks excepted, later calls raise
        `ClosedError`. May be called again."""
        engine, self._core = self._core, None
        for run in tuple(self._runs):
            run.cancel()
        if engine is not None:
            self._end_life(engine)

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

    def _begin(self) -> Callbacks | None:
        """A dispatch begins. Returns who is to be told its end."""
        for watcher in tuple(self._watchers.values()) if self._watchers else ():
            watcher.revive()
        callbacks = self._callbacks
        if callbacks is not None:
            callbacks.enter()
        return callbacks

    def _asked(self) -> Callbacks:
        """Who answers; there is somebody when the engine asks."""
        assert self._callbacks is not None
        return self._callbacks

    def _add(self, run: _native.Run) -> None:
        self._runs.add(run)
        if self._core is None:  # closed in another thread, which may not have seen this run
            run.cancel()


Engine.__module__ = "crosshook"  # where users find it


def _to_json(event: object) -> bytes:
    # The module `json` costs more than all the rest of the package: it is loaded with the first engine.
    from ._json import encode_event

    return encode_event(event)


def _like(event: object, text: str) -> Any:
    """The outcome in the type of the event."""
    if isinstance(event, bytes):
        return text.encode()
    return text if isinstance(event, str) else from_json(text)


_CROWDED = 0.002
"""Seconds of one turn of an event loop that dispatches may use to begin. What else runs there must not wait for long when
hundreds begin at once, for each writes its event and starts its hooks."""

class _NextTurn:
    """To be awaited: what `asyncio.sleep(0)` does, without loading asyncio."""

    def __await__(self) -> Generator[None, None, None]:
        yield


_turn: tuple[AbstractEventLoop, float] | None = None
"""The loop in which a dispatch began last, and when the first one of this turn did. Loops in other threads may take the
place; each of them sees a new turn then."""


def _is_crowded(loop: AbstractEventLoop) -> bool:
    """Whether a dispatch is to wait for the next turn of the loop."""
    global _turn
    turn = _turn
    if turn is None or turn[0] is not loop:
        _turn = (loop, perf_counter())
        loop.call_soon(_end_turn)
        return False
    return perf_counter() - turn[1] > _CROWDED


def _end_turn() -> None:
    global _turn
    _turn = None


_running_loop: Callable[[], AbstractEventLoop | None] | None = None
"""asyncio's own function, as soon as somebody has loaded asyncio, which costs more than all of this package."""


def _loop_here() -> AbstractEventLoop | None:
    """The event loop that the caller's thread runs."""
    global _running_loop
    if _running_loop is None:
        _running_loop = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
        if _running_loop is None:
            return None
    return _running_loop()


def _warn_in_loop() -> None:
    """Warns when the caller's thread runs an event loop, once for each line that calls."""
    if _loop_here() is not None:
        import warnings

        message = "Engine.dispatch blocks the running event loop until the hooks have ended; await dispatch_async"
        warnings.warn(message, RuntimeWarning, stacklevel=3)
