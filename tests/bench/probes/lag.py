"""How late an event loop becomes while much is under way in it."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Awaitable, Callable

TICK = 0.001
"""Seconds that the watching task sleeps each time."""


def lags(n: int, loop: asyncio.AbstractEventLoop, work: Callable[[], Awaitable[None]], count: int) -> list[float]:
    """The longest lag of the loop in nanoseconds, n times, while `work` is done so often at once."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    figures = [loop.run_until_complete(longest(work, count)) for _ in range(n)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return figures


async def longest(work: Callable[[], Awaitable[None]], count: int) -> float:
    worst = 0.0

    async def watch() -> None:
        nonlocal worst
        while True:
            begun = time.perf_counter_ns()
            await asyncio.sleep(TICK)
            worst = max(worst, time.perf_counter_ns() - begun - TICK * 1e9)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    worst = 0.0
    await asyncio.gather(*(work() for _ in range(count)))
    watching.cancel()
    return worst
