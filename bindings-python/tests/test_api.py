"""Values in and out."""

from __future__ import annotations

import copy
import importlib.metadata
import json
import os
import pickle
import re
import types
from pathlib import Path

import pytest
from conftest import DENY, EVENT, run_script, settings

import crosshook

OUTCOME_KEYS = {
    "event", "decision", "reason", "updated_input", "updated_output", "additional_context", "system_messages", "stop",
    "suppress_output", "updated_permissions", "interrupt", "extra", "hooks", "diagnostics",
}  # fmt: skip


def test_a_dict_gives_a_dict(hooked):
    outcome = hooked(DENY).dispatch(EVENT)
    assert set(outcome) == OUTCOME_KEYS
    assert (outcome["event"], outcome["decision"], outcome["reason"]) == ("PreToolUse", "deny", "no")
    (hook,) = outcome["hooks"]
    assert (hook["status"], hook["exit_code"], hook["type"], hook["label"]) == ("blocked", 2, "command", DENY)


def test_text_gives_text_and_bytes_give_bytes(hooked):
    engine = hooked(DENY)
    text = engine.dispatch(json.dumps(EVENT))
    assert type(text) is str and json.loads(text)["decision"] == "deny"
    raw = engine.dispatch(json.dumps(EVENT).encode())
    assert type(raw) is bytes and json.loads(raw)["reason"] == "no"


def test_any_mapping_is_an_event(hooked):
    event = types.MappingProxyType({**EVENT, "tool_input": types.MappingProxyType({"command": "ls"})})
    assert hooked(DENY).dispatch(event)["decision"] == "deny"


def test_types_have_documentation_for_every_key_of_the_outcome():
    assert set(crosshook.types.Outcome.__annotations__) == OUTCOME_KEYS


def test_the_dialects_and_the_schemas_of_their_settings():
    names = crosshook.dialect_names()
    assert names == ("codebuddy", "zcode", "qwen", "claude", "codex", "gemini")
    for name in names:
        schema = crosshook.settings_schema(name)
        assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
        events = schema["definitions"]["events"]["properties"]
        assert ("AfterAgent" if name == "gemini" else "Stop") in events
        assert crosshook.Engine(dialect=name, settings={}).list() == []
        schema.clear()
        assert crosshook.settings_schema(name), "each caller has its own"
    with pytest.raises(crosshook.InvalidOptionsError, match='no dialect "pascal"; it is one of codebuddy, '):
        crosshook.settings_schema("pascal")
    with pytest.raises(TypeError):
        crosshook.settings_schema(7)


def test_hooks_get_real_characters(hooked, tmp_path):
    engine = hooked(f"cat > {tmp_path}/in")
    outcome = engine.dispatch({**EVENT, "tool_input": {"command": "grüße 😀 \0"}})
    assert outcome["decision"] == "none"
    given = (tmp_path / "in").read_bytes()
    assert "grüße 😀".encode() in given
    assert json.loads(given)["tool_input"] == {"command": "grüße 😀 \0"}


@pytest.mark.parametrize("as_text", [False, True])
def test_lone_surrogates_reach_the_hooks_as_escapes(hooked, tmp_path, as_text):
    event = {**EVENT, "tool_input": {"command": "a\ud800\\b"}}
    given = json.dumps(event, ensure_ascii=False) if as_text else event
    hooked(f"cat > {tmp_path}/in").dispatch(given)
    raw = (tmp_path / "in").read_bytes()
    assert rb"a\ud800\\b" in raw.lower()
    assert json.loads(raw)["tool_input"] == event["tool_input"]


def test_lone_surrogates_come_back(hooked):
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "x\udc00"}}
    outcome = hooked(f"cat <<'END'\n{json.dumps(answer)}\nEND").dispatch(EVENT)
    assert len(outcome["additional_context"]) == 1


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "not JSON compliant"),
        (float("inf"), "not JSON compliant"),
        ({1, 2}, "set is no JSON type"),
        (b"x", "bytes is no JSON type"),
    ],
)
def test_what_json_cannot_say_is_refused(hooked, value, words):
    with pytest.raises(crosshook.InvalidEventError, match=words) as caught:
        hooked(DENY).dispatch({**EVENT, "tool_input": {"x": value}})
    assert caught.value.code == "invalid_event"


