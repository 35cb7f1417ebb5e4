"""Functions as hooks, and models: what they are given, and what their answers mean."""

from __future__ import annotations

import asyncio
import functools
import json

import pytest
from conftest import EVENT, WAYS, deny, dispatch

import crosshook


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
@pytest.mark.parametrize("whole", [False, True])
def test_a_tool_of_an_mcp_server_is_called_by_the_host(tmp_path, way, whole):
    asked = []
    text = json.dumps(deny("says the tool"))

    def call(request):
        asked.append(request)
        return {"content": [{"type": "text", "text": text}]} if whole else text

    hook = {"type": "mcp_tool", "server": "guard", "tool": "check", "input": {"tool": "${tool_name}"}}
    settings = {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}
    make = functools.partial(crosshook.Engine, dialect="claude", settings=settings, home=tmp_path)
    outcome = dispatch(make(mcp_tool=call), way)
    assert (outcome["decision"], outcome["reason"]) == ("deny", "says the tool")
    (request,) = asked
    assert set(request) == set(crosshook.types.ToolRequest.__annotations__)
    assert (request["kind"], request["server"], request["tool"]) == ("mcp_tool", "guard", "check")
    assert request["input"] == {"tool": EVENT["tool_name"]}
    (hook,) = dispatch(make(), way)["hooks"]
    assert (hook["status"], "mcp_tool" in hook["error"]) == ("error", True)


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
@pytest.mark.parametrize("answer", [True, False])
def test_what_a_boolean_means_is_for_the_dialect_to_say(way, answer):
    decisions = {"codebuddy": ("none", "error"), "qwen": ("none", "ok") if answer else ("deny", "blocked")}
    for dialect, wanted in decisions.items():
        engine = crosshook.Engine(dialect=dialect, settings={})
        engine.register_function(lambda event: answer, "PreToolUse", error_message="not this one")
        outcome = dispatch(engine, way)
        assert (outcome["decision"], outcome["hooks"][0]["status"]) == wanted, dialect
        if wanted == ("deny", "blocked"):
            assert outcome["reason"] == "not this one"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "answer", [7, [1], b"{}", float("nan"), {"x": {1}}, {"x": float("nan")}, object()]
)
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
    assert outcome["diagnostics"][0]["code"] == "hook_type_unavailable"


@pytest.mark.parametrize("way", WAYS)
def test_an_agent_is_asked(asking, way):
    kinds = []

    def agent(request):
        kinds.append(request["kind"])
        return '{"ok": false, "reason": "the agent says no"}'

    engine = asking(kind="agent", dialect="codebuddy", agent=agent)
    outcome = dispatch(engine, way)
    assert (kinds, outcome["decision"], outcome["reason"]) == (["agent"], "deny", "the agent says no")


def test_a_decorator_without_its_event_is_refused(engine):
    with pytest.raises(TypeError, match="a hook names its event"):

        @engine.hook
        def guard(event):
            return deny("no")

    with pytest.raises(TypeError, match="a hook names its event"):
        engine.register_function(lambda event: None, None)
