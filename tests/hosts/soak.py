"""CROSSHOOK_SOAK dispatches (default 2,000) in both ways, and engines made and dropped: no memory, descriptor, thread or
child is left behind. Half of the dispatches run a hook, half match none."""

import asyncio
import ctypes
import gc
import os
import time

import crosshook
from host import EVENT, OTHER, denies, engine, wait_until


def dispatches(one, times):
    for _ in range(times // 4):
        assert denies(one.dispatch(EVENT))
        assert not denies(one.dispatch(OTHER))

    async def main():
        for _ in range(times // 40):
            outcomes = await asyncio.gather(*(one.dispatch_async(EVENT) for _ in range(10)))
            others = await asyncio.gather(*(one.dispatch_async(OTHER) for _ in range(10)))
            assert all(map(denies, outcomes)) and not any(map(denies, others))

    asyncio.run(main())


def engines(times):
    for n in range(times):
        one = engine("exit 2")
        one.register_function(lambda event: None, "PreToolUse")
        assert n % 10 or denies(one.dispatch(EVENT))
        if n % 2:
            one.close()


def resident():
    """In KiB, after everything that is free was given back."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        pass  # not glibc
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def count(what):
    return len(os.listdir(f"/proc/self/{what}"))


times = int(os.environ.get("CROSSHOOK_SOAK", 2000))
with engine("exit 2") as one:
    dispatches(one, 400)
    engines(100)
    before, descriptors, threads = resident(), count("fd"), count("task")
    began = time.monotonic()
    dispatches(one, times)
    took = time.monotonic() - began
    engines(min(times // 2, 1000))
    grown = resident() - before
    print(f"{times} dispatches in {took:.1f} s, {grown} KiB more resident than before")
    assert grown < 1024
    wait_until(lambda: count("fd") <= descriptors and count("task") <= threads)
    try:
        raise AssertionError(f"a child is left: {os.waitpid(-1, os.WNOHANG)}")
    except ChildProcessError:
        pass
crosshook.shutdown() if hasattr(crosshook, "shutdown") else None
