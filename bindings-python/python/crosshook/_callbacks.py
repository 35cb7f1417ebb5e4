"""Functions of the host that answer hooks: where they run, and what their answers mean."""

from __future__ import annotations

import contextvars
from _thread import RLock
from contextlib import suppress

from ._errors import InvalidEventError
from ._json import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from collections.abc import Awaitable, Callable
    from typing import Any, TypeGuard

    from . import _native

    Function = Callable[[Any], object]


class Callbacks:
    """The functions of one engine. Nothing that they do harms a dispatch: what they raise, and answers that are none,
    are failures of the hook, and never consent."""

    __slots__ = ("_functions", "_lock", "_pending", "_removed", "agent", "mcp_tool", "model")

    def __init__(self, model: Function | None, agent: Function | None, mcp_tool: Function | None) -> None:
        self.model = model
        self.agent = agent
        self.mcp_tool = mcp_tool
        self._functions: dict[str, Function] = {}
        # Held while a function is registered: a dispatch may ask for it before its id is known here. Reentrant,
        # because a signal handler may register too.
        self._lock = RLock()
        self._pending = 0
        self._removed: list[str] = []

    def add(self, function: Function, register: Callable[[], str]) -> str:
        """Keeps a function under the id that `register` gives."""
        with self._lock:
            identity = register()
            self._functions[identity] = function
        return identity

    def remove(self, identity: str) -> None:
        """Forgets a function, as soon as no dispatch that began with it can ask for it any more."""
        with self._lock:
            self._removed.append(identity)
            self._sweep()

    def enter(self) -> None:
        """A dispatch begins."""
        with self._lock:
            self._pending += 1

    def leave(self) -> None:
        """A dispatch has ended."""
        with self._lock:
            self._pending -= 1
            self._sweep()

    def _sweep(self) -> None:
        if self._pending == 0:
            for identity in self._removed:
                self._functions.pop(identity, None)
            self._removed.clear()

    def _meant(self, request: _native.Request) -> tuple[Function, Any, bool]:
        """The function that is asked, what it is called with, and whether silence is an answer."""
        given = decode(request.json())
        kind = given["kind"]
        if kind == "function":
            with self._lock:
                return self._functions[given["function"]], given["event"], True
        function = {"prompt": self.model, "agent": self.agent, "mcp_tool": self.mcp_tool}.get(kind)
        if function is None:
            raise LookupError(f"the engine was made without a function for hooks of type {kind}")
        return function, given, False

    def answer_here(self, request: _native.Request, before_waiting: Callable[[], None] | None = None) -> None:
        """Answers on this thread, now: for a blocking dispatch, whose caller it is. Calls `before_waiting` when the
        function is asynchronous."""
        try:
            function, argument, silent = self._meant(request)
            answer = function(argument)
            if _is_awaitable(answer):
                if before_waiting is not None:
                    before_waiting()
                answer = _await_here(answer, request)
            text = _as_text(answer, silent)
        except Exception as error:
            request.fail(_describe(error))
        except BaseException:  # Ctrl-C, sys.exit(): for the caller
            request.fail(b"the callback was interrupted")
            raise
        else:
            request.reply(text)

    def answer_aside(self, request: _native.Request) -> None:
        """Answers on this thread, which has no caller to tell anything."""
        with suppress(BaseException):  # the hook has failed, and its outcome says so
            self.answer_here(request)

    def answer_on(self, loop: AbstractEventLoop, tasks: set[Task[None]], request: _native.Request) -> None:
        """Has it answered without keeping `loop`, on whose thread it is called: coroutines by a task, which stands in
        `tasks`; other functions in a thread of their own, so that one that never returns costs nobody a place in the
        loop's executor, and does not hold up the end of the program."""
        try:
            function, argument, silent = self._meant(request)
            if _is_async(function):
                _start(loop, tasks, request, function(argument), silent)
            else:
                _call_aside(loop, tasks, request, function, argument, silent)
        except Exception as error:
            request.fail(_describe(error))


def _start(
    loop: AbstractEventLoop, tasks: set[Task[None]], request: _native.Request, answer: object, silent: bool
) -> None:
    async def work() -> None:
        try:
            text = _as_text(await answer if _is_awaitable(answer) else answer, silent)
        except Exception as error:
            request.fail(_describe(error))
        except BaseException:
            request.fail(b"the callback was cancelled")
            raise
        else:
            request.reply(text)

    task = loop.create_task(work())
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    request.on_cancel(loop, task.cancel)


def _call_aside(
    loop: AbstractEventLoop,
    tasks: set[Task[None]],
    request: _native.Request,
    function: Function,
    argument: object,
    silent: bool,
) -> None:
    from threading import Thread

    context = contextvars.copy_context()

    def work() -> None:
        try:
            answer = context.run(function, argument)
            if _is_awaitable(answer):  # it did not look like a coroutine function
                loop.call_soon_threadsafe(_start, loop, tasks, request, answer, silent, context=context)
                return
            text = _as_text(answer, silent)
        except BaseException as error:  # this thread has no caller to tell
            request.fail(_describe(error))
        else:
            request.reply(text)

    Thread(target=work, name="crosshook-callback", daemon=True).start()


def _await_here(answer: Awaitable[object], request: _native.Request) -> object:
    """Awaits on this thread, by a loop of its own. Not `asyncio.run`, which would take away the loop that the thread
    may have set."""
    import asyncio

    if asyncio._get_running_loop() is not None:
        close = getattr(answer, "close", None)
        if close is not None:
            close()
        raise RuntimeError("a blocking dispatch cannot await this function, a loop runs here; await dispatch_async")

    async def work() -> object:
        return await answer

    loop = asyncio.new_event_loop()
    try:
        task = loop.create_task(work())
        request.on_cancel(loop, task.cancel)
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError:
            raise RuntimeError("the callback was cancelled") from None
    finally:
        try:
            loop.run_until_complete(_clear(loop))
        finally:
            loop.close()


async def _clear(loop: AbstractEventLoop) -> None:
    """Ends what a callback has left in its loop."""
    import asyncio

    left = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await loop.shutdown_asyncgens()


def _is_awaitable(answer: object) -> TypeGuard[Awaitable[object]]:
    return hasattr(type(answer), "__await__")


def _is_async(function: Function) -> bool:
    from inspect import iscoroutinefunction

    return iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _as_text(answer: object, silent: bool) -> bytes:
    """An answer as the engine reads it."""
    if answer is None and silent:
        return b""
    if isinstance(answer, bool) and silent:  # whether they mean anything is for the dialect to say
        return b"true" if answer else b"false"
    if isinstance(answer, str):
        return answer.encode("utf-8", "backslashreplace")
    if isinstance(answer, dict):
        return encode(answer, InvalidEventError, "the answer")
    meant = "None, a dict or JSON text" if silent else "the reply as str, or a dict"
    raise TypeError(f"the callback returned {type(answer).__name__}, not {meant}")


def _describe(error: BaseException) -> bytes:
    """What was raised, and where."""
    text = f"{type(error).__name__}: {error}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None and trace.tb_frame.f_globals.get("__name__") != __name__:
        text += f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
    return text.encode("utf-8", "backslashreplace")


def label(function: Function) -> str:
    """What a function is called in outcomes."""
    name = getattr(function, "__qualname__", None)
    return name if isinstance(name, str) else type(function).__qualname__
