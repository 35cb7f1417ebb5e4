"""asyncio and uvloop with children of their own beside ours: no exit status goes astray, on either side, and the loop
goes on meanwhile. Also where asyncio was told to wait for every child there is (before 3.12)."""

import asyncio
import logging
import sys
import warnings

from host import EVENT, denies, engine

warnings.simplefilter("ignore", DeprecationWarning)  # choosing a watcher is deprecated
logging.disable(logging.WARNING)  # FastChildWatcher warns of every child that is not asyncio's
objecting = engine("sleep 0.0$(($$ % 10)); exit 2")


async def own(code):
    child = await asyncio.create_subprocess_exec("sh", "-c", f"sleep 0.0{code % 10}; exit {code}")
    return await child.wait()


async def side_by_side(lost=0):
    """Of ours, at most `lost` may be an error that says so."""
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.005)

    ticking = asyncio.create_task(tick())
    theirs = asyncio.gather(*(own(code) for code in range(1, 51)))
    outcomes = await asyncio.gather(*(objecting.dispatch_async(EVENT) for _ in range(50)))
    assert await theirs == list(range(1, 51))
    ticking.cancel()
    assert ticks > 10, "the loop stood still"
    others = [outcome for outcome in outcomes if not denies(outcome)]
    assert len(others) <= lost, others
    assert all(outcome["diagnostics"][0]["code"] == "exit_status_lost" for outcome in others), others
    assert {outcome["hooks"][0]["exit_code"] for outcome in outcomes if denies(outcome)} == {2}


async def watched(watcher, lost=0):
    watcher.attach_loop(asyncio.get_running_loop())
    asyncio.set_child_watcher(watcher)
    await side_by_side(lost)
    await side_by_side()


asyncio.run(side_by_side())
try:
    import uvloop
except ImportError:
    print("uvloop is not installed")
else:
    uvloop.install()
    asyncio.run(side_by_side())
    asyncio.set_event_loop_policy(None)
if sys.version_info < (3, 12):
    # It waits for all children there are. What it takes from us is recovered, but for those that were under way when it
    # began, where the kernel cannot tell (Linux before 6.15).
    asyncio.run(watched(asyncio.FastChildWatcher(), lost=50))
