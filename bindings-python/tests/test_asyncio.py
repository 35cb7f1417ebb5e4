"""`dispatch_async`: the loop goes on, cancelling kills, any loop will do."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
import warnings

import pytest
from conftest import DENY, EVENT, leave_pids, pids, wait_until, wait_until_dead

import crosshook
from crosshook import _engine


async def there(path):
    await asyncio.to_thread(wait_until, path.exists)


def test_values_in_the_type_of_the_event(hooked):
    async def main():
        engine = hooked(DENY)
        as_dict = await engine.dispatch_async(EVENT)
        as_text = await engine.dispatch_async(json.dumps(EVENT))
        as_bytes = await engine.dispatch_async(json.dumps(EVENT).encode())
        return as_dict, as_text, as_bytes

    as_dict, as_text, as_bytes = asyncio.run(main())
    assert type(as_text) is str and type(as_bytes) is bytes
    for outcome in (as_dict, json.loads(as_text), json.loads(as_bytes)):
        assert (outcome["decision"], outcome["reason"]) == ("deny", "no")


def test_errors_are_those_of_dispatch(hooked):
    async def main(event):
        await hooked(DENY).dispatch_async(event)

    with pytest.raises(crosshook.InvalidEventError, match="no `hook_event_name`"):
        asyncio.run(main({}))
    with pytest.raises(TypeError, match="not list"):
        asyncio.run(main([]))


def test_outside_of_a_loop_it_says_so(hooked):
    coroutine = hooked(DENY).dispatch_async(EVENT)
    with pytest.raises(RuntimeError, match="no running event loop"):
        coroutine.send(None)


def test_many_at_once_and_the_loop_goes_on(hooked):
    many = 100
    engine = hooked("sleep 0.2")

    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticker = asyncio.create_task(tick())
        start = time.monotonic()
        outcomes = await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(many)))
        took = time.monotonic() - start
        ticker.cancel()
        return outcomes, took, ticks

    outcomes, took, ticks = asyncio.run(main())
    assert [outcome["hooks"][0]["status"] for outcome in outcomes] == ["ok"] * many
    assert took < many * 0.2 / 3, f"{took:.1f} s: one after the other would be {many * 0.2:.0f} s"
    assert ticks > took / 0.01 / 5, f"{ticks} ticks of 10 ms in {took:.1f} s"


def test_cancelling_kills_the_whole_group(hooked, tmp_path):
    noted = tmp_path / "pids"
    engine = hooked(leave_pids(noted))

    async def main():
        task = asyncio.create_task(engine.dispatch_async(EVENT))
        await there(noted)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(pids(noted)) == 2
    wait_until_dead(noted)


def test_a_timeout_of_the_host_kills(hooked, tmp_path):
    noted = tmp_path / "pids"
    engine = hooked(leave_pids(noted))

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(engine.dispatch_async(EVENT), 1)

    asyncio.run(main())
    wait_until_dead(noted)


def test_closing_the_engine_ends_what_runs(hooked, tmp_path):
    noted = tmp_path / "pids"
    engine = hooked(leave_pids(noted))

    async def main():
        task = asyncio.create_task(engine.dispatch_async(EVENT))
        await there(noted)
        engine.close()
        return await asyncio.wait_for(task, 20)

    try:
        assert asyncio.run(main())["hooks"][0]["status"] == "cancelled"
    except crosshook.CancelledError as error:
        assert error.code == "cancelled"
    wait_until_dead(noted)


def test_a_loop_in_each_of_several_threads(hooked):
    engine = hooked(DENY)
    decisions = []

    async def main():
        outcomes = await asyncio.gather(*(engine.dispatch_async(EVENT) for _ in range(5)))
        decisions.extend(outcome["decision"] for outcome in outcomes)

    threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert decisions == ["deny"] * 20


def test_uvloop(hooked):
    uvloop = pytest.importorskip("uvloop")

    async def main():
        assert type(asyncio.get_running_loop()).__module__.startswith("uvloop")
        return await asyncio.gather(*(hooked(DENY).dispatch_async(EVENT) for _ in range(5)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        loop = uvloop.new_event_loop()
    try:
        outcomes = loop.run_until_complete(main())
    finally:
        loop.close()
    assert [outcome["decision"] for outcome in outcomes] == ["deny"] * 5


def slow(hooked, command="sleep 0.2"):
    return hooked(command)._core.start(json.dumps(EVENT).encode())


def test_a_loop_that_was_closed_meanwhile(hooked, capfd):
    loop = asyncio.new_event_loop()
    loop.close()
    called = []
    run = slow(hooked)
    run.announce(loop, lambda: called.append(1))
    assert json.loads(run.wait())["event"] == "PreToolUse"
    time.sleep(0.1)
    assert called == [] and capfd.readouterr() == ("", "")


def test_what_has_ended_already_is_for_the_caller_to_see(hooked):
    run = hooked("exit 0")._core.start(b'{"hook_event_name":"Stop"}')
    assert run.is_over(), "no hook is selected"
    assert run.announce(object(), print) is True, "nobody is told of it later"
    assert json.loads(run.result())["event"] == "Stop"


def test_a_loop_that_fails_is_reported_not_lost(monkeypatch, hooked):
    class Broken:
        def is_closed(self):
            return False

        def call_soon_threadsafe(self, wake):
            raise ValueError("broken loop")

    reports = []
    monkeypatch.setattr("sys.unraisablehook", lambda report: reports.append(str(report.exc_value)))
    run = slow(hooked)
    run.announce(Broken(), print)
    run.wait()
    wait_until(lambda: reports)
    assert reports == ["broken loop"]


def test_blocking_on_an_engine_thread_is_refused(hooked):
    class Eager:
        def is_closed(self):
            return False

        def call_soon_threadsafe(self, wake):
            wake()

    engine = hooked(f"sleep 0.2; {DENY}")
    caught = []

    def wake():
        try:
            engine.dispatch(EVENT)
        except crosshook.Error as error:
            caught.append(error)

    run = engine._core.start(json.dumps(EVENT).encode())
    run.announce(Eager(), wake)
    wait_until(lambda: caught)
    assert [type(error) for error in caught] == [crosshook.EngineThreadError]
    assert engine.dispatch(EVENT)["decision"] == "deny"


def test_nothing_is_kept_after_a_run(hooked):
    engine = hooked("exit 0")

    async def main():
        for _ in range(20):
            await engine.dispatch_async(EVENT)

    asyncio.run(main())
    assert engine._runs == set()
    gc.collect()
    assert not [thing for thing in gc.get_objects() if isinstance(thing, asyncio.Future)]


def test_blocking_in_a_coroutine_warns_once_for_a_line(hooked):
    engine = hooked(DENY)

    async def main():
        for _ in range(3):
            engine.dispatch(EVENT)
        engine.dispatch(EVENT)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        asyncio.run(main())
    assert [warning.category for warning in caught] == [RuntimeWarning] * 2
    assert caught[0].filename == __file__
    assert "await dispatch_async" in str(caught[0].message)


def test_blocking_beside_a_loop_does_not_warn(hooked):
    engine = hooked(DENY)

    async def main():
        return await asyncio.to_thread(engine.dispatch, EVENT)

    assert asyncio.run(main())["decision"] == "deny"


def test_many_that_begin_at_once_take_turns(hooked, monkeypatch):
    engine = hooked("exit 0")

    async def longest_leap(crowded: float) -> int:
        """How many dispatches have begun in one turn of the loop, at most."""
        monkeypatch.setattr(_engine, "_CROWDED", crowded)
        tasks = [asyncio.ensure_future(engine.dispatch_async(EVENT)) for _ in range(60)]
        leap, before = 0, 0
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            leap, before = max(leap, len(engine._runs) - before), len(engine._runs)
        assert [task.result()["decision"] for task in tasks] == ["none"] * 60
        return leap

    assert asyncio.run(longest_leap(float("inf"))) > 10
    assert asyncio.run(longest_leap(-1)) == 1
    assert _engine._turn is None


def test_one_that_waits_for_its_turn_can_be_cancelled(hooked, monkeypatch):
    monkeypatch.setattr(_engine, "_CROWDED", -1)
    engine = hooked("exit 0")

    async def main() -> None:
        tasks = [asyncio.ensure_future(engine.dispatch_async(EVENT)) for _ in range(5)]
        await asyncio.sleep(0)
        tasks[-1].cancel()
        first, *_, last = await asyncio.gather(*tasks, return_exceptions=True)
        assert first["decision"] == "none" and isinstance(last, asyncio.CancelledError)

    asyncio.run(main())
    assert engine._runs == set()
