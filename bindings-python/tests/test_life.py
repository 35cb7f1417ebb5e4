"""Settings that change, sessions, goals, background hooks, messages, rendered contexts."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest
from conftest import DENY, EVENT, leave_pids, settings, wait_until, wait_until_dead

import crosshook

STOP = {**EVENT, "hook_event_name": "Stop"}


def write(path, *commands):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings(*commands)))
    return path


@pytest.fixture
def filed(tmp_path):
    """An engine whose hooks stand in a file, and the file."""
    file = write(tmp_path / ".qwen" / "settings.json", "exit 0", DENY)
    env = {"PATH": "/usr/bin:/bin"}
    return crosshook.Engine(dialect="qwen", home=tmp_path / "home", project_dir=tmp_path, env=env), file


def test_files_are_looked_up_and_can_be_left_alone(filed, tmp_path):
    engine, file = filed
    assert engine.list()[0]["origin"]["path"] == str(file)
    alone = crosshook.Engine(dialect="qwen", home=tmp_path / "home", project_dir=tmp_path, discover=False)
    assert alone.list() == []


def test_changes_and_reload(filed):
    engine, file = filed
    nothing = {"files": [], "added": [], "changed": [], "removed": [], "diagnostics": []}
    assert engine.changes() == nothing
    write(file, "exit 0", "echo other >&2; exit 2")
    changes = engine.changes()
    assert set(changes) == set(crosshook.types.Changes.__annotations__)
    assert changes["files"] == [{"path": str(file), "change": "changed"}]
    names = [hook["label"] for hook in changes["added"] + changes["removed"]]
    names += [hook[side]["label"] for hook in changes["changed"] for side in ("before", "after")]
    assert sorted(names) == sorted([DENY, "echo other >&2; exit 2"])
    assert engine.dispatch(EVENT)["reason"] == "no", "looking changes nothing"
    assert engine.reload()["files"] == changes["files"]
    assert engine.dispatch(EVENT)["reason"] == "other"
    assert engine.reload() == nothing


def test_a_broken_file_keeps_the_old_set(filed):
    engine, file = filed
    file.write_text("{ broken")
    assert engine.changes()["files"] == [{"path": str(file), "change": "broken"}]
    with pytest.raises(crosshook.InvalidSettingsError) as caught:
        engine.reload()
    assert caught.value.details["path"] == str(file)
    assert engine.dispatch(EVENT)["reason"] == "no"


def test_register_and_unregister(hooked):
    engine = hooked()
    added = engine.register(EVENT["session_id"], settings(DENY))
    assert set(added) == set(crosshook.types.Registered.__annotations__)
    assert (added["hooks"], added["diagnostics"]) == (1, [])
    assert engine.dispatch(EVENT)["decision"] == "deny"
    assert engine.dispatch({**EVENT, "session_id": "other"})["decision"] == "none"
    assert engine.unregister(added["id"]) is True
    assert engine.unregister(added["id"]) is False
    assert engine.dispatch(EVENT)["decision"] == "none"
    as_text = engine.register(EVENT["session_id"], json.dumps(settings("exit 0")))
    assert as_text["id"] != added["id"]
    for wrong in ("{", "[]", {1, 2}):
        with pytest.raises(crosshook.InvalidSettingsError):
            engine.register("s", wrong)
    bad = engine.register("s", {"hooks": {"PreToolUse": "x"}})
    assert bad["diagnostics"][0]["code"]


SKILL = f"""---
name: checker
context: fork
hooks:
  PreToolUse:
    - hooks:
        - type: command
          command: "{DENY}"
