"""The interpreter ends in the middle of Python callbacks (functions, coroutines, listeners): exit status 0, nothing on
standard error. Run with every CPython that is there: a native thread that Python kills aborts the process."""

from host import run_python

START = """
import asyncio, threading
threading.excepthook = lambda _: None  # what a daemon thread is killed with is its own affair
begun = []
one = crosshook.Engine(dialect="qwen", settings={})
def sleeps(event):
    begun.append(1)
    time.sleep(60)
async def waits(event):
    begun.append(1)
    await asyncio.sleep(60)
def computes(event):
    begun.append(1)
    while True:
        sum(range(1000))
async def gather():
    await asyncio.gather(*(one.dispatch_async(EVENT) for _ in range(5)))
def thread(target, *arguments):
    threading.Thread(target=target, args=arguments, daemon=True).start()
"""
FINISH = """
wait_until(lambda: begun)
time.sleep(0.05)
"""
ENDS = {
    "a function sleeps in a daemon thread": """
one.register_function(sleeps, "PreToolUse", timeout=60)
thread(one.dispatch, EVENT)
""",
    "functions sleep beside a loop": """
one.register_function(sleeps, "PreToolUse", timeout=60)
thread(asyncio.run, gather())
""",
    "functions compute": """
one.register_function(computes, "PreToolUse", timeout=60)
thread(one.dispatch, EVENT)
thread(asyncio.run, gather())
""",
    "coroutines wait": """
one.register_function(waits, "PreToolUse", timeout=60)
thread(one.dispatch, EVENT)
thread(asyncio.run, gather())
""",
    "the program exits inside its loop": """
one.register_function(waits, "PreToolUse", timeout=60)
async def main():
    task = asyncio.create_task(one.dispatch_async(EVENT))
    while not begun:
        await asyncio.sleep(0.005)
    sys.exit(0)
asyncio.run(main())
""",
    "a function dispatches again": """
def nested(event):
    begun.append(1)
    while True:
        one.dispatch({**EVENT, "hook_event_name": "Stop"})
one.register_function(nested, "PreToolUse", timeout=60)
one.register_function(lambda event: None, "Stop")
thread(one.dispatch, EVENT)
thread(asyncio.run, gather())
""",
    "a listener sleeps": """
one.watch(sleeps)
one.register_function(lambda event: None, "PreToolUse")
one.dispatch(EVENT)
""",
    "callbacks come and go": """
async def quick(event):
    begun.append(1)
    await asyncio.sleep(0)
one.register_function(quick, "PreToolUse")
one.register_function(lambda event: None, "PreToolUse")
one.watch(lambda notice: None)
async def main():
    while True:
        await gather()
def block():
    while True:
        one.dispatch(EVENT)
for _ in range(3):
    thread(asyncio.run, main())
    thread(block)
time.sleep(0.3)
""",
}

for end in ENDS.values():
    run_python(START + end + FINISH)
