"""Functions as hooks, and models: what they are given, what their answers mean, where they run, and that what they do
wrong harms nobody."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import json
import threading
import time

import pytest
from conftest import EVENT, wait_until

import crosshook

WAYS = ["blocking", "asyncio"]


def dispatch(engine, way, event=EVENT):
    return engine.dispatch(event) if way == "blocking" else asyncio.run(engine.dispatch_async(event))


def deny(reason):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                   "permissionDecisionReason": reason}}  # fmt: skip


@pytest.fixture
def engine(hooked):
    return hooked()


@pytest.fixture
def asking(tmp_path):
    """Makes an engine with one prompt hook."""

    def make(model=None, kind="prompt", **options):
        hook = {"type": kind, "prompt": "Is this fine? $ARGUMENTS", "timeout": 5, "model": "m-1"}
        settings = {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}
        return crosshook.Engine(dialect=options.pop("dialect", "qwen"), settings=settings, home=tmp_path,
                                project_dir=tmp_path, model=model, **options)  # fmt: skip

    return make


# What a function is given, and what its answer means.


@pytest.mark.parametrize("way", WAYS)
def test_a_function_gets_the_event_and_its_dict_counts(engine, way):
    given = []

    @engine.hook("PreToolUse", matcher="run_shell_command")
    def guard(event):
        given.append(event)
        return deny("not today")

    assert guard(EVENT) == deny("not today"), "the decorator leaves the function as it is"
    given.clear()
    outcome = dispatch(engine, way)
    assert (outcome["decision"], outcome["reason"]) == ("deny", "not today")
    (hook,) = outcome["hooks"]
    assert (hook["type"], hook["matcher"], hook["status"]) == ("function", "run_shell_command", "blocked")
    assert hook["label"].endswith("guard")
    (event,) = given
    assert {key: event[key] for key in EVENT} == EVENT


@pytest.mark.parametrize("way", WAYS)
def test_a_coroutine_function_counts_too(engine, way):
    @engine.hook("PreToolUse")
    async def guard(event):
        await asyncio.sleep(0.01)
        return json.dumps(deny("later"))

    assert dispatch(engine, way)["reason"] == "later"


class AsyncCallable:
    async def __call__(self, event):
        await asyncio.sleep(0)
        return deny("object")


async def with_two(reason, event):
    await asyncio.sleep(0)
    return deny(reason)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (AsyncCallable(), "object"),
        (functools.partial(with_two, "partial"), "partial"),
        (lambda event: with_two("lambda", event), "lambda"),
    ],
)
def test_everything_that_can_be_awaited_is(engine, way, function, reason):
    engine.register_function(function, "PreToolUse")
    assert dispatch(engine, way)["reason"] == reason


@pytest.mark.parametrize("way", WAYS)
def test_none_is_no_opinion(engine, way):
    engine.register_function(lambda event: None, "PreToolUse", name="silent")
    outcome = dispatch(engine, way)
    assert (outcome["decision"], outcome["diagnostics"]) == ("none", [])
    assert [(hook["label"], hook["status"], hook["error"]) for hook in outcome["hooks"]] == [("silent", "ok", None)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answer", [True, False, 7, [1], b"{}", float("nan"), {"x": {1}}, {"x": float("nan")}, object()])
def test_what_is_no_answer_is_an_error_and_no_consent(engine, way, answer):
    engine.register_function(lambda event: answer, "PreToolUse")
    outcome = dispatch(engine, way)
    assert (outcome["decision"], outcome["hooks"][0]["status"]) == ("none", "error")
    (diagnostic,) = outcome["diagnostics"]
    assert (diagnostic["level"], diagnostic["code"]) == ("error", "host_failed")
    words = "cannot be written as JSON" if isinstance(answer, dict) else f"returned {type(answer).__name__}"
    assert words in diagnostic["message"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_async", [False, True])
def test_raising_is_an_error_with_its_place(engine, way, is_async):
    def fails(event):
        raise ValueError("grüße \ud800")

    async def fails_async(event):
        await asyncio.sleep(0)
        raise ValueError("grüße \ud800")

    engine.register_function(fails_async if is_async else fails, "PreToolUse")
    outcome = dispatch(engine, way)
    (hook,) = outcome["hooks"]
    assert (outcome["decision"], hook["status"]) == ("none", "error")
    assert hook["error"].startswith("ValueError: grüße ") and "test_callbacks.py:" in hook["error"]


@pytest.mark.parametrize("way", WAYS)
def test_a_failure_denies_when_so_asked(engine, way):
    engine.register_function(lambda event: 1 / 0, "PreToolUse", fail_mode="closed")
    outcome = dispatch(engine, way)
    assert outcome["decision"] == "deny" and "ZeroDivisionError" in outcome["reason"]


def test_lone_surrogates_go_both_ways(engine):
    given = []

    def echo(event):
        given.append(event["tool_input"]["command"])
        return deny(event["tool_input"]["command"] + "!")

    engine.register_function(echo, "PreToolUse")
    outcome = engine.dispatch({**EVENT, "tool_input": {"command": "a\ud800"}})
    assert given == ["a\ud800"]
    assert outcome["decision"] == "deny" and outcome["reason"].endswith("!")


def test_other_events_matchers_and_sessions_are_not_asked(engine):
    calls = []
    engine.register_function(lambda event: calls.append("matcher"), "PreToolUse", matcher="write_file")
    engine.register_function(lambda event: calls.append("session"), "PreToolUse", session_id="other")
    engine.register_function(lambda event: calls.append("event"), "PostToolUse")
    engine.register_function(lambda event: calls.append("this"), "PreToolUse", session_id=EVENT["session_id"])
    engine.dispatch(EVENT)
    assert calls == ["this"]


def test_registering_and_unregistering(engine):
    first = engine.register_function(lambda event: deny("first"), "PreToolUse", name="one", status_message="looking")
    second = engine.register_function(lambda event: deny("second"), "PreToolUse", timeout=1.5)
    listed = {hook["id"]: hook for hook in engine.list()}
    assert (listed[first]["label"], listed[first]["timeout"], listed[first]["status_message"]) == ("one", 5, "looking")
    assert (listed[second]["timeout"], listed[second]["type"]) == (1.5, "function")
    assert engine.unregister(first) is True
    assert engine.unregister(first) is False
    assert [hook["reason"] for hook in engine.dispatch(EVENT)["hooks"]] == ["second"]
    assert set(engine._callbacks._functions) == {second}


def test_wrong_registrations(engine):
    with pytest.raises(crosshook.InvalidOptionsError, match="no event `Nothing`"):
        engine.register_function(print, "Nothing")
    with pytest.raises(crosshook.InvalidOptionsError, match="no valid pattern"):
        engine.register_function(print, "PreToolUse", matcher="(")
    with pytest.raises(crosshook.InvalidOptionsError, match="fail_mode"):
        engine.hook("PreToolUse", fail_mode="ajar")(print)
    with pytest.raises(TypeError, match="not str"):
        engine.register_function("guard", "PreToolUse")
    with pytest.raises(TypeError, match="`model` is a function, not str"):
        crosshook.Engine(dialect="qwen", model="gpt")
    assert engine.list() == []


def test_a_dispatch_under_way_finishes_with_a_function_that_is_removed(engine):
    def first(event):
        assert engine.unregister(second) is True

    engine.register_function(first, "PreToolUse")
    second = engine.register_function(lambda event: deny("removed"), "PreToolUse")
    assert engine.dispatch(EVENT)["reason"] == "removed"
    assert second not in engine._callbacks._functions
    assert engine.dispatch(EVENT)["decision"] == "none"


# Models and agents.


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_model_is_asked(asking, way, is_async):
    requests = []

    def model(request):
        requests.append(request)
        return '{"ok": false, "reason": "too risky"}'

    async def model_async(request):
        await asyncio.sleep(0)
        return json.loads(model(request))  # a dict is as good

    outcome = dispatch(asking(model_async if is_async else model), way)
    assert (outcome["decision"], outcome["reason"]) == ("deny", "too risky")
    (request,) = requests
    assert set(request) == set(crosshook.types.Request.__annotations__)
    assert (request["kind"], request["model"], request["timeout_ms"]) == ("prompt", "m-1", 5000)
    assert request["prompt"].startswith("Is this fine? {") and "run_shell_command" in request["prompt"]
    assert "JSON" in request["system"]
    assert {key: request["event"][key] for key in EVENT} == EVENT


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("reply", "words"),
    [(None, "returned NoneType"), (True, "returned bool"), ("certainly!", "")],
)
def test_a_model_that_answers_nonsense_is_an_error(asking, way, reply, words):
    outcome = dispatch(asking(lambda request: reply), way)
    assert (outcome["decision"], outcome["hooks"][0]["status"]) == ("none", "error")
    assert words in outcome["hooks"][0]["error"] and len(outcome["diagnostics"]) == 1


@pytest.mark.parametrize("way", WAYS)
def test_without_a_model_nothing_is_allowed(asking, way):
    outcome = dispatch(asking(agent=lambda request: '{"ok": true}'), way)
    assert (outcome["decision"], outcome["hooks"][0]["status"]) == ("none", "error")
    assert "made without `model`" in outcome["hooks"][0]["error"]


@pytest.mark.parametrize("way", WAYS)
def test_an_agent_is_asked(asking, way):
    kinds = []

    def agent(request):
        kinds.append(request["kind"])
        return '{"ok": false, "reason": "the agent says no"}'

    engine = asking(kind="agent", dialect="codebuddy", agent=agent)
    outcome = dispatch(engine, way)
    assert (kinds, outcome["decision"], outcome["reason"]) == (["agent"], "deny", "the agent says no")


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
    try:
        assert dispatch(engine, way)["decision"] == "none"
    except crosshook.CancelledError:
        pass
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
            try:
                await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                pass
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
    import gc
    import weakref

    engine = hooked()

    @engine.hook("PreToolUse")
    def guard(event):
        return {"x": engine}  # a circle

    engine.dispatch(EVENT)
    asyncio.run(engine.dispatch_async(EVENT))
    watched = weakref.ref(engine)
    del engine, guard
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
