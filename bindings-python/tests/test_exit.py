"""The end of the interpreter while something is under way: clean, whatever it is."""

from __future__ import annotations

import time

import pytest
from conftest import run_script, wait_until_dead

EXITS = {
    "a daemon thread dispatches": """
threading.Thread(target=engine.dispatch, args=(EVENT,), daemon=True).start()
wait_until(noted.exists)
""",
    "many daemon threads dispatch": """
for _ in range(20):
    threading.Thread(target=engine.dispatch, args=(EVENT,), daemon=True).start()
wait_until(noted.exists)
""",
    "a loop in a daemon thread dispatches": """
async def main():
    await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(20)))
threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
wait_until(noted.exists)
""",
    "the program exits inside a loop": """
async def main():
    task = asyncio.create_task(engine.dispatch_async(EVENT))
    await asyncio.to_thread(wait_until, noted.exists)
    sys.exit(0)
asyncio.run(main())
""",
    "only the native run is left": """
run = engine._core.start(json.dumps(EVENT).encode())
wait_until(noted.exists)
""",
}


@pytest.mark.parametrize("way", EXITS)
def test_exit_in_the_middle_of_a_hook(way, tmp_path):
    noted = tmp_path / "pids"
    script = """
import asyncio, json, threading, crosshook
noted = Path(sys.argv[1])
engine = crosshook.Engine(dialect="qwen", settings=settings(leave_pids(noted)))
"""
    start = time.monotonic()
    # What a killed daemon thread raises is its own affair, but it must not be printed by us.
    result = run_script(script + "threading.excepthook = lambda _: None\n" + EXITS[way], noted)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert time.monotonic() - start < 20
    wait_until_dead(noted)


CALLBACK_EXITS = {
    "a function sleeps, its dispatch is in a daemon thread": """
engine.register_function(sleeping, "PreToolUse", timeout=60)
threading.Thread(target=engine.dispatch, args=(EVENT,), daemon=True).start()
""",
    "a function sleeps beside a loop, the program exits inside the loop": """
engine.register_function(sleeping, "PreToolUse", timeout=60)
async def main():
    task = asyncio.create_task(engine.dispatch_async(EVENT))
    await asyncio.to_thread(wait_until, lambda: begun)
    sys.exit(0)
asyncio.run(main())
""",
    "many functions sleep beside a loop in a daemon thread": """
for _ in range(5):
    engine.register_function(sleeping, "PreToolUse", timeout=60)
async def main():
    await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(5)))
threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
""",
    "a coroutine waits, the program exits inside the loop": """
engine.register_function(waiting, "PreToolUse", timeout=60)
async def main():
    task = asyncio.create_task(engine.dispatch_async(EVENT))
    while not begun:
        await asyncio.sleep(0.005)
    sys.exit(0)
asyncio.run(main())
""",
    "a coroutine waits in a loop in a daemon thread": """
engine.register_function(waiting, "PreToolUse", timeout=60)
threading.Thread(target=lambda: asyncio.run(engine.dispatch_async(EVENT)), daemon=True).start()
""",
    "a coroutine waits in a blocking dispatch in a daemon thread": """
engine.register_function(waiting, "PreToolUse", timeout=60)
threading.Thread(target=engine.dispatch, args=(EVENT,), daemon=True).start()
""",
    "a function computes": """
def computing(event):
    begun.append(1)
    while True:
        sum(range(1000))
engine.register_function(computing, "PreToolUse", timeout=60)
async def main():
    await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(3)))
threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
""",
    "functions dispatch again and again": """
def nested(event):
    begun.append(1)
    while True:
        engine.dispatch({**EVENT, "hook_event_name": "Stop"})
engine.register_function(nested, "PreToolUse", timeout=60)
engine.register_function(lambda event: None, "Stop")
threading.Thread(target=engine.dispatch, args=(EVENT,), daemon=True).start()
async def main():
    await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(3)))
threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
""",
    "a listener sleeps, another is idle": """
engine.watch(sleeping)
engine.watch(lambda notice: None)
engine.register_function(lambda event: None, "PreToolUse")
engine.dispatch(EVENT)
""",
    "a message is shown by a function that sleeps": """
engine.register_function(sleeping, "MessageDisplay", timeout=60)
message = engine.message_display({"session_id": "s"})
message.push("text")
threading.Thread(target=message.finish, args=(None,), daemon=True).start()
""",
    "somebody waits for the background": """
hook = {"type": "command", "command": "sleep 60", "async": True}
engine.register("s-1", {"hooks": {"PostToolUse": [{"hooks": [hook]}]}})
engine.dispatch({**EVENT, "hook_event_name": "PostToolUse"})
threading.Thread(target=engine.wait_background, daemon=True).start()
async def main():
    begun.append(1)
    await engine.wait_background_async()
threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
""",
    "only the native request is left": """
engine.register_function(sleeping, "PreToolUse", timeout=60)
run = engine._core.start(json.dumps(EVENT).encode())
request = run.wait()
begun.append(request)
""",
}


