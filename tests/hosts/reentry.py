"""Callbacks that dispatch on the engine that asked them, blocking and awaiting, nested and from many threads at once."""

import asyncio
import threading

import crosshook
from host import EVENT, denies, rounds

PROMPT = {**EVENT, "hook_event_name": "UserPromptSubmit", "prompt": "hello"}
hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}
one = crosshook.Engine(dialect="qwen", settings={"hooks": hooks})
asked = []


def deny(reason):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                   "permissionDecisionReason": reason}}


@one.hook("PreToolUse", timeout=60)
def dispatches(event):
    asked.append(1)
    one.list()
    return deny(one.dispatch(PROMPT)["decision"])


async def awaits(event):
    asked.append(1)
    return deny((await one.dispatch_async(PROMPT))["decision"])


def check(outcome):
    assert denies(outcome), outcome
    assert {hook["reason"] for hook in outcome["hooks"]} == {"block"}, outcome


async def main():
    for outcome in await asyncio.gather(*(one.dispatch_async(EVENT) for _ in range(20))):
        check(outcome)


for _ in range(rounds(20)):
    check(one.dispatch(EVENT))
asyncio.run(main())
one.register_function(awaits, "PreToolUse", timeout=60)
check(one.dispatch(EVENT))
asyncio.run(main())
right = []
threads = [threading.Thread(target=lambda: right.append(check(one.dispatch(EVENT)))) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(right) == 16
assert len(asked) == rounds(20) + 20 + 2 + 40 + 32, len(asked)
