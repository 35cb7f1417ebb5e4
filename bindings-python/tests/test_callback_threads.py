"""Where callbacks run, what they may do to the engine, and answers that come late or never."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import json
import textwrap
import threading
import time
import weakref
from pathlib import Path

import pytest
from conftest import EVENT, WAYS, deny, dispatch, run_script, wait_until

import crosshook

# Where they run.


def test_blocking_runs_everything_on_the_calling_thread(engine):
    here = threading.get_ident()
    threads = []

    async def of_coroutine(event):
        threads.append(threading.get_ident())

    engine.register_function(lambda event: threads.append(threading.get_ident()), "PreToolUse")
    engine.register_function(of_coroutine, "PreToolUse")
    engine.dispatch(EVENT)
    assert threads == [here, here]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts the threads of a process in /proc")
def test_blocking_needs_no_thread_for_functions_but_one_for_a_coroutine():
    script = """
        import os
        engine = crosshook.Engine(dialect="qwen", settings={})
        engine.register_function(lambda event: deny("no"), "PreToolUse")
        engine.register_function(lambda event: None, "PreToolUse")
        threads = lambda: len(os.listdir("/proc/self/task"))
        before = threads()
        outcome = engine.dispatch(EVENT)
        print(outcome["decision"], len(outcome["hooks"]), threads() - before)

        @engine.hook("PreToolUse")
        async def coroutine(event): ...

        print(engine.dispatch(EVENT)["decision"], threads() - before)
    """
    result = run_script(textwrap.dedent(script))
    assert (result.stdout.splitlines(), result.stderr) == (["deny 2 0", "deny 1"], "")


def test_asyncio_runs_coroutines_on_its_loop_and_functions_beside_it(engine):
    seen = {}
    variable = contextvars.ContextVar("variable", default="unset")

    @engine.hook("PreToolUse")
    async def coroutine(event):
        seen["coroutine"] = (asyncio.get_running_loop(), threading.get_ident(), variable.get())

    @engine.hook("PreToolUse")
    def function(event):
        seen["function"] = (threading.current_thread(), variable.get())

    async def main():
        variable.set("set")
        await engine.dispatch_async(EVENT)
        return asyncio.get_running_loop()

    loop = asyncio.run(main())
    assert seen["coroutine"] == (loop, threading.get_ident(), "set")
    thread, value = seen["function"]
    assert (thread.name, thread.daemon, value) == ("crosshook-callback", True, "set")


def test_a_function_that_blocks_does_not_stop_the_loop(engine):
    engine.register_function(lambda event: time.sleep(0.3), "PreToolUse")

    async def main():
        ticks = 0
        task = asyncio.create_task(engine.dispatch_async(EVENT))
        while not task.done():
            await asyncio.sleep(0.005)
            ticks += 1
        return ticks

    assert asyncio.run(main()) > 10


def test_dispatches_in_many_threads_each_keep_their_own(engine):
    """Events of different sessions at once: each is answered on its thread."""
    wrong = []
    owners = {}

    @engine.hook("PreToolUse")
    def guard(event):
        time.sleep(0.005)
        if owners[event["session_id"]] != threading.get_ident():
            wrong.append(event["session_id"])
        return deny(event["session_id"])

    def work(session):
        owners[session] = threading.get_ident()
        for _ in range(20):
            outcome = engine.dispatch({**EVENT, "session_id": session})
            if outcome["reason"] != session:
                wrong.append(outcome)

    threads = [threading.Thread(target=work, args=(f"s-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_equal_dispatches_in_many_threads_all_get_their_answers(engine):
    engine.register_function(lambda event: deny("a"), "PreToolUse")
    engine.register_function(lambda event: time.sleep(0.001), "PreToolUse")
    statuses = []

    def work():
        for _ in range(25):
            statuses.extend(hook["status"] for hook in engine.dispatch(EVENT)["hooks"])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == ["blocked", "ok"] * 200


def in_threads(work):
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_equal_dispatches_are_asked_on_the_thread_of_each(engine):
    here = threading.local()
    asked = []

    @engine.hook("PreToolUse")
    def guard(event):
        asked.append(getattr(here, "dispatches", False))

    def work():
        here.dispatches = True
        for _ in range(25):
            engine.dispatch(EVENT)

    in_threads(work)
    assert asked == [True] * 200


def test_equal_dispatches_are_asked_in_the_loop_of_each(engine):
    here = threading.local()
    asked = []

    @engine.hook("PreToolUse")
    async def guard(event):
        asked.append(asyncio.get_running_loop() is getattr(here, "loop", None))

    async def main():
        here.loop = asyncio.get_running_loop()
        await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(25)))

    in_threads(lambda: asyncio.run(main()))
    assert asked == [True] * 200


def test_a_blocking_dispatch_is_woken_at_once(engine):
    engine.register_function(lambda event: None, "PreToolUse")
    engine.dispatch(EVENT)
    start = time.perf_counter()
    for _ in range(20):
        engine.dispatch(EVENT)
    assert (time.perf_counter() - start) / 20 < 0.02, "it polls"


def test_blocking_does_not_touch_the_loop_of_the_thread(engine):
    @engine.hook("PreToolUse")
    async def guard(event):
        return None

    def work(found):
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        engine.dispatch(EVENT)
        found.append(asyncio.get_event_loop() is loop)
        loop.close()

    found = []
    thread = threading.Thread(target=work, args=(found,))
    thread.start()
    thread.join()
    assert found == [True]


def test_blocking_inside_a_loop_says_what_to_do(engine):
    @engine.hook("PreToolUse")
    async def guard(event):
        return deny("never")

    async def main():
        with pytest.warns(RuntimeWarning, match="await dispatch_async"):
            return engine.dispatch(EVENT)

    outcome = asyncio.run(main())
    assert (outcome["decision"], outcome["hooks"][0]["status"]) == ("none", "error")
    assert "await dispatch_async" in outcome["hooks"][0]["error"]


# What they may do to the engine.


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_callback_may_dispatch(engine, way, is_async):
    stop = {**EVENT, "hook_event_name": "Stop"}
    inner = []
    engine.register_function(lambda event: inner.append(event["hook_event_name"]), "Stop")

    def function(event):
        return deny(engine.dispatch(stop)["event"])

    async def coroutine(event):
        return deny((await engine.dispatch_async(stop))["event"])

    engine.register_function(coroutine if is_async else function, "PreToolUse")
    assert dispatch(engine, way)["reason"] == "Stop"
    assert inner == ["Stop"]


def test_a_callback_may_dispatch_the_same_event(engine):
    depth = 0

    def guard(event):
        nonlocal depth
        depth += 1
        if depth < 5:
            engine.dispatch(EVENT)
        return deny(f"depth {depth}")

    engine.register_function(guard, "PreToolUse")
    engine.register_function(lambda event: None, "PreToolUse")
    outcome = engine.dispatch(EVENT)
    assert [hook["status"] for hook in outcome["hooks"]] == ["blocked", "ok"]
    assert depth == 5


def test_endless_recursion_is_an_error_of_the_hook(engine):
    engine.register_function(lambda event: engine.dispatch(EVENT) and None, "PreToolUse", timeout=60)
    assert engine.dispatch(EVENT)["decision"] == "none"


@pytest.mark.parametrize("way", WAYS)
def test_a_callback_may_register_and_remove_itself(engine, way):
    calls = []

    def once(event):
        calls.append("once")
        engine.unregister(identity)
        engine.register_function(lambda event: calls.append("next"), "PreToolUse")

    identity = engine.register_function(once, "PreToolUse")
    dispatch(engine, way)
    dispatch(engine, way)
    assert calls == ["once", "next"]


@pytest.mark.parametrize("way", WAYS)
def test_a_callback_may_close_the_engine(engine, way):
    engine.register_function(lambda event: engine.close(), "PreToolUse")
    with contextlib.suppress(crosshook.CancelledError):
        assert dispatch(engine, way)["decision"] == "none"
    with pytest.raises(crosshook.ClosedError):
        engine.list()


# What never comes, or too late.


@pytest.mark.parametrize("way", WAYS)
def test_a_late_answer_does_not_count(engine, way):
    def slow(event):
        time.sleep(0.4)
        return deny("too late")

    engine.register_function(slow, "PreToolUse", timeout=0.05)
    start = time.monotonic()
    outcome = dispatch(engine, way)
    took = time.monotonic() - start
    assert (outcome["decision"], outcome["hooks"][0]["status"]) == ("none", "timeout")
    # A plain function on the caller's own thread cannot be interrupted.
    assert took >= 0.4 if way == "blocking" else took < 0.35


@pytest.mark.parametrize("way", WAYS)
def test_a_timeout_cancels_a_coroutine(engine, way):
    ended = []

    @engine.hook("PreToolUse", timeout=0.05)
    async def slow(event):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def main():
        outcome = await engine.dispatch_async(EVENT)
        await asyncio.sleep(0.05)
        return outcome

    start = time.monotonic()
    outcome = engine.dispatch(EVENT) if way == "blocking" else asyncio.run(main())
    assert time.monotonic() - start < 20
    assert (outcome["decision"], outcome["hooks"][0]["status"]) == ("none", "timeout")
    assert ended == ["cancelled"]


def test_cancelling_the_dispatch_cancels_the_coroutine(engine):
    events = []

    @engine.hook("PreToolUse", timeout=60)
    async def slow(event):
        events.append("started")
        try:
            await asyncio.sleep(60)
        finally:
            events.append("ended")

    async def main():
        task = asyncio.create_task(engine.dispatch_async(EVENT))
        while not events:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.02)
        assert events == ["started", "ended"]

    asyncio.run(main())


def test_a_coroutine_that_ignores_its_cancellation_harms_nobody(engine):
    @engine.hook("PreToolUse", timeout=0.05)
    async def stubborn(event):
        for _ in range(10):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.02)
        return deny("never")

    async def main():
        return await engine.dispatch_async(EVENT)

    assert asyncio.run(main())["hooks"][0]["status"] == "timeout"


def test_many_that_never_return_take_nobody_a_place(engine):
    gate = threading.Event()
    engine.register_function(lambda event: gate.wait(60) and None, "PreToolUse", timeout=0.05)

    async def main():
        outcomes = await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(50)))
        return outcomes, await asyncio.to_thread(lambda: "free")

    outcomes, free = asyncio.run(main())
    gate.set()
    assert [outcome["hooks"][0]["status"] for outcome in outcomes] == ["timeout"] * 50
    assert free == "free"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_in_a_callback_reaches_the_caller(engine, error):
    def interrupted(event):
        raise error

    engine.register_function(interrupted, "PreToolUse")
    with pytest.raises(error):
        engine.dispatch(EVENT)
    assert engine._runs == set()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_in_a_callbacks_own_thread_is_an_error(engine, error):
    def interrupted(event):
        raise error

    engine.register_function(interrupted, "PreToolUse")
    assert asyncio.run(engine.dispatch_async(EVENT))["hooks"][0]["status"] == "error"


def test_a_callback_and_its_engine_can_be_collected(hooked):
    engines = [hooked()]
    watched = weakref.ref(engines[0])

    def guard(event, circle=engines[0]):
        return None

    engines[0].register_function(guard, "PreToolUse")
    engines[0].dispatch(EVENT)
    asyncio.run(engines[0].dispatch_async(EVENT))
    del engines, guard
    wait_until(lambda: gc.collect() is not None and watched() is None, 5)


def test_a_request_is_answered_once(engine):
    engine.register_function(lambda event: None, "PreToolUse")
    run = engine._core.start(json.dumps(EVENT).encode())
    request = run.wait()
    assert json.loads(request.json())["kind"] == "function" and not request.is_cancelled()
    request.reply(json.dumps(deny("first")).encode())
    request.reply(json.dumps(deny("second")).encode())
    request.fail(b"third")
    assert request.json() == "" and request.is_cancelled()
    assert json.loads(run.wait())["reason"] == "first"


def test_a_request_that_is_thrown_away_is_an_error(engine):
    engine.register_function(lambda event: None, "PreToolUse")
    run = engine._core.start(json.dumps(EVENT).encode())
    del (request := [run.wait()])[0]
    assert request == []
    (hook,) = json.loads(run.wait())["hooks"]
    assert (hook["status"], hook["error"]) == ("error", "the host dropped the request without an answer")
