"""A Python host that uses the engine and then forks: prefork workers and multiprocessing, sync and async, also from
within a running loop and while other threads dispatch. Every child works; the parent goes on."""

import asyncio
import multiprocessing
import sys
import threading
import warnings

from host import EVENT, denies, engine, forked

warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of any fork beside threads

objecting = engine("cat >/dev/null; exit 2")


def works():
    async def main():
        return all(map(denies, await asyncio.gather(*(objecting.dispatch_async(EVENT) for _ in range(3)))))

    return denies(objecting.dispatch(EVENT)) and asyncio.run(main()) and denies(objecting.dispatch(EVENT))


def exits_well():
    sys.exit(0 if works() else 1)


def multiprocess():
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=exits_well) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    return [process.exitcode for process in processes]


if __name__ == "__main__":
    assert forked(works) == 0, "before the first use"
    assert works()
    for _ in range(8):
        assert forked(works) == 0
    assert forked(lambda: works() and forked(works) == 0 and works()) == 0, "twice over"
    assert multiprocess() == [0] * 4

    # While others dispatch.
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            assert denies(objecting.dispatch(EVENT))

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert [forked(works) for _ in range(4)] == [0] * 4
    assert multiprocess() == [0] * 4
    stop.set()
    for thread in threads:
        thread.join()

    # In the middle of a dispatch of a running loop, which the child does not have.
    async def inside():
        slow = asyncio.create_task(engine("sleep 0.3; exit 2").dispatch_async(EVENT))
        await asyncio.sleep(0.1)
        status = await asyncio.to_thread(forked, works)
        return status == 0 and denies(await slow)

    assert asyncio.run(inside())
    assert works()
