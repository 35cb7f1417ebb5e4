"""The engine from Python. Figures are nanoseconds unless a case says otherwise."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crossing_python
from lag import lags
from lines import serve

import crosshook

now = time.perf_counter_ns
loop = asyncio.new_event_loop()
BATCH_NS = 1.5e6


@functools.cache
def engine(options: str) -> crosshook.Engine:
    return crosshook.Engine(**json.loads(Path(options).read_text()))


@functools.cache
def event(path: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(Path(path).read_text())
    return read


def expect(outcome: dict[str, Any], status: str) -> None:
    """A benchmark of hooks that failed would measure nothing."""
    if not outcome["hooks"] or any(hook["status"] != status for hook in outcome["hooks"]):
        raise RuntimeError(f"not every hook ended with {status}: {outcome}")


def batches(n: int, work: Callable[[], object]) -> list[float]:
    """The mean time of `work`, in n batches of about 1.5 ms."""
    work()
    begun = now()
    for _ in range(10):
        work()
    size = max(1, min(20_000, int(BATCH_NS * 10 / max(1, now() - begun))))
    figures = []
    for _ in range(n):
        begun = now()
        for _ in range(size):
            work()
        figures.append((now() - begun) / size)
    return figures


def awaited(n: int, work: Callable[[], Any]) -> list[float]:
    """As `batches`, for what is awaited inside a running loop."""

    async def run(size: int) -> float:
        begun = now()
        for _ in range(size):
            await work()
        return (now() - begun) / size

    size = max(1, min(5_000, int(BATCH_NS / max(1.0, loop.run_until_complete(run(20))))))
    return [loop.run_until_complete(run(size)) for _ in range(n)]


def dispatch(n: int, options: str, path: str) -> list[float]:
    """Hooks that run, awaited."""
    figures = []
    for _ in range(n):
        begun = now()
        outcome = loop.run_until_complete(engine(options).dispatch_async(event(path)))
        figures.append(float(now() - begun))
        expect(outcome, "ok")
    return figures


def quiet(n: int, options: str, path: str) -> list[float]:
    """A dict for which nothing is selected."""
    one, given = engine(options), event(path)
    if one.dispatch(given)["hooks"]:
        raise RuntimeError("something matched")
    return batches(n, lambda: one.dispatch(given))


def quiet_await(n: int, options: str, path: str) -> list[float]:
    one, given = engine(options), event(path)
    return awaited(n, lambda: one.dispatch_async(given))


def coroutine(n: int) -> list[float]:
    """A coroutine of Python's own that does nothing."""

    async def nothing() -> None: ...

    return awaited(n, nothing)


def no_op(n: int) -> list[float]:
    """Through a lambda, as what it is compared with."""
    return batches(n, lambda: crossing_python.nothing())


def observe(event: dict[str, Any]) -> None:
    """The function that stands for a host's own hook: no opinion."""


def function(n: int, options: str, path: str) -> list[float]:
    """A function of the host as a hook."""
    one, given = function_engine(options), event(path)
    expect(one.dispatch(given), "ok")
    return batches(n, lambda: one.dispatch(given))


@functools.cache
def function_engine(options: str) -> crosshook.Engine:
    one = crosshook.Engine(**json.loads(Path(options).read_text()))
    one.hook("PreToolUse", matcher="Write")(observe)
    return one


def function_bare(n: int, path: str) -> list[float]:
    """The same function called from Rust with nothing around it."""
    given = event(path)
    return batches(n, lambda: crossing_python.call(observe, given))


def blank(n: int, options: str, path: str) -> list[float]:
    """What a caller gets when nothing is selected, made by Python itself: a dict of the caller's own."""
    given = engine(options).dispatch(event(path))
    fresh = {key: type(value) for key, value in given.items() if isinstance(value, (list, dict))}

    def make() -> dict[str, Any]:
        outcome: dict[str, Any] = given.copy()
        for key, kind in fresh.items():
            outcome[key] = kind()
        return outcome

    if make() != given:
        raise RuntimeError("something was selected")
    return batches(n, make)


def lag(n: int, options: str, path: str, count: str) -> list[float]:
    """The longest time for which the loop was late while so many dispatches were under way at once."""

    async def one() -> None:
        expect(await engine(options).dispatch_async(event(path)), "ok")

    return lags(n, loop, one, int(count))


def make(n: int, options: str) -> list[float]:
    """An engine from its options."""
    given = json.loads(Path(options).read_text())
    figures = []
    for _ in range(n):
        begun = now()
        one = crosshook.Engine(**given)
        figures.append(float(now() - begun))
        one.close()
    return figures


def memory(_: int, options: str, path: str) -> list[float]:
    """Peak resident memory of one dispatch above that before the event was read, in multiples of the event."""
    one = engine(options)
    small = {"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Write", "tool_input": {}}
    expect(one.dispatch(small), "ok")
    Path("/proc/self/clear_refs").write_text("5")
    before = kilobytes("VmRSS:")
    given = Path(path).read_bytes()
    outcome = json.loads(one.dispatch(given))
    most = kilobytes("VmHWM:")
    expect(outcome, "ok")
    return [(most - before) * 1024 / len(given)]


def kilobytes(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


if __name__ == "__main__":
    asyncio.set_event_loop(loop)
    cases = (dispatch, quiet, quiet_await, coroutine, no_op, blank, function, function_bare, lag, make, memory)
    serve({case.__name__: case for case in cases})
    sys.exit(0)
