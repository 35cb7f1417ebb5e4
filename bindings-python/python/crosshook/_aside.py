"""Blocking calls for asyncio: in a daemon thread, so that they hold up neither the loop nor the end of the program."""

from __future__ import annotations

from asyncio import get_running_loop
from threading import Thread
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SLICE = 0.25
"""So many seconds a cancelled wait still occupies its thread."""


async def wait(block: Callable[[float], bool], timeout: float | None) -> bool:
    """Waits for ``block(seconds)`` to say yes, at most `timeout` seconds."""
    loop = get_running_loop()
    answer = loop.create_future()
    end = None if timeout is None else monotonic() + timeout

    def settle(yes: bool | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(yes)

    def work() -> None:
        yes, error = False, None
        try:
            while not (yes or answer.done()):
                rest = SLICE if end is None else end - monotonic()
                yes = block(max(0.0, min(SLICE, rest)))
                if rest <= 0:
                    break
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(settle, yes, error)
        except RuntimeError:  # the loop was closed: nobody waits
            pass

    Thread(target=work, name="crosshook-wait", daemon=True).start()
    return bool(await answer)
