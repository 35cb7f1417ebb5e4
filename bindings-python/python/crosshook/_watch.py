"""Listeners: each has a thread of its own, so that it may block, and never runs on a thread of the engine."""

from __future__ import annotations

import atexit
import os
import time
from threading import Thread, current_thread

from . import _native
from ._errors import ClosedError
from ._json import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._life import Life
    from .types import Diagnostic

PATIENCE = 1.0
"""So many seconds the end of the interpreter waits for listeners that are not through with what they were told."""

_living: set[Watcher] = set()


class Watcher:
    """One listener and its thread. Does not keep the engine alive."""

    def __init__(self, notices: _native.Notices, listener: Callable[[Any], object]) -> None:
        self._notices = notices
        self._listener = listener
        self._silent = False
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._thread = Thread(target=self._work, name="crosshook-watch", daemon=True)
        _living.add(self)
        try:
            self._thread.start()
        except BaseException:
            _living.discard(self)
            raise

    def revive(self) -> None:
        """In the child of a fork the thread is missing; what it was to tell is the parent's business."""
        if self._owner != os.getpid():
            self._notices.clear()
            self._begin()

    def _work(self) -> None:
        try:
            while (text := self._notices.next()) is not None:
                if self._silent:
                    continue
                try:
                    self._listener(decode(text))
                except BaseException as error:
                    _native._unraisable(error, self._listener)
        except ClosedError:  # the interpreter is exiting
            pass
        finally:
            _living.discard(self)

    def stop(self) -> None:
        """Tells no more; a call under way may still finish."""
        self._silent = True
        self._notices.close()

    def finish(self, end: float) -> None:
        """Waits until all is told, until `end`."""
        self._notices.close()
        if self._owner == os.getpid() and self._thread is not current_thread():
            self._thread.join(max(0.0, end - time.monotonic()))


@atexit.register  # runs before the native half closes its gate, which was registered earlier
def _at_exit() -> None:
    end = time.monotonic() + PATIENCE
    for watcher in tuple(_living):
        watcher.finish(end)


def log(found: list[Diagnostic]) -> None:
    """Hands diagnostics to the logger "crosshook"."""
    import logging

    logger = logging.getLogger("crosshook")
    for diagnostic in found:
        level = logging.ERROR if diagnostic["level"] == "error" else logging.WARNING
        extra = {"crosshook_code": diagnostic["code"], "crosshook_origin": diagnostic["origin"]}
        logger.log(level, "%s", diagnostic["message"], extra=extra)


def log_diagnostics(engine: Life) -> int:
    """Hands the diagnostics of `engine` to the logger ``"crosshook"`` of `logging`, as warnings and errors: at once
    those of loading the settings, and from now on those of its dispatches, reloads and registrations.

    Records have the attributes `crosshook_code` and `crosshook_origin`. Those of dispatches are logged in a thread, a
    moment after they came up. The same as ``Engine(..., log=True)``.

    Returns a number for `Engine.unwatch`, which ends it.
    """

    def listen(notice: Any) -> None:
        if notice["type"] == "diagnostic":
            log([notice["diagnostic"]])

    log(engine.diagnostics())
    number = engine.watch(listen)
    engine._logged = number
    return number
