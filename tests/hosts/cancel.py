"""asyncio cancels dispatches: by task, by timeout, by a task group's failure. Their hooks are gone, with all their
children, others go on, and the engine denies as before."""

import asyncio
import tempfile
from pathlib import Path

from host import EVENT, alive, denies, engine, leave_pids, pids, wait_until

objecting = engine("sleep 0.2; exit 2")


async def gone(path):
    assert len(pids(path)) == 2
    await asyncio.to_thread(wait_until, lambda: not any(map(alive, pids(path))))


async def by_task(path):
    task = asyncio.create_task(engine(leave_pids(path)).dispatch_async(EVENT))
    beside = asyncio.create_task(objecting.dispatch_async(EVENT))
    await asyncio.to_thread(wait_until, path.exists)
    task.cancel()
    try:
        await task
        raise AssertionError("it was not cancelled")
    except asyncio.CancelledError:
        pass
    assert denies(await beside), "a neighbour was cancelled too"


async def by_timeout(path):
    try:
        await asyncio.wait_for(engine(leave_pids(path)).dispatch_async(EVENT), 0.5)
        raise AssertionError("it was not cancelled")
    except asyncio.TimeoutError:
        pass


async def by_closed_coroutine(path):
    one = engine(leave_pids(path))
    coroutine = one.dispatch_async(EVENT)
    coroutine.send(None)
    await asyncio.to_thread(wait_until, path.exists)
    coroutine.close()


async def many(path):
    tasks = [asyncio.create_task(engine(leave_pids(path)).dispatch_async(EVENT)) for _ in range(20)]
    await asyncio.to_thread(wait_until, path.exists)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends)


async def main(folder):
    for number, way in enumerate((by_task, by_timeout, by_closed_coroutine, many)):
        path = folder / f"pids-{number}"
        await way(path)
        await gone(path)
        assert denies(await objecting.dispatch_async(EVENT))


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(Path(folder)))
assert denies(objecting.dispatch(EVENT))
