"""Events that fire no hook: a dict is not written as JSON then, and the outcome is the same as if it were."""

from __future__ import annotations

import json
import warnings
from enum import Enum
from typing import Any

import pytest
import vectors
from conftest import EVENT, wait_until

import crosshook
from crosshook import _engine, _native

ALL = list(vectors.read())


def other_forms(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Events near this one, most of which fire no hook."""
    camel = {"".join(word.title() if n else word for n, word in enumerate(k.split("_"))): v for k, v in event.items()}
    return [
        event,
        camel,
        {**event, "tool_name": "no_such_tool"},
        {**event, "tool_name": None},
        {**event, "tool_name": 7},
        {**event, "tool_name": "x\ud800"},
        {key: value for key, value in event.items() if key != "tool_name"},
        {**event, "hook_event_name": "NoSuchEvent"},
        {**event, "hook_event_name": "Stop", "stop_hook_active": False},
    ]


def test_every_vector_both_ways(tmp_path):
    alike = 0
    for number, vector in enumerate(ALL):
        folder = tmp_path / str(number)
        folder.mkdir()
        vector = json.loads(json.dumps(vector).replace("{{TMP}}", str(folder)))
        options = {
            "dialect": vector["dialect"],
            "settings": [source for source in vector["sources"] if source["scope"] != "plugin"],
            "trusted": vector.get("trusted", True),
            "home": folder,
            "project_dir": folder,
        }
        by_dict, by_text = crosshook.Engine(**options), crosshook.Engine(**options)
        for event in other_forms(vector["event"]):
            text = json.dumps(event)
            if any(hook["runs"] for hook in by_text.explain(text)):
                assert by_dict._core.dispatch_by_fields(event) is None, event
            else:
                outcome = by_dict.dispatch(event)
                assert list(outcome) == list(crosshook.types.Outcome.__annotations__)
                assert outcome == json.loads(by_text.dispatch(text)), event
                alike += 1
    assert alike > 1000


@pytest.fixture
def guarded(tmp_path):
    """An engine whose one hook denies the tool `Bash`."""
    hook = {"type": "command", "command": "echo no >&2; exit 2"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    return crosshook.Engine(dialect="codebuddy", settings=settings, home=tmp_path, project_dir=tmp_path)


BASH = {**EVENT, "tool_name": "Bash"}
READ = {**EVENT, "tool_name": "Read"}


class Name(str, Enum):
    TOOL = "tool_name"
    BASH = "Bash"


class Renamed(dict):
    def items(self):
        return BASH.items()


@pytest.mark.parametrize(
    "event",
    [
        BASH,
        {Name.TOOL: "Bash", **{key: value for key, value in EVENT.items() if key != "tool_name"}},
        {**EVENT, "tool_name": Name.BASH},
        Renamed(READ),
        {**EVENT, 1: 2, None: 3, "tool_name": "Bash"},
        {**{key: value for key, value in BASH.items() if key != "tool_name"}, "toolName": "Bash"},
    ],
    ids=["plain", "enum key", "enum value", "subclass", "other keys", "camelCase"],
)
def test_no_form_of_a_dict_hides_from_its_hook(guarded, event):
    assert guarded.dispatch(event)["decision"] == "deny"
    assert guarded.dispatch(event)["reason"] == "no"


def test_a_value_that_no_hook_reads_is_not_looked_at(guarded):
    cycle: dict[str, Any] = dict(READ)
    cycle["tool_input"] = cycle
    for odd in (cycle, {**READ, "tool_input": {1, 2}}, {**READ, "extra": float("nan")}, {**READ, "extra": b"x"}):
        assert guarded.dispatch(odd)["decision"] == "none"
        with pytest.raises(crosshook.InvalidEventError):
            guarded.dispatch({**odd, "tool_name": "Bash"})
        with pytest.raises(crosshook.InvalidEventError):
            guarded.explain(odd)


def test_what_the_selection_reads_is_checked(guarded):
    for value in ({1, 2}, float("nan"), b"Bash"):
        with pytest.raises(crosshook.InvalidEventError):
            guarded.dispatch({**EVENT, "tool_name": value})
    for event in ({}, {"hook_event_name": 7}, {"hook_event_name": ""}, {"hook_event_name": None}):
        with pytest.raises(crosshook.InvalidEventError):
            guarded.dispatch(event)


def test_each_outcome_is_the_callers_own(guarded):
    first = guarded.dispatch(READ)
    for key in ("hooks", "diagnostics", "additional_context", "system_messages"):
        first[key].append("x")
    first["extra"]["x"] = 1
    first["decision"] = "deny"
    second = guarded.dispatch(READ)
    assert second == {**json.loads(guarded.dispatch(json.dumps(READ)))}
    assert (second["decision"], second["hooks"], second["extra"]) == ("none", [], {})


def test_diagnostics_are_there(guarded):
    assert [one["code"] for one in guarded.dispatch({**READ, "hook_event_name": "Nope"})["diagnostics"]] == [
        "unknown_event"
    ]
    without = {key: value for key, value in READ.items() if key != "tool_name"}
    assert [one["code"] for one in guarded.dispatch(without)["diagnostics"]] == ["event_field"]


def test_a_blocking_dispatch_in_a_loop_warns_whatever_is_selected(guarded):
    async def inside():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            guarded.dispatch(READ)
        return [str(warning.message) for warning in caught]

    import asyncio

    assert ["blocks the running event loop" in message for message in asyncio.run(inside())] == [True]


def test_asynchronously_too(guarded):
    import asyncio

    async def both():
        return await guarded.dispatch_async(READ), await guarded.dispatch_async(BASH)

    read, bash = asyncio.run(both())
    assert (read["decision"], bash["decision"]) == ("none", "deny")
    coroutine = guarded.dispatch_async(READ)
    with pytest.raises(RuntimeError, match="no running event loop"):
        coroutine.send(None)


def test_a_closed_engine_stays_closed(guarded):
    guarded.close()
    with pytest.raises(crosshook.ClosedError):
        guarded.dispatch(READ)


def test_listeners_hear_of_it(guarded):
    heard: list[Any] = []
    stop = guarded.watch(heard.append)
    guarded.dispatch({**READ, "hook_event_name": "Nope"})
    wait_until(lambda: heard)
    guarded.unwatch(stop)
    assert [notice["diagnostic"]["code"] for notice in heard] == ["unknown_event"]


def test_subclasses_of_dict_are_not_asked():
    engine = _native.Engine('{"dialect":"qwen","settings":{}}')
    assert engine.dispatch_by_fields(Renamed(READ)) is None
    assert engine.dispatch_by_fields(READ) == _engine.from_json(crosshook.Engine(
        dialect="qwen", settings={}).dispatch(json.dumps(READ)))
