"""Listeners, and diagnostics in the log."""

from __future__ import annotations

import gc
import logging
import threading
import weakref

import pytest
from conftest import DENY, EVENT, wait_until

import crosshook


def test_a_listener_is_told_in_order(hooked):
    engine = hooked(DENY)
    told = []
    number = engine.watch(lambda notice: told.append((threading.current_thread(), notice)))
    outcome = engine.dispatch(EVENT)
    wait_until(lambda: len(told) == 2)
    (thread, started), (_, finished) = told
    assert (thread.name, thread.daemon) == ("crosshook-watch", True)
    types = crosshook.types
    shared = {"dispatch", "event"}
    assert set(started) == set(types.Started.__annotations__) | shared
    assert set(finished) == set(types.Finished.__annotations__) | shared
    assert (started["type"], started["event"], started["hook"]["label"]) == ("started", "PreToolUse", DENY)
    assert finished["type"] == "finished" and finished["dispatch"] == started["dispatch"]
    assert (finished["status"], finished["decision"]) == ("blocked", "deny")
    assert finished["duration_ms"] == outcome["hooks"][0]["duration_ms"]
    assert engine.unwatch(number) is True
    assert [engine.unwatch(other) for other in range(number + 1)] == [False] * (number + 1)
    engine.dispatch(EVENT)
    thread.join(20)
    assert not thread.is_alive() and len(told) == 2


def test_diagnostics_and_background_ends_are_told(tmp_path):
    hook = {"type": "command", "command": "exit 3", "async": True}
    settings = {"hooks": {"PostToolUse": [{"hooks": [hook, {"type": "command", "command": "exit 1"}]}]}}
    engine = crosshook.Engine(dialect="qwen", settings=settings, home=tmp_path, project_dir=tmp_path)
    engine.register_function(lambda event: 7, "PostToolUse")
    told = {}
    engine.watch(lambda notice: told.setdefault(notice["type"], notice))
    engine.dispatch({**EVENT, "hook_event_name": "PostToolUse"})
    wait_until(lambda: {"background_finished", "diagnostic"} <= set(told))
    shared = {"dispatch", "event"}
    ended = told["background_finished"]
    assert set(ended) == set(crosshook.types.BackgroundFinished.__annotations__) | shared
    assert (ended["exit_code"], ended["hook"]["label"]) == (3, "exit 3")
    assert set(told["diagnostic"]) == set(crosshook.types.Noticed.__annotations__) | shared
    assert told["diagnostic"]["diagnostic"]["message"]


def test_a_listener_that_blocks_or_raises_harms_nobody(hooked, monkeypatch):
    engine = hooked(DENY)
    gate, told, reports = threading.Event(), [], []
    monkeypatch.setattr("sys.unraisablehook", lambda report: reports.append(str(report.exc_value)))

    def broken(notice):
        raise ValueError(notice["type"])

    engine.watch(lambda notice: gate.wait(60))
    engine.watch(broken)
    engine.watch(told.append)
    assert engine.dispatch(EVENT)["decision"] == "deny"
    wait_until(lambda: len(told) == 2 and len(reports) == 2)
    assert reports == ["started", "finished"]
    gate.set()


def test_a_listener_may_use_the_engine_and_take_itself_away(hooked):
    engine = hooked(DENY)
    told = []

    def listen(notice):
        told.append((notice["type"], engine.dispatch({**EVENT, "hook_event_name": "Stop"})["event"]))
        engine.unwatch(number)

    number = engine.watch(listen)
    engine.dispatch(EVENT)
    wait_until(lambda: told and not engine._watchers)
    engine.dispatch(EVENT)
    assert told == [("started", "Stop")]


def test_a_slow_listener_loses_notices_and_is_told_how_many(hooked):
    engine = hooked()
    engine.register_function(lambda event: None, "PreToolUse")
    gate, told = threading.Event(), []

    def listen(notice):
        gate.wait(60)
        told.append(notice)

    engine.watch(listen)
    many = 5_100  # two notices each
    for _ in range(many):
        engine.dispatch(EVENT)
    gate.set()
    wait_until(lambda: told and told[-1]["type"] == "dropped")
    assert len(told) - 1 + told[-1]["count"] == many * 2
    assert set(told[-1]) == set(crosshook.types.Dropped.__annotations__)


def test_closing_tells_what_is_left_and_ends_the_thread(hooked):
    told = []
    with hooked(DENY) as engine:
        engine.watch(told.append)
        engine.dispatch(EVENT)
    wait_until(lambda: not [one for one in threading.enumerate() if one.name == "crosshook-watch"])
    assert [notice["type"] for notice in told] == ["started", "finished"]
    with pytest.raises(crosshook.ClosedError):
        engine.watch(print)


def test_a_listener_does_not_keep_its_engine(hooked):
    engine = hooked(DENY)
    engine.watch(lambda notice: None)
    watched = weakref.ref(engine)
    del engine
    wait_until(lambda: gc.collect() is not None and watched() is None)
    wait_until(lambda: not [one for one in threading.enumerate() if one.name == "crosshook-watch"])


def test_a_listener_is_a_function(hooked):
    with pytest.raises(TypeError, match="not int"):
        hooked().watch(7)


# Diagnostics in the log.

WRONG = {"hooks": {"PreToolUse": "x", "Stop": [{"hooks": [{"type": "command", "command": "exit 1"}]}]}}


def test_nothing_is_logged_unless_asked(caplog, tmp_path):
    engine = crosshook.Engine(dialect="qwen", settings=WRONG, home=tmp_path, project_dir=tmp_path)
    engine.register_function(lambda event: 7, "Stop")
    engine.dispatch({**EVENT, "hook_event_name": "Stop"})
    assert caplog.records == []


@pytest.mark.parametrize("as_option", [True, False])
def test_diagnostics_are_logged_when_asked(caplog, tmp_path, as_option):
    engine = crosshook.Engine(dialect="qwen", settings=WRONG, home=tmp_path, project_dir=tmp_path, log=as_option)
    if not as_option:
        assert caplog.records == []
        number = crosshook.log_diagnostics(engine)
    loaded = engine.diagnostics()
    assert len(loaded) == 1
    assert [record.getMessage() for record in caplog.records] == [loaded[0]["message"]]
    record = caplog.records[0]
    levels = {"warning": logging.WARNING, "error": logging.ERROR}
    assert (record.name, record.levelno) == ("crosshook", levels[loaded[0]["level"]])
    assert (record.crosshook_code, record.crosshook_origin) == (loaded[0]["code"], loaded[0]["origin"])
    caplog.clear()
    engine.register_function(lambda event: 7, "Stop", name="seven")
    engine.dispatch({**EVENT, "hook_event_name": "Stop"})
    wait_until(lambda: any("seven" in record.getMessage() for record in caplog.records))
    caplog.clear()
    engine.register("s", {"hooks": {"PreToolUse": "y"}})
    assert len(caplog.records) == 1
    if not as_option:
        assert engine.unwatch(number)
        caplog.clear()
        engine.register("s", {"hooks": {"PreToolUse": "y"}})
        assert caplog.records == []
