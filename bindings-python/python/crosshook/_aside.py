"""Blocking calls for asyncio: in a daemon thread, so that they hold up neither the loop nor the end of the program."""

from __future__ import annotations

from asyncio import get_running_loop
from contextlib import suppress
from threading import Thread
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SLICE = 0.25
"""So many seconds a call that is renewed still occupies its thread after it was cancelled."""


async def call(block: Callable[[float | None], bool], timeout: float | None, renew: bool = False) -> bool:
    """Awaits ``block(timeout)``; with `renew` in slices, until it says yes."""
    loop = get_running_loop()
    answer = loop.create_future()

    def settle(yes: bool, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(yes)

    def renewed() -> bool:
        end = None if timeout is None else monotonic() + timeout
        while not answer.done():
            rest = SLICE if end is None else end - monotonic()
            if block(max(0.0, min(SLICE, rest))):
                return True
            if rest <= 0:
                break
        return False

    def work() -> None:
        yes, error = False, None
        try:
            yes = renewed() if renew else block(timeout)
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop was closed: nobody waits
            loop.call_soon_threadsafe(settle, yes, error)

    Thread(target=work, name="crosshook-wait", daemon=True).start()
    return bool(await answer)
