"""What a host in Python does without the engine: asyncio's own subprocesses, and aiohttp where it is installed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from lag import lags
from lines import serve

now = time.perf_counter_ns
loop = asyncio.new_event_loop()
PIPE = asyncio.subprocess.PIPE


async def one(event: bytes, argv: tuple[str, ...]) -> None:
    process = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    out, _ = await asyncio.wait_for(process.communicate(event), 60)
    if process.returncode != 0 or not out:
        raise RuntimeError(f"{argv} ended with {process.returncode}")


def spawn(n: int, count: str, path: str, *argv: str) -> list[float]:
    event = Path(path).read_bytes()

    async def all_at_once() -> None:
        await asyncio.gather(*(one(event, argv) for _ in range(int(count))))

    figures = []
    for _ in range(n):
        begun = now()
        loop.run_until_complete(all_at_once())
        figures.append(float(now() - begun))
    return figures


def lag(n: int, path: str, count: str, *argv: str) -> list[float]:
    event = Path(path).read_bytes()
    return lags(n, loop, lambda: one(event, argv), int(count))


session: Any = None


def http(n: int, port: str, path: str) -> list[float]:
    import aiohttp

    body = Path(path).read_bytes()

    async def post() -> None:
        global session
        session = session or aiohttp.ClientSession()
        async with session.post(f"http://127.0.0.1:{port}/hook", data=body) as answer:
            if (await answer.json())["systemMessage"] != "ok":
                raise RuntimeError("a wrong answer")

    figures = []
    for _ in range(n):
        begun = now()
        loop.run_until_complete(post())
        figures.append(float(now() - begun))
    return figures


if __name__ == "__main__":
    asyncio.set_event_loop(loop)
    serve({case.__name__: case for case in (spawn, http, lag)})
    if session is not None:
        loop.run_until_complete(session.close())