---
text
"""


def test_scopes(tmp_path):
    engine = crosshook.Engine(dialect="codebuddy", settings={}, home=tmp_path, project_dir=tmp_path)
    scope = engine.open_scope("skill", "builtin", SKILL, path=tmp_path / "SKILL.md", session_id=EVENT["session_id"])
    assert (scope["hooks"], scope["diagnostics"]) == (1, [])
    assert engine.dispatch(EVENT)["decision"] == "deny"
    assert engine.dispatch({**EVENT, "session_id": "other"})["decision"] == "none"
    assert engine.close_scope(scope["id"]) is True
    assert engine.close_scope(scope["id"]) is False
    assert engine.dispatch(EVENT)["decision"] == "none"
    held = engine.open_scope("skill", "user", SKILL)
    assert [diagnostic["code"] for diagnostic in held["diagnostics"]] == ["frontmatter_skipped"]
    assert engine.dispatch(EVENT)["decision"] == "none"
    with pytest.raises(crosshook.InvalidOptionsError, match="the scope is not usable"):
        engine.open_scope("robot", "user", SKILL)


def guard(event, matcher):
    return {"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": DENY}]}]}}


def test_plugins_sessions_and_scopes_of_another_dialect(tmp_path):
    gemini, claude = guard("BeforeTool", "^run_shell_command$"), guard("PreToolUse", "^Bash$")
    write_json = {"gemini-extension.json": gemini, ".claude-plugin/plugin.json": claude}
    for name, hooks in write_json.items():
        (tmp_path / "plugin" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plugin" / name).write_text(json.dumps({"name": "p", **hooks}))
    places = {"settings": {}, "home": tmp_path, "project_dir": tmp_path}

    def ran(engine, event=EVENT):
        outcome = engine.dispatch(event)
        return outcome["decision"], [hook["dialect"] for hook in outcome["hooks"]]

    plugins = [{"path": tmp_path / "plugin", "dialect": name} for name in ("gemini", "claude")]
    assert ran(crosshook.Engine(dialect="qwen", plugins=plugins, **places)) == ("deny", ["gemini", "claude"])

    engine = crosshook.Engine(dialect="qwen", **places)
    entry = {"dialect": "gemini", "settings": gemini}
    for form in (entry, json.dumps(entry)):
        added = engine.register(EVENT["session_id"], form)
        assert (added["hooks"], added["diagnostics"]) == (1, [])
        assert ran(engine) == ("deny", ["gemini"])
        assert ran(engine, {**EVENT, "session_id": "other"}) == ("none", [])
        assert engine.unregister(added["id"])
    text = f"---\nname: x\nhooks: {json.dumps(claude['hooks'])}\n---\n"
    scope = engine.open_scope("agent", "user", text, dialect="claude", session_id=EVENT["session_id"])
    assert scope["diagnostics"] == []
    assert ran(engine) == ("deny", ["claude"])
    assert engine.close_scope(scope["id"])
    assert ran(engine) == ("none", [])

    def refused(pointer, call, *arguments, **options):
        with pytest.raises(crosshook.InvalidOptionsError, match='no dialect "cursor"') as caught:
            call(*arguments, **options)
        assert caught.value.details["pointer"] == pointer

    unknown = [tmp_path / "plugin", {"path": tmp_path / "plugin", "dialect": "cursor"}]
    refused("/plugins/1/dialect", crosshook.Engine, dialect="qwen", plugins=unknown, **places)
    refused("/dialect", engine.register, "s", {"dialect": "cursor", "settings": {}})
    refused("/dialect", engine.open_scope, "agent", "user", text, dialect="cursor")


def zcode(tmp_path, **options):
    file = tmp_path / "project" / ".zcode" / "config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    group = {"matcher": "*", "hooks": [{"type": "command", "command": DENY}]}
    file.write_text(json.dumps({"hooks": {"enabled": True, "events": {"PreToolUse": [group]}}}))
    return crosshook.Engine(dialect="zcode", home=tmp_path / "home", project_dir=tmp_path / "project",
                            env={"PATH": "/usr/bin:/bin"}, **options)  # fmt: skip


def test_grants(tmp_path):
    store = tmp_path / "grants.json"
    engine = zcode(tmp_path, trusted=False, trust_store=store)
    assert engine.dispatch(EVENT)["decision"] == "none"
    (wanted,) = engine.wanted_grants()
    assert set(wanted) == set(crosshook.types.WantedGrant.__annotations__)
    assert wanted["workspace"] == str(tmp_path / "project") and wanted["digest"].startswith("sha256:")
    assert [hook["label"] for hook in wanted["hooks"]] == [DENY]
    engine.grant(wanted["digest"])
    assert engine.wanted_grants() == [] and wanted["digest"] in store.read_text()
    assert engine.grants() == [{"workspace": wanted["workspace"], "digest": wanted["digest"]}]
    assert engine.dispatch(EVENT)["decision"] == "deny"
    assert zcode(tmp_path, trusted=False, trust_store=store).dispatch(EVENT)["decision"] == "deny"
    engine.revoke(wanted["digest"])
    assert engine.dispatch(EVENT)["decision"] == "none" and wanted["digest"] not in store.read_text()
    with pytest.raises(crosshook.InvalidOptionsError, match="no hooks wait"):
        engine.grant("sha256:00")


def test_plugins(tmp_path):
    root = tmp_path / "plug in"
    write(root / "hooks" / "hooks.json", 'echo "$CODEBUDDY_PLUGIN_ROOT" >&2; exit 2')

    def reason(plugin):
        options = {"dialect": "codebuddy", "settings": {}, "home": tmp_path, "project_dir": tmp_path}
        engine = crosshook.Engine(plugins=[plugin], **options)
        return engine.dispatch(EVENT)["reason"]

    assert reason(root) == str(root)
    assert reason({"path": root, "id": "mine"}) == str(root)
    assert reason({"path": root, "enabled": False}) is None


def test_sessions_end(tmp_path):
    group = {"matcher": "*", "hooks": [{"type": "command", "command": "echo go on >&2; exit 2"}]}
    stops = {"hooks": {"enabled": True, "events": {"Stop": [group]}}}
    engine = crosshook.Engine(dialect="zcode", settings=stops, home=tmp_path, project_dir=tmp_path)
    assert [engine.dispatch(STOP)["decision"] for _ in range(4)] == ["block"] * 3 + ["none"]
    for _ in range(3):
        engine.dispatch(STOP)
    assert engine.end_session(EVENT["session_id"]) is True
    assert engine.dispatch(STOP)["decision"] == "block"
    assert engine.end_session("other") is False


def test_goals(tmp_path):
    replies = iter(['{"ok": false, "reason": "two tests fail"}', '{"ok": true}'])
    prompts = []

    def model(request):
        prompts.append(request["prompt"])
        return next(replies)

    engine = crosshook.Engine(dialect="codebuddy", settings={}, home=tmp_path, project_dir=tmp_path, model=model)
    session = EVENT["session_id"]
    assert engine.goal(session) is None
    engine.set_goal(session, "all tests pass")
    assert engine.note_goal_usage(session, 3, 4000) is True
    outcome = engine.dispatch(STOP)
    assert outcome["decision"] == "block" and "two tests fail" in outcome["reason"]
    assert "all tests pass" in prompts[0]
    goal = engine.goal(session)
    assert set(goal) == set(crosshook.types.Goal.__annotations__)
    assert {key: goal[key] for key in ("condition", "status", "turns", "tokens", "checks", "last_reason")} == {
        "condition": "all tests pass", "status": "active", "turns": 3, "tokens": 4000, "checks": 1,
        "last_reason": "two tests fail",
    }  # fmt: skip
    assert engine.clear_goal(session) is True and engine.clear_goal(session) is False
    assert engine.dispatch(STOP)["hooks"] == []
    engine.restore_goal(session, goal)
    assert engine.goal(session) == goal
    assert engine.dispatch(STOP)["decision"] == "none"
    assert engine.goal(session)["status"] == "met"
    assert engine.note_goal_usage("other", 1, 1) is False
    for wrong in (lambda: engine.set_goal(session, " "), lambda: engine.restore_goal(session, {"no": "goal"})):
        with pytest.raises(crosshook.InvalidOptionsError):
            wrong()


# Background hooks.


def in_background(tmp_path, command, **options):
    hook = {"type": "command", "command": command, "async": True, "timeout": 60}
    hooks = {"hooks": {"PostToolUse": [{"hooks": [hook]}]}}
    options = {"dialect": "qwen", "home": tmp_path, "project_dir": tmp_path, **options}
    return crosshook.Engine(settings=hooks, **options)


AFTER = {**EVENT, "hook_event_name": "PostToolUse", "tool_response": {}}


def test_background_hooks_are_listed_and_cancelled(tmp_path):
    noted = tmp_path / "pids"
    engine = in_background(tmp_path, leave_pids(noted))
    assert engine.background() == [] and engine.wait_background() is True
    assert engine.dispatch(AFTER)["hooks"][0]["status"] == "background"
    wait_until(noted.exists)
    (running,) = engine.background()
    assert set(running) == set(crosshook.types.BackgroundHook.__annotations__)
    assert set(running["hook"]) == set(crosshook.types.HookNote.__annotations__)
    assert running["event"] == "PostToolUse" and running["running_ms"] > 0
    start = time.monotonic()
    assert engine.wait_background(0.1) is False
    assert 0.09 < time.monotonic() - start < 10
    assert engine.cancel_background(running["number"] + 1) == 0
    assert engine.cancel_background(running["number"]) == 1
    assert engine.wait_background(20) is True
    assert engine.cancel_background() == 0
    wait_until_dead(noted)


def test_waiting_for_the_background(tmp_path):
    engine = in_background(tmp_path, "sleep 0.3")
    engine.dispatch(AFTER)
    assert engine.wait_background() is True

    async def main():
        await engine.dispatch_async(AFTER)
        early = await engine.wait_background_async(0.05)
        cancelled = asyncio.create_task(engine.wait_background_async())
        await asyncio.sleep(0)
        cancelled.cancel()
        return early, await engine.wait_background_async(), cancelled

    early, done, cancelled = asyncio.run(main())
    assert (early, done, cancelled.cancelled()) == (False, True, True)
    assert engine.background() == []


def test_a_signal_ends_the_wait_and_not_the_hook(tmp_path):
    import signal

    class Enough(Exception):
        pass

    def handler(_number, _frame):
        raise Enough

    engine = in_background(tmp_path, "sleep 60")
    engine.dispatch(AFTER)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Enough):
            engine.wait_background()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert engine.cancel_background() == 1


def test_late_results(tmp_path):
    said = json.dumps({"systemMessage": "done late"})
    engine = in_background(tmp_path, f"echo '{said}'", dialect="codebuddy")
    engine.dispatch(AFTER)
    assert engine.wait_background(20) is True
    (result,) = engine.take_late_results()
    assert engine.take_late_results() == []
    assert set(result) == set(crosshook.types.LateResult.__annotations__)
    assert (result["session_id"], result["event"], result["status"]) == ("s-1", "PostToolUse", "ok")
    assert result["system_message"] == "done late"


# Texts.


def test_contexts_are_rendered(hooked):
    engine = hooked()
    outcome = engine.dispatch({**EVENT, "hook_event_name": "UserPromptSubmit", "prompt": "hi"})
    assert engine.render_context(outcome) is None
    outcome["additional_context"] = ["one", "two"]
    text = engine.render_context(outcome)
    assert "one" in text and "two" in text
    assert engine.render_context(json.dumps(outcome)) == text
    with pytest.raises(crosshook.InvalidEventError, match="the outcome is not usable"):
        engine.render_context({"event": "Stop"})


COMMON = {key: EVENT[key] for key in ("session_id", "transcript_path", "cwd")}


@pytest.mark.parametrize("is_async", [False, True])
def test_messages_reach_functions(hooked, is_async):
    engine = hooked()
    given = []

    def function(event):
        given.append((event["displayed_text"], event["is_final"]))

    async def coroutine(event):
        await asyncio.sleep(0)
        function(event)

    engine.register_function(coroutine if is_async else function, "MessageDisplay")
    message = engine.message_display(COMMON)
    assert type(message) is crosshook.MessageDisplay
    message.push("Hel")
    wait_until(lambda: given)
    message.push("lo")
    assert message.finish() is True
    assert given == [("Hel", False), ("Hello", True)]
    assert message.finish() is True and len(given) == 2


def test_messages_in_asyncio_and_beside_other_dispatches(hooked):
    engine = hooked()
    threads = []
    engine.register_function(lambda event: threads.append(threading.get_ident()), "PreToolUse")
    texts = []
    engine.register_function(lambda event: texts.append(event["displayed_text"]), "MessageDisplay")

    async def main():
        message = engine.message_display(COMMON)
        message.push("text \ud800")
        await asyncio.to_thread(engine.dispatch, EVENT)
        return await message.finish_async()

    assert asyncio.run(main()) is True
    assert len(threads) == 1 and texts[-1].startswith("text ")


def test_a_message_waits_no_longer_than_asked(hooked, tmp_path):
    engine = hooked()
    slow = {"type": "command", "command": "sleep 5"}
    engine.register("s-1", {"hooks": {"MessageDisplay": [{"hooks": [slow]}]}})
    message = engine.message_display(COMMON)
    message.push("x")
    start = time.monotonic()
    assert message.finish(0.1) is False
    assert time.monotonic() - start < 4


def test_an_aborted_message_and_wrong_ones(hooked, tmp_path):
    engine = hooked()
    given = []
    engine.register_function(lambda event: given.append(event["is_final"]), "MessageDisplay")
    message = engine.message_display(COMMON)
    message.abort()
    message.push("x")
    assert message.finish() is True and given == []
    with pytest.raises(crosshook.InvalidEventError):
        engine.message_display({"x": {1}})
    zcode = crosshook.Engine(dialect="zcode", settings={}, home=tmp_path, project_dir=tmp_path)
    with pytest.raises(crosshook.InvalidOptionsError, match="no event MessageDisplay"):
        zcode.message_display(COMMON)
