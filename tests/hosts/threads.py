"""Many Python threads and loops on one engine at once: everyone gets the outcome of the own event."""

import asyncio
import threading

from host import EVENT, denies, engine, rounds

one = engine("""sed 's/.*"command": *"\\([^"]*\\)".*/\\1/' >&2; exit 2""")
failures = []


def event(name):
    return {**EVENT, "tool_input": {"command": name}}


def check(outcome, name):
    if not denies(outcome) or outcome["reason"] != name:
        failures.append((name, outcome["decision"], outcome["reason"]))


def block(number):
    for n in range(rounds(20)):
        check(one.dispatch(event(f"thread-{number}-{n}")), f"thread-{number}-{n}")


def loop(number):
    async def main():
        names = [f"loop-{number}-{n}" for n in range(rounds(20))]
        for name, outcome in zip(names, await asyncio.gather(*(one.dispatch_async(event(name)) for name in names))):
            check(outcome, name)

    asyncio.run(main())


threads = [threading.Thread(target=block if n % 2 else loop, args=(n,)) for n in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