def test_cycles_and_bottomless_events_are_refused(hooked):
    cycle: dict[str, object] = dict(EVENT)
    cycle["tool_input"] = cycle
    with pytest.raises(crosshook.InvalidEventError, match="Circular"):
        hooked(DENY).dispatch(cycle)
    deep: list[object] = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(crosshook.InvalidEventError, match="pass it as JSON text"):
        hooked(DENY).dispatch({**EVENT, "tool_input": deep})


def test_a_deep_event_works_as_text(hooked):
    deep = "[" * 10_000 + "]" * 10_000
    text = json.dumps(EVENT).replace('{"command": "ls"}', f'{{"x":{deep}}}')
    assert deep in text
    assert json.loads(hooked(DENY).dispatch(text))["decision"] == "deny"


@pytest.mark.parametrize("event", [None, 7, [], bytearray(b"{}")])
def test_other_types_are_type_errors(hooked, event):
    for call in (hooked(DENY).dispatch, hooked(DENY).explain):
        with pytest.raises(TypeError, match=f"dict, str or bytes, not {type(event).__name__}"):
            call(event)


def test_a_recording_is_decided_again(tmp_path):
    described = crosshook.types
    path = tmp_path / "hooks.jsonl"
    record = {"path": path, "redact": [{"key": "mood"}], "max_bytes": 1 << 20}
    with crosshook.Engine(dialect="qwen", settings=settings(DENY), record=record) as engine:
        engine.dispatch({**EVENT, "mood": "bad", "api_key": "k"})
        (line,) = path.read_bytes().splitlines()
        recorded = json.loads(line)["event"]
        assert (recorded["mood"], recorded["api_key"]) == ("[redacted]", "[redacted]")
        same = engine.replay(line)
        assert (same["same"], same["differences"], same["outcome"]["reason"]) == (True, [], "no")
        with pytest.raises(TypeError, match="str or bytes, not dict"):
            engine.replay({})
        with pytest.raises(crosshook.InvalidEventError, match="no JSON object"):
            engine.replay("{")
    replay = crosshook.Engine(dialect="qwen", settings={}).replay(line.decode())
    assert set(replay) == set(described.Replay.__annotations__)
    assert all(set(one) == set(described.Difference.__annotations__) for one in replay["differences"])
    found = [(one["what"], one["recorded"], one["now"]) for one in replay["differences"]]
    assert found == [("decision", "deny", "none"), ("reason", "no", None), ("not_run", None, None)]
    with pytest.raises(crosshook.IoError, match="cannot be recorded there"):
        crosshook.Engine(dialect="qwen", settings={}, record=tmp_path)


def test_explain_list_diagnostics(hooked):
    engine = hooked(DENY, "exit 0")
    explained = engine.explain(EVENT)
    assert [entry["runs"] for entry in explained] == [True, True]
    assert all(entry["why"] for entry in explained)
    assert [entry["runs"] for entry in engine.explain(json.dumps({**EVENT, "hook_event_name": "Stop"}))] == [False] * 2
    listed = engine.list()
    assert [(entry["event"], entry["label"]) for entry in listed] == [
        ("PreToolUse", DENY),
        ("PreToolUse", "exit 0"),
    ]
    assert {entry["id"] for entry in listed} == {entry["id"] for entry in explained}
    assert engine.diagnostics() == []
    wrong = crosshook.Engine(dialect="qwen", settings={"hooks": {"PreToolUse": "x"}})
    (diagnostic,) = wrong.diagnostics()
    assert diagnostic["level"] in ("warning", "error") and diagnostic["message"]
    assert set(diagnostic["origin"]) == set(crosshook.types.Origin.__annotations__)
    assert wrong.lint() == []
    group = {"matcher": "^bash$", "hooks": [{"type": "command", "command": "true"}]}
    (warning,) = crosshook.Engine(dialect="qwen", settings={"hooks": {"PreToolUse": [group]}}).lint()
    assert (warning["level"], warning["code"]) == ("warning", "lint_matcher_never_matches")


