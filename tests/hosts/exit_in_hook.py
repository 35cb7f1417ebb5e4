"""The interpreter ends in the middle of hooks: exit status 0, nothing on standard error, no hook left. Run with every
CPython that is there."""

import tempfile
from pathlib import Path

from host import alive, pids, run_python, wait_until

START = """
import asyncio, json, threading
noted = Path(sys.argv[1])
one = engine(leave_pids(noted))
threading.excepthook = lambda _: None  # what a daemon thread is killed with is its own affair
"""
ENDS = {
    "a daemon thread waits for a hook": """
threading.Thread(target=one.dispatch, args=(EVENT,), daemon=True).start()
wait_until(noted.exists)
""",
    "twenty do": """
for _ in range(20):
    threading.Thread(target=one.dispatch, args=(EVENT,), daemon=True).start()
wait_until(noted.exists)
""",
    "a loop in a daemon thread does": """
async def main():
    await asyncio.gather(*(one.dispatch_async(EVENT) for _ in range(20)))
threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
wait_until(noted.exists)
""",
    "the program exits inside its loop": """
async def main():
    task = asyncio.create_task(one.dispatch_async(EVENT))
    await asyncio.to_thread(wait_until, noted.exists)
    sys.exit(0)
asyncio.run(main())
""",
    "a new dispatch at exit": """
import atexit
threading.Thread(target=one.dispatch, args=(EVENT,), daemon=True).start()
wait_until(noted.exists)
def late():
    assert denies(engine("exit 2").dispatch(EVENT))
atexit.register(late)
""",
}

for name, end in ENDS.items():
    with tempfile.TemporaryDirectory() as folder:
        noted = Path(folder) / "pids"
        run_python(START + end, noted)
        wait_until(lambda noted=noted: not any(map(alive, pids(noted))))

# While outcomes come in, at whatever moment.
for n in range(3):
    run_python(
        """
import asyncio, threading, time
threading.excepthook = lambda _: None
one = engine("exit 2")
async def main():
    while True:
        await asyncio.gather(*(one.dispatch_async(EVENT) for _ in range(10)))
def block():
    while True:
        assert denies(one.dispatch(EVENT))
for target in (lambda: asyncio.run(main()), block) * 3:
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.3 + int(sys.argv[1]) / 50)
""",
        n,
    )
