"""A message of the agent on its way to the hooks."""

from __future__ import annotations

import contextvars
from _thread import start_new_thread
from weakref import ref

from ._errors import InvalidEventError
from ._json import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ._life import Life


class MessageDisplay:
    """A message that grows; made by `Engine.message_display`.

    Each delivery to the hooks carries the whole text so far. Of an unfinished message at most one delivery is under
    way, not more often than every 200 ms; the finished text is delivered at once and never lost. Dropping it unfinished
    delivers nothing more. May be used in any thread. Functions among the hooks run in daemon threads of their own.
    """

    __slots__ = ("__weakref__", "_context", "_core", "_engine")

    def __init__(self, engine: Life, event: Mapping[str, Any]) -> None:
        named = {**event, "hook_event_name": "MessageDisplay"}
        text = encode(named, InvalidEventError, "the event").decode()
        self._engine = engine
        self._context = contextvars.copy_context()
        # Not this object itself: the native half would keep it alive.
        self._core = engine._engine().message_display(text, _Aside, _Questions(self))

    def push(self, text: str) -> None:
        """Appends text that was shown. Does not wait."""
        self._core.push(text.encode("utf-8", "replace"))

    def finish(self, timeout: float | None = 5.0) -> bool:
        """Delivers the finished text and waits for the hooks, at most `timeout` seconds; they go on after that. Returns
        whether they are done. A message without text delivers nothing."""
        return self._core.finish(timeout)

    async def finish_async(self, timeout: float | None = 5.0) -> bool:
        """`finish` for asyncio. Cancelling it ends the wait, not the delivery."""
        from ._aside import call

        return await call(self._core.finish, timeout)

    def abort(self) -> None:
        """Ends the message without delivering it any more: the agent's turn was cancelled."""
        self._core.abort()

    def _answer(self) -> None:
        callbacks = self._engine._callbacks
        while callbacks is not None and (request := self._core.request()) is not None:
            self._context.copy().run(callbacks.answer_aside, request)


MessageDisplay.__module__ = "crosshook"


class _Aside:
    """Has calls made in threads of their own, where others have a loop. Its methods are called on engine threads, and
    so must be short."""

    @staticmethod
    def is_closed() -> bool:
        return False

    @staticmethod
    def call_soon_threadsafe(call: Callable[[], None]) -> None:
        start_new_thread(call, ())


class _Questions:
    __slots__ = ("_display",)

    def __init__(self, display: MessageDisplay) -> None:
        self._display = ref(display)

    def __call__(self) -> None:
        display = self._display()
        if display is not None:
            display._answer()
