"""Living in a process: threads, signals, forks, sub-interpreters."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
import time

import pytest
from conftest import DENY, EVENT, leave_pids, run_script, wait_until, wait_until_dead

import crosshook

# Python 3.12 and later warn about any fork in a process with threads, ours or others.
forks = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def test_many_threads_at_once(hooked):
    engine = hooked("sleep 0.2; " + DENY)
    reasons = []
    threads = [threading.Thread(target=lambda: reasons.append(engine.dispatch(EVENT)["reason"])) for _ in range(30)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - start
    assert reasons == ["no"] * 30
    assert took < 30 * 0.2 / 2, f"{took:.1f} s"


def test_waiting_releases_the_interpreter(hooked):
    engine = hooked("sleep 0.5")
    thread = threading.Thread(target=engine.dispatch, args=(EVENT,))
    thread.start()
    steps = 0
    while thread.is_alive():
        steps += 1
        time.sleep(0.001)
    assert steps > 20


def test_closing_in_another_thread_ends_a_dispatch(hooked, tmp_path):
    noted = tmp_path / "pids"
    engine = hooked(leave_pids(noted))
    ended = []

    def run():
        try:
            ended.append(engine.dispatch(EVENT)["hooks"][0]["status"])
        except crosshook.CancelledError as error:
            ended.append(error.code)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(noted.exists)
    engine.close()
    thread.join(20)
    assert ended == ["cancelled"]
    wait_until_dead(noted)


def test_a_signal_handler_that_raises_ends_a_dispatch(hooked, tmp_path):
    class Enough(Exception):
        pass

    def handler(_number, _frame):
        raise Enough

    noted = tmp_path / "pids"
    engine = hooked(leave_pids(noted))
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        start = time.monotonic()
        with pytest.raises(Enough):
            engine.dispatch(EVENT)
        assert time.monotonic() - start < 20
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    wait_until_dead(noted)
    assert engine._runs == set()


def both_ways(engine) -> int:
    """Whether sync and async dispatches work here; for a forked child, which must not hang either."""
    signal.alarm(20)
    good = engine.dispatch(EVENT)["decision"] == "deny"
    good = good and asyncio.run(engine.dispatch_async(EVENT))["decision"] == "deny"
    signal.alarm(0)
    return 0 if good else 1


class TestFork:
    pytestmark = forks

    def test_fork_after_use(self, hooked, capfd):
        engine = hooked(DENY)
        assert both_ways(engine) == 0
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                code = 3
                try:
                    code = both_ways(engine)
                finally:
                    os._exit(code)
            children.append(child)
        assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
        assert both_ways(engine) == 0
        assert capfd.readouterr() == ("", "")

    def test_fork_while_others_dispatch(self, hooked, tmp_path):
        engine = hooked("sleep 0.3; " + DENY)
        thread = threading.Thread(target=engine.dispatch, args=(EVENT,))
        thread.start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            code = 3
            try:
                code = both_ways(engine)
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        thread.join()

    def test_multiprocessing(self, hooked, capfd):
        engine = hooked(DENY)
        assert both_ways(engine) == 0
        process = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(both_ways(engine)))
        process.start()
        process.join(60)
        assert process.exitcode == 0
        assert capfd.readouterr() == ("", "")

    def test_callbacks_and_listeners_work_in_the_child(self, hooked):
        engine = hooked()
        told = []
        engine.watch(told.append)

        @engine.hook("PreToolUse")
        async def of_coroutine(event):
            await asyncio.sleep(0)

        @engine.hook("PreToolUse")
        def guard(event):
            return {"decision": "deny", "reason": "no"}

        assert both_ways(engine) == 0
        child = os.fork()
        if child == 0:
            code = 3
            try:
                signal.alarm(20)
                told.clear()
                code = both_ways(engine)
                wait_until(lambda: len(told) == 8)
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert both_ways(engine) == 0

    def test_the_child_ends_well(self, tmp_path):
        script = """
import os, threading, time, crosshook
engine = crosshook.Engine(dialect="qwen", settings=settings("sleep 0.5"))
threading.Thread(target=engine.dispatch, args=(EVENT,), daemon=True).start()
time.sleep(0.2)
start = time.monotonic()
child = os.fork()
if child:
    status = os.waitpid(child, 0)[1]
    assert time.monotonic() - start < 1.5, "the child waited for threads of its parent"
    os._exit(status)
"""
        script = "import warnings; warnings.simplefilter('ignore')\n" + script
        result = run_script(script)
        assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sub-interpreters share one lock before 3.12")
def test_subinterpreters_are_refused_with_words():
    script = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
interpreter = interpreters.create()
code = "try:\\n import crosshook\\nexcept ImportError as error:\\n print(error)"
failure = interpreters.run_string(interpreter, code)
assert failure is None, failure
interpreters.destroy(interpreter)
"""
    result = run_script("import crosshook\n" + script, prelude=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "interpreter" in result.stdout