def test_the_described_keys_are_the_real_ones(hooked):
    engine = hooked(DENY)
    described = crosshook.types
    (hook,) = engine.dispatch(EVENT)["hooks"]
    assert set(hook) == set(described.HookReport.__annotations__)
    assert set(hook["origin"]) == set(described.Origin.__annotations__)
    assert set(engine.explain(EVENT)[0]) == set(described.Explanation.__annotations__)
    assert set(engine.list()[0]) == set(described.HookInfo.__annotations__)


def test_sources_paths_and_environment(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(settings("echo $SECRET-$MINE >&2; exit 2")))
    os.environ["SECRET"] = "secret"
    try:
        engine = crosshook.Engine(
            dialect="qwen",
            settings=({"scope": "project", "path": file},),
            project_dir=tmp_path,
            env={"MINE": "mine", "PATH": os.environ["PATH"]},
        )
        assert engine.dispatch(EVENT)["reason"] == "-mine"
    finally:
        del os.environ["SECRET"]
    assert engine.list()[0]["origin"]["path"] == str(file)


def test_close(hooked):
    with hooked(DENY) as engine:
        assert repr(engine) == "<crosshook.Engine dialect='qwen'>"
    engine.close()
    assert repr(engine) == "<crosshook.Engine dialect='qwen' (closed)>"
    for call in (
        lambda: engine.dispatch(EVENT),
        lambda: engine.explain(EVENT),
        engine.list,
        engine.diagnostics,
    ):
        with pytest.raises(crosshook.ClosedError, match="was closed"):
            call()


@pytest.mark.parametrize("copier", [pickle.dumps, copy.copy, copy.deepcopy])
def test_pickling_is_refused_with_words(hooked, copier):
    with pytest.raises(TypeError, match="make one from the same options in each process"):
        copier(hooked(DENY))


def test_importing_loads_next_to_nothing():
    script = "import sys; before = set(sys.modules); import crosshook; print(*sorted(set(sys.modules) - before))"
    result = run_script(script, prelude=False)
    loaded = set(result.stdout.split())
    names = {
        "crosshook",
        "crosshook._engine",
        "crosshook._errors",
        "crosshook._life",
        "crosshook._native",
        "atexit",
        "__future__",
    }
    assert names - {"__future__"} <= loaded <= names, result.stderr


def test_version_and_help():
    assert re.fullmatch(r"\d+\.\d+\.\d+", crosshook.__version__)
    result = run_script("import crosshook; help(crosshook)", prelude=False)
    for words in (
        "One hooks engine for every coding agent",
        "dispatch_async",
        "class InvalidEventError",
        "project_dir",
    ):
        assert words in result.stdout
    assert "types" in dir(crosshook)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = crosshook.nothing


def test_everything_public_has_documentation():
    for name in crosshook.__all__:
        thing = getattr(crosshook, name)
        assert name == "__version__" or thing.__doc__, name
    for name in dir(crosshook.Engine):
        assert name.startswith("_") or getattr(crosshook.Engine, name).__doc__, name


README = (Path(__file__).parent.parent / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(import.*?)```\n\nprints\n\n```\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("example", "printed"), EXAMPLES)
def test_the_examples_of_the_readme(example, printed):
    result = run_script(example, prelude=False)
    assert (result.stdout, result.stderr) == (printed, "")


def test_the_readme_has_its_examples_and_every_method():
    assert len(EXAMPLES) == 2
    methods = {name for name in dir(crosshook.Engine) if not name.startswith("_")} - {"dispatch", "dispatch_async"}
    assert {name for name in methods if f"`{name}`" not in README} == set()


def test_the_licences_are_part_of_the_package():
    names = {file.name for file in importlib.metadata.files("crosshook") or ()}
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= names