@pytest.mark.parametrize("way", CALLBACK_EXITS)
def test_exit_in_the_middle_of_a_callback(way):
    script = """
import asyncio, json, threading, time, crosshook
begun = []
engine = crosshook.Engine(dialect="qwen", settings={})
def sleeping(event):
    begun.append(1)
    time.sleep(60)
async def waiting(event):
    begun.append(1)
    await asyncio.sleep(60)
"""
    start = time.monotonic()
    # What a killed daemon thread raises is its own affair, but it must not be printed by us.
    script += "threading.excepthook = lambda _: None\n" + CALLBACK_EXITS[way]
    result = run_script(script + "\nwait_until(lambda: begun)\ntime.sleep(0.05)\n")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert time.monotonic() - start < 20


def test_what_a_listener_has_not_been_told_yet_is_told_at_exit():
    script = """
import time, crosshook
engine = crosshook.Engine(dialect="qwen", settings={})
engine.register_function(lambda event: None, "PreToolUse")
def listen(notice):
    time.sleep(0.1)
    print(notice["type"], flush=True)
engine.watch(listen)
engine.dispatch(EVENT)
"""
    result = run_script(script)
    assert (result.returncode, result.stdout, result.stderr) == (0, "started\nfinished\n", "")


def test_exit_while_callbacks_are_asked():
    script = """
import asyncio, threading, time, crosshook
engine = crosshook.Engine(dialect="qwen", settings={})
async def coroutine(event):
    await asyncio.sleep(0)
engine.register_function(coroutine, "PreToolUse")
engine.register_function(lambda event: None, "PreToolUse")
engine.watch(lambda notice: None)
async def main():
    while True:
        await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(10)))
def block():
    while True:
        engine.dispatch(EVENT)
threading.excepthook = lambda _: None
for target in (lambda: asyncio.run(main()), block) * 3:
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.4)
"""
    for _ in range(3):
        result = run_script(script)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("attempt", range(3))
def test_exit_while_outcomes_come_in(attempt):
    script = """
import asyncio, threading, time, crosshook
engine = crosshook.Engine(dialect="qwen", settings=settings("exit 0"))
async def main():
    while True:
        await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(10)))
def block():
    while True:
        engine.dispatch(EVENT)
def quiet(f, *a):
    try:
        f(*a)
    except crosshook.ClosedError:
        pass
for target in (lambda: quiet(asyncio.run, main()), lambda: quiet(block)) * 3:
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.3 + int(sys.argv[1]) / 50)
"""
    result = run_script(script, attempt)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_after_the_end_calls_are_refused():
    script = """
import atexit
atexit.register(lambda: late())
import crosshook
engine = crosshook.Engine(dialect="qwen", settings={})
def late():
    for call in (engine.list, lambda: engine.dispatch('{"hook_event_name":"Stop"}')):
        try:
            call()
        except crosshook.ClosedError as error:
            print(error)
"""
    result = run_script(script, prelude=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("the Python interpreter is exiting") == 2


def test_a_last_dispatch_at_exit():
    script = """
import atexit, crosshook
engine = crosshook.Engine(dialect="qwen", settings=settings(DENY))
atexit.register(lambda: print(engine.dispatch(EVENT)["decision"]))
"""
    result = run_script(script)
    assert (result.returncode, result.stdout, result.stderr) == (0, "deny\n", "")
