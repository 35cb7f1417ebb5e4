"""A Python host that ignores SIGCHLD, as daemons do: exit code 2 denies all the same, in both ways to dispatch."""

import asyncio
import signal

from host import EVENT, denies, engine, rounds

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
objecting = engine("exit 2")
failing = engine("exit 3")
for _ in range(rounds(100)):
    assert denies(objecting.dispatch(EVENT))


async def main():
    for _ in range(rounds(50)):
        assert denies(await objecting.dispatch_async(EVENT))
    outcomes = await asyncio.gather(*(objecting.dispatch_async(EVENT) for _ in range(50)))
    assert all(map(denies, outcomes))
    report = (await failing.dispatch_async(EVENT))["hooks"][0]
    assert (report["status"], report["exit_code"]) == ("error", 3)


asyncio.run(main())
assert signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
